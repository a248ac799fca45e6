//! The hour's budget of mails with codes, and guesses at the digits of codes over many addresses.

use serde_json::json;

use crate::factors::ASHA;
use crate::test_server::{PASSWORD, TestServer, other_than};

/// How many codes wait in the database for an address, and how many mails were asked for.
async fn codes(server: &TestServer, email: &str) -> i64 {
    let waiting = "select count(*) from codes join users using (user_id) where email = $1";
    sqlx::query_scalar(waiting).bind(email).fetch_one(server.app.store.pool()).await.unwrap()
}

async fn with_budget(per_hour: u32) -> TestServer {
    let mut server = TestServer::with_confirmation().await;
    server.restart(|settings| settings.code_mails_per_hour = per_hour).await;
    server
}

#[tokio::test]
async fn strangers_mails_leave_room_for_people_with_an_account() {
    let server = with_budget(10).await;
    server.confirmed_account(ASHA).await;
    let home = server.visitor("198.51.100.7");
    home.sign_in(ASHA, PASSWORD).await.ok();
    server.database.stop_clock().await.unwrap();
    // Half of the budget is for any address.
    for n in 0..5 {
        let stranger = server.visitor(format!("203.0.{n}.7"));
        let body = json!({ "email": format!("person{n}@example.test") });
        stranger.post("/otp", body).await.ok();
    }
    server.move_clock(120).await;
    let away = server.visitor("192.0.2.9");
    let otp = |email: &str| json!({ "email": email });
    let unknown = away.post("/otp", otp("another@example.test")).await;
    let known = away.post("/otp", otp(ASHA)).await;
    for refused in [&unknown, &known] {
        refused.assert_error(429, "over_email_send_rate_limit");
        assert_eq!(refused.headers["retry-after"], (58 * 60).to_string());
        assert!(!refused.headers.contains_key("x-work-challenge"), "work does not help");
    }
    assert_eq!(unknown.body, known.body, "who has an account is not told");
    assert!(known.text("/message").ends_with("after 3480 seconds."), "{}", known.body);
    assert_eq!(codes(&server, "another@example.test").await, 0);
    assert_eq!(codes(&server, ASHA).await, 1, "its mail is sent all the same");
    let code = server.latest_mail().await.code;
    away.verify("email", ASHA, &code).await.ok();
    // A device that signed in before has a share of its own, and is told what is so.
    home.recover(ASHA).await.ok();
    assert_eq!(codes(&server, ASHA).await, 1);
    server
        .visitor("192.0.2.99")
        .recover("nobody@example.test")
        .await
        .assert_error(429, "over_email_send_rate_limit");
    let sign_up = json!({ "email": "new@example.test", "password": PASSWORD });
    let refused = server.visitor("192.0.2.98").post("/signup", sign_up.clone()).await;
    refused.assert_error(429, "over_email_send_rate_limit");
    // When it was told, and not before.
    server.move_clock(3599).await;
    let early = server.visitor("192.0.2.98").post("/signup", sign_up.clone()).await;
    early.assert_error(429, "over_email_send_rate_limit");
    assert_eq!(early.headers["retry-after"], "60", "whole minutes");
    server.move_clock(3600 + 60).await;
    server.visitor("192.0.2.98").post("/signup", sign_up).await.ok();
}

#[tokio::test]
async fn the_share_of_accounts_ends_as_well() {
    let server = with_budget(10).await;
    server.confirmed_account(ASHA).await;
    for minute in 0..12 {
        server.move_clock(minute * 61).await;
        let asking = server.visitor(format!("203.0.{minute}.7"));
        let asked = asking.recover(ASHA).await;
        let is_open = asked.status.is_success();
        assert_eq!(is_open, minute < 5, "{minute}: {}", asked.body);
    }
    let sent = "select count(*) from code_mail_asks";
    let sent: i64 = sqlx::query_scalar(sent).fetch_one(server.app.store.pool()).await.unwrap();
    assert_eq!(sent, 8, "five of the open share, three of the accounts'");
}

#[tokio::test]
async fn wrong_digits_over_many_addresses_stop_a_network() {
    let server = TestServer::with_confirmation().await;
    server.confirmed_account(ASHA).await;
    let asking = server.visitor("192.0.2.9");
    asking.post("/otp", json!({ "email": ASHA })).await.ok();
    let code = server.latest_mail().await.code;
    assert_eq!(code.len(), 8, "no known device has asked");
    let guesser = server.visitor("203.0.113.7");
    for n in 0..20 {
        let wrong = guesser.verify("email", &format!("person{n}@example.test"), &code).await;
        wrong.assert_error(403, "otp_expired");
    }
    let refused = guesser.verify("email", ASHA, &code).await;
    refused.assert_error(429, "over_request_rate_limit");
    assert!(refused.headers.contains_key("x-work-challenge"), "a person can go on");
    asking.verify("email", ASHA, &other_than(&code)).await.assert_error(403, "otp_expired");
    asking.verify("email", ASHA, &code).await.ok();
    // Now its device is known, and asks for codes that are shorter.
    server.move_clock(61).await;
    asking.post("/otp", json!({ "email": ASHA })).await.ok();
    assert_eq!(server.latest_mail().await.code.len(), 6);
}
