//! `watch`: changes as they happen, one line each.

use serde_json::Value as Json;

use crate::args::WatchArgs;
use crate::failure::{Cause, Failure};
use crate::field::{scope, text};
use crate::output::{Output, Style};
use crate::query::Query;
use crate::session::Session;
use crate::sse::{Event, Events};

/// Carries out `watch`, until the daemon or the reader goes away.
pub async fn run(args: WatchArgs, session: &mut Session<'_>) -> Result<(), Failure> {
    let mut query = Query::new("/api/v1/watch").maybe("from", args.from.as_deref());
    for kind in &args.kinds {
        query = query.with("kind", kind.as_str());
    }
    let mut stream = session.client()?.stream(&query.finish()).await?;
    let mut events = Events::default();
    let mut last = args.from.clone();
    loop {
        let piece = match stream.next().await {
            Ok(Some(piece)) => piece,
            Ok(None) => {
                return Err(resume(Failure::new(Cause::Unreachable, "the daemon ended the stream"), last));
            }
            Err(failure) => return Err(resume(failure, last)),
        };
        let complete =
            events.feed(&piece).map_err(|error| Failure::new(Cause::Unreachable, error.to_string()))?;
        for event in complete {
            if event.name == "reset" {
                return Err(ended(&event));
            }
            tell(&event, args.is_json(), session.output)?;
            if !event.id.is_empty() {
                last = Some(event.id);
            }
        }
        session.output.flush()?;
    }
}

fn resume(failure: Failure, last: Option<String>) -> Failure {
    match last {
        Some(last) => failure.hint(format!("go on where it ended with `outfitter watch --from {last}`")),
        None => failure.hint("look whether the daemon runs, and watch again"),
    }
}

/// Why the daemon ended the stream for good: what was seen of it no longer holds.
fn ended(event: &Event) -> Failure {
    let data: Json = serde_json::from_str(&event.data).unwrap_or_default();
    let reason = data["reason"].as_str().unwrap_or("the daemon gave no reason");
    Failure::new(Cause::NotAllowed, format!("the stream ended: {reason}"))
        .hint("list again to see what you may see now, and watch from there")
}

fn tell(event: &Event, json: bool, output: &mut Output) -> Result<(), Failure> {
    if !matches!(event.name.as_str(), "put" | "delete") {
        return Ok(());
    }
    let mut data: Json = serde_json::from_str(&event.data)
        .map_err(|_| Failure::new(Cause::Unreachable, "the daemon sent an event that is not JSON"))?;
    if json {
        data["event"] = event.name.as_str().into();
        data["id"] = event.id.as_str().into();
        return output.json_line(&data);
    }
    let resource = &data["resource"];
    let metadata = &resource["metadata"];
    let style = if event.name == "delete" { Style::Removed } else { Style::Added };
    let line = format!(
        "{} {} {} `{}` ({})",
        event.id,
        event.name,
        text(resource, "kind"),
        text(metadata, "name"),
        scope(metadata)
    );
    output.styled(style, &crate::escape::cell(&line))
}

#[cfg(test)]
mod tests {
    use super::{Event, ended, resume};
    use crate::failure::{Cause, Failure};

    #[test]
    fn an_ended_stream_says_how_to_go_on() {
        let failure = resume(Failure::new(Cause::Unreachable, "x"), Some("12.3".into()));
        assert_eq!(failure.hints, ["go on where it ended with `outfitter watch --from 12.3`"]);
    }

    #[test]
    fn a_reset_without_a_reason_is_still_one() {
        for data in ["", "{}", "[1]", "not JSON"] {
            let failure = ended(&Event { data: data.into(), ..Event::default() });
            assert_eq!(failure.message, "the stream ended: the daemon gave no reason", "{data}");
        }
    }
}
