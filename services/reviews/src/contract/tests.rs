//! The stored form of every event: a change fails the snapshot, and decoding reverses encoding.

use eventstore::{NewEvent, Recorded};
use kernel::{Id, Timestamp};
use uuid::Uuid;

use super::{read_review_event, review_event, review_stream};
use crate::domain::review::{Event, Facts, Moderator, Rating};

fn at(seconds: i64) -> Timestamp {
    Timestamp::from_seconds(1_795_498_200).unwrap().plus_seconds(seconds)
}

fn facts() -> Facts {
    Facts {
        review_id: Id::from_uuid(Uuid::from_u128(0x0193_4000_0000_7000_8000_0000_0000_00ab)),
        service: "Energy Healing".to_owned(),
        rating: Rating::new(5).unwrap(),
        image_id: Some(Id::from_uuid(Uuid::from_u128(3))),
    }
}

fn stored(new: &NewEvent) -> Recorded {
    Recorded {
        event_id: new.event_id,
        stream_id: "any".to_owned(),
        version: 1,
        position: 0,
        event_type: new.event_type.clone(),
        payload: new.payload.clone(),
        metadata: eventstore::Metadata::default(),
        recorded_at: at(0),
    }
}

#[test]
fn a_reviews_events_are_stored_like_this() {
    let owner = Moderator::Member(Id::from_uuid(Uuid::from_u128(9)));
    for event in [
        Event::Submitted { facts: facts() },
        Event::Verified { booking_id: Id::from_uuid(Uuid::from_u128(4)) },
        Event::Deleted { by: owner, at: at(0) },
        Event::Restored { by: owner },
        Event::Erased,
    ] {
        let new = review_event(facts().review_id, &event).unwrap();
        insta::assert_json_snapshot!(new.event_type.clone(), new.payload);
        assert_eq!(read_review_event(&stored(&new)).unwrap(), event);
    }
}

#[test]
fn a_review_without_picture_and_a_shared_passphrase_are_read_too() {
    for event in [
        Event::Submitted { facts: Facts { image_id: None, ..facts() } },
        Event::Deleted { by: Moderator::Passphrase, at: at(0) },
    ] {
        let new = review_event(facts().review_id, &event).unwrap();
        assert_eq!(read_review_event(&stored(&new)).unwrap(), event);
    }
}

#[test]
fn invalid_stored_events_are_rejected() {
    let mut new = review_event(facts().review_id, &Event::Submitted { facts: facts() }).unwrap();
    new.payload["rating"] = 6.into();
    assert!(read_review_event(&stored(&new)).is_err());
    new.event_type = "booking.v1.BookingExpired".to_owned();
    assert!(read_review_event(&stored(&new)).is_err());
}

#[test]
fn a_stream_is_named_by_its_review() {
    let stream = review_stream(facts().review_id);
    assert_eq!(stream, "review-01934000-0000-7000-8000-0000000000ab");
}
