//! What the language accepts and refuses, and the laws that hold for every model.

mod accepted;
mod corpus;
mod laws;
mod refused;
mod well_formed;
