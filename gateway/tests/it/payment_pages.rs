//! The calls of a payment page need no account, and the general limits apply to them.

use http::StatusCode;
use serde_json::{Value, json};

use crate::backends::pages::PAGE_KEY;
use crate::harness::{TestGateway, TestOptions, rate_limit};

const CALLS: [&str; 7] = [
    "booking.v1.PaymentPageService/GetPaymentPage",
    "booking.v1.PaymentPageService/AcceptTerms",
    "booking.v1.PaymentPageService/RequestConsentCode",
    "booking.v1.PaymentPageService/GetPageCalendarFile",
    "payments.v1.PagePaymentService/StartPagePayment",
    "payments.v1.PagePaymentService/CheckPagePayment",
    "payments.v1.PagePaymentService/ListPageReceipts",
];

#[tokio::test]
async fn the_key_alone_lets_a_caller_in() {
    let gateway = TestGateway::new().await;
    for method in CALLS {
        let call = async |page_key: &str| {
            gateway.call(method, &json!({ "pageKey": page_key })).send().await.unwrap()
        };
        assert_eq!(call(PAGE_KEY).await.status(), StatusCode::OK, "{method}");
        let wrong = call("wrong").await;
        assert_eq!(wrong.status(), StatusCode::NOT_FOUND, "{method}");
        assert_eq!(wrong.headers()["cache-control"], "no-store", "{method}");
    }
    let page = gateway.call(CALLS[0], &json!({ "pageKey": PAGE_KEY })).send().await.unwrap();
    let page: Value = page.json().await.unwrap();
    assert_eq!(page["page"]["firstName"], "Asha");
}

#[tokio::test]
async fn an_invitation_is_read_by_its_key_and_answered_by_an_account() {
    let gateway = TestGateway::new().await;
    let read = "booking.v1.OrganisationService/GetInvitation";
    let by_key =
        async |key: &str| gateway.call(read, &json!({ "key": key })).send().await.unwrap().status();
    assert_eq!(by_key(PAGE_KEY).await, StatusCode::OK);
    assert_eq!(by_key("wrong").await, StatusCode::NOT_FOUND);
    for method in ["AcceptInvitation", "DeclineInvitation", "LeavePractice", "ListMyMemberships"] {
        let method = format!("booking.v1.OrganisationService/{method}");
        let visitor = gateway.call(&method, &json!({})).send().await.unwrap();
        assert_eq!(visitor.status(), StatusCode::UNAUTHORIZED, "{method}");
        let account = gateway.call(&method, &json!({})).bearer_auth(crate::harness::token());
        assert_eq!(account.send().await.unwrap().status(), StatusCode::OK, "{method}");
    }
}

#[tokio::test]
async fn a_session_is_joined_by_a_mails_key_or_by_an_account() {
    let gateway = TestGateway::new().await;
    let by_key = async |key: &str| {
        let open = "booking.v1.JoinPageService/OpenJoinPage";
        gateway.call(open, &json!({ "joinKey": key })).send().await.unwrap()
    };
    assert_eq!(by_key(PAGE_KEY).await.status(), StatusCode::OK);
    let wrong = by_key("wrong").await;
    assert_eq!(wrong.status(), StatusCode::NOT_FOUND);
    assert_eq!(wrong.headers()["cache-control"], "no-store");
    let own = "booking.v1.JoinPageService/GetOwnJoinPage";
    let visitor = gateway.call(own, &json!({})).send().await.unwrap();
    assert_eq!(visitor.status(), StatusCode::UNAUTHORIZED);
    let client = gateway.call(own, &json!({})).bearer_auth(crate::harness::token());
    let answer = client.send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.headers()["cache-control"], "no-store");
}

#[tokio::test]
async fn adopting_needs_an_account() {
    let gateway = TestGateway::new().await;
    let method = "booking.v1.BookingService/AdoptBookings";
    let visitor = gateway.call(method, &json!({})).send().await.unwrap();
    assert_eq!(visitor.status(), StatusCode::UNAUTHORIZED);
    let client = gateway.call(method, &json!({})).bearer_auth(crate::harness::token());
    assert_eq!(client.send().await.unwrap().status(), StatusCode::OK);
}

#[tokio::test]
async fn keys_cannot_be_tried_without_a_limit() {
    let mut options = TestOptions::default();
    options.rate_limits.address = rate_limit(3, 1);
    let gateway = TestGateway::with_options(options).await;
    let mut statuses = Vec::new();
    for _ in 0..4 {
        let wrong = gateway.call(CALLS[0], &json!({ "pageKey": "wrong" })).send().await.unwrap();
        statuses.push(wrong.status());
    }
    assert_eq!(statuses.last(), Some(&StatusCode::TOO_MANY_REQUESTS), "{statuses:?}");
}

#[tokio::test]
async fn what_is_signed_or_limited_tells_its_network_and_nothing_else_does() {
    let gateway = TestGateway::new().await;
    let seen = &gateway.grpc.seen;
    let tell = async |method: &str| {
        let call = gateway.call(method, &json!({ "pageKey": PAGE_KEY }));
        let call = call.header("user-agent", "Firefox").header("x-caller-user-agent", "forged");
        let call = call.bearer_auth(crate::harness::token());
        call.header("x-caller-network", "forged").send().await.unwrap();
        (seen.last("x-caller-user-agent"), seen.last("x-caller-network"))
    };
    for method in [CALLS[1], "booking.v1.BookingService/RequestBooking"] {
        let (browser, network) = tell(method).await;
        assert_eq!(browser.as_deref(), Some("Firefox"), "{method}");
        assert!(network.is_some_and(|network| network != "forged"), "{method}");
    }
    // These are limited by network, and sign nothing.
    for method in [
        "booking.v1.PaymentPageService/RenewPageKey",
        "booking.v1.BookingCalendarService/TakeScheduledEvent",
    ] {
        let (browser, network) = tell(method).await;
        assert_eq!(browser, None, "{method}");
        assert!(network.is_some_and(|network| network != "forged"), "{method}");
    }
    assert_eq!(tell(CALLS[0]).await, (None, None));
}
