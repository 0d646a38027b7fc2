//! What a server knows of the client it answers.

use bytes::Bytes;

use crate::fault::{Fault, code};
use crate::json::{Object, View};
use crate::question::Question;
use crate::version::{Era, Version};

/// A client, as it described itself; nothing here is proven.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Peer {
    /// The revision it speaks.
    pub version: Version,
    /// What it can do, a JSON object.
    pub capabilities: Bytes,
    /// What it is, a JSON object.
    pub info: Option<Bytes>,
}

impl Peer {
    /// How it speaks.
    pub fn era(&self) -> Era {
        self.version.era()
    }

    /// Whether it declared the capability at the end of this path.
    pub fn can(&self, path: &[&str]) -> bool {
        View::new(&self.capabilities).at(path).is_some()
    }

    /// Whether it may be asked this.
    pub fn can_answer(&self, question: &Question) -> bool {
        question.is_allowed(View::new(&self.capabilities))
    }

    /// The fault when it did not declare what a call needs.
    pub fn missing(path: &[&str]) -> Fault {
        let needed = path
            .iter()
            .rev()
            .fold(Bytes::from_static(b"{}"), |inner, key| Object::new().raw(key, &inner).finish());
        let data = Object::new().raw("requiredCapabilities", &needed).finish();
        let message = format!("the client did not declare `{}`", path.join("."));
        Fault::new(code::MISSING_CAPABILITY, message).with_data(data)
    }
}

/// How grave a log message is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Level {
    Debug,
    Info,
    Notice,
    Warning,
    Error,
    Critical,
    Alert,
    Emergency,
}

impl Level {
    const ALL: [(Self, &'static str); 8] = [
        (Self::Debug, "debug"),
        (Self::Info, "info"),
        (Self::Notice, "notice"),
        (Self::Warning, "warning"),
        (Self::Error, "error"),
        (Self::Critical, "critical"),
        (Self::Alert, "alert"),
        (Self::Emergency, "emergency"),
    ];

    /// The level of this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, known)| *known == name).map(|(level, _)| level)
    }

    /// Its name on the wire.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(level, _)| *level == self).map_or("info", |(_, name)| name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named_as_a_capability() {
        let fault = Peer::missing(&["extensions", "io.modelcontextprotocol/tasks"]);
        let expected = br#"{"requiredCapabilities":{"extensions":{"io.modelcontextprotocol/tasks":{}}}}"#;
        assert_eq!(&fault.data.unwrap()[..], expected);
    }

    #[test]
    fn levels_are_ordered_by_gravity() {
        assert!(Level::named("debug") < Level::named("info") && Level::Error < Level::Emergency);
        assert_eq!(Level::named("loud"), None);
        assert!(Level::ALL.iter().all(|(level, name)| level.name() == *name));
    }
}
