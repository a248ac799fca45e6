//! The refunds of payments: what is asked of the provider, when it waits for the end of a dispute,
//! and how staff release one that waits.

use futures::FutureExt as _;
use kernel::id::{Booking, Refund as RefundKind};
use kernel::{Id, Timestamp};
use payments::app::fold::refund_command;
use payments::app::process_refund::{RefundAnswer, look, request_or_fetch};
use payments::domain::collection::Command;
use payments::domain::dispute::{Dispute, DisputeState};
use payments::domain::fact::{Amount, PaymentId, ProviderRefundId};
use payments::domain::refund::{End, LOST_TO_A_DISPUTE, RefundUpdate};
use payments::providers::{Provider as _, ProviderError, ProviderRefund};
use payments::read_model::query::RefundRow;
use payments::timers::kinds::{REFUND, RENEW_REFUND, refund_pause, retry_pause};
use serde_json::Value;

use super::super::coverage::Fault;
use super::super::job::Job;
use super::super::mutant::Mutant;
use super::super::service::{Error, Service};
use super::super::store::{Batch, TimerKey};
use super::super::world::{Task, World};
use super::jobs::never;
use super::locked::LockedCollection;
use super::tables::PaymentsTables;

/// When a refund that waits for the end of a dispute is looked at again.
const HELD_SECONDS: i64 = 24 * 60 * 60;
/// How soon a refund that staff released is asked for.
const RELEASED_WITHIN_MILLIS: i64 = 2 * 60 * 60 * 1000;

/// Whether a refund's payment has a dispute in a state of this kind.
fn has_dispute(
    locked: &LockedCollection,
    refund_id: Id<RefundKind>,
    is_it: fn(DisputeState) -> bool,
) -> bool {
    let known = locked.collection();
    let payment = known.and_then(|known| Some(&known.refunds.get(&refund_id)?.payment));
    let mut disputes = known.into_iter().flat_map(|known| known.disputes.values());
    disputes.any(|it| Some(&it.payment) == payment && is_it(it.fact.state))
}

fn is_lost(state: DisputeState) -> bool {
    state == DisputeState::Lost
}

fn is_open(state: DisputeState) -> bool {
    state.is_open()
}

impl World {
    /// The provider's least refund.
    pub(super) fn least_refund(&self) -> i64 {
        if self.has(Mutant::AskBelowLeast) { 1 } else { self.provider.least_refund_minor() }
    }

    /// `ReleaseRefund`: staff don't want the refunds of a booking to wait for the end of a dispute.
    /// Says whether any waits.
    pub(crate) fn release_refund(&mut self, booking_id: Id<Booking>) -> Result<bool, Error> {
        self.answers(Service::Payments)?;
        let mut locked = self.lock_collection(booking_id);
        let known = locked.collection();
        let held = known.into_iter().flat_map(|known| known.releasable_refunds());
        let held: Vec<Id<RefundKind>> = held.map(|(refund_id, _)| refund_id).collect();
        let mut batch = Batch::by("usr");
        for refund_id in held.iter().copied() {
            self.apply(&mut batch, &mut locked, Command::ReleaseRefund { refund_id })?;
        }
        self.commit(batch)?;
        let since = self.now;
        for refund_id in held.iter().copied() {
            self.after(RELEASED_WITHIN_MILLIS, Task::Released { refund_id, since });
        }
        Ok(!held.is_empty())
    }

    /// A refund that was released some time ago has been asked for since, or is over.
    pub(crate) fn check_released(&mut self, refund_id: Id<RefundKind>, since: Timestamp) {
        let asked = self.refund_asks.get(&refund_id).is_some_and(|at| *at >= since);
        let row = self.payments.tables.refunds.get(&refund_id);
        let waits = row.is_some_and(|row| row.state == "requested");
        if waits && !asked && self.is_up(Service::Payments) {
            self.broken.push(format!("{refund_id} was released and is not asked for"));
        }
    }

    pub(super) fn request_refund(
        &mut self,
        timer: (&TimerKey, i32),
        payload: &Value,
    ) -> Result<(), Error> {
        let refund_id: Id<RefundKind> = timer.0.1.parse().map_err(Error::broken)?;
        let step = payload.get("step").and_then(Value::as_u64).unwrap_or(0);
        let step = usize::try_from(step).unwrap_or(usize::MAX);
        let row = self.payments.tables.refunds.get(&refund_id).cloned();
        let row = row.filter(|row| row.state == "requested" || row.state == "accepted");
        let Some((row, payment)) = row.and_then(|row| {
            let payment = PaymentId::parse(&row.payment_id)?;
            Some((row, payment))
        }) else {
            let mut batch = Batch::<PaymentsTables>::by("payments");
            batch.end_timer(REFUND, &timer.0.1);
            return self.commit(batch);
        };
        let booking_id = row.booking_id;
        if contract::desk::way_of(payment.as_str()).is_some() {
            self.broken.push(format!("{refund_id} is given back at the desk, and is asked for"));
            let mut batch = Batch::<PaymentsTables>::by("payments");
            batch.end_timer(REFUND, &timer.0.1);
            return self.commit(batch);
        }
        let amount = if row.provider_refund_id.is_some() {
            Amount { minor: row.amount_minor, currency: row.amount_currency }
        } else {
            let found = self.look_for_refund(&payment)?;
            match self.prepare_refund(booking_id, refund_id, (&found, step))? {
                Some(amount) => amount,
                None => return Ok(()),
            }
        };
        let row = RefundRow {
            booking_id,
            payment,
            amount,
            provider_refund: row.provider_refund_id.as_deref().and_then(ProviderRefundId::parse),
            ended: false,
            traceparent: None,
        };
        let was_taken = row.provider_refund.is_some();
        let asked = self.ask_refund((booking_id, refund_id), row, step);
        let answer = asked.map_err(|_silent| Error::Unavailable)?;
        if self.fault(Fault::CrashAfterEffect, 15) {
            self.crash(Service::Payments);
            return Err(Error::Died);
        }
        let timer = (timer.0.clone(), timer.1);
        let job = Job::Refunded { booking_id, refund_id, answer, step: (step, was_taken), timer };
        let pause = self.latency();
        self.defer(Service::Payments, pause, job);
        Ok(())
    }

    /// Asks the provider, which sends nothing a second time that the practice cannot know of yet.
    fn ask_refund(
        &mut self,
        (booking_id, refund_id): (Id<Booking>, Id<RefundKind>),
        row: RefundRow,
        step: usize,
    ) -> Result<RefundAnswer, ProviderError> {
        self.refund_asks.insert(refund_id, self.now);
        let is_lax = self.has(Mutant::NewRefundIdOnEachTry);
        let locked = self.lock_collection(booking_id);
        let known = locked.collection().map_or(0, |known| known.lost(&row.payment));
        let is_forgetful = self.has(Mutant::ForgetLosses);
        self.at_provider(|provider| {
            let known = if is_forgetful { provider.book().lost(&row.payment) } else { known };
            provider.book().is_lax = is_lax;
            provider.book().known_losses.insert(row.payment.clone(), known);
            let asked = request_or_fetch(provider, refund_id, row, step);
            asked.now_or_never().unwrap_or_else(never)
        })
    }

    /// All refunds of a payment, so that one that the provider has is not asked for once more.
    fn look_for_refund(&mut self, payment: &PaymentId) -> Result<Vec<ProviderRefund>, Error> {
        let is_blind =
            self.has(Mutant::AskWithoutLooking) || self.has(Mutant::NewRefundIdOnEachTry);
        if is_blind {
            return Ok(Vec::new());
        }
        let asked = self
            .at_provider(|provider| look(provider, payment).now_or_never().unwrap_or_else(never));
        asked.map_err(|_silent| Error::Unavailable)
    }

    /// How much of a refund is to be requested, unless it has ended or waits.
    fn prepare_refund(
        &mut self,
        booking_id: Id<Booking>,
        refund_id: Id<RefundKind>,
        (found, step): (&[ProviderRefund], usize),
    ) -> Result<Option<Amount>, Error> {
        let least_minor = self.least_refund();
        let mut locked = self.lock_collection(booking_id);
        let mut batch = Batch::by("payments");
        for refund in found {
            self.fold_refund(&mut batch, &mut locked, refund)?;
        }
        self.reapply_booking_intent(&mut batch, &mut locked)?;
        let command = Command::PrepareRefund { refund_id, least_minor };
        self.apply(&mut batch, &mut locked, command)?;
        if self.has(Mutant::LossEndsAllRefunds) && has_dispute(&locked, refund_id, is_lost) {
            let update = RefundUpdate::Refused(LOST_TO_A_DISPUTE.to_owned());
            let learnt = Command::LearnRefund { refund_id, update, rest_id: self.new_id() };
            self.apply(&mut batch, &mut locked, learnt)?;
        }
        let known = locked.collection();
        let refund = known.and_then(|known| known.refunds.get(&refund_id));
        let amount = refund.filter(|it| it.is_unaccepted()).map(|it| it.amount.clone());
        let is_under_way = refund.is_some_and(|it| it.end.is_none());
        let is_held = known.is_some_and(|known| known.is_held(refund_id))
            || (self.has(Mutant::HoldReleased) && has_dispute(&locked, refund_id, is_open));
        if is_held {
            self.ask_refund_in(&mut batch, refund_id, (step, HELD_SECONDS));
        } else if amount.is_none() && is_under_way {
            self.ask_refund_in(&mut batch, refund_id, (1, refund_pause(1)));
        } else if amount.is_none() {
            batch.end_timer(REFUND, &refund_id.to_string());
        }
        self.commit(batch)?;
        Ok(amount.filter(|_| !is_held))
    }

    /// Writes down what the provider said of a refund.
    pub(crate) fn record_refund(
        &mut self,
        (booking_id, refund_id): (Id<Booking>, Id<RefundKind>),
        answer: &RefundAnswer,
        (step, was_taken): (usize, bool),
    ) -> Result<(), Error> {
        let mut locked = self.lock_collection(booking_id);
        let mut batch = Batch::by("payments");
        for refund in &answer.others {
            self.fold_refund(&mut batch, &mut locked, refund)?;
        }
        let (update, rest_id) = (answer.update.clone(), self.new_id());
        self.apply(&mut batch, &mut locked, Command::LearnRefund { refund_id, update, rest_id })?;
        self.reapply_booking_intent(&mut batch, &mut locked)?;
        let refund = locked.collection().and_then(|known| known.refunds.get(&refund_id));
        match refund.filter(|refund| refund.end.is_none()) {
            None => batch.end_timer(REFUND, &refund_id.to_string()),
            Some(refund) if refund.accepted.is_none() => {
                self.ask_refund_in(&mut batch, refund_id, (step + 1, retry_pause(step + 1)));
            }
            Some(_) => {
                let next = if was_taken { step + 1 } else { 1 };
                self.ask_refund_in(&mut batch, refund_id, (next, refund_pause(next)));
            }
        }
        self.commit(batch)
    }

    pub(super) fn renew_refund(&mut self, key: &TimerKey) -> Result<(), Error> {
        let failed: Id<RefundKind> = key.1.parse().map_err(Error::broken)?;
        let Some(row) = self.payments.tables.refunds.get(&failed) else { return Ok(()) };
        let mut locked = self.lock_collection(row.booking_id);
        let mut batch = Batch::by("payments");
        self.apply(&mut batch, &mut locked, Command::RenewRefund { failed })?;
        batch.end_timer(RENEW_REFUND, &key.1);
        self.commit(batch)
    }

    /// Folds a refund that the provider reports.
    pub(super) fn fold_refund(
        &mut self,
        batch: &mut Batch<PaymentsTables>,
        locked: &mut LockedCollection,
        refund: &ProviderRefund,
    ) -> Result<(), Error> {
        let ids = (self.new_id(), self.new_id());
        let command = locked.collection().and_then(|known| refund_command(known, refund, ids));
        let Some(command) = command else { return Ok(()) };
        let before = given(locked);
        self.apply(batch, locked, command)?;
        let after = given(locked);
        // The timer of one that a dispute had ended is gone; it is under way after all.
        for refund_id in before.into_iter().filter(|id| !after.contains(id)) {
            self.ask_refund_in(batch, refund_id, (1, refund_pause(1)));
        }
        Ok(())
    }

    /// `RefundPayment`: the practice gives money back.
    pub(crate) fn refund_payment(
        &mut self,
        booking_id: Id<Booking>,
        minor: Option<i64>,
    ) -> Result<Id<RefundKind>, Error> {
        self.answers(Service::Payments)?;
        let mut locked = self.lock_collection(booking_id);
        let currency = locked.collection().map(|it| it.terms.amount.currency.code().to_owned());
        let amount = minor.zip(currency).map(|(minor, currency)| Amount { minor, currency });
        let refund_id = self.new_id();
        let mut batch = Batch::by("usr");
        let least_minor = self.least_refund();
        let command = Command::RefundByStaff { amount, refund_id, least_minor };
        self.apply(&mut batch, &mut locked, command)?;
        self.commit(batch).map(|()| refund_id)
    }
}

/// The refunds that a dispute has ended.
fn given(locked: &LockedCollection) -> Vec<Id<RefundKind>> {
    let refunds = locked.collection().into_iter().flat_map(|known| &known.refunds);
    refunds.filter(|(_, it)| it.end == Some(End::Given)).map(|(id, _)| *id).collect()
}

/// A dispute as it would be if none were ever lost.
pub(super) fn without_loss(mut dispute: Dispute) -> Dispute {
    if dispute.fact.state == DisputeState::Lost {
        dispute.fact.state = DisputeState::Won;
        dispute.fact.deducted_minor = 0;
    }
    dispute
}
