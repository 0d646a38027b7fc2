//! The client against peers of every era and transport that behave well, badly or not at all.

#![expect(clippy::needless_pass_by_value, reason = "values written in place read better")]

mod calls;
mod eras;
mod lists;
mod noise;
mod rounds;
mod site;

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use mcp::client::{Call, Choice, ConnectError, Event, Session, Settings};
use mcp::question::{Answering, Boxed, Question, Reply};
use serde_json::{Value, json};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf, split};
use tokio::sync::mpsc;
use tokio::task::JoinHandle;

const ABILITIES: &str = r#"{"elicitation":{},"roots":{}}"#;

fn settings(era: Choice) -> Settings {
    let info = Bytes::from_static(br#"{"name":"test","version":"1"}"#);
    Settings { capabilities: Bytes::from_static(ABILITIES.as_bytes()), era, ..Settings::new(info) }
}

/// Answers every question with its key, after a while; remembers what it was asked.
#[derive(Default)]
struct Person {
    delay: Duration,
    asked: Mutex<Vec<Question>>,
}

impl Answering for Person {
    fn answer(&self, question: Question) -> Boxed<'_, Reply> {
        Box::pin(async move {
            let reply = json!({"action": "accept", "content": {"key": question.key}}).to_string();
            self.asked.lock().unwrap().push(question);
            tokio::time::sleep(self.delay).await;
            Ok(Bytes::from(reply))
        })
    }
}

/// The far end of a pipe.
struct Fake {
    lines: Lines<BufReader<ReadHalf<DuplexStream>>>,
    out: WriteHalf<DuplexStream>,
}

type Connecting = JoinHandle<Result<Session, ConnectError>>;

/// A session that is being made, its far end, and its news.
fn pipe(settings: Settings, person: Arc<Person>) -> (Connecting, Fake, mpsc::Receiver<Event>) {
    let (near, far) = tokio::io::duplex(64 * 1024);
    let (events, news) = mpsc::channel(16);
    let (reader, writer) = split(near);
    let connecting = tokio::spawn(Session::over(reader, writer, settings, person, events));
    let (reader, out) = split(far);
    (connecting, Fake { lines: BufReader::new(reader).lines(), out }, news)
}

impl Fake {
    async fn next(&mut self) -> Value {
        let line = self.lines.next_line().await.unwrap().expect("the client closed the pipe");
        serde_json::from_str(&line).unwrap()
    }

    async fn raw(&mut self, bytes: &[u8]) {
        self.out.write_all(bytes).await.unwrap();
    }

    async fn say(&mut self, message: Value) {
        self.raw(format!("{message}\n").as_bytes()).await;
    }

    async fn answer(&mut self, request: &Value, result: Value) {
        self.say(json!({"jsonrpc": "2.0", "id": request["id"], "result": result})).await;
    }

    async fn refuse(&mut self, request: &Value, code: i64) {
        self.say(json!({"jsonrpc": "2.0", "id": request["id"], "error": {"code": code, "message": "no"}}))
            .await;
    }

    async fn expect(&mut self, method: &str) -> Value {
        let message = self.next().await;
        assert_eq!(message["method"], method, "{message}");
        message
    }

    async fn be_modern(&mut self, capabilities: Value) {
        let asked = self.expect("server/discover").await;
        self.answer(&asked, discovery(capabilities)).await;
    }

    async fn be_legacy(&mut self, capabilities: Value) {
        let asked = self.expect("initialize").await;
        self.answer(&asked, welcome("2025-11-25", capabilities)).await;
        self.expect("notifications/initialized").await;
    }
}

fn discovery(capabilities: Value) -> Value {
    json!({"resultType": "complete", "supportedVersions": ["2026-07-28"], "capabilities": capabilities,
        "ttlMs": 0, "cacheScope": "public",
        "_meta": {"io.modelcontextprotocol/serverInfo": {"name": "fake", "version": "1"}}})
}

fn welcome(version: &str, capabilities: Value) -> Value {
    json!({"protocolVersion": version, "capabilities": capabilities, "serverInfo": {"name": "fake", "version": "1"},
        "instructions": "use me"})
}

async fn modern(capabilities: Value) -> (Session, Fake, mpsc::Receiver<Event>) {
    let (connecting, mut fake, news) = pipe(settings(Choice::Auto), Arc::default());
    fake.be_modern(capabilities).await;
    (connecting.await.unwrap().unwrap(), fake, news)
}

async fn legacy(capabilities: Value) -> (Session, Fake, mpsc::Receiver<Event>) {
    let (connecting, mut fake, news) = pipe(settings(Choice::Legacy), Arc::default());
    fake.be_legacy(capabilities).await;
    (connecting.await.unwrap().unwrap(), fake, news)
}

fn tool(name: &str) -> Call {
    let params = json!({"name": name, "arguments": {}}).to_string();
    Call { method: "tools/call".into(), params: Some(Bytes::from(params)), ..Call::default() }
}

fn calling(session: &Session, call: Call) -> JoinHandle<Result<Bytes, mcp::client::CallError>> {
    let session = session.clone();
    tokio::spawn(async move { session.call(call).await })
}
