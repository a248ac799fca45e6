//! Pages and files: the right status, the right cache rules and the right policy for each.

use http::StatusCode;
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;

use crate::harness::{CHECKOUT, IMAGE_ORIGIN, MEDIA_ORIGIN, SCRIPT_HASH, TestGateway, WIDGET_SITE};

#[tokio::test]
async fn every_path_has_its_page() {
    let gateway = TestGateway::new().await;
    let pages = [
        ("/", "home"),
        ("/services", "services"),
        ("/service/energy-healing", "energy"),
        ("/services/energy-healing", "energy"),
        ("/booking-flow?service=energy-healing", "booking"),
        ("/join/bkg_0192f0c1f0c17000800000000000dd4a", "session"),
        ("/account/sessions/bkg_0192f0c1f0c17000800000000000dd4a", "own"),
        ("/desk", "desk"),
        ("/desk/tasks", "desk"),
        ("/desk/waiting", "desk"),
        ("/desk/day/2026-11-24", "desk"),
        ("/desk/bookings/bkg_0192f0c1f0c17000800000000000dd4a", "desk"),
    ];
    for (path, title) in pages {
        let answer = gateway.get(path).await;
        assert_eq!(answer.status(), StatusCode::OK, "{path}");
        assert_eq!(answer.headers()["content-type"], "text/html; charset=utf-8");
        assert_eq!(answer.headers()["cache-control"], "no-cache");
        assert!(answer.headers().contains_key("etag"));
        assert_eq!(answer.text().await.unwrap(), format!("<h1>{title}</h1>"));
    }
}

#[tokio::test]
async fn what_does_not_exist_is_not_found() {
    let gateway = TestGateway::new().await;
    let unknown = [
        ("/nothing", "Page"),
        ("/service/unknown", "Service"),
        ("/services/unknown", "Service"),
        ("/service/energy-healing/more", "Page"),
        ("/assets/gone.js", "Page"),
        ("/routes.json", "Page"),
        ("/csp.json", "Page"),
        ("/404.html", "Page"),
        ("/index.html", "Page"),
        ("//evil.example/", "Page"),
        ("/auth", "Page"),
        ("/join/nobody", "Page"),
        ("/account/sessions/nobody", "Page"),
        ("/desk/nothing", "Page"),
        ("/desk/day/tomorrow", "Page"),
        ("/desk/tasks/1", "Page"),
        ("/desk/bookings/nobody", "Page"),
        ("/join/rvw_0192f0c1f0c17000800000000000dd4a", "Page"),
    ];
    for (path, what) in unknown {
        let answer = gateway.get(path).await;
        assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{path}");
        assert!(answer.headers()["content-security-policy"].to_str().unwrap().contains("'none'"));
        assert_eq!(answer.text().await.unwrap(), format!("<h1>{what} Not Found</h1>"));
    }
}

#[tokio::test]
async fn no_path_leaves_the_sites_folder() {
    let gateway = TestGateway::new().await;
    let address = gateway.base.trim_start_matches("http://").to_owned();
    for path in ["/../site.secret", "/assets/../../x", "/%2e%2e/x", "/..%2fx", "/assets/%2e%2e%2fx"]
    {
        // A client library would normalize the path, so a raw socket is used.
        let mut stream = TcpStream::connect(&address).await.unwrap();
        let request =
            format!("GET {path} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        assert!(answer.starts_with("HTTP/1.1 404"), "{path}: {answer}");
    }
}

#[tokio::test]
async fn a_trailing_slash_redirects_to_the_canonical_path() {
    let gateway = TestGateway::new().await;
    for (from, to) in [("/services/", "/services"), ("/booking-flow/?a=b", "/booking-flow?a=b")] {
        let answer = gateway.get(from).await;
        assert_eq!(answer.status(), StatusCode::PERMANENT_REDIRECT);
        assert_eq!(answer.headers()["location"], to);
    }
}

#[tokio::test]
async fn files_are_cached_as_long_as_their_name_allows() {
    let gateway = TestGateway::new().await;
    let small =
        gateway.client.get(gateway.url("/assets/app-1a2b.js")).header("accept-encoding", "gzip");
    let small = small.send().await.unwrap();
    assert_eq!(small.headers()["cache-control"], "public, max-age=31536000, immutable");
    assert_eq!(small.headers()["content-type"], "text/javascript; charset=utf-8");
    assert_eq!(small.headers()["content-encoding"], "gzip");
    assert_eq!(small.headers()["vary"], "accept-encoding");
    assert!(small.bytes().await.unwrap().len() < 200);
    let plain = gateway.get("/assets/app-1a2b.js").await;
    assert!(!plain.headers().contains_key("content-encoding"));
    assert!(plain.bytes().await.unwrap().len() > 4000);
    let icon = gateway.get("/favicon.svg").await;
    assert_eq!(icon.headers()["cache-control"], "public, max-age=3600");
}

#[tokio::test]
async fn a_page_that_did_not_change_is_not_sent_again() {
    let gateway = TestGateway::new().await;
    let tag = gateway.get("/services").await.headers()["etag"].clone();
    let again = gateway.client.get(gateway.url("/services")).header("if-none-match", tag);
    let again = again.send().await.unwrap();
    assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
    assert!(again.bytes().await.unwrap().is_empty());
}

#[tokio::test]
async fn head_is_answered_and_other_methods_are_not() {
    let gateway = TestGateway::new().await;
    let head = gateway.client.head(gateway.url("/services")).send().await.unwrap();
    assert_eq!(head.status(), StatusCode::OK);
    assert_eq!(head.headers()["content-length"], "17");
    let post = gateway.client.post(gateway.url("/services")).send().await.unwrap();
    assert_eq!(post.status(), StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(post.headers()["allow"], "GET, HEAD");
}

#[tokio::test]
async fn only_the_booking_document_may_use_the_provider() {
    let gateway = TestGateway::new().await;
    let policy = |answer: &reqwest::Response| {
        answer.headers()["content-security-policy"].to_str().unwrap().to_owned()
    };
    let ordinary = gateway.get("/services").await;
    assert!(policy(&ordinary).contains(&format!("script-src 'self' '{SCRIPT_HASH}';")));
    assert!(!policy(&ordinary).contains(CHECKOUT));
    assert_eq!(ordinary.headers()["cross-origin-opener-policy"], "same-origin");
    assert!(policy(&ordinary).contains(&format!("media-src 'self' {MEDIA_ORIGIN};")));
    assert!(policy(&ordinary).contains(&format!("img-src 'self' data: {IMAGE_ORIGIN};")));
    let booking = gateway.get("/booking-flow").await;
    assert!(!policy(&booking).contains(MEDIA_ORIGIN) && !policy(&booking).contains(IMAGE_ORIGIN));
    assert!(policy(&booking).contains(&format!("frame-src {CHECKOUT}")));
    assert!(policy(&booking).contains("style-src 'self' 'unsafe-inline';"));
    assert!(policy(&ordinary).contains("style-src 'self';"));
    assert_eq!(booking.headers()["cross-origin-opener-policy"], "same-origin-allow-popups");
    let answers = ["/rpc/x", "/livez", "/assets/app-1a2b.js", "/auth/v1/user", "/nothing"];
    for path in answers {
        let answer = gateway.get(path).await;
        assert!(!policy(&answer).contains(CHECKOUT), "{path}");
        assert!(!policy(&answer).contains("unsafe-inline"), "{path}");
        assert_eq!(answer.headers()["x-content-type-options"], "nosniff");
        assert_eq!(answer.headers()["referrer-policy"], "no-referrer");
        assert_eq!(answer.headers()["cross-origin-resource-policy"], "same-origin");
        assert!(!answer.headers().contains_key("strict-transport-security"));
        // Responses from the cache are not logged at `info`; see response_cache.rs.
        let is_logged = !path.starts_with("/assets/");
        assert_eq!(answer.headers().contains_key("x-reference-id"), is_logged, "{path}");
    }
}

#[tokio::test]
async fn only_the_widget_may_be_framed_and_its_script_loaded_elsewhere() {
    let gateway = TestGateway::new().await;
    let policy = |answer: &reqwest::Response| {
        answer.headers()["content-security-policy"].to_str().unwrap().to_owned()
    };
    let widget = gateway.get("/embed/book?service=energy-healing").await;
    assert_eq!(widget.headers()["cache-control"], "no-cache");
    assert!(policy(&widget).ends_with(&format!("frame-ancestors {WIDGET_SITE}")));
    let script = gateway.get("/embed.js").await;
    assert_eq!(script.headers()["cache-control"], "public, max-age=300");
    for shared in [&widget, &script] {
        assert_eq!(shared.headers()["cross-origin-resource-policy"], "cross-origin");
    }
    let others = [
        "/",
        "/services",
        "/booking-flow",
        "/embed.js",
        "/embed",
        "/embed/book/more",
        "/embed/other",
        "/rpc/x",
        "/nothing",
    ];
    for path in others {
        let answer = gateway.get(path).await;
        assert!(policy(&answer).contains("frame-ancestors 'none'"), "{path}");
        assert!(!policy(&answer).contains(WIDGET_SITE), "{path}");
    }
}
