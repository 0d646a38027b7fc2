//! What an idle session holds.

use bytes::Bytes;
use http::Request;
use http_body_util::Full;
use mcp::Fault;
use mcp::server::{About, Exchange, Peer, Server, Service, Settings};
use testkit::bench::Figure;

const MOST: f64 = 4096.0;

#[derive(Debug)]
struct Silent;

impl Service for Silent {
    type Caller = String;

    fn about(&self, _: &String, _: &Peer) -> About {
        About {
            info: Bytes::from_static(br#"{"name":"silent","version":"1"}"#),
            capabilities: Bytes::from_static(b"{}"),
            instructions: None,
        }
    }

    async fn handle(&self, exchange: Exchange<String>) -> Result<Bytes, Fault> {
        Err(Fault::unknown_method(&exchange.request().method()))
    }
}

fn initialize() -> Request<Full<Bytes>> {
    let text = br#"{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-11-25",
        "capabilities":{"roots":{"listChanged":true},"sampling":{},"elicitation":{}},
        "clientInfo":{"name":"figures","title":"Figures","version":"1.0.0"}}}"#;
    Request::post("/mcp")
        .header("host", "localhost")
        .header("content-type", "application/json")
        .header("accept", "application/json, text/event-stream")
        .body(Full::new(Bytes::from_static(text)))
        .expect("a request")
}

/// Bytes held for each of many sessions after their handshake.
pub fn idle(count: usize) -> Figure {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let settings = Settings { sessions: count, sessions_each: count, ..Settings::default() };
    let server = Server::new(Silent, settings);
    let open = |number: usize| {
        let response = runtime.block_on(server.http(format!("caller-{}", number % 50), initialize()));
        assert_eq!(response.status(), 200);
    };
    let held = allocation_counter::measure(|| (0..count).for_each(open)).bytes_current;
    let each = held as f64 / count as f64;
    let figure = Figure {
        name: format!("idle session, one of {}", server.sessions()),
        measured: format!("{each:.0} B"),
        baseline: format!("its request {} B", 253),
        ratio: each / 253.0,
        target: String::new(),
        met: true,
    };
    figure.target("< 4 KiB", each < MOST)
}
