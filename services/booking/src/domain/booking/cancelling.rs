//! The decisions about cancellations: those of staff at once, and the client's own, which take
//! effect some minutes later, so that they can be taken back until then.

use kernel::{CancellationPolicy, Money, Timestamp};

use super::cancellation::{Cancellation, CancelledBy, GivenBack, RefundChoice, Share};
use super::ended_sessions::PendingCancellation;
use super::model::{ConfirmationBasis, Event, Rejection, State};
use super::sessions::PlacedPackage;

/// For how long a client's own cancellation can be taken back.
const UNDO_MINUTES: i64 = 3;

pub(super) fn cancel(
    state: &State,
    cancellation: &Cancellation,
    now: Timestamp,
) -> Result<Vec<Event>, Rejection> {
    if let Some(package) = PlacedPackage::of(state) {
        return package.cancel(cancellation, now);
    }
    let session = cancellation.session;
    if let (Some(facts), Some(number)) = (state.facts(), session)
        && facts.session(number).is_none()
    {
        return Err(Rejection::SessionUnknown);
    }
    match state {
        State::Absent => Err(Rejection::Absent),
        State::Confirmed { facts, basis, ended }
        | State::MeetingScheduled { facts, basis, ended, .. }
            if !facts.has_ended(now) =>
        {
            let share = Share { amount: facts.price, starts_at: facts.starts_at() };
            let GivenBack { refund, by_grace } = if ended.is_displaced(1) {
                GivenBack::whole(facts.price)
            } else {
                cancellation.given_back(share, facts, now, cancellation.grace_left)
            };
            let unpaid = *basis == ConfirmationBasis::Claim;
            Ok(vec![Event::Cancelled { by: cancellation.by, refund, unpaid, by_grace }])
        }
        State::Cancelled { .. } => Ok(Vec::new()),
        // What was left of the package was cancelled already.
        State::Completed { facts, ended, .. }
            if session
                .map_or(facts.numbers(), |number| number..=number)
                .any(|number| ended.is_cancelled(number)) =>
        {
            Ok(Vec::new())
        }
        State::Held { .. }
        | State::AwaitingPayment { .. }
        | State::Confirmed { .. }
        | State::MeetingScheduled { .. }
        | State::Completed { .. }
        | State::Expired { .. }
        | State::Released { .. }
        | State::PaidUnplaced { .. } => Err(Rejection::NotCancellable),
    }
}

/// What a client's own cancellation would do at a moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnCancellation {
    /// The numbers of the sessions that it cancels, from 1.
    pub sessions: Vec<usize>,
    /// What goes back.
    pub refund: Money,
    /// What earlier cancellations of the booking have promised, in minor units.
    pub promised_before: i64,
    /// Whether it can't be taken back: less would go back, or a session begin, before it could
    /// take effect later.
    pub at_once: bool,
    /// Whether less goes back than its sessions cost, or grace is used up.
    pub loses: bool,
    /// What of the refund comes back by grace.
    pub by_grace: Money,
    /// How often grace is used up.
    pub grace_times: u16,
    /// What it leads to when it takes effect.
    events: Vec<Event>,
}

impl OwnCancellation {
    /// Decides it and changes nothing.
    ///
    /// # Errors
    /// Those of a cancellation, `SessionBegun`, and `CancellationPending` while another one has
    /// not taken effect.
    pub fn of(
        state: &State,
        cancellation: &Cancellation,
        now: Timestamp,
    ) -> Result<Self, Rejection> {
        if state.pending_cancellation().is_some() {
            return Err(Rejection::CancellationPending);
        }
        let facts = state.facts().ok_or(Rejection::Absent)?;
        let nothing = Money { minor: 0, ..facts.price };
        let events = cancel(state, cancellation, now)?;
        let sum = CancelledSum::of(&events, nothing);
        let CancelledSum { sessions, refund, by_grace, grace_times, .. } = sum;
        let begins_by = |instant: Timestamp| {
            let starts = sessions.iter().filter_map(|number| facts.session(*number));
            starts.map(|session| session.starts_at()).any(|starts_at| starts_at <= instant)
        };
        if sessions.is_empty() {
            return Err(Rejection::NotCancellable);
        }
        if begins_by(now) {
            return Err(Rejection::SessionBegun);
        }
        let later = now.plus_minutes(UNDO_MINUTES);
        let then = cancel(state, cancellation, later)?;
        let falls = CancelledSum::of(&then, nothing).refund.minor < refund.minor;
        let at_once = falls || begins_by(later);
        let promised_before = state.promised_refund().map_or(0, |promised| promised.minor);
        let shares = sessions.iter().map(|number| facts.share(*number).minor);
        let loses = grace_times > 0 || refund.minor < shares.fold(0, i64::saturating_add);
        Ok(Self {
            sessions,
            refund,
            promised_before,
            at_once,
            loses,
            by_grace,
            grace_times,
            events,
        })
    }
}

/// A booking's money, in minor units.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Funds {
    /// The price.
    pub price: i64,
    /// What was paid for it, which an offer of the provider's may have made less.
    pub brought: i64,
    /// What went back otherwise, or is on its way: by staff, by the payer's bank.
    pub given: i64,
}

impl Funds {
    /// What really goes back of a promise, which is a part of the price; the mails say the same.
    #[must_use]
    pub fn goes_back(self, promised: i64, promised_before: i64) -> i64 {
        let of_price = |part: i64| {
            let part = i128::from(part) * i128::from(self.brought);
            let part = part.checked_div(i128::from(self.price)).unwrap_or(0);
            i64::try_from(part).unwrap_or(0)
        };
        let left = self.brought.saturating_sub(self.given);
        let left = left.saturating_sub(of_price(promised_before)).max(0);
        of_price(promised).min(left)
    }
}

/// What the events of a cancellation say together. A package has one for each session that ends by
/// it, and its own sums up all that were ever cancelled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CancelledSum {
    /// The numbers of the sessions, from 1.
    pub sessions: Vec<usize>,
    /// What goes back of them.
    pub refund: Money,
    /// No payment is verified yet; the refund applies to money that still arrives.
    pub unpaid: bool,
    /// What of the refund comes back by grace.
    pub by_grace: Money,
    /// How often grace is used up.
    pub grace_times: u16,
}

impl CancelledSum {
    /// The sum of events, which begins with `nothing`.
    #[must_use]
    pub fn of(events: &[Event], nothing: Money) -> Self {
        let mut sum = Self {
            sessions: Vec::new(),
            refund: nothing,
            unpaid: false,
            by_grace: nothing,
            grace_times: 0,
        };
        for event in events {
            match event {
                Event::SessionCancelled { number, refund, unpaid, by_grace, .. } => {
                    sum.add(*number, *refund, *by_grace);
                    sum.unpaid = *unpaid;
                }
                Event::Cancelled { refund, unpaid, by_grace, .. } if sum.sessions.is_empty() => {
                    sum.add(1, *refund, *by_grace);
                    sum.unpaid = *unpaid;
                }
                // The package's own, or no event of a cancellation.
                Event::Cancelled { .. }
                | Event::Requested { .. }
                | Event::CheckoutOpened { .. }
                | Event::Confirmed { .. }
                | Event::Paid { .. }
                | Event::MeetingScheduled { .. }
                | Event::Expired
                | Event::Released
                | Event::CancellationRequested(_)
                | Event::CancellationUndone
                | Event::Moved { .. }
                | Event::MoveProposed(_)
                | Event::MoveProposalWithdrawn { .. }
                | Event::Unplaced { .. }
                | Event::SessionCompleted { .. }
                | Event::AttendanceMarked { .. }
                | Event::Completed
                | Event::Adopted { .. }
                | Event::PageRequested { .. }
                | Event::ConsentCodeRequested { .. }
                | Event::PageCodeRequested { .. } => {}
            }
        }
        sum
    }

    fn add(&mut self, number: usize, refund: Money, by_grace: bool) {
        self.sessions.push(number);
        self.refund.minor = self.refund.minor.saturating_add(refund.minor);
        if by_grace {
            self.by_grace.minor = self.by_grace.minor.saturating_add(refund.minor);
            self.grace_times = self.grace_times.saturating_add(1);
        }
    }
}

/// The client cancels and was shown what goes back. It never gets less than that: then nothing is
/// cancelled.
pub(super) fn request(
    state: &State,
    cancellation: &Cancellation,
    shown: Money,
    now: Timestamp,
) -> Result<Vec<Event>, Rejection> {
    let session = cancellation.session;
    let is_repeat = state.pending_cancellation().is_some_and(|it| it.session == session);
    let is_done = session.map_or(matches!(state, State::Cancelled { .. }), |number| {
        state.is_session_cancelled(number)
    });
    if is_repeat || is_done {
        return Ok(Vec::new());
    }
    let own = OwnCancellation::of(state, cancellation, now)?;
    if own.refund.minor < shown.minor {
        return Err(Rejection::RefundFell { refund: own.refund });
    }
    if own.at_once {
        return Ok(own.events);
    }
    Ok(vec![Event::CancellationRequested(PendingCancellation {
        session,
        refund: own.refund,
        asked_at: now,
        takes_effect_at: now.plus_minutes(UNDO_MINUTES),
        grace_times: own.grace_times,
    })])
}

/// The client takes the cancellation back.
pub(super) fn undo(state: &State) -> Result<Vec<Event>, Rejection> {
    if state.pending_cancellation().is_some() {
        return Ok(vec![Event::CancellationUndone]);
    }
    match state {
        State::Absent => Err(Rejection::Absent),
        State::Cancelled { .. } => Err(Rejection::CancellationTookEffect),
        // A session of a package that was cancelled stays so, which its booking shows.
        State::Held { .. }
        | State::AwaitingPayment { .. }
        | State::Confirmed { .. }
        | State::MeetingScheduled { .. }
        | State::Completed { .. }
        | State::Expired { .. }
        | State::Released { .. }
        | State::PaidUnplaced { .. } => Ok(Vec::new()),
    }
}

/// A cancellation takes effect, once its time has come, with what its policy gave when it was
/// asked for. What can't be cancelled any more is left as it is.
pub(super) fn take_effect(
    state: &State,
    unwritten: CancellationPolicy,
    now: Timestamp,
) -> Vec<Event> {
    let pending = state.pending_cancellation().filter(|it| it.takes_effect_at <= now);
    let Some(pending) = pending else { return Vec::new() };
    let PendingCancellation { session, asked_at, grace_times: grace_left, .. } = pending;
    let (by, refund) = (CancelledBy::Customer, RefundChoice::ByPolicy);
    let cancellation = Cancellation { by, refund, session, unwritten, grace_left };
    let events = cancel(state, &cancellation, asked_at);
    let events = events.unwrap_or_default();
    if events.is_empty() { vec![Event::CancellationUndone] } else { events }
}
