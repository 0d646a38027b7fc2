//! The wire: strict JSON, JSON-RPC, both protocol eras, every transport, client and server side.

pub mod client;
pub mod egress;
pub mod fault;
pub mod frame;
pub mod header;
pub mod json;
pub mod line;
pub mod meta;
pub mod oauth;
pub mod question;
pub mod server;
pub mod sse;
pub mod version;
pub mod web;

pub use fault::Fault;
pub use frame::Frame;
pub use question::{Answering, Question, Reply};
pub use version::{Era, Version};
