//! The tables of a backup, in its order, with the columns that identify a row first.

use crate::Unavailable;
use crate::engine::{Arg, Row};

#[derive(Clone, Copy)]
pub(super) enum Column {
    Int,
    Text,
    Bytes,
}

use Column::{Bytes, Int, Text};

pub(super) struct Table {
    pub name: &'static str,
    pub columns: &'static [(&'static str, Column)],
    /// How many of the columns, from the first, make the primary key.
    pub key: usize,
    /// What a restore inserts with; none for the one row that exists already.
    pub insert: Option<&'static str>,
}

pub(super) const META: &str = "meta";

pub(super) const TABLES: [Table; 9] = [
    Table {
        name: META,
        columns: &[
            ("id", Int),
            ("revision", Int),
            ("oldest", Int),
            ("format", Int),
            ("key_id", Text),
            ("key_check", Bytes),
            ("records", Int),
        ],
        key: 1,
        insert: None,
    },
    Table {
        name: "resources",
        columns: &[
            ("kind", Text),
            ("name", Text),
            ("scope", Text),
            ("holder", Text),
            ("id", Text),
            ("revision", Int),
            ("body", Text),
            ("search", Text),
            ("tags", Text),
            ("mentions", Text),
            ("created_at", Int),
            ("created_by", Text),
            ("updated_at", Int),
            ("updated_by", Text),
        ],
        key: 4,
        insert: Some(
            "INSERT INTO resources (kind, name, scope, holder, id, revision, body, search, tags, mentions, \
             created_at, created_by, updated_at, updated_by)",
        ),
    },
    Table {
        name: "tags",
        columns: &[("kind", Text), ("tag", Text), ("name", Text), ("scope", Text), ("holder", Text)],
        key: 5,
        insert: Some("INSERT INTO tags (kind, tag, name, scope, holder)"),
    },
    Table {
        name: "mentions",
        columns: &[
            ("target_kind", Text),
            ("target_name", Text),
            ("kind", Text),
            ("name", Text),
            ("scope", Text),
            ("holder", Text),
            ("path", Text),
            ("reference", Text),
        ],
        key: 7,
        insert: Some(
            "INSERT INTO mentions (target_kind, target_name, kind, name, scope, holder, path, reference)",
        ),
    },
    Table {
        name: "secrets",
        columns: &[
            ("resource_id", Text),
            ("slot", Text),
            ("version", Int),
            ("key_id", Text),
            ("wrapped", Bytes),
            ("sealed", Bytes),
        ],
        key: 2,
        insert: Some("INSERT INTO secrets (resource_id, slot, version, key_id, wrapped, sealed)"),
    },
    Table {
        name: "changes",
        columns: &[
            ("revision", Int),
            ("ordinal", Int),
            ("at", Int),
            ("action", Text),
            ("kind", Text),
            ("name", Text),
            ("scope", Text),
            ("holder", Text),
            ("resource_id", Text),
            ("record", Text),
        ],
        key: 2,
        insert: Some(
            "INSERT INTO changes (revision, ordinal, at, action, kind, name, scope, holder, resource_id, record)",
        ),
    },
    Table {
        name: "audit",
        columns: &[
            ("revision", Int),
            ("ordinal", Int),
            ("at", Int),
            ("actor", Text),
            ("via", Text),
            ("action", Text),
            ("kind", Text),
            ("name", Text),
            ("scope", Text),
            ("holder", Text),
            ("resource_id", Text),
            ("detail", Text),
        ],
        key: 2,
        insert: Some(
            "INSERT INTO audit (revision, ordinal, at, actor, via, action, kind, name, scope, holder, \
             resource_id, detail)",
        ),
    },
    Table {
        name: "records",
        columns: &[
            ("collection", Text),
            ("id", Text),
            ("belongs_kind", Text),
            ("belongs_name", Text),
            ("belongs_scope", Text),
            ("belongs_holder", Text),
            ("revision", Int),
            ("body", Text),
        ],
        key: 2,
        insert: Some(
            "INSERT INTO records (collection, id, belongs_kind, belongs_name, belongs_scope, belongs_holder, \
             revision, body)",
        ),
    },
    Table {
        name: "denials",
        columns: &[
            ("at", Int),
            ("id", Text),
            ("actor", Text),
            ("via", Text),
            ("action", Text),
            ("target", Text),
            ("reason", Text),
        ],
        key: 2,
        insert: Some("INSERT INTO denials (at, id, actor, via, action, target, reason)"),
    },
];

impl Table {
    /// The statement for the first page, or for the one after a key.
    pub fn page(&self, after: bool, limit: i64) -> String {
        let names: Vec<&str> = self.columns.iter().map(|(name, _)| *name).collect();
        let key = names[..self.key].join(", ");
        let places: Vec<String> = (1..=self.key).map(|place| format!("${place}")).collect();
        let places = places.join(", ");
        let from = if after { format!(" WHERE ({key}) > ({places})") } else { String::new() };
        format!("SELECT {} FROM {}{from} ORDER BY {key} LIMIT {limit}", names.join(", "), self.name)
    }

    /// The key of a row, to go on after it.
    pub fn key(&self, row: &Row) -> Result<Vec<Arg>, Unavailable> {
        let key = self.columns[..self.key].iter().enumerate();
        key.map(|(at, (_, column))| match column {
            Int => row.int(at).map(Arg::from),
            Text => row.text(at).map(Arg::from),
            Bytes => row.bytes(at).map(Arg::from),
        })
        .collect()
    }
}
