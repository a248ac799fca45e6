//! Bodies have a timeout, and all bodies share one memory budget.

use std::io::Write as _;
use std::time::Duration;

use flate2::Compression;
use flate2::write::GzEncoder;
use http::StatusCode;
use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};
use tokio::net::TcpStream;
use tokio::time::timeout;

use crate::harness::{TestGateway, TestOptions};
use crate::raw_http::{self, TEST_TIMEOUT};

const KIBIBYTE: usize = 1024;
const CALL: &str = "catalogue.v1.CatalogueService/GetService";

/// A request with a larger content length than body.
async fn unfinished(
    gateway: &TestGateway,
    line: &str,
    (sent, announced): (usize, usize),
) -> TcpStream {
    let mut stream = raw_http::connect(gateway).await;
    let head = format!(
        "{line} HTTP/1.1\r\nhost: localhost\r\nx-forwarded-for: 192.0.2.1\r\n\
         content-length: {announced}\r\n\r\n"
    );
    raw_http::send(&mut stream, head).await;
    raw_http::send(&mut stream, vec![b'x'; sent]).await;
    stream
}

#[tokio::test]
async fn a_body_that_does_not_end_is_answered_and_its_connection_closed() {
    let mut options = TestOptions::default();
    options.bodies.timeout = Duration::from_millis(300);
    let gateway = TestGateway::with_options(options).await;
    let lines = [
        "PUT /auth/v1/user",
        "POST /auth/v1/signup",
        "POST /webhooks/razorpay",
        "POST /unsubscribe?t=a",
        "POST /rpc/catalogue.v1.CatalogueService/GetService",
        "POST /policy-reports",
    ];
    for line in lines {
        let mut stream = unfinished(&gateway, line, (3, 100)).await;
        let response = raw_http::until_closed(&mut stream).await;
        assert!(response.starts_with("HTTP/1.1 408"), "{line}: {response}");
    }
    assert!(gateway.identity.http.lock().unwrap().is_empty());
    assert!(gateway.payments.http.lock().unwrap().is_empty());
}

async fn gateway(most: usize, share: usize) -> TestGateway {
    let mut options = TestOptions { trust_proxy: true, ..TestOptions::default() };
    (options.bodies.max_bytes, options.bodies.share_bytes) = (most, share);
    TestGateway::with_options(options).await
}

fn from(request: RequestBuilder, address: &str) -> RequestBuilder {
    request.header("x-forwarded-for", address)
}

fn call(gateway: &TestGateway, bytes: usize) -> RequestBuilder {
    gateway.call(CALL, &json!({ "serviceId": "x".repeat(bytes) }))
}

fn webhook(gateway: &TestGateway, bytes: usize) -> RequestBuilder {
    gateway.client.post(gateway.url("/webhooks/razorpay")).body("x".repeat(bytes))
}

fn sign_in(gateway: &TestGateway, bytes: usize) -> RequestBuilder {
    gateway.client.post(gateway.url("/auth/v1/token?grant_type=password")).body("x".repeat(bytes))
}

async fn until(status: StatusCode, ask: impl AsyncFn() -> Response) -> Response {
    let asking = async {
        loop {
            let answer = ask().await;
            if answer.status() == status {
                return answer;
            }
        }
    };
    timeout(TEST_TIMEOUT, asking).await.expect("it stays as it is")
}

#[tokio::test]
async fn all_bodies_in_flight_share_one_budget() {
    let gateway = gateway(64 * KIBIBYTE, 64 * KIBIBYTE).await;
    let large = 8 * KIBIBYTE;
    for one in [call(&gateway, large), webhook(&gateway, large), sign_in(&gateway, large)] {
        assert_eq!(from(one, "192.0.2.2").send().await.unwrap().status(), StatusCode::OK);
    }
    let held =
        unfinished(&gateway, "POST /webhooks/razorpay", (60 * KIBIBYTE, 90 * KIBIBYTE)).await;
    let no_room = StatusCode::SERVICE_UNAVAILABLE;
    let ask = async || from(call(&gateway, large), "192.0.2.2").send().await.unwrap();
    let refused = until(no_room, ask).await;
    assert_eq!(refused.headers()["retry-after"], "2");
    let error: Value = refused.json().await.unwrap();
    assert_eq!(error["code"], "unavailable");
    assert_eq!(error["details"][0]["type"], "common.v1.ErrorDetail");
    let refused = from(webhook(&gateway, large), "192.0.2.2").send().await.unwrap();
    assert_eq!(refused.status(), no_room);
    let refused = from(sign_in(&gateway, large), "192.0.2.2").send().await.unwrap();
    assert_eq!(refused.status(), no_room);
    assert_eq!(refused.headers()["x-sb-error-code"], "service_unavailable");
    // Pages don't use the budget.
    assert_eq!(gateway.get("/about").await.status(), StatusCode::OK);
    drop(held);
    until(StatusCode::OK, ask).await;
}

#[tokio::test]
async fn one_networks_bodies_leave_room_for_others() {
    let gateway = gateway(64 * KIBIBYTE, 8 * KIBIBYTE).await;
    let line = "POST /auth/v1/signup";
    let _held = unfinished(&gateway, line, (30 * KIBIBYTE, 90 * KIBIBYTE)).await;
    let own = async || from(call(&gateway, 4 * KIBIBYTE), "192.0.2.1").send().await.unwrap();
    until(StatusCode::SERVICE_UNAVAILABLE, own).await;
    let other = from(call(&gateway, 4 * KIBIBYTE), "192.0.2.2").send().await.unwrap();
    assert_eq!(other.status(), StatusCode::OK);
}

/// Memory that each upload takes.
const UPLOAD: usize = 320 * KIBIBYTE;

fn upload(gateway: &TestGateway) -> RequestBuilder {
    let post = gateway.client.post(gateway.url("/uploads/reviews"));
    post.header("content-type", "image/png").body("RIFF")
}

#[tokio::test]
async fn uploads_share_the_budget_with_a_fixed_part_each() {
    let gateway = gateway(2 * UPLOAD, 2 * UPLOAD).await;
    let line = "POST /uploads/reviews";
    let held = [unfinished(&gateway, line, (4, 8)).await, unfinished(&gateway, line, (4, 8)).await];
    let ask = async || from(upload(&gateway), "192.0.2.2").send().await.unwrap();
    let refused = until(StatusCode::SERVICE_UNAVAILABLE, ask).await;
    assert_eq!(refused.headers()["retry-after"], "2");
    let error: Value = refused.json().await.unwrap();
    assert_eq!(error["code"], "unavailable");
    drop(held);
    until(StatusCode::CREATED, ask).await;
}

#[tokio::test]
async fn a_compressed_call_counts_as_large_as_it_may_become() {
    let gateway = gateway(200 * KIBIBYTE, 200 * KIBIBYTE).await;
    let plain = json!({ "serviceId": "x" }).to_string();
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(plain.as_bytes()).unwrap();
    let post = gateway.client.post(gateway.url(&format!("/rpc/{CALL}")));
    let post = post.header("content-type", "application/json").header("content-encoding", "gzip");
    let refused = post.body(packed.finish().unwrap()).send().await.unwrap();
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(call(&gateway, 2).send().await.unwrap().status(), StatusCode::OK);
}
