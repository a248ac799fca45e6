//! Rate limits: loose per address, strict per account, none for probes and webhooks.

use http::StatusCode;
use serde_json::{Value, json};

use crate::harness::{TestGateway, TestOptions, rate_limit, token, token_of};

fn assert_retry_after(answer: &reqwest::Response) {
    assert_eq!(answer.status(), StatusCode::TOO_MANY_REQUESTS);
    let seconds: u64 = answer.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((1..=61).contains(&seconds));
}

#[tokio::test]
async fn an_address_over_its_limit_gets_retry_after() {
    let mut options = TestOptions { trust_proxy: true, ..TestOptions::default() };
    options.rate_limits.address = rate_limit(3, 1);
    let gateway = TestGateway::with_options(options).await;
    let from = |address: &'static str, path: &str| {
        gateway.client.get(gateway.url(path)).header("x-forwarded-for", address).send()
    };
    for _ in 0..3 {
        assert_eq!(from("192.0.2.1", "/").await.unwrap().status(), StatusCode::OK);
    }
    let answer = from("192.0.2.1", "/").await.unwrap();
    assert_retry_after(&answer);
    assert!(!answer.headers().contains_key("x-reference-id"), "the fast path refuses");
    assert!(answer.headers().contains_key("content-security-policy"));
    let error: Value = answer.json().await.unwrap();
    assert_eq!(error["code"], "resource_exhausted");
    assert_eq!(error["details"][0]["type"], "common.v1.ErrorDetail");
    // Other addresses are not affected, and these paths are never counted.
    assert_eq!(from("192.0.2.2", "/").await.unwrap().status(), StatusCode::OK);
    for path in ["/livez", "/assets/app-1a2b.js"] {
        assert_eq!(from("192.0.2.1", path).await.unwrap().status(), StatusCode::OK);
    }
    let webhook = |path: &str| {
        gateway.client.post(gateway.url(path)).header("x-forwarded-for", "192.0.2.1").send()
    };
    assert_eq!(webhook("/webhooks/razorpay").await.unwrap().status(), StatusCode::OK);
    assert_retry_after(&webhook("/webhooks/other").await.unwrap());
}

#[tokio::test]
async fn an_address_with_rejected_webhooks_gets_retry_after() {
    let mut options = TestOptions { trust_proxy: true, ..TestOptions::default() };
    options.rate_limits.bad_webhooks = rate_limit(2, 1);
    let gateway = TestGateway::with_options(options).await;
    let webhook = |address: &'static str, body: &'static str| {
        let post = gateway.client.post(gateway.url("/webhooks/razorpay")).body(body);
        post.header("x-forwarded-for", address).send()
    };
    // Accepted webhooks are never counted.
    for _ in 0..5 {
        assert_eq!(webhook("192.0.2.1", "{}").await.unwrap().status(), StatusCode::OK);
    }
    for _ in 0..3 {
        let refused = webhook("192.0.2.1", "forged").await.unwrap();
        assert_eq!(refused.status(), StatusCode::BAD_REQUEST);
    }
    assert_retry_after(&webhook("192.0.2.1", "forged").await.unwrap());
    assert_eq!(gateway.payments.http.lock().unwrap().len(), 8, "payments hears no more of it");
    assert_eq!(webhook("192.0.2.2", "{}").await.unwrap().status(), StatusCode::OK);
}

#[tokio::test]
async fn a_claimed_address_does_not_escape_the_limit() {
    let mut options = TestOptions::default();
    options.rate_limits.address = rate_limit(1, 1);
    let gateway = TestGateway::with_options(options).await;
    assert_eq!(gateway.get("/").await.status(), StatusCode::OK);
    let claimed = gateway.client.get(gateway.url("/")).header("x-forwarded-for", "192.0.2.9");
    assert_retry_after(&claimed.send().await.unwrap());
}

#[tokio::test]
async fn an_account_over_its_limit_gets_retry_after() {
    let mut options = TestOptions::default();
    options.rate_limits.account = rate_limit(2, 1);
    let gateway = TestGateway::with_options(options).await;
    let start = |token: String| {
        let call = gateway.call("payments.v1.PaymentsService/StartPayment", &json!({}));
        call.bearer_auth(token).send()
    };
    for _ in 0..2 {
        assert_eq!(start(token()).await.unwrap().status(), StatusCode::OK);
    }
    assert_retry_after(&start(token()).await.unwrap());
    let other = token_of("0198c0de-0000-7000-8000-000000000002", 4_102_444_800);
    assert_eq!(start(other).await.unwrap().status(), StatusCode::OK);
    // Reading is not a command.
    let read =
        gateway.call("booking.v1.BookingService/GetBooking", &json!({})).bearer_auth(token());
    assert_eq!(read.send().await.unwrap().status(), StatusCode::OK);
}

#[tokio::test]
async fn what_staff_read_does_not_use_up_what_an_account_may_do() {
    let mut options = TestOptions::default();
    options.rate_limits.account = rate_limit(1, 1);
    options.rate_limits.staff = rate_limit(2, 1);
    let gateway = TestGateway::with_options(options).await;
    let read = async || {
        let call = gateway.call("booking.v1.BookingStaffService/ListBookings", &json!({}));
        call.bearer_auth(token()).send().await.unwrap()
    };
    for _ in 0..2 {
        assert_ne!(read().await.status(), StatusCode::TOO_MANY_REQUESTS);
    }
    assert_retry_after(&read().await);
    let act = gateway.call("payments.v1.PaymentsService/StartPayment", &json!({}));
    assert_eq!(act.bearer_auth(token()).send().await.unwrap().status(), StatusCode::OK);
}

#[tokio::test]
async fn guessing_passwords_is_limited_and_refreshing_has_its_own_limit() {
    let mut options = TestOptions::default();
    options.rate_limits.sign_in = rate_limit(1, 1);
    options.rate_limits.refreshes = rate_limit(2, 1);
    let gateway = TestGateway::with_options(options).await;
    let token = |kind: &str| {
        let path = format!("/auth/v1/token?grant_type={kind}");
        gateway.client.post(gateway.url(&path)).json(&json!({})).send()
    };
    assert_eq!(token("password").await.unwrap().status(), StatusCode::OK);
    let answer = token("password").await.unwrap();
    assert_retry_after(&answer);
    let error: Value = answer.json().await.unwrap();
    assert_eq!(error["error_code"], "over_request_rate_limit");
    for _ in 0..2 {
        assert_eq!(token("refresh_token").await.unwrap().status(), StatusCode::OK);
    }
    assert_retry_after(&token("refresh_token").await.unwrap());
    let out = gateway.client.post(gateway.url("/auth/v1/logout")).send().await.unwrap();
    assert_eq!(out.status(), StatusCode::OK, "signing out is never refused");
}

/// Found by the security review: a parameter made a password attempt look like a refresh.
#[tokio::test]
async fn no_parameter_makes_a_sign_in_look_like_a_refresh() {
    let mut options = TestOptions::default();
    options.rate_limits.sign_in = rate_limit(1, 1);
    let gateway = TestGateway::with_options(options).await;
    let post = |path: &str| gateway.client.post(gateway.url(path)).json(&json!({})).send();
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
    let read = gateway.get("/auth/v1/verify?type=signup&type=recovery").await;
    assert_eq!(read.status(), StatusCode::BAD_REQUEST);
    assert!(gateway.identity.http.lock().unwrap().is_empty());

    let path = |name: &str| format!("/auth/v1/{name}?grant_type=refresh_token");
    assert_eq!(post(&path("signup")).await.unwrap().status(), StatusCode::OK);
    for name in ["signup", "recover", "resend", "verify", "token/", "otp"] {
        assert_retry_after(&post(&path(name)).await.unwrap());
    }
    let change = gateway.client.put(gateway.url("/auth/v1/user?grant_type=refresh_token"));
    assert_retry_after(&change.send().await.unwrap());
    assert_eq!(gateway.identity.http.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn an_address_gets_a_small_part_of_an_hours_forms_and_uploads() {
    let mut options = TestOptions { trust_proxy: true, ..TestOptions::default() };
    options.rate_limits.forms_per_hour = rate_limit(2, 1).burst;
    options.rate_limits.uploads_per_hour = rate_limit(1, 1).burst;
    let gateway = TestGateway::with_options(options).await;
    let form = |address: &'static str| {
        let method = "notifications.v1.NotificationsService/RequestMeditationGuide";
        gateway.call(method, &json!({})).header("x-forwarded-for", address).send()
    };
    for _ in 0..2 {
        assert_eq!(form("192.0.2.1").await.unwrap().status(), StatusCode::OK);
    }
    let refused = form("192.0.2.1").await.unwrap();
    assert_eq!(refused.status(), StatusCode::TOO_MANY_REQUESTS);
    let wait: u64 = refused.headers()["retry-after"].to_str().unwrap().parse().unwrap();
    assert!((61..=1801).contains(&wait), "half an hour for each: {wait} seconds");
    assert_eq!(form("192.0.2.2").await.unwrap().status(), StatusCode::OK);
    let upload = |address: &'static str| {
        let post = gateway.client.post(gateway.url("/uploads/reviews"));
        post.header("x-forwarded-for", address).header("content-type", "image/png").body("x").send()
    };
    assert_eq!(upload("192.0.2.1").await.unwrap().status(), StatusCode::CREATED);
    assert_eq!(upload("192.0.2.1").await.unwrap().status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(upload("192.0.2.2").await.unwrap().status(), StatusCode::CREATED);
}
