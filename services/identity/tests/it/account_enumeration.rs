//! No response reveals whether an address has an account.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tokio::time::Instant;

use crate::test_server::{Answer, PASSWORD, TestServer, other_than};

const MEMBER: &str = "asha@example.test";
const STRANGER: &str = "nobody@example.test";

/// Fails unless two responses are equal except for their date.
#[track_caller]
fn assert_same(one: &Answer, other: &Answer) {
    assert_eq!((one.status, &one.body), (other.status, &other.body));
    let headers = |answer: &Answer| {
        let named = answer.headers.iter().map(|(name, value)| (name.clone(), value.clone()));
        let mut headers: BTreeMap<String, _> =
            named.map(|(name, value)| (name.to_string(), value)).collect();
        headers.remove("date");
        headers
    };
    assert_eq!(headers(one), headers(other));
}

/// The keys of an object and its nested objects.
fn shape(value: &Value) -> Value {
    match value {
        Value::Object(fields) => {
            fields.iter().map(|(name, value)| (name.clone(), shape(value))).collect()
        }
        Value::Array(items) => items.iter().map(shape).collect(),
        Value::Null => json!("null"),
        Value::Bool(_) => json!("bool"),
        Value::Number(_) => json!("number"),
        Value::String(_) => json!("text"),
    }
}

#[tokio::test]
async fn a_wrong_password_looks_the_same() {
    let server = TestServer::with_confirmation().await;
    server.confirmed_account(MEMBER).await;
    for _ in 0..7 {
        let known = server.sign_in(MEMBER, "a wrong password").await;
        let unknown = server.sign_in(STRANGER, "a wrong password").await;
        assert_same(&known, &unknown);
    }
}

#[tokio::test]
async fn a_wrong_code_looks_the_same() {
    let server = TestServer::with_confirmation().await;
    server.sign_up(MEMBER).await.ok();
    let wrong = other_than(&server.latest_mail().await.code);
    for kind in ["signup", "recovery"] {
        let known = server.verify(kind, MEMBER, &wrong).await;
        let unknown = server.verify(kind, STRANGER, &wrong).await;
        assert_same(&known, &unknown);
    }
}

#[tokio::test]
async fn asking_for_a_mail_looks_the_same_also_when_it_is_too_soon() {
    let server = TestServer::with_confirmation().await;
    server.confirmed_account(MEMBER).await;
    server.move_clock(61).await;
    for (path, kind) in [("/recover", None), ("/resend", Some("signup"))] {
        let body = |email| json!({ "type": kind, "email": email });
        for status in [200, 429] {
            let known = server.post(path, body(MEMBER)).await;
            let unknown = server.post(path, body(STRANGER)).await;
            assert_eq!(known.status, status);
            assert_eq!(known.status, unknown.status);
            assert_eq!(shape(&known.body), shape(&unknown.body));
        }
    }
}

#[tokio::test]
async fn signing_up_again_looks_the_same_and_mails_a_code() {
    let server = TestServer::with_confirmation().await;
    let member = server.confirmed_account(MEMBER).await;
    server.move_clock(61).await;
    let other = json!({
        "email": MEMBER, "password": "somebody else's", "data": { "firstName": "Mallory" },
    });
    let known = server.post("/signup", other.clone()).await.ok();
    let mut stranger = other;
    stranger["email"] = json!(STRANGER);
    let unknown = server.post("/signup", stranger).await.ok();
    assert_eq!(shape(&known.body), shape(&unknown.body));
    assert_eq!(known.headers.len(), unknown.headers.len());
    assert_ne!(known.text("/id"), member.text("/user/id"));
    server
        .post("/signup", json!({ "email": MEMBER, "password": PASSWORD }))
        .await
        .assert_error(429, "over_email_send_rate_limit");

    // The account is unchanged.
    server.sign_in(MEMBER, "somebody else's").await.assert_error(400, "invalid_credentials");
    let session = server.sign_in(MEMBER, PASSWORD).await.ok();
    assert_eq!(session.text("/user/user_metadata/firstName"), "Asha");
    // The owner was mailed a code, which signs in to the existing account.
    let event: Value = sqlx::query_scalar(
        "select payload from events where event_type = 'identity.v1.CodeRequested'
         order by seq desc offset 1",
    )
    .fetch_one(server.app.store.pool())
    .await
    .unwrap();
    let mail = server.code_mail("notifications", event["codeId"].as_str().unwrap()).await.unwrap();
    assert_eq!((mail.email.as_str(), mail.first_name.as_str()), (MEMBER, "Asha"));
    let session = server.verify("signup", MEMBER, &mail.code).await.ok();
    assert_eq!(session.text("/user/id"), member.text("/user/id"));
    server.sign_in(MEMBER, PASSWORD).await.ok();
}

#[tokio::test]
async fn ids_of_unconfirmed_accounts_never_repeat() {
    let server = TestServer::with_confirmation().await;
    let first = server.sign_up(STRANGER).await.ok();
    server.move_clock(61).await;
    let second = server.sign_up(STRANGER).await.ok();
    assert_ne!(first.text("/id"), second.text("/id"));
}

#[tokio::test]
async fn answers_about_mails_take_the_same_time() {
    let server = TestServer::with_confirmation().await;
    server.confirmed_account(MEMBER).await;
    server.move_clock(61).await;
    for email in [MEMBER, STRANGER] {
        let begun = Instant::now();
        server.post("/recover", json!({ "email": email })).await.ok();
        server.post("/resend", json!({ "type": "signup", "email": email })).await.ok();
        assert!(begun.elapsed().as_millis() >= 400, "{email} was told too soon");
    }
}

#[tokio::test]
async fn other_endpoints_reveal_no_account() {
    let server = TestServer::with_confirmation().await;
    server.confirmed_account(MEMBER).await;
    let before = server.codes_requested().await;
    let body = |email| json!({ "email": email, "create_user": false });
    for status in [200, 429] {
        let known = server.post("/otp", body(MEMBER)).await;
        let unknown = server.post("/otp", body(STRANGER)).await;
        assert_eq!((known.status.as_u16(), unknown.status.as_u16()), (status, status));
        assert_eq!(shape(&known.body), shape(&unknown.body));
    }
    assert_eq!(server.codes_requested().await, before + 1, "only the member is mailed");
}
