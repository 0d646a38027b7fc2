//! Reading resources: by identity, or page by page through the ones that a caller may see.

use std::collections::HashMap;

use model::{Key, Kind, Name, Organization, Organizations, Revision, Scope, ScopeName, Stored, Visibility};

use crate::engine::{Arg, Bulk, Dialect};
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
        let (sql, args) = select(query, session.dialect());
        let rows = session.rows(sql, args).await?;
        session.commit().await?;
        let mut items = rows.iter().map(record::stored).collect::<Result<Vec<_>, _>>()?;
        let more = items.len() > query.limit;
        items.truncate(query.limit);
        let last = items.last().filter(|_| more);
        let next = last.map(|stored| (stored.key.name.clone(), stored.key.scope.clone()));
        Ok(Page { items, next, revision })
    }
}

/// A statement in the making: text with numbered places for values.
#[derive(Default)]
struct Select {
    sql: String,
    args: Vec<Arg>,
}

impl Select {
    fn push(&mut self, sql: &str) {
        self.sql.push_str(sql);
    }

    fn value(&mut self, arg: impl Into<Arg>) {
        self.args.push(arg.into());
        self.sql.push('$');
        self.sql.push_str(&self.args.len().to_string());
    }
}

fn select(query: &Query, dialect: Dialect) -> (String, Vec<Arg>) {
    let mut select = Select::default();
    select.push("SELECT ");
    select.push(record::COLUMNS);
    // A tag drives: its rows are in the order of the list, so a page is a range of its index.
    let driver = match query.tags.first() {
        None => {
            select.push(" FROM resources r WHERE r.kind = ");
            select.value(query.kind.as_str());
            "r"
        }
        Some(tag) => {
            // SQLite keeps the order of a CROSS JOIN; PostgreSQL finds it by the LIMIT.
            select.push(" FROM tags t ");
            select.push(if dialect == Dialect::Sqlite { "CROSS JOIN" } else { "JOIN" });
            select.push(" resources r ON r.kind = t.kind AND r.name = t.name AND r.scope = t.scope");
            select.push(" AND r.holder = t.holder WHERE t.kind = ");
            select.value(query.kind.as_str());
            select.push(" AND t.tag = ");
            select.value(tag.as_str());
            "t"
        }
    };
    filters(&mut select, query, driver);
    if let Some((name, scope)) = &query.after {
        select.push(&format!(" AND ({driver}.name, {driver}.scope, {driver}.holder) > ("));
        select.value(name.as_str());
        select.push(", ");
        select.value(scope.name().as_str());
        select.push(", ");
        select.value(scope.holder());
        select.push(")");
    }
    select.push(&format!(" ORDER BY {driver}.name, {driver}.scope, {driver}.holder LIMIT "));
    select.value(i64::try_from(query.limit).unwrap_or(i64::MAX).saturating_add(1));
    (select.sql, select.args)
}

fn filters(select: &mut Select, query: &Query, driver: &str) {
    for tag in query.tags.iter().skip(1) {
        select.push(" AND EXISTS (SELECT 1 FROM tags o WHERE o.kind = r.kind AND o.tag = ");
        select.value(tag.as_str());
        select.push(" AND o.name = r.name AND o.scope = r.scope AND o.holder = r.holder)");
    }
    visible(select, &query.visibility, driver);
    if let Some(scope) = query.scope {
        select.push(&format!(" AND {driver}.scope = "));
        select.value(scope.as_str());
    }
    if let Some(org) = &query.org {
        select.push(&format!(" AND {driver}.scope = 'organization' AND {driver}.holder = "));
        select.value(org.as_str());
    }
    if let Some(search) = &query.search {
        select.push(" AND r.search LIKE ");
        select.value(pattern(search));
        select.push(" ESCAPE '!'");
    }
}

fn visible(select: &mut Select, visibility: &Visibility, driver: &str) {
    select.push(" AND (1 = 0");
    if visibility.platform {
        select.push(&format!(" OR {driver}.scope = 'platform'"));
    }
    match &visibility.organizations {
        Organizations::All => select.push(&format!(" OR {driver}.scope = 'organization'")),
        Organizations::Only(orgs) if orgs.is_empty() => {}
        Organizations::Only(orgs) => {
            select.push(&format!(" OR ({driver}.scope = 'organization' AND {driver}.holder IN ("));
            for (index, org) in orgs.iter().enumerate() {
                select.push(if index == 0 { "" } else { ", " });
                select.value(org.as_str());
            }
            select.push("))");
        }
    }
    if let Some(account) = &visibility.account {
        select.push(&format!(" OR ({driver}.scope = 'identity_account' AND {driver}.holder = "));
        select.value(account.as_str());
        select.push(")");
    }
    select.push(")");
}

/// A pattern that finds exactly this text, whatever it is made of.
fn pattern(search: &str) -> String {
    let mut pattern = String::from("%");
    for c in search.to_lowercase().chars().filter(|c| *c != '\0') {
        if matches!(c, '%' | '_' | '!') {
            pattern.push('!');
        }
        pattern.push(c);
    }
    pattern.push('%');
    pattern
}
