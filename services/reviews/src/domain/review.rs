//! The lifecycle of a review, from publication to erasure. What writers typed is not part of it: it
//! is stored in rows, which can be erased.

use std::fmt;
use std::str::FromStr;

use kernel::id::{Booking, Customer, Review, ReviewImage};
use kernel::{Decider, Id, Timestamp};

/// How long staff are offered to undo a deletion.
pub const UNDO_SECONDS: i64 = 10;
/// Extra time for an undo request that was sent in time.
pub const UNDO_GRACE_SECONDS: i64 = 5;
/// Days for which personal data of a deleted review is kept.
pub const RETENTION_DAYS: i64 = 30;

/// Minutes per day.
const DAY_MINUTES: i64 = 24 * 60;

/// A rating: 1 to 5 stars.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rating(u8);

impl Rating {
    /// A rating; `None` for less than one or more than five stars.
    #[must_use]
    pub fn new(stars: i32) -> Option<Self> {
        u8::try_from(stars).ok().filter(|stars| (1..=5).contains(stars)).map(Self)
    }

    /// The number of stars.
    #[must_use]
    pub fn stars(self) -> i32 {
        i32::from(self.0)
    }
}

/// The immutable facts of a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Its own id.
    pub review_id: Id<Review>,
    /// The service that it is about, one of the practice's choices at that time.
    pub service: String,
    /// Its stars.
    pub rating: Rating,
    /// Its picture.
    pub image_id: Option<Id<ReviewImage>>,
}

/// Who deletes and restores reviews.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moderator {
    /// A staff member, by their account.
    Member(Id<Customer>),
    /// A holder of the practice's shared passphrase.
    Passphrase,
}

/// The word for [`Moderator::Passphrase`].
const PASSPHRASE: &str = "passphrase";

impl fmt::Display for Moderator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Member(id) => fmt::Display::fmt(id, f),
            Self::Passphrase => f.write_str(PASSPHRASE),
        }
    }
}

impl FromStr for Moderator {
    type Err = kernel::id::InvalidId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        if text == PASSPHRASE { Ok(Self::Passphrase) } else { text.parse().map(Self::Member) }
    }
}

/// The state of a review.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum State {
    /// It does not exist.
    #[default]
    Absent,
    /// It is public.
    Published { facts: Facts, proof: Option<Id<Booking>> },
    /// It is hidden; for a short time it can be restored.
    Deleted { facts: Facts, proof: Option<Id<Booking>>, at: Timestamp },
    /// Nothing personal is left of it.
    Erased { facts: Facts, deleted_at: Timestamp },
}

impl State {
    /// The facts, unless it is absent.
    #[must_use]
    pub fn facts(&self) -> Option<&Facts> {
        match self {
            Self::Absent => None,
            Self::Published { facts, .. }
            | Self::Deleted { facts, .. }
            | Self::Erased { facts, .. } => Some(facts),
        }
    }

    /// When it was deleted, if it is.
    #[must_use]
    pub fn deleted_at(&self) -> Option<Timestamp> {
        match self {
            Self::Absent | Self::Published { .. } => None,
            Self::Deleted { at, .. } | Self::Erased { deleted_at: at, .. } => Some(*at),
        }
    }
}

/// Until when staff are offered to undo a deletion.
#[must_use]
pub fn undo_until(deleted_at: Timestamp) -> Timestamp {
    deleted_at.plus_seconds(UNDO_SECONDS)
}

/// When the personal data of a deleted review is erased.
#[must_use]
pub fn erase_at(deleted_at: Timestamp) -> Timestamp {
    deleted_at.plus_minutes(RETENTION_DAYS * DAY_MINUTES)
}

/// Commands of a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Publish it.
    Submit { facts: Facts },
    /// Give it the badge: its writer is the customer of this completed session.
    Verify { booking_id: Id<Booking> },
    /// Delete it: hide it from the public.
    Delete { by: Moderator, at: Timestamp },
    /// Restore it.
    Restore { by: Moderator, at: Timestamp },
    /// Erase its personal data, if erasure is due.
    Erase { at: Timestamp },
}

/// Events of a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// It was published.
    Submitted { facts: Facts },
    /// It got the badge.
    Verified { booking_id: Id<Booking> },
    /// It was deleted.
    Deleted { by: Moderator, at: Timestamp },
    /// It was restored.
    Restored { by: Moderator },
    /// Nothing personal is left of it.
    Erased,
}

/// Why a command is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// The review does not exist or is not published.
    #[error("there is no such review")]
    Absent,
    /// Its id is already used.
    #[error("the review exists already")]
    Exists,
    /// The undo period is over.
    #[error("the deletion can not be undone any more")]
    UndoTooLate,
}

/// The decider of one review.
#[derive(Debug, Clone, Copy)]
pub struct ReviewLife;

impl Decider for ReviewLife {
    type State = State;
    type Command = Command;
    type Event = Event;
    type Rejection = Rejection;

    fn decide(state: &State, command: Command) -> Result<Vec<Event>, Rejection> {
        match command {
            Command::Submit { facts } => submit(state, facts),
            Command::Verify { booking_id } => verify(state, booking_id),
            Command::Delete { by, at } => delete(state, by, at),
            Command::Restore { by, at } => restore(state, by, at),
            Command::Erase { at } => Ok(erase(state, at)),
        }
    }

    fn evolve(state: State, event: &Event) -> State {
        evolve(state, event)
    }
}

fn submit(state: &State, facts: Facts) -> Result<Vec<Event>, Rejection> {
    match state.facts() {
        None => Ok(vec![Event::Submitted { facts }]),
        Some(known) if *known == facts => Ok(Vec::new()),
        Some(_other) => Err(Rejection::Exists),
    }
}

/// One proof is enough: further ones change nothing.
fn verify(state: &State, booking_id: Id<Booking>) -> Result<Vec<Event>, Rejection> {
    match state {
        State::Published { proof: None, .. } => Ok(vec![Event::Verified { booking_id }]),
        State::Published { proof: Some(_), .. } => Ok(Vec::new()),
        State::Absent | State::Deleted { .. } | State::Erased { .. } => Err(Rejection::Absent),
    }
}

fn delete(state: &State, by: Moderator, at: Timestamp) -> Result<Vec<Event>, Rejection> {
    match state {
        State::Absent => Err(Rejection::Absent),
        State::Published { .. } => Ok(vec![Event::Deleted { by, at }]),
        State::Deleted { .. } | State::Erased { .. } => Ok(Vec::new()),
    }
}

fn restore(state: &State, by: Moderator, now: Timestamp) -> Result<Vec<Event>, Rejection> {
    match state {
        State::Absent => Err(Rejection::Absent),
        State::Published { .. } => Ok(Vec::new()),
        State::Deleted { at, .. } if now <= undo_until(*at).plus_seconds(UNDO_GRACE_SECONDS) => {
            Ok(vec![Event::Restored { by }])
        }
        State::Deleted { .. } | State::Erased { .. } => Err(Rejection::UndoTooLate),
    }
}

/// A timer of an earlier deletion, which was undone, erases nothing.
fn erase(state: &State, now: Timestamp) -> Vec<Event> {
    match state {
        State::Deleted { at, .. } if erase_at(*at) <= now => vec![Event::Erased],
        State::Absent | State::Published { .. } | State::Deleted { .. } | State::Erased { .. } => {
            Vec::new()
        }
    }
}

fn evolve(state: State, event: &Event) -> State {
    match (state, event) {
        (State::Absent, Event::Submitted { facts }) => {
            State::Published { facts: facts.clone(), proof: None }
        }
        (State::Published { facts, .. }, Event::Verified { booking_id }) => {
            State::Published { facts, proof: Some(*booking_id) }
        }
        (State::Published { facts, proof }, Event::Deleted { at, .. }) => {
            State::Deleted { facts, proof, at: *at }
        }
        (State::Deleted { facts, proof, .. }, Event::Restored { .. }) => {
            State::Published { facts, proof }
        }
        (State::Deleted { facts, at, .. }, Event::Erased) => {
            State::Erased { facts, deleted_at: at }
        }
        // In no other state is any of these ever decided.
        (
            state,
            Event::Submitted { .. }
            | Event::Verified { .. }
            | Event::Deleted { .. }
            | Event::Restored { .. }
            | Event::Erased,
        ) => state,
    }
}

#[cfg(test)]
mod tests;
