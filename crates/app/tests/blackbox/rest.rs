//! The REST API: lists, single resources, conditions, and the one shape of errors.

use serde_json::json;
use testkit::http::Request;

use crate::stage::{Stage, server};

fn names(page: &serde_json::Value) -> Vec<&str> {
    page["items"].as_array().unwrap().iter().map(|item| item["metadata"]["name"].as_str().unwrap()).collect()
}

fn tagged(name: &str, description: &str, tags: &[&str]) -> serde_json::Value {
    let mut resource = server(name);
    resource["spec"]["tags"] = json!(tags);
    resource["spec"]["description"] = json!(description);
    resource
}

#[test]
fn a_list_is_paged_filtered_and_ordered() {
    let stage = Stage::set();
    let mut http = stage.http();
    let resources: Vec<_> = (0..7)
        .map(|n| tagged(&format!("s{n}"), "", &["all", if n % 2 == 0 { "even" } else { "odd" }]))
        .collect();
    let mut special = tagged("zebra", "Striped ÄNIMAL 100%_", &["all"]);
    special["metadata"]["scope"] = json!("platform");
    let mut all = resources.clone();
    all.push(special);
    assert_eq!(http.post("/api/v1/apply", &json!({"resources": all})).unwrap().status, 200);

    let mut seen = Vec::new();
    let mut path = "/api/v1/mcpservers?limit=3".to_owned();
    loop {
        let page = http.get(&path).unwrap().json();
        seen.extend(names(&page).into_iter().map(str::to_owned));
        assert_eq!(page["revision"], 1);
        match page["next_cursor"].as_str() {
            Some(cursor) => path = format!("/api/v1/mcpservers?limit=3&cursor={cursor}"),
            None => break,
        }
    }
    assert_eq!(seen, ["s0", "s1", "s2", "s3", "s4", "s5", "s6", "zebra"]);

    for (query, expected) in [
        ("tag=all&tag=even", vec!["s0", "s2", "s4", "s6"]),
        ("tag=even&tag=odd", vec![]),
        ("tag=Even", vec![]),
        ("scope=platform", vec!["zebra"]),
        ("scope=organization", vec![]),
        ("search=%C3%A4nimal", vec!["zebra"]),
        ("search=100%25_", vec!["zebra"]),
        ("search=1%25%25", vec![]),
        ("search=S3", vec!["s3"]),
        ("search=odd&tag=all", vec!["s1", "s3", "s5"]),
    ] {
        let page = http.get(&format!("/api/v1/mcpservers?{query}")).unwrap().json();
        assert_eq!(names(&page), expected, "{query}");
    }
}

#[test]
fn a_resource_is_created_read_changed_and_deleted() {
    let stage = Stage::set();
    let mut http = stage.http();
    let created = http.put("/api/v1/mcpservers/one?scope=platform", &server("one")).unwrap();
    assert_eq!((created.status, created.header("etag")), (201, Some("\"1\"")));
    assert_eq!(created.json()["results"][0]["outcome"], "created");

    let read = http.get("/api/v1/mcpservers/one").unwrap();
    assert_eq!((read.status, read.header("etag")), (200, Some("\"1\"")));
    assert_eq!(read.json()["metadata"]["scope"], "platform");
    assert_eq!(read.json()["status"], json!({"validation_state": "VALIDATION_STATE_VALID"}));

    let mut changed = read.json();
    changed["spec"]["stdio"]["args"] = json!(["x"]);
    let updated = http.put("/api/v1/mcpservers/one?scope=platform", &changed).unwrap().json();
    assert_eq!(updated["results"][0]["outcome"], "updated");
    assert_eq!(updated["results"][0]["changes"], json!([{"path": "spec.stdio.args", "to": ["x"]}]));

    http.put("/api/v1/mcpservers/two?scope=platform", &server("two")).unwrap();
    let same = http.put("/api/v1/mcpservers/one?scope=platform", &changed).unwrap();
    assert_eq!(same.header("etag"), Some("\"2\""), "its own revision, not the store's");
    assert_eq!(
        (same.status, same.json()["revision"].as_i64()),
        (200, Some(3)),
        "no change takes no revision"
    );

    assert_eq!(http.delete("/api/v1/mcpservers/one").unwrap().status, 400, "a scope must be named");
    let deleted = http.delete("/api/v1/mcpservers/one?scope=platform").unwrap();
    assert_eq!((deleted.status, deleted.json()["results"][0]["outcome"].as_str()), (200, Some("deleted")));
    assert_eq!(http.get("/api/v1/mcpservers/one").unwrap().status, 404);
    assert_eq!(http.delete("/api/v1/mcpservers/one?scope=platform").unwrap().status, 404);
}

#[test]
fn a_stale_write_is_a_conflict_that_names_both_revisions() {
    let stage = Stage::set();
    let mut http = stage.http();
    let path = "/api/v1/mcpservers/x?scope=platform";
    http.put(path, &server("x")).unwrap();
    let based_on_first = http.get(path).unwrap().json();
    let mut second = server("x");
    second["spec"]["description"] = json!("second");
    http.put(path, &second).unwrap();

    let mut outdated = based_on_first.clone();
    outdated["spec"]["description"] = json!("outdated");
    let refused = http.put(path, &outdated).unwrap();
    assert_eq!(refused.status, 409);
    let error = refused.json()["error"].as_str().unwrap().to_owned();
    assert!(error.contains("based on revision 1") && error.contains("stored one is revision 2"), "{error}");

    let conditional = |tag: &str| Request::new("PUT", path).header("if-match", tag).json(&server("x"));
    assert_eq!(http.send(&conditional("\"1\"")).unwrap().status, 412);
    assert_eq!(http.send(&conditional("\"2\"")).unwrap().status, 200);
    assert_eq!(http.send(&conditional("2")).unwrap().status, 400);
    let fresh = Request::new("PUT", path).header("if-none-match", "*").json(&second);
    assert_eq!(http.send(&fresh).unwrap().status, 412);
    let delete = Request::new("DELETE", path).header("if-match", "\"1\"");
    assert_eq!(http.send(&delete).unwrap().status, 412);
}

#[test]
fn a_batch_is_applied_whole_or_not_at_all() {
    let stage = Stage::set();
    let mut http = stage.http();
    let mut broken = server("b");
    broken["spec"] = json!({"stdio": {"command": ""}});
    let refused = http.post("/api/v1/apply", &json!({"resources": [server("a"), broken]})).unwrap();
    assert_eq!(refused.status, 400);
    let body = refused.json();
    assert_eq!(body["problems"][0]["document"], 1);
    assert_eq!(body["problems"][0]["path"], "spec.stdio.command");
    assert_eq!(body["problems"][0]["line"], 1);
    assert_eq!(http.get("/api/v1/mcpservers/a").unwrap().status, 404);

    let twice = http.post("/api/v1/apply", &json!([server("a"), server("a")])).unwrap();
    assert_eq!(twice.status, 400);
    assert!(twice.text().contains("declared twice"), "{}", twice.text());

    let dry = http.post("/api/v1/apply?dry_run=true", &json!([server("a")])).unwrap();
    assert_eq!((dry.status, dry.json()["results"][0]["outcome"].as_str()), (200, Some("created")));
    assert_eq!(http.get("/api/v1/mcpservers/a").unwrap().status, 404);
    assert_eq!(stage.revision(), 0);
}

#[test]
fn every_error_has_the_one_shape() {
    let stage = Stage::set();
    let mut http = stage.http();
    let yaml = |text: &str| Request::new("PUT", "/api/v1/mcpservers/x").body("application/yaml", text);
    let requests = [
        (Request::new("GET", "/api/v1/nothing"), 404),
        (Request::new("GET", "/nowhere"), 404),
        (Request::new("GET", "/api/v1/mcpservers/x"), 404),
        (Request::new("GET", "/api/v1/mcpservers/%2e%2e%2fetc"), 400),
        (Request::new("GET", "/api/v1/mcpservers/GitHub"), 400),
        (Request::new("GET", "/api/v1/mcpservers/a%00"), 400),
        (Request::new("GET", "/api/v1/mcpservers/%ff"), 400),
        (Request::new("GET", &format!("/api/v1/mcpservers?search={}", "x".repeat(1001))), 400),
        (Request::new("GET", "/api/v1/mcpservers?tga=x"), 400),
        (Request::new("GET", "/api/v1/mcpservers?limit=0"), 400),
        (Request::new("GET", "/api/v1/mcpservers?limit=501"), 400),
        (Request::new("GET", "/api/v1/mcpservers?cursor=zzz"), 400),
        (Request::new("GET", "/api/v1/mcpservers?scope=planet"), 400),
        (Request::new("GET", "/api/v1/mcpservers?scope=platform&org=acme"), 400),
        (Request::new("GET", "/api/v1/watch?from=-1"), 400),
        (Request::new("GET", "/api/v1/watch?from=99"), 410),
        (Request::new("POST", "/api/v1/mcpservers"), 405),
        (yaml("a: [1"), 400),
        (yaml("a: 1"), 400),
        (yaml(""), 400),
        (Request::new("PUT", "/api/v1/mcpservers/x").body("text/plain", "a"), 415),
        (Request::new("PUT", "/api/v1/mcpservers/x").body("application/json", [0xff, 0xfe]), 400),
        (Request::new("PUT", "/api/v1/mcpservers/y").json(&server("x")), 400),
        (Request::new("PUT", "/api/v1/agents/x").json(&server("x")), 400),
    ];
    for (request, status) in requests {
        let answer = http.send(&request).unwrap();
        assert_eq!(answer.status, status, "{request:?}: {}", answer.text());
        let body = answer.json();
        assert!(body["error"].as_str().is_some_and(|error| !error.is_empty()), "{request:?}: {body}");
        assert!(body["problems"].is_array(), "{request:?}: {body}");
    }
}

#[test]
fn bodies_are_bounded() {
    let stage = Stage::set();
    let mut http = stage.http();
    let filler = "#".repeat(4 * 1024 * 1024 + 1);
    let large = Request::new("PUT", "/api/v1/mcpservers/x").body("application/yaml", filler.as_str());
    assert_eq!(http.send(&large).map_or(413, |answer| answer.status), 413);
    let fits = Request::new("POST", "/api/v1/apply").body("application/yaml", filler);
    assert_eq!(http.send(&fits).unwrap().status, 400, "apply takes more, but this holds no document");
    let huge =
        Request::new("POST", "/api/v1/apply").body("application/yaml", vec![b'#'; 64 * 1024 * 1024 + 1]);
    assert_eq!(http.send(&huge).map_or(413, |answer| answer.status), 413);
}

#[test]
fn one_request_holds_a_bounded_number_of_documents() {
    let stage = Stage::set();
    let many: Vec<_> = (0..20_001).map(|n| server(&format!("s{n}"))).collect();
    let refused = stage.http().post("/api/v1/apply", &json!(many)).unwrap();
    assert_eq!(refused.status, 413, "{}", refused.text());
    let accepted = stage.http().post("/api/v1/apply?dry_run=true", &json!(many[1..])).unwrap();
    assert_eq!(accepted.status, 200);
}

#[test]
fn slow_uploads_do_not_hold_up_small_ones() {
    use std::io::Write;
    let stage = Stage::set();
    let token = stage.daemon.token().unwrap();
    let slow: Vec<_> = (0..4)
        .map(|_| {
            let mut stream = std::net::TcpStream::connect(stage.daemon.address()).unwrap();
            let head = format!("POST /api/v1/apply HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {token}\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n[\r\n", stage.daemon.address());
            stream.write_all(head.as_bytes()).unwrap();
            stream
        })
        .collect();
    let begun = std::time::Instant::now();
    assert_eq!(stage.http().post("/api/v1/apply", &json!([server("a")])).unwrap().status, 200);
    assert!(begun.elapsed().as_secs() < 20);
    drop(slow);
}

#[test]
fn the_openapi_document_in_the_docs_is_the_one_served() {
    let stage = Stage::set();
    let served = stage.http().get("/api/openapi.json").unwrap().json();
    let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/reference/openapi.json");
    let kept: serde_json::Value = serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap();
    assert!(served == kept, "docs/reference/openapi.json is not what the daemon serves; run `make docs`");
    assert_eq!(served["openapi"], "3.1.0");
}

#[test]
fn health_readiness_and_metrics_answer() {
    let stage = Stage::set();
    let mut stranger = testkit::Http::tcp(stage.daemon.address());
    assert_eq!(stranger.get("/healthz").unwrap().json(), json!({"status": "ok"}));
    assert_eq!(stranger.get("/readyz").unwrap().json(), json!({"status": "ok"}));
    assert_eq!(stranger.get("/metrics").unwrap().status, 401);
    let metrics = stage.http().get("/metrics").unwrap().text();
    assert!(
        metrics.contains("outfitter_http_requests_total{route=\"/healthz\",method=\"GET\",status=\"200\"} 1"),
        "{metrics}"
    );
}
