//! The decision for each command in each state.

use kernel::id::Customer;
use kernel::{Id, Timestamp};

use super::cancelling::{cancel, request, take_effect, undo};
use super::ended_sessions::Attendance;
use super::facts::{Facts, Mode, Origin};
use super::model::{
    Command, ConfirmationBasis, Event, MeetingId, PaymentId, PlacementCheck, Rejection, State,
};
use super::moving::relocate;
use super::proposing::{lapse, propose, withdraw};
use super::sessions::PlacedPackage;

/// A payment after the hold's end reinstates a booking only if its session is at least this far
/// ahead.
const REINSTATE_AHEAD_MINUTES: i64 = 120;
/// How long after a session's end it can be marked whether its client came: 14 days.
const MARKABLE_MINUTES: i64 = 14 * 24 * 60;

pub(super) fn decide(state: &State, command: Command) -> Result<Vec<Event>, Rejection> {
    match command {
        Command::Request { facts, until } => requested(state, facts, until),
        Command::OpenCheckout { grow_minutes, now } => open_checkout(state, grow_minutes, now),
        Command::ClaimPayment { grow_minutes, accept, now } => {
            Ok(claim_payment(state, grow_minutes, accept, now))
        }
        Command::AcceptClaim { claimed, free, now } => accept_claim(state, claimed, free, now),
        Command::Release => release(state),
        Command::TakeBack => take_back(state),
        Command::Expire { now } => {
            let ended = state.held_until().is_some_and(|until| until <= now);
            Ok(if ended { vec![Event::Expired] } else { Vec::new() })
        }
        Command::VerifyPayment { payment, placement, now } => {
            verify_payment(state, payment, placement, now)
        }
        Command::ScheduleMeeting { meeting } => Ok(schedule_meeting(state, meeting)),
        Command::Cancel { cancellation, now } => cancel(state, &cancellation, now),
        Command::CancelLater { cancellation, shown, now } => {
            request(state, &cancellation, shown, now)
        }
        Command::UndoCancellation => undo(state),
        Command::TakeEffect { unwritten, now } => Ok(take_effect(state, unwritten, now)),
        Command::MarkAttendance { session, attendance, now } => {
            mark_attendance(state, (session, attendance), now)
        }
        Command::Move { request, shown, to, now } => relocate(state, &request, shown, to, now),
        Command::ProposeMove { asked, now } => propose(state, asked, now),
        Command::WithdrawProposal { now } => withdraw(state, now),
        Command::LapseProposal { unwritten, now } => Ok(lapse(state, unwritten, now)),
        Command::Complete { now } => Ok(complete(state, now)),
        Command::Adopt { customer_id } => adopt(state, customer_id),
        Command::RequestPage { number, now } => {
            let event = Event::PageRequested { number, renewed: false };
            while_page_is_open(state, event, now)
        }
        Command::RenewPage { number } => renew_page(state, number),
        Command::RequestConsentCode { number, now } => {
            let event = Event::ConsentCodeRequested { number };
            while_page_is_open(state, event, now)
        }
        Command::RequestPageCode { number, now } => request_page_code(state, number, now),
    }
}

/// There is something to move or to cancel as long as a session of it is to come.
fn request_page_code(state: &State, number: i64, now: Timestamp) -> Result<Vec<Event>, Rejection> {
    let facts = state.facts().ok_or(Rejection::Absent)?;
    let is_ahead = |it: &usize| {
        state.expects(Some(*it))
            && facts.session(*it).is_some_and(|session| now < session.ends_at())
    };
    let has_any = facts.numbers().any(|number| is_ahead(&number));
    has_any.then(|| vec![Event::PageCodeRequested { number }]).ok_or(Rejection::NotCancellable)
}

fn requested(state: &State, facts: Facts, until: Timestamp) -> Result<Vec<Event>, Rejection> {
    match state.facts() {
        None if facts.is_free() => Ok(vec![
            Event::Requested { facts, until },
            Event::Confirmed { basis: ConfirmationBasis::Free, reinstated: false },
        ]),
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
            // A hold never lasts beyond the session's start.
            let latest = facts.starts_at().map_or(grown, |starts_at| grown.min(starts_at));
            Ok(vec![Event::CheckoutOpened { until: latest.max(*until) }])
        }
        State::AwaitingPayment { .. }
        | State::Confirmed { .. }
        | State::MeetingScheduled { .. }
        | State::Completed { .. } => Ok(Vec::new()),
        State::Expired { .. }
        | State::Released { .. }
        | State::Cancelled { .. }
        | State::PaidUnplaced { .. } => Err(Rejection::HoldEnded),
    }
}

/// A booking is adopted once; one that an account asked for never is.
fn adopt(state: &State, customer_id: Id<Customer>) -> Result<Vec<Event>, Rejection> {
    let facts = state.facts().ok_or(Rejection::Absent)?;
    Ok(match facts.origin {
        Origin::Phone => vec![Event::Adopted { customer_id }],
        Origin::Account | Origin::AdoptedPhone => Vec::new(),
    })
}

/// There is nothing to pay or to sign on the page of a booking that is not held.
fn while_page_is_open(
    state: &State,
    event: Event,
    now: Timestamp,
) -> Result<Vec<Event>, Rejection> {
    let facts = state.facts().ok_or(Rejection::Absent)?;
    if !facts.is_by_phone() {
        return Err(Rejection::NotByPhone);
    }
    match state.held_until() {
        Some(until) if until > now => Ok(vec![event]),
        _ => Err(Rejection::HoldEnded),
    }
}

/// A new key of the page of a booking that is not paid there any more, as long as no account owns
/// it.
fn renew_page(state: &State, number: i64) -> Result<Vec<Event>, Rejection> {
    match state.facts().ok_or(Rejection::Absent)?.origin {
        Origin::Phone => Ok(vec![Event::PageRequested { number, renewed: true }]),
        Origin::Account | Origin::AdoptedPhone => Err(Rejection::NotByPhone),
    }
}

/// A claim is no proof: unless the policy accepts every claim, it only extends the hold, and does
/// nothing when there is no hold to extend.
fn claim_payment(
    state: &State,
    grow_minutes: i64,
    accept: Option<PlacementCheck>,
    now: Timestamp,
) -> Vec<Event> {
    let placed = accept.and_then(|placement| unconfirmed(state, now)?.placed(placement, now));
    match placed {
        Some(reinstated) => vec![Event::Confirmed { basis: ConfirmationBasis::Claim, reinstated }],
        None => open_checkout(state, grow_minutes, now).unwrap_or_default(),
    }
}

/// Staff judge for themselves whether the session is too near or the customer has booked again, so
/// those rules do not apply here.
fn accept_claim(
    state: &State,
    claimed: bool,
    free: bool,
    now: Timestamp,
) -> Result<Vec<Event>, Rejection> {
    if *state == State::Absent {
        return Err(Rejection::Absent);
    }
    if !claimed {
        return Err(Rejection::NotClaimed);
    }
    match state {
        State::Held { .. }
        | State::AwaitingPayment { .. }
        | State::Expired { .. }
        | State::Released { .. } => {}
        State::Confirmed { .. } | State::MeetingScheduled { .. } | State::Completed { .. } => {
            return Ok(Vec::new());
        }
        // Their payment was decided already.
        State::Absent | State::Cancelled { .. } | State::PaidUnplaced { .. } => {
            return Err(Rejection::NotClaimed);
        }
    }
    if state.facts().is_none_or(|facts| facts.has_begun(now)) {
        return Err(Rejection::SessionEnded);
    }
    if !free {
        return Err(Rejection::SlotTaken);
    }
    let reinstated = state.held_until().is_none_or(|until| until <= now);
    Ok(vec![Event::Confirmed { basis: ConfirmationBasis::Claim, reinstated }])
}

fn release(state: &State) -> Result<Vec<Event>, Rejection> {
    match state {
        State::Absent => Err(Rejection::Absent),
        State::Held { .. } => Ok(vec![Event::Released]),
        State::Expired { .. } | State::Released { .. } | State::Cancelled { .. } => Ok(Vec::new()),
        State::AwaitingPayment { .. }
        | State::Confirmed { .. }
        | State::MeetingScheduled { .. }
        | State::Completed { .. }
        | State::PaidUnplaced { .. } => Err(Rejection::CheckoutOpened),
    }
}

/// Staff take back what they have held by phone, also when its client has agreed on the page: then
/// it waits for a payment by link, which ends with the hold.
fn take_back(state: &State) -> Result<Vec<Event>, Rejection> {
    let facts = state.facts().ok_or(Rejection::Absent)?;
    if !facts.is_by_phone() {
        return Err(Rejection::NotByPhone);
    }
    match state {
        State::Held { .. } | State::AwaitingPayment { .. } => Ok(vec![Event::Released]),
        State::Absent
        | State::Expired { .. }
        | State::Released { .. }
        | State::Cancelled { .. } => Ok(Vec::new()),
        State::Confirmed { .. }
        | State::MeetingScheduled { .. }
        | State::Completed { .. }
        | State::PaidUnplaced { .. } => Err(Rejection::HoldEnded),
    }
}

/// A booking that is neither confirmed nor cancelled, and whether its hold is still live.
struct Unconfirmed<'s> {
    facts: &'s Facts,
    hold_is_live: bool,
}

fn unconfirmed(state: &State, now: Timestamp) -> Option<Unconfirmed<'_>> {
    match state {
        State::Held { facts, until } | State::AwaitingPayment { facts, until } => {
            Some(Unconfirmed { facts, hold_is_live: now < *until })
        }
        State::Expired { facts } | State::Released { facts } => {
            Some(Unconfirmed { facts, hold_is_live: false })
        }
        State::Absent
        | State::Confirmed { .. }
        | State::MeetingScheduled { .. }
        | State::Completed { .. }
        | State::Cancelled { .. }
        | State::PaidUnplaced { .. } => None,
    }
}

impl Unconfirmed<'_> {
    /// Whether a payment places it now: `Some(true)` reinstates it after its hold expired.
    fn placed(&self, placement: PlacementCheck, now: Timestamp) -> Option<bool> {
        if self.hold_is_live && placement.free {
            return Some(false);
        }
        let starts_at = self.facts.starts_at()?;
        let far_enough = starts_at >= now.plus_minutes(REINSTATE_AHEAD_MINUTES);
        (far_enough && placement.free && !placement.replaced && placement.offered).then_some(true)
    }
}

/// A second payment changes nothing here, nor does one for what costs nothing: payments refunds it.
fn verify_payment(
    state: &State,
    payment: PaymentId,
    placement: PlacementCheck,
    now: Timestamp,
) -> Result<Vec<Event>, Rejection> {
    if *state == State::Absent {
        return Err(Rejection::Absent);
    }
    if let Some(unconfirmed) = unconfirmed(state, now) {
        return Ok(vec![match unconfirmed.placed(placement, now) {
            Some(reinstated) => {
                Event::Confirmed { basis: ConfirmationBasis::Payment(payment), reinstated }
            }
            None => Event::Unplaced { payment },
        }]);
    }
    Ok(match state {
        State::Confirmed { basis: ConfirmationBasis::Claim, .. }
        | State::MeetingScheduled { basis: ConfirmationBasis::Claim, .. }
        | State::Completed { basis: ConfirmationBasis::Claim, .. } => vec![Event::Paid { payment }],
        // A booking cancelled with a promised refund gets it, even if its payment arrives later.
        // Of a package a part may be kept: payments knows the sessions.
        State::Cancelled { facts, basis: ConfirmationBasis::Claim, refund }
            if refund.minor > 0 && *refund == facts.price =>
        {
            vec![Event::Unplaced { payment }]
        }
        State::Cancelled { basis: ConfirmationBasis::Claim, .. } => vec![Event::Paid { payment }],
        State::Absent
        | State::Held { .. }
        | State::AwaitingPayment { .. }
        | State::Confirmed { .. }
        | State::MeetingScheduled { .. }
        | State::Completed { .. }
        | State::Expired { .. }
        | State::Released { .. }
        | State::Cancelled { .. }
        | State::PaidUnplaced { .. } => Vec::new(),
    })
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
        | State::Cancelled { .. }
        | State::PaidUnplaced { .. } => Vec::new(),
    }
}

/// The last mark counts. Who came is known from the start of the session, and for some days after
/// its end it can be corrected.
fn mark_attendance(
    state: &State,
    (session, attendance): (Option<usize>, Attendance),
    now: Timestamp,
) -> Result<Vec<Event>, Rejection> {
    let (facts, ended) = match state {
        State::Confirmed { facts, ended, .. }
        | State::MeetingScheduled { facts, ended, .. }
        | State::Completed { facts, ended, .. } => (facts, ended),
        State::Absent => return Err(Rejection::Absent),
        State::Held { .. }
        | State::AwaitingPayment { .. }
        | State::Expired { .. }
        | State::Released { .. }
        | State::Cancelled { .. }
        | State::PaidUnplaced { .. } => return Err(Rejection::NotMarkable),
    };
    let takes_place = |number: &usize| !ended.is_cancelled(*number);
    let has_begun =
        |number: &usize| facts.session(*number).is_some_and(|session| session.starts_at() <= now);
    let last = || facts.numbers().rev().filter(takes_place).find(has_begun);
    let number = session.or_else(last).ok_or(Rejection::NotMarkable)?;
    let times = facts.session(number).ok_or(Rejection::SessionUnknown)?;
    let is_open = now < times.ends_at().plus_minutes(MARKABLE_MINUTES);
    // To a time that the practice can't hold, a client need not come.
    let is_displaced = ended.is_displaced(number);
    if !(takes_place(&number) && has_begun(&number) && is_open) || is_displaced {
        return Err(Rejection::NotMarkable);
    }
    if ended.attendance(number) == attendance {
        return Ok(Vec::new());
    }
    let mut after = ended.clone();
    after.mark(number, attendance);
    let no_show = facts
        .numbers()
        .filter(takes_place)
        .all(|number| after.attendance(number) == Attendance::NoShow);
    Ok(vec![Event::AttendanceMarked { number, attendance, no_show }])
}

/// What its client has cancelled before is decided first, and so is a proposal without an answer:
/// after a stop of the service both fall due together, and the session would be earned although its
/// refund was shown.
fn complete(state: &State, now: Timestamp) -> Vec<Event> {
    if state.move_proposal().is_some_and(|proposal| proposal.choose_until <= now) {
        return Vec::new();
    }
    if state.pending_cancellation().is_some_and(|pending| pending.takes_effect_at <= now) {
        return Vec::new();
    }
    if let Some(package) = PlacedPackage::of(state) {
        return package.complete(now);
    }
    match state {
        State::Confirmed { facts, .. } | State::MeetingScheduled { facts, .. }
            if facts.has_ended(now) =>
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
        | State::Cancelled { .. }
        | State::PaidUnplaced { .. } => Vec::new(),
    }
}
