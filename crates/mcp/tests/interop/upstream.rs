//! A server made by others with a session of this crate, over standard streams or HTTP; dropping it kills.

mod answerer;
mod everything;
mod node;
mod over_http;
mod python;
mod sdk;

use std::net::{Ipv4Addr, TcpListener};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use http::HeaderMap;
use mcp::client::{Call, Event, Flavour, List, Session, Settings, Target};
use mcp::egress::{Guard, Rules};
use mcp::web;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::net::TcpStream;
use tokio::process::Child;
use tokio::sync::mpsc;
use tokio::time::{sleep, timeout};
use url::Url;

use crate::run::{PATIENCE, at_home};
use answerer::Ada;

/// How long a server may take to end after its input did.
const FAREWELL: Duration = Duration::from_secs(20);

struct Upstream {
    session: Session,
    events: mpsc::Receiver<Event>,
    process: Child,
    _home: TempDir,
}

/// The bytes of a JSON value.
fn bytes(value: &Value) -> Bytes {
    value.to_string().into()
}

fn settings(capabilities: &Value) -> Settings {
    let info = json!({ "name": "outfitter-interop", "version": "0" });
    Settings {
        capabilities: bytes(capabilities),
        connect: PATIENCE,
        // A slow start is no sign of a legacy server.
        grace: PATIENCE / 2,
        ..Settings::new(bytes(&info))
    }
}

impl Upstream {
    /// Starts a server that speaks on its standard streams.
    async fn over_stdio(mut command: Command, capabilities: Value) -> Self {
        let home = at_home(&mut command);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut process = tokio::process::Command::from(command).kill_on_drop(true).spawn().unwrap();
        let (output, input) = (process.stdout.take().unwrap(), process.stdin.take().unwrap());
        let (told, events) = mpsc::channel(16);
        let session =
            Session::over(output, input, settings(&capabilities), Arc::new(Ada), told).await.unwrap();
        Self { session, events, process, _home: home }
    }

    /// Starts a server that listens on `PORT`, and finds its transport at `path`.
    async fn over_http(mut command: Command, path: &str, capabilities: Value) -> Self {
        let home = at_home(&mut command);
        let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
        command
            .env("PORT", port.to_string())
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null());
        let process = tokio::process::Command::from(command).kill_on_drop(true).spawn().unwrap();
        timeout(PATIENCE, listening(port)).await.expect("it listens");
        let url = Url::parse(&format!("http://127.0.0.1:{port}{path}")).unwrap();
        let target = Target { url, headers: HeaderMap::new(), flavour: Flavour::Auto };
        let client = web::Client::new(Guard::new(Rules::parse(&["127.0.0.1".to_owned()]).unwrap()));
        let (told, events) = mpsc::channel(16);
        let connecting = Session::connect(target, client, settings(&capabilities), Arc::new(Ada), told, None);
        let session = connecting.await.unwrap();
        Self { session, events, process, _home: home }
    }

    /// The revision agreed on, and the name of the server.
    fn met(&self) -> (String, Value) {
        let peer = self.session.peer();
        let info: Value = serde_json::from_slice(&peer.info).unwrap();
        (peer.version.to_string(), info["name"].clone())
    }

    async fn tools(&self) -> Vec<String> {
        let listing = self.session.list(List::Tools).await.unwrap();
        let name = |tool: &Bytes| serde_json::from_slice::<Value>(tool).unwrap()["name"].clone();
        listing.items.iter().map(|tool| name(tool).as_str().unwrap().to_owned()).collect()
    }

    /// The result of a method, and what was told about it meanwhile.
    async fn follow(&self, method: &str, params: Value) -> (Value, Vec<Value>) {
        let (told, mut notices) = mpsc::channel(16);
        let (method, params) = (method.to_owned(), Some(bytes(&params)));
        let call = Call { method, params, notices: Some(told), ..Call::default() };
        let result = serde_json::from_slice(&self.session.call(call).await.unwrap()).unwrap();
        let heard = std::iter::from_fn(|| notices.try_recv().ok());
        (result, heard.map(|notice| serde_json::from_slice(&notice).unwrap()).collect())
    }

    /// The result of a method.
    async fn ask(&self, method: &str, params: Value) -> Value {
        self.follow(method, params).await.0
    }

    /// All texts that a tool answers with; the tool may not fail.
    async fn use_tool(&self, tool: &str, arguments: Value) -> String {
        texts(&self.ask("tools/call", json!({ "name": tool, "arguments": arguments })).await)
    }

    /// All texts that a tool answers with, and what progress it told of before.
    async fn follow_tool(&self, tool: &str, arguments: Value) -> (String, Vec<f64>) {
        let params = json!({ "name": tool, "arguments": arguments, "_meta": { "progressToken": "ours" } });
        let (result, notices) = self.follow("tools/call", params).await;
        let progress = notices.iter().filter(|notice| notice["method"] == "notifications/progress");
        let steps = progress.map(|notice| {
            assert_eq!(notice["params"]["progressToken"], "ours");
            notice["params"]["progress"].as_f64().unwrap()
        });
        (texts(&result), steps.collect())
    }

    /// Waits for this event among others.
    async fn hear(&mut self, wanted: &Event) {
        let waiting = async { while self.events.recv().await.expect("the session lives") != *wanted {} };
        timeout(PATIENCE, waiting).await.unwrap_or_else(|_| panic!("no {wanted:?}"));
    }

    /// Closes the session; the server has sent nothing that this crate could not use.
    async fn close(&self) {
        assert_eq!(self.session.counts(), mcp::client::Counts::default());
        timeout(FAREWELL, self.session.close()).await.expect("a close that ends");
    }

    /// Closes the session, upon which the server ends by itself.
    async fn end(mut self) {
        self.close().await;
        let ended = timeout(FAREWELL, self.process.wait()).await;
        let status = ended.expect("the server ends when its input does").unwrap();
        assert!(status.success(), "{status}");
    }
}

/// All texts in the result of a tool that did not fail.
fn texts(result: &Value) -> String {
    assert_ne!(result["isError"], true, "{result}");
    let texts = result["content"].as_array().unwrap().iter().filter_map(|block| block["text"].as_str());
    texts.collect::<Vec<_>>().join("\n")
}

async fn listening(port: u16) {
    while TcpStream::connect((Ipv4Addr::LOCALHOST, port)).await.is_err() {
        sleep(Duration::from_millis(50)).await;
    }
}
