//! The caller of a request: its network address, the network that limits count for, and the
//! request's reference id.

use std::net::{IpAddr, Ipv6Addr};

use http::{HeaderMap, HeaderName};

use crate::trusted_proxies::TrustedProxies;

pub(crate) const FORWARDED_FOR: HeaderName = HeaderName::from_static("x-forwarded-for");

/// The caller: its network address and the reference id of its request.
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    pub(crate) address: IpAddr,
    pub(crate) reference: String,
    /// The network that the practice has listed and the address is in; none for other addresses.
    pub(crate) staff_network: Option<String>,
}

/// The address that rate limits count for. `X-Forwarded-For` is believed only of a proxy of ours.
pub(crate) fn address_of(peer: IpAddr, headers: &HeaderMap, proxies: &TrustedProxies) -> IpAddr {
    if !proxies.contains(peer) {
        return peer;
    }
    let listed = headers.get_all(FORWARDED_FOR).iter().next_back();
    let client = listed.and_then(|value| value.to_str().ok());
    client.and_then(|listed| proxies.client_of(listed)).unwrap_or(peer)
}

/// A subscriber has a whole IPv6 /64, so its addresses count as one.
pub(crate) fn network_prefix(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        IpAddr::V6(address) => {
            let bits = u128::from(address) & (u128::MAX << 64);
            IpAddr::V6(Ipv6Addr::from(bits))
        }
    }
}

/// The network for the log of account security: a /24 or a /64, as the identity server writes it.
pub(crate) fn network_text(address: IpAddr) -> String {
    match network_prefix(address) {
        IpAddr::V4(address) => {
            let [a, b, c, _] = address.octets();
            format!("{a}.{b}.{c}.0/24")
        }
        IpAddr::V6(prefix) => format!("{prefix}/64"),
    }
}

#[cfg(test)]
mod tests {
    use super::{FORWARDED_FOR, address_of, network_prefix, network_text};
    use crate::trusted_proxies::TrustedProxies;
    use http::HeaderMap;
    use std::net::IpAddr;

    #[test]
    fn a_claimed_address_counts_only_behind_our_own_proxy() {
        let peer: IpAddr = "192.0.2.1".parse().unwrap();
        let mut headers = HeaderMap::new();
        headers.append(FORWARDED_FOR, "203.0.113.9, 198.51.100.7".parse().unwrap());
        let claimed: IpAddr = "198.51.100.7".parse().unwrap();
        let [ours, others] = ["192.0.2.0/24", "192.0.3.0/24"].map(|list| list.parse().unwrap());
        assert_eq!(address_of(peer, &headers, &TrustedProxies::None), peer);
        assert_eq!(address_of(peer, &headers, &others), peer);
        assert_eq!(address_of(peer, &headers, &ours), claimed);
        assert_eq!(address_of(peer, &headers, &TrustedProxies::All), claimed);
        headers.insert(FORWARDED_FOR, "rubbish".parse().unwrap());
        assert_eq!(address_of(peer, &headers, &TrustedProxies::All), peer);
    }

    #[test]
    fn addresses_of_one_ipv6_prefix_count_as_one() {
        let of = |text: &str| network_prefix(text.parse().unwrap());
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:2"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("::ffff:192.0.2.1"), of("192.0.2.1"));
        assert_ne!(of("192.0.2.1"), of("192.0.2.2"));
        assert_eq!(network_text("192.0.2.77".parse().unwrap()), "192.0.2.0/24");
        assert_eq!(network_text("2001:db8::1".parse().unwrap()), "2001:db8::/64");
    }
}
