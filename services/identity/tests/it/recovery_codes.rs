//! What helps when a factor is lost: recovery codes, and the operator's command.

use std::process::Command;

use reqwest::Method;
use serde_json::json;

use crate::factors::{ASHA, App, begin_step, delete, notices};
use crate::passkeys;
use crate::test_server::{Answer, PASSWORD, TestServer, claims};

async fn make(server: &TestServer, token: &str) -> Answer {
    server.call(Method::POST, "/factors/recovery-codes", token, json!({})).await
}

async fn redeem(server: &TestServer, token: &str, code: &str) -> Answer {
    let body = json!({ "code": code });
    server.call(Method::POST, "/factors/recovery-codes/verify", token, body).await
}

async fn remaining(server: &TestServer, token: &str) -> i64 {
    let answer = server.call(Method::GET, "/factors/recovery-codes", token, json!({})).await.ok();
    answer.body["remaining"].as_i64().unwrap()
}

fn codes(made: &Answer) -> Vec<String> {
    let listed = made.body["codes"].as_array().unwrap();
    listed.iter().map(|code| code.as_str().unwrap().to_owned()).collect()
}

#[tokio::test]
async fn a_code_stands_in_for_a_lost_app_once() {
    let server = TestServer::with_confirmation().await;
    begin_step(&server).await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    make(&server, &token).await.assert_error(403, "insufficient_aal");
    let app = App::enroll(&server, &token, "").await;
    let strong = app.raise(&server, &token, 0).await.ok().text("/access_token");
    let old = codes(&make(&server, &strong).await.ok());
    let made = make(&server, &strong).await.ok();
    assert_eq!(made.headers["cache-control"], "no-store");
    let codes = codes(&made);
    assert_eq!((codes.len(), remaining(&server, &strong).await), (10, 10));

    let weak = server.sign_in(ASHA, PASSWORD).await.ok();
    let token = weak.text("/access_token");
    redeem(&server, &token, &old[0]).await.assert_error(422, "mfa_verification_failed");
    redeem(&server, &token, "").await.assert_error(400, "validation_failed");
    let typed = codes[3].to_uppercase().replace('-', " ");
    let raised = redeem(&server, &token, &typed).await.ok();
    let told = claims(&raised.text("/access_token"));
    let first = &told["amr"][0]["method"];
    assert_eq!((&told["aal"], first), (&json!("aal2"), &json!("mfa/recovery_code")));
    server.refresh(&weak.text("/refresh_token")).await.assert_error(400, "refresh_token_not_found");
    let token = server.sign_in(ASHA, PASSWORD).await.ok().text("/access_token");
    redeem(&server, &token, &codes[3]).await.assert_error(422, "mfa_verification_failed");
    assert_eq!(remaining(&server, &token).await, 9);
    // The lost app is replaced, and the session stays what the code made it.
    let strong = raised.text("/access_token");
    delete(&server, &strong, &app.factor_id).await.ok();
    assert_eq!(remaining(&server, &strong).await, 0, "codes alone are no second factor");
    let app = App::enroll(&server, &strong, "new").await;
    app.raise(&server, &strong, 0).await.ok();
    let expected = [
        "factor_added",
        "recovery_codes_made",
        "recovery_codes_made",
        "recovery_code_used",
        "factor_removed",
        "factor_added",
    ];
    assert_eq!(notices(&server).await, expected);
}

#[tokio::test]
async fn a_lost_passkey_is_replaced_by_a_code() {
    let server = TestServer::without_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let (mut lost, lost_id) = passkeys::add(&server, &token).await;
    let strong = passkeys::sign_in(&server, &mut lost).await.ok().text("/access_token");
    let codes = codes(&make(&server, &strong).await.ok());
    let token = server.sign_in(ASHA, PASSWORD).await.ok().text("/access_token");
    let strong = redeem(&server, &token, &codes[0]).await.ok().text("/access_token");
    let (mut new, _) = passkeys::add(&server, &strong).await;
    let path = format!("/passkeys/{lost_id}");
    assert_eq!(server.call(Method::DELETE, &path, &strong, json!({})).await.status, 204);
    passkeys::sign_in(&server, &mut lost).await.assert_error(400, "invalid_credentials");
    passkeys::sign_in(&server, &mut new).await.ok();
    assert_eq!(remaining(&server, &strong).await, 9);
}

#[tokio::test]
async fn codes_are_not_guessed_and_not_kept() {
    let server = TestServer::without_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let app = App::enroll(&server, &token, "").await;
    let strong = app.raise(&server, &token, 0).await.ok().text("/access_token");
    let codes = codes(&make(&server, &strong).await.ok());
    let hashes: Vec<Vec<u8>> = sqlx::query_scalar("select code_hash from recovery_codes")
        .fetch_all(server.app.store.pool())
        .await
        .unwrap();
    assert!(hashes.iter().all(|hash| hash.len() == 32));
    let token = server.sign_in(ASHA, PASSWORD).await.ok().text("/access_token");
    for _ in 0..5 {
        redeem(&server, &token, "aaaa-aaaa-aaaa")
            .await
            .assert_error(422, "mfa_verification_failed");
    }
    redeem(&server, &token, &codes[0]).await.assert_error(429, "over_request_rate_limit");
    // The wait is for codes only: the app goes on.
    server.move_clock(31).await;
    app.raise(&server, &token, 0).await.ok();
    // A code of one account is none of another's.
    let ravi = server.confirmed_account("ravi@example.test").await.text("/access_token");
    redeem(&server, &ravi, &codes[0]).await.assert_error(422, "mfa_verification_failed");
}

/// Codes of the version before were short, and hashed with the code key.
#[tokio::test]
async fn codes_outlive_the_code_key_and_those_of_the_version_before_still_work() {
    let mut server = TestServer::without_confirmation().await;
    let session = server.confirmed_account(ASHA).await;
    let app = App::enroll(&server, &session.text("/access_token"), "").await;
    let raised = app.raise(&server, &session.text("/access_token"), 0).await.ok();
    let codes = codes(&make(&server, &raised.text("/access_token")).await.ok());
    let user_id: uuid::Uuid = session.text("/user/id").parse().unwrap();
    let former = server.app.codes.recovery_code_hashes(user_id, "abcdefghijkl");
    sqlx::query(
        "insert into recovery_codes (user_id, code_hash, created_at)
                 values ($1, $2, clock_now())",
    )
    .bind(user_id)
    .bind(&former[0])
    .execute(server.app.store.pool())
    .await
    .unwrap();
    let token = server.sign_in(ASHA, PASSWORD).await.ok().text("/access_token");
    redeem(&server, &token, "abcd-efgh-ijkl").await.ok();
    server.restart(|it| it.code_key = "a second secret".to_owned().into()).await;
    let token = server.sign_in(ASHA, PASSWORD).await.ok().text("/access_token");
    redeem(&server, &token, &codes[0]).await.ok();
}

fn reset(server: &TestServer, email: &str) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_identity"))
        .arg("reset-factors")
        .env_clear()
        .env("IDENTITY_DATABASE_URL", &server.database.url)
        .env("ACCOUNT_EMAIL", email)
        .output()
        .unwrap()
}

#[tokio::test]
async fn the_operator_resets_what_is_lost_and_all_sessions_end() {
    let server = TestServer::with_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let app = App::enroll(&server, &token, "").await;
    let strong = app.raise(&server, &token, 0).await.ok();
    let token = strong.text("/access_token");
    let (mut passkey, _) = passkeys::add(&server, &token).await;
    make(&server, &token).await.ok();
    let id = strong.text("/user/id");
    let done = reset(&server, "Asha@Example.test");
    assert_eq!(String::from_utf8(done.stdout).unwrap(), format!("{id}\n"));
    server.user(&token).await.assert_error(403, "session_not_found");
    passkeys::sign_in(&server, &mut passkey).await.assert_error(400, "invalid_credentials");
    let token = server.sign_in(ASHA, PASSWORD).await.ok().text("/access_token");
    assert_eq!(server.user(&token).await.body.get("factors"), None);
    assert_eq!(remaining(&server, &token).await, 0);
    assert_eq!(notices(&server).await.last().unwrap(), "factors_reset");
    let written: (String, String, String) =
        sqlx::query_as("select actor, action, subject from audit_log")
            .fetch_one(server.app.store.pool())
            .await
            .unwrap();
    let subject = format!("usr_{}", id.replace('-', ""));
    assert_eq!(written, ("operator".to_owned(), "ResetFactors".to_owned(), subject));
    let unknown = reset(&server, "ravi@example.test");
    assert_eq!(unknown.status.code(), Some(1));
    assert!(String::from_utf8(unknown.stdout).unwrap().contains("ACCOUNT_EMAIL has no account"));
}
