//! What a session with one factor may not do to an account that has two: change it, end the
//! stronger sessions, or keep its owner waiting.

use reqwest::Method;
use reqwest::header::AUTHORIZATION;
use serde_json::json;

use crate::factors::{ASHA, App, begin_step};
use crate::passkeys;
use crate::test_server::{Answer, PASSWORD, TestServer};

/// An account whose only second factor is a passkey: a session by it, and one by the password.
async fn with_passkey(server: &TestServer) -> (Answer, String) {
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let (mut passkey, _) = passkeys::add(server, &token).await;
    let strong = passkeys::sign_in(server, &mut passkey).await.ok();
    let weak = server.sign_in(ASHA, PASSWORD).await.ok().text("/access_token");
    (strong, weak)
}

#[tokio::test]
async fn a_passkey_protects_the_account_as_an_app_does() {
    let server = TestServer::with_confirmation().await;
    let (strong, weak) = with_passkey(&server).await;
    let password = json!({ "password": "a louder garden", "current_password": PASSWORD });
    for change in [password.clone(), json!({ "email": "new@example.test" })] {
        let refused = server.call(Method::PUT, "/user", &weak, change).await;
        refused.assert_error(401, "insufficient_aal");
    }
    server.call(Method::PUT, "/user", &strong.text("/access_token"), password).await.ok();
}

#[tokio::test]
async fn a_session_with_one_factor_ends_none_with_two() {
    let server = TestServer::with_confirmation().await;
    let (strong, weak) = with_passkey(&server).await;
    let token = strong.text("/access_token");
    let listed = server.call(Method::GET, "/sessions", &token, json!({})).await.ok();
    let sessions = listed.body["sessions"].as_array().unwrap();
    let own = sessions.iter().find(|it| it["current"] == true).unwrap()["id"].as_str().unwrap();
    let path = format!("/sessions/{own}");
    let refused = server.call(Method::DELETE, &path, &weak, json!({})).await;
    refused.assert_error(403, "insufficient_aal");
    for scope in ["others", "global"] {
        let path = format!("/logout?scope={scope}");
        let ended = server.call(Method::POST, &path, &weak, json!({})).await;
        assert_eq!(ended.status, 204, "{scope}");
        server.user(&token).await.ok();
    }
    server.user(&weak).await.assert_error(403, "session_not_found");
    let weak = server.sign_in(ASHA, PASSWORD).await.ok().text("/access_token");
    server.call(Method::POST, "/logout?scope=others", &token, json!({})).await;
    server.user(&weak).await.assert_error(403, "session_not_found");
}

/// A challenge and its answer from a network.
async fn answer(
    server: &TestServer,
    (network, token): (&str, &str),
    app: &App,
    code: &str,
) -> Answer {
    let call = async |path: String, body: serde_json::Value| {
        let request = server.request(Method::POST, &path).header("x-forwarded-for", network);
        server.send(request.header(AUTHORIZATION, format!("Bearer {token}")).json(&body)).await
    };
    let asked = call(format!("/factors/{}/challenge", app.factor_id), json!({})).await.ok();
    let body = json!({ "challenge_id": asked.text("/id"), "code": code });
    call(format!("/factors/{}/verify", app.factor_id), body).await
}

#[tokio::test]
async fn a_thief_with_the_password_does_not_keep_the_owner_waiting() {
    let server = TestServer::with_confirmation().await;
    begin_step(&server).await;
    // Waits of a second don't end while a busy machine answers the next request.
    server.database.stop_clock().await.unwrap();
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let app = App::enroll(&server, &token, "").await;
    let home = "203.0.113.7";
    let right = app.code(&server, 0).await;
    answer(&server, (home, &token), &app, &right).await.ok();
    let thief = server.sign_in(ASHA, PASSWORD).await.ok().text("/access_token");
    let owner = server.sign_in(ASHA, PASSWORD).await.ok().text("/access_token");
    // From many networks, so that the counter of all of them waits, too.
    for network in 0..12 {
        let network = format!("198.51.{network}.7");
        for _ in 0..6 {
            answer(&server, (&network, &thief), &app, "abcdef").await;
        }
    }
    let elsewhere = answer(&server, ("192.0.2.7", &thief), &app, "abcdef").await;
    elsewhere.assert_error(429, "over_request_rate_limit");
    let next = app.code(&server, 1).await;
    answer(&server, (home, &owner), &app, &next).await.ok();
}
