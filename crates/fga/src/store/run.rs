//! Asks what the tests ask. An error of the engine is a failure: no test can expect one.

use std::collections::BTreeSet;

use super::file::{CheckTest, ListObjectsTest, ListUsersTest, StoreTest, TupleEntry};
use super::load::Store;
use super::report::{Count, Failure, Report, TestReport};
use crate::condition::Context;
use crate::graph::Graph;
use crate::query::{Query, UserFilter};
use crate::tuple::{Object, Subject, Tuple};

impl Store {
    /// Asks every question of every test.
    pub fn run(&self) -> Report {
        let tests = self.tests.iter().enumerate();
        Report { tests: tests.map(|(index, (test, graph))| run(index, test, graph)).collect() }
    }
}

fn run(index: usize, test: &StoreTest, graph: &Graph) -> TestReport {
    let name = test.name.clone().unwrap_or_else(|| format!("test {}", index + 1));
    let mut asking = Asking { graph, failures: Vec::new() };
    let checks = asking.each(&test.check, Asking::check);
    let list_objects = asking.each(&test.list_objects, Asking::list_objects);
    let list_users = asking.each(&test.list_users, Asking::list_users);
    TestReport { name, checks, list_objects, list_users, failures: asking.failures }
}

/// What surrounds a question, as the file gives it.
struct Around<'a> {
    context: Option<&'a Context>,
    contextual: &'a [TupleEntry],
}

impl Around<'_> {
    fn ask<T>(
        &self,
        graph: &Graph,
        question: impl FnOnce(&Query<'_>) -> Result<T, crate::Error>,
    ) -> Result<T, String> {
        let tuples = self.contextual.iter().map(TupleEntry::tuple).collect::<Result<Vec<Tuple>, _>>();
        let tuples = tuples.map_err(|error| error.to_string())?;
        let empty = Context::new();
        let query = Query::new(graph).contextual(&tuples).context(self.context.unwrap_or(&empty));
        question(&query).map_err(|error| error.to_string())
    }

    /// How the question ends for a reader.
    fn suffix(&self) -> String {
        let mut suffix = String::new();
        if !self.contextual.is_empty() {
            let tuples: Vec<String> = self.contextual.iter().map(ToString::to_string).collect();
            suffix = format!(" given {}", tuples.join(", "));
        }
        match self.context.filter(|context| !context.is_empty()) {
            Some(context) => suffix + " with " + &serde_json::Value::Object(context.clone()).to_string(),
            None => suffix,
        }
    }
}

struct Asking<'a> {
    graph: &'a Graph,
    failures: Vec<Failure>,
}

impl Asking<'_> {
    fn each<T>(&mut self, questions: &[T], ask: fn(&mut Self, &T) -> usize) -> Count {
        let before = self.failures.len();
        let total = questions.iter().map(|question| ask(self, question)).sum();
        Count { passed: total - (self.failures.len() - before), total }
    }

    fn expect(&mut self, question: String, expected: &Answer, got: Result<Answer, String>) {
        if got.as_ref() != Ok(expected) {
            let got = got.map_or_else(|error| format!("error: {error}"), |answer| answer.to_string());
            self.failures.push(Failure { question, expected: expected.to_string(), got });
        }
    }

    /// Counts one question whose form alone is wrong.
    fn refuse(&mut self, question: &str, reason: &str) -> usize {
        let got = format!("error: {reason}");
        self.failures.push(Failure { question: question.to_owned(), expected: "an answer".to_owned(), got });
        1
    }

    fn check(&mut self, test: &CheckTest) -> usize {
        let (users, objects) =
            match (several(test.user.as_ref(), &test.users), several(test.object.as_ref(), &test.objects)) {
                (Some(users), Some(objects)) => (users, objects),
                (None, _) => return self.refuse("check", "give either `user` or `users`"),
                (_, None) => return self.refuse("check", "give either `object` or `objects`"),
            };
        if test.assertions.is_empty() {
            return self.refuse("check", "`assertions` expects nothing");
        }
        let around = Around { context: test.context.as_ref(), contextual: &test.contextual_tuples };
        for user in users {
            for object in objects {
                for (relation, expected) in &test.assertions {
                    let got = subject_and_object(user, object).and_then(|(subject, object)| {
                        around.ask(self.graph, |query| query.check(&object, relation, &subject))
                    });
                    let question = format!("check {user} {relation} {object}{}", around.suffix());
                    self.expect(question, &Answer::Allowed(*expected), got.map(Answer::Allowed));
                }
            }
        }
        users.len() * objects.len() * test.assertions.len()
    }

    fn list_objects(&mut self, test: &ListObjectsTest) -> usize {
        if test.assertions.is_empty() {
            return self.refuse("list_objects", "`assertions` expects nothing");
        }
        let around = Around { context: test.context.as_ref(), contextual: &test.contextual_tuples };
        for (relation, expected) in &test.assertions {
            let subject = test.user.parse::<Subject>().map_err(|error| error.to_string());
            let got = subject.and_then(|subject| {
                around.ask(self.graph, |query| query.list_objects(&test.type_name, relation, &subject))
            });
            let question =
                format!("list_objects {} {relation} {}{}", test.user, test.type_name, around.suffix());
            self.expect(question, &Answer::list(expected), got.map(|objects| Answer::list(&objects)));
        }
        test.assertions.len()
    }

    fn list_users(&mut self, test: &ListUsersTest) -> usize {
        if test.assertions.is_empty() || test.user_filter.is_empty() {
            return self.refuse("list_users", "give `user_filter` and `assertions`");
        }
        let around = Around { context: test.context.as_ref(), contextual: &test.contextual_tuples };
        let filters: Vec<UserFilter> = test
            .user_filter
            .iter()
            .map(|filter| UserFilter {
                type_name: filter.type_name.clone(),
                relation: filter.relation.clone(),
            })
            .collect();
        let shown: Vec<String> = filters.iter().map(show_filter).collect();
        for (relation, expected) in &test.assertions {
            let object = test.object.parse::<Object>().map_err(|error| error.to_string());
            let got = object.and_then(|object| {
                let lists = filters.iter().map(|filter| {
                    around.ask(self.graph, |query| query.list_users(&object, relation, filter))
                });
                lists.collect::<Result<Vec<_>, _>>().map(|lists| lists.concat())
            });
            let question =
                format!("list_users {} {relation} {}{}", test.object, shown.join(", "), around.suffix());
            self.expect(question, &Answer::list(&expected.users), got.map(|users| Answer::list(&users)));
        }
        test.assertions.len()
    }
}

fn show_filter(filter: &UserFilter) -> String {
    match &filter.relation {
        Some(relation) => format!("{}#{relation}", filter.type_name),
        None => filter.type_name.clone(),
    }
}

/// The one or the several; none unless exactly one of both is given.
fn several<'a>(one: Option<&'a String>, several: &'a [String]) -> Option<&'a [String]> {
    match one {
        Some(one) if several.is_empty() => Some(std::slice::from_ref(one)),
        None if !several.is_empty() => Some(several),
        _ => None,
    }
}

fn subject_and_object(user: &str, object: &str) -> Result<(Subject, Object), String> {
    let subject = user.parse::<Subject>().map_err(|error| error.to_string())?;
    Ok((subject, object.parse::<Object>().map_err(|error| error.to_string())?))
}

/// An answer; lists compare as sets.
#[derive(PartialEq)]
enum Answer {
    Allowed(bool),
    List(BTreeSet<String>),
}

impl Answer {
    fn list(items: &[impl ToString]) -> Self {
        Self::List(items.iter().map(ToString::to_string).collect())
    }
}

impl std::fmt::Display for Answer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Allowed(allowed) => write!(f, "{allowed}"),
            Self::List(items) => {
                let items: Vec<&str> = items.iter().map(String::as_str).collect();
                write!(f, "[{}]", items.join(", "))
            }
        }
    }
}
