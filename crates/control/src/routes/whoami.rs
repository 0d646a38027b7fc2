//! `GET /api/v1/whoami`: who the daemon takes the caller for.

use access::{Action, Target, Within, decide};
use axum::Json;
use axum::extract::State;
use edge::Authenticated;

use super::Refused;
use crate::state::Control;
use crate::views::WhoAmI;

/// Say who is calling
#[utoipa::path(get, path = "/api/v1/whoami", operation_id = "whoami", tag = "daemon",
    responses((status = 200, description = "The caller", body = WhoAmI), Refused))]
pub(super) async fn whoami(
    State(control): State<Control>,
    Authenticated(caller): Authenticated,
) -> Json<WhoAmI> {
    Json(WhoAmI {
        account: caller.account.as_str().to_owned(),
        operator: decide(&control.directory(), &caller, Action::Operate, Target::Platform).is_ok(),
        via: caller.via.label(),
        read_only: caller.reach.read_only,
        within: match &caller.reach.within {
            Within::Everything => None,
            Within::Organization(org) => Some(format!("organization/{org}")),
            Within::Agent(agent) => agent.key().map(|key| key.to_string()),
        },
        expires_at: caller.expires_at.map(|at| at.to_string()),
        version: control.version,
    })
}
