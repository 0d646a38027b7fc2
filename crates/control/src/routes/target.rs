//! What a question or a grant is about, from its words.

use access::{Caller, Target};
use edge::Failure;
use model::{Account, Key, Kind, Name, Organization, ScopeName, nearest};

use super::first_visible;
use crate::failure::{bad_request, not_found};
use crate::params::{Params, scopes};
use crate::state::Control;

/// The words.
pub(super) struct Address {
    pub(super) kind: String,
    pub(super) name: Option<String>,
    pub(super) scope: Option<ScopeName>,
    pub(super) org: Option<Organization>,
    pub(super) owner: Option<Account>,
}

impl Address {
    /// The query parameters it is made of.
    pub(super) const PARAMETERS: [&str; 5] = ["kind", "name", "scope", "org", "owner"];

    /// The words in a query.
    pub(super) fn read(params: &Params) -> Result<Self, Failure> {
        let (scope, org) = params.scope()?;
        Ok(Self {
            kind: params.required("kind")?.to_owned(),
            name: params.get("name").map(str::to_owned),
            scope,
            org,
            owner: params.parsed("owner")?,
        })
    }
}

/// The thing meant. With `existing`, one that is not there, or not for the caller's eyes, is a failure.
pub(super) async fn resolve(
    control: &Control,
    caller: &Caller,
    address: Address,
    existing: bool,
) -> Result<Target, Failure> {
    let name =
        |what: &str| address.name.as_deref().ok_or_else(|| bad_request(format!("{what} needs a `name`")));
    match address.kind.as_str() {
        "platform" => Ok(Target::Platform),
        "organization" | "org" => {
            Ok(Target::Organization(super::organizations::parse(name("an organization")?)?))
        }
        "user" | "account" | "identity_account" => {
            Ok(Target::Account(super::organizations::parse_account(name("an account")?)?))
        }
        kind => {
            let kind = parse_kind(kind)?;
            let name: Name =
                name("a resource")?.parse().map_err(|error| bad_request(format!("the name {error}")))?;
            let scopes = scopes(address.scope, address.org.clone(), address.owner.clone(), &caller.account)?;
            let keys: Vec<Key> =
                scopes.into_iter().map(|scope| Key { kind, name: name.clone(), scope }).collect();
            let first = keys[0].clone();
            if keys.len() == 1 && !existing {
                return Ok(Target::Resource(first));
            }
            match first_visible(control, caller, keys).await? {
                Some(stored) => Ok(Target::Resource(stored.key)),
                None if existing => Err(not_found(&first)),
                None => Ok(Target::Resource(first)),
            }
        }
    }
}

fn parse_kind(text: &str) -> Result<Kind, Failure> {
    let spellings = |kind: Kind| [kind.noun(), kind.as_str(), kind.collection(), kind.type_name()];
    Kind::ALL.into_iter().find(|kind| spellings(*kind).contains(&text)).ok_or_else(|| {
        let shown: String = text.escape_debug().take(80).collect();
        let near = nearest(text, Kind::ALL.into_iter().flat_map(spellings));
        let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
        let known = Kind::ALL.map(Kind::noun).join(", ");
        bad_request(format!("`{shown}` is not a kind{hint}; known are {known}, organization and platform"))
    })
}
