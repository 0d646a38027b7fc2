//! `kill -9` under concurrent writes: what was acknowledged is there, and the history has no gap.

use testkit::torture::{self, Database, Options};

use crate::stage::BINARY;

fn survive(kills: usize, database: Database) {
    let options = Options { kills, database, binary: Some(BINARY.into()), ..Options::default() };
    let report = torture::run(&options).unwrap();
    assert!(report.is_clean(), "{report}");
}

#[test]
fn twenty_five_kills_lose_nothing_on_sqlite() {
    survive(25, Database::Sqlite);
}

#[test]
fn five_kills_lose_nothing_on_postgresql() {
    survive(5, Database::Postgres);
}
