//! The thing that a question or a grant is about, from the words of the command line.

use model::{Account, ScopeName};

use crate::args::{Noun, ThingArgs};
use crate::failure::Failure;
use crate::query::Query;
use crate::session::{Chosen, Session};

/// One thing, addressed as the daemon understands it.
#[derive(Debug)]
pub struct Thing {
    noun: Noun,
    pub name: Option<String>,
    pub chosen: Chosen,
    owner: Option<Account>,
}

impl Thing {
    /// Reads the words; the context completes the scope of a resource.
    pub fn read(args: &ThingArgs, owner: Option<&Account>, session: &Session<'_>) -> Result<Self, Failure> {
        let placed = args.scope.is_some() || args.org.is_some() || owner.is_some();
        let chosen = match args.kind {
            Noun::Platform if args.name.is_some() => {
                return Err(Failure::usage("there is one platform, and it has no name")
                    .hint("leave the name out, as in `outfitter grants platform`"));
            }
            other if other != Noun::Platform && args.name.is_none() => {
                return Err(Failure::usage(format!(
                    "which {} is meant? its name is missing",
                    other.as_str()
                ))
                .hint(format!("write its name behind `{}`", other.as_str())));
            }
            Noun::Platform | Noun::Organization if placed => {
                return Err(Failure::usage(format!("`{}` is in no scope", args.kind.as_str()))
                    .hint("leave `--scope`, `--org` and `--owner` out"));
            }
            Noun::Platform | Noun::Organization => Chosen::default(),
            Noun::Resource(_) if owner.is_some() => of_a_person(args.scope)?,
            Noun::Resource(kind) => session.chosen(kind, args.scope, args.org.as_ref())?,
        };
        Ok(Self { noun: args.kind, name: args.name.clone(), chosen, owner: owner.cloned() })
    }

    /// The daemon's word for what it is.
    pub const fn kind(&self) -> &'static str {
        self.noun.as_str()
    }

    /// Adds the address to a request.
    pub fn address(&self, query: Query) -> Query {
        let query = query.with("kind", self.kind()).maybe("name", self.name.as_deref());
        query.chosen(&self.chosen).maybe("owner", self.owner.as_ref().map(Account::as_str))
    }

    /// The words that would name it again on the command line.
    pub fn words(&self) -> String {
        let mut words = self.kind().to_owned();
        let scope = self.chosen.scope.filter(|_| self.chosen.org.is_none()).map(ScopeName::as_str);
        for (flag, value) in [
            (" ", self.name.as_deref()),
            (" --scope ", scope),
            (" --org ", self.chosen.org.as_deref()),
            (" --owner ", self.owner.as_ref().map(Account::as_str)),
        ] {
            if let Some(value) = value {
                words.push_str(flag);
                words.push_str(value);
            }
        }
        words
    }
}

fn of_a_person(scope: Option<ScopeName>) -> Result<Chosen, Failure> {
    match scope {
        None | Some(ScopeName::IdentityAccount) => Ok(Chosen::default()),
        Some(other) => Err(Failure::usage(format!("`--owner` does not go with `--scope {other}`"))
            .hint("use `--scope identity_account`, or leave `--scope` out")),
    }
}
