//! The gateway's metrics: requests by route and status on both paths, refusals by reason, no
//! person.

use http::StatusCode;
use runtime::Shutdown;
use runtime::metrics::endpoint;
use serde_json::json;

use crate::harness::{TestGateway, TestOptions, rate_limit};

#[tokio::test]
async fn requests_and_refusals_are_measured_without_a_person() {
    let shutdown = Shutdown::new();
    let any = "127.0.0.1:0".parse().unwrap();
    let metrics = endpoint::open("gateway", any, &shutdown).await.unwrap();
    let mut options = TestOptions::default();
    options.rate_limits.address = rate_limit(4, 1);
    let gateway = TestGateway::with_options(options).await;
    // From memory, from a service, an address that is none, and one too many.
    assert_eq!(gateway.get("/about").await.status(), StatusCode::OK);
    let called = gateway.call("catalogue.v1.CatalogueService/ListFaqs", &json!({}));
    assert_eq!(called.send().await.unwrap().status(), StatusCode::OK);
    gateway.get("/calendars/asha@example.org").await;
    gateway.get("/nothing?name=asha").await;
    for _ in 0..3 {
        assert_eq!(gateway.get("/about").await.status(), StatusCode::TOO_MANY_REQUESTS);
    }

    let scraped = gateway.client.get(format!("http://{metrics}/metrics")).send().await.unwrap();
    let text = scraped.text().await.unwrap();
    let request = |method: &str, status: u16, route: &str| {
        format!(
            "http_server_request_duration_seconds_count{{http_request_method=\"{method}\",\
             http_response_status_code=\"{status}\",http_route=\"{route}\"}} "
        )
    };
    for series in [
        request("GET", 200, "/about"),
        request("GET", 429, "/about"),
        request("POST", 200, "/rpc/catalogue.v1.CatalogueService/ListFaqs"),
        request("GET", 404, "/calendars/{secret}"),
        request("GET", 404, "{unknown}"),
        "sukoon_edge_refusals_total{reason=\"body_budget\"} ".to_owned(),
    ] {
        assert!(text.contains(&series), "{series} is missing in {text}");
    }
    let refused = text
        .lines()
        .find_map(|line| line.strip_prefix("sukoon_edge_refusals_total{reason=\"address_rate\"} "));
    let refused: u64 = refused.unwrap().parse().unwrap();
    assert!(refused >= 3, "{refused} refusals were counted");
    assert!(!text.contains("asha"), "{text}");
    shutdown.trigger();
}
