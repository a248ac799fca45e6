//! payments' webhooks in the simulation: kept when they come, and folded at once or by a timer.

use std::collections::BTreeMap;

use checker::snapshot::Ack;
use futures::FutureExt as _;
use kernel::Id;
use kernel::id::Booking;
use payments::app::fold::{PollDirective, ProviderReport};
use payments::app::fold_webhook::{WebhookContent, content_of};
use payments::app::webhook_health::HEARD_SECONDS;
use payments::domain::collection::Command;
use payments::domain::fact::{OrderId, PaymentId, Source};
use payments::providers::{Observation, Provider as _, ProviderError};
use payments::timers::kinds::FOLD_WEBHOOK;
use serde_json::json;

use super::super::mutant::Mutant;
use super::super::provider::WebhookDelivery;
use super::super::service::{Error, Service};
use super::super::store::{Batch, TimerKey};
use super::super::world::World;
use super::jobs::never;
use super::locked::LockedCollection;
use super::tables::{PaymentsTables, Webhook};

/// Whose money an observation tells of.
enum Subject {
    /// That of a booking.
    Booking(Id<Booking>),
    /// That of an order which we do not know yet.
    Order(OrderId),
    /// None of ours.
    Unknown,
}

impl World {
    /// A webhook has come: it is written down before it is answered, and folded with that where
    /// nothing has to be asked.
    pub(crate) fn take_webhook(&mut self, notice: &WebhookDelivery) -> Result<(), Error> {
        self.answers(Service::Payments)?;
        let WebhookDelivery { event_id, body, .. } = notice.clone();
        let webhooks = &self.payments.tables.webhooks;
        let is_known =
            webhooks.contains_key(&event_id) || webhooks.values().any(|known| known.body == body);
        if !is_known {
            match self.store_webhook(notice, true) {
                Ok(()) => {}
                Err(Error::Died) => return Err(Error::Died),
                Err(_) => self.store_webhook(notice, false)?,
            }
        }
        self.acks.push(Ack::Webhook { event_id, body_sha256: body.into_bytes() });
        Ok(())
    }

    /// Whether a webhook has arrived within the last hour.
    pub(super) fn hears_webhooks(&self) -> bool {
        let since = self.now.plus_seconds(-HEARD_SECONDS);
        self.payments.tables.webhooks.values().any(|it| it.received_at > since)
    }

    fn store_webhook(&mut self, notice: &WebhookDelivery, may_fold: bool) -> Result<(), Error> {
        let WebhookDelivery { event_id, body, observations } = notice.clone();
        let mut batch = Batch::by("razorpay");
        let is_folded = may_fold && self.fold_at_once(&mut batch, &observations)?;
        if !is_folded {
            batch.set_timer(FOLD_WEBHOOK, &event_id, self.now, json!({}));
        }
        let received_at = self.now;
        let webhook = Webhook { body, observations, received_at, is_folded, waits_for: None };
        batch.change(move |tables: &mut PaymentsTables| {
            tables.webhooks.insert(event_id, webhook);
        });
        self.commit(batch)
    }

    fn fold_at_once(
        &mut self,
        batch: &mut Batch<PaymentsTables>,
        observations: &[Observation],
    ) -> Result<bool, Error> {
        let read = observations.iter().filter(|it| self.is_read(it)).cloned();
        let (payment, order) = match content_of(read.collect()) {
            WebhookContent::Nothing => return Ok(true),
            WebhookContent::More => return Ok(false),
            WebhookContent::Payment(payment, order) => (payment, order),
        };
        let Some(booking_id) = self.booking_of_order(&order) else { return Ok(false) };
        let mut locked = self.lock_collection(booking_id);
        let report = ProviderReport { payments: vec![payment], ..ProviderReport::default() };
        self.fold(batch, &mut locked, &report, (Source::Webhook, PollDirective::Restart))?;
        Ok(true)
    }

    pub(super) fn fold_webhook(&mut self, key: &TimerKey) -> Result<(), Error> {
        let event_id = key.1.clone();
        let webhook = self.payments.tables.webhooks.get(&event_id).cloned();
        let webhook = webhook.filter(|it| !it.is_folded);
        let mut observations = webhook.map(|it| it.observations).unwrap_or_default();
        observations.retain(|observation| self.is_read(observation));
        let observations = self.with_payments(observations)?;
        let named = self.orders_named(&observations)?;
        let mut batch = Batch::by("payments");
        let mut waits_for = None;
        let mut opened: Vec<LockedCollection> = Vec::new();
        // What a webhook tells of a payment is known to what it tells next, as in the service's
        // transaction.
        let mut told: BTreeMap<PaymentId, Id<Booking>> = BTreeMap::new();
        for observation in &observations {
            let booking_id = match self.subject_of(observation, &named, &told) {
                Subject::Booking(booking_id) => booking_id,
                Subject::Order(order) => {
                    waits_for = Some(order);
                    continue;
                }
                Subject::Unknown => {
                    if let Observation::Dispute(dispute) = observation {
                        let dispute = dispute.clone();
                        batch.change(move |tables: &mut PaymentsTables| {
                            tables.note_unowned_dispute(dispute);
                        });
                    }
                    continue;
                }
            };
            let known = opened.iter().position(|locked| locked.booking_id == booking_id);
            let mut locked = match known {
                Some(at) => opened.swap_remove(at),
                None => self.lock_collection(booking_id),
            };
            match observation {
                Observation::Payment(payment) => {
                    told.insert(payment.id.clone(), booking_id);
                    let (payments, next) = (vec![payment.clone()], PollDirective::Restart);
                    let report = ProviderReport { payments, ..ProviderReport::default() };
                    self.fold(&mut batch, &mut locked, &report, (Source::Webhook, next))?;
                }
                Observation::Link(link) => {
                    let next = PollDirective::Keep;
                    let report =
                        ProviderReport { links: vec![link.clone()], ..ProviderReport::default() };
                    self.fold(&mut batch, &mut locked, &report, (Source::Webhook, next))?;
                }
                Observation::Dispute(dispute) => {
                    let command = Command::ObserveDispute(dispute.clone());
                    self.apply(&mut batch, &mut locked, command)?;
                }
                Observation::Refund(refund) => {
                    self.fold_refund(&mut batch, &mut locked, refund)?;
                    self.reapply_booking_intent(&mut batch, &mut locked)?;
                }
            }
            opened.push(locked);
        }
        batch.end_timer(FOLD_WEBHOOK, &event_id);
        batch.change(move |tables: &mut PaymentsTables| {
            if let Some(webhook) = tables.webhooks.get_mut(&event_id) {
                webhook.is_folded = waits_for.is_none();
                webhook.waits_for = waits_for;
            }
        });
        self.commit(batch)
    }

    /// Whether the content of a webhook is read. Besides webhooks only the nightly list tells of
    /// disputes, so where that is off nothing is left to find one that is passed over.
    fn is_read(&self, observation: &Observation) -> bool {
        let is_found_otherwise =
            self.compares_lists || !matches!(observation, Observation::Dispute(_));
        let is_ignored = self.has(Mutant::IgnoreWebhooks) || self.has(Mutant::ForgetSoldOrders);
        !(is_ignored && is_found_otherwise)
    }

    /// Whose money an observation tells of.
    fn subject_of(
        &self,
        observation: &Observation,
        named: &BTreeMap<OrderId, Id<Booking>>,
        told: &BTreeMap<PaymentId, Id<Booking>>,
    ) -> Subject {
        let of = |payment: &PaymentId| told.get(payment).copied().or(self.booking_of(payment));
        let known = match observation {
            Observation::Payment(payment) => {
                let Some(order) = &payment.fact.order else { return Subject::Unknown };
                let known = self.booking_of_order(order).or(named.get(order).copied());
                return known.map_or_else(|| Subject::Order(order.clone()), Subject::Booking);
            }
            Observation::Link(link) => {
                let known = link.reference.and_then(|link_id| self.link_of(link_id));
                known.map(|(booking_id, _)| booking_id)
            }
            Observation::Dispute(dispute) => of(&dispute.payment),
            Observation::Refund(refund) => {
                let own = refund.refund_id.and_then(|id| self.payments.tables.refunds.get(&id));
                let own = own.map(|row| row.booking_id);
                own.or_else(|| of(refund.payment.as_ref()?))
            }
        };
        known.map_or(Subject::Unknown, Subject::Booking)
    }

    /// The bookings of those orders of a webhook that we do not know: named by a link of ours
    /// beside them, or found at the provider.
    fn orders_named(
        &mut self,
        observations: &[Observation],
    ) -> Result<BTreeMap<OrderId, Id<Booking>>, Error> {
        let mut named = BTreeMap::new();
        for observation in observations {
            if let Observation::Link(link) = observation
                && let (Some(link_id), Some(order)) = (link.reference, &link.fact.order)
                && let Some((booking_id, _)) = self.link_of(link_id)
            {
                named.insert(order.clone(), booking_id);
            }
        }
        for observation in observations {
            if let Observation::Payment(payment) = observation
                && let Some(order) = &payment.fact.order
                && !named.contains_key(order)
                && self.booking_of_order(order).is_none()
                && let Ok(Some(booking_id)) = self.adopt_link_order(order)
            {
                named.insert(order.clone(), booking_id);
            }
        }
        Ok(named)
    }

    /// Adds the payments of refunds and disputes that arrived before any report of those payments.
    fn with_payments(&mut self, observations: Vec<Observation>) -> Result<Vec<Observation>, Error> {
        let mut all = Vec::with_capacity(observations.len());
        for observation in observations {
            let named = match &observation {
                Observation::Payment(_) | Observation::Link(_) => None,
                Observation::Refund(refund) => refund.payment.as_ref(),
                Observation::Dispute(dispute) => Some(&dispute.payment),
            };
            if let Some(id) = named
                && self.booking_of(id).is_none()
            {
                let asked = self.at_provider(|provider| {
                    provider.payment(id).now_or_never().unwrap_or_else(never)
                });
                match asked {
                    Ok(report) => all.push(Observation::Payment(report.payment)),
                    Err(ProviderError::Refused { .. }) => {}
                    Err(_) => return Err(Error::Unavailable),
                }
            }
            all.push(observation);
        }
        Ok(all)
    }
}
