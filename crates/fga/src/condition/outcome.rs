//! Whether an expression can yield true or false at all. It only says no where that is certain without a
//! context.

use cel::IdedExpr;
use cel::common::ast::{CallExpr, Expr, LiteralValue, operators};

use crate::schema::ParameterType;

const NUMERIC: [&str; 6] = [
    operators::ADD,
    operators::SUBSTRACT,
    operators::MULTIPLY,
    operators::DIVIDE,
    operators::MODULO,
    operators::NEGATE,
];

const CONVERSIONS: [&str; 10] =
    ["size", "int", "uint", "double", "string", "bytes", "type", "@timestamp", "@duration", "ipaddress"];

/// Whether an expression is certain to yield something else than true or false.
pub(super) fn is_never_bool(parameters: &[(String, ParameterType)], expression: &IdedExpr) -> bool {
    let declared =
        |name: &str| parameters.iter().find(|(parameter, _)| parameter == name).map(|(_, kind)| kind);
    match &expression.expr {
        Expr::Literal(LiteralValue::Boolean(_)) | Expr::Select(_) | Expr::Struct(_) | Expr::Unspecified => {
            false
        }
        Expr::Literal(_) | Expr::List(_) | Expr::Map(_) => true,
        Expr::Ident(name) => {
            declared(name).is_some_and(|kind| !matches!(kind, ParameterType::Bool | ParameterType::Any))
        }
        // `map` and `filter` gather a list; `exists_one` counts, but compares the count at its end.
        Expr::Comprehension(comprehension) => matches!(comprehension.accu_init.expr, Expr::List(_)),
        Expr::Call(call) => is_never_bool_call(parameters, call),
    }
}

fn is_never_bool_call(parameters: &[(String, ParameterType)], call: &CallExpr) -> bool {
    let never = |argument: &IdedExpr| is_never_bool(parameters, argument);
    let name = call.func_name.as_str();
    match (name, call.args.as_slice()) {
        (operators::LOGICAL_AND | operators::LOGICAL_OR | operators::LOGICAL_NOT, operands) => {
            operands.iter().any(never)
        }
        (operators::CONDITIONAL, [condition, branches @ ..]) => {
            never(condition) || branches.iter().all(never)
        }
        _ => NUMERIC.contains(&name) || CONVERSIONS.contains(&name) || name.starts_with("get"),
    }
}
