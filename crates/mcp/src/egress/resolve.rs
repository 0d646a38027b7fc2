//! Turns a host name into addresses; an answer carries no port, so that a resolver cannot choose one.

use std::io;
use std::net::IpAddr;
use std::pin::Pin;

/// The addresses of a host, on their way.
pub type Resolving<'a> = Pin<Box<dyn Future<Output = io::Result<Vec<IpAddr>>> + Send + 'a>>;

/// Something that knows the addresses of hosts.
pub trait Resolve: Send + Sync {
    /// Every address of `host`, in the order of preference; called once for every connection.
    fn resolve<'a>(&'a self, host: &'a str) -> Resolving<'a>;
}

/// The resolver of the operating system.
#[derive(Clone, Copy, Debug)]
pub struct System;

impl Resolve for System {
    fn resolve<'a>(&'a self, host: &'a str) -> Resolving<'a> {
        Box::pin(async move {
            let found = tokio::net::lookup_host((host, 0)).await?;
            Ok(found.map(|address| address.ip()).collect())
        })
    }
}
