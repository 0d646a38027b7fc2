//! The key file: who may read it, what is refused, and what a rotation leaves in it.

use std::fs;
use std::os::unix::fs::PermissionsExt as _;

use model::SecretText;

use super::{KeyError, Keyring};

fn secret(text: &str) -> SecretText {
    SecretText::new(text.to_owned())
}

#[test]
fn a_new_file_is_private_and_holds_the_same_key_when_read_again() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("keys");
    let made = Keyring::load_or_create(&path, None).unwrap();
    assert!(made.was_created());
    assert_eq!(fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o600);
    let read = Keyring::load_or_create(&path, None).unwrap();
    assert!(!read.was_created());
    assert_eq!(*made.keys().active().key, *read.keys().active().key);
    assert_eq!(fs::read_dir(directory.path()).unwrap().count(), 1, "no temporary file stays");
}

#[test]
fn a_file_that_others_can_read_is_refused_with_the_remedy() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("keys");
    Keyring::load_or_create(&path, None).unwrap();
    for mode in [0o640, 0o604, 0o660] {
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        let error = Keyring::load_or_create(&path, None).unwrap_err();
        assert!(matches!(error, KeyError::Exposed { .. }), "{error}");
        assert!(error.to_string().contains("chmod 600"), "{error}");
    }
}

#[test]
fn a_passphrase_opens_what_it_wrapped_and_nothing_else_does() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("keys");
    let made = Keyring::load_or_create(&path, Some(secret("correct horse"))).unwrap();
    assert!(!fs::read_to_string(&path).unwrap().contains("\"key\""));
    let read = Keyring::load_or_create(&path, Some(secret("correct horse"))).unwrap();
    assert_eq!(*made.keys().active().key, *read.keys().active().key);
    let wrong = Keyring::load_or_create(&path, Some(secret("battery staple"))).unwrap_err();
    assert!(matches!(wrong, KeyError::WrongPassphrase { .. }), "{wrong}");
    let none = Keyring::load_or_create(&path, None).unwrap_err();
    assert!(matches!(none, KeyError::PassphraseNeeded { .. }), "{none}");
}

#[test]
fn a_new_passphrase_wraps_the_old_keys_too() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("keys");
    let mut keyring = Keyring::load_or_create(&path, Some(secret("first"))).unwrap();
    let old = keyring.keys().active().id.clone();
    keyring.add(Some(secret("second"))).unwrap();
    let mut read = Keyring::load_or_create(&path, Some(secret("second"))).unwrap();
    assert!(read.keys().find(&old).is_some());
    assert_ne!(read.keys().active().id, old);
    read.retire().unwrap();
    let read = Keyring::load_or_create(&path, Some(secret("second"))).unwrap();
    assert!(read.keys().find(&old).is_none());
}

#[test]
fn keys_that_are_not_random_are_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("keys");
    for key in [
        "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=",
        "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=",
        "c2hvcnQ=",
        "~~~~",
    ] {
        let text = format!(r#"{{"format": 1, "keys": [{{"id": "a", "key": "{key}"}}]}}"#);
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let error = Keyring::load_or_create(&path, None).unwrap_err();
        assert!(matches!(error, KeyError::Malformed { .. }), "{key}: {error}");
        assert!(!error.to_string().contains(key), "the message shows no key: {error}");
    }
}

#[test]
fn a_file_that_is_empty_or_from_the_future_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("keys");
    for text in ["", "{}", r#"{"format": 1, "keys": []}"#, r#"{"format": 2, "keys": []}"#] {
        fs::write(&path, text).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o600)).unwrap();
        let error = Keyring::load_or_create(&path, None).unwrap_err();
        assert!(matches!(error, KeyError::Malformed { .. }), "{text}: {error}");
    }
}
