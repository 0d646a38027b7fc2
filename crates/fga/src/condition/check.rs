//! The reading of a parsed expression before it may ever run: its size, its names and what it calls. An
//! expression that passes names only parameters, bound variables, types and known functions.

use cel::IdedExpr;
use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, LiteralValue, operators};

use super::environment::{self, FUNCTIONS, METHODS, REPLACED};
use super::error::CompileError;
use super::{limits, pattern};

const OPERATORS: [&str; 19] = [
    operators::CONDITIONAL,
    operators::LOGICAL_AND,
    operators::LOGICAL_OR,
    operators::LOGICAL_NOT,
    operators::SUBSTRACT,
    operators::ADD,
    operators::MULTIPLY,
    operators::DIVIDE,
    operators::MODULO,
    operators::EQUALS,
    operators::NOT_EQUALS,
    operators::GREATER_EQUALS,
    operators::LESS_EQUALS,
    operators::GREATER,
    operators::LESS,
    operators::NEGATE,
    operators::INDEX,
    operators::NOT_STRICTLY_FALSE,
    operators::IN,
];

/// What the reading of an expression brings.
#[derive(Debug, Default)]
pub(super) struct Facts {
    /// The parameters it names.
    pub(super) used: Vec<String>,
    /// Whether its cost can grow faster than its nodes: it adds, loops or matches.
    pub(super) grows: bool,
}

/// Reads an expression through, and leads the names in [`REPLACED`] to their replacements.
pub(super) fn check(
    condition: &str,
    parameters: &[&str],
    expression: &mut IdedExpr,
) -> Result<Facts, CompileError> {
    let mut reading = Reading {
        condition,
        parameters,
        bound: vec![],
        nodes: 0,
        depth: 0,
        loops: 0,
        undeclared: vec![],
        facts: Facts::default(),
    };
    reading.expression(expression)?;
    if reading.undeclared.is_empty() {
        return Ok(reading.facts);
    }
    Err(CompileError::Undeclared { condition: condition.to_owned(), identifiers: reading.undeclared })
}

struct Reading<'a> {
    condition: &'a str,
    parameters: &'a [&'a str],
    bound: Vec<String>,
    nodes: usize,
    depth: usize,
    loops: usize,
    undeclared: Vec<String>,
    facts: Facts,
}

impl Reading<'_> {
    fn condition(&self) -> String {
        self.condition.to_owned()
    }

    fn expression(&mut self, expression: &mut IdedExpr) -> Result<(), CompileError> {
        self.nodes += 1;
        self.depth += 1;
        if self.depth > limits::EXPRESSION_DEPTH {
            return Err(CompileError::TooDeep { condition: self.condition() });
        }
        if self.nodes > limits::EXPRESSION_NODES {
            return Err(CompileError::TooManyNodes { condition: self.condition() });
        }
        match &mut expression.expr {
            Expr::Literal(_) => {}
            Expr::Ident(name) => self.identifier(name),
            Expr::Select(select) => self.expression(&mut select.operand)?,
            Expr::Call(call) => self.call(call)?,
            Expr::List(list) => list.elements.iter_mut().try_for_each(|element| self.expression(element))?,
            Expr::Map(map) => map.entries.iter_mut().try_for_each(|entry| match &mut entry.expr {
                EntryExpr::MapEntry(entry) => {
                    self.expression(&mut entry.key)?;
                    self.expression(&mut entry.value)
                }
                EntryExpr::StructField(_) => Err(self.unsupported("a message")),
            })?,
            Expr::Comprehension(comprehension) => self.comprehension(comprehension)?,
            Expr::Struct(_) => return Err(self.unsupported("a message")),
            Expr::Unspecified => return Err(self.unsupported("an empty expression")),
        }
        self.depth -= 1;
        Ok(())
    }

    fn unsupported(&self, construct: &'static str) -> CompileError {
        CompileError::Unsupported { condition: self.condition(), construct }
    }

    fn identifier(&mut self, name: &str) {
        if self.bound.iter().any(|bound| bound == name) {
            return;
        }
        // A leading dot passes by what macros bind.
        let name = name.strip_prefix('.').unwrap_or(name);
        let seen = |names: &[String]| names.iter().any(|seen| seen == name);
        if self.parameters.contains(&name) {
            if !seen(&self.facts.used) {
                self.facts.used.push(name.to_owned());
            }
        } else if environment::environment().types().find_type(name).is_none() && !seen(&self.undeclared) {
            self.undeclared.push(name.to_owned());
        }
    }

    fn call(&mut self, call: &mut CallExpr) -> Result<(), CompileError> {
        let name = call.func_name.as_str();
        let known = match &call.target {
            Some(_) => METHODS.contains(&name),
            None => FUNCTIONS.contains(&name) || OPERATORS.contains(&name),
        };
        if !known {
            return Err(CompileError::UnknownFunction {
                condition: self.condition(),
                function: name.to_owned(),
            });
        }
        if name == "matches" {
            self.pattern(call)?;
        }
        self.facts.grows |= matches!(call.func_name.as_str(), "matches" | operators::ADD);
        if let Some((_, replacement)) = REPLACED.iter().find(|(replaced, _)| *replaced == call.func_name) {
            (*replacement).clone_into(&mut call.func_name);
        }
        call.target.as_deref_mut().map_or(Ok(()), |target| self.expression(target))?;
        call.args.iter_mut().try_for_each(|argument| self.expression(argument))
    }

    fn pattern(&self, call: &CallExpr) -> Result<(), CompileError> {
        let Some(pattern) = call.args.last().and_then(literal_text) else { return Ok(()) };
        let refuse = |reason| {
            Err(CompileError::Pattern { condition: self.condition(), pattern: pattern.to_owned(), reason })
        };
        if pattern::weight(pattern) > limits::PATTERN_WEIGHT {
            return refuse("is too heavy");
        }
        if environment::is_pattern(pattern) { Ok(()) } else { refuse("is not a regular expression") }
    }

    fn comprehension(&mut self, comprehension: &mut ComprehensionExpr) -> Result<(), CompileError> {
        self.facts.grows = true;
        self.expression(&mut comprehension.iter_range)?;
        self.expression(&mut comprehension.accu_init)?;
        self.loops += 1;
        if self.loops > limits::COMPREHENSION_DEPTH {
            return Err(CompileError::ComprehensionsTooDeep { condition: self.condition() });
        }
        let bound = self.bound.len();
        self.bound.push(comprehension.iter_var.clone());
        self.bound.extend(comprehension.iter_var2.clone());
        self.bound.push(comprehension.accu_var.clone());
        self.expression(&mut comprehension.loop_cond)?;
        self.expression(&mut comprehension.loop_step)?;
        self.expression(&mut comprehension.result)?;
        self.bound.truncate(bound);
        self.loops -= 1;
        Ok(())
    }
}

/// The text of a literal.
pub(super) fn literal_text(expression: &IdedExpr) -> Option<&str> {
    match &expression.expr {
        Expr::Literal(LiteralValue::String(text)) => Some(text.inner()),
        _ => None,
    }
}
