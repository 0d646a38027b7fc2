//! What was once thrown at the readers is thrown at them in every run.

mod targets;

use std::path::Path;

#[test]
fn the_corpus_breaks_no_promise() {
    let replayed = testkit::fuzz::replay(Path::new(targets::CORPUS), &targets::ALL).unwrap();
    assert!(replayed >= 40, "{replayed} texts");
}
