//! YAML text to trees. Builds from parser events, so that depth, size and aliases are bounded while reading.

use std::borrow::Cow;
use std::collections::HashMap;

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Span, Tag};
use serde_json::Number;

use super::{Entry, MAX_ALIASED, MAX_DEPTH, MAX_NODES, Node, Position, Value};
use crate::Problem;
use crate::problem::MAX_PROBLEMS;

pub(super) fn parse(text: &str) -> Result<Vec<Node>, Vec<Problem>> {
    let mut builder = Builder::default();
    let mut parser = Parser::new_from_str(text);
    while let Some(event) = parser.next_event() {
        let step = match event {
            Ok((event, span)) => builder.take(event, span),
            Err(error) => Err(syntax(text, &error)),
        };
        if let Err(problem) = step {
            builder.problems.push(problem);
            break;
        }
    }
    if builder.problems.is_empty() { Ok(builder.documents) } else { Err(builder.problems) }
}

fn position(marker: Marker) -> Position {
    let number = |n: usize| u32::try_from(n).unwrap_or(u32::MAX);
    Position { line: number(marker.line()), column: number(marker.col() + 1) }
}

fn syntax(text: &str, error: &ScanError) -> Problem {
    let at = position(*error.marker());
    let line = text.lines().nth(at.line.saturating_sub(1) as usize).unwrap_or_default();
    let problem = Problem::error("", format!("not valid YAML: {}", error.info())).at(at.in_file(None));
    let indent: String = line.chars().take_while(|c| c.is_whitespace()).collect();
    if indent.contains('\t') {
        problem.hint("the line is indented with a tab; YAML wants spaces")
    } else {
        problem.hint("check indentation, quotes and colons near this line")
    }
}

/// A list or map that is still being read.
struct Open {
    node: Node,
    anchor: usize,
    key: Option<(String, Position)>,
    /// The keys read so far and their lines.
    seen: HashMap<String, u32>,
}

#[derive(Default)]
struct Builder {
    documents: Vec<Node>,
    stack: Vec<Open>,
    anchors: HashMap<usize, Node>,
    nodes: usize,
    aliased: usize,
    problems: Vec<Problem>,
}

impl Builder {
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<(), Problem> {
        let at = position(span.start);
        match event {
            Event::SequenceStart(anchor, tag) => self.open(Value::List(Vec::new()), anchor, tag, at),
            Event::MappingStart(anchor, tag) => self.open(Value::Map(Vec::new()), anchor, tag, at),
            Event::SequenceEnd | Event::MappingEnd => {
                let Some(open) = self.stack.pop() else { return Ok(()) };
                self.close(open.node, open.anchor)
            }
            Event::Scalar(text, style, anchor, tag) => {
                self.count(1, at)?;
                let value = scalar(text, style, tag, at)?;
                self.close(Node { at, value }, anchor)
            }
            Event::Alias(anchor) => self.alias(anchor, at),
            Event::DocumentStart(_) | Event::DocumentEnd => {
                self.anchors.clear();
                Ok(())
            }
            Event::StreamStart | Event::StreamEnd | Event::Nothing => Ok(()),
        }
    }

    fn open(
        &mut self,
        value: Value,
        anchor: usize,
        tag: Option<Cow<'_, Tag>>,
        at: Position,
    ) -> Result<(), Problem> {
        self.count(1, at)?;
        if let Some(tag) = tag.filter(|tag| !tag.is_yaml_core_schema()) {
            return Err(unknown_tag(&tag, at));
        }
        if self.stack.len() >= MAX_DEPTH {
            let message = format!("nested deeper than {MAX_DEPTH} levels");
            return Err(Problem::error("", message).at(at.in_file(None)).hint("flatten it"));
        }
        self.stack.push(Open { node: Node { at, value }, anchor, key: None, seen: HashMap::new() });
        Ok(())
    }

    fn alias(&mut self, anchor: usize, at: Position) -> Result<(), Problem> {
        let size = self.anchors.get(&anchor).map_or(0, size);
        self.aliased += size;
        if self.aliased > MAX_ALIASED {
            let message = format!("aliases expand to more than {MAX_ALIASED} values");
            let problem = Problem::error("", message).hint("write the values out, or use fewer aliases");
            return Err(problem.at(at.in_file(None)));
        }
        let Some(node) = self.anchors.get(&anchor) else {
            let problem = Problem::error("", "an alias cannot stand inside its own anchor");
            return Err(problem.at(at.in_file(None)).hint("write the value out"));
        };
        let copy = node.clone();
        self.count(size, at)?;
        self.close(copy, 0)
    }

    fn count(&mut self, nodes: usize, at: Position) -> Result<(), Problem> {
        self.nodes += nodes;
        if self.nodes > MAX_NODES {
            let message = format!("more than {MAX_NODES} values");
            return Err(Problem::error("", message).at(at.in_file(None)).hint("split it into several files"));
        }
        Ok(())
    }

    /// A value is complete: it becomes a key, an item, a map's value or a document.
    fn close(&mut self, node: Node, anchor: usize) -> Result<(), Problem> {
        if anchor != 0 {
            self.aliased += size(&node);
            if self.aliased <= MAX_ALIASED {
                self.anchors.insert(anchor, node.clone());
            }
        }
        let Some(parent) = self.stack.last_mut() else {
            self.documents.push(node);
            return Ok(());
        };
        match (&mut parent.node.value, parent.key.take()) {
            (Value::List(items), _) => items.push(node),
            (Value::Map(_), None) => parent.key = Some((key_text(&node)?, node.at)),
            (Value::Map(entries), Some((key, at))) => {
                if let Some(first) = parent.seen.insert(key.clone(), at.line) {
                    let message = format!("`{key}` is written twice, first on line {first}");
                    let problem = Problem::error("", message).at(at.in_file(None)).hint("keep one of them");
                    if self.problems.len() + 1 >= MAX_PROBLEMS {
                        return Err(problem);
                    }
                    self.problems.push(problem);
                } else {
                    entries.push(Entry { key, at, value: node });
                }
            }
            _ => unreachable!("only lists and maps are opened"),
        }
        Ok(())
    }
}

fn size(node: &Node) -> usize {
    match &node.value {
        Value::List(items) => 1 + items.iter().map(size).sum::<usize>(),
        Value::Map(entries) => 1 + entries.iter().map(|entry| 1 + size(&entry.value)).sum::<usize>(),
        _ => 1,
    }
}

fn key_text(node: &Node) -> Result<String, Problem> {
    match &node.value {
        Value::Text(text) => Ok(text.clone()),
        Value::Number(number) => Ok(number.to_string()),
        Value::Bool(value) => Ok(value.to_string()),
        _ => {
            let problem =
                Problem::error("", "a key must be text").hint("write a plain word before the colon");
            Err(problem.at(node.at.in_file(None)))
        }
    }
}

fn unknown_tag(tag: &Tag, at: Position) -> Problem {
    let message = format!("tag `{}{}` is not supported", tag.handle, tag.suffix);
    Problem::error("", message).at(at.in_file(None)).hint("remove the tag")
}

fn scalar(
    text: Cow<'_, str>,
    style: ScalarStyle,
    tag: Option<Cow<'_, Tag>>,
    at: Position,
) -> Result<Value, Problem> {
    match tag {
        Some(tag) if tag.is_yaml_core_schema() && tag.suffix == "str" => Ok(Value::Text(text.into_owned())),
        Some(tag) if !tag.is_yaml_core_schema() => Err(unknown_tag(&tag, at)),
        _ if style == ScalarStyle::Plain => Ok(plain(text)),
        _ => Ok(Value::Text(text.into_owned())),
    }
}

/// The core schema's reading of an unquoted scalar.
pub(super) fn plain(text: Cow<'_, str>) -> Value {
    match text.as_ref() {
        "" | "~" | "null" | "Null" | "NULL" => return Value::Null,
        "true" | "True" | "TRUE" => return Value::Bool(true),
        "false" | "False" | "FALSE" => return Value::Bool(false),
        _ => {}
    }
    number(&text).map_or_else(|| Value::Text(text.into_owned()), Value::Number)
}

fn number(text: &str) -> Option<Number> {
    let digits = text.strip_prefix(['-', '+']).unwrap_or(text);
    if let Some(hex) = text.strip_prefix("0x") {
        return u64::from_str_radix(hex, 16).ok().map(Number::from);
    }
    if let Some(octal) = text.strip_prefix("0o") {
        return u64::from_str_radix(octal, 8).ok().map(Number::from);
    }
    if !digits.starts_with(|c: char| c.is_ascii_digit() || c == '.')
        || !digits.contains(|c: char| c.is_ascii_digit())
    {
        return None;
    }
    if digits.bytes().all(|b| b.is_ascii_digit()) {
        let text = text.strip_prefix('+').unwrap_or(text);
        return text.parse::<i64>().map(Number::from).or_else(|_| text.parse::<u64>().map(Number::from)).ok();
    }
    let float = digits.bytes().all(|b| b.is_ascii_digit() || b"eE.+-".contains(&b));
    float.then(|| text.parse::<f64>().ok().and_then(Number::from_f64)).flatten()
}
