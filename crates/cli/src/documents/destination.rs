//! Where documents go: the flags override, the context fills in, and flags that contradict a document are refused.

use model::manifest::Document;
use model::tree::{Node, Value};
use model::{Organization, ScopeName};

use crate::context::Context;
use crate::failure::Failure;
use crate::session;

/// Where documents go.
pub struct Destination<'a> {
    pub scope: Option<ScopeName>,
    pub org: Option<&'a Organization>,
    pub context: &'a Context,
}

impl Destination<'_> {
    /// Writes into a document where it goes.
    pub fn settle(&self, document: &mut Document) {
        let kind = document.kind().ok();
        let Some(metadata) = document.tree.get_mut("metadata") else { return };
        let written =
            |metadata: &Node, key: &str| metadata.get(key).is_some_and(|node| node.value != Value::Null);
        if let Some(scope) = self.scope {
            metadata.set_text("scope", scope.as_str());
            if scope != ScopeName::Organization && self.org.is_none() {
                remove(metadata, "org");
            }
        } else if self.org.is_some() && !written(metadata, "scope") {
            metadata.set_text("scope", ScopeName::Organization.as_str());
        }
        if let Some(org) = self.org {
            metadata.set_text("org", org.as_str());
        }
        let fits = |scope: &ScopeName| kind.is_none_or(|kind| kind.allows(*scope));
        if !written(metadata, "scope")
            && let Some(scope) = self.context.scope.filter(fits)
        {
            metadata.set_text("scope", scope.as_str());
        }
        let organization =
            metadata.get("scope").and_then(Node::as_text) == Some(ScopeName::Organization.as_str());
        let implied = self.scope.is_some() || self.context.scope == Some(ScopeName::Organization);
        if organization
            && implied
            && !written(metadata, "org")
            && let Some(org) = &self.context.org
        {
            metadata.set_text("org", org);
        }
    }

    /// Refuses flags that do not go with a settled document: the command line is wrong then, and not the file.
    pub fn agree(&self, document: &Document) -> Result<(), Failure> {
        let Some(metadata) = document.tree.get("metadata") else { return Ok(()) };
        let text = |key: &str| metadata.get(key).and_then(Node::as_text);
        // A scope that is none is the file's own mistake.
        let Ok(scope) = text("scope").map_or(Ok(ScopeName::default()), str::parse) else { return Ok(()) };
        match (self.org, scope) {
            (None, ScopeName::Organization) if self.scope.is_some() && text("org").is_none() => {
                Err(session::no_organization())
            }
            (Some(_), other) if other != ScopeName::Organization => {
                let file = document.file.as_deref().unwrap_or("stdin");
                Err(Failure::usage(format!("`--org` does not go with scope `{other}`, which {file} names"))
                    .hint("add `--scope organization`, or leave `--org` out"))
            }
            _ => Ok(()),
        }
    }
}

fn remove(node: &mut Node, key: &str) {
    if let Value::Map(entries) = &mut node.value {
        entries.retain(|entry| entry.key != key);
    }
}

#[cfg(test)]
mod tests {
    use model::manifest::read;
    use model::tree::Format;

    use super::{Context, Destination, Document, ScopeName};

    fn document(metadata: &str) -> Document {
        let text =
            format!("apiVersion: agentic.stigmer.ai/v1\nkind: McpServer\nmetadata: {metadata}\nspec: {{}}");
        read(None, &text, Format::Yaml).unwrap().remove(0)
    }

    fn settled(metadata: &str, scope: Option<ScopeName>, org: Option<&str>, context: &Context) -> String {
        let mut document = document(metadata);
        let org = org.map(|org| org.parse().unwrap());
        Destination { scope, org: org.as_ref(), context }.settle(&mut document);
        let metadata = document.tree.to_json()["metadata"].clone();
        format!("{}/{}", metadata["scope"].as_str().unwrap_or("-"), metadata["org"].as_str().unwrap_or("-"))
    }

    #[test]
    fn a_scope_comes_from_the_flag_then_the_document_then_the_context() {
        let none = Context::default();
        let acme = Context { scope: Some(ScopeName::Organization), org: Some("acme".into()), server: None };
        let organization = "{name: a, scope: organization, org: x}";
        for (metadata, scope, org, context, expected) in [
            ("{name: a}", None, None, &none, "-/-"),
            ("{name: a}", None, None, &acme, "organization/acme"),
            ("{name: a, scope: platform}", None, None, &acme, "platform/-"),
            ("{name: a, scope: organization}", None, None, &acme, "organization/acme"),
            ("{name: a, scope: organization}", None, None, &none, "organization/-"),
            (organization, None, None, &acme, "organization/x"),
            (organization, Some(ScopeName::Platform), None, &acme, "platform/-"),
            (organization, None, Some("y"), &none, "organization/y"),
            ("{name: a}", None, Some("y"), &none, "organization/y"),
            ("{name: a}", Some(ScopeName::Organization), None, &acme, "organization/acme"),
            ("{name: a, scope: null}", None, None, &acme, "organization/acme"),
        ] {
            assert_eq!(settled(metadata, scope, org, context), expected, "{metadata} {scope:?} {org:?}");
        }
    }

    #[test]
    fn flags_that_do_not_go_with_a_document_are_wrong_usage() {
        let none = Context::default();
        for (metadata, scope, org, agree) in [
            ("{name: a}", Some(ScopeName::Organization), None, false),
            ("{name: a, scope: organization, org: x}", Some(ScopeName::Organization), None, true),
            ("{name: a, scope: organization}", None, None, true),
            ("{name: a, scope: platform}", None, Some("y"), false),
            ("{name: a}", None, Some("y"), true),
            ("{name: a, scope: everywhere}", None, Some("y"), true),
            ("{name: a, scope: platform}", Some(ScopeName::Organization), Some("y"), true),
        ] {
            let mut document = document(metadata);
            let org = org.map(|org| org.parse().unwrap());
            let destination = Destination { scope, org: org.as_ref(), context: &none };
            destination.settle(&mut document);
            assert_eq!(destination.agree(&document).is_ok(), agree, "{metadata} {scope:?} {org:?}");
        }
    }
}
