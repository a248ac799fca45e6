//! One booking's life, from the held time to the end of its session. Each state carries only what
//! it can have, so that impossible mixes do not compile. `booking/decisions.rs` decides.

mod facts;
mod cancellation;
mod model;
mod decisions;

use kernel::Decider;

pub use cancellation::{Cancellation, CancelledBy, RefundWish};
pub use facts::{Facts, Mode};
pub use model::{Command, Event, Ground, MeetingId, PaymentId, Place, Rejection, State};

/// Decides for one booking.
#[derive(Debug, Clone, Copy)]
pub struct BookingLife;

impl Decider for BookingLife {
    type State = State;
    type Command = Command;
    type Event = Event;
    type Rejection = Rejection;

    fn decide(state: &State, command: Command) -> Result<Vec<Event>, Rejection> {
        decisions::decide(state, command)
    }

    fn evolve(state: State, event: &Event) -> State {
        evolve(state, event)
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
            Event::Confirmed { ground, .. },
        ) => State::Confirmed { facts, ground: ground.clone() },
        (
            State::Held { facts, .. }
            | State::AwaitingPayment { facts, .. }
            | State::Expired { facts }
            | State::Released { facts },
            Event::Unplaced { payment },
        ) => State::PaidUnplaced { facts, payment: payment.clone() },
        (State::Confirmed { facts, ground }, Event::MeetingScheduled { meeting }) => {
            State::MeetingScheduled { facts, ground, meeting: meeting.clone() }
        }
        (
            State::Confirmed { facts, ground } | State::MeetingScheduled { facts, ground, .. },
            Event::Completed,
        ) => State::Completed { facts, ground },
        (
            State::Confirmed { facts, ground } | State::MeetingScheduled { facts, ground, .. },
            Event::Cancelled { refund, .. },
        ) => State::Cancelled { facts, ground, refund: *refund },
        (state, Event::Paid { payment } | Event::Unplaced { payment }) => {
            settled(state, Ground::Payment(payment.clone()))
        }
        // Nothing else is ever decided.
        (state, _) => state,
    }
}

/// The same state with the money that has come for it.
fn settled(state: State, ground: Ground) -> State {
    match state {
        State::Confirmed { facts, .. } => State::Confirmed { facts, ground },
        State::MeetingScheduled { facts, meeting, .. } => {
            State::MeetingScheduled { facts, ground, meeting }
        }
        State::Completed { facts, .. } => State::Completed { facts, ground },
        State::Cancelled { facts, refund, .. } => State::Cancelled { facts, ground, refund },
        other @ (State::Absent
        | State::Held { .. }
        | State::AwaitingPayment { .. }
        | State::Expired { .. }
        | State::Released { .. }
        | State::PaidUnplaced { .. }) => other,
    }
}

#[cfg(test)]
mod tests;
