//! Values that are checked while the command line is read: addresses, databases, places in the history.

use std::ffi::OsStr;
use std::net::{Ipv4Addr, SocketAddr};

use clap::builder::TypedValueParser;
use clap::error::ErrorKind;

/// The longest life the daemon gives a token that ends: ten years.
const LONGEST_LIFE: u64 = 3650 * 24 * 60 * 60;

/// An address to listen on; `localhost` is read as 127.0.0.1.
pub(super) fn listen(text: &str) -> Result<SocketAddr, String> {
    if let Ok(address) = text.parse() {
        return Ok(address);
    }
    let local = text.strip_prefix("localhost:").and_then(|port| port.parse().ok());
    local.map(|port| SocketAddr::from((Ipv4Addr::LOCALHOST, port))).ok_or_else(|| {
        "write ADDRESS:PORT, such as 127.0.0.1:9850, [::1]:9850 or localhost:9850; port 0 picks a free one"
            .to_owned()
    })
}

/// A place in the history: REVISION, or REVISION.ORDINAL as the id of an event.
pub(super) fn position(text: &str) -> Result<String, String> {
    let is_number = |part: &str| part.bytes().all(|b| b.is_ascii_digit()) && part.parse::<i64>().is_ok();
    let mut parts = text.splitn(2, '.');
    if parts.all(is_number) {
        return Ok(text.to_owned());
    }
    Err("write a revision such as 120, or the id of an event such as 120.0".to_owned())
}

/// How long a token lives, in seconds.
pub(super) fn life(text: &str) -> Result<u64, String> {
    let seconds = super::duration::parse(text).map_err(|error| error.to_string())?.as_secs();
    if (1..=LONGEST_LIFE).contains(&seconds) {
        return Ok(seconds);
    }
    Err("write a time from 1s to 3650d, or leave it out for a token that does not end".to_owned())
}

/// A database's URL. A refused one is not repeated, since it may hold a password.
#[derive(Clone)]
pub(super) struct DatabaseUrl;

impl TypedValueParser for DatabaseUrl {
    type Value = String;

    fn parse_ref(
        &self,
        command: &clap::Command,
        _: Option<&clap::Arg>,
        value: &OsStr,
    ) -> Result<String, clap::Error> {
        let known = ["postgres://", "postgresql://", "sqlite:"];
        match value.to_str().filter(|text| known.iter().any(|start| text.starts_with(start))) {
            Some(text) => Ok(text.to_owned()),
            None => Err(clap::Error::raw(
                ErrorKind::ValueValidation,
                "--database must begin with postgres://, postgresql:// or sqlite:\n",
            )
            .with_cmd(command)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{life, listen, position};

    #[test]
    fn a_token_lives_a_second_to_ten_years() {
        for (text, expected) in [
            ("1s", Some(1)),
            ("30d", Some(2_592_000)),
            ("3650d", Some(315_360_000)),
            ("3651d", None),
            ("0s", None),
            ("30", None),
            ("soon", None),
        ] {
            assert_eq!(life(text).ok(), expected, "{text}");
        }
    }

    #[test]
    fn an_address_needs_a_port_and_may_be_localhost() {
        assert_eq!(listen("localhost:0").unwrap().to_string(), "127.0.0.1:0");
        assert_eq!(listen("[::1]:80").unwrap().to_string(), "[::1]:80");
        for bad in ["127.0.0.1", "localhost", "localhost:", "localhost:70000", "example.com:80", ""] {
            assert!(listen(bad).unwrap_err().contains("ADDRESS:PORT"), "{bad}");
        }
    }

    #[test]
    fn a_place_in_the_history_is_one_number_or_two() {
        for (text, good) in [
            ("0", true),
            ("12.3", true),
            ("abc", false),
            ("", false),
            ("1.", false),
            ("1.2.3", false),
            ("-1", false),
        ] {
            assert_eq!(position(text).is_ok(), good, "{text}");
        }
    }
}
