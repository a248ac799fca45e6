//! The host names under which the gateway answers (`GATEWAY_HOSTS`). A page of another site can
//! make its own name lead to this machine, and would then read our answers as its own (DNS
//! rebinding); under a name that is not ours it gets nothing. An address in figures is no name that
//! someone else could own, so load balancers and health checks that use one are answered.

use std::net::IpAddr;

use axum::response::{IntoResponse as _, Response};
use http::uri::Authority;
use http::{HeaderValue, Request, StatusCode, Uri, Version, header};

use crate::host_names::HostNames;
use crate::routes::PROBES;

/// The answer to a request that does not say whom it asks.
const UNNAMED: &str = "A request has one Host header.\n";

/// The names that are ours.
#[derive(Clone, Debug)]
pub(crate) struct Hosts {
    names: Vec<String>,
    refusal: String,
}

impl Hosts {
    /// The site's own name, and those that a setting lists.
    pub(crate) fn new(public: &Uri, listed: &HostNames) -> Self {
        let own = public.host().unwrap_or_default().to_ascii_lowercase();
        let refusal = format!(
            "Nothing is served under this host name. The site is at {}. \
             If the name is yours, add it to GATEWAY_HOSTS.\n",
            crate::site_cookie::origin(public)
        );
        Self {
            names: [own].into_iter().chain(listed.as_slice().iter().cloned()).collect(),
            refusal,
        }
    }

    /// The refusal of a request under another name, and of one by HTTP/1.1 that has no host or
    /// several (RFC 9112, 3.2), of which another server may take another one. Probes tell nothing
    /// that another site could use, and come under the names of pods and services.
    pub(crate) fn refusal_of<B>(&self, request: &Request<B>) -> Option<Response> {
        if PROBES.contains(&request.uri().path()) {
            return None;
        }
        let named = request.headers().get_all(header::HOST);
        if request.version() == Version::HTTP_11 && named.iter().count() != 1 {
            return Some(refused(StatusCode::BAD_REQUEST, UNNAMED.to_owned()));
        }
        let named = named.iter();
        let from_head = named.map(|host| host.to_str().ok().and_then(|host| host.parse().ok()));
        let from_line = request.uri().authority().cloned().map(Some);
        let is_ours = |host: Authority| !host.as_str().contains('@') && self.are_ours(host.host());
        let all_are_ours =
            from_head.chain(from_line).all(|host: Option<Authority>| host.is_some_and(is_ours));
        (!all_are_ours).then(|| refused(StatusCode::MISDIRECTED_REQUEST, self.refusal.clone()))
    }

    fn are_ours(&self, host: &str) -> bool {
        let host = host.to_ascii_lowercase();
        let host = host.strip_suffix('.').unwrap_or(&host);
        let figures = host.trim_start_matches('[').trim_end_matches(']');
        figures.parse::<IpAddr>().is_ok()
            || host == "localhost"
            || host.ends_with(".localhost")
            || self.names.iter().any(|name| match name.strip_prefix('*') {
                Some(below) => host.ends_with(below),
                None => host == name,
            })
    }
}

fn refused(status: StatusCode, sentence: String) -> Response {
    let kind = HeaderValue::from_static("text/plain; charset=utf-8");
    let kept = HeaderValue::from_static("no-store");
    let headers = [(header::CONTENT_TYPE, kind), (header::CACHE_CONTROL, kept)];
    (status, headers, sentence).into_response()
}

#[cfg(test)]
mod tests {
    use http::{Request, StatusCode, Version};

    use super::{HostNames, Hosts};

    fn status(path: &str, hosts: &[&str]) -> Option<StatusCode> {
        status_by(Version::HTTP_11, path, hosts)
    }

    fn status_by(version: Version, path: &str, hosts: &[&str]) -> Option<StatusCode> {
        let listed: HostNames = "desk.local, *.practice.example".parse().unwrap();
        let ours = Hosts::new(&"https://Sukoon.example".parse().unwrap(), &listed);
        let mut request = Request::get(path).version(version);
        for host in hosts {
            request = request.header("host", *host);
        }
        ours.refusal_of(&request.body(()).unwrap()).map(|answer| answer.status())
    }

    #[test]
    fn only_names_of_ours_and_addresses_in_figures_are_answered() {
        for ours in [
            "sukoon.example",
            "SUKOON.example:8443",
            "sukoon.example.",
            "localhost:8080",
            "risk.localhost",
            "127.0.0.1:8080",
            "192.168.1.20",
            "[::1]:8080",
            "desk.local",
            "www.practice.example",
        ] {
            assert_eq!(status("/", &[ours]), None, "{ours}");
        }
        let misdirected = Some(StatusCode::MISDIRECTED_REQUEST);
        for other in [
            "evil.example",
            "evil.example:8080",
            "sukoon.example.evil.example",
            "evilsukoon.example",
            "practice.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "evil@sukoon.example:x",
            "",
        ] {
            assert_eq!(status("/", &[other]), misdirected, "{other}");
        }
        assert_eq!(status("http://evil.example/", &["sukoon.example"]), misdirected);
        assert_eq!(status("/livez", &["evil.example"]), None);
    }

    #[test]
    fn a_request_has_one_host() {
        let bad = Some(StatusCode::BAD_REQUEST);
        for hosts in [&[][..], &["sukoon.example", "evil.example"], &["localhost", "localhost"]] {
            assert_eq!(status("/", hosts), bad, "{hosts:?}");
            assert_eq!(status("/livez", hosts), None, "{hosts:?}");
        }
        // HTTP/1.0 needs none, and HTTP/2 says it in its own way.
        for version in [Version::HTTP_10, Version::HTTP_2] {
            assert_eq!(status_by(version, "/", &[]), None);
        }
    }
}
