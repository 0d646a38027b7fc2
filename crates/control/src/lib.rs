//! The control plane: everything that changes or reads what is declared, over REST.
//!
//! Routes are thin; an operation does the work, with a permit from the one decision.

mod authority;
mod body;
mod cursor;
mod failure;
mod gate;
mod observe;
mod openapi;
mod operation;
mod params;
pub mod ports;
mod routes;
mod state;
mod views;

pub use openapi::openapi;
pub use routes::router;
pub use state::{Control, Settings};
