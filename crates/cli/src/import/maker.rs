//! The parts of a manifest: placeholders in our spelling, secrets declared and their values withheld.

use std::collections::BTreeMap;

use serde_json::{Map, Value as Json};

use super::draft::Declared;
use super::names::{is_variable, variable};
use super::{placeholders, secret};

/// What is known of a manifest while it is made.
pub struct Maker<'a> {
    /// Its name here.
    pub name: &'a str,
    /// Its name as written.
    pub written: &'a str,
    pub interpolates: bool,
    pub declared: BTreeMap<String, Declared>,
    /// Variables whose values were in the file and are not in the manifest.
    pub unwritten: Vec<String>,
    pub notes: Vec<String>,
}

impl Maker<'_> {
    /// The `stdio` part.
    pub fn program(&mut self, command: &str, args: &[String], directory: Option<String>) -> Json {
        if self.interpolates && command.contains("${") {
            self.notes.push(format!(
                "server `{}`: placeholders in `command` are not filled in; write the path out",
                self.written
            ));
        }
        let mut stdio = Map::new();
        stdio.insert("command".into(), command.into());
        let translated: Vec<String> = args
            .iter()
            .enumerate()
            .map(|(index, argument)| self.argument(index.checked_sub(1).map(|i| args[i].as_str()), argument))
            .collect();
        if !translated.is_empty() {
            stdio.insert("args".into(), translated.into());
        }
        if let Some(directory) = directory {
            stdio.insert("working_dir".into(), directory.into());
        }
        Json::Object(stdio)
    }

    fn argument(&mut self, before: Option<&str>, argument: &str) -> String {
        match secret::in_argument(before, argument) {
            Some((name, start)) if !self.is_reference(&argument[start..]) => {
                let is_environment_key = is_variable(&name) && name.contains('_');
                let name = if is_environment_key { name } else { variable(&[self.name, &name]) };
                self.text(&argument[..start]) + &self.withhold(name)
            }
            found => {
                let text = self.text(argument);
                if found.is_some() {
                    self.mark_secret(&text);
                }
                text
            }
        }
    }

    /// The `http` part; headers that are `ready` are taken as they are.
    pub fn http(
        &mut self,
        url: &str,
        written: &BTreeMap<String, String>,
        ready: BTreeMap<String, String>,
        flavour: Option<&str>,
    ) -> Json {
        let mut http = Map::new();
        let (url, parameters) = self.url(url);
        http.insert("url".into(), url.into());
        let mut headers: Map<String, Json> =
            written.iter().map(|(name, value)| (name.clone(), self.header(name, value).into())).collect();
        headers.extend(ready.into_iter().map(|(name, value)| (name, value.into())));
        if !headers.is_empty() {
            http.insert("headers".into(), Json::Object(headers));
        }
        if !parameters.is_empty() {
            http.insert("query_params".into(), Json::Object(parameters));
        }
        if let Some(flavour) = flavour {
            http.insert("transport".into(), flavour.into());
        }
        Json::Object(http)
    }

    fn header(&mut self, name: &str, value: &str) -> String {
        let credential = secret::scheme_stripped(value);
        if value.is_empty() || !(secret::named(name) || secret::valued(credential)) {
            return self.text(value);
        }
        if self.is_reference(credential) {
            let text = self.text(value);
            self.mark_secret(&text);
            return text;
        }
        let scheme = &value[..value.len() - credential.len()];
        self.text(scheme) + &self.withhold(variable(&[self.name, name]))
    }

    /// The URL without a user's name, password or secret parameters, and those parameters apart.
    fn url(&mut self, url: &str) -> (String, Map<String, Json>) {
        let mut parameters = Map::new();
        let (mut base, query) = match url.split_once('?') {
            Some((base, query)) => (base.to_owned(), Some(query)),
            None => (url.to_owned(), None),
        };
        if let Some((scheme, rest)) = url.split_once("://") {
            let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
            if let Some((user, _)) = authority.rsplit_once('@') {
                base = base.replacen(&format!("{scheme}://{user}@"), &format!("{scheme}://"), 1);
                self.notes.push(format!(
                    "server `{}`: the user name and password in its URL were not written; send them in a header",
                    self.written
                ));
            }
        }
        let mut kept = Vec::new();
        for pair in query.into_iter().flat_map(|query| query.split('&')) {
            match pair.split_once('=') {
                Some((key, value))
                    if secret::named(key) && !value.is_empty() && !self.is_reference(value) =>
                {
                    let value = self.withhold(variable(&[self.name, key]));
                    parameters.insert(key.to_owned(), value.into());
                }
                _ => kept.push(pair),
            }
        }
        if !kept.is_empty() {
            base = format!("{base}?{}", kept.join("&"));
        }
        (self.text(&base), parameters)
    }

    /// The variables with fixed values; those that look secret are declared instead.
    pub fn env(&mut self, env: &BTreeMap<String, String>) -> Map<String, Json> {
        let mut fixed = Map::new();
        for (key, value) in env {
            let secret = secret::named(key) || secret::valued(value);
            if !is_variable(key) {
                self.notes
                    .push(format!("server `{}`: `env` `{key}` is ignored: it is no variable", self.written));
            } else if secret && value.is_empty() {
                self.declared.entry(key.clone()).or_default().secret = true;
            } else if secret && !self.is_reference(value) {
                self.withhold(key.clone());
            } else {
                let text = self.text(value);
                if secret {
                    self.mark_secret(&text);
                }
                if text != format!("${{{key}}}") {
                    fixed.insert(key.clone(), text.into());
                }
            }
        }
        fixed
    }

    /// Whether a text is made of variables alone.
    fn is_reference(&self, text: &str) -> bool {
        placeholders::translate(text, self.interpolates).is_reference()
    }

    /// A text in our spelling; what it refers to is declared.
    fn text(&mut self, text: &str) -> String {
        let translated = placeholders::translate(text, self.interpolates);
        for (name, declared) in translated.variables {
            if translated.withheld && declared.default.is_none() {
                self.unwritten.push(name.clone());
            }
            let known = self.declared.entry(name).or_default();
            known.secret |= declared.secret;
            known.default = known.default.take().or(declared.default);
        }
        for name in translated.editors {
            let note = "is filled in by the editor alone; write it out, or give it a value in an Environment";
            self.notes.push(format!("server `{}`: `${{{name}}}` {note}", self.written));
        }
        for strange in translated.strange {
            let note = "means nothing here and is kept as it is written";
            self.notes.push(format!("server `{}`: `{strange}` {note}", self.written));
        }
        translated.text
    }

    /// Declares a secret whose value stays out, and gives the placeholder for it.
    fn withhold(&mut self, name: String) -> String {
        let placeholder = format!("${{{name}}}");
        self.declared.insert(name.clone(), Declared { secret: true, default: None });
        self.unwritten.push(name);
        placeholder
    }

    fn mark_secret(&mut self, text: &str) {
        for name in model::spec::placeholder::names(text).unwrap_or_default() {
            let marked = Declared { secret: true, default: None };
            let before = self.declared.insert(name.to_owned(), marked);
            if before.is_some_and(|before| before.default.is_some()) {
                self.unwritten.push(name.to_owned());
            }
        }
    }

    /// The variables that are declared.
    pub fn data(&self) -> Map<String, Json> {
        let value = |declared: &Declared| {
            let mut value = Map::new();
            if declared.secret {
                value.insert("is_secret".into(), true.into());
            } else if let Some(default) = &declared.default {
                value.insert("value".into(), default.as_str().into());
            }
            Json::Object(value)
        };
        self.declared.iter().map(|(name, declared)| (name.clone(), value(declared))).collect()
    }
}
