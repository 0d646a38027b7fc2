//! The authorization server of a server, found anew whenever it is needed, and checked before anything is sent to it.

use std::sync::Arc;

use rmcp::transport::auth::{
    AuthorizationManager, AuthorizationMetadata, AuthorizationMetadataSource, OAuthClientConfig,
};
use serde_json::Value;
use url::Url;

use crate::client::Challenge;
use crate::web;

use super::address;
use super::carrier::Carrier;
use super::credentials::{Client, Credentials};
use super::demand;
use super::error::Error;
use super::settings::{Registration, Settings};

const OFFLINE: &str = "offline_access";

/// An authorization server.
pub(super) struct Provider {
    pub(super) manager: AuthorizationManager,
    pub(super) issuer: String,
    /// What tokens are asked for, exactly as the server names itself.
    pub(super) resource: String,
    metadata: AuthorizationMetadata,
    carrier: Arc<Carrier>,
}

impl Provider {
    pub(super) async fn discover(
        web: &web::Client,
        server: &Url,
        challenge: Option<&Challenge>,
    ) -> Result<Self, Error> {
        let carrier = Arc::new(Carrier::new(web.clone(), server.clone(), challenge.cloned()));
        let manager = AuthorizationManager::new_with_oauth_http_client(server.as_str(), carrier.clone());
        let mut manager = manager.await.map_err(|_| Error::Metadata)?;
        let found = manager.resolve_metadata_from_challenge(challenge.and_then(demand::header)).await;
        let found = found.map_err(|error| Error::of_discovery(&error))?;
        let resource = match (found.source, carrier.resource()) {
            (AuthorizationMetadataSource::ProtectedResourceMetadata, Some(resource)) => resource,
            // A server that describes another resource is not to be asked for its own.
            (_, Some(_)) => return Err(Error::Resource),
            (AuthorizationMetadataSource::AuthorizationServerMetadata, None) => server.to_string(),
            _ => return Err(Error::Metadata),
        };
        let metadata = found.metadata;
        let issuer = metadata.issuer.clone().ok_or(Error::Issuer)?;
        address::endpoint(&metadata.token_endpoint).ok_or(Error::Endpoint("token endpoint"))?;
        manager.set_metadata(metadata.clone());
        Ok(Self { manager, issuer, resource, metadata, carrier })
    }

    /// Whether the authorization page may be shown to a person.
    pub(super) fn check_for_people(&self) -> Result<(), Error> {
        let authorization = &self.metadata.authorization_endpoint;
        address::endpoint(authorization).ok_or(Error::Endpoint("authorization endpoint"))?;
        let methods = self.metadata.code_challenge_methods_supported.as_deref().unwrap_or_default();
        if methods.iter().any(|method| method == "S256") { Ok(()) } else { Err(Error::Pkce) }
    }

    /// What to ask for: what the server demands beside what was chosen or asked for before, or else all it lists.
    pub(super) async fn scopes(
        &self,
        settings: &Settings,
        challenge: Option<&Challenge>,
        held: Option<&Credentials>,
    ) -> Vec<String> {
        let demanded = challenge.map(|challenge| demand::scopes(challenge, &settings.server));
        let demanded = demanded.unwrap_or_default();
        let mut scopes = held.map(|held| held.scopes.clone()).unwrap_or_default();
        demand::unite(&mut scopes, settings.scopes.iter().cloned());
        demand::unite(&mut scopes, demanded);
        if scopes.is_empty() {
            return self.manager.select_initial_scopes(&[]).await;
        }
        let offered = self.metadata.scopes_supported.as_deref().unwrap_or_default();
        demand::unite(&mut scopes, offered.iter().filter(|scope| *scope == OFFLINE).cloned());
        scopes
    }

    /// The client to sign in with, known to this issuer or registered with it now.
    pub(super) async fn identify(
        &mut self,
        settings: &Settings,
        held: Option<&Credentials>,
        scopes: &[String],
    ) -> Result<Client, Error> {
        let redirect = settings.redirect.to_string();
        let known = held.map(|held| &held.client).filter(|client| client.redirect == redirect);
        let client = match &settings.client {
            Registration::Preregistered { issuer: Some(issuer), .. } if *issuer != self.issuer => {
                return Err(Error::Issuer);
            }
            Registration::Preregistered { id, secret, .. } => {
                Client { id: id.clone(), secret: secret.clone(), redirect }
            }
            Registration::Document(url) if self.advertises("client_id_metadata_document_supported") => {
                Client { id: url.to_string(), secret: None, redirect }
            }
            Registration::Document(_) | Registration::Dynamic => match known {
                Some(client) => client.clone(),
                None => self.register(settings, redirect, scopes).await?,
            },
        };
        self.configure(&client)?;
        Ok(client)
    }

    async fn register(
        &mut self,
        settings: &Settings,
        redirect: String,
        scopes: &[String],
    ) -> Result<Client, Error> {
        let endpoint = self.metadata.registration_endpoint.as_deref().ok_or(Error::Registration)?;
        address::endpoint(endpoint).ok_or(Error::Endpoint("registration endpoint"))?;
        let kind = if address::is_loopback(&settings.redirect) { "native" } else { "web" };
        // The kind of application can be told only with a whole client, which the registration replaces.
        let unregistered = OAuthClientConfig::new("unregistered", &redirect).with_application_type(kind);
        self.manager.configure_client(unregistered).map_err(|_| Error::Registration)?;
        let scopes: Vec<&str> = scopes.iter().map(String::as_str).collect();
        let config = self.manager.register_client(&settings.client_name, &redirect, &scopes).await;
        let config = config.map_err(|_| Error::Registration)?;
        Ok(Client { id: config.client_id, secret: config.client_secret.map(Into::into), redirect })
    }

    /// Makes the OAuth client speak as `client`; a secret is shown only in a way the authorization server reads.
    pub(super) fn configure(&mut self, client: &Client) -> Result<(), Error> {
        let mut config = OAuthClientConfig::new(&client.id, &client.redirect);
        if let Some(secret) = client.secret.as_ref().filter(|_| self.reads_secrets()) {
            config = config.with_client_secret(secret.expose());
        }
        self.manager.configure_client(config).map_err(|_| Error::Metadata)
    }

    fn reads_secrets(&self) -> bool {
        let methods = self.metadata.additional_fields.get("token_endpoint_auth_methods_supported");
        let secret =
            |method: &Value| matches!(method.as_str(), Some("client_secret_basic" | "client_secret_post"));
        methods.and_then(Value::as_array).is_none_or(|methods| methods.iter().any(secret))
    }

    pub(super) fn advertises(&self, field: &str) -> bool {
        self.metadata.additional_fields.get(field).and_then(Value::as_bool).unwrap_or(false)
    }

    /// The error code of the last answer, when it was a refusal.
    pub(super) fn refusal(&self) -> Option<String> {
        self.carrier.refusal()
    }
}
