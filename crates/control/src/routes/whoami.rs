//! `GET /api/v1/whoami`: who the daemon takes the caller for.

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
        operator: caller.operator,
        version: control.version,
    })
}
