//! JSON text to a tree, strictly: RFC 8259 grammar, no duplicate keys, bounded depth.
//!
//! Written by hand because `serde_json` tells neither where a value stands nor of duplicate keys.

use std::str::FromStr;

use serde_json::Number;

use super::{Entry, MAX_DEPTH, MAX_NODES, Node, Position, Value};
use crate::Problem;

pub(super) fn parse(text: &str) -> Result<Node, Problem> {
    let mut reader =
        Reader { text, bytes: text.as_bytes(), at: 0, line: 1, counted: 0, columns: 0, nodes: 0 };
    reader.blank();
    let node = reader.value(0)?;
    reader.blank();
    if reader.at < reader.bytes.len() {
        return Err(reader.wrong("more text after the value"));
    }
    Ok(node)
}

struct Reader<'a> {
    text: &'a str,
    bytes: &'a [u8],
    at: usize,
    line: u32,
    /// Up to where the columns of this line were counted, and how many there were: a line may be megabytes long.
    counted: usize,
    columns: usize,
    nodes: usize,
}

impl Reader<'_> {
    fn position(&self) -> Position {
        let column = self.columns + self.text[self.counted..self.at].chars().count() + 1;
        Position { line: self.line, column: u32::try_from(column).unwrap_or(u32::MAX) }
    }

    /// The position, and the next count begins here.
    fn mark(&mut self) -> Position {
        let position = self.position();
        self.columns = position.column as usize - 1;
        self.counted = self.at;
        position
    }

    fn wrong(&self, what: &str) -> Problem {
        let problem = Problem::error("", format!("not valid JSON: {what}")).at(self.position().in_file(None));
        problem.hint("check quotes, commas and brackets near this place")
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn blank(&mut self) {
        while let Some(byte @ (b' ' | b'\t' | b'\n' | b'\r')) = self.peek() {
            self.at += 1;
            if byte == b'\n' {
                self.line += 1;
                self.counted = self.at;
                self.columns = 0;
            }
        }
    }

    fn expect(&mut self, byte: u8) -> Result<(), Problem> {
        if self.peek() != Some(byte) {
            return Err(self.wrong(&format!("expected `{}`", char::from(byte))));
        }
        self.at += 1;
        Ok(())
    }

    fn value(&mut self, depth: usize) -> Result<Node, Problem> {
        let at = self.mark();
        self.nodes += 1;
        if depth > MAX_DEPTH || self.nodes > MAX_NODES {
            return Err(self.wrong("nested too deep or too many values"));
        }
        let value = match self.peek() {
            Some(b'{') => self.map(depth)?,
            Some(b'[') => self.list(depth)?,
            Some(b'"') => Value::Text(self.string()?),
            Some(b'-' | b'0'..=b'9') => Value::Number(self.number()?),
            Some(_) => self.word()?,
            None => return Err(self.wrong("the text ends too early")),
        };
        Ok(Node { at, value })
    }

    fn word(&mut self) -> Result<Value, Problem> {
        for (word, value) in
            [("true", Value::Bool(true)), ("false", Value::Bool(false)), ("null", Value::Null)]
        {
            if self.text[self.at..].starts_with(word) {
                self.at += word.len();
                return Ok(value);
            }
        }
        Err(self.wrong("expected a value"))
    }

    fn list(&mut self, depth: usize) -> Result<Value, Problem> {
        self.at += 1;
        let mut items = Vec::new();
        self.blank();
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(Value::List(items));
        }
        loop {
            self.blank();
            items.push(self.value(depth + 1)?);
            self.blank();
            if self.peek() == Some(b']') {
                self.at += 1;
                return Ok(Value::List(items));
            }
            self.expect(b',')?;
        }
    }

    fn map(&mut self, depth: usize) -> Result<Value, Problem> {
        self.at += 1;
        let mut entries: Vec<Entry> = Vec::new();
        let mut seen = std::collections::HashMap::new();
        self.blank();
        if self.peek() == Some(b'}') {
            self.at += 1;
            return Ok(Value::Map(entries));
        }
        loop {
            self.blank();
            let at = self.mark();
            if self.peek() != Some(b'"') {
                return Err(self.wrong("expected a key in quotes"));
            }
            let key = self.string()?;
            if let Some(line) = seen.insert(key.clone(), at.line) {
                let message = format!("`{key}` is written twice, first on line {line}");
                return Err(Problem::error("", message).at(at.in_file(None)).hint("keep one of them"));
            }
            self.blank();
            self.expect(b':')?;
            self.blank();
            let value = self.value(depth + 1)?;
            entries.push(Entry { key, at, value });
            self.blank();
            if self.peek() == Some(b'}') {
                self.at += 1;
                return Ok(Value::Map(entries));
            }
            self.expect(b',')?;
        }
    }

    fn number(&mut self) -> Result<Number, Problem> {
        let start = self.at;
        while let Some(b'-' | b'+' | b'.' | b'e' | b'E' | b'0'..=b'9') = self.peek() {
            self.at += 1;
        }
        Number::from_str(&self.text[start..self.at]).map_err(|_| self.wrong("a malformed number"))
    }

    /// Finds the closing quote; `serde_json` undoes the escapes.
    fn string(&mut self) -> Result<String, Problem> {
        let start = self.at;
        let mut escaped = false;
        self.at += 1;
        loop {
            match self.peek() {
                Some(b'"') => break,
                Some(b'\\') => {
                    escaped = true;
                    self.at += 2;
                }
                Some(byte) if byte < 0x20 => return Err(self.wrong("a control character inside quotes")),
                Some(_) => self.at += 1,
                None => {
                    self.at = self.bytes.len();
                    return Err(self.wrong("a quote is not closed"));
                }
            }
        }
        self.at += 1;
        if !escaped {
            return Ok(self.text[start + 1..self.at - 1].to_owned());
        }
        let quoted = self.text.get(start..self.at).ok_or_else(|| self.wrong("a malformed escape"))?;
        serde_json::from_str(quoted).map_err(|_| self.wrong("a malformed escape"))
    }
}
