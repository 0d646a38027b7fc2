//! `GET /api/v1/watch`: every change from a revision on, as server-sent events, none skipped or repeated.

use std::convert::Infallible;
use std::time::Duration;

use axum::extract::{RawQuery, State};
use axum::response::Sse;
use axum::response::sse::Event;
use edge::{Authenticated, Failure};
use futures_util::Stream;
use futures_util::stream;
use http::{HeaderMap, StatusCode};
use model::{API_VERSION, Change, Key, Kind, Revision, manifest, spec::Rules};
use serde_json::{Value as Json, json};
use storage::WatchError;
use tokio::sync::OwnedSemaphorePermit;
use tokio_util::sync::CancellationToken;

use super::Refused;
use crate::failure::{bad_request, unavailable};
use crate::gate::{Rights, Stream as Changes, Told};
use crate::params::Params;
use crate::state::Control;
use crate::views::ErrorView;

/// How often a quiet stream says how far it is.
const BOOKMARK_EVERY: Duration = Duration::from_secs(15);

/// Follow changes
#[utoipa::path(get, path = "/api/v1/watch", operation_id = "watch", tag = "resources",
    params(
        ("from" = Option<String>, Query, description = "Everything after this revision, or after `REVISION.ORDINAL`, the id of an event; left out: from now on"),
        ("kind" = Option<Vec<String>>, Query, description = "Only this kind; may be given several times"),
        ("Last-Event-ID" = Option<String>, Header, description = "The id of the last event seen; wins over `from`"),
    ),
    responses(
        (status = 200, description = "Events `put`, `delete` and `bookmark`; `reset` ends a stream whose reader may see less than before", body = String, content_type = "text/event-stream"),
        (status = 410, description = "The revision is no longer kept; list again", body = ErrorView), Refused))]
pub(super) async fn watch(
    State(control): State<Control>,
    Authenticated(caller): Authenticated,
    RawQuery(query): RawQuery,
    headers: HeaderMap,
) -> Result<Sse<impl Stream<Item = Result<Event, Infallible>>>, Failure> {
    let params = Params::read(query.as_deref(), &["from"], &["kind"])?;
    let last_seen = headers.get("last-event-id").and_then(|id| id.to_str().ok());
    let current = control.gate.revision().await.map_err(|error| unavailable(&error))?;
    let from = match last_seen.or_else(|| params.get("from")) {
        Some(text) => Position::parse(text)
            .ok_or_else(|| bad_request("`from` must be a revision, or REVISION.ORDINAL of an event"))?,
        None => Position { revision: current, ordinal: i64::MAX },
    };
    let kinds = params.all("kind").map(str::parse).collect::<Result<Vec<Kind>, _>>();
    let kinds = kinds.map_err(|error| bad_request(error.to_string()))?;
    if from.revision > current {
        let message = format!("revision {} has not happened here; the newest is {current}", from.revision);
        return Err(Failure::new(StatusCode::GONE, message));
    }
    let changes = control.gate.watch(from.before(), current, Rights::of(&control, caller));
    changes.retained().await.map_err(|error| ended(&error))?;
    let slot = control.watchers.clone().try_acquire_owned();
    let slot =
        slot.map_err(|_| Failure::new(StatusCode::SERVICE_UNAVAILABLE, "too many watch streams are open"))?;
    let follower = Follower {
        changes,
        kinds,
        from,
        rules: control.rules,
        reached: from.before(),
        stopping: control.stopping.clone(),
        over: false,
        _slot: slot,
    };
    Ok(Sse::new(stream::unfold(follower, Follower::step)))
}

fn ended(error: &WatchError) -> Failure {
    match error {
        WatchError::Compacted { oldest } => Failure::new(
            StatusCode::GONE,
            format!(
                "changes before revision {oldest} are no longer kept; list again, then watch from the list's revision"
            ),
        ),
        other => Failure::new(StatusCode::SERVICE_UNAVAILABLE, format!("the stream cannot begin: {other}")),
    }
}

/// A place in the stream: after a whole revision, or after one change of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Position {
    revision: Revision,
    ordinal: i64,
}

impl Position {
    fn parse(text: &str) -> Option<Self> {
        let number = |text: &str| text.parse::<i64>().ok().filter(|number| *number >= 0);
        match text.split_once('.') {
            None => Some(Self { revision: Revision(number(text)?), ordinal: i64::MAX }),
            Some((revision, ordinal)) => {
                Some(Self { revision: Revision(number(revision)?), ordinal: number(ordinal)? })
            }
        }
    }

    /// The last revision that was seen whole.
    const fn before(self) -> Revision {
        if self.ordinal == i64::MAX { self.revision } else { Revision(self.revision.0 - 1) }
    }
}

struct Follower {
    changes: Changes,
    kinds: Vec<Kind>,
    from: Position,
    rules: Rules,
    reached: Revision,
    stopping: CancellationToken,
    /// Whether the last event was told.
    over: bool,
    _slot: OwnedSemaphorePermit,
}

impl Follower {
    async fn step(mut self) -> Option<(Result<Event, Infallible>, Self)> {
        if self.over {
            return None;
        }
        loop {
            let next = tokio::time::timeout(BOOKMARK_EVERY, self.changes.next());
            let told = tokio::select! {
                biased;
                () = self.stopping.cancelled() => return None,
                told = next => told,
            };
            let event = match told {
                Ok(Ok(Told::Change(revision, ordinal, change))) => {
                    self.reached = revision;
                    self.tell(ordinal, &change)
                }
                Ok(Ok(Told::Reached(revision))) => {
                    self.reached = revision;
                    None
                }
                Ok(Ok(Told::Lost(reason))) => {
                    self.over = true;
                    Some(Event::default().event("reset").data(json!({"reason": reason}).to_string()))
                }
                Ok(Err(_)) => return None,
                Err(_) => {
                    let data = json!({"revision": self.reached.0}).to_string();
                    Some(Event::default().event("bookmark").id(self.reached.to_string()).data(data))
                }
            };
            if let Some(event) = event {
                return Some((Ok(event), self));
            }
        }
    }

    /// A change as an event, unless it was seen before or is not asked for.
    fn tell(&self, ordinal: i64, change: &Change) -> Option<Event> {
        let revision = self.reached;
        let seen = revision == self.from.revision && ordinal <= self.from.ordinal;
        let wanted = self.kinds.is_empty() || self.kinds.contains(&change.key()?.kind);
        if seen || !wanted {
            return None;
        }
        let (name, resource) = match change {
            Change::Put(stored) => ("put", manifest::present(stored, self.rules)),
            Change::Delete { key, id } => ("delete", deleted(key, id)),
            Change::Record(_) => return None,
        };
        let data = json!({"revision": revision.0, "resource": resource}).to_string();
        Some(Event::default().event(name).id(format!("{revision}.{ordinal}")).data(data))
    }
}

fn deleted(key: &Key, id: &str) -> Json {
    let mut metadata = json!({"name": key.name.as_str(), "scope": key.scope.name().as_str(), "id": id});
    if let Some(org) = key.scope.organization() {
        metadata["org"] = json!(org.as_str());
    }
    json!({"apiVersion": API_VERSION, "kind": key.kind.as_str(), "metadata": metadata})
}

#[cfg(test)]
mod tests {
    use super::{Position, Revision};

    #[test]
    fn a_stream_resumes_after_a_revision_or_within_one() {
        for (text, before) in
            [("7", Some(7)), ("7.2", Some(6)), ("0", Some(0)), ("x", None), ("-1", None), ("1.", None)]
        {
            assert_eq!(Position::parse(text).map(Position::before), before.map(Revision), "{text}");
        }
    }
}
