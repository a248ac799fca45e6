//! One booking's life, from the held time to the end of its session. Each state carries only what
//! it can have, so that impossible mixes do not compile.

use kernel::id::{Booking, Customer};
use kernel::{Decider, Id, Money, Timestamp};

use super::span::Span;

/// Late money places a booking again only when its session is at least this far away.
const REINSTATE_AHEAD_MINUTES: i64 = 120;

/// How a session takes place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// By a meeting link.
    Online,
    /// At the practice.
    InPerson,
}

/// What was asked for; it never changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Facts {
    /// Its own id.
    pub booking_id: Id<Booking>,
    /// Who owns it.
    pub customer_id: Id<Customer>,
    /// The service that was booked.
    pub service_id: String,
    /// Its title at the time of booking.
    pub service_title: String,
    /// What it costs.
    pub price: Money,
    /// Its sessions, at least one, in the order of their starts.
    pub sessions: Vec<Span>,
    /// Whose days hold the time.
    pub practitioner_id: String,
    /// Online or in person.
    pub mode: Mode,
}

impl Facts {
    /// When the first session begins.
    fn starts_at(&self) -> Option<Timestamp> {
        self.sessions.first().map(Span::starts_at)
    }

    /// When the last session ends.
    fn ends_at(&self) -> Option<Timestamp> {
        self.sessions.last().map(Span::ends_at)
    }
}

/// The provider's id of the payment that placed a booking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PaymentId(pub String);

/// The meeting provider's id of a room.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MeetingId(pub String);

/// Where a booking stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum State {
    /// It does not exist.
    #[default]
    Absent,
    /// Its time is held; checkout was not opened.
    Held { facts: Facts, until: Timestamp },
    /// Checkout was opened or a payment was claimed; the hold was extended, once.
    AwaitingPayment { facts: Facts, until: Timestamp },
    /// Paid and placed.
    Confirmed { facts: Facts, payment: PaymentId },
    /// Paid and placed, and the meeting room exists.
    MeetingScheduled { facts: Facts, payment: PaymentId, meeting: MeetingId },
    /// The session's end has passed.
    Completed { facts: Facts, payment: PaymentId },
    /// The hold ended without money.
    Expired { facts: Facts },
    /// The customer gave the time back.
    Released { facts: Facts },
    /// Money arrived after the time was gone.
    PaidUnplaced { facts: Facts, payment: PaymentId },
}

impl State {
    /// Until when its time is held, while it is.
    #[must_use]
    pub fn held_until(&self) -> Option<Timestamp> {
        match self {
            Self::Held { until, .. } | Self::AwaitingPayment { until, .. } => Some(*until),
            Self::Absent
            | Self::Confirmed { .. }
            | Self::MeetingScheduled { .. }
            | Self::Completed { .. }
            | Self::Expired { .. }
            | Self::Released { .. }
            | Self::PaidUnplaced { .. } => None,
        }
    }

    /// What was asked for.
    #[must_use]
    pub fn facts(&self) -> Option<&Facts> {
        match self {
            Self::Absent => None,
            Self::Held { facts, .. }
            | Self::AwaitingPayment { facts, .. }
            | Self::Confirmed { facts, .. }
            | Self::MeetingScheduled { facts, .. }
            | Self::Completed { facts, .. }
            | Self::Expired { facts }
            | Self::Released { facts }
            | Self::PaidUnplaced { facts, .. } => Some(facts),
        }
    }
}

/// What can be asked of a booking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Command {
    /// Open it with its time held until an instant.
    Request { facts: Facts, until: Timestamp },
    /// The provider's checkout is being opened; the hold may grow by so many minutes, once.
    OpenCheckout { grow_minutes: i64, now: Timestamp },
    /// A payment was claimed; the same extension, but nothing to refuse.
    ClaimPayment { grow_minutes: i64, now: Timestamp },
    /// The customer gives the time back.
    Release,
    /// The hold's end has come.
    Expire { now: Timestamp },
    /// Money was verified.
    VerifyPayment { payment: PaymentId, place: Place, now: Timestamp },
    /// The meeting room exists.
    ScheduleMeeting { meeting: MeetingId },
    /// The session's end has come.
    Complete { now: Timestamp },
}

/// What is known of a booking's time when money arrives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Place {
    /// Nobody else has it.
    pub free: bool,
    /// The customer has another live booking in its place.
    pub replaced: bool,
}

/// What can have happened to a booking.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// It was asked for, and its time is held.
    Requested { facts: Facts, until: Timestamp },
    /// Checkout was opened or a payment claimed; the time is held longer.
    CheckoutOpened { until: Timestamp },
    /// It is paid and placed.
    Confirmed { payment: PaymentId, reinstated: bool },
    /// Its meeting room exists.
    MeetingScheduled { meeting: MeetingId },
    /// Its hold ended without money.
    Expired,
    /// Its time was given back.
    Released,
    /// It is paid and could not be placed.
    Unplaced { payment: PaymentId },
    /// Its session's end has passed.
    Completed,
}

/// Why a booking refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Rejection {
    /// There is no booking.
    #[error("there is no such booking")]
    Absent,
    /// Its id was used before.
    #[error("the booking exists already")]
    Exists,
    /// Its hold has ended.
    #[error("the hold has ended")]
    HoldEnded,
    /// Checkout was opened, so the time is not given back by hand any more.
    #[error("checkout was opened")]
    CheckoutOpened,
}

/// Decides for one booking.
#[derive(Debug, Clone, Copy)]
pub struct BookingLife;

impl Decider for BookingLife {
    type State = State;
    type Command = Command;
    type Event = Event;
    type Rejection = Rejection;

    fn decide(state: &State, command: Command) -> Result<Vec<Event>, Rejection> {
        match command {
            Command::Request { facts, until } => request(state, facts, until),
            Command::OpenCheckout { grow_minutes, now } => open_checkout(state, grow_minutes, now),
            Command::ClaimPayment { grow_minutes, now } => {
                // A claim proves nothing: when there is no hold to extend, there is nothing to do.
                Ok(open_checkout(state, grow_minutes, now).unwrap_or_default())
            }
            Command::Release => release(state),
            Command::Expire { now } => {
                let ended = state.held_until().is_some_and(|until| until <= now);
                Ok(if ended { vec![Event::Expired] } else { Vec::new() })
            }
            Command::VerifyPayment { payment, place, now } => {
                verify_payment(state, payment, place, now)
            }
            Command::ScheduleMeeting { meeting } => Ok(schedule_meeting(state, meeting)),
            Command::Complete { now } => Ok(complete(state, now)),
        }
    }

    fn evolve(state: State, event: &Event) -> State {
        evolve(state, event)
    }
}

fn request(state: &State, facts: Facts, until: Timestamp) -> Result<Vec<Event>, Rejection> {
    match state.facts() {
        None => Ok(vec![Event::Requested { facts, until }]),
        Some(known) if *known == facts => Ok(Vec::new()),
        Some(_other) => Err(Rejection::Exists),
    }
}

fn open_checkout(
    state: &State,
    grow_minutes: i64,
    now: Timestamp,
) -> Result<Vec<Event>, Rejection> {
    match state {
        State::Absent => Err(Rejection::Absent),
        State::Held { until, .. } | State::AwaitingPayment { until, .. } if *until <= now => {
            Err(Rejection::HoldEnded)
        }
        State::Held { facts, until } => {
            let grown = until.plus_minutes(grow_minutes);
            // A time is of no use to its holder once the session should have begun.
            let latest = facts.starts_at().map_or(grown, |starts_at| grown.min(starts_at));
            Ok(vec![Event::CheckoutOpened { until: latest.max(*until) }])
        }
        State::AwaitingPayment { .. }
        | State::Confirmed { .. }
        | State::MeetingScheduled { .. }
        | State::Completed { .. } => Ok(Vec::new()),
        State::Expired { .. } | State::Released { .. } | State::PaidUnplaced { .. } => {
            Err(Rejection::HoldEnded)
        }
    }
}

fn release(state: &State) -> Result<Vec<Event>, Rejection> {
    match state {
        State::Absent => Err(Rejection::Absent),
        State::Held { .. } => Ok(vec![Event::Released]),
        State::Expired { .. } | State::Released { .. } => Ok(Vec::new()),
        State::AwaitingPayment { .. }
        | State::Confirmed { .. }
        | State::MeetingScheduled { .. }
        | State::Completed { .. }
        | State::PaidUnplaced { .. } => Err(Rejection::CheckoutOpened),
    }
}

/// A second payment changes nothing here: payments gives it back.
fn verify_payment(
    state: &State,
    payment: PaymentId,
    place: Place,
    now: Timestamp,
) -> Result<Vec<Event>, Rejection> {
    let (facts, in_time) = match state {
        State::Absent => return Err(Rejection::Absent),
        State::Held { facts, until } | State::AwaitingPayment { facts, until } => {
            (facts, now < *until)
        }
        State::Expired { facts } | State::Released { facts } => (facts, false),
        State::Confirmed { .. }
        | State::MeetingScheduled { .. }
        | State::Completed { .. }
        | State::PaidUnplaced { .. } => return Ok(Vec::new()),
    };
    if in_time && place.free {
        return Ok(vec![Event::Confirmed { payment, reinstated: false }]);
    }
    let far_enough = facts
        .starts_at()
        .is_some_and(|starts_at| starts_at >= now.plus_minutes(REINSTATE_AHEAD_MINUTES));
    if far_enough && place.free && !place.replaced {
        Ok(vec![Event::Confirmed { payment, reinstated: true }])
    } else {
        Ok(vec![Event::Unplaced { payment }])
    }
}

fn schedule_meeting(state: &State, meeting: MeetingId) -> Vec<Event> {
    match state {
        State::Confirmed { facts, .. } if facts.mode == Mode::Online => {
            vec![Event::MeetingScheduled { meeting }]
        }
        State::Absent
        | State::Held { .. }
        | State::AwaitingPayment { .. }
        | State::Confirmed { .. }
        | State::MeetingScheduled { .. }
        | State::Completed { .. }
        | State::Expired { .. }
        | State::Released { .. }
        | State::PaidUnplaced { .. } => Vec::new(),
    }
}

fn complete(state: &State, now: Timestamp) -> Vec<Event> {
    match state {
        State::Confirmed { facts, .. } | State::MeetingScheduled { facts, .. }
            if facts.ends_at().is_some_and(|ends_at| ends_at <= now) =>
        {
            vec![Event::Completed]
        }
        State::Absent
        | State::Held { .. }
        | State::AwaitingPayment { .. }
        | State::Confirmed { .. }
        | State::MeetingScheduled { .. }
        | State::Completed { .. }
        | State::Expired { .. }
        | State::Released { .. }
        | State::PaidUnplaced { .. } => Vec::new(),
    }
}

fn evolve(state: State, event: &Event) -> State {
    match (state, event) {
        (State::Absent, Event::Requested { facts, until }) => {
            State::Held { facts: facts.clone(), until: *until }
        }
        (
            State::Held { facts, .. } | State::AwaitingPayment { facts, .. },
            Event::CheckoutOpened { until },
        ) => State::AwaitingPayment { facts, until: *until },
        (State::Held { facts, .. } | State::AwaitingPayment { facts, .. }, Event::Expired) => {
            State::Expired { facts }
        }
        (State::Held { facts, .. }, Event::Released) => State::Released { facts },
        (
            State::Held { facts, .. }
            | State::AwaitingPayment { facts, .. }
            | State::Expired { facts }
            | State::Released { facts },
            Event::Confirmed { payment, .. },
        ) => State::Confirmed { facts, payment: payment.clone() },
        (
            State::Held { facts, .. }
            | State::AwaitingPayment { facts, .. }
            | State::Expired { facts }
            | State::Released { facts },
            Event::Unplaced { payment },
        ) => State::PaidUnplaced { facts, payment: payment.clone() },
        (State::Confirmed { facts, payment }, Event::MeetingScheduled { meeting }) => {
            State::MeetingScheduled { facts, payment, meeting: meeting.clone() }
        }
        (
            State::Confirmed { facts, payment } | State::MeetingScheduled { facts, payment, .. },
            Event::Completed,
        ) => State::Completed { facts, payment },
        // Nothing else is ever decided.
        (state, _) => state,
    }
}

#[cfg(test)]
mod tests;
