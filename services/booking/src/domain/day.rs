//! One practitioner's day: which times are held, booked or closed. Overlapping reservations are
//! impossible, because every time of a day is decided here.

use std::collections::BTreeMap;

use kernel::id::{Block, Booking};
use kernel::{Decider, Id, Timestamp};

use super::span::Span;

/// The bookings with a session on this day, at most one each, and the closed times.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct State {
    reservations: BTreeMap<Id<Booking>, Reservation>,
    blocked: BTreeMap<Id<Block>, Span>,
}

/// A reserved time, held or booked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Reservation {
    span: Span,
    kind: ReservationKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum ReservationKind {
    Held { until: Timestamp },
    Booked,
}

impl Reservation {
    fn is_expired(&self, now: Timestamp) -> bool {
        match self.kind {
            ReservationKind::Held { until } => until <= now,
            ReservationKind::Booked => false,
        }
    }
}

impl State {
    /// The times that are reserved or closed at `now`, without expired holds.
    #[must_use]
    pub fn taken(&self, now: Timestamp) -> Vec<Span> {
        self.taken_beside(None, now)
    }

    /// The same without one closed time: the one that is held for the client that asks.
    #[must_use]
    pub fn taken_beside(&self, offer: Option<Id<Block>>, now: Timestamp) -> Vec<Span> {
        let sessions = self.live(now).map(|(_, reservation)| reservation.span);
        let blocked = self.blocked.iter().filter(|(id, _)| Some(**id) != offer);
        sessions.chain(blocked.map(|(_, span)| *span)).collect()
    }

    /// The time that an event frees.
    #[must_use]
    pub fn freed_by(&self, event: &Event) -> Option<Span> {
        match event {
            Event::Released { booking_id } => self.reservations.get(booking_id).map(|it| it.span),
            Event::Unblocked { block_id } => self.blocked.get(block_id).copied(),
            Event::Held { .. }
            | Event::HoldExtended { .. }
            | Event::Booked { .. }
            | Event::Blocked { .. } => None,
        }
    }

    /// Whether `booking_id` could reserve `span` at `now`.
    #[must_use]
    pub fn is_free_for(&self, booking_id: Id<Booking>, span: Span, now: Timestamp) -> bool {
        !self.is_closed(span)
            && !self
                .live(now)
                .any(|(id, reservation)| *id != booking_id && reservation.span.overlaps(&span))
    }

    /// Whether a booking's hold on this day has expired, so that another booking may take its time.
    #[must_use]
    pub fn is_expired_hold(&self, booking_id: Id<Booking>, now: Timestamp) -> bool {
        self.reservations.get(&booking_id).is_some_and(|reservation| reservation.is_expired(now))
    }

    fn is_closed(&self, span: Span) -> bool {
        self.blocked.values().any(|blocked| blocked.overlaps(&span))
    }

    fn live(&self, now: Timestamp) -> impl Iterator<Item = (&Id<Booking>, &Reservation)> {
        self.reservations.iter().filter(move |(_, reservation)| !reservation.is_expired(now))
    }

    /// The releases of expired holds, `except` one booking's.
    fn release_expired(&self, except: Option<Id<Booking>>, now: Timestamp) -> Vec<Event> {
        self.reservations
            .iter()
            .filter(|(id, reservation)| Some(**id) != except && reservation.is_expired(now))
            .map(|(id, _)| Event::Released { booking_id: *id })
            .collect()
    }
}

/// The commands of a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Hold a time until an instant.
    Hold { booking_id: Id<Booking>, span: Span, until: Timestamp, now: Timestamp },
    /// Extend a hold.
    Extend { booking_id: Id<Booking>, until: Timestamp },
    /// Book a time: the one that is held, or a free one.
    Book { booking_id: Id<Booking>, span: Span, now: Timestamp },
    /// Book a time for a session that is moved here. A booking has one session on a day.
    Place { booking_id: Id<Booking>, span: Span, now: Timestamp },
    /// Release the holds that have expired, before a session is moved here.
    Clear { now: Timestamp },
    /// Release a held time.
    Release { booking_id: Id<Booking> },
    /// Release a booking's time, whether held or booked.
    Cancel { booking_id: Id<Booking> },
    /// Release a booking's time and close it, so that nothing else gets it.
    Close { booking_id: Id<Booking>, block_id: Id<Block> },
    /// Close a time.
    Block { block_id: Id<Block>, span: Span, now: Timestamp },
    /// Open a closed time.
    Unblock { block_id: Id<Block> },
}

/// The events of a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A time was held.
    Held { booking_id: Id<Booking>, span: Span, until: Timestamp },
    /// A hold was extended.
    HoldExtended { booking_id: Id<Booking>, until: Timestamp },
    /// A time was booked.
    Booked { booking_id: Id<Booking>, span: Span },
    /// A time was released.
    Released { booking_id: Id<Booking> },
    /// A time was closed.
    Blocked { block_id: Id<Block>, span: Span },
    /// A closed time was opened.
    Unblocked { block_id: Id<Block> },
}

/// Why a day rejects a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// The time overlaps another reservation or a closed time.
    #[error("the time is taken")]
    SlotTaken,
    /// The booking holds no time on this day.
    #[error("the time is not held")]
    NotHeld,
    /// A booked time cannot be released like a held one.
    #[error("the time is booked")]
    Booked,
}

/// Decides for one practitioner and one local date.
#[derive(Debug, Clone, Copy)]
pub struct PractitionerDay;

impl Decider for PractitionerDay {
    type State = State;
    type Command = Command;
    type Event = Event;
    type Rejection = Rejection;

    fn decide(state: &State, command: Command) -> Result<Vec<Event>, Rejection> {
        match command {
            Command::Hold { booking_id, span, until, now } => {
                match state.reservations.get(&booking_id) {
                    Some(own) if own.span == span && !own.is_expired(now) => {
                        return Ok(Vec::new());
                    }
                    Some(own) if own.kind == ReservationKind::Booked => {
                        return Err(Rejection::Booked);
                    }
                    Some(_) | None => {}
                }
                reserve(state, Event::Held { booking_id, span, until }, (booking_id, span), now)
            }
            Command::Extend { booking_id, until } => {
                match state.reservations.get(&booking_id).map(|own| own.kind) {
                    Some(ReservationKind::Held { until: before }) if before < until => {
                        Ok(vec![Event::HoldExtended { booking_id, until }])
                    }
                    Some(ReservationKind::Held { .. } | ReservationKind::Booked) => Ok(Vec::new()),
                    None => Err(Rejection::NotHeld),
                }
            }
            Command::Book { booking_id, span, now } => {
                let own = state.reservations.get(&booking_id);
                if own.is_some_and(|own| own.kind == ReservationKind::Booked) {
                    return Ok(Vec::new());
                }
                reserve(state, Event::Booked { booking_id, span }, (booking_id, span), now)
            }
            Command::Clear { now } => Ok(state.release_expired(None, now)),
            Command::Place { booking_id, span, now } => match state.reservations.get(&booking_id) {
                Some(own) if *own == (Reservation { span, kind: ReservationKind::Booked }) => {
                    Ok(Vec::new())
                }
                Some(_other) => Err(Rejection::SlotTaken),
                None => reserve(state, Event::Booked { booking_id, span }, (booking_id, span), now),
            },
            Command::Release { booking_id } => {
                match state.reservations.get(&booking_id).map(|own| own.kind) {
                    Some(ReservationKind::Held { .. }) => Ok(vec![Event::Released { booking_id }]),
                    Some(ReservationKind::Booked) => Err(Rejection::Booked),
                    None => Ok(Vec::new()),
                }
            }
            Command::Cancel { booking_id } => Ok(match state.reservations.get(&booking_id) {
                Some(_) => vec![Event::Released { booking_id }],
                None => Vec::new(),
            }),
            Command::Close { booking_id, block_id } => {
                Ok(match state.reservations.get(&booking_id).map(|own| own.span) {
                    Some(span) => {
                        vec![Event::Released { booking_id }, Event::Blocked { block_id, span }]
                    }
                    None => Vec::new(),
                })
            }
            Command::Block { block_id, span, now } => block(state, block_id, span, now),
            Command::Unblock { block_id } => Ok(match state.blocked.get(&block_id) {
                Some(_) => vec![Event::Unblocked { block_id }],
                None => Vec::new(),
            }),
        }
    }

    fn evolve(mut state: State, event: &Event) -> State {
        match *event {
            Event::Held { booking_id, span, until } => {
                state.reservations.insert(
                    booking_id,
                    Reservation { span, kind: ReservationKind::Held { until } },
                );
            }
            Event::HoldExtended { booking_id, until } => {
                if let Some(own) = state.reservations.get_mut(&booking_id) {
                    own.kind = ReservationKind::Held { until };
                }
            }
            Event::Booked { booking_id, span } => {
                state
                    .reservations
                    .insert(booking_id, Reservation { span, kind: ReservationKind::Booked });
            }
            Event::Released { booking_id } => {
                state.reservations.remove(&booking_id);
            }
            Event::Blocked { block_id, span } => {
                state.blocked.insert(block_id, span);
            }
            Event::Unblocked { block_id } => {
                state.blocked.remove(&block_id);
            }
        }
        state
    }
}

/// Releases expired holds and reserves the time, if no other booking has it.
fn reserve(
    state: &State,
    event: Event,
    (booking_id, span): (Id<Booking>, Span),
    now: Timestamp,
) -> Result<Vec<Event>, Rejection> {
    if !state.is_free_for(booking_id, span, now) {
        return Err(Rejection::SlotTaken);
    }
    let mut events = state.release_expired(Some(booking_id), now);
    events.push(event);
    Ok(events)
}

/// A block never displaces a booking, and blocks do not overlap, so that opening one opens all of
/// its time.
fn block(
    state: &State,
    block_id: Id<Block>,
    span: Span,
    now: Timestamp,
) -> Result<Vec<Event>, Rejection> {
    if state.blocked.get(&block_id) == Some(&span) {
        return Ok(Vec::new());
    }
    if state.is_closed(span)
        || state.live(now).any(|(_, reservation)| reservation.span.overlaps(&span))
    {
        return Err(Rejection::SlotTaken);
    }
    let mut events = state.release_expired(None, now);
    events.push(Event::Blocked { block_id, span });
    Ok(events)
}

#[cfg(test)]
mod tests;
