//! Calls that make, read and change accounts.

use reqwest::Method;
use serde_json::{Value, json};

use super::{MEMBER, Row, Settings, post, row, signed};
use crate::test_server::PASSWORD;

const NEW_USER: &str = "200 {app_metadata, aud, confirmation_sent_at, created_at, email, id, \
                        identities, is_anonymous, phone, role, updated_at, user_metadata}";
const USER: &str = "200 {app_metadata, aud, confirmation_sent_at, confirmed_at, created_at, email, \
                    email_confirmed_at, id, identities, is_anonymous, last_sign_in_at, phone, \
                    role, updated_at, user_metadata}";

pub(super) fn rows() -> Vec<Row> {
    [sign_ups(), refused_sign_ups(), codes(), users()].into_iter().flatten().collect()
}

fn sign_up(email: &str) -> super::Ask {
    post("/signup", json!({ "email": email, "password": PASSWORD }))
}

fn sign_ups() -> Vec<Row> {
    vec![
        row("POST /signup", "new address", sign_up("new@example.test"), NEW_USER)
            .differs("one key more, sign_up_secret: the browser shows it with the code"),
        row("POST /signup", "known address", sign_up(MEMBER), NEW_USER)
            .differs("the same answer as for a new address, which the contract's lists give away"),
        row("POST /signup", "known address", sign_up(MEMBER), NEW_USER).with(Settings::ClientsAny),
        row(
            "POST /signup",
            "known address, no confirmation",
            sign_up(MEMBER),
            "422 user_already_exists: User already registered",
        )
        .with(Settings::ConfirmEmailOff),
        row(
            "POST /signup",
            "sign-up closed",
            sign_up("new@example.test"),
            "422 signup_disabled: Signups not allowed for this instance",
        )
        .with(Settings::SignupsOff),
    ]
}

fn refused_sign_ups() -> Vec<Row> {
    let both = json!({ "email": "a@b.test", "phone": "+919876543210", "password": PASSWORD });
    let long = format!("{}@example.test", "a".repeat(300));
    let with = |email: &str, password: &str| json!({ "email": email, "password": password });
    let cases: Vec<(&'static str, Value, &'static str)> = vec![
        (
            "address and phone",
            both,
            "400 validation_failed: Only an email address or phone number should be provided on \
             signup.",
        ),
        (
            "neither address nor phone",
            json!({ "password": PASSWORD }),
            "422 anonymous_provider_disabled: Anonymous sign-ins are disabled",
        ),
        (
            "no password",
            json!({ "email": "a@b.test" }),
            "400 validation_failed: Signup requires a valid password",
        ),
        (
            "malformed address",
            with("a", PASSWORD),
            "400 validation_failed: Unable to validate email address: invalid format",
        ),
        (
            "address of over 255 bytes",
            with(&long, PASSWORD),
            "400 validation_failed: An email address is too long",
        ),
        (
            "phone",
            json!({ "phone": "+919876543210", "password": PASSWORD }),
            "400 phone_provider_disabled: Phone signups are disabled",
        ),
        (
            "challenge without its method",
            json!({ "email": "a@b.test", "password": PASSWORD, "code_challenge": "x" }),
            "400 validation_failed: PKCE flow requires code_challenge_method and code_challenge",
        ),
    ];
    let weak = row(
        "POST /signup",
        "malformed address and a short password",
        post("/signup", with("a", "x")),
        "422 weak_password: Password should be at least 6 characters.",
    )
    .differs("the weak password is told first, as there; ours begin at 10 characters");
    let refused = cases
        .into_iter()
        .map(|(what, body, contract)| row("POST /signup", what, post("/signup", body), contract));
    refused.chain([weak]).collect()
}

fn codes() -> Vec<Row> {
    let unknown = || json!({ "email": "unknown@example.test", "create_user": false });
    vec![
        row("POST /otp", "known address", post("/otp", json!({ "email": MEMBER })), "200 {}"),
        row("POST /otp", "new address", post("/otp", json!({ "email": "n@x.test" })), "200 {}"),
        row(
            "POST /otp",
            "unknown address, no account wanted",
            post("/otp", unknown()),
            "422 otp_disabled: Signups not allowed for otp",
        )
        .differs("our pages are not told which address has an account"),
        row(
            "POST /otp",
            "unknown address, no account wanted",
            post("/otp", unknown()),
            "422 otp_disabled: Signups not allowed for otp",
        )
        .with(Settings::ClientsAny),
        row(
            "POST /otp",
            "phone",
            post("/otp", json!({ "phone": "+919876543210" })),
            "400 phone_provider_disabled: Unsupported phone provider",
        ),
        row(
            "POST /magiclink",
            "new address",
            post("/magiclink", json!({ "email": "m@x.test" })),
            "200 {}",
        ),
        row("POST /recover", "known", post("/recover", json!({ "email": MEMBER })), "200 {}"),
        row("POST /recover", "unknown", post("/recover", json!({ "email": "u@x.test" })), "200 {}"),
        row(
            "POST /recover",
            "nothing",
            post("/recover", json!({})),
            "400 validation_failed: Password recovery requires an email",
        ),
        row(
            "POST /reauthenticate",
            "signed in (the sources say GET)",
            signed(Method::GET, "/reauthenticate", json!({})),
            "200 {}",
        ),
    ]
}

fn users() -> Vec<Row> {
    let put = |body| signed(Method::PUT, "/user", body);
    let weak = json!({ "password": "a louder garden" });
    vec![
        row("GET /user", "signed in", signed(Method::GET, "/user", json!({})), USER)
            .differs("two keys more, as two mails were asked for above"),
        row("PUT /user", "data", put(json!({ "data": { "theme": "dark" } })), USER)
            .with(Settings::ClientsAny),
        row(
            "PUT /user",
            "app_metadata",
            put(json!({ "app_metadata": { "role": "owner" } })),
            "403 not_admin: Updating app_metadata requires admin privileges",
        ),
        row(
            "PUT /user",
            "malformed phone",
            put(json!({ "phone": "call me" })),
            "400 validation_failed: Invalid phone number format (E.164 required)",
        ),
        row("PUT /user", "new password, nothing else", put(weak.clone()), USER)
            .differs("needs the old one, a nonce, or a code that was just redeemed"),
        row("PUT /user", "new password, nothing else", put(weak), USER).with(Settings::ClientsAny),
    ]
}
