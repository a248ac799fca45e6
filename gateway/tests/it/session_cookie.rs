//! The session of our own pages, in front of a GoTrue server whose refresh tokens rotate.

use http::StatusCode;
use http::header::{CACHE_CONTROL, SET_COOKIE};
use serde_json::{Value, json};

use crate::backends::gotrue::GoTrue;
use crate::harness::{TestGateway, TestOptions};

const TRANSPORT: &str = "x-session-transport";
const PLACEHOLDER: &str = "kept-in-a-cookie";
const REFRESH: &str = "token?grant_type=refresh_token";
const PASSWORD: &str = "token?grant_type=password";

/// A browser on a page of ours: it has the cookie, and the page does not.
struct Browser {
    gateway: TestGateway,
    server: GoTrue,
    cookie: Option<String>,
}

struct Answer {
    status: StatusCode,
    /// The `Set-Cookie` headers.
    set: Vec<String>,
    body: Value,
}

impl Browser {
    async fn new() -> Self {
        let (url, server) = GoTrue::start().await;
        let options = TestOptions { identity: Some(url), ..TestOptions::default() };
        let gateway = TestGateway::with_options(options).await;
        Self { gateway, server, cookie: None }
    }

    async fn signed_in() -> Self {
        let mut browser = Self::new().await;
        browser.post(PASSWORD, &json!({ "email": "a@b.example", "password": "x" })).await;
        assert_eq!(browser.cookie.as_deref(), Some("session-8080=r1"));
        browser
    }

    fn request(&self, path: &str, body: &Value) -> reqwest::RequestBuilder {
        let request = self.gateway.client.post(self.gateway.url(&format!("/auth/v1/{path}")));
        let request = request.header(TRANSPORT, "cookie").header("sec-fetch-site", "same-origin");
        let request = request.header("accept-encoding", "gzip, br").json(body);
        match &self.cookie {
            Some(cookie) => request.header("cookie", format!("theme=dark; {cookie}")),
            None => request,
        }
    }

    async fn post(&mut self, path: &str, body: &Value) -> Answer {
        let answer = self.request(path, body).send().await.unwrap();
        let answer = read(answer).await;
        for set in &answer.set {
            assert!(set.contains("; Path=/; "), "{set}");
            assert!(set.ends_with("; HttpOnly; SameSite=Strict"), "{set}");
            let (pair, _) = set.split_once(';').unwrap();
            self.cookie = (!pair.ends_with('=')).then(|| pair.to_owned());
        }
        answer
    }

    async fn refresh(&mut self) -> Answer {
        self.post(REFRESH, &json!({ "refresh_token": PLACEHOLDER })).await
    }
}

async fn read(answer: reqwest::Response) -> Answer {
    let set = answer.headers().get_all(SET_COOKIE).iter();
    let set = set.map(|set| set.to_str().unwrap().to_owned()).collect();
    if answer.status().is_success() {
        assert_eq!(answer.headers()[CACHE_CONTROL], "no-store");
    }
    let status = answer.status();
    let text = answer.text().await.unwrap();
    Answer { status, set, body: serde_json::from_str(&text).unwrap_or_default() }
}

#[tokio::test]
async fn every_answer_with_a_session_leaves_its_refresh_token_in_the_cookie() {
    for path in [
        PASSWORD,
        "token?grant_type=pkce",
        "token?grant_type=id_token",
        "signup",
        "verify",
        "factors/f1/verify",
        "passkeys/verify",
    ] {
        let mut browser = Browser::new().await;
        let answer = browser.post(path, &json!({})).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        assert_eq!(answer.set.len(), 1, "the server's own cookies stay behind: {:?}", answer.set);
        assert_eq!(browser.cookie.as_deref(), Some("session-8080=r1"), "{path}");
        assert_eq!(answer.body["refresh_token"], PLACEHOLDER, "{path}");
        assert_eq!(answer.body["access_token"], "an.access.token");
        assert_eq!(
            (&answer.body["expires_in"], &answer.body["expires_at"]),
            (&json!(600), &Value::Null)
        );
        assert_eq!(answer.body["user"]["user_metadata"]["refresh_token"], "mine");
    }
}

#[tokio::test]
async fn a_refresh_takes_the_token_from_the_cookie() {
    let mut browser = Browser::signed_in().await;
    for number in 2..4 {
        let answer = browser.refresh().await;
        assert_eq!(
            (answer.status, &answer.body["refresh_token"]),
            (StatusCode::OK, &json!(PLACEHOLDER))
        );
        assert_eq!(browser.cookie, Some(format!("session-8080=r{number}")));
        assert!(answer.set[0].contains("; Max-Age=2592000; "), "{:?}", answer.set);
    }
    let (path, headers, body) = browser.server.last();
    assert_eq!(
        (path.as_str(), body),
        ("/token?grant_type=refresh_token", json!({ "refresh_token": "r2" }))
    );
    for not_sent in [TRANSPORT, "cookie", "accept-encoding"] {
        assert!(!headers.contains_key(not_sent), "{not_sent}");
    }
}

#[tokio::test]
async fn the_plain_contract_is_unchanged_without_the_header() {
    let (url, server) = GoTrue::start().await;
    let options = TestOptions { identity: Some(url), ..TestOptions::default() };
    let gateway = TestGateway::with_options(options).await;
    let post = async |path: &str, body: Value| {
        let request = gateway.client.post(gateway.url(&format!("/auth/v1/{path}")));
        let request = request.header("origin", "https://another.example");
        // A cookie of our pages does not help a program that speaks the plain contract.
        let answer = request.header("cookie", "session-8080=r9").json(&body).send().await;
        read(answer.unwrap()).await
    };
    let answer = post(PASSWORD, json!({})).await;
    assert_eq!((answer.set.len(), &answer.body["refresh_token"]), (0, &json!("r1")));
    assert_eq!(answer.body["expires_in"], 3600);
    assert_eq!(answer.body["expires_at"], 4_000_000_000_u32);
    let answer = post(REFRESH, json!({ "refresh_token": "r1" })).await;
    assert_eq!((answer.set.len(), &answer.body["refresh_token"]), (0, &json!("r2")));
    let answer = post(REFRESH, json!({ "refresh_token": PLACEHOLDER })).await;
    assert_eq!((answer.status, answer.set.len()), (StatusCode::BAD_REQUEST, 0));
    assert_eq!(server.last().2, json!({ "refresh_token": PLACEHOLDER }));
}

#[tokio::test]
async fn a_session_that_an_older_page_left_in_storage_is_handed_over() {
    let mut browser = Browser::new().await;
    let plain = browser.gateway.client.post(browser.gateway.url("/auth/v1/signup"));
    let old = read(plain.json(&json!({})).send().await.unwrap()).await.body;
    assert_eq!((&old["refresh_token"], &browser.cookie), (&json!("r1"), &None));
    let answer = browser.post(REFRESH, &json!({ "refresh_token": old["refresh_token"] })).await;
    assert_eq!(answer.body["refresh_token"], PLACEHOLDER);
    assert_eq!(browser.cookie.as_deref(), Some("session-8080=r2"));
    assert_eq!(browser.refresh().await.status, StatusCode::OK);
}

#[tokio::test]
async fn an_answer_that_was_lost_and_two_tabs_at_once_end_no_session() {
    let mut browser = Browser::signed_in().await;
    let body = json!({ "refresh_token": PLACEHOLDER });
    // The server rotates, and the browser never gets the answer with the new cookie.
    browser.request(REFRESH, &body).send().await.unwrap();
    assert_eq!(
        (browser.server.active(), browser.cookie.as_deref()),
        (Some(2), Some("session-8080=r1"))
    );
    assert_eq!(browser.refresh().await.status, StatusCode::OK);
    assert_eq!(browser.cookie.as_deref(), Some("session-8080=r2"));

    let (one, other) = (browser.request(REFRESH, &body), browser.request(REFRESH, &body));
    let (one, other) = tokio::join!(one.send(), other.send());
    for answer in [one, other] {
        let answer = read(answer.unwrap()).await;
        assert_eq!(answer.status, StatusCode::OK);
        assert!(answer.set[0].starts_with("session-8080=r3;"), "{:?}", answer.set);
    }
}

#[tokio::test]
async fn only_a_final_refusal_of_a_refresh_removes_the_cookie() {
    let mut browser = Browser::signed_in().await;
    for status in [429, 500, 502, 503, 504] {
        browser.server.fail_with(Some(status));
        let answer = browser.refresh().await;
        assert_eq!((answer.status.as_u16(), answer.set.len()), (status, 0));
    }
    browser.server.fail_with(None);
    let stale = browser.cookie.clone();
    browser.refresh().await;
    browser.refresh().await;
    browser.cookie = stale;
    let answer = browser.refresh().await;
    assert_eq!(answer.body["error_code"], "refresh_token_already_used");
    assert_eq!((answer.status, browser.cookie.as_deref()), (StatusCode::BAD_REQUEST, None));

    let before = browser.server.count();
    let answer = browser.refresh().await;
    assert_eq!(answer.body["error_code"], "refresh_token_not_found");
    assert_eq!(browser.server.count(), before, "without a cookie there is nothing to ask");
}

#[tokio::test]
async fn a_sign_out_removes_the_cookie_whatever_the_server_says() {
    for (scope, removed) in [("", true), ("?scope=local", true), ("?scope=others", false)] {
        for failing in [None, Some(401), Some(429), Some(500), Some(503)] {
            let mut browser = Browser::signed_in().await;
            browser.server.fail_with(failing);
            let answer = browser.post(&format!("logout{scope}"), &json!({})).await;
            assert_eq!(answer.status.as_u16(), failing.unwrap_or(204));
            assert_eq!(browser.cookie.is_none(), removed, "{scope} {failing:?}");
        }
    }
    let gone = TestOptions { without_services: true, ..TestOptions::default() };
    let mut browser = Browser::signed_in().await;
    browser.gateway = TestGateway::with_options(gone).await;
    let answer = browser.refresh().await;
    assert_eq!((answer.status, answer.set.len()), (StatusCode::SERVICE_UNAVAILABLE, 0));
    let answer = browser.post("logout?scope=local", &json!({})).await;
    assert_eq!((answer.status, browser.cookie), (StatusCode::SERVICE_UNAVAILABLE, None));
}

#[tokio::test]
async fn signing_in_ends_the_session_that_the_browser_had() {
    for path in [PASSWORD, "token?grant_type=pkce", "signup", "verify", "passkeys/verify"] {
        let mut browser = Browser::signed_in().await;
        let answer = browser.post(path, &json!({})).await;
        assert_eq!(answer.status, StatusCode::OK, "{path}");
        assert_eq!(browser.cookie.as_deref(), Some("session-8080=r2"), "{path}");
        browser.server.sign_out_arrives().await;
        let (active, earlier) = (browser.server.active(), browser.server.earlier());
        assert_eq!((active, earlier), (Some(2), vec![]), "{path}");
        assert_eq!(browser.refresh().await.status, StatusCode::OK);
    }
}

#[tokio::test]
async fn only_a_sign_in_of_this_browser_ends_its_earlier_session() {
    // A second factor goes on with the session, and a refusal begins none.
    let mut browser = Browser::signed_in().await;
    browser.post("factors/f1/verify", &json!({})).await;
    browser.server.fail_with(Some(400));
    browser.post(PASSWORD, &json!({})).await;
    browser.server.fail_with(None);
    assert_eq!((browser.server.active(), browser.server.count()), (Some(1), 3));
    // A client of the plain contract has no part in the cookie.
    let plain = browser.gateway.client.post(browser.gateway.url(&format!("/auth/v1/{PASSWORD}")));
    let plain = plain.header("cookie", "session-8080=r1").json(&json!({}));
    assert_eq!(read(plain.send().await.unwrap()).await.status, StatusCode::OK);
    let user = browser.gateway.client.get(browser.gateway.url("/auth/v1/user"));
    user.send().await.unwrap();
    assert_eq!((browser.server.earlier(), browser.server.count()), (vec![1], 5));
}

#[tokio::test]
async fn other_sites_and_forms_have_no_part_in_the_cookie() {
    let browser = Browser::signed_in().await;
    let before = browser.server.count();
    let url = browser.gateway.url(&format!("/auth/v1/{REFRESH}"));
    let request = || {
        let request = browser.gateway.client.post(&url).header(TRANSPORT, "cookie");
        request.header("cookie", "session-8080=r1")
    };
    let body = json!({ "refresh_token": PLACEHOLDER }).to_string();
    let json = "application/json";
    for (name, value, kind) in [
        ("origin", "https://evil.example", json),
        ("origin", "null", json),
        ("sec-fetch-site", "cross-site", json),
        ("sec-fetch-site", "same-site", json),
        ("origin", "http://127.0.0.1:8080", "text/plain"),
        ("origin", "http://127.0.0.1:8080", "application/x-www-form-urlencoded"),
    ] {
        let request = request().header(name, value).header("content-type", kind);
        let answer = read(request.body(body.clone()).send().await.unwrap()).await;
        assert_eq!(
            (answer.status, answer.set.len()),
            (StatusCode::FORBIDDEN, 0),
            "{name}: {value}"
        );
        assert_eq!(answer.body["error_code"], "validation_failed");
    }
    assert_eq!(browser.server.count(), before);
    // Another site's page can't send the header: the browser asks before, and is not answered.
    let preflight = browser.gateway.client.request(http::Method::OPTIONS, &url);
    let answer = preflight.header("origin", "https://evil.example").send().await.unwrap();
    assert!(!answer.headers().contains_key("access-control-allow-headers"));
}

#[tokio::test]
async fn an_answer_that_cannot_be_read_is_not_passed_on() {
    let mut browser = Browser::signed_in().await;
    browser.server.compress();
    let answer = browser.refresh().await;
    assert_eq!((answer.status, answer.set.len()), (StatusCode::SERVICE_UNAVAILABLE, 0));
    assert_eq!(answer.body["error_code"], "service_unavailable");
}

#[tokio::test]
async fn over_https_no_other_host_of_the_domain_can_set_the_cookie() {
    let (url, _server) = GoTrue::start().await;
    let public = "https://sukoon.example".to_owned();
    let options = TestOptions { identity: Some(url), public, ..TestOptions::default() };
    let gateway = TestGateway::with_options(options).await;
    let sign_up = gateway.client.post(gateway.url("/auth/v1/signup")).json(&json!({}));
    let sign_up = sign_up.header(TRANSPORT, "cookie").header("origin", "https://sukoon.example");
    let answer = read(sign_up.send().await.unwrap()).await;
    let expected = "__Host-session=r1; Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure";
    assert_eq!(answer.set, [expected]);
}

#[tokio::test]
async fn other_calls_of_the_page_pass_as_they_are() {
    let browser = Browser::signed_in().await;
    let user = browser.gateway.client.get(browser.gateway.url("/auth/v1/user"));
    let user = user.header(TRANSPORT, "cookie").header("sec-fetch-site", "same-origin");
    let answer = read(user.bearer_auth("an.access.token").send().await.unwrap()).await;
    assert_eq!((answer.status, answer.set.len()), (StatusCode::OK, 0));
    assert_eq!(answer.body, json!({ "id": "u1", "email": "a@b.example" }));
    assert_eq!(browser.server.last().1["authorization"], "Bearer an.access.token");
}
