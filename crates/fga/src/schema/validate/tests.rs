//! One case for each rule, and for what each rule must let pass.

use crate::schema::{MAX_TYPES, RelationDefinition, Rewrite, Schema, TypeDefinition};

fn problems(rest: &str) -> Vec<String> {
    let schema = Schema::parse(&format!("model\nschema 1.1\n{rest}"))
        .unwrap_or_else(|error| panic!("{error}\n{rest}"));
    schema.problems().iter().map(ToString::to_string).collect()
}

/// The problems of a model with users, groups, and documents whose relations are given.
fn of_document(definitions: &str) -> Vec<String> {
    problems(&format!(
        "type user\ntype group\nrelations\ndefine member: [user, group#member]\n\
         type document\nrelations\n{definitions}"
    ))
}

fn in_document(relation: &str, message: &str) -> String {
    format!("relation `{relation}` of type `document`: {message}")
}

const LOOP: &str = "it is computed from itself";
const CLOSED: &str = "no one can ever have it: every way in leads back to where it began";

#[test]
fn valid_definitions_have_no_problems() {
    for definitions in [
        "define a: [user]",
        "define a: [user:*, group#member]",
        "define a: [user, document#a]",
        "define a: [user] or b\ndefine b: [user] or c\ndefine c: [group#member]",
        "define parent: [document]\ndefine a: [user] or a from parent",
        "define parent: [document, group]\ndefine a: member from parent",
        "define parent: [document, user]\ndefine a: [user] or (a from parent and b)\ndefine b: [user]",
        "define a: b but not c\ndefine b: [user]\ndefine c: [document#a, user]",
        "define a: [document#b, user]\ndefine b: [document#a]",
        "define a: [user] and [user]",
    ] {
        assert_eq!(of_document(definitions), [""; 0], "{definitions}");
    }
}

#[test]
fn names_are_given_once_and_not_reserved() {
    let long_type = "t".repeat(255);
    let long_relation = "r".repeat(51);
    for (rest, expected) in [
        ("type a\ntype a".to_owned(), "type `a`: defined twice".to_owned()),
        ("type self".to_owned(), "type `self`: the name is reserved".to_owned()),
        ("type this".to_owned(), "type `this`: the name is reserved".to_owned()),
        (
            format!("type {long_type}"),
            format!("type `{long_type}`: the name has 255 characters, more than the 254 allowed"),
        ),
        (
            "type a\nrelations\ndefine b: [a]\ndefine b: [a]".to_owned(),
            "relation `b` of type `a`: defined twice".to_owned(),
        ),
        (
            "type a\nrelations\ndefine self: [a]".to_owned(),
            "relation `self` of type `a`: the name is reserved".to_owned(),
        ),
        (
            format!("type a\nrelations\ndefine {long_relation}: [a]"),
            format!(
                "relation `{long_relation}` of type `a`: the name has 51 characters, more than the 50 allowed"
            ),
        ),
    ] {
        assert_eq!(problems(&rest), [expected]);
    }
    assert_eq!(
        problems(&format!(
            "type {}\nrelations\ndefine {}: [user]\ntype user",
            &long_type[1..],
            &long_relation[1..]
        )),
        [""; 0]
    );
}

#[test]
fn names_from_json_hold_no_signs() {
    for (name, fault) in [
        ("", "the name is empty"),
        ("a:b", "the name may not hold `:`"),
        ("a#b", "the name may not hold `#`"),
        ("a@b", "the name may not hold `@`"),
        ("a*", "the name may not hold `*`"),
        ("a b", "the name may not hold ` `"),
        ("a\n", "the name may not hold `\\n`"),
    ] {
        let schema = Schema {
            types: vec![TypeDefinition { name: name.to_owned(), relations: Vec::new() }],
            ..Schema::default()
        };
        let messages: Vec<_> = schema.problems().into_iter().map(|problem| problem.message).collect();
        assert_eq!(messages, [fault], "{name:?}");
    }
}

#[test]
fn a_model_has_at_least_one_type_and_not_too_many() {
    assert_eq!(problems(""), ["a model needs at least one type"]);
    let types =
        |count: usize| (0..count).fold(String::new(), |text, number| format!("{text}type t{number}\n"));
    assert_eq!(problems(&types(MAX_TYPES)), [""; 0]);
    assert_eq!(problems(&types(MAX_TYPES + 1)), ["the model has 101 types, more than the 100 allowed"]);
}

#[test]
fn what_is_referred_to_exists() {
    for (definitions, relation, message) in [
        ("define a: [person]", "a", "`person` is not a type"),
        ("define a: [person:*]", "a", "`person` is not a type"),
        ("define a: [person#member]", "a", "`person` is not a type"),
        ("define a: [group#owner]", "a", "`owner` is not a relation of type `group`"),
        ("define a: [user with late]", "a", "`late` is not a condition"),
        ("define a: [user, user]", "a", "`user` is listed twice"),
        ("define a: [user] or b", "a", "`b` is not a relation of this type"),
        ("define a: [user] but not b", "a", "`b` is not a relation of this type"),
        ("define a: member from b", "a", "`b`, after `from`, is not a relation of this type"),
        (
            "define p: [user]\ndefine a: member from p",
            "a",
            "no type that `p` points to has a relation `member`",
        ),
        (
            "define p: [group] or q\ndefine q: [group]\ndefine a: member from p",
            "p",
            "it stands after a `from`, so it must be brackets alone",
        ),
        (
            "define p: [group, group:*]\ndefine a: member from p",
            "p",
            "it stands after a `from`, so it may list only types, not `group:*`",
        ),
        (
            "define p: [group, group#member]\ndefine a: [user] or (member from p and [user])",
            "p",
            "it stands after a `from`, so it may list only types, not `group#member`",
        ),
    ] {
        assert_eq!(of_document(definitions), [in_document(relation, message)], "{definitions}");
    }
    assert_eq!(
        of_document("define q: [group]\ndefine p: q\ndefine a: member from p"),
        [
            in_document("p", "it stands after a `from`, so it must be brackets alone"),
            in_document("a", "no type that `p` points to has a relation `member`"),
        ]
    );
}

#[test]
fn brackets_and_their_list_belong_together() {
    let mut schema =
        Schema::parse("model\nschema 1.1\ntype a\nrelations\ndefine b: [a]\ndefine c: b").unwrap();
    let relations = &mut schema.types[0].relations;
    relations[1].assignable = std::mem::take(&mut relations[0].assignable);
    let empty = Rewrite::Union(Vec::new());
    relations.push(RelationDefinition { name: "d".to_owned(), rewrite: empty, assignable: Vec::new() });
    let found: Vec<_> = schema.problems().iter().map(ToString::to_string).collect();
    assert_eq!(
        found,
        [
            "relation `b` of type `a`: the brackets list no type",
            "relation `c` of type `a`: it lists types, but no tuple can assign it",
            "relation `d` of type `a`: an operator has no operands",
            &format!("relation `d` of type `a`: {CLOSED}"),
        ]
    );
}

#[test]
fn every_relation_has_a_way_in() {
    for (definitions, closed) in [
        ("define a: [document#a]", &["a"][..]),
        ("define a: [document#b]\ndefine b: [document#a]", &["a", "b"]),
        ("define p: [document]\ndefine a: a from p", &["a"]),
        ("define p: [document]\ndefine a: [document#a] or a from p", &["a"]),
        ("define p: [document]\ndefine a: [user] and a from p", &["a"]),
        ("define p: [document]\ndefine a: [user] but not a from p", &["a"]),
        ("define p: [document]\ndefine a: b from p\ndefine b: a from p", &["a", "b"]),
        ("define a: [document#a]\ndefine b: a\ndefine c: [user] or b", &["a", "b"]),
        ("define a: [document#a]\ndefine b: [user] and a", &["a", "b"]),
    ] {
        let expected: Vec<_> = closed.iter().map(|relation| in_document(relation, CLOSED)).collect();
        assert_eq!(of_document(definitions), expected, "{definitions}");
    }
}

#[test]
fn no_relation_is_computed_from_itself() {
    for (definitions, looping) in [
        ("define a: a", &["a"][..]),
        ("define a: [user] or a", &["a"]),
        ("define a: [user] but not a", &["a"]),
        ("define a: b\ndefine b: a", &["a", "b"]),
        (
            "define a: [user] or b\ndefine b: [user] and (c or [user])\ndefine c: [user] but not a",
            &["a", "b", "c"],
        ),
        ("define a: [user] or b\ndefine b: [user] or b", &["b"]),
        ("define a: [user] or a\ndefine b: [user] or a", &["a"]),
    ] {
        let expected: Vec<_> = looping.iter().map(|relation| in_document(relation, LOOP)).collect();
        assert_eq!(of_document(definitions), expected, "{definitions}");
    }
    assert_eq!(
        of_document("define a: b\ndefine b: a\ndefine c: a"),
        [in_document("a", LOOP), in_document("b", LOOP), in_document("c", CLOSED)]
    );
}

#[test]
fn conditions_are_distinct_and_used() {
    let used = "type user\nrelations\ndefine a: [user with c, user]\n";
    for (conditions, expected) in [
        ("condition c(a: int) { a > 0 }", &[][..]),
        ("condition c(a: int) { a > 0 }\ncondition c(a: int) { a > 0 }", &["condition `c`: defined twice"]),
        (
            "condition c(a: int) { true }\ncondition d(a: int) { true }",
            &["condition `d`: no relation uses it"],
        ),
        ("condition c(a: int, a: string) { true }", &["condition `c`: parameter `a` is declared twice"]),
        ("condition c(a: int) { }", &["condition `c`: the expression is empty"]),
    ] {
        assert_eq!(problems(&format!("{used}{conditions}")), expected, "{conditions}");
    }
}

#[test]
fn all_problems_come_at_once() {
    assert_eq!(
        of_document("define a: b\ndefine this: [nobody]\ncondition c() { true }"),
        [
            in_document("this", "the name is reserved"),
            in_document("a", "`b` is not a relation of this type"),
            in_document("this", "`nobody` is not a type"),
            "condition `c`: no relation uses it".to_owned(),
        ]
    );
}

#[test]
fn a_long_chain_written_backwards_has_a_way_in() {
    let chain = (1..8000).rev().fold("define r0: [user]".to_owned(), |text, number| {
        format!("define r{number}: r{}\n{text}", number - 1)
    });
    assert_eq!(problems(&format!("type user\nrelations\n{chain}")), [""; 0]);
}

#[test]
fn very_many_problems_are_counted_and_not_all_shown() {
    let definitions =
        (0..105).fold(String::new(), |text, number| format!("{text}define r{number}: [nobody]\n"));
    let found = of_document(&definitions);
    assert_eq!(found.len(), 101);
    assert_eq!(found[99], in_document("r99", "`nobody` is not a type"));
    assert_eq!(found[100], "5 more problems are not shown");
}
