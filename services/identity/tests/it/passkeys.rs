//! Passkeys: registration, sign-in without a password, and everything that can be wrong with them.

use reqwest::Method;
use serde_json::{Value, json};

use crate::authenticator::{Authenticator, short_form};
use crate::factors::{ASHA, notices, tells_of_one};
use crate::test_server::{Answer, PASSWORD, PUBLIC_URL, TestServer, claims, other_than};

const MESSAGE: &str = "This passkey does not sign in here";

async fn options(server: &TestServer, token: &str) -> Answer {
    server.call(Method::POST, "/passkeys/registration/options", token, json!({})).await
}

async fn register(server: &TestServer, token: &str, asked: &Answer, credential: Value) -> Answer {
    let body = json!({ "challenge_id": asked.text("/challenge_id"), "credential": credential });
    server.call(Method::POST, "/passkeys/registration", token, body).await
}

/// Adds a passkey to the session's account.
pub(crate) async fn add(server: &TestServer, token: &str) -> (Authenticator, String) {
    let asked = options(server, token).await.ok();
    let mut authenticator = Authenticator::at(PUBLIC_URL);
    let made = authenticator.create(&asked.body["options"]);
    let added = register(server, token, &asked, made).await.ok();
    (authenticator, added.text("/id"))
}

/// The same, where the session may do it.
pub(crate) async fn try_add(server: &TestServer, token: &str) -> Option<Authenticator> {
    let asked = options(server, token).await;
    if !asked.status.is_success() {
        return None;
    }
    let mut authenticator = Authenticator::at(PUBLIC_URL);
    let made = authenticator.create(&asked.body["options"]);
    let added = register(server, token, &asked, made).await;
    added.status.is_success().then_some(authenticator)
}

async fn challenge(server: &TestServer) -> Answer {
    server.post("/passkeys/authentication/options", json!({})).await.ok()
}

async fn answer(server: &TestServer, asked: &Answer, credential: Value) -> Answer {
    let body = json!({ "challenge_id": asked.text("/challenge_id"), "credential": credential });
    server.post("/passkeys/authentication", body).await
}

/// Signs in by a passkey.
pub(crate) async fn sign_in(server: &TestServer, authenticator: &mut Authenticator) -> Answer {
    let asked = challenge(server).await;
    let credential = authenticator.get(&asked.body["options"]);
    answer(server, &asked, credential).await
}

#[tokio::test]
async fn a_passkey_signs_in_without_a_password() {
    let server = TestServer::with_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let asked = options(&server, &token).await.ok();
    let wanted = &asked.body["options"];
    assert_eq!(wanted["rp"]["id"], "sukoon.example");
    assert_eq!(wanted["user"]["displayName"], "Asha Rao");
    assert_eq!(wanted["authenticatorSelection"]["residentKey"], "required");
    assert_eq!(wanted["authenticatorSelection"]["userVerification"], "required");
    let mut authenticator = Authenticator::at(PUBLIC_URL);
    let made = authenticator.create(wanted);
    let added = register(&server, &token, &asked, made).await.ok();
    assert_eq!(added.body["last_used_at"], Value::Null);
    assert_eq!(notices(&server).await, ["passkey_added"]);

    let asked = challenge(&server).await;
    assert_eq!(asked.body["options"]["allowCredentials"], json!([]), "no account is named");
    let credential = short_form(&authenticator.get(&asked.body["options"]));
    let session = answer(&server, &asked, credential).await.ok();
    let told = claims(&session.text("/access_token"));
    assert_eq!(told["aal"], "aal2");
    assert_eq!(told["amr"].as_array().unwrap().len(), 1);
    assert_eq!(told["amr"][0]["method"], "passkey");
    assert_eq!(session.text("/user/email"), ASHA);
    let refreshed = server.refresh(&session.text("/refresh_token")).await.ok();
    assert_eq!(claims(&refreshed.text("/access_token"))["aal"], "aal2");
    let token = session.text("/access_token");
    let known = server.call(Method::GET, "/passkeys", &token, json!({})).await.ok();
    assert_eq!(known.text("/0/id"), added.text("/id"));
    assert!(!known.text("/0/last_used_at").is_empty());
    sign_in(&server, &mut authenticator).await.ok();
    let by_password = server.sign_in(ASHA, PASSWORD).await.ok();
    assert_eq!(tells_of_one(&by_password), (json!("aal1"), json!(true)));
}

/// What is wrong, and how an authenticator does it.
type Fault = (&'static str, fn(&mut Authenticator));

#[tokio::test]
async fn what_is_wrong_with_a_sign_in_is_not_told() {
    let server = TestServer::without_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let ravi = server.confirmed_account("ravi@example.test").await.text("/access_token");
    let (mut known, _) = add(&server, &token).await;
    let (other, _) = add(&server, &ravi).await;
    known.counter = 7;
    sign_in(&server, &mut known).await.ok();
    let faults: [Fault; 10] = [
        ("another origin", |it| it.origin = "https://evil.example".to_owned()),
        ("no https", |it| it.origin = "http://sukoon.example".to_owned()),
        ("a port", |it| it.origin = "https://sukoon.example:8443".to_owned()),
        ("another site's hash", |it| it.rp_id = Some("evil.example".to_owned())),
        ("another challenge", |it| it.challenge = Some("AAAAAAAAAAAAAAAAAAAAAA".to_owned())),
        ("its user was not verified", |it| it.user_verified = false),
        ("its user was not there", |it| it.user_present = false),
        ("a forged signature", |it| *it = it.forged()),
        ("a credential that is not known", |it| *it = it.unknown()),
        ("an account that is not known", |it| it.user_handle = Some("A".repeat(22))),
    ];
    for (what, spoil) in faults {
        let mut spoiled = known.clone();
        spoil(&mut spoiled);
        let refused = sign_in(&server, &mut spoiled).await;
        assert_eq!(
            (refused.status.as_u16(), refused.text("/message")),
            (400, MESSAGE.into()),
            "{what}"
        );
        refused.assert_error(400, "invalid_credentials");
    }
    // A credential of one account for another one.
    let mut crossed = known.clone();
    crossed.user_handle = other.user_handle;
    sign_in(&server, &mut crossed).await.assert_error(400, "invalid_credentials");
    let asked = challenge(&server).await;
    let malformed = answer(&server, &asked, json!({ "id": "x" })).await;
    malformed.assert_error(400, "invalid_credentials");
    server.post("/passkeys/authentication", json!({})).await.assert_error(400, "validation_failed");
    sign_in(&server, &mut known).await.ok();
}

/// A manager that synchronises counts anew, or not at all: its passkey lets in, and the person is
/// told once in a while.
#[tokio::test]
async fn a_counter_that_does_not_go_up_is_told_and_lets_in() {
    let server = TestServer::without_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let (mut passkey, _) = add(&server, &token).await;
    server.database.as_owner("update users set email_proved_at = clock_now()").await.unwrap();
    passkey.counter = 50;
    sign_in(&server, &mut passkey).await.ok();
    sign_in(&server, &mut passkey).await.ok();
    assert_eq!(notices(&server).await, ["passkey_added"]);
    for moved in [4, 51, 0] {
        // The authenticator adds one before it signs.
        passkey.counter = moved;
        passkey.uncounted = moved == 0;
        sign_in(&server, &mut passkey).await.ok();
        assert_eq!(notices(&server).await, ["passkey_added", "passkey_counter"]);
    }
    passkey.uncounted = false;
    passkey.counter = 60;
    sign_in(&server, &mut passkey).await.ok();
    server.move_clock(8 * 24 * 3600).await;
    passkey.counter = 1;
    sign_in(&server, &mut passkey).await.ok();
    let told = ["passkey_added", "passkey_counter", "passkey_counter"];
    assert_eq!(notices(&server).await, told);
}

#[tokio::test]
async fn a_challenge_is_answered_once_and_within_minutes() {
    let server = TestServer::without_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let (mut authenticator, _) = add(&server, &token).await;
    let asked = challenge(&server).await;
    let credential = authenticator.get(&asked.body["options"]);
    answer(&server, &asked, credential.clone()).await.ok();
    answer(&server, &asked, credential.clone()).await.assert_error(422, "mfa_challenge_expired");
    // A recorded answer is worth nothing for another challenge.
    let next = challenge(&server).await;
    answer(&server, &next, credential).await.assert_error(400, "invalid_credentials");
    let credential = authenticator.get(&next.body["options"]);
    answer(&server, &next, credential).await.assert_error(422, "mfa_challenge_expired");
    let late = challenge(&server).await;
    let credential = authenticator.get(&late.body["options"]);
    server.move_clock(301).await;
    answer(&server, &late, credential).await.assert_error(422, "mfa_challenge_expired");
    // A registration's challenge does not sign in.
    let session = sign_in(&server, &mut authenticator).await.ok().text("/access_token");
    let other = options(&server, &session).await.ok();
    let credential = authenticator.get(&json!({
        "challenge": other.body["options"]["challenge"], "rpId": "sukoon.example",
    }));
    answer(&server, &other, credential).await.assert_error(422, "mfa_challenge_expired");
}

#[tokio::test]
async fn a_registration_is_checked_as_strictly() {
    let server = TestServer::without_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let faults: [fn(&mut Authenticator); 4] = [
        |it| it.origin = "https://evil.example".to_owned(),
        |it| it.rp_id = Some("evil.example".to_owned()),
        |it| it.challenge = Some("AAAAAAAAAAAAAAAAAAAAAA".to_owned()),
        |it| it.user_verified = false,
    ];
    for spoil in faults {
        let asked = options(&server, &token).await.ok();
        let mut authenticator = Authenticator::at(PUBLIC_URL);
        spoil(&mut authenticator);
        let made = authenticator.create(&asked.body["options"]);
        let refused = register(&server, &token, &asked, made).await;
        refused.assert_error(422, "mfa_verification_failed");
    }
    // Another session, another account, a second time.
    let asked = options(&server, &token).await.ok();
    let made = Authenticator::at(PUBLIC_URL).create(&asked.body["options"]);
    let ravi = server.confirmed_account("ravi@example.test").await.text("/access_token");
    let stolen = register(&server, &ravi, &asked, made.clone()).await;
    stolen.assert_error(422, "mfa_challenge_expired");
    let asked = options(&server, &token).await.ok();
    let mut authenticator = Authenticator::at(PUBLIC_URL);
    let made = authenticator.create(&asked.body["options"]);
    register(&server, &token, &asked, made.clone()).await.ok();
    register(&server, &token, &asked, made).await.assert_error(422, "mfa_challenge_expired");
    // An authenticator that ignores what it is to leave out.
    let session = sign_in(&server, &mut authenticator).await.ok().text("/access_token");
    let asked = options(&server, &session).await.ok();
    let known = asked.body["options"]["excludeCredentials"].as_array().unwrap().len();
    assert_eq!(known, 1);
    let made = authenticator.create(&asked.body["options"]);
    register(&server, &session, &asked, made).await.assert_error(422, "passkey_exists");
}

/// A session that was left open, and a password, would be enough for a thief to shut its owner out.
#[tokio::test]
async fn an_authenticator_needs_a_mailed_code_of_the_last_minutes_or_the_second_factor() {
    let server = TestServer::with_confirmation().await;
    let session = server.confirmed_account(ASHA).await;
    let app = json!({ "factor_type": "totp" });
    let enroll =
        async |token: &str| server.call(Method::POST, "/factors", token, app.clone()).await;
    server.move_clock(301).await;
    let old = server.refresh(&session.text("/refresh_token")).await.ok().text("/access_token");
    let token = server.sign_in(ASHA, PASSWORD).await.ok().text("/access_token");
    for token in [&old, &token] {
        options(&server, token).await.assert_error(400, "reauthentication_needed");
        enroll(token).await.assert_error(400, "reauthentication_needed");
        let codes = server.call(Method::POST, "/factors/recovery-codes", token, json!({})).await;
        codes.assert_error(403, "insufficient_aal");
    }
    server.call(Method::POST, "/reauthenticate", &token, json!({})).await.ok();
    let code = server.latest_mail().await.code;
    let show = async |nonce: &str| {
        let body = json!({ "nonce": nonce });
        server.call(Method::POST, "/reauthenticate/verify", &token, body).await
    };
    show("").await.assert_error(400, "validation_failed");
    show(&other_than(&code)).await.assert_error(422, "reauthentication_not_valid");
    options(&server, &token).await.assert_error(400, "reauthentication_needed");
    show(&code).await.ok();
    show(&code).await.assert_error(422, "reauthentication_not_valid");
    options(&server, &old).await.assert_error(400, "reauthentication_needed");
    enroll(&token).await.ok();
    let (mut authenticator, passkey_id) = add(&server, &token).await;
    // From now on the password alone adds and removes nothing that reaches aal2.
    let weak = server.sign_in(ASHA, PASSWORD).await.ok().text("/access_token");
    options(&server, &weak).await.assert_error(403, "insufficient_aal");
    let body = json!({ "factor_type": "totp", "friendly_name": "another" });
    let factor = server.call(Method::POST, "/factors", &weak, body).await;
    factor.assert_error(403, "insufficient_aal");
    let path = format!("/passkeys/{passkey_id}");
    let removal = server.call(Method::DELETE, &path, &weak, json!({})).await;
    removal.assert_error(403, "insufficient_aal");
    let strong = sign_in(&server, &mut authenticator).await.ok().text("/access_token");
    add(&server, &strong).await;
    server.database.as_owner("update users set is_anonymous = true").await.unwrap();
    options(&server, &strong).await.assert_error(403, "no_authorization");
}

/// A session that was left open for hours has shown its second factor, and not just now.
#[tokio::test]
async fn an_authenticator_needs_a_second_factor_of_the_last_minutes() {
    let server = TestServer::without_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let (mut authenticator, _) = add(&server, &token).await;
    let session = sign_in(&server, &mut authenticator).await.ok();
    let body = json!({ "factor_type": "totp" });
    let make = async |token: &str| {
        server.call(Method::POST, "/factors/recovery-codes", token, json!({})).await
    };
    server.call(Method::POST, "/factors", &session.text("/access_token"), body).await.ok();
    make(&session.text("/access_token")).await.ok();
    server.move_clock(301).await;
    let old = server.refresh(&session.text("/refresh_token")).await.ok().text("/access_token");
    assert_eq!(claims(&old)["aal"], "aal2");
    // A mailed code does not stand in for it.
    server.note_code(&old).await;
    options(&server, &old).await.assert_error(403, "insufficient_aal");
    let body = json!({ "factor_type": "totp", "friendly_name": "another" });
    let factor = server.call(Method::POST, "/factors", &old, body).await;
    factor.assert_error(403, "insufficient_aal");
    make(&old).await.assert_error(403, "insufficient_aal");
    let fresh = sign_in(&server, &mut authenticator).await.ok().text("/access_token");
    make(&fresh).await.ok();
    add(&server, &fresh).await;
}

#[tokio::test]
async fn passkeys_are_renamed_and_removed_by_their_owner_only() {
    let server = TestServer::without_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let (mut authenticator, passkey_id) = add(&server, &token).await;
    let path = format!("/passkeys/{passkey_id}");
    let ravi = server.confirmed_account("ravi@example.test").await.text("/access_token");
    let name = json!({ "friendly_name": "My phone" });
    let stranger = server.call(Method::PATCH, &path, &ravi, name.clone()).await;
    stranger.assert_error(404, "passkey_not_found");
    let renamed = server.call(Method::PATCH, &path, &token, name).await.ok();
    assert_eq!(renamed.text("/friendly_name"), "My phone");
    for nothing in [" ", "\u{200b}\u{3164}"] {
        let empty = json!({ "friendly_name": nothing });
        let refused = server.call(Method::PATCH, &path, &token, empty).await;
        refused.assert_error(400, "validation_failed");
    }
    let session = sign_in(&server, &mut authenticator).await.ok();
    let strong = session.text("/access_token");
    let odd = server.call(Method::DELETE, "/passkeys/x", &strong, json!({})).await;
    odd.assert_error(404, "passkey_not_found");
    let removed = server.call(Method::DELETE, &path, &strong, json!({})).await;
    assert_eq!(removed.status, 204);
    sign_in(&server, &mut authenticator).await.assert_error(400, "invalid_credentials");
    let refreshed = server.refresh(&session.text("/refresh_token")).await.ok();
    assert_eq!(claims(&refreshed.text("/access_token"))["aal"], "aal1");
    assert_eq!(notices(&server).await, ["passkey_added", "passkey_removed"]);
}

#[tokio::test]
async fn on_the_developers_machine_the_site_is_localhost() {
    let server = TestServer::start(false, "http://127.0.0.1:8080").await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let asked = options(&server, &token).await.ok();
    assert_eq!(asked.body["options"]["rp"]["id"], "localhost");
    let mut authenticator = Authenticator::at("http://localhost:5173");
    let made = authenticator.create(&asked.body["options"]);
    register(&server, &token, &asked, made).await.ok();
    sign_in(&server, &mut authenticator).await.ok();
    for elsewhere in
        ["https://localhost:5173", "http://localhost.evil.example", "http://evil.example"]
    {
        authenticator.origin = elsewhere.to_owned();
        let refused = sign_in(&server, &mut authenticator).await;
        refused.assert_error(400, "invalid_credentials");
    }
}

#[tokio::test]
async fn a_banned_account_is_refused() {
    let server = TestServer::without_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let (mut authenticator, _) = add(&server, &token).await;
    let ban = "update users set banned_until_at = clock_now() + interval '1 day'";
    server.database.as_owner(ban).await.unwrap();
    sign_in(&server, &mut authenticator).await.assert_error(400, "user_banned");
}
