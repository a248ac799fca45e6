//! Flows with PKCE: links lead on with a code that only the client with the verifier can exchange.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use identity::app::policy::{Clients, Policy};
use reqwest::Method;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

use crate::test_server::{Answer, PASSWORD, Page, TestServer, claims};

const ASHA: &str = "asha@example.test";
const VERIFIER: &str = "a-verifier-of-these-tests-that-is-long-enough-1";
const BACK: &str = "https://sukoon.example/callback?next=1";

fn challenge() -> String {
    URL_SAFE_NO_PAD.encode(Sha256::digest(VERIFIER))
}

/// The body with the challenge of a client.
fn with_challenge(mut body: Value) -> Value {
    body["code_challenge"] = json!(challenge());
    body["code_challenge_method"] = json!("s256");
    body
}

async fn ask(server: &TestServer, path: &str, body: Value) -> Answer {
    let path = format!("{path}?redirect_to={}", BACK.replace('?', "%3F"));
    server.post(&path, with_challenge(body)).await.ok()
}

/// Posts the form of our page, and returns where it leads.
async fn press(server: &TestServer, link: &str) -> Answer {
    let page = Page::of(link);
    let (kind, token_hash) = (page.field("type"), page.field("token_hash"));
    assert!(token_hash.starts_with("pkce_"), "{token_hash}");
    let body = json!({ "type": kind, "token_hash": token_hash, "answer": "redirect" });
    server.post("/verify", body).await
}

/// The code that the place has in its query.
fn code_of(answer: &Answer) -> String {
    let place = url::Url::parse(&answer.text("/redirect_to")).unwrap();
    assert_eq!(place.fragment(), None);
    let found = place.query_pairs().find(|(name, _)| name == "code");
    assert!(place.as_str().starts_with("https://sukoon.example/callback?next=1&code="));
    found.unwrap().1.into_owned()
}

async fn exchange(server: &TestServer, code: &str, verifier: &str) -> Answer {
    let body = json!({ "auth_code": code, "code_verifier": verifier });
    server.post("/token?grant_type=pkce", body).await
}

#[tokio::test]
async fn a_sign_up_goes_on_in_the_client_that_began_it_and_keeps_its_password() {
    let server = TestServer::with_confirmation().await;
    ask(&server, "/signup", json!({ "email": ASHA, "password": PASSWORD })).await;
    let link = server.latest_mail().await.link;
    let code = code_of(&press(&server, &link).await.ok());
    // Until the exchange the password can't be used: a stranger may have chosen it.
    server.sign_in(ASHA, PASSWORD).await.assert_error(400, "invalid_credentials");
    let session = exchange(&server, &code, VERIFIER).await.ok();
    assert_eq!(claims(&session.text("/access_token"))["amr"][0]["method"], "email/signup");
    assert!(!session.text("/user/email_confirmed_at").is_empty());
    server.sign_in(ASHA, PASSWORD).await.ok();
    exchange(&server, &code, VERIFIER).await.assert_error(404, "flow_state_not_found");
    press(&server, &link).await.assert_error(403, "otp_expired");
}

#[tokio::test]
async fn a_stranger_who_signed_up_first_gets_nothing_from_the_owners_click() {
    let server = TestServer::with_confirmation().await;
    ask(&server, "/signup", json!({ "email": ASHA, "password": "a stranger's own" })).await;
    let code = code_of(&press(&server, &server.latest_mail().await.link).await.ok());
    exchange(&server, &code, "another-verifier-of-the-owners-browser-here-1")
        .await
        .assert_error(400, "bad_code_verifier");
    server.move_clock(301).await;
    exchange(&server, &code, VERIFIER).await.assert_error(422, "flow_state_expired");
    let theirs = server.sign_in(ASHA, "a stranger's own").await;
    theirs.assert_error(400, "invalid_credentials");
}

#[tokio::test]
async fn recovery_and_magic_links_name_their_method() {
    let server = TestServer::with_confirmation().await;
    server.confirmed_account(ASHA).await;
    for (at, path, method) in [(61, "/recover", "recovery"), (122, "/otp", "magiclink")] {
        server.move_clock(at).await;
        ask(&server, path, json!({ "email": ASHA })).await;
        let code = code_of(&press(&server, &server.latest_mail().await.link).await.ok());
        let session = exchange(&server, &code, VERIFIER).await.ok();
        let token = session.text("/access_token");
        assert_eq!(claims(&token)["amr"][0]["method"], method);
        let new = json!({ "password": format!("a {method} garden") });
        let changed = server.call(reqwest::Method::PUT, "/user", &token, new).await;
        let expected = if method == "recovery" { 200 } else { 400 };
        assert_eq!(changed.status, expected, "{method} {}", changed.body);
    }
}

#[tokio::test]
async fn typed_digits_and_a_posted_hash_work_in_both_flows() {
    let server = TestServer::with_confirmation().await;
    server.confirmed_account(ASHA).await;
    ask(&server, "/otp", json!({ "email": ASHA })).await;
    let code = server.latest_mail().await.code;
    server.verify("email", ASHA, &code).await.ok();
    server.move_clock(61).await;
    ask(&server, "/otp", json!({ "email": ASHA })).await;
    let link = server.latest_mail().await.link;
    // A server that renders pages posts the hash itself, and is answered with a session.
    server.confirm_link(&link, "").await.ok();
}

#[tokio::test]
async fn a_code_is_worth_nothing_before_the_link_and_needs_its_verifier() {
    let server = TestServer::with_confirmation().await;
    ask(&server, "/signup", json!({ "email": ASHA, "password": PASSWORD })).await;
    let hidden: uuid::Uuid = sqlx::query_scalar("select auth_code from flow_states")
        .fetch_one(server.app.store.pool())
        .await
        .unwrap();
    let early = exchange(&server, &hidden.to_string(), VERIFIER).await;
    early.assert_error(404, "flow_state_not_found");
    for (code, verifier) in [("", VERIFIER), ("x", "")] {
        exchange(&server, code, verifier).await.assert_error(400, "validation_failed");
    }
    exchange(&server, "x", VERIFIER).await.assert_error(404, "flow_state_not_found");
    let code = code_of(&press(&server, &server.latest_mail().await.link).await.ok());
    let (one, other) =
        tokio::join!(exchange(&server, &code, VERIFIER), exchange(&server, &code, VERIFIER));
    let mut statuses = [one.status.as_u16(), other.status.as_u16()];
    statuses.sort_unstable();
    assert_eq!(statuses, [200, 404], "a code works once");
}

#[tokio::test]
async fn a_code_that_comes_twice_ends_the_session_of_its_first_use() {
    let server = TestServer::with_confirmation().await;
    server.confirmed_account(ASHA).await;
    let other = server.sign_in(ASHA, PASSWORD).await.ok().text("/access_token");
    server.move_clock(61).await;
    ask(&server, "/otp", json!({ "email": ASHA })).await;
    let code = code_of(&press(&server, &server.latest_mail().await.link).await.ok());
    let session = exchange(&server, &code, VERIFIER).await.ok();
    server.user(&session.text("/access_token")).await.ok();
    // Also a thief without the verifier, and after the code's five minutes.
    server.move_clock(61 + 301).await;
    let thief = exchange(&server, &code, "another-verifier-of-a-thief-who-saw-the-code").await;
    thief.assert_error(404, "flow_state_not_found");
    server.user(&session.text("/access_token")).await.assert_error(403, "session_not_found");
    let refreshed = server.refresh(&session.text("/refresh_token")).await;
    refreshed.assert_error(400, "refresh_token_not_found");
    server.user(&other).await.ok();
    let kept: (Option<String>, Option<String>) =
        sqlx::query_as("select password_hash, redirect_to from flow_states")
            .fetch_one(server.app.store.pool())
            .await
            .unwrap();
    assert_eq!(kept, (None, None));
    exchange(&server, &code, VERIFIER).await.assert_error(404, "flow_state_not_found");
}

#[tokio::test]
async fn challenges_are_checked_wherever_they_come() {
    let server = TestServer::with_confirmation().await;
    let long = "a".repeat(129);
    for path in ["/signup", "/recover", "/otp", "/magiclink"] {
        for (text, method) in [
            (Some(challenge()), None),
            (None, Some("s256")),
            (Some("short".to_owned()), Some("s256")),
            (Some(long.clone()), Some("s256")),
            (Some(format!("{}=", challenge())), Some("s256")),
            (Some(challenge()), Some("sha256")),
            (Some(challenge()), Some("plain")),
        ] {
            let body = json!({
                "email": ASHA, "password": PASSWORD,
                "code_challenge": text, "code_challenge_method": method,
            });
            server.post(path, body).await.assert_error(400, "validation_failed");
        }
    }
    assert_eq!(server.codes_requested().await, 0);
    let any = Policy { clients: Clients::Any, ..Policy::default() };
    let server = TestServer::with_policy(any).await;
    let body = json!({
        "email": ASHA, "code_challenge": VERIFIER, "code_challenge_method": "plain",
    });
    server.post("/otp", body).await.ok();
}

/// Another browser, and a mail scanner, may open the links: only the client that asked changes
/// the address, by its verifier.
#[tokio::test]
async fn the_links_of_a_change_are_confirmed_by_the_client_that_asked() {
    let server = TestServer::with_confirmation().await;
    let session = server.confirmed_account(ASHA).await;
    let token = session.text("/access_token");
    let path = format!("/user?redirect_to={}", BACK.replace('?', "%3F"));
    let body = with_challenge(json!({ "email": "new@example.test" }));
    server.call(Method::PUT, &path, &token, body).await.ok();
    let codes: Vec<String> = sqlx::query_scalar(
        "select payload ->> 'codeId' from events where payload ->> 'purpose' like 'email_change%'
         order by payload ->> 'purpose'",
    )
    .fetch_all(server.app.store.pool())
    .await
    .unwrap();
    let mut answers = Vec::new();
    for code_id in &codes {
        let link = server.code_mail("notifications", code_id).await.unwrap().link;
        let code = code_of(&press(&server, &link).await.ok());
        let stranger =
            exchange(&server, &code, "another-verifier-of-another-browser-12345678").await;
        stranger.assert_error(400, "bad_code_verifier");
        let user = server.user(&token).await.ok();
        assert_eq!(user.text("/email"), ASHA, "a pressed link alone changes nothing");
        answers.push(exchange(&server, &code, VERIFIER).await.ok());
    }
    let [half, changed] = <[Answer; 2]>::try_from(answers).unwrap();
    assert_eq!((half.text("/code"), half.text("/access_token")), ("200".into(), String::new()));
    assert!(half.text("/msg").starts_with("Confirmation link accepted."), "{}", half.body);
    assert_eq!(changed.text("/user/email"), "new@example.test");
}

/// Who has a session of another person's account asks for a change to an address of their own. Its
/// link gives them no session more, with which an authenticator could be added as after a mailed
/// code, and nothing at all once the owner has a new password.
#[tokio::test]
async fn half_a_change_opens_no_session() {
    for has_new_password in [false, true] {
        let server = TestServer::with_confirmation().await;
        let token = server.confirmed_account(ASHA).await.text("/access_token");
        let path = format!("/user?redirect_to={}", BACK.replace('?', "%3F"));
        let body = with_challenge(json!({ "email": "stranger@example.test" }));
        server.call(Method::PUT, &path, &token, body).await.ok();
        let mail = server.latest_mail_to("stranger@example.test").await.unwrap();
        let code = code_of(&press(&server, &mail.link).await.ok());
        if has_new_password {
            let new = json!({ "password": "a louder garden", "current_password": PASSWORD });
            server.call(Method::PUT, "/user", &token, new).await.ok();
        }
        let answer = exchange(&server, &code, VERIFIER).await;
        assert_eq!(answer.text("/access_token"), "", "{}", answer.body);
        if has_new_password {
            answer.assert_error(404, "flow_state_not_found");
        }
        let sessions: i64 = sqlx::query_scalar("select count(*) from sessions")
            .fetch_one(server.app.store.pool())
            .await
            .unwrap();
        assert_eq!(sessions, 1);
        assert_eq!(server.user(&token).await.ok().text("/email"), ASHA);
        exchange(&server, &code, VERIFIER).await.assert_error(404, "flow_state_not_found");
    }
}
