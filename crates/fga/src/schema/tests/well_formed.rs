//! Arbitrary schemas that the language can write: distinct names, operators with two operands or more, brackets
//! exactly where types are listed.

use proptest::prelude::*;

use crate::schema::{
    ConditionDefinition, Form, ParameterType, RelationDefinition, Restriction, Rewrite, Schema,
    TypeDefinition,
};

fn plain_name() -> impl Strategy<Value = String> + Clone {
    let keyword = prop::sample::select(vec![
        "type",
        "model",
        "schema",
        "define",
        "relations",
        "condition",
        "but",
        "not",
    ]);
    let joining = ["and", "or", "from", "with"];
    let any =
        "[a-zA-Z_][a-zA-Z0-9_-]{0,6}".prop_filter("joins", move |name| !joining.contains(&name.as_str()));
    prop_oneof![1 => keyword.prop_map(str::to_owned), 6 => any]
}

fn name() -> impl Strategy<Value = String> + Clone {
    prop_oneof![5 => plain_name(), 1 => "[a-z]{1,3}[./][a-z0-9]{1,3}"]
}

fn restriction() -> impl Strategy<Value = Restriction> {
    let form = prop_oneof![Just(Form::Object), Just(Form::Wildcard), name().prop_map(Form::Userset)];
    (name(), form, proptest::option::of(plain_name())).prop_map(|(type_name, form, condition)| Restriction {
        type_name,
        form,
        condition,
    })
}

fn rewrite() -> impl Strategy<Value = Rewrite> {
    let leaf = prop_oneof![
        Just(Rewrite::This),
        name().prop_map(Rewrite::Computed),
        (name(), name()).prop_map(|(tupleset, computed)| Rewrite::TupleToUserset { tupleset, computed }),
    ];
    leaf.prop_recursive(5, 24, 4, |inner| {
        let operands = prop::collection::vec(inner.clone(), 2..5);
        prop_oneof![
            operands.clone().prop_map(Rewrite::Union),
            operands.prop_map(Rewrite::Intersection),
            (inner.clone(), inner).prop_map(|(base, subtract)| Rewrite::Exclusion {
                base: Box::new(base),
                subtract: Box::new(subtract)
            }),
        ]
    })
}

fn relation() -> impl Strategy<Value = RelationDefinition> {
    (name(), rewrite(), prop::collection::vec(restriction(), 1..4)).prop_map(
        |(name, rewrite, mut assignable)| {
            if rewrite.count_this() == 0 {
                assignable.clear();
            }
            RelationDefinition { name, rewrite, assignable }
        },
    )
}

fn parameter_type() -> impl Strategy<Value = ParameterType> {
    let simple = prop::sample::select(vec![
        ParameterType::Any,
        ParameterType::Bool,
        ParameterType::String,
        ParameterType::Int,
        ParameterType::Uint,
        ParameterType::Double,
        ParameterType::Duration,
        ParameterType::Timestamp,
        ParameterType::IpAddress,
    ]);
    simple.prop_recursive(3, 3, 1, |inner| {
        prop_oneof![
            inner.clone().prop_map(|items| ParameterType::Map(Box::new(items))),
            inner.prop_map(|items| ParameterType::List(Box::new(items))),
        ]
    })
}

fn expression() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "a",
        "<",
        "1",
        "{'k': 2}",
        "'}'",
        "\"{\\\"\"",
        "r'\\'",
        "b\"}\"",
        "'''\n}'''",
        "// } '\n",
        "# x",
        "\n",
        "é",
        "/",
        "r",
    ]);
    prop::collection::vec(piece, 0..8).prop_map(|pieces| pieces.join(" ").trim().to_owned())
}

fn condition() -> impl Strategy<Value = ConditionDefinition> {
    (plain_name(), prop::collection::vec((plain_name(), parameter_type()), 0..4), expression()).prop_map(
        |(name, mut parameters, expression)| {
            keep_distinct(&mut parameters, |(name, _)| name.clone());
            ConditionDefinition { name, parameters, expression }
        },
    )
}

fn type_definition() -> impl Strategy<Value = TypeDefinition> {
    (name(), prop::collection::vec(relation(), 0..4)).prop_map(|(name, mut relations)| {
        keep_distinct(&mut relations, |relation| relation.name.clone());
        TypeDefinition { name, relations }
    })
}

/// Any schema that the language can write.
pub(super) fn schema() -> impl Strategy<Value = Schema> {
    (prop::collection::vec(type_definition(), 0..4), prop::collection::vec(condition(), 0..3)).prop_map(
        |(types, mut conditions)| {
            keep_distinct(&mut conditions, |condition| condition.name.clone());
            Schema { types, conditions }
        },
    )
}

fn keep_distinct<T>(items: &mut Vec<T>, name: impl Fn(&T) -> String) {
    let mut seen = std::collections::HashSet::new();
    items.retain(|item| seen.insert(name(item)));
}
