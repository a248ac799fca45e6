//! Typed codes: valid once, for a limited time, for one account and purpose, with five attempts.

use reqwest::Method;
use serde_json::{Value, json};

use crate::test_server::{Answer, PASSWORD, TestServer, claims, other_than};

const ASHA: &str = "asha@example.test";

#[tokio::test]
async fn five_wrong_tries_make_the_digits_void_and_not_the_link() {
    let server = TestServer::with_confirmation().await;
    server.sign_up(ASHA).await.ok();
    let mail = server.latest_mail().await;
    for _ in 0..5 {
        let answer = server.verify("signup", ASHA, &other_than(&mail.code)).await;
        answer.assert_error(403, "otp_expired");
        assert_eq!(answer.text("/message"), "Token has expired or is invalid");
    }
    server.verify("signup", ASHA, &mail.code).await.assert_error(403, "otp_expired");
    // The link cannot be guessed, so guessing does not close it to the owner.
    server.confirm_link(&mail.link, "").await.ok();
}

#[tokio::test]
async fn four_wrong_tries_do_not() {
    let server = TestServer::with_confirmation().await;
    server.sign_up(ASHA).await.ok();
    let mail = server.latest_mail().await;
    for _ in 0..4 {
        server
            .verify("signup", ASHA, &other_than(&mail.code))
            .await
            .assert_error(403, "otp_expired");
    }
    server.verify("signup", ASHA, &mail.code).await.ok();
}

#[tokio::test]
async fn guessing_on_over_new_codes_is_slowed_down() {
    let server = TestServer::with_confirmation().await;
    server.sign_up(ASHA).await.ok();
    for round in 1..=2 {
        let mail = server.latest_mail().await;
        for _ in 0..5 {
            let answer = server.verify("signup", ASHA, &other_than(&mail.code)).await;
            answer.assert_error(403, "otp_expired");
        }
        server.move_clock(61 * round).await;
        server.post("/resend", json!({ "type": "signup", "email": ASHA })).await.ok();
    }
    let mail = server.latest_mail().await;
    let wrong = other_than(&mail.code);
    server.verify("signup", ASHA, &wrong).await.assert_error(403, "otp_expired");
    server.verify("signup", ASHA, &mail.code).await.assert_error(429, "over_request_rate_limit");
    server.move_clock(125).await;
    server.verify("signup", ASHA, &mail.code).await.ok();
}

#[tokio::test]
async fn a_code_works_once() {
    let server = TestServer::with_confirmation().await;
    server.sign_up(ASHA).await.ok();
    let code = server.latest_mail().await.code;
    let (one, other) =
        tokio::join!(server.verify("signup", ASHA, &code), server.verify("signup", ASHA, &code));
    let mut statuses = [one.status.as_u16(), other.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 403]);
    server.verify("signup", ASHA, &code).await.assert_error(403, "otp_expired");
}

#[tokio::test]
async fn a_code_ends_after_ten_minutes() {
    let server = TestServer::with_confirmation().await;
    server.sign_up(ASHA).await.ok();
    let code = server.latest_mail().await.code;
    server.move_clock(599).await;
    server.sign_up("ravi@example.test").await.ok();
    let in_time = server.latest_mail().await.code;
    server.move_clock(601).await;
    server.verify("signup", ASHA, &code).await.assert_error(403, "otp_expired");
    server.verify("signup", "ravi@example.test", &in_time).await.ok();
}

#[tokio::test]
async fn a_code_is_good_for_its_owner_and_its_purpose_only() {
    let server = TestServer::with_confirmation().await;
    server.sign_up("ravi@example.test").await.ok();
    server.sign_up(ASHA).await.ok();
    let code = server.latest_mail().await.code;
    server.verify("signup", "ravi@example.test", &code).await.assert_error(403, "otp_expired");
    server.verify("recovery", ASHA, &code).await.assert_error(403, "otp_expired");
    server.verify("magiclink", ASHA, &code).await.assert_error(403, "otp_expired");
    server.verify("email", ASHA, &code).await.ok();
}

#[tokio::test]
async fn a_new_code_replaces_the_old_one_and_mails_are_a_minute_apart() {
    let server = TestServer::with_confirmation().await;
    server.sign_up(ASHA).await.ok();
    let old = server.latest_mail().await.code;
    let resend = json!({ "type": "signup", "email": ASHA });
    let early = server.post("/resend", resend.clone()).await;
    early.assert_error(429, "over_email_send_rate_limit");
    assert!(
        early
            .text("/message")
            .starts_with("For security purposes, you can only request this after")
    );
    server.sign_up(ASHA).await.assert_error(429, "over_email_send_rate_limit");
    server.move_clock(61).await;
    assert_eq!(server.post("/resend", resend).await.ok().body, json!({}));
    assert_eq!(server.codes_requested().await, 2);
    let new = server.latest_mail().await.code;
    if old != new {
        server.verify("signup", ASHA, &old).await.assert_error(403, "otp_expired");
    }
    server.verify("signup", ASHA, &new).await.ok();
}

/// Requests a code for an address with an account and for one without. Both get the same answer:
/// the seconds to wait, or none if a code may be mailed.
async fn asked(server: &TestServer) -> Option<i64> {
    let ask = |email| server.post("/recover", json!({ "email": email }));
    let (known, unknown) = tokio::join!(ask(ASHA), ask("nobody@example.test"));
    assert_eq!(known.status, unknown.status);
    let keys = |body: &Value| body.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    assert_eq!(keys(&known.body), keys(&unknown.body));
    if known.status == 200 {
        return None;
    }
    known.assert_error(429, "over_email_send_rate_limit");
    let seconds = |answer: &Answer| -> i64 {
        let digits = answer.text("/message").replace(|c: char| !c.is_ascii_digit(), "");
        digits.parse().unwrap()
    };
    assert!((seconds(&known) - seconds(&unknown)).abs() <= 1);
    Some(seconds(&known))
}

#[tokio::test]
async fn an_address_gets_ten_codes_an_hour_and_thirty_a_day() {
    let server = TestServer::with_confirmation().await;
    server.confirmed_account(ASHA).await;
    let wait_from = async |seconds: i64| {
        server.move_clock(seconds).await;
        asked(&server).await
    };
    for hour in 0..3 {
        let begin = hour * 3601;
        for n in 0..10 {
            assert_eq!(wait_from(begin + n * 61).await, None, "code {n} of hour {hour}");
        }
        let wait = wait_from(begin + 610).await.unwrap();
        assert!(wait > 2_900, "the eleventh code of an hour waits {wait} s");
    }
    let wait = wait_from(3 * 3601).await.unwrap();
    assert!(wait > 20 * 3600, "the thirty-first code of a day waits {wait} s");
    // Codes of another purpose are counted separately.
    server.post("/resend", json!({ "type": "signup", "email": ASHA })).await.ok();
    assert_eq!(wait_from(24 * 3600 + 5).await, None);
    // One code confirmed the address, 31 were for recovery; resending with nothing to confirm mails
    // nothing.
    assert_eq!(server.codes_requested().await, 1 + 31);
}

#[tokio::test]
async fn a_forgotten_password_is_set_anew() {
    let server = TestServer::with_confirmation().await;
    let old = server.confirmed_account(ASHA).await;
    assert_eq!(server.post("/recover", json!({ "email": ASHA })).await.ok().body, json!({}));
    let mail = server.latest_mail().await;
    assert_eq!(mail.purpose, "recovery");
    let session = server.verify("recovery", ASHA, &mail.code).await.ok();
    let token = session.text("/access_token");
    assert_eq!(claims(&token)["amr"][0]["method"], "otp");

    let same = json!({ "password": PASSWORD });
    server.call(Method::PUT, "/user", &token, same).await.assert_error(422, "same_password");
    let weak = json!({ "password": "short" });
    server.call(Method::PUT, "/user", &token, weak).await.assert_error(422, "weak_password");
    let new = json!({ "password": "a louder garden" });
    server.call(Method::PUT, "/user", &token, new).await.ok();
    server.sign_in(ASHA, PASSWORD).await.assert_error(400, "invalid_credentials");
    server.sign_in(ASHA, "a louder garden").await.ok();
    // Sessions of the old password have ended; the new session continues.
    server.user(&old.text("/access_token")).await.assert_error(403, "session_not_found");
    server.refresh(&old.text("/refresh_token")).await.assert_error(400, "refresh_token_not_found");
    server.user(&token).await.ok();
    // The code allowed one change; the next needs the password.
    let next = json!({ "password": "a third garden" });
    server
        .call(Method::PUT, "/user", &token, next)
        .await
        .assert_error(400, "reauthentication_needed");
}

#[tokio::test]
async fn recovery_stays_open_while_sign_in_has_to_wait() {
    let server = TestServer::with_confirmation().await;
    server.confirmed_account(ASHA).await;
    for _ in 0..6 {
        server.sign_in(ASHA, "a wrong password").await;
    }
    server.sign_in(ASHA, PASSWORD).await.assert_error(429, "over_request_rate_limit");
    server.post("/recover", json!({ "email": ASHA })).await.ok();
    let code = server.latest_mail().await.code;
    server.verify("recovery", ASHA, &code).await.ok();
    server.sign_in(ASHA, PASSWORD).await.ok();
}

#[tokio::test]
async fn recovery_of_an_unconfirmed_account_deletes_its_password() {
    let server = TestServer::with_confirmation().await;
    server.sign_up(ASHA).await.ok();
    server.post("/recover", json!({ "email": ASHA })).await.ok();
    let code = server.latest_mail().await.code;
    let session = server.verify("recovery", ASHA, &code).await.ok();
    server.sign_in(ASHA, PASSWORD).await.assert_error(400, "invalid_credentials");
    let new = json!({ "password": "a louder garden" });
    server.call(Method::PUT, "/user", &session.text("/access_token"), new).await.ok();
    server.sign_in(ASHA, "a louder garden").await.ok();
}

#[tokio::test]
async fn a_malformed_verification_names_what_is_missing() {
    let server = TestServer::with_confirmation().await;
    for body in [
        json!({}),
        json!({ "type": "signup" }),
        json!({ "token": "123456", "email": ASHA }),
        json!({ "type": "signup", "token": "123456" }),
        json!({ "type": "signup", "token": "123456", "email": ASHA, "phone": "+91" }),
        json!({ "type": "signup", "token_hash": "x", "email": ASHA }),
        json!({ "type": "signup", "token": "123456", "token_hash": "x", "email": ASHA }),
        json!({ "type": "nonsense", "token_hash": "x" }),
        json!({ "type": "sms", "token_hash": "x" }),
        json!({ "type": "sms", "token": "123456", "phone": "call me" }),
    ] {
        server.post("/verify", body).await.assert_error(400, "validation_failed");
    }
    let odd = json!({ "type": "signup", "token": "123456", "email": "asha" });
    server.post("/verify", odd).await.assert_error(422, "validation_failed");
    for body in [
        json!({ "type": "nonsense", "token": "123456", "email": ASHA }),
        json!({ "type": "sms", "token": "123456", "phone": "+919876543210" }),
    ] {
        server.post("/verify", body).await.assert_error(403, "otp_expired");
    }
    for body in [json!({ "type": "signup" }), json!({ "email": ASHA }), json!({ "type": "x" })] {
        server.post("/resend", body).await.assert_error(400, "validation_failed");
    }
    server.post("/recover", json!({})).await.assert_error(400, "validation_failed");
}
