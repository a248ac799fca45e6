//! Sign-in by password, and throttling of guesses.

use futures::future::join_all;
use serde_json::json;

use crate::test_server::{PASSWORD, TestServer};

#[tokio::test]
async fn the_right_password_signs_in_and_a_wrong_one_does_not() {
    let server = TestServer::without_confirmation().await;
    server.confirmed_account("asha@example.test").await;
    let session = server.sign_in("  ASHA@Example.test ", PASSWORD).await.ok();
    assert_eq!(session.headers["cache-control"], "no-store");
    assert!(!session.text("/refresh_token").is_empty());
    for wrong in ["A quiet garden", "a quiet garden ", ""] {
        let answer = server.sign_in("asha@example.test", wrong).await;
        answer.assert_error(400, "invalid_credentials");
        assert_eq!(answer.text("/message"), "Invalid login credentials");
    }
}

#[tokio::test]
async fn a_password_does_not_expire() {
    let server = TestServer::without_confirmation().await;
    server.confirmed_account("asha@example.test").await;
    let ten_years = 10 * 365 * 24 * 3600;
    server.move_clock(ten_years).await;
    server.sign_in("asha@example.test", PASSWORD).await.ok();
}

#[tokio::test]
async fn guesses_are_slowed_down_and_the_wait_ends() {
    let server = TestServer::without_confirmation().await;
    server.confirmed_account("asha@example.test").await;
    server.database.stop_clock().await.unwrap();
    for _ in 0..5 {
        let answer = server.sign_in("asha@example.test", "a wrong password").await;
        answer.assert_error(400, "invalid_credentials");
    }
    // Even the right password is throttled, so that it gets the same answer.
    let answer = server.sign_in("asha@example.test", PASSWORD).await;
    answer.assert_error(429, "over_request_rate_limit");
    assert!(answer.text("/message").contains("after 1 seconds"), "{}", answer.body);
    server.move_clock(2).await;
    server.sign_in("asha@example.test", PASSWORD).await.ok();
    // A success resets the counter.
    server
        .sign_in("asha@example.test", "a wrong password")
        .await
        .assert_error(400, "invalid_credentials");
    server.sign_in("asha@example.test", PASSWORD).await.ok();
}

#[tokio::test]
async fn the_wait_grows_to_a_quarter_of_an_hour_and_no_further() {
    let server = TestServer::without_confirmation().await;
    server.confirmed_account("asha@example.test").await;
    let mut clock = 0;
    for _ in 0..18 {
        server
            .sign_in("asha@example.test", "a wrong password")
            .await
            .assert_error(400, "invalid_credentials");
        clock += 901;
        server.move_clock(clock).await;
    }
    server
        .sign_in("asha@example.test", "a wrong password")
        .await
        .assert_error(400, "invalid_credentials");
    let answer = server.sign_in("asha@example.test", PASSWORD).await;
    answer.assert_error(429, "over_request_rate_limit");
    server.move_clock(clock + 901).await;
    server.sign_in("asha@example.test", PASSWORD).await.ok();
}

#[tokio::test]
async fn guesses_that_come_at_once_count_too() {
    let server = TestServer::without_confirmation().await;
    server.confirmed_account("asha@example.test").await;
    server.database.stop_clock().await.unwrap();
    let guesses = (0..12).map(|_| server.sign_in("asha@example.test", "a wrong password"));
    let answers = join_all(guesses).await;
    let looked_at = answers.iter().filter(|answer| answer.status == 400).count();
    assert_eq!(looked_at, 5);
}

#[tokio::test]
async fn waiting_on_one_account_does_not_touch_another() {
    let server = TestServer::without_confirmation().await;
    server.confirmed_account("asha@example.test").await;
    server.confirmed_account("ravi@example.test").await;
    for _ in 0..6 {
        server.sign_in("asha@example.test", "a wrong password").await;
    }
    server.sign_in("ravi@example.test", PASSWORD).await.ok();
}

#[tokio::test]
async fn banned_accounts_cannot_sign_in() {
    let server = TestServer::without_confirmation().await;
    let session = server.confirmed_account("asha@example.test").await;
    server
        .database
        .as_owner("update users set banned_until_at = clock_now() + interval '1 hour'")
        .await
        .unwrap();
    server.sign_in("asha@example.test", PASSWORD).await.assert_error(400, "user_banned");
    server.refresh(&session.text("/refresh_token")).await.assert_error(400, "user_banned");
    server.user(&session.text("/access_token")).await.assert_error(403, "user_banned");
    server.move_clock(3601).await;
    server.sign_in("asha@example.test", PASSWORD).await.ok();
}

#[tokio::test]
async fn other_grant_types_get_the_contracts_errors() {
    let server = TestServer::without_confirmation().await;
    for (grant, body, status, code) in [
        ("password", json!({ "password": "x" }), 400, "validation_failed"),
        ("password", json!({ "phone": "+91", "password": "x" }), 422, "phone_provider_disabled"),
        (
            "password",
            json!({ "phone": "+91", "email": "a@b.test", "password": "x" }),
            400,
            "validation_failed",
        ),
        ("password", json!({ "email": "asha", "password": "x" }), 400, "invalid_credentials"),
        ("pkce", json!({}), 400, "validation_failed"),
        ("pkce", json!({ "auth_code": "a", "code_verifier": "b" }), 404, "flow_state_not_found"),
        ("id_token", json!({ "id_token": "a", "provider": "google" }), 400, "provider_disabled"),
        ("web3", json!({ "chain": "solana" }), 422, "web3_provider_disabled"),
        ("web3", json!({ "chain": "other" }), 422, "web3_provider_disabled"),
        ("id_token", json!({ "id_token": "a", "provider": "zzz" }), 400, "validation_failed"),
        ("implicit", json!({}), 400, "invalid_credentials"),
    ] {
        let answer = server.post(&format!("/token?grant_type={grant}"), body).await;
        answer.assert_error(status, code);
    }
    let answer = server.post("/token?grant_type=id_token", json!({})).await;
    let oauth = json!({ "error": "invalid request", "error_description": "id_token required" });
    assert_eq!((answer.status.as_u16(), answer.body), (400, oauth));
}
