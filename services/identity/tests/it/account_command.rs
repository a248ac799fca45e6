//! The command `account`, as an operator runs it.

use std::process::Command;

use identity::accounts::address::EmailAddress;
use identity::app::account::{AccountError, AccountRequest, Ensured, ensure};
use reqwest::Method;
use runtime::BoxError;
use serde_json::json;

use crate::factors::{App, notices};
use crate::test_server::{PASSWORD, TestServer};

const OWNER: &str = "meera@example.test";

fn request(password: &str) -> AccountRequest {
    AccountRequest {
        email: EmailAddress::parse(OWNER).unwrap(),
        password: password.to_owned().into(),
        first_name: "Meera".to_owned(),
        last_name: String::new(),
        keep_existing: false,
    }
}

fn kept(password: &str) -> AccountRequest {
    AccountRequest { keep_existing: true, ..request(password) }
}

/// Runs the program itself with only these variables in its environment.
fn run(server: &TestServer, password: &str, more: &[(&str, &str)]) -> std::process::Output {
    command(server, "account", password, more)
}

fn command(
    server: &TestServer,
    command: &str,
    password: &str,
    more: &[(&str, &str)],
) -> std::process::Output {
    Command::new(env!("CARGO_BIN_EXE_identity"))
        .arg(command)
        .env_clear()
        .env("IDENTITY_DATABASE_URL", &server.database.url)
        .env("ACCOUNT_EMAIL", OWNER)
        .env("ACCOUNT_PASSWORD", password)
        .envs(more.iter().copied())
        .output()
        .unwrap()
}

#[tokio::test]
async fn an_account_is_made_confirmed_and_its_person_can_sign_in() {
    let server = TestServer::with_confirmation().await;
    let ensured = ensure(&server.app.store, &request(PASSWORD)).await.unwrap();
    assert_eq!(ensured, Ensured::Created(ensured.id()));
    let session = server.sign_in(OWNER, PASSWORD).await.ok();
    assert_eq!(session.text("/user/id"), ensured.id().to_string());
    assert_eq!(session.text("/user/user_metadata/firstName"), "Meera");
    assert_eq!(server.codes_requested().await, 0, "no mail has to confirm it");
}

#[tokio::test]
async fn an_account_registered_by_a_stranger_is_replaced() {
    // Without confirmation anyone can register another person's address.
    let server = TestServer::without_confirmation().await;
    let data = json!({ "firstName": "Mallory", "phone": "98765 43210" });
    let body = json!({ "email": OWNER, "password": "a stranger's own", "data": data });
    let theirs = server.post("/signup", body).await.ok();
    server.post("/recover", json!({ "email": OWNER })).await.ok();
    let pending = server.latest_mail().await;

    let ensured = ensure(&server.app.store, &request(PASSWORD)).await.unwrap();
    assert_eq!(ensured, Ensured::Superseded(ensured.id()));
    let refused = server.sign_in(OWNER, "a stranger's own").await;
    refused.assert_error(400, "invalid_credentials");
    server.user(&theirs.text("/access_token")).await.assert_error(403, "user_not_found");
    let refresh = server.refresh(&theirs.text("/refresh_token")).await;
    refresh.assert_error(400, "refresh_token_not_found");
    server.verify("recovery", OWNER, &pending.code).await.assert_error(403, "otp_expired");
    // Other services still accept the former account's access token, so its id must not be the one
    // that gets the role.
    assert_ne!(theirs.text("/user/id"), ensured.id().to_string());
    let session = server.sign_in(OWNER, PASSWORD).await.ok();
    assert_eq!(session.text("/user/id"), ensured.id().to_string());
    assert_eq!(session.body["user"]["user_metadata"], json!({ "firstName": "Meera" }));
    // Retention deletes accounts with an unconfirmed address.
    assert!(!session.text("/user/email_confirmed_at").is_empty());
}

#[tokio::test]
async fn an_account_that_is_to_be_kept_stays_as_it_is() {
    let server = TestServer::with_confirmation().await;
    let first = ensure(&server.app.store, &kept(PASSWORD)).await.unwrap();
    assert_eq!(first, Ensured::Created(first.id()));
    let session = server.sign_in(OWNER, PASSWORD).await.ok();
    server.post("/recover", json!({ "email": OWNER })).await.ok();
    let pending = server.latest_mail().await;
    // The password is ignored then, even an invalid one.
    let second = ensure(&server.app.store, &kept("short")).await.unwrap();
    assert_eq!(second, Ensured::Kept(first.id()));
    server.sign_in(OWNER, PASSWORD).await.ok();
    server.sign_in(OWNER, "short").await.assert_error(400, "invalid_credentials");
    let token = session.text("/access_token");
    server.call(Method::GET, "/user", &token, json!({})).await.ok();
    server.refresh(&session.text("/refresh_token")).await.ok();
    server.verify("recovery", OWNER, &pending.code).await.ok();
}

#[tokio::test]
async fn an_unconfirmed_account_is_replaced() {
    let server = TestServer::with_confirmation().await;
    server.sign_up(OWNER).await.ok();
    let ensured = ensure(&server.app.store, &kept("another quiet garden")).await.unwrap();
    assert_eq!(ensured, Ensured::Created(ensured.id()));
    let session = server.sign_in(OWNER, "another quiet garden").await.ok();
    assert_eq!(session.text("/user/id"), ensured.id().to_string());
    server.sign_in(OWNER, PASSWORD).await.assert_error(400, "invalid_credentials");
}

#[tokio::test]
async fn many_at_once_agree_on_one_account() {
    let server = TestServer::with_confirmation().await;
    let wanted = kept(PASSWORD);
    let all = (0..4).map(|_| ensure(&server.app.store, &wanted));
    let all: Vec<_> = futures::future::join_all(all).await;
    let ids: Vec<_> = all.into_iter().filter_map(Result::ok).map(Ensured::id).collect();
    let id = ids.first().unwrap();
    assert!(ids.iter().all(|other| other == id));
    assert_eq!(ensure(&server.app.store, &wanted).await.unwrap(), Ensured::Kept(*id));
}

#[tokio::test]
async fn a_password_that_people_guess_is_refused() {
    let server = TestServer::with_confirmation().await;
    for (password, sentence) in [
        ("short", "ACCOUNT_PASSWORD must have 10 to 256 characters"),
        ("Password123", "ACCOUNT_PASSWORD is easy to guess; choose a different one"),
        ("meera@example.test", "ACCOUNT_PASSWORD is easy to guess; choose a different one"),
    ] {
        let refused: AccountError =
            ensure(&server.app.store, &request(password)).await.unwrap_err();
        assert_eq!(BoxError::from(refused).to_string(), sentence);
    }
}

/// The program's standard output and standard error.
fn printed_text(output: std::process::Output) -> (String, String) {
    assert!(output.status.success());
    let printed = String::from_utf8(output.stdout).unwrap();
    (printed, String::from_utf8(output.stderr).unwrap())
}

/// The printed id, and standard error.
fn printed(output: std::process::Output) -> (String, String) {
    let (printed, said) = printed_text(output);
    (printed.strip_suffix('\n').unwrap().to_owned(), said)
}

#[tokio::test]
async fn the_program_prints_the_id_and_nothing_else() {
    let server = TestServer::with_confirmation().await;
    for _ in ["made", "kept"] {
        let (id, said) = printed(run(&server, PASSWORD, &[("ACCOUNT_KEEP_EXISTING", "true")]));
        let session = server.sign_in(OWNER, PASSWORD).await.ok();
        assert_eq!((id, said), (session.text("/user/id"), String::new()));
    }
}

#[tokio::test]
async fn the_program_says_when_the_account_is_another_one_than_before() {
    let server = TestServer::with_confirmation().await;
    let (former, said) = printed(run(&server, PASSWORD, &[]));
    assert_eq!(said, "");
    let (id, said) = printed(run(&server, "another quiet garden", &[]));
    assert_ne!(id, former);
    for words in ["had an account already", "booking grant", "ACCOUNT_KEEP_EXISTING=true"] {
        assert!(said.contains(words), "{said}");
    }
    let session = server.sign_in(OWNER, "another quiet garden").await.ok();
    assert_eq!(session.text("/user/id"), id);
    server.sign_in(OWNER, PASSWORD).await.assert_error(400, "invalid_credentials");
}

#[tokio::test]
async fn an_account_can_be_looked_for_without_being_changed() {
    let server = TestServer::with_confirmation().await;
    let find = || printed_text(command(&server, "find-account", "short", &[]));
    assert_eq!(find(), (String::new(), String::new()));
    let signed_up = server.sign_up(OWNER).await.ok();
    assert_eq!(find(), (String::new(), String::new()), "it waits for its code");
    let mail = server.latest_mail().await;
    let session = server.verify_own(&signed_up, &mail.code).await.ok();
    assert_eq!(find(), (format!("{}\n", session.text("/user/id")), String::new()));
    server.user(&session.text("/access_token")).await.ok();
    server.sign_in(OWNER, PASSWORD).await.ok();
}

/// Runs `enroll-factor` with this secret; what it prints.
fn enroll(server: &TestServer, password: &str, secret: &str) -> (String, String) {
    let code_key = "a secret of these tests";
    let more = [("ACCOUNT_TOTP_SECRET", secret), ("IDENTITY_CODE_KEY", code_key)];
    printed_text(command(server, "enroll-factor", password, &more))
}

#[tokio::test]
async fn an_operator_enrolls_an_app_for_an_account_of_its_own_and_for_no_other() {
    const SECRET: &str = "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ";
    let server = TestServer::with_confirmation().await;
    let told = |word: &str| (format!("{word}\n"), String::new());
    ensure(&server.app.store, &request(PASSWORD)).await.unwrap();
    assert_eq!(enroll(&server, "another quiet garden", SECRET), told("other-password"));
    assert_eq!(enroll(&server, PASSWORD, SECRET), told("enrolled"));
    assert!(notices(&server).await.is_empty(), "its person has not been there yet");
    let token = server.sign_in(OWNER, PASSWORD).await.ok().text("/access_token");
    let factor_id = server.user(&token).await.ok().text("/factors/0/id");
    let app = App::known(&factor_id, SECRET);
    let raised = app.raise(&server, &token, 0).await.ok();
    assert_eq!(raised.text("/user/factors/0/status"), "verified");
    // An account that has a second step keeps it.
    let other = "JBSWY3DPEHPK3PXPJBSWY3DPEHPK3PXP";
    assert_eq!(enroll(&server, PASSWORD, other), told("has-factor"));
    let rows = "select action, outcome from audit_log where actor = 'operator'";
    let rows: Vec<(String, String)> =
        sqlx::query_as(rows).fetch_all(server.app.store.pool()).await.unwrap();
    assert_eq!(rows, [("EnrollFactor".to_owned(), "done".to_owned())]);
}

#[tokio::test]
async fn a_person_who_was_there_is_told_that_the_operator_enrolled_an_app() {
    let server = TestServer::with_confirmation().await;
    ensure(&server.app.store, &request(PASSWORD)).await.unwrap();
    server.sign_in(OWNER, PASSWORD).await.ok();
    enroll(&server, PASSWORD, "GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ");
    assert_eq!(notices(&server).await.last().unwrap(), "factor_added");
}

#[tokio::test]
async fn the_program_says_why_it_made_none() {
    let server = TestServer::with_confirmation().await;
    let refused = run(&server, "demo-garden-path", &[]);
    assert_eq!(refused.status.code(), Some(2), "production takes no demonstration secret");
    assert!(!String::from_utf8(refused.stderr).unwrap().contains("demo-"));
    let refused = run(&server, "short", &[]);
    assert_eq!(refused.status.code(), Some(1));
    let said = String::from_utf8(refused.stdout).unwrap();
    assert!(said.contains("ACCOUNT_PASSWORD must have 10 to 256 characters"), "{said}");
}
