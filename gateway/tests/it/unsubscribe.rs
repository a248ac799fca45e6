//! Unsubscribing: the page for people, one-click for mail programs, and the limits of these and of
//! the forms.

use http::StatusCode;
use reqwest::Response;
use serde_json::{Value, json};

use crate::harness::{TestGateway, TestOptions, rate_limit};

const ONE_CLICK: &str = "List-Unsubscribe=One-Click";

/// The link's token; its first letter decides the backend's response.
fn secret(first: char) -> String {
    format!("{first}{}", "aZ-_09".repeat(7))
}

async fn click(gateway: &TestGateway, query: &str, body: impl Into<reqwest::Body>) -> Response {
    let post = gateway.client.post(gateway.url(&format!("/unsubscribe{query}")));
    let post = post.header("content-type", "application/x-www-form-urlencoded");
    // A mail program has no origin of ours: another site's origin is no reason to reject it.
    post.header("origin", "https://mail.example").body(body).send().await.unwrap()
}

fn asked(gateway: &TestGateway) -> Vec<String> {
    let seen = gateway.grpc.seen.http.lock().unwrap();
    seen.iter().map(|(token, ..)| token.clone()).collect()
}

async fn assert_text(answer: Response, status: StatusCode, sentence: &str) {
    assert_eq!(answer.status(), status);
    assert_eq!(answer.headers()["content-type"], "text/plain; charset=utf-8");
    assert_eq!(answer.headers()["cache-control"], "no-store");
    let body = answer.text().await.unwrap();
    assert!(body.contains(sentence), "{body}");
}

#[tokio::test]
async fn a_get_shows_the_page_and_unsubscribes_nothing() {
    let gateway = TestGateway::new().await;
    let answer = gateway.get(&format!("/unsubscribe?t={}", secret('g'))).await;
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.headers()["referrer-policy"], "no-referrer");
    assert_eq!(answer.text().await.unwrap(), "<h1>unsubscribe</h1>");
    assert_eq!(asked(&gateway), [""; 0]);
}

#[tokio::test]
async fn one_click_unsubscribes() {
    let gateway = TestGateway::new().await;
    let answer = click(&gateway, &format!("?t={}", secret('g')), ONE_CLICK).await;
    assert!(!answer.headers().contains_key("set-cookie"));
    assert_text(answer, StatusCode::OK, "no more mails").await;
    assert_eq!(asked(&gateway), [secret('g')]);
    assert!(gateway.grpc.seen.last("traceparent").is_some());
}

#[tokio::test]
async fn an_invalid_link_is_rejected() {
    let gateway = TestGateway::new().await;
    let other = format!("?t={}", secret('x'));
    for query in [other.as_str(), "?t=", "", "?t=a%20b", "?u=1"] {
        let answer = click(&gateway, query, ONE_CLICK).await;
        assert_text(answer, StatusCode::BAD_REQUEST, "not complete").await;
    }
    assert_eq!(asked(&gateway), [secret('x')], "only what may be a secret is asked about");
}

#[tokio::test]
async fn a_program_that_only_follows_links_unsubscribes_nothing() {
    let gateway = TestGateway::new().await;
    let query = format!("?t={}", secret('g'));
    for body in ["", "hello=1"] {
        assert_text(click(&gateway, &query, body).await, StatusCode::BAD_REQUEST, "browser").await;
    }
    let answer = click(&gateway, &query, "x".repeat(2000)).await;
    assert_text(answer, StatusCode::PAYLOAD_TOO_LARGE, "too large").await;
    let put =
        gateway.client.put(gateway.url(&format!("/unsubscribe{query}"))).send().await.unwrap();
    assert_eq!(put.status(), StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(put.headers()["allow"], "GET, HEAD, POST");
    assert_eq!(asked(&gateway), [""; 0]);
}

#[tokio::test]
async fn a_mail_program_gets_retry_after_when_notifications_is_down() {
    let gateway = TestGateway::new().await;
    let away =
        TestGateway::with_options(TestOptions { without_services: true, ..TestOptions::default() })
            .await;
    for (gateway, first) in [(gateway, 'd'), (away, 'g')] {
        let answer = click(&gateway, &format!("?t={}", secret(first)), ONE_CLICK).await;
        assert_eq!(answer.headers()["retry-after"], "120");
        assert_text(answer, StatusCode::SERVICE_UNAVAILABLE, "again in a few minutes").await;
    }
}

#[tokio::test]
async fn resubscribing_counts_for_the_same_limit() {
    let mut options = TestOptions::default();
    options.rate_limits.unsubscribing = rate_limit(3, 1);
    let gateway = TestGateway::with_options(options).await;
    let call = |method: &str, token: String| {
        let method = format!("notifications.v1.NotificationsService/{method}");
        gateway.call(&method, &json!({ "token": token })).send()
    };
    assert_eq!(call("Unsubscribe", secret('g')).await.unwrap().status(), StatusCode::OK);
    assert_eq!(call("Resubscribe", secret('g')).await.unwrap().status(), StatusCode::OK);
    let answer = call("Resubscribe", secret('x')).await.unwrap();
    assert_eq!(answer.status(), StatusCode::BAD_REQUEST);
    let error: Value = answer.json().await.unwrap();
    assert_eq!(error["message"], "This link is not complete.");
    for method in ["Resubscribe", "Unsubscribe"] {
        let answer = call(method, secret('g')).await.unwrap();
        assert_eq!(answer.status(), StatusCode::TOO_MANY_REQUESTS, "{method}");
    }
}

#[tokio::test]
async fn forms_and_unsubscribing_have_their_own_limits() {
    let mut options = TestOptions::default();
    options.rate_limits.forms = rate_limit(2, 1);
    options.rate_limits.unsubscribing = rate_limit(2, 1);
    let gateway = TestGateway::with_options(options).await;
    let form = |method: &str| {
        let method = format!("notifications.v1.NotificationsService/{method}");
        gateway.call(&method, &json!({ "name": "Asha" })).send()
    };
    assert_eq!(form("SendContactMessage").await.unwrap().status(), StatusCode::OK);
    assert_eq!(form("RequestMeditationGuide").await.unwrap().status(), StatusCode::OK);
    for method in ["SendContactMessage", "RequestMeditationGuide"] {
        let answer = form(method).await.unwrap();
        assert_eq!(answer.status(), StatusCode::TOO_MANY_REQUESTS, "{method}");
        assert!(answer.headers().contains_key("retry-after"));
        let error: Value = answer.json().await.unwrap();
        assert_eq!(error["code"], "resource_exhausted");
    }
    // A client over the limit of the forms can still unsubscribe, by the page's call or by
    // one-click.
    let token = json!({ "token": secret('g') });
    let call = gateway.call("notifications.v1.NotificationsService/Unsubscribe", &token);
    assert_eq!(call.send().await.unwrap().status(), StatusCode::OK);
    let query = format!("?t={}", secret('g'));
    assert_text(click(&gateway, &query, ONE_CLICK).await, StatusCode::OK, "no more mails").await;
    let answer = click(&gateway, &query, ONE_CLICK).await;
    assert!(answer.headers().contains_key("retry-after"));
    assert_text(answer, StatusCode::TOO_MANY_REQUESTS, "wait").await;
    assert_eq!(asked(&gateway).len(), 2);
}

#[tokio::test]
async fn a_forms_rejection_is_passed_on_unchanged() {
    let gateway = TestGateway::new().await;
    let call = gateway.call("notifications.v1.NotificationsService/SendContactMessage", &json!({}));
    let answer = call.send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::BAD_REQUEST);
    let error: Value = answer.json().await.unwrap();
    assert_eq!(error["message"], "Please fill in all fields");
}
