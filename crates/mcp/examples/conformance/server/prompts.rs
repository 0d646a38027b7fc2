//! Getting prompts.

use mcp::Fault;
use mcp::json::View;
use serde_json::{Value, json};

use super::fixture::{Answer, Call};
use super::input;
use super::tools::PIXEL;

fn says(content: &Value) -> Value {
    json!({ "role": "user", "content": content })
}

fn says_text(text: &str) -> Value {
    says(&json!({ "type": "text", "text": text }))
}

/// Answers `prompts/get`.
pub fn get(call: &Call) -> Answer {
    let name = call.request().name().ok_or_else(|| Fault::invalid_params("`name` must be a string"))?;
    let argument = |name: &str| call.argument(name).and_then(View::text).unwrap_or_default();
    let messages = match &*name {
        "test_simple_prompt" => vec![says_text("This is a simple prompt for testing.")],
        "test_prompt_with_arguments" => {
            let (first, second) = (argument("arg1"), argument("arg2"));
            vec![says_text(&format!("Prompt with arguments: arg1='{first}', arg2='{second}'"))]
        }
        "test_prompt_with_embedded_resource" => {
            let text = "Embedded resource content for testing.";
            let resource = json!({ "uri": argument("resourceUri"), "mimeType": "text/plain", "text": text });
            vec![
                says(&json!({ "type": "resource", "resource": resource })),
                says_text("Please process the embedded resource above."),
            ]
        }
        "test_prompt_with_image" => vec![
            says(&json!({ "type": "image", "data": PIXEL, "mimeType": "image/png" })),
            says_text("Please analyze the image above."),
        ],
        "test_input_required_result_prompt" => return Ok(input::prompt(call)),
        _ => return Err(Fault::invalid_params(format!("unknown prompt: {name}"))),
    };
    Ok(json!({ "messages": messages }))
}
