//! Who gets in: tokens, the socket, Host and Origin, TLS, and what refuses to start.

use std::os::unix::fs::PermissionsExt;
use std::time::Duration;

use testkit::Http;
use testkit::http::Request;
use testkit::{Daemon, Outfitter};

use crate::stage::{BINARY, Stage};

const OPEN: [&str; 3] = ["/healthz", "/readyz", "/api/openapi.json"];

#[test]
fn every_described_route_but_the_open_ones_needs_a_token() {
    let stage = Stage::set();
    let mut stranger = Http::tcp(stage.daemon.address());
    let document = stage.http().get("/api/openapi.json").unwrap().json();
    let mut asked = 0;
    for (path, item) in document["paths"].as_object().unwrap() {
        for method in item.as_object().unwrap().keys() {
            let concrete = path.replace("{collection}", "mcpservers").replace("{name}", "x");
            for token in [None, Some("oft_wrong"), Some("")] {
                let mut request = Request::new(&method.to_uppercase(), &concrete);
                if let Some(token) = token {
                    request = request.header("authorization", &format!("Bearer {token}"));
                }
                let status = stranger.send(&request).unwrap().status;
                let open = OPEN.contains(&path.as_str()) && token.is_none();
                assert_eq!(status, if open { 200 } else { 401 }, "{method} {path} with {token:?}");
                asked += 1;
            }
        }
    }
    assert!(asked >= 30, "{asked}");
}

#[test]
fn a_page_of_another_site_gets_nothing() {
    let stage = Stage::set();
    let mut http = stage.http();
    let port = stage.daemon.address().port();
    for path in ["/api/v1/mcpservers", "/healthz", "/metrics", "/api/openapi.json", "/nowhere"] {
        for host in ["evil.com", "localhost.evil.com", "127.0.0.1.nip.io", "localhost"] {
            let request = Request::new("GET", path).header("host", host);
            assert_eq!(http.send(&request).unwrap().status, 421, "{path} {host}");
        }
        for origin in ["http://evil.com", "null", "http://localhost", "http://localhost.evil.com"] {
            let request = Request::new("GET", path).header("origin", origin);
            assert_eq!(http.send(&request).unwrap().status, 403, "{path} {origin}");
        }
    }
    let own = Request::new("GET", "/api/v1/mcpservers").header("origin", &format!("http://localhost:{port}"));
    assert_eq!(http.send(&own).unwrap().status, 200);
}

#[test]
fn the_socket_proves_the_user_and_is_private() {
    let stage = Stage::set();
    let mode = std::fs::metadata(stage.daemon.socket()).unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600);
    let answer = Http::unix(stage.daemon.socket()).get("/api/v1/whoami").unwrap();
    assert_eq!((answer.status, answer.json()["operator"].as_bool()), (200, Some(true)));
    for name in ["operator.token", "master.key", "outfitter.db", "lock"] {
        let mode = std::fs::metadata(stage.daemon.data_dir().join(name)).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600, "{name}");
    }
    let directory = std::fs::metadata(stage.daemon.data_dir()).unwrap().permissions().mode();
    assert_eq!(directory & 0o777, 0o700);
}

#[test]
fn on_a_shared_socket_each_local_user_is_their_own_account() {
    use std::os::unix::process::CommandExt;
    if !rustix::process::geteuid().is_root() {
        testkit::skip(
            "on_a_shared_socket_each_local_user_is_their_own_account",
            "becoming another user needs root",
        );
        return;
    }
    let place = tempfile::tempdir().unwrap();
    std::fs::set_permissions(place.path(), std::fs::Permissions::from_mode(0o755)).unwrap();
    let (socket, program) = (place.path().join("shared.sock"), place.path().join("outfitter"));
    std::fs::copy(BINARY, &program).unwrap();
    let builder = Daemon::builder().arg("--socket").arg(&socket).arg("--shared-socket");
    let _stage = Stage::with(builder);
    let ask = |uid: u32, args: &[&str]| {
        let mut command = std::process::Command::new(&program);
        command.args(args).env_clear().env("HOME", place.path()).env("OUTFITTER_SOCKET", &socket);
        let output = command.uid(uid).gid(uid).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stdout).into_owned())
    };
    // The user of this number is called so on every Debian machine.
    let (code, told) = ask(65534, &["whoami"]);
    assert!(code == Some(0) && told.contains("nobody") && told.contains("Operator: no"), "{code:?} {told}");
    assert_ne!(ask(65534, &["backup", "-"]).0, Some(0));
}

#[test]
fn a_token_others_can_read_or_that_is_too_simple_refuses_to_start() {
    for (text, mode, why) in [
        ("oft_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\n", 0o644, "can be read by others"),
        ("changeme\n", 0o600, "does not hold a token"),
        ("", 0o600, "does not hold a token"),
    ] {
        let mut daemon =
            Daemon::builder().binary(BINARY).patience(Duration::from_secs(10)).prepare().unwrap();
        let path = daemon.data_dir().join("operator.token");
        std::fs::write(&path, text).unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).unwrap();
        let error = daemon.restart().unwrap_err().to_string();
        assert!(error.contains(why), "{error}");
    }
}

#[test]
fn beyond_loopback_it_starts_only_with_tls_or_an_explicit_word() {
    let person = Outfitter::with_binary(BINARY).unwrap();
    let data = person.home().join("data");
    let refused =
        person.run(["serve", "--data-dir", data.to_str().unwrap(), "--listen", "0.0.0.0:0"]).unwrap();
    assert_eq!(refused.code, Some(1));
    assert!(refused.stderr.contains("--behind-tls-proxy"), "{}", refused.stderr);
    assert_eq!(refused.stdout, "");
    assert!(!data.join("outfitter.db").exists(), "nothing was made");

    let stage = Stage::with(Daemon::builder().arg("--behind-tls-proxy").listen("0.0.0.0:0"));
    let mut http = Http::tcp(format!("127.0.0.1:{}", stage.daemon.address().port()).parse().unwrap());
    assert_eq!(http.get("/healthz").unwrap().status, 200);
}

#[test]
fn tls_is_served_and_the_command_line_checks_the_certificate() {
    let home = tempfile::tempdir().unwrap();
    let certified =
        rcgen::generate_simple_self_signed(vec!["localhost".to_owned(), "127.0.0.1".to_owned()]).unwrap();
    let (certificate, key) = (home.path().join("cert.pem"), home.path().join("key.pem"));
    std::fs::write(&certificate, certified.cert.pem()).unwrap();
    std::fs::write(&key, certified.signing_key.serialize_pem()).unwrap();
    let stage = Stage::with(Daemon::builder().arg("--tls-cert").arg(&certificate).arg("--tls-key").arg(&key));
    let url = format!("https://localhost:{}", stage.daemon.address().port());
    let token = stage.daemon.token().unwrap();
    let ask = |args: &[&str]| stage.person.invocation(args).env("OUTFITTER_TOKEN", &token).run().unwrap();
    let trusted = ask(&["whoami", "--server", &url, "--ca-cert", certificate.to_str().unwrap()]);
    assert_eq!(trusted.code, Some(0), "{}", trusted.stderr);
    let untrusted = ask(&["whoami", "--server", &url]);
    assert_eq!(untrusted.code, Some(6), "{}", untrusted.stderr);
}

#[test]
fn a_taken_port_is_named_once_with_what_to_do() {
    let stage = Stage::set();
    let person = Outfitter::with_binary(BINARY).unwrap();
    let taken = stage.daemon.address().to_string();
    let data = person.home().join("data");
    let output = person.run(["serve", "--listen", &taken, "--data-dir", data.to_str().unwrap()]).unwrap();
    assert_eq!(output.code, Some(1));
    assert!(output.stderr.contains("choose another with --listen"), "{}", output.stderr);
    assert_eq!(output.stderr.matches("in use").count(), 1, "{}", output.stderr);
}

#[test]
fn a_second_daemon_on_the_same_data_refuses_with_a_clear_message() {
    let stage = Stage::set();
    let data = stage.daemon.data_dir();
    let second =
        stage.person.run(["serve", "--data-dir", data.to_str().unwrap(), "--listen", "127.0.0.1:0"]).unwrap();
    assert_eq!(second.code, Some(1));
    assert!(second.stderr.contains("another outfitter is running on"), "{}", second.stderr);
    assert_eq!(stage.http().get("/readyz").unwrap().status, 200, "the first one goes on");
}

#[test]
fn sigterm_ends_it_soon_even_with_open_streams_and_slow_clients() {
    let mut stage = Stage::set();
    let http = stage.http();
    let mut stream = http.events(&Request::new("GET", "/api/v1/watch?from=0")).unwrap();
    let _slow = std::net::TcpStream::connect(stage.daemon.address()).unwrap();
    let (status, took) = stage.daemon.terminate().unwrap();
    assert!(status.success());
    assert!(took < Duration::from_secs(6), "{took:?}");
    assert!(!matches!(stream.next(Duration::from_secs(5)), Ok(Some(_))), "the stream ended");
    assert!(!stage.daemon.socket().exists(), "the socket file is gone");
}

#[test]
fn every_asked_for_end_is_a_success() {
    let mut stage = Stage::set();
    for turn in 0..20 {
        let (status, _) = stage.daemon.terminate().unwrap();
        assert!(status.success(), "stop {turn}: {status}: {}", stage.daemon.stderr());
        stage.daemon.restart().unwrap();
    }
}

#[test]
fn only_the_listening_line_goes_to_standard_output() {
    use std::io::{BufRead, BufReader, Read};
    let home = tempfile::tempdir().unwrap();
    let mut child = std::process::Command::new(BINARY)
        .args(["serve", "--listen", "127.0.0.1:0", "--data-dir"])
        .arg(home.path().join("data"))
        .env_clear()
        .stdout(std::process::Stdio::piped())
        .stderr(std::process::Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdout = BufReader::new(child.stdout.take().unwrap());
    let mut line = String::new();
    stdout.read_line(&mut line).unwrap();
    assert!(line.starts_with("listening on http://127.0.0.1:"), "{line}");
    let pid = rustix::process::Pid::from_child(&child);
    rustix::process::kill_process(pid, rustix::process::Signal::TERM).unwrap();
    assert!(child.wait().unwrap().success());
    let mut rest = String::new();
    stdout.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "");
}

#[test]
fn a_socket_at_which_another_daemon_answers_is_not_taken_over() {
    let first = Stage::set();
    let socket = first.daemon.socket();
    let mut second = Daemon::builder().binary(BINARY).arg("--socket").arg(&socket).prepare().unwrap();
    let error = second.restart().unwrap_err().to_string();
    assert!(error.contains("another daemon answers at the socket"), "{error}");
    assert_eq!(Http::unix(socket).get("/readyz").unwrap().status, 200);
}

#[test]
fn a_data_directory_that_others_can_enter_is_refused_and_left_as_it_is() {
    let person = Outfitter::with_binary(BINARY).unwrap();
    let shared = person.home().join("shared");
    std::fs::create_dir(&shared).unwrap();
    std::fs::set_permissions(&shared, std::fs::Permissions::from_mode(0o1777)).unwrap();
    for verb in ["serve", "doctor"] {
        let output = person.run([verb, "--data-dir", shared.to_str().unwrap()]).unwrap();
        assert_eq!(output.code, Some(1), "{verb}");
        assert!(output.stderr.contains("chmod 700"), "{}", output.stderr);
    }
    assert_eq!(std::fs::metadata(&shared).unwrap().permissions().mode() & 0o7777, 0o1777);
    assert_eq!(std::fs::read_dir(&shared).unwrap().count(), 0);
}

#[test]
fn silent_connections_are_cut_off_and_the_socket_has_slots_of_its_own() {
    use std::io::Read;
    let stage = Stage::set();
    let mut silent: Vec<_> =
        (0..4200).map_while(|_| std::net::TcpStream::connect(stage.daemon.address()).ok()).collect();
    assert_eq!(
        Http::unix(stage.daemon.socket()).get("/readyz").unwrap().status,
        200,
        "the local user gets in"
    );
    let begun = std::time::Instant::now();
    let first = &mut silent[0];
    first.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    assert_eq!(first.read(&mut [0; 64]).unwrap_or(0), 0, "nothing was asked, nothing is answered");
    assert!(begun.elapsed() < Duration::from_secs(28), "{:?}", begun.elapsed());
    assert_eq!(
        Http::tcp(stage.daemon.address()).get("/healthz").unwrap().status,
        200,
        "strangers get in again"
    );
}

#[test]
fn a_slow_head_is_cut_off() {
    use std::io::{Read, Write};
    let stage = Stage::set();
    let mut slow = std::net::TcpStream::connect(stage.daemon.address()).unwrap();
    slow.write_all(b"GET /healthz HTTP/1.1\r\nHost: ").unwrap();
    slow.set_read_timeout(Some(Duration::from_secs(20))).unwrap();
    let begun = std::time::Instant::now();
    let mut answer = Vec::new();
    let _ = slow.read_to_end(&mut answer);
    let took = begun.elapsed();
    assert!(took > Duration::from_secs(8) && took < Duration::from_secs(30), "{took:?}");
}
