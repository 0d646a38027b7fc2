//! What a call costs that comes in on one side and goes out on the other.

use std::sync::Arc;

use bytes::Bytes;
use mcp::client::{Call, Choice, Session, Settings as ClientSettings};
use mcp::question::Nobody;
use mcp::server::{About, Exchange, Peer, Server, Service, Settings};
use mcp::{Fault, frame};
use testkit::bench::Figure;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::sync::mpsc;

const CALLS: u64 = 200;
/// A call and its answer, each on both sides.
const MESSAGES: u64 = 4;
const BUFFER: usize = 1 << 16;

/// Passes calls on to a session.
#[derive(Debug)]
struct Relay(Session);

impl Service for Relay {
    type Caller = String;

    fn about(&self, _: &String, _: &Peer) -> About {
        About {
            info: Bytes::from_static(br#"{"name":"relay","version":"1"}"#),
            capabilities: Bytes::from_static(br#"{"tools":{}}"#),
            instructions: None,
        }
    }

    async fn handle(&self, exchange: Exchange<String>) -> Result<Bytes, Fault> {
        let request = exchange.request();
        let call = Call {
            method: request.method().into_owned(),
            params: request.shared_params(),
            ..Call::default()
        };
        self.0.call(call).await.map_err(Fault::from)
    }
}

/// A server by hand that answers every call with the same result, writing into memory it has already.
async fn upstream(stream: tokio::io::DuplexStream) {
    let (reader, mut writer) = tokio::io::split(stream);
    let mut reader = BufReader::new(reader);
    let mut line = Vec::with_capacity(4096);
    let mut out = Vec::with_capacity(4096);
    loop {
        line.clear();
        if reader.read_until(b'\n', &mut line).await.unwrap_or(0) == 0 {
            return;
        }
        let text = std::str::from_utf8(&line).unwrap_or_default();
        let Some(id) = text.split("\"id\":").nth(1).and_then(|rest| rest.split([',', '}']).next()) else {
            continue;
        };
        let result = if text.contains("\"initialize\"") {
            r#"{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"u","version":"1"}}"#
        } else {
            r#"{"content":[{"type":"text","text":"done"}]}"#
        };
        out.clear();
        out.extend_from_slice(br#"{"jsonrpc":"2.0","id":"#);
        out.extend_from_slice(id.as_bytes());
        out.extend_from_slice(br#","result":"#);
        out.extend_from_slice(result.as_bytes());
        out.extend_from_slice(b"}\n");
        if writer.write_all(&out).await.is_err() {
            return;
        }
    }
}

/// Allocations of the whole way of a call over lines: in, out, and back again; tasks, queues and timers included.
pub fn allocations() -> Figure {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let (mut reader, mut writer) = runtime.block_on(connect());
    let request = frame::request(b"1", "tools/call", Some(br#"{"name":"t","arguments":{"a":1}}"#));
    let line = [&request[..], b"\n"].concat();
    let mut answer = Vec::with_capacity(4096);
    let mut round = || {
        answer.clear();
        runtime.block_on(async {
            writer.write_all(&line).await.expect("the relay reads");
            reader.read_until(b'\n', &mut answer).await.expect("the relay answers");
        });
        assert!(answer.ends_with(b"}\n"));
    };
    round();
    let counted = allocation_counter::measure(|| (0..CALLS).for_each(|_| round())).count_total;
    let each = counted as f64 / (CALLS * MESSAGES) as f64;
    let figure = Figure {
        name: "allocations per message, relayed call".into(),
        measured: format!("{each:.1}"),
        baseline: "scan and re-emit 1".into(),
        ratio: each,
        target: String::new(),
        met: true,
    };
    figure.target("<= 8", each <= 8.0)
}

type Reader = BufReader<tokio::io::ReadHalf<tokio::io::DuplexStream>>;

async fn connect() -> (Reader, tokio::io::WriteHalf<tokio::io::DuplexStream>) {
    let (ours, theirs) = tokio::io::duplex(BUFFER);
    tokio::spawn(upstream(theirs));
    let (reader, writer) = tokio::io::split(ours);
    let info = Bytes::from_static(br#"{"name":"figures","version":"1"}"#);
    let settings = ClientSettings { era: Choice::Legacy, ..ClientSettings::new(info) };
    let (events, _) = mpsc::channel(16);
    let session = Session::over(reader, writer, settings, Arc::new(Nobody), events).await.expect("a session");
    let server = Server::new(Relay(session), Settings::default());
    let (ours, theirs) = tokio::io::duplex(BUFFER);
    tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(theirs);
        server.connection("ann".to_owned(), reader, writer).await
    });
    let (reader, mut writer) = tokio::io::split(ours);
    let mut reader = BufReader::new(reader);
    let params =
        br#"{"protocolVersion":"2025-11-25","capabilities":{},"clientInfo":{"name":"f","version":"1"}}"#;
    let hello = frame::request(b"0", "initialize", Some(params));
    writer.write_all(&[&hello[..], b"\n"].concat()).await.expect("the relay reads");
    reader.read_until(b'\n', &mut Vec::new()).await.expect("the relay answers");
    (reader, writer)
}
