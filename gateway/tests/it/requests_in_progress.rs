//! Requests that are in progress are counted per network, and streams per account.

use http::StatusCode;
use serde_json::{Value, json};
use tokio::time::timeout;

use crate::harness::{CUSTOMER, TestGateway, TestOptions, USER, token_of};
use crate::raw_http::TEST_TIMEOUT;
use crate::streams::Envelopes;

const CALL: &str = "catalogue.v1.CatalogueService/ListFaqs";
const FOREVER: u64 = 4_102_444_800;

async fn gateway(change: impl FnOnce(&mut TestOptions)) -> TestGateway {
    let mut options = TestOptions { trust_proxy: true, ..TestOptions::default() };
    change(&mut options);
    TestGateway::with_options(options).await
}

/// A stream that was opened from a network address.
async fn stream(gateway: &TestGateway, user: &str, address: &str) -> Envelopes {
    Envelopes::open_from(gateway, Some(token_of(user, FOREVER)), address).await
}

async fn call(gateway: &TestGateway, address: &str) -> reqwest::Response {
    gateway.call(CALL, &json!({})).header("x-forwarded-for", address).send().await.unwrap()
}

#[tokio::test]
async fn a_network_has_no_more_than_its_share_in_progress_once_half_are() {
    let gateway = gateway(|options| {
        (options.requests.max, options.requests.share) = (4, 1);
    })
    .await;
    let held =
        [stream(&gateway, USER, "192.0.2.1").await, stream(&gateway, USER, "192.0.2.1").await];
    let refused = call(&gateway, "192.0.2.1").await;
    assert_eq!(refused.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(refused.headers()["retry-after"], "2");
    let error: Value = refused.json().await.unwrap();
    assert_eq!(error["code"], "unavailable");
    assert_eq!(error["details"][0]["type"], "common.v1.ErrorDetail");
    // Pages and probes need no service.
    assert_eq!(gateway.get("/").await.status(), StatusCode::OK);
    assert_eq!(gateway.get("/readyz").await.status(), StatusCode::OK);
    let others =
        [stream(&gateway, USER, "192.0.2.2").await, stream(&gateway, USER, "192.0.2.3").await];
    assert_eq!(call(&gateway, "192.0.2.4").await.status(), StatusCode::SERVICE_UNAVAILABLE);
    drop(held);
    let again = async { while !call(&gateway, "192.0.2.1").await.status().is_success() {} };
    timeout(TEST_TIMEOUT, again).await.expect("no place came back");
    drop(others);
}

#[tokio::test]
async fn an_account_has_few_streams() {
    let gateway = gateway(|options| options.requests.watchers_per_account = 2).await;
    let first = stream(&gateway, USER, "192.0.2.1").await;
    let _second = stream(&gateway, USER, "192.0.2.2").await;
    let is_refused = async || {
        let (flags, message) = stream(&gateway, USER, "192.0.2.3").await.next().await.unwrap();
        assert_eq!(flags == 2, message["error"]["code"] == "resource_exhausted", "{message}");
        flags == 2
    };
    assert!(is_refused().await);
    // It is the account that counts.
    let mut other = stream(&gateway, CUSTOMER, "192.0.2.1").await;
    assert_eq!(other.next().await.unwrap().0, 0);
    drop(first);
    let again = async { while is_refused().await {} };
    timeout(TEST_TIMEOUT, again).await.expect("no stream can be opened again");
}
