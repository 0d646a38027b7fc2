//! One connection of lines, spoken by hand.

use std::time::Duration;

use mcp::server::{Server, Settings};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, ReadHalf, WriteHalf};
use tokio::task::JoinHandle;
use tokio::time::timeout;

use super::stage::{PATIENCE, Person, Tools, call, initialize, modern_text, reaches};

struct Line {
    server: Server<Tools>,
    tools: Tools,
    writer: WriteHalf<DuplexStream>,
    reader: BufReader<ReadHalf<DuplexStream>>,
    task: JoinHandle<std::io::Result<()>>,
}

fn ann() -> Person {
    Person { name: "ann".into(), rights: String::new() }
}

fn open(buffer: usize) -> Line {
    let tools = Tools::default();
    let server = Server::new(tools.clone(), Settings::default());
    let (ours, theirs) = tokio::io::duplex(buffer);
    let (reader, writer) = tokio::io::split(theirs);
    let of_connection = server.clone();
    let task = tokio::spawn(async move { of_connection.connection(ann(), reader, writer).await });
    let (reader, writer) = tokio::io::split(ours);
    Line { server, tools, writer, reader: BufReader::new(reader), task }
}

impl Line {
    async fn say(&mut self, text: &str) {
        self.writer.write_all(format!("{text}\n").as_bytes()).await.unwrap();
    }

    async fn hear(&mut self) -> String {
        let mut line = String::new();
        timeout(PATIENCE, self.reader.read_line(&mut line)).await.expect("a line").unwrap();
        line.trim_end().to_owned()
    }
}

#[tokio::test]
async fn both_eras_speak_on_one_connection() {
    let mut line = open(1 << 20);
    line.say(&modern_text(1, "tools/call", r#"{"name":"echo","arguments":{"a":1}}"#)).await;
    assert!(line.hear().await.contains(r#""id":1,"result":{"resultType":"complete""#));
    line.say(&initialize("2025-11-25")).await;
    assert!(line.hear().await.contains(r#""protocolVersion":"2025-11-25""#));
    line.say(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#).await;
    line.say(&call(2, "echo", r#"{"b":2}"#)).await;
    assert_eq!(line.hear().await, r#"{"jsonrpc":"2.0","id":2,"result":{"b":2}}"#);
    line.say(r#"{"jsonrpc":"2.0","id":3,"method":"ping"}"#).await;
    assert_eq!(line.hear().await, r#"{"jsonrpc":"2.0","id":3,"result":{}}"#);
}

#[tokio::test]
async fn noise_is_not_answered_and_answers_stay_on_one_line() {
    let mut line = open(1 << 20);
    line.say("hello").await;
    line.say("{broken").await;
    line.say("").await;
    line.say(&initialize("2025-11-25")).await;
    assert!(line.hear().await.contains("serverInfo"));
    line.say("{\"jsonrpc\":\"2.0\",\"id\":4,\"method\":\"tools/call\",\"params\":{\"name\":\"echo\",\"arguments\":{\r\"a\":\r1}}}").await;
    assert_eq!(line.hear().await, "{\"jsonrpc\":\"2.0\",\"id\":4,\"result\":{ \"a\": 1}}");
}

#[tokio::test]
async fn calls_that_are_going_on_are_answered_after_the_last_word() {
    let mut line = open(1 << 20);
    line.say(&initialize("2025-11-25")).await;
    line.hear().await;
    line.say(&call(2, "sleep", r#"{"ms":200}"#)).await;
    line.say(&modern_text(3, "tools/call", r#"{"name":"sleep","arguments":{"ms":400}}"#)).await;
    line.writer.shutdown().await.unwrap();
    assert!(line.hear().await.contains("\"id\":2"));
    assert!(line.hear().await.contains("\"id\":3"));
    assert_eq!(line.hear().await, "");
    timeout(PATIENCE, line.task).await.unwrap().unwrap().unwrap();
    assert_eq!(line.server.sessions(), 0);
}

#[tokio::test]
async fn calls_of_both_eras_are_cancelled_by_notification() {
    let mut line = open(1 << 20);
    line.say(&initialize("2025-11-25")).await;
    line.hear().await;
    line.say(&call(2, "sleep", r#"{"ms":60000}"#)).await;
    line.say(&modern_text(3, "tools/call", r#"{"name":"sleep","arguments":{"ms":60000}}"#)).await;
    reaches(&line.tools.began, 2).await;
    for id in [2, 3] {
        line.say(&format!(
            r#"{{"jsonrpc":"2.0","method":"notifications/cancelled","params":{{"requestId":{id}}}}}"#
        ))
        .await;
    }
    reaches(&line.tools.dropped, 2).await;
    line.say(r#"{"jsonrpc":"2.0","id":4,"method":"ping"}"#).await;
    assert!(line.hear().await.contains(r#""id":4"#), "the cancelled calls were not answered");
}

#[tokio::test]
async fn arrays_are_answered_with_one_array() {
    let mut line = open(1 << 20);
    line.say(&initialize("2025-03-26")).await;
    line.hear().await;
    line.say(&format!("[{},{}]", call(1, "sleep", r#"{"ms":20}"#), call(2, "echo", "{}"))).await;
    let array = line.hear().await;
    assert!(array.starts_with('[') && array.contains(r#""id":1"#) && array.contains(r#""id":2"#), "{array}");
}

#[tokio::test]
async fn arrays_are_refused_where_the_revision_knows_none() {
    let mut line = open(1 << 20);
    line.say(&initialize("2025-06-18")).await;
    line.hear().await;
    line.say(&format!("[{}]", call(1, "echo", "{}"))).await;
    assert!(line.hear().await.contains("-32600"));
}

#[tokio::test]
async fn a_client_that_sends_much_at_once_gets_every_answer() {
    let line = open(1 << 20);
    let Line { mut writer, mut reader, .. } = line;
    let pings: Vec<String> =
        (0..2_000).map(|id| format!("{{\"jsonrpc\":\"2.0\",\"id\":{id},\"method\":\"ping\"}}\n")).collect();
    let writing = tokio::spawn(async move {
        writer.write_all(pings.concat().as_bytes()).await.unwrap();
        writer
    });
    for id in 0..2_000 {
        let mut text = String::new();
        timeout(PATIENCE, reader.read_line(&mut text)).await.expect("a line").unwrap();
        assert!(text.contains(&format!("\"id\":{id},")), "{text}");
    }
    writing.await.unwrap();
}

struct Broken;

impl tokio::io::AsyncRead for Broken {
    fn poll_read(
        self: std::pin::Pin<&mut Self>,
        _: &mut std::task::Context<'_>,
        _: &mut tokio::io::ReadBuf<'_>,
    ) -> std::task::Poll<std::io::Result<()>> {
        std::task::Poll::Ready(Err(std::io::ErrorKind::ConnectionReset.into()))
    }
}

#[tokio::test]
async fn a_connection_that_breaks_leaves_nothing_behind() {
    let server = Server::new(Tools::default(), Settings::default());
    let outcome =
        timeout(PATIENCE, server.connection(ann(), Broken, tokio::io::sink())).await.expect("it ends");
    assert!(outcome.is_err());
    assert_eq!(server.sessions(), 0);
}

#[tokio::test]
async fn a_long_modern_connection_does_not_slow_down() {
    let mut line = open(1 << 20);
    let text = modern_text(7, "tools/call", r#"{"name":"echo","arguments":{}}"#);
    let mut times = Vec::new();
    for _ in 0..6 {
        let began = std::time::Instant::now();
        for _ in 0..2_000 {
            line.say(&text).await;
            line.hear().await;
        }
        times.push(began.elapsed());
    }
    assert!(times[5] < times[0] * 4 + Duration::from_millis(200), "{times:?}");
}

#[tokio::test(start_paused = true)]
async fn a_connection_that_is_gone_gives_its_calls_up() {
    let mut line = open(1 << 20);
    line.say(&modern_text(3, "tools/call", r#"{"name":"sleep","arguments":{"ms":60000}}"#)).await;
    line.say(&modern_text(4, "subscriptions/listen", r#"{"notifications":{"toolsListChanged":true}}"#)).await;
    reaches(&line.tools.began, 1).await;
    assert!(line.hear().await.contains("acknowledged"));
    let Line { writer, reader, tools, server, task } = line;
    drop(reader.into_inner().unsplit(writer));
    timeout(PATIENCE, task).await.expect("the connection ends").unwrap().ok();
    reaches(&tools.dropped, 1).await;
    assert_eq!((server.sessions(), server.listeners()), (0, 0));
}

#[tokio::test]
async fn a_client_that_reads_nothing_is_cut_off() {
    let mut line = open(64 << 10);
    line.say(&initialize("2025-11-25")).await;
    line.say(&call(2, "flood", r#"{"count":1000000}"#)).await;
    reaches(&line.tools.began, 1).await;
    reaches(&line.tools.dropped, 1).await;
    assert!(timeout(PATIENCE, line.task).await.is_ok(), "the connection ended");
}
