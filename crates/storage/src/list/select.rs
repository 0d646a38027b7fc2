//! The statements behind a page: one range for each visible holder, or a filter over the whole kind.
//!
//! The ranges cost as much as the page; the filter is for tags, which have an order of their own, and for those who
//! see everything or nearly so.

use model::{Organizations, Scope, Visibility};

use super::{Query, place_of};
use crate::engine::{Arg, Dialect};
use crate::record;

/// More holders than this are looked for with a filter.
const MOST_RANGES: usize = 100;

/// A statement in the making: text with numbered places for values.
#[derive(Default)]
pub(super) struct Select {
    pub sql: String,
    pub args: Vec<Arg>,
}

impl Select {
    pub fn push(&mut self, sql: &str) {
        self.sql.push_str(sql);
    }

    pub fn value(&mut self, arg: impl Into<Arg>) {
        let place = self.place(arg);
        self.push(&place);
    }

    /// Takes a value that may be named more than once; returns its name.
    fn place(&mut self, arg: impl Into<Arg>) -> String {
        self.args.push(arg.into());
        format!("${}", self.args.len())
    }

    fn limit(&mut self, query: &Query) {
        self.push(" LIMIT ");
        self.value(i64::try_from(query.most()).unwrap_or(i64::MAX));
    }
}

/// What finds the resources that are visible by their scope, in the order of the list; none when there are none.
pub(super) fn scopes(query: &Query, dialect: Dialect) -> Option<(String, Vec<Arg>)> {
    let holders = if query.tags.is_empty() { holders(query) } else { None };
    let select = match holders {
        Some(holders) if holders.is_empty() => return None,
        Some(holders) if holders.len() <= MOST_RANGES => ranges(query, &holders, dialect),
        _ => filter(query, dialect),
    };
    Some((select.sql, select.args))
}

/// The scopes whose resources the caller may see and asks for; none when they cannot be told one by one.
fn holders(query: &Query) -> Option<Vec<Scope>> {
    let Visibility { platform, organizations, account, .. } = &query.visibility;
    let Organizations::Only(orgs) = organizations else { return None };
    let platform = platform.then_some(Scope::Platform);
    let orgs = orgs.iter().cloned().map(Scope::Organization);
    let account = account.iter().cloned().map(Scope::IdentityAccount);
    let mut holders: Vec<Scope> =
        platform.into_iter().chain(orgs).chain(account).filter(|scope| query.covers(scope)).collect();
    holders.sort();
    holders.dedup();
    Some(holders)
}

/// The page's names from the holders' ranges, each in its order, and what they stand for.
fn ranges(query: &Query, holders: &[Scope], dialect: Dialect) -> Select {
    let mut select = Select::default();
    select.push("SELECT ");
    select.push(record::COLUMNS);
    match dialect {
        Dialect::Sqlite => merged(&mut select, query, holders),
        Dialect::Postgres => lateral(&mut select, query, holders),
    }
    // Both look up one name after the other; a LIMIT in the lateral part leaves PostgreSQL nothing else to do.
    let (join, end) = match dialect {
        Dialect::Sqlite => (" p CROSS JOIN resources r", ""),
        Dialect::Postgres => (" p CROSS JOIN LATERAL (SELECT * FROM resources r", " LIMIT 1) r"),
    };
    select.push(join);
    select.push(" WHERE r.kind = ");
    select.value(query.kind.as_str());
    select.push(" AND r.name = p.name AND r.scope = p.scope AND r.holder = p.holder");
    select.push(end);
    select.push(" ORDER BY p.name, p.scope, p.holder");
    select
}

/// SQLite walks the parts of a compound side by side when each is in the order of the whole.
fn merged(select: &mut Select, query: &Query, holders: &[Scope]) {
    let kind = select.place(query.kind.as_str());
    let after = query.after.as_ref().map(|(name, scope)| {
        let [name, scope, holder] = <[&str; 3]>::from(place_of(name, scope)).map(|text| select.place(text));
        format!(" AND r.name >= {name} AND (r.name, r.scope, r.holder) > ({name}, {scope}, {holder})")
    });
    let search = query.search.as_ref().map(|search| select.place(pattern(search)));
    let search = search.map(|pattern| format!(" AND r.search LIKE {pattern} ESCAPE '!'"));
    select.push(" FROM (");
    for (index, holder) in holders.iter().enumerate() {
        select.push(if index == 0 { "" } else { " UNION ALL " });
        select.push("SELECT r.name, r.scope, r.holder FROM resources r WHERE r.kind = ");
        select.push(&kind);
        select.push(" AND r.scope = ");
        select.value(holder.name().as_str());
        select.push(" AND r.holder = ");
        select.value(holder.holder());
        for condition in after.iter().chain(&search) {
            select.push(condition);
        }
    }
    select.push(" ORDER BY 1, 2, 3");
    select.limit(query);
    select.push(")");
}

/// PostgreSQL would plan each part of a compound by itself: one range that is asked for each holder is planned once.
fn lateral(select: &mut Select, query: &Query, holders: &[Scope]) {
    select.push(" FROM (SELECT n.name, n.scope, n.holder FROM (VALUES ");
    for (index, holder) in holders.iter().enumerate() {
        select.push(if index == 0 { "(" } else { ", (" });
        select.value(holder.name().as_str());
        select.push(", ");
        select.value(holder.holder());
        select.push(")");
    }
    select.push(") h (scope, holder) CROSS JOIN LATERAL (SELECT r.name, r.scope, r.holder FROM resources r");
    select.push(" WHERE r.kind = ");
    select.value(query.kind.as_str());
    select.push(" AND r.scope = h.scope AND r.holder = h.holder");
    if let Some((name, _)) = &query.after {
        select.push(" AND r.name >= ");
        select.value(name.as_str());
    }
    after(select, query, "r");
    search(select, query);
    select.push(" ORDER BY r.name");
    select.limit(query);
    select.push(") n ORDER BY n.name, n.scope, n.holder");
    select.limit(query);
    select.push(")");
}

fn filter(query: &Query, dialect: Dialect) -> Select {
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
    tags(&mut select, query, 1);
    visible(&mut select, query, driver);
    search(&mut select, query);
    after(&mut select, query, driver);
    select.push(&format!(" ORDER BY {driver}.name, {driver}.scope, {driver}.holder"));
    select.limit(query);
    select
}

/// Only what comes after the page before.
fn after(select: &mut Select, query: &Query, driver: &str) {
    if let Some((name, scope)) = &query.after {
        select.push(&format!(" AND ({driver}.name, {driver}.scope, {driver}.holder) > ("));
        select.value(name.as_str());
        select.push(", ");
        select.value(scope.name().as_str());
        select.push(", ");
        select.value(scope.holder());
        select.push(")");
    }
}

/// The tags after the first `known` ones must be there too.
pub(super) fn tags(select: &mut Select, query: &Query, known: usize) {
    for tag in query.tags.iter().skip(known) {
        select.push(" AND EXISTS (SELECT 1 FROM tags o WHERE o.kind = r.kind AND o.tag = ");
        select.value(tag.as_str());
        select.push(" AND o.name = r.name AND o.scope = r.scope AND o.holder = r.holder)");
    }
}

/// The text that was searched for must be there.
pub(super) fn search(select: &mut Select, query: &Query) {
    if let Some(search) = &query.search {
        select.push(" AND r.search LIKE ");
        select.value(pattern(search));
        select.push(" ESCAPE '!'");
    }
}

fn visible(select: &mut Select, query: &Query, driver: &str) {
    let Visibility { platform, organizations, account, .. } = &query.visibility;
    let scope = format!("{driver}.scope");
    select.push(" AND (1 = 0");
    if *platform {
        select.push(&format!(" OR {scope} = 'platform'"));
    }
    match organizations {
        Organizations::All => select.push(&format!(" OR {scope} = 'organization'")),
        Organizations::Only(orgs) if orgs.is_empty() => {}
        Organizations::Only(orgs) => {
            select.push(&format!(" OR ({scope} = 'organization' AND {driver}.holder IN ("));
            for (index, org) in orgs.iter().enumerate() {
                select.push(if index == 0 { "" } else { ", " });
                select.value(org.as_str());
            }
            select.push("))");
        }
    }
    if let Some(account) = account {
        select.push(&format!(" OR ({scope} = 'identity_account' AND {driver}.holder = "));
        select.value(account.as_str());
        select.push(")");
    }
    select.push(")");
    if let Some(scope) = query.scope {
        select.push(&format!(" AND {driver}.scope = "));
        select.value(scope.as_str());
    }
    if let Some(org) = &query.org {
        select.push(&format!(" AND {driver}.scope = 'organization' AND {driver}.holder = "));
        select.value(org.as_str());
    }
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
