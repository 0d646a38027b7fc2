//! `edge::ports::Identities` from the directory, the operator's token file and this machine's users.

use std::path::Path;

use access::{Caller, Refused, Via};
use anyhow::{Context, bail};
use edge::oidc::Claims;
use edge::token;
use model::{Account, Timestamp};
use storage::{Denied, Store};
use subtle::ConstantTimeEq;

use crate::data_dir::{DataDir, write_private};
use crate::directory::Current;

/// Who a credential belongs to.
pub(crate) struct LocalIdentities {
    operator: Account,
    uid: u32,
    digest: String,
    directory: Current,
    store: Store,
    now: fn() -> Timestamp,
    /// Whether other users of this machine sign in by their login names.
    shared_socket: bool,
}

/// The user this daemon runs as, whom the first start makes operator.
pub(crate) fn local_operator() -> Account {
    account_of(rustix::process::geteuid().as_raw())
}

impl LocalIdentities {
    /// Reads the operator's token; makes a random one on first start.
    pub(crate) fn load_or_create(
        directory: &DataDir,
        current: Current,
        store: Store,
        now: fn() -> Timestamp,
        shared_socket: bool,
    ) -> anyhow::Result<Self> {
        let path = directory.file("operator.token");
        let text = if path.exists() { read_token(&path)? } else { create_token(&path)? };
        Ok(Self {
            operator: local_operator(),
            uid: rustix::process::geteuid().as_raw(),
            digest: token::digest(&text),
            directory: current,
            store,
            now,
            shared_socket,
        })
    }

    /// A credential that was good once, or that names someone it may not, is put on record.
    fn record(&self, refused: &Refused, via: &str) {
        let (actor, via) = match refused {
            Refused::Unknown => return,
            Refused::Expired { id, account, .. } | Refused::Revoked { id, account } => {
                (account.to_string(), format!("token {id}"))
            }
            Refused::Reserved(name) => (name.clone(), via.to_owned()),
        };
        let denied = Denied {
            at: (self.now)(),
            actor,
            via,
            action: "sign_in".to_owned(),
            target: access::platform().to_string(),
            reason: refused.to_string(),
        };
        let store = self.store.clone();
        tokio::spawn(async move { store.deny(denied).await });
    }
}

fn create_token(path: &Path) -> anyhow::Result<String> {
    let minted =
        token::mint().map_err(|error| anyhow::anyhow!("the kernel gives no random numbers: {error}"))?;
    write_private(path, &format!("{}\n", minted.text))
        .with_context(|| format!("cannot write {}", path.display()))?;
    Ok(minted.text)
}

fn read_token(path: &Path) -> anyhow::Result<String> {
    use std::os::unix::fs::PermissionsExt;
    let mode = std::fs::metadata(path)?.permissions().mode();
    if mode & 0o077 != 0 {
        bail!("{} can be read by others; run chmod 600 on it, or delete it to get a new one", path.display());
    }
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read {}", path.display()))?;
    let text = text.trim();
    if !token::is_one(text) {
        bail!("{} does not hold a token of this daemon; delete it to get a new one", path.display());
    }
    Ok(text.to_owned())
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

/// Whether a user of this machine has that login name.
fn is_local_user(name: &str) -> bool {
    let users = std::fs::read_to_string("/etc/passwd").unwrap_or_default();
    users.lines().any(|line| line.split(':').next() == Some(name))
}

impl edge::ports::Identities for LocalIdentities {
    fn bearer(&self, text: &str) -> Result<Caller, Refused> {
        let digest = token::digest(text);
        if bool::from(digest.as_bytes().ct_eq(self.digest.as_bytes())) {
            return Ok(Caller::new(self.operator.clone(), Via::OperatorToken));
        }
        let bearer = self.directory.borrow().bearer(&digest, (self.now)());
        bearer.inspect_err(|refused| self.record(refused, "token"))
    }

    fn issued(&self, claims: &Claims) -> Result<Caller, Refused> {
        let millis = i64::try_from(claims.expires_at).unwrap_or(i64::MAX).saturating_mul(1000);
        let issued = self.directory.borrow().issued(&claims.account, Timestamp::from_millis(millis));
        let issued = issued.and_then(|caller| {
            let spelt_alike = caller.account.as_str() == claims.account;
            let taken = self.shared_socket && spelt_alike && is_local_user(caller.account.as_str());
            if taken { Err(Refused::Reserved(claims.account.clone())) } else { Ok(caller) }
        });
        issued.inspect_err(|refused| self.record(refused, "oidc"))
    }

    fn local_user(&self, uid: u32) -> Option<Caller> {
        // Root could become the daemon's user anyway.
        let account = if uid == self.uid || uid == 0 { self.operator.clone() } else { account_of(uid) };
        Some(Caller::new(account, Via::Socket))
    }
}
