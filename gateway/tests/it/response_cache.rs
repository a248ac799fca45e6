//! Cached responses: few upstream calls, never stale after the client's own command, counted by the
//! rate limit, and with the same headers.

use http::StatusCode;
use serde_json::json;

use crate::harness::{TestGateway, TestOptions, rate_limit, token};

const SERVICE: &str = "/rpc/catalogue.v1.CatalogueService/GetService\
    ?connect=v1&encoding=json&message=%7B%22serviceId%22%3A%22a%22%7D";
const TIMES: &str = "/rpc/booking.v1.BookingService/ListSlots\
    ?connect=v1&encoding=json&message=%7B%22serviceId%22%3A%22a%22%7D";
/// Attempts: on a busy machine a cached response may expire before the second request.
const TRIES: usize = 50;

/// Number of calls that reached the services.
fn calls(gateway: &TestGateway) -> usize {
    gateway.grpc.seen.metadata.lock().unwrap().len()
}

/// Whether two requests in a row made one upstream call.
async fn makes_one_call(gateway: &TestGateway, path: &str) -> bool {
    let before = calls(gateway);
    let first = gateway.get(path).await;
    let second = gateway.get(path).await;
    assert_eq!((first.status(), second.status()), (StatusCode::OK, StatusCode::OK));
    for name in ["content-type", "cache-control", "x-content-type-options"] {
        assert_eq!(first.headers().get(name), second.headers().get(name), "{name}");
    }
    assert_eq!(first.headers().get("etag"), second.headers().get("etag"));
    assert_eq!(first.bytes().await.unwrap(), second.bytes().await.unwrap());
    calls(gateway) <= before + 1
}

async fn sometimes_makes_one_call(gateway: &TestGateway, path: &str) -> bool {
    for _ in 0..TRIES {
        if makes_one_call(gateway, path).await {
            return true;
        }
    }
    false
}

#[tokio::test]
async fn equal_requests_make_one_upstream_call() {
    let gateway = TestGateway::new().await;
    assert!(sometimes_makes_one_call(&gateway, SERVICE).await);
    assert!(sometimes_makes_one_call(&gateway, TIMES).await);
    assert_eq!(gateway.get(TIMES).await.headers()["cache-control"], "no-store");
}

#[tokio::test]
async fn a_list_of_times_is_never_older_than_what_changed_them() {
    let gateway = TestGateway::new().await;
    let release = "booking.v1.BookingService/ReleaseBooking";
    for count in 1..=TRIES {
        assert_eq!(gateway.get(TIMES).await.status(), StatusCode::OK);
        assert_eq!(calls(&gateway), count, "a list from before the release was found");
        let released = gateway.call(release, &json!({ "bookingId": "bkg_1" })).bearer_auth(token());
        assert_eq!(released.send().await.unwrap().status(), StatusCode::OK);
    }
}

#[tokio::test]
async fn cached_responses_count_for_the_rate_limit() {
    let mut options = TestOptions::default();
    options.rate_limits.address = rate_limit(3, 1);
    let gateway = TestGateway::with_options(options).await;
    for _ in 0..3 {
        assert_eq!(gateway.get(SERVICE).await.status(), StatusCode::OK);
    }
    assert_eq!(gateway.get(SERVICE).await.status(), StatusCode::TOO_MANY_REQUESTS);
}

#[tokio::test]
async fn a_failed_response_is_not_cached() {
    let gateway = TestGateway::new().await;
    let path = SERVICE.replace("%22a%22", "%22unknown%22");
    for count in 1..=3 {
        assert_eq!(gateway.get(&path).await.status(), StatusCode::NOT_FOUND);
        assert_eq!(calls(&gateway), count);
    }
}

#[tokio::test]
async fn only_logged_requests_have_a_reference_id() {
    let gateway = TestGateway::new().await;
    assert!(!gateway.get("/about").await.headers().contains_key("x-reference-id"));
    assert!(!gateway.get("/assets/app-1a2b.js").await.headers().contains_key("x-reference-id"));
    assert!(gateway.get("/nothing").await.headers().contains_key("x-reference-id"));
}
