//! Tools that ask legacy clients.

use mcp::json::View;
use mcp::{Fault, Question};
use serde_json::{Value, json};

use super::fixture::{Answer, Call, text};
use super::tools::says;

/// A question to a person.
pub fn elicit(key: &str, message: &str, properties: &Value, required: &[&str]) -> Question {
    let schema = json!({ "type": "object", "properties": properties, "required": required });
    let params = json!({ "message": message, "requestedSchema": schema });
    Question { key: key.into(), method: "elicitation/create".into(), params: Some(text(&params)) }
}

/// A question to a model.
pub fn sample(key: &str, prompt: &str, tokens: u32) -> Question {
    let message = json!({ "role": "user", "content": { "type": "text", "text": prompt } });
    let params = json!({ "messages": [message], "maxTokens": tokens });
    Question { key: key.into(), method: "sampling/createMessage".into(), params: Some(text(&params)) }
}

/// Asks one thing and returns the answer.
pub async fn ask(call: &Call, question: Question) -> Answer {
    let reply = call.ask_one(question).await.map_err(Fault::from)??;
    serde_json::from_slice(&reply).map_err(|_| Fault::internal())
}

/// Runs the tools that ask.
pub async fn call(call: &Call, name: &str) -> Answer {
    let argument = |name: &str| call.argument(name).and_then(View::text).unwrap_or_default().into_owned();
    if name == "test_sampling" {
        let reply = ask(call, sample("sampling", &argument("prompt"), 100)).await?;
        return Ok(says(&format!("LLM response: {}", reply["content"]["text"].as_str().unwrap_or_default())));
    }
    let question = match name {
        "test_elicitation" => {
            let properties = json!({
                "username": { "type": "string", "description": "User's response" },
                "email": { "type": "string", "description": "User's email address" },
            });
            elicit("elicitation", &argument("message"), &properties, &["username", "email"])
        }
        "test_elicitation_sep1034_defaults" => elicit("elicitation", "Please confirm", &defaults(), &[]),
        _ => elicit("elicitation", "Please choose", &choices(), &[]),
    };
    let reply = ask(call, question).await?;
    let (action, content) = (reply["action"].as_str().unwrap_or_default(), &reply["content"]);
    Ok(says(&format!("Elicitation completed: action={action}, content={content}")))
}

fn defaults() -> Value {
    json!({
        "name": { "type": "string", "default": "John Doe" },
        "age": { "type": "integer", "default": 30 },
        "score": { "type": "number", "default": 95.5 },
        "status": { "type": "string", "enum": ["active", "inactive", "pending"], "default": "active" },
        "verified": { "type": "boolean", "default": true },
    })
}

fn choices() -> Value {
    let titled = json!([
        { "const": "value1", "title": "First Option" },
        { "const": "value2", "title": "Second Option" },
        { "const": "value3", "title": "Third Option" },
    ]);
    json!({
        "untitledSingle": { "type": "string", "enum": ["option1", "option2", "option3"] },
        "titledSingle": { "type": "string", "oneOf": titled },
        "legacyEnum": { "type": "string", "enum": ["opt1", "opt2", "opt3"],
            "enumNames": ["Option One", "Option Two", "Option Three"] },
        "untitledMulti": { "type": "array", "items": { "type": "string", "enum": ["option1", "option2", "option3"] } },
        "titledMulti": { "type": "array", "items": { "anyOf": titled } },
    })
}
