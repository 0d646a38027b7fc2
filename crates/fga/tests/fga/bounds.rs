//! Bounds: depth, steps, time and a question withdrawn. Whoever gives up never says yes.

use std::time::{Duration, Instant};

use fga::{Error, Graph, Limits, Query, Subject, Tuple, UserFilter};

use crate::asking::{DOCUMENTS, check, graph, list};

const FOLDERS: &str = "model
  schema 1.1
type user
type folder
  relations
    define parent: [folder]
    define viewer: [user] or viewer from parent
";

/// The shortest of a few runs, so that a busy machine does not count.
fn fastest(mut run: impl FnMut()) -> Duration {
    let time = |run: &mut dyn FnMut()| {
        let begun = Instant::now();
        run();
        begun.elapsed()
    };
    (0..5).map(|_| time(&mut run)).min().unwrap()
}

/// Folders each inside the next, the last one open to anne.
fn chain(length: usize) -> Graph {
    let mut graph = graph(FOLDERS, &[]);
    for number in 1..length {
        let (object, subject) = (format!("folder:{number}"), format!("folder:{}", number + 1));
        graph.insert(&Tuple::parse(&object, "parent", &subject).unwrap()).unwrap();
    }
    graph.insert(&Tuple::parse(&format!("folder:{length}"), "viewer", "user:anne").unwrap()).unwrap();
    graph
}

#[test]
fn a_path_within_the_limit_allows_and_one_beyond_it_never_does() {
    for (length, expected) in
        [(24, Ok(true)), (25, Ok(true)), (26, Err(Error::TooDeep(25))), (27, Err(Error::TooDeep(25)))]
    {
        let graph = chain(length);
        assert_eq!(check(&Query::new(&graph), "folder:1", "viewer", "user:anne"), expected, "{length}");
    }
}

#[test]
fn a_path_of_ten_thousand_ends_soon_and_never_allows() {
    let graph = chain(10_000);
    let took = fastest(|| {
        let answer = check(&Query::new(&graph), "folder:1", "viewer", "user:anne");
        assert_eq!(answer, Err(Error::TooDeep(25)));
        let reasons =
            Query::new(&graph).explain(&"folder:1".parse().unwrap(), "viewer", &"user:anne".parse().unwrap());
        assert!(reasons.unwrap_or_default().is_empty());
    });
    assert!(took < Duration::from_millis(100), "{took:?}");
    let deeper = Limits { depth: 200, ..Limits::default() };
    let answer = check(&Query::new(&graph).limits(deeper), "folder:1", "viewer", "user:anne");
    assert_eq!(answer, Err(Error::TooDeep(200)));
}

#[test]
fn a_hundred_thousand_members_beside_a_wildcard_cost_a_check_nothing() {
    let mut graph =
        graph(DOCUMENTS, &[("document:1", "viewer", "user:*"), ("document:2", "viewer", "group:1#member")]);
    for number in 0..100_000 {
        for (object, relation) in [("document:1", "viewer"), ("group:1", "member")] {
            let tuple = Tuple::parse(object, relation, &format!("user:{number}")).unwrap();
            graph.insert(&tuple).unwrap();
        }
    }
    graph.insert(&Tuple::parse("group:1", "member", "user:*").unwrap()).unwrap();
    let query = Query::new(&graph);
    let took = fastest(|| {
        for user in ["user:99999", "user:stranger", "user:*"] {
            assert_eq!(check(&query, "document:1", "reader", user), Ok(true));
            assert_eq!(check(&query, "document:2", "reader", user), Ok(true));
            assert_eq!(list(&query, "document", "reader", user), ["document:1", "document:2"]);
        }
    });
    assert!(took < Duration::from_millis(100), "{took:?}");
}

/// Levels of two folders, each of which lies in both of the next level.
fn diamond(levels: usize) -> Graph {
    let mut graph = graph(FOLDERS, &[]);
    for level in 1..levels {
        for (side, above) in [("a", "a"), ("a", "b"), ("b", "a"), ("b", "b")] {
            let (object, subject) = (format!("folder:{side}{level}"), format!("folder:{above}{}", level + 1));
            graph.insert(&Tuple::parse(&object, "parent", &subject).unwrap()).unwrap();
        }
    }
    graph
}

#[test]
fn a_diamond_of_twenty_four_levels_is_walked_once() {
    let mut graph = diamond(24);
    let took = fastest(|| {
        assert_eq!(check(&Query::new(&graph), "folder:a1", "viewer", "user:anne"), Ok(false));
    });
    assert!(took < Duration::from_millis(100), "{took:?}");
    graph.insert(&Tuple::parse("folder:b24", "viewer", "user:anne").unwrap()).unwrap();
    let took = fastest(|| {
        let query = Query::new(&graph);
        assert_eq!(check(&query, "folder:a1", "viewer", "user:anne"), Ok(true));
        assert_eq!(list(&query, "folder", "viewer", "user:anne").len(), 2 * 24 - 1);
        let users: UserFilter = "user".parse().unwrap();
        assert_eq!(query.list_users(&"folder:a1".parse().unwrap(), "viewer", &users).unwrap().len(), 1);
        assert!(
            !query
                .explain(&"folder:a1".parse().unwrap(), "viewer", &"user:anne".parse().unwrap())
                .unwrap()
                .is_empty()
        );
    });
    assert!(took < Duration::from_millis(100), "{took:?}");
}

#[test]
fn a_diamond_that_leads_back_to_its_beginning_is_bounded() {
    let mut graph = diamond(24);
    for side in ["a", "b"] {
        graph.insert(&Tuple::parse(&format!("folder:{side}24"), "parent", "folder:a1").unwrap()).unwrap();
    }
    let begun = Instant::now();
    let answer = check(&Query::new(&graph), "folder:a1", "viewer", "user:anne");
    assert!(matches!(answer, Ok(false) | Err(Error::TooManySteps(_) | Error::TooDeep(_))), "{answer:?}");
    assert!(begun.elapsed() < Duration::from_secs(20), "{:?}", begun.elapsed());
}

#[test]
fn giving_up_is_never_a_yes() {
    let tuples = [
        ("document:1", "viewer", "group:1#member"),
        ("group:1", "member", "group:2#member"),
        ("group:2", "member", "group:3#member"),
        ("group:3", "member", "user:anne"),
    ];
    let documents = graph(DOCUMENTS, &tuples);
    let folders = diamond(4);
    for bound in 0..6 {
        for limits in
            [Limits { steps: bound, ..Limits::default() }, Limits { depth: bound, ..Limits::default() }]
        {
            let query = Query::new(&documents).limits(limits);
            for relation in ["viewer", "reader"] {
                let stranger = check(&query, "document:1", relation, "user:stranger");
                assert!(!stranger.unwrap_or(false), "{relation} {limits:?}");
                let listed = query.list_objects("document", relation, &"user:stranger".parse().unwrap());
                assert!(listed.unwrap_or_default().is_empty(), "{relation} {limits:?}");
            }
            let stranger =
                check(&Query::new(&folders).limits(limits), "folder:a1", "viewer", "user:stranger");
            assert!(!stranger.unwrap_or(false), "{limits:?}");
        }
    }
    assert_eq!(check(&Query::new(&documents), "document:1", "reader", "user:anne"), Ok(true));
}

#[test]
fn a_withdrawn_question_ends() {
    let mut graph = graph(DOCUMENTS, &[]);
    for number in 0..3_000 {
        for (object, subject) in [
            ("group:1".to_owned(), format!("group:g{number}#member")),
            (format!("group:g{number}"), format!("user:{number}")),
        ] {
            graph.insert(&Tuple::parse(&object, "member", &subject).unwrap()).unwrap();
        }
        let document = format!("document:{number}");
        graph.insert(&Tuple::parse(&document, "viewer", "user:1").unwrap()).unwrap();
    }
    let withdrawn = || true;
    let query = Query::new(&graph).until(&withdrawn);
    let subject: Subject = "user:1".parse().unwrap();
    assert_eq!(query.list_objects("document", "reader", &subject), Err(Error::Cancelled));
    let users: UserFilter = "user".parse().unwrap();
    assert_eq!(query.list_users(&"group:1".parse().unwrap(), "member", &users), Err(Error::Cancelled));
    let wanted = || false;
    assert_eq!(
        Query::new(&graph).until(&wanted).list_objects("document", "reader", &subject).unwrap().len(),
        3_000
    );
    let cyclic = {
        let mut cyclic = diamond(24);
        cyclic.insert(&Tuple::parse("folder:a24", "parent", "folder:a1").unwrap()).unwrap();
        cyclic
    };
    let answer = check(&Query::new(&cyclic).until(&withdrawn), "folder:a1", "viewer", "user:anne");
    assert!(matches!(answer, Ok(false) | Err(Error::Cancelled)), "{answer:?}");
}

#[test]
fn there_are_limits_by_default() {
    let Limits { depth, steps, contextual } = Limits::default();
    assert_eq!((depth, steps, contextual), (25, 100_000, 100));
    let graph = graph(DOCUMENTS, &[]);
    let tuples: Vec<Tuple> =
        (0..101).map(|n| Tuple::parse(&format!("document:{n}"), "viewer", "user:anne").unwrap()).collect();
    assert_eq!(
        check(&Query::new(&graph).contextual(&tuples), "document:1", "viewer", "user:anne"),
        Err(Error::TooManyContextual(100))
    );
    assert_eq!(
        check(&Query::new(&graph).contextual(&tuples[..100]), "document:1", "viewer", "user:anne"),
        Ok(true)
    );
}
