//! A list holds exactly what its caller may view, whoever granted it.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::people::{ACME, GLOBEX, People, Who};
use crate::stage::server;

/// Every server there is: its name, which is its own, and its address.
fn world(people: &mut People) -> Vec<(String, String)> {
    let mut all: Vec<(String, String)> = vec![
        ("tools".to_owned(), ACME.to_owned()),
        ("gadgets".to_owned(), GLOBEX.to_owned()),
        ("shared".to_owned(), "scope=platform".to_owned()),
        ("diary".to_owned(), "owner=ada".to_owned()),
    ];
    for number in 0..4 {
        for (prefix, place) in [("acme", ACME), ("globex", GLOBEX), ("platform", "scope=platform")] {
            let name = format!("{prefix}-{number}");
            people.operate("PUT", &format!("/api/v1/mcpservers/{name}?{place}"), &server(&name));
            all.push((name, place.to_owned()));
        }
        for (who, owner) in [(Who::Ada, "ada"), (Who::Mel, "mel"), (Who::Stranger, "stranger")] {
            let name = format!("{owner}-{number}");
            let made = people.ask(who, "PUT", &format!("/api/v1/mcpservers/{name}"), &server(&name));
            assert_eq!(made.status, 201, "{}", made.text());
            all.push((name, format!("owner={owner}")));
        }
    }
    all
}

/// The names in the list, page by page.
fn listed(people: &mut People, who: Who) -> Vec<String> {
    let mut names = Vec::new();
    let mut path = "/api/v1/mcpservers?limit=2".to_owned();
    loop {
        let page = people.ask(who, "GET", &path, &Value::Null).json();
        let items = page["items"].as_array().unwrap();
        assert!(items.len() <= 2, "{page}");
        names.extend(items.iter().map(|item| item["metadata"]["name"].as_str().unwrap().to_owned()));
        match page["next_cursor"].as_str() {
            Some(cursor) => path = format!("/api/v1/mcpservers?limit=2&cursor={cursor}"),
            None => return names,
        }
    }
}

/// The names that `who` may view, asked one by one; reading each must agree.
fn viewable(people: &mut People, who: Who, all: &[(String, String)]) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    for (name, place) in all {
        let asked = format!("/api/v1/can-i?verb=view&kind=mcpserver&name={name}&{place}");
        let allowed = people.ask(who, "GET", &asked, &Value::Null).json()["allowed"].as_bool().unwrap();
        let got = people.ask(who, "GET", &format!("/api/v1/mcpservers/{name}?{place}"), &Value::Null);
        assert_eq!(got.status, if allowed { 200 } else { 404 }, "{who:?} {name}");
        if allowed {
            names.insert(name.clone());
        }
    }
    names
}

/// What each caller may view, having compared it with what is listed.
fn agree(people: &mut People, all: &[(String, String)]) -> Vec<(Who, BTreeSet<String>)> {
    let mut seen = Vec::new();
    for who in Who::SIGNED_IN {
        let (list, viewable) = (listed(people, who), viewable(people, who, all));
        assert!(list.is_sorted(), "{who:?}: {list:?}");
        let unique: BTreeSet<String> = list.iter().cloned().collect();
        assert_eq!(unique.len(), list.len(), "{who:?} gets something twice: {list:?}");
        assert_eq!(unique, viewable, "{who:?}");
        seen.push((who, viewable));
    }
    seen
}

/// Gives or takes each of the grants, by whoever may.
fn change(people: &mut People, held: bool) {
    for (by, verb, name, place, subject) in [
        (Who::Ada, "view", "acme-1", ACME, "stranger"),
        (Who::Ada, "edit", "acme-2", ACME, "gil"),
        (Who::Ada, "use-secret", "acme-3", ACME, "org:globex"),
        (Who::Gil, "use", "globex-1", GLOBEX, "org:acme"),
        (Who::Gil, "approve", "globex-2", GLOBEX, "org:acme%23admin"),
        (Who::Ada, "view", "ada-1", "owner=ada", "mel"),
        (Who::Mel, "view", "mel-1", "owner=mel", "org:globex"),
        (Who::Stranger, "view", "stranger-1", "owner=stranger", "ada"),
    ] {
        let done = if held {
            let mut wanted =
                json!({"verb": verb, "kind": "mcpserver", "name": name, "to": subject.replace("%23", "#")});
            for pair in place.split('&') {
                let (field, value) = pair.split_once('=').unwrap();
                wanted[field] = json!(value);
            }
            people.ask(by, "POST", "/api/v1/grants", &wanted)
        } else {
            let path =
                format!("/api/v1/grants?verb={verb}&kind=mcpserver&name={name}&{place}&from={subject}");
            people.ask(by, "DELETE", &path, &Value::Null)
        };
        assert_eq!(done.status, if held { 201 } else { 200 }, "{name} to {subject}: {}", done.text());
    }
}

#[test]
fn a_list_is_what_can_be_viewed_before_and_after_grants() {
    let mut people = People::gather();
    let all = world(&mut people);
    let before = agree(&mut people, &all);
    change(&mut people, true);
    let granted = agree(&mut people, &all);
    let gained: Vec<(Who, Vec<&str>)> = before
        .iter()
        .zip(&granted)
        .map(|((who, before), (_, now))| (*who, now.difference(before).map(String::as_str).collect()))
        .collect();
    assert_eq!(
        gained,
        [
            (Who::Stranger, vec!["acme-1"]),
            (Who::Gil, vec!["acme-2", "acme-3", "mel-1"]),
            (Who::Mel, vec!["ada-1", "globex-1"]),
            (Who::Ada, vec!["globex-1", "globex-2", "stranger-1"]),
            (Who::Reader, vec!["globex-1", "globex-2", "stranger-1"]),
            (Who::Elsewhere, vec!["globex-1", "globex-2"]),
            (Who::Bound, vec![]),
            (Who::Operator, vec![]),
        ]
    );
    change(&mut people, false);
    assert_eq!(agree(&mut people, &all), before, "as before the grants");
}
