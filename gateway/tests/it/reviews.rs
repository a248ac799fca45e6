//! Reviews: access to each call, forwarding of the admin panel's grant, and the status of each
//! review's document.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use contract::common::v1::ErrorDetail;
use http::StatusCode;
use prost::Message as _;
use reqwest::{RequestBuilder, Response};
use serde_json::{Value, json};

use crate::backends::reviews::{BROKEN, DELETED, GRANT, KNOWN, PASSWORD, SLOW, TEXT};
use crate::harness::{TestGateway, TestOptions, rate_limit, token};

const OPEN: &[&str] = &["SubmitReview", "ListReviews", "GetReview", "GetStatistics", "CheckBadge"];
const PANEL: &[&str] = &[
    "GetModeration",
    "Lock",
    "ListStaffReviews",
    "DeleteReview",
    "RestoreReview",
    "ListParkedEvents",
    "RetryParkedEvents",
];
const HEADERS: [&str; 2] = ["x-moderation-grant", "x-caller-address"];

fn open(gateway: &TestGateway, method: &str) -> RequestBuilder {
    gateway.call(&format!("reviews.v1.ReviewsService/{method}"), &json!({}))
}

fn panel(gateway: &TestGateway, method: &str) -> RequestBuilder {
    gateway.call(&format!("reviews.v1.ReviewsStaffService/{method}"), &json!({}))
}

fn unlock(gateway: &TestGateway, password: &str) -> RequestBuilder {
    let method = "reviews.v1.ReviewsStaffService/Unlock";
    gateway.call(method, &json!({ "password": password }))
}

async fn reason(answer: Response) -> String {
    let error: Value = answer.json().await.unwrap();
    let value = error["details"][0]["value"].as_str().unwrap();
    let detail = STANDARD_NO_PAD.decode(value).unwrap();
    ErrorDetail::decode(detail.as_slice()).unwrap().reason
}

#[tokio::test]
async fn reviews_need_no_account() {
    let gateway = TestGateway::new().await;
    for method in OPEN {
        let answer = open(&gateway, method).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK, "{method}");
        assert_eq!(answer.headers()["cache-control"], "no-store");
        assert_eq!(gateway.grpc.seen.last("authorization"), None);
        let token = token();
        open(&gateway, method).bearer_auth(&token).send().await.unwrap();
        assert_eq!(gateway.grpc.seen.last("authorization"), Some(format!("Bearer {token}")));
    }
    let path = "/rpc/reviews.v1.ReviewsService/ListReviews?connect=v1&encoding=json&message=%7B%7D";
    let read = gateway.get(path).await;
    assert_eq!(read.status(), StatusCode::OK);
    assert_eq!(read.headers()["cache-control"], "no-store", "a deleted review is gone at once");
}

#[tokio::test]
async fn the_grant_reaches_the_browser_as_a_cookie_and_nowhere_else() {
    let gateway = TestGateway::new().await;
    let answer = unlock(&gateway, PASSWORD).bearer_auth(token()).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    let cookie = format!("admin={GRANT}; Path=/; Max-Age=1800; HttpOnly; SameSite=Strict");
    assert_eq!(answer.headers()["set-cookie"], cookie);
    assert_eq!(answer.headers()["cache-control"], "no-store");
    assert!(!answer.text().await.unwrap().contains(GRANT));
    let seen = &gateway.grpc.seen;
    assert_eq!(seen.last("authorization"), Some(format!("Bearer {}", token())));
    assert_eq!(seen.last("x-caller-address"), Some("127.0.0.1".to_owned()));

    let wrong = unlock(&gateway, "wrong").send().await.unwrap();
    assert_eq!(wrong.status(), StatusCode::FORBIDDEN);
    assert!(!wrong.headers().contains_key("set-cookie"));
    let odd = unlock(&gateway, "a cookie of its own").send().await.unwrap();
    assert_eq!(odd.status(), StatusCode::INTERNAL_SERVER_ERROR);
    assert!(!odd.headers().contains_key("set-cookie"));
}

#[tokio::test]
async fn over_https_the_cookie_belongs_to_this_host_alone() {
    let public = "https://sukoon.example".to_owned();
    let gateway = TestGateway::with_options(TestOptions { public, ..TestOptions::default() }).await;
    let answer = unlock(&gateway, PASSWORD).send().await.unwrap();
    let cookie =
        format!("__Host-admin={GRANT}; Path=/; Max-Age=1800; HttpOnly; SameSite=Strict; Secure");
    assert_eq!(answer.headers()["set-cookie"], cookie);
    let with = |cookie: &str| panel(&gateway, "DeleteReview").header("cookie", cookie.to_owned());
    with(&format!("__Host-admin={GRANT}")).send().await.unwrap();
    assert_eq!(gateway.grpc.seen.last(HEADERS[0]), Some(GRANT.to_owned()));
    with(&format!("admin={GRANT}")).send().await.unwrap();
    assert_eq!(gateway.grpc.seen.last(HEADERS[0]), None, "anybody under the domain can set it");
}

#[tokio::test]
async fn the_panels_calls_carry_the_grant_of_the_cookie_and_no_others_do() {
    let gateway = TestGateway::new().await;
    let cookie = format!("theme=dark; admin={GRANT}");
    let seen = &gateway.grpc.seen;
    for method in PANEL {
        let call = panel(&gateway, method).bearer_auth(token()).header("cookie", &cookie);
        let call = call.header(HEADERS[0], "forged").header(HEADERS[1], "192.0.2.9");
        let answer = call.send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK, "{method}");
        assert_eq!(answer.headers()["cache-control"], "no-store");
        assert_eq!(seen.last(HEADERS[0]), Some(GRANT.to_owned()), "{method}");
        assert_eq!(seen.last(HEADERS[1]), None, "{method}");
        assert_eq!(seen.last("authorization"), Some(format!("Bearer {}", token())));
        assert_eq!(seen.last("cookie"), None);
        let forged = panel(&gateway, method).header(HEADERS[0], "forged").send().await.unwrap();
        assert_eq!(forged.status(), StatusCode::OK, "{method}");
        assert_eq!(seen.last(HEADERS[0]), None, "a client may not name its grant itself");
    }
    let forged = unlock(&gateway, PASSWORD).header(HEADERS[1], "192.0.2.9");
    forged.send().await.unwrap();
    assert_eq!(seen.last(HEADERS[1]), Some("127.0.0.1".to_owned()));
    let others = ["reviews.v1.ReviewsService/ListReviews", "booking.v1.BookingService/GetBooking"];
    for method in others {
        let call = gateway.call(method, &json!({})).bearer_auth(token()).header("cookie", &cookie);
        let call = call.header(HEADERS[0], "forged").header(HEADERS[1], "192.0.2.9");
        assert_eq!(call.send().await.unwrap().status(), StatusCode::OK, "{method}");
        assert_eq!((seen.last(HEADERS[0]), seen.last(HEADERS[1])), (None, None), "{method}");
    }
    // The identity server, which may be a third party's, doesn't get it either.
    let user = gateway.client.get(gateway.url("/auth/v1/user")).header("cookie", &cookie);
    user.send().await.unwrap();
    let error = gateway.identity.http.lock().unwrap();
    assert!(!error.last().unwrap().1.contains_key("cookie"));
}

#[tokio::test]
async fn locking_clears_the_grant_even_if_the_service_is_down() {
    let gone = "admin=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict";
    let gateway = TestGateway::new().await;
    let answer = panel(&gateway, "Lock").send().await.unwrap();
    assert_eq!(answer.headers()["set-cookie"], gone);
    let gateway =
        TestGateway::with_options(TestOptions { without_services: true, ..TestOptions::default() })
            .await;
    let answer = panel(&gateway, "Lock").send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(answer.headers()["set-cookie"], gone);
}

#[tokio::test]
async fn other_sites_cannot_use_the_panel() {
    let gateway = TestGateway::new().await;
    let foreign = [
        ("sec-fetch-site", "cross-site"),
        ("sec-fetch-site", "same-site"),
        ("origin", "https://evil.example"),
        ("origin", "null"),
    ];
    for (name, value) in foreign {
        for method in PANEL {
            let call = panel(&gateway, method).header(name, value);
            let answer = call.header("cookie", format!("admin={GRANT}")).send().await.unwrap();
            assert_eq!(answer.status(), StatusCode::FORBIDDEN, "{method} {value}");
            assert!(!answer.headers().contains_key("set-cookie"));
            assert_eq!(reason(answer).await, "CROSS_SITE");
        }
        let answer = unlock(&gateway, PASSWORD).header(name, value).send().await.unwrap();
        assert_eq!(reason(answer).await, "CROSS_SITE");
    }
    assert_eq!(gateway.grpc.seen.last("user-agent"), None, "reviews was asked");
    let own = panel(&gateway, "DeleteReview").header("sec-fetch-site", "same-origin");
    let own = own.header("origin", "http://127.0.0.1:8080").send().await.unwrap();
    assert_eq!(own.status(), StatusCode::OK);
}

#[tokio::test]
async fn submitting_and_unlocking_have_their_own_limits() {
    let mut options = TestOptions { trust_proxy: true, ..TestOptions::default() };
    options.rate_limits.reviews = rate_limit(2, 1);
    options.rate_limits.sign_in = rate_limit(1, 1);
    let gateway = TestGateway::with_options(options).await;
    let from = |address: &'static str, call: RequestBuilder| {
        call.header("x-forwarded-for", address).send()
    };
    for _ in 0..2 {
        let answer = from("192.0.2.1", open(&gateway, "SubmitReview")).await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
    }
    let answer = from("192.0.2.1", open(&gateway, "SubmitReview")).await.unwrap();
    assert_eq!(answer.status(), StatusCode::TOO_MANY_REQUESTS);
    assert!(answer.headers().contains_key("retry-after"));
    assert_eq!(reason(answer).await, "TOO_MANY_REQUESTS");
    // Reads don't count for it, and other addresses are not affected.
    let read = from("192.0.2.1", open(&gateway, "ListReviews")).await.unwrap();
    assert_eq!(read.status(), StatusCode::OK);
    let other = from("192.0.2.2", open(&gateway, "SubmitReview")).await.unwrap();
    assert_eq!(other.status(), StatusCode::OK);

    let first = from("192.0.2.1", unlock(&gateway, "wrong")).await.unwrap();
    assert_eq!(first.status(), StatusCode::FORBIDDEN);
    assert_eq!(gateway.grpc.seen.last("x-caller-address"), Some("192.0.2.1".to_owned()));
    let second = from("192.0.2.1", unlock(&gateway, "wrong")).await.unwrap();
    assert_eq!(second.status(), StatusCode::TOO_MANY_REQUESTS);
    // An IPv6 /64 counts as one address, in the service too.
    from("2001:db8::17", unlock(&gateway, "wrong")).await.unwrap();
    assert_eq!(gateway.grpc.seen.last("x-caller-address"), Some("2001:db8::".to_owned()));
}

#[tokio::test]
async fn calls_of_the_panel_without_a_grant_are_limited() {
    let mut options = TestOptions::default();
    options.rate_limits.sign_in = rate_limit(2, 1);
    let gateway = TestGateway::with_options(options).await;
    for method in ["DeleteReview", "ListStaffReviews"] {
        let answer = panel(&gateway, method).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK, "reviews itself says no");
    }
    let answer = panel(&gateway, "DeleteReview").send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::TOO_MANY_REQUESTS);
    assert_eq!(reason(answer).await, "TOO_MANY_REQUESTS");
    for method in ["GetModeration", "Lock"] {
        let answer = panel(&gateway, method).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK, "{method} writes nothing down");
    }
    let granted = panel(&gateway, "DeleteReview").header("cookie", format!("admin={GRANT}"));
    assert_eq!(granted.send().await.unwrap().status(), StatusCode::OK);
}

#[tokio::test]
async fn a_reviews_document_has_the_right_status() {
    let gateway = TestGateway::new().await;
    let documents = [
        (DELETED, StatusCode::NOT_FOUND, "Review Not Found"),
        // Without an answer the page itself shows the error.
        (SLOW, StatusCode::OK, "review"),
        (BROKEN, StatusCode::OK, "review"),
        ("rvw_1", StatusCode::NOT_FOUND, "Review Not Found"),
        ("bkg_0198c0de000070008000000000000001", StatusCode::NOT_FOUND, "Review Not Found"),
    ];
    for (id, status, title) in documents {
        let answer = gateway.get(&format!("/reviews/{id}")).await;
        assert_eq!(answer.status(), status, "{id}");
        assert_eq!(answer.headers()["content-type"], "text/html; charset=utf-8");
        assert_eq!(answer.headers()["cache-control"], "no-cache");
        assert_eq!(answer.headers().contains_key("etag"), status == StatusCode::OK);
        let address = format!("http://127.0.0.1:8080/reviews/{id}");
        let canonical = format!("<link rel=\"canonical\" href=\"{address}\">");
        let head = if status == StatusCode::OK { canonical } else { String::new() };
        assert_eq!(answer.text().await.unwrap(), format!("{head}<h1>{title}</h1>"));
    }
    let slash = gateway.get(&format!("/reviews/{KNOWN}/")).await;
    assert_eq!(slash.status(), StatusCode::PERMANENT_REDIRECT);
    assert_eq!(slash.headers()["location"], format!("/reviews/{KNOWN}"));
    for path in ["/reviews", "/reviews/a/b", "/review", "/review-not-found", "/review.html"] {
        let answer = gateway.get(path).await;
        assert_eq!(answer.status(), StatusCode::NOT_FOUND, "{path}");
        assert_eq!(answer.text().await.unwrap(), "<h1>Page Not Found</h1>");
    }
    let gateway =
        TestGateway::with_options(TestOptions { without_services: true, ..TestOptions::default() })
            .await;
    assert_eq!(gateway.get(&format!("/reviews/{DELETED}")).await.status(), StatusCode::OK);
}

#[tokio::test]
async fn a_reviews_document_holds_its_escaped_text() {
    let gateway = TestGateway::new().await;
    let answer = gateway.get(&format!("/reviews/{KNOWN}")).await;
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.headers()["content-type"], "text/html; charset=utf-8");
    let text = answer.text().await.unwrap();
    let address = format!("href=\"http://127.0.0.1:8080/reviews/{KNOWN}\"");
    assert!(text.contains(&address), "{text}");
    assert!(text.contains("<h1>Asha on Healing</h1>") && text.contains("<b>5</b>"), "{text}");
    let (words, block) = text.split_once("<script type=\"application/json\">").unwrap();
    assert!(words.contains("<p>Quiet &lt;&#x2f;script&gt;"), "{words}");
    let block: Value = serde_json::from_str(block.strip_suffix("</script>").unwrap()).unwrap();
    assert_eq!(block["review"]["text"], TEXT);
    for file in ["/review-words.html", "/review-words", "/review-marks.json"] {
        assert_eq!(gateway.get(file).await.status(), StatusCode::NOT_FOUND, "{file}");
    }
}

#[tokio::test]
async fn a_cached_document_is_valid_for_one_review_only() {
    let gateway = TestGateway::new().await;
    let asked = |id: &str, tag: &str| {
        let url = gateway.url(&format!("/reviews/{id}"));
        let request = gateway.client.get(url).header("if-none-match", tag);
        request.header("accept-encoding", "gzip").send()
    };
    let first = gateway.get(&format!("/reviews/{KNOWN}")).await;
    let tag = first.headers()["etag"].to_str().unwrap().to_owned();
    assert_eq!(asked(KNOWN, &tag).await.unwrap().status(), StatusCode::NOT_MODIFIED);
    assert_eq!(asked(BROKEN, &tag).await.unwrap().status(), StatusCode::OK);
}
