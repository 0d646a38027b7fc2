//! What every client command works with: the surroundings, the context, the connection and the output.

use model::ScopeName;

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
    pub fn chosen(&self, scope: Option<ScopeName>, org: Option<&str>) -> Result<Chosen, Failure> {
        let context = self.context()?;
        let given = |org: Option<&str>| org.map(str::to_owned);
        match (scope, org) {
            (None, None) => Ok(Chosen { scope: context.scope, org: context.org }),
            (None, Some(org)) => Ok(Chosen { scope: None, org: given(Some(org)) }),
            (Some(ScopeName::Organization), org) => match given(org).or(context.org) {
                Some(org) => Ok(Chosen { scope, org: Some(org) }),
                None => Err(Failure::usage("scope `organization` needs `--org`").hint(
                    "add `--org NAME`, or choose one for good with `outfitter context set --org NAME`",
                )),
            },
            (Some(other), Some(_)) => {
                Err(Failure::usage(format!("`--org` does not go with `--scope {other}`"))
                    .hint("use `--scope organization`, or leave `--org` out"))
            }
            (Some(_), None) => Ok(Chosen { scope, org: None }),
        }
    }
}
