//! The provider's state and its transitions.

use std::collections::BTreeMap;

use kernel::Timestamp;
use payments::domain::fact::{
    Amount, DisputeId, Fact, LinkId, OrderId, Payment, PaymentId, ProviderRefundId, Status,
};
use payments::domain::link::{LinkFact, LinkStatus, ProviderLink};
use payments::providers::{LinkReport, Observation, PaymentReport, ProviderError};

use super::super::coverage::Fault;
use super::super::rng::Rng;
use super::records::{
    AnswerDelivery, Attempt, BEGINNING, Change, Course, DisputeRecord, Link, Mismatch, Order,
    PROVIDER, Paid, RUPEES, Refund, WebhookDelivery,
};

/// Everything that the provider knows.
#[derive(Debug)]
pub(crate) struct Book {
    pub(crate) now: Timestamp,
    pub(crate) is_healed: bool,
    /// Whether it accepts refunds of more than was paid, for a mutant that would else be hidden.
    pub(crate) is_lax: bool,
    /// Whether most payments are disputed soon, for a mutant that would else be seen rarely.
    pub(crate) is_disputed_often: bool,
    pub(crate) orders: BTreeMap<OrderId, Order>,
    pub(crate) links: BTreeMap<LinkId, Link>,
    pub(crate) payments: BTreeMap<PaymentId, Paid>,
    pub(crate) refunds: BTreeMap<ProviderRefundId, Refund>,
    pub(crate) disputes: BTreeMap<DisputeId, DisputeRecord>,
    /// How much of each payment the practice knows to be lost to disputes. What it knows, the
    /// provider leaves to it; what it cannot know yet, the provider does not send a second time.
    pub(crate) known_losses: BTreeMap<PaymentId, i64>,
    /// What was answered under an idempotency key, for as long as it is remembered.
    pub(super) attempts: BTreeMap<String, Attempt>,
    pub(super) rng: Rng,
    numbers: u64,
    pub(super) faults: Vec<Fault>,
    pub(super) changes: Vec<(i64, Change)>,
    notices: Vec<WebhookDelivery>,
}

impl Book {
    pub(super) fn new(rng: Rng) -> Self {
        Self {
            now: BEGINNING,
            is_healed: false,
            is_lax: false,
            is_disputed_often: false,
            orders: BTreeMap::new(),
            links: BTreeMap::new(),
            payments: BTreeMap::new(),
            refunds: BTreeMap::new(),
            disputes: BTreeMap::new(),
            known_losses: BTreeMap::new(),
            attempts: BTreeMap::new(),
            rng,
            numbers: 0,
            faults: Vec::new(),
            changes: Vec::new(),
            notices: Vec::new(),
        }
    }

    /// What has happened since the last time.
    pub(super) fn take_changes(
        &mut self,
    ) -> (Vec<Fault>, Vec<(i64, Change)>, Vec<WebhookDelivery>) {
        let faults = std::mem::take(&mut self.faults);
        (faults, std::mem::take(&mut self.changes), std::mem::take(&mut self.notices))
    }

    pub(super) fn fault(&mut self, fault: Fault, per_mille: u64) -> bool {
        let happens = !self.is_healed && self.rng.chance(per_mille);
        if happens {
            self.faults.push(fault);
        }
        happens
    }

    /// Whether a question comes through, and how its answer comes back.
    pub(super) fn receive(&mut self) -> Result<AnswerDelivery, ProviderError> {
        if self.fault(Fault::ProviderDown, 50) {
            return Err(ProviderError::RetryLater(500));
        }
        if self.fault(Fault::ProviderSilent, 40) {
            return Err(ProviderError::NoAnswer("no answer".into()));
        }
        Ok(if self.fault(Fault::ProviderSilentDone, 50) {
            AnswerDelivery::Lost
        } else {
            AnswerDelivery::There
        })
    }

    pub(super) fn number(&mut self) -> u64 {
        self.numbers += 1;
        self.numbers
    }

    pub(super) fn new_order(&mut self, receipt: String, amount: Amount) -> Option<OrderId> {
        let id = OrderId::parse(&format!("order_{:014}", self.number()))?;
        self.orders.insert(id.clone(), Order { receipt, amount });
        Some(id)
    }

    pub(super) fn new_link(
        &mut self,
        reference: String,
        amount: Amount,
        expires_at: Timestamp,
    ) -> Option<LinkId> {
        let id = LinkId::parse(&format!("plink_{:014}", self.number()))?;
        let (status, created_at) = (LinkStatus::Created, self.now);
        let link = Link { reference, amount, status, order: None, created_at, ended_at: None };
        self.links.insert(id.clone(), link);
        let seconds = expires_at.seconds_since(self.now);
        self.changes.push((seconds, Change::LinkExpires(id.to_string())));
        Some(id)
    }

    /// A customer opens the page of a link and pays there.
    pub(super) fn pay_link(
        &mut self,
        id: &LinkId,
        course: Course,
        oddity: Mismatch,
    ) -> Option<PaymentId> {
        let link = self.links.get(id)?.clone();
        if link.status != LinkStatus::Created {
            self.faults.push(Fault::LinkClosed);
            return None;
        }
        let order = match link.order {
            Some(order) => order,
            None => self.new_order(link.reference, link.amount)?,
        };
        self.links.get_mut(id)?.order = Some(order.clone());
        self.pay(&order, course, oddity)
    }

    /// A link ends without money, unless it is over already.
    pub(super) fn end_link(&mut self, id: &LinkId, status: LinkStatus) {
        let now = self.now;
        let Some(link) = self.links.get_mut(id).filter(|it| it.status == LinkStatus::Created)
        else {
            return;
        };
        link.status = status;
        link.ended_at = Some(now);
        self.notify_link(id, None);
    }

    /// A link as it stands.
    pub(super) fn report_link(&self, id: &LinkId) -> Option<LinkReport> {
        let link = self.links.get(id)?;
        Some(LinkReport {
            provider: PROVIDER.to_owned(),
            link: ProviderLink { id: id.clone(), url: format!("https://pay.example/l/{id}") },
            reference: link.reference.parse().ok(),
            amount: link.amount.clone(),
            fact: LinkFact { status: link.status, order: link.order.clone() },
        })
    }

    fn notify_link(&mut self, id: &LinkId, payment: Option<&PaymentId>) {
        let link = self.report_link(id).map(Observation::Link);
        let payment = payment.and_then(|id| self.report(id));
        let payment = payment.map(|report| Observation::Payment(report.payment));
        self.notify(link.into_iter().chain(payment).collect());
    }

    /// What a captured payment makes of the link that its order is beneath: one that is over stays
    /// so.
    fn pay_off_link(&mut self, payment: &PaymentId) {
        let Some(paid) = self.payments.get(payment).filter(|paid| paid.pays_order) else { return };
        let order = paid.order.clone();
        let mut links = self.links.iter().filter(|(_, link)| link.order == order);
        let Some((id, status)) = links.next().map(|(id, link)| (id.clone(), link.status)) else {
            return;
        };
        if status != LinkStatus::Created {
            self.faults.push(Fault::PaidAfterLink);
            return;
        }
        let now = self.now;
        if let Some(link) = self.links.get_mut(&id) {
            link.status = LinkStatus::Paid;
            link.ended_at = Some(now);
        }
        self.notify_link(&id, Some(payment));
    }

    /// A customer pays for an order of ours.
    pub(super) fn pay(
        &mut self,
        order: &OrderId,
        course: Course,
        oddity: Mismatch,
    ) -> Option<PaymentId> {
        let known = self.orders.get(order)?;
        let mut amount = known.amount.clone();
        match oddity {
            Mismatch::None => {}
            Mismatch::Amount => {
                amount.minor = if self.rng.chance(500) { 100 } else { amount.minor + 100 };
                self.faults.push(Fault::WrongAmount);
            }
            Mismatch::Currency => {
                "USD".clone_into(&mut amount.currency);
                self.faults.push(Fault::WrongCurrency);
            }
        }
        let others = self.payments.values().filter(|it| it.order.as_ref() == Some(order));
        if others.filter(|it| it.captured_at.is_some()).count() > 0 {
            self.faults.push(Fault::DoublePayment);
        }
        let id = self.new_payment(Some(order.clone()), amount)?;
        let is_lawful = oddity == Mismatch::None
            || (oddity == Mismatch::Amount && self.numbers.is_multiple_of(2));
        self.payments.get_mut(&id)?.pays_order = is_lawful;
        self.plan(&id, course);
        Some(id)
    }

    /// A payment for an order of another shop of this account, or for none at all.
    pub(super) fn pay_elsewhere(&mut self) {
        self.faults.push(Fault::ForeignPayment);
        let amount = Amount { minor: 12_300, currency: RUPEES.to_owned() };
        let order = if self.rng.chance(500) {
            self.new_order("another shop".to_owned(), amount.clone())
        } else {
            None
        };
        let Some(id) = self.new_payment(order, amount) else { return };
        self.plan(&id, Course::Captured);
    }

    fn new_payment(&mut self, order: Option<OrderId>, amount: Amount) -> Option<PaymentId> {
        let id = PaymentId::parse(&format!("pay_{:014}", self.number()))?;
        let is_too_old = self.fault(Fault::RefundRefusedForGood, 8);
        let status = Status::Created;
        let (created_at, captured_at) = (self.now, None);
        let pays_order = true;
        let paid = Paid { order, amount, status, created_at, captured_at, pays_order, is_too_old };
        self.payments.insert(id.clone(), paid);
        Some(id)
    }

    fn plan(&mut self, id: &PaymentId, course: Course) {
        let is_left = course == Course::Captured && self.fault(Fault::LeftAuthorised, 40);
        let mut then = |seconds: i64, status| {
            self.changes.push((seconds, Change::Payment(id.to_string(), status)));
        };
        match course {
            Course::Captured => {
                then(1, Status::Authorized);
                if !is_left {
                    then(3, Status::Captured);
                }
            }
            Course::Late(seconds) => {
                then(seconds, Status::Authorized);
                then(seconds + 2, Status::Captured);
                self.faults.push(Fault::LateAuthorisation);
            }
            Course::FailedThenCaptured(seconds) => {
                then(5, Status::Failed);
                then(seconds, Status::Authorized);
                then(seconds + 2, Status::Captured);
                self.faults.push(Fault::FailedThenCaptured);
            }
            Course::Failed => then(8, Status::Failed),
            Course::Unfinished => {}
        }
    }

    /// Something happens by itself.
    pub(super) fn go_on(&mut self, change: &Change) {
        match change {
            Change::Payment(id, status) => {
                let Some(id) = PaymentId::parse(id) else { return };
                self.advance(&id, *status);
            }
            Change::LinkExpires(id) => {
                let Some(id) = LinkId::parse(id) else { return };
                self.end_link(&id, LinkStatus::Expired);
            }
            Change::Refund(id, progress) => {
                let Some(id) = ProviderRefundId::parse(id) else { return };
                self.end_refund(&id, *progress);
            }
            Change::Elsewhere { payment, part } => {
                let Some(id) = PaymentId::parse(payment) else { return };
                self.refund_elsewhere(&id, *part);
            }
            Change::DisputeOpens(payment) => {
                let Some(id) = PaymentId::parse(payment) else { return };
                self.open_dispute(&id);
            }
            Change::Dispute(id) => {
                let Some(id) = DisputeId::parse(id) else { return };
                self.advance_dispute(&id);
            }
        }
    }

    pub(super) fn advance(&mut self, id: &PaymentId, status: Status) {
        let now = self.now;
        let Some(paid) = self.payments.get_mut(id) else { return };
        if paid.status >= status && paid.status != Status::Failed {
            return;
        }
        paid.status = status;
        if status == Status::Captured {
            paid.captured_at = Some(now);
            self.plan_refund_elsewhere(id);
            self.plan_disputes(id);
        }
        self.notify_payment(id);
        if status == Status::Captured {
            self.pay_off_link(id);
        }
    }

    fn notify_payment(&mut self, id: &PaymentId) {
        let Some(report) = self.report(id) else { return };
        let observations = vec![Observation::Payment(report.payment)];
        self.notify(observations);
    }

    pub(super) fn notify(&mut self, observations: Vec<Observation>) {
        let event_id = format!("evt_{}", self.number());
        let body = format!("{} {observations:?}", self.now);
        self.notices.push(WebhookDelivery { event_id, body, observations });
    }

    /// Whether a captured payment has paid an order in full.
    pub(super) fn is_paid(&self, order: &OrderId) -> bool {
        let mut of_order = self.payments.values().filter(|it| it.order.as_ref() == Some(order));
        of_order.any(|it| it.captured_at.is_some() && it.pays_order)
    }

    /// A payment as it stands.
    pub(super) fn report(&self, id: &PaymentId) -> Option<PaymentReport> {
        let paid = self.payments.get(id)?;
        let refunded_minor = self.going_back(id);
        let is_back = refunded_minor >= paid.amount.minor && paid.status == Status::Captured;
        let status = if is_back { Status::Refunded } else { paid.status };
        let fact = Fact { status, amount: paid.amount.clone(), order: paid.order.clone() };
        Some(PaymentReport { payment: Payment { id: id.clone(), fact }, refunded_minor })
    }
}
