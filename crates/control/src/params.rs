//! Query parameters, read strictly: an unknown one is an error that names the nearest known one.

use axum::extract::{FromRequestParts, Path};
use edge::Failure;
use http::request::Parts;
use model::{Account, Key, Kind, Name, Organization, Scope, ScopeName, nearest};
use serde::de::DeserializeOwned;

use crate::failure::bad_request;

/// The variable parts of a path; one that cannot be read is an error of the usual shape.
pub(crate) struct Segments<T>(pub(crate) T);

impl<S: Send + Sync, T: DeserializeOwned + Send> FromRequestParts<S> for Segments<T> {
    type Rejection = Failure;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Failure> {
        let path = Path::<T>::from_request_parts(parts, state).await;
        path.map(|Path(segments)| Self(segments)).map_err(|_| bad_request("the path is not UTF-8 text"))
    }
}

/// The query parameters of a request, in their order.
pub(crate) struct Params(Vec<(String, String)>);

impl Params {
    /// Reads the query; only `known` names are accepted, and all but `many` once.
    pub(crate) fn read(query: Option<&str>, known: &[&str], many: &[&str]) -> Result<Self, Failure> {
        let pairs: Vec<(String, String)> =
            url::form_urlencoded::parse(query.unwrap_or_default().as_bytes()).into_owned().collect();
        for (index, (name, value)) in pairs.iter().enumerate() {
            let shown = name.escape_debug();
            if !known.contains(&name.as_str()) && !many.contains(&name.as_str()) {
                let near = nearest(name, known.iter().chain(many).copied());
                let hint = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
                return Err(bad_request(format!("`{shown}` is not a parameter of this request{hint}")));
            }
            if known.contains(&name.as_str()) && pairs[..index].iter().any(|(earlier, _)| earlier == name) {
                return Err(bad_request(format!("parameter `{shown}` is given twice")));
            }
            if value.contains('\0') {
                return Err(bad_request(format!("parameter `{shown}` holds a NUL character")));
            }
        }
        Ok(Self(pairs))
    }

    /// The value of a parameter; an empty one counts as absent.
    pub(crate) fn get(&self, name: &str) -> Option<&str> {
        self.all(name).find(|value| !value.is_empty())
    }

    /// All values of a parameter.
    pub(crate) fn all(&self, name: &str) -> impl Iterator<Item = &str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, value)| value.as_str())
    }

    /// A parameter that is `true` or `false`.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, Failure> {
        match self.get(name) {
            None | Some("false") => Ok(false),
            Some("true") => Ok(true),
            Some(_) => Err(bad_request(format!("parameter `{name}` must be true or false"))),
        }
    }

    /// A parameter that parses.
    pub(crate) fn parsed<T: std::str::FromStr<Err: std::fmt::Display>>(
        &self,
        name: &str,
    ) -> Result<Option<T>, Failure> {
        self.get(name)
            .map(str::parse)
            .transpose()
            .map_err(|error| bad_request(format!("parameter `{name}`: {error}")))
    }

    /// A parameter that must be there.
    pub(crate) fn required(&self, name: &str) -> Result<&str, Failure> {
        self.get(name).ok_or_else(|| bad_request(format!("this needs parameter `{name}`")))
    }

    /// `scope` and `org`, which must fit each other.
    pub(crate) fn scope(&self) -> Result<(Option<ScopeName>, Option<Organization>), Failure> {
        let scope: Option<ScopeName> = self.parsed("scope")?;
        let org: Option<Organization> = self.parsed("org")?;
        match (scope, &org) {
            (Some(ScopeName::Platform | ScopeName::IdentityAccount), Some(_)) => {
                Err(bad_request("parameter `org` goes with scope `organization` only"))
            }
            _ => Ok((scope, org)),
        }
    }

    /// The resources a name may mean: in the scope given, else from the caller upwards.
    pub(crate) fn candidates(&self, kind: Kind, name: &Name, caller: &Account) -> Result<Vec<Key>, Failure> {
        let (scope, org) = self.scope()?;
        let scopes = scopes(scope, org, self.parsed("owner")?, caller)?;
        Ok(scopes.into_iter().map(|scope| Key { kind, name: name.clone(), scope }).collect())
    }
}

/// The scopes that a name without an address is looked up in, narrowest first, from the caller upwards.
pub(crate) fn scopes(
    scope: Option<ScopeName>,
    org: Option<Organization>,
    owner: Option<Account>,
    caller: &Account,
) -> Result<Vec<Scope>, Failure> {
    if let Some(owner) = owner {
        return match (scope, org) {
            (None | Some(ScopeName::IdentityAccount), None) => Ok(vec![Scope::IdentityAccount(owner)]),
            _ => Err(bad_request("`owner` goes with scope `identity_account` only")),
        };
    }
    let own = Scope::IdentityAccount(caller.clone());
    match (scope, org) {
        (Some(ScopeName::Platform), _) => Ok(vec![Scope::Platform]),
        (Some(ScopeName::IdentityAccount), _) => Ok(vec![own]),
        (Some(ScopeName::Organization), Some(org)) => Ok(vec![Scope::Organization(org)]),
        (Some(ScopeName::Organization), None) => {
            Err(bad_request("scope `organization` needs parameter `org`"))
        }
        (None, Some(org)) => Ok(vec![own, Scope::Organization(org), Scope::Platform]),
        (None, None) => Ok(vec![own, Scope::Platform]),
    }
}
