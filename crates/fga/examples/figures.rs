//! What the engine costs, each figure beside what a hash map of the same machine takes in the same run.
//!
//! `figures [--short]`; one row per figure, in the layout of `testkit bench`.

#![expect(clippy::print_stdout, reason = "the table is what it is for")]

use std::collections::HashMap;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fga::{Error, Graph, Model, Object, Query, Subject, Tuple};
use testkit::bench::Figure;
use testkit::samples::Samples;

const MODEL: &str = "
model
  schema 1.1
type user
type team
  relations
    define member: [user, team#member]
type organization
  relations
    define admin: [user, team#member]
    define member: [user] or admin
type folder
  relations
    define organization: [organization]
    define owner: [user]
    define viewer: [team#member] or owner or member from organization
type document
  relations
    define parent: [folder]
    define blocked: [user]
    define reader: [user]
    define shared: [group#member]
    define nested: [team#member]
    define viewer: viewer from parent
    define open: reader but not blocked
type group
  relations
    define member: [user]
";

fn main() {
    let short = std::env::args().any(|argument| argument == "--short");
    println!("{}", testkit::bench::heading());
    let mut figures = Figures { random: Random(7), lookup: Duration::ZERO };
    figures.lookup = figures.baseline();
    figures.million(if short { 100_000 } else { 1_000_000 });
    figures.teams(if short { 2_000 } else { 20_000 });
    figures.lists(if short { 10_000 } else { 100_000 });
}

/// A small generator; the same sequence in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let high = usize::try_from(self.0 >> 33).unwrap_or_default();
        high % bound
    }
}

/// Takes the figures, with the baseline of this run at hand.
struct Figures {
    random: Random,
    lookup: Duration,
}

/// Paths of five among the tuples, one per user.
const PATHS: usize = 20_000;
const LOOKUP: &str = "hash map lookup";

impl Figures {
    /// The median lookup in a map of a million, found and not found alike.
    fn baseline(&mut self) -> Duration {
        let map: HashMap<usize, usize> = (0..1_000_000).map(|number| (number * 2, number)).collect();
        let mut samples = Samples::default();
        for _ in 0..2_000 {
            let keys: Vec<usize> = (0..100).map(|_| self.random.below(2_000_000)).collect();
            let began = Instant::now();
            for key in &keys {
                black_box(map.get(key));
            }
            samples.push(began.elapsed() / 100);
        }
        samples.median()
    }

    fn print(&self, name: &str, measured: Duration, target: &str, most: Duration) {
        let figure = Figure::of_times(name, measured, (LOOKUP, self.lookup));
        println!("{}", figure.target(target, measured < most));
    }

    /// Memory of many tuples, and checks along a path of five of them.
    fn million(&mut self, count: usize) {
        let (users, teams, folders, documents) = (count / 5, count / 50, count / 20, count / 2);
        let before = resident();
        let mut graph = Graph::new(Arc::new(Model::parse(MODEL).expect("valid")));
        let mut insert = |object: String, relation: &str, subject: String| {
            graph.insert(&Tuple::parse(&object, relation, &subject).expect("well formed")).expect("fits");
        };
        for number in 0..count {
            let any = |random: &mut Random, bound: usize| random.below(bound);
            let random = &mut self.random;
            match number % 20 {
                0..10 => insert(
                    format!("document:{}", number * documents / count),
                    "parent",
                    format!("folder:{}", any(random, folders)),
                ),
                10..15 => insert(
                    format!("team:{}", any(random, teams)),
                    "member",
                    format!("user:{}", any(random, users)),
                ),
                15..17 => insert(
                    format!("team:{}", any(random, teams)),
                    "member",
                    format!("team:{}#member", any(random, teams / 10)),
                ),
                17 => insert(
                    format!("organization:{}", any(random, folders)),
                    "admin",
                    format!("team:{}#member", any(random, teams)),
                ),
                18 => insert(
                    format!("folder:{}", any(random, folders)),
                    "organization",
                    format!("organization:{}", any(random, folders)),
                ),
                _ => insert(
                    format!("folder:{}", any(random, folders)),
                    "owner",
                    format!("user:{}", any(random, users)),
                ),
            }
        }
        let used = resident().saturating_sub(before);
        let bytes = u32::try_from(used * 1024 / count).unwrap_or(u32::MAX);
        let figure = Figure {
            name: format!("memory of {} tuples", graph.len()),
            measured: format!("{} MiB", used / 1024),
            baseline: "the tuples' keys alone 24 B each".into(),
            ratio: f64::from(bytes) / 24.0,
            target: "< 200 MiB".into(),
            met: used < 200 * 1024,
        };
        println!("{figure}");
        self.path(&mut graph, if count < 1_000_000 { 2_000 } else { 50_000 });
    }

    /// `document -> folder -> organization -> team -> team -> user`, half of the pairs without such a path.
    fn path(&mut self, graph: &mut Graph, rounds: usize) {
        for number in 0..PATHS {
            for (object, relation, subject) in [
                (format!("document:p{number}"), "parent", format!("folder:p{number}")),
                (format!("folder:p{number}"), "organization", format!("organization:p{number}")),
                (format!("organization:p{number}"), "admin", format!("team:p{number}#member")),
                (format!("team:p{number}"), "member", format!("team:q{number}#member")),
                (format!("team:q{number}"), "member", format!("user:p{number}")),
            ] {
                graph.insert(&Tuple::parse(&object, relation, &subject).expect("well formed")).expect("fits");
            }
        }
        let mut samples = Samples::default();
        let mut allowed = 0;
        for round in 0..rounds {
            let (document, user) = (self.random.below(PATHS), self.random.below(PATHS - 1));
            let user = if round % 2 == 0 { document } else { (document + 1 + user) % PATHS };
            let object = Object::new("document", format!("p{document}"));
            let subject = Subject::Object(Object::new("user", format!("p{user}")));
            let began = Instant::now();
            let yes = Query::new(graph).check(&object, "viewer", &subject).expect("decided");
            samples.push(began.elapsed());
            allowed += usize::from(yes);
        }
        assert!(
            allowed * 2 >= rounds && allowed < rounds * 6 / 10,
            "half are allowed, not {allowed} of {rounds}"
        );
        self.print("check on a path of five, p50", samples.median(), "< 10 us", Duration::from_micros(10));
        self.print(
            "check on a path of five, p99",
            samples.percentile(99),
            "< 50 us",
            Duration::from_micros(50),
        );
    }

    /// A document shared with a thousand groups.
    fn teams(&mut self, rounds: usize) {
        let mut graph = Graph::new(Arc::new(Model::parse(MODEL).expect("valid")));
        for number in 0..1_000 {
            let group = format!("group:{number}");
            for tuple in [
                Tuple::parse("document:1", "shared", &format!("{group}#member")),
                Tuple::parse(&group, "member", &format!("user:{number}")),
                Tuple::parse("document:1", "nested", &format!("team:{number}#member")),
                Tuple::parse(&format!("team:{number}"), "member", &format!("user:{number}")),
                Tuple::parse(&format!("group:other{number}"), "member", &format!("user:{}", number + 1_000)),
            ] {
                graph.insert(&tuple.expect("well formed")).expect("fits");
            }
            // Everyone is in many groups that do not matter here.
            for other in 0..20 {
                let tuple = Tuple::parse(
                    &format!("group:{other}-{number}"),
                    "member",
                    &format!("user:{}", number * 2),
                );
                graph.insert(&tuple.expect("well formed")).expect("fits");
            }
        }
        let object = Object::new("document", "1");
        for (relation, name) in
            [("shared", "userset over 1,000 teams, p99"), ("nested", "the same, teams of teams, p99")]
        {
            let mut samples = Samples::default();
            for _ in 0..rounds {
                let subject = Subject::Object(Object::new("user", self.random.below(2_000).to_string()));
                let began = Instant::now();
                black_box(Query::new(&graph).check(&object, relation, &subject).expect("decided"));
                samples.push(began.elapsed());
            }
            self.print(name, samples.percentile(99), "< 1 ms", Duration::from_millis(1));
        }
    }

    fn lists(&mut self, count: usize) {
        let mut graph = Graph::new(Arc::new(Model::parse(MODEL).expect("valid")));
        for number in 0..count {
            let user =
                if number % 100 == 0 { "user:anne".to_owned() } else { format!("user:{}", number % 97) };
            for (relation, subject) in
                [("reader", user.as_str()), ("reader", "user:carl"), ("blocked", "user:carl")]
            {
                if relation == "blocked" && number % 100 == 0 {
                    continue;
                }
                let tuple = Tuple::parse(&format!("document:{number}"), relation, subject);
                graph.insert(&tuple.expect("well formed")).expect("fits");
            }
        }
        let subject = |name: &str| Subject::Object(Object::new("user", name));
        let list = |relation: &str, name: &str| {
            let began = Instant::now();
            let found =
                Query::new(&graph).list_objects("document", relation, &subject(name)).expect("listed");
            assert_eq!(found.len(), count / 100);
            began.elapsed()
        };
        let plain: Samples = (0..50).map(|_| list("reader", "anne")).collect();
        let name = format!("list_objects, {} of {count}", count / 100);
        self.print(&name, plain.median(), "< 5 ms", Duration::from_millis(5));
        let excluded: Samples = (0..5).map(|_| list("open", "carl")).collect();
        let name = format!("the same, {} removed by an exclusion", count / 100 * 99);
        self.print(&name, excluded.median(), "< 500 ms", Duration::from_millis(500));
        let asked = std::cell::Cell::new(0);
        let stop = || {
            asked.set(asked.get() + 1);
            asked.get() > 3
        };
        let began = Instant::now();
        let answer = Query::new(&graph).until(&stop).list_objects("document", "open", &subject("carl"));
        assert_eq!(answer, Err(Error::Cancelled), "a list can be called off");
        self.print("a list called off", began.elapsed(), "< 50 ms", Duration::from_millis(50));
    }
}

/// Kibibytes of memory in use.
fn resident() -> usize {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or_default()
}
