//! Each accepted form, beside the canonical text it becomes.

use crate::schema::{Form, Restriction, Rewrite, Schema};

fn parsed(text: &str) -> Schema {
    Schema::parse(text).unwrap_or_else(|error| panic!("{error}\n{text}"))
}

/// The one definition of a model with a single relation, as it is printed.
fn definition(written: &str) -> String {
    let schema = parsed(&format!("model\n  schema 1.1\ntype doc\n  relations\n    define {written}"));
    let printed = schema.to_dsl();
    let (_, definition) = printed.split_once("    define ").expect("a definition is printed");
    assert_eq!(parsed(&printed), schema, "{written}");
    definition.trim_end().to_owned()
}

fn computed(name: &str) -> Rewrite {
    Rewrite::Computed(name.to_owned())
}

#[test]
fn a_canonical_text_is_printed_as_it_was_read() {
    let text = "model\n  schema 1.1\n\ntype user\n\ntype document\n  relations\n    define editor: [user]\n    \
                define viewer: [user with recent] or editor\n\ncondition recent(now: timestamp, until: timestamp) {\n  \
                now < until\n}\n";
    assert_eq!(parsed(text).to_dsl(), text);
}

#[test]
fn every_definition_is_printed_in_the_canonical_form() {
    for (written, printed) in [
        ("a: [user]", "a: [user]"),
        ("a:[user]", "a: [user]"),
        ("a : [ user ]", "a: [user]"),
        ("a: [user:*]", "a: [user:*]"),
        ("a: [group#member]", "a: [group#member]"),
        ("a: [user, user:*,group#member]", "a: [user, user:*, group#member]"),
        ("a: [user with c, user:* with c, a#b with c]", "a: [user with c, user:* with c, a#b with c]"),
        ("a: [\n user,\n\n # people\n group#member # teams\n]", "a: [user, group#member]"),
        ("a: b", "a: b"),
        ("a: b from c", "a: b from c"),
        ("a: b or c or d from e", "a: b or c or d from e"),
        ("a: b and c and d", "a: b and c and d"),
        ("a: b but not c", "a: b but not c"),
        ("a: b but  not c", "a: b but not c"),
        ("a: (b)", "a: b"),
        ("a: ((b or c))", "a: b or c"),
        ("a: (b or c) and d", "a: (b or c) and d"),
        ("a: b or (c and d)", "a: b or (c and d)"),
        ("a: (b or c) or d", "a: (b or c) or d"),
        ("a: (b but not c) but not d", "a: (b but not c) but not d"),
        ("a: b but not ( c but not ( d and e ) )", "a: b but not (c but not (d and e))"),
        ("a: ([user] or b) and c", "a: ([user] or b) and c"),
        ("a: b and [user]", "a: b and [user]"),
        ("a: b but not ([user, group#member])", "a: b but not [user, group#member]"),
        ("a: [user] or (b and [user])", "a: [user] or (b and [user])"),
        ("model: schema or type from relation", "model: schema or type from relation"),
        ("define: relations or condition from module", "define: relations or condition from module"),
        ("but: not but not but", "but: not but not but"),
        ("in: true or extend", "in: true or extend"),
        ("can-view_2: a--b or x/y.z", "can-view_2: a--b or x/y.z"),
        ("a: b # why", "a: b"),
    ] {
        assert_eq!(definition(written), printed, "{written}");
    }
}

#[test]
fn the_tree_follows_the_parentheses() {
    let schema = parsed("model\nschema 1.1\ntype doc\nrelations\ndefine a: ([user] or b) but not c from d");
    let relation = &schema.types[0].relations[0];
    let base = Box::new(Rewrite::Union(vec![Rewrite::This, computed("b")]));
    let subtract = Box::new(Rewrite::TupleToUserset { tupleset: "d".to_owned(), computed: "c".to_owned() });
    assert_eq!(relation.rewrite, Rewrite::Exclusion { base, subtract });
    let user = Restriction { type_name: "user".to_owned(), form: Form::Object, condition: None };
    assert_eq!(relation.assignable, [user]);
}

#[test]
fn line_ends_comments_and_indents_do_not_change_the_model() {
    let plain =
        "model\n  schema 1.1\ntype user\ntype doc\n  relations\n    define a: [user]\n    define b: a\n";
    let expected = parsed(plain);
    for text in [
        plain.replace('\n', "\r\n"),
        plain.replace('\n', "\r"),
        plain.replace('\n', "\n\n \t\n"),
        plain.replace('\n', " # said\n  # more\n"),
        plain.replace(' ', "\t"),
        plain.replace("  ", ""),
        plain.trim_end().to_owned(),
        format!("\u{feff}{plain}"),
        format!("# first\n\n  # second\n{plain}# last"),
    ] {
        assert_eq!(parsed(&text), expected, "{text:?}");
    }
}

#[test]
fn every_parameter_type_is_read_and_printed() {
    let types = "a: bool, b: string, c: int, d: uint, e: double, f: duration, g: timestamp, h: ipaddress, i: any, \
                 j: map<string>, k: list<list<int>>";
    let printed = format!("condition c({types}) {{\n  a\n}}\n");
    for written in
        [types.to_owned(), types.replace(", ", ","), format!("\n {}\n", types.replace(", ", "\n, "))]
    {
        let schema = parsed(&format!("model\nschema 1.1\ncondition c ({written}){{a}}"));
        assert_eq!(schema.conditions[0].parameters.len(), 11);
        assert!(schema.to_dsl().ends_with(&printed), "{}", schema.to_dsl());
    }
}

#[test]
fn an_expression_ends_at_its_own_brace() {
    for expression in [
        "a == 1",
        "a in {'k': 1}",
        "a == '}' && b == \"{\"",
        "a == 1 # no comment here\n  && b",
        "a // }\n  && b",
        "r'\\' == a",
        "'''}\n' ''' == a",
        "",
    ] {
        let schema =
            parsed(&format!("model\nschema 1.1\ncondition c(a: int) {{ {expression}\n}} # end\ntype user"));
        assert_eq!(schema.conditions[0].expression, expression);
        assert_eq!(schema.types[0].name, "user");
        assert_eq!(parsed(&schema.to_dsl()), schema);
    }
}

#[test]
fn nesting_to_the_limit_is_read() {
    let nested = |depth| {
        format!("model\nschema 1.1\ntype t\nrelations\ndefine a: {}b{}", "(".repeat(depth), ")".repeat(depth))
    };
    assert!(Schema::parse(&nested(super::super::MAX_NESTING)).is_ok());
    let error = Schema::parse(&nested(super::super::MAX_NESTING + 1)).unwrap_err();
    assert_eq!(error.to_string(), "line 5, column 75: parentheses nest more than 64 deep");
}
