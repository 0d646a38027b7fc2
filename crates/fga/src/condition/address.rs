//! The value `ipaddress` and its method `in_cidr`: versions 4 and 6 are kept apart, also where one is mapped
//! into the other.

use core::net::IpAddr;
use std::any::Any;

use cel::common::types::Type;
use cel::common::value::{StaticVal, Val};

static TYPE: Type = Type::new_unspecified_type("ipaddress");

/// An IP address as a value of an expression.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Address(pub(super) IpAddr);

impl Val for Address {
    fn get_type(&self) -> &Type {
        &TYPE
    }

    fn cel_type() -> &'static Type {
        &TYPE
    }

    fn equals(&self, other: &dyn Val) -> bool {
        other.downcast_ref::<Self>().is_some_and(|other| self == other)
    }

    fn clone_as_boxed<'v>(&self) -> Box<dyn Val + 'v>
    where
        Self: 'v,
    {
        Box::new(*self)
    }

    fn as_any(&self) -> Option<&dyn Any> {
        Some(self)
    }
}

impl StaticVal for Address {}

impl Address {
    /// Reads an address of version 4 or 6.
    pub(super) fn parse(text: &str) -> Option<Self> {
        text.parse().ok().map(Self)
    }

    /// Whether the address lies in a network written `192.168.0.0/24`; nothing where that is no network.
    pub(super) fn in_cidr(self, network: &str) -> Option<bool> {
        let (base, length) = network.split_once('/')?;
        let base: IpAddr = base.parse().ok()?;
        let width = if base.is_ipv4() { 32 } else { 128 };
        let length = prefix_length(length, width)?;
        let same_prefix =
            |one: u128, other: u128| (one ^ other).checked_shr(width - length).unwrap_or(0) == 0;
        Some(match (self.0, base) {
            (IpAddr::V4(one), IpAddr::V4(other)) => same_prefix(one.to_bits().into(), other.to_bits().into()),
            (IpAddr::V6(one), IpAddr::V6(other)) => same_prefix(one.to_bits(), other.to_bits()),
            _ => false,
        })
    }
}

fn prefix_length(text: &str, width: u32) -> Option<u32> {
    let plain = text == "0" || (!text.starts_with('0') && text.bytes().all(|b| b.is_ascii_digit()));
    text.parse().ok().filter(|length| plain && *length <= width)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn asks(address: &str, network: &str) -> Option<bool> {
        Address::parse(address).unwrap().in_cidr(network)
    }

    #[test]
    fn an_address_is_in_a_network_when_they_share_the_prefix() {
        for (address, network, expected) in [
            ("192.168.0.1", "192.168.0.0/24", true),
            ("192.168.1.1", "192.168.0.0/24", false),
            ("192.168.0.1", "192.168.0.9/24", true),
            ("10.1.2.3", "0.0.0.0/0", true),
            ("10.1.2.3", "10.1.2.3/32", true),
            ("10.1.2.4", "10.1.2.3/32", false),
            ("2001:db8::1", "2001:db8::/32", true),
            ("2001:db9::1", "2001:db8::/32", false),
            ("::1", "::/0", true),
            ("::1", "::1/128", true),
            ("::2", "::1/128", false),
            ("ffff::", "7fff::/1", false),
        ] {
            assert_eq!(asks(address, network), Some(expected), "{address} in {network}");
        }
    }

    #[test]
    fn a_mapped_address_is_not_silently_of_version_4() {
        assert_eq!(asks("::ffff:192.168.0.1", "192.168.0.0/24"), Some(false));
        assert_eq!(asks("::ffff:192.168.0.1", "0.0.0.0/0"), Some(false));
        assert_eq!(asks("192.168.0.1", "::ffff:192.168.0.0/120"), Some(false));
        assert_eq!(asks("192.168.0.1", "::/0"), Some(false));
        assert_eq!(asks("::ffff:192.168.0.1", "::ffff:192.168.0.0/120"), Some(true));
    }

    #[test]
    fn what_is_no_network_is_an_error() {
        for network in [
            "",
            "/",
            "10.0.0.0",
            "10.0.0.0/",
            "10.0.0.0/33",
            "10.0.0.0/-1",
            "10.0.0.0/+8",
            "10.0.0.0/08",
            "::/129",
            "10.0.0.0/8/8",
            "10.0.0/8",
            "10.0.0.0/8 ",
            "fe80::%eth0/64",
            "10.0.0.0/255.0.0.0",
        ] {
            assert_eq!(asks("10.0.0.1", network), None, "{network}");
        }
    }

    #[test]
    fn what_is_no_address_is_refused() {
        for text in
            ["", "10.0.0", "10.0.0.256", "010.0.0.1", "fe80::1%eth0", "[::1]", "10.0.0.1/8", "localhost"]
        {
            assert_eq!(Address::parse(text), None, "{text}");
        }
    }
}
