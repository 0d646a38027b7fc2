//! Manifests: texts with any number of documents of any kind, read into resources or into problems with places.

mod render;
mod template;

use serde::Deserialize;

use crate::spec::{Rules, Spec};
use crate::tree::{self, Format, Node, Value};
use crate::{API_VERSION, Kind, Metadata, Problem, Resource, schema};

pub use render::{present, stored_status, to_json};
pub use template::{Template, template};

/// One document, with where it came from.
#[derive(Clone, Debug, PartialEq)]
pub struct Document {
    /// The file as the person named it.
    pub file: Option<String>,
    /// Its place among the documents of the request.
    pub index: usize,
    /// What it says.
    pub tree: Node,
}

/// A document that was checked: the resource if it is sound, and every problem or warning.
#[derive(Clone, Debug)]
pub struct Checked {
    /// The resource; absent if any problem is an error.
    pub resource: Option<Resource>,
    /// What is wrong or worth a look, each with its place.
    pub problems: Vec<Problem>,
}

/// Reads every document of a text. Empty documents are passed over; a list counts as its items.
pub fn read(file: Option<&str>, text: &str, format: Format) -> Result<Vec<Document>, Vec<Problem>> {
    let trees = tree::parse(text, format).map_err(|problems| in_file(problems, file))?;
    Ok(trees
        .into_iter()
        .flat_map(unfold)
        .filter(|tree| tree.value != Value::Null)
        .enumerate()
        .map(|(index, tree)| Document { file: file.map(str::to_owned), index, tree })
        .collect())
}

fn in_file(mut problems: Vec<Problem>, file: Option<&str>) -> Vec<Problem> {
    for place in problems.iter_mut().filter_map(|problem| problem.place.as_mut()) {
        place.file = file.map(str::to_owned);
    }
    problems
}

/// A list, or a map with nothing but `resources`, stands for its items.
fn unfold(tree: Node) -> Vec<Node> {
    match tree.value {
        Value::List(items) => items,
        Value::Map(mut entries)
            if entries.len() == 1
                && entries[0].key == "resources"
                && matches!(entries[0].value.value, Value::List(_)) =>
        {
            entries.pop().map(|entry| unfold(entry.value)).unwrap_or_default()
        }
        value => vec![Node { at: tree.at, value }],
    }
}

impl Document {
    /// The kind it declares.
    pub fn kind(&self) -> Result<Kind, Problem> {
        let problem = |path: &str, message: String| self.placed(Problem::error(path, message));
        if !matches!(self.tree.value, Value::Map(_)) {
            return Err(problem("", format!("a document must be a map, not {}", self.tree.type_name()))
                .hint("begin with `apiVersion`, `kind`, `metadata` and `spec`"));
        }
        match self.tree.get("apiVersion").map(|node| (node, node.as_text())) {
            Some((_, Some(API_VERSION))) => {}
            Some((node, text)) => {
                let found = text
                    .map_or_else(|| node.type_name().to_owned(), |text| format!("`{}`", text.escape_debug()));
                return Err(problem("apiVersion", format!("{found} is not known"))
                    .hint(format!("write `apiVersion: {API_VERSION}`")));
            }
            None => {
                return Err(problem("apiVersion", "is required".into())
                    .hint(format!("add `apiVersion: {API_VERSION}`")));
            }
        }
        let Some(node) = self.tree.get("kind") else {
            return Err(problem("kind", "is required".into()).hint("add `kind: McpServer`"));
        };
        let Some(text) = node.as_text() else {
            return Err(problem("kind", format!("must be text, not {}", node.type_name()))
                .hint("write `kind: McpServer`"));
        };
        text.parse().map_err(|error: crate::UnknownKind| {
            let near = error
                .nearest
                .map_or("write one of them".to_owned(), |near| format!("did you mean `{near}`?"));
            problem("kind", error.to_string()).hint(near)
        })
    }

    /// Checks it by the one set of rules, and decodes it if it is sound.
    pub fn check(&self, rules: Rules) -> Checked {
        let kind = match self.kind() {
            Ok(kind) => kind,
            Err(problem) => return Checked { resource: None, problems: vec![problem] },
        };
        let mut tree = self.tree.clone();
        if kind == Kind::Executor
            && let Err(problem) = unfold_policy(&mut tree)
        {
            return Checked { resource: None, problems: vec![self.placed(problem)] };
        }
        let problems = schema::check(kind, &mut tree);
        if !problems.is_empty() {
            return Checked { resource: None, problems: self.place_all(problems) };
        }
        match decode(kind, &tree) {
            Err(error) => {
                let problem = Problem::error("spec", error.to_string());
                Checked { resource: None, problems: vec![self.placed(problem)] }
            }
            Ok(resource) => {
                let problems = resource.spec.problems(&resource.metadata, rules);
                let sound = !problems.iter().any(Problem::is_error);
                Checked { resource: sound.then_some(resource), problems: self.place_all(problems) }
            }
        }
    }

    /// Gives a problem of this document its place.
    pub fn placed(&self, problem: Problem) -> Problem {
        let place = self.tree.locate(&problem.path).in_file(self.file.as_deref());
        let known = place.line > 0;
        Problem { document: self.index, place: known.then_some(place), ..problem }
    }

    fn place_all(&self, problems: Vec<Problem>) -> Vec<Problem> {
        problems.into_iter().map(|problem| self.placed(problem)).collect()
    }
}

fn decode(kind: Kind, tree: &Node) -> Result<Resource, tree::DecodeError> {
    let missing = Node { at: tree.at, value: Value::Null };
    let metadata = Metadata::deserialize(tree.get("metadata").unwrap_or(&missing))?;
    let spec = Spec::decode(kind, tree.get("spec").unwrap_or(&missing))?;
    Ok(Resource { metadata, spec })
}

/// An executor's policy may be written as a JSON string: it is read in place, so that its fields are checked.
fn unfold_policy(tree: &mut Node) -> Result<(), Problem> {
    const PATH: &str = "spec.config.mcp_policy";
    let config = tree.get_mut("spec").and_then(|spec| spec.get_mut("config"));
    let Some(policy) = config.and_then(|config| config.get_mut("mcp_policy")) else { return Ok(()) };
    if let Some(text) = policy.as_text() {
        if text.trim().is_empty() {
            policy.value = Value::Null;
        } else {
            let mut parsed = tree::parse(text, Format::Json).map_err(|mut problems| {
                let problem = problems.pop().unwrap_or_default();
                Problem { path: PATH.to_owned(), ..problem }
            })?;
            if let Some(mut parsed) = parsed.pop() {
                parsed.stand_at(policy.at);
                *policy = parsed;
            }
        }
    }
    if policy.get("http_url_rewrite").is_some() && policy.get("url_rewrite").is_some() {
        let message = "http_url_rewrite and url_rewrite are the same; keep exactly one";
        return Err(Problem::error(PATH, message).hint("keep url_rewrite"));
    }
    policy.rename("http_url_rewrite", "url_rewrite");
    Ok(())
}

#[cfg(test)]
mod tests;
