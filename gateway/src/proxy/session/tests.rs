//! Tests of the session cookie's rules.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, Method, StatusCode, header};
use serde_json::{Value, json};

use super::{
    Operation, PLACEHOLDER, SessionCookie, Transport, Unreadable, check_head, ends_session,
};

fn site(public: &str) -> SessionCookie {
    SessionCookie::new(&public.parse().unwrap())
}

fn headers(pairs: &[(&'static str, &str)]) -> HeaderMap {
    let pairs =
        pairs.iter().map(|(name, value)| (HeaderName::from_static(name), value.parse().unwrap()));
    pairs.collect()
}

fn taken(answer: &Value) -> (Value, Option<String>) {
    let bytes = Bytes::from(answer.to_string());
    let (body, cookie) = site("https://sukoon.example").take_session(bytes).unwrap();
    let cookie = cookie.map(|cookie| cookie.to_str().unwrap().to_owned());
    (serde_json::from_slice(&body).unwrap(), cookie)
}

#[test]
fn a_session_leaves_its_refresh_token_in_the_cookie() {
    let (body, cookie) = taken(&json!({
        "access_token": "a.b.c",
        "refresh_token": "r1",
        "expires_in": 3600,
        "expires_at": 1_800_000_000,
        "provider_token": "p",
        "provider_refresh_token": "p2",
        "user": { "id": "u1" },
    }));
    let expected = json!({
        "access_token": "a.b.c",
        "refresh_token": PLACEHOLDER,
        "expires_in": 600,
        "user": { "id": "u1" },
    });
    assert_eq!(body, expected);
    let attributes = "Path=/; Max-Age=2592000; HttpOnly; SameSite=Strict; Secure";
    assert_eq!(cookie.unwrap(), format!("__Host-session=r1; {attributes}"));
    let (body, _) = taken(&json!({ "refresh_token": "r", "expires_in": 300 }));
    assert_eq!(body["expires_in"], 300);
}

#[test]
fn what_a_person_writes_about_themselves_is_no_session() {
    let own = json!({ "access_token": "a", "refresh_token": "forged" });
    let user = json!({ "id": "u1", "user_metadata": own });
    assert_eq!(taken(&user), (user, None));
    let cookie = site("https://sukoon.example");
    for other in ["", "[1]", "null", "no JSON", "{}"] {
        let (body, set) = cookie.take_session(Bytes::from(other)).unwrap();
        assert_eq!((body.as_ref(), set), (other.as_bytes(), None));
    }
}

#[test]
fn a_token_that_no_cookie_can_hold_is_not_passed_on() {
    let cookie = site("https://sukoon.example");
    let long = "x".repeat(4000);
    for odd in [json!("a; Domain=x"), json!("a\nb"), json!(""), json!(7), json!(long)] {
        let answer = Bytes::from(json!({ "refresh_token": odd }).to_string());
        assert!(cookie.take_session(answer).is_err(), "{odd}");
    }
    assert_eq!(check_head(&headers(&[("content-type", "application/json")])), Ok(()));
    for (name, value) in [
        ("content-encoding", "gzip"),
        ("location", "https://sukoon.example/#access_token=a&refresh_token=r"),
    ] {
        assert!(matches!(check_head(&headers(&[(name, value)])), Err(Unreadable(_))), "{name}");
    }
}

#[test]
fn only_the_placeholder_is_replaced() {
    let cookie = site("http://127.0.0.1:8080");
    let with = headers(&[("cookie", "admin=g; session-8080=r7; session-9090=other")]);
    let body = |token: &str| Bytes::from(json!({ "refresh_token": token, "x": 1 }).to_string());
    let sent = cookie.refresh_body(&with, body(PLACEHOLDER)).unwrap();
    let sent: Value = serde_json::from_slice(&sent).unwrap();
    assert_eq!(sent, json!({ "refresh_token": "r7", "x": 1 }));
    assert_eq!(cookie.refresh_body(&with, body("an older page's")), Some(body("an older page's")));
    assert_eq!(cookie.refresh_body(&with, Bytes::from("[]")), Some(Bytes::from("[]")));
    for none in ["session=r7", "__Host-session-8080=r7", "session-8080="] {
        let without = headers(&[("cookie", none)]);
        assert_eq!(cookie.refresh_body(&without, body(PLACEHOLDER)), None, "{none}");
    }
}

#[test]
fn only_our_own_pages_have_the_cookie() {
    let cookie = site("https://sukoon.example");
    let asked = |more: &[(&'static str, &str)]| {
        let mut all = headers(&[("x-session-transport", "cookie")]);
        all.extend(headers(more));
        cookie.transport(&Method::GET, &all)
    };
    let own = ("origin", "https://sukoon.example");
    let evil = ("origin", "https://evil.example");
    assert_eq!(cookie.transport(&Method::POST, &HeaderMap::new()), Transport::Plain);
    let phone = [("host", "192.168.1.5:8080"), ("origin", "http://192.168.1.5:8080")];
    for good in [&[own] as &[_], &[("sec-fetch-site", "same-origin")], &phone, &[]] {
        assert_eq!(asked(good), Transport::Cookie, "{good:?}");
    }
    for bad in [
        &[evil] as &[_],
        &[("origin", "null")],
        &[("host", "192.168.1.5:8080"), ("origin", "http://192.168.1.5:9090")],
        &[("host", "null"), ("origin", "null")],
        &[own, evil],
        &[own, ("sec-fetch-site", "same-site")],
        &[own, ("sec-fetch-site", "cross-site")],
        &[("sec-fetch-site", "none")],
        &[("sec-fetch-site", "same-origin"), ("sec-fetch-site", "cross-site")],
    ] {
        assert!(matches!(asked(bad), Transport::Rejected(_)), "{bad:?}");
    }
    let unknown = headers(&[("x-session-transport", "storage")]);
    assert!(matches!(cookie.transport(&Method::GET, &unknown), Transport::Rejected(_)));
}

#[test]
fn a_request_by_the_cookie_is_json() {
    let cookie = site("https://sukoon.example");
    let post = |kind: Option<&str>| {
        let mut all = headers(&[("x-session-transport", "cookie")]);
        all.extend(kind.map(|kind| (header::CONTENT_TYPE, kind.parse().unwrap())));
        cookie.transport(&Method::POST, &all)
    };
    for good in ["application/json", "application/json;charset=UTF-8", "Application/JSON"] {
        assert_eq!(post(Some(good)), Transport::Cookie);
    }
    for bad in [None, Some("text/plain"), Some("application/x-www-form-urlencoded")] {
        assert!(matches!(post(bad), Transport::Rejected(_)), "{bad:?}");
    }
}

#[test]
fn only_a_final_refusal_ends_the_session() {
    let ends = |status: u16, error: Value| {
        ends_session(StatusCode::from_u16(status).unwrap(), error.to_string().as_bytes())
    };
    for code in ["refresh_token_not_found", "refresh_token_already_used", "session_expired"] {
        assert!(ends(400, json!({ "code": code })), "{code}");
        assert!(ends(403, json!({ "code": 403, "error_code": code })), "{code}");
    }
    assert!(ends(400, json!({ "error": "invalid_grant" })), "a server without codes");
    assert!(ends(400, json!({ "code": "user_banned" })));
    for (status, code) in [
        (429, "over_request_rate_limit"),
        (500, "refresh_token_not_found"),
        (503, "service_unavailable"),
        (504, "request_timeout"),
        (401, "no_authorization"),
        (409, "conflict"),
    ] {
        assert!(!ends(status, json!({ "code": code })), "{status} {code}");
    }
    assert!(!ends_session(StatusCode::BAD_REQUEST, b"<html>a proxy's page</html>"));
}

#[test]
fn a_sign_out_of_other_devices_leaves_this_one() {
    let of = |method: Method, path: &str, query: &str| Operation::of(&method, path, query, false);
    for query in ["", "scope=global", "scope=local"] {
        assert_eq!(of(Method::POST, "/logout", query), Operation::SignOut, "{query}");
    }
    for (path, query) in [("/logout", "scope=others"), ("/logout", "scope=x"), ("/user", "")] {
        assert_eq!(of(Method::POST, path, query), Operation::Other, "{path}?{query}");
    }
    assert_eq!(of(Method::GET, "/logout", ""), Operation::Other);
    assert_eq!(of(Method::POST, "/factors/f1/verify", ""), Operation::Raise);
    let refresh = Operation::of(&Method::POST, "/token", "grant_type=refresh_token", true);
    assert_eq!(refresh, Operation::Refresh);
}
