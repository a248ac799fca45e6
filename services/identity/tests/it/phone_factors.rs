//! A phone as second factor: its codes come by SMS or WhatsApp, with the sandbox as the sender.

use identity::app::features::Features;
use identity::app::policy::Policy;
use reqwest::Method;
use reqwest::header::AUTHORIZATION;
use serde_json::{Value, json};
use testkit::Alarms;

use crate::admin::service_key;
use crate::factors::{ASHA, delete, notices};
use crate::test_server::{Answer, PASSWORD, PUBLIC_URL, TestServer, claims, other_than};
use crate::third_parties::ThirdParties;

const NUMBER: &str = "+919876543210";
const OTHER_NUMBER: &str = "+918765432109";

/// A server on which a phone may be a second factor.
async fn start() -> (TestServer, ThirdParties) {
    let sender = ThirdParties::start().await;
    let features = Features { mfa_phone: true, ..sender.sms() };
    let server = TestServer::start_full((false, PUBLIC_URL), Policy::default(), features).await;
    (server, sender)
}

async fn enroll(server: &TestServer, token: &str, (number, name): (&str, &str)) -> Answer {
    let body = json!({ "factor_type": "phone", "phone": number, "friendly_name": name });
    server.call(Method::POST, "/factors", token, body).await
}

async fn challenge(server: &TestServer, token: &str, factor_id: &str) -> Answer {
    server.call(Method::POST, &format!("/factors/{factor_id}/challenge"), token, json!({})).await
}

/// A challenge that is asked for from a network.
async fn challenge_from(
    server: &TestServer,
    (token, factor_id): (&str, &str),
    network: &str,
) -> Answer {
    let asked = server
        .request(Method::POST, &format!("/factors/{factor_id}/challenge"))
        .header(AUTHORIZATION, format!("Bearer {token}"))
        .header("x-forwarded-for", network);
    server.send(asked).await
}

async fn verify(
    server: &TestServer,
    (token, factor_id): (&str, &str),
    (challenge_id, code): (&str, &str),
) -> Answer {
    let body = json!({ "challenge_id": challenge_id, "code": code });
    server.call(Method::POST, &format!("/factors/{factor_id}/verify"), token, body).await
}

/// An account whose phone is its second factor, after its first code: the factor and the session.
async fn protected(server: &TestServer, sender: &ThirdParties) -> (String, Answer) {
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let factor_id = enroll(server, &token, (NUMBER, "")).await.ok().text("/id");
    let challenge_id = challenge(server, &token, &factor_id).await.ok().text("/id");
    let code = sender.digits(NUMBER, 1).await;
    let raised = verify(server, (&token, &factor_id), (&challenge_id, &code)).await.ok();
    (factor_id, raised)
}

#[tokio::test]
async fn a_phone_is_enrolled_and_raises_the_session() {
    let (server, sender) = start().await;
    let other = server.confirmed_account(ASHA).await;
    let session = server.sign_in(ASHA, PASSWORD).await.ok();
    let token = session.text("/access_token");
    server.note_code(&token).await;
    let enrolled = enroll(&server, &token, ("+91 98765 43210", "my phone")).await.ok();
    let factor_id = enrolled.text("/id");
    let expected = json!({
        "id": factor_id, "type": "phone", "friendly_name": "my phone", "phone": "+91 98765 43210",
    });
    assert_eq!(enrolled.body, expected);
    let user = server.user(&token).await.ok();
    assert_eq!(user.text("/factors/0/phone"), "919876543210");
    assert_eq!(user.text("/factors/0/status"), "unverified");

    let asked = challenge(&server, &token, &factor_id).await.ok();
    let now = server.app.store.now().await.unwrap().seconds();
    assert!((295..=300).contains(&(asked.body["expires_at"].as_i64().unwrap() - now)));
    assert_eq!((asked.text("/type"), asked.body.get("webauthn")), ("phone".into(), None));
    let code = sender.digits(NUMBER, 1).await;
    let message = &sender.messages(NUMBER).await[0];
    let text = message["text"].as_str().unwrap();
    assert!(text.contains("It is valid for 5 minutes."), "{text}");
    assert!(text.ends_with(&format!("\n\n@sukoon.example #{code}")), "{text}");
    assert_eq!(message["channel"], "sms");

    let answer = (asked.text("/id"), code);
    let raised = verify(&server, (&token, &factor_id), (&answer.0, &answer.1)).await.ok();
    let raised_claims = claims(&raised.text("/access_token"));
    assert_eq!(raised_claims["aal"], "aal2");
    assert_eq!(raised_claims["amr"][0]["method"], "mfa/phone");
    assert_eq!(raised_claims["amr"][1]["method"], "password");
    assert_eq!(raised_claims["session_id"], claims(&token)["session_id"]);
    assert_eq!(raised.text("/user/factors/0/status"), "verified");
    assert_eq!(notices(&server).await, ["factor_added"]);
    // The refresh token of before the factor is worth nothing; the other session is ended.
    let refreshed = server.refresh(&session.text("/refresh_token")).await;
    refreshed.assert_error(400, "refresh_token_not_found");
    server.user(&other.text("/access_token")).await.assert_error(403, "session_not_found");
    let refreshed = server.refresh(&raised.text("/refresh_token")).await.ok();
    assert_eq!(claims(&refreshed.text("/access_token"))["aal"], "aal2");
}

#[tokio::test]
async fn a_later_sign_in_is_raised_by_whatsapp() {
    let (server, sender) = start().await;
    let (factor_id, _) = protected(&server, &sender).await;
    let token = server.sign_in(ASHA, PASSWORD).await.ok().text("/access_token");
    assert_eq!(claims(&token)["aal"], "aal1");
    server.move_clock(61).await;
    let path = format!("/factors/{factor_id}/challenge");
    let odd = server.call(Method::POST, &path, &token, json!({ "channel": "fax" })).await;
    odd.assert_error(400, "validation_failed");
    let channel = json!({ "channel": "whatsapp" });
    let asked = server.call(Method::POST, &path, &token, channel).await.ok();
    let code = sender.digits(NUMBER, 2).await;
    assert_eq!(sender.messages(NUMBER).await[0]["channel"], "whatsapp");
    let raised = verify(&server, (&token, &factor_id), (&asked.text("/id"), &code)).await.ok();
    assert_eq!(claims(&raised.text("/access_token"))["aal"], "aal2");
    assert_eq!(notices(&server).await, ["factor_added"], "it was added once");
}

#[tokio::test]
async fn it_is_off_unless_the_setting_says_so() {
    let (mut server, sender) = start().await;
    let (factor_id, _) = protected(&server, &sender).await;
    let token = server.sign_in(ASHA, PASSWORD).await.ok().text("/access_token");
    server.move_clock(61).await;
    let challenge_id = challenge(&server, &token, &factor_id).await.ok().text("/id");
    let code = sender.digits(NUMBER, 2).await;
    server.restart(|settings| settings.features.mfa_phone = false).await;
    let more = enroll(&server, &token, (OTHER_NUMBER, "b")).await;
    more.assert_error(422, "mfa_phone_enroll_not_enabled");
    assert_eq!(more.text("/message"), "MFA enroll is disabled for Phone");
    let asked = challenge(&server, &token, &factor_id).await;
    asked.assert_error(422, "mfa_phone_verify_not_enabled");
    let answer = verify(&server, (&token, &factor_id), (&challenge_id, &code)).await;
    answer.assert_error(422, "mfa_phone_verify_not_enabled");
    assert_eq!(answer.text("/message"), "MFA verification is disabled for Phone");
    assert_eq!(server.user(&token).await.ok().text("/factors/0/id"), factor_id);
}

#[tokio::test]
async fn an_enrolment_is_checked_in_the_contracts_words() {
    let (server, _sender) = start().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    for (number, message) in [
        ("", "Phone number required to enroll Phone factor"),
        ("call me", "Invalid phone number format (E.164 required)"),
        ("+91234", "Invalid phone number format (E.164 required)"),
        ("0987654321", "Invalid phone number format (E.164 required)"),
    ] {
        let refused = enroll(&server, &token, (number, "")).await;
        refused.assert_error(400, "validation_failed");
        assert_eq!(refused.text("/message"), message);
    }
    enroll(&server, &token, (NUMBER, "a")).await.ok();
    let named = enroll(&server, &token, (OTHER_NUMBER, "a")).await;
    named.assert_error(422, "mfa_factor_name_conflict");
    for number in 1..10 {
        let phone = (format!("+91700000000{number}"), number.to_string());
        enroll(&server, &token, (&phone.0, &phone.1)).await.ok();
    }
    let many = enroll(&server, &token, (OTHER_NUMBER, "more")).await;
    many.assert_error(422, "too_many_enrolled_mfa_factors");
}

#[tokio::test]
async fn an_unverified_phone_is_replaced_and_a_verified_one_is_not() {
    let (server, sender) = start().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let first = enroll(&server, &token, (NUMBER, "a")).await.ok().text("/id");
    let factor_id = enroll(&server, &token, (NUMBER, "a")).await.ok().text("/id");
    challenge(&server, &token, &first).await.assert_error(404, "mfa_factor_not_found");
    let left = enroll(&server, &token, (OTHER_NUMBER, "b")).await.ok().text("/id");
    let asked = challenge(&server, &token, &factor_id).await.ok().text("/id");
    let code = sender.digits(NUMBER, 1).await;
    let raised = verify(&server, (&token, &factor_id), (&asked, &code)).await.ok();
    // Those that were begun and not finished are gone.
    assert_eq!(raised.body["user"]["factors"].as_array().unwrap().len(), 1, "{left}");
    let strong = raised.text("/access_token");
    let again = enroll(&server, &strong, ("+91 98765 43210", "c")).await;
    again.assert_error(422, "mfa_verified_factor_exists");
    assert!(again.text("/message").starts_with("A verified phone factor already exists"));
    enroll(&server, &strong, (OTHER_NUMBER, "b")).await.ok();
}

#[tokio::test]
async fn a_code_works_once_and_only_for_its_own_challenge() {
    let (server, sender) = start().await;
    let (factor_id, raised) = protected(&server, &sender).await;
    let token = raised.text("/access_token");
    let first_code = sender.digits(NUMBER, 1).await;
    server.move_clock(61).await;
    let asked = challenge(&server, &token, &factor_id).await.ok().text("/id");
    let code = sender.digits(NUMBER, 2).await;
    let own = (token.as_str(), factor_id.as_str());
    if first_code != code {
        let former = verify(&server, own, (&asked, &first_code)).await;
        former.assert_error(422, "mfa_verification_failed");
        assert_eq!(former.text("/message"), "Invalid MFA Phone code entered");
    }
    let wrong = verify(&server, own, (&asked, &other_than(&code))).await;
    wrong.assert_error(422, "mfa_verification_failed");
    verify(&server, own, (&asked, "")).await.assert_error(400, "validation_failed");
    // Another factor's challenge, another person's factor, another session, another network.
    let other = enroll(&server, &token, (OTHER_NUMBER, "b")).await.ok().text("/id");
    let crossed = verify(&server, (&token, &other), (&asked, &code)).await;
    crossed.assert_error(422, "mfa_factor_not_found");
    let ravi = server.confirmed_account("ravi@example.test").await.text("/access_token");
    challenge(&server, &ravi, &factor_id).await.assert_error(404, "mfa_factor_not_found");
    let foreign = verify(&server, (&ravi, &factor_id), (&asked, &code)).await;
    foreign.assert_error(404, "mfa_factor_not_found");
    let elsewhere = server.sign_in(ASHA, PASSWORD).await.ok().text("/access_token");
    let answer = verify(&server, (&elsewhere, &factor_id), (&asked, &code)).await;
    answer.assert_error(422, "mfa_factor_not_found");
    let moved = server
        .request(Method::POST, &format!("/factors/{factor_id}/verify"))
        .header(AUTHORIZATION, format!("Bearer {token}"))
        .header("x-forwarded-for", "203.0.113.9")
        .json(&json!({ "challenge_id": asked, "code": code }));
    server.send(moved).await.assert_error(422, "mfa_ip_address_mismatch");
    verify(&server, own, (&asked, &code)).await.ok();
    let again = verify(&server, own, (&asked, &code)).await;
    again.assert_error(422, "mfa_ip_address_mismatch");
}

#[tokio::test]
async fn a_code_ends_after_five_minutes() {
    let (server, sender) = start().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let factor_id = enroll(&server, &token, (NUMBER, "")).await.ok().text("/id");
    let asked = challenge(&server, &token, &factor_id).await.ok().text("/id");
    let code = sender.digits(NUMBER, 1).await;
    server.move_clock(301).await;
    let late = verify(&server, (&token, &factor_id), (&asked, &code)).await;
    late.assert_error(422, "mfa_challenge_expired");
    assert!(late.text("/message").contains(&asked));
    let asked = challenge(&server, &token, &factor_id).await.ok().text("/id");
    let code = sender.digits(NUMBER, 2).await;
    verify(&server, (&token, &factor_id), (&asked, &code)).await.ok();
}

#[tokio::test]
async fn five_wrong_answers_end_a_code_and_slow_the_next_ones_down() {
    let (server, sender) = start().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let factor_id = enroll(&server, &token, (NUMBER, "")).await.ok().text("/id");
    let own = (token.as_str(), factor_id.as_str());
    let asked = challenge(&server, &token, &factor_id).await.ok().text("/id");
    let code = sender.digits(NUMBER, 1).await;
    for _ in 0..5 {
        let wrong = verify(&server, own, (&asked, &other_than(&code))).await;
        wrong.assert_error(422, "mfa_verification_failed");
    }
    server.move_clock(61).await;
    verify(&server, own, (&asked, &code)).await.assert_error(422, "mfa_challenge_expired");
    let asked = challenge(&server, &token, &factor_id).await.ok().text("/id");
    let code = sender.digits(NUMBER, 2).await;
    let wrong = verify(&server, own, (&asked, &other_than(&code))).await;
    wrong.assert_error(422, "mfa_verification_failed");
    // A new code forgets no wrong answer, so the wait grows on.
    let failures: i32 = sqlx::query_scalar("select max(failures) from factor_limits")
        .fetch_one(server.app.store.pool())
        .await
        .unwrap();
    assert_eq!(failures, 6);
    server.move_clock(131).await;
    verify(&server, own, (&asked, &code)).await.ok();
}

#[tokio::test]
async fn the_code_is_in_no_row() {
    let (server, sender) = start().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let factor_id = enroll(&server, &token, (NUMBER, "")).await.ok().text("/id");
    challenge(&server, &token, &factor_id).await.ok();
    let code = sender.digits(NUMBER, 1).await;
    let rows: Vec<Value> = sqlx::query_scalar(
        "select to_jsonb(c) - 'created_at' - 'expires_at' from challenges c
         union all select jsonb_build_object('channel', channel, 'phone', phone) from phone_messages
         union all select to_jsonb(t) - 'due_at' from timers t",
    )
    .fetch_all(server.app.store.pool())
    .await
    .unwrap();
    assert!(rows.len() >= 2, "{rows:?}");
    for row in rows {
        assert_eq!(row.get("state").filter(|state| !state.is_null()), None);
        assert!(!row.to_string().contains(&format!("\"{code}\"")), "{row}");
    }
}

#[tokio::test]
async fn messages_to_a_factor_are_a_minute_apart() {
    let (server, sender) = start().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let factor_id = enroll(&server, &token, (NUMBER, "")).await.ok().text("/id");
    let other = enroll(&server, &token, (OTHER_NUMBER, "b")).await.ok().text("/id");
    challenge(&server, &token, &factor_id).await.ok();
    let early = challenge(&server, &token, &factor_id).await;
    early.assert_error(429, "over_sms_send_rate_limit");
    assert!(early.headers.contains_key("retry-after"));
    let told = early.text("/message");
    assert!(told.starts_with("For security purposes, you can only request this after"), "{told}");
    // Neither another network nor another phone of the account makes it sooner.
    let moved = challenge_from(&server, (&token, &factor_id), "203.0.113.9").await;
    moved.assert_error(429, "over_sms_send_rate_limit");
    let second = challenge(&server, &token, &other).await;
    second.assert_error(429, "over_sms_send_rate_limit");
    server.move_clock(61).await;
    challenge(&server, &token, &factor_id).await.ok();
    sender.digits(NUMBER, 2).await;
    assert_eq!(sender.messages(OTHER_NUMBER).await.len(), 0);
}

#[tokio::test]
async fn an_account_gets_so_many_messages_whatever_its_phones_and_networks() {
    let (server, _sender) = start().await;
    let session = server.confirmed_account(ASHA).await;
    let token = session.text("/access_token");
    for number in 0..10 {
        let phone = format!("+91700000000{number}");
        let factor_id = enroll(&server, &token, (&phone, "a")).await.ok().text("/id");
        let network = format!("203.0.{number}.9");
        challenge_from(&server, (&token, &factor_id), &network).await.ok();
        delete(&server, &token, &factor_id).await.ok();
    }
    let factor_id = enroll(&server, &token, (NUMBER, "a")).await.ok().text("/id");
    let more = challenge_from(&server, (&token, &factor_id), "203.0.99.9").await;
    more.assert_error(429, "over_sms_send_rate_limit");
    // Another account has its own.
    let ravi = server.confirmed_account("ravi@example.test").await.text("/access_token");
    let other = enroll(&server, &ravi, (OTHER_NUMBER, "")).await.ok().text("/id");
    challenge_from(&server, (&ravi, &other), "203.0.99.9").await.ok();
    // One more is sent an hour later.
    server.move_clock(3601).await;
    let session = server.refresh(&session.text("/refresh_token")).await.ok();
    let token = session.text("/access_token");
    server.note_code(&token).await;
    let factor_id = enroll(&server, &token, (NUMBER, "a")).await.ok().text("/id");
    challenge_from(&server, (&token, &factor_id), "203.0.99.9").await.ok();
}

#[tokio::test]
async fn a_message_that_came_too_late_is_not_sent() {
    let (server, sender) = start().await;
    for _ in 0..3 {
        sender.message_fault(json!({ "kind": "status", "status": 429 })).await;
    }
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let factor_id = enroll(&server, &token, (NUMBER, "")).await.ok().text("/id");
    challenge(&server, &token, &factor_id).await.ok();
    server.move_clock(301).await;
    let ended = async || {
        let waiting: i64 = sqlx::query_scalar("select count(*) from timers")
            .fetch_one(server.app.store.pool())
            .await?;
        Ok((waiting == 0).then_some(()))
    };
    testkit::until("the message is given up", ended).await.unwrap();
    assert_eq!(sender.messages(NUMBER).await, Vec::<Value>::new());
}

#[tokio::test]
async fn what_the_phone_protects_needs_it_and_its_removal_drops_the_session() {
    let (server, sender) = start().await;
    let (factor_id, raised) = protected(&server, &sender).await;
    let weak = server.sign_in(ASHA, PASSWORD).await.ok().text("/access_token");
    let more = enroll(&server, &weak, (OTHER_NUMBER, "b")).await;
    more.assert_error(403, "insufficient_aal");
    delete(&server, &weak, &factor_id).await.assert_error(422, "insufficient_aal");
    let change = json!({ "password": "a louder garden", "current_password": PASSWORD });
    let refused = server.call(Method::PUT, "/user", &weak, change).await;
    refused.assert_error(401, "insufficient_aal");
    let strong = raised.text("/access_token");
    delete(&server, &strong, &factor_id).await.ok();
    let refreshed = server.refresh(&raised.text("/refresh_token")).await.ok();
    let dropped = claims(&refreshed.text("/access_token"));
    assert_eq!(dropped["aal"], "aal1");
    assert!(!dropped["amr"].to_string().contains("mfa/phone"), "{dropped}");
    assert_eq!(notices(&server).await, ["factor_added", "factor_removed"]);
}

#[tokio::test]
async fn an_administrator_lists_and_removes_it() {
    let (server, sender) = start().await;
    let (factor_id, raised) = protected(&server, &sender).await;
    let key = service_key(&server).await;
    let path = format!("/admin/users/{}/factors", raised.text("/user/id"));
    let listed = server.call(Method::GET, &path, &key, json!({})).await.ok();
    assert_eq!(listed.text("/0/id"), factor_id);
    assert_eq!(listed.text("/0/factor_type"), "phone");
    assert_eq!(listed.text("/0/phone"), "919876543210");
    let one = format!("{path}/{factor_id}");
    server.call(Method::DELETE, &one, &key, json!({})).await.ok();
    let listed = server.call(Method::GET, &path, &key, json!({})).await.ok();
    assert_eq!(listed.body, json!([]));
    let refreshed = server.refresh(&raised.text("/refresh_token")).await.ok();
    assert_eq!(claims(&refreshed.text("/access_token"))["aal"], "aal1");
    assert_eq!(notices(&server).await, ["factor_added", "factor_removed"]);
}

#[tokio::test]
async fn its_use_is_in_the_log_without_its_number() {
    let (server, sender) = start().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let factor_id = enroll(&server, &token, (NUMBER, "")).await.ok().text("/id");
    let log = Alarms::listen();
    let asked = challenge(&server, &token, &factor_id).await.ok().text("/id");
    challenge(&server, &token, &factor_id).await.assert_error(429, "over_sms_send_rate_limit");
    let code = sender.digits(NUMBER, 1).await;
    verify(&server, (&token, &factor_id), (&asked, &other_than(&code))).await;
    verify(&server, (&token, &factor_id), (&asked, &code)).await.ok();
    let lines = log.security_lines();
    let of = |line: &String, name: &str| {
        let mut pairs = line.split(' ').filter_map(|pair| pair.split_once('='));
        pairs.find_map(|(key, value)| (key == name).then(|| value.to_owned())).unwrap_or_default()
    };
    let words = |line| [of(line, "kind"), of(line, "outcome"), of(line, "method")].join(" ");
    let told: Vec<String> = lines.iter().map(words).collect();
    let expected = [
        "code_request done nothing",
        "code_request limited nothing",
        "sign_in wrong_proof code",
        "sign_in done code",
        "factor_change done code",
    ];
    assert_eq!(told, expected);
    assert!(!lines.iter().any(|line| line.contains("9876543210") || line.contains(&code)));
}
