//! A stranger cannot keep the owner out of an account: neither with wrong guesses, nor with
//! requests for mails.

use crate::test_server::{PASSWORD, TestServer, other_than};
use crate::visitor::DEVICE;

const ASHA: &str = "asha@example.test";

#[tokio::test]
async fn guesses_from_one_network_do_not_slow_the_owner_down_in_another() {
    let server = TestServer::with_confirmation().await;
    server.confirmed_account(ASHA).await;
    let stranger = server.visitor("203.0.113.7");
    // The wait after the last of these guesses is long enough for the rest of the test.
    for at in [0, 0, 0, 0, 0, 2, 5, 10, 19, 36] {
        server.move_clock(at).await;
        stranger.sign_in(ASHA, "a wrong password").await.assert_error(400, "invalid_credentials");
    }
    stranger.sign_in(ASHA, PASSWORD).await.assert_error(429, "over_request_rate_limit");
    let neighbour = server.visitor("203.0.113.99");
    neighbour.sign_in(ASHA, PASSWORD).await.assert_error(429, "over_request_rate_limit");
    server.visitor("198.51.100.7").sign_in(ASHA, PASSWORD).await.ok();
    // The owner's success does not give the stranger new guesses.
    stranger.sign_in(ASHA, PASSWORD).await.assert_error(429, "over_request_rate_limit");
}

#[tokio::test]
async fn ipv6_networks_of_one_customer_count_as_one() {
    let server = TestServer::with_confirmation().await;
    server.confirmed_account(ASHA).await;
    for (n, at) in [0, 0, 0, 0, 0, 2, 5, 10].into_iter().enumerate() {
        server.move_clock(at).await;
        let stranger = server.visitor(format!("2001:db8:1:2::{n:x}"));
        stranger.sign_in(ASHA, "a wrong password").await.assert_error(400, "invalid_credentials");
    }
    let same = server.visitor("2001:db8:1:2:ffff::1");
    same.sign_in(ASHA, PASSWORD).await.assert_error(429, "over_request_rate_limit");
    server.visitor("2001:db8:1:3::1").sign_in(ASHA, PASSWORD).await.ok();
}

/// Fifty networks use up what all unknown devices together may try.
#[tokio::test]
async fn a_known_device_signs_in_while_many_networks_guess() {
    let server = TestServer::with_confirmation().await;
    server.confirmed_account(ASHA).await;
    let home = server.visitor("198.51.100.7");
    let first = home.sign_in(ASHA, PASSWORD).await.ok();
    assert!(first.headers.contains_key(DEVICE));
    for n in 0..50 {
        let stranger = server.visitor(format!("203.0.{n}.1"));
        let guess = stranger.sign_in(ASHA, &format!("a wrong password {n}")).await;
        guess.assert_error(400, "invalid_credentials");
    }

    let unknown = server.visitor("192.0.2.1");
    unknown.sign_in(ASHA, PASSWORD).await.assert_error(429, "over_request_rate_limit");
    home.sign_in(ASHA, PASSWORD).await.ok();
    // The admin panel asks again for the password from inside.
    server.sign_in(ASHA, PASSWORD).await.ok();
    // An unknown device has a code by mail.
    unknown.recover(ASHA).await.ok();
    let mail = server.latest_mail().await;
    unknown.verify("recovery", ASHA, &mail.code).await.ok();
    unknown.sign_in(ASHA, PASSWORD).await.ok();
}

#[tokio::test]
async fn a_known_device_has_a_limit_too() {
    let server = TestServer::with_confirmation().await;
    server.confirmed_account(ASHA).await;
    let home = server.visitor("198.51.100.7");
    home.sign_in(ASHA, PASSWORD).await.ok();
    for at in [0, 0, 0, 0, 0, 2, 5] {
        server.move_clock(at).await;
        home.sign_in(ASHA, "a wrong password").await.assert_error(400, "invalid_credentials");
    }
    home.sign_in(ASHA, PASSWORD).await.assert_error(429, "over_request_rate_limit");
    // A token of one account is worth nothing at another.
    server.confirmed_account("ravi@example.test").await;
    for at in [5, 5, 5, 5, 5, 8, 12] {
        server.move_clock(at).await;
        home.sign_in("ravi@example.test", "a wrong password").await;
    }
    let neighbour = server.visitor("198.51.100.8");
    neighbour
        .sign_in("ravi@example.test", PASSWORD)
        .await
        .assert_error(429, "over_request_rate_limit");
}

#[tokio::test]
async fn a_stranger_cannot_use_up_the_owners_recovery_mails() {
    let server = TestServer::with_confirmation().await;
    server.confirmed_account(ASHA).await;
    let home = server.visitor("198.51.100.7");
    home.sign_in(ASHA, PASSWORD).await.ok();
    for n in 0..30 {
        server.visitor(format!("203.0.{n}.1")).recover(ASHA).await.ok();
    }
    let unknown = server.visitor("192.0.2.1");
    unknown.recover(ASHA).await.assert_error(429, "over_email_send_rate_limit");
    home.recover(ASHA).await.ok();
    home.recover(ASHA).await.assert_error(429, "over_email_send_rate_limit");
    // For others the wide limit opens again each half an hour.
    server.move_clock(30 * 60 + 1).await;
    unknown.recover(ASHA).await.ok();
}

/// A stranger's request for a mail does not make the owner wait a minute for theirs.
#[tokio::test]
async fn mails_are_a_minute_apart_for_each_place() {
    let server = TestServer::with_confirmation().await;
    server.confirmed_account(ASHA).await;
    let stranger = server.visitor("203.0.113.7");
    stranger.recover(ASHA).await.ok();
    stranger.recover(ASHA).await.assert_error(429, "over_email_send_rate_limit");
    server.visitor("198.51.100.7").recover(ASHA).await.ok();
}

/// Wrong digits from many networks void the digits and not the link of the same mail.
#[tokio::test]
async fn a_stranger_cannot_close_the_way_by_mail() {
    let server = TestServer::with_confirmation().await;
    server.confirmed_account(ASHA).await;
    let home = server.visitor("198.51.100.7");
    home.recover(ASHA).await.ok();
    let mail = server.latest_mail().await;
    for n in 0..55 {
        let stranger = server.visitor(format!("203.0.{n}.1"));
        stranger.verify("recovery", ASHA, &other_than(&mail.code)).await;
    }
    assert!(!home.verify("recovery", ASHA, &mail.code).await.status.is_success());
    server.confirm_link(&mail.link, "").await.ok();
}
