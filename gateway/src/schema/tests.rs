//! The JSON of calls, as clients know it.

use buffa::DecodeOptions;
use bytes::Bytes;
use connectrpc::{CodecFormat, ErrorCode, IdempotencyLevel, StreamType};
use contract::booking::v1::{Contact, RequestBookingRequest, SessionMode};
use contract::reviews::v1::GetStatisticsResponse;
use prost::Message as _;
use prost_types::Timestamp;

use super::{Method, Schema};

const REQUEST_BOOKING: &str = "/booking.v1.BookingService/RequestBooking";
const GET_STATISTICS: &str = "/reviews.v1.ReviewsService/GetStatistics";

fn method(path: &str) -> Method {
    Schema::load().unwrap().method(path).unwrap().clone()
}

/// The request of a booking with this JSON.
fn read(json: &str) -> Result<RequestBookingRequest, ErrorCode> {
    let input = method(REQUEST_BOOKING).input;
    let json = Bytes::copy_from_slice(json.as_bytes());
    let read = input.read(json, CodecFormat::Json, &DecodeOptions::new());
    let read = read.map_err(|error| error.code)?;
    Ok(RequestBookingRequest::decode(read).unwrap())
}

fn write(path: &str, message: &impl prost::Message) -> String {
    let json = method(path).output.write(message.encode_to_vec().into(), CodecFormat::Json);
    String::from_utf8(json.unwrap().into()).unwrap()
}

#[test]
fn a_message_is_read_in_every_form_that_the_mapping_allows() {
    let contact = Some(Contact { first_name: "Asha".to_owned(), ..Contact::default() });
    let starts_at = Some(Timestamp { seconds: 1_795_498_200, nanos: 500_000_000 });
    let mode = SessionMode::Online.into();
    let expected = RequestBookingRequest { contact, starts_at, mode, ..Default::default() };
    for json in [
        r#"{"contact": {"firstName": "Asha"}, "startsAt": "2026-11-24T05:30:00.5Z",
            "mode": "SESSION_MODE_ONLINE"}"#,
        r#"{"contact": {"first_name": "Asha"}, "starts_at": "2026-11-24T11:00:00.500+05:30",
            "mode": 1, "furtherStartsAt": null, "termsAccepted": null, "packageId": null}"#,
        r#"{"contact": {"firstName": "Asha", "newer": [{}]}, "startsAt":
            "2026-11-24T05:30:00.500Z", "mode": "SESSION_MODE_ONLINE", "newer": {"a": 1}}"#,
    ] {
        assert_eq!(read(json), Ok(expected.clone()), "{json}");
    }
    assert_eq!(read("{}"), Ok(RequestBookingRequest::default()));
}

#[test]
fn what_is_no_such_message_is_refused() {
    for json in [
        "",
        "null",
        "[]",
        "[null]",
        r#"["key-0001", "energy-healing"]"#,
        r#""key-0001""#,
        "{} {}",
        r#"{"contact": ["Asha", "Rao"]}"#,
        r#"{"contact": []}"#,
        r#"{"shown": {"terms": ["1"]}}"#,
        r#"{"mode": "SESSION_MODE_OF_TOMORROW"}"#,
        r#"{"mode": 1.0}"#,
        r#"{"startsAt": "2026-02-30T05:30:00Z"}"#,
        r#"{"startsAt": "2026-11-24T05:30:00.1234567891Z"}"#,
        r#"{"startsAt": 1795498200}"#,
        r#"{"furtherStartsAt": [null]}"#,
        r#"{"furtherStartsAt": {}}"#,
        r#"{"termsAccepted": "true"}"#,
        r#"{"serviceId": 5}"#,
        r#"{"serviceId": "\ud800"}"#,
        r#"{"serviceId": "a", "serviceId": "a"}"#,
        r#"{"serviceId": "a", "service_id": "a"}"#,
    ] {
        assert_eq!(read(json), Err(ErrorCode::InvalidArgument), "{json}");
    }
}

#[test]
fn defaults_are_left_out_and_large_numbers_are_texts() {
    let statistics = GetStatisticsResponse {
        count: 1 << 60,
        verified_count: 0,
        counts_by_rating: vec![0, 7],
        verified_counts_by_rating: Vec::new(),
    };
    let json = r#"{"count":"1152921504606846976","countsByRating":["0","7"]}"#;
    assert_eq!(write(GET_STATISTICS, &statistics), json);
    assert_eq!(write(GET_STATISTICS, &GetStatisticsResponse::default()), "{}");
}

#[test]
fn a_message_in_protobuf_is_checked_and_stays_as_it_is() {
    let input = method(REQUEST_BOOKING).input;
    let take = |message: Vec<u8>| {
        let message = Bytes::from(message);
        input.read(message, CodecFormat::Proto, &DecodeOptions::new())
    };
    // Fields in another order than ours, one of them unknown: 99 is a newer page's.
    let message = vec![0x12, 1, b'a', 0x9a, 0x06, 1, b'x', 0x0a, 1, b'k'];
    assert_eq!(take(message.clone()).unwrap(), message);
    // A text that isn't UTF-8, also in a message of the message; lengths beyond the end; and
    // numbers in the place of a text.
    for wrong in [
        vec![0x0a, 1, 0xff],
        vec![0x2a, 3, 0x0a, 1, 0xff],
        vec![0x0a, 9],
        vec![0x2a, 9],
        vec![0x08, 1],
        vec![0x2a, 2, 0x08, 1],
    ] {
        assert_eq!(take(wrong.clone()).unwrap_err().code, ErrorCode::InvalidArgument, "{wrong:?}");
    }
}

#[test]
fn calls_are_as_the_contract_declares_them() {
    let spec = method("/booking.v1.BookingService/WatchBooking").spec;
    assert_eq!(spec.stream_type, StreamType::ServerStream);
    let read = method(GET_STATISTICS).spec;
    assert_eq!(
        (read.stream_type, read.idempotency_level),
        (StreamType::Unary, IdempotencyLevel::NoSideEffects)
    );
    let command = method(REQUEST_BOOKING).spec;
    assert_eq!(command.idempotency_level, IdempotencyLevel::Unknown);
}
