//! Signing in with JWTs of an issuer: whom they name, what is refused, and what refuses to start.

#[path = "oidc/issuer.rs"]
mod issuer;

use std::net::TcpListener;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use testkit::http::Request;
use testkit::{Daemon, Http, Outfitter};

use crate::routes::people::{People, Who};
use crate::stage::{BINARY, Stage, server};
use issuer::{AUDIENCE, Issuer, Key, message, now, symmetric};

const TOOLS: &str = "/api/v1/mcpservers/tools?scope=organization&org=acme";

fn daemon(issuer: &Issuer) -> Stage {
    let builder = Daemon::builder().arg("--oidc-issuer").arg(&issuer.url);
    Stage::with(builder.arg("--oidc-audience").arg(AUDIENCE))
}

fn bearer(stage: &Stage, token: &str) -> Http {
    Http::tcp(stage.daemon.address()).bearer(token)
}

fn status(stage: &Stage, token: &str) -> u16 {
    bearer(stage, token).get("/api/v1/whoami").unwrap().status
}

/// The account that a token signs in as.
fn account(stage: &Stage, token: &str) -> String {
    let answer = bearer(stage, token).get("/api/v1/whoami").unwrap();
    assert_eq!(answer.status, 200, "{}", answer.text());
    assert_eq!(answer.json()["via"], "oidc");
    answer.json()["account"].as_str().unwrap().to_owned()
}

#[test]
fn a_jwt_signs_in_as_the_account_of_its_subject() {
    let key = Key::curve("a");
    let issuer = Issuer::start(&[&key]);
    let mut people = People::at(daemon(&issuer));
    for (subject, tools, diary) in [("mel", 200, 404), ("ada", 200, 200), ("newcomer", 404, 404)] {
        let token = key.token(&issuer.claims(subject));
        assert_eq!(account(&people.stage, &token), subject);
        let mut http = bearer(&people.stage, &token);
        let whoami = http.get("/api/v1/whoami").unwrap().json();
        assert_eq!((&whoami["operator"], &whoami["read_only"]), (&json!(false), &json!(false)));
        assert_eq!(http.get(TOOLS).unwrap().status, tools, "{subject}");
        assert_eq!(http.get("/api/v1/mcpservers/diary?owner=ada").unwrap().status, diary, "{subject}");
        assert_eq!(http.get("/metrics").unwrap().status, 403, "{subject}");
    }
    people.join("acme", "newcomer", "admin");
    let mut newcomer = bearer(&people.stage, &key.token(&issuer.claims("newcomer")));
    assert_eq!(newcomer.put(TOOLS, &server("tools")).unwrap().status, 200);
    let listed = newcomer.get("/api/v1/mcpservers").unwrap().text();
    assert!(listed.contains("tools") && !listed.contains("diary") && !listed.contains("gadgets"), "{listed}");
    people.leave("acme", "newcomer");
    assert_eq!(newcomer.get(TOOLS).unwrap().status, 404);
    assert_eq!(people.http(Who::Mel).get("/api/v1/whoami").unwrap().status, 200, "our tokens work beside");
    assert_eq!(people.http(Who::Revoked).get("/api/v1/whoami").unwrap().status, 401);
}

fn with(mut claims: Value, name: &str, value: &Value) -> Value {
    claims.as_object_mut().unwrap().remove(name);
    if !value.is_null() {
        claims[name] = value.clone();
    }
    claims
}

#[test]
fn claims_that_are_not_for_us_or_do_not_hold_now_are_refused() {
    let key = Key::curve("a");
    let issuer = Issuer::start(&[&key]);
    let stage = daemon(&issuer);
    let good = issuer.claims("mel");
    assert_eq!(status(&stage, &key.token(&good)), 200);
    assert_eq!(status(&stage, &key.token(&with(good.clone(), "aud", &json!(["x", AUDIENCE])))), 200);
    for (name, value) in [
        ("aud", json!("another-service")),
        ("aud", json!(["another-service"])),
        ("aud", json!([])),
        ("aud", json!("")),
        ("aud", Value::Null),
        ("exp", json!(now() - 120)),
        ("exp", json!(0)),
        ("exp", json!("never")),
        ("exp", Value::Null),
        ("nbf", json!(now() + 3600)),
        ("iat", json!(now() + 3600)),
        ("iss", json!("https://issuer.example")),
        ("iss", json!(format!("{}/", issuer.url))),
        ("iss", Value::Null),
        ("sub", Value::Null),
        ("sub", json!("")),
        ("sub", json!("not an account")),
        ("sub", json!(["mel"])),
    ] {
        let token = key.token(&with(good.clone(), name, &value));
        let answer = bearer(&stage, &token).get("/api/v1/whoami").unwrap();
        assert_eq!(answer.status, 401, "{name}: {value}: {}", answer.text());
    }
}

#[test]
fn a_token_that_the_issuer_did_not_sign_is_refused_whatever_its_header_says() {
    use rsa::pkcs1::EncodeRsaPublicKey as _;
    use rsa::pkcs8::{EncodePublicKey as _, LineEnding};
    let private = rsa::RsaPrivateKey::new(&mut rsa::rand_core::OsRng, 2048).unwrap();
    let public = private.to_public_key();
    let (key, forger) = (Key::rsa("a", &private), Key::curve("a"));
    let issuer = Issuer::start(&[&key]);
    let elsewhere = TcpListener::bind("127.0.0.1:0").unwrap();
    elsewhere.set_nonblocking(true).unwrap();
    let trap = format!("http://{}/keys", elsewhere.local_addr().unwrap());
    let stage = daemon(&issuer);
    let claims = issuer.claims("mel");
    let good = key.token(&claims);
    assert_eq!(status(&stage, &good), 200);

    let mut refused = vec![
        ("another key under the same id", forger.token(&claims)),
        ("no signature", good.rsplit_once('.').unwrap().0.to_owned() + "."),
        ("two parts", good.rsplit_once('.').unwrap().0.to_owned()),
    ];
    for none in ["none", "None", "NONE", ""] {
        let unsigned = message(&json!({"alg": none, "typ": "JWT", "kid": "a"}), &claims);
        refused.push(("no algorithm", format!("{unsigned}.")));
        refused.push((
            "no algorithm, some signature",
            format!("{unsigned}.{}", good.rsplit('.').next().unwrap()),
        ));
    }
    for secret in [
        public.to_public_key_pem(LineEnding::LF).unwrap().into_bytes(),
        public.to_public_key_der().unwrap().as_bytes().to_vec(),
        public.to_pkcs1_pem(LineEnding::LF).unwrap().into_bytes(),
        public.to_pkcs1_der().unwrap().as_bytes().to_vec(),
    ] {
        refused.push(("HS256 with the public key", symmetric("a", &claims, &secret)));
    }
    for id in ["../../../../etc/passwd", "/dev/null", "a/../a", "a\u{0}", "file:///dev/null", "a' OR '1'='1"]
    {
        refused.push(("a key id that is a path", key.token_with(&json!({"kid": id}), &claims)));
        refused.push(("HS256 with an empty file", symmetric(id, &claims, b"")));
    }
    for field in ["jku", "x5u"] {
        refused.push(("keys from elsewhere", forger.token_with(&json!({field: trap}), &claims)));
        refused.push(("keys from elsewhere, signed", key.token_with(&json!({field: trap}), &claims)));
    }
    let mut stolen = good.split('.').map(str::to_owned).collect::<Vec<_>>();
    stolen[1] = message(&json!({}), &issuer.claims("ada")).split('.').nth(1).unwrap().to_owned();
    refused.push(("other claims under the signature", stolen.join(".")));
    for (why, token) in &refused {
        assert_eq!(status(&stage, token), 401, "{why}: {token}");
    }
    assert_eq!(
        elsewhere.accept().unwrap_err().kind(),
        std::io::ErrorKind::WouldBlock,
        "nobody asked where the token said"
    );
    assert_eq!(status(&stage, &good), 200, "and the good one still works");
}

#[test]
fn two_claims_at_once_are_refused() {
    let key = Key::curve("a");
    let issuer = Issuer::start(&[&key]);
    let stage = daemon(&issuer);
    let request = Request::new("GET", "/api/v1/whoami")
        .header("authorization", &format!("Bearer {}", key.token(&issuer.claims("mel"))))
        .header("authorization", &format!("Bearer {}", stage.daemon.token().unwrap()));
    assert_eq!(Http::tcp(stage.daemon.address()).send(&request).unwrap().status, 401);
}

#[test]
fn the_local_operators_account_is_not_the_issuers_to_name_unless_linked() {
    let key = Key::curve("a");
    let issuer = Issuer::start(&[&key]);
    let stage = daemon(&issuer);
    let mut operator = stage.http();
    let name = operator.get("/api/v1/whoami").unwrap().json()["account"].as_str().unwrap().to_owned();
    let token = key.token(&issuer.claims(&name));
    assert_eq!(status(&stage, &token), 401);
    let recorded = || stage.http().get("/api/v1/denials").unwrap().text().contains("\"sign_in\"");
    let begun = Instant::now();
    while !recorded() {
        assert!(begun.elapsed() < Duration::from_secs(5), "the refusal is on record");
        std::thread::sleep(Duration::from_millis(20));
    }
    let link = json!({"name": "namesake", "oidc_subject": name});
    let linked = operator.post("/api/v1/users", &link).unwrap();
    assert_eq!(linked.status, 201, "{}", linked.text());
    assert_eq!(account(&stage, &token), "namesake", "someone else, whom the operator linked");
    assert_eq!(bearer(&stage, &token).get("/metrics").unwrap().status, 403);
}

#[test]
fn an_account_is_linked_to_what_the_issuer_calls_it() {
    let key = Key::curve("a");
    let issuer = Issuer::start(&[&key]);
    let mut people = People::at(daemon(&issuer));
    let subject = "auth0|5f7c8ec7c33c6c004bbafe82";
    let token = key.token(&issuer.claims(subject));
    assert_eq!(status(&people.stage, &token), 401, "no account can be called so");
    let made = people.operate("POST", "/api/v1/users", &json!({"name": "neo", "oidc_subject": subject}));
    assert_eq!((&made["name"], &made["oidc_subject"]), (&json!("neo"), &json!(subject)));
    assert_eq!(account(&people.stage, &token), "neo");
    people.join("acme", "neo", "member");
    assert_eq!(bearer(&people.stage, &token).get(TOOLS).unwrap().status, 200);
    let namesake = key.token(&issuer.claims("neo"));
    assert_eq!(status(&people.stage, &namesake), 401, "the name alone is no longer enough");
    let twice = json!({"name": "trinity", "oidc_subject": subject});
    assert_eq!(people.ask(Who::Operator, "POST", "/api/v1/users", &twice).status, 409);
    let own = json!({"name": "mallory", "oidc_subject": "x"});
    assert_eq!(people.ask(Who::Ada, "POST", "/api/v1/users", &own).status, 403);
    people.stage.daemon.restart().unwrap();
    assert_eq!(account(&people.stage, &token), "neo", "after a restart too");
}

#[test]
fn new_keys_of_the_issuer_need_no_restart_and_old_ones_end() {
    let (old, new) = (Key::curve("old"), Key::curve("new"));
    let issuer = Issuer::start(&[&old]);
    let stage = daemon(&issuer);
    let (before, after) = (old.token(&issuer.claims("mel")), new.token(&issuer.claims("mel")));
    assert_eq!(status(&stage, &before), 200);
    issuer.publish(&[&new]);
    assert_eq!(status(&stage, &after), 200);
    assert_eq!(status(&stage, &before), 401, "its key is no longer published");
}

#[test]
fn an_issuer_that_is_down_stops_nobody_else() {
    let key = Key::curve("a");
    let gone = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let mut issuer = Issuer::start(&[&key]);
    issuer.url = format!("http://{gone}");
    let stage = daemon(&issuer);
    assert_eq!(status(&stage, &key.token(&issuer.claims("mel"))), 401);
    assert_eq!(stage.http().get("/api/v1/whoami").unwrap().status, 200);
}

#[test]
fn an_open_stream_ends_with_its_jwt() {
    let key = Key::curve("a");
    let issuer = Issuer::start(&[&key]);
    let stage = daemon(&issuer);
    let lasting = key.token(&issuer.claims("gil"));
    let expiry = now() + 2;
    let brief = key.token(&with(issuer.claims("mel"), "exp", &json!(expiry)));
    let watch = Request::new("GET", "/api/v1/watch");
    let mut other = bearer(&stage, &lasting).events(&watch).unwrap();
    let mut stream = bearer(&stage, &brief).events(&watch).unwrap();
    let event = stream.next(Duration::from_secs(5)).unwrap().expect("the stream tells why it ends");
    assert_eq!(event.name, "reset");
    assert!(event.data.contains("expired"), "{}", event.data);
    assert!((expiry..=expiry + 1).contains(&now()), "at its end: {} {expiry}", now());
    let closed = Instant::now();
    assert_eq!(stream.next(Duration::from_secs(5)).unwrap(), None);
    assert!(closed.elapsed() < Duration::from_secs(1));
    stage.http().put("/api/v1/mcpservers/x?scope=platform", &server("x")).unwrap();
    assert_eq!(other.next(Duration::from_secs(5)).unwrap().unwrap().name, "put", "another's goes on");
}

#[test]
fn an_issuer_that_cannot_be_trusted_refuses_to_start() {
    let local = "http://127.0.0.1:9";
    for (options, why) in [
        (vec!["--oidc-issuer", local], "--oidc-audience"),
        (vec!["--oidc-issuer", local, "--oidc-audience", ""], "--oidc-audience"),
        (vec!["--oidc-issuer", local, "--oidc-audience", " "], "--oidc-audience"),
        (vec!["--oidc-issuer", "http://issuer.example", "--oidc-audience", "us"], "https://"),
        (vec!["--oidc-issuer", "http://10.0.0.1", "--oidc-audience", "us"], "https://"),
        (vec!["--oidc-issuer", "http://localhost.evil.example", "--oidc-audience", "us"], "https://"),
        (vec!["--oidc-issuer", "nowhere", "--oidc-audience", "us"], "--oidc-issuer"),
        (vec!["--oidc-audience", "us"], "--oidc-issuer"),
    ] {
        let person = Outfitter::with_binary(BINARY).unwrap();
        let data = person.home().join("data");
        let mut args = vec!["serve", "--listen", "127.0.0.1:0", "--data-dir", data.to_str().unwrap()];
        args.extend(&options);
        let run = person.invocation(&args).patience(Duration::from_secs(10)).run();
        let output = run.unwrap_or_else(|error| panic!("{options:?} starts: {error}"));
        assert_eq!(output.code, Some(1), "{options:?}: {}", output.stderr);
        assert!(output.stderr.contains(why), "{options:?}: {}", output.stderr);
        assert_eq!(output.stdout, "", "{options:?}");
        assert!(!data.join("outfitter.db").exists(), "{options:?}: nothing was made");
    }
}
