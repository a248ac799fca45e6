//! The one error form, whatever went wrong and whoever noticed it.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;
use contract::common::v1::ErrorDetail;
use http::StatusCode;
use prost::Message as _;
use serde_json::{Value, json};

use crate::world::{USER, Wishes, World, token, token_of};

const UNAVAILABLE: &str = "This part is not available right now. Please try again.";

struct Refusal {
    status: StatusCode,
    code: String,
    message: String,
    detail: ErrorDetail,
}

/// Reads an error and checks that it has the form.
async fn refusal(answer: reqwest::Response) -> Refusal {
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
    Refusal { status, code: text("code"), message: text("message"), detail }
}

async fn of_call(world: &World, method: &str, message: Value) -> Refusal {
    let call = world.call(method, &message).bearer_auth(token());
    refusal(call.send().await.unwrap()).await
}

#[tokio::test]
async fn a_services_refusal_arrives_with_reason_field_and_reference() {
    let world = World::new().await;
    let told = of_call(&world, "booking.v1.BookingService/RequestBooking", json!({})).await;
    assert_eq!((told.status, told.code.as_str()), (StatusCode::BAD_REQUEST, "invalid_argument"));
    assert_eq!(told.message, "Please enter a valid e-mail address.");
    assert_eq!(told.detail.reason, "INVALID_EMAIL");
    assert_eq!(told.detail.field, "contact.email");

    let id = json!({ "serviceId": "unknown" });
    let told = of_call(&world, "catalogue.v1.CatalogueService/GetService", id).await;
    assert_eq!((told.status, told.code.as_str()), (StatusCode::NOT_FOUND, "not_found"));
    assert_eq!(told.detail.reason, "SERVICE_NOT_FOUND");
}

#[tokio::test]
async fn nobody_sees_what_a_transport_or_a_database_said() {
    let world = World::new().await;
    for method in ["ListServices", "ListQuizAreas"] {
        let method = format!("catalogue.v1.CatalogueService/{method}");
        let told = of_call(&world, &method, json!({})).await;
        assert_eq!(
            (told.status, told.code.as_str()),
            (StatusCode::SERVICE_UNAVAILABLE, "unavailable")
        );
        assert_eq!(told.message, UNAVAILABLE);
        assert_eq!(told.detail.reason, "SERVICE_UNAVAILABLE");
    }
}

#[tokio::test]
async fn a_service_that_is_down_is_told_in_words() {
    let world = World::with(Wishes { without_services: true, ..Wishes::default() }).await;
    for method in ["catalogue.v1.CatalogueService/ListFaqs", "booking.v1.BookingService/ListSlots"]
    {
        let answer = world.call(method, &json!({})).send().await.unwrap();
        let told = refusal(answer).await;
        assert_eq!(told.status, StatusCode::SERVICE_UNAVAILABLE);
        assert_eq!((told.code.as_str(), told.message.as_str()), ("unavailable", UNAVAILABLE));
    }
    // Without the identity server's keys nobody can be told apart, which is not the caller's fault.
    let told = of_call(&world, "booking.v1.BookingService/GetBooking", json!({})).await;
    assert_eq!((told.code.as_str(), told.message.as_str()), ("unavailable", UNAVAILABLE));
}

#[tokio::test]
async fn a_slow_service_is_not_waited_for_longer_than_asked() {
    let world = World::new().await;
    let answer = world
        .call("booking.v1.BookingService/ListSlots", &json!({ "serviceId": "slow" }))
        .header("connect-timeout-ms", "50")
        .send()
        .await
        .unwrap();
    let told = refusal(answer).await;
    assert_eq!(
        (told.status, told.code.as_str()),
        (StatusCode::GATEWAY_TIMEOUT, "deadline_exceeded")
    );
    assert_eq!(told.message, "This took too long. Please try again.");
}

#[tokio::test]
async fn what_cannot_be_read_is_refused() {
    let world = World::new().await;
    let url = world.url("/rpc/catalogue.v1.CatalogueService/GetService");
    let post = |kind: &'static str, body: Vec<u8>| {
        world.client.post(&url).header("content-type", kind).body(body).send()
    };
    let wrong = [
        ("application/json", b"{".to_vec()),
        ("application/json", br#"{"serviceId": {"name": "Asha"}}"#.to_vec()),
        ("application/proto", vec![0x0a, 0xff, 0xff]),
    ];
    for (kind, body) in wrong {
        let told = refusal(post(kind, body).await.unwrap()).await;
        assert_eq!(
            (told.status, told.code.as_str()),
            (StatusCode::BAD_REQUEST, "invalid_argument")
        );
        assert_eq!(told.message, "The request could not be read.");
        assert_eq!(told.detail.reason, "MALFORMED_REQUEST");
    }
    for kind in ["text/plain", "application/grpc", "application/grpc-web+proto"] {
        let told = refusal(post(kind, b"x".to_vec()).await.unwrap()).await;
        assert_eq!(told.status, StatusCode::UNSUPPORTED_MEDIA_TYPE, "{kind}");
        assert_eq!(told.detail.reason, "UNSUPPORTED_FORMAT");
    }
    let get =
        world.get("/rpc/catalogue.v1.CatalogueService/GetService?connect=v1&encoding=json").await;
    assert_eq!(refusal(get).await.status, StatusCode::BAD_REQUEST);
}

#[tokio::test]
async fn a_body_that_is_too_large_is_refused() {
    let world = World::new().await;
    let long = json!({ "serviceId": "x".repeat(300 * 1024) });
    let told = of_call(&world, "catalogue.v1.CatalogueService/GetService", long).await;
    assert_eq!(told.status, StatusCode::PAYLOAD_TOO_LARGE);
    assert_eq!(
        (told.code.as_str(), told.detail.reason.as_str()),
        ("resource_exhausted", "REQUEST_TOO_LARGE")
    );
}

#[tokio::test]
async fn what_is_not_public_does_not_exist() {
    let world = World::new().await;
    let unknown = [
        "booking.v1.BookingInternalService/GetBookingContact",
        "booking.v1.BookingInternalService/GetBookingFacts",
        "booking.v1.BookingInternalService/GetStaffRole",
        "catalogue.v1.CatalogueInternalService/GetOffering",
        "reviews.v1.ReviewsInternalService/CreateInvitation",
        "identity.v1.IdentityInternalService/GetCodeMail",
        "common.v1.FeedService/ReadFeed",
        "common.v1.ConsumersService/ListConsumers",
        "grpc.health.v1.Health/Check",
        "booking.v1.BookingService/Nothing",
        "nothing",
        "",
    ];
    for method in unknown {
        let told = of_call(&world, method, json!({})).await;
        assert_eq!(
            (told.status, told.code.as_str()),
            (StatusCode::NOT_FOUND, "unimplemented"),
            "{method}"
        );
        assert_eq!(told.detail.reason, "UNKNOWN_METHOD");
    }
}

#[tokio::test]
async fn a_token_is_asked_for_where_one_is_needed() {
    let world = World::new().await;
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
        let answer = world.call(method, &json!({})).send().await.unwrap();
        let told = refusal(answer).await;
        assert_eq!(
            (told.status, told.code.as_str()),
            (StatusCode::UNAUTHORIZED, "unauthenticated")
        );
        assert_eq!(told.detail.reason, "TOKEN_MISSING");
    }
    for bad in ["rubbish".to_owned(), token_of(USER, 1_000_000_000)] {
        let call = world.call("booking.v1.BookingService/GetBooking", &json!({})).bearer_auth(bad);
        let told = refusal(call.send().await.unwrap()).await;
        assert_eq!(told.detail.reason, "TOKEN_INVALID");
    }
    for method in ["booking.v1.BookingService/ListSlots", "catalogue.v1.CatalogueService/ListFaqs"]
    {
        let answer = world.call(method, &json!({})).send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
    }
}
