//! A client and a server of this crate in one process: what is said arrives as it was written, in both eras, on every transport.

use std::sync::Arc;

use bytes::Bytes;
use mcp::client::{Call, Choice, Flavour, List, Session, Settings as ClientSettings, Target};
use mcp::egress::{Guard, Rules};
use mcp::question::Nobody;
use mcp::server::{About, Exchange, Peer, Server, Service, Settings};
use mcp::{Fault, web};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use tokio::sync::mpsc;

/// Answers calls with their arguments, and lists very many tools.
#[derive(Debug)]
struct Echo {
    tools: Bytes,
}

impl Service for Echo {
    type Caller = String;

    fn about(&self, _: &String, _: &Peer) -> About {
        About {
            info: Bytes::from_static(br#"{"name":"echo","version":"1"}"#),
            capabilities: Bytes::from_static(br#"{"tools":{}}"#),
            instructions: None,
        }
    }

    async fn handle(&self, exchange: Exchange<String>) -> Result<Bytes, Fault> {
        match &*exchange.request().method() {
            "tools/list" => Ok(self.tools.clone()),
            "tools/call" => {
                let arguments = exchange.request().arguments().map_or(&b"{}"[..], |view| view.bytes());
                if exchange.request().name().as_deref() == Some("large") {
                    let text = "é".repeat(15 << 19);
                    return Ok(Bytes::from(format!(r#"{{"content":[{{"type":"text","text":"{text}"}}]}}"#)));
                }
                Ok(Bytes::from([br#"{"echo":"#, arguments, br#","x-unknown":{"\u0061":1e400}}"#].concat()))
            }
            method => Err(Fault::unknown_method(method)),
        }
    }
}

fn tool(number: usize) -> String {
    format!(
        r#"{{"name":"tool_{number}","inputSchema":{{"type":"object","properties":{{"a":{{"type":"string"}}}}}},"x-vendor":{{"\u006e":{number}}}}}"#
    )
}

fn server() -> Server<Echo> {
    let tools: Vec<String> = (0..10_000).map(tool).collect();
    let tools = Bytes::from(format!(r#"{{"tools":[{}]}}"#, tools.join(",")));
    Server::new(Echo { tools }, Settings::default())
}

fn settings(era: Choice) -> ClientSettings {
    ClientSettings { era, ..ClientSettings::new(Bytes::from_static(br#"{"name":"test","version":"1"}"#)) }
}

async fn over_lines(era: Choice) -> Session {
    let (ours, theirs) = tokio::io::duplex(1 << 20);
    tokio::spawn(async move {
        let (reader, writer) = tokio::io::split(theirs);
        server().connection("ann".to_owned(), reader, writer).await
    });
    let (reader, writer) = tokio::io::split(ours);
    let (events, _) = mpsc::channel(16);
    Session::over(reader, writer, settings(era), Arc::new(Nobody), events).await.unwrap()
}

async fn over_http(era: Choice, flavour: Flavour) -> Session {
    let server = server();
    let streamable = server.clone();
    let events = server.clone();
    let router = axum::Router::new()
        .route(
            "/mcp",
            axum::routing::any(move |request: axum::extract::Request| async move {
                streamable.http("ann".to_owned(), request).await.map(axum::body::Body::new)
            }),
        )
        .route(
            "/sse",
            axum::routing::get(move |request: axum::extract::Request| async move {
                events.sse("ann".to_owned(), &request).map(axum::body::Body::new)
            }),
        )
        .route(
            "/messages",
            axum::routing::post(move |request: axum::extract::Request| async move {
                server.messages("ann".to_owned(), request).await.map(axum::body::Body::new)
            }),
        );
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let path = if flavour == Flavour::Sse { "sse" } else { "mcp" };
    let url = format!("http://{}/{path}", listener.local_addr().unwrap()).parse().unwrap();
    tokio::spawn(async move { axum::serve(listener, router).await });
    let client = web::Client::new(Guard::new(Rules::parse(&["127.0.0.1".into()]).unwrap()));
    let (events, _) = mpsc::channel(16);
    let target = Target { url, headers: http::HeaderMap::new(), flavour };
    Session::connect(target, client, settings(era), Arc::new(Nobody), events, None).await.unwrap()
}

async fn everyone() -> Vec<(&'static str, Session)> {
    vec![
        ("legacy lines", over_lines(Choice::Legacy).await),
        ("modern lines", over_lines(Choice::Modern).await),
        ("legacy http", over_http(Choice::Legacy, Flavour::Streamable).await),
        ("modern http", over_http(Choice::Modern, Flavour::Streamable).await),
        ("legacy sse", over_http(Choice::Legacy, Flavour::Sse).await),
    ]
}

fn call(name: &str, arguments: &str) -> Call {
    let params = format!(r#"{{"name":"{name}","arguments":{arguments},"x-more":[1.0,"\ud83d"]}}"#);
    Call { method: "tools/call".into(), params: Some(Bytes::from(params)), ..Call::default() }
}

/// JSON as texts rather than values, so that every way of writing it occurs.
fn any_text() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![
        Just("null".to_owned()),
        Just("18446744073709551615".to_owned()),
        Just("-1.50e+400".to_owned()),
        Just(r#""\ud83d\ude00 \ud800 \u0041\/""#.to_owned()),
        ".{0,20}".prop_map(|text| serde_json::to_string(&text).unwrap()),
        any::<u64>().prop_map(|number| number.to_string()),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            proptest::collection::vec(inner.clone(), 0..5)
                .prop_map(|items| format!("[ {}]", items.join(" ,"))),
            proptest::collection::vec(inner, 0..5).prop_map(|items| {
                let members: Vec<String> =
                    items.iter().enumerate().map(|(key, item)| format!("\"\\u006b{key}\": {item}")).collect();
                format!("{{{}}}", members.join(", "))
            }),
        ]
    })
}

#[test]
fn every_argument_and_result_arrives_as_it_was_written() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let sessions = runtime.block_on(everyone());
    let mut runner = TestRunner::new(ProptestConfig { cases: 60, ..ProptestConfig::default() });
    let said = any_text().prop_map(|text| format!(r#"{{"said":{text}}}"#));
    let outcome = runner.run(&said, |said| {
        for (name, session) in &sessions {
            let result = runtime.block_on(session.call(call("echo", &said))).unwrap();
            let expected = format!(r#""echo":{said},"x-unknown":{{"\u0061":1e400}}}}"#);
            let result = std::str::from_utf8(&result).unwrap();
            prop_assert!(result.ends_with(&expected), "{name}: {result}");
        }
        Ok(())
    });
    outcome.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn ten_thousand_tools_and_fifteen_mebibytes_arrive_unchanged() {
    for (name, session) in everyone().await {
        let listing = session.list(List::Tools).await.unwrap();
        assert_eq!(listing.items.len(), 10_000, "{name}");
        for (number, item) in listing.items.iter().enumerate() {
            assert_eq!(*item, tool(number).as_bytes(), "{name}");
        }
        let result = session.call(call("large", "{}")).await.unwrap();
        let text = String::from_utf8(result.to_vec()).unwrap();
        assert_eq!(text.matches('é').count(), 15 << 19, "{name}");
        session.close().await;
    }
}
