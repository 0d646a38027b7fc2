//! Each refused form, beside the message and the place it is refused with.

use crate::schema::{MAX_TEXT, Schema};

fn refusal(text: &str) -> String {
    match Schema::parse(text) {
        Ok(schema) => panic!("accepted:\n{text}\nas\n{}", schema.to_dsl()),
        Err(error) => error.to_string(),
    }
}

#[test]
fn a_model_begins_with_its_header() {
    for (text, message) in [
        ("", "line 1, column 1: expected `model`, found the end of the text"),
        ("type user", "line 1, column 1: expected `model`, found `type`"),
        ("model", "line 1, column 6: expected `schema`, found the end of the text"),
        ("model schema 1.1", "line 1, column 7: expected the end of the line, found `schema`"),
        (
            "model\n  schema 1.0",
            "line 2, column 10: expected the version `1.1`, the only one supported, found `1.0`",
        ),
        (
            "model\n  schema 1.2\ntype user",
            "line 2, column 10: expected the version `1.1`, the only one supported, found `1.2`",
        ),
        ("module core", "line 1, column 1: modules are not supported: begin with `model` and `schema 1.1`"),
        ("model\nschema 1.1 type user", "line 2, column 12: expected the end of the line, found `type`"),
    ] {
        assert_eq!(refusal(text), message, "{text:?}");
    }
}

#[test]
fn definitions_stand_on_their_own_lines() {
    for (rest, message) in [
        ("user", "line 3, column 1: expected `type` or `condition`, found `user`"),
        ("type", "line 3, column 5: expected the name of a type, found the end of the text"),
        ("type user type doc", "line 3, column 11: expected the end of the line, found `type`"),
        ("type or", "line 3, column 6: expected the name of a type, found `or`"),
        (
            "type 2fa",
            "line 3, column 6: expected the name of a type, found `2fa`: names begin with a letter or `_`",
        ),
        ("type usér", "line 3, column 8: unexpected character `é`"),
        ("type a\0", "line 3, column 7: unexpected character `\\0`"),
        ("type a relations", "line 3, column 8: expected the end of the line, found `relations`"),
        ("type a\nrelations", "line 4, column 10: expected `define`, found the end of the text"),
        ("type a\nrelations define b: c", "line 4, column 11: expected the end of the line, found `define`"),
        ("type a\ndefine b: c", "line 4, column 1: expected `type` or `condition`, found `define`"),
        ("extend type a", "line 3, column 1: `extend` needs modules, which are not supported"),
    ] {
        assert_eq!(refusal(&format!("model\nschema 1.1\n{rest}")), message, "{rest:?}");
    }
}

#[test]
fn a_definition_says_what_it_lacks() {
    let operator = "expected `or`, `and`, `but not` or the end of the line";
    let operand = "expected a relation, `[` or `(`";
    for (written, column, message) in [
        ("a", 2, "expected `:`, found the end of the text".to_owned()),
        ("a:", 3, format!("{operand}, found the end of the text")),
        ("a: or b", 4, format!("{operand}, found `or`")),
        ("a: b or", 8, format!("{operand}, found the end of the text")),
        ("a: b or or c", 9, format!("{operand}, found `or`")),
        ("a: b or\n c", 8, format!("{operand}, found the end of the line")),
        ("a: b c", 6, format!("{operator}, found `c`")),
        ("a: b from", 10, "expected a relation after `from`, found the end of the text".to_owned()),
        ("a: b from c from d", 13, format!("{operator}, found `from`")),
        ("a: [user] from c", 11, format!("{operator}, found `from`")),
        ("a: b but c", 10, "expected `not`, found `c`".to_owned()),
        ("a: b or c and d", 11, "`and` after `or` needs parentheses".to_owned()),
        ("a: b and c or d", 12, "`or` after `and` needs parentheses".to_owned()),
        ("a: b or c but not d", 11, "`but not` after `or` needs parentheses".to_owned()),
        ("a: b but not c but not d", 16, "`but not` after `but not` needs parentheses".to_owned()),
        ("a: (b or c and d)", 12, "`and` after `or` needs parentheses".to_owned()),
        ("a: (b", 6, "expected `)`, found the end of the text".to_owned()),
        ("a: b)", 5, format!("{operator}, found `)`")),
        ("a: ()", 5, format!("{operand}, found `)`")),
        ("a: []", 5, "expected the name of a type, found `]`".to_owned()),
        ("a: [user,]", 10, "expected the name of a type, found `]`".to_owned()),
        ("a: [user group]", 10, "expected `,` or `]`, found `group`".to_owned()),
        ("a: [user", 9, "expected `,` or `]`, found the end of the text".to_owned()),
        ("a: [user:b]", 10, "expected `*`, found `b`".to_owned()),
        ("a: [group#]", 11, "expected the name of a relation, found `]`".to_owned()),
        ("a: [group #member]", 19, "expected `,` or `]`, found the end of the text".to_owned()),
        ("a: [user with]", 14, "expected the name of a condition, found `]`".to_owned()),
        (
            "a: [user] or [group]",
            14,
            "a relation has one list of subjects, and these brackets differ from the first".to_owned(),
        ),
    ] {
        let text = format!("model\nschema 1.1\ntype t\nrelations\ndefine {written}");
        assert_eq!(refusal(&text), format!("line 5, column {}: {message}", column + 7), "{written:?}");
    }
}

#[test]
fn a_condition_says_what_it_lacks() {
    let kinds = "expected a type (bool, string, int, uint, double, duration, timestamp, ipaddress, any, \
                 map<…> or list<…>)";
    for (rest, message) in [
        ("condition (a: int) {}", "column 11: expected the name of a condition, found `(`".to_owned()),
        ("condition a.b(a: int) {}", "column 11: expected the name of a condition, found `a.b`".to_owned()),
        ("condition c {}", "column 13: expected `(`, found `{`".to_owned()),
        ("condition c(a) {}", "column 14: expected `:`, found `)`".to_owned()),
        ("condition c(a: int,) {}", "column 20: expected the name of a parameter, found `)`".to_owned()),
        ("condition c(a: int b: int) {}", "column 20: expected `,` or `)`, found `b`".to_owned()),
        ("condition c(a: text) {}", format!("column 16: {kinds}, found `text`")),
        ("condition c(a: list) {}", "column 20: expected `<`, found `)`".to_owned()),
        ("condition c(a: map<>) {}", "column 20: expected the type of a parameter, found `>`".to_owned()),
        ("condition c(a: int)", "column 20: expected `{`, found the end of the text".to_owned()),
        ("condition c(a: int) { a", "column 21: this `{` is never closed".to_owned()),
        ("condition c(a: int) { a == 'b }", "column 28: this string is never closed".to_owned()),
        ("condition c(a: int) { a } b", "column 27: expected the end of the line, found `b`".to_owned()),
    ] {
        assert_eq!(refusal(&format!("model\nschema 1.1\n{rest}")), format!("line 3, {message}"), "{rest:?}");
    }
    let nested = format!("model\nschema 1.1\ncondition c(a: {}", "list<".repeat(70));
    assert_eq!(refusal(&nested), "line 3, column 341: types nest more than 64 deep");
}

#[test]
fn a_text_above_the_limit_is_not_read() {
    let header = "model\nschema 1.1\n#";
    let text = header.to_owned() + &"x".repeat(MAX_TEXT - header.len());
    assert_eq!(Schema::parse(&text), Ok(Schema::default()));
    assert_eq!(
        refusal(&(text + "x")),
        "line 1, column 1: the model has 262145 bytes, more than the 262144 allowed"
    );
}

#[test]
fn a_long_word_is_cut_in_the_message() {
    assert_eq!(
        refusal(&"x".repeat(1000)),
        format!("line 1, column 1: expected `model`, found `{}…`", "x".repeat(40))
    );
}
