//! Reads `condition name(parameters) { expression }`; the expression is found, not understood.

use super::{MAX_NESTING, Parser, SyntaxError, Token};
use crate::schema::{ConditionDefinition, ParameterType};

impl Parser<'_> {
    pub(super) fn condition(&mut self) -> Result<ConditionDefinition, SyntaxError> {
        self.advance()?;
        let name = self.plain_name("the name of a condition")?;
        self.sign('(')?;
        let parameters = self.parameters()?;
        if self.token != Token::Sign('{') {
            return Err(self.unexpected("`{`"));
        }
        let expression = self.lexer.expression(self.at)?.trim().to_owned();
        self.advance()?;
        self.end_line()?;
        Ok(ConditionDefinition { name, parameters, expression })
    }

    fn parameters(&mut self) -> Result<Vec<(String, ParameterType)>, SyntaxError> {
        let mut parameters = Vec::new();
        self.skip_newline()?;
        while self.token != Token::Sign(')') {
            let name = self.plain_name("the name of a parameter")?;
            self.sign(':')?;
            parameters.push((name, self.parameter_type(0)?));
            self.skip_newline()?;
            match self.token {
                Token::Sign(')') => {}
                Token::Sign(',') => {
                    self.advance()?;
                    self.skip_newline()?;
                    if self.token == Token::Sign(')') {
                        return Err(self.unexpected("the name of a parameter"));
                    }
                }
                _ => return Err(self.unexpected("`,` or `)`")),
            }
        }
        self.advance()?;
        Ok(parameters)
    }

    fn parameter_type(&mut self, depth: usize) -> Result<ParameterType, SyntaxError> {
        let Token::Word(word) = self.token else {
            return Err(self.unexpected("the type of a parameter"));
        };
        if depth > MAX_NESTING {
            return Err(self.at.error(format!("types nest more than {MAX_NESTING} deep")));
        }
        if let Some(simple) = ParameterType::simple(word) {
            self.advance()?;
            return Ok(simple);
        }
        let Some(container) = ParameterType::container(word) else {
            return Err(self.unexpected(
                "a type (bool, string, int, uint, double, duration, timestamp, ipaddress, any, \
                 map<…> or list<…>)",
            ));
        };
        self.advance()?;
        self.sign('<')?;
        let items = self.parameter_type(depth + 1)?;
        self.sign('>')?;
        Ok(container(Box::new(items)))
    }

    /// A name without `.` and `/`, which expressions could not hold.
    pub(super) fn plain_name(&mut self, what: &str) -> Result<String, SyntaxError> {
        match self.token {
            Token::Word(word) if word.contains(['.', '/']) => Err(self.unexpected(what)),
            _ => self.name(what),
        }
    }
}
