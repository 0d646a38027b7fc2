//! The clients' placeholders into ours: `${VAR}`, `${env:VAR}`, `${VAR:-default}`, `{env:VAR}`, `$VAR`.

use super::draft::Declared;
use super::names::{is_variable, variable};
use super::secret;

/// What editors and clients fill in by themselves, and nobody else does.
const EDITORS: [&str; 12] = [
    "workspaceFolder",
    "workspaceFolderBasename",
    "workspaceRoot",
    "userHome",
    "cwd",
    "file",
    "fileDirname",
    "fileBasename",
    "relativeFile",
    "pathSeparator",
    "CLAUDE_PLUGIN_ROOT",
    "CLAUDE_PROJECT_DIR",
];

/// A text in our spelling, and the variables it refers to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Translated {
    pub text: String,
    pub variables: Vec<(String, Declared)>,
    /// Placeholders that mean nothing here and stay as they are written.
    pub strange: Vec<String>,
    /// Variables that only an editor fills in.
    pub editors: Vec<String>,
    /// Whether a default was left out, since it looks secret.
    pub withheld: bool,
}

impl Translated {
    /// Whether it is made of variables alone, so that nothing of a secret is written with them.
    pub fn is_reference(&self) -> bool {
        let rest = self
            .variables
            .iter()
            .fold(self.text.clone(), |text, (name, _)| text.replacen(&format!("${{{name}}}"), "", 1));
        !self.variables.is_empty() && !rest.contains(|c: char| c.is_alphanumeric())
    }
}

/// Translates a text. Without interpolation its `${` are just characters.
pub fn translate(text: &str, interpolates: bool) -> Translated {
    let mut out = Translated::default();
    let mut rest = text;
    while let Some(at) = rest.find(['$', '{']) {
        out.text.push_str(&rest[..at]);
        rest = &rest[at..];
        rest = if interpolates { step(rest, &mut out) } else { literal(rest, &mut out) };
    }
    out.text.push_str(rest);
    out
}

/// Takes one character as it is; a `${` is escaped so that it is not taken for a variable.
fn literal<'a>(rest: &'a str, out: &mut Translated) -> &'a str {
    if let Some(tail) = rest.strip_prefix("${") {
        out.text.push_str("$${");
        return tail;
    }
    let length = rest.chars().next().map_or(0, char::len_utf8);
    out.text.push_str(&rest[..length]);
    &rest[length..]
}

/// Takes one placeholder, or one character that begins none.
fn step<'a>(rest: &'a str, out: &mut Translated) -> &'a str {
    if let Some(tail) = rest.strip_prefix("${")
        && let Some((inner, tail)) = tail.split_once('}')
    {
        if let Some((name, declared)) = braced(inner) {
            out.withheld |= declared.default.is_none() && inner.contains(":-");
            if EDITORS.contains(&name.as_str()) {
                out.editors.push(name.clone());
            }
            refer(name, declared, out);
        } else {
            out.strange.push(format!("${{{inner}}}"));
            out.text.push_str("$${");
            out.text.push_str(inner);
            out.text.push('}');
        }
        return tail;
    }
    if let Some(tail) = rest.strip_prefix("{env:")
        && let Some((name, tail)) = tail.split_once('}')
        && is_variable(name)
    {
        refer(name.to_owned(), plain(name), out);
        return tail;
    }
    if let Some(tail) = rest.strip_prefix('$') {
        // Lower case is rather part of a password than a variable.
        let is_part = |byte: &u8| byte.is_ascii_uppercase() || byte.is_ascii_digit() || *byte == b'_';
        let length = tail.bytes().take_while(is_part).count();
        let ends = !tail[length..].starts_with(|c: char| c.is_ascii_lowercase());
        if ends && is_variable(&tail[..length]) {
            refer(tail[..length].to_owned(), plain(&tail[..length]), out);
            return &tail[length..];
        }
    }
    literal(rest, out)
}

/// What stands between `${` and `}`.
fn braced(inner: &str) -> Option<(String, Declared)> {
    if let Some(id) = inner.strip_prefix("input:").filter(|id| !id.is_empty()) {
        return Some((variable(&[id]), Declared { secret: true, default: None }));
    }
    let inner = inner.strip_prefix("env:").unwrap_or(inner);
    let (name, default) = match inner.split_once(":-") {
        Some((name, default)) => (name, Some(default.to_owned())),
        None => (inner, None),
    };
    if !is_variable(name) {
        return None;
    }
    let declared = plain(name);
    let default = default.filter(|value| !declared.secret && !secret::valued(value));
    Some((name.to_owned(), Declared { default, ..declared }))
}

fn plain(name: &str) -> Declared {
    Declared { secret: secret::named(name), default: None }
}

fn refer(name: String, declared: Declared, out: &mut Translated) {
    out.text.push_str("${");
    out.text.push_str(&name);
    out.text.push('}');
    out.variables.push((name, declared));
}

#[cfg(test)]
mod tests {
    use super::translate;

    fn ours(text: &str) -> (String, Vec<String>) {
        let translated = translate(text, true);
        (translated.text, translated.variables.into_iter().map(|(name, _)| name).collect())
    }

    #[test]
    fn every_clients_spelling_becomes_ours() {
        for (text, expected, names) in [
            ("${A}", "${A}", vec!["A"]),
            ("${env:A}/x", "${A}/x", vec!["A"]),
            ("{env:A}", "${A}", vec!["A"]),
            ("Bearer $A_1.", "Bearer ${A_1}.", vec!["A_1"]),
            ("${A:-b}", "${A}", vec!["A"]),
            ("${input:github-token}", "${GITHUB_TOKEN}", vec!["GITHUB_TOKEN"]),
            ("$1 $ {a} pa$word $Abc ${a", "$1 $ {a} pa$word $Abc $${a", vec![]),
            ("${file:x}", "$${file:x}", vec![]),
            ("ü${A}ü", "ü${A}ü", vec!["A"]),
        ] {
            let (text_out, found) = ours(text);
            assert_eq!(
                (text_out.as_str(), found),
                (expected, names.iter().map(ToString::to_string).collect()),
                "{text}"
            );
            assert!(model::spec::placeholder::names(expected).is_ok(), "{expected}");
        }
    }

    #[test]
    fn a_default_is_kept_unless_it_would_be_a_secrets_value() {
        let default = |text: &str| translate(text, true).variables[0].1.default.clone();
        assert_eq!(default("${LEVEL:-info}"), Some("info".into()));
        assert_eq!(default("${API_KEY:-hunter2}"), None);
    }

    #[test]
    fn only_variables_alone_count_as_a_reference() {
        for (text, expected) in
            [("${A}", true), ("$A:${B}", true), ("pa$WORD", false), ("x", false), ("", false)]
        {
            assert_eq!(translate(text, true).is_reference(), expected, "{text}");
        }
    }

    #[test]
    fn a_client_that_fills_in_nothing_keeps_its_characters() {
        let translated = translate("a ${B} $C", false);
        assert_eq!((translated.text.as_str(), translated.variables.len()), ("a $${B} $C", 0));
    }
}
