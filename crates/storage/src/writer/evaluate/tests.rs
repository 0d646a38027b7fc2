//! Random sequences of writes do to a view what a plain map and a few lines of rules say they should.

use std::collections::{BTreeMap, BTreeSet};

use model::{Body, Collection, Key, Kind, Mention, Reference, Revision, Scope, Timestamp};
use proptest::prelude::*;

use super::evaluate;
use crate::keyring::Keys;
use crate::writer::view::View;
use crate::{Actor, CommitError, Edit, Expected, Presence, Put, RecordEdit, Write};

/// What the plain model knows of a resource: its value, its revision and the servers it names.
type Resources = BTreeMap<Key, (u8, i64, Vec<String>)>;

/// What it knows of a record: what it belongs to, its value and its revision.
type Records = BTreeMap<String, (Option<Key>, u8, i64)>;

#[derive(Clone, Default)]
struct Plain {
    resources: Resources,
    records: Records,
    /// Whether the last write changed anything.
    changed: bool,
}

#[derive(Clone, Debug)]
enum Step {
    Put { key: Key, value: u8, uses: Vec<String>, expected: Expected },
    Delete { key: Key, expected: Expected, force: bool },
    Record { id: String, belongs: Option<Key>, value: Option<u8>, expected: Presence },
}

fn names() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c"]).prop_map(str::to_owned)
}

fn keys() -> impl Strategy<Value = Key> {
    let scopes = vec![
        Scope::Platform,
        Scope::Organization("acme".parse().unwrap()),
        Scope::IdentityAccount("alice".parse().unwrap()),
    ];
    let kinds = vec![Kind::McpServer, Kind::McpServer, Kind::Agent];
    (prop::sample::select(kinds), names(), prop::sample::select(scopes)).prop_map(|(kind, name, scope)| Key {
        kind,
        name: name.parse().unwrap(),
        scope,
    })
}

fn expectations() -> impl Strategy<Value = Expected> {
    prop_oneof![
        6 => Just(Expected::Any),
        1 => Just(Expected::Absent),
        1 => (0_i64..12).prop_map(|revision| Expected::Base(Revision(revision))),
        1 => (0_i64..12).prop_map(|revision| Expected::Exactly(Revision(revision))),
    ]
}

fn steps() -> impl Strategy<Value = Step> {
    prop_oneof![
        3 => (keys(), 0_u8..3, prop::collection::vec(names(), 0..3), expectations()).prop_map(
            |(key, value, uses, expected)| {
                let uses = if key.kind == Kind::Agent { uses } else { vec![] };
                Step::Put { key, value, uses, expected }
            }
        ),
        2 => (keys(), expectations(), any::<bool>())
            .prop_map(|(key, expected, force)| Step::Delete { key, expected, force }),
        3 => (names(), prop::option::of(keys()), prop::option::weighted(0.8, 0_u8..2), presences()).prop_map(
            |(id, belongs, value, expected)| Step::Record { id, belongs, value, expected }
        ),
    ]
}

fn presences() -> impl Strategy<Value = Presence> {
    prop_oneof![6 => Just(Presence::Any), 1 => Just(Presence::Absent), 1 => Just(Presence::Present)]
}

fn mentions(uses: &[String]) -> Vec<Mention> {
    let each = uses.iter().enumerate().map(|(index, name)| Mention {
        path: format!("spec.servers[{index}]"),
        kind: Kind::McpServer,
        reference: Reference::bare(name.parse().unwrap()),
    });
    each.collect()
}

fn edit(step: &Step) -> Edit {
    match step.clone() {
        Step::Delete { key, expected, force } => Edit::Delete { key, expected, force },
        Step::Record { id, belongs, value, expected } => {
            let body = value.map(serde_json::Value::from);
            Edit::Record(RecordEdit { collection: Collection::Tuple, id, belongs, body, expected })
        }
        Step::Put { key, value, uses, expected } => Edit::Put(Box::new(Put {
            key,
            body: Body { spec: serde_json::json!({"value": value, "uses": uses}), ..Body::default() },
            tags: vec![],
            search: String::new(),
            mentions: mentions(&uses),
            secrets: BTreeMap::new(),
            expected,
            compares_secrets: true,
        })),
    }
}

/// The rules once more, as plainly as possible; the state after, or nothing if the write is refused.
fn plainly(before: &Plain, steps: &[Step], next: i64, strict: bool) -> Option<Plain> {
    let mut state = Plain { changed: false, ..before.clone() };
    for step in steps {
        take(&mut state, step, next)?;
    }
    let Plain { resources, .. } = &state;
    let unforced = steps.iter().filter_map(|step| match step {
        Step::Delete { key, force: false, .. } if !resources.contains_key(key) => Some(key),
        _ => None,
    });
    for gone in unforced {
        if resources.iter().any(|(by, held)| held.2.iter().any(|name| means(resources, by, name, gone))) {
            return None;
        }
    }
    let orphan = |step: &Step| matches!(step, Step::Record { belongs: Some(key), value: Some(_), .. } if !resources.contains_key(key));
    let dangles =
        |by: &Key, name: &String| !candidates(by, name).iter().any(|key| resources.contains_key(key));
    let any_dangles = steps.iter().any(|step| match step {
        Step::Put { key, uses, .. } if resources.contains_key(key) => {
            uses.iter().any(|name| dangles(key, name))
        }
        _ => false,
    });
    (!steps.iter().any(orphan) && (!strict || !any_dangles)).then_some(state)
}

/// What one step does to the state; nothing if it is refused.
fn take(state: &mut Plain, step: &Step, next: i64) -> Option<()> {
    match step {
        Step::Put { key, value, uses, expected } => {
            let stored = state.resources.get(key);
            if *expected == Expected::Absent && stored.is_some() {
                return None;
            }
            if stored.is_some_and(|stored| (stored.0, &stored.2) == (*value, uses)) {
                return Some(());
            }
            if !allowed(*expected, stored.map(|stored| stored.1)) {
                return None;
            }
            state.resources.insert(key.clone(), (*value, next, uses.clone()));
        }
        Step::Delete { key, expected, .. } => {
            if !allowed(*expected, Some(state.resources.get(key)?.1)) {
                return None;
            }
            state.resources.remove(key);
            state.records.retain(|_, (belongs, ..)| belongs.as_ref() != Some(key));
        }
        Step::Record { id, belongs, value, expected } => {
            let stored = state.records.get(id);
            let refused = if stored.is_some() { Presence::Absent } else { Presence::Present };
            if *expected == refused {
                return None;
            }
            if stored.map(|stored| (&stored.0, stored.1)) == value.map(|value| (belongs, value)) {
                return Some(());
            }
            match value {
                Some(value) => drop(state.records.insert(id.clone(), (belongs.clone(), *value, next))),
                None => drop(state.records.remove(id)),
            }
        }
    }
    state.changed = true;
    Some(())
}

fn allowed(expected: Expected, stored: Option<i64>) -> bool {
    match expected {
        Expected::Any => true,
        Expected::Absent => stored.is_none(),
        Expected::Base(Revision(base)) => stored.is_none_or(|stored| stored == base),
        Expected::Exactly(Revision(exactly)) => stored == Some(exactly),
    }
}

fn candidates(by: &Key, name: &str) -> Vec<Key> {
    let at = |scope| Key { kind: Kind::McpServer, name: name.parse().unwrap(), scope };
    match by.scope.clone() {
        Scope::Platform => vec![at(Scope::Platform)],
        own => vec![at(own), at(Scope::Platform)],
    }
}

fn means(state: &Resources, by: &Key, name: &str, gone: &Key) -> bool {
    let first = candidates(by, name).into_iter().find(|key| key == gone || state.contains_key(key));
    first.as_ref() == Some(gone)
}

/// A view that knows of everything, as if all had been loaded.
fn view() -> View {
    let mut view = View::default();
    for kind in [Kind::McpServer, Kind::Agent] {
        for name in ["a", "b", "c"] {
            view.watch_target((kind, name.parse().unwrap()));
        }
    }
    view
}

proptest! {
    #[test]
    fn evaluation_equals_the_plain_rules(
        writes in prop::collection::vec((prop::collection::vec(steps(), 1..5), any::<bool>()), 1..25)
    ) {
        let keys = Keys::generate();
        let (mut view, mut plain, mut current) = (view(), Plain::default(), Revision(0));
        let mut touched = BTreeSet::new();
        for (steps, strict) in writes {
            let actor = Actor { account: "alice".parse().unwrap(), via: "test".to_owned() };
            let edits: Vec<Edit> = steps.iter().map(edit).collect();
            touched.extend(edits.iter().filter_map(Edit::key).cloned());
            let write = Write { actor, at: Timestamp::from_millis(1), edits, strict, decided_at: None };
            let decided = evaluate(&mut view, &write, current, &keys);
            let expected = plainly(&plain, &steps, current.0 + 1, strict);
            prop_assert_eq!(decided.is_ok(), expected.is_some(), "{:?}: {:?}", steps, decided);
            if let (Ok(decision), Some(state)) = (decided, expected) {
                prop_assert_eq!(decision.committed.revision.0, current.0 + i64::from(state.changed));
                current = decision.committed.revision;
                plain = state;
            }
            for key in &touched {
                let held = view.get(key).map(|held| held.stored.revision.0);
                prop_assert_eq!(held, plain.resources.get(key).map(|plain| plain.1), "{}", key);
            }
            for id in ["a", "b", "c"] {
                let held = view.records().get(&(Collection::Tuple, id.to_owned()));
                let held = held.map(|held| (held.belongs.clone(), held.text.clone(), held.revision.0));
                let plain = plain.records.get(id);
                prop_assert_eq!(held, plain.map(|plain| (plain.0.clone(), plain.1.to_string(), plain.2)));
            }
        }
    }
}

#[test]
fn a_refused_write_leaves_the_view_as_it_was() {
    let keys = Keys::generate();
    let mut view = view();
    let key = |name: &str| Key { kind: Kind::McpServer, name: name.parse().unwrap(), scope: Scope::Platform };
    let put = |name| edit(&Step::Put { key: key(name), value: 1, uses: vec![], expected: Expected::Any });
    let gone = edit(&Step::Delete { key: key("b"), expected: Expected::Any, force: false });
    let actor = Actor { account: "alice".parse().unwrap(), via: "test".to_owned() };
    let write = Write {
        actor,
        at: Timestamp::from_millis(1),
        edits: vec![put("a"), gone],
        strict: false,
        decided_at: None,
    };
    let refused = evaluate(&mut view, &write, Revision(4), &keys);
    assert_eq!(refused, Err(CommitError::NotFound { key: key("b") }));
    assert!(!view.exists(&key("a")));
    assert_eq!(view.differences().count(), 0);
}
