//! What the operator allows beyond the public internet: hosts as written in a URL, and networks.

use std::net::IpAddr;
use std::str::FromStr;

use url::Host;

use super::address;

/// Why an entry of `egress.allow` means nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RuleError {
    /// Neither a host name, `*.` and a host name, an address, nor a network.
    #[error("`{0}` is neither a host, an address nor a network such as `10.0.0.0/8`")]
    Unknown(String),
    /// The prefix does not fit the address.
    #[error("`{0}` has a prefix that its address cannot have")]
    Prefix(String),
    /// The address has bits set behind the prefix.
    #[error("`{0}` names an address inside the network, not the network")]
    HostBits(String),
}

/// The parsed `egress.allow`; empty means the public internet only.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Rules {
    hosts: Vec<String>,
    domains: Vec<String>,
    networks: Vec<Network>,
}

impl Rules {
    /// Reads every entry, or tells of every entry that cannot be read.
    pub fn parse(entries: &[String]) -> Result<Self, Vec<RuleError>> {
        let mut rules = Self::default();
        let wrong: Vec<_> = entries.iter().filter_map(|entry| rules.add(entry.trim()).err()).collect();
        if wrong.is_empty() { Ok(rules) } else { Err(wrong) }
    }

    fn add(&mut self, entry: &str) -> Result<(), RuleError> {
        let bare = entry.strip_prefix('[').and_then(|entry| entry.strip_suffix(']')).unwrap_or(entry);
        if bare.contains('/') || bare.parse::<IpAddr>().is_ok() {
            self.networks.push(bare.parse()?);
            return Ok(());
        }
        let (names, domain) = match entry.strip_prefix("*.") {
            Some(domain) => (&mut self.domains, domain),
            None => (&mut self.hosts, entry),
        };
        match Host::parse(domain) {
            Ok(Host::Domain(name)) if is_name(&name) => names.push(without_dot(&name).to_owned()),
            _ => return Err(RuleError::Unknown(entry.to_owned())),
        }
        Ok(())
    }

    /// Whether the host as written in a URL may have any address.
    pub(super) fn allow_host(&self, host: &str) -> bool {
        let host = without_dot(host).to_ascii_lowercase();
        let below = |domain: &String| {
            host.strip_suffix(domain).is_some_and(|rest| rest.len() > 1 && rest.ends_with('.'))
        };
        self.hosts.contains(&host) || self.domains.iter().any(below)
    }

    /// Whether a connection may go to this address, whatever name led to it.
    pub(super) fn allow_address(&self, address: IpAddr) -> bool {
        let canonical = address.to_canonical();
        let listed = |network: &Network| network.contains(address) || network.contains(canonical);
        address::is_public(address) || self.networks.iter().any(listed)
    }
}

fn is_name(name: &str) -> bool {
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '_');
    without_dot(name).split('.').all(|label| !label.is_empty() && label.chars().all(allowed))
}

/// A name with its final dot is the same name.
pub(super) fn without_dot(host: &str) -> &str {
    host.strip_suffix('.').unwrap_or(host)
}

/// An address and how many of its first bits count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Network {
    address: IpAddr,
    prefix: u8,
}

impl Network {
    pub(super) const fn new(address: IpAddr, prefix: u8) -> Self {
        Self { address, prefix }
    }

    pub(super) fn contains(&self, address: IpAddr) -> bool {
        let (own, width) = bits(self.address);
        let (other, other_width) = bits(address);
        width == other_width && (own ^ other) & mask(width, self.prefix) == 0
    }

    #[cfg(test)]
    pub(super) fn first(&self) -> IpAddr {
        self.address
    }

    #[cfg(test)]
    pub(super) fn last(&self) -> IpAddr {
        let IpAddr::V4(address) = self.address else { return self.address };
        let free = u32::MAX.checked_shr(u32::from(self.prefix)).unwrap_or(0);
        IpAddr::V4((address.to_bits() | free).into())
    }
}

impl FromStr for Network {
    type Err = RuleError;

    fn from_str(text: &str) -> Result<Self, RuleError> {
        let (address, prefix) =
            text.split_once('/').map_or((text, None), |(address, prefix)| (address, Some(prefix)));
        let address: IpAddr = address.parse().map_err(|_| RuleError::Unknown(text.to_owned()))?;
        let (value, width) = bits(address);
        let prefix = match prefix {
            None => width,
            // `parse` would take a sign, and a leading zero may be octal to somebody.
            Some(digits) if digits.len() > 3 || !digits.bytes().all(|c| c.is_ascii_digit()) => {
                return Err(RuleError::Prefix(text.to_owned()));
            }
            Some(digits) => digits.parse().map_err(|_| RuleError::Prefix(text.to_owned()))?,
        };
        if prefix > width {
            return Err(RuleError::Prefix(text.to_owned()));
        }
        if value & !mask(width, prefix) != 0 {
            return Err(RuleError::HostBits(text.to_owned()));
        }
        Ok(Self { address, prefix })
    }
}

fn bits(address: IpAddr) -> (u128, u8) {
    match address {
        IpAddr::V4(address) => (address.to_bits().into(), 32),
        IpAddr::V6(address) => (address.to_bits(), 128),
    }
}

/// The bits of a `width` wide address that its prefix fixes.
fn mask(width: u8, prefix: u8) -> u128 {
    let all = u128::MAX >> (128 - u32::from(width));
    all & !all.checked_shr(prefix.into()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(entries: &[&str]) -> Rules {
        Rules::parse(&entries.iter().map(ToString::to_string).collect::<Vec<_>>()).unwrap()
    }

    #[test]
    fn a_host_is_allowed_as_written_whatever_its_case_and_final_dot() {
        let rules = rules(&["Example.ORG", "tools.internal."]);
        for host in ["example.org", "EXAMPLE.org", "example.org.", "tools.internal", "Tools.Internal."] {
            assert!(rules.allow_host(host), "{host}");
        }
        for host in
            ["www.example.org", "example.org.evil.net", "notexample.org", "example.org..", "", "internal"]
        {
            assert!(!rules.allow_host(host), "{host}");
        }
    }

    #[test]
    fn a_star_allows_every_host_below_a_domain_but_not_the_domain() {
        let rules = rules(&["*.example.org"]);
        for host in ["www.example.org", "a.b.Example.org", "www.example.org."] {
            assert!(rules.allow_host(host), "{host}");
        }
        for host in ["example.org", ".example.org", "notexample.org", "www.example.org.evil.net"] {
            assert!(!rules.allow_host(host), "{host}");
        }
    }

    #[test]
    fn a_network_allows_its_addresses_and_no_others() {
        let rules = rules(&["10.1.0.0/16", "192.168.7.7", "fd00::/8", "[::1]", "169.254.169.254/32"]);
        let allowed = ["10.1.0.0", "10.1.255.255", "192.168.7.7", "fd12::1", "::1", "169.254.169.254"];
        for address in allowed.into_iter().chain(["::ffff:10.1.2.3"]) {
            assert!(rules.allow_address(address.parse().unwrap()), "{address}");
        }
        for address in
            ["10.0.255.255", "10.2.0.0", "192.168.7.6", "fc00::1", "::2", "127.0.0.1", "::ffff:10.2.0.1"]
        {
            assert!(!rules.allow_address(address.parse().unwrap()), "{address}");
        }
    }

    #[test]
    fn a_network_of_no_bits_allows_all_addresses_of_its_family() {
        let rules = rules(&["0.0.0.0/0"]);
        assert!(rules.allow_address("127.0.0.1".parse().unwrap()));
        assert!(!rules.allow_address("::1".parse().unwrap()));
    }

    #[test]
    fn nothing_is_allowed_by_default_but_the_internet() {
        assert!(Rules::default().allow_address("1.1.1.1".parse().unwrap()));
        assert!(!Rules::default().allow_address("127.0.0.1".parse().unwrap()));
        assert!(!Rules::default().allow_host("localhost"));
    }

    #[test]
    fn every_entry_that_cannot_be_read_is_named() {
        let unknown =
            ["", "*", "*.", "a b", "http://example.org", "example.org:80", "user@host", "..", "*.*.org"];
        let unknown = unknown.into_iter().chain(["0x7f.1", "*.127.0.0.1", "example.org/8", "10.0.0/8"]);
        let mut cases: Vec<_> = unknown.map(|entry| (entry, RuleError::Unknown(entry.into()))).collect();
        for entry in ["10.0.0.0/33", "10.0.0.0/", "10.0.0.0/+8", "::/129", "10.0.0.0/0008", "10.0.0.0/8/8"] {
            cases.push((entry, RuleError::Prefix(entry.into())));
        }
        for entry in ["10.0.0.1/8", "fd00::1/8", "1.1.1.1/0"] {
            cases.push((entry, RuleError::HostBits(entry.into())));
        }
        let entries: Vec<_> = cases.iter().map(|(entry, _)| (*entry).to_owned()).collect();
        let expected: Vec<_> = cases.into_iter().map(|(_, error)| error).collect();
        assert_eq!(Rules::parse(&entries), Err(expected.clone()));
        for (entry, error) in entries.iter().zip(expected) {
            assert!(error.to_string().starts_with(&format!("`{entry}` ")), "{error}");
        }
    }
}
