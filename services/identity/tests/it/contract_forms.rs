//! Error formats, request limits, and unsupported endpoints.

use reqwest::Method;
use serde_json::{Value, json};

use crate::test_server::{PASSWORD, TestServer};

#[tokio::test]
async fn errors_have_codes_as_words_or_numbers_by_api_version() {
    let server = TestServer::with_confirmation().await;
    let words = server.get("/user").await;
    assert_eq!(words.headers["x-supabase-api-version"], "2024-01-01");
    assert_eq!(words.headers["x-sb-error-code"], "no_authorization");
    let message = "This endpoint requires a valid Bearer token";
    assert_eq!(words.body, json!({ "code": "no_authorization", "message": message }));

    let client = reqwest_client();
    for newer in ["2024-02-01", "2025-06-01"] {
        let request = client.get(format!("{}/user", server.url));
        let answer = server.send(request.header("x-supabase-api-version", newer)).await;
        assert_eq!(answer.headers["x-supabase-api-version"], "2024-01-01");
    }
    for version in [None, Some("2023-12-31"), Some("yesterday"), Some("")] {
        let mut request = client.get(format!("{}/user", server.url));
        if let Some(version) = version {
            request = request.header("x-supabase-api-version", version);
        }
        let old = server.send(request).await;
        assert_eq!(old.headers.get("x-supabase-api-version"), None);
        assert_eq!(old.headers["x-sb-error-code"], "no_authorization");
        let expected = json!({ "code": 401, "error_code": "no_authorization", "msg": message });
        assert_eq!(old.body, expected, "{version:?}");
    }
}

fn reqwest_client() -> reqwest::Client {
    runtime::http::client().unwrap()
}

#[tokio::test]
async fn a_body_beyond_a_megabyte_is_refused() {
    let server = TestServer::with_confirmation().await;
    let body = json!({ "email": "a".repeat(1024 * 1024), "password": "x" });
    let answer = server.post("/signup", body).await;
    answer.assert_error(413, "request_entity_too_large");
}

#[tokio::test]
async fn what_is_no_json_is_refused() {
    let server = TestServer::with_confirmation().await;
    for body in ["", "{", "null", "7", "{\"email\": \"a\" "] {
        let request = server.request(Method::POST, "/signup").body(body);
        server.send(request).await.assert_error(400, "bad_json");
    }
    // The content type is ignored, as in GoTrue.
    let plain = server.request(Method::POST, "/recover").body(r#"{"email":"a@b.test"}"#);
    server.send(plain).await.ok();
}

#[tokio::test]
async fn a_query_that_names_a_parameter_twice_is_refused() {
    let server = TestServer::without_confirmation().await;
    let session = server.confirmed_account("asha@example.test").await;
    let (password, refresh_token) = (PASSWORD, session.text("/refresh_token"));
    let body = json!({
        "email": "asha@example.test", "password": password, "refresh_token": refresh_token,
    });
    for path in [
        "/token?grant_type=refresh_token&grant_type=password",
        "/token?grant_type=password&grant_type=refresh_token",
        "/token?grant_type=password&grant_type=password",
        "/token?grant_type=refresh_token&grant%5Ftype=password",
        "/signup?grant_type=refresh_token&grant_type=refresh_token",
        "/recover?x&x",
        "/verify?redirect_to=https://sukoon.example/&redirect_to=https://sukoon.example/faq",
        "/nothing?a=1&b=2&a=3",
    ] {
        let answer = server.post(path, body.clone()).await;
        answer.assert_error(400, "validation_failed");
        assert_eq!(answer.text("/message"), "Each query parameter may be given only once");
    }
    server.post("/token?grant_type=password&redirect_to=x", body.clone()).await.ok();
    server.post("/token?grant_type=refresh_token", body).await.ok();
}

#[tokio::test]
async fn a_database_that_does_not_answer_is_no_reason_to_sign_people_out() {
    let server = TestServer::without_confirmation().await;
    let session = server.confirmed_account("asha@example.test").await;
    server.app.store.pool().close().await;
    let answer = server.refresh(&session.text("/refresh_token")).await;
    answer.assert_error(503, "unexpected_failure");
    assert_eq!(answer.text("/message"), runtime::status::UNAVAILABLE_MESSAGE);
    let answer = server.user(&session.text("/access_token")).await;
    answer.assert_error(503, "unexpected_failure");
    let old = reqwest_client().get(format!("{}/user", server.url));
    let old = server.send(old.bearer_auth(session.text("/access_token"))).await;
    assert_eq!((old.status.as_u16(), &old.body["code"]), (503, &json!(503)));
    assert!(old.body["error_id"].is_string());
}

#[tokio::test]
async fn unsupported_endpoints_answer_in_the_contracts_words() {
    let server = TestServer::with_confirmation().await;
    let token = server.confirmed_account("asha@example.test").await.text("/access_token");
    let id = "00000000-0000-7000-8000-000000000000";
    let (factor, challenge) = (format!("/factors/{id}"), format!("/factors/{id}/challenge"));
    let (verify, identity) = (format!("/factors/{id}/verify"), format!("/user/identities/{id}"));
    let calls: Vec<(Method, &str, Value, u16, &str)> = vec![
        (Method::GET, "/authorize?provider=google", json!({}), 400, "validation_failed"),
        (Method::POST, "/otp", json!({ "phone": "+91" }), 400, "phone_provider_disabled"),
        (Method::POST, "/otp", json!({}), 400, "validation_failed"),
        (Method::POST, "/sso", json!({ "domain": "x.test" }), 404, "saml_provider_disabled"),
        (
            Method::GET,
            "/user/identities/authorize?provider=x",
            json!({}),
            404,
            "manual_linking_disabled",
        ),
        (Method::DELETE, &identity, json!({}), 404, "manual_linking_disabled"),
        (
            Method::POST,
            "/factors",
            json!({ "factor_type": "phone" }),
            422,
            "mfa_phone_enroll_not_enabled",
        ),
        (Method::POST, "/factors", json!({}), 400, "validation_failed"),
        (Method::POST, &challenge, json!({}), 404, "mfa_factor_not_found"),
        (Method::POST, &verify, json!({ "code": "123456" }), 404, "mfa_factor_not_found"),
        (Method::DELETE, &factor, json!({}), 404, "mfa_factor_not_found"),
        (Method::DELETE, "/factors/x", json!({}), 404, "validation_failed"),
        (
            Method::POST,
            "/resend",
            json!({ "type": "sms", "phone": "+91" }),
            400,
            "phone_provider_disabled",
        ),
    ];
    for (method, path, body, status, code) in calls {
        let answer = server.call(method.clone(), path, &token, body).await;
        assert_eq!(answer.status, status, "{method} {path} {}", answer.body);
        answer.assert_error(status, code);
    }
    for (method, path) in [
        (Method::GET, "/reauthenticate"),
        (Method::POST, "/reauthenticate"),
        (Method::POST, "/factors"),
        (Method::DELETE, factor.as_str()),
        (Method::DELETE, identity.as_str()),
    ] {
        let answer = server.send(server.request(method, path).json(&json!({}))).await;
        answer.assert_error(401, "no_authorization");
    }
}

#[tokio::test]
async fn unknown_paths_are_not_found_with_a_token_either() {
    let server = TestServer::without_confirmation().await;
    let token = server.confirmed_account("asha@example.test").await.text("/access_token");
    for path in ["/", "/admin", "/admin/oauth/clients", "/auth/v1/user", "/user/", "/nothing"] {
        assert_eq!(server.get(path).await.status, 404, "{path}");
        let answer = server.call(Method::POST, path, &token, json!({})).await;
        assert_eq!(answer.status, 404, "{path}");
    }
    assert_eq!(server.get("/signup").await.status, 405);
}

#[tokio::test]
async fn settings_and_health_are_public() {
    for (confirming, server) in [
        (true, TestServer::with_confirmation().await),
        (false, TestServer::without_confirmation().await),
    ] {
        let settings = server.get("/settings").await.ok().body;
        assert_eq!(settings["mailer_autoconfirm"], !confirming);
        let external = settings["external"].as_object().unwrap();
        assert_eq!(external.len(), 26);
        assert!(external.iter().all(|(name, on)| *on == json!(name == "email")));
        assert_eq!(settings["disable_signup"], false);
        let openid = server.get("/.well-known/openid-configuration").await.ok();
        assert_eq!(openid.headers["cache-control"], "public, max-age=600");
        assert_eq!(openid.text("/issuer"), "https://sukoon.example/auth/v1");
        let jwks = "https://sukoon.example/auth/v1/.well-known/jwks.json";
        assert_eq!(openid.text("/jwks_uri"), jwks);
        assert!(server.get("/health").await.ok().body["version"].is_string());
    }
}
