//! The client against canned answers.

use std::io::Read;
use std::net::TcpListener;
use std::thread::{self, JoinHandle};

use super::*;

/// Answers each connection's first bytes with the next canned answer and returns what was asked.
fn serve(answers: Vec<&'static str>) -> (SocketAddr, JoinHandle<Vec<String>>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut asked = Vec::new();
        for answer in answers {
            let mut buffer = [0; 4096];
            let read = stream.read(&mut buffer).unwrap();
            asked.push(String::from_utf8_lossy(&buffer[..read]).into_owned());
            stream.write_all(answer.as_bytes()).unwrap();
        }
        asked
    });
    (address, server)
}

#[test]
fn two_requests_share_one_connection() {
    let (address, server) = serve(vec![
        "HTTP/1.1 201 Created\r\nETag: \"7\"\r\nContent-Length: 2\r\n\r\n{}",
        "HTTP/1.1 204 No Content\r\n\r\n",
    ]);
    let mut http = Http::tcp(address).bearer("secret");
    let created = http.put("/a", &serde_json::json!({"x": 1})).unwrap();
    assert_eq!((created.status, created.header("etag")), (201, Some("\"7\"")));
    assert_eq!(created.json(), serde_json::json!({}));
    assert_eq!(http.delete("/a").unwrap().status, 204);
    let asked = server.join().unwrap();
    assert!(
        asked[0].starts_with(&format!("PUT /a HTTP/1.1\r\nhost: {address}\r\nauthorization: Bearer secret"))
    );
    assert!(asked[0].ends_with("content-length: 7\r\n\r\n{\"x\":1}"));
    assert!(asked[1].starts_with("DELETE /a HTTP/1.1"));
}

#[test]
fn a_unix_socket_is_spoken_to_alike() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("outfitter.sock");
    let listener = std::os::unix::net::UnixListener::bind(&path).unwrap();
    let server = thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        let mut buffer = [0; 4096];
        let read = stream.read(&mut buffer).unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nto the end").unwrap();
        String::from_utf8_lossy(&buffer[..read]).into_owned()
    });
    assert_eq!(Http::unix(&path).get("/a").unwrap().text(), "to the end");
    assert_eq!(server.join().unwrap(), "GET /a HTTP/1.1\r\nhost: localhost\r\n\r\n");
    assert!(matches!(Http::unix(directory.path().join("none")).get("/"), Err(Error::Connect { .. })));
}

#[test]
fn a_chunked_answer_is_joined() {
    let (address, _) = serve(vec![
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nWiki\r\n6;x=y\r\npedia \r\n0\r\n\r\n",
    ]);
    assert_eq!(Http::tcp(address).get("/").unwrap().text(), "Wikipedia ");
}

#[test]
fn an_answer_cut_short_is_an_error() {
    let (address, _) = serve(vec!["HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nshort"]);
    assert!(matches!(Http::tcp(address).get("/"), Err(Error::Broken(_))));
    let (address, _) = serve(vec!["HTTP/1.1 200"]);
    assert!(matches!(Http::tcp(address).get("/"), Err(Error::Closed)));
}

#[test]
fn a_test_decides_which_headers_are_sent() {
    let (address, server) = serve(vec!["HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n"]);
    let request = Request::new("GET", "/").header("Host", "evil.example").without("authorization");
    assert_eq!(Http::tcp(address).bearer("secret").send(&request).unwrap().status, 403);
    assert_eq!(server.join().unwrap()[0], "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n");
}

#[test]
fn events_come_one_by_one_across_chunks() {
    let (address, _) = serve(vec![
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\
         b\r\n: hello\n\nid\r\n11\r\n: 3.0\nevent: put\n\r\nf\r\ndata: a\ndata:b\n\r\n1\r\n\n\r\n0\r\n\r\n",
    ]);
    let mut events = Http::tcp(address).events(&Request::new("GET", "/watch")).unwrap();
    let patience = Duration::from_secs(5);
    let event = events.next(patience).unwrap().unwrap();
    assert_eq!(event, Event { id: Some("3.0".into()), name: "put".into(), data: "a\nb".into() });
    assert_eq!(events.next(patience).unwrap(), None);
}

#[test]
fn a_quiet_stream_is_given_up_after_the_patience() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let (quiet, hold) = std::sync::mpsc::channel::<()>();
    thread::spawn(move || {
        let (mut stream, _) = listener.accept().unwrap();
        stream.write_all(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\nid: 1\n").unwrap();
        hold.recv().ok();
    });
    let mut events = Http::tcp(address).events(&Request::new("GET", "/")).unwrap();
    assert_eq!(events.next(Duration::from_millis(50)).unwrap(), None);
    drop(quiet);
}
