//! Origins that the booking document may use besides our own: the payment provider's. Without the
//! origin of the checkout's script no payment works, so the gateway refuses to start then.

use http::Uri;
use kernel::PaymentProvider;
use runtime::{Mode, Reader};

const ORIGINS: &str = "GATEWAY_CHECKOUT_ORIGINS";
const SCRIPT_URL: &str = "PAYMENTS_CHECKOUT_SCRIPT_URL";

/// Reads the setting. In production the default is the first provider's origins.
pub(crate) fn read(reader: &mut Reader<'_>) -> Vec<String> {
    let origins = match reader.optional(ORIGINS) {
        Some(list) => parse_origins(reader, &list),
        None if reader.mode() == Mode::Production => {
            PaymentProvider::FIRST.checkout_origins.iter().map(ToString::to_string).collect()
        }
        None => Vec::new(),
    };
    let script = reader.optional_url(SCRIPT_URL).and_then(|url| url.parse::<Uri>().ok());
    if let Some(script) = script
        && !origins.iter().any(|origin| covers(origin, &script))
    {
        let what = format!(
            "the origin of the checkout's script ({SCRIPT_URL}) is not among them, so a browser \
             would refuse the script and nobody could pay"
        );
        reader.problem(ORIGINS, &what);
    }
    origins
}

/// Origins become part of a header, so each must be an origin and nothing else.
fn parse_origins(reader: &mut Reader<'_>, list: &str) -> Vec<String> {
    let (good, bad): (Vec<&str>, Vec<&str>) =
        list.split_whitespace().partition(|origin| is_origin(origin));
    if !bad.is_empty() {
        let what = "it must be origins such as https://pay.example, with spaces between";
        reader.problem(ORIGINS, what);
    }
    good.into_iter().map(str::to_owned).collect()
}

fn is_origin(text: &str) -> bool {
    let host = text.strip_prefix("https://").or_else(|| text.strip_prefix("http://"));
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b".-:*[]".contains(&byte);
    host.is_some_and(|host| !host.is_empty() && host.bytes().all(plain))
}

/// Whether a browser with this origin in its policy loads the URL.
fn covers(origin: &str, url: &Uri) -> bool {
    let (Some(scheme), Some(host)) = (url.scheme_str(), url.host()) else { return false };
    let Some((own_scheme, authority)) = origin.split_once("://") else { return false };
    // A source with http matches https as well.
    let scheme_fits = own_scheme == scheme || (own_scheme == "http" && scheme == "https");
    // An IPv6 address has colons of its own.
    let (own_host, own_port) = match authority.rsplit_once(':') {
        Some((host, port)) if !port.ends_with(']') => (host, Some(port)),
        _ => (authority, None),
    };
    let usual = if scheme == "https" { 443 } else { 80 };
    let port = url.port_u16().unwrap_or(usual);
    let port_fits = match own_port {
        None => port == usual,
        Some("*") => true,
        Some(own) => own.parse() == Ok(port) || (own == "80" && port == usual),
    };
    scheme_fits && port_fits && host_fits(&own_host.to_lowercase(), &host.to_lowercase())
}

fn host_fits(own: &str, host: &str) -> bool {
    match own.strip_prefix('*') {
        Some("") => true,
        // A wildcard matches one or more labels before the rest.
        Some(rest) => host.len() > rest.len() && host.ends_with(rest),
        None => own == host,
    }
}

#[cfg(test)]
mod tests {
    use super::{ORIGINS, PaymentProvider, SCRIPT_URL, covers, is_origin, read};
    use runtime::Reader;

    /// The origins read from these settings, or the errors.
    fn settings_read(settings: &[(&str, &str)]) -> Result<Vec<String>, String> {
        let mut reader = Reader::new(&settings);
        let origins = read(&mut reader);
        reader.finish(origins).map_err(|invalid| invalid.to_string())
    }

    #[test]
    fn an_origin_cannot_smuggle_a_directive() {
        assert!(is_origin("https://checkout.example"));
        assert!(is_origin("http://127.0.0.1:8090"));
        assert!(is_origin("https://*.example"));
        for wrong in ["https://a;script-src", "'unsafe-inline'", "https://", "https://a/b"] {
            assert!(!is_origin(wrong), "{wrong}");
        }
    }

    #[test]
    fn production_defaults_to_the_provider_and_development_to_none() {
        let script = (SCRIPT_URL, PaymentProvider::FIRST.checkout_script_url);
        let usual = settings_read(&[script]).unwrap();
        assert_eq!(usual, PaymentProvider::FIRST.checkout_origins);
        assert!(usual.iter().all(|origin| is_origin(origin)));
        assert_eq!(
            settings_read(&[(ORIGINS, "https://pay.example")]).unwrap(),
            ["https://pay.example"]
        );
        let trial = ("SUKOON_MODE", "development");
        assert_eq!(settings_read(&[trial]).unwrap(), Vec::<String>::new());
    }

    #[test]
    fn a_script_of_an_unlisted_origin_stops_the_start() {
        let script = (SCRIPT_URL, "https://pay.example/v1/checkout.js");
        for origins in [None, Some("https://api.pay.example https://pay.example:8443")] {
            let settings: Vec<_> =
                [script].into_iter().chain(origins.map(|list| (ORIGINS, list))).collect();
            let refused = settings_read(&settings).unwrap_err();
            let sentence = "GATEWAY_CHECKOUT_ORIGINS: the origin of the checkout's script \
                            (PAYMENTS_CHECKOUT_SCRIPT_URL) is not among them";
            assert!(refused.contains(sentence), "{refused}");
        }
        settings_read(&[script, (ORIGINS, "https://api.pay.example https://pay.example")]).unwrap();
        // Without the script's URL nothing is checked.
        settings_read(&[(ORIGINS, "https://elsewhere.example")]).unwrap();
    }

    #[test]
    fn an_origin_covers_what_a_browser_lets_through() {
        let fits = |origin: &str, url: &str| covers(origin, &url.parse().unwrap());
        let script = "https://checkout.pay.example/v1/checkout.js";
        for origin in [
            "https://checkout.pay.example",
            "https://Checkout.Pay.example:443",
            "https://*.pay.example",
            "https://checkout.pay.example:*",
            "http://checkout.pay.example",
            "http://checkout.pay.example:80",
        ] {
            assert!(fits(origin, script), "{origin}");
        }
        for origin in ["https://pay.example", "https://*.checkout.pay.example", "https://a:1"] {
            assert!(!fits(origin, script), "{origin}");
        }
        assert!(fits("http://[::1]:8090", "http://[::1]:8090/v1/checkout.js"));
        assert!(fits("http://127.0.0.1:8090", "http://127.0.0.1:8090/v1/checkout.js"));
        assert!(!fits("http://localhost:8090", "http://127.0.0.1:8090/v1/checkout.js"));
        assert!(!fits("https://pay.example", "http://pay.example/checkout.js"));
    }
}
