//! What holds for every directory, caller and resource.

use access::{Action, Caller, Directory, Reach, Settings, Target, Tuple, Within, decide, explain, visible};
use model::{Change, Changes, Key, Kind, Record, RecordChange, Revision, Scope};
use proptest::prelude::*;

use crate::world::{base, grant, key, members, name, object, org, person, record, to};

const PEOPLE: [&str; 5] = ["root", "ada", "mel", "gil", "stranger"];

fn scope() -> impl Strategy<Value = Scope> {
    prop_oneof![
        Just(Scope::Platform),
        prop::sample::select(vec!["acme", "globex", "ghost"]).prop_map(|text| Scope::Organization(org(text))),
        prop::sample::select(PEOPLE.to_vec()).prop_map(|text| Scope::IdentityAccount(name(text))),
    ]
}

fn resource() -> impl Strategy<Value = Key> {
    (prop::sample::select(Kind::ALL.to_vec()), scope(), prop::sample::select(vec!["a", "b"]))
        .prop_map(|(kind, scope, text)| key(kind, scope, text))
}

fn granted() -> impl Strategy<Value = Tuple> {
    let relation = prop::sample::select(vec!["viewer", "editor", "approver", "secret_user"]);
    let subject = prop_oneof![
        prop::sample::select(PEOPLE.to_vec()).prop_map(to),
        prop::sample::select(vec!["acme", "globex"]).prop_map(members),
    ];
    (resource(), relation, subject)
        .prop_map(|(key, relation, subject)| grant(object(&key), relation, subject))
}

fn caller() -> impl Strategy<Value = Caller> {
    let within = prop_oneof![
        3 => Just(Within::Everything),
        1 => prop::sample::select(vec!["acme", "globex"]).prop_map(|text| Within::Organization(org(text))),
        1 => scope().prop_map(|scope| Within::Agent(access::AgentAddress::of(&key(Kind::Agent, scope, "a")))),
    ];
    (prop::sample::select(PEOPLE.to_vec()), any::<bool>(), within)
        .prop_map(|(who, read_only, within)| Caller { reach: Reach { read_only, within }, ..person(who) })
}

fn load(tuples: &[Tuple]) -> Directory {
    let records: Vec<Record> = base().into_iter().chain(tuples.iter().map(record)).collect();
    Directory::load(Settings { personal_spawn: true }, &records, Revision(1))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn what_is_visible_is_exactly_what_may_be_viewed(
        tuples in prop::collection::vec(granted(), 0..8),
        caller in caller(),
        keys in prop::collection::vec(resource(), 1..12),
    ) {
        let directory = load(&tuples);
        for key in keys {
            let seen = visible(&directory, &caller, key.kind).admits(&key);
            let viewed = decide(&directory, &caller, Action::View, Target::Resource(key.clone())).is_ok();
            // A kind that cannot live in a scope has nothing there to list.
            if key.kind.allows(key.scope.name()) {
                prop_assert_eq!(seen, viewed, "{:?} {}", caller, key);
            }
        }
    }

    #[test]
    fn a_narrowed_credential_only_narrows(
        tuples in prop::collection::vec(granted(), 0..8),
        caller in caller(),
        key in resource(),
        action in prop::sample::select(Action::ALL.to_vec()),
    ) {
        let directory = load(&tuples);
        let whole = Caller { reach: Reach::default(), ..caller.clone() };
        let target = Target::Resource(key);
        if decide(&directory, &caller, action, target.clone()).is_ok() {
            prop_assert!(decide(&directory, &whole, action, target).is_ok());
        }
    }

    #[test]
    fn whoever_may_do_anything_may_see_it_and_every_yes_has_a_reason(
        tuples in prop::collection::vec(granted(), 0..8),
        who in prop::sample::select(PEOPLE.to_vec()),
        key in resource(),
        action in prop::sample::select(Action::ALL.to_vec()),
    ) {
        let directory = load(&tuples);
        let target = Target::Resource(key);
        let may = decide(&directory, &person(who), action, target.clone()).is_ok();
        if may {
            prop_assert!(decide(&directory, &person(who), Action::View, target.clone()).is_ok());
        }
        prop_assert_eq!(explain(&directory, &name(who), action, &target).is_empty(), !may);
    }

    #[test]
    fn applying_a_history_in_pieces_equals_loading_it(
        tuples in prop::collection::vec((granted(), any::<bool>()), 0..20),
        keys in prop::collection::vec(resource(), 1..6),
    ) {
        let mut followed = load(&[]);
        let mut kept: Vec<Tuple> = Vec::new();
        for (revision, (tuple, held)) in (2..).zip(&tuples) {
            let written = record(tuple);
            kept.retain(|known| known != tuple);
            if *held {
                kept.push(tuple.clone());
            }
            let change = RecordChange {
                collection: written.collection,
                id: written.id,
                body: held.then_some(written.body),
            };
            followed = followed.apply(&Changes { revision: Revision(revision), changes: vec![Change::Record(change)] });
        }
        let loaded = load(&kept);
        for key in keys {
            for who in PEOPLE {
                for action in [Action::View, Action::Edit, Action::Approve, Action::UseSecret] {
                    let ask = |directory: &Directory| {
                        decide(directory, &person(who), action, Target::Resource(key.clone())).is_ok()
                    };
                    prop_assert_eq!(ask(&followed), ask(&loaded), "{} {:?} {}", who, action, key);
                }
            }
        }
    }
}
