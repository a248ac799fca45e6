//! Where an account is signed in, and what notifications is told about changes.

use contract::identity::v1::identity_internal_service_client::IdentityInternalServiceClient;
use contract::identity::v1::{GetAccountNoticeRequest, GetAccountNoticeResponse};
use identity::retention::delete_expired;
use reqwest::Method;
use runtime::channel;
use serde_json::json;
use tonic::{Code, Status};

use crate::factors::{ASHA, App};
use crate::test_server::{Answer, PASSWORD, TestServer};

const FIREFOX: &str = "Mozilla/5.0 (X11; Linux x86_64; rv:143.0) Gecko/20100101 Firefox/143.0";

async fn sign_in_on(server: &TestServer, user_agent: &str, network: &str) -> Answer {
    let request = server
        .request(Method::POST, "/token?grant_type=password")
        .header("user-agent", user_agent)
        .header("x-forwarded-for", network)
        .json(&json!({ "email": ASHA, "password": PASSWORD }));
    server.send(request).await.ok()
}

#[tokio::test]
async fn sessions_are_listed_and_ended_one_by_one() {
    let server = TestServer::without_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let other = sign_in_on(&server, FIREFOX, "203.0.113.77").await;
    server.move_clock(60).await;
    server.refresh(&other.text("/refresh_token")).await.ok();
    let listed = server.call(Method::GET, "/sessions", &token, json!({})).await.ok();
    let sessions = listed.body["sessions"].as_array().unwrap();
    assert_eq!(sessions.len(), 2);
    let theirs = &sessions[0];
    assert_eq!(
        (&theirs["device"], &theirs["network"]),
        (&json!("Firefox on Linux"), &json!("203.0.113.x"))
    );
    assert_eq!((&theirs["current"], &sessions[1]["current"]), (&json!(false), &json!(true)));
    assert_ne!(theirs["created_at"], theirs["last_used_at"]);
    assert!(!listed.body.to_string().contains("203.0.113.77"));
    let ravi = server.confirmed_account("ravi@example.test").await.text("/access_token");
    let path = format!("/sessions/{}", theirs["id"].as_str().unwrap());
    let stranger = server.call(Method::DELETE, &path, &ravi, json!({})).await;
    stranger.assert_error(404, "session_not_found");
    let ended = server.call(Method::DELETE, &path, &token, json!({})).await;
    assert_eq!(ended.status, 204);
    let gone = server.user(&other.text("/access_token")).await;
    gone.assert_error(403, "session_not_found");
    let again = server.call(Method::DELETE, &path, &token, json!({})).await;
    again.assert_error(404, "session_not_found");
    server
        .call(Method::DELETE, "/sessions/x", &token, json!({}))
        .await
        .assert_error(404, "session_not_found");
}

async fn notice(
    server: &TestServer,
    caller: &'static str,
    notice_id: &str,
) -> Result<GetAccountNoticeResponse, Status> {
    let peers = server.keys.peers(caller).unwrap();
    let channel = channel::peer(&server.grpc_url, "identity", &peers).unwrap();
    let request = GetAccountNoticeRequest { notice_id: notice_id.to_owned() };
    let answer = IdentityInternalServiceClient::new(channel).get_account_notice(request).await?;
    Ok(answer.into_inner())
}

#[tokio::test]
async fn notifications_is_told_what_has_changed() {
    let server = TestServer::with_confirmation().await;
    server.confirmed_account(ASHA).await;
    let token = sign_in_on(&server, FIREFOX, "203.0.113.77").await.text("/access_token");
    server.note_code(&token).await;
    App::enroll(&server, &token, "claim at https://bait.example")
        .await
        .raise(&server, &token, 0)
        .await
        .ok();
    let event = server.latest_event().await;
    let id = event["noticeId"].as_str().unwrap();
    assert_eq!(event, json!({ "noticeId": id, "kind": "factor_added" }), "nothing personal");
    let told = notice(&server, "notifications", id).await.unwrap();
    assert_eq!((told.email.as_str(), told.first_name.as_str()), (ASHA, "Asha"));
    assert_eq!((told.kind.as_str(), told.subject.as_str()), ("factor_added", "authenticator app"));
    assert!(told.occurred_at.is_some());
    let refused = notice(&server, "booking", id).await.unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied);
    let malformed = notice(&server, "notifications", "cod_1").await.unwrap_err();
    assert_eq!(malformed.code(), Code::InvalidArgument);
    server.move_clock(8 * 24 * 3600).await;
    let old = notice(&server, "notifications", id).await.unwrap_err();
    assert_eq!(old.code(), Code::NotFound);
}

#[tokio::test]
async fn an_address_that_is_not_proved_is_told_nothing() {
    let server = TestServer::without_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    App::enroll(&server, &token, "").await.raise(&server, &token, 0).await.ok();
    let event = server.latest_event().await;
    let id = event["noticeId"].as_str().unwrap();
    let refused = notice(&server, "notifications", id).await.unwrap_err();
    assert_eq!(refused.code(), Code::NotFound);
}

#[tokio::test]
async fn challenges_notices_and_given_up_enrolments_are_deleted() {
    let server = TestServer::without_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    App::enroll(&server, &token, "used").await.raise(&server, &token, 0).await.ok();
    server.post("/passkeys/authentication/options", json!({})).await.ok();
    let rows = async |table: &str| -> i64 {
        let sql = format!("select count(*) from {table}");
        let rows = sqlx::query_scalar(sqlx::AssertSqlSafe(sql));
        rows.fetch_one(server.app.store.pool()).await.unwrap()
    };
    delete_expired(&server.app.store).await.unwrap();
    assert_eq!((rows("challenges").await, rows("account_notices").await), (2, 1));
    server.move_clock(301).await;
    delete_expired(&server.app.store).await.unwrap();
    assert_eq!((rows("challenges").await, rows("factors").await), (0, 1));
    server.move_clock(8 * 24 * 3600).await;
    delete_expired(&server.app.store).await.unwrap();
    assert_eq!(rows("account_notices").await, 0);
}
