//! OpenFGA's own test data: every assertion, with plain tuples and again with the same tuples as contextual ones.
//!
//! The data is read from where it lies and is not part of this repository. What disagrees must be listed, with a
//! reason, in `disagreements.txt`.

use std::path::PathBuf;
use std::sync::Arc;

use fga::{Context, Error, Graph, Limits, Model, Query, Subject, Tuple, TupleCondition, UserFilter};
use serde_json::Value;

use crate::yaml;

const DISAGREEMENTS: &str = include_str!("disagreements.txt");

#[derive(Default)]
struct Tally {
    tests: usize,
    checks: usize,
    objects: usize,
    users: usize,
    wrong: Vec<String>,
}

#[test]
fn every_assertion_of_openfga_agrees() {
    let directory = std::env::var_os("OUTFITTER_FGA_TESTS").map_or_else(
        || PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../../shared/fga-tests")),
        PathBuf::from,
    );
    let mut tally = Tally::default();
    for file in ["consolidated_1_1_tests.yaml", "abac_tests.yaml"] {
        let Ok(text) = std::fs::read_to_string(directory.join(file)) else {
            testkit::skip(
                "every_assertion_of_openfga_agrees",
                &format!("{file} is not at hand; set OUTFITTER_FGA_TESTS"),
            );
            return;
        };
        for test in array(&yaml::parse(&text)["tests"]) {
            tally.tests += 1;
            run(test, &mut tally);
        }
    }
    let count = tally.checks + tally.objects + tally.users;
    let agreeing = count - tally.wrong.len();
    testkit::report(&format!(
        "OpenFGA test data: {agreeing} of {count} assertions agree ({} tests: {} check, {} list_objects, {} list_users), \
         each with plain and with contextual tuples",
        tally.tests, tally.checks, tally.objects, tally.users
    ));
    let listed = |wrong: &&String| {
        !DISAGREEMENTS
            .lines()
            .any(|line| line.split_once(": ").is_some_and(|(name, _)| name == wrong.as_str()))
    };
    let unlisted: Vec<&String> = tally.wrong.iter().filter(listed).collect();
    assert!(unlisted.is_empty(), "{} disagree:\n{unlisted:#?}", unlisted.len());
    assert_eq!((tally.tests, tally.checks, tally.objects, tally.users), (160, 485, 345, 386));
}

fn run(test: &Value, tally: &mut Tally) {
    let mut tuples: Vec<Tuple> = Vec::new();
    for (number, assertions) in array(&test["stages"]).iter().enumerate() {
        let name = format!("{}/{number}", test["name"].as_str().unwrap());
        let model = Model::parse(assertions["model"].as_str().unwrap());
        let model = Arc::new(model.unwrap_or_else(|error| panic!("{name}: {error}")));
        tuples.extend(array(&assertions["tuples"]).iter().map(tuple));
        // What an earlier stage stored under its model stays, as far as this one admits it.
        let mut stored = Graph::new(Arc::clone(&model));
        let fitting: Vec<Tuple> =
            tuples.iter().filter(|tuple| stored.insert(tuple).is_ok()).cloned().collect();
        let empty = Graph::new(model);
        let plain = Stage { name: &name, graph: &stored, also: &[] };
        let contextual = Stage { name: &name, graph: &empty, also: &fitting };
        plain.run(&contextual, assertions, tally);
    }
}

/// A model with tuples, stored or contextual.
struct Stage<'a> {
    name: &'a str,
    graph: &'a Graph,
    also: &'a [Tuple],
}

type Answer = Result<Vec<String>, Error>;
type Ask<'a> = fn(&Stage<'a>, &Value) -> (Answer, u64);

impl Stage<'_> {
    /// Counts every assertion once; it agrees if it does with both forms of tuples.
    fn run(&self, contextual: &Self, stage: &Value, tally: &mut Tally) {
        let surfaces: [(&str, Ask<'_>); 3] = [
            ("checkAssertions", Self::check),
            ("listObjectsAssertions", Self::list_objects),
            ("listUsersAssertions", Self::list_users),
        ];
        for (surface, ask) in surfaces {
            let assertions = array(&stage[surface]);
            match surface {
                "checkAssertions" => tally.checks += assertions.len(),
                "listObjectsAssertions" => tally.objects += assertions.len(),
                _ => tally.users += assertions.len(),
            }
            for (number, assertion) in assertions.iter().enumerate() {
                for (form, stage) in [("plain", self), ("contextual", contextual)] {
                    let (answer, code) = ask(stage, assertion);
                    if !agrees(assertion, &answer, code) {
                        let wrong = format!("{} {surface} {number}", self.name);
                        testkit::report(&format!("{wrong} {form}: {assertion} got {answer:?}"));
                        if tally.wrong.last() != Some(&wrong) {
                            tally.wrong.push(wrong);
                        }
                    }
                }
            }
        }
    }

    fn query<T>(
        &self,
        assertion: &Value,
        ask: impl FnOnce(&Query<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let own = array(&assertion["contextualTuples"]).iter().map(tuple);
        let contextual: Vec<Tuple> = self.also.iter().cloned().chain(own).collect();
        let context = assertion["context"].as_object().cloned().unwrap_or_default();
        let limits = Limits { contextual: usize::MAX, ..Limits::default() };
        ask(&Query::new(self.graph).contextual(&contextual).context(&context).limits(limits))
    }

    fn check(&self, assertion: &Value) -> (Answer, u64) {
        let asked = &assertion["tuple"];
        let Ok(subject) = text(asked, "user").parse::<Subject>() else { return (malformed(), 2000) };
        let object = text(asked, "object").parse().unwrap();
        let allowed = self.query(assertion, |query| query.check(&object, text(asked, "relation"), &subject));
        let code = match &allowed {
            Err(Error::Contextual { .. }) => 2027,
            Err(Error::TooDeep(_)) => 2002,
            _ => 2000,
        };
        (allowed.map(|allowed| vec![allowed.to_string()]), code)
    }

    fn list_objects(&self, assertion: &Value) -> (Answer, u64) {
        let asked = &assertion["request"];
        let Ok(subject) = text(asked, "user").parse::<Subject>() else { return (malformed(), 2000) };
        let objects = self.query(assertion, |query| {
            query.list_objects(text(asked, "type"), text(asked, "relation"), &subject)
        });
        let code = list_code(objects.as_ref().err());
        (objects.map(|objects| objects.iter().map(ToString::to_string).collect()), code)
    }

    fn list_users(&self, assertion: &Value) -> (Answer, u64) {
        let asked = &assertion["request"];
        let object = text(asked, "object").parse().unwrap();
        let filter: UserFilter = asked["filters"][0].as_str().unwrap().parse().unwrap();
        let users =
            self.query(assertion, |query| query.list_users(&object, text(asked, "relation"), &filter));
        let code = list_code(users.as_ref().err());
        (users.map(|users| users.iter().map(ToString::to_string).collect()), code)
    }
}

fn list_code(error: Option<&Error>) -> u64 {
    match error {
        Some(Error::UnknownType(_)) => 2021,
        Some(Error::UnknownRelation { .. }) => 2022,
        Some(Error::Contextual { .. }) => 2027,
        Some(Error::TooDeep(_)) => 2002,
        _ => 2000,
    }
}

fn malformed() -> Answer {
    Err(Error::UnknownType("malformed".to_owned()))
}

fn agrees(assertion: &Value, answer: &Answer, code: u64) -> bool {
    match (answer, assertion["errorCode"].as_u64()) {
        (Err(_), expected) => expected == Some(code),
        (Ok(_), Some(_)) => false,
        (Ok(got), None) => {
            // One assertion of the data holds its expectation inside the request.
            let expectation = match &assertion["expectation"] {
                Value::Null => &assertion["request"]["expectation"],
                given => given,
            };
            let mut expected: Vec<String> = match expectation {
                Value::Array(items) => items.iter().map(|item| item.as_str().unwrap().to_owned()).collect(),
                Value::Null if !assertion["tuple"].is_null() => vec!["false".to_owned()],
                Value::Null => Vec::new(),
                other => vec![other.to_string()],
            };
            let mut got = got.clone();
            expected.sort();
            got.sort();
            got == expected
        }
    }
}

fn array(value: &Value) -> &[Value] {
    value.as_array().map_or(&[], Vec::as_slice)
}

fn text<'a>(value: &'a Value, field: &str) -> &'a str {
    value[field].as_str().unwrap()
}

fn tuple(value: &Value) -> Tuple {
    let parsed = Tuple::parse(text(value, "object"), text(value, "relation"), text(value, "user")).unwrap();
    let condition = value["condition"].as_object().map(|condition| TupleCondition {
        name: condition["name"].as_str().unwrap().to_owned(),
        context: condition.get("context").and_then(Value::as_object).cloned().unwrap_or_else(Context::new),
    });
    Tuple { condition, ..parsed }
}
