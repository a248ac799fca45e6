//! The command `account`, as whoever runs the machine calls it.

use std::process::Command;

use identity::account::{AccountError, Wanted, ensure};
use identity::address::EmailAddress;
use runtime::BoxError;

use crate::running::{PASSWORD, Running};

const OWNER: &str = "meera@example.test";

fn wanted(password: &str) -> Wanted {
    Wanted {
        email: EmailAddress::parse(OWNER).unwrap(),
        password: password.to_owned().into(),
        first_name: "Meera".to_owned(),
        last_name: String::new(),
    }
}

/// Runs the program itself, with nothing else in its environment.
fn run(server: &Running, password: &str) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_identity"))
        .arg("account")
        .env_clear()
        .env("IDENTITY_DATABASE_URL", &server.database.url)
        .env("ACCOUNT_EMAIL", OWNER)
        .env("ACCOUNT_PASSWORD", password)
        .output()
        .unwrap()
}

#[tokio::test]
async fn an_account_is_made_confirmed_and_its_person_can_sign_in() {
    let server = Running::confirming().await;
    let id = ensure(&server.app.store, &wanted(PASSWORD)).await.unwrap();
    let session = server.sign_in(OWNER, PASSWORD).await.ok();
    assert_eq!(session.text("/user/id"), id.to_string());
    assert_eq!(session.text("/user/user_metadata/firstName"), "Meera");
    assert_eq!(server.codes_requested().await, 0, "no mail has to confirm it");
}

#[tokio::test]
async fn an_account_that_is_there_keeps_its_password() {
    let server = Running::confirming().await;
    let first = ensure(&server.app.store, &wanted(PASSWORD)).await.unwrap();
    // Not even a password that would be refused matters then.
    let second = ensure(&server.app.store, &wanted("short")).await.unwrap();
    assert_eq!(first, second);
    server.sign_in(OWNER, PASSWORD).await.ok();
    server.sign_in(OWNER, "short").await.assert_error(400, "invalid_credentials");
}

#[tokio::test]
async fn one_that_nobody_confirmed_is_replaced() {
    let server = Running::confirming().await;
    server.sign_up(OWNER).await.ok();
    let id = ensure(&server.app.store, &wanted("another quiet garden")).await.unwrap();
    let session = server.sign_in(OWNER, "another quiet garden").await.ok();
    assert_eq!(session.text("/user/id"), id.to_string());
    server.sign_in(OWNER, PASSWORD).await.assert_error(400, "invalid_credentials");
}

#[tokio::test]
async fn many_at_once_agree_on_one_account() {
    let server = Running::confirming().await;
    let wanted = wanted(PASSWORD);
    let all = (0..4).map(|_| ensure(&server.app.store, &wanted));
    let ids: Vec<_> = futures::future::join_all(all).await;
    let made: Vec<_> = ids.into_iter().filter_map(Result::ok).collect();
    let id = made.first().unwrap();
    assert!(made.iter().all(|other| other == id));
    assert_eq!(ensure(&server.app.store, &wanted).await.unwrap(), *id);
}

#[tokio::test]
async fn a_password_that_people_guess_is_refused() {
    let server = Running::confirming().await;
    for (password, sentence) in [
        ("short", "ACCOUNT_PASSWORD must have 10 to 256 characters"),
        ("Password123", "ACCOUNT_PASSWORD is easy to guess; choose a different one"),
        ("meera@example.test", "ACCOUNT_PASSWORD is easy to guess; choose a different one"),
    ] {
        let refused: AccountError = ensure(&server.app.store, &wanted(password)).await.unwrap_err();
        assert_eq!(BoxError::from(refused).to_string(), sentence);
    }
}

#[tokio::test]
async fn the_program_prints_the_id_and_nothing_else() {
    let server = Running::confirming().await;
    for _ in ["made", "found"] {
        let output = run(&server, PASSWORD);
        assert!(output.status.success());
        let session = server.sign_in(OWNER, PASSWORD).await.ok();
        let printed = String::from_utf8(output.stdout).unwrap();
        assert_eq!(printed, format!("{}\n", session.text("/user/id")));
        assert_eq!(output.stderr, b"");
    }
}

#[tokio::test]
async fn the_program_says_why_it_made_none() {
    let server = Running::confirming().await;
    let refused = run(&server, "demo-garden-path");
    assert_eq!(refused.status.code(), Some(2), "production takes no demonstration secret");
    assert!(!String::from_utf8(refused.stderr).unwrap().contains("demo-"));
    let refused = run(&server, "short");
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8(refused.stdout).unwrap();
    assert!(said.contains("ACCOUNT_PASSWORD must have 10 to 256 characters"), "{said}");
}
