//! Restricts the redirects of mailed links to this site.

use url::form_urlencoded::Serializer;
use url::{Host, Url};

/// Builds links and checks redirects for one site.
#[derive(Debug, Clone)]
pub struct Redirects {
    site: Url,
}

impl Redirects {
    /// For the site with this address.
    #[must_use]
    pub fn new(site: Url) -> Self {
        Self { site }
    }

    /// The requested redirect if it is on this site, otherwise none; like GoTrue, without an error.
    #[must_use]
    pub fn allowed(&self, asked: Option<&str>) -> Option<Url> {
        let url = Url::parse(asked?).ok()?;
        self.is_ours(&url).then_some(url)
    }

    /// The URL of a mailed link: a page of the site. Its parameters are in the fragment, which
    /// browsers send to no server, so no log contains it.
    #[must_use]
    pub fn link(&self, token: &str, kind: &str, redirect_to: Option<&str>) -> Url {
        let mut fields = Serializer::new(String::new());
        fields.append_pair("token_hash", token).append_pair("type", kind);
        if let Some(place) = redirect_to {
            fields.append_pair("redirect_to", place);
        }
        let mut page = self.site.clone();
        page.set_path("/confirm");
        page.set_fragment(Some(&fields.finish()));
        page
    }

    fn is_ours(&self, url: &Url) -> bool {
        let plain = url.username().is_empty() && url.password().is_none();
        let same_host = url.host() == self.site.host();
        let same_port = url.port_or_known_default() == self.site.port_or_known_default();
        // On one machine the site may have several host names and ports.
        let one_machine = is_loopback(url) && is_loopback(&self.site);
        plain && url.scheme() == self.site.scheme() && (one_machine || (same_host && same_port))
    }
}

fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost",
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

#[cfg(test)]
mod tests {
    use super::Redirects;
    use url::Url;

    fn allowed(site: &str, asked: &str) -> bool {
        Redirects::new(Url::parse(site).unwrap()).allowed(Some(asked)).is_some()
    }

    #[test]
    fn redirects_stay_on_this_site() {
        let site = "https://sukoon.example";
        assert!(allowed(site, "https://sukoon.example/booking-flow?serviceId=x#y"));
        assert!(allowed(site, "https://sukoon.example:443/"));
        for elsewhere in [
            "https://evil.example/",
            "http://sukoon.example/",
            "https://sukoon.example:8443/",
            "https://sukoon.example.evil.example/",
            "https://sukoon.example@evil.example/",
            "https://asha@sukoon.example/",
            "https://evil.example/https://sukoon.example/",
            "//evil.example/",
            "/sign-in",
            "javascript:alert(1)",
            "data:text/html,x",
            "http://127.0.0.1:8080/",
            "",
        ] {
            assert!(!allowed(site, elsewhere), "{elsewhere}");
        }
    }

    #[test]
    fn on_one_machine_the_port_and_the_name_of_it_may_differ() {
        let site = "http://127.0.0.1:8080";
        assert!(allowed(site, "http://localhost:5173/sign-in"));
        assert!(allowed(site, "http://[::1]:8080/"));
        assert!(!allowed(site, "http://192.168.1.7:8080/"));
        assert!(!allowed(site, "http://localhost.evil.example/"));
    }
}
