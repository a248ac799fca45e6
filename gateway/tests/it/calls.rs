//! Successful calls: both formats, GET with caching, and forwarded headers.

use std::io::{Read as _, Write as _};

use contract::catalogue::v1::{GetServiceRequest, GetServiceResponse};
use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use http::StatusCode;
use prost::Message as _;
use serde_json::{Value, json};

use crate::backends::service;
use crate::harness::{TestGateway, TestOptions, token};

const GET_SERVICE: &str = "catalogue.v1.CatalogueService/GetService";
const GET_BOOKING: &str = "booking.v1.BookingService/GetBooking";

#[tokio::test]
async fn a_call_in_json() {
    let gateway = TestGateway::new().await;
    let answer = gateway.call(GET_SERVICE, &json!({ "serviceId": "a" })).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.headers()["content-type"], "application/json");
    assert_eq!(answer.headers()["cache-control"], "no-store");
    let message: Value = answer.json().await.unwrap();
    assert_eq!(message["service"]["serviceId"], "a");
    assert_eq!(message["service"]["title"], "Energy Healing");
}

#[tokio::test]
async fn a_call_in_binary() {
    let gateway = TestGateway::new().await;
    let request = GetServiceRequest { service_id: "b".to_owned() };
    let answer = gateway
        .client
        .post(gateway.url(&format!("/rpc/{GET_SERVICE}")))
        .header("content-type", "application/proto")
        .body(request.encode_to_vec())
        .send()
        .await
        .unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.headers()["content-type"], "application/proto");
    let message = GetServiceResponse::decode(answer.bytes().await.unwrap()).unwrap();
    assert_eq!(message.service, Some(service("b")));
}

#[tokio::test]
async fn names_of_types_and_encodings_may_be_in_capitals() {
    let gateway = TestGateway::new().await;
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(br#"{"serviceId": "a"}"#).unwrap();
    let post = gateway.client.post(gateway.url(&format!("/rpc/{GET_SERVICE}")));
    let post = post.header("content-type", "APPLICATION/JSON; charset=UTF-8");
    let post = post.header("content-encoding", "GZIP").header("accept-encoding", "GZIP");
    let answer = post.body(packed.finish().unwrap()).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.headers()["content-type"], "application/json");
    assert_eq!(answer.headers()["content-encoding"], "gzip");
    let mut read = String::new();
    let bytes = answer.bytes().await.unwrap();
    GzDecoder::new(bytes.as_ref()).read_to_string(&mut read).unwrap();
    assert!(read.contains(r#""serviceId":"a""#), "{read}");
    let grpc = gateway.client.post(gateway.url(&format!("/rpc/{GET_SERVICE}")));
    let refused = grpc.header("content-type", "Application/gRPC").send().await.unwrap();
    assert_eq!(refused.status(), StatusCode::UNSUPPORTED_MEDIA_TYPE);
}

#[tokio::test]
async fn catalogue_responses_are_cacheable() {
    let gateway = TestGateway::new().await;
    let path = format!(
        "/rpc/{GET_SERVICE}?connect=v1&encoding=json&message=%7B%22serviceId%22%3A%22c%22%7D"
    );
    let first = gateway.get(&path).await;
    assert_eq!(first.status(), StatusCode::OK);
    let cache = "public, max-age=60, stale-while-revalidate=600";
    assert_eq!(first.headers()["cache-control"], cache);
    let tag = first.headers()["etag"].clone();
    let message: Value = first.json().await.unwrap();
    assert_eq!(message["service"]["serviceId"], "c");

    let again = gateway.client.get(gateway.url(&path)).header("if-none-match", tag.clone());
    let again = again.send().await.unwrap();
    assert_eq!(again.status(), StatusCode::NOT_MODIFIED);
    assert_eq!(again.headers()["etag"], tag);
    assert!(again.bytes().await.unwrap().is_empty());

    let small = gateway.client.get(gateway.url(&path)).header("accept-encoding", "gzip");
    let small = small.send().await.unwrap();
    assert_eq!(small.headers()["content-encoding"], "gzip");
    assert!(small.bytes().await.unwrap().len() < 1000);
}

#[tokio::test]
async fn the_guide_is_cacheable_and_receipts_need_a_token() {
    let gateway = TestGateway::new().await;
    let query = "?connect=v1&encoding=json&message=%7B%7D";
    let path = format!("/rpc/catalogue.v1.CatalogueService/GetMeditationGuide{query}");
    let answer = gateway.get(&path).await;
    assert!(answer.headers()["cache-control"].to_str().unwrap().starts_with("public"));
    let message: Value = answer.json().await.unwrap();
    assert_eq!(message["guide"]["minutes"], 10);

    let path = format!("/rpc/payments.v1.PaymentsService/ListReceipts{query}");
    assert_eq!(gateway.get(&path).await.status(), StatusCode::UNAUTHORIZED);
    let answer = gateway.client.get(gateway.url(&path)).bearer_auth(token()).send().await.unwrap();
    assert_eq!(answer.headers()["cache-control"], "no-store");
    let message: Value = answer.json().await.unwrap();
    assert_eq!(message["receipts"][0]["serial"], "SUK/26-27/00001");
}

#[tokio::test]
async fn reading_a_booking_is_a_get_that_is_not_cached() {
    let gateway = TestGateway::new().await;
    let path = format!(
        "/rpc/{GET_BOOKING}?connect=v1&encoding=json&message=%7B%22bookingId%22%3A%22bkg_1%22%7D"
    );
    let answer = gateway.client.get(gateway.url(&path)).bearer_auth(token()).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::OK);
    assert_eq!(answer.headers()["cache-control"], "no-store");
    let message: Value = answer.json().await.unwrap();
    assert_eq!(message["booking"]["version"], "7");
}

#[tokio::test]
async fn a_command_cannot_be_a_get() {
    let gateway = TestGateway::new().await;
    let path =
        "/rpc/booking.v1.BookingService/RequestBooking?connect=v1&encoding=json&message=%7B%7D";
    let answer = gateway.client.get(gateway.url(path)).bearer_auth(token()).send().await.unwrap();
    assert_eq!(answer.status(), StatusCode::METHOD_NOT_ALLOWED);
    let error: Value = answer.json().await.unwrap();
    assert_eq!(error["details"][0]["type"], "common.v1.ErrorDetail");
}

#[tokio::test]
async fn token_and_deadline_travel_with_a_call_in_a_trace_of_the_gateway() {
    let gateway = TestGateway::new().await;
    let trace = "0af7651916cd43dd8448eb211c80319c";
    let answer = gateway
        .call(GET_BOOKING, &json!({ "bookingId": "bkg_1" }))
        .bearer_auth(token())
        .header("traceparent", format!("00-{trace}-b7ad6b7169203331-01"))
        .header("x-caller-token", "forged")
        .send()
        .await
        .unwrap();
    let reference = answer.headers()["x-reference-id"].to_str().unwrap().to_owned();
    assert_ne!(reference, trace, "a client must not choose the id of its trace");
    let seen = &gateway.grpc.seen;
    assert_eq!(seen.last("authorization"), Some(format!("Bearer {}", token())));
    assert_eq!(seen.last("traceparent").unwrap().split('-').nth(1), Some(&*reference));
    assert!(seen.last("grpc-timeout").is_some());
    assert_eq!(seen.last("x-caller-token"), None, "it is not the browser's to set");
}

#[tokio::test]
async fn only_a_request_for_a_time_tells_where_it_comes_from() {
    let options = TestOptions { trust_proxy: true, ..TestOptions::default() };
    let gateway = TestGateway::with_options(options).await;
    let seen = &gateway.grpc.seen;
    let ask = async |method: &str, device: &str| {
        let call = gateway.call(method, &json!({})).bearer_auth(token());
        let call = call.header("x-forwarded-for", "2001:db8::7").header("cookie", device);
        call.header("x-caller-network", "forged").send().await.unwrap();
        (seen.last("x-caller-network"), seen.last("x-caller-device"))
    };
    let request = "booking.v1.BookingService/RequestBooking";
    let (network, device) = ask(request, "a=b; device=secret-tokens").await;
    assert_eq!(network.as_deref(), Some("2001:db8::"));
    let device = device.unwrap();
    assert!(device.len() == 32 && !device.contains("secret"), "{device}");
    assert_ne!(ask(request, "device=others").await.1, Some(device));
    assert_eq!(ask(request, "a=b").await.1, None);
    assert_eq!(ask(GET_BOOKING, "device=secret-tokens").await, (None, None));
}
