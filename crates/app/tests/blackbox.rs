//! The real binary, as a person and as a program meet it.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on fails by panicking, in its helpers too")]

#[path = "blackbox/apply.rs"]
mod apply;
#[path = "blackbox/backup.rs"]
mod backup;
#[path = "blackbox/bad_input.rs"]
mod bad_input;
#[path = "blackbox/command_line.rs"]
mod command_line;
#[path = "blackbox/door.rs"]
mod door;
#[path = "blackbox/faults.rs"]
mod faults;
#[path = "blackbox/fga.rs"]
mod fga;
#[path = "blackbox/kill.rs"]
mod kill;
#[path = "blackbox/oidc.rs"]
mod oidc;
#[path = "blackbox/people.rs"]
mod people;
#[path = "blackbox/races.rs"]
mod races;
#[path = "blackbox/references.rs"]
mod references;
#[path = "blackbox/rest.rs"]
mod rest;
#[path = "blackbox/round_trip.rs"]
mod round_trip;
#[path = "blackbox/routes.rs"]
mod routes;
#[path = "blackbox/secrets.rs"]
mod secrets;
#[path = "blackbox/stage.rs"]
mod stage;
#[path = "blackbox/streams.rs"]
mod streams;
#[path = "blackbox/watch.rs"]
mod watch;
