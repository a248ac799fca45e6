//! Which addresses may be asked for a calendar: those of the public internet. Names are resolved
//! here and only here, and the connection goes to what was checked, so that no name can lead
//! elsewhere between the check and the connection.

use std::error::Error;
use std::fmt;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

use reqwest::dns::{Addrs, Name, Resolve, Resolving};
use url::{Host, Url};

/// A name has an address that may not be asked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct NotPublic;

impl fmt::Display for NotPublic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the name leads to an address that is not public")
    }
}

impl Error for NotPublic {}

/// Resolves names and refuses those with an address that is not public, even among public ones.
#[derive(Debug, Clone, Copy)]
pub(super) struct PublicAddresses;

impl Resolve for PublicAddresses {
    fn resolve(&self, name: Name) -> Resolving {
        Box::pin(async move {
            let found = tokio::net::lookup_host((name.as_str(), 0)).await?;
            let addresses: Vec<SocketAddr> = found.collect();
            if !addresses.iter().all(|address| is_public(address.ip())) {
                return Err(NotPublic.into());
            }
            let addresses: Addrs = Box::new(addresses.into_iter());
            Ok(addresses)
        })
    }
}

/// Whether a request failed because its name leads to an address that is not public.
pub(super) fn is_refusal(error: &(dyn Error + 'static)) -> bool {
    let mut cause = Some(error);
    while let Some(error) = cause {
        if error.is::<NotPublic>() {
            return true;
        }
        cause = error.source();
    }
    false
}

/// Whether an address may be asked as far as it says itself; a name is checked when it is resolved.
pub(super) fn may_be_asked(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => !name.is_empty(),
        Some(Host::Ipv4(address)) => is_public(address.into()),
        Some(Host::Ipv6(address)) => is_public(address.into()),
        None => false,
    }
}

/// Whether an address belongs to the public internet.
fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// The special ranges of IPv4 (RFC 6890).
fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let special = match (a, b, c) {
        // This network, and what is reserved, broadcast and multicast.
        (0 | 224..=255, _, _)
        // Private networks, and those between a provider and its customers.
        | (10, _, _)
        | (172, 16..=31, _)
        | (192, 168, _)
        | (100, 64..=127, _)
        // Loopback and link-local.
        | (127, _, _)
        | (169, 254, _)
        // Protocol assignments, documentation, 6to4 relays, benchmarks.
        | (192, 0, 0 | 2)
        | (192, 88, 99)
        | (198, 18..=19, _)
        | (198, 51, 100)
        | (203, 0, 113) => true,
        _ => false,
    };
    !special
}

/// Global unicast alone (2000::/3), without its special ranges, and IPv4 inside IPv6 by IPv4's
/// rules.
fn is_public_v6(address: Ipv6Addr) -> bool {
    if let Some(mapped) = address.to_ipv4_mapped() {
        return is_public_v4(mapped);
    }
    let segments = address.segments();
    let embedded = |high: u16, low: u16| {
        let ([a, b], [c, d]) = (high.to_be_bytes(), low.to_be_bytes());
        is_public_v4(Ipv4Addr::new(a, b, c, d))
    };
    match segments {
        // Translation between both (RFC 6052).
        [0x64, 0xff9b, 0, 0, 0, 0, high, low] => embedded(high, low),
        // 6to4 has an IPv4 address inside.
        [0x2002, high, low, ..] => embedded(high, low),
        // Protocol assignments with Teredo, and documentation.
        [0x2001, 0..=0x1ff, ..] | [0x2001, 0xdb8, ..] | [0x3fff, 0..=0xfff, ..] => false,
        [first, ..] => (0x2000..=0x3fff).contains(&first),
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::{is_public, may_be_asked};

    #[test]
    fn only_addresses_of_the_public_internet_are_public() {
        for public in [
            "1.1.1.1",
            "8.8.8.8",
            "100.63.255.255",
            "100.128.0.0",
            "172.15.255.255",
            "172.32.0.0",
            "192.0.1.1",
            "192.169.0.1",
            "198.17.0.1",
            "198.20.0.1",
            "203.0.112.1",
            "223.255.255.255",
            "2606:4700::1111",
            "2a00:1450:4001::200e",
            "2400:cb00::1",
            "::ffff:8.8.8.8",
            "64:ff9b::8.8.8.8",
            "2002:808:808::1",
            "2001:4860::8888",
        ] {
            assert!(is_public(public.parse().unwrap()), "{public}");
        }
        for special in [
            "0.0.0.0",
            "0.1.2.3",
            "10.0.0.1",
            "100.64.0.1",
            "100.127.255.255",
            "127.0.0.1",
            "127.255.255.255",
            "169.254.169.254",
            "172.16.0.1",
            "172.31.255.255",
            "192.0.0.8",
            "192.0.2.1",
            "192.88.99.1",
            "192.168.1.1",
            "198.18.0.1",
            "198.19.255.255",
            "198.51.100.7",
            "203.0.113.7",
            "224.0.0.1",
            "239.255.255.255",
            "240.0.0.1",
            "255.255.255.255",
            "::",
            "::1",
            "::ffff:127.0.0.1",
            "::ffff:10.0.0.1",
            "::ffff:169.254.169.254",
            "::10.0.0.1",
            "fe80::1",
            "fec0::1",
            "fc00::1",
            "fd12::1",
            "ff02::1",
            "64:ff9b::10.0.0.1",
            "64:ff9b:1::1",
            "100::1",
            "2001::1",
            "2001:10::1",
            "2001:db8::1",
            "2002:a00:1::1",
            "2002:7f00:1::",
            "3fff::1",
            "4000::1",
        ] {
            assert!(!is_public(special.parse().unwrap()), "{special}");
        }
    }

    #[test]
    fn an_address_in_any_spelling_is_checked() {
        for wrong in [
            "https://127.0.0.1/",
            "https://127.1/",
            "https://2130706433/",
            "https://0x7f000001/",
            "https://0177.0.0.1/",
            "https://[::1]/",
            "https://[::ffff:127.0.0.1]/",
            "https://[fe80::1]/",
            "https://169.254.169.254/latest/",
            "https://10.0.0.1:8443/",
            "https://１２７.0.0.1/",
            "https://user:word@192.168.0.1/",
        ] {
            assert!(!may_be_asked(&Url::parse(wrong).unwrap()), "{wrong}");
        }
        for good in
            ["https://calendar.example.org/x.ics", "https://8.8.8.8/", "https://[2606:4700::1]/"]
        {
            assert!(may_be_asked(&Url::parse(good).unwrap()), "{good}");
        }
    }
}
