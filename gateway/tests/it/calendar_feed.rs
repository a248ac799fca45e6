//! The secret address at which other calendars read a practitioner's sessions.

use http::StatusCode;
use serde_json::json;

use crate::backends::calendars::CALENDAR;
use crate::harness::TestGateway;

/// A secret; its first letter decides the backend's response.
fn path(first: char) -> String {
    format!("/calendars/{first}{}.ics", "aZ-_09".repeat(7))
}

#[tokio::test]
async fn a_calendar_is_served_once_and_then_not_modified() {
    let gateway = TestGateway::new().await;
    let answer = gateway.get(&path('g')).await;
    assert_eq!(answer.status(), StatusCode::OK);
    let headers = answer.headers().clone();
    assert_eq!(headers["content-type"], "text/calendar; charset=utf-8");
    assert_eq!(headers["content-disposition"], "inline; filename=\"sessions.ics\"");
    assert_eq!(headers["cache-control"], "private, no-cache");
    assert_eq!(headers["referrer-policy"], "no-referrer");
    assert!(!headers.contains_key("set-cookie"));
    assert_eq!(answer.text().await.unwrap(), CALENDAR);
    let again = gateway.client.get(gateway.url(&path('g')));
    let again = again.header("if-none-match", headers["etag"].clone()).send().await.unwrap();
    assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
    assert_eq!(again.headers()["etag"], headers["etag"]);
    let head = gateway.client.head(gateway.url(&path('g'))).send().await.unwrap();
    assert_eq!((head.status(), &head.headers()["etag"]), (StatusCode::OK, &headers["etag"]));
}

#[tokio::test]
async fn an_unknown_address_has_no_calendar_and_only_a_secret_is_asked_about() {
    let gateway = TestGateway::new().await;
    let unknown = gateway.get(&path('x')).await;
    assert_eq!(unknown.status(), StatusCode::NOT_FOUND);
    assert_eq!(unknown.headers()["cache-control"], "no-store");
    assert_eq!(unknown.text().await.unwrap(), "There is no calendar at this address.");
    assert_eq!(gateway.grpc.seen.metadata.lock().unwrap().len(), 1);
    for wrong in ["/calendars/a.ics", "/calendars/.ics", &path('g')[..40]] {
        assert_eq!(gateway.get(wrong).await.status(), StatusCode::NOT_FOUND, "{wrong}");
    }
    let posted = gateway.client.post(gateway.url(&path('g'))).send().await.unwrap();
    assert_eq!(posted.status(), StatusCode::METHOD_NOT_ALLOWED);
    assert_eq!(gateway.grpc.seen.metadata.lock().unwrap().len(), 1);
}

#[tokio::test]
async fn a_calendar_that_is_not_there_right_now_is_asked_for_later() {
    let gateway = TestGateway::new().await;
    let answer = gateway.get(&path('u')).await;
    assert_eq!(answer.status(), StatusCode::SERVICE_UNAVAILABLE);
    assert_eq!(answer.headers()["retry-after"], "120");
}

#[tokio::test]
async fn the_calendar_is_no_call_of_the_public_interface() {
    let gateway = TestGateway::new().await;
    let method = "booking.v1.BookingCalendarService/GetSessionCalendar";
    let answer = gateway.call(method, &json!({ "secret": "g" })).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::NOT_FOUND);
}
