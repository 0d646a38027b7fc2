//! Who gets what from every route: the whole API against every kind of caller, and nothing given away by a refusal.

#[path = "routes/hiding.rs"]
mod hiding;
#[path = "routes/lists.rs"]
mod lists;
#[path = "routes/people.rs"]
pub mod people;
#[path = "routes/reach.rs"]
mod reach;
#[path = "routes/rules.rs"]
mod rules;

use std::collections::{BTreeMap, BTreeSet};
use std::time::{Duration, Instant};

use serde_json::Value;
use testkit::http::{Error, Request, Response};

use people::{People, Who};
use rules::{REFUSED, Rule, rules};

/// An answer as far as it must not depend on what was asked: all but the date.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Bare {
    status: u16,
    headers: Vec<(String, String)>,
    body: String,
}

impl Bare {
    pub fn of(response: &Response) -> Self {
        let headers = response.headers.iter().filter(|(name, _)| name != "date").cloned().collect();
        Self { status: response.status, headers, body: response.text() }
    }
}

/// Who was refused what, as the denials should tell.
type Refusal = (String, String, String);

#[derive(Default)]
struct Findings {
    wrong: Vec<String>,
    unauthorized: BTreeMap<&'static str, BTreeSet<Bare>>,
    refusals: Vec<Refusal>,
}

#[test]
fn every_operation_gives_every_caller_what_they_may_have_and_records_what_not() {
    let mut people = People::gather();
    let document = people.http(Who::Nobody).get("/api/openapi.json").unwrap().json();
    let (rules, mut findings) = (rules(), Findings::default());
    let mut described = 0;
    for (template, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let id = operation["operationId"].as_str().unwrap();
            let mut known = rules.iter().filter(|rule| rule.operation == id).peekable();
            assert!(known.peek().is_some(), "add a rule for {id}");
            for rule in known {
                assert!(
                    fits(rule, method, template),
                    "the rule for {id} calls {} {}",
                    rule.method,
                    rule.path
                );
                try_everyone(&mut people, rule, &mut findings);
            }
            described += 1;
        }
    }
    assert!(described >= 27, "{described}");
    assert!(findings.wrong.is_empty(), "{}", findings.wrong.join("\n"));
    for (who, answers) in &findings.unauthorized {
        assert_eq!(answers.len(), 1, "{who}: a 401 depends on the path: {answers:#?}");
    }
    assert!(findings.refusals.len() > 100, "{}", findings.refusals.len());
    assert_eq!(unrecorded(&mut people, &findings.refusals), Vec::<String>::new());
}

/// Whether the rule calls what the document describes.
fn fits(rule: &Rule, method: &str, template: &str) -> bool {
    let path = rule.path.split('?').next().unwrap_or_default();
    let (asked, described): (Vec<_>, Vec<_>) = (path.split('/').collect(), template.split('/').collect());
    rule.method.eq_ignore_ascii_case(method)
        && asked.len() == described.len()
        && asked.iter().zip(described).all(|(asked, segment)| segment.starts_with('{') || *asked == segment)
}

fn try_everyone(people: &mut People, rule: &Rule, findings: &mut Findings) {
    for who in [Who::Nobody, Who::Revoked].into_iter().chain(Who::SIGNED_IN) {
        let expected = rule.answer_for(who);
        let account = if who == Who::Nobody { String::new() } else { people.held(who).account.clone() };
        let id = prepare(people, rule, who);
        let fill = |text: &str| {
            text.replace("{who}", &who.word()).replace("{account}", &account).replace("{id}", &id)
        };
        let path = fill(&rule.path);
        let got = if rule.operation == "watch" && expected == 200 {
            opened(people, who, &path)
        } else {
            let body = serde_json::from_str(&fill(&rule.body.to_string())).unwrap();
            let answer = people.ask(who, rule.method, &path, &body);
            if answer.status == 401 {
                let word = if who == Who::Nobody { "nobody" } else { "revoked" };
                findings.unauthorized.entry(word).or_default().insert(Bare::of(&answer));
            }
            answer.status
        };
        let right = got == expected || expected == REFUSED && matches!(got, 403 | 404);
        if !right {
            findings.wrong.push(format!("{} {path}: {who:?} got {got}, not {expected}", rule.method));
        }
        if matches!(got, 403 | 404) {
            let target = fill(&rule.target);
            findings.refusals.push((account.clone(), people.held(who).via.clone(), target));
        }
    }
}

/// Makes what the call is about, anew for each caller.
fn prepare(people: &mut People, rule: &Rule, who: Who) -> String {
    let Some(before) = &rule.before else { return String::new() };
    let fill = |text: &str| text.replace("{who}", &who.word());
    let body: Value = serde_json::from_str(&fill(&before.body.to_string())).unwrap();
    let made = people.ask(before.by, before.method, &fill(&before.path), &body);
    assert!((200..300).contains(&made.status), "before {}: {}", rule.operation, made.text());
    made.json()["id"].as_str().unwrap_or_default().to_owned()
}

/// The status of a stream that is not read to its end.
fn opened(people: &mut People, who: Who, path: &str) -> u16 {
    match people.http(who).events(&Request::new("GET", path)) {
        Ok(_) => 200,
        Err(Error::NotAStream(status)) => status,
        Err(error) => panic!("{who:?} {path}: {error}"),
    }
}

/// The refusals that no denial with a reason tells of, after a short wait.
fn unrecorded(people: &mut People, refusals: &[Refusal]) -> Vec<String> {
    let mut wanted: BTreeMap<&Refusal, usize> = BTreeMap::new();
    for refusal in refusals {
        *wanted.entry(refusal).or_default() += 1;
    }
    let deadline = Instant::now() + Duration::from_secs(5);
    loop {
        let found = denials(people);
        let told = |refusal: &Refusal| found.iter().filter(|denial| *denial == refusal).count();
        let missing = wanted.iter().filter(|(refusal, times)| told(refusal) < **times);
        let missing: Vec<String> = missing.map(|(refusal, times)| format!("{times} x {refusal:?}")).collect();
        if missing.is_empty() || Instant::now() > deadline {
            return missing;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Everything on record.
fn denials(people: &mut People) -> Vec<Refusal> {
    let mut found = Vec::new();
    let mut path = "/api/v1/denials?limit=100".to_owned();
    loop {
        let page = people.operate("GET", &path, &Value::Null);
        for denial in page["items"].as_array().unwrap() {
            let text = |field: &str| denial[field].as_str().unwrap().to_owned();
            assert!(!text("reason").is_empty() && !text("relation").is_empty(), "{denial}");
            found.push((text("account"), text("via"), text("target")));
        }
        match page["next_cursor"].as_str() {
            Some(cursor) => path = format!("/api/v1/denials?limit=100&cursor={cursor}"),
            None => return found,
        }
    }
}

#[test]
fn the_description_itself_is_open_but_not_to_a_token_that_was_revoked() {
    let mut people = People::gather();
    for path in ["/api/openapi.json", "/healthz", "/readyz"] {
        assert_eq!(people.http(Who::Nobody).get(path).unwrap().status, 200, "{path}");
        assert_eq!(people.http(Who::Revoked).get(path).unwrap().status, 401, "{path}");
    }
    let mut answers = BTreeSet::new();
    for path in ["/api/v1/mcpservers", "/nowhere", "/api/v1/nothing/at-all", "/api/v1/mcpservers/tools"] {
        answers.insert(Bare::of(&people.http(Who::Revoked).get(path).unwrap()));
    }
    assert_eq!(answers.len(), 1, "{answers:#?}");
}
