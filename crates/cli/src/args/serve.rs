//! Options of the commands that the binary itself carries out: serve, restore, doctor.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;
use std::time::Duration;

use clap::Args;
use clap::builder::BoolishValueParser;

use super::{duration, values};

/// How the daemon runs.
#[derive(Clone, Debug, Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a switch of its own on the command line")]
pub struct ServeOptions {
    /// Keep everything in this directory [default: the user's data directory]
    #[arg(long, value_name = "DIR", env = "OUTFITTER_DATA_DIR")]
    pub data_dir: Option<PathBuf>,
    /// Listen on this address; port 0 picks a free one
    #[arg(long, value_name = "ADDR:PORT", env = "OUTFITTER_LISTEN", default_value = "127.0.0.1:9850", value_parser = values::listen)]
    pub listen: SocketAddr,
    /// Listen on this Unix socket for the command line [default: outfitter.sock in the data directory]
    #[arg(long, value_name = "PATH", env = "OUTFITTER_SOCKET")]
    pub socket: Option<PathBuf>,
    /// Let every local user connect to the socket, each as the account of their login name
    #[arg(long, env = "OUTFITTER_SHARED_SOCKET", value_parser = BoolishValueParser::new())]
    pub shared_socket: bool,
    /// Store in this database, such as postgres://… [default: SQLite in the data directory]
    #[arg(long, value_name = "URL", env = "OUTFITTER_DATABASE", value_parser = values::DatabaseUrl)]
    pub database: Option<String>,
    /// Serve TLS with this certificate chain (PEM)
    #[arg(long, value_name = "PATH", env = "OUTFITTER_TLS_CERT", requires = "tls_key")]
    pub tls_cert: Option<PathBuf>,
    /// The private key of the certificate (PEM)
    #[arg(long, value_name = "PATH", env = "OUTFITTER_TLS_KEY", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// TLS ends in front of this daemon, so that it may listen beyond loopback without
    #[arg(long, env = "OUTFITTER_BEHIND_TLS_PROXY", value_parser = BoolishValueParser::new())]
    pub behind_tls_proxy: bool,
    /// Accept this host name in requests besides the listener's own; repeat for more
    #[arg(long = "allowed-host", value_name = "HOST", env = "OUTFITTER_ALLOWED_HOST", value_delimiter = ',')]
    pub allowed_hosts: Vec<String>,
    /// Read the key that seals secrets from this file [default: in the data directory]
    #[arg(long, value_name = "PATH", env = "OUTFITTER_KEY_FILE")]
    pub key_file: Option<PathBuf>,
    /// Protect the key file with the passphrase in this file
    #[arg(long, value_name = "PATH", env = "OUTFITTER_KEY_PASSPHRASE_FILE")]
    pub key_passphrase_file: Option<PathBuf>,
    /// Keep the history of changes this long, such as 30d, 12h or 0s
    #[arg(long, value_name = "TIME", env = "OUTFITTER_KEEP_HISTORY", default_value = "30d", value_parser = duration::parse)]
    pub keep_history: Duration,
    /// Keep the audit log this long, such as 365d
    #[arg(long, value_name = "TIME", env = "OUTFITTER_KEEP_AUDIT", default_value = "365d", value_parser = duration::parse)]
    pub keep_audit: Duration,
    /// Allow one stdio server to be shared through the gateway
    #[arg(long, env = "OUTFITTER_STDIO_PROXY", value_parser = BoolishValueParser::new())]
    pub stdio_proxy: bool,
    /// Let people declare and start programs in their own scope [default: only on loopback, without a proxy]
    #[arg(long, value_name = "BOOL", env = "OUTFITTER_PERSONAL_SPAWN", value_parser = BoolishValueParser::new())]
    pub personal_spawn: Option<bool>,
    /// Accept JWTs of this OIDC issuer
    #[arg(long, value_name = "URL", env = "OUTFITTER_OIDC_ISSUER")]
    pub oidc_issuer: Option<String>,
    /// The audience that those JWTs must be made for
    #[arg(long, value_name = "AUDIENCE", env = "OUTFITTER_OIDC_AUDIENCE")]
    pub oidc_audience: Option<String>,
    /// The claim that names the account [default: sub]
    #[arg(long, value_name = "CLAIM", env = "OUTFITTER_OIDC_ACCOUNT_CLAIM")]
    pub oidc_account_claim: Option<String>,
    /// Log what this filter lets through, such as info or outfitter=debug
    #[arg(long, value_name = "FILTER", env = "OUTFITTER_LOG", default_value = "info")]
    pub log: String,
    /// Log JSON instead of text
    #[arg(long, env = "OUTFITTER_LOG_JSON", value_parser = BoolishValueParser::new())]
    pub log_json: bool,
}

/// A file to read, or standard input.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum InputFile {
    /// `-`.
    Stdin,
    /// A path.
    Path(PathBuf),
}

impl FromStr for InputFile {
    type Err = Infallible;

    fn from_str(text: &str) -> Result<Self, Infallible> {
        Ok(if text == "-" { Self::Stdin } else { Self::Path(text.into()) })
    }
}

/// How a backup is put back.
#[derive(Clone, Debug, Args)]
pub struct RestoreOptions {
    /// The backup, or - for standard input
    #[arg(value_name = "FILE")]
    pub file: InputFile,
    /// Restore into this data directory, which must be empty [default: the user's data directory]
    #[arg(long, value_name = "DIR", env = "OUTFITTER_DATA_DIR")]
    pub data_dir: Option<PathBuf>,
    /// Restore into this database, which must be empty
    #[arg(long, value_name = "URL", env = "OUTFITTER_DATABASE", value_parser = values::DatabaseUrl)]
    pub database: Option<String>,
}

/// What to check offline.
#[derive(Clone, Debug, Args)]
pub struct DoctorOptions {
    /// Check the store in this data directory [default: the user's data directory]
    #[arg(long, value_name = "DIR", env = "OUTFITTER_DATA_DIR")]
    pub data_dir: Option<PathBuf>,
    /// Check this database
    #[arg(long, value_name = "URL", env = "OUTFITTER_DATABASE", value_parser = values::DatabaseUrl)]
    pub database: Option<String>,
}
