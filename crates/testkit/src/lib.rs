//! Drives the real binary: processes, plain HTTP, disposable PostgreSQL, torture and benchmarks.

pub mod bench;
pub mod binary;
pub mod daemon;
pub mod fuzz;
pub mod http;
pub mod outfitter;
pub mod peers;
pub mod postgres;
pub mod random;
pub mod samples;
mod skipping;
pub mod torture;

pub use daemon::Daemon;
pub use http::{Http, Request, Response};
pub use outfitter::Outfitter;
pub use skipping::{report, skip};
