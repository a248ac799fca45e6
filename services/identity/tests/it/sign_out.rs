//! Signing out ends sessions, which also invalidates their access tokens at this server.

use reqwest::Method;
use serde_json::json;

use crate::test_server::{PASSWORD, TestServer};

const ASHA: &str = "asha@example.test";

/// Signs out of one of three sessions and returns which of them are still active.
async fn left_after(query: &str) -> [bool; 3] {
    let server = TestServer::without_confirmation().await;
    server.confirmed_account(ASHA).await;
    let mut sessions = Vec::new();
    for _ in 0..2 {
        sessions.push(server.sign_in(ASHA, PASSWORD).await.ok());
    }
    sessions.push(server.confirmed_account("ravi@example.test").await);
    let token = sessions[0].text("/access_token");
    let path = format!("/logout{query}");
    assert_eq!(server.call(Method::POST, &path, &token, json!({})).await.status, 204);
    let mut left = [false; 3];
    for (index, session) in sessions.iter().enumerate() {
        let user = server.user(&session.text("/access_token")).await;
        let refreshed = server.refresh(&session.text("/refresh_token")).await;
        if !user.status.is_success() {
            user.assert_error(403, "session_not_found");
            refreshed.assert_error(400, "refresh_token_not_found");
        }
        assert_eq!(user.status.is_success(), refreshed.status.is_success());
        left[index] = user.status.is_success();
    }
    left
}

#[tokio::test]
async fn the_default_scope_signs_out_everywhere() {
    assert_eq!(left_after("").await, [false, false, true]);
    assert_eq!(left_after("?scope=global").await, [false, false, true]);
}

#[tokio::test]
async fn the_local_scope_signs_out_this_session_only() {
    assert_eq!(left_after("?scope=local").await, [false, true, true]);
}

#[tokio::test]
async fn the_others_scope_signs_out_all_other_sessions() {
    assert_eq!(left_after("?scope=others").await, [true, false, true]);
}

#[tokio::test]
async fn an_unknown_scope_or_a_missing_token_is_refused() {
    let server = TestServer::without_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let answer = server.call(Method::POST, "/logout?scope=all", &token, json!({})).await;
    answer.assert_error(400, "validation_failed");
    server.user(&token).await.ok();
    server.post("/logout", json!({})).await.assert_error(401, "no_authorization");
}
