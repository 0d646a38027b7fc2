//! The model in the repository: its own store tests pass, and every kind has every right.

use std::path::Path;

use access::{Action, MODEL};
use fga::Model;
use fga::store::{Reader, StoreFile};
use model::Kind;
use model::tree::{self, Format};

fn json(text: &str) -> Result<serde_json::Value, String> {
    let nodes = tree::parse(text, Format::Yaml).map_err(|problems| format!("{problems:?}"))?;
    serde::Deserialize::deserialize(nodes.first().ok_or("nothing")?).map_err(|error| format!("{error:?}"))
}

#[test]
fn the_models_own_store_tests_pass() {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests");
    let text = std::fs::read_to_string(directory.join("outfitter.fga.yaml")).unwrap();
    let file = StoreFile::from_value(json(&text).unwrap()).unwrap();
    let mut read =
        |name: &str| std::fs::read_to_string(directory.join(name)).map_err(|error| error.to_string());
    let mut parse = |text: &str| json(text);
    let store = file.load(&mut Reader { text: &mut read, parse: &mut parse }).unwrap();
    let report = store.run();
    assert!(report.tests.iter().all(|test| test.failures.is_empty()), "{report:#?}");
    assert!(report.tests.len() >= 7);
}

#[test]
fn every_kind_has_every_right_that_can_be_asked_for() {
    let model = Model::parse(MODEL).unwrap();
    for kind in Kind::ALL {
        let type_id =
            model.type_id(kind.type_name()).unwrap_or_else(|| panic!("{kind} is not in outfitter.fga"));
        for action in Action::ALL.into_iter().filter(|action| *action != Action::Operate) {
            assert!(
                model.relation_id(type_id, action.relation()).is_some(),
                "{kind} lacks {}",
                action.relation()
            );
        }
    }
}

#[test]
fn every_kind_has_the_same_rules() {
    let model = Model::parse(MODEL).unwrap();
    let rules = |kind: Kind| {
        let types = &model.schema().types;
        &types.iter().find(|definition| definition.name == kind.type_name()).unwrap().relations
    };
    for kind in Kind::ALL {
        assert_eq!(rules(kind), rules(Kind::McpServer), "{kind}");
    }
}
