//! One review's life, from its publication to the day on which nothing personal is left of it. What
//! people wrote is no part of it: that is rows, which can be erased.

use std::fmt;
use std::str::FromStr;

use kernel::id::{Booking, Customer, Review, ReviewImage};
use kernel::{Decider, Id, Timestamp};

/// For how long staff are shown that a deletion can be undone.
pub const UNDO_SECONDS: i64 = 10;
/// How much later an undoing may arrive, because it has a way to come.
pub const UNDO_GRACE_SECONDS: i64 = 5;
/// For how many days what is personal in a deleted review is kept.
pub const RETENTION_DAYS: i64 = 30;

/// How many minutes a day has.
const DAY_MINUTES: i64 = 24 * 60;

/// Stars, 1 to 5.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rating(u8);

impl Rating {
    /// So many stars; `None` for less than one and more than five.
    #[must_use]
    pub fn new(stars: i32) -> Option<Self> {
        u8::try_from(stars).ok().filter(|stars| (1..=5).contains(stars)).map(Self)
    }

    /// How many they are.
    #[must_use]
    pub fn stars(self) -> i32 {
        i32::from(self.0)
    }
}

/// What a review is; it never changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Its own id.
    pub review_id: Id<Review>,
    /// What it is about, one of the practice's choices at that time.
    pub service: String,
    /// Its stars.
    pub rating: Rating,
    /// Its picture.
    pub image_id: Option<Id<ReviewImage>>,
}

/// Who takes reviews away and brings them back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Moderator {
    /// A member of staff by their account.
    Member(Id<Customer>),
    /// Whoever knows the passphrase that the practice shares.
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

/// Where a review stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum State {
    /// It does not exist.
    #[default]
    Absent,
    /// Everybody can read it.
    Published { facts: Facts, proof: Option<Id<Booking>> },
    /// Nobody sees it any more; for a short while it can be brought back.
    Deleted { facts: Facts, proof: Option<Id<Booking>>, at: Timestamp },
    /// Nothing personal is left of it.
    Erased { facts: Facts, deleted_at: Timestamp },
}

impl State {
    /// What it is.
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

/// Until when staff are shown that a deletion can be undone.
#[must_use]
pub fn undo_until(deleted_at: Timestamp) -> Timestamp {
    deleted_at.plus_seconds(UNDO_SECONDS)
}

/// When what is personal in a deleted review is to be erased.
#[must_use]
pub fn erase_at(deleted_at: Timestamp) -> Timestamp {
    deleted_at.plus_minutes(RETENTION_DAYS * DAY_MINUTES)
}

/// What can be asked of a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Publish it.
    Submit { facts: Facts },
    /// Give it the badge: its writer is known to be the customer of this completed session.
    Verify { booking_id: Id<Booking> },
    /// Take it away from everybody's eyes.
    Delete { by: Moderator, at: Timestamp },
    /// Bring it back.
    Restore { by: Moderator, at: Timestamp },
    /// Erase what is personal in it, if it was deleted long enough ago.
    Erase { at: Timestamp },
}

/// What can have happened to a review.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// It was published.
    Submitted { facts: Facts },
    /// It has the badge.
    Verified { booking_id: Id<Booking> },
    /// Nobody sees it any more.
    Deleted { by: Moderator, at: Timestamp },
    /// It is back.
    Restored { by: Moderator },
    /// Nothing personal is left of it.
    Erased,
}

/// Why a review refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// There is no review that could be read.
    #[error("there is no such review")]
    Absent,
    /// Its id was used before.
    #[error("the review exists already")]
    Exists,
    /// Its deletion is too long ago to be undone.
    #[error("the deletion can not be undone any more")]
    UndoTooLate,
}

/// Decides for one review.
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

/// One proof is enough: a review that has one needs no other.
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

/// A timer that was set for an earlier deletion, which was undone, erases nothing.
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
        // Nothing else is ever decided.
        (state, _) => state,
    }
}

#[cfg(test)]
mod tests;
