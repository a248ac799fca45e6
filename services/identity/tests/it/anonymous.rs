//! Accounts without address and phone, and how they get one.

use identity::app::features::Features;
use identity::retention::delete_expired;
use reqwest::Method;
use serde_json::json;

use crate::test_server::{PASSWORD, TestServer, claims};

const ASHA: &str = "asha@example.test";

async fn server() -> TestServer {
    TestServer::with_features(Features { anonymous: true, ..Features::default() }).await
}

#[tokio::test]
async fn it_is_off_unless_the_practice_switches_it_on() {
    let off = TestServer::with_confirmation().await;
    let refused = off.post("/signup", json!({ "data": {} })).await;
    refused.assert_error(422, "anonymous_provider_disabled");
    assert_eq!(refused.text("/message"), "Anonymous sign-ins are disabled");
    assert_eq!(off.get("/settings").await.body["external"]["anonymous_users"], false);
    assert_eq!(server().await.get("/settings").await.body["external"]["anonymous_users"], true);
}

#[tokio::test]
async fn an_anonymous_session_says_what_it_is() {
    let server = server().await;
    let session = server.post("/signup", json!({ "data": { "theme": "dark" } })).await.ok();
    assert_eq!(session.body["user"]["is_anonymous"], true);
    assert_eq!(session.body["user"]["app_metadata"], json!({}));
    assert_eq!(session.body["user"]["identities"], json!([]));
    assert_eq!(session.text("/user/user_metadata/theme"), "dark");
    assert_eq!((session.text("/user/email"), session.text("/user/phone")), Default::default());
    let token = claims(&session.text("/access_token"));
    assert_eq!(
        (&token["is_anonymous"], &token["amr"][0]["method"]),
        (&json!(true), &json!("anonymous"))
    );
    assert_eq!(token["role"], "authenticated");
    server.user(&session.text("/access_token")).await.ok();
    server.refresh(&session.text("/refresh_token")).await.ok();
}

#[tokio::test]
async fn an_address_makes_it_an_account_like_others_with_the_same_id() {
    let server = server().await;
    let session = server.post("/signup", json!({})).await.ok();
    let token = session.text("/access_token");
    let password = json!({ "password": PASSWORD });
    let refused = server.call(Method::PUT, "/user", &token, password.clone()).await;
    refused.assert_error(422, "validation_failed");
    server.call(Method::PUT, "/user", &token, json!({ "email": ASHA })).await.ok();
    let waiting = server.user(&token).await.ok();
    assert_eq!(
        (waiting.text("/new_email"), &waiting.body["is_anonymous"]),
        (ASHA.to_owned(), &json!(true))
    );
    let code = server.latest_mail().await.code;
    let token = session.text("/access_token");
    let proved = server.verify_as(&token, ("email_change", ASHA, &code)).await.ok();
    assert_eq!(proved.text("/user/id"), session.text("/user/id"));
    assert_eq!(proved.body["user"]["is_anonymous"], false);
    assert_eq!(proved.body["user"]["app_metadata"]["providers"], json!(["email"]));
    assert_eq!(claims(&proved.text("/access_token"))["is_anonymous"], false);
    let token = proved.text("/access_token");
    server.call(Method::PUT, "/user", &token, password).await.ok();
    server.sign_in(ASHA, PASSWORD).await.ok();
}

#[tokio::test]
async fn an_address_of_another_account_stays_there() {
    let server = server().await;
    let owner = server.confirmed_account(ASHA).await;
    let session = server.post("/signup", json!({})).await.ok();
    let token = session.text("/access_token");
    server.move_clock(61).await;
    server.call(Method::PUT, "/user", &token, json!({ "email": ASHA })).await.ok();
    let code = server.latest_mail().await.code;
    let taken = server.verify_as(&token, ("email_change", ASHA, &code)).await;
    taken.assert_error(422, "email_exists");
    assert_eq!(server.sign_in(ASHA, PASSWORD).await.ok().text("/user/id"), owner.text("/user/id"));
}

#[tokio::test]
async fn without_sessions_it_is_deleted_after_a_day() {
    let server = server().await;
    let kept = server.post("/signup", json!({})).await.ok();
    let left = server.post("/signup", json!({})).await.ok();
    let token = left.text("/access_token");
    server.call(Method::POST, "/logout", &token, json!({})).await;
    delete_expired(&server.app.store).await.unwrap();
    assert_eq!(accounts(&server).await, 2);
    server.move_clock(25 * 3600).await;
    delete_expired(&server.app.store).await.unwrap();
    assert_eq!(accounts(&server).await, 1);
    server.refresh(&kept.text("/refresh_token")).await.ok();
    server.move_clock(60 * 24 * 3600).await;
    delete_expired(&server.app.store).await.unwrap();
    assert_eq!(accounts(&server).await, 0);
}

async fn accounts(server: &TestServer) -> i64 {
    let count = sqlx::query_scalar("select count(*) from users");
    count.fetch_one(server.app.store.pool()).await.unwrap()
}
