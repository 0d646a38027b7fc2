//! Sign-ins that have begun: each can be finished once, soon, and only so many wait at a time.

use std::time::Duration;

use tokio::time::Instant;
use url::Url;

use super::credentials::Client;
use super::provider::Provider;

/// How many sign-ins to one server wait at a time; a further one takes the place of the oldest.
pub const PENDING: usize = 8;

/// How long a person may take.
pub const PENDING_DEADLINE: Duration = Duration::from_mins(10);

/// A sign-in that a person has to go on with.
#[derive(Clone, PartialEq, Eq)]
pub struct Pending {
    /// The page to show to the person; checked, but whoever opens it must not pass it through a shell.
    pub url: Url,
    /// The authorization server, to show to the person.
    pub issuer: String,
    /// What the callback will carry as `state`.
    pub state: String,
}

impl std::fmt::Debug for Pending {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pending").field("issuer", &self.issuer).finish_non_exhaustive()
    }
}

/// What is kept of a sign-in until its callback.
pub(super) struct Flow {
    pub(super) provider: Provider,
    pub(super) client: Client,
    pub(super) scopes: Vec<String>,
}

/// The sign-ins under way, oldest first.
pub(super) struct Table<T = Flow>(Vec<(String, Instant, T)>);

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Table<T> {
    pub(super) fn put(&mut self, state: String, flow: T) {
        self.purge();
        if self.0.len() >= PENDING {
            self.0.remove(0);
        }
        self.0.push((state, Instant::now(), flow));
    }

    /// The sign-in with this state, which is not under way any more then.
    pub(super) fn take(&mut self, state: &str) -> Option<T> {
        self.purge();
        let place = self.0.iter().position(|(known, ..)| known == state)?;
        Some(self.0.remove(place).2)
    }

    fn purge(&mut self) {
        self.0.retain(|(_, begun, _)| begun.elapsed() < PENDING_DEADLINE);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn a_sign_in_is_finished_once_and_within_ten_minutes() {
        let mut table = Table::default();
        table.put("a".into(), 1);
        table.put("b".into(), 2);
        assert_eq!((table.take("a"), table.take("a")), (Some(1), None));
        tokio::time::advance(Duration::from_secs(599)).await;
        table.put("c".into(), 3);
        tokio::time::advance(Duration::from_secs(1)).await;
        assert_eq!((table.take("b"), table.take("c")), (None, Some(3)));
    }

    #[tokio::test]
    async fn eight_sign_ins_wait_at_a_time() {
        let mut table = Table::default();
        for number in 0..9 {
            table.put(number.to_string(), number);
        }
        assert_eq!((table.take("0"), table.take("1"), table.take("8")), (None, Some(1), Some(8)));
    }
}
