//! Signing in by an ID token, as an app on a phone does.

use serde_json::json;

use crate::providers::{World, asha};

const ASHA: &str = "asha@example.test";

#[tokio::test]
async fn an_app_signs_in_by_an_id_token() {
    let world = World::new().await;
    let nonce = "a nonce of the app";
    let hash = "5d5f7d0d8f7b";
    let token = async |nonce: Option<&str>, access_token: Option<&str>| {
        let mut person = asha();
        person["nonce"] = json!(nonce);
        person["access_token"] = json!(access_token);
        world.parties.control("/api/oidc/id_token", person).await["id_token"].clone()
    };
    let right = sha256(nonce);
    let body = json!({ "id_token": token(Some(&right), None).await, "nonce": nonce });
    let session = world.by_token(body).await.ok();
    assert_eq!(session.text("/user/email"), ASHA);
    world.by_token(json!({ "id_token": token(None, None).await })).await.ok();
    let with_access = token(None, Some("opens more")).await;
    let body = json!({ "id_token": with_access, "access_token": "opens more" });
    world.by_token(body).await.ok();
    for (body, error) in [
        (json!({ "id_token": token(Some(hash), None).await, "nonce": nonce }), "invalid nonce"),
        (json!({ "id_token": token(Some(&right), None).await }), "invalid request"),
        (json!({ "id_token": token(None, None).await, "nonce": nonce }), "invalid request"),
        (json!({ "id_token": with_access, "access_token": "another" }), "invalid request"),
        (json!({ "id_token": "x" }), "invalid request"),
        (json!({}), "invalid request"),
    ] {
        let refused = world.by_token(body).await;
        assert_eq!(
            (refused.status.as_u16(), refused.text("/error")),
            (400, error.to_owned()),
            "{}",
            refused.body
        );
    }
    for wrong in ["aud", "azp", "iss", "expired", "alg_none", "hs256", "other_key", "no_sub"] {
        world.wrong(wrong).await;
        let refused = world.by_token(json!({ "id_token": token(None, None).await })).await;
        assert_eq!(refused.status, 400, "{wrong} {}", refused.body);
    }
    world.wrong("unverified").await;
    let mut other = asha();
    other["sub"] = json!("another");
    let unverified = world.parties.control("/api/oidc/id_token", other).await["id_token"].clone();
    let refused = world.by_token(json!({ "id_token": unverified })).await;
    refused.assert_error(422, "provider_email_needs_verification");
    let body = json!({ "provider": "facebook", "id_token": "x" });
    let off = world.server.post("/token?grant_type=id_token", body).await;
    off.assert_error(400, "provider_disabled");
}

fn sha256(text: &str) -> String {
    use sha2::Digest as _;
    sha2::Sha256::digest(text).iter().map(|byte| format!("{byte:02x}")).collect()
}
