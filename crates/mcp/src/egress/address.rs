//! Tells the public internet from everything else; an address nobody vouches for is not public.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::rules::Network;

/// Whether `address` is an ordinary host of the public internet. Of an IPv6 address that carries an IPv4 one, the
/// carried address decides.
pub(super) fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

const fn v4(a: u8, b: u8, c: u8, d: u8, prefix: u8) -> Network {
    Network::new(IpAddr::V4(Ipv4Addr::new(a, b, c, d)), prefix)
}

const NOT_PUBLIC_V4: [Network; 16] = [
    v4(0, 0, 0, 0, 8),
    v4(10, 0, 0, 0, 8),
    v4(100, 64, 0, 0, 10),
    v4(127, 0, 0, 0, 8),
    // The host agent of a cloud answers here, although the address is nobody's private range.
    v4(168, 63, 129, 16, 32),
    v4(169, 254, 0, 0, 16),
    v4(172, 16, 0, 0, 12),
    v4(192, 0, 0, 0, 24),
    v4(192, 0, 2, 0, 24),
    v4(192, 88, 99, 0, 24),
    v4(192, 168, 0, 0, 16),
    v4(198, 18, 0, 0, 15),
    v4(198, 51, 100, 0, 24),
    v4(203, 0, 113, 0, 24),
    v4(224, 0, 0, 0, 4),
    v4(240, 0, 0, 0, 4),
];

fn is_public_v4(address: Ipv4Addr) -> bool {
    !NOT_PUBLIC_V4.iter().any(|network| network.contains(IpAddr::V4(address)))
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let [first, second, third, fourth, .., seventh, eighth] = address.segments();
    match address.segments() {
        // IPv4-compatible (with `::` and `::1`), IPv4-mapped, and NAT64 by its well-known prefix.
        [0, 0, 0, 0, 0, 0 | 0xffff, ..] | [0x64, 0xff9b, 0, 0, 0, 0, ..] => {
            is_public_v4(joined(seventh, eighth))
        }
        [0x2002, ..] => is_public_v4(joined(second, third)),
        // Teredo names its server plainly and its client with every bit turned.
        [0x2001, 0, ..] => is_public_v4(joined(third, fourth)) && is_public_v4(joined(!seventh, !eighth)),
        [0x2001, 0..=0x1ff | 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => false,
        // All that was ever given to the public internet.
        _ => first & 0xe000 == 0x2000,
    }
}

fn joined(high: u16, low: u16) -> Ipv4Addr {
    Ipv4Addr::from_bits(u32::from(high) << 16 | u32::from(low))
}

#[cfg(test)]
mod tests {
    use super::*;

    const PUBLIC: [&str; 34] = [
        "1.1.1.1",
        "1.0.0.0",
        "9.255.255.255",
        "11.0.0.0",
        "93.184.216.34",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
        "168.63.129.15",
        "168.63.129.17",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "191.255.255.255",
        "192.0.1.0",
        "192.0.3.0",
        "192.88.98.255",
        "192.88.100.0",
        "192.167.255.255",
        "192.169.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "198.51.99.255",
        "203.0.114.0",
        "223.255.255.255",
        "2606:4700:4700::1111",
        "2001:200::1",
        "2001:4860:4860::8888",
        "3fff:1000::1",
        "64:ff9b::1.1.1.1",
        "2002:101:101::1",
        "2001:0:4136:e378:8000:63bf:fefe:fefe",
    ];

    const NOT_PUBLIC: [&str; 66] = [
        "0.0.0.0",
        "0.255.255.255",
        "10.0.0.0",
        "10.255.255.255",
        "100.64.0.0",
        "100.100.100.200",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.255.255",
        "168.63.129.16",
        "169.254.0.0",
        "169.254.169.254",
        "169.254.255.255",
        "172.16.0.0",
        "172.31.255.255",
        "192.0.0.0",
        "192.0.0.170",
        "192.0.0.255",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.0.0",
        "192.168.255.255",
        "198.18.0.0",
        "198.19.255.255",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "233.252.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.254",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::10.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "::ffff:0.0.0.0",
        "::ffff:0:127.0.0.1",
        "64:ff9b::127.0.0.1",
        "64:ff9b::10.1.2.3",
        "64:ff9b::169.254.169.254",
        "64:ff9b:1::1",
        "100::1",
        "2001::1",
        "2001:0:7f00:1:8000:63bf:fefe:fefe",
        "2001:0:4136:e378:8000:63bf:f5ff:fffe",
        "2001:2::1",
        "2001:10::1",
        "2001:20::1",
        "2001:1ff:ffff::1",
        "2001:db8::1",
        "2002:7f00:1::1",
        "2002:a00:1::1",
        "2002:a9fe:a9fe::1",
        "3fff::1",
        "3fff:fff::1",
        "4000::1",
        "5f00::1",
        "fc00::1",
        "fd00:ec2::254",
        "fe80::1",
        "febf::1",
        "fec0::1",
        "ff02::1",
    ];

    #[test]
    fn addresses_of_the_internet_are_public() {
        for text in PUBLIC.into_iter().chain(["::ffff:1.1.1.1", "::1.1.1.1"]) {
            assert!(is_public(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn private_special_and_unassigned_addresses_are_not_public() {
        for text in NOT_PUBLIC {
            assert!(!is_public(text.parse().unwrap()), "{text}");
        }
    }

    #[test]
    fn every_listed_network_is_refused_from_its_first_to_its_last_address() {
        for network in NOT_PUBLIC_V4 {
            assert!(!is_public(network.first()) && !is_public(network.last()), "{network:?}");
        }
    }
}
