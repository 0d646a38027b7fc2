//! The client over HTTP: sessions, streams that break, flavours, credentials and failures by class.

mod bounds;
mod flavours;
mod modern;
mod sessions;
mod streams;

use super::*;
use ::http::{HeaderMap, Method, StatusCode};
use axum::body::{Body, to_bytes};
use axum::response::Response;
use futures_util::{StreamExt, stream};
use mcp::client::{Access, Flavour, Target};
use mcp::egress::{Guard, Rules};
use mcp::web;
use url::Url;

/// One request as the peer saw it.
#[derive(Clone, Debug)]
struct Seen {
    method: Method,
    path: String,
    headers: HeaderMap,
    body: Value,
    at: std::time::Instant,
}

impl Seen {
    fn header(&self, name: &str) -> &str {
        self.headers.get(name).map_or("", |value| value.to_str().unwrap())
    }

    fn asks(&self, method: &str) -> bool {
        self.body["method"] == method
    }
}

/// An HTTP peer.
struct Site {
    url: Url,
    seen: Arc<Mutex<Vec<Seen>>>,
}

impl Site {
    /// Answers every request by `answer`.
    async fn open<F, A>(answer: F) -> Self
    where
        F: Fn(Seen) -> A + Clone + Send + Sync + 'static,
        A: Future<Output = Response> + Send + 'static,
    {
        let seen: Arc<Mutex<Vec<Seen>>> = Arc::default();
        let log = Arc::clone(&seen);
        let app = axum::Router::new().fallback(move |request: axum::extract::Request| {
            let (log, answer) = (Arc::clone(&log), answer.clone());
            async move {
                let (parts, body) = request.into_parts();
                let body = to_bytes(body, usize::MAX).await.unwrap();
                let body = serde_json::from_slice(&body).unwrap_or(Value::Null);
                let path = parts.uri.path().to_owned();
                let at = std::time::Instant::now();
                let seen = Seen { method: parts.method, path, headers: parts.headers, body, at };
                log.lock().unwrap().push(seen.clone());
                answer(seen).await
            }
        });
        let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
        let url = Url::parse(&format!("http://{}/mcp", listener.local_addr().unwrap())).unwrap();
        tokio::spawn(async move { axum::serve(listener, app).await });
        Self { url, seen }
    }

    fn seen(&self) -> Vec<Seen> {
        self.seen.lock().unwrap().clone()
    }

    fn asked(&self, method: &str) -> Vec<Seen> {
        self.seen().into_iter().filter(|seen| seen.asks(method)).collect()
    }

    async fn connect(&self, settings: Settings) -> Result<Session, ConnectError> {
        self.connect_as(settings, Flavour::Auto, HeaderMap::new(), None).await.map(|(session, _)| session)
    }

    async fn connect_as(
        &self,
        settings: Settings,
        flavour: Flavour,
        headers: HeaderMap,
        access: Option<Arc<dyn Access>>,
    ) -> Result<(Session, mpsc::Receiver<Event>), ConnectError> {
        let (events, news) = mpsc::channel(16);
        let target = Target { url: self.url.clone(), headers, flavour };
        let person = Arc::new(Person::default());
        let session = Session::connect(target, client(), settings, person, events, access).await?;
        Ok((session, news))
    }
}

fn client() -> web::Client {
    web::Client::new(Guard::new(Rules::parse(&["127.0.0.1".to_owned()]).unwrap()))
}

fn status(status: u16) -> Response {
    Response::builder().status(StatusCode::from_u16(status).unwrap()).body(Body::empty()).unwrap()
}

fn json_body(status: u16, body: &Value) -> Response {
    let response = Response::builder().status(status).header("content-type", "application/json");
    response.body(Body::from(body.to_string())).unwrap()
}

fn result(request: &Seen, result: Value) -> Response {
    json_body(200, &json!({"jsonrpc": "2.0", "id": request.body["id"], "result": result}))
}

fn fault(request: &Seen, status: u16, code: i64) -> Response {
    let error = json!({"code": code, "message": "no"});
    json_body(status, &json!({"jsonrpc": "2.0", "id": request.body["id"], "error": error}))
}

/// An event stream of these pieces.
fn events(pieces: Vec<String>) -> Response {
    let pieces = stream::iter(pieces.into_iter().map(|piece| Ok::<_, std::io::Error>(Bytes::from(piece))));
    events_from(Body::from_stream(pieces))
}

/// The same, and open for ever.
fn open_events(pieces: Vec<String>) -> Response {
    let pieces = stream::iter(pieces.into_iter().map(|piece| Ok::<_, std::io::Error>(Bytes::from(piece))));
    events_from(Body::from_stream(pieces.chain(stream::pending())))
}

fn events_from(body: Body) -> Response {
    Response::builder().header("content-type", "text/event-stream").body(body).unwrap()
}

fn message(message: &Value) -> String {
    format!("event: message\ndata: {message}\n\n")
}

fn answer_event(request: &Seen, result: Value) -> String {
    message(&json!({"jsonrpc": "2.0", "id": request.body["id"], "result": result}))
}

/// What a legacy peer without a stream of its own answers to all but calls; `None` for those.
fn as_legacy(request: &Seen) -> Option<Response> {
    if request.method == Method::GET {
        return Some(status(405));
    }
    if request.method == Method::DELETE {
        return Some(status(200));
    }
    match request.body["method"].as_str() {
        Some("server/discover") => Some(fault(request, 400, -32000)),
        Some("initialize") => {
            let mut response = result(request, welcome("2025-11-25", json!({"tools": {}})));
            response.headers_mut().insert("mcp-session-id", "s-1".parse().unwrap());
            Some(response)
        }
        Some(method) if method.starts_with("notifications/") => Some(status(202)),
        None => Some(status(202)),
        _ => None,
    }
}

/// What a modern peer answers to the question what it is; `None` for the rest.
fn as_modern(request: &Seen) -> Option<Response> {
    request.asks("server/discover").then(|| result(request, discovery(json!({"tools": {}}))))
}
