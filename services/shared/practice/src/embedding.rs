//! Which sites may show the booking widget, and which widgets of a scheduling provider we show.

use std::collections::HashSet;

use serde::Deserialize;

use super::problems::Problems;

/// Every response of the widget names them all.
const ORIGINS_MAX: usize = 20;
/// Every page's policy names the origins of all widgets.
const WIDGETS_MAX: usize = 20;
/// The longest address.
const URL_CHARS_MAX: usize = 300;
/// The longest name of a host.
const HOST_CHARS_MAX: usize = 253;

const KEY: &str = "embedding.origins";

/// The sites that may show the booking widget.
#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Embedding {
    /// Their origins, for example "https://www.example.org"; none by default.
    #[serde(default)]
    pub origins: Vec<String>,
}

/// A service whose time is chosen on /book in the scheduling provider's own widget.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SchedulingWidget {
    /// The service.
    pub service_id: String,
    /// The widget's address, for example "https://calendly.com/asha/session". Only messages from
    /// its origin are heard.
    pub url: String,
    /// The provider's address of the event type, for example
    /// "https://api.calendly.com/event_types/AAAA". An event of another type is not taken over.
    pub event_type: String,
}

/// Checks the list: each entry is exactly the origin of a page as a browser writes it.
pub(super) fn origins(found: &mut Problems, embedding: &Embedding) {
    let mut known = HashSet::new();
    for origin in &embedding.origins {
        let why = format!(
            "{origin:?} is no origin: write it like \"https://www.example.org\", in small letters, \
             without a path, a star or a slash at its end (http:// only for localhost)"
        );
        found.unless(is_origin(origin), KEY, &why);
        found.unless(known.insert(origin), KEY, &format!("{origin:?} stands only once"));
    }
    let few = embedding.origins.len() <= ORIGINS_MAX;
    found.unless(few, KEY, "there are at most 20 origins");
}

/// Checks the widgets: addresses without a query, which the page adds.
pub(super) fn widgets(found: &mut Problems, widgets: &[SchedulingWidget]) {
    let mut known = HashSet::new();
    let key = "scheduling_widgets";
    for widget in widgets {
        let id = format!("{key}.service_id");
        found.text(&id, &widget.service_id);
        found.unless(known.insert(&widget.service_id), &id, "a service stands only once");
        for (name, address) in [("url", &widget.url), ("event_type", &widget.event_type)] {
            let why = format!(
                "{address:?} is no address: write it like \"https://calendly.com/asha/session\", \
                 without a question mark (http:// only for localhost)"
            );
            found.unless(is_address(address), &format!("{key}.{name}"), &why);
        }
    }
    found.unless(widgets.len() <= WIDGETS_MAX, key, "there are at most 20 widgets");
}

/// An origin with a path of plain characters.
fn is_address(text: &str) -> bool {
    let Some((scheme, rest)) = text.split_once("://") else { return false };
    let Some((authority, path)) = rest.split_once('/') else { return false };
    let plain = |b: u8| b.is_ascii_alphanumeric() || b"-._~/".contains(&b);
    text.len() <= URL_CHARS_MAX
        && is_origin(&format!("{scheme}://{authority}"))
        && !path.is_empty()
        && path.bytes().all(plain)
}

fn is_origin(text: &str) -> bool {
    let Some((scheme, authority)) = text.split_once("://") else { return false };
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, Some(port)),
        None => (authority, None),
    };
    let usual = match scheme {
        "https" => "443",
        "http" if matches!(host, "localhost" | "127.0.0.1") => "80",
        _ => return false,
    };
    // A browser leaves the usual port out, so an origin with it would match no page.
    is_host(host) && port.is_none_or(|port| port != usual && is_port(port))
}

fn is_port(text: &str) -> bool {
    !text.starts_with(['0', '+']) && text.parse::<u16>().is_ok()
}

pub(super) fn is_host(host: &str) -> bool {
    let allowed = |b: u8| b.is_ascii_lowercase() || b.is_ascii_digit() || b == b'-';
    let is_label = |label: &str| {
        (1..=63).contains(&label.len())
            && label.bytes().all(allowed)
            && !label.starts_with('-')
            && !label.ends_with('-')
    };
    host.len() <= HOST_CHARS_MAX && host.split('.').all(is_label)
}

#[cfg(test)]
mod tests {
    use super::{Embedding, SchedulingWidget, is_origin, origins, widgets};
    use crate::problems::Problems;

    #[test]
    fn an_origin_is_what_a_browser_calls_one() {
        for good in [
            "https://example.org",
            "https://www.example.org:8443",
            "https://xn--bcher-kva.example",
            "https://192.0.2.7",
            "http://localhost:8081",
            "http://127.0.0.1",
        ] {
            assert!(is_origin(good), "{good}");
        }
        for wrong in [
            "",
            "*",
            "https://",
            "example.org",
            "https://example.org/",
            "https://example.org/book",
            "https://*.example.org",
            "https://Example.org",
            "https://example.org:443",
            "https://example.org:0",
            "https://example.org:x",
            "https://user@example.org",
            "https://-a.example",
            "https://a..example",
            "http://example.org",
            "http://localhost.example.org",
            "file:///home",
            "https://a.example; script-src *",
            "https://a.example https://b.example",
        ] {
            assert!(!is_origin(wrong), "{wrong}");
        }
    }

    #[test]
    fn every_problem_of_the_list_is_named() {
        let listed = |list: &[&str]| {
            let mut found = Problems::default();
            let list = list.iter().map(|one| (*one).to_owned()).collect();
            origins(&mut found, &Embedding { origins: list });
            found.into_list()
        };
        assert_eq!(listed(&["https://a.example", "https://b.example"]), Vec::<String>::new());
        let told = listed(&["https://a.example", "example.org", "https://a.example"]);
        assert_eq!(told.len(), 2);
        assert!(told[0].starts_with("embedding.origins: \"example.org\" is no origin"), "{told:?}");
        assert!(told[1].contains("stands only once"), "{told:?}");
        let many: Vec<_> = (0..21).map(|number| format!("https://{number}.example")).collect();
        let many: Vec<_> = many.iter().map(String::as_str).collect();
        assert_eq!(listed(&many), ["embedding.origins: there are at most 20 origins"]);
    }

    #[test]
    fn a_widget_is_an_address_of_one_service() {
        let told = |of: &[(&str, &str)]| {
            let mut found = Problems::default();
            let widget = |(service_id, url): &(&str, &str)| SchedulingWidget {
                service_id: (*service_id).to_owned(),
                url: (*url).to_owned(),
                event_type: "https://api.calendly.com/event_types/AAAA".to_owned(),
            };
            widgets(&mut found, &of.iter().map(widget).collect::<Vec<_>>());
            found.into_list()
        };
        let good = "https://calendly.com/asha/session";
        assert_eq!(told(&[("meditation", good)]), Vec::<String>::new());
        assert_eq!(told(&[("meditation", "http://localhost:8090/a")]), Vec::<String>::new());
        for wrong in [
            "",
            "calendly.com/asha",
            "https://calendly.com",
            "https://calendly.com/",
            "http://calendly.com/asha",
            "https://calendly.com/asha?hide=1",
            "https://calendly.com/asha#a",
            "https://calendly.com/a; script-src *",
            "https://calendly.com@evil.example/a",
            "javascript:alert(1)",
        ] {
            let told = told(&[("meditation", wrong)]);
            assert!(told.iter().any(|it| it.starts_with("scheduling_widgets.url")), "{wrong}");
        }
        let twice = told(&[("meditation", good), ("meditation", good)]);
        assert_eq!(twice, ["scheduling_widgets.service_id: a service stands only once"]);
    }
}
