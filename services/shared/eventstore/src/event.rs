//! Events as they are appended and as they are read.

use contract::json::{self, JsonError};
use kernel::id::Kind;
use kernel::{Id, Timestamp};
use prost::{Message, Name};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sha2::{Digest as _, Sha256};
use uuid::Uuid;

/// A new id of a kind. It begins with the time, so rows of the same time are stored together.
#[must_use]
pub fn new_id<K: Kind>() -> Id<K> {
    Id::from_uuid(new_uuid())
}

/// An id that is derived from words, so that a repeat after a lost commit gets the same id.
#[must_use]
pub fn id_of<K: Kind>(words: &[&str]) -> Id<K> {
    let mut hash = Sha256::new();
    for word in words {
        // The length keeps a word apart from the next one.
        hash.update(word.len().to_be_bytes());
        hash.update(word.as_bytes());
    }
    let digest = hash.finalize();
    let mut bytes = [0_u8; 16];
    for (byte, from) in bytes.iter_mut().zip(digest) {
        *byte = from;
    }
    Id::from_uuid(uuid::Builder::from_custom_bytes(bytes).into_uuid())
}

/// A new UUID that begins with the time.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this is the one place where ids are made")]
pub fn new_uuid() -> Uuid {
    Uuid::now_v7()
}

/// The metadata of an event: what led to it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Metadata {
    /// The correlation: the id, usually of a booking, of all that belongs together.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub correlation: Option<String>,
    /// The event that caused it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub causation: Option<Uuid>,
    /// The actor: `usr_…` or the name of a service or timer.
    pub actor: String,
    /// The W3C trace in which it happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub traceparent: Option<String>,
    /// Whether a consumer that does not know the event's type may pass over it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub may_be_passed_over: bool,
}

impl Metadata {
    /// Metadata of an act of `actor` in the trace `traceparent`.
    #[must_use]
    pub fn by(actor: impl Into<String>, traceparent: Option<String>) -> Self {
        Self { actor: actor.into(), traceparent, ..Self::default() }
    }

    /// Metadata of an act of `actor` in the trace that is current here.
    #[must_use]
    pub fn traced(actor: impl Into<String>) -> Self {
        Self::by(actor, runtime::telemetry::traceparent())
    }

    /// Metadata of an act because of `event`, with the same correlation.
    #[must_use]
    pub fn because_of(event: &Recorded, actor: impl Into<String>) -> Self {
        Self {
            correlation: event.metadata.correlation.clone(),
            causation: Some(event.event_id),
            actor: actor.into(),
            traceparent: event.metadata.traceparent.clone(),
            may_be_passed_over: false,
        }
    }

    /// Sets the correlation.
    #[must_use]
    pub fn about(mut self, correlation: impl Into<String>) -> Self {
        self.correlation = Some(correlation.into());
        self
    }
}

/// An event that is about to be appended.
#[derive(Debug, Clone, PartialEq)]
pub struct NewEvent {
    /// Its own id.
    pub event_id: Uuid,
    /// The full name of its message, for example `booking.v1.BookingRequested`.
    pub event_type: String,
    /// The message as proto3 JSON.
    pub payload: Value,
}

impl NewEvent {
    /// Makes an event of a message of `proto/`.
    ///
    /// # Errors
    /// When the message is not declared there.
    pub fn of<M: Message + Name>(message: &M) -> Result<Self, JsonError> {
        Ok(Self {
            event_id: new_uuid(),
            event_type: M::full_name(),
            payload: json::to_json(message)?,
        })
    }
}

/// A recorded event of this service or another one.
#[derive(Debug, Clone, PartialEq)]
pub struct Recorded {
    /// Its own id.
    pub event_id: Uuid,
    /// The stream that it belongs to.
    pub stream_id: String,
    /// Its place in the stream, from 1.
    pub version: i64,
    /// Its place in its source's feed, from 1; 0 when it was read from its stream.
    pub position: i64,
    /// The full name of its message.
    pub event_type: String,
    /// The message as proto3 JSON.
    pub payload: Value,
    /// What led to it.
    pub metadata: Metadata,
    /// When it was recorded, by its source's clock.
    pub recorded_at: Timestamp,
}

/// An event that was given its position, and the one before it in the feed.
#[derive(Debug, Clone)]
pub struct Numbered {
    /// The event.
    pub event: Recorded,
    /// The event at the position before; `None` for the first of the feed.
    pub previous: Option<Uuid>,
}

impl Recorded {
    /// The message, if the event is of this type.
    ///
    /// # Errors
    /// When the event is of this type, but its payload cannot be read.
    pub fn get<M: Message + Name + Default>(&self) -> Result<Option<M>, JsonError> {
        if self.event_type == M::full_name() { self.decode().map(Some) } else { Ok(None) }
    }

    /// The message, for an event whose type is known.
    ///
    /// # Errors
    /// When the payload is not that message.
    pub fn decode<M: Message + Name + Default>(&self) -> Result<M, JsonError> {
        json::from_json(&self.payload)
    }
}
