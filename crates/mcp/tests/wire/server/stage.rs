//! A server whose tools do what a test needs, and clients that see every byte.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use axum::Router;
use axum::extract::{Request as Incoming, State};
use axum::routing::any;
use bytes::Bytes;
use futures_util::StreamExt;
use http::{HeaderMap, Method, Request, StatusCode};
use mcp::egress::{Guard, Rules};
use mcp::json::View;
use mcp::server::{About, Caller, Exchange, Level, Peer, Server, Service, Settings};
use mcp::web::{self, Client, Options};
use mcp::{Fault, Question};
use tokio::time::timeout;

/// Longer than anything here may take.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// Tools for tests; they count how they end.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    pub began: Arc<AtomicUsize>,
    pub finished: Arc<AtomicUsize>,
    pub dropped: Arc<AtomicUsize>,
}

struct Dropped(Arc<AtomicUsize>);

impl Drop for Dropped {
    fn drop(&mut self) {
        self.0.fetch_add(1, Ordering::SeqCst);
    }
}

impl Tools {
    async fn call(&self, call: &Exchange<Person>) -> Result<Bytes, Fault> {
        let number = |name: &str| call.argument(name).and_then(View::integer).unwrap_or(0);
        match &*call.request().name().unwrap_or_default() {
            "echo" => Ok(Bytes::copy_from_slice(call.request().arguments().map_or(&b"{}"[..], View::bytes))),
            "sleep" => {
                let pause = Duration::from_millis(u64::try_from(number("ms")).unwrap_or(0));
                tokio::time::sleep(pause).await;
                Ok(Bytes::from_static(br#"{"slept":true}"#))
            }
            "flood" => {
                let text = format!(r#"{{"progressToken":1,"progress":1,"message":"{}"}}"#, "x".repeat(1000));
                for _ in 0..number("count") {
                    call.notify("notifications/progress", text.as_bytes()).map_err(|_| Fault::internal())?;
                    tokio::task::yield_now().await;
                }
                Ok(Bytes::from_static(br#"{"flooded":true}"#))
            }
            "tell" => {
                call.notify(
                    "notifications/progress",
                    br#"{"progressToken":1,"progress":1,"message":"first"}"#,
                )
                .map_err(|_| Fault::internal())?;
                tokio::time::sleep(Duration::from_millis(u64::try_from(number("ms")).unwrap_or(0))).await;
                Ok(Bytes::from_static(br#"{"told":true}"#))
            }
            "ask" => {
                let replies = call.ask(vec![question("one"), question("two")]).await?;
                let replies: Vec<Bytes> = replies.into_iter().collect::<Result<_, _>>()?;
                let text = format!(
                    r#"{{"one":{},"two":{}}}"#,
                    String::from_utf8_lossy(&replies[0]),
                    String::from_utf8_lossy(&replies[1])
                );
                Ok(Bytes::from(text))
            }
            "log" => {
                for level in ["debug", "info", "error"] {
                    let params = format!(r#"{{"level":"{level}","data":"{level} said"}}"#);
                    call.notify("notifications/message", params.as_bytes()).map_err(|_| Fault::internal())?;
                    call.log(Level::named(level).unwrap(), format!("\"{level} logged\"").as_bytes()).unwrap();
                }
                Ok(Bytes::from_static(br#"{"logged":true}"#))
            }
            "busy" => {
                let talk = async {
                    tokio::time::sleep(Duration::from_millis(30)).await;
                    call.progress(1.0, None, None).map_err(|_| Fault::internal())
                };
                let (first, second, talked) =
                    tokio::join!(call.ask_one(question("one")), call.ask_one(question("two")), talk);
                let (_, _) = (first?, second?);
                talked?;
                Ok(Bytes::from_static(br#"{"both":true}"#))
            }
            "who" => Ok(Bytes::from(format!(r#"{{"who":"{}"}}"#, call.caller().rights))),
            "panic" => panic!("on purpose"),
            name => Err(Fault::invalid_params(format!("unknown tool: {name}"))),
        }
    }
}

fn question(key: &str) -> Question {
    let params =
        Bytes::from_static(br#"{"message":"?","requestedSchema":{"type":"object","properties":{}}}"#);
    Question { key: key.into(), method: "elicitation/create".into(), params: Some(params) }
}

impl Service for Tools {
    type Caller = Person;

    fn about(&self, caller: &Person, _: &Peer) -> About {
        assert_ne!(caller.rights, "broken", "on purpose");
        About {
            info: Bytes::from_static(br#"{"name":"stage","version":"1"}"#),
            capabilities: Bytes::from_static(
                br#"{"tools":{"listChanged":true},"prompts":{},"resources":{"subscribe":true,"listChanged":true}}"#,
            ),
            instructions: None,
        }
    }

    async fn handle(&self, exchange: Exchange<Person>) -> Result<Bytes, Fault> {
        if exchange.request().method() != "tools/call" {
            return Err(Fault::unknown_method(&exchange.request().method()));
        }
        self.began.fetch_add(1, Ordering::SeqCst);
        let _dropped = Dropped(Arc::clone(&self.dropped));
        let outcome = self.call(&exchange).await;
        self.finished.fetch_add(1, Ordering::SeqCst);
        outcome
    }
}

/// A server on a port of its own.
pub struct Stage {
    pub server: Server<Tools>,
    pub tools: Tools,
    pub address: SocketAddr,
    client: Client,
}

async fn streamable(State(server): State<Server<Tools>>, request: Incoming) -> axum::response::Response {
    server.http(caller(&request), request).await.map(axum::body::Body::new)
}

async fn events(State(server): State<Server<Tools>>, request: Incoming) -> axum::response::Response {
    server.sse(caller(&request), &request).map(axum::body::Body::new)
}

async fn messages(State(server): State<Server<Tools>>, request: Incoming) -> axum::response::Response {
    server.messages(caller(&request), request).await.map(axum::body::Body::new)
}

fn caller(request: &Incoming) -> Person {
    let header =
        |name: &str| request.headers().get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let name = if header("x-caller").is_empty() { "ann" } else { header("x-caller") };
    Person { name: name.to_owned(), rights: header("x-rights").to_owned() }
}

/// Somebody, with rights that may differ from request to request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Person {
    pub name: String,
    pub rights: String,
}

impl Caller for Person {
    fn key(&self) -> &str {
        &self.name
    }
}

impl Stage {
    pub async fn new() -> Self {
        Self::with(Settings::default()).await
    }

    pub async fn with(settings: Settings) -> Self {
        let tools = Tools::default();
        let server = Server::new(tools.clone(), settings);
        let router = Router::new()
            .route("/mcp", any(streamable))
            .route("/sse", any(events))
            .route("/messages", any(messages))
            .with_state(server.clone());
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        tokio::spawn(async move { axum::serve(listener, router).await });
        let sweeping = server.clone();
        tokio::spawn(async move { sweeping.run().await });
        let client = Client::new(Guard::new(Rules::parse(&["127.0.0.0/8".into()]).unwrap()));
        Self { server, tools, address, client }
    }

    pub async fn send(
        &self,
        method: Method,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Bytes>,
    ) -> Reply {
        let mut request =
            Request::builder().method(method.clone()).uri(format!("http://{}{path}", self.address));
        if method == Method::POST {
            request = request.header("content-type", "application/json");
        }
        if !headers.iter().any(|(name, _)| *name == "accept") {
            request = request.header("accept", "application/json, text/event-stream");
        }
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(body.into()).unwrap();
        let options = Options { limit: None, ..Options::default() };
        let response = timeout(PATIENCE, self.client.send(request, options)).await.unwrap().unwrap();
        let (head, body) = response.into_parts();
        Reply { status: head.status, headers: head.headers, body, seen: String::new(), failure: None }
    }

    pub async fn post(&self, headers: &[(&str, &str)], body: impl Into<Bytes>) -> Reply {
        self.send(Method::POST, "/mcp", headers, body).await
    }

    /// Opens a legacy session of this revision.
    pub async fn session(&self, caller: &str, version: &str) -> String {
        let reply = self.post(&[("x-caller", caller)], initialize(version)).await;
        assert_eq!(reply.status, StatusCode::OK);
        reply.headers["mcp-session-id"].to_str().unwrap().to_owned()
    }

    /// A modern request with the headers it needs.
    pub async fn modern(&self, caller: &str, id: u32, method: &str, params: &str) -> Reply {
        let name =
            View::new(params.as_bytes()).get("name").and_then(View::text).unwrap_or_default().into_owned();
        let mut headers =
            vec![("x-caller", caller), ("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
        if !name.is_empty() {
            headers.push(("mcp-name", &name));
        }
        self.post(&headers, modern_text(id, method, params)).await
    }
}

/// The text of a modern request; the parameters are an object.
pub fn modern_text(id: u32, method: &str, params: &str) -> String {
    let meta = r#""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{"elicitation":{}}}"#;
    let rest = params.strip_prefix('{').unwrap();
    let comma = if rest.trim_start().starts_with('}') { "" } else { "," };
    format!(r#"{{"jsonrpc":"2.0","id":{id},"method":"{method}","params":{{{meta}{comma}{rest}}}"#)
}

pub fn initialize(version: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":0,"method":"initialize","params":{{"protocolVersion":"{version}","capabilities":{{"elicitation":{{}}}},"clientInfo":{{"name":"test","version":"1"}}}}}}"#
    )
}

/// A legacy call of a tool.
pub fn call(id: u32, tool: &str, arguments: &str) -> String {
    format!(
        r#"{{"jsonrpc":"2.0","id":{id},"method":"tools/call","params":{{"name":"{tool}","arguments":{arguments}}}}}"#
    )
}

/// An answer as it arrives.
pub struct Reply {
    pub status: StatusCode,
    pub headers: HeaderMap,
    body: web::Body,
    seen: String,
    /// Why the answer ended early.
    pub failure: Option<web::Failure>,
}

impl Reply {
    pub fn is_events(&self) -> bool {
        self.headers.get("content-type").is_some_and(|value| value == "text/event-stream")
    }

    /// Everything until the end.
    pub async fn text(mut self) -> String {
        while self.more().await {}
        assert!(self.failure.is_none(), "{:?} after {} bytes", self.failure, self.seen.len());
        self.seen
    }

    async fn more(&mut self) -> bool {
        let chunk = timeout(PATIENCE, self.body.next()).await.expect("the stream says something");
        match chunk {
            Some(Ok(chunk)) => {
                self.seen.push_str(std::str::from_utf8(&chunk).unwrap());
                true
            }
            Some(Err(failure)) => {
                self.failure = Some(failure);
                false
            }
            None => false,
        }
    }

    /// Reads until the text appears; returns all that was seen.
    pub async fn until(&mut self, text: &str) -> &str {
        while !self.seen.contains(text) {
            assert!(self.more().await, "the stream ended before {text}: {}", self.seen);
        }
        &self.seen
    }

    /// The id of the last event seen.
    pub fn last_id(&self) -> String {
        let id = self.seen.lines().rev().find_map(|line| line.strip_prefix("id: "));
        id.expect("an event with an id").to_owned()
    }
}

/// Waits until a counter has reached a number.
pub async fn reaches(counter: &AtomicUsize, number: usize) {
    let reached = async {
        while counter.load(Ordering::SeqCst) < number {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
    };
    timeout(PATIENCE, reached).await.expect("the counter reaches its number");
}
