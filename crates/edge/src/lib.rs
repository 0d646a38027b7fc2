//! The edge of the daemon: listeners, Host and Origin checks, limits, and who is calling.
//!
//! Control and gateway mount their routers on it; nothing reaches them that was not checked here.

mod authenticate;
mod failure;
mod guard;
mod limits;
mod listener;
pub mod oidc;
pub mod ports;
mod serve;
mod tls;
pub mod token;

pub use authenticate::Authenticated;
pub use failure::Failure;
pub use guard::AllowedHosts;
pub use limits::Limits;
pub use listener::{BindError, Listeners, Options, Tls};
pub use serve::Server;
