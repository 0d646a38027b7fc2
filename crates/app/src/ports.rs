//! What the parts declare in their `ports.rs`, joined here, one file each, with no decisions in them.

mod identities;
mod metrics;

pub(crate) use identities::{LocalIdentities, local_operator};
pub(crate) use metrics::PrometheusText;
