//! What storage promises, asserted on SQLite and PostgreSQL alike.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

mod contract {
    pub mod fixture;

    mod audit;
    mod backup;
    mod belonging;
    mod commits;
    mod denials;
    mod failures;
    mod following;
    mod lists;
    mod migrations;
    mod records;
    mod references;
    mod rotation;
    mod secrets;
    mod visibility;
    mod watches;
}
