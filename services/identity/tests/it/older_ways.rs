//! What an account of earlier versions has kept from before the proof of its address: the upgrade
//! closes it once, unless something shows that it is the same person's.

use identity::app::older_ways::close_once;
use identity::repository::older_ways;
use serde_json::json;

use crate::factors::{ASHA, notices};
use crate::passkeys;
use crate::test_server::{PASSWORD, TestServer};

/// As a change of address in the versions before left it: proved just now, by a session of another
/// browser than those of before.
const PREPARED: &str = "
    update users set email_change_sent_at = clock_now() - interval '1 hour',
                     email_proved_at = clock_now();
    update sessions set created_at = clock_now() - interval '1 day', user_agent = 'theirs',
                        network = '203.0.113.7', proofs = '[{\"method\": \"password\"}]';
    update passkeys set created_at = clock_now() - interval '1 day';";

/// A session by a mailed code since then, from this network.
async fn come_in(server: &TestServer, network: &str) -> String {
    server.post("/otp", json!({ "email": ASHA })).await.ok();
    let code = server.latest_mail().await.code;
    let token = server.verify("email", ASHA, &code).await.ok().text("/access_token");
    let from = format!(
        "update sessions set user_agent = 'theirs', network = '{network}'
         where created_at = (select max(created_at) from sessions)"
    );
    server.database.as_owner(&from).await.unwrap();
    token
}

#[tokio::test]
async fn what_is_older_than_the_proof_ends_once_and_is_told() {
    let server = TestServer::with_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let (mut passkey, _) = passkeys::add(&server, &token).await;
    server.database.as_owner(PREPARED).await.unwrap();
    let owner = come_in(&server, "198.51.100.7").await;
    let store = &server.app.store;
    let found = older_ways::list(store.pool()).await.unwrap();
    assert_eq!((found.len(), found[0].authenticators, found[0].password), (1, 1, true));
    assert_eq!(close_once(store).await.unwrap(), 1);
    assert!(older_ways::list(store.pool()).await.unwrap().is_empty());
    let noted = sqlx::query_scalar::<_, i32>("select accounts from upgrade_tasks");
    assert_eq!(noted.fetch_one(store.pool()).await.unwrap(), 1);
    passkeys::sign_in(&server, &mut passkey).await.assert_error(400, "invalid_credentials");
    server.sign_in(ASHA, PASSWORD).await.assert_error(400, "invalid_credentials");
    server.user(&token).await.assert_error(403, "session_not_found");
    server.user(&owner).await.ok();
    assert_eq!(notices(&server).await, ["passkey_added", "ways_closed"]);
    // What comes later is not the upgrade's.
    server.database.as_owner(PREPARED).await.unwrap();
    assert_eq!(close_once(store).await.unwrap(), 0);
}

#[tokio::test]
async fn what_the_same_browser_had_before_and_since_stays() {
    let server = TestServer::with_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let (mut passkey, _) = passkeys::add(&server, &token).await;
    server.database.as_owner(PREPARED).await.unwrap();
    come_in(&server, "203.0.113.7").await;
    let store = &server.app.store;
    assert!(older_ways::list(store.pool()).await.unwrap().is_empty());
    assert_eq!(close_once(store).await.unwrap(), 0);
    passkeys::sign_in(&server, &mut passkey).await.ok();
    server.sign_in(ASHA, PASSWORD).await.ok();
    assert_eq!(notices(&server).await, ["passkey_added"]);
}

#[tokio::test]
async fn what_is_younger_than_the_proof_stays() {
    let server = TestServer::with_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let (mut passkey, _) = passkeys::add(&server, &token).await;
    assert_eq!(close_once(&server.app.store).await.unwrap(), 0);
    passkeys::sign_in(&server, &mut passkey).await.ok();
    server.sign_in(ASHA, PASSWORD).await.ok();
    server.user(&token).await.ok();
}
