//! The server under test: every transport on one port, or standard streams.

mod catalogue;
mod elicitation;
mod fixture;
mod input;
mod prompts;
mod resources;
mod tasks;
mod tools;

use std::error::Error;

use axum::Router;
use axum::extract::{Request, State};
use axum::response::Response;
use axum::routing::{any, get, post};
use mcp::server::{Server, Settings};

use fixture::Fixture;

type Fallible = Result<(), Box<dyn Error>>;

fn make() -> Server<Fixture> {
    let settings = Settings { messages_path: "/messages".into(), ..Settings::default() };
    let server = Server::new(Fixture::default(), settings);
    server.service().announce_through(&server);
    server
}

fn caller() -> String {
    "anyone".into()
}

/// Serves `/mcp`, `/sse` and `/messages` until killed.
pub async fn http(port: u16) -> Fallible {
    let server = make();
    let sweeping = server.clone();
    tokio::spawn(async move { sweeping.run().await });
    let router = Router::new()
        .route("/mcp", any(streamable))
        .route("/sse", get(events))
        .route("/messages", post(messages))
        .with_state(server);
    let listener = tokio::net::TcpListener::bind(("127.0.0.1", port)).await?;
    announce(listener.local_addr()?.port());
    axum::serve(listener, router).await?;
    Ok(())
}

/// Serves standard input and output until the input ends.
pub async fn stdio() -> Fallible {
    Ok(make().connection(caller(), tokio::io::stdin(), tokio::io::stdout()).await?)
}

async fn streamable(State(server): State<Server<Fixture>>, request: Request) -> Response {
    server.http(caller(), request).await.map(axum::body::Body::new)
}

async fn events(State(server): State<Server<Fixture>>, request: Request) -> Response {
    server.sse(caller(), &request).map(axum::body::Body::new)
}

async fn messages(State(server): State<Server<Fixture>>, request: Request) -> Response {
    server.messages(caller(), request).await.map(axum::body::Body::new)
}

#[expect(clippy::print_stdout, reason = "whoever started it reads the address")]
fn announce(port: u16) {
    println!("listening on http://127.0.0.1:{port}/mcp");
}
