//! What every client command works with: the surroundings, the context, the connection and the output.

use model::{Kind, Organization, ScopeName};

use crate::Surroundings;
use crate::args::Connection;
use crate::connect;
use crate::context::Context;
use crate::failure::Failure;
use crate::http::Client;
use crate::output::Output;

/// One command being carried out.
pub struct Session<'a> {
    pub surroundings: &'a Surroundings,
    pub connection: Connection,
    pub output: &'a mut Output,
}

/// The scope and organization a command speaks of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Chosen {
    pub scope: Option<ScopeName>,
    pub org: Option<String>,
}

impl Session<'_> {
    /// The person's context; an empty one if there is none.
    pub fn context(&self) -> Result<Context, Failure> {
        Context::load(self.surroundings)
    }

    /// A client for the daemon that flags, variables or the context name.
    pub fn client(&self) -> Result<Client, Failure> {
        connect::client(&self.connection, self.surroundings, &self.context()?)
    }

    /// Scope and organization from the flags, completed from the context.
    pub fn chosen(
        &self,
        kind: Kind,
        scope: Option<ScopeName>,
        org: Option<&Organization>,
    ) -> Result<Chosen, Failure> {
        agree(scope, org)?;
        choose(kind, scope, org, self.context()?)
    }
}

/// Refuses flags that contradict each other.
pub fn agree(scope: Option<ScopeName>, org: Option<&Organization>) -> Result<(), Failure> {
    match (scope, org) {
        (Some(other), Some(_)) if other != ScopeName::Organization => {
            Err(Failure::usage(format!("`--org` does not go with `--scope {other}`"))
                .hint("use `--scope organization`, or leave `--org` out"))
        }
        _ => Ok(()),
    }
}

/// Refuses `--scope organization` where nothing says which.
pub fn no_organization() -> Failure {
    Failure::usage("`--scope organization` needs `--org`")
        .hint("add `--org NAME`, or choose one for good with `outfitter context set --org NAME`")
}

fn choose(
    kind: Kind,
    scope: Option<ScopeName>,
    org: Option<&Organization>,
    context: Context,
) -> Result<Chosen, Failure> {
    match (scope, org) {
        (None, None) => {
            // A context for other kinds says nothing about one that cannot live there.
            let fits = context.scope.is_none_or(|scope| kind.allows(scope));
            Ok(if fits { Chosen { scope: context.scope, org: context.org } } else { Chosen::default() })
        }
        (None | Some(ScopeName::Organization), org) => {
            let org = org.map(ToString::to_string).or(context.org).ok_or_else(no_organization)?;
            Ok(Chosen { scope: Some(ScopeName::Organization), org: Some(org) })
        }
        (Some(_), _) => Ok(Chosen { scope, org: None }),
    }
}

#[cfg(test)]
mod tests {
    use model::{Kind, ScopeName};

    use super::{Chosen, Context, agree, choose};

    #[test]
    fn an_organization_alone_is_looked_into_and_nothing_else() {
        let acme = "acme".parse().unwrap();
        let platform = Context { scope: Some(ScopeName::Platform), ..Context::default() };
        for context in [Context::default(), platform] {
            let chosen = choose(Kind::McpServer, None, Some(&acme), context).unwrap();
            let expected = Chosen { scope: Some(ScopeName::Organization), org: Some("acme".into()) };
            assert_eq!(chosen, expected);
        }
    }

    #[test]
    fn a_contexts_scope_counts_only_for_kinds_that_can_live_there() {
        let context = Context { scope: Some(ScopeName::Platform), ..Context::default() };
        for (kind, expected) in [
            (Kind::McpServer, Some(ScopeName::Platform)),
            (Kind::Environment, None),
            (Kind::AgentInstance, None),
        ] {
            assert_eq!(choose(kind, None, None, context.clone()).unwrap().scope, expected, "{kind}");
        }
    }

    #[test]
    fn an_organization_goes_with_its_scope_alone() {
        let acme = "acme".parse().unwrap();
        assert!(agree(Some(ScopeName::Platform), Some(&acme)).is_err());
        assert!(agree(Some(ScopeName::Organization), Some(&acme)).is_ok());
        assert!(choose(Kind::Agent, Some(ScopeName::Organization), None, Context::default()).is_err());
    }
}
