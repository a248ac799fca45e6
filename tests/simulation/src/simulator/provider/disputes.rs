//! Disputes at the provider: about a whole payment or a part of it, several of one payment, often
//! in the seconds after a refund; they are answered, won or lost days later, and begin anew.

use payments::domain::dispute::{DisputeFact, DisputeState, Phase};
use payments::domain::fact::{Amount, DisputeId, PaymentId, Status};
use payments::providers::Observation;

use super::super::coverage::Fault;
use super::book::Book;
use super::records::{Change, DAY, DisputeRecord};

/// The least amount of a dispute.
const LEAST_MINOR: i64 = 100;
/// How long the practice has to answer.
const ANSWERED_WITHIN: i64 = 7 * DAY;
/// How long one step of a dispute takes at most.
const STEP_SECONDS: i64 = 3 * DAY;
/// How many of a thousand payments are disputed, and how many refunds lead to one at once.
const DISPUTED: (u64, u64) = (90, 60);
/// How many of a thousand payments are disputed where that is often, and when.
const DISPUTED_OFTEN: (u64, i64) = (600, DAY / 2);

impl Book {
    /// What lost disputes took of a payment, and what open ones hold of it.
    pub(super) fn taken_by_disputes(&self, payment: &PaymentId) -> i64 {
        self.sum_of_disputes(payment, |it| it.fact.deducted_minor)
    }

    /// What lost disputes took of a payment.
    pub(crate) fn lost(&self, payment: &PaymentId) -> i64 {
        self.sum_of_disputes(payment, |it| if it.is_lost() { it.fact.deducted_minor } else { 0 })
    }

    fn sum_of_disputes(&self, payment: &PaymentId, counts: impl Fn(&DisputeRecord) -> i64) -> i64 {
        let of_it = self.disputes.values().filter(|it| it.payment == *payment);
        of_it.fold(0_i64, |sum, it| sum.saturating_add(counts(it)))
    }

    /// A captured payment may be disputed at any time, and more than once.
    pub(super) fn plan_disputes(&mut self, payment: &PaymentId) {
        let usual = (DISPUTED.0, 4 * DAY);
        let (chance, within) = if self.is_disputed_often { DISPUTED_OFTEN } else { usual };
        if !self.fault(Fault::DisputeOpened, chance) {
            return;
        }
        for _ in 0..=u64::from(self.rng.chance(300)) {
            let seconds = self.rng.between(1, within);
            self.changes.push((seconds, Change::DisputeOpens(payment.to_string())));
        }
    }

    /// A payer who hears of a refund, or of none, turns to the bank as well.
    pub(super) fn plan_dispute_after_refund(&mut self, payment: &PaymentId) {
        if self.fault(Fault::DisputeAfterRefund, DISPUTED.1) {
            let seconds = self.rng.between(0, 90);
            self.changes.push((seconds, Change::DisputeOpens(payment.to_string())));
        }
    }

    /// A dispute about what is left of a payment, or about a part of that.
    pub(super) fn open_dispute(&mut self, payment: &PaymentId) {
        let Some(paid) = self.payments.get(payment) else { return };
        let (status, currency) = (paid.status, paid.amount.currency.clone());
        let disputed = self.sum_of_disputes(payment, |it| {
            let is_open = it.fact.state.is_open() && it.fact.deducted_minor == 0;
            if is_open { it.fact.amount.minor } else { 0 }
        });
        let free = self.left(payment).saturating_sub(disputed);
        let parts = [(450, free), (200, free / 2), (200, free / 3), (150, 20_000)];
        let minor = self.rng.weighted(&parts, free).min(free);
        if status != Status::Captured || minor < LEAST_MINOR {
            return;
        }
        if minor < free {
            self.faults.push(Fault::DisputeOfPart);
        }
        let Some(id) = DisputeId::parse(&format!("disp_{:014}", self.number())) else { return };
        let phases = [(700, Phase::Chargeback), (150, Phase::Fraud), (150, Phase::Retrieval)];
        // Some accounts pay when a dispute begins and get it back when it is won.
        let deducted_minor = if self.rng.chance(200) { minor } else { 0 };
        let fact = DisputeFact {
            phase: self.rng.weighted(&phases, Phase::Chargeback),
            state: DisputeState::Open,
            respond_by: Some(self.now.plus_seconds(ANSWERED_WITHIN)),
            deducted_minor,
            amount: Amount { minor, currency },
            reason: "goods_or_services_not_received".to_owned(),
        };
        let created_at = self.now;
        let dispute = DisputeRecord { payment: payment.clone(), fact, created_at };
        self.disputes.insert(id.clone(), dispute);
        self.tell_dispute(&id);
    }

    fn tell_dispute(&mut self, id: &DisputeId) {
        let Some(dispute) = self.disputes.get(id) else { return };
        let (seen, is_open) = (dispute.as_seen(id), dispute.fact.state.is_open());
        self.notify(vec![Observation::Dispute(seen)]);
        if is_open {
            let seconds = if self.rng.chance(350) {
                self.rng.seconds_of_any_size(STEP_SECONDS)
            } else {
                self.rng.between(DAY / 4, STEP_SECONDS)
            };
            self.changes.push((seconds, Change::Dispute(id.to_string())));
        }
    }

    /// A dispute comes to its next state: what was lost is at most what is still there.
    pub(super) fn advance_dispute(&mut self, id: &DisputeId) {
        let Some(dispute) = self.disputes.get(id).cloned() else { return };
        let ends =
            [(500, DisputeState::Lost), (350, DisputeState::Won), (150, DisputeState::Closed)];
        let end = self.rng.weighted(&ends, DisputeState::Lost);
        let goes_on = self.rng.chance(400);
        let state = match dispute.fact.state {
            DisputeState::Open if goes_on => DisputeState::UnderReview,
            DisputeState::UnderReview if goes_on => DisputeState::ActionRequired,
            DisputeState::Open | DisputeState::UnderReview | DisputeState::ActionRequired => end,
            DisputeState::Won | DisputeState::Closed => return self.reopen_dispute(id),
            DisputeState::Lost => return,
        };
        let held = dispute.fact.deducted_minor;
        let there = self.left(&dispute.payment).saturating_add(held);
        let wanted = dispute.fact.amount.minor.min(there).max(0);
        let is_partial = wanted > 2 * LEAST_MINOR && self.rng.chance(150);
        let deducted_minor = match state {
            DisputeState::Lost if is_partial => wanted / 2,
            DisputeState::Lost => wanted,
            DisputeState::Won | DisputeState::Closed => 0,
            _ => held,
        };
        let state = match state {
            DisputeState::Lost if deducted_minor == 0 => DisputeState::Won,
            state => state,
        };
        if state == DisputeState::Lost {
            self.faults.push(Fault::DisputeLost);
        }
        if let Some(known) = self.disputes.get_mut(id) {
            known.fact = DisputeFact { state, deducted_minor, ..dispute.fact };
        }
        self.tell_dispute(id);
        if state != DisputeState::Lost
            && !state.is_open()
            && self.fault(Fault::DisputeReopened, 150)
        {
            let seconds = self.rng.seconds_of_any_size(STEP_SECONDS);
            self.changes.push((seconds, Change::Dispute(id.to_string())));
        }
    }

    /// The bank does not accept how it ended: the dispute begins anew, in its next round.
    fn reopen_dispute(&mut self, id: &DisputeId) {
        let now = self.now;
        let Some(dispute) = self.disputes.get_mut(id) else { return };
        dispute.fact.phase = match dispute.fact.phase {
            Phase::Fraud | Phase::Retrieval => Phase::Chargeback,
            Phase::Chargeback => Phase::PreArbitration,
            Phase::PreArbitration => Phase::Arbitration,
            Phase::Arbitration => return,
        };
        dispute.fact.state = DisputeState::Open;
        dispute.fact.respond_by = Some(now.plus_seconds(ANSWERED_WITHIN));
        self.tell_dispute(id);
    }
}
