//! A proved address: a code that was mailed to it was redeemed. Tokens say so, and it is said of no
//! account whose practice asked for no code.

use std::borrow::Cow;

use serde_json::json;
use sqlx::migrate::Migrator;
use sqlx::{Connection as _, PgConnection};
use testkit::TestDatabase;

use crate::test_server::{Answer, PASSWORD, TestServer, claims};

const ASHA: &str = "asha@example.test";

fn is_proved(session: &Answer) -> bool {
    claims(&session.text("/access_token"))["email_verified"] == json!(true)
}

async fn mail_code(server: &TestServer) -> String {
    server.post("/resend", json!({ "type": "signup", "email": ASHA })).await.ok();
    server.latest_mail().await.code
}

#[tokio::test]
async fn a_code_of_the_sign_up_proves_the_address() {
    let server = TestServer::with_confirmation().await;
    let session = server.confirmed_account(ASHA).await;
    assert!(is_proved(&session));
    let user = server.user(&session.text("/access_token")).await.ok();
    assert_eq!(user.text("/sign_up_secret"), "");
    server.move_clock(61).await;
    let before = server.codes_requested().await;
    server.post("/resend", json!({ "type": "signup", "email": ASHA })).await.ok();
    assert_eq!(server.codes_requested().await, before, "nothing is left to prove");
    assert!(is_proved(&server.sign_in(ASHA, PASSWORD).await.ok()));
}

#[tokio::test]
async fn an_account_without_a_code_proves_its_address_later() {
    let server = TestServer::without_confirmation().await;
    let session = server.sign_up(ASHA).await.ok();
    assert!(!is_proved(&session));
    let code = mail_code(&server).await;
    let user = server.user(&session.text("/access_token")).await.ok();
    let proved = server.verify_own(&user, &code).await.ok();
    assert!(is_proved(&proved));
    assert_eq!(proved.body.get("password_needed"), None);
    // The account is the same, with its password and its sessions.
    assert_eq!(proved.text("/user/id"), session.text("/user/id"));
    assert!(is_proved(&server.sign_in(ASHA, PASSWORD).await.ok()));
    assert!(is_proved(&server.refresh(&session.text("/refresh_token")).await.ok()));
}

/// Any visitor can sign up with another's address where no code is asked for.
#[tokio::test]
async fn a_code_of_another_browser_takes_the_account_from_its_maker() {
    let server = TestServer::without_confirmation().await;
    let maker = server.sign_up(ASHA).await.ok();
    let code = mail_code(&server).await;
    let owner = server.verify("signup", ASHA, &code).await.ok();
    assert!(is_proved(&owner));
    assert_eq!(owner.body["password_needed"], json!(true));
    server.sign_in(ASHA, PASSWORD).await.assert_error(400, "invalid_credentials");
    let kept = server.refresh(&maker.text("/refresh_token")).await;
    assert!(!kept.status.is_success(), "{}", kept.body);
    let user = server.user(&maker.text("/access_token")).await;
    user.assert_error(403, "session_not_found");
}

/// The first migration that the earlier version lacks.
const NEWER: i64 = 20_261_125_150_000;

/// Two accounts that are confirmed, the first by a code, and one that is not.
const EARLIER: &str = "
    insert into users (user_id, identity_id, email, email_confirmed_at, confirmation_sent_at,
                       created_at, updated_at)
    select gen_random_uuid(), gen_random_uuid(), email, confirmed_at, sent_at, now(), now()
    from (values ('by-code@example.test', now(), now()), ('at-once@example.test', now(), null),
                 ('waiting@example.test', null, now())) as old (email, confirmed_at, sent_at);";

#[tokio::test]
async fn after_an_upgrade_addresses_that_a_code_confirmed_are_proved() {
    let known = identity::MIGRATIONS.iter().filter(|migration| migration.version < NEWER);
    let earlier =
        Migrator { migrations: Cow::Owned(known.cloned().collect()), ..Migrator::DEFAULT };
    let db = TestDatabase::new(&earlier).await.unwrap();
    db.as_owner(EARLIER).await.unwrap();
    db.migrate(&identity::MIGRATIONS).await.unwrap();
    let mut connection = PgConnection::connect(&db.url).await.unwrap();
    let proved: Vec<String> =
        sqlx::query_scalar("select email from users where email_proved_at is not null")
            .fetch_all(&mut connection)
            .await
            .unwrap();
    assert_eq!(proved, ["by-code@example.test"]);
}
