//! The words and signs of the language, each with its position; blank lines and comments never reach the parser.

use super::braces::{Unclosed, closing_brace};
use super::parse::SyntaxError;

/// A line and a column, both from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Position {
    line: usize,
    column: usize,
}

impl Position {
    pub(super) fn error(self, message: impl Into<String>) -> SyntaxError {
        SyntaxError { line: self.line, column: self.column, message: message.into() }
    }
}

/// What the parser sees.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// A name, a keyword or the version.
    Word(&'a str),
    /// One of the signs of the language.
    Sign(char),
    /// One or more line ends, with the blank lines and comments between them.
    Newline,
    /// Nothing follows.
    End,
}

impl Token<'_> {
    /// The token as an error message names it.
    pub(super) fn described(self) -> String {
        match self {
            Token::Word(word) if word.len() > 40 => format!("`{}…`", &word[..40]),
            Token::Word(word) => format!("`{word}`"),
            Token::Sign(sign) => format!("`{sign}`"),
            Token::Newline => "the end of the line".to_owned(),
            Token::End => "the end of the text".to_owned(),
        }
    }
}

/// Reads tokens one by one; never looks past the one it returns.
pub(super) struct Lexer<'a> {
    rest: &'a str,
    before: Option<char>,
    at: Position,
}

impl<'a> Lexer<'a> {
    pub(super) fn new(text: &'a str) -> Self {
        Self { rest: text, before: None, at: Position { line: 1, column: 1 } }
    }

    pub(super) fn next(&mut self) -> Result<(Position, Token<'a>), SyntaxError> {
        self.skip_spaces_and_comment();
        let start = self.at;
        let Some(first) = self.rest.chars().next() else {
            return Ok((start, Token::End));
        };
        let token = match first {
            '\n' | '\r' => {
                while matches!(self.rest.chars().next(), Some('\n' | '\r')) {
                    self.step();
                    self.skip_spaces_and_comment();
                }
                Token::Newline
            }
            ':' | ',' | '(' | ')' | '[' | ']' | '<' | '>' | '#' | '*' | '{' | '}' => {
                self.step();
                Token::Sign(first)
            }
            _ if is_name_character(first) => Token::Word(self.take(word_length(self.rest))),
            _ => return Err(start.error(format!("unexpected character `{}`", first.escape_debug()))),
        };
        Ok((start, token))
    }

    /// The text up to the brace that closes the one just read, and past that brace.
    pub(super) fn expression(&mut self, opened: Position) -> Result<&'a str, SyntaxError> {
        match closing_brace(self.rest) {
            Ok(end) => {
                let expression = self.take(end);
                self.step();
                Ok(expression)
            }
            Err(Unclosed::Brace) => Err(opened.error("this `{` is never closed")),
            Err(Unclosed::String(offset)) => {
                self.take(offset);
                Err(self.at.error("this string is never closed"))
            }
        }
    }

    /// A `#` begins a comment where a word could begin, and joins a type to a relation elsewhere.
    fn skip_spaces_and_comment(&mut self) {
        while matches!(self.rest.chars().next(), Some(' ' | '\t' | '\u{c}')) {
            self.step();
        }
        if self.rest.starts_with('#') && self.before.is_none_or(char::is_whitespace) {
            let end = self.rest.find(['\n', '\r']).unwrap_or(self.rest.len());
            self.take(end);
        }
    }

    fn take(&mut self, length: usize) -> &'a str {
        let taken = &self.rest[..length];
        let end = self.rest.len() - length;
        while self.rest.len() > end {
            self.step();
        }
        taken
    }

    fn step(&mut self) {
        let mut characters = self.rest.chars();
        let Some(character) = characters.next() else { return };
        self.rest = characters.as_str();
        self.before = Some(character);
        let ends_line = character == '\n' || (character == '\r' && !self.rest.starts_with('\n'));
        if ends_line {
            self.at = Position { line: self.at.line + 1, column: 1 };
        } else {
            self.at.column += 1;
        }
    }
}

/// `.` and `/` belong to a word only between its other characters.
fn word_length(text: &str) -> usize {
    let mut characters = text.char_indices().peekable();
    while let Some((offset, character)) = characters.next() {
        let joins = matches!(character, '.' | '/')
            && characters.peek().is_some_and(|&(_, next)| is_name_character(next) && next != '-');
        if !joins && !is_name_character(character) {
            return offset;
        }
    }
    text.len()
}

fn is_name_character(character: char) -> bool {
    character.is_ascii_alphanumeric() || matches!(character, '_' | '-')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tokens(text: &str) -> Vec<(usize, usize, String)> {
        let mut lexer = Lexer::new(text);
        let mut seen = Vec::new();
        loop {
            let (at, token) = lexer.next().expect("the text has only signs and words");
            if token == Token::End {
                return seen;
            }
            seen.push((at.line, at.column, token.described()));
        }
    }

    fn seen(line: usize, column: usize, text: &str) -> (usize, usize, String) {
        (line, column, format!("`{text}`"))
    }

    #[test]
    fn every_kind_of_line_end_counts_one_line() {
        for (text, end) in [("a\n\n b", 2), ("a\r\n\r\n b", 2), ("a\r\r b", 2), ("a # x\n# y\n b", 6)] {
            let line_end = (1, end, Token::Newline.described());
            assert_eq!(tokens(text), [seen(1, 1, "a"), line_end, seen(3, 2, "b")], "{text:?}");
        }
    }

    #[test]
    fn a_hash_after_a_word_is_a_sign_and_after_a_space_a_comment() {
        assert_eq!(tokens("a#b"), [seen(1, 1, "a"), seen(1, 2, "#"), seen(1, 3, "b")]);
        assert_eq!(tokens("a #b"), [seen(1, 1, "a")]);
        assert_eq!(tokens("# a"), []);
    }

    #[test]
    fn dots_and_slashes_join_words_only_in_the_middle() {
        assert_eq!(tokens("a/b.c-d"), [seen(1, 1, "a/b.c-d")]);
        assert_eq!(tokens("1.1"), [seen(1, 1, "1.1")]);
        for (text, column) in [("a.", 2), ("a/ b", 2), ("a..b", 2), ("/a", 1), ("a.-b", 2)] {
            let mut lexer = Lexer::new(text);
            let error = std::iter::repeat_with(|| lexer.next()).find_map(Result::err).expect("an error");
            assert_eq!((error.line, error.column), (1, column), "{text}");
        }
    }
}
