//! The balances of a collection, from its facts and refunds: how much of a payment is here, how
//! much was refunded, and the standing of the whole. They depend on what is known, never on the
//! order in which it was reported.

use std::collections::BTreeMap;

use kernel::Id;
use kernel::id::Refund as RefundKind;

use super::model::{Collection, FailedRefund, Standing};
use crate::domain::fact::{Amount, Fact, OrderFact, PaymentId, ProviderRefundId, Status};
use crate::domain::mismatch::Mismatch;
use crate::domain::refund::{Cause, End, LOST_TO_A_DISPUTE, Refund};

/// The least amount that a provider accepts: one rupee.
pub(super) const LEAST_MINOR: i64 = 100;

/// How many refunds of one payment and cause are requested; then a person has to look.
const REFUNDS_MAX: usize = 3;

/// Whether a payment may still be captured without an action of its payer.
fn is_under_way(status: Status) -> bool {
    matches!(status, Status::Created | Status::Authorized)
}

impl Collection {
    /// Its state.
    #[must_use]
    pub fn standing(&self) -> Standing {
        let money = || self.payments.keys().filter(|id| self.captured(id).is_some());
        let statuses = || self.payments.values().map(|fact| fact.status);
        let is_kept = |id: &PaymentId| self.kept(id) > 0;
        if self.verified.as_ref().is_some_and(is_kept) {
            Standing::Paid
        } else if money().any(|id| self.is_undecided(id)) {
            Standing::Pending
        } else if money().any(|id| !self.is_counting(id) && !self.is_back(id)) {
            Standing::Mismatched
        } else if money().any(|id| !self.is_back(id)) {
            Standing::Refunding
        } else if statuses().any(is_under_way) {
            Standing::Pending
        } else if money().next().is_some() {
            Standing::Refunded
        } else if statuses().any(|it| it == Status::Failed) {
            Standing::Failed
        } else {
            Standing::Pending
        }
    }

    /// Whether polling its payments can end.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.verified.is_some()
            && !self.payments.values().any(|fact| is_under_way(fact.status))
            && self.undecided().next().is_none()
    }

    /// A payment's fact, once money is known to have come with it.
    #[must_use]
    pub fn captured(&self, payment: &PaymentId) -> Option<&Fact> {
        self.payments.get(payment).filter(|fact| fact.status >= Status::Captured)
    }

    /// Whether it is decided that a captured payment counts or does not count.
    #[must_use]
    pub fn is_counted(&self, payment: &PaymentId) -> bool {
        self.verified.as_ref() == Some(payment) || self.mismatched.contains(payment)
    }

    /// Why a payment's facts do not fit what is collected; `None` when they do.
    #[must_use]
    pub fn misfit(&self, fact: &Fact) -> Option<Mismatch> {
        let expected = Amount::from(self.terms.amount);
        if !fact.order.as_ref().is_some_and(|order| self.is_own_order(order)) {
            Some(Mismatch::Order)
        } else if fact.amount.currency != expected.currency {
            Some(Mismatch::Currency)
        } else if fact.amount.minor != expected.minor {
            Some(Mismatch::Amount)
        } else {
            None
        }
    }

    /// Whether a payment's only misfit is its amount, and no other payment counts: the provider's
    /// order shows whether it was paid in full by it.
    pub(super) fn waits_for_order(&self, fact: &Fact) -> bool {
        self.verified.is_none() && self.misfit(fact) == Some(Mismatch::Amount)
    }

    /// Whether a payment of another amount is the only one that can have paid its order. A link
    /// takes parts, so that a part that was sent back is one of them, too.
    pub(super) fn is_only_one(&self, payment: &PaymentId, fact: &Fact) -> bool {
        let takes_parts = fact.order.as_ref().is_some_and(|order| self.is_link_order(order));
        let is_other = |id: &&PaymentId| {
            let is_part = takes_parts && self.mismatched.contains(*id);
            *id != payment
                && self.captured(id).is_some_and(|other| {
                    let waits = self.is_undecided(id) && self.waits_for_order(other);
                    other.order == fact.order && (waits || is_part)
                })
        };
        !self.payments.keys().any(|id| is_other(&id))
    }

    /// Whether the provider reports our order as paid in full.
    pub(super) fn is_paid_in_full(&self, order: &OrderFact) -> bool {
        order.is_paid_in_full && order.amount == Amount::from(self.terms.amount)
    }

    /// Whether money of a payment is here that is neither counted nor sent back.
    #[must_use]
    pub fn is_undecided(&self, payment: &PaymentId) -> bool {
        !self.is_counted(payment) && self.left(payment) > 0
    }

    /// The payments whose money is neither counted nor sent back.
    pub fn undecided(&self) -> impl Iterator<Item = &PaymentId> {
        self.payments.keys().filter(|id| self.is_undecided(id))
    }

    /// How much more than the price was paid with the payment that counts: a fee that the provider
    /// added and does not refund.
    #[must_use]
    pub fn added_fee(&self, payment: &PaymentId) -> i64 {
        match self.captured(payment).filter(|_| self.verified.as_ref() == Some(payment)) {
            Some(fact) => fact.amount.minor.saturating_sub(self.terms.amount.minor).max(0),
            None => 0,
        }
    }

    /// How much of that no refund has given back.
    pub(super) fn fee_left(&self, payment: &PaymentId) -> i64 {
        self.added_fee(payment).saturating_sub(self.fee_going_back(payment))
    }

    fn fee_going_back(&self, payment: &PaymentId) -> i64 {
        self.sum_of(&self.from_fee, payment, |_, refund| refund.goes_back())
    }

    /// How much a payment brought for what is collected: without an added fee.
    #[must_use]
    pub fn brought(&self, payment: &PaymentId) -> i64 {
        let brought = self.captured(payment).map_or(0, |fact| fact.amount.minor);
        brought.saturating_sub(self.added_fee(payment))
    }

    /// Whether a payment counts, or would if any of its money were left.
    fn is_counting(&self, payment: &PaymentId) -> bool {
        let fits = |fact: &Fact| self.misfit(fact).is_none();
        self.verified.as_ref() == Some(payment)
            || (!self.mismatched.contains(payment) && self.payments.get(payment).is_some_and(fits))
    }

    /// The refunds of a payment, in its currency.
    pub fn refunds_of<'c>(
        &'c self,
        payment: &'c PaymentId,
    ) -> impl Iterator<Item = (Id<RefundKind>, &'c Refund)> {
        let fact = self.payments.get(payment);
        self.refunds
            .iter()
            .filter(|(_, refund)| refund.payment == *payment)
            .filter(move |(_, refund)| {
                fact.is_none_or(|fact| fact.amount.currency == refund.amount.currency)
            })
            .map(|(id, refund)| (*id, refund))
    }

    /// The refund of which the provider made the one with this id.
    #[must_use]
    pub fn named(&self, id: &ProviderRefundId) -> Option<(Id<RefundKind>, &Refund)> {
        let mut named = self.refunds.iter().filter(|(_, it)| it.accepted.as_ref() == Some(id));
        named.next().map(|(refund_id, refund)| (*refund_id, refund))
    }

    /// How much of a payment is refunded or being refunded, by known refunds.
    #[must_use]
    pub fn going_back(&self, payment: &PaymentId) -> i64 {
        self.sum(payment, |_, refund| refund.goes_back())
    }

    /// How much of a payment is not refunded, being refunded or lost to a dispute; without a fee
    /// that was added to the price.
    #[must_use]
    pub fn left(&self, payment: &PaymentId) -> i64 {
        self.balance(payment).max(0)
    }

    /// The same; negative if refunds and disputes exceed it.
    fn balance(&self, payment: &PaymentId) -> i64 {
        let Some(fact) = self.captured(payment) else { return 0 };
        let balance = self.balance_by_refunds(payment);
        let balance = balance.saturating_sub(self.lost(payment));
        if self.is_said_to_be_back(payment, fact) { balance.min(0) } else { balance }
    }

    /// How much more of a payment is refunded, being refunded or lost than it brought.
    pub(super) fn missing(&self, payment: &PaymentId) -> i64 {
        self.balance(payment).saturating_neg().max(0)
    }

    /// How much is left by known refunds alone, whatever disputes took and the provider says of
    /// the payment as a whole.
    fn balance_by_refunds(&self, payment: &PaymentId) -> i64 {
        let of_price = self.going_back(payment).saturating_sub(self.fee_going_back(payment));
        self.brought(payment).saturating_sub(of_price)
    }

    /// How much of a payment is owed because its refund failed.
    #[must_use]
    pub fn owed(&self, payment: &PaymentId) -> i64 {
        let owed = self.refunds_of(payment).map(|(id, refund)| self.owed_of(id, refund));
        owed.fold(0, i64::saturating_add).min(self.left(payment))
    }

    /// How much of that is a refund's own.
    pub(super) fn owed_by(&self, refund_id: Id<RefundKind>) -> i64 {
        self.refunds.get(&refund_id).map_or(0, |it| self.owed_of(refund_id, it))
    }

    /// How much more is owed of a payment because refunds failed than is left of it.
    pub(super) fn short_of(&self, payment: &PaymentId) -> i64 {
        let owed = self.refunds_of(payment).map(|(id, refund)| self.owed_of(id, refund));
        owed.fold(0, i64::saturating_add).saturating_sub(self.left(payment)).max(0)
    }

    /// A refund that a dispute ended is owed only where the bank has not given its money.
    pub(super) fn owed_of(&self, refund_id: Id<RefundKind>, refund: &Refund) -> i64 {
        match refund.end {
            _ if refund.cause == Cause::Elsewhere => 0,
            Some(End::Failed) if !self.is_renewed(refund_id) => refund.amount.minor,
            Some(End::Given) => {
                self.own_part(refund_id, refund).saturating_sub(self.given(refund_id, refund))
            }
            None | Some(End::Overtaken | End::Failed | End::Processed) => 0,
        }
    }

    /// How much of a payment stays: what is left and is not owed.
    #[must_use]
    pub fn kept(&self, payment: &PaymentId) -> i64 {
        self.left(payment).saturating_sub(self.owed(payment)).max(0)
    }

    /// Whether money of a payment was earned or retained.
    pub(super) fn is_closed(&self, payment: &PaymentId) -> bool {
        self.verified.as_ref() == Some(payment)
            && (self.earned.is_some() || self.retained.is_some())
    }

    /// How much of a payment was earned or retained, including what was refunded since.
    pub(crate) fn closed(&self, payment: &PaymentId) -> i64 {
        let minor = |amount: &Option<Amount>| amount.as_ref().map_or(0, |it| it.minor);
        let closed = minor(&self.earned).saturating_add(minor(&self.retained));
        if self.is_closed(payment) { closed } else { 0 }
    }

    /// How much of what is left is neither earned nor retained yet. Refunds of earned money do not
    /// reduce it, as in the ledger.
    pub(crate) fn open(&self, payment: &PaymentId) -> i64 {
        self.not_closed(payment, self.balance(payment))
    }

    /// The same by known refunds alone. The part of a refund that comes out of what was closed
    /// before follows from it: the provider says "refunded" before that refund itself is known,
    /// and its amount must not count twice.
    pub(crate) fn open_by_refunds(&self, payment: &PaymentId) -> i64 {
        self.not_closed(payment, self.balance_by_refunds(payment))
    }

    fn not_closed(&self, payment: &PaymentId, balance: i64) -> i64 {
        let goes_back = |_, refund: &Refund| refund.goes_back();
        let from_closed = self.sum_of(&self.from_closed, payment, goes_back);
        balance.saturating_sub(self.closed(payment)).saturating_add(from_closed)
    }

    /// How much of that stays, because it is not owed.
    pub(super) fn unclosed(&self, payment: &PaymentId) -> i64 {
        let owed = |id, refund: &Refund| self.owed_of(id, refund) > 0;
        let of_closed = self.sum_of(&self.from_closed, payment, owed);
        let owed_of_open = self.owed(payment).saturating_sub(of_closed).max(0);
        self.open(payment).saturating_sub(owed_of_open)
    }

    /// The sum of those parts of a payment's refunds that count.
    fn sum_of(
        &self,
        parts: &BTreeMap<Id<RefundKind>, i64>,
        payment: &PaymentId,
        counts: impl Fn(Id<RefundKind>, &Refund) -> bool,
    ) -> i64 {
        self.refunds_of(payment)
            .filter(|(id, refund)| counts(*id, refund))
            .filter_map(|(id, _)| parts.get(&id))
            .fold(0_i64, |sum, minor| sum.saturating_add(*minor))
    }

    /// How much is refunded because of the cancellation, is being refunded, failed and is owed, or
    /// was given by the payer's bank.
    pub(super) fn back_by_cancellation(&self, payment: &PaymentId) -> i64 {
        let whole = self.sum(payment, |id, it| {
            let is_owed = it.end == Some(End::Failed) && self.owed_of(id, it) > 0;
            let is_done = it.goes_back() || is_owed || self.went_by_another_name(id, it);
            it.cause == Cause::Cancelled && is_done
        });
        let ended = self
            .refunds_of(payment)
            .filter(|(_, it)| it.cause == Cause::Cancelled && it.end == Some(End::Given));
        let parts = ended.map(|(id, it)| self.own_part(id, it));
        whole.saturating_add(parts.fold(0, i64::saturating_add))
    }

    /// Whether a refund of ours was processed, but recorded as an external refund.
    fn went_by_another_name(&self, refund_id: Id<RefundKind>, refund: &Refund) -> bool {
        let is_it = |other: &Refund| {
            other.cause == Cause::Elsewhere
                && other.end == Some(End::Processed)
                && other.amount == refund.amount
        };
        refund.end == Some(End::Overtaken)
            && !self.is_renewed(refund_id)
            && self.refunds_of(&refund.payment).any(|(_, other)| is_it(other))
    }

    /// Whether the verified money was refunded externally, on the provider's pages.
    #[must_use]
    pub fn went_back_without_us(&self, payment: &PaymentId) -> bool {
        let by_another = |refund: &Refund| refund.cause == Cause::Elsewhere && refund.goes_back();
        self.verified.as_ref() == Some(payment)
            && match self.captured(payment) {
                None => false,
                Some(fact) => {
                    let said = self.is_said_to_be_back(payment, fact);
                    (said && self.refunds_of(payment).next().is_none())
                        || self.refunds_of(payment).any(|(_, refund)| by_another(refund))
                }
            }
    }

    /// Whether another refund is to be requested in place of one that the provider accepted and
    /// that failed there.
    #[must_use]
    pub fn is_renewable(&self, refund_id: Id<RefundKind>) -> bool {
        let Some(failed) = self.refunds.get(&refund_id) else { return false };
        failed.accepted.is_some()
            && failed.end == Some(End::Failed)
            && failed.cause != Cause::Elsewhere
            && !self.is_renewed(refund_id)
            && self.tries(failed) < REFUNDS_MAX
            && self.left(&failed.payment) > 0
    }

    /// What is to be told of a refund that failed for this reason.
    #[must_use]
    pub fn failed_refund(&self, refund_id: Id<RefundKind>, reason: &str) -> Option<FailedRefund> {
        let refund = self.refunds.get(&refund_id)?;
        let is_renewed = self.is_renewed(refund_id) || self.is_renewable(refund_id);
        let is_end = matches!(refund.end, Some(End::Failed | End::Given));
        let is_over = is_end && refund.cause != Cause::Elsewhere;
        let minor = self.given(refund_id, refund);
        let given = Amount { minor, ..refund.amount.clone() };
        Some(FailedRefund {
            is_final: is_over && !is_renewed,
            amount: refund.amount.clone(),
            given_by_bank: (reason == LOST_TO_A_DISPUTE && minor > 0).then_some(given),
        })
    }

    /// The failed refunds of a payment that are to be renewed.
    pub fn renewable<'c>(
        &'c self,
        payment: Option<&'c PaymentId>,
    ) -> impl Iterator<Item = Id<RefundKind>> + 'c {
        let of_it = self.refunds.iter().filter(move |(_, it)| Some(&it.payment) == payment);
        of_it.map(|(id, _)| *id).filter(|id| self.is_renewable(*id))
    }

    /// The provider says "refunded" of a payment, and no refund that failed contradicts it. A
    /// payment's facts never go back from there, but a refund that fails brings its money back.
    fn is_said_to_be_back(&self, payment: &PaymentId, fact: &Fact) -> bool {
        // One that the provider had is ended for a dispute only once it has failed there.
        let failed = |(_, refund): (_, &Refund)| {
            refund.end == Some(End::Failed)
                || (refund.end == Some(End::Given) && refund.accepted.is_some())
        };
        fact.status == Status::Refunded && !self.refunds_of(payment).any(failed)
    }

    /// Whether all of a payment's money is refunded, or was given by the payer's bank; or nearly
    /// all of it, and the provider refunds no amount as small as the rest.
    fn is_back(&self, payment: &PaymentId) -> bool {
        let Some(fact) = self.captured(payment) else { return true };
        let processed = |refund: &Refund| refund.end == Some(End::Processed);
        let sum = self.sum(payment, |_, refund| processed(refund));
        let rest = self.brought(payment).saturating_sub(sum).saturating_sub(self.lost(payment));
        let is_over = || self.refunds_of(payment).all(|(_, refund)| refund.end.is_some());
        let is_told = rest < LEAST_MINOR || self.is_said_to_be_back(payment, fact);
        rest <= 0 || (is_told && is_over())
    }

    /// Whether another refund has replaced this one.
    fn is_renewed(&self, refund_id: Id<RefundKind>) -> bool {
        self.refunds.values().any(|refund| refund.renews == Some(refund_id))
    }

    /// Which try a refund is, from 1.
    fn tries(&self, refund: &Refund) -> usize {
        let mut tries = 1;
        let mut before = refund.renews;
        while let Some(refund) = before.and_then(|id| self.refunds.get(&id)) {
            tries += 1;
            // A cycle is impossible, and must not cause an endless loop.
            if tries > self.refunds.len() {
                break;
            }
            before = refund.renews;
        }
        tries
    }

    fn sum(&self, payment: &PaymentId, counts: impl Fn(Id<RefundKind>, &Refund) -> bool) -> i64 {
        self.refunds_of(payment)
            .filter(|(id, refund)| counts(*id, refund))
            .fold(0_i64, |sum, (_, refund)| sum.saturating_add(refund.amount.minor))
    }
}
