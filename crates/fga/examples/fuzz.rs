//! Throws mutated models, conditions and contexts at the parsers for a while: `fuzz [SECONDS] [SEED]`.
//!
//! Starts from `fuzz-corpus/`, which an ordinary test replays. A text that makes a parser panic, disagree with itself or
//! take longer than a second is written to `fuzz-corpus/found-…` and ends the run with status 1.

#![expect(clippy::print_stdout, reason = "it tells how far it came")]

use std::path::Path;
use std::process::ExitCode;

use fga::condition::Condition;
use fga::schema::{ConditionDefinition, ParameterType, Schema};
use fga::{Context, Model, Tuple};
use testkit::fuzz::{Target, Verdict};

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz-corpus");
/// Pieces that mean something to the parsers.
const WORDS: [&str; 24] = [
    "model\n  schema 1.1\n",
    "type ",
    "\n  relations\n",
    "    define ",
    "[user]",
    "[user:*]",
    "[a#b with c]",
    " or ",
    " and ",
    " but not ",
    " from ",
    "(",
    ")",
    "condition c(x: int) {",
    "}",
    "list<",
    "map<",
    "x.all(e, ",
    "in_cidr(",
    "timestamp(",
    "\"",
    "#",
    "\r\n",
    "\u{feff}",
];

fn main() -> ExitCode {
    let targets = [
        Target { name: "dsl", run: |text| model(&String::from_utf8_lossy(text)) },
        Target { name: "cel", run: |text| condition(&String::from_utf8_lossy(text)) },
    ];
    match testkit::fuzz::run_as_asked(Path::new(CORPUS), &targets, &WORDS) {
        Ok(told) => {
            println!("fuzz: {told}");
            ExitCode::SUCCESS
        }
        Err(found) => {
            println!("{found}");
            ExitCode::FAILURE
        }
    }
}

/// A model's text: parses or not, and what parses prints to something that means the same.
fn model(text: &str) -> Verdict {
    let _ = Tuple::parse(text, text, text);
    let Ok(schema) = Schema::parse(text) else { return Ok(()) };
    let printed = schema.to_dsl();
    match Schema::parse(&printed) {
        Ok(again) if again == schema => {}
        // Indents can take a text that just fitted over the limit.
        Err(_) if printed.len() > fga::schema::MAX_TEXT => {}
        other => return Err(format!("does not survive printing: {other:?}")),
    }
    match Schema::from_json(&schema.to_json()) {
        Ok(again) if again == schema => {}
        // JSON cannot say the same name twice, and need not: that is no valid model.
        _ if !schema.problems().is_empty() => {}
        other => return Err(format!("does not survive JSON: {other:?}")),
    }
    let _ = Model::new(schema);
    Ok(())
}

fn condition(text: &str) -> Verdict {
    let parameters = [
        ("x", ParameterType::Int),
        ("s", ParameterType::String),
        ("xs", ParameterType::List(Box::new(ParameterType::Int))),
    ];
    let definition = ConditionDefinition {
        name: "fuzzed".to_owned(),
        parameters: parameters.map(|(name, kind)| (name.to_owned(), kind)).to_vec(),
        expression: text.to_owned(),
    };
    let Ok(condition) = Condition::compile(&definition) else { return Ok(()) };
    let context: Context = [("x", 7.into()), ("s", text.into()), ("xs", vec![1, 2, 3].into())]
        .into_iter()
        .map(|(name, value): (&str, serde_json::Value)| (name.to_owned(), value))
        .collect();
    let answer = condition.evaluate(&Context::new(), &context);
    if answer.is_ok() && condition.evaluate(&Context::new(), &Context::new()).is_ok() {
        return Err("decides without its parameters".to_owned());
    }
    Ok(())
}
