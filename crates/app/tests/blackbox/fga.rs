//! Relationship models from the command line, without a daemon.

use testkit::Outfitter;

use crate::stage::BINARY;

const MODEL: &str =
    "model\n  schema 1.1\n\ntype user\n\ntype document\n  relations\n    define viewer: [user, user:*]\n";

fn store(expected: bool) -> String {
    format!(
        "model_file: model.fga\ntuples: [{{user: 'user:anne', relation: viewer, object: 'document:1'}}]\n\
         tests:\n  - name: viewing\n    check:\n      \
         - {{user: 'user:anne', object: 'document:1', assertions: {{viewer: {expected}}}}}\n"
    )
}

#[test]
fn store_files_are_run_and_their_outcome_is_the_exit_code() {
    let person = Outfitter::with_binary(BINARY).unwrap();
    let home = person.home().to_owned();
    std::fs::write(home.join("model.fga"), MODEL).unwrap();
    for (expected, code, last) in [(true, 0, "1 passed, 0 failed"), (false, 1, "0 passed, 1 failed")] {
        let path = home.join("store.fga.yaml");
        std::fs::write(&path, store(expected)).unwrap();
        let output = person.run(["fga", "test", path.to_str().unwrap()]).unwrap();
        assert_eq!(output.code, Some(code), "{}{}", output.stdout, output.stderr);
        assert_eq!(output.stdout.lines().last(), Some(last));
    }
    let absent = person.run(["fga", "test", "absent.fga.yaml"]).unwrap();
    assert_eq!(absent.code, Some(2), "{}", absent.stderr);
}

#[test]
fn a_model_goes_through_both_forms_unchanged() {
    let person = Outfitter::with_binary(BINARY).unwrap();
    let json = person.invocation(["fga", "transform", "-"]).stdin(MODEL).run().unwrap();
    assert_eq!(json.code, Some(0), "{}", json.stderr);
    let dsl = person.invocation(["fga", "transform", "-"]).stdin(json.stdout).run().unwrap();
    assert_eq!((dsl.code, dsl.stdout.trim_end()), (Some(0), MODEL.trim_end()), "{}", dsl.stderr);
    let wrong = MODEL.replace("user:*", "robot");
    let refused = person.invocation(["fga", "transform", "-"]).stdin(wrong).run().unwrap();
    assert_eq!((refused.code, refused.stdout.as_str()), (Some(1), ""));
    assert!(refused.stderr.contains("`robot` is not a type"), "{}", refused.stderr);
}
