//! Results as each era wants them.

use bytes::Bytes;

use super::service::About;
use crate::json::{Object, View, without};
use crate::meta;
use crate::version::Era;

/// Whose results may be kept for a while, and so must say for how long.
fn is_cacheable(method: &str) -> bool {
    matches!(
        method,
        "tools/list"
            | "prompts/list"
            | "resources/list"
            | "resources/templates/list"
            | "resources/read"
            | "server/discover"
    )
}

/// A service's result in the form of the era. What the service said itself stays.
pub(super) fn result(era: Era, method: &str, result: Bytes, about: &About) -> Bytes {
    match era {
        Era::Legacy => {
            let result = without(result, "resultType");
            if is_cacheable(method) { without(without(result, "ttlMs"), "cacheScope") } else { result }
        }
        Era::Modern => modern(method, &result, about),
    }
}

fn modern(method: &str, result: &[u8], about: &About) -> Bytes {
    let view = View::new(result);
    let lacks = |key: &str| view.get(key).is_none();
    let mut added = String::new();
    if lacks("resultType") {
        added.push_str(r#""resultType":"complete","#);
    }
    if is_cacheable(method) && view.get("resultType").is_none_or(|sort| sort.is("complete")) {
        if lacks("ttlMs") {
            added.push_str(r#""ttlMs":0,"#);
        }
        if lacks("cacheScope") {
            added.push_str(r#""cacheScope":"private","#);
        }
    }
    let info = Object::new().raw(meta::SERVER_INFO, &about.info).finish();
    let with_info = meta::add(result, &info);
    match added.strip_suffix(',') {
        Some(added) => meta::insert_first(&with_info, added.as_bytes()),
        None => with_info,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shaped(era: Era, method: &str, text: &'static str) -> String {
        let about = About {
            info: Bytes::from_static(b"{\"name\":\"n\"}"),
            capabilities: Bytes::from_static(b"{}"),
            instructions: None,
        };
        String::from_utf8(result(era, method, Bytes::from_static(text.as_bytes()), &about).to_vec()).unwrap()
    }

    #[test]
    fn modern_results_say_what_they_are_and_how_long_they_hold() {
        let info = r#""_meta":{"io.modelcontextprotocol/serverInfo":{"name":"n"}}"#;
        assert_eq!(
            shaped(Era::Modern, "tools/call", "{\"content\":[]}"),
            format!(r#"{{"resultType":"complete",{info},"content":[]}}"#)
        );
        let list = shaped(Era::Modern, "tools/list", r#"{"tools":[],"ttlMs":5}"#);
        assert_eq!(
            list,
            format!(r#"{{"resultType":"complete","cacheScope":"private",{info},"tools":[],"ttlMs":5}}"#)
        );
        let task = shaped(Era::Modern, "tools/call", r#"{"resultType":"task","ttlMs":null}"#);
        assert_eq!(task, format!(r#"{{{info},"resultType":"task","ttlMs":null}}"#));
    }

    #[test]
    fn legacy_results_say_neither() {
        let list = shaped(
            Era::Legacy,
            "tools/list",
            r#"{"resultType":"complete","ttlMs":5,"tools":[],"cacheScope":"public"}"#,
        );
        assert_eq!(list, r#"{"tools":[]}"#);
        assert_eq!(shaped(Era::Legacy, "tools/call", r#"{"ttlMs":5}"#), r#"{"ttlMs":5}"#);
    }
}
