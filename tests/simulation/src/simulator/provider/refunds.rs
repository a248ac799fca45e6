//! Refunds at the provider: its least amount, its idempotency keys and how long it remembers them,
//! and those that are made on its own pages.

use payments::domain::fact::{Amount, PaymentId, ProviderRefundId, Status};
use payments::domain::refund::Progress;
use payments::providers::{Observation, ProviderError, RefundRequest};

use super::super::coverage::Fault;
use super::book::Book;
use super::records::{AnswerDelivery, Attempt, Change, DAY, Part, Refund, as_seen};

/// The least amount of a refund: a rupee.
const LEAST_MINOR: i64 = 100;
/// How long an idempotency key is remembered, as a rule.
const REMEMBERED_SECONDS: i64 = DAY;
/// How many of a thousand keys are forgotten within a minute.
const FORGOTTEN: u64 = 150;
/// How many of a thousand refunds are taken without an answer, beside what is lost of any question;
/// and of how many of those whose answer is lost the provider has kept the refund and not its key.
const UNANSWERED: (u64, u64) = (100, 600);

impl Book {
    /// How much of a payment is back or on its way.
    pub(super) fn going_back(&self, id: &PaymentId) -> i64 {
        let refunds = self.refunds.values();
        refunds
            .filter(|it| it.payment == *id && it.progress != Progress::Failed)
            .fold(0_i64, |sum, it| sum.saturating_add(it.amount.minor))
    }

    /// How much of a payment neither refunds nor disputes have taken.
    pub(super) fn left(&self, id: &PaymentId) -> i64 {
        let brought = self.payments.get(id).map_or(0, |paid| paid.amount.minor);
        brought.saturating_sub(self.going_back(id)).saturating_sub(self.taken_by_disputes(id))
    }

    /// Takes a refund, or refuses it. The same key is answered alike while it is remembered.
    pub(super) fn refund(
        &mut self,
        wanted: &RefundRequest,
        way: AnswerDelivery,
    ) -> Result<Refund, ProviderError> {
        let key = format!("{}-{}", wanted.refund_id, wanted.refusals);
        let now = self.now;
        let known = self.attempts.get(&key).filter(|it| it.until > now && !self.is_lax);
        if let Some(known) = known.cloned() {
            let refund = known.answer.map(|id| self.refunds.get(&id).cloned());
            let unknown = || ProviderError::InvalidAnswer("no refund");
            let refused = |reason| ProviderError::Refused { reason };
            return refund.map_err(refused)?.ok_or_else(unknown);
        }
        let done = self.take_refund(wanted);
        let is_lost = way == AnswerDelivery::Lost;
        let seconds = if is_lost && self.fault(Fault::RefundKeyForgotten, UNANSWERED.1) {
            0
        } else if self.fault(Fault::RefundKeyForgotten, FORGOTTEN) {
            self.rng.between(0, 60)
        } else {
            REMEMBERED_SECONDS
        };
        let answer = match &done {
            Ok(refund) => Some(Ok(refund.id.clone())),
            Err(ProviderError::Refused { reason }) => Some(Err(reason.clone())),
            Err(_) => None,
        };
        if let Some(answer) = answer {
            let until = now.plus_seconds(seconds);
            self.attempts.insert(key, Attempt { until, answer });
        }
        done
    }

    /// How the answer to a request for a refund comes back.
    pub(super) fn receive_refund(&mut self) -> Result<AnswerDelivery, ProviderError> {
        let way = self.receive()?;
        let is_lost = self.fault(Fault::ProviderSilentDone, UNANSWERED.0);
        Ok(if is_lost { AnswerDelivery::Lost } else { way })
    }

    fn take_refund(&mut self, wanted: &RefundRequest) -> Result<Refund, ProviderError> {
        let refuse = |reason: &str| ProviderError::Refused { reason: reason.to_owned() };
        let RefundRequest { payment, amount, .. } = wanted;
        let Some(paid) = self.payments.get(payment).cloned() else {
            return Err(refuse("bad_request_error"));
        };
        if paid.is_too_old {
            return Err(refuse("payment_too_old"));
        }
        if amount.minor < LEAST_MINOR {
            return Err(refuse("input_validation_failed"));
        }
        let known = self.known_losses.get(payment).copied().unwrap_or(0);
        let left = self.left(payment).saturating_add(known.min(self.lost(payment)));
        let fits = amount.minor <= left && amount.currency == paid.amount.currency;
        if paid.status != Status::Captured || !(fits || self.is_lax) {
            return Err(refuse("bad_request_error"));
        }
        if self.fault(Fault::RefundRefused, 80) {
            return Err(refuse("insufficient_balance"));
        }
        let receipt = Some(wanted.refund_id.to_string());
        let refund = self.new_refund(payment, amount.clone(), receipt);
        refund.ok_or(refuse("bad_request_error"))
    }

    fn new_refund(
        &mut self,
        payment: &PaymentId,
        amount: Amount,
        receipt: Option<String>,
    ) -> Option<Refund> {
        let id = ProviderRefundId::parse(&format!("rfnd_{:014}", self.number()))?;
        let (payment, progress) = (payment.clone(), Progress::Pending);
        let refund = Refund { id: id.clone(), payment, amount, progress, receipt };
        self.refunds.insert(id.clone(), refund.clone());
        let end = if self.fault(Fault::RefundFailed, 90) {
            Progress::Failed
        } else {
            Progress::Processed
        };
        let seconds = if self.fault(Fault::RefundSlow, 200) {
            self.rng.between(DAY, 6 * DAY)
        } else {
            self.rng.between(1, 600)
        };
        self.changes.push((seconds, Change::Refund(id.to_string(), end)));
        self.notify(vec![Observation::Refund(as_seen(&refund))]);
        self.plan_dispute_after_refund(&refund.payment);
        Some(refund)
    }

    pub(super) fn end_refund(&mut self, id: &ProviderRefundId, progress: Progress) {
        let Some(refund) = self.refunds.get_mut(id) else { return };
        refund.progress = progress;
        let seen = as_seen(refund);
        self.notify(vec![Observation::Refund(seen)]);
    }

    /// A refund on the provider's own pages may come at any time after the capture.
    pub(super) fn plan_refund_elsewhere(&mut self, payment: &PaymentId) {
        if !self.fault(Fault::RefundElsewhere, 50) {
            return;
        }
        let seconds = self.rng.between(1, 3 * DAY);
        let parts = [(600, Part::Whole), (330, Part::Third), (70, Part::AllButLittle)];
        let part = self.rng.weighted(&parts, Part::Whole);
        let payment = payment.to_string();
        self.changes.push((seconds, Change::Elsewhere { payment, part }));
    }

    pub(super) fn refund_elsewhere(&mut self, payment: &PaymentId, part: Part) {
        let Some(paid) = self.payments.get(payment) else { return };
        let left = self.left(payment);
        let minor = match part {
            Part::Whole => left,
            Part::Third => left.checked_div(3).unwrap_or(0),
            Part::AllButLittle => left.saturating_sub(50),
        };
        if paid.status != Status::Captured || minor < LEAST_MINOR {
            return;
        }
        let amount = Amount { minor, currency: paid.amount.currency.clone() };
        // The result is shown on the provider's pages only.
        drop(self.new_refund(payment, amount, None));
    }
}
