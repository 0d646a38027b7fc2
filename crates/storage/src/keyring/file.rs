//! The key file: written whole or not at all, and never left readable by others.

use std::fs::{File, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};
use std::path::Path;

use argon2::{Algorithm, Argon2, Params, Version};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use model::SecretText;
use serde::{Deserialize, Serialize};
use zeroize::{Zeroize as _, Zeroizing};

use super::{KeyError, Keys, WrappingKey};
use crate::random;
use crate::seal::{decrypt, encrypt};

const FORMAT: u32 = 1;
const LONGEST: u64 = 1 << 20;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Document {
    format: u32,
    /// The active key first.
    keys: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    id: String,
    #[serde(flatten)]
    material: Material,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Material {
    Key(String),
    Argon2id { salt: String, m: u32, t: u32, p: u32, wrapped: String },
}

/// The keys in the file; none if there is no file.
pub(super) fn read(path: &Path, passphrase: Option<&SecretText>) -> Result<Option<Keys>, KeyError> {
    let failed = |source| KeyError::File { path: path.to_owned(), source };
    let malformed = |problem: String| KeyError::Malformed { path: path.to_owned(), problem };
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(error)),
    };
    let mode = file.metadata().map_err(failed)?.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        return Err(KeyError::Exposed { path: path.to_owned(), mode });
    }
    let mut text = Zeroizing::new(String::new());
    file.take(LONGEST).read_to_string(&mut text).map_err(failed)?;
    let document: Document =
        serde_json::from_str(&text).map_err(|error| malformed(format!("not a key file: {error}")))?;
    if document.format != FORMAT {
        return Err(malformed(format!("format {} is not known", document.format)));
    }
    let keys = document.keys.into_iter().map(|entry| open(path, entry, passphrase));
    let keys = keys.collect::<Result<Vec<_>, _>>()?;
    if keys.is_empty() {
        return Err(malformed("it holds no key".to_owned()));
    }
    Ok(Some(Keys(keys)))
}

fn open(path: &Path, entry: Entry, passphrase: Option<&SecretText>) -> Result<WrappingKey, KeyError> {
    let path = path.to_owned();
    let malformed = |problem: &str| KeyError::Malformed {
        path: path.clone(),
        problem: format!("key {}: {problem}", entry.id),
    };
    let bytes = match &entry.material {
        Material::Key(text) => Zeroizing::new(STANDARD.decode(text).map_err(|_| malformed("not base64"))?),
        Material::Argon2id { salt, m, t, p, wrapped } => {
            let passphrase = passphrase.ok_or_else(|| KeyError::PassphraseNeeded { path: path.clone() })?;
            let salt = STANDARD.decode(salt).map_err(|_| malformed("its salt is not base64"))?;
            let wrapped = STANDARD.decode(wrapped).map_err(|_| malformed("not base64"))?;
            let params = params(*m, *t, *p).ok_or_else(|| malformed("its parameters are out of range"))?;
            let derived = derive(passphrase, &salt, params).ok_or_else(|| malformed("its salt is bad"))?;
            decrypt(&derived, &wrapped, entry.id.as_bytes())
                .map_err(|_| KeyError::WrongPassphrase { path: path.clone() })?
        }
    };
    let mut key = Zeroizing::new([0; 32]);
    if bytes.len() != key.len() {
        return Err(malformed("it is not 32 bytes long"));
    }
    key.copy_from_slice(&bytes);
    if is_trivial(&key) {
        return Err(malformed("it is not random"));
    }
    Ok(WrappingKey { id: entry.id, key })
}

/// Nobody's random key has fewer than 8 different bytes or counts upwards.
fn is_trivial(key: &[u8; 32]) -> bool {
    let mut seen = [false; 256];
    for byte in key {
        seen[usize::from(*byte)] = true;
    }
    let step = key[1].wrapping_sub(key[0]);
    seen.iter().filter(|seen| **seen).count() < 8
        || key.windows(2).all(|pair| pair[1].wrapping_sub(pair[0]) == step)
}

/// 64 MiB and three passes at most cost a start a fraction of a second; a file may not ask for much more.
fn params(m: u32, t: u32, p: u32) -> Option<Params> {
    let reasonable = m <= 1 << 21 && t <= 64 && p <= 64;
    reasonable.then(|| Params::new(m, t, p, Some(32)).ok()).flatten()
}

fn derive(passphrase: &SecretText, salt: &[u8], params: Params) -> Option<Zeroizing<[u8; 32]>> {
    let mut derived = Zeroizing::new([0; 32]);
    Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
        .hash_password_into(passphrase.expose().as_bytes(), salt, &mut *derived)
        .ok()?;
    Some(derived)
}

fn entry(key: &WrappingKey, passphrase: Option<&SecretText>) -> Entry {
    let material = match passphrase {
        None => Material::Key(STANDARD.encode(*key.key)),
        Some(passphrase) => {
            let (m, t, p) = (65_536, 3, 1);
            let salt = random::bytes::<16>();
            let derived = params(m, t, p)
                .and_then(|params| derive(passphrase, &salt, params))
                .expect("these parameters are in range");
            let wrapped = STANDARD.encode(encrypt(&derived, &*key.key, key.id.as_bytes()));
            Material::Argon2id { salt: STANDARD.encode(salt), m, t, p, wrapped }
        }
    };
    Entry { id: key.id.clone(), material }
}

/// Replaces the file in one step that survives a power cut.
pub(super) fn write(path: &Path, keys: &Keys, passphrase: Option<&SecretText>) -> Result<(), KeyError> {
    let mut document =
        Document { format: FORMAT, keys: keys.0.iter().map(|key| entry(key, passphrase)).collect() };
    let text = serde_json::to_string_pretty(&document).map(Zeroizing::new);
    for entry in &mut document.keys {
        if let Material::Key(text) = &mut entry.material {
            text.zeroize();
        }
    }
    let replaced = text.map_err(std::io::Error::other).and_then(|text| replace(path, &text));
    replaced.map_err(|source| KeyError::File { path: path.to_owned(), source })
}

fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let directory = match path.parent() {
        Some(parent) if !parent.as_os_str().is_empty() => parent,
        _ => Path::new("."),
    };
    let suffix = random::hex(&random::bytes::<4>());
    let mut name = path.file_name().unwrap_or_default().to_owned();
    name.push(format!(".{suffix}.new"));
    let temporary = directory.join(name);
    let written = (|| {
        let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary)?;
        file.write_all(text.as_bytes())?;
        file.write_all(b"\n")?;
        file.sync_all()?;
        std::fs::rename(&temporary, path)?;
        File::open(directory)?.sync_all()
    })();
    if written.is_err() {
        let _ = std::fs::remove_file(&temporary);
    }
    written
}
