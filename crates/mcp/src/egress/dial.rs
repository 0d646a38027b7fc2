//! Tries addresses one after the other; each has its own deadline, and only the given addresses are tried.

use std::io;
use std::net::SocketAddr;

use tokio::time::timeout;

use super::{ADDRESS_DEADLINE, Error};

/// The first connection that any address accepts, or why the last one did not.
pub(super) async fn first<C, F>(addresses: &[SocketAddr], dial: impl Fn(SocketAddr) -> F) -> Result<C, Error>
where
    F: Future<Output = io::Result<C>>,
{
    let mut last = Error::Refused;
    for address in addresses {
        last = match timeout(ADDRESS_DEADLINE, dial(*address)).await {
            Ok(Ok(connection)) => return Ok(connection),
            Ok(Err(error)) => {
                tracing::debug!(%address, %error, "not connected");
                if error.kind() == io::ErrorKind::TimedOut { Error::Timeout } else { Error::Refused }
            }
            Err(_) => Error::Timeout,
        };
    }
    Err(last)
}

#[cfg(test)]
mod tests {
    use std::future::{pending, ready};
    use std::time::Duration;

    use tokio::time::Instant;

    use super::*;

    fn addresses(count: u16) -> Vec<SocketAddr> {
        (1..=count).map(|port| SocketAddr::from(([192, 0, 2, 1], port))).collect()
    }

    #[tokio::test(start_paused = true)]
    async fn a_silent_address_is_left_after_ten_seconds() {
        let started = Instant::now();
        let silent = first(&addresses(2), |_| pending::<io::Result<()>>()).await;
        assert_eq!(silent, Err(Error::Timeout));
        assert_eq!(started.elapsed(), Duration::from_secs(20));
    }

    #[tokio::test]
    async fn the_next_address_is_tried_when_one_refuses() {
        let dial = |address: SocketAddr| match address.port() {
            1 => ready(Err(io::ErrorKind::ConnectionRefused.into())),
            port => ready(Ok(port)),
        };
        assert_eq!(first(&addresses(3), dial).await, Ok(2));
        assert_eq!(first(&addresses(1), dial).await, Err(Error::Refused));
    }

    #[tokio::test]
    async fn the_reason_is_that_of_the_last_address() {
        let dial = |address: SocketAddr| match address.port() {
            1 => ready(Err::<(), _>(io::ErrorKind::ConnectionRefused.into())),
            _ => ready(Err(io::ErrorKind::TimedOut.into())),
        };
        assert_eq!(first(&addresses(2), dial).await, Err(Error::Timeout));
        assert_eq!(first(&[], dial).await, Err(Error::Refused));
    }
}
