//! The name by which a mail server is greeted.

/// The name for mails that come from this domain; none where the server's URL has one behind its
/// host (`smtps://host/name`). Without one the library says `[127.0.0.1]`, which is never ours (RFC
/// 5321, 4.1.4), and which Google's relay and others refuse.
#[must_use]
pub fn greeting<'d>(url: &str, domain: &'d str) -> Option<&'d str> {
    let place = url.split_once("://").map_or("", |(_scheme, place)| place);
    let place = place.split(['?', '#']).next().unwrap_or_default();
    let named = place.split_once('/').is_some_and(|(_host, name)| !name.is_empty());
    (!named).then_some(domain)
}

#[cfg(test)]
mod tests {
    use super::greeting;

    #[test]
    fn the_url_s_own_name_counts() {
        for url in ["smtp://mail:25", "smtps://user:word@mail/", "smtp://mail?tls=required"] {
            assert_eq!(greeting(url, "sukoon.example"), Some("sukoon.example"), "{url}");
        }
        for url in ["smtps://user:word@mail/relay.example.org", "smtp://mail:25/a?tls=required"] {
            assert_eq!(greeting(url, "sukoon.example"), None, "{url}");
        }
    }
}
