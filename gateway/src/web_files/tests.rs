//! What a build must hold, and under which paths it is served.

use super::{SiteError, WebFiles, checked_hashes, route_of, service_id};
use std::path::Path;

#[test]
fn documents_are_served_at_their_folders_path() {
    assert_eq!(route_of("/index.html"), "/");
    assert_eq!(route_of("/about/index.html"), "/about");
    assert_eq!(route_of("/service/energy-healing/index.html"), "/service/energy-healing");
    assert_eq!(route_of("/about.html"), "/about");
}

#[test]
fn only_one_word_is_a_services_id() {
    assert_eq!(service_id("/service/energy-healing"), Some("energy-healing"));
    assert_eq!(service_id("/services/energy-healing"), Some("energy-healing"));
    for none in ["/services", "/service/", "/services/a/b", "/about"] {
        assert_eq!(service_id(none), None, "{none}");
    }
}

#[test]
fn a_hash_cannot_smuggle_a_directive() {
    let good = checked_hashes(vec!["'sha256-ab+/='".to_owned(), "sha256-cd=".to_owned()]);
    assert_eq!(good.unwrap(), ["sha256-ab+/=", "sha256-cd="]);
    for wrong in ["sha256-a' 'unsafe-inline", "unsafe-inline", "sha256-", "sha256-a; img-src *"] {
        let checked = checked_hashes(vec![wrong.to_owned()]);
        assert!(matches!(checked, Err(SiteError::Malformed { .. })), "{wrong}");
    }
}

#[test]
fn without_a_built_site_the_start_says_so() {
    let error = WebFiles::load(Path::new("no-such-folder")).unwrap_err().to_string();
    assert!(error.contains("\"no-such-folder\" holds no built site"), "{error}");
}
