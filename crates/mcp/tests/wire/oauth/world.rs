//! A protected server and its authorization server on one port: they check what they are sent, remember it, and
//! misbehave as told.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use axum::Router;
use axum::extract::{Request, State};
use axum::response::{IntoResponse, Redirect, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use http::StatusCode;
use http::header::{AUTHORIZATION, WWW_AUTHENTICATE};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tokio::net::TcpListener;

pub type Fields = HashMap<String, String>;

/// How the world behaves, and what it saw.
pub struct World {
    pub base: String,
    /// What its metadata says; whole documents.
    pub resource: Value,
    pub server: Value,
    /// What a callback names as issuer.
    pub iss: Option<String>,
    /// What a token needs beside being known.
    pub required: String,
    pub expires_in: u64,
    /// The error that the token endpoint gives to every refresh.
    pub refuse_refresh: Option<&'static str>,
    pub seen: Vec<(String, Fields)>,
    /// Known access tokens and their scopes.
    pub tokens: HashMap<String, String>,
    codes: HashMap<String, Fields>,
    count: usize,
}

pub type Shared = Arc<Mutex<World>>;

pub async fn world() -> Shared {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let base = format!("http://{}", listener.local_addr().unwrap());
    let world = World {
        resource: json!({"resource": format!("{base}/mcp"), "authorization_servers": [base]}),
        server: json!({
            "issuer": base, "authorization_endpoint": format!("{base}/authorize"),
            "token_endpoint": format!("{base}/token"), "registration_endpoint": format!("{base}/register"),
            "response_types_supported": ["code"], "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["none"],
            "authorization_response_iss_parameter_supported": true,
        }),
        iss: Some(base.clone()),
        base,
        required: String::new(),
        expires_in: 3600,
        refuse_refresh: None,
        seen: Vec::new(),
        tokens: HashMap::new(),
        codes: HashMap::new(),
        count: 0,
    };
    let shared = Arc::new(Mutex::new(world));
    let app = Router::new().fallback(serve).with_state(Arc::clone(&shared));
    tokio::spawn(async move { axum::serve(listener, app).await });
    shared
}

pub fn look(world: &Shared) -> MutexGuard<'_, World> {
    world.lock().unwrap()
}

impl World {
    /// What was sent to `path`, in order.
    pub fn sent(&self, path: &str) -> Vec<Fields> {
        self.seen.iter().filter(|(seen, _)| seen == path).map(|(_, fields)| fields.clone()).collect()
    }

    fn answer(&mut self, path: &str, fields: &Fields, token: Option<&str>) -> Response {
        match path {
            "/.well-known/oauth-protected-resource/mcp" => axum::Json(self.resource.clone()).into_response(),
            "/.well-known/oauth-authorization-server" => axum::Json(self.server.clone()).into_response(),
            "/mcp" => self.protected(token),
            "/register" => self.register(),
            "/authorize" => self.authorize(fields),
            "/token" => self.token(fields),
            _ => StatusCode::NOT_FOUND.into_response(),
        }
    }

    fn protected(&self, token: Option<&str>) -> Response {
        let metadata = format!("{}/.well-known/oauth-protected-resource/mcp", self.base);
        let granted = token.and_then(|token| self.tokens.get(token));
        let (status, error) = match granted {
            None => (StatusCode::UNAUTHORIZED, ""),
            Some(granted)
                if self.required.split_whitespace().all(|scope| granted.split(' ').any(|s| s == scope)) =>
            {
                return StatusCode::OK.into_response();
            }
            Some(_) => (StatusCode::FORBIDDEN, r#", error="insufficient_scope""#),
        };
        let scope = match self.required.as_str() {
            "" => String::new(),
            required => format!(r#", scope="{required}""#),
        };
        let challenge = format!(r#"Bearer resource_metadata="{metadata}"{error}{scope}"#);
        (status, [(WWW_AUTHENTICATE, challenge)]).into_response()
    }

    fn next(&mut self) -> usize {
        self.count += 1;
        self.count
    }

    fn register(&mut self) -> Response {
        let id = format!("client-{}", self.next());
        let client = json!({"client_id": id, "client_secret": "client-hush", "redirect_uris": []});
        (StatusCode::CREATED, axum::Json(client)).into_response()
    }

    fn authorize(&mut self, fields: &Fields) -> Response {
        assert_eq!(fields["code_challenge_method"], "S256");
        assert_eq!(fields["response_type"], "code");
        let code = format!("code-{}", self.next());
        self.codes.insert(code.clone(), fields.clone());
        let mut back = url::Url::parse(&fields["redirect_uri"]).unwrap();
        back.query_pairs_mut().append_pair("code", &code).append_pair("state", &fields["state"]);
        if let Some(iss) = &self.iss {
            back.query_pairs_mut().append_pair("iss", iss);
        }
        Redirect::to(back.as_str()).into_response()
    }

    fn token(&mut self, fields: &Fields) -> Response {
        let refuse =
            |error: &str| (StatusCode::BAD_REQUEST, axum::Json(json!({"error": error}))).into_response();
        let scope = match fields["grant_type"].as_str() {
            "authorization_code" => {
                let Some(asked) = self.codes.remove(&fields["code"]) else { return refuse("invalid_grant") };
                let digest = URL_SAFE_NO_PAD.encode(Sha256::digest(fields["code_verifier"].as_bytes()));
                let same = |name: &str| asked.get(name) == fields.get(name);
                if digest != asked["code_challenge"] || !same("redirect_uri") || !same("resource") {
                    return refuse("invalid_grant");
                }
                asked.get("scope").cloned().unwrap_or_default()
            }
            "refresh_token" => match self.refuse_refresh {
                Some(error) => return refuse(error),
                None => self.required.clone(),
            },
            _ => self.required.clone(),
        };
        let number = self.next();
        self.tokens.insert(format!("access-{number}"), scope);
        axum::Json(json!({
            "access_token": format!("access-{number}"), "refresh_token": format!("refresh-{number}"),
            "token_type": "Bearer", "expires_in": self.expires_in,
        }))
        .into_response()
    }
}

async fn serve(State(world): State<Shared>, request: Request) -> Response {
    let (parts, body) = request.into_parts();
    let body = axum::body::to_bytes(body, 1 << 20).await.unwrap();
    let header = parts.headers.get(AUTHORIZATION).map(|value| value.to_str().unwrap().to_owned());
    let path = parts.uri.path().to_owned();
    let query = parts.uri.query().unwrap_or_default().as_bytes().to_vec();
    let mut fields: Fields = if let Ok(Value::Object(json)) = serde_json::from_slice(&body) {
        json.into_iter().map(|(name, value): (String, Value)| (name, value.to_string())).collect()
    } else {
        let text = [query, body.to_vec()].concat();
        url::form_urlencoded::parse(&text).into_owned().collect()
    };
    fields.extend(header.clone().map(|header| ("Authorization".to_owned(), header)));
    let mut world = look(&world);
    world.seen.push((path.clone(), fields.clone()));
    world.answer(&path, &fields, header.as_deref().and_then(|header| header.strip_prefix("Bearer ")))
}
