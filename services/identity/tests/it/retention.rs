//! Expired rows are deleted.

use identity::retention::delete_expired;

use crate::test_server::{PASSWORD, TestServer};

async fn rows(server: &TestServer, table: &str) -> i64 {
    let sql = format!("select count(*) from {table}");
    sqlx::query_scalar(sqlx::AssertSqlSafe(sql)).fetch_one(server.app.store.pool()).await.unwrap()
}

#[tokio::test]
async fn expired_rows_are_deleted_and_live_rows_stay() {
    let server = TestServer::with_confirmation().await;
    server.confirmed_account("asha@example.test").await;
    server.sign_up("ravi@example.test").await.ok();
    server.sign_in("asha@example.test", "a wrong password").await;
    delete_expired(&server.app.store).await.unwrap();
    for (table, count) in [("users", 2), ("sessions", 1), ("codes", 1), ("address_limits", 3)] {
        assert_eq!(rows(&server, table).await, count, "{table}");
    }
    server.move_clock(25 * 3600).await;
    delete_expired(&server.app.store).await.unwrap();
    for (table, count) in [("users", 1), ("sessions", 1), ("codes", 0), ("address_limits", 0)] {
        assert_eq!(rows(&server, table).await, count, "{table}");
    }
    server.move_clock(31 * 24 * 3600).await;
    delete_expired(&server.app.store).await.unwrap();
    assert_eq!((rows(&server, "sessions").await, rows(&server, "refresh_tokens").await), (0, 0));
    server.sign_in("asha@example.test", PASSWORD).await.ok();
}
