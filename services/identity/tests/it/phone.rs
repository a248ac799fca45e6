//! Accounts by phone, with the sandbox as the sender of messages.

use identity::app::policy::{Clients, Policy};
use identity::sms::SmsSettings;
use reqwest::Method;
use serde_json::{Value, json};

use crate::test_server::{Answer, PASSWORD, PUBLIC_URL, TestServer, claims, other_than};
use crate::third_parties::ThirdParties;

const ASHA: &str = "+919876543210";
const RAVI: &str = "+918765432109";

/// A server with a sender.
async fn start() -> (TestServer, ThirdParties) {
    let sender = ThirdParties::start().await;
    (TestServer::with_features(sender.sms()).await, sender)
}

async fn sign_up(server: &TestServer, phone: &str, password: &str) -> Answer {
    server.post("/signup", json!({ "phone": phone, "password": password })).await
}

async fn verify(server: &TestServer, kind: &str, phone: &str, code: &str) -> Answer {
    server.post("/verify", json!({ "type": kind, "phone": phone, "token": code })).await
}

/// The same in a session of the account.
async fn change(server: &TestServer, token: &str, phone: &str, code: &str) -> Answer {
    let body = json!({ "type": "phone_change", "phone": phone, "token": code });
    server.call(Method::POST, "/verify", token, body).await
}

async fn sign_in(server: &TestServer, phone: &str, password: &str) -> Answer {
    let body = json!({ "phone": phone, "password": password });
    server.post("/token?grant_type=password", body).await
}

/// A confirmed account by phone, signed in.
async fn account(server: &TestServer, sender: &ThirdParties, phone: &str) -> Answer {
    let made = sign_up(server, phone, PASSWORD).await.ok();
    let code = sender.digits(phone, sender.messages(phone).await.len().max(1)).await;
    let secret = made.text("/sign_up_secret");
    let shown = json!({ "type": "sms", "phone": phone, "token": code, "sign_up_secret": secret });
    server.post("/verify", shown).await.ok()
}

#[tokio::test]
async fn it_is_off_unless_a_sender_is_set() {
    let server = TestServer::with_confirmation().await;
    sign_up(&server, ASHA, PASSWORD).await.assert_error(400, "phone_provider_disabled");
    let otp = server.post("/otp", json!({ "phone": ASHA })).await;
    otp.assert_error(400, "phone_provider_disabled");
    sign_in(&server, ASHA, PASSWORD).await.assert_error(422, "phone_provider_disabled");
    verify(&server, "sms", ASHA, "123456").await.assert_error(403, "otp_expired");
    let resend = server.post("/resend", json!({ "type": "sms", "phone": ASHA })).await;
    resend.assert_error(400, "phone_provider_disabled");
    assert_eq!(server.get("/settings").await.body["external"]["phone"], false);
}

#[tokio::test]
async fn a_person_signs_up_by_phone_and_in_again_by_password() {
    let (server, sender) = start().await;
    let made = sign_up(&server, "+91 98765 43210", PASSWORD).await.ok();
    assert_eq!((made.text("/phone"), made.text("/email")), ("919876543210".into(), String::new()));
    assert_eq!(made.body["app_metadata"], json!({ "provider": "phone", "providers": ["phone"] }));
    let early = sign_in(&server, ASHA, PASSWORD).await;
    early.assert_error(400, "phone_not_confirmed");
    assert_eq!(early.text("/message"), "Phone not confirmed");
    let code = sender.digits(ASHA, 1).await;
    let message = &sender.messages(ASHA).await[0];
    let text = message["text"].as_str().unwrap();
    assert!(text.ends_with(&format!("\n\n@sukoon.example #{code}")), "{text}");
    assert_eq!(message["channel"], "sms");
    let secret = made.text("/sign_up_secret");
    let shown = json!({ "type": "sms", "phone": ASHA, "token": code, "sign_up_secret": secret });
    let session = server.post("/verify", shown).await.ok();
    let token = claims(&session.text("/access_token"));
    assert_eq!(token["amr"][0]["method"], "otp");
    assert_eq!(session.body["user"]["phone"], "919876543210");
    assert!(!session.text("/user/phone_confirmed_at").is_empty());
    assert_eq!(session.body["user"]["identities"][0]["identity_data"]["phone_verified"], true);
    sign_in(&server, ASHA, PASSWORD).await.ok();
    sign_in(&server, ASHA, "a wrong garden").await.assert_error(400, "invalid_credentials");
    sign_in(&server, RAVI, PASSWORD).await.assert_error(400, "invalid_credentials");
}

#[tokio::test]
async fn a_code_by_whatsapp_signs_in_without_a_password() {
    let (server, sender) = start().await;
    let asked = server.post("/otp", json!({ "phone": ASHA, "channel": "whatsapp" })).await.ok();
    assert_eq!(asked.body, json!({}));
    let code = sender.digits(ASHA, 1).await;
    assert_eq!(sender.messages(ASHA).await[0]["channel"], "whatsapp");
    let first = verify(&server, "sms", ASHA, &code).await.ok();
    verify(&server, "sms", ASHA, &code).await.assert_error(403, "otp_expired");
    server.move_clock(61).await;
    server.post("/otp", json!({ "phone": ASHA, "create_user": false })).await.ok();
    let again = verify(&server, "sms", ASHA, &sender.digits(ASHA, 2).await).await.ok();
    assert_eq!(first.text("/user/id"), again.text("/user/id"));
    // A number without an account gets none, and the answer is the same.
    let asked = server.post("/otp", json!({ "phone": RAVI, "create_user": false })).await.ok();
    assert_eq!(asked.body, json!({}));
    assert_eq!(sender.messages(RAVI).await.len(), 0);
}

#[tokio::test]
async fn clients_of_the_contract_are_told_what_it_tells() {
    let sender = ThirdParties::start().await;
    let policy = Policy { clients: Clients::Any, ..Policy::default() };
    let server = TestServer::start_full((true, PUBLIC_URL), policy, sender.sms()).await;
    let unknown = server.post("/otp", json!({ "phone": ASHA, "create_user": false })).await;
    unknown.assert_error(422, "otp_disabled");
    server.move_clock(61).await;
    account(&server, &sender, ASHA).await;
    server.move_clock(122).await;
    let known = server.post("/otp", json!({ "phone": ASHA })).await.ok();
    assert!(!known.text("/message_id").is_empty(), "{}", known.body);
    server.move_clock(183).await;
    let repeated = sign_up(&server, ASHA, PASSWORD).await.ok();
    assert_eq!((&repeated.body["identities"], repeated.text("/role")), (&json!([]), String::new()));
    let other = account(&server, &sender, RAVI).await;
    server.move_clock(244).await;
    let token = other.text("/access_token");
    let taken = server.call(Method::PUT, "/user", &token, json!({ "phone": ASHA })).await;
    taken.assert_error(422, "phone_exists");
}

#[tokio::test]
async fn what_is_said_of_phones_is_checked() {
    let (server, _sender) = start().await;
    let pkce = "a".repeat(43);
    for (path, body) in [
        ("/signup", json!({ "phone": "98-76", "password": PASSWORD })),
        ("/signup", json!({ "phone": ASHA, "email": "a@b.test", "password": PASSWORD })),
        ("/signup", json!({ "phone": ASHA, "password": PASSWORD, "channel": "fax" })),
        (
            "/signup",
            json!({ "phone": ASHA, "password": PASSWORD, "code_challenge": pkce,
                            "code_challenge_method": "s256" }),
        ),
        ("/otp", json!({ "phone": "call me" })),
        ("/otp", json!({ "phone": ASHA, "channel": "fax" })),
        ("/verify", json!({ "type": "signup", "phone": ASHA, "token": "123456" })),
        ("/verify", json!({ "type": "sms", "phone": "x", "token": "123456" })),
        ("/resend", json!({ "type": "sms" })),
        ("/resend", json!({ "type": "sms", "phone": "x" })),
    ] {
        server.post(path, body).await.assert_error(400, "validation_failed");
    }
    sign_up(&server, ASHA, "short").await.assert_error(422, "weak_password");
}

#[tokio::test]
async fn a_stranger_who_signs_up_first_gets_nothing_of_the_owners_account() {
    let (server, sender) = start().await;
    sign_up(&server, ASHA, "a stranger's own").await.ok();
    let code = sender.digits(ASHA, 1).await;
    // The owner reads the code on the phone and does not have the stranger's browser.
    let session = verify(&server, "sms", ASHA, &code).await.ok();
    assert_eq!(session.body["password_needed"], true);
    let refused = sign_in(&server, ASHA, "a stranger's own").await;
    refused.assert_error(400, "invalid_credentials");
    server.move_clock(61).await;
    sign_up(&server, ASHA, "a stranger's own").await.ok();
    sign_in(&server, ASHA, "a stranger's own").await.assert_error(400, "invalid_credentials");
    server.user(&session.text("/access_token")).await.ok();
}

#[tokio::test]
async fn codes_end_after_ten_minutes_and_five_wrong_ones() {
    let (server, sender) = start().await;
    sign_up(&server, ASHA, PASSWORD).await.ok();
    let code = sender.digits(ASHA, 1).await;
    for _ in 0..5 {
        verify(&server, "sms", ASHA, &other_than(&code)).await.assert_error(403, "otp_expired");
    }
    verify(&server, "sms", ASHA, &code).await.assert_error(403, "otp_expired");
    let resend = json!({ "type": "sms", "phone": ASHA });
    let early = server.post("/resend", resend.clone()).await;
    early.assert_error(429, "over_sms_send_rate_limit");
    server.move_clock(61).await;
    server.post("/resend", resend).await.ok();
    let code = sender.digits(ASHA, 2).await;
    server.move_clock(662).await;
    verify(&server, "sms", ASHA, &code).await.assert_error(403, "otp_expired");
}

#[tokio::test]
async fn a_nonce_by_message_lets_a_new_password_be_set() {
    let (server, sender) = start().await;
    let session = account(&server, &sender, ASHA).await;
    let token = session.text("/access_token");
    server.move_clock(61).await;
    server.call(Method::GET, "/reauthenticate", &token, json!({})).await.ok();
    let nonce = sender.digits(ASHA, 2).await;
    let new = |nonce: &str| json!({ "password": "a louder garden", "nonce": nonce });
    let wrong = server.call(Method::PUT, "/user", &token, new(&other_than(&nonce))).await;
    wrong.assert_error(422, "reauthentication_not_valid");
    server.call(Method::PUT, "/user", &token, new(&nonce)).await.ok();
    sign_in(&server, ASHA, "a louder garden").await.ok();
}

#[tokio::test]
async fn a_phone_is_changed_by_a_code_to_the_new_one() {
    let (server, sender) = start().await;
    let session = account(&server, &sender, ASHA).await;
    let (id, token) = (session.text("/user/id"), session.text("/access_token"));
    let changed = server.call(Method::PUT, "/user", &token, json!({ "phone": RAVI })).await.ok();
    assert_eq!(changed.text("/new_phone"), "918765432109");
    assert_eq!(changed.text("/phone"), "919876543210");
    let code = sender.digits(RAVI, 1).await;
    verify(&server, "sms", RAVI, &code).await.assert_error(403, "otp_expired");
    verify(&server, "phone_change", ASHA, &code).await.assert_error(403, "otp_expired");
    server.move_clock(61).await;
    server.post("/resend", json!({ "type": "phone_change", "phone": RAVI })).await.ok();
    let code = sender.digits(RAVI, 2).await;
    assert_eq!(code.len(), 6, "a session is needed as well");
    let session = change(&server, &token, RAVI, &code).await.ok();
    assert_eq!(
        (session.text("/user/id"), session.text("/user/phone")),
        (id, "918765432109".into())
    );
    assert_eq!(session.body["user"].get("new_phone"), None);
    sign_in(&server, RAVI, PASSWORD).await.ok();
    sign_in(&server, ASHA, PASSWORD).await.assert_error(400, "invalid_credentials");
}

/// The reader of a message that a stranger asked for gets no account of that stranger's.
#[tokio::test]
async fn a_change_of_phone_is_redeemed_where_it_was_asked_for() {
    let (server, sender) = start().await;
    let session = account(&server, &sender, ASHA).await;
    let (id, token) = (session.text("/user/id"), session.text("/access_token"));
    let other = account(&server, &sender, "+917654321098").await.text("/access_token");
    server.call(Method::PUT, "/user", &token, json!({ "phone": RAVI })).await.ok();
    let code = sender.digits(RAVI, 1).await;
    let nowhere = verify(&server, "phone_change", RAVI, &code).await;
    nowhere.assert_error(403, "phone_change_elsewhere");
    change(&server, &other, RAVI, &code).await.assert_error(403, "phone_change_elsewhere");
    server.call(Method::POST, "/logout?scope=local", &other, json!({})).await.ok();
    let ended = change(&server, &other, RAVI, &code).await;
    ended.assert_error(403, "phone_change_elsewhere");
    assert_eq!(server.user(&token).await.ok().text("/phone"), ASHA[1..], "nothing has changed");
    let changed = change(&server, &token, RAVI, &code).await.ok();
    assert_eq!((changed.text("/user/id"), changed.text("/user/phone")), (id, RAVI[1..].into()));
}

/// A code is that of the account, so one for the former phone would fit the new one.
#[tokio::test]
async fn a_code_of_the_former_phone_ends_with_the_change() {
    let (server, sender) = start().await;
    let token = account(&server, &sender, ASHA).await.text("/access_token");
    server.move_clock(61).await;
    server.post("/otp", json!({ "phone": ASHA })).await.ok();
    let former = sender.digits(ASHA, 2).await;
    server.call(Method::PUT, "/user", &token, json!({ "phone": RAVI })).await.ok();
    let code = sender.digits(RAVI, 1).await;
    change(&server, &token, RAVI, &code).await.ok();
    verify(&server, "sms", RAVI, &former).await.assert_error(403, "otp_expired");
}

/// A phone opens the account by a code, so a session that was left open changes none.
#[tokio::test]
async fn a_phone_is_changed_after_a_fresh_proof() {
    let (server, sender) = start().await;
    let session = account(&server, &sender, ASHA).await;
    let put = async |token: &str| {
        server.call(Method::PUT, "/user", token, json!({ "phone": RAVI })).await
    };
    server.move_clock(301).await;
    let old = server.refresh(&session.text("/refresh_token")).await.ok().text("/access_token");
    put(&old).await.assert_error(400, "reauthentication_needed");
    assert!(sender.messages(RAVI).await.is_empty());
    server.note_code(&old).await;
    put(&old).await.ok();
}

/// The code of a new phone would stand for a mailed one, and an authenticator be added with it.
#[tokio::test]
async fn a_password_alone_adds_no_phone() {
    let (server, sender) = start().await;
    server.confirmed_account("asha@example.test").await;
    let signed_in = server.sign_in("asha@example.test", PASSWORD).await.ok();
    let token = signed_in.text("/access_token");
    let put = async || server.call(Method::PUT, "/user", &token, json!({ "phone": RAVI })).await;
    put().await.assert_error(400, "reauthentication_needed");
    assert!(sender.messages(RAVI).await.is_empty());
    server.note_code(&token).await;
    put().await.ok();
}

/// The first address of an account is confirmed by itself alone, and recovers the account.
#[tokio::test]
async fn a_first_address_is_added_after_a_fresh_proof() {
    let (server, sender) = start().await;
    let session = account(&server, &sender, ASHA).await;
    let put = async |token: &str| {
        let body = json!({ "email": "asha@example.test" });
        server.call(Method::PUT, "/user", token, body).await
    };
    server.move_clock(301).await;
    let old = server.refresh(&session.text("/refresh_token")).await.ok().text("/access_token");
    put(&old).await.assert_error(400, "reauthentication_needed");
    assert_eq!(server.codes_requested().await, 0);
    server.note_code(&old).await;
    put(&old).await.ok();
    let mail = server.latest_mail().await;
    let shown = ("email_change", "asha@example.test", mail.code.as_str());
    let changed = server.verify_as(&old, shown).await.ok();
    assert_eq!(changed.text("/user/email"), "asha@example.test");
}

#[tokio::test]
async fn a_phone_of_another_account_cannot_be_taken() {
    let (server, sender) = start().await;
    account(&server, &sender, ASHA).await;
    let session = account(&server, &sender, RAVI).await;
    server.move_clock(61).await;
    let token = session.text("/access_token");
    server.call(Method::PUT, "/user", &token, json!({ "phone": ASHA })).await.ok();
    let code = sender.digits(ASHA, 2).await;
    change(&server, &token, ASHA, &code).await.assert_error(422, "phone_exists");
    sign_in(&server, ASHA, PASSWORD).await.ok();
}

#[tokio::test]
async fn an_anonymous_account_gets_a_phone() {
    let sender = ThirdParties::start().await;
    let features = identity::app::features::Features { anonymous: true, ..sender.sms() };
    let server = TestServer::with_features(features).await;
    let session = server.post("/signup", json!({})).await.ok();
    let token = session.text("/access_token");
    server.call(Method::PUT, "/user", &token, json!({ "phone": ASHA })).await.ok();
    let code = sender.digits(ASHA, 1).await;
    let proved = change(&server, &token, ASHA, &code).await.ok();
    assert_eq!(proved.text("/user/id"), session.text("/user/id"));
    assert_eq!(proved.body["user"]["is_anonymous"], false);
    assert_eq!(proved.body["user"]["app_metadata"]["provider"], "phone");
}

#[tokio::test]
async fn a_message_is_sent_once_whatever_the_sender_does() {
    let (server, sender) = start().await;
    for fault in [
        json!({ "kind": "timeout_after_success", "delay_ms": 0 }),
        json!({ "kind": "drop" }),
        json!({ "kind": "status", "status": 429 }),
    ] {
        sender.message_fault(fault).await;
    }
    sign_up(&server, ASHA, PASSWORD).await.ok();
    sender.digits(ASHA, 1).await;
    let tried = async || Ok((sender.faults_left().await == 0).then_some(()));
    testkit::until("every fault was met", tried).await.unwrap();
    settled(&server).await;
    assert_eq!(sender.messages(ASHA).await.len(), 1);
}

#[tokio::test]
async fn a_refused_message_is_not_tried_again() {
    let (server, sender) = start().await;
    sender.message_fault(json!({ "kind": "refuse", "status": 422 })).await;
    sign_up(&server, ASHA, PASSWORD).await.ok();
    settled(&server).await;
    assert_eq!(sender.messages(ASHA).await, Vec::<Value>::new());
    let refused: i64 = sqlx::query_scalar(
        "select count(*) from phone_messages where refused_at is not null and sent_at is null",
    )
    .fetch_one(server.app.store.pool())
    .await
    .unwrap();
    assert_eq!(refused, 1);
}

/// Waits until no message waits to be sent.
async fn settled(server: &TestServer) {
    let none = async || {
        let left: i64 = sqlx::query_scalar("select count(*) from timers")
            .fetch_one(server.app.store.pool())
            .await?;
        Ok((left == 0).then_some(()))
    };
    testkit::until("every message was handed over", none).await.unwrap();
}

#[tokio::test]
async fn all_phones_together_get_so_many_messages_an_hour() {
    let sender = ThirdParties::start().await;
    let mut features = sender.sms();
    let sms = features.sms.take().unwrap();
    features.sms = Some(SmsSettings { per_hour: 2, ..sms });
    let server = TestServer::with_features(features).await;
    sign_up(&server, ASHA, PASSWORD).await.ok();
    sign_up(&server, RAVI, PASSWORD).await.ok();
    let third = sign_up(&server, "+917654321098", PASSWORD).await;
    third.assert_error(429, "over_sms_send_rate_limit");
    assert_eq!(third.text("/message"), "SMS rate limit exceeded");
    server.move_clock(3601).await;
    sign_up(&server, "+917654321098", PASSWORD).await.ok();
}
