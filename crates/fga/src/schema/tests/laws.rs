//! Laws: printing and reading undo each other in both texts, and no text makes the reader or the checks panic.

use proptest::prelude::*;

use super::well_formed;
use crate::schema::{Schema, TypeDefinition};

/// Texts made of the language's own pieces, which get further than random characters do.
fn fragments() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "model\n",
        "schema 1.1\n",
        "type ",
        "relations\n",
        "define ",
        "a",
        "b",
        ": ",
        "[",
        "]",
        "(",
        ")",
        " or ",
        " and ",
        " but not ",
        " from ",
        " with ",
        "#",
        ":*",
        ", ",
        "\n",
        "\r",
        " ",
        "condition ",
        "{",
        "}",
        "'",
        "\"\"\"",
        "//",
        "list<",
        "int",
        ">",
        "é",
        "\0",
    ]);
    let header = prop_oneof![Just(""), Just("model\nschema 1.1\ntype a\nrelations\ndefine a: ")];
    (header, prop::collection::vec(piece, 0..40))
        .prop_map(|(header, pieces)| header.to_owned() + &pieces.concat())
}

fn reads_back(text: &str) {
    if let Ok(schema) = Schema::parse(text) {
        let printed = schema.to_dsl();
        assert_eq!(Schema::parse(&printed).as_ref(), Ok(&schema), "{printed}");
        let _ = schema.problems();
    }
}

proptest! {
    #[test]
    fn the_printed_text_reads_back_as_the_same_schema(schema in well_formed::schema()) {
        let printed = schema.to_dsl();
        let read = Schema::parse(&printed);
        prop_assert_eq!(read.as_ref(), Ok(&schema), "{}", printed);
        prop_assert_eq!(read.expect("it was read").to_dsl(), printed);
    }

    #[test]
    fn the_json_reads_back_as_the_same_schema(schema in well_formed::schema()) {
        let text = schema.to_json().to_string();
        let json = serde_json::from_str(&text).expect("what was written is JSON");
        prop_assert_eq!(Schema::from_json(&json), Ok(schema), "{}", text);
    }

    #[test]
    fn a_duplicated_type_is_always_a_problem(mut schema in well_formed::schema()) {
        let twin = TypeDefinition { name: "twin".to_owned(), relations: Vec::new() };
        schema.types.extend([twin.clone(), twin]);
        prop_assert!(schema.problems().iter().any(|problem| problem.to_string() == "type `twin`: defined twice"));
    }

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,200}") {
        reads_back(&text);
    }

    #[test]
    fn any_text_of_the_languages_pieces_is_read_or_refused(text in fragments()) {
        reads_back(&text);
    }
}
