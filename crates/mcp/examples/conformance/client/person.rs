//! Whoever answers the server's questions: agrees with every default, and makes up what has none.

use bytes::Bytes;
use mcp::question::{Answering, Boxed, Question, Reply};
use serde_json::{Map, Value, json};

pub struct Person;

impl Answering for Person {
    fn answer(&self, question: Question) -> Boxed<'_, Reply> {
        Box::pin(async move {
            let params = question.params.as_deref().unwrap_or(b"{}");
            let params: Value = serde_json::from_slice(params).unwrap_or_default();
            let answer = match question.method.as_str() {
                "elicitation/create" => {
                    json!({"action": "accept", "content": filled(&params["requestedSchema"])})
                }
                "roots/list" => json!({"roots": []}),
                _ => json!({"role": "assistant", "model": "none", "stopReason": "endTurn",
                    "content": {"type": "text", "text": "an answer"}}),
            };
            Ok(Bytes::from(answer.to_string()))
        })
    }
}

fn filled(schema: &Value) -> Map<String, Value> {
    let properties = schema["properties"].as_object().cloned().unwrap_or_default();
    properties.into_iter().map(|(name, property)| (name, value(&property))).collect()
}

fn value(property: &Value) -> Value {
    if let Some(default) = property.get("default") {
        return default.clone();
    }
    if let Some(first) = property["enum"].get(0) {
        return first.clone();
    }
    match property["type"].as_str() {
        Some("boolean") => json!(true),
        Some("integer" | "number") => json!(1),
        Some("array") => json!([]),
        _ => json!("text"),
    }
}
