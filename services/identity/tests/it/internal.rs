//! The calls of notifications, which no other service may make.

use serde_json::json;
use tonic::Code;

use crate::test_server::TestServer;

const ASHA: &str = "asha@example.test";

#[tokio::test]
async fn only_notifications_learns_a_code() {
    let server = TestServer::with_confirmation().await;
    server.sign_up(ASHA).await.ok();
    let event = server.latest_event().await;
    let code_id = event["codeId"].as_str().unwrap();
    server.code_mail("notifications", code_id).await.unwrap();
    let refused = server.code_mail("booking", code_id).await.unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied);
}

#[tokio::test]
async fn a_code_that_is_no_longer_good_is_not_found() {
    let server = TestServer::with_confirmation().await;
    server.sign_up(ASHA).await.ok();
    let event = server.latest_event().await;
    let code_id = event["codeId"].as_str().unwrap().to_owned();
    let mail = server.code_mail("notifications", &code_id).await.unwrap();
    server.verify("signup", ASHA, &mail.code).await.ok();
    let used = server.code_mail("notifications", &code_id).await.unwrap_err();
    assert_eq!(used.code(), Code::NotFound);
    assert_eq!(runtime::status::detail_of(&used).unwrap().reason, "CODE_NOT_FOUND");

    server.post("/recover", json!({ "email": ASHA })).await.ok();
    let event = server.latest_event().await;
    server.move_clock(601).await;
    let late = server.code_mail("notifications", event["codeId"].as_str().unwrap()).await;
    assert_eq!(late.unwrap_err().code(), Code::NotFound);
    let malformed = server.code_mail("notifications", "123456").await.unwrap_err();
    assert_eq!(malformed.code(), Code::InvalidArgument);
}

#[tokio::test]
async fn events_carry_ids_only() {
    let server = TestServer::with_confirmation().await;
    server.sign_up(ASHA).await.ok();
    let mail = server.latest_mail().await;
    let rows: Vec<String> = sqlx::query_scalar("select e::text from events e")
        .fetch_all(server.app.store.pool())
        .await
        .unwrap();
    assert_eq!(rows.len(), 1);
    for secret in [ASHA, "Asha", "98765", &mail.code, &mail.link] {
        assert!(!rows[0].contains(secret), "{secret} is in an event");
    }
    let event = server.latest_event().await;
    assert!(event["codeId"].as_str().unwrap().starts_with("cod_"));
    assert!(event["userId"].as_str().unwrap().starts_with("usr_"));
    assert_eq!(event["purpose"], "signup");
    let waiting: i64 = sqlx::query_scalar("select count(*) from outbox")
        .fetch_one(server.app.store.pool())
        .await
        .unwrap();
    assert_eq!(waiting, 1, "the relay has something to publish");
}

#[tokio::test]
async fn the_code_is_in_no_row() {
    let server = TestServer::with_confirmation().await;
    server.sign_up(ASHA).await.ok();
    let mail = server.latest_mail().await;
    let row: String = sqlx::query_scalar("select to_jsonb(c)::text from codes c")
        .fetch_one(server.app.store.pool())
        .await
        .unwrap();
    // The digits may occur within a timestamp by chance, but not as a value of their own.
    assert!(!row.contains(&format!("\"{}\"", mail.code)));
}

#[tokio::test]
async fn all_own_tables_are_marked_as_personal() {
    let server = TestServer::with_confirmation().await;
    let personal: Vec<String> = sqlx::query_scalar(
        "select relname::text from pg_class
         where relkind = 'r' and obj_description(oid, 'pg_class') = 'personal' order by 1",
    )
    .fetch_all(server.app.store.pool())
    .await
    .unwrap();
    assert_eq!(
        personal,
        [
            "account_notices",
            "address_limits",
            "audit_entries",
            "challenges",
            "codes",
            "ended_sessions",
            "factor_limits",
            "factors",
            "flow_states",
            "identities",
            "passkeys",
            "phone_messages",
            "provider_flows",
            "recovery_codes",
            "refresh_tokens",
            "sessions",
            "users"
        ]
    );
}
