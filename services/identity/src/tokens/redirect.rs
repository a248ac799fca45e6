//! Restricts the redirects of mailed links to this site and to the origins that are allowed.

use url::form_urlencoded::Serializer;
use url::{Host, Url};

/// Builds links and checks redirects for one site.
#[derive(Debug, Clone)]
pub struct Redirects {
    site: Url,
    /// Other origins that are allowed.
    origins: Vec<Url>,
    /// The base of `GET /verify`, where mails link to it.
    verify_base: Option<String>,
}

impl Redirects {
    /// For the site with this address. Links lead to `verify_base` if there is one, otherwise to a
    /// page of the site.
    #[must_use]
    pub fn new(site: Url, origins: &[Url], verify_base: Option<&str>) -> Self {
        Self { site, origins: origins.to_vec(), verify_base: verify_base.map(str::to_owned) }
    }

    /// The site's address.
    #[must_use]
    pub fn site(&self) -> &Url {
        &self.site
    }

    /// The requested redirect if it is on this site or an allowed origin, otherwise none; like
    /// GoTrue, without an error.
    #[must_use]
    pub fn allowed(&self, asked: Option<&str>) -> Option<Url> {
        let url = Url::parse(asked?).ok()?;
        (self.is_ours(&url) || self.is_allowed_origin(&url)).then_some(url)
    }

    /// The URL of a mailed link.
    #[must_use]
    pub fn link(&self, token: &str, kind: &str, redirect_to: Option<&str>) -> Url {
        let base = self
            .verify_base
            .as_deref()
            .and_then(|base| Url::parse(&format!("{}/verify", base.trim_end_matches('/'))).ok());
        let Some(mut verify) = base else { return self.page(token, kind, redirect_to) };
        let site = self.site.as_str();
        verify
            .query_pairs_mut()
            .append_pair("token", token)
            .append_pair("type", kind)
            .append_pair("redirect_to", redirect_to.unwrap_or(site));
        verify
    }

    /// The page of the site whose button redeems a link. Its parameters are in the fragment, which
    /// browsers send to no server, so no log contains it.
    #[must_use]
    pub fn page(&self, token: &str, kind: &str, redirect_to: Option<&str>) -> Url {
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

    fn is_allowed_origin(&self, url: &Url) -> bool {
        let plain = url.username().is_empty() && url.password().is_none();
        plain && self.origins.iter().any(|allowed| allowed.origin() == url.origin())
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
        Redirects::new(Url::parse(site).unwrap(), &[], None).allowed(Some(asked)).is_some()
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

    #[test]
    fn other_origins_are_allowed_by_setting_only() {
        let other = [Url::parse("https://app.example:8443").unwrap()];
        let redirects = Redirects::new(Url::parse("https://sukoon.example").unwrap(), &other, None);
        assert!(redirects.allowed(Some("https://app.example:8443/callback?next=1")).is_some());
        for elsewhere in [
            "https://app.example/",
            "http://app.example:8443/",
            "https://x@app.example:8443/",
            "https://app.example:8443.evil.example/",
        ] {
            assert!(redirects.allowed(Some(elsewhere)).is_none(), "{elsewhere}");
        }
    }

    #[test]
    fn links_lead_to_the_page_or_where_the_setting_says_so_to_the_call() {
        let site = Url::parse("https://sukoon.example").unwrap();
        let page = Redirects::new(site.clone(), &[], None).link("t", "signup", None);
        assert_eq!(page.as_str(), "https://sukoon.example/confirm#token_hash=t&type=signup");
        let call = Redirects::new(site, &[], Some("https://sukoon.example/auth/v1"));
        assert_eq!(
            call.link("t", "signup", None).as_str(),
            "https://sukoon.example/auth/v1/verify?token=t&type=signup\
             &redirect_to=https%3A%2F%2Fsukoon.example%2F"
        );
    }
}
