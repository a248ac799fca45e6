//! The nonce that is mailed for a new password.

use reqwest::Method;
use serde_json::json;

use crate::test_server::{PASSWORD, TestServer, other_than};

const ASHA: &str = "asha@example.test";

#[tokio::test]
async fn a_mailed_nonce_sets_a_new_password_once() {
    let server = TestServer::with_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let asked = server.call(Method::GET, "/reauthenticate", &token, json!({})).await.ok();
    assert_eq!(asked.body, json!({}));
    let again = server.call(Method::POST, "/reauthenticate", &token, json!({})).await;
    again.assert_error(429, "over_email_send_rate_limit");
    let mail = server.latest_mail().await;
    assert_eq!((mail.purpose.as_str(), mail.email.as_str()), ("reauthentication", ASHA));
    // It opens no session.
    server.verify("email", ASHA, &mail.code).await.assert_error(403, "otp_expired");
    server.verify("reauthentication", ASHA, &mail.code).await.assert_error(403, "otp_expired");

    let with = |nonce: &str| json!({ "password": "a louder garden", "nonce": nonce });
    let wrong = server.call(Method::PUT, "/user", &token, with(&other_than(&mail.code))).await;
    wrong.assert_error(422, "reauthentication_not_valid");
    server.call(Method::PUT, "/user", &token, with(&mail.code)).await.ok();
    server.sign_in(ASHA, "a louder garden").await.ok();
    server.sign_in(ASHA, PASSWORD).await.assert_error(400, "invalid_credentials");
    let next = json!({ "password": "a third garden", "nonce": mail.code });
    let used = server.call(Method::PUT, "/user", &token, next).await;
    used.assert_error(422, "reauthentication_not_valid");
}

#[tokio::test]
async fn five_wrong_nonces_end_it_and_so_do_ten_minutes() {
    let server = TestServer::with_confirmation().await;
    let session = server.confirmed_account(ASHA).await;
    let mut token = session.text("/access_token");
    for late in [false, true] {
        server.call(Method::GET, "/reauthenticate", &token, json!({})).await.ok();
        let code = server.latest_mail().await.code;
        let with = |nonce: &str| json!({ "password": "a louder garden", "nonce": nonce });
        if late {
            server.move_clock(61 + 601).await;
            let next = server.refresh(&session.text("/refresh_token")).await.ok();
            token = next.text("/access_token");
        } else {
            for _ in 0..5 {
                let wrong = with(&other_than(&code));
                let answer = server.call(Method::PUT, "/user", &token, wrong).await;
                answer.assert_error(422, "reauthentication_not_valid");
            }
        }
        let answer = server.call(Method::PUT, "/user", &token, with(&code)).await;
        answer.assert_error(422, "reauthentication_not_valid");
        server.move_clock(61).await;
    }
}

/// Who has a session of another person's account gets new nonces mailed, and guesses on.
#[tokio::test]
async fn guesses_at_nonces_are_slowed_down_across_them() {
    let server = TestServer::with_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let guess = async |nonce: &str| {
        let body = json!({ "nonce": nonce });
        server.call(Method::POST, "/reauthenticate/verify", &token, body).await
    };
    for round in 1..=2 {
        server.call(Method::GET, "/reauthenticate", &token, json!({})).await.ok();
        let code = server.latest_mail().await.code;
        for _ in 0..5 {
            let wrong = guess(&other_than(&code)).await;
            wrong.assert_error(422, "reauthentication_not_valid");
        }
        server.move_clock(61 * round).await;
    }
    server.call(Method::GET, "/reauthenticate", &token, json!({})).await.ok();
    let code = server.latest_mail().await.code;
    let wrong = guess(&other_than(&code)).await;
    wrong.assert_error(422, "reauthentication_not_valid");
    guess(&code).await.assert_error(429, "over_request_rate_limit");
    server.move_clock(125).await;
    guess(&code).await.ok();
}
