//! Conversions of an event to and from a NATS message and a row of `ReadFeed`.

use async_nats::HeaderMap;
use contract::common::v1::FeedEvent;
use contract::convert;
use eventstore::Recorded;
use kernel::Timestamp;
use uuid::Uuid;

/// Names of the headers; JetStream removes duplicates by the first one.
pub(crate) const MESSAGE_ID: &str = "Nats-Msg-Id";
const STREAM: &str = "Sukoon-Stream";
const VERSION: &str = "Sukoon-Version";
const POSITION: &str = "Sukoon-Position";
const EVENT_TYPE: &str = "Sukoon-Type";
const METADATA: &str = "Sukoon-Metadata";
const RECORDED_AT: &str = "Sukoon-Recorded-At";
/// The event before this one in the feed.
const PREVIOUS_EVENT: &str = "Sukoon-Behind";
const TRACEPARENT: &str = "traceparent";

/// An event received from NATS.
#[derive(Debug, PartialEq)]
pub(crate) struct ReceivedEvent {
    /// The event.
    pub(crate) event: Recorded,
    /// The event before it in the feed, if the message names one.
    pub(crate) previous: Option<Uuid>,
}

pub(crate) fn headers(event: &Recorded, previous: Option<Uuid>) -> HeaderMap {
    let mut headers = HeaderMap::new();
    headers.insert(MESSAGE_ID, event.event_id.to_string());
    headers.insert(STREAM, event.stream_id.clone());
    headers.insert(VERSION, event.version.to_string());
    headers.insert(POSITION, event.position.to_string());
    headers.insert(EVENT_TYPE, event.event_type.clone());
    headers.insert(METADATA, serde_json::to_string(&event.metadata).unwrap_or_default());
    headers.insert(RECORDED_AT, event.recorded_at.to_string());
    if let Some(previous) = previous {
        headers.insert(PREVIOUS_EVENT, previous.to_string());
    }
    if let Some(traceparent) = &event.metadata.traceparent {
        headers.insert(TRACEPARENT, traceparent.clone());
    }
    headers
}

/// Reads a message; `None` when it is not one of ours. The event is then read from its source.
pub(crate) fn from_message(headers: Option<&HeaderMap>, payload: &[u8]) -> Option<ReceivedEvent> {
    let headers = headers?;
    let get = |name: &str| headers.get(name).map(ToString::to_string);
    let event = Recorded {
        event_id: get(MESSAGE_ID)?.parse().ok()?,
        stream_id: get(STREAM)?,
        version: get(VERSION)?.parse().ok()?,
        position: get(POSITION)?.parse().ok()?,
        event_type: get(EVENT_TYPE)?,
        payload: serde_json::from_slice(payload).ok()?,
        metadata: serde_json::from_str(&get(METADATA)?).ok()?,
        recorded_at: get(RECORDED_AT)?.parse().ok()?,
    };
    Some(ReceivedEvent { event, previous: get(PREVIOUS_EVENT).and_then(|id| id.parse().ok()) })
}

pub(crate) fn to_row(event: &Recorded) -> FeedEvent {
    FeedEvent {
        position: event.position,
        event_id: event.event_id.to_string(),
        stream_id: event.stream_id.clone(),
        version: event.version,
        event_type: event.event_type.clone(),
        payload_json: event.payload.to_string(),
        metadata_json: serde_json::to_string(&event.metadata).unwrap_or_default(),
        recorded_at: Some(convert::to_wire(event.recorded_at)),
    }
}

/// Reads a row; `None` when its id or JSON cannot be read.
pub(crate) fn from_row(row: FeedEvent) -> Option<Recorded> {
    Some(Recorded {
        event_id: row.event_id.parse().ok()?,
        stream_id: row.stream_id,
        version: row.version,
        position: row.position,
        event_type: row.event_type,
        payload: serde_json::from_str(&row.payload_json).ok()?,
        metadata: serde_json::from_str(&row.metadata_json).ok()?,
        recorded_at: row
            .recorded_at
            .as_ref()
            .and_then(convert::timestamp)
            .unwrap_or(Timestamp::EPOCH),
    })
}

#[cfg(test)]
mod tests {
    use super::{ReceivedEvent, from_message, from_row, headers, to_row};
    use eventstore::{Metadata, Recorded, new_uuid};

    fn event() -> Recorded {
        Recorded {
            event_id: new_uuid(),
            stream_id: "booking-1".into(),
            version: 3,
            position: 17,
            event_type: "booking.v1.BookingExpired".into(),
            payload: serde_json::json!({ "bookingId": "bkg_1" }),
            metadata: Metadata::by("timer", Some("00-0-0-01".into())).about("bkg_1"),
            recorded_at: "2026-11-24T05:30:00.123456Z".parse().unwrap(),
        }
    }

    #[test]
    fn an_event_survives_both_ways_of_travelling() {
        let event = event();
        let payload = serde_json::to_vec(&event.payload).unwrap();
        for previous in [None, Some(new_uuid())] {
            let heard = from_message(Some(&headers(&event, previous)), &payload);
            assert_eq!(heard, Some(ReceivedEvent { event: event.clone(), previous }));
        }
        assert_eq!(from_row(to_row(&event)), Some(event));
    }

    #[test]
    fn what_is_not_an_event_is_not_taken_for_one() {
        assert_eq!(from_message(None, b"{}"), None);
        assert_eq!(from_message(Some(&headers(&event(), None)), b"not json"), None);
    }
}
