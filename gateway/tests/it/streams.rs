//! The one stream: it forwards booking's messages, has no deadline, and ends when it should.

use contract::booking::v1::{Booking, WatchBookingResponse};
use http::StatusCode;
use serde_json::{Value, json};
use tonic::Status;

use crate::harness::{TestGateway, token};

const WATCH: &str = "booking.v1.BookingService/WatchBooking";

/// Reads enveloped messages, each with its flags; 2 marks the end.
pub(crate) struct Envelopes {
    answer: reqwest::Response,
    read: Vec<u8>,
}

impl Envelopes {
    pub(crate) async fn open(gateway: &TestGateway, token: Option<String>) -> Self {
        Self::open_from(gateway, token, "192.0.2.1").await
    }

    /// The same from an address, which counts behind a trusted proxy.
    pub(crate) async fn open_from(
        gateway: &TestGateway,
        token: Option<String>,
        address: &str,
    ) -> Self {
        let message = json!({ "bookingId": "bkg_1" }).to_string().into_bytes();
        let mut body = vec![0];
        body.extend(u32::try_from(message.len()).unwrap().to_be_bytes());
        body.extend(message);
        let mut request = gateway
            .client
            .post(gateway.url(&format!("/rpc/{WATCH}")))
            .header("content-type", "application/connect+json")
            .header("connect-protocol-version", "1")
            .header("x-forwarded-for", address)
            .body(body);
        if let Some(token) = token {
            request = request.bearer_auth(token);
        }
        let answer = request.send().await.unwrap();
        assert_eq!(answer.status(), StatusCode::OK);
        Self { answer, read: Vec::new() }
    }

    pub(crate) async fn next(&mut self) -> Option<(u8, Value)> {
        loop {
            if let Some((head, rest)) = self.read.split_at_checked(5) {
                let length = u32::from_be_bytes(head[1..].try_into().unwrap()) as usize;
                if rest.len() >= length {
                    let message = serde_json::from_slice(&rest[..length]).unwrap();
                    let flags = head[0];
                    self.read.drain(..5 + length);
                    return Some((flags, message));
                }
            }
            self.read.extend(self.answer.chunk().await.unwrap()?);
        }
    }
}

pub(crate) fn booking(version: i64) -> WatchBookingResponse {
    WatchBookingResponse { booking: Some(Booking { version, ..Booking::default() }) }
}

#[tokio::test]
async fn a_watched_booking_comes_through_as_it_changes() {
    let gateway = TestGateway::new().await;
    let mut stream = Envelopes::open(&gateway, Some(token())).await;
    for version in [1, 2] {
        // Each message is read before the next is sent, so nothing is buffered.
        gateway.grpc.watch.send(Ok(booking(version))).await.unwrap();
        let (flags, message) = stream.next().await.unwrap();
        assert_eq!(flags, 0);
        assert_eq!(message["booking"]["version"], version.to_string());
    }
    assert_eq!(gateway.grpc.seen.last("grpc-timeout"), None, "a deadline would cut it");
    gateway.grpc.watch.send(Err(Status::internal("a row is gone"))).await.unwrap();
    let (flags, end) = stream.next().await.unwrap();
    assert_eq!(flags, 2);
    assert_eq!(end["error"]["code"], "unavailable");
    assert_eq!(end["error"]["details"][0]["type"], "common.v1.ErrorDetail");
    assert!(!end.to_string().contains("a row is gone"));
}

#[tokio::test]
async fn a_stream_ends_cleanly_when_the_gateway_stops() {
    let gateway = TestGateway::new().await;
    let mut stream = Envelopes::open(&gateway, Some(token())).await;
    gateway.grpc.watch.send(Ok(booking(1))).await.unwrap();
    assert_eq!(stream.next().await.unwrap().0, 0);
    gateway.shutdown.trigger();
    let (flags, end) = stream.next().await.unwrap();
    assert_eq!(flags, 2);
    assert_eq!(end.get("error"), None);
    assert_eq!(stream.next().await, None);
}

#[tokio::test]
async fn a_stream_needs_a_token() {
    let gateway = TestGateway::new().await;
    let mut stream = Envelopes::open(&gateway, None).await;
    let (flags, end) = stream.next().await.unwrap();
    assert_eq!(flags, 2);
    assert_eq!(end["error"]["code"], "unauthenticated");
    assert_eq!(end["error"]["details"][0]["type"], "common.v1.ErrorDetail");
}

#[tokio::test]
async fn a_stream_of_an_unknown_encoding_ends_with_those_that_are_taken() {
    let gateway = TestGateway::new().await;
    let request = gateway.client.post(gateway.url(&format!("/rpc/{WATCH}"))).bearer_auth(token());
    let request = request.header("content-type", "application/connect+json");
    let request = request.header("connect-content-encoding", "br").body(vec![0; 5]);
    let answer = request.send().await.unwrap();
    let (flags, end) = Envelopes { answer, read: Vec::new() }.next().await.unwrap();
    assert_eq!((flags, &end["error"]["code"]), (2, &json!("unimplemented")));
    assert!(end["error"]["message"].as_str().unwrap().contains("gzip, zstd, identity"), "{end}");
    assert_eq!(end["error"]["details"][0]["type"], "common.v1.ErrorDetail");
}
