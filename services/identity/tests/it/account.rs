//! What users can change of their own account, and what they cannot.

use reqwest::Method;
use serde_json::{Value, json};

use crate::test_server::{Answer, PASSWORD, TestServer};

const ASHA: &str = "asha@example.test";

async fn change(server: &TestServer, token: &str, body: Value) -> Answer {
    server.call(Method::PUT, "/user", token, body).await
}

#[tokio::test]
async fn user_metadata_is_merged() {
    let server = TestServer::without_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let data = json!({ "firstName": "Usha", "phone": null, "theme": "dark" });
    let answer = change(&server, &token, json!({ "data": data })).await.ok();
    let expected = json!({ "firstName": "Usha", "lastName": "Rao", "theme": "dark" });
    assert_eq!(answer.body["user_metadata"], expected);
    assert_eq!(server.user(&token).await.body["user_metadata"], expected);
    let large = json!({ "data": { "story": "a".repeat(3000) } });
    change(&server, &token, large).await.assert_error(400, "validation_failed");
    change(&server, &token, json!({ "data": { "phone": "x" } }))
        .await
        .assert_error(400, "validation_failed");
    change(&server, &token, json!({ "data": "x" })).await.assert_error(400, "bad_json");
    assert_eq!(server.user(&token).await.body["user_metadata"], expected);
}

#[tokio::test]
async fn read_only_fields_cannot_be_changed() {
    let server = TestServer::without_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    for (body, status, code) in [
        (json!({ "app_metadata": { "role": "owner" } }), 403, "not_admin"),
        (json!({ "email": "other" }), 400, "validation_failed"),
        (json!({ "phone": "call me" }), 400, "validation_failed"),
        (json!({ "phone": "+919876543210" }), 400, "phone_provider_disabled"),
    ] {
        change(&server, &token, body).await.assert_error(status, code);
    }
    // Unknown fields do not bypass the check.
    let sly = json!({ "email": ASHA, "role": "service_role", "email_confirmed_at": null });
    let answer = change(&server, &token, sly).await.ok();
    assert_eq!(
        (answer.text("/role"), answer.text("/email")),
        ("authenticated".into(), ASHA.into())
    );
}

#[tokio::test]
async fn a_new_password_needs_the_old_one_and_ends_other_sessions() {
    let server = TestServer::with_confirmation().await;
    let other = server.confirmed_account(ASHA).await;
    let session = server.sign_in(ASHA, PASSWORD).await.ok();
    let token = session.text("/access_token");
    server.post("/recover", json!({ "email": ASHA })).await.ok();
    let pending = server.latest_mail().await;

    let bare = json!({ "password": "a louder garden" });
    change(&server, &token, bare).await.assert_error(400, "reauthentication_needed");
    let wrong = json!({ "password": "a louder garden", "current_password": "a wrong password" });
    change(&server, &token, wrong).await.assert_error(400, "invalid_credentials");
    let same = json!({ "password": PASSWORD, "current_password": PASSWORD });
    change(&server, &token, same).await.assert_error(422, "same_password");
    let weak = json!({ "password": "sukoon@123", "current_password": PASSWORD });
    change(&server, &token, weak).await.assert_error(422, "weak_password");
    server.user(&other.text("/access_token")).await.ok();

    let right = json!({ "password": "a louder garden", "current_password": PASSWORD });
    change(&server, &token, right).await.ok();
    server.user(&token).await.ok();
    server.refresh(&session.text("/refresh_token")).await.ok();
    server.user(&other.text("/access_token")).await.assert_error(403, "session_not_found");
    server.verify("recovery", ASHA, &pending.code).await.assert_error(403, "otp_expired");
    server.sign_in(ASHA, PASSWORD).await.assert_error(400, "invalid_credentials");
    server.sign_in(ASHA, "a louder garden").await.ok();
}

#[tokio::test]
async fn guesses_of_the_current_password_are_throttled() {
    let server = TestServer::without_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    server.database.stop_clock().await.unwrap();
    let wrong = json!({ "password": "a louder garden", "current_password": "a wrong password" });
    for _ in 0..5 {
        change(&server, &token, wrong.clone()).await.assert_error(400, "invalid_credentials");
    }
    change(&server, &token, wrong).await.assert_error(429, "over_request_rate_limit");
}

#[tokio::test]
async fn a_code_replaces_the_old_password_for_an_hour_only() {
    let server = TestServer::with_confirmation().await;
    server.confirmed_account(ASHA).await;
    server.post("/recover", json!({ "email": ASHA })).await.ok();
    let code = server.latest_mail().await.code;
    let session = server.verify("recovery", ASHA, &code).await.ok();
    server.move_clock(3700).await;
    let session = server.refresh(&session.text("/refresh_token")).await.ok();
    let late = json!({ "password": "a louder garden" });
    let answer = change(&server, &session.text("/access_token"), late).await;
    answer.assert_error(400, "reauthentication_needed");
}

#[tokio::test]
async fn passwords_are_stored_as_argon2id() {
    let server = TestServer::without_confirmation().await;
    server.confirmed_account(ASHA).await;
    let stored: String = sqlx::query_scalar("select password_hash from users")
        .fetch_one(server.app.store.pool())
        .await
        .unwrap();
    assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stored}");
}
