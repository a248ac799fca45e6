//! Maps domain events to the events of `proto/` and back; the only module that knows both.

use contract::reviews::v1 as wire;
use eventstore::{NewEvent, Recorded, StoreError, Unreadable};
use kernel::Id;
use kernel::id::{Kind, Review};

use crate::domain::review::{Event, Facts, Rating};

/// The stream of a review.
#[must_use]
pub fn review_stream(id: Id<Review>) -> String {
    format!("review-{}", id.uuid())
}

/// Encodes a review's event. Its time is not part of the payload: every stored event has one.
///
/// # Errors
/// When `proto/` does not declare the event.
pub fn review_event(id: Id<Review>, event: &Event) -> Result<NewEvent, StoreError> {
    let review_id = id.to_string();
    let new = match event {
        Event::Submitted { facts } => NewEvent::of(&wire::ReviewSubmitted {
            review_id,
            service: facts.service.clone(),
            rating: facts.rating.stars(),
            image_id: facts.image_id.map(|id| id.to_string()).unwrap_or_default(),
        }),
        Event::Verified { booking_id } => {
            NewEvent::of(&wire::ReviewVerified { review_id, booking_id: booking_id.to_string() })
        }
        Event::Deleted { by, at: _ } => {
            NewEvent::of(&wire::ReviewDeleted { review_id, deleted_by: by.to_string() })
        }
        Event::Restored { by } => {
            NewEvent::of(&wire::ReviewRestored { review_id, restored_by: by.to_string() })
        }
        Event::Erased => NewEvent::of(&wire::ReviewErased { review_id }),
    };
    Ok(new?)
}

/// Decodes a stored event of a review.
///
/// # Errors
/// When its type is unknown or its payload is invalid.
pub fn read_review_event(stored: &Recorded) -> Result<Event, Unreadable> {
    let event = if let Some(e) = get::<wire::ReviewSubmitted>(stored)? {
        read_submitted(e)
    } else if let Some(e) = get::<wire::ReviewVerified>(stored)? {
        parse(&e.booking_id).map(|booking_id| Event::Verified { booking_id })
    } else if let Some(e) = get::<wire::ReviewDeleted>(stored)? {
        let by = e.deleted_by.parse().ok();
        by.map(|by| Event::Deleted { by, at: stored.recorded_at })
    } else if let Some(e) = get::<wire::ReviewRestored>(stored)? {
        e.restored_by.parse().ok().map(|by| Event::Restored { by })
    } else if get::<wire::ReviewErased>(stored)?.is_some() {
        Some(Event::Erased)
    } else {
        None
    };
    event.ok_or_else(|| Unreadable::of(stored))
}

fn read_submitted(event: wire::ReviewSubmitted) -> Option<Event> {
    let image_id = if event.image_id.is_empty() { None } else { Some(parse(&event.image_id)?) };
    let facts = Facts {
        review_id: parse(&event.review_id)?,
        service: event.service,
        rating: Rating::new(event.rating)?,
        image_id,
    };
    Some(Event::Submitted { facts })
}

fn get<M>(stored: &Recorded) -> Result<Option<M>, Unreadable>
where
    M: prost::Message + prost::Name + Default,
{
    stored.get::<M>().map_err(|_malformed| Unreadable::of(stored))
}

fn parse<K: Kind>(text: &str) -> Option<Id<K>> {
    text.parse().ok()
}

#[cfg(test)]
mod tests;
