//! Which host names are the sandbox's own.

use std::net::IpAddr;

use axum::http::uri::Authority;

/// The names of the sandbox's own addresses, and those that a setting lists.
pub(crate) fn names(urls: [&str; 2], listed: &str) -> Vec<String> {
    let own = urls.into_iter().filter_map(|url| {
        let rest = url.split_once("://")?.1;
        let authority: Authority = rest.split('/').next()?.parse().ok()?;
        Some(authority.host().to_ascii_lowercase())
    });
    let listed = listed.split([',', ' ']).filter(|name| !name.is_empty());
    own.chain(listed.map(str::to_ascii_lowercase)).collect()
}

/// An address in figures is no name that someone else could own.
pub(crate) fn is_ours(host: &str, names: &[String]) -> bool {
    let host = host.to_ascii_lowercase();
    let figures = host.trim_start_matches('[').trim_end_matches(']');
    figures.parse::<IpAddr>().is_ok()
        || host == "localhost"
        || host.ends_with(".localhost")
        || names.contains(&host)
}

#[cfg(test)]
mod tests {
    use super::{is_ours, names};

    #[test]
    fn names_of_others_are_not_ours() {
        let names = names(["http://desk.local:8090", "http://localhost:8090/x"], "sandbox, Other");
        assert_eq!(names, ["desk.local", "localhost", "sandbox", "other"]);
        for ours in ["localhost", "risk.localhost", "127.0.0.1", "[::1]", "desk.local", "OTHER"] {
            assert!(is_ours(ours, &names), "{ours}");
        }
        for other in ["evil.example", "localhost.evil.example", "127.0.0.1.evil.example", ""] {
            assert!(!is_ours(other, &names), "{other}");
        }
    }
}
