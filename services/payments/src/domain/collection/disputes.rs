//! What disputes take out of a collection: a lost one has given its payer money that a refund must
//! not give once more, and an open one holds what it is about.

use std::collections::BTreeMap;

use kernel::Id;
use kernel::id::Refund as RefundKind;

use super::balances::LEAST_MINOR;
use super::evolve::apply;
use super::model::{Collection, Event};
use crate::domain::dispute::Dispute;
use crate::domain::fact::{Amount, PaymentId};
use crate::domain::refund::{
    Cause, End, FAILED, LOST_TO_A_DISPUTE, OVERTAKEN, Refund, following, given_part, held_part,
    returned_part,
};

impl Collection {
    /// How much of a payment its payer's bank has taken by disputes.
    #[must_use]
    pub fn lost(&self, payment: &PaymentId) -> i64 {
        let captured = self.captured(payment).map_or(0, |fact| fact.amount.minor);
        self.sum_of_disputes(payment, |it| it.fact.lost_minor()).min(captured)
    }

    /// How much of it open disputes are about.
    fn in_question(&self, payment: &PaymentId) -> i64 {
        self.sum_of_disputes(payment, |it| it.fact.in_question_minor())
    }

    /// How much of it the provider has deducted for open disputes, before their end.
    pub(super) fn deducted(&self, payment: &PaymentId) -> i64 {
        self.sum_of_disputes(payment, |it| it.fact.deducted_before_its_end_minor())
    }

    fn sum_of_disputes(&self, payment: &PaymentId, minor: impl Fn(&Dispute) -> i64) -> i64 {
        let of_it = self.disputes.values().filter(|it| it.payment == *payment);
        of_it.fold(0, |sum, it| sum.saturating_add(minor(it)))
    }

    /// How much of a refund no other one was requested for.
    pub(super) fn own_part(&self, refund_id: Id<RefundKind>, refund: &Refund) -> i64 {
        let others = self.refunds.values().filter(|it| it.renews == Some(refund_id));
        let rest = others.fold(0_i64, |sum, it| sum.saturating_add(it.amount.minor));
        refund.amount.minor.saturating_sub(rest).max(0)
    }

    /// How much of a refund that a dispute ended the payer's bank has really given: what it lost
    /// is divided among them.
    #[must_use]
    pub fn given(&self, refund_id: Id<RefundKind>, refund: &Refund) -> i64 {
        let ended = |it: &Refund| it.end == Some(End::Given);
        let mut lost = self.lost(&refund.payment);
        for (id, it) in self.refunds_of(&refund.payment).filter(|(_, it)| ended(it)) {
            let given = self.own_part(id, it).min(lost);
            if id == refund_id {
                return given;
            }
            lost = lost.saturating_sub(given);
        }
        0
    }

    /// How much of what was lost no refund has been ended for.
    pub(super) fn lost_untold(&self, payment: &PaymentId) -> i64 {
        let given = self.refunds_of(payment).map(|(id, refund)| self.given(id, refund));
        self.lost(payment).saturating_sub(given.fold(0, i64::saturating_add))
    }

    /// Whether a refund waits for the end of a dispute: its amount does not fit beside what open
    /// disputes are about. One by staff, or released by staff, does not wait.
    #[must_use]
    pub fn is_held(&self, refund_id: Id<RefundKind>) -> bool {
        let Some(refund) = self.refunds.get(&refund_id) else { return false };
        let payment = &refund.payment;
        let in_question = self.in_question(payment);
        if in_question == 0 || !self.may_wait(refund_id, refund) {
            return false;
        }
        !self.beside_disputes(payment).0.contains(&refund_id)
    }

    /// Those refunds which may wait and fit beside what open disputes are about, the largest first,
    /// and how much room they leave.
    fn beside_disputes(&self, payment: &PaymentId) -> (Vec<Id<RefundKind>>, i64) {
        let mut room = self.room_beside(payment, self.in_question(payment));
        let waiting = self.refunds_of(payment).filter(|(id, it)| self.may_wait(*id, it));
        let mut waiting: Vec<_> = waiting.map(|(id, it)| (id, it.amount.minor)).collect();
        waiting.sort_by_key(|(_, minor)| std::cmp::Reverse(*minor));
        let mut fitting = Vec::new();
        for (id, minor) in waiting {
            if minor <= room {
                room = room.saturating_sub(minor);
                fitting.push(id);
            }
        }
        (fitting, room)
    }

    /// How much those refunds are that may wait and do not: they are requested as it is.
    fn going_beside_disputes(&self, payment: &PaymentId) -> i64 {
        let (fitting, _) = self.beside_disputes(payment);
        let fitting = fitting.iter().filter_map(|id| self.refunds.get(id));
        fitting.fold(0_i64, |sum, it| sum.saturating_add(it.amount.minor))
    }

    /// How much of a new refund does not wait for the end of open disputes, where the provider
    /// would refund that and the rest as well.
    fn part_beside_disputes(&self, payment: &PaymentId, minor: i64) -> i64 {
        if self.in_question(payment) == 0 {
            return minor;
        }
        let (_, room) = self.beside_disputes(payment);
        let is_divided = room >= LEAST_MINOR && minor.saturating_sub(room) >= LEAST_MINOR;
        if is_divided { room } else { minor }
    }

    /// The held refunds that staff may release, the largest first: those that fit beside what the
    /// provider has deducted for open disputes, which it would not have for a refund as well.
    #[must_use]
    pub fn releasable_refunds(&self) -> Vec<(Id<RefundKind>, &Refund)> {
        let held = self.refunds.iter().filter(|(id, _)| self.is_held(**id));
        let mut held: Vec<_> = held.map(|(id, it)| (*id, it)).collect();
        held.sort_by_key(|(_, it)| std::cmp::Reverse(it.amount.minor));
        let mut rooms: BTreeMap<&PaymentId, i64> = BTreeMap::new();
        held.retain(|(_, it)| {
            let payment = &it.payment;
            let room = rooms.entry(payment);
            let room = room.or_insert_with(|| {
                let room = self.room_beside(payment, self.deducted(payment));
                room.saturating_sub(self.going_beside_disputes(payment))
            });
            let fits = it.amount.minor <= *room;
            if fits {
                *room = room.saturating_sub(it.amount.minor);
            }
            fits
        });
        held
    }

    /// How much of a payment is left beside lost disputes, what open ones have of it, and the
    /// refunds that don't wait.
    fn room_beside(&self, payment: &PaymentId, open: i64) -> i64 {
        let taken = self.lost(payment).saturating_add(open);
        let going = self.refunds_of(payment).filter(|(id, it)| !self.may_wait(*id, it));
        let back = going.filter(|(_, it)| it.goes_back());
        let back = back.fold(0_i64, |sum, (_, it)| sum.saturating_add(it.amount.minor));
        self.brought(payment).saturating_sub(taken).saturating_sub(back)
    }

    /// The refunds that staff released and that have not ended.
    pub fn released_refunds(&self) -> impl Iterator<Item = (Id<RefundKind>, &Refund)> {
        let released = self.refunds.iter().filter(|(id, _)| self.released.contains(id));
        released.filter(|(_, it)| it.end.is_none()).map(|(id, it)| (*id, it))
    }

    fn may_wait(&self, refund_id: Id<RefundKind>, refund: &Refund) -> bool {
        refund.is_unaccepted()
            && refund.cause != Cause::Staff
            && !self.released.contains(&refund_id)
    }
}

/// What is new of a dispute; it only goes forward. Refunds of money that it took are ended.
pub(super) fn observe_dispute(known: &Collection, dispute: Dispute) -> Vec<Event> {
    if known.disputes.get(&dispute.id).is_some_and(|it| it.fact >= dispute.fact) {
        return Vec::new();
    }
    let payment = dispute.payment.clone();
    let events = vec![Event::DisputeObserved(dispute)];
    let mut after = known.clone();
    events.iter().for_each(|event| apply(&mut after, event));
    if after.lost(&payment) > known.lost(&payment) {
        let events = cut(known, events, &payment, LOST_TO_A_DISPUTE);
        return end_given(known, events, &payment);
    }
    request_again(known, &after, events, &payment)
}

/// Requests what the payer's bank had given and has given back in a later round of its dispute, and
/// tells anew how much it has given of each refund that had ended for it.
fn request_again(
    known: &Collection,
    after: &Collection,
    mut events: Vec<Event>,
    payment: &PaymentId,
) -> Vec<Event> {
    let mut here = after.left(payment);
    for (ended, refund) in after.refunds_of(payment).filter(|(_, it)| it.end == Some(End::Given)) {
        let more = after.owed_of(ended, refund).saturating_sub(known.owed_of(ended, refund));
        let (minor, refund_id) = (more.min(here), returned_part(ended));
        if minor <= 0 || after.refunds.contains_key(&refund_id) {
            continue;
        }
        here = here.saturating_sub(minor);
        let refund = Refund { renews: Some(ended), ..new_part(refund, minor) };
        events.push(Event::RefundRequested { refund_id, refund });
        let reason = LOST_TO_A_DISPUTE.to_owned();
        events.push(Event::RefundFailed { refund_id: ended, reason });
    }
    events
}

/// Ends refunds that failed and whose money is no longer here once `events` have happened, because
/// the payer's bank has given it: it is not owed any more. What is left of such a refund is
/// requested anew, if that would have been done; else it has failed as the whole had.
pub(super) fn end_given(
    known: &Collection,
    mut events: Vec<Event>,
    payment: &PaymentId,
) -> Vec<Event> {
    let mut after = known.clone();
    events.iter().for_each(|event| apply(&mut after, event));
    // What was short before was given otherwise.
    let short = after.short_of(payment).saturating_sub(known.short_of(payment));
    let mut given = short.min(after.lost_untold(payment));
    let mut here = after.left(payment);
    let failed = after.refunds_of(payment).filter(|(_, it)| it.end == Some(End::Failed));
    let mut owed: Vec<_> = failed.filter(|(id, it)| after.owed_of(*id, it) > 0).collect();
    // What has failed just now is told as this and nothing else.
    let had_ended = |id: &Id<RefundKind>| known.refunds.get(id).is_some_and(|it| it.end.is_some());
    owed.sort_by_key(|(id, _)| had_ended(id));
    for (refund_id, refund) in owed {
        if given <= 0 {
            break;
        }
        let rest = refund.amount.minor.saturating_sub(given).clamp(0, here);
        here = here.saturating_sub(rest);
        given = given.saturating_sub(refund.amount.minor);
        let is_it = |it: &Id<RefundKind>| *it == refund_id;
        events
            .retain(|it| !matches!(it, Event::RefundFailed { refund_id, .. } if is_it(refund_id)));
        let reason = LOST_TO_A_DISPUTE.to_owned();
        events.push(Event::RefundFailed { refund_id, reason });
        if rest > 0 {
            let is_renewable = after.is_renewable(refund_id);
            events.extend(rest_of((refund_id, refund), rest, is_renewable));
        }
    }
    events
}

/// The rest of a refund of which the payer's bank has given a part: requested, or failed at once.
fn rest_of(
    (refund_id, refund): (Id<RefundKind>, &Refund),
    rest: i64,
    is_renewable: bool,
) -> Vec<Event> {
    let rest = Refund { renews: Some(refund_id), ..new_part(refund, rest) };
    let refund_id = following(refund_id);
    let mut events = vec![Event::RefundRequested { refund_id, refund: rest }];
    if !is_renewable {
        events.push(Event::RefundFailed { refund_id, reason: FAILED.to_owned() });
    }
    events
}

/// A refund of so much for the same cause, neither accepted nor ended.
fn new_part(refund: &Refund, minor: i64) -> Refund {
    let amount = Amount { minor, ..refund.amount.clone() };
    Refund::requested(refund.payment.clone(), amount, refund.cause)
}

/// A refund that was requested before a dispute waits for its end only with what that is about: the
/// rest is requested apart, as it is where the dispute was there first.
pub(super) fn divide(known: &Collection, refund_id: Id<RefundKind>, refund: &Refund) -> Vec<Event> {
    let minor = refund.amount.minor;
    let now = known.part_beside_disputes(&refund.payment, minor);
    if !known.is_held(refund_id) || now >= minor {
        return Vec::new();
    }
    let part = |minor| Refund { renews: Some(refund_id), ..new_part(refund, minor) };
    let first = following(refund_id);
    let later = held_part(first);
    vec![
        Event::RefundFailed { refund_id, reason: OVERTAKEN.to_owned() },
        Event::RefundRequested { refund_id: first, refund: part(now) },
        Event::RefundRequested { refund_id: later, refund: part(minor.saturating_sub(now)) },
    ]
}

/// Ends refunds that the provider has not accepted and that the payment does not cover once
/// `events` have happened. What it does cover of the last of them is requested anew.
pub(super) fn cut(
    known: &Collection,
    mut events: Vec<Event>,
    payment: &PaymentId,
    reason: &str,
) -> Vec<Event> {
    let mut after = known.clone();
    events.iter().for_each(|event| apply(&mut after, event));
    let mut missing = after.missing(payment);
    let unaccepted = after.refunds_of(payment).filter(|(_, it)| it.is_unaccepted());
    let mut unaccepted: Vec<_> = unaccepted.collect();
    // What staff wanted, and what they released, is cut last; what a dispute held, first.
    unaccepted.sort_by_key(|(id, it)| (!after.may_wait(*id, it), !known.is_held(*id)));
    for (refund_id, refund) in unaccepted {
        if missing <= 0 {
            break;
        }
        events.push(Event::RefundFailed { refund_id, reason: reason.to_owned() });
        let rest = refund.amount.minor.saturating_sub(missing);
        missing = missing.saturating_sub(refund.amount.minor);
        if rest > 0 {
            let refund = Refund { renews: Some(refund_id), ..new_part(refund, rest) };
            events.push(Event::RefundRequested { refund_id: following(refund_id), refund });
        }
    }
    events
}

/// The request of a refund of so much, of which this much is left. What open disputes are about is
/// requested apart, so that it alone waits for their end. What is missing because a dispute took it
/// is requested and ended at once, so that all that was promised has an end.
pub(super) fn request(
    known: &Collection,
    refund_id: Id<RefundKind>,
    refund: &Refund,
    left: i64,
) -> Vec<Event> {
    let wanted = refund.amount.minor;
    let back = wanted.min(left);
    let given = wanted.saturating_sub(back).min(known.lost_untold(&refund.payment));
    let of = |minor| Refund { amount: Amount { minor, ..refund.amount.clone() }, ..refund.clone() };
    let mut events = Vec::new();
    let mut own_id = refund_id;
    if back > 0 {
        let now = known.part_beside_disputes(&refund.payment, back);
        events.push(Event::RefundRequested { refund_id, refund: of(now) });
        let later = back.saturating_sub(now);
        if later > 0 {
            let refund_id = held_part(refund_id);
            events.push(Event::RefundRequested { refund_id, refund: of(later) });
        }
        own_id = given_part(refund_id);
    }
    if given > 0 {
        let reason = LOST_TO_A_DISPUTE.to_owned();
        events.push(Event::RefundRequested { refund_id: own_id, refund: of(given) });
        events.push(Event::RefundFailed { refund_id: own_id, reason });
    }
    events
}
