//! Limits: loose per address, strict per account, and never for probes and webhooks.

use http::StatusCode;
use serde_json::{Value, json};

use crate::world::{Wishes, World, allowance, token, token_of};

fn is_told_to_wait(answer: &reqwest::Response) {
    assert_eq!(answer.status(), StatusCode::TOO_MANY_REQUESTS);
    let seconds: u64 = answer.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=61).contains(&seconds));
}

#[tokio::test]
async fn an_address_that_floods_is_told_to_wait() {
    let mut wishes = Wishes { trust_proxy: true, ..Wishes::default() };
    wishes.allowances.address = allowance(3, 1);
    let world = World::with(wishes).await;
    let from = |address: &'static str, path: &str| {
        world.client.get(world.url(path)).header("x-forwarded-for", address).send()
    };
    for _ in 0..3 {
        assert_eq!(from("192.0.2.1", "/").await.unwrap().status(), StatusCode::OK);
    }
    let answer = from("192.0.2.1", "/").await.unwrap();
    is_told_to_wait(&answer);
    let error: Value = answer.json().await.unwrap();
    assert_eq!(error["code"], "resource_exhausted");
    assert_eq!(error["details"][0]["type"], "common.v1.ErrorDetail");
    // Others are not touched, and these paths are never counted.
    assert_eq!(from("192.0.2.2", "/").await.unwrap().status(), StatusCode::OK);
    for path in ["/livez", "/assets/app-1a2b.js"] {
        assert_eq!(from("192.0.2.1", path).await.unwrap().status(), StatusCode::OK);
    }
    let webhook = world.client.post(world.url("/webhooks/razorpay"));
    let webhook = webhook.header("x-forwarded-for", "192.0.2.1").send().await.unwrap();
    assert_eq!(webhook.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_claimed_address_does_not_escape_the_limit() {
    let mut wishes = Wishes::default();
    wishes.allowances.address = allowance(1, 1);
    let world = World::with(wishes).await;
    assert_eq!(world.get("/").await.status(), StatusCode::OK);
    let claimed = world.client.get(world.url("/")).header("x-forwarded-for", "192.0.2.9");
    is_told_to_wait(&claimed.send().await.unwrap());
}

#[tokio::test]
async fn an_account_that_floods_is_told_to_wait() {
    let mut wishes = Wishes::default();
    wishes.allowances.account = allowance(2, 1);
    let world = World::with(wishes).await;
    let start = |token: String| {
        let call = world.call("payments.v1.PaymentsService/StartPayment", &json!({}));
        call.bearer_auth(token).send()
    };
    for _ in 0..2 {
        assert_eq!(start(token()).await.unwrap().status(), StatusCode::OK);
    }
    is_told_to_wait(&start(token()).await.unwrap());
    let other = token_of("0198c0de-0000-7000-8000-000000000002", 4_102_444_800);
    assert_eq!(start(other).await.unwrap().status(), StatusCode::OK);
    // Reading is not a command.
    let read = world.call("booking.v1.BookingService/GetBooking", &json!({})).bearer_auth(token());
    assert_eq!(read.send().await.unwrap().status(), StatusCode::OK);
}

#[tokio::test]
async fn guessing_passwords_is_slowed_down_and_refreshing_is_not() {
    let mut wishes = Wishes::default();
    wishes.allowances.sign_in = allowance(1, 1);
    let world = World::with(wishes).await;
    let token = |kind: &str| {
        let path = format!("/auth/v1/token?grant_type={kind}");
        world.client.post(world.url(&path)).json(&json!({})).send()
    };
    assert_eq!(token("password").await.unwrap().status(), StatusCode::OK);
    let answer = token("password").await.unwrap();
    is_told_to_wait(&answer);
    let error: Value = answer.json().await.unwrap();
    assert_eq!(error["error_code"], "over_request_rate_limit");
    assert_eq!(token("refresh_token").await.unwrap().status(), StatusCode::OK);
}
