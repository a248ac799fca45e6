//! Events as proto3 JSON: readable in psql, and declared once, in `proto/`.

use std::sync::OnceLock;

use prost::{Message, Name};
use prost_reflect::{DescriptorPool, DynamicMessage, MessageDescriptor, SerializeOptions};
use serde_json::Value;

use crate::DESCRIPTORS;

/// A message could not be turned into JSON or back.
#[derive(Debug, thiserror::Error)]
pub enum JsonError {
    /// `proto/` has no message of this name.
    #[error("there is no message {0}")]
    UnknownMessage(String),
    /// The value is not that message.
    #[error("not a {name}")]
    Malformed {
        /// Full name of the message.
        name: String,
        /// What is wrong with it.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

fn pool() -> Option<&'static DescriptorPool> {
    static POOL: OnceLock<Option<DescriptorPool>> = OnceLock::new();
    POOL.get_or_init(|| DescriptorPool::decode(DESCRIPTORS).ok()).as_ref()
}

fn descriptor(name: &str) -> Result<MessageDescriptor, JsonError> {
    pool()
        .and_then(|pool| pool.get_message_by_name(name))
        .ok_or_else(|| JsonError::UnknownMessage(name.to_owned()))
}

/// Whether `proto/` declares this message. An event that it does not declare comes from a newer
/// release.
#[must_use]
pub fn is_known(name: &str) -> bool {
    descriptor(name).is_ok()
}

/// Types of events that a program without them may skip: only pages of a newer program depend on
/// them. All other types wait for a program that knows them.
const MAY_BE_PASSED_OVER: &[&str] = &[];

/// Whether an event of this type is marked as one that may be passed over.
#[must_use]
pub fn may_be_passed_over(name: &str) -> bool {
    MAY_BE_PASSED_OVER.contains(&name)
}

fn malformed(name: &str, source: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> JsonError {
    JsonError::Malformed { name: name.to_owned(), source: source.into() }
}

/// The message's proto3 JSON, with fields that hold their default left out.
///
/// # Errors
/// When `proto/` does not declare the message.
pub fn to_json<M: Message + Name>(message: &M) -> Result<Value, JsonError> {
    encoded_to_json(&M::full_name(), &message.encode_to_vec())
}

fn encoded_to_json(name: &str, bytes: &[u8]) -> Result<Value, JsonError> {
    let dynamic =
        DynamicMessage::decode(descriptor(name)?, bytes).map_err(|error| malformed(name, error))?;
    dynamic
        .serialize_with_options(serde_json::value::Serializer, &SerializeOptions::new())
        .map_err(|error| malformed(name, error))
}

/// Reads a message from its proto3 JSON. Unknown fields are ignored, so that an older reader can
/// read what a newer writer wrote.
///
/// # Errors
/// When the value is not that message.
pub fn from_json<M: Message + Name + Default>(value: &Value) -> Result<M, JsonError> {
    let name = M::full_name();
    let options = prost_reflect::DeserializeOptions::new().deny_unknown_fields(false);
    let dynamic = DynamicMessage::deserialize_with_options(descriptor(&name)?, value, &options)
        .map_err(|error| malformed(&name, error))?;
    M::decode(dynamic.encode_to_vec().as_slice()).map_err(|error| malformed(&name, error))
}

#[cfg(test)]
mod dumps;

#[cfg(test)]
mod tests {
    use super::{from_json, to_json};
    use crate::booking::v1::{BookingRequested, Session, SessionMode};
    use crate::common::v1::Money;
    use serde_json::json;

    fn requested() -> BookingRequested {
        BookingRequested {
            booking_id: "bkg_1".into(),
            price: Some(Money { minor_units: 50_000, currency_code: "INR".into() }),
            sessions: vec![Session {
                starts_at: Some(prost_types::Timestamp { seconds: 1_795_498_200, nanos: 0 }),
                ends_at: None,
                ..Session::default()
            }],
            mode: SessionMode::Online.into(),
            ..BookingRequested::default()
        }
    }

    #[test]
    fn an_event_goes_to_json_and_back() {
        let value = to_json(&requested()).unwrap();
        assert_eq!(
            value,
            json!({
                "bookingId": "bkg_1",
                "price": { "minorUnits": "50000", "currencyCode": "INR" },
                "sessions": [{ "startsAt": "2026-11-24T05:30:00Z" }],
                "mode": "SESSION_MODE_ONLINE",
            })
        );
        assert_eq!(from_json::<BookingRequested>(&value).unwrap(), requested());
    }

    #[test]
    fn fields_of_a_newer_writer_are_ignored_and_wrong_ones_are_not() {
        let newer = json!({ "bookingId": "bkg_1", "colour": "green" });
        assert_eq!(from_json::<BookingRequested>(&newer).unwrap().booking_id, "bkg_1");
        assert!(from_json::<BookingRequested>(&json!({ "bookingId": 7 })).is_err());
    }
}
