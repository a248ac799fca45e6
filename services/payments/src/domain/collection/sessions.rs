//! The decision about a package's money, session by session.

use kernel::Id;
use kernel::id::Refund as RefundKind;

use super::decisions::left_for;
use super::disputes::request;
use super::model::{Collection, Event, Rest};
use crate::domain::fact::{Amount, PaymentId};
use crate::domain::refund::{Cause, Refund};
use crate::domain::session_ends::SessionEnds;

/// What a package's money becomes, beyond what it has become before. What staff gave back by
/// themselves takes nothing off what is promised for a cancelled session; a repeat decides about
/// money that has returned since.
pub(super) fn settle(
    known: &Collection,
    ends: &SessionEnds,
    rest: Option<Rest>,
    refund_id: Id<RefundKind>,
) -> Vec<Event> {
    let Some(payment) = &known.verified else { return Vec::new() };
    let Some(fact) = known.captured(payment) else { return Vec::new() };
    let money = ends.money(known.terms.amount.minor, known.brought(payment));
    let mut settling = Settling {
        payment,
        currency: &fact.amount.currency,
        open: known.unclosed(payment),
        events: Vec::new(),
    };
    let back = money.back.saturating_sub(known.back_by_cancellation(payment)).max(0);
    let left = left_for(known, payment, Cause::Cancelled);
    let amount = Amount { minor: back, currency: settling.currency.to_owned() };
    let refund = Refund::requested(payment.clone(), amount, Cause::Cancelled);
    settling.events = request(known, refund_id, &refund, left);
    settling.open = settling.open.saturating_sub(back.min(left));
    let minor = |amount: &Option<Amount>| amount.as_ref().map_or(0, |amount| amount.minor);
    settling.close(&money.earned, minor(&known.earned), Rest::Earned);
    settling.close(&money.retained, minor(&known.retained), Rest::Retained);
    if let Some(rest) = rest {
        settling.add(settling.open, rest);
    }
    settling.events
}

/// The money that is neither earned, kept nor going back, and what is decided about it.
struct Settling<'k> {
    payment: &'k PaymentId,
    currency: &'k str,
    open: i64,
    events: Vec<Event>,
}

impl Settling<'_> {
    /// Takes at most this much of what is open.
    fn take(&mut self, minor: i64) -> Option<Amount> {
        let minor = minor.min(self.open);
        if minor <= 0 {
            return None;
        }
        self.open = self.open.saturating_sub(minor);
        Some(Amount { minor, currency: self.currency.to_owned() })
    }

    /// Closes the shares of sessions one by one, without the amount that was closed `before`.
    fn close(&mut self, shares: &[i64], before: i64, into: Rest) {
        let mut left = before;
        for share in shares {
            let closed = left.min(*share);
            left = left.saturating_sub(closed);
            self.add(share.saturating_sub(closed), into);
        }
    }

    fn add(&mut self, minor: i64, into: Rest) {
        let Some(amount) = self.take(minor) else { return };
        let payment = self.payment.clone();
        self.events.push(match into {
            Rest::Earned => Event::Earned { payment, amount },
            Rest::Retained => Event::Retained { payment, amount },
        });
    }
}
