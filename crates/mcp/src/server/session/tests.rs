//! What a session keeps of answered streams, and for how long.

use super::*;

const BOUNDS: Bounds = Bounds { events: 10, bytes: 1 << 20, resumable: true };
const KEEP: Duration = Duration::from_mins(1);

fn session() -> Arc<Session<String>> {
    Session::new("id".into(), "ann".to_owned(), Carrier::Streamable, BOUNDS)
}

fn answer(session: &Session<String>, bytes: usize) -> (u32, Arc<Outbox>) {
    let (number, outbox) = session.open_stream(BOUNDS);
    outbox.push_last(Bytes::from(vec![b'x'; bytes]));
    (number, outbox)
}

#[tokio::test(start_paused = true)]
async fn answered_streams_can_be_resumed_for_a_while() {
    let session = session();
    let (number, _) = answer(&session, 10);
    session.trim(KEEP, 1 << 20);
    tokio::time::advance(Duration::from_secs(59)).await;
    session.trim(KEEP, 1 << 20);
    assert!(session.resume(number, 0).is_some());
    tokio::time::advance(Duration::from_secs(2)).await;
    session.trim(KEEP, 1 << 20);
    assert!(session.resume(number, 0).is_none());
}

#[test]
fn the_oldest_go_when_they_are_too_many_or_too_large() {
    let many = session();
    let numbers: Vec<u32> = (0..9).map(|_| answer(&many, 10).0).collect();
    many.trim(KEEP, 1 << 20);
    let left: Vec<bool> = numbers.iter().map(|number| many.resume(*number, 0).is_some()).collect();
    assert_eq!(left, [false, true, true, true, true, true, true, true, true]);
    let large = session();
    let numbers: Vec<u32> = (0..3).map(|_| answer(&large, 600_000).0).collect();
    large.trim(KEEP, 1 << 20);
    let left: Vec<bool> = numbers.iter().map(|number| large.resume(*number, 0).is_some()).collect();
    assert_eq!(left, [false, false, true]);
}

#[test]
fn answers_that_nobody_reads_are_given_up_when_they_hold_too_much() {
    let session = session();
    let streams: Vec<_> = (0..9).map(|_| answer(&session, 8 << 20).1).collect();
    let _readers: Vec<Reader> = streams.iter().map(Outbox::attach).collect();
    session.trim(KEEP, 1 << 20);
    let held: usize = streams.iter().map(|outbox| outbox.held()).sum();
    assert_eq!(held, READ_BYTES, "one of nine was given up");
}
