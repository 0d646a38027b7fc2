//! OAuth for remote servers: a sign-in by a person, a machine's own grant, and the tokens that come of them. Everything
//! goes out through the egress guard, tokens and client ids belong to one issuer, and no URL is ever opened here.

mod address;
mod bearer;
mod browser;
mod callback;
mod carrier;
mod credentials;
mod demand;
mod error;
mod limit;
mod machine;
mod pending;
mod provider;
mod secret;
mod settings;
mod sign_in;
mod store;

pub use bearer::Bearer;
pub use browser::Browser;
pub use credentials::Credentials;
pub use error::Error;
pub use limit::{VISIT_WINDOW, VISITS};
pub use machine::{Algorithm, Key, Machine, MachineSettings};
pub use pending::{PENDING, PENDING_DEADLINE, Pending};
pub use secret::Secret;
pub use settings::{Registration, Settings};
pub use sign_in::SignIn;
pub use store::{Memory, Store, StoreError};
