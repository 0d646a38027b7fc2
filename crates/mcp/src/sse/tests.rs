//! Streams in every way they can be cut and ended.

use super::*;
use proptest::prelude::*;

fn all(chunks: &[&[u8]]) -> Vec<Event> {
    let mut parser = Parser::new();
    chunks.iter().flat_map(|chunk| parser.push(chunk).unwrap()).collect()
}

fn data(text: &'static str) -> Event {
    Event { data: Bytes::from_static(text.as_bytes()), ..Event::default() }
}

#[test]
fn every_line_end_ends_a_line_even_when_it_is_cut_in_two() {
    for end in ["\n", "\r", "\r\n"] {
        let text = format!("data: a{end}data:b{end}{end}data: c{end}{end}");
        assert_eq!(all(&[text.as_bytes()]), [data("a\nb"), data("c")], "{end:?}");
        let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        assert_eq!(all(&bytes), [data("a\nb"), data("c")], "{end:?} byte by byte");
    }
    assert_eq!(all(&[b"data: a\r", b"\n\r", b"\ndata: b\r\n\r\n"]), [data("a"), data("b")]);
    assert_eq!(all(&[b"data: a\r", b"", b"\n\n"]), [data("a")]);
}

#[test]
fn fields_mean_what_the_standard_says() {
    let first = all(&["\u{feff}data: x\n\n\u{feff}data: y\n\n".as_bytes()]);
    assert_eq!(first, [data("x")], "only the first mark is left out");
    assert_eq!(all(&[b": comment\n\n:\n\nunknown: x\n\n"]), []);
    let event = all(&[b"id: 7\nevent: message\nretry: 500\ndata\ndata:  two\n\n"]).remove(0);
    assert_eq!(
        (event.id.as_deref(), event.event.as_deref(), event.retry),
        (Some("7"), Some("message"), Some(500))
    );
    assert_eq!(&event.data[..], b"\n two");
    assert_eq!(all(&[b"id: a\0b\nretry: 5s\nretry: -1\nretry:\ndata: x\n\n"]), [data("x")]);
    let primer = all(&[b"id: p\ndata:\n\n"]);
    assert_eq!(primer, [Event { id: Some("p".into()), ..Event::default() }]);
    assert_eq!(all(&[b"data: never finished\n"]), []);
}

#[test]
fn an_event_or_line_beyond_the_bound_is_an_error_and_not_memory() {
    assert_eq!(MAX_EVENT, 16 * 1024 * 1024);
    let mebibyte = vec![b'x'; 1024 * 1024];
    let mut endless = Parser::new();
    endless.push(b"data: ").unwrap();
    let grown = (0..17).find(|_| endless.push(&mebibyte).is_err());
    assert_eq!(grown, Some(15));
    assert_eq!(endless.line.capacity(), 0);
    assert_eq!(endless.push(b"\n\ndata: a\n\n"), Err(TooLong));
    let mut many = Parser::new();
    let line = [b"data: ", &mebibyte[..], b"\n"].concat();
    assert_eq!((0..17).find(|_| many.push(&line).is_err()), Some(15));
    let mut fits = Parser::new();
    fits.push(b"data: ").unwrap();
    for _ in 0..15 {
        fits.push(&mebibyte).unwrap();
    }
    assert_eq!(fits.push(b"\n\n").unwrap()[0].data.len(), 15 * 1024 * 1024);
}

#[test]
fn what_would_end_a_line_is_left_out_of_id_and_sort() {
    let event = Event { id: Some("a\nb".into()), event: Some("c\rd\0".into()), ..Event::default() };
    assert_eq!(&encode(&event)[..], b"id: ab\nevent: cd\ndata: \n\n");
}

proptest! {
    #[test]
    fn what_is_written_is_read_again(
        id in proptest::option::of("[a-z0-9:]{1,8}"),
        sort in proptest::option::of("[a-z]{1,8}"),
        lines in proptest::collection::vec("[^\r\n]{0,12}", 1..5),
        retry in proptest::option::of(0u64..100_000),
        cut in 1usize..40,
    ) {
        let event = Event { id, event: sort, data: Bytes::from(lines.join("\n")), retry };
        let text = encode(&event);
        let chunks: Vec<&[u8]> = text.chunks(cut).collect();
        prop_assert_eq!(all(&chunks), vec![event]);
    }
}
