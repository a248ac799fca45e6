//! The networks from which staff need no second factor (`GATEWAY_STAFF_NETWORKS`).

use std::net::IpAddr;
use std::str::FromStr;

/// A list of networks, such as `192.0.2.0/24,2001:db8::/56`; empty by default.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct StaffNetworks(Vec<Network>);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Network {
    address: IpAddr,
    prefix: u32,
}

impl Network {
    /// The bits of an address that count, at the top of 128.
    fn bits(self, address: IpAddr) -> Option<u128> {
        let top = match (self.address, address) {
            (IpAddr::V4(_), IpAddr::V4(address)) => u128::from(u32::from(address)) << 96,
            (IpAddr::V6(_), IpAddr::V6(address)) => u128::from(address),
            (IpAddr::V4(_), IpAddr::V6(_)) | (IpAddr::V6(_), IpAddr::V4(_)) => return None,
        };
        Some(top & u128::MAX.checked_shl(128 - self.prefix).unwrap_or_default())
    }

    fn contains(self, address: IpAddr) -> bool {
        let bits = self.bits(address);
        bits.is_some() && bits == self.bits(self.address)
    }
}

impl FromStr for Network {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || format!("\"{text}\" is no network such as 192.0.2.0/24");
        let (address, prefix) = text.split_once('/').ok_or_else(wrong)?;
        let address: IpAddr = address.parse().map_err(|_malformed| wrong())?;
        let prefix: u32 = prefix.parse().map_err(|_malformed| wrong())?;
        let longest = if address.is_ipv4() { 32 } else { 128 };
        // A network of all addresses would switch the second factor off for everyone.
        if !(1..=longest).contains(&prefix) {
            return Err(wrong());
        }
        let network = Self { address, prefix };
        let whole = Self { prefix: longest, ..network };
        if whole.bits(address) != network.bits(address) {
            return Err(format!("\"{text}\" has bits behind its prefix"));
        }
        Ok(network)
    }
}

impl FromStr for StaffNetworks {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
        parts.map(str::parse).collect::<Result<_, _>>().map(Self)
    }
}

impl StaffNetworks {
    /// The listed network that an address is in, as text.
    pub(crate) fn network_of(&self, address: IpAddr) -> Option<String> {
        let address = address.to_canonical();
        let network = self.0.iter().find(|network| network.contains(address))?;
        Some(format!("{}/{}", network.address, network.prefix))
    }
}

#[cfg(test)]
mod tests {
    use super::StaffNetworks;

    #[test]
    fn an_address_is_in_the_network_of_its_prefix() {
        let listed: StaffNetworks =
            "192.0.2.0/24, 2001:db8:1::/48,198.51.100.7/32".parse().unwrap();
        let of = |address: &str| listed.network_of(address.parse().unwrap());
        assert_eq!(of("192.0.2.77").as_deref(), Some("192.0.2.0/24"));
        assert_eq!(of("::ffff:192.0.2.77").as_deref(), Some("192.0.2.0/24"));
        assert_eq!(of("2001:db8:1:2::3").as_deref(), Some("2001:db8:1::/48"));
        assert_eq!(of("198.51.100.7").as_deref(), Some("198.51.100.7/32"));
        for outside in ["192.0.3.1", "2001:db8:2::1", "198.51.100.8", "127.0.0.1", "::1"] {
            assert_eq!(of(outside), None, "{outside}");
        }
        let nothing: StaffNetworks = "".parse().unwrap();
        assert_eq!(nothing.network_of("127.0.0.1".parse().unwrap()), None);
    }

    #[test]
    fn what_is_no_network_is_refused() {
        for text in ["192.0.2.0", "192.0.2.0/33", "0.0.0.0/0", "::/0", "192.0.2.1/24", "x/8", "/8"]
        {
            assert!(text.parse::<StaffNetworks>().is_err(), "{text}");
        }
    }
}
