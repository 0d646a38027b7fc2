//! `export`: everything the caller may see, as manifests that apply unchanged.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};

use model::{Kind, Name, Organization, ScopeName};
use serde_json::Value as Json;

use crate::args::ExportArgs;
use crate::failure::{Cause, Failure};
use crate::field::{self, text};
use crate::http::Client;
use crate::list::{self, Filter};
use crate::output::{Output, Style, yaml_text};
use crate::query::Query;
use crate::session::Session;

/// How often everything is read before a changing store is accepted as it is.
const TRIES: usize = 3;

/// Carries out `export`.
pub async fn run(args: ExportArgs, session: &mut Session<'_>) -> Result<(), Failure> {
    let root = session.surroundings.absolute(&args.directory);
    if !args.is_stream() {
        refuse_occupied(&root, &args)?;
    }
    let client = session.client()?;
    let (resources, stable) = read_all(&client).await?;
    if !stable {
        session.output.note(&format!(
            "warning: the store changed while it was read, {TRIES} times; the export may mix revisions"
        ));
        session.output.note("  hint: export again when it is quiet, or use `outfitter backup`");
    }
    let resources = apart(&client, &root, resources, session.output).await?;
    let documents: Vec<(Kind, Json)> =
        resources.into_iter().map(|(kind, resource)| (kind, bare(resource))).collect();
    if args.is_stream() {
        let documents: Vec<Json> = documents.into_iter().map(|(_, document)| document).collect();
        return list::documents(&documents, session.output);
    }
    for (kind, document) in &documents {
        write(&root, *kind, document)?;
    }
    let (count, shown) = (documents.len(), args.directory.display());
    let noun = if count == 1 { "resource" } else { "resources" };
    session.output.styled(Style::Good, &format!("✓ {count} {noun} exported to {shown}"))?;
    session.output.line("")?;
    session.output.line("Next steps:")?;
    session.output.line("  - Secrets' values are never exported; set them where you apply")?;
    session.output.line(&format!("  - Apply elsewhere: outfitter apply -f {shown}"))
}

fn refuse_occupied(root: &Path, args: &ExportArgs) -> Result<(), Failure> {
    let occupied = match fs::read_dir(root) {
        Ok(mut entries) => entries.next().is_some(),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => false,
        Err(error) => return Err(cannot(root, &error)),
    };
    if occupied && !args.force {
        return Err(Failure::new(Cause::Conflict, format!("{} is not empty", args.directory.display()))
            .hint("name another directory, or write into it with `--force`"));
    }
    Ok(())
}

/// Every resource of every kind, and whether one revision holds for all of them.
async fn read_all(client: &Client) -> Result<(Vec<(Kind, Json)>, bool), Failure> {
    let mut last = Vec::new();
    for _ in 0..TRIES {
        let (mut resources, mut revisions) = (Vec::new(), Vec::new());
        for kind in Kind::ALL {
            let listing = list::pages(client, kind, &Filter::default()).await?;
            resources.extend(listing.items.into_iter().map(|item| (kind, item)));
            revisions.extend(listing.revisions);
        }
        revisions.dedup();
        if revisions.len() <= 1 {
            return Ok((resources, true));
        }
        last = resources;
    }
    Ok((last, false))
}

/// One resource per place. A list holds what others let the caller see beside the caller's own, and nothing
/// in a manifest tells them apart: the caller's own is kept, else the first.
async fn apart(
    client: &Client,
    root: &Path,
    resources: Vec<(Kind, Json)>,
    output: &mut Output,
) -> Result<Vec<(Kind, Json)>, Failure> {
    let mut kept: Vec<(Kind, Json)> = Vec::new();
    let mut places: HashMap<PathBuf, usize> = HashMap::new();
    for (kind, mut resource) in resources {
        let Some(place) = place(root, kind, &resource) else {
            kept.push((kind, resource));
            continue;
        };
        let Some(&index) = places.get(&place) else {
            places.insert(place, kept.len());
            kept.push((kind, resource));
            continue;
        };
        let first = &mut kept[index].1;
        if same(first, &resource) {
            // A store that changes while it is read may answer the same thing twice.
            *first = resource;
            continue;
        }
        if own(client, kind, &resource).await?.is_some_and(|own| same(&own, &resource)) {
            std::mem::swap(first, &mut resource);
        }
        let (noun, name) = (kind.noun(), text(&resource["metadata"], "name"));
        let what = format!("{} `{name}` ({})", kind.title(), field::scope(&resource["metadata"]));
        output.note(&format!("left out: {what} that belongs to someone else; one of that name is exported"));
        output.note(&format!("  hint: see it with `outfitter {noun} get {name} --owner USER -o yaml`"));
    }
    Ok(kept)
}

fn same(one: &Json, other: &Json) -> bool {
    let id = text(&one["metadata"], "id");
    !id.is_empty() && id == text(&other["metadata"], "id")
}

/// What the caller has of this name, if anything.
async fn own(client: &Client, kind: Kind, resource: &Json) -> Result<Option<Json>, Failure> {
    let name = text(&resource["metadata"], "name");
    let path = Query::new(format!("/api/v1/{}/{name}", kind.collection()));
    match client.get(&path.with("scope", ScopeName::IdentityAccount.as_str()).finish()).await {
        Ok(own) => Ok(Some(own)),
        Err(failure) if failure.cause == Cause::NotFound => Ok(None),
        Err(failure) => Err(failure),
    }
}

/// A resource without what the server sets.
fn bare(mut resource: Json) -> Json {
    if let Json::Object(document) = &mut resource {
        document.shift_remove("status");
        if let Some(Json::Object(metadata)) = document.get_mut("metadata") {
            for field in ["id", "revision", "created_at", "created_by", "updated_at", "updated_by"] {
                metadata.shift_remove(field);
            }
        }
    }
    resource
}

/// Where a resource goes. Every part is checked: the daemon's answer decides no path outside the directory.
fn place(root: &Path, kind: Kind, document: &Json) -> Option<PathBuf> {
    let metadata = &document["metadata"];
    let name: Name = metadata["name"].as_str()?.parse().ok()?;
    let scope: ScopeName = metadata["scope"].as_str()?.parse().ok()?;
    let mut path = root.join(scope.as_str());
    if scope == ScopeName::Organization {
        let org: Organization = metadata["org"].as_str()?.parse().ok()?;
        path.push(org.as_str());
    }
    Some(path.join(kind.noun()).join(format!("{name}.yaml")))
}

fn write(root: &Path, kind: Kind, document: &Json) -> Result<(), Failure> {
    let path = place(root, kind, document).ok_or_else(|| {
        Failure::new(Cause::Unreachable, format!("the daemon sent a {kind} without a proper name or scope"))
            .hint("compare `outfitter --version` with the daemon's; `outfitter whoami` shows it")
    })?;
    let attempt = || {
        fs::create_dir_all(path.parent().unwrap_or(root))?;
        fs::write(&path, yaml_text(document))
    };
    attempt().map_err(|error: std::io::Error| cannot(&path, &error))
}

fn cannot(path: &Path, error: &std::io::Error) -> Failure {
    Failure::input(format!("cannot write {}: {error}", path.display()))
        .hint("look at the permissions and the free space of its directory")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use model::Kind;
    use serde_json::json;

    use super::{bare, place};

    #[test]
    fn what_the_server_sets_is_left_out() {
        let resource = json!({
            "kind": "McpServer",
            "metadata": {"name": "a", "scope": "platform", "id": "i", "revision": 3, "created_at": "t"},
            "spec": {},
            "status": {"validation_state": "VALIDATION_STATE_VALID"},
        });
        let expected =
            json!({"kind": "McpServer", "metadata": {"name": "a", "scope": "platform"}, "spec": {}});
        assert_eq!(bare(resource), expected);
    }

    #[test]
    fn a_resource_lies_below_its_scope_and_nowhere_else() {
        let at = |metadata| place(Path::new("d"), Kind::AgentInstance, &json!({ "metadata": metadata }));
        let found = at(json!({"name": "a", "scope": "organization", "org": "acme"}));
        assert_eq!(found.unwrap(), Path::new("d/organization/acme/instance/a.yaml"));
        for bad in [
            json!({"name": "../a", "scope": "platform"}),
            json!({"name": "a", "scope": "../x"}),
            json!({"name": "a", "scope": "organization", "org": "/etc"}),
            json!({"name": "a", "scope": "organization"}),
        ] {
            assert_eq!(at(bad), None);
        }
    }
}
