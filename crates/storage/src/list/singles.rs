//! The resources of a page that are visible by themselves, wherever they are.
//!
//! Their keys are known beforehand, so they are looked up in the order of the list until the page is full.

use model::{Key, Visibility};

use super::select::{Select, search, tags};
use super::{Query, place, place_of};
use crate::engine::{Arg, Dialect, Row, Session};
use crate::{Unavailable, record};

/// How many keys a statement holds: few sizes, so that prepared statements are found again.
const SIZES: [usize; 4] = [1, 8, 64, 256];

/// The rows of at least the first `query.most()` of them, if there are so many.
pub(super) async fn rows(session: &mut Session, query: &Query) -> Result<Vec<Row>, Unavailable> {
    let keys = keys(query);
    let (mut rest, mut rows) = (keys.as_slice(), Vec::new());
    let mut wanted = query.most();
    while !rest.is_empty() && rows.len() < query.most() {
        let size = SIZES.into_iter().find(|size| *size >= wanted.min(rest.len())).unwrap_or(256);
        let (now, later) = rest.split_at(size.min(rest.len()));
        let (sql, args) = lookup(query, now, size, session.dialect());
        rows.extend(session.rows(sql, args).await?);
        rest = later;
        // What was looked for in vain may go on like that.
        wanted = 256;
    }
    Ok(rows)
}

/// The keys that the page may hold and that are not visible by their scope anyway, in the order of the list.
fn keys(query: &Query) -> Vec<&Key> {
    let Visibility { also, .. } = &query.visibility;
    let first = also.partition_point(|key| key.kind < query.kind);
    let of_kind = also[first..].iter().take_while(|key| key.kind == query.kind);
    let after = query.after.as_ref().map(|(name, scope)| place_of(name, scope));
    let mut keys: Vec<&Key> = of_kind
        .filter(|key| after.is_none_or(|after| place(key) > after))
        .filter(|key| query.covers(&key.scope) && !query.visibility.admits_scope(&key.scope))
        .collect();
    keys.sort_by_key(|key| place(key));
    keys.dedup();
    keys
}

/// Looks some keys up, with keys of nothing to fill the statement.
fn lookup(query: &Query, keys: &[&Key], size: usize, dialect: Dialect) -> (String, Vec<Arg>) {
    let mut select = Select::default();
    select.push("SELECT ");
    select.push(record::COLUMNS);
    // Both look up one key after the other; a LIMIT in the lateral part leaves PostgreSQL nothing else to do.
    select.push(" FROM (SELECT column1, column2, column3 FROM ");
    select.push("(VALUES ");
    let padding = std::iter::repeat_n(["", "", ""], size - keys.len());
    let places = keys.iter().map(|key| <[&str; 3]>::from(place(key)));
    for (index, [name, scope, holder]) in places.chain(padding).enumerate() {
        select.push(if index == 0 { "(" } else { ", (" });
        select.value(name);
        select.push(", ");
        select.value(scope);
        select.push(", ");
        select.value(holder);
        select.push(")");
    }
    select.push(") v) k ");
    select.push(match dialect {
        Dialect::Sqlite => "CROSS JOIN resources r",
        Dialect::Postgres => "CROSS JOIN LATERAL (SELECT * FROM resources r",
    });
    select.push(" WHERE r.kind = ");
    select.value(query.kind.as_str());
    select.push(" AND r.name = k.column1 AND r.scope = k.column2 AND r.holder = k.column3");
    select.push(if dialect == Dialect::Postgres { " LIMIT 1) r WHERE 1 = 1" } else { "" });
    tags(&mut select, query, 0);
    search(&mut select, query);
    (select.sql, select.args)
}
