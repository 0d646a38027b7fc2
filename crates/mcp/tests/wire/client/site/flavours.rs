//! Which HTTP transport is tried when, credentials, and the class of each failure.

use super::*;
use mcp::client::{AccessError, Call, CallError, Challenge, Class, Retry};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

/// A server of HTTP+SSE only, whose endpoint is named so.
async fn sse_site(endpoint: &'static str) -> Site {
    let said = tokio::sync::broadcast::Sender::<String>::new(64);
    Site::open(move |seen| {
        let said = said.clone();
        async move {
            if seen.path == "/mcp" && seen.method == Method::GET {
                let first = format!(": hello\n\nevent: endpoint\ndata: {endpoint}\n\n");
                let rest = stream::unfold(said.subscribe(), |mut hearing| async move {
                    Some((hearing.recv().await.ok()?, hearing))
                });
                let pieces = stream::once(async move { first }).chain(rest);
                return events_from(Body::from_stream(pieces.map(Ok::<_, std::io::Error>)));
            }
            if seen.path != "/message" {
                return status(405);
            }
            match seen.body["method"].as_str() {
                Some("initialize") => said.send(answer_event(&seen, welcome("2024-11-05", json!({})))),
                Some("tools/call") => said.send(answer_event(&seen, json!({"over": "sse"}))),
                _ => Ok(0),
            }
            .unwrap();
            status(202)
        }
    })
    .await
}

#[tokio::test]
async fn a_server_of_the_old_transport_is_found_whichever_is_tried_first() {
    for (flavour, posts) in [(Flavour::Auto, 2), (Flavour::Streamable, 2), (Flavour::Sse, 0)] {
        let site = sse_site("/message?sessionId=1").await;
        let (session, _news) =
            site.connect_as(settings(Choice::Auto), flavour, HeaderMap::new(), None).await.unwrap();
        assert_eq!(session.call(tool("x")).await.unwrap(), &br#"{"over":"sse"}"#[..]);
        let tried =
            site.seen().iter().filter(|seen| seen.path == "/mcp" && seen.method == Method::POST).count();
        assert_eq!(tried, posts, "{flavour:?}");
    }
}

#[tokio::test]
async fn an_endpoint_of_another_origin_is_refused() {
    let site = sse_site("http://127.0.0.1:1/message").await;
    let error =
        site.connect_as(settings(Choice::Auto), Flavour::Sse, HeaderMap::new(), None).await.err().unwrap();
    assert_eq!(error, ConnectError::Endpoint);
}

#[tokio::test]
async fn a_streamable_server_is_found_when_the_old_transport_is_tried_first() {
    let site =
        Site::open(|seen| async move { as_legacy(&seen).unwrap_or_else(|| result(&seen, json!({}))) }).await;
    let (session, _news) =
        site.connect_as(settings(Choice::Auto), Flavour::Sse, HeaderMap::new(), None).await.unwrap();
    session.call(tool("x")).await.unwrap();
}

#[tokio::test]
async fn a_stream_that_names_no_endpoint_is_another_transports() {
    let site = Site::open(|seen| async move {
        if seen.method == Method::GET {
            return open_events(vec![": waiting\n\n".into()]);
        }
        as_legacy(&seen).unwrap_or_else(|| result(&seen, json!({})))
    })
    .await;
    let hasty = Settings { connect: Duration::from_secs(3), ..settings(Choice::Auto) };
    let (session, _news) = site.connect_as(hasty, Flavour::Sse, HeaderMap::new(), None).await.unwrap();
    session.call(tool("x")).await.unwrap();
}

#[tokio::test]
async fn each_failure_has_its_class() {
    let html = Site::open(|_| async {
        Response::builder().header("content-type", "text/html").body(Body::from("<html>")).unwrap()
    })
    .await;
    let error = html.connect(settings(Choice::Auto)).await.err().unwrap();
    assert_eq!(error.class(), Class::NotMcp, "{error}");
    let nothing = Site::open(|_| async { status(404) }).await;
    assert_eq!(nothing.connect(settings(Choice::Auto)).await.err().unwrap().class(), Class::NotMcp);
    let nonsense = Site::open(|_| async { json_body(200, &json!({"hello": 1})) }).await;
    assert_eq!(nonsense.connect(settings(Choice::Auto)).await.err().unwrap().class(), Class::NotMcp);
    let closed = Site { url: Url::parse("http://127.0.0.1:1/").unwrap(), seen: Arc::default() };
    assert_eq!(closed.connect(settings(Choice::Auto)).await.err().unwrap().class(), Class::Refused);
    let silent = Site::open(|_| std::future::pending()).await;
    let hasty = Settings { connect: Duration::from_millis(200), ..settings(Choice::Auto) };
    assert_eq!(silent.connect(hasty).await.err().unwrap().class(), Class::Timeout);
    assert!(silent.asked("initialize").is_empty(), "silence says nothing about the era");
    let blocked = Site { url: Url::parse("http://10.0.0.1/").unwrap(), seen: Arc::default() };
    assert_eq!(blocked.connect(settings(Choice::Auto)).await.err().unwrap().class(), Class::Blocked);
    let names: Vec<&str> = [Class::Dns, Class::Tls, Class::Auth, Class::NotMcp].map(Class::name).to_vec();
    assert_eq!(names, ["dns", "tls", "auth", "not_mcp"]);
}

#[tokio::test]
async fn a_challenge_is_kept_and_nothing_else_is_tried() {
    for code in [401, 403] {
        let site = Site::open(move |_| async move {
            let mut response = status(code);
            response.headers_mut().insert("www-authenticate", "Bearer scope=\"a\"".parse().unwrap());
            response
        })
        .await;
        let error = site.connect(settings(Choice::Auto)).await.err().unwrap();
        assert_eq!(error.class(), Class::Auth);
        let challenge = Challenge { status: code, www_authenticate: vec!["Bearer scope=\"a\"".into()] };
        assert_eq!(error.challenge(), Some(&challenge));
        assert_eq!(site.seen().len(), 1);
    }
}

/// A new token after every challenge.
#[derive(Default)]
struct Tokens {
    number: AtomicUsize,
}

impl Access for Tokens {
    fn authorization(&self) -> Boxed<'_, Result<Option<http::HeaderValue>, AccessError>> {
        let number = self.number.load(Ordering::SeqCst);
        Box::pin(async move { Ok(Some(format!("Bearer t{number}").parse().unwrap())) })
    }

    fn challenged(&self, _: Challenge) -> Boxed<'_, Result<Retry, AccessError>> {
        self.number.fetch_add(1, Ordering::SeqCst);
        Box::pin(async { Ok(Retry::Again) })
    }
}

#[tokio::test]
async fn credentials_are_renewed_at_most_twice_for_one_request() {
    for (good, expected) in [("Bearer t2", true), ("Bearer t3", false)] {
        let site = Site::open(move |seen| async move {
            if seen.header("authorization") != good {
                return status(401);
            }
            as_legacy(&seen).unwrap_or_else(|| result(&seen, json!({})))
        })
        .await;
        let access: Arc<dyn Access> = Arc::new(Tokens::default());
        let connected =
            site.connect_as(settings(Choice::Legacy), Flavour::Auto, HeaderMap::new(), Some(access)).await;
        assert_eq!(connected.is_ok(), expected);
        assert_eq!(site.asked("initialize").len(), 3);
        if let Ok((session, _news)) = connected {
            session.call(Call { timeout: Some(Duration::from_secs(5)), ..tool("x") }).await.unwrap();
        } else {
            assert!(matches!(connected.err(), Some(ConnectError::Call(CallError::Unauthorized(_)))));
        }
    }
}
