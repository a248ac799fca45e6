//! I3: what a cancellation gives back is what the booking's own policy gives at that moment, or, by
//! staff's choice, all or nothing. The sum is computed here, not by booking's code.

use booking::domain::booking::{CancelledBy, Event, Facts};
use kernel::id::Booking;
use kernel::{Id, Timestamp};

use crate::history::{History, HistoryEvent};
use crate::violation::{Finding, Invariant, Violation};

/// How much later than it was decided an event may be recorded.
const RECORDED_LATER_SECONDS: i64 = 60;

/// Goes through all cancellations.
pub(crate) fn check(history: &History) -> Vec<Violation> {
    let mut found = Finding::of(Invariant::I3);
    for (id, past) in &history.bookings {
        let mut known = None;
        for it in past {
            match (&it.event, &mut known) {
                (Event::Requested { facts, .. }, _) => known = Some(facts.clone()),
                (Event::Moved { number, to, .. }, Some(facts)) => {
                    let index = number.checked_sub(1);
                    let session = index.and_then(|index| facts.sessions.get_mut(index));
                    session.into_iter().for_each(|session| *session = *to);
                }
                (_, Some(facts)) => cancellation((*id, facts), it, &mut found),
                (_, None) => {}
            }
        }
    }
    found.violations
}

fn cancellation((id, facts): (Id<Booking>, &Facts), it: &HistoryEvent<Event>, found: &mut Finding) {
    let (number, by, share, refund, by_grace) = match &it.event {
        Event::SessionCancelled { number, by, share, refund, by_grace, .. } => {
            (*number, *by, share.minor, refund.minor, *by_grace)
        }
        Event::Cancelled { by, refund, by_grace, .. } if facts.package.is_none() => {
            (1, *by, facts.price.minor, refund.minor, *by_grace)
        }
        _ => return,
    };
    if by_grace {
        let given = grace_of(facts, share).filter(|_| by == CancelledBy::Customer);
        if given != Some(refund) {
            let what = "was cancelled with a grace that its policy does not give";
            found.add(format!("session {number} of {id} {what}: {refund} of {share}"));
        }
        return;
    }
    let starts_at = facts.session(number).map(|session| session.starts_at());
    let Some(starts_at) = starts_at else { return };
    let by_policy = |at| by_policy(facts, share, (starts_at, at));
    let is_chosen = refund == share || refund == 0;
    let is_policy = by == CancelledBy::Customer
        && [it.at, it.at.plus_seconds(-RECORDED_LATER_SECONDS)]
            .into_iter()
            .any(|at| by_policy(at) == Some(refund));
    if !is_chosen && !is_policy {
        let what = "was cancelled with a refund that its policy does not give";
        found.add(format!("session {number} of {id} {what}: {refund} of {share}"));
    }
}

/// What the grace of the booking's policy gives of a share.
fn grace_of(facts: &Facts, share: i64) -> Option<i64> {
    let percent = i64::from(facts.policy.as_ref()?.grace()?.refund_percent);
    Some(share.saturating_mul(percent).saturating_add(50) / 100)
}

/// What the booking's policy gives of a share at a moment; `None` for a booking that carries none,
/// which knows all or nothing.
fn by_policy(facts: &Facts, share: i64, (starts_at, at): (Timestamp, Timestamp)) -> Option<i64> {
    let policy = facts.policy.as_ref()?;
    let notice = starts_at.micros().saturating_sub(at.micros());
    let holds = |hours: u16| notice >= i64::from(hours).saturating_mul(3_600_000_000);
    let tier = policy.tiers().iter().find(|tier| holds(tier.until_hours));
    let percent = tier.map_or(0, |tier| i64::from(tier.refund_percent));
    // Half a paisa and more counts for one.
    Some(share.saturating_mul(percent).saturating_add(50) / 100)
}
