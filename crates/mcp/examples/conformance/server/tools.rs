//! Calling tools.

use std::time::Duration;

use mcp::Fault;
use mcp::json::View;
use mcp::server::{Change, Level};
use serde_json::{Value, json};

use super::fixture::{Answer, Call, Fixture, text};
use super::{elicitation, input, tasks};

/// A picture of one pixel.
pub const PIXEL: &str =
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
/// A sound of no length.
const SILENCE: &str = "UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAIA+AAACABAAZGF0YQAAAAA=";
const STEP: Duration = Duration::from_millis(50);

/// A result that is one text.
pub fn says(text: &str) -> Value {
    json!({ "content": [{ "type": "text", "text": text }] })
}

/// Answers `tools/call`.
pub async fn call(fixture: &Fixture, call: &Call) -> Answer {
    let name =
        call.request().name().ok_or_else(|| Fault::invalid_params("`name` must be a string"))?.into_owned();
    match name.as_str() {
        "test_tool_with_logging" => log(call).await,
        "test_tool_with_progress" => progress(call).await,
        "test_reconnection" => {
            tokio::time::sleep(STEP).await;
            call.hang_up();
            tokio::time::sleep(STEP).await;
            Ok(says("Reconnection test completed"))
        }
        "test_missing_capability" => {
            call.require(&["sampling"])?;
            Ok(says("The client can sample"))
        }
        "test_logging_tool" => {
            call.log(Level::Info, b"\"Tool execution started\"").map_err(|_| Fault::internal())?;
            Ok(says("Logged"))
        }
        "test_trigger_tool_change" => {
            fixture.announce(&Change::Tools);
            Ok(says("Announced"))
        }
        "test_trigger_prompt_change" => {
            fixture.announce(&Change::Prompts);
            Ok(says("Announced"))
        }
        "test_sampling"
        | "test_elicitation"
        | "test_elicitation_sep1034_defaults"
        | "test_elicitation_sep1330_enums" => elicitation::call(call, &name).await,
        "greet"
        | "slow_compute"
        | "failing_job"
        | "protocol_error_job"
        | "confirm_delete"
        | "multi_input"
        | "test_tool_with_task" => tasks::call(fixture, call, &name).await,
        _ if name.starts_with("test_input_required_result_") || name == "test_streaming_elicitation" => {
            input::call(call, &name).await
        }
        _ => plain(call, &name),
    }
}

fn plain(call: &Call, name: &str) -> Answer {
    let image = json!({ "type": "image", "data": PIXEL, "mimeType": "image/png" });
    let resource = |uri: &str, sort: &str, text: &str| json!({ "type": "resource", "resource": { "uri": uri, "mimeType": sort, "text": text } });
    Ok(match name {
        "test_simple_text" => says("This is a simple text response for testing."),
        "test_image_content" => json!({ "content": [image] }),
        "test_audio_content" => {
            json!({ "content": [{ "type": "audio", "data": SILENCE, "mimeType": "audio/wav" }] })
        }
        "test_embedded_resource" => {
            let text = "This is an embedded resource content.";
            json!({ "content": [resource("test://embedded-resource", "text/plain", text)] })
        }
        "test_multiple_content_types" => {
            let data = json!({ "test": "data", "value": 123 }).to_string();
            json!({ "content": [
                { "type": "text", "text": "Multiple content types test:" },
                image,
                resource("test://mixed-content-resource", "application/json", &data),
            ] })
        }
        "test_error_handling" => {
            let mut result = says("This tool intentionally returns an error for testing");
            result["isError"] = json!(true);
            result
        }
        "test_custom_header" => {
            says(&format!("Region: {}", call.argument("region").and_then(View::text).unwrap_or_default()))
        }
        "json_schema_2020_12_tool" => says("Called"),
        _ => return Err(Fault::invalid_params(format!("unknown tool: {name}"))),
    })
}

async fn log(call: &Call) -> Answer {
    for line in ["Tool execution started", "Tool processing data", "Tool execution completed"] {
        call.log(Level::Info, &text(&json!(line))).map_err(|_| Fault::internal())?;
        tokio::time::sleep(STEP).await;
    }
    Ok(says("Tool with logging executed successfully"))
}

async fn progress(call: &Call) -> Answer {
    for done in [0.0, 50.0, 100.0] {
        let message = format!("Completed step {done} of 100");
        call.progress(done, Some(100.0), Some(&message)).map_err(|_| Fault::internal())?;
        tokio::time::sleep(STEP).await;
    }
    Ok(says("Tool with progress executed successfully"))
}
