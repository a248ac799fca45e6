//! Security keys as second factors (WebAuthn), by the contract and against forged answers.

use reqwest::Method;
use serde_json::{Value, json};

use crate::authenticator::{Authenticator, short_form};
use crate::factors::{ASHA, notices};
use crate::test_server::{Answer, PASSWORD, PUBLIC_URL, TestServer, claims};

async fn enroll(server: &TestServer, token: &str, name: &str) -> String {
    let body = json!({ "factor_type": "webauthn", "friendly_name": name });
    let enrolled = server.call(Method::POST, "/factors", token, body).await.ok();
    assert_eq!(enrolled.text("/type"), "webauthn");
    enrolled.text("/id")
}

async fn challenge(server: &TestServer, token: &str, factor_id: &str) -> Answer {
    let path = format!("/factors/{factor_id}/challenge");
    // As the client library sends it.
    let site = json!({ "rpId": "sukoon.example", "rpOrigins": [PUBLIC_URL] });
    server.call(Method::POST, &path, token, json!({ "webauthn": site })).await
}

async fn verify(
    server: &TestServer,
    (token, factor_id): (&str, &str),
    challenge: &Answer,
    response: Value,
) -> Answer {
    let path = format!("/factors/{factor_id}/verify");
    let kind = challenge.text("/webauthn/type");
    let body = json!({
        "challenge_id": challenge.text("/id"),
        "webauthn": {
            "type": kind, "rpId": "sukoon.example", "rpOrigins": [PUBLIC_URL],
            "credential_response": response,
        },
    });
    server.call(Method::POST, &path, token, body).await
}

fn options(challenge: &Answer) -> &Value {
    &challenge.body["webauthn"]["credential_options"]["publicKey"]
}

/// An account with a security key, its factor, and the token of its session at aal2.
async fn account_with_key(server: &TestServer) -> (Authenticator, String, String) {
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let factor_id = enroll(server, &token, "key").await;
    let asked = challenge(server, &token, &factor_id).await.ok();
    let mut key = Authenticator::at(PUBLIC_URL);
    let made = short_form(&key.create(options(&asked)));
    let raised = verify(server, (&token, &factor_id), &asked, made).await.ok();
    (key, factor_id, raised.text("/access_token"))
}

#[tokio::test]
async fn a_key_is_enrolled_and_raises_sessions() {
    let server = TestServer::with_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let factor_id = enroll(&server, &token, "key").await;
    let asked = challenge(&server, &token, &factor_id).await.ok();
    assert_eq!(
        (asked.text("/type"), asked.text("/webauthn/type")),
        ("webauthn".into(), "create".into())
    );
    assert_eq!(options(&asked)["rp"]["id"], "sukoon.example");
    assert_eq!(options(&asked)["user"]["name"], ASHA);
    assert_eq!(options(&asked)["attestation"], "none");
    let mut key = Authenticator::at(PUBLIC_URL);
    let made = short_form(&key.create(options(&asked)));
    let raised = verify(&server, (&token, &factor_id), &asked, made.clone()).await.ok();
    let told = claims(&raised.text("/access_token"));
    assert_eq!((&told["aal"], &told["amr"][0]["method"]), (&json!("aal2"), &json!("mfa/webauthn")));
    assert_eq!(notices(&server).await, ["factor_added"]);
    // The challenge was used up.
    let again = verify(&server, (&raised.text("/access_token"), &factor_id), &asked, made).await;
    again.assert_error(422, "mfa_factor_not_found");

    let token = server.sign_in(ASHA, PASSWORD).await.ok().text("/access_token");
    let asked = challenge(&server, &token, &factor_id).await.ok();
    assert_eq!(asked.text("/webauthn/type"), "request");
    assert_eq!(options(&asked)["allowCredentials"].as_array().unwrap().len(), 1);
    let answer = short_form(&key.get(options(&asked)));
    let raised = verify(&server, (&token, &factor_id), &asked, answer).await.ok();
    assert_eq!(claims(&raised.text("/access_token"))["aal"], "aal2");
}

#[tokio::test]
async fn another_site_is_not_accepted() {
    let server = TestServer::without_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let factor_id = enroll(&server, &token, "key").await;
    let path = format!("/factors/{factor_id}/challenge");
    let site = json!({ "webauthn": { "rpId": "evil.example" } });
    server.call(Method::POST, &path, &token, site).await.assert_error(400, "validation_failed");
    let faults: [fn(&mut Authenticator); 5] = [
        |key| key.origin = "https://evil.example".to_owned(),
        |key| key.origin = "http://sukoon.example".to_owned(),
        |key| key.rp_id = Some("evil.example".to_owned()),
        |key| key.challenge = Some("AAAAAAAAAAAAAAAAAAAAAA".to_owned()),
        |key| key.user_present = false,
    ];
    for spoil in faults {
        let asked = challenge(&server, &token, &factor_id).await.ok();
        let mut key = Authenticator::at(PUBLIC_URL);
        spoil(&mut key);
        let made = key.create(options(&asked));
        let refused = verify(&server, (&token, &factor_id), &asked, made).await;
        refused.assert_error(422, "mfa_verification_failed");
    }
    assert_eq!(server.user(&token).await.text("/factors/0/status"), "unverified");
}

#[tokio::test]
async fn forged_and_replayed_answers_are_refused_and_a_lower_counter_is_told() {
    let server = TestServer::without_confirmation().await;
    let (mut key, factor_id, _) = account_with_key(&server).await;
    let token = server.sign_in(ASHA, PASSWORD).await.ok().text("/access_token");
    let ids = (token.as_str(), factor_id.as_str());
    key.counter = 7;
    let asked = challenge(&server, &token, &factor_id).await.ok();
    let forged = key.forged().get(options(&asked));
    verify(&server, ids, &asked, forged).await.assert_error(422, "mfa_verification_failed");
    // Any answer uses the challenge up.
    let answer = key.get(options(&asked));
    verify(&server, ids, &asked, answer).await.assert_error(422, "mfa_factor_not_found");
    let asked = challenge(&server, &token, &factor_id).await.ok();
    let stranger = key.unknown().get(options(&asked));
    verify(&server, ids, &asked, stranger).await.assert_error(422, "mfa_verification_failed");
    let asked = challenge(&server, &token, &factor_id).await.ok();
    let malformed = json!({ "id": "x" });
    verify(&server, ids, &asked, malformed).await.assert_error(400, "validation_failed");
    let asked = challenge(&server, &token, &factor_id).await.ok();
    let good = key.get(options(&asked));
    let raised = verify(&server, ids, &asked, good).await.ok();
    // A moved key, and a clone, have counted less: the person is told, and it is no wall.
    let token = raised.text("/access_token");
    key.counter = 3;
    let asked = challenge(&server, &token, &factor_id).await.ok();
    let cloned = key.get(options(&asked));
    verify(&server, (&token, &factor_id), &asked, cloned).await.ok();
    assert_eq!(notices(&server).await, ["factor_added", "passkey_counter"]);
}

#[tokio::test]
async fn a_key_belongs_to_one_account() {
    let server = TestServer::without_confirmation().await;
    let (mut key, _, _) = account_with_key(&server).await;
    let token = server.confirmed_account("ravi@example.test").await.text("/access_token");
    let factor_id = enroll(&server, &token, "key").await;
    let asked = challenge(&server, &token, &factor_id).await.ok();
    let made = key.create(options(&asked));
    let refused = verify(&server, (&token, &factor_id), &asked, made).await;
    refused.assert_error(422, "mfa_verification_failed");
}
