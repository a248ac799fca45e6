//! The device of a session in plain words, for its owner: enough to recognise it, no more.

use std::net::IpAddr;

/// Marks of browsers in a user agent, the most specific first: most name several others, too.
const BROWSERS: &[(&str, &str)] = &[
    ("Edg", "Edge"),
    ("OPR/", "Opera"),
    ("SamsungBrowser/", "Samsung Internet"),
    ("FxiOS/", "Firefox"),
    ("Firefox/", "Firefox"),
    ("CriOS/", "Chrome"),
    ("Chromium/", "Chromium"),
    ("Chrome/", "Chrome"),
    ("Safari/", "Safari"),
];
/// Marks of systems.
const SYSTEMS: &[(&str, &str)] = &[
    ("iPhone", "iPhone"),
    ("iPad", "iPad"),
    ("Android", "Android"),
    ("Windows", "Windows"),
    ("CrOS", "ChromeOS"),
    ("Macintosh", "Mac"),
    ("Linux", "Linux"),
];

/// A user agent in words: `Chrome on Windows`; `another program` when it names no browser.
#[must_use]
pub fn words(user_agent: &str) -> String {
    let named = |marks: &[(&str, &'static str)]| {
        marks.iter().find(|(mark, _)| user_agent.contains(mark)).map(|(_, name)| *name)
    };
    match (named(BROWSERS), named(SYSTEMS)) {
        (Some(browser), Some(system)) => format!("{browser} on {system}"),
        (Some(browser), None) => browser.to_owned(),
        (None, Some(system)) => format!("another program on {system}"),
        (None, None) => "another program".to_owned(),
    }
}

/// A network address without its last part: `203.0.113.x`, or `2001:db8:1::`; empty when it is no
/// address.
#[must_use]
pub fn short_network(address: &str) -> String {
    match address.parse::<IpAddr>().map(|address| address.to_canonical()) {
        Ok(IpAddr::V4(address)) => {
            let [a, b, c, _] = address.octets();
            format!("{a}.{b}.{c}.x")
        }
        Ok(IpAddr::V6(address)) => {
            let [a, b, c, ..] = address.segments();
            format!("{a:x}:{b:x}:{c:x}::")
        }
        Err(_no_address) => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::{short_network, words};

    #[test]
    fn browsers_and_systems_are_named() {
        for (user_agent, expected) in [
            (
                "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) \
                 Chrome/141.0.0.0 Safari/537.36 Edg/141.0.0.0",
                "Edge on Windows",
            ),
            (
                "Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 \
                 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1",
                "Safari on iPhone",
            ),
            (
                "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) \
                 Chrome/141.0.0.0 Mobile Safari/537.36",
                "Chrome on Android",
            ),
            (
                "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0",
                "Firefox on Linux",
            ),
            ("okhttp/4.12.0", "another program"),
            ("", "another program"),
        ] {
            assert_eq!(words(user_agent), expected, "{user_agent}");
        }
    }

    #[test]
    fn networks_lose_their_last_part() {
        assert_eq!(short_network("203.0.113.77"), "203.0.113.x");
        assert_eq!(short_network("::ffff:203.0.113.77"), "203.0.113.x");
        assert_eq!(short_network("2001:db8:1:2:3:4:5:6"), "2001:db8:1::");
        assert_eq!(short_network("unknown"), "");
    }
}
