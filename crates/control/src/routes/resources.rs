//! `/api/v1/{collection}` and `/api/v1/{collection}/{name}`: list, get, put, delete.

use access::visible;
use axum::Json as AxumJson;
use axum::body::Body;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Response};
use edge::{Authenticated, Failure};
use http::{HeaderMap, HeaderValue, StatusCode, header};
use model::manifest::{self, Document};
use model::{Kind, Name, Problem, Revision};
use storage::{Expected, Query};

use super::{Conflicting, Missing, Refused, first_visible, kind};
use crate::body::{BODY_LIMIT, receive};
use crate::cursor;
use crate::failure::{bad_request, invalid, not_found, unavailable};
use crate::openapi;
use crate::operation::{self, Applying};
use crate::params::{Params, Segments};
use crate::state::Control;
use crate::views::{Page, ResourceView, Written};

const MAX_PAGE: usize = 500;
const DEFAULT_PAGE: usize = 100;
const MAX_TAGS: usize = 20;
const MAX_SEARCH: usize = 1000;

/// List resources
#[utoipa::path(get, path = "/api/v1/{collection}", operation_id = "list", tag = "resources",
    params(
        ("collection" = String, Path, description = "mcpservers, agents, agentinstances, environments or executors"),
        ("scope" = Option<String>, Query, description = "platform, organization or identity_account"),
        ("org" = Option<String>, Query, description = "An organization; goes with scope organization"),
        ("tag" = Option<Vec<String>>, Query, description = "A tag; given several times, all must match"),
        ("search" = Option<String>, Query, description = "A text in the name, description or tags, whatever its case"),
        ("limit" = Option<u32>, Query, minimum = 1, maximum = 500, description = "Most resources of one page; 100 if left out"),
        ("cursor" = Option<String>, Query, description = "The `next_cursor` of the page before"),
    ),
    responses((status = 200, description = "A page, ordered by name and scope", body = Page), Refused, Missing))]
pub(super) async fn list(
    State(control): State<Control>,
    Authenticated(caller): Authenticated,
    Segments(collection): Segments<String>,
    RawQuery(query): RawQuery,
) -> Result<AxumJson<Page>, Failure> {
    let kind = kind(&collection)?;
    let known = ["scope", "org", "search", "limit", "cursor"];
    let params = Params::read(query.as_deref(), &known, &["tag"])?;
    let (scope, org) = params.scope()?;
    let limit = params.parsed::<usize>("limit")?.unwrap_or(DEFAULT_PAGE);
    let tags: Vec<String> = params.all("tag").map(str::to_owned).collect();
    if !(1..=MAX_PAGE).contains(&limit) || tags.len() > MAX_TAGS {
        return Err(bad_request(format!(
            "`limit` must be 1 to {MAX_PAGE}, and at most {MAX_TAGS} tags be given"
        )));
    }
    if params.get("search").is_some_and(|text| text.len() > MAX_SEARCH) {
        return Err(bad_request(format!("`search` must have at most {MAX_SEARCH} bytes")));
    }
    let after = params.get("cursor").map(|text| {
        cursor::decode(text)
            .ok_or_else(|| bad_request("`cursor` is not one of ours; begin with the first page"))
    });
    let visible = visible(&control.directory(), &caller, kind);
    let query = Query {
        kind,
        visibility: visible.filter().clone(),
        scope,
        org,
        tags,
        search: params.get("search").map(str::to_lowercase),
        after: after.transpose()?,
        limit,
    };
    let page = control.gate.list(&visible, query).await.map_err(|error| unavailable(&error))?;
    Ok(AxumJson(Page {
        items: page.items.iter().map(|stored| manifest::present(stored, control.rules)).collect(),
        next_cursor: page.next.map(|(name, scope)| cursor::encode(&name, &scope)),
        revision: page.revision.0,
    }))
}

/// Get a resource
#[utoipa::path(get, path = "/api/v1/{collection}/{name}", operation_id = "get", tag = "resources",
    params(
        ("collection" = String, Path, description = "mcpservers, agents, agentinstances, environments or executors"),
        ("name" = String, Path, description = "The resource's name"),
        ("scope" = Option<String>, Query, description = "Its scope; left out: the caller's own, then `org`'s, then the platform's"),
        ("org" = Option<String>, Query, description = "Its organization"),
        ("owner" = Option<String>, Query, description = "Whose, for something in another person's scope"),
    ),
    responses((status = 200, description = "The resource", body = ResourceView,
        headers(("ETag" = String, description = "The revision of its last change, in quotes"))), Refused, Missing))]
pub(super) async fn get(
    State(control): State<Control>,
    Authenticated(caller): Authenticated,
    Segments((collection, name)): Segments<(String, String)>,
    RawQuery(query): RawQuery,
) -> Result<Response, Failure> {
    let (kind, name) = (kind(&collection)?, parse_name(&name)?);
    let params = Params::read(query.as_deref(), &["scope", "org", "owner"], &[])?;
    let candidates = params.candidates(kind, &name, &caller.account)?;
    let missing = not_found(&candidates[0]);
    let found = first_visible(&control, &caller, candidates).await?;
    let stored = found.ok_or(missing)?;
    let body = AxumJson(manifest::present(&stored, control.rules));
    Ok(([(header::ETAG, etag(stored.revision))], body).into_response())
}

/// Create or change a resource
#[utoipa::path(put, path = "/api/v1/{collection}/{name}", operation_id = "put", tag = "resources",
    params(
        ("collection" = String, Path, description = "mcpservers, agents, agentinstances, environments or executors"),
        ("name" = String, Path, description = "The resource's name"),
        ("scope" = Option<String>, Query, description = "Its scope, if the document does not say it"),
        ("org" = Option<String>, Query, description = "Its organization, if the document does not say it"),
        ("owner" = Option<String>, Query, description = "Whose, for something in another person's scope"),
        ("dry_run" = Option<bool>, Query, description = "Only say what would happen"),
        ("strict" = Option<bool>, Query, description = "Treat a reference to nothing as an error"),
        ("If-Match" = Option<String>, Header, description = "Only if it is at this revision"),
        ("If-None-Match" = Option<String>, Header, description = "`*`: only if it does not exist"),
    ),
    request_body(content((openapi::Resource = "application/json"), (String = "application/yaml")), description = "One document"),
    responses(
        (status = 200, description = "What changed", body = Written, headers(("ETag" = String, description = "The revision of its last change"))),
        (status = 201, description = "It was created", body = Written, headers(("ETag" = String, description = "The revision of its last change"))),
        Refused, Missing, Conflicting))]
pub(super) async fn put(
    State(control): State<Control>,
    Authenticated(caller): Authenticated,
    Segments((collection, name)): Segments<(String, String)>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
    body: Body,
) -> Result<Response, Failure> {
    let (kind, name) = (kind(&collection)?, parse_name(&name)?);
    let params = Params::read(query.as_deref(), &["scope", "org", "owner", "dry_run", "strict"], &[])?;
    let applying = Applying {
        dry_run: params.flag("dry_run")?,
        strict: params.flag("strict")?,
        owner: params.parsed("owner")?,
        expected: expected(&headers)?,
    };
    let dry_run = applying.dry_run;
    let mut received = receive(&control, &headers, body, BODY_LIMIT).await?;
    let found = received.documents.len();
    let [document] = received.documents.as_mut_slice() else {
        return Err(bad_request(format!("the body must hold one document, not {found}")));
    };
    address(document, kind, &name, &params)?;
    let written = operation::apply(&control, &caller, &received.documents, applying).await?;
    let created = written.results.iter().any(|result| result.outcome == model::Outcome::Created);
    let status = if created && !dry_run { StatusCode::CREATED } else { StatusCode::OK };
    let tag = written.results.first().and_then(|result| result.revision).map(|at| etag(Revision(at)));
    let mut response = (status, AxumJson(written)).into_response();
    response.headers_mut().extend(tag.map(|tag| (header::ETAG, tag)));
    Ok(response)
}

/// Delete a resource
#[utoipa::path(delete, path = "/api/v1/{collection}/{name}", operation_id = "delete", tag = "resources",
    params(
        ("collection" = String, Path, description = "mcpservers, agents, agentinstances, environments or executors"),
        ("name" = String, Path, description = "The resource's name"),
        ("scope" = String, Query, description = "Its scope"),
        ("org" = Option<String>, Query, description = "Its organization"),
        ("owner" = Option<String>, Query, description = "Whose, for something in another person's scope"),
        ("force" = Option<bool>, Query, description = "Even if something refers to it"),
        ("If-Match" = Option<String>, Header, description = "Only if it is at this revision"),
    ),
    responses((status = 200, description = "It is gone", body = Written), Refused, Missing, Conflicting))]
pub(super) async fn delete(
    State(control): State<Control>,
    Authenticated(caller): Authenticated,
    Segments((collection, name)): Segments<(String, String)>,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<AxumJson<Written>, Failure> {
    let (kind, name) = (kind(&collection)?, parse_name(&name)?);
    let params = Params::read(query.as_deref(), &["scope", "org", "owner", "force"], &[])?;
    if params.get("scope").is_none() {
        return Err(bad_request("deleting needs parameter `scope`"));
    }
    let force = params.flag("force")?;
    let key = params.candidates(kind, &name, &caller.account)?.remove(0);
    let expected = expected(&headers)?.unwrap_or(Expected::Any);
    operation::delete(&control, &caller, key, expected, force).await.map(AxumJson)
}

fn parse_name(text: &str) -> Result<Name, Failure> {
    text.parse().map_err(|error| bad_request(format!("the name in the path {error}")))
}

fn etag(revision: Revision) -> HeaderValue {
    HeaderValue::from_str(&format!("\"{revision}\"")).expect("digits in quotes are a header value")
}

/// What the conditional headers demand.
fn expected(headers: &HeaderMap) -> Result<Option<Expected>, Failure> {
    let text = |name| headers.get(name).map(|value| value.to_str().unwrap_or_default());
    match (text(header::IF_MATCH), text(header::IF_NONE_MATCH)) {
        (None, None) => Ok(None),
        (None, Some("*")) => Ok(Some(Expected::Absent)),
        (Some(tag), None) => tag
            .strip_prefix('"')
            .and_then(|tag| tag.strip_suffix('"'))
            .and_then(|tag| tag.parse().ok())
            .map(|revision| Some(Expected::Exactly(Revision(revision))))
            .ok_or_else(|| bad_request("`If-Match` must be one revision in quotes, as in `ETag`")),
        _ => Err(bad_request("send `If-Match` with a revision, or `If-None-Match: *`, not both")),
    }
}

/// Makes the document agree with the path and query, or says where it does not.
fn address(document: &mut Document, wanted: Kind, name: &Name, params: &Params) -> Result<(), Failure> {
    let (scope, org) = params.scope()?;
    let kind = document.kind().map_err(|problem| invalid(vec![problem]))?;
    let mut problems = Vec::new();
    let mut differ = |path: &str, written: &str, wanted: &str| {
        let message =
            format!("`{}` is not what the request's address says: `{wanted}`", written.escape_debug());
        problems.push(Problem::error(path, message));
    };
    if kind != wanted {
        differ("kind", kind.as_str(), wanted.as_str());
    }
    let scope = scope.map(|scope| scope.as_str().to_owned());
    let org = org.map(|org| org.as_str().to_owned());
    let mut fill = Vec::new();
    for (field, wanted) in [("name", Some(name.as_str().to_owned())), ("scope", scope), ("org", org)] {
        let Some(wanted) = wanted else { continue };
        match document
            .tree
            .get("metadata")
            .and_then(|metadata| metadata.get(field))
            .map(|node| node.as_text())
        {
            Some(Some(written)) if written != wanted => {
                differ(&format!("metadata.{field}"), written, &wanted);
            }
            Some(_) => {}
            None => fill.push((field, wanted)),
        }
    }
    if !problems.is_empty() {
        return Err(invalid(problems.into_iter().map(|problem| document.placed(problem)).collect()));
    }
    for (field, wanted) in fill {
        if let Some(metadata) = document.tree.map_mut("metadata") {
            metadata.set_text(field, &wanted);
        }
    }
    Ok(())
}
