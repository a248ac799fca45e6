//! The proxies of ours whose word about a client's address is believed (`GATEWAY_TRUST_PROXY`).

use std::net::IpAddr;
use std::str::FromStr;

use crate::staff_networks::StaffNetworks;

/// None by default. Behind a proxy that is not listed, all clients have one address.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TrustedProxies {
    /// `false`: no proxy of ours stands before the gateway.
    #[default]
    None,
    /// `true`: every connection comes from one. Only where nothing else reaches the gateway's port.
    All,
    /// The networks of the proxies, such as `127.0.0.1/32,2001:db8::/64`.
    In(StaffNetworks),
}

impl TrustedProxies {
    /// Whether an address is that of a proxy of ours.
    pub(crate) fn contains(&self, address: IpAddr) -> bool {
        match self {
            Self::None => false,
            Self::All => true,
            Self::In(networks) => networks.network_of(address).is_some(),
        }
    }

    /// Which of the addresses that proxies have listed is the client's: the last that none of our
    /// own proxies has.
    pub(crate) fn client_of(&self, listed: &str) -> Option<IpAddr> {
        let mut from_last = listed.rsplit(',').map(|address| address.trim().parse::<IpAddr>().ok());
        match self {
            Self::None => None,
            Self::All => from_last.next()?,
            Self::In(_) => from_last
                .take_while(Option::is_some)
                .flatten()
                .find(|address| !self.contains(*address)),
        }
    }
}

impl FromStr for TrustedProxies {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text.trim() {
            "" | "false" => Ok(Self::None),
            "true" => Ok(Self::All),
            networks => networks.parse().map(Self::In),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::TrustedProxies;
    use std::net::IpAddr;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    #[test]
    fn it_is_a_word_or_a_list_of_networks() {
        assert_eq!("true".parse(), Ok(TrustedProxies::All));
        assert_eq!("false".parse(), Ok(TrustedProxies::None));
        let listed: TrustedProxies = "127.0.0.1/32, 10.0.0.0/8".parse().unwrap();
        for (proxy, expected) in [("127.0.0.1", true), ("10.1.2.3", true), ("127.0.0.2", false)] {
            assert_eq!(listed.contains(address(proxy)), expected, "{proxy}");
        }
        assert!("yes".parse::<TrustedProxies>().is_err());
    }

    #[test]
    fn the_client_is_the_last_address_that_is_no_proxy_of_ours() {
        let listed: TrustedProxies = "10.0.0.0/8".parse().unwrap();
        let client = address("198.51.100.7");
        assert_eq!(listed.client_of("203.0.113.9, 198.51.100.7, 10.0.0.2"), Some(client));
        assert_eq!(listed.client_of("203.0.113.9, rubbish, 10.0.0.2"), None);
        assert_eq!(listed.client_of("10.0.0.3, 10.0.0.2"), None);
        assert_eq!(TrustedProxies::All.client_of("203.0.113.9, 198.51.100.7"), Some(client));
        assert_eq!(TrustedProxies::None.client_of("203.0.113.9"), None);
    }
}
