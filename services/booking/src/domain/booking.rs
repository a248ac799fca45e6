//! The lifecycle of one booking, from the held time to the end of its session. Each state carries
//! only the data it can have, so that invalid combinations do not compile. `booking/decisions.rs`
//! holds the decisions.

mod facts;
mod cancellation;
mod cancelling;
mod ended_sessions;
mod model;
mod move_request;
mod moving;
mod left_time;
mod proposal;
mod proposing;
mod sessions;
mod decisions;
mod effects;

use kernel::id::Customer;
use kernel::{Decider, Id};

pub use cancellation::{Cancellation, CancelledBy, RefundChoice, schedule};
pub use cancelling::{CancelledSum, Funds, OwnCancellation};
pub use effects::{Effect, Timer, Whose, effects};
pub use ended_sessions::{Attendance, EndedSessions, PendingCancellation, SessionEnd};
pub use facts::{Facts, Mode, Origin, Package, share_minor};
pub use left_time::{ProposedTime, follow};
pub use model::{
    Command, ConfirmationBasis, Event, MeetingId, PaymentId, PlacementCheck, Rejection, State,
};
pub use move_request::{MoveRequest, MovedBy};
pub use moving::Movable;
pub use proposal::{MoveProposal, ProposedMove};

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
        (State::Held { facts, .. } | State::AwaitingPayment { facts, .. }, Event::Released) => {
            State::Released { facts }
        }
        (
            State::Held { facts, .. }
            | State::AwaitingPayment { facts, .. }
            | State::Expired { facts }
            | State::Released { facts },
            Event::Confirmed { basis, .. },
        ) => State::Confirmed { facts, basis: basis.clone(), ended: EndedSessions::default() },
        (
            State::Held { facts, .. }
            | State::AwaitingPayment { facts, .. }
            | State::Expired { facts }
            | State::Released { facts },
            Event::Unplaced { payment },
        ) => State::PaidUnplaced { facts, payment: payment.clone() },
        (State::Confirmed { facts, basis, ended }, Event::MeetingScheduled { meeting }) => {
            State::MeetingScheduled { facts, basis, ended, meeting: meeting.clone() }
        }
        (
            State::Confirmed { facts, basis, ended }
            | State::MeetingScheduled { facts, basis, ended, .. },
            Event::Completed,
        ) => State::Completed { facts, basis, ended },
        (
            State::Confirmed { facts, basis, .. } | State::MeetingScheduled { facts, basis, .. },
            Event::Cancelled { refund, .. },
        ) => State::Cancelled { facts, basis, refund: *refund },
        (state, Event::SessionCompleted { .. } | Event::SessionCancelled { .. }) => {
            with_session(state, event)
        }
        (state, Event::CancellationRequested(pending)) => with_pending(state, Some(*pending)),
        (state, Event::CancellationUndone) => with_pending(state, None),
        (state, Event::AttendanceMarked { .. }) => marked(state, event),
        (
            state,
            Event::Moved { .. } | Event::MoveProposed(_) | Event::MoveProposalWithdrawn { .. },
        ) => moving::evolve(state, event),
        (state, Event::Adopted { customer_id }) => adopted(state, *customer_id),
        (state, Event::Paid { payment } | Event::Unplaced { payment }) => {
            with_basis(state, ConfirmationBasis::Payment(payment.clone()))
        }
        // In no other state is any of these ever decided, and the last three change none.
        (
            state,
            Event::Requested { .. }
            | Event::CheckoutOpened { .. }
            | Event::Expired
            | Event::Released
            | Event::Confirmed { .. }
            | Event::MeetingScheduled { .. }
            | Event::Completed
            | Event::Cancelled { .. }
            | Event::PageRequested { .. }
            | Event::ConsentCodeRequested { .. }
            | Event::PageCodeRequested { .. },
        ) => state,
    }
}

/// The same state with its new owner.
fn adopted(mut state: State, customer_id: Id<Customer>) -> State {
    if let Some(facts) = state.facts_mut() {
        facts.customer_id = customer_id;
        facts.origin = Origin::AdoptedPhone;
    }
    state
}

/// The same state with a mark.
fn marked(mut state: State, event: &Event) -> State {
    let Event::AttendanceMarked { number, attendance, .. } = event else { return state };
    if let State::Confirmed { ended, .. }
    | State::MeetingScheduled { ended, .. }
    | State::Completed { ended, .. } = &mut state
    {
        ended.mark(*number, *attendance);
    }
    state
}

/// The same state with a cancellation under way, or without one.
fn with_pending(mut state: State, pending: Option<PendingCancellation>) -> State {
    if let State::Confirmed { ended, .. } | State::MeetingScheduled { ended, .. } = &mut state {
        ended.pending = pending;
    }
    state
}

/// The same state after a session of a package has ended.
fn with_session(mut state: State, event: &Event) -> State {
    match &mut state {
        State::Confirmed { ended, .. } | State::MeetingScheduled { ended, .. } => {
            sessions::evolve(ended, event);
        }
        State::Absent
        | State::Held { .. }
        | State::AwaitingPayment { .. }
        | State::Completed { .. }
        | State::Expired { .. }
        | State::Released { .. }
        | State::Cancelled { .. }
        | State::PaidUnplaced { .. } => {}
    }
    state
}

/// The same state with another basis: the payment that has arrived for it.
fn with_basis(state: State, basis: ConfirmationBasis) -> State {
    match state {
        State::Confirmed { facts, ended, .. } => State::Confirmed { facts, basis, ended },
        State::MeetingScheduled { facts, ended, meeting, .. } => {
            State::MeetingScheduled { facts, basis, ended, meeting }
        }
        State::Completed { facts, ended, .. } => State::Completed { facts, basis, ended },
        State::Cancelled { facts, refund, .. } => State::Cancelled { facts, basis, refund },
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
