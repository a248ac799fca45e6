//! By which way a consent was given, and what proves that.

use std::net::{IpAddr, Ipv6Addr};

use kernel::Timestamp;
use uuid::Uuid;

/// The longest name of a browser that is kept, in characters.
const USER_AGENT_MAX: usize = 300;

kernel::words! {
    /// The way by which a consent was given.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum Channel {
        /// By the session of the client's account.
        Account = "account",
        /// On the page of a booking by phone, which its key opened.
        Page = "page",
        /// Not known: it was given on such a page before the way was recorded, by a key that staff
        /// had seen too; or the word is of a later release.
        #[default]
        Unknown = "unknown",
    }
}

/// The way, and what was seen of it. Personal data.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Proof {
    /// The way.
    pub channel: Channel,
    /// The session of the account.
    pub session_id: Option<Uuid>,
    /// Names the key of the page; it is not the key.
    pub page_key: Option<String>,
    /// The network, without the last part of its address.
    pub network: Option<String>,
    /// What the browser calls itself.
    pub user_agent: Option<String>,
    /// The address to which the code was mailed that was typed.
    pub code_mailed_to: Option<String>,
    /// When the code was typed.
    pub code_confirmed_at: Option<Timestamp>,
}

/// Prints no data, so that it never reaches a log.
impl std::fmt::Debug for Proof {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Proof({})", self.channel.word())
    }
}

/// The network of an address: a /24 or a /64, as the log of account security has it.
#[must_use]
pub fn network_of(address: IpAddr) -> String {
    match address.to_canonical() {
        IpAddr::V4(address) => {
            let [a, b, c, _] = address.octets();
            format!("{a}.{b}.{c}.0/24")
        }
        IpAddr::V6(address) => {
            let prefix = u128::from(address) & (u128::MAX << 64);
            format!("{}/64", Ipv6Addr::from(prefix))
        }
    }
}

/// What a browser calls itself, on one line of a sensible length; `None` where it says nothing.
#[must_use]
pub fn user_agent(told: &str) -> Option<String> {
    let plain = told.chars().map(|c| if c.is_control() { ' ' } else { c });
    let plain: String = plain.take(USER_AGENT_MAX).collect();
    let plain = plain.trim();
    (!plain.is_empty()).then(|| plain.to_owned())
}

#[cfg(test)]
mod tests {
    use super::{Channel, network_of, user_agent};

    #[test]
    fn each_channel_is_read_as_it_was_stored() {
        for &channel in Channel::ALL {
            assert_eq!(Channel::from_word(channel.word()), Some(channel));
        }
        assert_eq!(Channel::from_word("telepathy").unwrap_or_default(), Channel::Unknown);
    }

    #[test]
    fn a_network_has_no_single_address() {
        for (address, network) in [
            ("192.0.2.77", "192.0.2.0/24"),
            ("::ffff:192.0.2.77", "192.0.2.0/24"),
            ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ] {
            assert_eq!(network_of(address.parse().unwrap()), network);
        }
    }

    #[test]
    fn a_browser_stands_on_one_line() {
        assert_eq!(user_agent("Fire\r\nfox"), Some("Fire  fox".to_owned()));
        assert_eq!(user_agent(" \u{7} "), None);
        assert_eq!(user_agent(&"x".repeat(999)).unwrap().len(), 300);
    }
}
