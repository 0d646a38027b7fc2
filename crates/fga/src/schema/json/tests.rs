//! The JSON of each form, and the place and message of each refusal.

use serde_json::{Value, json};

use crate::schema::{Form, MAX_NESTING, Rewrite, Schema};

fn with_relation(rewrite: &Value) -> Value {
    json!({ "schema_version": "1.1", "type_definitions": [
        { "type": "user" },
        { "type": "doc", "relations": { "viewer": rewrite },
          "metadata": { "relations": { "viewer": { "directly_related_user_types": [] } } } },
    ] })
}

fn with_restriction(restriction: &Value) -> Value {
    let mut model = with_relation(&json!({ "this": {} }));
    model["type_definitions"][1]["metadata"]["relations"]["viewer"]["directly_related_user_types"] =
        json!([restriction]);
    model
}

fn with_condition(condition: &Value) -> Value {
    json!({ "schema_version": "1.1", "type_definitions": [], "conditions": { "c": condition } })
}

fn refusal(value: &Value) -> String {
    Schema::from_json(value).expect_err("the value is not a model").to_string()
}

#[test]
fn a_model_has_the_json_that_openfga_gives_it() {
    let text = "model\nschema 1.1\ntype user\ntype doc\nrelations\ndefine parent: [doc]\n\
                define viewer: [user, user:*, doc#viewer with c] or (viewer from parent and parent)\n\
                define b: viewer but not parent\ncondition c(a: int, m: map<string>) { a > 1 }";
    let expected = json!({
        "schema_version": "1.1",
        "type_definitions": [
            { "type": "user", "relations": {}, "metadata": null },
            {
                "type": "doc",
                "relations": {
                    "parent": { "this": {} },
                    "viewer": { "union": { "child": [
                        { "this": {} },
                        { "intersection": { "child": [
                            { "tupleToUserset": {
                                "tupleset": { "relation": "parent" },
                                "computedUserset": { "relation": "viewer" },
                            } },
                            { "computedUserset": { "relation": "parent" } },
                        ] } },
                    ] } },
                    "b": { "difference": {
                        "base": { "computedUserset": { "relation": "viewer" } },
                        "subtract": { "computedUserset": { "relation": "parent" } },
                    } },
                },
                "metadata": { "relations": {
                    "parent": { "directly_related_user_types": [{ "type": "doc" }] },
                    "viewer": { "directly_related_user_types": [
                        { "type": "user" },
                        { "type": "user", "wildcard": {} },
                        { "type": "doc", "relation": "viewer", "condition": "c" },
                    ] },
                    "b": { "directly_related_user_types": [] },
                } },
            },
        ],
        "conditions": { "c": {
            "name": "c",
            "expression": "a > 1",
            "parameters": {
                "a": { "type_name": "TYPE_NAME_INT" },
                "m": { "type_name": "TYPE_NAME_MAP", "generic_types": [{ "type_name": "TYPE_NAME_STRING" }] },
            },
        } },
    });
    let schema = Schema::parse(text).unwrap();
    assert_eq!(schema.to_json().to_string(), expected.to_string(), "also in order");
    assert_eq!(Schema::from_json(&expected), Ok(schema));
}

#[test]
fn what_openfga_adds_for_itself_is_ignored() {
    let source_info = json!({ "file": "a.fga" });
    let value = json!({
        "id": "01J",
        "schema_version": "1.1",
        "type_definitions": [{
            "type": "doc",
            "relations": { "a": { "computedUserset": { "object": "", "relation": "b" } }, "b": { "this": {} } },
            "metadata": {
                "module": "core",
                "source_info": source_info,
                "relations": { "b": {
                    "directly_related_user_types": [{ "type": "doc", "relation": "", "condition": "" }],
                    "module": "core",
                    "source_info": null,
                } },
            },
        }],
        "conditions": { "c": {
            "name": "c",
            "expression": "\n a \n",
            "parameters": { "a": { "type_name": "TYPE_NAME_ANY", "generic_types": [] } },
            "metadata": { "module": "core", "source_info": source_info },
        } },
    });
    let schema = Schema::from_json(&value).unwrap();
    let relations = &schema.types[0].relations;
    assert_eq!(relations[0].rewrite, Rewrite::Computed("b".to_owned()));
    assert_eq!(
        (&relations[1].assignable[0].form, &relations[1].assignable[0].condition),
        (&Form::Object, &None)
    );
    assert_eq!(schema.conditions[0].expression, "a");
}

#[test]
fn several_this_share_one_list() {
    let value = with_restriction(&json!({ "type": "user" }));
    let mut schema = Schema::from_json(&value).unwrap();
    schema.types[1].relations[0].rewrite = Rewrite::Union(vec![Rewrite::This, Rewrite::This]);
    assert_eq!(Schema::from_json(&schema.to_json()), Ok(schema.clone()));
    assert_eq!(Schema::parse(&schema.to_dsl()), Ok(schema));
}

#[test]
fn a_refusal_names_the_place() {
    let viewer = "type_definitions[1].relations.viewer";
    let one_of = "expected exactly one of `this`, `computedUserset`, `tupleToUserset`, `union`, `intersection` \
                  and `difference`";
    let restrictions = "type_definitions[1].metadata.relations.viewer.directly_related_user_types[0]";
    for (value, message) in [
        (json!([]), "model: expected an object, found a list".to_owned()),
        (json!({}), "model: `schema_version` is missing".to_owned()),
        (json!({ "schema_version": 1.1 }), "schema_version: expected text, found a number".to_owned()),
        (
            json!({ "schema_version": "1.2" }),
            "schema_version: expected `1.1`, the only version supported".to_owned(),
        ),
        (json!({ "schema_version": "1.1", "types": [] }), "types: unknown field".to_owned()),
        (
            json!({ "schema_version": "1.1", "type_definitions": [{}] }),
            "type_definitions[0]: `type` is missing".to_owned(),
        ),
        (with_relation(&json!({})), format!("{viewer}: {one_of}")),
        (with_relation(&json!({ "this": {}, "union": {} })), format!("{viewer}: {one_of}")),
        (with_relation(&json!({ "self": {} })), format!("{viewer}.self: unknown field")),
        (with_relation(&json!({ "this": 1 })), format!("{viewer}.this: expected an object, found a number")),
        (
            with_relation(&json!({ "computedUserset": {} })),
            format!("{viewer}.computedUserset: `relation` is missing"),
        ),
        (
            with_relation(&json!({ "tupleToUserset": { "tupleset": { "relation": "a" } } })),
            format!("{viewer}.tupleToUserset: `computedUserset` is missing"),
        ),
        (
            with_relation(&json!({ "union": { "child": [] } })),
            format!("{viewer}.union.child: expected at least one operand"),
        ),
        (
            with_relation(&json!({ "union": { "child": [{ "this": {} }, true] } })),
            format!("{viewer}.union.child[1]: expected an object, found a boolean"),
        ),
        (
            with_relation(&json!({ "difference": { "base": { "this": {} } } })),
            format!("{viewer}.difference: `subtract` is missing"),
        ),
        (with_restriction(&json!({ "relation": "a" })), format!("{restrictions}: `type` is missing")),
        (
            with_restriction(&json!({ "type": "a", "relation": "b", "wildcard": {} })),
            format!("{restrictions}: `relation` and `wildcard` exclude each other"),
        ),
        (
            json!({ "schema_version": "1.1", "type_definitions": [
                { "type": "a", "metadata": { "relations": { "b": {} } } }
            ] }),
            "type_definitions[0].metadata.relations.b: the type has no such relation".to_owned(),
        ),
    ] {
        assert_eq!(refusal(&value), message, "{value}");
    }
}

#[test]
fn a_refused_condition_is_named() {
    for (condition, message) in [
        (json!({}), "conditions.c: `expression` is missing"),
        (
            json!({ "name": "d", "expression": "" }),
            "conditions.c.name: expected `c`, the key it stands under",
        ),
        (
            json!({ "expression": "true } condition d() { true" }),
            "conditions.c.expression: a brace or a string of the expression is not closed",
        ),
        (
            json!({ "expression": "a", "parameters": { "a": { "type_name": "INT" } } }),
            "conditions.c.parameters.a.type_name: unknown parameter type",
        ),
        (
            json!({ "expression": "a", "parameters": { "a": { "type_name": "TYPE_NAME_LIST" } } }),
            "conditions.c.parameters.a: this type takes exactly one of `generic_types`",
        ),
        (
            json!({ "expression": "a", "parameters": {
                "a": { "type_name": "TYPE_NAME_INT", "generic_types": [{ "type_name": "TYPE_NAME_INT" }] }
            } }),
            "conditions.c.parameters.a: this type takes no `generic_types`",
        ),
    ] {
        assert_eq!(refusal(&with_condition(&condition)), message, "{condition}");
    }
}

#[test]
fn json_nests_as_deep_as_the_language_and_no_deeper() {
    let nested = |depth: usize| {
        let leaf = json!({ "computedUserset": { "relation": "a" } });
        let rewrite =
            (0..depth).fold(leaf.clone(), |inner, _| json!({ "union": { "child": [inner, leaf] } }));
        Schema::from_json(&with_relation(&rewrite))
    };
    let deepest = nested(MAX_NESTING + 1).unwrap();
    assert_eq!(Schema::parse(&deepest.to_dsl()), Ok(deepest));
    let error = nested(MAX_NESTING + 2).unwrap_err();
    assert_eq!(error.message, "operators nest more than 64 deep");
}

#[test]
fn a_long_list_used_very_often_is_refused() {
    let mut value = with_relation(&json!({ "union": { "child": vec![json!({ "this": {} }); 600] } }));
    value["type_definitions"][1]["metadata"]["relations"]["viewer"]["directly_related_user_types"] =
        json!(vec![json!({ "type": "user" }); 600]);
    let message = refusal(&value);
    assert!(message.ends_with("viewer: the list is too long for the times it is used"), "{message}");
}
