//! Where the link of a mail may lead: to this site and nowhere else.

use url::{Host, Url};

use crate::store::codes::Purpose;

/// The site that links lead to.
#[derive(Debug, Clone)]
pub struct Redirects {
    site: Url,
}

impl Redirects {
    /// Links lead to the site with this address.
    #[must_use]
    pub fn new(site: Url) -> Self {
        Self { site }
    }

    /// The place that was asked for if it is on this site, and nothing otherwise: GoTrue never
    /// complains about it either.
    #[must_use]
    pub fn allowed(&self, asked: Option<&str>) -> Option<Url> {
        let url = Url::parse(asked?).ok()?;
        self.is_ours(&url).then_some(url)
    }

    /// The page that a link of this purpose leads to when no other was asked for.
    #[must_use]
    pub fn usual(&self, purpose: Option<Purpose>) -> Url {
        let mut page = self.site.clone();
        page.set_path(match purpose {
            Some(Purpose::Recovery) => "/recover",
            Some(Purpose::Signup) | None => "/sign-in",
        });
        page
    }

    /// The link of a mail.
    #[must_use]
    pub fn link(&self, token: &str, purpose: &str, redirect_to: &str) -> Url {
        let mut link = self.site.clone();
        link.set_path("/auth/v1/verify");
        link.query_pairs_mut()
            .append_pair("token", token)
            .append_pair("type", purpose)
            .append_pair("redirect_to", redirect_to);
        link
    }

    fn is_ours(&self, url: &Url) -> bool {
        let plain = url.username().is_empty() && url.password().is_none();
        let same_host = url.host() == self.site.host();
        let same_port = url.port_or_known_default() == self.site.port_or_known_default();
        // On one machine the site may be reached by several names, and its port may differ.
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
    fn only_this_site_is_led_to() {
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
