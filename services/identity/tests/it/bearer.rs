//! Accepted and rejected access tokens.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use reqwest::Method;
use serde_json::{Value, json};

use crate::test_server::{TestServer, claims};

const ASHA: &str = "asha@example.test";

fn signed(server: &TestServer, key: &str, kid: &str, claims: &Value) -> String {
    let mut header = Header::new(Algorithm::ES256);
    header.kid = Some(kid.to_owned());
    let pem = server.keys.private_key(key).unwrap();
    encode(&header, claims, &EncodingKey::from_ec_pem(pem.as_bytes()).unwrap()).unwrap()
}

async fn kid(server: &TestServer) -> String {
    server.get("/.well-known/jwks.json").await.text("/keys/0/kid")
}

#[tokio::test]
async fn the_public_key_is_shown_and_nothing_else_of_it() {
    let server = TestServer::without_confirmation().await;
    let answer = server.get("/.well-known/jwks.json").await.ok();
    assert_eq!(answer.headers["cache-control"], "public, max-age=600");
    let keys = answer.body["keys"].as_array().unwrap();
    assert_eq!(keys.len(), 1);
    for (name, value) in [("kty", "EC"), ("crv", "P-256"), ("alg", "ES256"), ("use", "sig")] {
        assert_eq!(keys[0][name], value, "{name}");
    }
    assert_eq!(keys[0]["key_ops"], json!(["verify"]));
    assert_eq!(keys[0].get("d"), None);
    for coordinate in ["x", "y"] {
        let bytes = URL_SAFE_NO_PAD.decode(keys[0][coordinate].as_str().unwrap()).unwrap();
        assert_eq!(bytes.len(), 32);
    }
}

#[tokio::test]
async fn other_services_can_verify_a_token_with_it() {
    let server = TestServer::without_confirmation().await;
    let session = server.confirmed_account(ASHA).await;
    let settings = runtime::caller::UserSettings {
        jwks_url: format!("{}/.well-known/jwks.json", server.url),
        issuer: "https://sukoon.example/auth/v1".to_owned(),
        identity_url: None,
    };
    let users = runtime::caller::Users::new(&settings).unwrap();
    let user = users.verify_token(&session.text("/access_token")).await.unwrap();
    assert_eq!(user.id.to_string(), session.text("/user/id"));
    assert_eq!(user.email, ASHA);
    assert!(user.session_id.is_some());
}

#[tokio::test]
async fn without_a_token_nothing_is_shown() {
    let server = TestServer::without_confirmation().await;
    server.get("/user").await.assert_error(401, "no_authorization");
    for header in ["Bearer", "Bearer ", "Basic abc", "token"] {
        let request = server.request(Method::GET, "/user").header("authorization", header);
        server.send(request).await.assert_error(401, "no_authorization");
    }
}

#[tokio::test]
async fn forged_tokens_are_refused() {
    let server = TestServer::without_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let (honest, kid) = (claims(&token), kid(&server).await);
    let with = |name: &str, value: Value| {
        let mut claims = honest.clone();
        claims[name] = value;
        claims
    };
    let (head, rest) = token.split_once('.').unwrap();
    let (payload, signature) = rest.split_once('.').unwrap();
    let none =
        URL_SAFE_NO_PAD.encode(json!({ "alg": "none", "typ": "JWT", "kid": kid }).to_string());
    let other = URL_SAFE_NO_PAD.encode(with("sub", json!(eventstore::new_uuid())).to_string());
    let mut symmetric = Header::new(Algorithm::HS256);
    symmetric.kid = Some(kid.clone());
    let jwks = server.get("/.well-known/jwks.json").await.body.to_string();
    let with_public_key =
        encode(&symmetric, &honest, &EncodingKey::from_secret(jwks.as_bytes())).unwrap();
    for (what, forged) in [
        ("alg none", format!("{none}.{payload}.")),
        ("alg none with the old signature", format!("{none}.{payload}.{signature}")),
        ("an altered payload", format!("{head}.{other}.{signature}")),
        ("no signature", format!("{head}.{payload}.")),
        ("a foreign key", signed(&server, "booking", &kid, &honest)),
        ("another key's name", signed(&server, "signing", "another", &honest)),
        ("HMAC with the public key", with_public_key),
        ("another issuer", signed(&server, "signing", &kid, &with("iss", json!("https://x")))),
        ("another audience", signed(&server, "signing", &kid, &with("aud", json!("anon")))),
        ("no session", signed(&server, "signing", &kid, &with("session_id", json!(null)))),
        ("no token at all", "x".to_owned()),
        ("an endless one", "x".repeat(9000)),
    ] {
        let answer = server.user(&forged).await;
        assert_eq!(answer.status, 403, "{what}");
        answer.assert_error(403, "bad_jwt");
        assert!(answer.text("/message").starts_with("invalid JWT"), "{what}: {}", answer.body);
    }
    // The helper's signature is valid, so the tokens above were rejected for their claims.
    server.user(&signed(&server, "signing", &kid, &honest)).await.ok();
}

#[tokio::test]
async fn a_token_ends_after_ten_minutes() {
    let server = TestServer::without_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    server.move_clock(590).await;
    server.user(&token).await.ok();
    server.move_clock(601).await;
    let answer = server.user(&token).await;
    answer.assert_error(403, "bad_jwt");
    assert!(answer.text("/message").ends_with("token is expired"), "{}", answer.body);
}

#[tokio::test]
async fn a_token_without_an_account_or_session_is_refused() {
    let server = TestServer::without_confirmation().await;
    let token = server.confirmed_account(ASHA).await.text("/access_token");
    let (honest, kid) = (claims(&token), kid(&server).await);
    for (name, value, status, code) in [
        ("sub", json!(eventstore::new_uuid()), 403, "user_not_found"),
        ("sub", json!("asha"), 400, "bad_jwt"),
        ("sub", json!(""), 403, "bad_jwt"),
        ("session_id", json!(eventstore::new_uuid()), 403, "session_not_found"),
    ] {
        let mut claims = honest.clone();
        claims[name] = value;
        server.user(&signed(&server, "signing", &kid, &claims)).await.assert_error(status, code);
    }
}

#[tokio::test]
async fn another_persons_session_is_not_found() {
    let server = TestServer::without_confirmation().await;
    let asha = claims(&server.confirmed_account(ASHA).await.text("/access_token"));
    let ravi = claims(&server.confirmed_account("ravi@example.test").await.text("/access_token"));
    let mut mixed = asha;
    mixed["session_id"] = ravi["session_id"].clone();
    let token = signed(&server, "signing", &kid(&server).await, &mixed);
    server.user(&token).await.assert_error(403, "session_not_found");
}
