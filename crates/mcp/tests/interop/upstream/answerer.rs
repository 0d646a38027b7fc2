//! Somebody who answers what servers ask.

use mcp::Fault;
use mcp::question::{Answering, Boxed, Question, Reply};
use serde_json::json;

use super::bytes;

/// Accepts every form with her name.
pub struct Ada;

impl Answering for Ada {
    fn answer(&self, question: Question) -> Boxed<'_, Reply> {
        Box::pin(async move {
            match question.method.as_str() {
                "elicitation/create" => {
                    Ok(bytes(&json!({ "action": "accept", "content": { "name": "Ada" } })))
                }
                "roots/list" => {
                    Ok(bytes(&json!({ "roots": [{ "uri": "file:///srv/ada", "name": "hers" }] })))
                }
                _ => Err(Fault::unknown_method(&question.method)),
            }
        })
    }
}
