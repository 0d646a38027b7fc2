//! The REST API, one file per resource.

mod apply;
mod backup;
mod can_i;
mod denials;
mod grants;
mod health;
mod organizations;
mod resources;
mod secrets;
mod target;
mod tokens;
mod users;
mod watch;
mod whoami;

use access::{Action, Caller, Target, decide};
use axum::Router;
use axum::middleware;
use edge::Failure;
use http::StatusCode;
use model::{Key, Kind, Stored};
use utoipa::IntoResponses;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::failure::unavailable;
use crate::observe::observe;
use crate::openapi;
use crate::state::Control;
use crate::views::ErrorView;

/// What any route may answer instead of success.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "describes edge::Failure")]
pub(crate) enum Refused {
    /// Something is wrong in the request; `problems` says what and where
    #[response(status = 400)]
    Input(#[to_schema] ErrorView),
    /// No token, or a wrong one
    #[response(status = 401)]
    Unauthorized(#[to_schema] ErrorView),
    /// Not allowed
    #[response(status = 403)]
    Forbidden(#[to_schema] ErrorView),
    /// Sent to a host name the daemon does not answer to
    #[response(status = 421)]
    Misdirected(#[to_schema] ErrorView),
    /// The store cannot answer now
    #[response(status = 503)]
    Unavailable(#[to_schema] ErrorView),
}

/// What a route about one resource may answer besides.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "describes edge::Failure")]
pub(crate) enum Missing {
    /// There is no such resource, or the caller may not see it
    #[response(status = 404)]
    NotFound(#[to_schema] ErrorView),
}

/// What a write may answer besides.
#[derive(IntoResponses)]
#[expect(dead_code, reason = "describes edge::Failure")]
pub(crate) enum Conflicting {
    /// The resource changed meanwhile, exists already, or is still referred to
    #[response(status = 409)]
    Conflict(#[to_schema] ErrorView),
    /// `If-Match` or `If-None-Match` does not hold
    #[response(status = 412)]
    Stale(#[to_schema] ErrorView),
    /// The body took too long to arrive
    #[response(status = 408)]
    TooSlow(#[to_schema] ErrorView),
    /// The body is too large
    #[response(status = 413)]
    TooLarge(#[to_schema] ErrorView),
    /// The body is neither JSON nor YAML
    #[response(status = 415)]
    MediaType(#[to_schema] ErrorView),
}

pub(crate) fn described() -> OpenApiRouter<Control> {
    OpenApiRouter::with_openapi(openapi::base())
        .routes(routes!(resources::list))
        .routes(routes!(resources::get, resources::put, resources::delete))
        .routes(routes!(apply::apply))
        .routes(routes!(watch::watch))
        .routes(routes!(secrets::rotate_key))
        .routes(routes!(backup::backup))
        .routes(routes!(organizations::list, organizations::create))
        .routes(routes!(organizations::get))
        .routes(routes!(organizations::add_member, organizations::remove_member))
        .routes(routes!(users::list, users::create))
        .routes(routes!(tokens::list, tokens::create))
        .routes(routes!(tokens::revoke))
        .routes(routes!(grants::list, grants::grant, grants::revoke))
        .routes(routes!(can_i::can_i))
        .routes(routes!(denials::list))
        .routes(routes!(whoami::whoami))
        .routes(routes!(health::healthz))
        .routes(routes!(health::readyz))
        .routes(routes!(health::metrics))
}

/// The control plane's routes.
pub fn router(control: Control) -> Router {
    let (routes, _) = described().split_for_parts();
    routes
        .route("/api/openapi.json", axum::routing::get(openapi::serve))
        .fallback(async || {
            Failure::new(StatusCode::NOT_FOUND, "there is nothing at this path; see /api/openapi.json")
        })
        .method_not_allowed_fallback(async || {
            Failure::new(
                StatusCode::METHOD_NOT_ALLOWED,
                "this path does not take that method; see /api/openapi.json",
            )
        })
        .layer(middleware::from_fn(observe))
        .with_state(control)
}

/// It is done, and there is nothing more to say.
#[derive(serde::Serialize, utoipa::ToSchema)]
pub(crate) struct Done {
    /// Always true.
    done: bool,
}

/// The first of the resources that exists among those the caller may view; each that they may not is a denial.
async fn first_visible(
    control: &Control,
    caller: &Caller,
    keys: Vec<Key>,
) -> Result<Option<Stored>, Failure> {
    let mut permits = Vec::new();
    for target in keys.into_iter().map(Target::Resource) {
        match decide(&control.directory(), caller, Action::View, target.clone()) {
            Ok(permit) => permits.push(permit),
            Err(denial) => control.record(caller, Action::View, &target, &denial).await,
        }
    }
    control.gate.first(&permits).await.map_err(|error| unavailable(&error))
}

/// The kind a path names.
fn kind(collection: &str) -> Result<Kind, Failure> {
    Kind::from_collection(collection).ok_or_else(|| {
        let known = Kind::ALL.map(Kind::collection).join(", ");
        Failure::new(StatusCode::NOT_FOUND, format!("there is no such collection; known are {known}"))
    })
}
