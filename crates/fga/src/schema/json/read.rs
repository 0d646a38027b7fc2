//! Reads a model from JSON; its expressions end where they should, and it nests no deeper than the language may.

use std::collections::HashMap;

use serde_json::Value;

use super::node::Node;
use super::{JsonError, TYPE_NAME, VERSION};
use crate::schema::braces::is_balanced;
use crate::schema::{
    ConditionDefinition, Form, MAX_NESTING, MAX_TEXT, ParameterType, RelationDefinition, Restriction,
    Rewrite, Schema, TypeDefinition,
};

impl Schema {
    /// Reads a model in OpenFGA's JSON form. Whether it makes sense is for `problems` to say.
    pub fn from_json(value: &Value) -> Result<Self, JsonError> {
        let model = Node::root(value);
        model.known(&["schema_version", "type_definitions", "conditions"])?;
        let version = model.required("schema_version")?;
        if version.text()? != VERSION {
            return Err(version.error(format!("expected `{VERSION}`, the only version supported")));
        }
        let list = model.required("type_definitions")?;
        let types = list.items()?.map(|node| type_definition(&node)).collect::<Result<_, _>>()?;
        let mut conditions = Vec::new();
        if let Some(node) = model.field("conditions")? {
            for (name, node) in node.fields()? {
                conditions.push(condition(name, &node)?);
            }
        }
        Ok(Self { types, conditions })
    }
}

fn type_definition(node: &Node<'_>) -> Result<TypeDefinition, JsonError> {
    node.known(&["type", "relations", "metadata"])?;
    let name = node.required("type")?.text()?.to_owned();
    let mut relations = Vec::new();
    if let Some(node) = node.field("relations")? {
        for (name, node) in node.fields()? {
            let rewrite = rewrite(&node, 0)?;
            relations.push(RelationDefinition { name: name.to_owned(), rewrite, assignable: Vec::new() });
        }
    }
    if let Some(metadata) = node.field("metadata")? {
        metadata.known(&["relations"])?;
        if let Some(node) = metadata.field("relations")? {
            read_restrictions(&node, &mut relations)?;
        }
    }
    Ok(TypeDefinition { name, relations })
}

fn read_restrictions(node: &Node<'_>, relations: &mut [RelationDefinition]) -> Result<(), JsonError> {
    let mut lists: HashMap<_, _> = node.fields()?.collect();
    for relation in relations {
        let Some(node) = lists.remove(relation.name.as_str()) else { continue };
        node.known(&["directly_related_user_types"])?;
        if let Some(list) = node.field("directly_related_user_types")? {
            relation.assignable = list.items()?.map(|node| restriction(&node)).collect::<Result<_, _>>()?;
        }
        // The language repeats the list at each `this`, so this bounds the text that a small value could become.
        if relation.rewrite.count_this().saturating_mul(relation.assignable.len()) > MAX_TEXT {
            return Err(node.error("the list is too long for the times it is used"));
        }
    }
    match node.fields()?.find(|(name, _)| lists.contains_key(name)) {
        Some((_, node)) => Err(node.error("the type has no such relation")),
        None => Ok(()),
    }
}

fn restriction(node: &Node<'_>) -> Result<Restriction, JsonError> {
    node.known(&["type", "relation", "wildcard", "condition"])?;
    let relation = node.optional_text("relation")?;
    let form = match (relation, node.field("wildcard")?) {
        (None, None) => Form::Object,
        (Some(relation), None) => Form::Userset(relation),
        (None, Some(_)) => Form::Wildcard,
        (Some(_), Some(_)) => return Err(node.error("`relation` and `wildcard` exclude each other")),
    };
    let type_name = node.required("type")?.text()?.to_owned();
    Ok(Restriction { type_name, form, condition: node.optional_text("condition")? })
}

fn rewrite(node: &Node<'_>, depth: usize) -> Result<Rewrite, JsonError> {
    let mut fields = node.fields()?;
    let (Some((kind, inner)), None) = (fields.next(), fields.next()) else {
        return Err(node.error(
            "expected exactly one of `this`, `computedUserset`, `tupleToUserset`, `union`, `intersection` \
             and `difference`",
        ));
    };
    match kind {
        "this" => {
            inner.known(&[])?;
            Ok(Rewrite::This)
        }
        "computedUserset" => Ok(Rewrite::Computed(relation_name(&inner)?)),
        "tupleToUserset" => {
            inner.known(&["tupleset", "computedUserset"])?;
            let tupleset = relation_name(&inner.required("tupleset")?)?;
            Ok(Rewrite::TupleToUserset {
                tupleset,
                computed: relation_name(&inner.required("computedUserset")?)?,
            })
        }
        "union" => Ok(Rewrite::Union(children(&inner, depth)?)),
        "intersection" => Ok(Rewrite::Intersection(children(&inner, depth)?)),
        "difference" => {
            inner.known(&["base", "subtract"])?;
            let base = operand(&inner.required("base")?, depth)?;
            Ok(Rewrite::Exclusion {
                base: Box::new(base),
                subtract: Box::new(operand(&inner.required("subtract")?, depth)?),
            })
        }
        _ => Err(inner.error("unknown field")),
    }
}

/// The relation of `{object, relation}`; the object is implied.
fn relation_name(node: &Node<'_>) -> Result<String, JsonError> {
    node.known(&["object", "relation"])?;
    Ok(node.required("relation")?.text()?.to_owned())
}

fn children(node: &Node<'_>, depth: usize) -> Result<Vec<Rewrite>, JsonError> {
    node.known(&["child"])?;
    let list = node.required("child")?;
    let children = list.items()?.map(|child| operand(&child, depth)).collect::<Result<Vec<_>, _>>()?;
    if children.is_empty() {
        return Err(list.error("expected at least one operand"));
    }
    Ok(children)
}

fn operand(node: &Node<'_>, depth: usize) -> Result<Rewrite, JsonError> {
    if depth > MAX_NESTING {
        return Err(node.error(format!("operators nest more than {MAX_NESTING} deep")));
    }
    rewrite(node, depth + 1)
}

fn condition(name: &str, node: &Node<'_>) -> Result<ConditionDefinition, JsonError> {
    node.known(&["name", "expression", "parameters", "metadata"])?;
    if let Some(inner) = node.field("name")?.filter(|inner| inner.text() != Ok(name)) {
        return Err(inner.error(format!("expected `{name}`, the key it stands under")));
    }
    let text = node.required("expression")?;
    let expression = text.text()?.trim().to_owned();
    if !is_balanced(&expression) {
        return Err(text.error("a brace or a string of the expression is not closed"));
    }
    let mut parameters = Vec::new();
    if let Some(node) = node.field("parameters")? {
        for (name, node) in node.fields()? {
            parameters.push((name.to_owned(), parameter_type(&node, 0)?));
        }
    }
    Ok(ConditionDefinition { name: name.to_owned(), parameters, expression })
}

fn parameter_type(node: &Node<'_>, depth: usize) -> Result<ParameterType, JsonError> {
    node.known(&["type_name", "generic_types"])?;
    if depth > MAX_NESTING {
        return Err(node.error(format!("types nest more than {MAX_NESTING} deep")));
    }
    let type_name = node.required("type_name")?;
    let word = type_name.text()?.strip_prefix(TYPE_NAME).map(str::to_ascii_lowercase).unwrap_or_default();
    let generics = node.field("generic_types")?;
    let mut items = match &generics {
        Some(list) => list.items()?.collect::<Vec<_>>(),
        None => Vec::new(),
    };
    match (ParameterType::simple(&word), ParameterType::container(&word), items.pop()) {
        (Some(simple), _, None) => Ok(simple),
        (_, Some(container), Some(inner)) if items.is_empty() => {
            Ok(container(Box::new(parameter_type(&inner, depth + 1)?)))
        }
        (None, None, _) => Err(type_name.error("unknown parameter type")),
        (Some(_), _, _) => Err(node.error("this type takes no `generic_types`")),
        (_, Some(_), _) => Err(node.error("this type takes exactly one of `generic_types`")),
    }
}
