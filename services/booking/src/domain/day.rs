//! One practitioner's day: which times are held and which are booked. Two sessions that overlap can
//! not be decided, because every session of a day is decided here.

use std::collections::BTreeMap;

use kernel::id::Booking;
use kernel::{Decider, Id, Timestamp};

use super::span::Span;

/// The bookings that have a time on this day. A booking has at most one session on a day.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct State {
    taken: BTreeMap<Id<Booking>, Taken>,
}

/// A time and by what right it is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Taken {
    span: Span,
    right: Right,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Right {
    Held { until: Timestamp },
    Booked,
}

impl Taken {
    fn has_run_out(&self, now: Timestamp) -> bool {
        match self.right {
            Right::Held { until } => until <= now,
            Right::Booked => false,
        }
    }
}

impl State {
    /// The times that are taken at `now`; holds that have run out are not.
    #[must_use]
    pub fn taken(&self, now: Timestamp) -> Vec<Span> {
        self.live(now).map(|(_, taken)| taken.span).collect()
    }

    /// Whether `span` could be given to `booking_id` at `now`.
    #[must_use]
    pub fn is_free_for(&self, booking_id: Id<Booking>, span: Span, now: Timestamp) -> bool {
        !self.live(now).any(|(id, taken)| *id != booking_id && taken.span.overlaps(&span))
    }

    /// Whether a booking's hold here has run out, so that it gives way to whoever takes its time.
    #[must_use]
    pub fn gives_way(&self, booking_id: Id<Booking>, now: Timestamp) -> bool {
        self.taken.get(&booking_id).is_some_and(|taken| taken.has_run_out(now))
    }

    fn live(&self, now: Timestamp) -> impl Iterator<Item = (&Id<Booking>, &Taken)> {
        self.taken.iter().filter(move |(_, taken)| !taken.has_run_out(now))
    }

    /// What has to be said of holds of others that have run out.
    fn lapses(&self, except: Id<Booking>, now: Timestamp) -> Vec<Event> {
        self.taken
            .iter()
            .filter(|(id, taken)| **id != except && taken.has_run_out(now))
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
}

/// Why a day refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// Another booking has the time or a part of it.
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
                match state.taken.get(&booking_id) {
                    Some(own) if own.span == span && !own.has_run_out(now) => {
                        return Ok(Vec::new());
                    }
                    Some(own) if own.right == Right::Booked => return Err(Rejection::Booked),
                    Some(_) | None => {}
                }
                take(state, Event::Held { booking_id, span, until }, (booking_id, span), now)
            }
            Command::Extend { booking_id, until } => {
                match state.taken.get(&booking_id).map(|own| own.right) {
                    Some(Right::Held { until: before }) if before < until => {
                        Ok(vec![Event::HoldExtended { booking_id, until }])
                    }
                    Some(Right::Held { .. } | Right::Booked) => Ok(Vec::new()),
                    None => Err(Rejection::NotHeld),
                }
            }
            Command::Book { booking_id, span, now } => {
                let own = state.taken.get(&booking_id);
                if own.is_some_and(|own| own.right == Right::Booked) {
                    return Ok(Vec::new());
                }
                take(state, Event::Booked { booking_id, span }, (booking_id, span), now)
            }
            Command::Release { booking_id } => {
                match state.taken.get(&booking_id).map(|own| own.right) {
                    Some(Right::Held { .. }) => Ok(vec![Event::Released { booking_id }]),
                    Some(Right::Booked) => Err(Rejection::Booked),
                    None => Ok(Vec::new()),
                }
            }
        }
    }

    fn evolve(mut state: State, event: &Event) -> State {
        match *event {
            Event::Held { booking_id, span, until } => {
                state.taken.insert(booking_id, Taken { span, right: Right::Held { until } });
            }
            Event::HoldExtended { booking_id, until } => {
                if let Some(own) = state.taken.get_mut(&booking_id) {
                    own.right = Right::Held { until };
                }
            }
            Event::Booked { booking_id, span } => {
                state.taken.insert(booking_id, Taken { span, right: Right::Booked });
            }
            Event::Released { booking_id } => {
                state.taken.remove(&booking_id);
            }
        }
        state
    }
}

/// Lets holds that have run out lapse and then takes the time, if nobody else has it.
fn take(
    state: &State,
    event: Event,
    (booking_id, span): (Id<Booking>, Span),
    now: Timestamp,
) -> Result<Vec<Event>, Rejection> {
    if !state.is_free_for(booking_id, span, now) {
        return Err(Rejection::SlotTaken);
    }
    let mut events = state.lapses(booking_id, now);
    events.push(event);
    Ok(events)
}

#[cfg(test)]
mod tests;
