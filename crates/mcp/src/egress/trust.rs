//! The TLS side of the guard: whom to trust and what to speak. Certificates are always verified.

use std::sync::Arc;

use rustls::pki_types::CertificateDer;
use rustls::{ClientConfig, RootCertStore};
use tokio_rustls::TlsConnector;

const PROTOCOLS: [&[u8]; 2] = [b"h2", b"http/1.1"];

/// Trusts the system's certificates and `roots`; reading the former may take a while, so it happens off the runtime.
pub(super) async fn connector(roots: Arc<[CertificateDer<'static>]>) -> TlsConnector {
    let store = tokio::task::spawn_blocking(system_roots).await.unwrap_or_else(|error| {
        tracing::warn!(%error, "the system's certificates were not read");
        RootCertStore::empty()
    });
    TlsConnector::from(Arc::new(config(store, &roots)))
}

fn config(mut store: RootCertStore, roots: &[CertificateDer<'static>]) -> ClientConfig {
    let (_, ignored) = store.add_parsable_certificates(roots.iter().cloned());
    if ignored > 0 {
        tracing::warn!(ignored, "certificates that cannot be read are not trusted");
    }
    let mut config = ClientConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("ring serves the default protocol versions")
        .with_root_certificates(store)
        .with_no_client_auth();
    config.alpn_protocols = PROTOCOLS.map(<[u8]>::to_vec).to_vec();
    config
}

fn system_roots() -> RootCertStore {
    let found = rustls_native_certs::load_native_certs();
    for error in &found.errors {
        tracing::debug!(%error, "a certificate of the system was not read");
    }
    let mut store = RootCertStore::empty();
    store.add_parsable_certificates(found.certs);
    if store.is_empty() {
        tracing::warn!("the system has no certificates to trust");
    }
    store
}
