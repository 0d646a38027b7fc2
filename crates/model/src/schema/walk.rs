//! Checks a tree against a schema and collects every unknown field, wrong type and broken bound.

use std::collections::HashSet;

use serde_json::{Map, Value as Json};

use super::format;
use crate::problem::MAX_PROBLEMS;
use crate::tree::{Node, Value, child, item};
use crate::{Problem, nearest};

pub(super) struct Walker<'s> {
    definitions: &'s Map<String, Json>,
    problems: Vec<Problem>,
}

impl<'s> Walker<'s> {
    pub(super) fn new(definitions: &'s Map<String, Json>) -> Self {
        Self { definitions, problems: Vec::new() }
    }

    pub(super) fn check(mut self, schema: &'s Json, node: &mut Node) -> Vec<Problem> {
        self.walk(schema, node, "");
        self.problems
    }

    fn resolve(&self, schema: &'s Json) -> &'s Json {
        let name = schema["$ref"].as_str().and_then(|target| target.rsplit('/').next());
        name.and_then(|name| self.definitions.get(name)).unwrap_or(schema)
    }

    /// Notes a problem and what to do about it, up to the bound.
    fn report(&mut self, path: &str, message: impl Into<String>, hint: impl Into<String>) {
        if self.problems.len() < MAX_PROBLEMS {
            self.problems.push(Problem::error(path, message).hint(hint));
        }
    }

    fn walk(&mut self, schema: &'s Json, node: &mut Node, path: &str) {
        let schema = self.resolve(schema);
        if let Some(branches) = schema["anyOf"].as_array().or_else(|| schema["oneOf"].as_array()) {
            if branches.iter().all(|branch| branch["const"].is_string()) {
                let words: Vec<&str> =
                    branches.iter().filter_map(|branch| branch["const"].as_str()).collect();
                return self.word(&words, node, path);
            }
            return self.either(branches, node, path);
        }
        if let Some(words) = schema["enum"].as_array() {
            let words: Vec<&str> = words.iter().filter_map(Json::as_str).collect();
            return self.word(&words, node, path);
        }
        if !fits(schema, node) {
            return self.wrong_type(&[schema], node, path);
        }
        match &mut node.value {
            Value::Map(_) => self.map(schema, node, path),
            Value::List(_) => self.list(schema, node, path),
            Value::Text(text) => {
                if let Err((message, hint)) = format::check(schema, text) {
                    self.report(path, message, hint);
                }
            }
            Value::Number(number) => self.number(schema, &number.clone(), path),
            Value::Null | Value::Bool(_) => {}
        }
    }

    /// Several forms are accepted: the one of the node's type decides, the one with fewest problems if many.
    fn either(&mut self, branches: &'s [Json], node: &mut Node, path: &str) {
        let fitting: Vec<&'s Json> =
            branches.iter().map(|branch| self.resolve(branch)).filter(|branch| fits(branch, node)).collect();
        let mut best: Option<(Vec<Problem>, Node)> = None;
        for branch in &fitting {
            let mut copy = node.clone();
            let mut walker = Self::new(self.definitions);
            walker.walk(branch, &mut copy, path);
            if best.as_ref().is_none_or(|(problems, _)| walker.problems.len() < problems.len()) {
                best = Some((walker.problems, copy));
            }
        }
        if let Some((problems, checked)) = best {
            self.problems.extend(problems);
            *node = checked;
        } else {
            let branches: Vec<&Json> = branches.iter().map(|branch| self.resolve(branch)).collect();
            self.wrong_type(&branches, node, path);
        }
    }

    fn word(&mut self, words: &[&str], node: &Node, path: &str) {
        match node.as_text() {
            Some(text) if words.contains(&text) => {}
            Some(text) => {
                let near = nearest(text, words.iter().copied());
                let shown: String = text.escape_debug().take(60).collect();
                let known: Vec<&str> = words.iter().filter(|word| !word.is_empty()).copied().collect();
                let message = format!("`{shown}` is not known; use one of {}", known.join(", "));
                self.report(
                    path,
                    message,
                    match near {
                        Some(near) => format!("did you mean `{near}`?"),
                        None => format!("for example `{}`", known.first().copied().unwrap_or_default()),
                    },
                );
            }
            None => {
                let message = format!("must be one of {}, not {}", words.join(", "), node.type_name());
                self.report(path, message, format!("write `{}`", words.last().copied().unwrap_or_default()));
            }
        }
    }

    fn wrong_type(&mut self, schemas: &[&Json], node: &Node, path: &str) {
        let mut wanted: Vec<&str> = schemas.iter().flat_map(|schema| wanted_types(schema)).collect();
        wanted.dedup();
        let message = format!("must be {}, not {}", wanted.join(" or "), node.type_name());
        let hint = match (&node.value, wanted.first().copied()) {
            // The value itself is not repeated: it may be a secret.
            (Value::Number(_) | Value::Bool(_), Some("text")) => "put it in quotes".to_owned(),
            (_, Some("text")) => "write one value after the colon".to_owned(),
            (_, Some("a list")) => "write one line with `- ` for each item, or `[…]`".to_owned(),
            (_, Some("a map")) => "write `key: value` lines below it".to_owned(),
            (_, Some("a whole number")) => "write digits only, without quotes or a decimal point".to_owned(),
            _ => "write true or false, without quotes".to_owned(),
        };
        self.report(path, message, hint);
    }

    fn number(&mut self, schema: &Json, number: &serde_json::Number, path: &str) {
        let value = number.as_f64().unwrap_or(f64::NAN);
        let (low, high) = (schema["minimum"].as_f64(), schema["maximum"].as_f64());
        if low.is_some_and(|low| value < low) || high.is_some_and(|high| value > high) {
            let message = match (low, high) {
                (Some(low), Some(high)) => format!("{number} is out of range; it must be {low} to {high}"),
                (Some(low), None) => format!("{number} is too small; it must be at least {low}"),
                _ => format!("{number} is too large; it must be at most {}", high.unwrap_or_default()),
            };
            self.report(path, message, "write a number within these bounds");
        }
    }

    fn list(&mut self, schema: &'s Json, node: &mut Node, path: &str) {
        let Value::List(items) = &mut node.value else { return };
        if let Some(most) = schema["maxItems"].as_u64().filter(|most| items.len() as u64 > *most) {
            let message = format!("has {} items; at most {most} are allowed", items.len());
            self.report(path, message, "remove some of them");
            return;
        }
        if schema["uniqueItems"] == true {
            let mut seen = HashSet::with_capacity(items.len());
            for (index, text) in
                items.iter().enumerate().filter_map(|(index, node)| Some((index, node.as_text()?)))
            {
                if !seen.insert(text) {
                    self.report(&item(path, index), "is listed twice", "keep one of them");
                }
            }
        }
        if schema["items"].is_object() {
            for (index, element) in items.iter_mut().enumerate() {
                self.walk(&schema["items"], element, &item(path, index));
            }
        }
    }

    fn map(&mut self, schema: &'s Json, node: &mut Node, path: &str) {
        let Value::Map(entries) = &mut node.value else { return };
        let known = schema["properties"].as_object();
        let required: Vec<&str> =
            schema["required"].as_array().into_iter().flatten().filter_map(Json::as_str).collect();
        entries.retain(|entry| {
            let optional = known.is_some_and(|known| known.contains_key(&entry.key))
                && !required.contains(&entry.key.as_str());
            !(optional && entry.value.value == Value::Null)
        });
        if let Some(most) = schema["maxProperties"].as_u64().filter(|most| entries.len() as u64 > *most) {
            let message = format!("has {} entries; at most {most} are allowed", entries.len());
            self.report(path, message, "remove some of them");
            return;
        }
        for entry in entries.iter_mut() {
            let path = child(path, &entry.key);
            match known.and_then(|known| known.get(&entry.key)) {
                Some(schema) => self.walk(schema, &mut entry.value, &path),
                None => self.extra(schema, &entry.key, &mut entry.value, &path),
            }
        }
        let has = |key: &str| entries.iter().any(|entry| entry.key == key);
        let missing: Vec<&str> = required.into_iter().filter(|key| !has(key)).collect();
        for key in missing {
            self.report(&child(path, key), "is required", format!("add `{key}: …`"));
        }
        let chosen: Vec<&str> = choices(schema).filter(|key| has(key)).collect();
        self.exactly_one(schema, &chosen, path);
    }

    /// A key that no property names: an entry of a free map, or a mistake.
    fn extra(&mut self, schema: &'s Json, key: &str, value: &mut Node, path: &str) {
        match &schema["additionalProperties"] {
            Json::Bool(false) => {
                let known: Vec<&str> = schema["properties"]
                    .as_object()
                    .into_iter()
                    .flat_map(Map::keys)
                    .map(String::as_str)
                    .collect();
                let near = nearest(key, known.iter().copied());
                let hint = match near {
                    Some(near) => format!("did you mean `{near}`?"),
                    None => format!("known here: {}", known.join(", ")),
                };
                self.report(path, "is not a known field", hint);
            }
            free @ Json::Object(_) => {
                if let Err((message, hint)) = format::check(&schema["propertyNames"], key) {
                    self.report(path, format!("key {message}"), hint);
                }
                self.walk(free, value, path);
            }
            _ => {}
        }
    }

    fn exactly_one(&mut self, schema: &'s Json, chosen: &[&str], path: &str) {
        let all: Vec<&str> = choices(schema).collect();
        match (all.is_empty(), chosen) {
            (true, _) | (_, [_]) => {}
            (_, []) => {
                let message = schema["x-none-of"]
                    .as_str()
                    .map_or_else(|| format!("needs one of {}", all.join(", ")), str::to_owned);
                self.report(path, message, schema["x-none-hint"].as_str().unwrap_or("add one of them"));
            }
            (_, several) => {
                let message = format!("{} exclude each other; keep exactly one", several.join(" and "));
                self.report(path, message, format!("remove all but one of {}", several.join(", ")));
            }
        }
    }
}

fn choices(schema: &Json) -> impl Iterator<Item = &str> {
    schema["x-exactly-one"].as_array().into_iter().flatten().filter_map(Json::as_str)
}

fn types(schema: &Json) -> Vec<&str> {
    match &schema["type"] {
        Json::String(one) => vec![one.as_str()],
        Json::Array(many) => many.iter().filter_map(Json::as_str).collect(),
        _ if schema["enum"].is_array() || schema["const"].is_string() || schema["oneOf"].is_array() => {
            vec!["string"]
        }
        _ => vec![],
    }
}

fn fits(schema: &Json, node: &Node) -> bool {
    let types = types(schema);
    types.is_empty()
        || types.iter().any(|wanted| match (&node.value, *wanted) {
            (Value::Null, "null")
            | (Value::Bool(_), "boolean")
            | (Value::Text(_), "string")
            | (Value::Number(_), "number")
            | (Value::List(_), "array")
            | (Value::Map(_), "object") => true,
            (Value::Number(number), "integer") => number.is_i64() || number.is_u64(),
            _ => false,
        })
}

fn wanted_types(schema: &Json) -> Vec<&'static str> {
    types(schema)
        .into_iter()
        .filter_map(|name| match name {
            "string" => Some("text"),
            "integer" => Some("a whole number"),
            "number" => Some("a number"),
            "boolean" => Some("true or false"),
            "array" => Some("a list"),
            "object" => Some("a map"),
            _ => None,
        })
        .collect()
}
