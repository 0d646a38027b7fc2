//! What every client has to have seen after its tour of the fixture server.

use serde_json::{Value, json};

/// What `test_simple_text` says.
pub const TEXT: &str = "This is a simple text response for testing.";
/// What `test_tool_with_progress` says in the end.
pub const SLOW: &str = "Tool with progress executed successfully";
/// What `test://static-text` holds.
pub const RESOURCE: &str = "This is the content of the static text resource.";
/// What `test_prompt_with_arguments` says of `one` and `two`.
pub const PROMPT: &str = "Prompt with arguments: arg1='one', arg2='two'";

/// Tools of the fixture server that no client may miss: plain ones, one with a schema out of the ordinary, one
/// whose argument goes into a header.
const TOOLS: [&str; 5] = [
    "test_simple_text",
    "test_tool_with_progress",
    "test_elicitation",
    "json_schema_2020_12_tool",
    "test_custom_header",
];

/// Checks a list of names.
pub fn check_names<'a>(names: impl Iterator<Item = &'a Value>) {
    let names: Vec<&str> = names.filter_map(Value::as_str).collect();
    for tool in TOOLS {
        assert!(names.contains(&tool), "{tool} is not among {names:?}");
    }
}

/// Checks what a script in `tests/interop` printed, among it the news that the tools changed.
pub fn check_with_news(mut seen: Value, version: &str) {
    assert_eq!(seen.as_object_mut().unwrap().remove("announced"), Some(json!("tools")));
    check(seen, version);
}

/// Checks what a script in `tests/interop` printed.
pub fn check(mut seen: Value, version: &str) {
    check_names(seen["tools"].take().as_array().unwrap().iter());
    let asked =
        r#"Elicitation completed: action=accept, content={"username":"ada","email":"ada@example.com"}"#;
    let expected = json!({
        "version": version,
        "tools": null,
        "text": TEXT,
        "failing": [true, "This tool intentionally returns an error for testing"],
        "slow": SLOW,
        "progress": [[0.0, 100.0], [50.0, 100.0], [100.0, 100.0]],
        "asked": asked,
        "resource": RESOURCE,
        "prompt": PROMPT,
    });
    assert_eq!(seen, expected);
}
