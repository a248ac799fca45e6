//! /book and /book-session, which lead to the booking flow and nowhere else.

use http::{Method, StatusCode};

use crate::harness::TestGateway;

async fn leads_to(gateway: &TestGateway, link: &str) -> String {
    let answer = gateway.get(link).await;
    assert_eq!(answer.status(), StatusCode::TEMPORARY_REDIRECT, "{link}");
    assert_eq!(answer.headers()["cache-control"], "no-cache");
    answer.headers()["location"].to_str().unwrap().to_owned()
}

#[tokio::test]
async fn the_redirect_keeps_the_service() {
    let gateway = TestGateway::new().await;
    for link in [
        "/book?service=energy-healing",
        "/book/?service=energy-healing",
        "/book-session?service=energy-healing",
        "/book-session/?auth=cancelled&service=energy-healing&package=starter",
    ] {
        assert_eq!(
            leads_to(&gateway, link).await,
            "/booking-flow?service=energy-healing",
            "{link}"
        );
    }
}

#[tokio::test]
async fn without_a_known_service_they_redirect_to_all_services() {
    let gateway = TestGateway::new().await;
    for link in [
        "/book",
        "/book/",
        "/book-session",
        "/book?auth=cancelled",
        "/book?service=",
        "/book?service=unknown",
        "/book?service=https://evil.example",
        "/book?service=//evil.example",
        "/book?service=energy-healing%0d%0aset-cookie:a=b",
        "/book?service=energy-healing%26next=//evil.example",
        "/book?service=../../evil",
        "/book?service=%3Cscript%3E",
        "/book-session/?returned=true&next=//evil.example",
    ] {
        assert_eq!(leads_to(&gateway, link).await, "/services", "{link}");
    }
}

#[tokio::test]
async fn only_booking_links_are_redirected_and_only_for_get_and_head() {
    let gateway = TestGateway::new().await;
    for path in ["/book//", "/book/more", "//book", "/bookings"] {
        assert_eq!(gateway.get(path).await.status(), StatusCode::NOT_FOUND, "{path}");
    }
    let head = gateway.client.head(gateway.url("/book")).send().await.unwrap();
    assert_eq!(head.status(), StatusCode::TEMPORARY_REDIRECT);
    let post = gateway.client.request(Method::POST, gateway.url("/book")).send().await.unwrap();
    assert_eq!(post.status(), StatusCode::METHOD_NOT_ALLOWED);
}
