//! The person's defaults: scope, organization and server, in one small file.

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _};
use std::path::{Path, PathBuf};

use model::tree::{self, Format, Value};
use model::{Organization, ScopeName};
use serde_json::{Map, Value as Json};

use crate::Surroundings;
use crate::args::{Address, ContextCommand};
use crate::connect;
use crate::failure::Failure;
use crate::session::Session;

/// The defaults.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Context {
    pub scope: Option<ScopeName>,
    pub org: Option<String>,
    pub server: Option<String>,
}

fn path(surroundings: &Surroundings) -> Result<PathBuf, Failure> {
    let home = surroundings.config_home().ok_or_else(|| {
        Failure::usage("there is no place for the context file").hint("set HOME or XDG_CONFIG_HOME")
    })?;
    Ok(home.join("outfitter/context.yaml"))
}

impl Context {
    /// Reads the file; without one every default is unset.
    pub fn load(surroundings: &Surroundings) -> Result<Self, Failure> {
        let Ok(path) = path(surroundings) else { return Ok(Self::default()) };
        match fs::read_to_string(&path) {
            Ok(text) => Self::read(&text).map_err(|message| {
                Failure::input(format!("{}: {message}", path.display()))
                    .hint("choose again with `outfitter context unset` and `outfitter context set`")
            }),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(Self::default()),
            Err(error) => Err(Failure::input(format!("cannot read {}: {error}", path.display()))
                .hint("make the file readable, or remove it")),
        }
    }

    fn read(text: &str) -> Result<Self, String> {
        let trees = tree::parse(text, Format::Yaml)
            .map_err(|problems| problems.first().map_or_else(String::new, ToString::to_string))?;
        let mut context = Self::default();
        let Some(root) = trees.first() else { return Ok(context) };
        let Value::Map(entries) = &root.value else { return Err("must be a map".to_owned()) };
        for entry in entries {
            let text = entry.value.as_text().ok_or_else(|| format!("`{}` must be text", entry.key))?;
            match entry.key.as_str() {
                "scope" => context.scope = Some(text.parse::<ScopeName>().map_err(|e| e.to_string())?),
                "org" => {
                    let org = text.parse::<Organization>().map_err(|error| format!("org {error}"))?;
                    context.org = Some(org.into());
                }
                "server" => context.server = Some(text.to_owned()),
                other => return Err(format!("`{other}` is not known; use scope, org or server")),
            }
        }
        Ok(context)
    }

    fn text(&self) -> String {
        let fields = [
            ("scope", self.scope.map(|scope| scope.to_string())),
            ("org", self.org.clone()),
            ("server", self.server.clone()),
        ];
        let map: Map<String, Json> = fields
            .into_iter()
            .filter_map(|(key, value)| Some((key.to_owned(), Json::from(value?))))
            .collect();
        if map.is_empty() { String::new() } else { tree::to_yaml(&Json::Object(map)) }
    }
}

/// Carries out `context`.
pub fn run(command: ContextCommand, session: &mut Session<'_>) -> Result<(), Failure> {
    let path = path(session.surroundings)?;
    match command {
        ContextCommand::Show => {
            let context = session.context()?;
            if context == Context::default() {
                session
                    .output
                    .note("No context is set; choose one with `outfitter context set --scope SCOPE`.");
                return Ok(());
            }
            session.output.block(context.text().trim_end())
        }
        ContextCommand::Unset => match fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(Failure::input(format!("cannot remove {}: {error}", path.display()))
                    .hint("look at the permissions of its directory"))
            }
            _ => session.output.line("✓ Context unset"),
        },
        ContextCommand::Set { scope, org, server_url } => {
            let (kept, broken) = match session.context() {
                Ok(kept) => (kept, None),
                Err(failure) => (Context::default(), Some(failure)),
            };
            let nothing = scope.is_none() && org.is_none() && server_url.is_none();
            let context = changed(kept, scope, org, server_url).map_err(|failure| {
                let other = nothing && matches!(session.connection.address, Some(Address::Server(_)));
                let advice = "`--server` is for one command; keep a server with `--server-url URL`";
                if other { failure.hint(advice) } else { failure }
            })?;
            write(&path, &context.text())?;
            if let Some(failure) = broken {
                session.output.note(&format!("warning: {failure}; the file was replaced"));
            }
            session.output.line("✓ Context set")?;
            session.output.line("")?;
            let text = context.text();
            for line in text.lines() {
                session.output.line(&format!("  {line}"))?;
            }
            Ok(())
        }
    }
}

fn changed(
    mut context: Context,
    scope: Option<ScopeName>,
    org: Option<Organization>,
    server: Option<String>,
) -> Result<Context, Failure> {
    if scope.is_none() && org.is_none() && server.is_none() {
        return Err(Failure::usage("nothing to set")
            .hint("name at least one of `--scope SCOPE`, `--org ORG` and `--server-url URL`"));
    }
    if let Some(server) = server {
        connect::check_url(&server)?;
        context.server = Some(server);
    }
    match (scope, org) {
        (Some(ScopeName::Organization), None) if context.org.is_none() => {
            return Err(Failure::usage("scope `organization` needs `--org`").hint("add `--org NAME`"));
        }
        (Some(other), Some(_)) if other != ScopeName::Organization => {
            return Err(Failure::usage(format!("`--org` does not go with `--scope {other}`"))
                .hint("use `--scope organization`, or leave `--org` out"));
        }
        (Some(scope), org) => {
            context.scope = Some(scope);
            let kept = context.org.take().filter(|_| scope == ScopeName::Organization);
            context.org = org.map(String::from).or(kept);
        }
        (None, Some(org)) => {
            context.scope = Some(ScopeName::Organization);
            context.org = Some(org.into());
        }
        (None, None) => {}
    }
    Ok(context)
}

/// Replaces the file in one step, readable by its owner alone.
fn write(path: &Path, text: &str) -> Result<(), Failure> {
    let attempt = || -> std::io::Result<()> {
        let directory = path.parent().unwrap_or(Path::new("."));
        fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)?;
        let beside = path.with_extension(format!("yaml.{}", std::process::id()));
        let mut file =
            fs::OpenOptions::new().write(true).create(true).truncate(true).mode(0o600).open(&beside)?;
        file.write_all(text.as_bytes())?;
        file.sync_all()?;
        fs::rename(&beside, path)
    };
    attempt().map_err(|error| {
        Failure::input(format!("cannot write {}: {error}", path.display()))
            .hint("look at the permissions and the free space of its directory")
    })
}

#[cfg(test)]
mod tests {
    use super::{Context, changed};
    use model::ScopeName;

    #[test]
    fn a_context_reads_back_as_it_was_written() {
        let context = Context {
            scope: Some(ScopeName::Organization),
            org: Some("acme".into()),
            server: Some("https://x.test".into()),
        };
        assert_eq!(Context::read(&context.text()), Ok(context));
        assert_eq!(Context::read(""), Ok(Context::default()));
        assert!(Context::read("scop: platform").unwrap_err().contains("is not known"));
    }

    #[test]
    fn an_organization_implies_its_scope_and_leaving_the_scope_forgets_it() {
        let acme = changed(Context::default(), None, Some("acme".parse().unwrap()), None).unwrap();
        assert_eq!(acme.scope, Some(ScopeName::Organization));
        let platform = changed(acme, Some(ScopeName::Platform), None, None).unwrap();
        assert_eq!(platform.org, None);
        assert!(changed(platform.clone(), Some(ScopeName::Organization), None, None).is_err());
        assert!(changed(platform, None, None, None).is_err());
    }
}
