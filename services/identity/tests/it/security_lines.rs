//! Sign-ins, changes and refusals are in the log, with ids, a shortened network and fixed words,
//! and without anything that a person typed.

use reqwest::Method;
use serde_json::json;
use testkit::Alarms;

use crate::test_server::{PASSWORD, TestServer};

const ASHA: &str = "asha@example.test";

/// The value of a field in a line.
fn field<'l>(line: &'l str, name: &str) -> &'l str {
    let mut pairs = line.split(' ').filter_map(|pair| pair.split_once('='));
    pairs.find_map(|(key, value)| (key == name).then_some(value)).unwrap_or_default()
}

/// The kinds and outcomes of the lines so far; checks that none names a person.
#[track_caller]
fn told(log: &Alarms) -> Vec<(String, String)> {
    let lines = log.security_lines();
    for line in &lines {
        for private in ["asha", "example.test", "garden", "Rao", "203.0.113.7"] {
            assert!(!line.contains(private), "{line}");
        }
    }
    let words = |line: &String| (field(line, "kind").to_owned(), field(line, "outcome").to_owned());
    lines.iter().map(words).collect()
}

fn pair(kind: &str, outcome: &str) -> (String, String) {
    (kind.to_owned(), outcome.to_owned())
}

#[tokio::test]
async fn a_life_of_an_account_is_in_the_log() {
    let server = TestServer::with_confirmation().await;
    let log = Alarms::listen();
    let first = server.confirmed_account(ASHA).await;
    assert_eq!(told(&log), [pair("sign_up", "done"), pair("sign_in", "done")]);

    let visitor = server.visitor("203.0.113.7");
    visitor.sign_in(ASHA, "a wrong password").await.assert_error(400, "invalid_credentials");
    let failed = log.security_lines();
    assert_eq!(failed.len(), 1, "{failed:?}");
    assert_eq!(field(&failed[0], "outcome"), "wrong_proof");
    assert_eq!(field(&failed[0], "method"), "password");
    assert_eq!(field(&failed[0], "network"), "203.0.113.0/24");
    assert!(field(&failed[0], "account").starts_with("address-"), "{}", failed[0]);

    let session = visitor.sign_in(ASHA, PASSWORD).await.ok();
    let signed_in = log.security_lines();
    assert_eq!(field(&signed_in[0], "account"), first.text("/user/id"));

    server.refresh(&session.text("/refresh_token")).await.ok();
    visitor.recover(ASHA).await.ok();
    visitor.recover(ASHA).await.assert_error(429, "over_email_send_rate_limit");
    let mail = server.latest_mail().await;
    let recovered = server.verify("recovery", ASHA, &mail.code).await.ok();
    let token = recovered.text("/access_token");
    let new = json!({ "password": "a louder garden" });
    server.call(Method::PUT, "/user", &token, new).await.ok();
    server.call(Method::POST, "/logout", &token, json!({})).await.ok();
    let expected = [
        pair("refresh", "done"),
        pair("code_request", "done"),
        pair("code_request", "limited"),
        pair("sign_in", "done"),
        pair("password_change", "done"),
        pair("sign_out", "done"),
    ];
    assert_eq!(told(&log), expected);
}

#[tokio::test]
async fn refusals_by_limits_and_stolen_tokens_are_in_the_log() {
    let server = TestServer::without_confirmation().await;
    let session = server.confirmed_account(ASHA).await;
    server.database.stop_clock().await.unwrap();
    let log = Alarms::listen();
    for _ in 0..6 {
        server.sign_in(ASHA, "a wrong password").await;
    }
    let lines = told(&log);
    assert_eq!(lines.last(), Some(&pair("sign_in", "limited")));
    assert_eq!(lines.iter().filter(|line| line.1 == "wrong_proof").count(), 5);

    let token = session.text("/refresh_token");
    server.refresh(&token).await.ok();
    server.move_clock(61).await;
    server.refresh(&token).await.assert_error(400, "refresh_token_already_used");
    assert_eq!(told(&log), [pair("refresh", "done"), pair("refresh", "reused")]);
}
