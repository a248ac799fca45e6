//! Accounts of the version before, and of one that still runs beside this one.

use serde_json::{Value, json};
use testkit::TestDatabase;

use std::borrow::Cow;

use sqlx::migrate::Migrator;

use crate::test_server::{PASSWORD, TestServer};

/// The first migration that the version before lacks.
const NEWER: i64 = 20_261_126_200_000;
/// What the version before writes for a sign-up.
const INSERT: &str = "
    insert into users (user_id, identity_id, email, password_hash, user_metadata,
                       email_confirmed_at, email_proved_at, created_at, updated_at)
    values ('00000000-0000-7000-8000-000000000001', '00000000-0000-7000-8000-000000000002',
            'asha@example.test', null, '{\"firstName\": \"Asha\"}', now(), now(), now(), now());";

#[tokio::test]
async fn accounts_of_the_version_before_have_an_identity() {
    let known = identity::MIGRATIONS.iter().filter(|migration| migration.version < NEWER);
    let earlier =
        Migrator { migrations: Cow::Owned(known.cloned().collect()), ..Migrator::DEFAULT };
    let db = TestDatabase::new(&earlier).await.unwrap();
    db.as_owner(INSERT).await.unwrap();
    db.migrate(&identity::MIGRATIONS).await.unwrap();
    let store = db.store().unwrap();
    let (provider, provider_id, data): (String, String, Value) =
        sqlx::query_as("select provider, provider_id, identity_data from identities")
            .fetch_one(store.pool())
            .await
            .unwrap();
    let id = "00000000-0000-7000-8000-000000000001";
    assert_eq!((provider.as_str(), provider_id.as_str()), ("email", id));
    let expected = json!({
        "sub": id, "email": "asha@example.test", "email_verified": true, "phone_verified": false,
        "firstName": "Asha",
    });
    assert_eq!(data, expected);
    let app_metadata: Value =
        sqlx::query_scalar("select app_metadata from users").fetch_one(store.pool()).await.unwrap();
    assert_eq!(app_metadata, json!({ "provider": "email", "providers": ["email"] }));
}

/// During an upgrade both versions serve.
#[tokio::test]
async fn an_account_of_a_process_of_the_version_before_works_as_any_other() {
    let server = TestServer::with_confirmation().await;
    server.database.as_owner(INSERT).await.unwrap();
    let asha = "asha@example.test";
    server.post("/recover", json!({ "email": asha })).await.ok();
    let code = server.latest_mail().await.code;
    let session = server.verify("recovery", asha, &code).await.ok();
    let identity = &session.body["user"]["identities"][0];
    assert_eq!(identity["identity_id"], "00000000-0000-7000-8000-000000000002");
    assert_eq!(identity["provider"], "email");
    let new = json!({ "password": PASSWORD });
    let token = session.text("/access_token");
    server.call(reqwest::Method::PUT, "/user", &token, new).await.ok();
    let rows: i64 = sqlx::query_scalar("select count(*) from identities")
        .fetch_one(server.app.store.pool())
        .await
        .unwrap();
    assert_eq!(rows, 1, "the row is written with the next change");
    server.sign_in(asha, PASSWORD).await.ok();
}
