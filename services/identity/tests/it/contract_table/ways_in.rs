//! Calls with a service key, and what is off by default and here switched on.

use futures::FutureExt as _;
use reqwest::Method;
use serde_json::{Value, json};

use super::{Ask, MEMBER, Row, Settings, get, post, row, signed};

const ID: &str = "00000000-0000-4000-8000-000000000000";
const NO_USER: &str = "404 user_not_found: User not found";
const NO_UUID: &str = "404 validation_failed: user_id must be an UUID";
const NO_SAML: &str = "404 saml_provider_disabled: SAML 2.0 is disabled";
const NOT_ADMIN: &str = "403 not_admin: User not allowed";
const PASSWORD: &str = "a quiet garden";

pub(super) fn rows() -> Vec<Row> {
    let on = [anonymous(), phones(), providers(), linking()].into_iter().flatten();
    let on = on.map(|row| row.with(Settings::WaysIn));
    [users(), links(), others()].into_iter().flatten().chain(on).collect()
}

fn keyed(method: Method, path: &str, body: Value) -> Ask {
    Ask::Keyed(method, path.to_owned(), body)
}

fn users() -> Vec<Row> {
    let (list, one) = ("GET /admin/users", "GET /admin/users/{userId}");
    let (put, delete) = ("PUT /admin/users/{userId}", "DELETE /admin/users/{userId}");
    let create = "POST /admin/users (not in the yaml)";
    let unknown = format!("/admin/users/{ID}");
    let new = |body| keyed(Method::POST, "/admin/users", body);
    vec![
        row(list, "with a user's token", signed(Method::GET, "/admin/users", json!({})), NOT_ADMIN),
        row(
            list,
            "a page",
            keyed(Method::GET, "/admin/users?page=1", json!({})),
            "200 {aud, users}",
        ),
        row(
            list,
            "an odd page",
            keyed(Method::GET, "/admin/users?page=x", json!({})),
            "400 validation_failed: Bad Pagination Parameters: strconv.ParseUint: parsing \"x\": \
             invalid syntax",
        ),
        row(one, "an unknown account", keyed(Method::GET, &unknown, json!({})), NO_USER),
        row(one, "no UUID", keyed(Method::GET, "/admin/users/x", json!({})), NO_UUID),
        row(put, "an unknown account", keyed(Method::PUT, &unknown, json!({})), NO_USER),
        row(delete, "an unknown account", keyed(Method::DELETE, &unknown, json!({})), NO_USER),
        row(
            create,
            "without address and phone",
            new(json!({})),
            "400 validation_failed: Cannot create a user without either an email or phone",
        ),
        row(
            create,
            "a known address",
            new(json!({ "email": MEMBER })),
            "422 email_exists: A user with this email address has already been registered",
        ),
        row(
            create,
            "password and hash",
            new(json!({ "email": "b@example.test", "password": PASSWORD, "password_hash": "x" })),
            "400 validation_failed: Only a password or a password hash should be provided",
        ),
        row(
            create,
            "an odd ban",
            new(json!({ "email": "b@example.test", "ban_duration": "1d" })),
            "400 validation_failed: invalid format for ban duration: time: unknown unit \"d\" in \
             duration \"1d\"",
        ),
    ]
}

fn links() -> Vec<Row> {
    let (link, invite) = ("POST /admin/generate_link", "POST /invite");
    let ask = |body| keyed(Method::POST, "/admin/generate_link", body);
    let malformed = "400 validation_failed: Unable to validate email address: invalid format";
    vec![
        row(
            link,
            "recovery of an unknown address",
            ask(json!({ "type": "recovery", "email": "b@example.test" })),
            "404 user_not_found: User with this email not found",
        ),
        row(
            link,
            "an unknown type",
            ask(json!({ "type": "zzz", "email": MEMBER })),
            "400 validation_failed: Invalid email action link type requested: zzz",
        ),
        row(link, "an odd address", ask(json!({ "type": "recovery", "email": "b" })), malformed),
        row(
            link,
            "recovery",
            Ask::Prepared(|world| {
                async move {
                    let new = json!({ "email": "d@example.test", "email_confirm": true });
                    let path = "/admin/users";
                    world.server.call(Method::POST, path, &world.key, new).await.ok();
                    let body = json!({ "type": "recovery", "email": "d@example.test" });
                    let path = "/admin/generate_link";
                    world.server.call(Method::POST, path, &world.key, body).await
                }
                .boxed()
            }),
            "200 {action_link, app_metadata, aud, confirmed_at, created_at, email, \
             email_confirmed_at, email_otp, hashed_token, id, identities, is_anonymous, phone, \
             recovery_sent_at, redirect_to, role, updated_at, user_metadata, verification_type}",
        ),
        row(
            invite,
            "a known address",
            keyed(Method::POST, "/invite", json!({ "email": MEMBER })),
            "422 email_exists: A user with this email address has already been registered",
        ),
        row(
            invite,
            "a new address",
            keyed(Method::POST, "/invite", json!({ "email": "c@example.test" })),
            "200 {app_metadata, aud, confirmation_sent_at, created_at, email, id, identities, \
             invited_at, is_anonymous, phone, role, updated_at, user_metadata}",
        ),
    ]
}

fn others() -> Vec<Row> {
    let factors = format!("/admin/users/{ID}/factors");
    vec![
        row(
            "GET /admin/audit",
            "an odd search",
            keyed(Method::GET, "/admin/audit?query=zzz", json!({})),
            "400 validation_failed: Invalid query scope: zzz",
        ),
        row(
            "GET /admin/users/{userId}/factors",
            "an unknown account",
            keyed(Method::GET, &factors, json!({})),
            NO_USER,
        ),
        row(
            "GET /admin/sso/providers",
            "SAML off",
            keyed(Method::GET, "/admin/sso/providers", json!({})),
            NO_SAML,
        ),
    ]
}

fn anonymous() -> Vec<Row> {
    vec![row(
        "POST /signup",
        "without address and phone",
        post("/signup", json!({ "data": {} })),
        "200 {access_token, expires_at, expires_in, refresh_token, token_type, user}",
    )]
}

fn phones() -> Vec<Row> {
    let new = |phone| post("/signup", json!({ "phone": phone, "password": PASSWORD }));
    let format = "400 validation_failed: Invalid phone number format (E.164 required)";
    vec![
        row(
            "POST /signup",
            "a phone",
            new("+919876543210"),
            "200 {app_metadata, aud, confirmation_sent_at, created_at, email, id, identities, \
             is_anonymous, phone, role, updated_at, user_metadata}",
        )
        .differs("ours has sign_up_secret, which keeps the password"),
        row("POST /signup", "an odd phone", new("call me"), format),
        row(
            "POST /token",
            "a phone that is not confirmed",
            Ask::Prepared(|world| {
                async move {
                    let body = json!({ "phone": "+918765432109", "password": PASSWORD });
                    world.server.post("/signup", body.clone()).await.ok();
                    world.server.post("/token?grant_type=password", body).await
                }
                .boxed()
            }),
            "400 phone_not_confirmed: Phone not confirmed",
        ),
        row(
            "POST /otp",
            "an unknown phone without create_user",
            post("/otp", json!({ "phone": "+917654321098", "create_user": false })),
            "422 otp_disabled: Signups not allowed for otp",
        ),
        row(
            "POST /otp",
            "a new phone",
            post("/otp", json!({ "phone": "+916543210987" })),
            "200 {}",
        ),
        row(
            "POST /verify",
            "a wrong code of a phone",
            post("/verify", json!({ "type": "sms", "phone": "+917654321098", "token": "1" })),
            "403 otp_expired: Token has expired or is invalid",
        ),
        row(
            "POST /verify",
            "an odd type with a phone",
            post("/verify", json!({ "type": "zzz", "phone": "+917654321098", "token": "1" })),
            "400 validation_failed: Invalid sms verification type",
        ),
        row(
            "POST /resend",
            "an unknown phone",
            post("/resend", json!({ "type": "sms", "phone": "+915432109876" })),
            "200 {}",
        ),
    ]
}

fn providers() -> Vec<Row> {
    vec![
        row(
            "GET /authorize",
            "half of PKCE",
            get("/authorize?provider=google&code_challenge=x"),
            "400 validation_failed: PKCE flow requires code_challenge_method and code_challenge",
        ),
        row(
            "GET /callback",
            "an unknown state",
            get(&format!("/callback?state={ID}")),
            "303 to https://sukoon.example/\
             ?error=invalid_request&error_code=bad_oauth_state&error_description\
             #error=invalid_request&error_code=bad_oauth_state&error_description&sb",
        ),
        row(
            "GET /callback",
            "a person who signs in",
            Ask::Prepared(|world| {
                async move {
                    let led = world.server.get("/authorize?provider=google").await;
                    let url = led.headers["location"].to_str().unwrap();
                    let person = json!({ "sub": "a", "email": "a@example.test",
                                         "email_verified": true });
                    let asked = json!({ "url": url, "person": person });
                    let approved = world.parties.control("/api/oidc/approve", asked).await;
                    let back = approved["redirect"].as_str().unwrap();
                    let (_, query) = back.split_once('?').unwrap();
                    world.server.get(&format!("/callback?{query}")).await
                }
                .boxed()
            }),
            "303 to https://sukoon.example/#access_token&expires_at&expires_in\
             &provider_refresh_token&provider_token&refresh_token&sb&token_type",
        ),
        row(
            "POST /token",
            "a malformed ID token",
            post("/token?grant_type=id_token", json!({ "provider": "google", "id_token": "x" })),
            "400 invalid request: Bad ID token",
        ),
    ]
}

fn linking() -> Vec<Row> {
    vec![
        row(
            "GET /user/identities/authorize",
            "without a redirect",
            signed(
                Method::GET,
                "/user/identities/authorize?provider=google&skip_http_redirect=true",
                json!({}),
            ),
            "200 {url}",
        ),
        row(
            "DELETE /user/identities/{identityId}",
            "the only one",
            signed(Method::DELETE, &format!("/user/identities/{ID}"), json!({})),
            "422 single_identity_not_deletable: User must have at least 1 identity after unlinking",
        ),
    ]
}
