//! What a caller may see, as a filter. Law: it admits exactly what `decide` lets the caller view.

use model::{Kind, Organizations, Visibility};

use crate::Caller;

/// The resources of `kind` that `caller` may view.
pub fn visible(caller: &Caller, _kind: Kind) -> Visibility {
    let organizations = if caller.operator { Organizations::All } else { Organizations::Only(Vec::new()) };
    Visibility { platform: true, organizations, account: Some(caller.account.clone()) }
}
