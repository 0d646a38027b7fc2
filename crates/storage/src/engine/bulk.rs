//! Statements over many rows at once, in a few fixed sizes so that prepared statements are found again.

use std::fmt::Write as _;

use super::{Arg, Dialect, Row, Session};
use crate::Unavailable;

const MOST_PARAMETERS: usize = 900;
/// Close enough that two or three statements make any count, few enough to keep them all prepared.
const SIZES: [usize; 17] = [225, 128, 96, 64, 56, 48, 40, 32, 24, 16, 12, 8, 6, 4, 3, 2, 1];

/// A statement with a list of rows in it: `head VALUES ($1, $2), … tail`, with no other parameter.
pub(crate) struct Bulk {
    pub head: &'static str,
    /// Columns per row.
    pub width: usize,
    pub tail: &'static str,
}

impl Bulk {
    /// Runs the statement for all rows, given one after the other; no rows, no statement.
    pub async fn rows(&self, session: &mut Session, args: Vec<Arg>) -> Result<Vec<Row>, Unavailable> {
        let mut answer = Vec::new();
        for (sql, args) in self.statements(session.dialect(), args) {
            answer.extend(session.rows(sql, args).await?);
        }
        Ok(answer)
    }

    /// The statements for all rows, each with its part of them.
    pub fn statements(&self, dialect: Dialect, args: Vec<Arg>) -> impl Iterator<Item = (String, Vec<Arg>)> {
        debug_assert_eq!(args.len() % self.width, 0, "whole rows");
        let mut left = args.len() / self.width;
        let mut args = args.into_iter();
        std::iter::from_fn(move || {
            let count = if left == 0 { return None } else { self.size(left) };
            left -= count;
            Some((self.text(count, dialect), args.by_ref().take(count * self.width).collect()))
        })
    }

    /// As `rows`, for its effect.
    pub async fn run(&self, session: &mut Session, args: Vec<Arg>) -> Result<(), Unavailable> {
        self.rows(session, args).await.map(drop)
    }

    fn size(&self, left: usize) -> usize {
        SIZES.into_iter().find(|size| *size <= left && size * self.width <= MOST_PARAMETERS).unwrap_or(1)
    }

    fn text(&self, rows: usize, dialect: Dialect) -> String {
        let mut sql = String::with_capacity(self.head.len() + rows * self.width * 6);
        sql.push_str(self.head);
        sql.push_str(" VALUES ");
        for parameter in 0..rows * self.width {
            let lead = match (parameter, parameter % self.width) {
                (0, _) => "(",
                (_, 0) => "), (",
                _ => ", ",
            };
            sql.push_str(lead);
            // SQLite looks a numbered parameter up in a list for each value; writing to a String cannot fail.
            let _ = match dialect {
                Dialect::Sqlite => sql.write_char('?'),
                Dialect::Postgres => write!(sql, "${}", parameter + 1),
            };
        }
        sql.push(')');
        sql.push_str(self.tail);
        sql
    }
}

#[cfg(test)]
mod tests {
    use super::{Bulk, Dialect};

    #[test]
    fn the_text_numbers_every_parameter() {
        let bulk = Bulk { head: "INSERT INTO t (a, b)", width: 2, tail: " RETURNING a" };
        let numbered = "INSERT INTO t (a, b) VALUES ($1, $2), ($3, $4) RETURNING a";
        assert_eq!(bulk.text(2, Dialect::Postgres), numbered);
        assert_eq!(bulk.text(2, Dialect::Sqlite), "INSERT INTO t (a, b) VALUES (?, ?), (?, ?) RETURNING a");
    }

    #[test]
    fn a_statement_stays_below_the_limit_of_parameters() {
        let bulk = Bulk { head: "", width: 12, tail: "" };
        assert_eq!(bulk.size(10_000), 64);
        assert_eq!(bulk.size(61), 56);
        assert_eq!(bulk.size(5), 4);
        assert_eq!(Bulk { head: "", width: 4, tail: "" }.size(10_000), 225);
    }
}
