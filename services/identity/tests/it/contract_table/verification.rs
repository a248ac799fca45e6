//! Calls that redeem codes and links, or ask for them again.

use serde_json::{Value, json};

use super::{Ask, MEMBER, Row, Settings, get, post, row};

const SESSION: &str = "200 {access_token, expires_at, expires_in, refresh_token, token_type, user}";
const EXPIRED: &str = "403 otp_expired: Token has expired or is invalid";

pub(super) fn rows() -> Vec<Row> {
    [right_codes(), wrong_codes(), links(), resent()].into_iter().flatten().collect()
}

fn right_codes() -> Vec<Row> {
    vec![
        row(
            "POST /verify",
            "magiclink, the right code",
            Ask::Prepared(|world| {
                Box::pin(async move {
                    let body = json!({ "email": "code@example.test" });
                    world.server.post("/magiclink", body).await.ok();
                    let code = world.server.latest_mail().await.code;
                    world.server.verify("email", "code@example.test", &code).await
                })
            }),
            SESSION,
        ),
        row(
            "POST /verify",
            "recovery, the hash of a link",
            Ask::Prepared(|world| {
                Box::pin(async move {
                    world.server.post("/recover", json!({ "email": MEMBER })).await.ok();
                    let link = world.server.latest_mail().await.link;
                    world.server.confirm_link(&link, "").await
                })
            }),
            SESSION,
        )
        .with(Settings::ClientsAny),
    ]
}

fn wrong_codes() -> Vec<Row> {
    let cases: Vec<(&'static str, Value, &'static str)> = vec![
        (
            "no type",
            json!({ "token": "123456", "email": MEMBER }),
            "400 validation_failed: Verify requires a verification type",
        ),
        (
            "neither code nor hash",
            json!({ "type": "signup" }),
            "400 validation_failed: Verify requires either a token or a token hash",
        ),
        (
            "code and hash",
            json!({ "type": "signup", "token": "1", "token_hash": "x", "email": MEMBER }),
            "400 validation_failed: Verify requires either a token or a token hash",
        ),
        ("wrong code", json!({ "type": "signup", "token": "1", "email": MEMBER }), EXPIRED),
        ("unknown type, code", json!({ "type": "x", "token": "1", "email": MEMBER }), EXPIRED),
        ("sms, code", json!({ "type": "sms", "token": "1", "phone": "+919876543210" }), EXPIRED),
        (
            "sms, malformed phone",
            json!({ "type": "sms", "token": "1", "phone": "call me" }),
            "400 validation_failed: Invalid phone number format (E.164 required)",
        ),
        (
            "malformed address",
            json!({ "type": "signup", "token": "1", "email": "a" }),
            "422 validation_failed: Invalid email format",
        ),
        (
            "unknown type, hash",
            json!({ "type": "x", "token_hash": "x" }),
            "400 validation_failed: Invalid email verification type",
        ),
        (
            "sms, hash",
            json!({ "type": "sms", "token_hash": "x" }),
            "400 validation_failed: Invalid email verification type",
        ),
        (
            "hash and address",
            json!({ "type": "signup", "token_hash": "x", "email": MEMBER }),
            "400 validation_failed: Only the token_hash and type should be provided",
        ),
        (
            "wrong hash",
            json!({ "type": "signup", "token_hash": "x" }),
            "403 otp_expired: Email link is invalid or has expired",
        ),
    ];
    let rows = cases.into_iter();
    rows.map(|(what, body, contract)| row("POST /verify", what, post("/verify", body), contract))
        .collect()
}

fn links() -> Vec<Row> {
    let expired = "303 to https://sukoon.example/\
                   #error=access_denied&error_code=otp_expired&error_description&sb";
    vec![
        row("GET /verify", "an unknown link", get("/verify?token=x&type=signup"), expired)
            .differs("leads to our page, whose button posts: mail scanners open links, too"),
        row("GET /verify", "an unknown link", get("/verify?token=x&type=signup"), expired)
            .with(Settings::VerifyByGet),
        row(
            "GET /verify",
            "a right link",
            Ask::Prepared(|world| {
                Box::pin(async move {
                    let body = json!({ "email": MEMBER });
                    let path = "/otp?redirect_to=https://app.example/in";
                    world.server.post(path, body).await.ok();
                    let link = world.server.latest_mail().await.link;
                    let path = link.strip_prefix("https://sukoon.example/auth/v1").unwrap();
                    world.server.get(path).await
                })
            }),
            "303 to https://app.example/in#access_token&expires_at&expires_in&refresh_token&sb\
             &token_type&type=magiclink",
        )
        .with(Settings::VerifyByGet),
        row(
            "GET /verify",
            "unknown type",
            get("/verify?token=x&type=x"),
            "303 to https://sukoon.example/\
             #error=invalid_request&error_code=validation_failed&error_description&sb",
        ),
        row(
            "GET /verify",
            "no token",
            get("/verify?type=signup"),
            "400 validation_failed: Verify requires a token or a token hash",
        ),
    ]
}

fn resent() -> Vec<Row> {
    let cases: Vec<(&'static str, Value, &'static str)> = vec![
        ("signup, unknown address", json!({ "type": "signup", "email": "r@x.test" }), "200 {}"),
        (
            "email_change, nothing waits",
            json!({ "type": "email_change", "email": MEMBER }),
            "200 {}",
        ),
        (
            "unknown type",
            json!({ "type": "x" }),
            "400 validation_failed: Missing one of these types: signup, email_change, sms, \
             phone_change",
        ),
        (
            "signup without an address",
            json!({ "type": "signup" }),
            "400 validation_failed: Type provided requires an email address",
        ),
        (
            "sms without a phone",
            json!({ "type": "sms" }),
            "400 validation_failed: Type provided requires a phone number",
        ),
        (
            "sms",
            json!({ "type": "sms", "phone": "+919876543210" }),
            "400 phone_provider_disabled: Phone logins are disabled",
        ),
        (
            "address and phone",
            json!({ "type": "signup", "email": MEMBER, "phone": "+919876543210" }),
            "400 validation_failed: Only an email address or phone number should be provided.",
        ),
    ];
    let rows = cases.into_iter();
    rows.map(|(what, body, contract)| row("POST /resend", what, post("/resend", body), contract))
        .collect()
}
