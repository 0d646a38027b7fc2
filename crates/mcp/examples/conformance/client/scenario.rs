//! What the client does in each scenario.

use bytes::Bytes;
use mcp::client::{Call, CallError, List, Session};
use mcp::json::{Object, View};
use serde_json::{Value, json};

use super::Fallible;

/// Plays one scenario; what it does not know it treats as the usual: list the tools.
pub async fn play(session: &Session, scenario: &str, context: &Value) -> Fallible {
    let tools = session.list(List::Tools).await?.items;
    match scenario {
        "tools_call" => tool(session, "add_numbers", &json!({"a": 5, "b": 3})).await,
        "elicitation-sep1034-client-defaults" => {
            tool(session, "test_client_elicitation_defaults", &json!({})).await
        }
        "sse-retry" => tool(session, "test_reconnection", &json!({})).await,
        "json-schema-2020-12-preservation" => echo(session, &tools).await,
        "sep-2322-client-request-state" => {
            for name in ["echo_state", "unrelated", "no_state", "no_result_type"] {
                tool(session, &format!("test_mrtr_{name}"), &json!({})).await?;
            }
            Ok(())
        }
        "http-standard-headers" => standard(session).await,
        "http-custom-headers" => {
            for call in context["toolCalls"].as_array().into_iter().flatten() {
                tool(session, call["name"].as_str().unwrap_or_default(), &call["arguments"]).await?;
            }
            Ok(())
        }
        "http-invalid-tool-headers" => {
            for name in tools.iter().filter_map(|tool| View::new(tool).get("name")?.text()) {
                tool(session, &name, &json!({"region": "x"})).await?;
            }
            Ok(())
        }
        auth if auth.starts_with("auth/") => tool(session, "test-tool", &json!({})).await,
        _ => Ok(()),
    }
}

async fn ask(session: &Session, method: &str, params: Bytes) -> Result<Bytes, CallError> {
    session.call(Call { method: method.into(), params: Some(params), ..Call::default() }).await
}

async fn tool(session: &Session, name: &str, arguments: &Value) -> Fallible {
    let params = Object::new().with("name", name).with("arguments", arguments).finish();
    ask(session, "tools/call", params).await?;
    Ok(())
}

/// Sends a tool's schema back as it came.
async fn echo(session: &Session, tools: &[Bytes]) -> Fallible {
    let named =
        |tool: &&Bytes| View::new(tool).get("name").is_some_and(|name| name.is("json_schema_2020_12_tool"));
    let schema = tools.iter().find(named).and_then(|tool| View::new(tool).get("inputSchema"));
    let arguments = Object::new().raw("schema", schema.ok_or("the tool is not listed")?.bytes()).finish();
    let params = Object::new().with("name", "json_schema_echo").raw("arguments", &arguments).finish();
    ask(session, "tools/call", params).await?;
    Ok(())
}

/// One message of each sort that repeats its parts in headers.
async fn standard(session: &Session) -> Fallible {
    session.ping().await?;
    tool(session, "test_headers", &json!({})).await?;
    tool(session, "my-hyphenated-tool", &json!({})).await?;
    let empty = || Bytes::from_static(b"{}");
    ask(session, "resources/list", empty()).await?;
    let uri = Object::new().with("uri", "file:///path/to/file%20name.txt").finish();
    ask(session, "resources/read", uri).await?;
    ask(session, "prompts/list", empty()).await?;
    ask(session, "prompts/get", Object::new().with("name", "test_prompt").finish()).await?;
    Ok(())
}
