//! `edge::ports::Identities` from the operator's token and this machine's users.

use std::path::Path;

use access::{Caller, Via};
use anyhow::{Context, bail};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use model::Account;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::data_dir::{DataDir, write_private};

/// Random bytes in a token.
const TOKEN_BYTES: usize = 32;
/// What a token begins with, so that scanners for leaked secrets know it.
const TOKEN_PREFIX: &str = "oft_";

/// The platform operator, and nobody else yet.
pub(crate) struct LocalIdentities {
    operator: Account,
    uid: u32,
    token: [u8; 32],
}

impl LocalIdentities {
    /// Reads the operator's token; makes a random one on first start.
    pub(crate) fn load_or_create(directory: &DataDir) -> anyhow::Result<Self> {
        let path = directory.file("operator.token");
        let token = if path.exists() { read_token(&path)? } else { create_token(&path)? };
        let uid = rustix::process::geteuid().as_raw();
        Ok(Self { operator: account_of(uid), uid, token: digest(&token) })
    }

    fn operator(&self, via: Via) -> Caller {
        Caller { account: self.operator.clone(), operator: true, via }
    }
}

fn create_token(path: &Path) -> anyhow::Result<String> {
    let mut bytes = [0; TOKEN_BYTES];
    getrandom::fill(&mut bytes)
        .map_err(|error| anyhow::anyhow!("the kernel gives no random numbers: {error}"))?;
    let token = format!("{TOKEN_PREFIX}{}", URL_SAFE_NO_PAD.encode(bytes));
    write_private(path, &format!("{token}\n")).with_context(|| format!("cannot write {}", path.display()))?;
    Ok(token)
}

fn read_token(path: &Path) -> anyhow::Result<String> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path)?.permissions().mode();
    if mode & 0o077 != 0 {
        bail!("{} can be read by others; run chmod 600 on it, or delete it to get a new one", path.display());
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let token = text.trim();
    let random = token.strip_prefix(TOKEN_PREFIX).and_then(|text| URL_SAFE_NO_PAD.decode(text).ok());
    if random.is_none_or(|bytes| bytes.len() != TOKEN_BYTES) {
        bail!("{} does not hold a token of this daemon; delete it to get a new one", path.display());
    }
    Ok(token.to_owned())
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

/// The user's login name, or one made from the number.
fn account_of(uid: u32) -> Account {
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    let named = users.lines().find_map(|line| {
        let mut fields = line.split(':');
        let name = fields.next()?;
        (fields.nth(1)?.parse() == Ok(uid)).then(|| name.parse().ok()).flatten()
    });
    named.unwrap_or_else(|| format!("uid-{uid}").parse().expect("digits after a word are an account name"))
}

impl edge::ports::Identities for LocalIdentities {
    fn bearer(&self, token: &str) -> Option<Caller> {
        bool::from(digest(token).ct_eq(&self.token)).then(|| self.operator(Via::Token))
    }

    fn local_user(&self, uid: u32) -> Option<Caller> {
        (uid == self.uid || uid == 0).then(|| self.operator(Via::Socket))
    }
}
