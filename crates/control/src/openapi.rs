//! The OpenAPI document: routes from the handlers, resources from the model's schemas.

use std::sync::LazyLock;

use axum::response::IntoResponse;
use http::header;
use model::{Kind, kind_schema};
use serde_json::{Value as Json, json};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{Components, Info, OpenApi, OpenApiBuilder, SecurityRequirement};
use utoipa::{PartialSchema, ToSchema};

use crate::routes;

/// A document of any kind.
pub(crate) struct Resource;

/// Documents of any kind.
pub(crate) struct Batch;

impl ToSchema for Resource {}
impl PartialSchema for Resource {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        let kinds = Kind::ALL.map(|kind| json!({"$ref": format!("#/components/schemas/{kind}")}));
        serde_json::from_value(json!({"oneOf": kinds})).expect("a list of references is a schema")
    }
}

impl ToSchema for Batch {}
impl PartialSchema for Batch {
    fn schema() -> utoipa::openapi::RefOr<utoipa::openapi::schema::Schema> {
        serde_json::from_value(json!({
            "type": "object",
            "properties": {"resources": {"type": "array", "items": {"$ref": "#/components/schemas/Resource"}}},
            "required": ["resources"],
        }))
        .expect("an object with one property is a schema")
    }
}

/// What does not come from the handlers.
pub(crate) fn base() -> OpenApi {
    let mut components = Components::new();
    components.add_security_scheme("token", SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer)));
    let mut info = Info::new("Outfitter", env!("CARGO_PKG_VERSION"));
    info.description = Some("Declare MCP servers once, and find them again.".to_owned());
    OpenApiBuilder::new()
        .info(info)
        .components(Some(components))
        .security(Some([SecurityRequirement::new("token", Vec::<String>::new())]))
        .build()
}

static DOCUMENT: LazyLock<Json> = LazyLock::new(build);

/// The whole document.
pub fn openapi() -> &'static Json {
    &DOCUMENT
}

fn build() -> Json {
    let (_, described) = routes::described().split_for_parts();
    let mut document = serde_json::to_value(described).expect("an OpenAPI document is JSON");
    let mut schemas = serde_json::Map::new();
    for kind in Kind::ALL {
        let (schema, definitions) = kind_schema(kind);
        schemas.insert(kind.as_str().to_owned(), schema);
        schemas.extend(definitions);
    }
    let mut schemas = Json::Object(schemas);
    point_to_components(&mut schemas);
    if let (Some(all), Json::Object(ours)) = (document["components"]["schemas"].as_object_mut(), schemas) {
        all.extend(ours);
    }
    let collections: Vec<&str> = Kind::ALL.iter().map(|kind| kind.collection()).collect();
    restrict(&mut document["paths"], &collections);
    document
}

/// The model's schemas refer to `$defs`; here they stand among the components.
fn point_to_components(schema: &mut Json) {
    match schema {
        Json::Object(map) => {
            if let Some(Json::String(target)) = map.get_mut("$ref") {
                *target = target.replace("#/$defs/", "#/components/schemas/");
            }
            map.values_mut().for_each(point_to_components);
        }
        Json::Array(items) => items.iter_mut().for_each(point_to_components),
        _ => {}
    }
}

/// Says which words the common path and query parameters take.
fn restrict(paths: &mut Json, collections: &[&str]) {
    let operations = paths.as_object_mut().into_iter().flat_map(|paths| paths.values_mut());
    for operation in operations.filter_map(Json::as_object_mut).flat_map(|item| item.values_mut()) {
        let parameters = operation.get_mut("parameters").and_then(Json::as_array_mut);
        for parameter in parameters.into_iter().flatten() {
            let words = match parameter["name"].as_str() {
                Some("collection") => json!(collections),
                Some("scope") => json!(["platform", "organization", "identity_account"]),
                _ => continue,
            };
            parameter["schema"] = json!({"type": "string", "enum": words});
        }
    }
}

/// `GET /api/openapi.json`.
pub(crate) async fn serve() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], DOCUMENT.to_string())
}
