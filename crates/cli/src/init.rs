//! `init`: a manifest to start from.

use model::manifest::{Template, template};
use model::{Kind, Name};

use crate::args::ServerType;
use crate::failure::Failure;
use crate::output::Output;

/// Prints the template.
pub fn run(
    kind: Kind,
    server_type: Option<ServerType>,
    name: Option<&Name>,
    output: &mut Output,
) -> Result<(), Failure> {
    let wanted = match server_type {
        Some(ServerType::Stdio) => Template::Stdio,
        Some(ServerType::Http) => Template::Http,
        Some(ServerType::Docker) => Template::Docker,
        None => Template::Other(kind),
    };
    output.text(&template(wanted, name))
}
