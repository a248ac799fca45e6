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
    let webhook = |path: &str| {
        world.client.post(world.url(path)).header("x-forwarded-for", "192.0.2.1").send()
    };
    assert_eq!(webhook("/webhooks/razorpay").await.unwrap().status(), StatusCode::OK);
    is_told_to_wait(&webhook("/webhooks/other").await.unwrap());
}

#[tokio::test]
async fn an_address_whose_webhooks_are_refused_is_told_to_wait() {
    let mut wishes = Wishes { trust_proxy: true, ..Wishes::default() };
    wishes.allowances.bad_webhooks = allowance(2, 1);
    let world = World::with(wishes).await;
    let webhook = |address: &'static str, body: &'static str| {
        let post = world.client.post(world.url("/webhooks/razorpay")).body(body);
        post.header("x-forwarded-for", address).send()
    };
    // Good ones are never counted.
    for _ in 0..5 {
        assert_eq!(webhook("192.0.2.1", "{}").await.unwrap().status(), StatusCode::OK);
    }
    for _ in 0..3 {
        let refused = webhook("192.0.2.1", "forged").await.unwrap();
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
    }
    is_told_to_wait(&webhook("192.0.2.1", "forged").await.unwrap());
    assert_eq!(world.payments.http.lock().unwrap().len(), 8, "payments hears no more of it");
    assert_eq!(webhook("192.0.2.2", "{}").await.unwrap().status(), StatusCode::OK);
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
async fn guessing_passwords_is_slowed_down_and_refreshing_has_a_limit_of_its_own() {
    let mut wishes = Wishes::default();
    wishes.allowances.sign_in = allowance(1, 1);
    wishes.allowances.refreshes = allowance(2, 1);
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
    for _ in 0..2 {
        assert_eq!(token("refresh_token").await.unwrap().status(), StatusCode::OK);
    }
    is_told_to_wait(&token("refresh_token").await.unwrap());
    let out = world.client.post(world.url("/auth/v1/logout")).send().await.unwrap();
    assert_eq!(out.status(), StatusCode::OK, "signing out is never refused");
}

/// What the security review found: a parameter made a password's try look like a refresh.
#[tokio::test]
async fn no_parameter_makes_a_sign_in_look_like_a_refresh() {
    let mut wishes = Wishes::default();
    wishes.allowances.sign_in = allowance(1, 1);
    let world = World::with(wishes).await;
    let post = |path: &str| world.client.post(world.url(path)).json(&json!({})).send();
    let twice = "/auth/v1/token?grant_type=refresh_token&grant_type=password";
    for path in [twice, "/auth/v1/token?grant_type=refresh_token&grant%5Ftype=password"] {
        let refused = post(path).await.unwrap();
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST, "{path}");
        assert_eq!(refused.headers()["x-sb-error-code"], "validation_failed");
        let error: Value = refused.json().await.unwrap();
        assert_eq!(
            (&error["code"], &error["error_code"]),
            (&json!(400), &json!("validation_failed"))
        );
    }
    let read = world.get("/auth/v1/verify?type=signup&type=recovery").await;
    assert_eq!(read.status(), StatusCode::BAD_REQUEST);
    assert!(world.identity.http.lock().unwrap().is_empty());

    let path = |name: &str| format!("/auth/v1/{name}?grant_type=refresh_token");
    assert_eq!(post(&path("signup")).await.unwrap().status(), StatusCode::OK);
    for name in ["signup", "recover", "resend", "verify", "token/", "otp"] {
        is_told_to_wait(&post(&path(name)).await.unwrap());
    }
    let change = world.client.put(world.url("/auth/v1/user?grant_type=refresh_token"));
    is_told_to_wait(&change.send().await.unwrap());
    assert_eq!(world.identity.http.lock().unwrap().len(), 1);
}
