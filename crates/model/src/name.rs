//! Names people choose: slugs for resources and organizations, account names for people.

use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

/// Longest resource or organization name.
pub const MAX_NAME: usize = 63;
/// Longest account name.
pub const MAX_ACCOUNT: usize = 128;

/// Why a name is refused, in words that say what to write instead.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("{0}")]
pub struct InvalidName(&'static str);

/// A resource's name: lower case letters, digits and hyphens, 1 to 63, starting with a letter.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Name(String);

/// An organization's name, spelt like a resource's.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Organization(String);

/// A person's account name: letters, digits, `.`, `_`, `@` and `-`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Account(String);

fn slug(text: &str) -> Result<(), InvalidName> {
    let first = text.bytes().next().ok_or(InvalidName("must not be empty"))?;
    if text.len() > MAX_NAME {
        return Err(InvalidName("must have at most 63 characters"));
    }
    if !first.is_ascii_lowercase() {
        return Err(InvalidName("must start with a lower case letter a-z"));
    }
    if !text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-') {
        return Err(InvalidName("may hold only lower case letters, digits and hyphens"));
    }
    Ok(())
}

fn account(text: &str) -> Result<(), InvalidName> {
    if text.is_empty() || text.len() > MAX_ACCOUNT {
        return Err(InvalidName("an account name has 1 to 128 characters"));
    }
    if !text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._@-".contains(&b)) {
        return Err(InvalidName("an account name may hold only letters, digits, `.`, `_`, `@` and `-`"));
    }
    Ok(())
}

macro_rules! checked_text {
    ($($name:ident by $rule:ident),*) => {$(
        impl $name {
            /// The text as written.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl FromStr for $name {
            type Err = InvalidName;

            fn from_str(text: &str) -> Result<Self, InvalidName> {
                $rule(text)?;
                Ok(Self(text.to_owned()))
            }
        }

        impl TryFrom<String> for $name {
            type Error = InvalidName;

            fn try_from(text: String) -> Result<Self, InvalidName> {
                $rule(&text)?;
                Ok(Self(text))
            }
        }

        impl From<$name> for String {
            fn from(name: $name) -> String {
                name.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str(&self.0)
            }
        }
    )*};
}

checked_text!(Name by slug, Organization by slug, Account by account);

#[cfg(test)]
mod tests {
    use super::{Account, MAX_NAME, Name};

    #[test]
    fn a_name_is_a_slug_of_at_most_63_characters() {
        let longest = format!("a{}", "b".repeat(MAX_NAME - 1));
        for good in ["a", "github", "a-1-", longest.as_str()] {
            assert!(good.parse::<Name>().is_ok(), "{good}");
        }
        let too_long = format!("{longest}c");
        assert_eq!(too_long.len(), 64);
        for bad in ["", "1a", "-a", "GitHub", "a_b", "../x", "a\0", "naïve", "аdmin", too_long.as_str()] {
            assert!(bad.parse::<Name>().is_err(), "{bad:?}");
        }
    }

    #[test]
    fn an_account_is_a_login_or_an_address() {
        assert!("alice.smith@example.com".parse::<Account>().is_ok());
        for bad in ["", "a b", "a/b", "a\n"] {
            assert!(bad.parse::<Account>().is_err(), "{bad:?}");
        }
    }
}
