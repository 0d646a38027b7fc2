//! An issuer on a loopback port that counts what it is asked and answers as it is told.

use std::convert::Infallible;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;
use http::{Request, Response, header};
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::{CancellationToken, DropGuard};

use super::signer::Signer;

const DOCUMENT_PATH: &str = "/.well-known/openid-configuration";
const KEYS_PATH: &str = "/keys?set=1";

/// How a path answers.
#[derive(Clone)]
pub(super) struct Answer {
    status: u16,
    location: Option<String>,
    body: Vec<u8>,
}

impl Answer {
    pub(super) fn body(body: impl Into<Vec<u8>>) -> Self {
        Self { status: 200, location: None, body: body.into() }
    }

    pub(super) fn json(value: &Value) -> Self {
        Self::body(value.to_string())
    }

    pub(super) fn keys(signers: &[&Signer]) -> Self {
        let keys: Vec<&Value> = signers.iter().map(|signer| &signer.jwk).collect();
        Self::json(&json!({ "keys": keys }))
    }

    pub(super) fn status(status: u16) -> Self {
        Self::body("").with_status(status)
    }

    pub(super) fn with_status(self, status: u16) -> Self {
        Self { status, ..self }
    }

    pub(super) fn redirected(self, status: u16, to: String) -> Self {
        Self { status, location: Some(to), ..self }
    }
}

struct Script {
    document: Mutex<Answer>,
    keys: Mutex<Answer>,
    connections: AtomicUsize,
    document_requests: AtomicUsize,
    key_requests: AtomicUsize,
}

/// Stops answering when dropped.
pub(super) struct Issuer {
    pub(super) url: String,
    pub(super) roots: Vec<CertificateDer<'static>>,
    script: Arc<Script>,
    _stop: DropGuard,
}

impl Issuer {
    pub(super) async fn start(signers: &[&Signer]) -> Self {
        Self::listen(signers, None).await
    }

    pub(super) async fn start_with_tls(signers: &[&Signer]) -> Self {
        let certified = rcgen::generate_simple_self_signed(vec!["127.0.0.1".to_owned()]).unwrap();
        let certificate = certified.cert.der().clone();
        let key = PrivateKeyDer::try_from(certified.signing_key.serialize_der()).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let config = rustls::ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(vec![certificate.clone()], key)
            .unwrap();
        let mut issuer = Self::listen(signers, Some(TlsAcceptor::from(Arc::new(config)))).await;
        issuer.roots.push(certificate);
        issuer
    }

    async fn listen(signers: &[&Signer], tls: Option<TlsAcceptor>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let scheme = if tls.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{}", listener.local_addr().unwrap());
        let script = Arc::new(Script {
            document: Mutex::new(Answer::json(
                &json!({ "issuer": url, "jwks_uri": format!("{url}{KEYS_PATH}") }),
            )),
            keys: Mutex::new(Answer::keys(signers)),
            connections: AtomicUsize::new(0),
            document_requests: AtomicUsize::new(0),
            key_requests: AtomicUsize::new(0),
        });
        let stop = CancellationToken::new();
        let serving = serve(listener, tls, Arc::clone(&script));
        tokio::spawn(stop.clone().run_until_cancelled_owned(serving));
        Self { url, roots: Vec::new(), script, _stop: stop.drop_guard() }
    }

    pub(super) fn answer_document(&self, answer: Answer) {
        *self.script.document.lock().unwrap() = answer;
    }

    pub(super) fn answer_keys(&self, answer: Answer) {
        *self.script.keys.lock().unwrap() = answer;
    }

    pub(super) fn connections(&self) -> usize {
        self.script.connections.load(Ordering::SeqCst)
    }

    pub(super) fn document_requests(&self) -> usize {
        self.script.document_requests.load(Ordering::SeqCst)
    }

    pub(super) fn key_requests(&self) -> usize {
        self.script.key_requests.load(Ordering::SeqCst)
    }
}

async fn serve(listener: TcpListener, tls: Option<TlsAcceptor>, script: Arc<Script>) {
    while let Ok((stream, _)) = listener.accept().await {
        script.connections.fetch_add(1, Ordering::SeqCst);
        let (tls, script) = (tls.clone(), Arc::clone(&script));
        tokio::spawn(async move {
            match tls {
                None => converse(stream, script).await,
                Some(tls) => {
                    if let Ok(stream) = tls.accept(stream).await {
                        converse(stream, script).await;
                    }
                }
            }
        });
    }
}

async fn converse(stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static, script: Arc<Script>) {
    let service =
        service_fn(move |request| std::future::ready(Ok::<_, Infallible>(answer(&request, &script))));
    // A client that gives up is part of the tests.
    let _ = http1::Builder::new().serve_connection(TokioIo::new(stream), service).await;
}

fn answer(request: &Request<Incoming>, script: &Script) -> Response<Full<Bytes>> {
    assert!(request.headers().contains_key(header::HOST));
    let answer = match request.uri().to_string().as_str() {
        DOCUMENT_PATH => {
            script.document_requests.fetch_add(1, Ordering::SeqCst);
            script.document.lock().unwrap().clone()
        }
        KEYS_PATH => {
            script.key_requests.fetch_add(1, Ordering::SeqCst);
            script.keys.lock().unwrap().clone()
        }
        _ => Answer::status(404),
    };
    let mut response = Response::builder().status(answer.status);
    if let Some(location) = answer.location {
        response = response.header(header::LOCATION, location);
    }
    response.body(Full::from(answer.body)).unwrap()
}
