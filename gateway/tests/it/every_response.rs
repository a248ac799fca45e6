//! What holds for every response, whatever it answers: headers for browsers, content types, and
//! nothing that another site may read; and for every request: one length, no TRACE.

use http::{HeaderMap, Method, StatusCode};

use crate::harness::{TestGateway, TestOptions};
use crate::raw_http::{connect, send, until_closed};

/// One request of each kind: pages, files, redirects, calls, proxied paths, probes, errors.
const KINDS: &[(&str, &str)] = &[
    ("GET", "/"),
    ("HEAD", "/services"),
    ("GET", "/booking-flow"),
    ("GET", "/embed/book"),
    ("GET", "/embed.js"),
    ("GET", "/assets/app-1a2b.js"),
    ("GET", "/favicon.svg"),
    ("GET", "/sitemap.xml"),
    ("GET", "/media/breath.vtt"),
    ("GET", "/services/"),
    ("GET", "/nothing"),
    ("POST", "/services"),
    ("GET", "/rpc/catalogue.v1.CatalogueService/ListFaqs?connect=v1&encoding=json&message=%7B%7D"),
    ("POST", "/rpc/booking.v1.BookingService/GetBooking"),
    ("POST", "/rpc/x"),
    ("GET", "/auth/v1/user"),
    ("GET", "/auth/v1/user?a=1&a=2"),
    ("POST", "/webhooks/razorpay"),
    ("POST", "/webhooks/other"),
    ("POST", "/uploads/reviews"),
    ("GET", "/pictures/0123456789abcdef0123456789abcdef-small.webp"),
    ("GET", "/pictures/x"),
    ("GET", "/calendars/x"),
    ("GET", "/unsubscribe"),
    ("POST", "/unsubscribe"),
    ("GET", "/pay/return"),
    ("POST", "/policy-reports"),
    ("GET", "/livez"),
    ("GET", "/readyz"),
    ("GET", "/healthz"),
];

async fn asked(gateway: &TestGateway, (method, path): (&str, &str)) -> reqwest::Response {
    asked_with(gateway, (method, path), HeaderMap::new()).await
}

async fn asked_with(
    gateway: &TestGateway,
    (method, path): (&str, &str),
    headers: HeaderMap,
) -> reqwest::Response {
    let method = Method::from_bytes(method.as_bytes()).unwrap();
    let request = gateway.client.request(method, gateway.url(path)).headers(headers);
    request.send().await.unwrap()
}

fn header<'a>(headers: &'a HeaderMap, name: &str) -> &'a str {
    headers.get(name).map_or("", |value| value.to_str().unwrap())
}

#[tokio::test]
async fn every_kind_of_response_has_the_headers_for_browsers() {
    let public = "https://sukoon.example".to_owned();
    let gateway = TestGateway::with_options(TestOptions { public, ..TestOptions::default() }).await;
    for kind in KINDS {
        let answer = asked(&gateway, *kind).await;
        let headers = answer.headers();
        assert_eq!(header(headers, "x-content-type-options"), "nosniff", "{kind:?}");
        assert_eq!(header(headers, "referrer-policy"), "no-referrer", "{kind:?}");
        let https_only = "max-age=63072000; includeSubDomains; preload";
        assert_eq!(header(headers, "strict-transport-security"), https_only, "{kind:?}");
        let policy = header(headers, "content-security-policy");
        for directive in ["default-src 'none'", "base-uri 'none'", "frame-ancestors "] {
            assert!(policy.contains(directive), "{kind:?}: {policy}");
        }
        let resource = header(headers, "cross-origin-resource-policy");
        let is_shared = kind.1.starts_with("/embed");
        assert_eq!(resource == "cross-origin", is_shared, "{kind:?}: {resource}");
        assert!(header(headers, "cross-origin-opener-policy").starts_with("same-origin"));
    }
}

#[tokio::test]
async fn every_body_has_its_content_type_and_every_text_its_charset() {
    let gateway = TestGateway::new().await;
    for kind in KINDS {
        let answer = asked(&gateway, *kind).await;
        let content_type = header(answer.headers(), "content-type").to_owned();
        let body = answer.bytes().await.unwrap();
        assert!(body.is_empty() || !content_type.is_empty(), "{kind:?} has none");
        let is_text = content_type.starts_with("text/") || content_type.contains("xml");
        let has_charset = content_type.ends_with("; charset=utf-8");
        assert!(!is_text || has_charset, "{kind:?}: {content_type}");
        if content_type == "application/json" {
            serde_json::from_slice::<serde_json::Value>(&body).unwrap();
        }
    }
}

#[tokio::test]
async fn another_site_may_neither_read_a_response_nor_ask_before() {
    let gateway = TestGateway::new().await;
    let mut foreign = HeaderMap::new();
    foreign.insert("origin", "https://evil.example".parse().unwrap());
    let mut before = foreign.clone();
    before.insert("access-control-request-method", "POST".parse().unwrap());
    before.insert("access-control-request-headers", "authorization".parse().unwrap());
    for &(method, path) in KINDS {
        let read = asked_with(&gateway, (method, path), foreign.clone()).await;
        let asked = asked_with(&gateway, ("OPTIONS", path), before.clone()).await;
        for answer in [read, asked] {
            let mut names = answer.headers().keys().map(http::HeaderName::as_str);
            let allowed = names.find(|name| name.starts_with("access-control-"));
            assert_eq!(allowed, None, "{method} {path}");
        }
    }
}

#[tokio::test]
async fn neither_metadata_nor_folders_nor_internal_pages_are_served() {
    let gateway = TestGateway::new().await;
    let paths = [
        "/.git/config",
        "/.git/HEAD",
        "/.svn/entries",
        "/.env",
        "/.well-known/",
        "/Cargo.toml",
        "/package.json",
        "/assets/app-1a2b.js.map",
        "/assets",
        "/assets/",
        "/media/",
        "/pictures/",
        "/calendars/",
        "/metrics",
        "/debug/pprof/",
        "/swagger.json",
        "/openapi.json",
        "/server-status",
    ];
    for path in paths {
        let answer = gateway.get(path).await;
        assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{path}");
        let text = answer.text().await.unwrap();
        assert!(!text.contains("app-1a2b"), "{path} lists its files: {text}");
    }
}

#[tokio::test]
async fn a_trace_is_refused_and_repeats_nothing() {
    let gateway = TestGateway::new().await;
    for path in ["/", "/nothing", "/rpc/x", "/auth/v1/user", "/webhooks/razorpay", "/livez"] {
        let mut stream = connect(&gateway).await;
        let request = format!(
            "TRACE {path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer canary\r\n\
             connection: close\r\n\r\n"
        );
        send(&mut stream, request).await;
        let answer = until_closed(&mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 4"), "{path}: {answer}");
        assert!(!answer.contains("canary"), "{path}: {answer}");
    }
    assert!(gateway.identity.http.lock().unwrap().is_empty(), "the identity server was asked");
}

/// What follows a request whose end two readers would see at different places.
const HIDDEN: &str = "GET /services HTTP/1.1\r\nhost: localhost\r\n\r\n";

#[tokio::test]
async fn a_request_with_two_lengths_is_refused_with_all_that_follows() {
    let gateway = TestGateway::new().await;
    let heads = [
        "content-length: 5\r\ncontent-length: 6",
        "content-length: +5",
        "content-length: 5 5",
        "content-length: 0x5",
        "content-length: -1",
        "transfer-encoding: chunked, identity",
        "transfer-encoding: xchunked",
        "transfer-encoding : chunked",
        "content-length : 5",
    ];
    for head in heads {
        let mut stream = connect(&gateway).await;
        let line = "POST /webhooks/razorpay HTTP/1.1\r\nhost: localhost\r\n";
        send(&mut stream, format!("{line}{head}\r\n\r\n{HIDDEN}")).await;
        let answer = until_closed(&mut stream).await;
        assert!(answer.starts_with("HTTP/1.1 400"), "{head}: {answer}");
        assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{head}: {answer}");
    }
    assert!(gateway.payments.http.lock().unwrap().is_empty(), "payments was asked");
}

#[tokio::test]
async fn a_chunked_request_ends_with_its_last_chunk_whatever_length_it_names() {
    let gateway = TestGateway::new().await;
    let mut stream = connect(&gateway).await;
    let request = "POST /webhooks/razorpay HTTP/1.1\r\nhost: localhost\r\ncontent-length: 200\r\n\
                   transfer-encoding: chunked\r\nconnection: close\r\n\r\n2\r\n{}\r\n0\r\n\r\n";
    send(&mut stream, request).await;
    let answer = until_closed(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    assert_eq!(answer.matches("HTTP/1.1 ").count(), 1, "{answer}");
    for (_, headers, body) in gateway.payments.http.lock().unwrap().iter() {
        assert_eq!(body, b"{}");
        assert!(!headers.contains_key("transfer-encoding"));
        assert!(["", "2"].contains(&header(headers, "content-length")), "{headers:?}");
    }
}

#[tokio::test]
async fn a_request_without_one_host_is_refused() {
    let gateway = TestGateway::new().await;
    for hosts in ["", "host: localhost\r\nhost: localhost\r\n"] {
        for line in ["GET /services", "POST /webhooks/razorpay"] {
            let mut stream = connect(&gateway).await;
            let rest = "content-length: 0\r\nconnection: close\r\n\r\n";
            send(&mut stream, format!("{line} HTTP/1.1\r\n{hosts}{rest}")).await;
            let answer = until_closed(&mut stream).await;
            assert!(answer.starts_with("HTTP/1.1 400"), "{line} {hosts:?}: {answer}");
        }
    }
    assert!(gateway.payments.http.lock().unwrap().is_empty(), "payments was asked");
    let mut stream = connect(&gateway).await;
    send(&mut stream, "GET /services HTTP/1.0\r\n\r\n").await;
    let answer = until_closed(&mut stream).await;
    assert!(answer.starts_with("HTTP/1.0 200") || answer.starts_with("HTTP/1.1 200"), "{answer}");
}

/// A page of another site that made its own name lead here is told nothing, whatever it asks for.
#[tokio::test]
async fn under_a_foreign_host_name_nothing_is_served() {
    let gateway = TestGateway::new().await;
    let named = |host: &str| HeaderMap::from_iter([(http::header::HOST, host.parse().unwrap())]);
    for kind in KINDS.iter().filter(|(_, path)| !path.ends_with('z')) {
        let answer = asked_with(&gateway, *kind, named("evil.example")).await;
        assert_eq!(answer.status(), StatusCode::MISDIRECTED_REQUEST, "{kind:?}");
        if kind.0 != "HEAD" {
            let text = answer.text().await.unwrap();
            assert!(text.starts_with("Nothing is served under this host name."), "{text}");
        }
    }
    // Names of ours, names of loopback, and whatever a load balancer's probe calls the machine.
    for host in ["desk.example", "localhost", "192.0.2.7:8080"] {
        let answer = asked_with(&gateway, ("GET", "/"), named(host)).await;
        assert_eq!(answer.status(), StatusCode::OK, "{host}");
    }
    let probed = asked_with(&gateway, ("GET", "/readyz"), named("evil.example")).await;
    assert_eq!(probed.status(), StatusCode::OK);
}
