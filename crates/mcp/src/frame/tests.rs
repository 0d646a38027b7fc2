//! What a message must be, and what is found in it.

use super::*;

fn read(side: Side, text: &str) -> Result<Incoming, Reason> {
    Reader::new(side).read(&Bytes::copy_from_slice(text.as_bytes())).map_err(|malformed| malformed.0)
}

fn client(text: &str) -> Result<Frame, Reason> {
    match read(Side::Client, text)? {
        Incoming::One(frame) => Ok(frame),
        Incoming::Batch(_) => panic!("a batch"),
    }
}

#[test]
fn the_parts_of_a_call_are_found_as_they_were_written() {
    let text = r#" {"jsonrpc":"2.0", "x":{"id":9}, "id": 18446744073709551615 ,"method":"tools/call","params":{"arguments":{"name":"no"},
        "name":"a\u0062c","_meta":{"progressToken":1},"other":[1]}} "#;
    let frame = client(text).unwrap();
    assert_eq!(frame.kind(), Kind::Request);
    assert_eq!(frame.id().unwrap(), b"18446744073709551615");
    assert_eq!(frame.method(), "tools/call");
    assert_eq!(frame.name().unwrap(), "abc");
    assert_eq!(frame.arguments().unwrap().bytes(), br#"{"name":"no"}"#);
    assert_eq!(frame.meta().unwrap().get("progressToken").unwrap().integer(), Some(1));
    assert_eq!(frame.param("other").unwrap().bytes(), b"[1]");
    let sent = frame.with_id_and_name(b"7", b"\"d\"");
    let expected = text.replace("18446744073709551615", "7").replace(r#""a\u0062c""#, "\"d\"");
    assert_eq!(sent, expected.as_bytes());
}

#[test]
fn messages_that_readers_could_disagree_about_are_refused() {
    let cases = [
        (r#"{"jsonrpc":"2.0","id":1,"Method":"ping"}"#, Reason::Disguised("method")),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","method":"tools/call"}"#, Reason::Repeated),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","m\u0065thod":"tools/call"}"#, Reason::Repeated),
        (r#"{"jsonrpc":"2.0","id":1,"m\u0065thod":"ping"}"#, Reason::Disguised("method")),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"Name":"a"}}"#,
            Reason::Disguised("name"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"\u006eame":"a"}}"#,
            Reason::Disguised("name"),
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"a":{"b":1,"b":1}}}"#, Reason::Repeated),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{},"paramſ":{}}"#, Reason::Disguised("params")),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{},"param\u017f":{}}"#,
            Reason::Disguised("params"),
        ),
        (
            r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"argumentſ":{}}}"#,
            Reason::Disguised("arguments"),
        ),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"tasKid":1}}"#, Reason::Disguised("taskId")),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"TaskId":1}}"#, Reason::Disguised("taskId")),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x","params":{"task\u0049d":1}}"#, Reason::Disguised("taskId")),
    ];
    for (text, reason) in cases {
        assert_eq!(client(text).unwrap_err(), reason, "{text}");
    }
}

#[test]
fn messages_of_the_wrong_form_are_refused() {
    let cases = [
        (r#"{"id":1,"method":"ping"}"#, Reason::Version),
        (r#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, Reason::Version),
        (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, Reason::Id),
        (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, Reason::Id),
        (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, Reason::Id),
        (r#"{"jsonrpc":"2.0","id":1,"method":1}"#, Reason::Method),
        (r#"{"jsonrpc":"2.0","id":1,"method":"\ud800"}"#, Reason::Method),
        (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#, Reason::Params),
        (r#"{"jsonrpc":"2.0","id":1,"result":[]}"#, Reason::Result),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1.5,"message":"x"}}"#, Reason::Error),
        (r#"{"jsonrpc":"2.0","id":1,"error":{"code":1}}"#, Reason::Error),
        (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{"code":1,"message":""}}"#, Reason::Unclear),
        (r#"{"jsonrpc":"2.0","id":1,"method":"x","result":{}}"#, Reason::Unclear),
        (r#"{"jsonrpc":"2.0","result":{}}"#, Reason::Unclear),
        (r#"{"jsonrpc":"2.0","id":1}"#, Reason::Unclear),
        ("1", Reason::Version),
    ];
    for (text, reason) in cases {
        assert_eq!(client(text).unwrap_err(), reason, "{text}");
    }
    assert!(matches!(client("{").unwrap_err(), Reason::Json(_)));
}

#[test]
fn servers_may_repeat_keys_below_the_envelope_only() {
    let inside = r#"{"jsonrpc":"2.0","id":1,"result":{"structuredContent":{"a":1,"a":2}}}"#;
    let Incoming::One(frame) = read(Side::Server, inside).unwrap() else { panic!() };
    assert_eq!(frame.repeated(), 1);
    let envelope = r#"{"jsonrpc":"2.0","id":1,"id":2,"result":{}}"#;
    assert_eq!(read(Side::Server, envelope).unwrap_err(), Reason::Repeated);
    let decided = r#"{"jsonrpc":"2.0","id":1,"result":{"resultType":"complete","resultType":"x"}}"#;
    assert_eq!(read(Side::Server, decided).unwrap_err(), Reason::Repeated);
}

#[test]
fn answers_and_errors_are_told_apart() {
    let answer = client(r#"{"jsonrpc":"2.0","id":"a","result":{"resultType":"complete"}}"#).unwrap();
    assert_eq!((answer.kind(), answer.id().unwrap()), (Kind::Answer, &b"\"a\""[..]));
    assert!(answer.result_type().unwrap().is("complete"));
    let failure = client(r#"{"jsonrpc":"2.0","id":null,"error":{"code":-1,"message":"m"}}"#).unwrap();
    assert_eq!((failure.kind(), failure.id().unwrap()), (Kind::Failure, &b"null"[..]));
    let bare = client(r#"{"jsonrpc":"2.0","error":{"code":-1,"message":"m"}}"#).unwrap();
    assert_eq!(bare.id(), None);
}

#[test]
fn an_array_holds_between_one_and_a_hundred_messages() {
    let one = r#"{"jsonrpc":"2.0","method":"a","params":{"name":"n"}}"#;
    let batch = |count: usize| format!(" [{}]", vec![one; count].join(" , "));
    let Incoming::Batch(frames) = read(Side::Client, &batch(100)).unwrap() else { panic!() };
    assert_eq!(frames.len(), 100);
    assert!(frames.iter().all(|frame| frame.bytes() == one.as_bytes() && frame.name().unwrap() == "n"));
    assert_eq!(read(Side::Client, &batch(101)).unwrap_err(), Reason::LargeBatch);
    assert_eq!(read(Side::Client, &batch(100_001)).unwrap_err(), Reason::LargeBatch);
    assert_eq!(read(Side::Client, "[]").unwrap_err(), Reason::EmptyBatch);
    assert_eq!(read(Side::Client, "[1]").unwrap_err(), Reason::Version);
}

#[test]
fn messages_of_our_own_can_be_read() {
    let texts = [
        request(b"1", "a\"b", Some(b"{\"x\":1}")),
        request(b"\"s\"", "m", None),
        notification("n", Some(b"{}")),
        answer(b"2", b"{}"),
        failure(None, br#"{"code":1,"message":"m"}"#),
    ];
    let kinds: Vec<Kind> =
        texts.iter().map(|text| Reader::new(Side::Client).one(text).unwrap().kind()).collect();
    assert_eq!(kinds, [Kind::Request, Kind::Request, Kind::Notification, Kind::Answer, Kind::Failure]);
}
