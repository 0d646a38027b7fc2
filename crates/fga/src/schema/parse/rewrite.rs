//! Reads what stands after `define name:`; operators mix only through parentheses, which nest to a limit.

use super::{MAX_NESTING, Parser, SyntaxError, Token};
use crate::schema::{Form, Restriction, Rewrite};

#[derive(Clone, Copy, PartialEq)]
enum Operator {
    Or,
    And,
    ButNot,
}

impl Operator {
    fn word(self) -> &'static str {
        match self {
            Self::Or => "or",
            Self::And => "and",
            Self::ButNot => "but not",
        }
    }
}

/// What the brackets of the relation being read list, once they were seen.
type Brackets = Option<Vec<Restriction>>;

impl Parser<'_> {
    pub(super) fn definition(&mut self) -> Result<(Rewrite, Vec<Restriction>), SyntaxError> {
        let mut brackets = None;
        let rewrite = self.rewrite(0, &mut brackets)?;
        match self.token {
            Token::Newline | Token::End => self.end_line()?,
            _ => return Err(self.unexpected("`or`, `and`, `but not` or the end of the line")),
        }
        Ok((rewrite, brackets.unwrap_or_default()))
    }

    fn rewrite(&mut self, depth: usize, brackets: &mut Brackets) -> Result<Rewrite, SyntaxError> {
        let first = self.operand(depth, brackets)?;
        let Some(operator) = self.operator()? else { return Ok(first) };
        let mut operands = vec![first, self.operand(depth, brackets)?];
        loop {
            let at = self.at;
            match self.operator()? {
                None => break,
                Some(next) if next == operator && operator != Operator::ButNot => {
                    operands.push(self.operand(depth, brackets)?);
                }
                Some(next) => {
                    let (first, next) = (operator.word(), next.word());
                    return Err(at.error(format!("`{next}` after `{first}` needs parentheses")));
                }
            }
        }
        Ok(match operator {
            Operator::Or => Rewrite::Union(operands),
            Operator::And => Rewrite::Intersection(operands),
            Operator::ButNot => {
                let subtract = Box::new(operands.pop().expect("an exclusion has two operands"));
                let base = Box::new(operands.pop().expect("an exclusion has two operands"));
                Rewrite::Exclusion { base, subtract }
            }
        })
    }

    fn operator(&mut self) -> Result<Option<Operator>, SyntaxError> {
        let operator = match self.token {
            Token::Word("or") => Operator::Or,
            Token::Word("and") => Operator::And,
            Token::Word("but") => {
                self.advance()?;
                self.keyword("not")?;
                return Ok(Some(Operator::ButNot));
            }
            _ => return Ok(None),
        };
        self.advance()?;
        Ok(Some(operator))
    }

    fn operand(&mut self, depth: usize, brackets: &mut Brackets) -> Result<Rewrite, SyntaxError> {
        match self.token {
            Token::Sign('[') => {
                let at = self.at;
                let restrictions = self.restrictions()?;
                if brackets.as_ref().is_some_and(|earlier| *earlier != restrictions) {
                    return Err(at.error(
                        "a relation has one list of subjects, and these brackets differ from the first",
                    ));
                }
                *brackets = Some(restrictions);
                Ok(Rewrite::This)
            }
            Token::Sign('(') if depth == MAX_NESTING => {
                Err(self.at.error(format!("parentheses nest more than {MAX_NESTING} deep")))
            }
            Token::Sign('(') => {
                self.advance()?;
                let rewrite = self.rewrite(depth + 1, brackets)?;
                self.sign(')')?;
                Ok(rewrite)
            }
            _ => {
                let computed = self.name("a relation, `[` or `(`")?;
                if self.token != Token::Word("from") {
                    return Ok(Rewrite::Computed(computed));
                }
                self.advance()?;
                Ok(Rewrite::TupleToUserset { tupleset: self.name("a relation after `from`")?, computed })
            }
        }
    }

    fn restrictions(&mut self) -> Result<Vec<Restriction>, SyntaxError> {
        self.advance()?;
        let mut restrictions = Vec::new();
        loop {
            self.skip_newline()?;
            restrictions.push(self.restriction()?);
            self.skip_newline()?;
            match self.token {
                Token::Sign(',') => self.advance()?,
                Token::Sign(']') => break,
                _ => return Err(self.unexpected("`,` or `]`")),
            }
        }
        self.advance()?;
        Ok(restrictions)
    }

    fn restriction(&mut self) -> Result<Restriction, SyntaxError> {
        let type_name = self.name("the name of a type")?;
        let form = match self.token {
            Token::Sign(':') => {
                self.advance()?;
                self.sign('*')?;
                Form::Wildcard
            }
            Token::Sign('#') => {
                self.advance()?;
                Form::Userset(self.name("the name of a relation")?)
            }
            _ => Form::Object,
        };
        let mut condition = None;
        if self.token == Token::Word("with") {
            self.advance()?;
            condition = Some(self.plain_name("the name of a condition")?);
        }
        Ok(Restriction { type_name, form, condition })
    }
}
