//! Tools and prompts that need input of modern clients.

use mcp::json::{Shape, View};
use mcp::{Fault, Question};
use serde_json::{Value, json};

use super::elicitation::{ask, elicit, sample};
use super::fixture::{Answer, Call};
use super::tools::says;

fn roots() -> Question {
    Question { key: "client_roots".into(), method: "roots/list".into(), params: Some((&b"{}"[..]).into()) }
}

fn confirm(key: &str) -> Question {
    elicit(key, "Is that right?", &json!({ "ok": { "type": "boolean" } }), &["ok"])
}

fn want(key: &str, message: &str, field: &str) -> Question {
    elicit(key, message, &json!({ field: { "type": "string" } }), &[field])
}

/// Runs the tools that need input.
pub async fn call(call: &Call, name: &str) -> Answer {
    match name.trim_start_matches("test_input_required_result_") {
        "elicitation" => Ok(without_state(call, &want("user_name", "What is your name?", "name"), |reply| {
            says(&format!("Hello, {}!", reply["content"]["name"].as_str().unwrap_or("stranger")))
        })),
        "test_streaming_elicitation" => {
            ask(call, want("user_name", "What is your name?", "name")).await?;
            Ok(says("Thank you"))
        }
        "sampling" => {
            ask(call, sample("capital_question", "What is the capital of France?", 100)).await?;
            Ok(says("Sampled"))
        }
        "list_roots" => {
            ask(call, roots()).await?;
            Ok(says("Listed"))
        }
        "request_state" => {
            ask(call, confirm("confirm")).await?;
            Ok(says("state-ok"))
        }
        "tampered_state" => {
            ask(call, confirm("confirm")).await?;
            Ok(says("untouched"))
        }
        "multiple_inputs" => {
            let greeting = sample("greeting", "Write a greeting", 50);
            call.ask(vec![want("user_name", "What is your name?", "name"), greeting, roots()]).await?;
            Ok(says("All answered"))
        }
        "multi_round" => {
            ask(call, want("step1", "What is your name?", "name")).await?;
            ask(call, want("step2", "What is your favourite colour?", "color")).await?;
            Ok(says("Both answered"))
        }
        "capabilities" => {
            let possible =
                [want("user_name", "What is your name?", "name"), sample("greeting", "Write a greeting", 50)];
            let allowed = possible.into_iter().filter(|question| call.peer().can_answer(question)).collect();
            call.ask(allowed).await?;
            Ok(says("Answered"))
        }
        _ => Err(Fault::invalid_params(format!("unknown tool: {name}"))),
    }
}

/// Answers the prompt that needs input.
pub fn prompt(call: &Call) -> Value {
    without_state(call, &want("user_context", "What is the context?", "context"), |reply| {
        let text = format!("Context: {}", reply["content"]["context"].as_str().unwrap_or_default());
        json!({ "messages": [{ "role": "user", "content": { "type": "text", "text": text } }] })
    })
}

/// Asks without keeping anything: the client's second request holds all there is.
fn without_state(call: &Call, question: &Question, finish: impl Fn(&Value) -> Value) -> Value {
    let responses = call.request().param("inputResponses");
    let given = responses.and_then(|responses| responses.get(&question.key));
    let reply = given.filter(|reply| reply.shape() == Shape::Object).map(View::bytes);
    if let Some(reply) = reply.and_then(|reply| serde_json::from_slice(reply).ok()) {
        return finish(&reply);
    }
    let params: Value =
        serde_json::from_slice(question.params.as_deref().unwrap_or(b"{}")).unwrap_or_default();
    let request = json!({ "method": question.method, "params": params });
    json!({ "resultType": "input_required", "inputRequests": { question.key.as_str(): request } })
}
