//! Writes a model in the canonical layout; what `parse` read comes back as the same schema.

use std::fmt::{self, Display, Formatter, Write};

use super::{ConditionDefinition, Form, ParameterType, RelationDefinition, Restriction, Rewrite, Schema};

impl Schema {
    /// The model in the language of schema 1.1. A name from JSON that the language cannot spell is written as it
    /// is, and a text read close to the longest allowed may grow beyond it.
    pub fn to_dsl(&self) -> String {
        let mut text = String::from("model\n  schema 1.1\n");
        self.write_definitions(&mut text).expect("writing to a string never fails");
        text
    }

    fn write_definitions(&self, text: &mut String) -> fmt::Result {
        for definition in &self.types {
            writeln!(text, "\ntype {}", definition.name)?;
            if !definition.relations.is_empty() {
                writeln!(text, "  relations")?;
            }
            for relation in &definition.relations {
                write!(text, "    define {}: ", relation.name)?;
                write_rewrite(text, &relation.rewrite, relation)?;
                writeln!(text)?;
            }
        }
        self.conditions.iter().try_for_each(|condition| write_condition(text, condition))
    }
}

fn write_condition(text: &mut String, condition: &ConditionDefinition) -> fmt::Result {
    write!(text, "\ncondition {}(", condition.name)?;
    for (index, (name, parameter)) in condition.parameters.iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        write!(text, "{comma}{name}: {parameter}")?;
    }
    writeln!(text, ") {{\n  {}\n}}", condition.expression)
}

fn write_rewrite(text: &mut String, rewrite: &Rewrite, relation: &RelationDefinition) -> fmt::Result {
    match rewrite {
        Rewrite::This => write_brackets(text, &relation.assignable),
        Rewrite::Computed(name) => write!(text, "{name}"),
        Rewrite::TupleToUserset { tupleset, computed } => write!(text, "{computed} from {tupleset}"),
        Rewrite::Union(operands) => write_joined(text, " or ", operands.iter(), relation),
        Rewrite::Intersection(operands) => write_joined(text, " and ", operands.iter(), relation),
        Rewrite::Exclusion { base, subtract } => {
            write_joined(text, " but not ", [&**base, &**subtract].into_iter(), relation)
        }
    }
}

fn write_joined<'a>(
    text: &mut String,
    operator: &str,
    operands: impl Iterator<Item = &'a Rewrite>,
    relation: &RelationDefinition,
) -> fmt::Result {
    for (index, operand) in operands.enumerate() {
        if index > 0 {
            text.push_str(operator);
        }
        if matches!(operand, Rewrite::Union(_) | Rewrite::Intersection(_) | Rewrite::Exclusion { .. }) {
            text.push('(');
            write_rewrite(text, operand, relation)?;
            text.push(')');
        } else {
            write_rewrite(text, operand, relation)?;
        }
    }
    Ok(())
}

fn write_brackets(text: &mut String, restrictions: &[Restriction]) -> fmt::Result {
    text.push('[');
    for (index, restriction) in restrictions.iter().enumerate() {
        let comma = if index == 0 { "" } else { ", " };
        write!(text, "{comma}{restriction}")?;
    }
    text.push(']');
    Ok(())
}

impl Display for Restriction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.type_name)?;
        match &self.form {
            Form::Object => {}
            Form::Wildcard => f.write_str(":*")?,
            Form::Userset(relation) => write!(f, "#{relation}")?,
        }
        match &self.condition {
            Some(condition) => write!(f, " with {condition}"),
            None => Ok(()),
        }
    }
}

impl Display for ParameterType {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self.items() {
            Some(items) => write!(f, "{}<{items}>", self.keyword()),
            None => f.write_str(self.keyword()),
        }
    }
}
