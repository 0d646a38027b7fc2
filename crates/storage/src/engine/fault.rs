//! Says what a driver's error means to a caller.

use sqlx::Error;

use crate::{Reason, Unavailable};

/// The class of a driver's error, with what the database said.
pub(crate) fn classify(error: &Error) -> Unavailable {
    let reason = match error {
        Error::Database(database) => match database.code() {
            Some(code) if database.try_downcast_ref::<sqlx::sqlite::SqliteError>().is_some() => sqlite(&code),
            Some(code) => postgres(&code),
            None => Reason::Other,
        },
        Error::Io(_) | Error::Tls(_) | Error::Protocol(_) | Error::WorkerCrashed | Error::PoolTimedOut => {
            Reason::Disconnected
        }
        Error::PoolClosed => Reason::Closed,
        Error::ColumnDecode { .. } | Error::Decode(_) | Error::ColumnNotFound(_) => Reason::Corrupt,
        _ => Reason::Other,
    };
    Unavailable::new(reason, error.to_string())
}

/// The low byte of SQLite's extended code is its class.
fn sqlite(code: &str) -> Reason {
    match code.parse::<i32>().unwrap_or_default() & 0xff {
        5 | 6 => Reason::Busy,
        13 => Reason::DiskFull,
        3 | 8 => Reason::ReadOnly,
        10 | 14 => Reason::Disconnected,
        11 | 26 => Reason::Corrupt,
        _ => Reason::Other,
    }
}

fn postgres(state: &str) -> Reason {
    match state {
        "25006" => Reason::ReadOnly,
        "53100" => Reason::DiskFull,
        "57P01" | "57P02" | "57P03" => Reason::Disconnected,
        "40001" | "40P01" | "55P03" | "53300" | "57014" => Reason::Busy,
        "XX001" | "XX002" => Reason::Corrupt,
        _ if state.starts_with("08") => Reason::Disconnected,
        _ => Reason::Other,
    }
}

#[cfg(test)]
mod tests {
    use super::{postgres, sqlite};
    use crate::Reason;

    #[test]
    fn codes_become_reasons() {
        for (code, reason) in [
            ("5", Reason::Busy),
            ("517", Reason::Busy),
            ("262", Reason::Busy),
            ("13", Reason::DiskFull),
            ("8", Reason::ReadOnly),
            ("1032", Reason::ReadOnly),
            ("778", Reason::Disconnected),
            ("11", Reason::Corrupt),
            ("1", Reason::Other),
        ] {
            assert_eq!(sqlite(code), reason, "{code}");
        }
        for (state, reason) in [
            ("25006", Reason::ReadOnly),
            ("57P01", Reason::Disconnected),
            ("57P03", Reason::Disconnected),
            ("08006", Reason::Disconnected),
            ("53100", Reason::DiskFull),
            ("40001", Reason::Busy),
            ("22021", Reason::Other),
        ] {
            assert_eq!(postgres(state), reason, "{state}");
        }
    }
}
