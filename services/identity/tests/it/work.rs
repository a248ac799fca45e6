//! The contract's captcha token: a proof of work, which lifts the limits of a network.

use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::test_server::{Answer, PASSWORD, TestServer};

const ASHA: &str = "asha@example.test";
pub(crate) const CHALLENGE: &str = "x-work-challenge";

/// The work that a response asks for, searched as our pages search it.
pub(crate) fn solved(answer: &Answer) -> String {
    let asked = answer.headers[CHALLENGE].to_str().unwrap();
    let (bits, challenge) = asked.split_once('.').unwrap();
    let bits: u32 = bits.parse().unwrap();
    let texts = (0_u32..).map(|number| format!("{challenge}.{number}"));
    let zeros = |text: &String| {
        let hash = Sha256::digest(text);
        u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]).leading_zeros()
    };
    texts.into_iter().find(|text| zeros(text) >= bits).unwrap()
}

pub(crate) fn with_token(mut body: Value, token: &str) -> Value {
    body["gotrue_meta_security"] = json!({ "captcha_token": token });
    body
}

fn credentials() -> Value {
    json!({ "email": ASHA, "password": PASSWORD })
}

const SIGN_IN: &str = "/token?grant_type=password";

#[tokio::test]
async fn work_lets_a_person_in_from_a_network_with_guessers() {
    let server = TestServer::with_confirmation().await;
    server.confirmed_account(ASHA).await;
    let guesser = server.visitor("203.0.113.7");
    for n in 0..20 {
        let email = format!("person{n}@example.test");
        let answer = guesser.sign_in(&email, &format!("a wrong password {n}")).await;
        answer.assert_error(400, "invalid_credentials");
    }
    let person = server.visitor("203.0.113.7");
    let refused = person.sign_in(ASHA, PASSWORD).await;
    refused.assert_error(429, "over_request_rate_limit");
    for wrong in ["", "x", "10000000-aaaa-bbbb-cccc-000000000001"] {
        let answer = person.post(SIGN_IN, with_token(credentials(), wrong)).await;
        answer.assert_error(429, "over_request_rate_limit");
    }
    let token = solved(&refused);
    person.post(SIGN_IN, with_token(credentials(), &token)).await.ok();
    // The work is worth one request.
    let again = server.visitor("203.0.113.7");
    let answer = again.post(SIGN_IN, with_token(credentials(), &token)).await;
    answer.assert_error(429, "over_request_rate_limit");
    // The device is known now.
    person.sign_in(ASHA, PASSWORD).await.ok();
}

#[tokio::test]
async fn a_network_asks_for_mails_to_many_addresses_with_work_only() {
    let server = TestServer::with_confirmation().await;
    let asking = server.visitor("203.0.113.7");
    for n in 0..5 {
        asking.recover(&format!("person{n}@example.test")).await.ok();
    }
    let refused = asking.recover(ASHA).await;
    refused.assert_error(429, "over_email_send_rate_limit");
    assert_eq!(refused.headers["retry-after"], "180");
    let sign_up = json!({ "email": ASHA, "password": PASSWORD });
    asking.post("/signup", sign_up.clone()).await.assert_error(429, "over_email_send_rate_limit");
    let with_work = with_token(sign_up, &solved(&refused));
    asking.post("/signup", with_work).await.ok();
    server.visitor("198.51.100.7").recover("person0@example.test").await.ok();
}

#[tokio::test]
async fn a_practice_can_require_it_of_all_clients() {
    let mut server = TestServer::without_confirmation().await;
    server.restart(|settings| settings.captcha_required = true).await;
    let sign_up = json!({ "email": ASHA, "password": PASSWORD });
    let missing = server.post("/signup", sign_up.clone()).await;
    missing.assert_error(400, "captcha_failed");
    let message = "captcha protection: request disallowed (no captcha_token found)";
    assert_eq!(missing.text("/message"), message);
    let wrong = server.post("/signup", with_token(sign_up.clone(), "x")).await;
    wrong.assert_error(400, "captcha_failed");
    let session = server.post("/signup", with_token(sign_up, &solved(&missing))).await.ok();
    for (path, body) in [(SIGN_IN, credentials()), ("/recover", json!({ "email": ASHA }))] {
        let refused = server.post(path, body.clone()).await;
        refused.assert_error(400, "captcha_failed");
        server.post(path, with_token(body, &solved(&refused))).await.ok();
    }
    server.refresh(&session.text("/refresh_token")).await.ok();
}
