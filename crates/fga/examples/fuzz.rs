//! Throws mutated models, conditions and contexts at the parsers for a while: `fuzz [SECONDS] [SEED]`.
//!
//! Starts from `fuzz-corpus/`, which an ordinary test replays. A text that makes a parser panic, disagree with itself or
//! take longer than a second is written to `fuzz-corpus/found-…` and ends the run with status 1.

#![expect(clippy::print_stdout, reason = "it tells how far it came")]

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

use fga::condition::Condition;
use fga::schema::{ConditionDefinition, ParameterType, Schema};
use fga::{Context, Model, Tuple};

const CORPUS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/fuzz-corpus");
const SLOW: Duration = Duration::from_secs(1);
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
    let mut arguments = std::env::args().skip(1).map(|text| text.parse::<u64>().unwrap_or(10));
    let (seconds, seed) = (arguments.next().unwrap_or(10), arguments.next().unwrap_or(1));
    std::panic::set_hook(Box::new(|_| {}));
    let corpus: Vec<(bool, Vec<u8>)> = files("dsl").chain(files("cel")).collect();
    let mut random = Random(seed);
    let (began, mut tried) = (Instant::now(), 0_u64);
    while began.elapsed() < Duration::from_secs(seconds) {
        let (is_model, text) = &corpus[random.below(corpus.len())];
        let text = random.mutate(text, &corpus);
        let text = String::from_utf8_lossy(&text).into_owned();
        let started = Instant::now();
        let outcome =
            catch_unwind(AssertUnwindSafe(|| if *is_model { model(&text) } else { condition(&text) }));
        tried += 1;
        let complaint = match outcome {
            Err(_) => Some("panicked".to_owned()),
            Ok(Err(complaint)) => Some(complaint),
            Ok(Ok(())) => (started.elapsed() > SLOW).then(|| "took too long".to_owned()),
        };
        if let Some(complaint) = complaint {
            let path = PathBuf::from(CORPUS).join(format!("found-{seed}-{tried}"));
            // Where it cannot be written, the text below is all there is.
            let _ = std::fs::write(&path, &text);
            println!("{complaint}: {}\n{}", path.display(), text.escape_debug());
            return ExitCode::FAILURE;
        }
    }
    println!("fuzz: {tried} texts in {seconds} s from {} files, seed {seed}, nothing found", corpus.len());
    ExitCode::SUCCESS
}

/// A model's text: parses or not, and what parses prints to something that means the same.
fn model(text: &str) -> Result<(), String> {
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

fn condition(text: &str) -> Result<(), String> {
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

fn files(kind: &'static str) -> impl Iterator<Item = (bool, Vec<u8>)> {
    let entries = std::fs::read_dir(Path::new(CORPUS).join(kind)).into_iter().flatten().flatten();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    paths.sort();
    paths.into_iter().filter_map(move |path| Some((kind == "dsl", std::fs::read(path).ok()?)))
}

struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(self.0 >> 33).unwrap_or_default() % bound.max(1)
    }

    fn mutate(&mut self, text: &[u8], corpus: &[(bool, Vec<u8>)]) -> Vec<u8> {
        let mut text = text.to_vec();
        for _ in 0..=self.below(6) {
            let at = self.below(text.len() + 1);
            let end = (at + self.below(40)).min(text.len());
            match self.below(6) {
                0 => drop(text.drain(at..end)),
                1 => {
                    let piece = text[at..end].to_vec();
                    text.splice(at..at, piece);
                }
                2 => drop(text.splice(at..at, WORDS[self.below(WORDS.len())].bytes())),
                3 => {
                    let other = &corpus[self.below(corpus.len())].1;
                    let from = self.below(other.len() + 1);
                    let to = (from + self.below(200)).min(other.len());
                    text.splice(at..end, other[from..to].iter().copied());
                }
                4 if at < text.len() => text[at] ^= 1 << self.below(8),
                _ => text.insert(at, u8::try_from(self.below(256)).unwrap_or_default()),
            }
        }
        text
    }
}
