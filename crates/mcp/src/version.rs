//! The revisions of the protocol, and the era each belongs to.

use std::fmt;
use std::str::FromStr;

/// A published revision.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Version {
    /// 2024-11-05: stdio and HTTP+SSE.
    V2024_11_05,
    /// 2025-03-26: streamable HTTP, batches.
    V2025_03_26,
    /// 2025-06-18: batches removed, elicitation.
    V2025_06_18,
    /// 2025-11-25: the last with a handshake.
    V2025_11_25,
    /// 2026-07-28: every request speaks for itself.
    V2026_07_28,
}

/// How a peer speaks: after a handshake, or with everything in each request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Era {
    /// A session begins with `initialize`.
    Legacy,
    /// Each request carries version and capabilities.
    Modern,
}

impl Version {
    /// All of them, oldest first.
    pub const ALL: [Self; 5] =
        [Self::V2024_11_05, Self::V2025_03_26, Self::V2025_06_18, Self::V2025_11_25, Self::V2026_07_28];
    /// The newest that begins with a handshake.
    pub const NEWEST_LEGACY: Self = Self::V2025_11_25;
    /// The newest of all.
    pub const NEWEST: Self = Self::V2026_07_28;

    /// As it is written on the wire.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::V2024_11_05 => "2024-11-05",
            Self::V2025_03_26 => "2025-03-26",
            Self::V2025_06_18 => "2025-06-18",
            Self::V2025_11_25 => "2025-11-25",
            Self::V2026_07_28 => "2026-07-28",
        }
    }

    /// The era it belongs to.
    pub fn era(self) -> Era {
        if self >= Self::V2026_07_28 { Era::Modern } else { Era::Legacy }
    }

    /// The legacy revision to answer a handshake with: the one asked for when it is known, else the newest.
    pub fn for_handshake(asked: &str) -> Self {
        asked
            .parse()
            .ok()
            .filter(|version: &Self| version.era() == Era::Legacy)
            .unwrap_or(Self::NEWEST_LEGACY)
    }

    /// Whether messages may come in arrays.
    pub fn has_batches(self) -> bool {
        self == Self::V2025_03_26
    }
}

impl fmt::Display for Version {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// The text names no revision that is known here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("not a known revision of the protocol")]
pub struct Unknown;

impl FromStr for Version {
    type Err = Unknown;

    fn from_str(text: &str) -> Result<Self, Unknown> {
        Self::ALL.into_iter().find(|version| version.as_str() == text).ok_or(Unknown)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn revisions_are_ordered_and_only_the_last_is_modern() {
        let written: Vec<&str> = Version::ALL.iter().map(|version| version.as_str()).collect();
        assert!(written.is_sorted() && Version::ALL.is_sorted());
        assert!(Version::ALL.iter().all(|version| version.as_str().parse() == Ok(*version)));
        let modern: Vec<Version> =
            Version::ALL.into_iter().filter(|version| version.era() == Era::Modern).collect();
        assert_eq!(modern, [Version::NEWEST]);
    }

    #[test]
    fn a_handshake_gets_the_revision_it_asked_for_or_the_newest_legacy_one() {
        assert_eq!(Version::for_handshake("2024-11-05"), Version::V2024_11_05);
        assert_eq!(Version::for_handshake("2026-07-28"), Version::V2025_11_25);
        assert_eq!(Version::for_handshake("1999-01-01"), Version::V2025_11_25);
    }
}
