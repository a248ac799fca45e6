//! Refreshing of sessions, and their end.

use crate::test_server::{PASSWORD, TestServer, claims};

#[tokio::test]
async fn a_session_goes_on_with_new_tokens() {
    let server = TestServer::without_confirmation().await;
    let first = server.sign_up("asha@example.test").await.ok();
    server.move_clock(3000).await;
    let second = server.refresh(&first.text("/refresh_token")).await.ok();
    assert_ne!(first.text("/refresh_token"), second.text("/refresh_token"));
    let (before, after) =
        (claims(&first.text("/access_token")), claims(&second.text("/access_token")));
    assert_eq!(before["session_id"], after["session_id"]);
    assert_eq!(before["amr"], after["amr"]);
    assert!(after["exp"].as_i64() > before["exp"].as_i64());
    server.user(&second.text("/access_token")).await.ok();
    server.refresh(&second.text("/refresh_token")).await.ok();
}

#[tokio::test]
async fn a_lost_answer_can_be_asked_for_again_for_a_minute() {
    let server = TestServer::without_confirmation().await;
    let session = server.confirmed_account("asha@example.test").await;
    let lost = server.refresh(&session.text("/refresh_token")).await.ok();
    server.move_clock(58).await;
    let again = server.refresh(&session.text("/refresh_token")).await.ok();
    assert_eq!(lost.text("/refresh_token"), again.text("/refresh_token"));
    server.refresh(&again.text("/refresh_token")).await.ok();
}

#[tokio::test]
async fn two_tabs_that_refresh_at_once_get_the_same_token() {
    let server = TestServer::without_confirmation().await;
    let token = server.confirmed_account("asha@example.test").await.text("/refresh_token");
    let (one, other) = tokio::join!(server.refresh(&token), server.refresh(&token));
    assert_eq!(one.ok().text("/refresh_token"), other.ok().text("/refresh_token"));
}

#[tokio::test]
async fn a_second_use_after_that_ends_the_session_for_both() {
    let server = TestServer::without_confirmation().await;
    let stolen = server.confirmed_account("asha@example.test").await;
    let elsewhere = server.sign_in("asha@example.test", PASSWORD).await.ok();
    let owner = server.refresh(&stolen.text("/refresh_token")).await.ok();
    server.move_clock(62).await;
    let thief = server.refresh(&stolen.text("/refresh_token")).await;
    thief.assert_error(400, "refresh_token_already_used");
    let owner_again = server.refresh(&owner.text("/refresh_token")).await;
    owner_again.assert_error(400, "refresh_token_not_found");
    server.user(&owner.text("/access_token")).await.assert_error(403, "session_not_found");
    // Another session of the same user is unaffected.
    server.refresh(&elsewhere.text("/refresh_token")).await.ok();
}

#[tokio::test]
async fn an_older_ancestor_ends_the_session_even_within_a_minute() {
    let server = TestServer::without_confirmation().await;
    let first = server.confirmed_account("asha@example.test").await.text("/refresh_token");
    let second = server.refresh(&first).await.ok().text("/refresh_token");
    server.refresh(&second).await.ok();
    server.refresh(&first).await.assert_error(400, "refresh_token_already_used");
}

#[tokio::test]
async fn a_session_ends_when_it_is_idle_and_when_it_is_old() {
    let server = TestServer::without_confirmation().await;
    let day = 24 * 3600;
    let idle = server.confirmed_account("idle@example.test").await.text("/refresh_token");
    let mut busy = server.confirmed_account("busy@example.test").await.text("/refresh_token");
    server.move_clock(10 * day).await;
    busy = server.refresh(&busy).await.ok().text("/refresh_token");
    server.move_clock(15 * day).await;
    server.refresh(&idle).await.assert_error(400, "session_expired");
    server.refresh(&idle).await.assert_error(400, "refresh_token_not_found");
    server.move_clock(20 * day).await;
    busy = server.refresh(&busy).await.ok().text("/refresh_token");
    server.move_clock(31 * day).await;
    server.refresh(&busy).await.assert_error(400, "session_expired");
}

#[tokio::test]
async fn unknown_refresh_tokens_are_rejected() {
    let server = TestServer::without_confirmation().await;
    server.refresh("").await.assert_error(400, "validation_failed");
    server.refresh("not-a-token").await.assert_error(400, "validation_failed");
    let unknown = identity::tokens::secrets::RefreshToken::random().text();
    server.refresh(&unknown).await.assert_error(400, "refresh_token_not_found");
}

#[tokio::test]
async fn tokens_are_not_stored_as_they_are_given_out() {
    let server = TestServer::without_confirmation().await;
    let session = server.confirmed_account("asha@example.test").await;
    server.refresh(&session.text("/refresh_token")).await.ok();
    let stored: String =
        sqlx::query_scalar("select string_agg(t::text, ' ') from refresh_tokens t")
            .fetch_one(server.app.store.pool())
            .await
            .unwrap();
    use base64::Engine as _;
    let given = base64::engine::general_purpose::URL_SAFE_NO_PAD
        .decode(session.text("/refresh_token"))
        .unwrap();
    assert_eq!(given.len(), 32, "256 random bits");
    let given: String = given.iter().map(|byte| format!("{byte:02x}")).collect();
    assert!(!stored.contains(&given));
}
