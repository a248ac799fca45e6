//! New accounts, with and without a confirmed address.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use reqwest::Method;
use serde_json::{Value, json};

use crate::test_server::{Answer, PASSWORD, TestServer, claims, other_than};

#[tokio::test]
async fn a_code_is_asked_for_and_signs_in() {
    let server = TestServer::with_confirmation().await;
    let answer = server.sign_up("Asha@Example.test").await.ok();
    assert_eq!(answer.text("/email"), "asha@example.test");
    assert_eq!(answer.text("/user_metadata/firstName"), "Asha");
    assert_eq!(answer.body.get("access_token"), None);
    assert_eq!(answer.body.get("email_confirmed_at"), None);
    assert_eq!(answer.body.get("password_hash"), None);
    assert_eq!(answer.text("/identities/0/provider"), "email");

    let mail = server.latest_mail().await;
    assert_eq!((mail.email.as_str(), mail.purpose.as_str()), ("asha@example.test", "signup"));
    assert_eq!((mail.first_name.as_str(), mail.valid_minutes), ("Asha", 10));
    let early = server.sign_in("asha@example.test", PASSWORD).await;
    early.assert_error(400, "email_not_confirmed");

    let session = server.verify_own(&answer, &mail.code).await.ok();
    assert_eq!(session.text("/token_type"), "bearer");
    assert_eq!(session.body.get("password_needed"), None);
    assert_eq!(session.text("/user/id"), answer.text("/id"));
    assert!(!session.text("/user/email_confirmed_at").is_empty());
    server.sign_in("ASHA@example.test", PASSWORD).await.ok();
}

#[tokio::test]
async fn without_confirmation_a_session_begins_at_once() {
    let server = TestServer::without_confirmation().await;
    let session = server.sign_up("asha@example.test").await.ok();
    assert_eq!(session.body["expires_in"], 600);
    assert!(session.body["expires_at"].is_i64());
    assert_eq!(server.codes_requested().await, 0);
    let user = server.user(&session.text("/access_token")).await.ok();
    assert_eq!(user.text("/user_metadata/phone"), "98765 43210");
    let again = server.sign_up("ASHA@example.test").await;
    again.assert_error(422, "user_already_exists");
}

#[tokio::test]
async fn the_token_says_who_it_is() {
    let server = TestServer::without_confirmation().await;
    let session = server.sign_up("asha@example.test").await.ok();
    let claims = claims(&session.text("/access_token"));
    assert_eq!(claims["iss"], "https://sukoon.example/auth/v1");
    assert_eq!(claims["sub"], session.body["user"]["id"]);
    assert_eq!(
        (&claims["aud"], &claims["role"]),
        (&json!("authenticated"), &json!("authenticated"))
    );
    assert_eq!((&claims["aal"], &claims["is_anonymous"]), (&json!("aal1"), &json!(false)));
    assert_eq!(claims["email"], "asha@example.test");
    assert_eq!(claims["amr"][0]["method"], "password");
    assert_eq!(claims["exp"].as_i64().unwrap() - claims["iat"].as_i64().unwrap(), 600);
    assert_eq!(claims["exp"], session.body["expires_at"]);
    assert!(claims["session_id"].is_string());
}

#[tokio::test]
async fn signing_up_after_a_stranger_keeps_the_own_password() {
    let server = TestServer::with_confirmation().await;
    server.post("/signup", strangers_own()).await.ok();
    server.move_clock(61).await;
    let own = server.sign_up("asha@example.test").await.ok();
    let mail = server.latest_mail().await;
    server.verify_own(&own, &mail.code).await.ok();
    let theirs = server.sign_in("asha@example.test", STRANGERS).await;
    theirs.assert_error(400, "invalid_credentials");
    server.sign_in("asha@example.test", PASSWORD).await.ok();
}

const STRANGERS: &str = "a stranger's own";

/// A sign-up with another person's address.
fn strangers_own() -> Value {
    json!({ "email": "asha@example.test", "password": STRANGERS })
}

/// Sets the password in the session that the code opened, as the page asks for.
async fn choose_password(server: &TestServer, session: &Answer) {
    assert_eq!(session.body["password_needed"], true);
    for password in [STRANGERS, PASSWORD] {
        let before = server.sign_in("asha@example.test", password).await;
        before.assert_error(400, "invalid_credentials");
    }
    let (token, chosen) = (session.text("/access_token"), json!({ "password": "my own garden" }));
    server.call(Method::PUT, "/user", &token, chosen).await.ok();
    server.sign_in("asha@example.test", "my own garden").await.ok();
    let theirs = server.sign_in("asha@example.test", STRANGERS).await;
    theirs.assert_error(400, "invalid_credentials");
}

#[tokio::test]
async fn the_password_of_a_stranger_who_signs_up_last_does_not_survive_the_owners_proof() {
    let server = TestServer::with_confirmation().await;
    let own = server.sign_up("asha@example.test").await.ok();
    server.move_clock(61).await;
    let theirs = server.post("/signup", strangers_own()).await.ok();
    // Only the newest mail's code is valid, and its account is the stranger's.
    let mail = server.latest_mail().await;
    assert_ne!(own.text("/sign_up_secret"), theirs.text("/sign_up_secret"));
    let session = server.verify_own(&own, &mail.code).await.ok();
    assert_eq!(session.text("/user/id"), theirs.text("/id"));
    choose_password(&server, &session).await;
}

#[tokio::test]
async fn a_code_alone_does_not_keep_the_password_of_the_sign_up() {
    let server = TestServer::with_confirmation().await;
    server.post("/signup", strangers_own()).await.ok();
    let mail = server.latest_mail().await;
    let session = server.verify("signup", "asha@example.test", &mail.code).await.ok();
    choose_password(&server, &session).await;
}

#[tokio::test]
async fn a_link_alone_does_not_keep_the_password_of_the_sign_up() {
    let server = TestServer::with_confirmation().await;
    let theirs = server.post("/signup", strangers_own()).await.ok();
    let (link, id) = (server.latest_mail().await.link, theirs.text("/id"));
    let guessed = URL_SAFE_NO_PAD.encode(id.parse::<uuid::Uuid>().unwrap().as_bytes());
    let session = server.confirm_link(&link, &guessed).await.ok();
    choose_password(&server, &session).await;
}

/// The forms of the site begin with name and phone of the account: a stranger's phone would be
/// called in place of the owner's.
#[tokio::test]
async fn what_a_stranger_said_at_the_sign_up_goes_with_the_password() {
    let server = TestServer::with_confirmation().await;
    let stranger = server.sign_up("asha@example.test").await.ok();
    assert_eq!(stranger.text("/user_metadata/phone"), "98765 43210");
    let mail = server.latest_mail().await;
    let session = server.verify("signup", "asha@example.test", &mail.code).await.ok();
    let user = &session.body["user"];
    assert_eq!(user["user_metadata"], json!({}));
    let told = &user["identities"][0]["identity_data"];
    assert_eq!((&told["phone"], &told["firstName"]), (&Value::Null, &Value::Null));
    assert_eq!(told["email_verified"], true);
    let again = server.user(&session.text("/access_token")).await.ok();
    assert_eq!(again.body["user_metadata"], json!({}));
}

#[tokio::test]
async fn a_link_keeps_the_password_in_the_browser_that_signed_up() {
    let server = TestServer::with_confirmation().await;
    let own = server.sign_up("asha@example.test").await.ok();
    let link = server.latest_mail().await.link;
    let session = server.confirm_link(&link, &own.text("/sign_up_secret")).await.ok();
    assert_eq!(session.body.get("password_needed"), None);
    let changed = json!({ "password": "my own garden" });
    let token = session.text("/access_token");
    let refused = server.call(Method::PUT, "/user", &token, changed).await;
    refused.assert_error(400, "reauthentication_needed");
    server.sign_in("asha@example.test", PASSWORD).await.ok();
}

#[tokio::test]
async fn the_secret_of_a_sign_up_is_no_proof_of_the_address() {
    let server = TestServer::with_confirmation().await;
    let theirs = server.post("/signup", strangers_own()).await.ok();
    let mail = server.latest_mail().await;
    let wrong = server.verify_own(&theirs, &other_than(&mail.code)).await;
    wrong.assert_error(403, "otp_expired");
    // The stranger's password is also removed when the owner recovers the account.
    server.post("/recover", json!({ "email": "asha@example.test" })).await.ok();
    let link = server.latest_mail().await.link;
    let session = server.confirm_link(&link, &theirs.text("/sign_up_secret")).await.ok();
    choose_password(&server, &session).await;
}

#[tokio::test]
async fn what_is_missing_or_malformed_is_refused_and_changes_nothing() {
    let server = TestServer::with_confirmation().await;
    let long = "a".repeat(257);
    for (body, status, code) in [
        (json!({ "email": "asha@example.test" }), 400, "validation_failed"),
        (json!({ "email": "asha", "password": PASSWORD }), 400, "validation_failed"),
        (json!({ "email": "a@b.test", "password": long }), 400, "validation_failed"),
        (json!({ "email": "a@b.test", "password": "short" }), 422, "weak_password"),
        (json!({ "email": "a@b.test", "password": "Password123" }), 422, "weak_password"),
        (json!({ "phone": "+919876543210", "password": PASSWORD }), 400, "phone_provider_disabled"),
        (json!({ "data": {} }), 422, "anonymous_provider_disabled"),
        (json!({ "password": PASSWORD }), 422, "anonymous_provider_disabled"),
        (json!({ "email": "asha", "password": "short" }), 422, "weak_password"),
        (
            json!({ "email": "a@b.test", "phone": "+919876543210", "password": PASSWORD }),
            400,
            "validation_failed",
        ),
        (json!({ "email": 7, "password": PASSWORD }), 400, "bad_json"),
        (json!([]), 400, "bad_json"),
    ] {
        server.post("/signup", body).await.assert_error(status, code);
    }
    let phone = json!({ "email": "a@b.test", "password": PASSWORD, "data": { "phone": "none" } });
    server.post("/signup", phone).await.assert_error(400, "validation_failed");
    let users: i64 = sqlx::query_scalar("select count(*) from users")
        .fetch_one(server.app.store.pool())
        .await
        .unwrap();
    assert_eq!((users, server.codes_requested().await), (0, 0));
}

#[tokio::test]
async fn a_weak_password_is_refused_with_its_reason() {
    let server = TestServer::with_confirmation().await;
    for (password, reason) in [("short", "length"), ("qwertyuiop", "pwned")] {
        let body = json!({ "email": "asha@example.test", "password": password });
        let answer = server.post("/signup", body).await;
        assert_eq!(answer.body["weak_password"]["reasons"], json!([reason]));
    }
}

#[tokio::test]
async fn signing_up_twice_at_once_makes_one_account() {
    let server = TestServer::without_confirmation().await;
    let email = "asha@example.test";
    let answers = tokio::join!(server.sign_up(email), server.sign_up(email), server.sign_up(email));
    let statuses = [answers.0.status, answers.1.status, answers.2.status].map(|s| s.as_u16());
    assert_eq!(statuses.iter().filter(|status| **status == 200).count(), 1, "{statuses:?}");
    assert_eq!(statuses.iter().filter(|status| **status == 422).count(), 2, "{statuses:?}");
}

/// The host of these tests is sukoon.example.
#[tokio::test]
async fn words_about_the_practice_are_no_password() {
    let server = TestServer::with_confirmation().await;
    for known in ["Example-2026!", "sukoon.example", "Therapy Session 1", "meditation99"] {
        let body = json!({ "email": "a@b.test", "password": known });
        server.post("/signup", body).await.assert_error(422, "weak_password");
    }
    let body = json!({ "email": "a@b.test", "password": "an example of a horse" });
    server.post("/signup", body).await.ok();
}
