//! The build's folder, and the paths that pages are served at.

use super::{WebFiles, route_of, service_id};
use std::path::Path;

#[test]
fn documents_are_served_at_their_folders_path() {
    assert_eq!(route_of("/index.html"), "/");
    assert_eq!(route_of("/about/index.html"), "/about");
    assert_eq!(route_of("/service/energy-healing/index.html"), "/service/energy-healing");
    assert_eq!(route_of("/about.html"), "/about");
}

#[test]
fn only_one_path_segment_is_a_service_id() {
    assert_eq!(service_id("/service/energy-healing"), Some("energy-healing"));
    assert_eq!(service_id("/services/energy-healing"), Some("energy-healing"));
    for none in ["/services", "/service/", "/services/a/b", "/about"] {
        assert_eq!(service_id(none), None, "{none}");
    }
}

#[test]
fn a_start_without_a_built_site_fails_with_a_message() {
    let error = WebFiles::load(Path::new("no-such-folder"), "").unwrap_err().to_string();
    assert!(error.contains("\"no-such-folder\" holds no built site"), "{error}");
}
