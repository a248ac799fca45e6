//! Signing in by a mailed code or link, without a password.

use serde_json::{Value, json};

use crate::test_server::{Answer, PASSWORD, Page, TestServer, claims, other_than};

const ASHA: &str = "asha@example.test";

async fn ask(server: &TestServer, path: &str) {
    let answer = server.post(path, json!({ "email": ASHA })).await.ok();
    assert_eq!(answer.body, json!({}));
}

fn method(session: &Answer) -> Value {
    claims(&session.text("/access_token"))["amr"][0]["method"].clone()
}

#[tokio::test]
async fn a_known_address_signs_in_by_code_and_keeps_its_password() {
    for path in ["/otp", "/magiclink"] {
        let server = TestServer::with_confirmation().await;
        let first = server.confirmed_account(ASHA).await;
        ask(&server, path).await;
        let mail = server.latest_mail().await;
        assert_eq!((mail.purpose.as_str(), mail.email.as_str()), ("magiclink", ASHA));
        server
            .verify("email", ASHA, &other_than(&mail.code))
            .await
            .assert_error(403, "otp_expired");
        let session = server.verify("email", ASHA, &mail.code).await.ok();
        assert_eq!(session.text("/user/id"), first.text("/user/id"));
        assert_eq!(method(&session), "otp");
        assert_eq!(session.body.get("password_needed"), None);
        server.verify("email", ASHA, &mail.code).await.assert_error(403, "otp_expired");
        server.sign_in(ASHA, PASSWORD).await.ok();
    }
}

#[tokio::test]
async fn an_unknown_address_gets_an_account_that_its_code_proves() {
    for confirming in [true, false] {
        let server = if confirming {
            TestServer::with_confirmation().await
        } else {
            TestServer::without_confirmation().await
        };
        let data = json!({ "firstName": "Asha" });
        server.post("/otp", json!({ "email": ASHA, "data": data })).await.ok();
        let mail = server.latest_mail().await;
        assert_eq!(mail.purpose, if confirming { "signup" } else { "magiclink" });
        let session = server.verify("email", ASHA, &mail.code).await.ok();
        assert_eq!(session.text("/user/user_metadata/firstName"), "Asha");
        assert_eq!(claims(&session.text("/access_token"))["email_verified"], json!(true));
        // It never had a password, so none is missing.
        assert_eq!(session.body.get("password_needed"), None);
        let data = &session.body["user"]["identities"][0]["identity_data"];
        assert_eq!((&data["firstName"], &data["email_verified"]), (&json!("Asha"), &json!(true)));
        server.sign_in(ASHA, PASSWORD).await.assert_error(400, "invalid_credentials");
    }
}

#[tokio::test]
async fn a_link_signs_in_as_well() {
    let server = TestServer::with_confirmation().await;
    server.confirmed_account(ASHA).await;
    ask(&server, "/otp").await;
    let link = server.latest_mail().await.link;
    assert_eq!(Page::of(&link).field("type"), "magiclink");
    let session = server.confirm_link(&link, "").await.ok();
    assert_eq!(method(&session), "otp");
    server.confirm_link(&link, "").await.assert_error(403, "otp_expired");
}

/// A visitor may have signed up with another person's address before.
#[tokio::test]
async fn a_code_of_an_unconfirmed_account_deletes_the_password_of_a_stranger() {
    let server = TestServer::with_confirmation().await;
    server.sign_up(ASHA).await.ok();
    ask(&server, "/otp").await;
    let mail = server.latest_mail().await;
    assert_eq!(mail.purpose, "signup");
    let session = server.verify("email", ASHA, &mail.code).await.ok();
    assert_eq!(session.body["password_needed"], true);
    server.sign_in(ASHA, PASSWORD).await.assert_error(400, "invalid_credentials");
}

#[tokio::test]
async fn the_type_email_takes_codes_of_every_mail_and_recovery_equals_magiclink() {
    let server = TestServer::with_confirmation().await;
    server.confirmed_account(ASHA).await;
    for (at, path, kind) in [
        (61, "/recover", "email"),
        (122, "/otp", "recovery"),
        (183, "/recover", "magiclink"),
        (244, "/otp", "magiclink"),
    ] {
        server.move_clock(at).await;
        ask(&server, path).await;
        let code = server.latest_mail().await.code;
        server.verify("signup", ASHA, &code).await.assert_error(403, "otp_expired");
        server.verify(kind, ASHA, &code).await.ok();
    }
}

#[tokio::test]
async fn wrong_digits_end_every_code_that_they_could_have_been() {
    let server = TestServer::with_confirmation().await;
    server.confirmed_account(ASHA).await;
    server.move_clock(61).await;
    ask(&server, "/recover").await;
    let recovery = server.latest_mail().await.code;
    ask(&server, "/otp").await;
    let magic = server.latest_mail().await.code;
    let wrong =
        (0..3).map(|n| format!("{n:06}")).find(|it| *it != recovery && *it != magic).unwrap();
    for _ in 0..5 {
        server.verify("email", ASHA, &wrong).await.assert_error(403, "otp_expired");
    }
    for code in [recovery, magic] {
        server.verify("email", ASHA, &code).await.assert_error(403, "otp_expired");
    }
}

#[tokio::test]
async fn what_is_malformed_is_refused_in_the_contracts_words() {
    let server = TestServer::with_confirmation().await;
    for (body, code, message) in [
        (json!({}), "validation_failed", "One of email or phone must be set"),
        (
            json!({ "email": ASHA, "phone": "+919876543210" }),
            "validation_failed",
            "Only an email address or phone number should be provided",
        ),
        (
            json!({ "email": ASHA, "channel": "sms" }),
            "validation_failed",
            "Channel should only be specified with Phone OTP",
        ),
        (json!({ "phone": "+91" }), "phone_provider_disabled", "Unsupported phone provider"),
        (
            json!({ "email": "asha" }),
            "validation_failed",
            "Unable to validate email address: invalid format",
        ),
    ] {
        let answer = server.post("/otp", body).await;
        answer.assert_error(400, code);
        assert_eq!(answer.text("/message"), message);
    }
    server.post("/magiclink", json!({})).await.assert_error(400, "validation_failed");
    assert_eq!(server.codes_requested().await, 0);
}

#[tokio::test]
async fn mails_are_a_minute_apart() {
    let server = TestServer::with_confirmation().await;
    server.confirmed_account(ASHA).await;
    ask(&server, "/otp").await;
    let again = server.post("/magiclink", json!({ "email": ASHA })).await;
    again.assert_error(429, "over_email_send_rate_limit");
}
