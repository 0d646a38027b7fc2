//! The person who signs in, as far as this crate knows one.

use url::Url;

use crate::question::Boxed;

use super::error::Error;

/// Takes a person to an authorization page. What opens the URL gets it as one argument, never through a shell.
pub trait Browser: Send + Sync + 'static {
    /// Shows `url`, and gives the URL the authorization server sent the person back to.
    fn visit(&self, url: Url) -> Boxed<'_, Result<Url, Error>>;
}
