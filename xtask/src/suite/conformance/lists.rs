//! The scenarios of a run, from the suite's own files and from our list of known failures.
//!
//! Both are YAML of one plain shape, so a line at a time is enough.

/// What a revision asks of one leg.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Requirements {
    pub(super) scored: Vec<String>,
    /// Run and reported, but not required.
    pub(super) optional: Vec<String>,
}

impl Requirements {
    /// Reads `requirements/<revision>.yaml` of the suite.
    pub(super) fn parse(text: &str, leg: &str) -> Self {
        let mut optional = Vec::new();
        let mut scenario = String::new();
        for line in section(text, "not_scored") {
            if let Some(name) = line.strip_prefix("- scenario:") {
                name.trim().clone_into(&mut scenario);
            } else if line.strip_prefix("leg:").is_some_and(|name| name.trim() == leg) {
                optional.push(scenario.clone());
            }
        }
        Self { scored: entries(text, leg), optional }
    }
}

/// The entries of one list: `scenario`, or `scenario:check`.
pub(super) fn entries(text: &str, name: &str) -> Vec<String> {
    section(text, name).filter_map(|line| line.strip_prefix("- ")).map(|entry| entry.trim().into()).collect()
}

/// The lines below a top-level key, without comments.
fn section<'text>(text: &'text str, name: &str) -> impl Iterator<Item = &'text str> {
    let lines = text.lines().map(|line| line.split(" #").next().unwrap_or_default());
    let lines = lines.filter(|line| !line.starts_with('#') && !line.trim().is_empty());
    let key = format!("{name}:");
    let lines = lines.skip_while(move |line| line.trim_end() != key).skip(1);
    lines.take_while(|line| line.starts_with(' ')).map(str::trim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn required_and_optional_scenarios_of_a_leg_are_read() {
        let text = "# server:\n\nserver:\n  - ping\n  - tools-list # each\n\nclient:\n  - initialize\n\n\
                    not_scored:\n  - scenario: auth/dpop\n    leg: client\n    reason: extension\n\
                    \x20 - scenario: tasks\n    leg: server\n    note: >-\n      leg: client is not meant\n";
        let server =
            Requirements { scored: vec!["ping".into(), "tools-list".into()], optional: vec!["tasks".into()] };
        assert_eq!(Requirements::parse(text, "server"), server);
        let client = Requirements::parse(text, "client");
        assert_eq!((client.scored, client.optional), (vec!["initialize".into()], vec!["auth/dpop".into()]));
    }

    #[test]
    fn known_failures_are_read_without_their_reasons() {
        let text = "client:\n  # no key to bind to\n  - auth/dpop\n  - auth/dpop-nonce:a-check # as above\n";
        assert_eq!(entries(text, "client"), ["auth/dpop", "auth/dpop-nonce:a-check"]);
        assert!(entries(text, "server").is_empty());
        assert!(entries("server: []\n", "server").is_empty());
    }
}
