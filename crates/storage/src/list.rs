//! Reading resources: by identity, or page by page through the ones that a caller may see.
//!
//! A page is what is visible by its scope and what is visible by itself, merged: never the same resource twice.

mod select;
mod singles;

use std::collections::HashMap;

use model::{Key, Kind, Name, Organization, Revision, Scope, ScopeName, Stored, Visibility};

use crate::engine::Bulk;
use crate::{Store, Unavailable, record, writer};

/// Which resources to list.
#[derive(Clone, Debug)]
pub struct Query {
    /// Of this kind.
    pub kind: Kind,
    /// That the caller may see.
    pub visibility: Visibility,
    /// In this scope only.
    pub scope: Option<ScopeName>,
    /// Of this organization only.
    pub org: Option<Organization>,
    /// With every one of these tags.
    pub tags: Vec<String>,
    /// With this text in what searches look at, in any case.
    pub search: Option<String>,
    /// After this one, the last of the page before.
    pub after: Option<(Name, Scope)>,
    /// At most so many.
    pub limit: usize,
}

/// Some resources, by name, then scope, then holder, each byte by byte.
#[derive(Clone, Debug, PartialEq)]
pub struct Page {
    /// The resources.
    pub items: Vec<Stored>,
    /// Where the next page begins; none on the last page.
    pub next: Option<(Name, Scope)>,
    /// The revision at which all of this was true.
    pub revision: Revision,
}

const BY_KEY: Bulk = Bulk {
    head: "SELECT r.kind, r.name, r.scope, r.holder, r.id, r.revision, r.body, r.created_at, r.created_by, \
           r.updated_at, r.updated_by FROM resources r WHERE (r.kind, r.name, r.scope, r.holder) IN (",
    width: 4,
    tail: ")",
};

impl Store {
    /// The first of the resources that exists, in the order given.
    pub async fn first(&self, keys: &[Key]) -> Result<Option<Stored>, Unavailable> {
        let args = keys.iter().flat_map(record::key_args).collect();
        let rows = BY_KEY.rows(&mut self.inner.engine.reader().await?, args).await?;
        let found = rows.iter().map(|row| record::stored(row).map(|stored| (stored.key.clone(), stored)));
        let mut found = found.collect::<Result<HashMap<_, _>, _>>()?;
        Ok(keys.iter().find_map(|key| found.remove(key)))
    }

    /// One page, from one moment.
    pub async fn list(&self, query: &Query) -> Result<Page, Unavailable> {
        let mut session = self.inner.engine.reader().await?;
        session.begin_read().await?;
        let revision = writer::revision(&mut session).await?;
        let mut rows = match select::scopes(query, session.dialect()) {
            Some((sql, args)) => session.rows(sql, args).await?,
            None => Vec::new(),
        };
        let singles = singles::rows(&mut session, query).await?;
        session.commit().await?;
        let merge = !singles.is_empty();
        rows.extend(singles);
        let mut items = rows.iter().map(record::stored).collect::<Result<Vec<_>, _>>()?;
        if merge {
            items.sort_by(|one, other| place(&one.key).cmp(&place(&other.key)));
        }
        let more = items.len() > query.limit;
        items.truncate(query.limit);
        let last = items.last().filter(|_| more);
        let next = last.map(|stored| (stored.key.name.clone(), stored.key.scope.clone()));
        Ok(Page { items, next, revision })
    }
}

impl Query {
    /// Whether its scope and organization leave anything of `scope`.
    fn covers(&self, scope: &Scope) -> bool {
        self.scope.is_none_or(|wanted| scope.name() == wanted)
            && self.org.as_ref().is_none_or(|org| scope.organization() == Some(org))
    }

    /// As many rows as tell whether there is another page.
    fn most(&self) -> usize {
        self.limit.saturating_add(1)
    }
}

/// Where a resource stands in a list of its kind.
fn place(key: &Key) -> (&str, &str, &str) {
    place_of(&key.name, &key.scope)
}

fn place_of<'a>(name: &'a Name, scope: &'a Scope) -> (&'a str, &'a str, &'a str) {
    (name.as_str(), scope.name().as_str(), scope.holder())
}
