//! Other services refuse the access tokens of sessions that ended, before these run out.

use std::collections::HashSet;

use contract::identity::v1::ListEndedSessionsRequest;
use contract::identity::v1::identity_internal_service_client::IdentityInternalServiceClient;
use reqwest::Method;
use runtime::caller::{UserError, UserSettings, Users};
use runtime::{Shutdown, channel, ended_sessions};
use serde_json::json;
use tonic::{Code, Status};

use crate::test_server::{Answer, PASSWORD, TestServer, claims};

const ASHA: &str = "asha@example.test";

async fn listed(server: &TestServer, caller: &'static str) -> Result<HashSet<String>, Status> {
    let peers = server.keys.peers(caller).unwrap();
    let channel = channel::peer(&server.grpc_url, "identity", &peers).unwrap();
    let mut identity = IdentityInternalServiceClient::new(channel);
    let answer = identity.list_ended_sessions(ListEndedSessionsRequest {}).await?;
    Ok(answer.into_inner().session_ids.into_iter().collect())
}

async fn ended(server: &TestServer) -> HashSet<String> {
    listed(server, "booking").await.unwrap()
}

fn id(session: &Answer) -> String {
    claims(&session.text("/access_token"))["session_id"].as_str().unwrap().to_owned()
}

fn ids(sessions: &[&Answer]) -> HashSet<String> {
    sessions.iter().map(|session| id(session)).collect()
}

#[tokio::test]
async fn every_way_of_ending_a_session_is_listed() {
    let server = TestServer::without_confirmation().await;
    let here = server.confirmed_account(ASHA).await;
    let [left, other, reused] = [
        server.sign_in(ASHA, PASSWORD).await.ok(),
        server.sign_in(ASHA, PASSWORD).await.ok(),
        server.sign_in(ASHA, PASSWORD).await.ok(),
    ];
    let elsewhere = server.confirmed_account("ravi@example.test").await;
    assert_eq!(ended(&server).await, HashSet::new());

    let token = left.text("/access_token");
    assert_eq!(
        server.call(Method::POST, "/logout?scope=local", &token, json!({})).await.status,
        204
    );
    assert_eq!(ended(&server).await, ids(&[&left]));

    let next = server.refresh(&reused.text("/refresh_token")).await.ok();
    server.refresh(&next.text("/refresh_token")).await.ok();
    let again = server.refresh(&reused.text("/refresh_token")).await;
    again.assert_error(400, "refresh_token_already_used");
    assert_eq!(ended(&server).await, ids(&[&left, &reused]));

    let change = json!({ "password": "quite another river", "current_password": PASSWORD });
    server.call(Method::PUT, "/user", &here.text("/access_token"), change).await.ok();
    assert_eq!(ended(&server).await, ids(&[&left, &reused, &other]));

    server.database.as_owner("delete from users where email = 'ravi@example.test'").await.unwrap();
    let all = ids(&[&left, &reused, &other, &elsewhere]);
    assert_eq!(ended(&server).await, all, "with its account");

    server.move_clock(3600).await;
    assert_eq!(ended(&server).await, all);
    server.move_clock(3670).await;
    assert_eq!(ended(&server).await, HashSet::new(), "their access tokens have run out");
    server
        .user(&server.refresh(&here.text("/refresh_token")).await.ok().text("/access_token"))
        .await
        .ok();
}

#[tokio::test]
async fn a_ban_is_listed_until_it_is_over() {
    let server = TestServer::without_confirmation().await;
    let session = server.confirmed_account(ASHA).await;
    let ban = |until: &str| format!("update users set banned_until_at = {until}");
    server.database.as_owner(&ban("clock_now() + interval '1 hour'")).await.unwrap();
    assert_eq!(ended(&server).await, ids(&[&session]));
    server.database.as_owner(&ban("null")).await.unwrap();
    assert_eq!(ended(&server).await, HashSet::new());
    server.refresh(&session.text("/refresh_token")).await.ok();
}

#[tokio::test]
async fn only_services_that_accept_access_tokens_may_ask() {
    let server = TestServer::without_confirmation().await;
    assert!(listed(&server, "notifications").await.is_ok());
    for other in ["signing", "identity"] {
        let refused = listed(&server, other).await.unwrap_err();
        assert_eq!(refused.code(), Code::PermissionDenied, "{other}");
    }
}

#[tokio::test]
async fn a_service_refuses_the_token_of_an_ended_session() {
    let server = TestServer::without_confirmation().await;
    let stays = server.confirmed_account(ASHA).await.text("/access_token");
    let ends = server.sign_in(ASHA, PASSWORD).await.ok().text("/access_token");
    let settings = UserSettings {
        jwks_url: format!("{}/.well-known/jwks.json", server.url),
        issuer: "https://sukoon.example/auth/v1".to_owned(),
        identity_url: Some(server.grpc_url.clone()),
    };
    let users = Users::new(&settings).unwrap();
    users.verify_token(&ends).await.unwrap();
    server.call(Method::POST, "/logout?scope=local", &ends, json!({})).await;
    let stop = Shutdown::new();
    let peers = server.keys.peers("booking").unwrap();
    tokio::spawn(ended_sessions::follow(users.clone(), peers, stop.clone()));
    let refused = testkit::wait::until("the token is refused", async || {
        Ok(users.verify_token(&ends).await.err())
    });
    assert_eq!(refused.await.unwrap(), UserError::Invalid);
    users.verify_token(&stays).await.unwrap();

    // Without an answer, what was known goes on to hold.
    server.shutdown.trigger();
    assert_eq!(users.verify_token(&ends).await, Err(UserError::Invalid));
    users.verify_token(&stays).await.unwrap();
    stop.trigger();
}
