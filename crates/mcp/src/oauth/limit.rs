//! How often a person is bothered: a server that is never content cannot send people to sign in for ever.

use std::collections::VecDeque;
use std::time::Duration;

use tokio::time::Instant;

/// How many sign-ins, the first and every step-up, may be asked for within [`VISIT_WINDOW`].
pub const VISITS: usize = 3;

/// The time in which [`VISITS`] are counted.
pub const VISIT_WINDOW: Duration = Duration::from_mins(10);

/// Counts sign-ins.
#[derive(Debug, Default)]
pub(super) struct Limit(VecDeque<Instant>);

impl Limit {
    /// Whether one more is allowed; it counts then.
    pub(super) fn admit(&mut self) -> bool {
        let now = Instant::now();
        while self.0.front().is_some_and(|earlier| now.duration_since(*earlier) >= VISIT_WINDOW) {
            self.0.pop_front();
        }
        let free = self.0.len() < VISITS;
        if free {
            self.0.push_back(now);
        }
        free
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test(start_paused = true)]
    async fn three_sign_ins_are_asked_for_within_ten_minutes() {
        let mut limit = Limit::default();
        assert_eq!([(); 4].map(|()| limit.admit()), [true, true, true, false]);
        tokio::time::advance(Duration::from_secs(599)).await;
        assert!(!limit.admit());
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(limit.admit());
    }
}
