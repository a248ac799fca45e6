//! Keys change without anyone being signed out.

use identity::app::reseal;
use identity::repository::factors::{self, Factor, TOTP};
use serde_json::{Value, json};
use testkit::TestKeys;
use uuid::Uuid;

use crate::test_server::{PASSWORD, TestServer, other_than};

const ASHA: &str = "asha@example.test";

async fn kids(server: &TestServer) -> Vec<Value> {
    let keys = server.get("/.well-known/jwks.json").await.ok().body["keys"].clone();
    keys.as_array().unwrap().iter().map(|key| key["kid"].clone()).collect()
}

/// The next signing key is published, signs, and is replaced in turn; the code key changes with it.
#[tokio::test]
async fn a_session_and_a_code_live_through_rotations() {
    let mut server = TestServer::with_confirmation().await;
    let keys = TestKeys::new(&["second", "third"]).unwrap();
    let key = |name: &str| keys.private_key(name).unwrap();
    let first_kids = kids(&server).await;
    let session = server.confirmed_account(ASHA).await;
    server.move_clock(61).await;
    server.post("/recover", json!({ "email": ASHA })).await.ok();
    let pending = server.latest_mail().await;
    let ravi = server.sign_up("ravi@example.test").await.ok();
    let ravis = server.latest_mail().await;

    server.restart(|it| it.other_keys.signing_next = Some(key("second").into())).await;
    assert_eq!(kids(&server).await.len(), 2);
    assert_eq!(kids(&server).await[..1], first_kids[..]);
    let before = server.refresh(&session.text("/refresh_token")).await.ok();

    server
        .restart(|it| {
            let first = std::mem::replace(&mut it.signing_key, key("second").into());
            it.other_keys.signing_previous = Some(first);
            it.other_keys.signing_next = None;
            let code = std::mem::replace(&mut it.code_key, "a second secret".to_owned().into());
            it.other_keys.code_previous = Some(code);
        })
        .await;
    assert_eq!(kids(&server).await.len(), 2);
    // Tokens and codes of the former keys are good.
    server.user(&before.text("/access_token")).await.ok();
    let wrong = other_than(&pending.code);
    server.verify("recovery", ASHA, &wrong).await.assert_error(403, "otp_expired");
    server.confirm_link(&pending.link, "").await.ok();
    let own = server.verify_own(&ravi, &ravis.code).await.ok();
    assert!(own.body.get("password_needed").is_none(), "the sign-up secret was not accepted");
    let between = server.refresh(&before.text("/refresh_token")).await.ok();
    server.user(&between.text("/access_token")).await.ok();

    server
        .restart(|it| {
            let second = std::mem::replace(&mut it.signing_key, key("third").into());
            it.other_keys.signing_previous = Some(second);
        })
        .await;
    assert!(!kids(&server).await.contains(&first_kids[0]));
    server.user(&before.text("/access_token")).await.assert_error(403, "bad_jwt");
    server.user(&between.text("/access_token")).await.ok();
    let after = server.refresh(&between.text("/refresh_token")).await.ok();
    server.user(&after.text("/access_token")).await.ok();
    server.sign_in("ravi@example.test", PASSWORD).await.ok();
}

/// A key that is named in no setting signs nothing, whatever its token says.
#[tokio::test]
async fn other_keys_are_refused() {
    let mut server = TestServer::without_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let keys = TestKeys::new(&["second"]).unwrap();
    server.restart(|it| it.signing_key = keys.private_key("second").unwrap().into()).await;
    server.user(&token).await.assert_error(403, "bad_jwt");
}

/// The secret of an authenticator app does not end with the former code key.
#[tokio::test]
async fn secrets_of_apps_are_sealed_again_before_the_former_key_goes() {
    let mut server = TestServer::without_confirmation().await;
    let user_id: Uuid = server.confirmed_account(ASHA).await.text("/user/id").parse().unwrap();
    let now = server.app.store.now().await.unwrap();
    let mut factor = Factor::new(user_id, TOTP, "phone", now);
    let id = factor.factor_id;
    factor.secret_sealed = Some(server.app.sealer.seal(id, b"a seed").unwrap());
    factors::insert(server.app.store.pool(), &factor).await.unwrap();
    server
        .restart(|it| {
            let code = std::mem::replace(&mut it.code_key, "a second secret".to_owned().into());
            it.other_keys.code_previous = Some(code);
        })
        .await;
    assert_eq!(reseal::run(&server.app).await.unwrap(), 1);
    assert_eq!(reseal::run(&server.app).await.unwrap(), 0);
    server.restart(|it| it.other_keys.code_previous = None).await;
    let kept = factors::find(server.app.store.pool(), user_id, id).await.unwrap().unwrap();
    assert_eq!(server.app.sealer.open(id, &kept.secret_sealed.unwrap()).unwrap(), b"a seed");
}
