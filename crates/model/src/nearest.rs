//! The known word closest to a misspelt one.

/// The candidate nearest to `given`, if it is near enough to be what was meant.
pub fn nearest<'a>(given: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if given.len() > 64 {
        return None;
    }
    let folded = given.to_lowercase().replace(['-', ' '], "_");
    known
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&folded, &candidate.to_lowercase()), candidate))
        .filter(|(distance, candidate)| *distance <= (candidate.len().min(given.len()) / 3).max(1))
        .min()
        .map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn a_misspelt_word_finds_its_neighbour_and_a_strange_one_does_not() {
        let known = ["command", "args", "working_dir", "default_enabled_tools"];
        for (given, expected) in [
            ("comand", Some("command")),
            ("arg", Some("args")),
            ("workingDir", Some("working_dir")),
            ("working-dir", Some("working_dir")),
            ("default_enable_tool", Some("default_enabled_tools")),
            ("endpoint", None),
            ("", None),
        ] {
            assert_eq!(nearest(given, known), expected, "{given}");
        }
    }
}
