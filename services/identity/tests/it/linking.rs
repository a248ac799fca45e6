//! Identities that a signed-in person adds and removes.

use identity::retention::delete_expired;
use reqwest::Method;
use serde_json::json;

use crate::factors::notices;
use crate::passkeys;
use crate::providers::{World, asha, pkce, query};
use crate::test_server::PASSWORD;

const ASHA: &str = "asha@example.test";

#[tokio::test]
async fn identities_are_added_and_removed_where_the_practice_allows_it() {
    let off = World::new().await;
    let token = off.server.confirmed_account(ASHA).await.text("/access_token");
    let path = "/user/identities/authorize?provider=google";
    let refused = off.server.call(Method::GET, path, &token, json!({})).await;
    refused.assert_error(404, "manual_linking_disabled");

    let world = World::linking().await;
    let owner = world.server.confirmed_account(ASHA).await;
    let token = owner.text("/access_token");
    let path =
        format!("/user/identities/authorize?provider=google&skip_http_redirect=true&{}", pkce());
    let url = world.server.call(Method::GET, &path, &token, json!({})).await.ok().text("/url");
    let other = json!({ "sub": "other", "email": "usha@example.test", "email_verified": true });
    let approved = world.approve(&url, other.clone()).await;
    let place = world.come_back(&approved).await;
    let session = world.exchange(&query(&place, "code")).await.ok();
    assert_eq!(session.text("/user/id"), owner.text("/user/id"));
    assert_eq!(session.text("/user/email"), ASHA, "the account keeps its address");
    // The same identity again, and by another account.
    let url = world.server.call(Method::GET, &path, &token, json!({})).await.ok().text("/url");
    let approved = world.approve(&url, other).await;
    let place = world.come_back(&approved).await;
    assert_eq!(query(&place, "error_code"), "identity_already_exists");
    assert_eq!(query(&place, "error_description"), "Identity is already linked");

    let identities = session.body["user"]["identities"].as_array().unwrap();
    let of = |provider: &str| {
        let found = identities.iter().find(|it| it["provider"] == provider).unwrap();
        found["identity_id"].as_str().unwrap().to_owned()
    };
    let remove = async |id: &str| {
        world
            .server
            .call(Method::DELETE, &format!("/user/identities/{id}"), &token, json!({}))
            .await
    };
    remove("x").await.assert_error(404, "validation_failed");
    remove("00000000-0000-4000-8000-000000000000").await.assert_error(422, "identity_not_found");
    assert_eq!(remove(&of("email")).await.ok().body, json!({}));
    let left = world.server.user(&token).await.ok();
    assert_eq!(
        left.text("/email"),
        "usha@example.test",
        "the address of the identity that is left"
    );
    assert_eq!(left.body["app_metadata"]["providers"], json!(["google"]));
    remove(&of("google")).await.assert_error(422, "single_identity_not_deletable");
}

/// An identity opens the account: an old session and a password add none and take none away.
#[tokio::test]
async fn an_identity_is_added_and_removed_with_a_fresh_proof() {
    let world = World::linking().await;
    let server = &world.server;
    let session = server.confirmed_account(ASHA).await;
    let weak = server.sign_in(ASHA, PASSWORD).await.ok().text("/access_token");
    let path =
        format!("/user/identities/authorize?provider=google&skip_http_redirect=true&{}", pkce());
    let ask = async |token: &str| server.call(Method::GET, &path, token, json!({})).await;
    ask(&weak).await.assert_error(400, "reauthentication_needed");
    server.move_clock(301).await;
    let token = server.refresh(&session.text("/refresh_token")).await.ok().text("/access_token");
    ask(&token).await.assert_error(400, "reauthentication_needed");
    server.note_code(&token).await;
    let url = ask(&token).await.ok().text("/url");
    let usha = json!({ "sub": "usha", "email": "usha@example.test", "email_verified": true });
    let approved = world.approve(&url, usha).await;
    let place = world.come_back(&approved).await;
    let linked = world.exchange(&query(&place, "code")).await.ok();
    let identities = linked.body["user"]["identities"].as_array().unwrap();
    let own = identities.iter().find(|it| it["provider"] == "email").unwrap();
    let own = format!("/user/identities/{}", own["identity_id"].as_str().unwrap());
    let remove = async |token: &str| server.call(Method::DELETE, &own, token, json!({})).await;
    remove(&weak).await.assert_error(400, "reauthentication_needed");

    // The account's address changes with it, and the former one opens nothing any more.
    server.post("/recover", json!({ "email": ASHA })).await.ok();
    let link = server.latest_mail().await.link;
    remove(&token).await.ok();
    server.confirm_link(&link, "").await.assert_error(403, "otp_expired");
    let left = server.user(&token).await.ok();
    assert_eq!(left.text("/email"), "usha@example.test");
    assert!(!left.text("/email_confirmed_at").is_empty(), "the provider has verified it");
    assert_eq!(notices(server).await, ["email_changed", "email_added"]);
    passkeys::add(server, &token).await;
    ask(&token).await.assert_error(403, "insufficient_aal");
}

/// The reader of an address that no provider has verified does not get the account, and the account
/// without an address stays its person's.
#[tokio::test]
async fn an_unverified_address_is_not_taken_from_the_identity_that_is_left() {
    let world = World::linking().await;
    let server = &world.server;
    let owner = server.confirmed_account(ASHA).await;
    let token = owner.text("/access_token");
    let path =
        format!("/user/identities/authorize?provider=google&skip_http_redirect=true&{}", pkce());
    let url = server.call(Method::GET, &path, &token, json!({})).await.ok().text("/url");
    let usha = json!({ "sub": "usha", "email": "usha@example.test", "email_verified": false });
    let place = world.come_back(&world.approve(&url, usha).await).await;
    let linked = world.exchange(&query(&place, "code")).await.ok();
    let token = linked.text("/access_token");
    let identities = linked.body["user"]["identities"].as_array().unwrap();
    let own = identities.iter().find(|it| it["provider"] == "email").unwrap();
    let own = format!("/user/identities/{}", own["identity_id"].as_str().unwrap());
    server.note_code(&token).await;
    server.call(Method::DELETE, &own, &token, json!({})).await.ok();
    assert_eq!(server.user(&token).await.ok().text("/email"), "");
    let usha = server.confirmed_account("usha@example.test").await;
    assert_ne!(usha.text("/user/id"), owner.text("/user/id"));

    server.move_clock(25 * 3600).await;
    delete_expired(&server.app.store).await.unwrap();
    let token = server.refresh(&linked.text("/refresh_token")).await.ok().text("/access_token");
    let left = server.user(&token).await.ok();
    assert_eq!(left.text("/id"), owner.text("/user/id"));
    assert_eq!(left.body["app_metadata"]["providers"], json!(["google"]));
}

/// A stranger begins to add an identity to an account and leads another person to the provider:
/// that person's identity does not come into the stranger's account.
#[tokio::test]
async fn an_identity_is_added_by_the_browser_that_began() {
    let world = World::linking().await;
    let stranger = world.server.confirmed_account("stranger@example.test").await;
    let token = stranger.text("/access_token");
    let path =
        format!("/user/identities/authorize?provider=keycloak&skip_http_redirect=true&{}", pkce());
    let url = world.server.call(Method::GET, &path, &token, json!({})).await.ok().text("/url");
    let approved = world.approve(&url, asha()).await;
    let place = world.come_back(&approved).await;
    // The person's browser has a code, and not the verifier.
    let body = json!({ "auth_code": query(&place, "code"), "code_verifier": "v".repeat(43) });
    let refused = world.server.post("/token?grant_type=pkce", body).await;
    refused.assert_error(400, "bad_code_verifier");
    let account = world.server.user(&token).await.ok();
    assert_eq!(account.body["app_metadata"]["providers"], json!(["email"]));
    let person = world.sign_in(asha()).await;
    assert_ne!(person.text("/user/id"), stranger.text("/user/id"), "an account of her own");
    assert_eq!(person.text("/user/email"), ASHA);
    // The stranger's code has come too late, wherever it is shown.
    let late = world.exchange(&query(&place, "code")).await;
    late.assert_error(422, "identity_already_exists");
}

#[tokio::test]
async fn an_anonymous_account_becomes_a_known_one_by_an_identity() {
    let world = World::linking().await;
    let session = world.server.post("/signup", json!({})).await.ok();
    let path =
        format!("/user/identities/authorize?provider=google&skip_http_redirect=true&{}", pkce());
    let token = session.text("/access_token");
    let url = world.server.call(Method::GET, &path, &token, json!({})).await.ok().text("/url");
    let approved = world.approve(&url, asha()).await;
    let place = world.come_back(&approved).await;
    let known = world.exchange(&query(&place, "code")).await.ok();
    assert_eq!(known.text("/user/id"), session.text("/user/id"));
    assert_eq!(
        (known.text("/user/email"), &known.body["user"]["is_anonymous"]),
        (ASHA.into(), &json!(false))
    );
}
