//! All sessions of a server.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use super::super::outbox::Bounds;
use super::super::seal::random;
use super::super::service::Caller;
use super::super::settings::Settings;
use super::{Carrier, Session};

/// There are as many sessions as there may be, and none of them is idle.
#[derive(Clone, Copy, Debug)]
pub(in crate::server) struct TooMany;

/// The sessions by their ids.
#[derive(Debug)]
pub(in crate::server) struct Sessions<C> {
    most: usize,
    each: usize,
    idle: Duration,
    resumable: Duration,
    bounds: Bounds,
    all: Mutex<HashMap<Arc<str>, Arc<Session<C>>>>,
}

impl<C: Caller> Sessions<C> {
    pub(in crate::server) fn new(settings: &Settings) -> Self {
        Self {
            most: settings.sessions,
            each: settings.sessions_each,
            idle: settings.idle,
            resumable: settings.resumable,
            bounds: Bounds { events: settings.queue, bytes: settings.queue_bytes, resumable: false },
            all: Mutex::default(),
        }
    }

    fn all(&self) -> MutexGuard<'_, HashMap<Arc<str>, Arc<Session<C>>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(in crate::server) fn bounds(&self) -> Bounds {
        self.bounds
    }

    pub(in crate::server) fn len(&self) -> usize {
        self.all().len()
    }

    /// Opens a session. A caller with too many loses the one left alone longest.
    pub(in crate::server) fn open(&self, caller: C, carrier: Carrier) -> Result<Arc<Session<C>>, TooMany> {
        let id: Arc<str> = random::<16>()
            .iter()
            .fold(String::with_capacity(32), |id, byte| format!("{id}{byte:02x}"))
            .into();
        let owner = caller.clone();
        let session = Session::new(Arc::clone(&id), caller, carrier, self.bounds);
        let mut all = self.all();
        let own: Vec<&Arc<Session<C>>> = all.values().filter(|other| other.is_of(&owner)).collect();
        if own.len() >= self.each || all.len() >= self.most {
            let idle = own.into_iter().filter(|other| other.is_idle(Duration::ZERO));
            let oldest = idle.max_by_key(|other| other.idle_for()).ok_or(TooMany)?;
            let oldest = Arc::clone(oldest);
            all.remove(&oldest.id);
            oldest.end();
        }
        all.insert(id, Arc::clone(&session));
        Ok(session)
    }

    /// The caller's session of this id; someone else's is as unknown as none.
    pub(in crate::server) fn find(&self, id: &str, caller: &C, carrier: Carrier) -> Option<Arc<Session<C>>> {
        let session = self.all().get(id).cloned()?;
        let is_theirs = session.is_of(caller) && session.carrier == carrier;
        is_theirs.then(|| {
            session.seen(caller);
            session
        })
    }

    /// Ends a session.
    pub(in crate::server) fn end(&self, id: &str) {
        if let Some(session) = self.all().remove(id) {
            session.end();
        }
    }

    pub(in crate::server) fn end_all(&self) {
        let all = std::mem::take(&mut *self.all());
        for session in all.values() {
            session.end();
        }
    }

    pub(in crate::server) fn snapshot(&self) -> Vec<Arc<Session<C>>> {
        self.all().values().cloned().collect()
    }

    /// Ends sessions left alone too long, and lets the others forget what nobody comes back for.
    pub(in crate::server) fn sweep(&self) {
        for session in self.snapshot() {
            if session.is_idle(self.idle) {
                self.end(&session.id);
            } else {
                session.trim(self.resumable, self.bounds.bytes);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sessions(most: usize, each: usize) -> Sessions<String> {
        Sessions::new(&Settings { sessions: most, sessions_each: each, ..Settings::default() })
    }

    #[tokio::test(start_paused = true)]
    async fn a_session_is_known_to_its_caller_only() {
        let sessions = sessions(10, 10);
        let session = sessions.open("ann".into(), Carrier::Streamable).unwrap();
        assert_eq!(session.id.len(), 32);
        assert!(sessions.find(&session.id, &"ann".into(), Carrier::Streamable).is_some());
        assert!(sessions.find(&session.id, &"bob".into(), Carrier::Streamable).is_none());
        assert!(sessions.find(&session.id, &"ann".into(), Carrier::Connection).is_none());
    }

    #[tokio::test(start_paused = true)]
    async fn one_too_many_costs_the_caller_the_one_left_alone_longest() {
        let sessions = sessions(3, 2);
        let first = sessions.open("ann".into(), Carrier::Streamable).unwrap();
        tokio::time::advance(Duration::from_secs(1)).await;
        let second = sessions.open("ann".into(), Carrier::Streamable).unwrap();
        sessions.open("ann".into(), Carrier::Streamable).unwrap();
        assert!(first.ended.is_cancelled() && !second.ended.is_cancelled());
        sessions.open("bob".into(), Carrier::Streamable).unwrap();
        assert!(sessions.open("eve".into(), Carrier::Streamable).is_err(), "others' sessions are not taken");
        assert_eq!(sessions.len(), 3);
    }

    #[tokio::test(start_paused = true)]
    async fn sessions_left_alone_end_and_busy_ones_stay() {
        let sessions = sessions(10, 10);
        let idle = sessions.open("ann".into(), Carrier::Streamable).unwrap();
        let busy = sessions.open("ann".into(), Carrier::Streamable).unwrap();
        let listening = sessions.open("ann".into(), Carrier::Streamable).unwrap();
        busy.begin(&bytes::Bytes::from_static(b"1")).unwrap();
        let _reader = listening.general.attach();
        tokio::time::advance(Duration::from_secs(299)).await;
        sessions.sweep();
        assert_eq!(sessions.len(), 3);
        tokio::time::advance(Duration::from_secs(2)).await;
        sessions.sweep();
        assert!(idle.ended.is_cancelled());
        assert_eq!(sessions.len(), 2);
    }
}
