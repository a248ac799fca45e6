//! One practitioner's day: which times are held, which are booked and which are closed. Two that
//! overlap can not be decided, because every time of a day is decided here.

use std::collections::BTreeMap;

use kernel::id::{Block, Booking};
use kernel::{Decider, Id, Timestamp};

use super::span::Span;

/// The bookings that have a time on this day, at most one session each, and the times that the
/// practice has closed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct State {
    reservations: BTreeMap<Id<Booking>, Reservation>,
    blocked: BTreeMap<Id<Block>, Span>,
}

/// A time and by what right it is taken.
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
    /// The times that are taken or closed at `now`; holds that have run out are not.
    #[must_use]
    pub fn taken(&self, now: Timestamp) -> Vec<Span> {
        let sessions = self.live(now).map(|(_, reservation)| reservation.span);
        sessions.chain(self.blocked.values().copied()).collect()
    }

    /// Whether `span` could be given to `booking_id` at `now`.
    #[must_use]
    pub fn is_free_for(&self, booking_id: Id<Booking>, span: Span, now: Timestamp) -> bool {
        !self.is_closed(span)
            && !self
                .live(now)
                .any(|(id, reservation)| *id != booking_id && reservation.span.overlaps(&span))
    }

    /// Whether a booking's hold here has run out, so that it gives way to whoever takes its time.
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

    /// What has to be said of holds of others that have run out.
    fn release_expired(&self, except: Option<Id<Booking>>, now: Timestamp) -> Vec<Event> {
        self.reservations
            .iter()
            .filter(|(id, reservation)| Some(**id) != except && reservation.is_expired(now))
            .map(|(id, _)| Event::Released { booking_id: *id })
            .collect()
    }
}

/// What can be asked of a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Hold a time until an instant.
    Hold { booking_id: Id<Booking>, span: Span, until: Timestamp, now: Timestamp },
    /// Hold it longer.
    Extend { booking_id: Id<Booking>, until: Timestamp },
    /// Give a time for good: the one that is held, or one that is free.
    Book { booking_id: Id<Booking>, span: Span, now: Timestamp },
    /// Give a held time back.
    Release { booking_id: Id<Booking> },
    /// Take a booking's time from it, whether it was held or booked.
    Cancel { booking_id: Id<Booking> },
    /// Close a time to customers.
    Block { block_id: Id<Block>, span: Span, now: Timestamp },
    /// Open it again.
    Unblock { block_id: Id<Block> },
}

/// What can have happened on a day.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A time is held.
    Held { booking_id: Id<Booking>, span: Span, until: Timestamp },
    /// It is held longer.
    HoldExtended { booking_id: Id<Booking>, until: Timestamp },
    /// A time was given for good.
    Booked { booking_id: Id<Booking>, span: Span },
    /// A time is free again.
    Released { booking_id: Id<Booking> },
    /// A time was closed to customers.
    Blocked { block_id: Id<Block>, span: Span },
    /// It is open again.
    Unblocked { block_id: Id<Block> },
}

/// Why a day refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// Another booking has the time or a part of it, or it is closed.
    #[error("the time is taken")]
    SlotTaken,
    /// The booking has no time here that could be held longer.
    #[error("the time is not held")]
    NotHeld,
    /// A booked time is not given back like a held one.
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

/// Lets holds that have run out lapse and then takes the time, if nobody else has it.
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

/// Nobody is pushed out of their time by a block; two blocks do not overlap either, so that opening
/// one never leaves half of it closed.
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
