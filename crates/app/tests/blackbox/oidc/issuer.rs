//! An issuer on a loopback port: its discovery document, its keys, and tokens signed with them.

use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;
use std::time::{SystemTime, UNIX_EPOCH};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey};
use serde_json::{Value, json};

/// Whom the tokens are for.
pub const AUDIENCE: &str = "outfitter-test";

/// A key, private and published.
pub struct Key {
    id: String,
    algorithm: Algorithm,
    published: Value,
    secret: EncodingKey,
}

impl Key {
    /// A new key on the curve of ES256.
    pub fn curve(id: &str) -> Self {
        let pair = rcgen::KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256).unwrap();
        let (x, y) = pair.public_key_raw()[1..].split_at(32);
        Self {
            id: id.to_owned(),
            algorithm: Algorithm::ES256,
            published: json!({"kty": "EC", "crv": "P-256", "kid": id, "x": encode(x), "y": encode(y)}),
            secret: EncodingKey::from_ec_der(&pair.serialize_der()),
        }
    }

    /// An RSA key.
    pub fn rsa(id: &str, key: &rsa::RsaPrivateKey) -> Self {
        use rsa::pkcs1::EncodeRsaPrivateKey as _;
        use rsa::traits::PublicKeyParts as _;
        let (n, e) = (encode(key.n().to_bytes_be()), encode(key.e().to_bytes_be()));
        Self {
            id: id.to_owned(),
            algorithm: Algorithm::RS256,
            published: json!({"kty": "RSA", "kid": id, "n": n, "e": e}),
            secret: EncodingKey::from_rsa_der(key.to_pkcs1_der().unwrap().as_bytes()),
        }
    }

    /// A token with these claims.
    pub fn token(&self, claims: &Value) -> String {
        self.token_with(&json!({}), claims)
    }

    /// The same with fields set in its header.
    pub fn token_with(&self, fields: &Value, claims: &Value) -> String {
        let mut header = json!({"alg": self.algorithm, "typ": "JWT", "kid": self.id});
        for (name, value) in fields.as_object().unwrap() {
            header[name] = value.clone();
        }
        let message = message(&header, claims);
        let signed = jsonwebtoken::crypto::sign(message.as_bytes(), &self.secret, self.algorithm);
        format!("{message}.{}", signed.unwrap())
    }
}

/// A token whose signature is that of `secret` as a shared secret.
pub fn symmetric(id: &str, claims: &Value, secret: &[u8]) -> String {
    let message = message(&json!({"alg": "HS256", "typ": "JWT", "kid": id}), claims);
    let secret = EncodingKey::from_secret(secret);
    let signed = jsonwebtoken::crypto::sign(message.as_bytes(), &secret, Algorithm::HS256);
    format!("{message}.{}", signed.unwrap())
}

/// Header and claims, as they are signed.
pub fn message(header: &Value, claims: &Value) -> String {
    format!("{}.{}", encode(header.to_string()), encode(claims.to_string()))
}

fn encode(part: impl AsRef<[u8]>) -> String {
    URL_SAFE_NO_PAD.encode(part)
}

/// Seconds since 1970.
pub fn now() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).unwrap().as_secs()
}

/// Answers until the test ends.
pub struct Issuer {
    pub url: String,
    keys: Arc<Mutex<Value>>,
}

impl Issuer {
    /// Publishes these keys.
    pub fn start(keys: &[&Key]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let document = json!({"issuer": url, "jwks_uri": format!("{url}/keys")});
        let issuer = Self { url, keys: Arc::default() };
        issuer.publish(keys);
        let published = Arc::clone(&issuer.keys);
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                // Whoever hangs up early is not this thread's concern.
                let _ = answer(stream, &document, &published);
            }
        });
        issuer
    }

    /// Publishes these keys and no others.
    pub fn publish(&self, keys: &[&Key]) {
        let keys: Vec<&Value> = keys.iter().map(|key| &key.published).collect();
        *self.keys.lock().unwrap() = json!({"keys": keys});
    }

    /// Claims about `subject` that hold for an hour.
    pub fn claims(&self, subject: &str) -> Value {
        json!({"iss": self.url, "aud": AUDIENCE, "sub": subject, "iat": now(), "exp": now() + 3600})
    }
}

fn answer(stream: TcpStream, document: &Value, keys: &Mutex<Value>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line)?;
    let body = match line.split(' ').nth(1) {
        Some("/.well-known/openid-configuration") => document.to_string(),
        Some("/keys") => keys.lock().unwrap().to_string(),
        _ => String::new(),
    };
    while reader.read_line(&mut line)? > 2 {}
    let status = if body.is_empty() { "404 Not Found" } else { "200 OK" };
    let head = format!(
        "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        body.len()
    );
    reader.get_mut().write_all(format!("{head}{body}").as_bytes())
}
