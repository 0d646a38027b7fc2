//! Writes a model as JSON; `from_json` reads the same schema back when its names are distinct.

use serde_json::{Map, Value, json};

use super::{TYPE_NAME, VERSION};
use crate::schema::{ConditionDefinition, Form, ParameterType, Restriction, Rewrite, Schema, TypeDefinition};

impl Schema {
    /// The model in OpenFGA's JSON form.
    pub fn to_json(&self) -> Value {
        let types: Vec<_> = self.types.iter().map(type_definition).collect();
        let mut model = json!({ "schema_version": VERSION, "type_definitions": types });
        if !self.conditions.is_empty() {
            model["conditions"] = object(self.conditions.iter().map(|it| (&it.name, condition(it))));
        }
        model
    }
}

fn type_definition(definition: &TypeDefinition) -> Value {
    let relations = &definition.relations;
    let metadata = if relations.is_empty() {
        Value::Null
    } else {
        let restrictions = relations.iter().map(|relation| {
            let list: Vec<_> = relation.assignable.iter().map(restriction).collect();
            (&relation.name, json!({ "directly_related_user_types": list }))
        });
        json!({ "relations": object(restrictions) })
    };
    json!({
        "type": definition.name,
        "relations": object(relations.iter().map(|relation| (&relation.name, rewrite(&relation.rewrite)))),
        "metadata": metadata,
    })
}

fn rewrite(rewritten: &Rewrite) -> Value {
    let children =
        |operands: &[Rewrite]| json!({ "child": operands.iter().map(rewrite).collect::<Vec<_>>() });
    match rewritten {
        Rewrite::This => json!({ "this": {} }),
        Rewrite::Computed(relation) => json!({ "computedUserset": { "relation": relation } }),
        Rewrite::TupleToUserset { tupleset, computed } => json!({
            "tupleToUserset": { "tupleset": { "relation": tupleset }, "computedUserset": { "relation": computed } }
        }),
        Rewrite::Union(operands) => json!({ "union": children(operands) }),
        Rewrite::Intersection(operands) => json!({ "intersection": children(operands) }),
        Rewrite::Exclusion { base, subtract } => {
            json!({ "difference": { "base": rewrite(base), "subtract": rewrite(subtract) } })
        }
    }
}

fn restriction(restriction: &Restriction) -> Value {
    let mut value = json!({ "type": restriction.type_name });
    match &restriction.form {
        Form::Object => {}
        Form::Wildcard => value["wildcard"] = json!({}),
        Form::Userset(relation) => value["relation"] = json!(relation),
    }
    if let Some(condition) = &restriction.condition {
        value["condition"] = json!(condition);
    }
    value
}

fn condition(condition: &ConditionDefinition) -> Value {
    json!({
        "name": condition.name,
        "expression": condition.expression,
        "parameters": object(condition.parameters.iter().map(|(name, of)| (name, parameter_type(of)))),
    })
}

fn parameter_type(parameter: &ParameterType) -> Value {
    let mut value =
        json!({ "type_name": format!("{TYPE_NAME}{}", parameter.keyword().to_ascii_uppercase()) });
    if let Some(items) = parameter.items() {
        value["generic_types"] = json!([parameter_type(items)]);
    }
    value
}

fn object<'a>(fields: impl Iterator<Item = (&'a String, Value)>) -> Value {
    Value::Object(fields.map(|(name, value)| (name.clone(), value)).collect::<Map<_, _>>())
}
