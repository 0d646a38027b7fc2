//! What an evaluation costs at most, told from the expression and the sizes of the context's values before
//! anything runs: a step is a node visited or [`BYTES_PER_STEP`] bytes touched, and no evaluation takes more
//! than told.

use cel::IdedExpr;
use cel::common::ast::{CallExpr, ComprehensionExpr, EntryExpr, Expr, LiteralValue, operators};

use super::check::literal_text;
use super::environment::MATCHES;
use super::measure::Weight;
use super::{limits, pattern};

const BYTES_PER_STEP: u64 = 16;
/// What one turn of a loop takes beside its body: names are bound, and an error may be put off.
const STEPS_PER_TURN: u64 = 20;
/// What a call takes beside its operands: it readies an error, or makes one that a loop goes on from.
const STEPS_PER_CALL: u64 = 8;
/// What compiling the simplest pattern takes.
const STEPS_PER_PATTERN: u64 = 500;
/// What compiling a pattern takes for each unit of its weight.
const STEPS_PER_PATTERN_WEIGHT: u64 = 20;
/// How much matching, in weight times bytes, takes as long as a step.
const MATCH_WORK_PER_STEP: u64 = 4;

/// The functions whose result can be as large as what they are given.
const PASSES_ON: [&str; 4] = ["string", "bytes", "dyn", "type"];

/// The steps that evaluating an expression takes at most.
pub(super) fn steps<'a>(
    expression: &'a IdedExpr,
    parameters: impl IntoIterator<Item = (&'a str, Weight)>,
) -> u64 {
    let mut estimate = Estimate { steps: 0, names: parameters.into_iter().collect() };
    estimate.expression(expression);
    estimate.steps
}

struct Estimate<'a> {
    steps: u64,
    names: Vec<(&'a str, Weight)>,
}

impl<'a> Estimate<'a> {
    fn spend(&mut self, steps: u64) {
        self.steps = self.steps.saturating_add(steps);
    }

    fn touch(&mut self, bytes: u64) {
        self.spend(bytes / BYTES_PER_STEP);
    }

    fn expression(&mut self, expression: &'a IdedExpr) -> Weight {
        self.spend(1);
        match &expression.expr {
            Expr::Literal(LiteralValue::String(text)) => Weight::text(text.inner().len()),
            Expr::Literal(LiteralValue::Bytes(bytes)) => Weight::text(bytes.inner().len()),
            Expr::Literal(_) | Expr::Struct(_) | Expr::Unspecified => Weight::SCALAR,
            Expr::Ident(name) => self.name(name),
            Expr::Select(select) => self.expression(&select.operand).part(),
            Expr::List(list) => {
                let parts: Vec<_> = list.elements.iter().map(|element| self.expression(element)).collect();
                let whole = Weight::container(parts.len(), parts);
                self.touch(whole.bytes);
                whole
            }
            Expr::Map(map) => {
                let mut entries = vec![];
                for entry in &map.entries {
                    if let EntryExpr::MapEntry(entry) = &entry.expr {
                        entries.push((self.expression(&entry.key), self.expression(&entry.value)));
                    }
                }
                let whole = Weight::map(entries.into_iter());
                self.touch(whole.bytes);
                whole
            }
            Expr::Call(call) => self.call(call),
            Expr::Comprehension(comprehension) => self.comprehension(comprehension),
        }
    }

    fn name(&self, name: &str) -> Weight {
        // A leading dot passes by what loops bind; parameters come first here.
        let found = match name.strip_prefix('.') {
            Some(name) => self.names.iter().find(|(known, _)| *known == name),
            None => self.names.iter().rfind(|(known, _)| *known == name),
        };
        found.map_or(Weight::SCALAR, |(_, weight)| *weight)
    }

    fn call(&mut self, call: &'a CallExpr) -> Weight {
        let operands = call.target.as_deref().into_iter().chain(&call.args);
        let weights: Vec<_> = operands.map(|operand| self.expression(operand)).collect();
        let together = Weight::together(&weights);
        match (call.func_name.as_str(), weights.as_slice()) {
            (operators::LOGICAL_AND | operators::LOGICAL_OR | operators::NOT_STRICTLY_FALSE, _) => {
                Weight::SCALAR
            }
            (operators::CONDITIONAL, [_, branches @ ..]) => Weight::together(branches),
            (operators::INDEX, [whole, _]) => {
                // A failing lookup by a fraction copies the whole list into its error.
                if !call.args.last().is_some_and(is_whole_literal) {
                    self.touch(whole.bytes);
                }
                whole.part()
            }
            (operators::EQUALS | operators::NOT_EQUALS, _) => {
                self.touch(together.bytes);
                Weight::SCALAR
            }
            (operators::IN, [value, whole]) => {
                // An element of another type has the value copied into an error.
                let copied = value.bytes.saturating_sub(Weight::SCALAR.bytes).saturating_mul(whole.length);
                self.touch(together.bytes.saturating_add(copied));
                self.spend(STEPS_PER_CALL);
                Weight::SCALAR
            }
            (operators::ADD, _) => {
                self.spend(STEPS_PER_CALL);
                self.touch(together.bytes);
                together
            }
            (MATCHES, [subject, _]) => {
                self.matching(*subject, call.args.last().and_then(literal_text));
                Weight::SCALAR
            }
            (name, _) => {
                self.spend(STEPS_PER_CALL);
                self.touch(together.bytes);
                if PASSES_ON.contains(&name) { together } else { Weight::SCALAR }
            }
        }
    }

    fn matching(&mut self, subject: Weight, pattern: Option<&str>) {
        let weight = pattern.map_or(limits::PATTERN_WEIGHT, pattern::weight);
        let work = weight.saturating_mul(subject.bytes).min(limits::MATCH_WORK);
        self.spend(STEPS_PER_PATTERN);
        self.spend(weight.saturating_mul(STEPS_PER_PATTERN_WEIGHT));
        self.spend(work / MATCH_WORK_PER_STEP);
    }

    fn comprehension(&mut self, comprehension: &'a ComprehensionExpr) -> Weight {
        let range = self.expression(&comprehension.iter_range);
        let start = self.expression(&comprehension.accu_init);
        self.touch(range.bytes);
        let known = self.names.len();
        let before = std::mem::take(&mut self.steps);
        let variables = [Some(&comprehension.iter_var), comprehension.iter_var2.as_ref()];
        self.names.extend(variables.into_iter().flatten().map(|name| (name.as_str(), range.part())));
        // What gathers starts out empty in each turn here; the turns are multiplied below.
        self.names.push((&comprehension.accu_var, start));
        self.expression(&comprehension.loop_cond);
        let step = self.expression(&comprehension.loop_step);
        let turn = self.steps.saturating_add(STEPS_PER_TURN);
        self.steps = before.saturating_add(turn.saturating_mul(range.length));
        let gathers = matches!(comprehension.accu_init.expr, Expr::List(_));
        let whole = if gathers {
            Weight {
                length: range.length.max(step.length),
                bytes: step.bytes.saturating_mul(range.length.max(1)),
                element: step.element,
            }
        } else {
            Weight::SCALAR
        };
        self.touch(whole.bytes);
        self.names.truncate(known);
        whole
    }
}

fn is_whole_literal(expression: &IdedExpr) -> bool {
    matches!(
        expression.expr,
        Expr::Literal(LiteralValue::Int(_) | LiteralValue::UInt(_) | LiteralValue::String(_))
    )
}
