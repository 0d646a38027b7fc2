//! A draft as a manifest that was checked, with what the person should know about it.

use model::manifest;
use model::spec::Rules;
use model::tree::Format;
use model::{API_VERSION, Problem};
use serde_json::{Map, Value as Json, json};

use super::draft::{Draft, Reach, Refused};
use super::maker::Maker;
use crate::output::yaml_text;

/// A manifest and what the person should know about it.
pub struct Made {
    pub text: String,
    pub notes: Vec<String>,
}

/// Makes the manifest of a server; what would not apply is an error.
pub fn make(name: &str, draft: Draft) -> Result<Made, Refused> {
    let Draft { name: written, description, reach, env, declared, headers, tools, interpolates, notes } =
        draft;
    let mut maker = Maker { name, written: &written, interpolates, declared, unwritten: Vec::new(), notes };
    if written != name {
        maker.notes.push(format!("server `{written}` is named `{name}` here"));
    }
    let mut spec = Map::new();
    if !description.is_empty() {
        spec.insert("description".into(), description.into());
    }
    match reach {
        Reach::Nothing => return Err("has neither `command` nor `url`".into()),
        Reach::Program { command, args, directory } => {
            spec.insert("stdio".into(), maker.program(&command, &args, directory));
        }
        Reach::Url { url, headers: written, flavour } => {
            spec.insert("http".into(), maker.http(&url, &written, headers, flavour));
        }
    }
    if !tools.is_empty() {
        spec.insert("default_enabled_tools".into(), tools.into());
    }
    let env = maker.env(&env);
    if !maker.declared.is_empty() {
        spec.insert("env_spec".into(), json!({ "data": maker.data() }));
    }
    if !env.is_empty() {
        spec.insert("env".into(), Json::Object(env));
    }
    let document =
        json!({"apiVersion": API_VERSION, "kind": "McpServer", "metadata": {"name": name}, "spec": spec});
    let text = yaml_text(&document);
    check(&text)?;
    Ok(finish(maker, &text))
}

fn check(text: &str) -> Result<(), Refused> {
    let first = |problems: &[Problem]| match problems.iter().find(|problem| problem.is_error()) {
        Some(problem) => Err(Refused { message: problem.sentence(), hint: problem.hint.clone() }),
        None => Ok(()),
    };
    match manifest::read(None, text, Format::Yaml) {
        Err(problems) => first(&problems),
        Ok(documents) => documents.iter().try_for_each(|one| first(&one.check(Rules::default()).problems)),
    }
}

/// Says in the manifest and beside it which values are missing.
fn finish(mut maker: Maker<'_>, document: &str) -> Made {
    maker.unwritten.sort();
    maker.unwritten.dedup();
    if maker.unwritten.is_empty() {
        return Made { text: document.to_owned(), notes: maker.notes };
    }
    let names = maker.unwritten.join(", ");
    maker.notes.push(format!(
        "server `{}`: not written, since they look secret: {names}; put them into an Environment",
        maker.written
    ));
    let text =
        format!("# Not written, since they look secret: {names}. Put them into an Environment.\n{document}");
    Made { text, notes: maker.notes }
}
