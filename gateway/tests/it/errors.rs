//! Every error has the standard format, whichever part raised it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use contract::common::v1::ErrorDetail;
use http::StatusCode;
use prost::Message as _;
use serde_json::{Value, json};

use crate::harness::{TestGateway, TestOptions, USER, token, token_of};

const UNAVAILABLE: &str = "This part is not available right now. Please try again.";

struct ErrorReply {
    status: StatusCode,
    code: String,
    message: String,
    detail: ErrorDetail,
}

/// Reads an error and checks its format.
async fn error_reply(answer: reqwest::Response) -> ErrorReply {
    let status = answer.status();
    let reference = answer.headers()["x-reference-id"].to_str().unwrap().to_owned();
    assert_eq!(answer.headers()["content-type"], "application/json");
    assert!(!answer.headers().contains_key("x-internal"));
    assert!(!answer.headers().contains_key("trailer-x-internal"));
    let error: Value = answer.json().await.unwrap();
    assert_eq!(error["details"].as_array().unwrap().len(), 1);
    assert_eq!(error["details"][0]["type"], "common.v1.ErrorDetail");
    let value = error["details"][0]["value"].as_str().unwrap();
    let detail = ErrorDetail::decode(STANDARD_NO_PAD.decode(value).unwrap().as_slice()).unwrap();
    assert_eq!(detail.reference_id, reference);
    assert_eq!(reference.len(), 32);
    let text = |name: &str| error[name].as_str().unwrap().to_owned();
    ErrorReply { status, code: text("code"), message: text("message"), detail }
}

async fn of_call(gateway: &TestGateway, method: &str, message: Value) -> ErrorReply {
    let call = gateway.call(method, &message).bearer_auth(token());
    error_reply(call.send().await.unwrap()).await
}

#[tokio::test]
async fn a_services_error_arrives_with_reason_field_and_reference() {
    let gateway = TestGateway::new().await;
    let error = of_call(&gateway, "booking.v1.BookingService/RequestBooking", json!({})).await;
    assert_eq!((error.status, error.code.as_str()), (StatusCode::BAD_REQUEST, "invalid_argument"));
    assert_eq!(error.message, "Please enter a valid e-mail address.");
    assert_eq!(error.detail.reason, "INVALID_EMAIL");
    assert_eq!(error.detail.field, "contact.email");

    let id = json!({ "serviceId": "unknown" });
    let error = of_call(&gateway, "catalogue.v1.CatalogueService/GetService", id).await;
    assert_eq!((error.status, error.code.as_str()), (StatusCode::NOT_FOUND, "not_found"));
    assert_eq!(error.detail.reason, "SERVICE_NOT_FOUND");
}

#[tokio::test]
async fn transport_and_database_errors_are_not_exposed() {
    let gateway = TestGateway::new().await;
    for method in ["ListServices", "ListQuizAreas"] {
        let method = format!("catalogue.v1.CatalogueService/{method}");
        let error = of_call(&gateway, &method, json!({})).await;
        assert_eq!(
            (error.status, error.code.as_str()),
            (StatusCode::SERVICE_UNAVAILABLE, "unavailable")
        );
        assert_eq!(error.message, UNAVAILABLE);
        assert_eq!(error.detail.reason, "SERVICE_UNAVAILABLE");
    }
}

#[tokio::test]
async fn a_service_that_is_down_gives_a_standard_error() {
    let gateway =
        TestGateway::with_options(TestOptions { without_services: true, ..TestOptions::default() })
            .await;
    for method in ["catalogue.v1.CatalogueService/ListFaqs", "booking.v1.BookingService/ListSlots"]
    {
        let answer = gateway.call(method, &json!({})).send().await.unwrap();
        let error = error_reply(answer).await;
        assert_eq!(error.status, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!((error.code.as_str(), error.message.as_str()), ("unavailable", UNAVAILABLE));
    }
    // Without the identity server's keys no token can be verified, which is not the caller's fault.
    let error = of_call(&gateway, "booking.v1.BookingService/GetBooking", json!({})).await;
    assert_eq!((error.code.as_str(), error.message.as_str()), ("unavailable", UNAVAILABLE));
}

#[tokio::test]
async fn a_slow_service_is_not_waited_for_longer_than_asked() {
    let gateway = TestGateway::new().await;
    let answer = gateway
        .call("booking.v1.BookingService/ListSlots", &json!({ "serviceId": "slow" }))
        .header("connect-timeout-ms", "50")
        .send()
        .await
        .unwrap();
    let error = error_reply(answer).await;
    assert_eq!(
        (error.status, error.code.as_str()),
        (StatusCode::GATEWAY_TIMEOUT, "deadline_exceeded")
    );
    assert_eq!(error.message, "This took too long. Please try again.");
}

#[tokio::test]
async fn malformed_requests_are_rejected() {
    let gateway = TestGateway::new().await;
    let url = gateway.url("/rpc/catalogue.v1.CatalogueService/GetService");
    let post = |kind: &'static str, body: Vec<u8>| {
        gateway.client.post(&url).header("content-type", kind).body(body).send()
    };
    let wrong = [
        ("application/json", b"{".to_vec()),
        ("application/json", br#"{"serviceId": {"name": "Asha"}}"#.to_vec()),
        ("application/proto", vec![0x0a, 0xff, 0xff]),
    ];
    for (kind, body) in wrong {
        let error = error_reply(post(kind, body).await.unwrap()).await;
        assert_eq!(
            (error.status, error.code.as_str()),
            (StatusCode::BAD_REQUEST, "invalid_argument")
        );
        assert_eq!(error.message, "The request could not be read.");
        assert_eq!(error.detail.reason, "MALFORMED_REQUEST");
    }
    for kind in ["text/plain", "application/grpc", "application/grpc-web+proto"] {
        let error = error_reply(post(kind, b"x".to_vec()).await.unwrap()).await;
        assert_eq!(error.status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{kind}");
        assert_eq!(error.detail.reason, "UNSUPPORTED_FORMAT");
    }
    let get =
        gateway.get("/rpc/catalogue.v1.CatalogueService/GetService?connect=v1&encoding=json").await;
    assert_eq!(error_reply(get).await.status, StatusCode::BAD_REQUEST);
}

/// A field that is added to a message would shift the values of such a caller.
#[tokio::test]
async fn a_list_is_no_message() {
    let gateway = TestGateway::new().await;
    let lists = [
        ("booking.v1.BookingService/ListSlots", json!(["energy-healing", "2026-12-01", 1, ""])),
        ("booking.v1.BookingService/ListSlots", json!([])),
        ("booking.v1.BookingService/ListSlots", json!([null])),
        ("booking.v1.BookingService/RequestBooking", json!({ "contact": ["Asha", "Rao"] })),
        ("booking.v1.BookingService/RequestBooking", json!({ "shown": { "terms": ["1"] } })),
    ];
    for (method, list) in lists {
        let post = gateway.call(method, &list).bearer_auth(token());
        let error = error_reply(post.send().await.unwrap()).await;
        assert_eq!(error.status, StatusCode::BAD_REQUEST, "{list}");
        assert_eq!(error.detail.reason, "MALFORMED_REQUEST");
    }
    let get = "/rpc/booking.v1.BookingService/ListSlots?connect=v1&encoding=json&message=%5B%5D";
    assert_eq!(error_reply(gateway.get(get).await).await.status, StatusCode::BAD_REQUEST);
    assert_eq!(gateway.grpc.seen.last("grpc-timeout"), None, "a service was asked");
}

#[tokio::test]
async fn an_unknown_encoding_is_answered_with_those_that_are_taken() {
    let gateway = TestGateway::new().await;
    let method = "booking.v1.BookingService/ListSlots";
    let get = format!("/rpc/{method}?connect=v1&encoding=json&base64=1&message=e30&compression=br");
    let post = gateway.call(method, &json!({})).header("content-encoding", "br");
    for answer in [post.send().await.unwrap(), gateway.get(&get).await] {
        let error = error_reply(answer).await;
        assert_eq!(
            (error.status, error.code.as_str()),
            (StatusCode::NOT_IMPLEMENTED, "unimplemented")
        );
        assert_eq!(error.detail.reason, "UNSUPPORTED_ENCODING");
        assert!(error.message.contains("gzip, zstd, identity"), "{}", error.message);
    }
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused() {
    let gateway = TestGateway::new().await;
    let long = json!({ "serviceId": "x".repeat(300 * 1024) });
    let error = of_call(&gateway, "catalogue.v1.CatalogueService/GetService", long).await;
    assert_eq!(error.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(
        (error.code.as_str(), error.detail.reason.as_str()),
        ("resource_exhausted", "REQUEST_TOO_LARGE")
    );
}

#[tokio::test]
async fn internal_calls_are_not_found() {
    let gateway = TestGateway::new().await;
    let unknown = [
        "booking.v1.BookingInternalService/GetBookingContact",
        "booking.v1.BookingInternalService/GetBookingFacts",
        "booking.v1.BookingInternalService/GetStaffRole",
        "catalogue.v1.CatalogueInternalService/GetOffering",
        "reviews.v1.ReviewsInternalService/CreateInvitation",
        "identity.v1.IdentityInternalService/GetAccountNotice",
        "identity.v1.IdentityInternalService/GetCodeMail",
        "identity.v1.IdentityInternalService/ListEndedSessions",
        "common.v1.FeedService/ReadFeed",
        "common.v1.ConsumersService/ListConsumers",
        "grpc.health.v1.Health/Check",
        "booking.v1.BookingService/Nothing",
        "nothing",
        "",
    ];
    for method in unknown {
        let error = of_call(&gateway, method, json!({})).await;
        assert_eq!(
            (error.status, error.code.as_str()),
            (StatusCode::NOT_FOUND, "unimplemented"),
            "{method}"
        );
        assert_eq!(error.detail.reason, "UNKNOWN_METHOD");
    }
}

#[tokio::test]
async fn calls_that_need_a_token_are_refused_without_one() {
    let gateway = TestGateway::new().await;
    let signed_in = [
        "booking.v1.BookingService/GetBooking",
        "booking.v1.BookingService/RequestBooking",
        "booking.v1.BookingService/OpenCheckout",
        "booking.v1.BookingService/ReleaseBooking",
        "booking.v1.BookingService/GetCalendarFile",
        "payments.v1.PaymentsService/StartPayment",
        "payments.v1.PaymentsService/SubmitCheckoutAnswer",
        "payments.v1.PaymentsService/CheckPayment",
        "payments.v1.PaymentsService/ClaimPayment",
    ];
    for method in signed_in {
        let answer = gateway.call(method, &json!({})).send().await.unwrap();
        let error = error_reply(answer).await;
        assert_eq!(
            (error.status, error.code.as_str()),
            (StatusCode::UNAUTHORIZED, "unauthenticated")
        );
        assert_eq!(error.detail.reason, "TOKEN_MISSING");
    }
    for bad in ["rubbish".to_owned(), token_of(USER, 1_000_000_000)] {
        let call =
            gateway.call("booking.v1.BookingService/GetBooking", &json!({})).bearer_auth(bad);
        let error = error_reply(call.send().await.unwrap()).await;
        assert_eq!(error.detail.reason, "TOKEN_INVALID");
    }
    for method in ["booking.v1.BookingService/ListSlots", "catalogue.v1.CatalogueService/ListFaqs"]
    {
        let answer = gateway.call(method, &json!({})).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
    }
}
