//! Replays the corpus of ordinary and hostile texts: none panics, and each that is read is read back.

use std::path::Path;

use crate::schema::Schema;

#[test]
fn every_text_of_the_corpus_is_refused_or_reads_back_in_both_forms() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz-corpus/dsl");
    let (mut read, mut refused) = (0, 0);
    for file in std::fs::read_dir(folder).unwrap() {
        let path = file.unwrap().path();
        let bytes = std::fs::read(&path).unwrap();
        let Ok(schema) = Schema::parse(&String::from_utf8_lossy(&bytes)) else {
            refused += 1;
            continue;
        };
        read += 1;
        let name = path.display();
        let printed = schema.to_dsl();
        assert_eq!(Schema::parse(&printed).as_ref(), Ok(&schema), "{name}");
        assert_eq!(Schema::parse(&printed).unwrap().to_dsl(), printed, "{name}");
        let problems = schema.problems();
        // Two relations with one name are one key in JSON.
        if !problems.iter().any(|problem| problem.message.contains("twice")) {
            assert_eq!(Schema::from_json(&schema.to_json()), Ok(schema), "{name}");
        }
    }
    assert!(read >= 8 && refused >= 8, "{read} were read and {refused} refused");
}
