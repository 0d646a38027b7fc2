//! Reads the text of a model; any input ends in a schema or in one error with its position, never in a panic.

mod condition;
mod rewrite;

use super::lex::{Lexer, Position, Token};
use super::{RelationDefinition, Schema, TypeDefinition};

/// The longest text that is read, in bytes.
pub const MAX_TEXT: usize = 256 * 1024;
/// How deep parentheses and parameter types may nest.
pub const MAX_NESTING: usize = 64;

/// Words that join operands, and so name nothing.
const JOINING: [&str; 4] = ["and", "or", "from", "with"];

/// Why a text is not a model, and where.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}, column {column}: {message}")]
pub struct SyntaxError {
    /// The line, from 1.
    pub line: usize,
    /// The column in characters, from 1.
    pub column: usize,
    /// What was expected and what was found.
    pub message: String,
}

impl Schema {
    /// Reads a model in the language of schema 1.1. Whether it makes sense is for `problems` to say.
    pub fn parse(text: &str) -> Result<Self, SyntaxError> {
        if text.len() > MAX_TEXT {
            let message = format!("the model has {} bytes, more than the {MAX_TEXT} allowed", text.len());
            return Err(SyntaxError { line: 1, column: 1, message });
        }
        let mut lexer = Lexer::new(text.strip_prefix('\u{feff}').unwrap_or(text));
        let (at, token) = lexer.next()?;
        Parser { lexer, at, token }.schema()
    }
}

/// One token ahead of what is done.
struct Parser<'a> {
    lexer: Lexer<'a>,
    at: Position,
    token: Token<'a>,
}

impl Parser<'_> {
    fn schema(mut self) -> Result<Schema, SyntaxError> {
        self.skip_newline()?;
        self.header()?;
        let mut schema = Schema::default();
        loop {
            match self.token {
                Token::End => return Ok(schema),
                Token::Word("type") => schema.types.push(self.type_definition()?),
                Token::Word("condition") => schema.conditions.push(self.condition()?),
                Token::Word("extend") => {
                    return Err(self.at.error("`extend` needs modules, which are not supported"));
                }
                _ => return Err(self.unexpected("`type` or `condition`")),
            }
        }
    }

    fn header(&mut self) -> Result<(), SyntaxError> {
        if self.token == Token::Word("module") {
            return Err(self.at.error("modules are not supported: begin with `model` and `schema 1.1`"));
        }
        self.keyword("model")?;
        self.end_line()?;
        self.keyword("schema")?;
        if self.token != Token::Word("1.1") {
            return Err(self.unexpected("the version `1.1`, the only one supported"));
        }
        self.advance()?;
        self.end_line()
    }

    fn type_definition(&mut self) -> Result<TypeDefinition, SyntaxError> {
        self.advance()?;
        let name = self.name("the name of a type")?;
        self.end_line()?;
        let mut relations = Vec::new();
        if self.token == Token::Word("relations") {
            self.advance()?;
            self.end_line()?;
            relations.push(self.relation()?);
            while self.token == Token::Word("define") {
                relations.push(self.relation()?);
            }
        }
        Ok(TypeDefinition { name, relations })
    }

    fn relation(&mut self) -> Result<RelationDefinition, SyntaxError> {
        self.keyword("define")?;
        let name = self.name("the name of a relation")?;
        self.sign(':')?;
        let (rewrite, assignable) = self.definition()?;
        Ok(RelationDefinition { name, rewrite, assignable })
    }

    fn name(&mut self, what: &str) -> Result<String, SyntaxError> {
        match self.token {
            Token::Word(word) if JOINING.contains(&word) => Err(self.unexpected(what)),
            Token::Word(word)
                if !word.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_') =>
            {
                let unexpected = self.unexpected(what);
                Err(SyntaxError {
                    message: format!("{}: names begin with a letter or `_`", unexpected.message),
                    ..unexpected
                })
            }
            Token::Word(word) => {
                self.advance()?;
                Ok(word.to_owned())
            }
            _ => Err(self.unexpected(what)),
        }
    }

    fn keyword(&mut self, keyword: &str) -> Result<(), SyntaxError> {
        if self.token != Token::Word(keyword) {
            return Err(self.unexpected(&format!("`{keyword}`")));
        }
        self.advance()
    }

    fn sign(&mut self, sign: char) -> Result<(), SyntaxError> {
        if self.token != Token::Sign(sign) {
            return Err(self.unexpected(&format!("`{sign}`")));
        }
        self.advance()
    }

    fn end_line(&mut self) -> Result<(), SyntaxError> {
        match self.token {
            Token::Newline => self.advance(),
            Token::End => Ok(()),
            _ => Err(self.unexpected("the end of the line")),
        }
    }

    fn skip_newline(&mut self) -> Result<(), SyntaxError> {
        if self.token == Token::Newline { self.advance() } else { Ok(()) }
    }

    fn advance(&mut self) -> Result<(), SyntaxError> {
        (self.at, self.token) = self.lexer.next()?;
        Ok(())
    }

    fn unexpected(&self, expected: &str) -> SyntaxError {
        self.at.error(format!("expected {expected}, found {}", self.token.described()))
    }
}
