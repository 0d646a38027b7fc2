//! What a server asks of a client in the middle of a call: elicitation, sampling, roots; the same in both eras.

use std::future::Future;
use std::pin::Pin;

use bytes::Bytes;

use crate::fault::Fault;
use crate::json::{Shape, View};

/// A question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Question {
    /// What the answer is found by; unique among the questions asked together.
    pub key: String,
    /// `elicitation/create`, `sampling/createMessage` or `roots/list`.
    pub method: String,
    /// The parameters, a JSON object.
    pub params: Option<Bytes>,
}

/// An answer to a question: a result, a JSON object, or why there is none.
pub type Reply = Result<Bytes, Fault>;

/// A future that can be sent and stored.
pub type Boxed<'a, T> = Pin<Box<dyn Future<Output = T> + Send + 'a>>;

/// Whoever answers questions. An answer that is not wanted any more is dropped at its next wait.
pub trait Answering: Send + Sync + 'static {
    /// Answers one question.
    fn answer(&self, question: Question) -> Boxed<'_, Reply>;

    /// Answers questions asked together, in their order.
    fn answer_all(&self, questions: Vec<Question>) -> Boxed<'_, Vec<Reply>> {
        Box::pin(futures_util::future::join_all(questions.into_iter().map(|question| self.answer(question))))
    }
}

/// Answers nothing: every question is refused as unknown.
#[derive(Clone, Copy, Debug)]
pub struct Nobody;

impl Answering for Nobody {
    fn answer(&self, question: Question) -> Boxed<'_, Reply> {
        Box::pin(async move { Err(Fault::unknown_method(&question.method)) })
    }
}

impl Question {
    /// The path in the client's capabilities that allows this question.
    pub fn capability(&self) -> Option<&'static [&'static str]> {
        match self.method.as_str() {
            "elicitation/create" if self.is_url_mode() => Some(&["elicitation", "url"]),
            "elicitation/create" => Some(&["elicitation"]),
            "sampling/createMessage" => Some(&["sampling"]),
            "roots/list" => Some(&["roots"]),
            _ => None,
        }
    }

    fn is_url_mode(&self) -> bool {
        self.params
            .as_ref()
            .is_some_and(|params| View::new(params).get("mode").is_some_and(|mode| mode.is("url")))
    }

    /// Whether a client with these capabilities may be asked.
    pub fn is_allowed(&self, capabilities: View<'_>) -> bool {
        self.capability()
            .is_some_and(|path| capabilities.at(path).is_some_and(|value| value.shape() == Shape::Object))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_declared_questions_are_allowed() {
        let ask = |method: &str, params: &'static [u8]| Question {
            key: "k".into(),
            method: method.into(),
            params: Some(Bytes::from_static(params)),
        };
        let able = View::new(br#"{"elicitation":{},"sampling":{}}"#);
        assert!(ask("elicitation/create", b"{}").is_allowed(able));
        assert!(!ask("elicitation/create", br#"{"mode":"url"}"#).is_allowed(able));
        assert!(
            ask("elicitation/create", br#"{"mode":"url"}"#)
                .is_allowed(View::new(br#"{"elicitation":{"url":{}}}"#))
        );
        assert!(!ask("roots/list", b"{}").is_allowed(able));
        assert!(!ask("tools/call", b"{}").is_allowed(able));
    }
}
