//! What a person is told by mail of a sign-in and of changes to the account.

use contract::identity::v1::{GetAccountNoticeRequest, GetAccountNoticeResponse};
use identity::repository::notices::NoticeKind;
use reqwest::Method;
use serde_json::json;

use crate::admin::service_key;
use crate::factors::App;
use crate::test_server::{Answer, PASSWORD, TestServer, other_than};
use crate::third_parties::ThirdParties;

const ASHA: &str = "asha@example.test";
const NEW: &str = "asha.rao@example.test";
const PHONE: &str = "+919876543210";
const OWN: &str = "198.51.100.7";

/// The kind and the address of each notice, the oldest first.
async fn told(server: &TestServer) -> Vec<(String, String)> {
    let ids: Vec<String> = sqlx::query_scalar(
        "select payload ->> 'noticeId' from events
         where event_type = 'identity.v1.AccountNoticeRequested' order by seq",
    )
    .fetch_all(server.app.store.pool())
    .await
    .unwrap();
    let mut found = Vec::new();
    for notice_id in ids {
        let notice: GetAccountNoticeResponse =
            server.account_notice(GetAccountNoticeRequest { notice_id }).await.unwrap();
        found.push((notice.kind, notice.email));
    }
    found
}

fn of(kind: &str, email: &str) -> (String, String) {
    (kind.to_owned(), email.to_owned())
}

async fn put(server: &TestServer, session: &Answer, body: serde_json::Value) -> Answer {
    server.call(Method::PUT, "/user", &session.text("/access_token"), body).await
}

#[tokio::test]
async fn a_sign_in_from_a_new_device_is_told_once_and_never_at_the_sign_up() {
    let server = TestServer::with_confirmation().await;
    let (own, other) = (server.visitor(OWN), server.visitor("203.0.113.9"));
    let body = json!({ "email": ASHA, "password": PASSWORD });
    let made = own.post("/signup", body).await.ok();
    let code = server.latest_mail().await.code;
    let shown = json!({
        "type": "signup", "email": ASHA, "token": code,
        "sign_up_secret": made.text("/sign_up_secret"),
    });
    own.post("/verify", shown).await.ok();
    own.sign_in(ASHA, PASSWORD).await.ok();
    assert!(told(&server).await.is_empty(), "this browser has signed up");
    other.sign_in(ASHA, "a wrong password").await.assert_error(400, "invalid_credentials");
    assert!(told(&server).await.is_empty(), "nothing was opened");
    other.sign_in(ASHA, PASSWORD).await.ok();
    other.sign_in(ASHA, PASSWORD).await.ok();
    assert_eq!(told(&server).await, [of("new_device", ASHA)]);
    // A client that keeps no tokens is told once a day.
    for _ in 0..2 {
        server.visitor("203.0.113.77").sign_in(ASHA, PASSWORD).await.ok();
    }
    assert_eq!(told(&server).await.len(), 1, "the same program in the same network");
    server.visitor("192.0.2.1").sign_in(ASHA, PASSWORD).await.ok();
    assert_eq!(told(&server).await.len(), 2);
    server.move_clock(24 * 3600 + 1).await;
    server.visitor("192.0.2.1").sign_in(ASHA, PASSWORD).await.ok();
    assert_eq!(told(&server).await.len(), 3);
}

#[tokio::test]
async fn a_new_password_is_told_and_a_refused_one_is_not() {
    let server = TestServer::with_confirmation().await;
    let session = server.confirmed_account(ASHA).await;
    let wrong = json!({ "password": "a second garden", "current_password": "not it" });
    put(&server, &session, wrong).await.assert_error(400, "invalid_credentials");
    assert!(told(&server).await.is_empty());
    let right = json!({ "password": "a second garden", "current_password": PASSWORD });
    put(&server, &session, right).await.ok();
    assert_eq!(told(&server).await, [of("password_changed", ASHA)]);
}

#[tokio::test]
async fn a_new_address_is_told_to_the_former_one_and_to_itself() {
    let server = TestServer::with_confirmation().await;
    let session = server.confirmed_account(ASHA).await;
    put(&server, &session, json!({ "email": NEW })).await.ok();
    let codes: Vec<String> = sqlx::query_scalar(
        "select payload ->> 'codeId' from events
         where event_type = 'identity.v1.CodeRequested' order by seq desc limit 2",
    )
    .fetch_all(server.app.store.pool())
    .await
    .unwrap();
    for code_id in &codes {
        assert!(told(&server).await.is_empty(), "one address alone changes nothing");
        let mail = server.code_mail("notifications", code_id).await.unwrap();
        let shown = ("email_change", &*mail.email, &*mail.code);
        server.verify_as(&session.text("/access_token"), shown).await.ok();
    }
    assert_eq!(told(&server).await, [of("email_changed", ASHA), of("email_added", NEW)]);
}

#[tokio::test]
async fn a_new_phone_is_told_to_the_accounts_address_once_its_code_was_redeemed() {
    let sender = ThirdParties::start().await;
    let server = TestServer::with_features(sender.sms()).await;
    let session = server.confirmed_account(ASHA).await;
    put(&server, &session, json!({ "phone": PHONE })).await.ok();
    let code = sender.digits(PHONE, 1).await;
    let verify = async |code: &str| {
        let body = json!({ "type": "phone_change", "phone": PHONE, "token": code });
        server.call(Method::POST, "/verify", &session.text("/access_token"), body).await
    };
    verify(&other_than(&code)).await.assert_error(403, "otp_expired");
    assert!(told(&server).await.is_empty(), "a wrong code changes nothing");
    verify(&code).await.ok();
    let told = told(&server).await;
    assert!(told.contains(&of("phone_changed", ASHA)), "{told:?}");
}

/// A stolen service key changes no account without a mail to its person.
#[tokio::test]
async fn what_an_administrator_changes_is_told_as_well() {
    let server = TestServer::with_confirmation().await;
    let session = server.confirmed_account(ASHA).await;
    let app = App::enroll(&server, &session.text("/access_token"), "").await;
    app.raise(&server, &session.text("/access_token"), 0).await.ok();
    let key = service_key(&server).await;
    let account = format!("/admin/users/{}", session.text("/user/id"));
    let factor = format!("{account}/factors/{}", app.factor_id);
    server.call(Method::DELETE, &factor, &key, json!({})).await.ok();
    for change in [
        json!({ "email": NEW }),
        json!({ "email_confirm": true }),
        json!({ "password": "a second garden" }),
        json!({ "phone": PHONE }),
    ] {
        server.call(Method::PUT, &account, &key, change).await.ok();
    }
    let expected = [
        of("factor_added", NEW),
        of("factor_removed", NEW),
        of("email_changed", ASHA),
        of("email_added", NEW),
        of("password_changed", NEW),
        of("phone_changed", NEW),
    ];
    assert_eq!(told(&server).await, expected);
}

#[tokio::test]
async fn every_kind_of_notice_can_be_stored() {
    let server = TestServer::with_confirmation().await;
    let id = server.confirmed_account(ASHA).await.text("/user/id");
    for kind in NoticeKind::ALL {
        sqlx::query(
            "insert into account_notices (notice_id, user_id, kind, created_at, expires_at)
             values (gen_random_uuid(), $1, $2, clock_now(), clock_now())",
        )
        .bind(id.parse::<uuid::Uuid>().unwrap())
        .bind(kind.word())
        .execute(server.app.store.pool())
        .await
        .unwrap();
    }
}
