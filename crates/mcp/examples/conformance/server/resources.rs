//! Reading resources.

use mcp::Fault;
use serde_json::{Value, json};

use super::fixture::{Answer, Call};
use super::tools::PIXEL;

/// Answers `resources/read`.
pub fn read(call: &Call) -> Answer {
    let uri = call.request().uri().ok_or_else(|| Fault::invalid_params("`uri` must be a string"))?;
    let content = content(&uri).ok_or_else(|| Fault::no_resource(&uri))?;
    Ok(json!({ "contents": [content] }))
}

fn content(uri: &str) -> Option<Value> {
    let plain = |text: &str| json!({ "uri": uri, "mimeType": "text/plain", "text": text });
    match uri {
        "test://static-text" => Some(plain("This is the content of the static text resource.")),
        "test://static-binary" => Some(json!({ "uri": uri, "mimeType": "image/png", "blob": PIXEL })),
        "test://watched-resource" => Some(plain("Watched resource content")),
        _ => {
            let id = uri.strip_prefix("test://template/")?.strip_suffix("/data")?;
            let data = json!({ "id": id, "templateTest": true, "data": format!("Data for ID: {id}") });
            Some(json!({ "uri": uri, "mimeType": "application/json", "text": data.to_string() }))
        }
    }
}
