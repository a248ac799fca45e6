//! The client of the current request: its network, as the gateway names it, its device tokens, and
//! where it wants to be led.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use axum::extract::Request;
use axum::http::HeaderMap;
use axum::middleware::Next;
use axum::response::Response;

use crate::guard::device;

/// Written by the gateway, which removes the client's own.
const FORWARDED_FOR: &str = "x-forwarded-for";
/// Where the client wants to be led.
const REDIRECT_TO: &str = "redirect_to";

tokio::task_local! {
    static CURRENT: Caller;
}

/// Where a request comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Origin {
    /// A client, through the gateway.
    Address(IpAddr),
    /// A service or a command on this side of the gateway.
    Inside,
    /// Not known, because no request is being answered in this task.
    Unknown,
}

/// The client of a request.
#[derive(Debug, Clone)]
pub struct Caller {
    origin: Origin,
    devices: Option<String>,
    redirect_to: Option<String>,
    referer: Option<String>,
}

impl Caller {
    /// The client that sent these headers.
    #[must_use]
    pub fn of(headers: &HeaderMap) -> Self {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        // The last entry is the gateway's own.
        let address =
            text(FORWARDED_FOR).and_then(|list| list.rsplit(',').next()?.trim().parse().ok());
        let owned = |name: &str| text(name).filter(|text| !text.is_empty()).map(str::to_owned);
        Self {
            origin: address.map_or(Origin::Inside, Origin::Address),
            devices: text(device::HEADER).map(str::to_owned),
            redirect_to: owned(REDIRECT_TO),
            referer: owned("referer"),
        }
    }

    /// The client of the request that this task answers. A task that is spawned for a transaction
    /// doesn't know it, so it is read before.
    #[must_use]
    pub fn current() -> Self {
        let origin = Origin::Unknown;
        let unknown = Self { origin, devices: None, redirect_to: None, referer: None };
        CURRENT.try_with(Clone::clone).unwrap_or(unknown)
    }

    /// Where the request comes from.
    #[must_use]
    pub fn origin(&self) -> Origin {
        self.origin
    }

    /// The device tokens, as the client sent them.
    #[must_use]
    pub fn devices(&self) -> Option<&str> {
        self.devices.as_deref()
    }

    /// The header `redirect_to`, which the contract reads before the parameter.
    #[must_use]
    pub fn redirect_to(&self) -> Option<&str> {
        self.redirect_to.as_deref()
    }

    /// The page that the request comes from.
    #[must_use]
    pub fn referer(&self) -> Option<&str> {
        self.referer.as_deref()
    }

    /// The network for the log: a whole address would tell a person's connection.
    #[must_use]
    pub fn network_text(&self) -> String {
        match self.origin {
            Origin::Inside => "inside".to_owned(),
            Origin::Unknown => "unknown".to_owned(),
            Origin::Address(address) => match network(address) {
                IpAddr::V4(network) => format!("{network}/24"),
                IpAddr::V6(network) => format!("{network}/64"),
            },
        }
    }
}

/// Middleware: makes the client known to everything that answers the request.
pub async fn recognise(request: Request, next: Next) -> Response {
    let caller = Caller::of(request.headers());
    CURRENT.scope(caller, next.run(request)).await
}

/// The network of an address: a /24 of IPv4, a /64 of IPv6.
#[must_use]
pub fn network(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            let [a, b, c, _] = address.octets();
            IpAddr::V4(Ipv4Addr::new(a, b, c, 0))
        }
        IpAddr::V6(address) => IpAddr::V6(Ipv6Addr::from(u128::from(address) & (u128::MAX << 64))),
    }
}

/// What one subscriber has: an address of IPv4, a /64 of IPv6.
#[must_use]
pub fn subscriber(address: IpAddr) -> IpAddr {
    match address.to_canonical() {
        IpAddr::V4(address) => IpAddr::V4(address),
        v6 @ IpAddr::V6(_) => network(v6),
    }
}

/// Whether it is the usual address of this machine itself. Then it may be a proxy's in front of a
/// gateway that does not trust it, and stands for all visitors: it has no limits of a network.
#[must_use]
pub fn is_this_machine(address: IpAddr) -> bool {
    let address = address.to_canonical();
    address == IpAddr::V4(Ipv4Addr::LOCALHOST) || address == IpAddr::V6(Ipv6Addr::LOCALHOST)
}

/// The address that limits of a network are counted for.
#[must_use]
pub fn network_address(caller: &Caller) -> Option<IpAddr> {
    match caller.origin() {
        Origin::Address(address) if !is_this_machine(address) => Some(address),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Caller, Origin, is_this_machine, network, subscriber};
    use axum::http::HeaderMap;
    use std::net::IpAddr;

    fn caller(forwarded: &str) -> Caller {
        Caller::of(&HeaderMap::from_iter([(
            "x-forwarded-for".parse().unwrap(),
            forwarded.parse().unwrap(),
        )]))
    }

    #[test]
    fn the_last_address_is_the_gateways_word() {
        let last: IpAddr = "198.51.100.7".parse().unwrap();
        assert_eq!(caller("203.0.113.9, 198.51.100.7").origin(), Origin::Address(last));
        assert_eq!(caller("rubbish").origin(), Origin::Inside);
        assert_eq!(Caller::of(&HeaderMap::new()).origin(), Origin::Inside);
        assert_eq!(Caller::current().origin(), Origin::Unknown);
    }

    #[test]
    fn networks_are_what_one_customer_of_a_provider_may_have() {
        let of = |text: &str| network(text.parse().unwrap()).to_string();
        assert_eq!(of("192.0.2.77"), "192.0.2.0");
        assert_eq!(of("::ffff:192.0.2.77"), "192.0.2.0");
        assert_eq!(of("2001:db8:1:2:3::4"), "2001:db8:1:2::");
        let one = |text: &str| subscriber(text.parse().unwrap()).to_string();
        assert_eq!(one("192.0.2.77"), "192.0.2.77");
        assert_eq!(one("2001:db8:1:2:3::4"), "2001:db8:1:2::");
        assert_eq!(caller("192.0.2.77").network_text(), "192.0.2.0/24");
        let own = |text: &str| is_this_machine(text.parse().unwrap());
        assert!(own("127.0.0.1") && own("::1") && own("::ffff:127.0.0.1"));
        assert!(!own("127.0.0.2") && !own("192.0.2.1"));
    }
}
