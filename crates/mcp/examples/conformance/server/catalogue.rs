//! What is offered: the names the suite calls.

use serde_json::{Value, json};

fn object(properties: &Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required })
}

fn nothing() -> Value {
    json!({ "type": "object", "properties": {} })
}

/// Tools without arguments.
const PLAIN: &[(&str, &str)] = &[
    ("test_simple_text", "Answers with a text"),
    ("test_image_content", "Answers with an image"),
    ("test_audio_content", "Answers with a sound"),
    ("test_embedded_resource", "Answers with a resource"),
    ("test_multiple_content_types", "Answers with several things"),
    ("test_tool_with_logging", "Writes to the log while it works"),
    ("test_tool_with_progress", "Tells how far it has come"),
    ("test_error_handling", "Fails"),
    ("test_elicitation_sep1034_defaults", "Asks with defaults"),
    ("test_elicitation_sep1330_enums", "Asks with choices"),
    ("test_reconnection", "Hangs up before it answers"),
    ("test_missing_capability", "Needs sampling"),
    ("test_streaming_elicitation", "Asks right away"),
    ("test_logging_tool", "Writes to the log if that is wanted"),
    ("test_trigger_tool_change", "Announces changed tools"),
    ("test_trigger_prompt_change", "Announces changed prompts"),
    ("test_input_required_result_elicitation", "Asks for a name"),
    ("test_input_required_result_sampling", "Asks for a completion"),
    ("test_input_required_result_list_roots", "Asks for roots"),
    ("test_input_required_result_request_state", "Asks and remembers"),
    ("test_input_required_result_multiple_inputs", "Asks three things at once"),
    ("test_input_required_result_multi_round", "Asks twice"),
    ("test_input_required_result_tampered_state", "Asks and checks what comes back"),
    ("test_input_required_result_capabilities", "Asks what can be answered"),
    ("failing_job", "A task that fails"),
    ("protocol_error_job", "A task that breaks"),
    ("multi_input", "A task that asks two things"),
    ("test_tool_with_task", "Asks, then becomes a task"),
];

/// Tools with arguments.
fn with_arguments() -> [(&'static str, &'static str, Value); 7] {
    let string = || json!({ "type": "string" });
    [
        ("test_sampling", "Asks for a completion", object(&json!({ "prompt": string() }), &["prompt"])),
        ("test_elicitation", "Asks a person", object(&json!({ "message": string() }), &["message"])),
        ("json_schema_2020_12_tool", "Has a rich schema", rich_schema()),
        (
            "test_custom_header",
            "Repeats an argument in a header",
            object(&json!({ "region": { "type": "string", "x-mcp-header": "Region" } }), &["region"]),
        ),
        ("greet", "Greets", object(&json!({ "name": string() }), &["name"])),
        (
            "slow_compute",
            "Takes its time",
            object(&json!({ "seconds": { "type": "number" }, "label": string() }), &["seconds"]),
        ),
        ("confirm_delete", "A task that asks first", object(&json!({ "filename": string() }), &["filename"])),
    ]
}

/// All tools; the first takes no arguments.
pub fn tools() -> Vec<Value> {
    let plain = PLAIN.iter().map(|(name, description)| (*name, *description, nothing()));
    let all = plain.chain(with_arguments());
    all.map(|(name, description, schema)| json!({ "name": name, "description": description, "inputSchema": schema }))
        .collect()
}

/// The schema of one tool.
pub fn schema(tool: &str) -> Value {
    tools()
        .into_iter()
        .find(|known| known["name"] == tool)
        .map_or(Value::Null, |found| found["inputSchema"].clone())
}

fn rich_schema() -> Value {
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "$defs": { "address": { "$anchor": "addressDef", "type": "object",
            "properties": { "street": { "type": "string" }, "city": { "type": "string" } } } },
        "properties": { "name": { "type": "string" }, "address": { "$ref": "#/$defs/address" },
            "contactMethod": { "type": "string", "enum": ["phone", "email"] },
            "phone": { "type": "string" }, "email": { "type": "string" } },
        "allOf": [{ "anyOf": [{ "required": ["phone"] }, { "required": ["email"] }] }],
        "if": { "properties": { "contactMethod": { "const": "phone" } }, "required": ["contactMethod"] },
        "then": { "required": ["phone"] },
        "else": { "required": ["email"] },
        "additionalProperties": false
    })
}

/// All prompts.
pub fn prompts() -> Value {
    let argument = |name: &str| json!({ "name": name, "description": "An argument", "required": true });
    json!([
        { "name": "test_simple_prompt", "description": "A prompt" },
        { "name": "test_prompt_with_arguments", "description": "A prompt with arguments",
          "arguments": [argument("arg1"), argument("arg2")] },
        { "name": "test_prompt_with_embedded_resource", "description": "A prompt with a resource",
          "arguments": [argument("resourceUri")] },
        { "name": "test_prompt_with_image", "description": "A prompt with an image" },
        { "name": "test_input_required_result_prompt", "description": "A prompt that asks first" },
    ])
}

/// All resources.
pub fn resources() -> Value {
    json!([
        { "uri": "test://static-text", "name": "Text", "mimeType": "text/plain" },
        { "uri": "test://static-binary", "name": "Image", "mimeType": "image/png" },
        { "uri": "test://watched-resource", "name": "Watched", "mimeType": "text/plain" },
    ])
}

/// All templates.
pub fn templates() -> Value {
    json!([{ "uriTemplate": "test://template/{id}/data", "name": "Data", "mimeType": "application/json" }])
}
