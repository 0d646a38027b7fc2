//! The named text formats: what each accepts, as a check, a pattern for machines and words for people.

use serde_json::{Value as Json, json};

use crate::spec::placeholder;

/// Longest text where no shorter bound is set.
const MAX_TEXT: usize = 65_536;

/// A failed check: what is wrong, and what to do.
type Failure = (String, String);

struct Format {
    name: &'static str,
    accepts: fn(&str) -> bool,
    pattern: &'static str,
    rule: &'static str,
    hint: &'static str,
}

const FORMATS: &[Format] = &[
    Format {
        name: "slug",
        accepts: |text| text.parse::<crate::Name>().is_ok(),
        pattern: "^[a-z][a-z0-9-]{0,62}$",
        rule: "must be 1 to 63 lower case letters, digits and hyphens, starting with a letter",
        hint: "for example `github` or `internal-api`",
    },
    Format {
        name: "reference",
        accepts: |text| crate::Reference::parse(text).is_ok(),
        pattern: "^((platform|identity_account)/|organization/[a-z][a-z0-9-]{0,62}/)?[a-z][a-z0-9-]{0,62}$",
        rule: "must be NAME, platform/NAME, identity_account/NAME or organization/ORG/NAME",
        hint: "for example `github` or `platform/github`",
    },
    Format {
        name: "env-key",
        accepts: |text| {
            text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && text.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'_')
                && text.len() <= 256
        },
        pattern: "^[A-Za-z_][A-Za-z0-9_]{0,255}$",
        rule: "must be letters, digits and underscores, not starting with a digit",
        hint: "for example `GITHUB_TOKEN`",
    },
    Format {
        name: "alias",
        accepts: |text| {
            text.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-' || b == b'_')
                && text.len() <= 63
        },
        pattern: "^[a-z0-9_-]{0,63}$",
        rule: "may hold only lower case letters, digits, hyphens and underscores, 63 at most",
        hint: "for example `gh-work`",
    },
    Format {
        name: "server-name",
        accepts: |text| {
            text.starts_with(|c: char| c.is_ascii_alphanumeric())
                && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-".contains(&b))
                && text.len() <= 63
        },
        pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,62}$",
        rule: "must be 1 to 63 letters, digits, dots, hyphens and underscores, starting with a letter or digit",
        hint: "for example `github` or `docs.search`",
    },
    Format {
        name: "line",
        accepts: |text| !text.chars().any(char::is_control),
        pattern: "^[^\\u0000-\\u001f\\u007f-\\u009f]*$",
        rule: "must not hold control characters or line breaks",
        hint: "write it on one line",
    },
    Format {
        name: "text",
        accepts: |text| !text.contains('\0'),
        pattern: "^[^\\u0000]*$",
        rule: "must not hold a NUL character",
        hint: "remove the NUL",
    },
    Format {
        name: "header-name",
        accepts: |text| {
            !text.is_empty()
                && text.len() <= 256
                && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b))
        },
        pattern: "^[A-Za-z0-9!#$%&'*+.^_`|~-]{1,256}$",
        rule: "is not a header name",
        hint: "for example `Authorization`",
    },
    Format {
        name: "header-value",
        accepts: |text| text.chars().all(|c| c == '\t' || !c.is_control()),
        pattern: "^[^\\u0000-\\u0008\\u000a-\\u001f\\u007f-\\u009f]*$",
        rule: "must not hold line breaks or control characters",
        hint: "write it on one line",
    },
    Format {
        name: "absolute-path",
        accepts: |text| text.starts_with('/') && !text.chars().any(char::is_control),
        pattern: "^/[^\\u0000-\\u001f\\u007f-\\u009f]*$",
        rule: "must be an absolute path",
        hint: "start it with `/`",
    },
    Format {
        name: "container-path",
        accepts: |text| {
            text.starts_with('/') && !text.contains([':', ',']) && !text.chars().any(char::is_control)
        },
        pattern: "^/[^:,\\u0000-\\u001f\\u007f-\\u009f]*$",
        rule: "must be an absolute path inside the container, without `:` or `,`",
        hint: "start it with `/`",
    },
    Format {
        name: "volume-source",
        accepts: |text| {
            let volume = text.starts_with(|c: char| c.is_ascii_alphanumeric())
                && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b));
            let path = text.starts_with('/') && !text.contains([':', ',']);
            (volume || path) && !text.chars().any(char::is_control)
        },
        pattern: "^(/[^:,\\u0000-\\u001f\\u007f-\\u009f]*|[A-Za-z0-9][A-Za-z0-9_.-]*)$",
        rule: "must be an absolute path on the host or the name of a volume",
        hint: "for example `/srv/data` or `my-volume`",
    },
    Format {
        name: "image",
        accepts: |text| {
            text.starts_with(|c: char| c.is_ascii_alphanumeric())
                && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"._-/:@+".contains(&b))
        },
        pattern: "^[A-Za-z0-9][A-Za-z0-9._/:@+-]*$",
        rule: "is not an image reference",
        hint: "for example `ghcr.io/acme/server:1.2`",
    },
    Format {
        name: "container-name",
        accepts: |text| {
            text.starts_with(|c: char| c.is_ascii_alphanumeric())
                && text.bytes().all(|b| b.is_ascii_alphanumeric() || b"_.-".contains(&b))
        },
        pattern: "^[A-Za-z0-9][A-Za-z0-9_.-]*$",
        rule: "must be letters, digits, `_`, `.` and `-`, starting with a letter or digit",
        hint: "for example `mcp-server`",
    },
    Format {
        name: "host",
        accepts: |text| {
            let name = text.strip_prefix("*.").unwrap_or(text);
            !name.is_empty() && name.bytes().all(|b| b.is_ascii_alphanumeric() || b".-:[]".contains(&b))
        },
        pattern: "^(\\*\\.)?[A-Za-z0-9.:\\[\\]-]+$",
        rule: "must be a host name, `*.domain`, or host and port",
        hint: "for example `api.example.com` or `*.example.com:443`",
    },
    Format {
        name: "icon-url",
        accepts: |text| {
            text.is_empty()
                || text.starts_with("data:image/") && !text.contains(char::is_whitespace)
                || crate::spec::placeholder::check_url(text).is_ok()
        },
        pattern: "^(|data:image/[^\\s]*|https?://[^\\s/?#@]+[^\\s]*)$",
        rule: "must be an http(s) URL or a data:image/… URL",
        hint: "for example `https://example.com/icon.svg`",
    },
    Format {
        name: "env-key-or-star",
        accepts: |text| text == "*" || accepts("env-key", text),
        pattern: "^(\\*|[A-Za-z_][A-Za-z0-9_]{0,255})$",
        rule: "must be an environment variable's name or `*`",
        hint: "for example `HTTP_PROXY` or `*`",
    },
];

fn accepts(name: &str, text: &str) -> bool {
    FORMATS.iter().find(|format| format.name == name).is_some_and(|format| (format.accepts)(text))
}

/// Checks a text against a schema's length and format.
pub(super) fn check(schema: &Json, text: &str) -> Result<(), Failure> {
    let length = text.chars().count();
    if let Some(least) = schema["minLength"].as_u64().filter(|least| (length as u64) < *least) {
        let message = if least == 1 {
            "must not be empty".to_owned()
        } else {
            format!("has {length} characters; it needs at least {least}")
        };
        return Err((message, "write a value, or remove the field".to_owned()));
    }
    let most = schema["maxLength"].as_u64().unwrap_or(MAX_TEXT as u64);
    if length as u64 > most {
        return Err((
            format!("has {length} characters; at most {most} are allowed"),
            "shorten it".to_owned(),
        ));
    }
    schema["format"].as_str().map_or(Ok(()), |name| check_text(name, text))
}

/// Checks a text against a named format.
pub(super) fn check_text(name: &str, text: &str) -> Result<(), Failure> {
    if name == "http-url" {
        return placeholder::check_url(text).map_err(|message| {
            (format!("is not a valid URL: {message}"), "for example `https://example.com/mcp`".to_owned())
        });
    }
    match FORMATS.iter().find(|format| format.name == name) {
        Some(format) if !(format.accepts)(text) => Err((format.rule.to_owned(), format.hint.to_owned())),
        _ => Ok(()),
    }
}

/// Adds to each `format` of ours the pattern that says the same to other tools.
pub(super) fn add_patterns(schema: &mut Json) {
    match schema {
        Json::Object(map) => {
            let pattern = map.get("format").and_then(Json::as_str).and_then(|name| match name {
                "http-url" => Some("^https?://[^\\s/?#@]+[^\\s]*$"),
                name => FORMATS.iter().find(|format| format.name == name).map(|format| format.pattern),
            });
            if let Some(pattern) = pattern {
                map.insert("pattern".to_owned(), json!(pattern));
            }
            map.values_mut().for_each(add_patterns);
        }
        Json::Array(items) => items.iter_mut().for_each(add_patterns),
        _ => {}
    }
}
