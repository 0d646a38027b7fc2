//! Arguments and rows, the same for both databases: integers, text and bytes, nothing else.

use sqlx::postgres::PgRow;
use sqlx::sqlite::SqliteRow;
use sqlx::{Decode, Row as _, Type};

use crate::Unavailable;

/// One parameter of a statement.
#[derive(Clone, Debug)]
pub(crate) enum Arg {
    Int(i64),
    Text(String),
    MaybeText(Option<String>),
    Bytes(Vec<u8>),
    NoBytes,
}

impl From<i64> for Arg {
    fn from(value: i64) -> Self {
        Self::Int(value)
    }
}

impl From<&str> for Arg {
    fn from(value: &str) -> Self {
        Self::Text(value.to_owned())
    }
}

impl From<String> for Arg {
    fn from(value: String) -> Self {
        Self::Text(value)
    }
}

impl From<Option<String>> for Arg {
    fn from(value: Option<String>) -> Self {
        Self::MaybeText(value)
    }
}

impl From<Vec<u8>> for Arg {
    fn from(value: Vec<u8>) -> Self {
        Self::Bytes(value)
    }
}

/// One row of a result; columns by position.
pub(crate) enum Row {
    Sqlite(SqliteRow),
    Postgres(PgRow),
}

impl Row {
    fn column<T>(&self, at: usize) -> Result<T, Unavailable>
    where
        T: for<'r> Decode<'r, sqlx::Sqlite> + Type<sqlx::Sqlite>,
        T: for<'r> Decode<'r, sqlx::Postgres> + Type<sqlx::Postgres>,
    {
        match self {
            Self::Sqlite(row) => row.try_get(at),
            Self::Postgres(row) => row.try_get(at),
        }
        .map_err(|error| Unavailable::corrupt(format!("column {at}: {error}")))
    }

    pub fn int(&self, at: usize) -> Result<i64, Unavailable> {
        self.column(at)
    }

    pub fn maybe_int(&self, at: usize) -> Result<Option<i64>, Unavailable> {
        self.column(at)
    }

    pub fn text(&self, at: usize) -> Result<String, Unavailable> {
        self.column(at)
    }

    pub fn maybe_text(&self, at: usize) -> Result<Option<String>, Unavailable> {
        self.column(at)
    }

    pub fn bytes(&self, at: usize) -> Result<Vec<u8>, Unavailable> {
        self.column(at)
    }

    pub fn maybe_bytes(&self, at: usize) -> Result<Option<Vec<u8>>, Unavailable> {
        self.column(at)
    }
}
