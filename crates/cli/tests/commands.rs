//! Whole commands: without a daemon, and against a scripted one on a Unix socket.

#![expect(clippy::unwrap_used, reason = "a test fails where it unwraps")]

use std::ffi::OsString;
use std::fs;
use std::io::{Read, Write};
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::{Arc, Mutex};

use cli::{Output, Parsed, Surroundings};
use tempfile::TempDir;

#[path = "commands/alone.rs"]
mod alone;
#[path = "commands/answered.rs"]
mod answered;
#[path = "commands/deleting.rs"]
mod deleting;
#[path = "commands/fga.rs"]
mod fga;
#[path = "commands/others.rs"]
mod others;
#[path = "commands/people.rs"]
mod people;
#[path = "commands/previews.rs"]
mod previews;
#[path = "commands/scopes.rs"]
mod scopes;

/// What a command left behind.
#[derive(Debug)]
struct Done {
    code: u8,
    out: String,
    err: String,
}

#[derive(Clone, Default)]
struct Kept(Arc<Mutex<Vec<u8>>>);

impl Write for Kept {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap().extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

impl Kept {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

fn surroundings(home: &Path) -> Surroundings {
    Surroundings {
        home: Some(home.to_owned()),
        current_dir: home.to_owned(),
        executable: "/usr/bin/outfitter".into(),
        ..Surroundings::default()
    }
}

fn typed(home: &Path, args: &[&str]) -> Done {
    typed_in(&surroundings(home), args)
}

fn typed_in(surroundings: &Surroundings, args: &[&str]) -> Done {
    let words = std::iter::once("outfitter").chain(args.iter().copied()).map(OsString::from);
    let Parsed::Client(command) = cli::parse(words).unwrap() else {
        panic!("not a client command: {args:?}")
    };
    let (out, err) = (Kept::default(), Kept::default());
    let mut output = Output::to(Box::new(out.clone()), Box::new(err.clone()));
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let code = runtime.block_on(cli::run_to(command, surroundings, &mut output));
    Done { code, out: out.text(), err: err.text() }
}

/// A daemon on the default socket that gives these answers in turn, and keeps what it was asked.
fn daemon(home: &Path, answers: &[(u16, &str)]) -> Arc<Mutex<Vec<String>>> {
    let directory = home.join(".local/share/outfitter");
    fs::create_dir_all(&directory).unwrap();
    let listener = UnixListener::bind(directory.join("outfitter.sock")).unwrap();
    answer(move || listener.accept().unwrap().0, answers)
}

fn answer<S: Read + Write>(
    accept: impl Fn() -> S + Send + 'static,
    answers: &[(u16, &str)],
) -> Arc<Mutex<Vec<String>>> {
    let answers: Vec<(u16, String)> =
        answers.iter().map(|(code, body)| (*code, (*body).to_owned())).collect();
    let asked = Arc::new(Mutex::new(Vec::new()));
    let kept = Arc::clone(&asked);
    std::thread::spawn(move || {
        for (code, body) in answers {
            let mut stream = accept();
            kept.lock().unwrap().push(read_request(&mut stream));
            let length = body.len();
            let head = format!("HTTP/1.1 {code} X\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n");
            stream.write_all((head + &body).as_bytes()).unwrap();
        }
    });
    asked
}

fn read_request(stream: &mut impl Read) -> String {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head
                .lines()
                .find_map(|line| line.to_ascii_lowercase().strip_prefix("content-length: ")?.parse().ok())
                .unwrap_or(0usize);
            if body.len() >= length {
                return text;
            }
        }
        let read = stream.read(&mut piece).unwrap();
        assert!(read > 0, "the request broke off");
        bytes.extend_from_slice(&piece[..read]);
    }
}

const GITHUB: &str = "apiVersion: agentic.stigmer.ai/v1\nkind: McpServer\nmetadata:\n  name: github\nspec:\n  stdio:\n    command: npx\n";

fn home_with(files: &[(&str, &str)]) -> TempDir {
    let home = tempfile::tempdir().unwrap();
    for (name, text) in files {
        let path = home.path().join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }
    home
}

/// A daemon's answer to one document.
fn result(outcome: &str) -> String {
    format!(
        r#"{{"revision":1,"results":[{{"kind":"McpServer","name":"github","scope":"identity_account","outcome":"{outcome}","changes":[{{"path":"spec.stdio.command","from":"a","to":"npx"}}],"warnings":[]}}]}}"#
    )
}
