//! When the issuer is asked for its keys, decided from moments alone.
//!
//! However many tokens arrive, a cause of asking recurs at most every [`PAUSE`] seconds.

/// Keys older than this are fetched anew while they still serve.
pub(super) const STALE_AFTER: u64 = 10 * 60;
/// Keys older than this serve no more.
pub(super) const HELD_FOR: u64 = 24 * 60 * 60;
/// Between two fetches for unknown keys, and after a fetch that failed.
pub(super) const PAUSE: u64 = 30;

/// What happened when, in seconds since 1970.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Moments {
    /// The keys we hold were fetched.
    pub(super) fetched: Option<u64>,
    /// The last fetch failed, if it did.
    pub(super) failed: Option<u64>,
    /// A fetch was made for a key nobody knew.
    pub(super) sought: Option<u64>,
}

/// What to do for a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// The keys we hold decide.
    Decide,
    /// They decide, and new ones are fetched meanwhile.
    DecideAndFetch,
    /// New ones decide.
    Fetch,
    /// There is no such key.
    Unknown,
    /// Nobody can tell now.
    Unavailable,
}

impl Moments {
    /// What to do at `now` for a token whose key is among those we hold, or not.
    pub(super) fn step(&self, now: u64, known: bool) -> Step {
        let pausing = within(self.failed, now, PAUSE);
        if !self.hold(now) {
            return if pausing { Step::Unavailable } else { Step::Fetch };
        }
        if known {
            let fresh = within(self.fetched, now, STALE_AFTER);
            return if fresh || pausing { Step::Decide } else { Step::DecideAndFetch };
        }
        match (pausing, within(self.sought, now, PAUSE)) {
            (true, _) => Step::Unavailable,
            (false, true) => Step::Unknown,
            (false, false) => Step::Fetch,
        }
    }

    /// What to do at `now` for the same token after a fetch: never another fetch.
    pub(super) fn step_after_fetch(&self, now: u64, known: bool) -> Step {
        if self.hold(now) && known {
            Step::Decide
        } else if self.hold(now) && self.failed.is_none() {
            Step::Unknown
        } else {
            Step::Unavailable
        }
    }

    fn hold(&self, now: u64) -> bool {
        within(self.fetched, now, HELD_FOR)
    }
}

/// A clock that was set back makes moments look old too, never new.
fn within(moment: Option<u64>, now: u64, seconds: u64) -> bool {
    moment.is_some_and(|moment| now.abs_diff(moment) < seconds)
}

#[cfg(test)]
mod tests {
    use super::{Moments, Step};

    #[test]
    fn the_issuer_is_asked_when_it_must_and_no_more() {
        use Step::{Decide, DecideAndFetch, Fetch, Unavailable, Unknown};
        let now = 1_000_000;
        let ago = |seconds: u64| Some(now - seconds);
        for (fetched, failed, sought, known, expected) in [
            (None, None, None, false, Fetch),
            (None, ago(0), None, false, Unavailable),
            (None, ago(29), None, false, Unavailable),
            (None, ago(30), None, false, Fetch),
            (ago(0), None, None, true, Decide),
            (ago(599), None, None, true, Decide),
            (ago(600), None, None, true, DecideAndFetch),
            (ago(600), ago(29), None, true, Decide),
            (ago(600), ago(30), None, true, DecideAndFetch),
            (ago(86_399), ago(1), None, true, Decide),
            (ago(86_400), ago(1), None, true, Unavailable),
            (ago(86_400), None, None, true, Fetch),
            (ago(0), None, None, false, Fetch),
            (ago(0), None, ago(0), false, Unknown),
            (ago(0), None, ago(29), false, Unknown),
            (ago(0), None, ago(30), false, Fetch),
            (ago(60), ago(29), ago(29), false, Unavailable),
            (ago(60), ago(30), ago(30), false, Fetch),
            (Some(now + 599), None, None, true, Decide),
            (Some(now + 600), None, None, true, DecideAndFetch),
            (Some(now + 86_400), None, None, true, Fetch),
        ] {
            let moments = Moments { fetched, failed, sought };
            assert_eq!(moments.step(now, known), expected, "{moments:?} {known}");
        }
    }

    #[test]
    fn a_token_waits_for_one_fetch_at_most() {
        let now = 1_000_000;
        let ago = |seconds: u64| Some(now - seconds);
        for (fetched, failed, known, expected) in [
            (ago(0), None, true, Step::Decide),
            (ago(0), None, false, Step::Unknown),
            (ago(60), ago(0), true, Step::Decide),
            (ago(60), ago(0), false, Step::Unavailable),
            (None, ago(0), false, Step::Unavailable),
            (ago(86_400), ago(0), true, Step::Unavailable),
            (None, None, false, Step::Unavailable),
        ] {
            let moments = Moments { fetched, failed, sought: None };
            assert_eq!(moments.step_after_fetch(now, known), expected, "{moments:?} {known}");
        }
    }
}
