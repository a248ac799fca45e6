//! payments' tables.

use std::collections::{BTreeMap, BTreeSet};

use eventstore::Recorded;
use kernel::id::{Booking, Customer, PaymentLink, Refund as RefundKind};
use kernel::{Decider, Id, Money, Timestamp};
use payments::contract::read_collection_event;
use payments::domain::booking_intent::BookingIntent;
use payments::domain::collection::{Collection, CollectionLife, State};
use payments::domain::dispute::Dispute;
use payments::domain::fact::{DisputeId, OrderId, PaymentId};
use payments::domain::ledger::{Account, Books, Entry, UnownedDispute};
use payments::domain::receipt::FinancialYear;
use payments::domain::refund::{End, Refund};
use payments::providers::Observation;
use payments::read_model::project::standing_word;

use super::super::mutant::Mutant;
use super::super::offerings::rules;
use super::super::service::{Error, Service};
use super::super::store::Tables;
use checker::snapshot::{CollectionRow, LedgerLine, LinkRow, ReceiptRow, RefundRow};

/// A webhook that was written down.
#[derive(Debug, Clone)]
pub(crate) struct Webhook {
    pub(crate) body: String,
    pub(crate) observations: Vec<Observation>,
    pub(crate) received_at: Timestamp,
    pub(crate) is_folded: bool,
    pub(crate) waits_for: Option<OrderId>,
}

/// What booking says of a booking.
#[derive(Debug, Clone, Copy)]
pub(crate) struct BookingFacts {
    pub(crate) customer_id: Id<Customer>,
    pub(crate) price: Money,
    pub(crate) held_until: Option<Timestamp>,
    pub(crate) starts_at: Option<Timestamp>,
}

/// The lease for creating an order or a link.
#[derive(Debug, Clone, Copy)]
pub(crate) struct OrderLease {
    pub(crate) until: Timestamp,
    pub(crate) number: i32,
}

/// payments' tables. The states are the streams, folded once.
#[derive(Debug, Default)]
pub(crate) struct PaymentsTables {
    pub(crate) states: BTreeMap<Id<Booking>, State>,
    pub(crate) collections: BTreeMap<Id<Booking>, CollectionRow>,
    pub(crate) refunds: BTreeMap<Id<RefundKind>, RefundRow>,
    pub(crate) webhooks: BTreeMap<String, Webhook>,
    pub(crate) known: BTreeMap<Id<Booking>, (Id<Customer>, BookingIntent)>,
    pub(crate) leases: BTreeMap<Id<Booking>, OrderLease>,
    pub(crate) link_leases: BTreeMap<Id<Booking>, OrderLease>,
    pub(crate) links: BTreeMap<Id<PaymentLink>, LinkRow>,
    pub(crate) ledger: Vec<LedgerLine>,
    /// Captured payments without a known booking, until each is fully refunded.
    pub(crate) unknown: BTreeSet<PaymentId>,
    /// Disputes of such payments.
    unowned_disputes: BTreeMap<DisputeId, UnownedDispute>,
    /// The payment that each booking is placed with, as booking said.
    placed: BTreeMap<Id<Booking>, PaymentId>,
    pub(crate) receipts: Vec<ReceiptRow>,
    books: BTreeMap<Id<Booking>, Books>,
    posted: BTreeSet<String>,
}

impl Tables for PaymentsTables {
    const SERVICE: Service = Service::Payments;

    fn project(&mut self, event: &Recorded, mutant: Option<Mutant>) -> Result<(), Error> {
        let known = read_collection_event(event).map_err(Error::broken)?;
        let uuid = event.stream_id.strip_prefix("collection-").unwrap_or_default();
        let id = uuid::Uuid::parse_str(uuid).map(Id::from_uuid).map_err(Error::broken)?;
        let state = self.states.entry(id).or_default();
        *state = CollectionLife::evolve(std::mem::take(state), &known);
        if let State::Open(collection) = state {
            let row = collection_row(id, collection);
            let refunds: Vec<RefundRow> =
                collection.refunds.iter().map(|(it, refund)| refund_row(id, *it, refund)).collect();
            let skips = mutant == Some(Mutant::SkipProjection) && event.version % 5 == 3;
            if !skips {
                self.collections.insert(id, row);
            }
            let links = collection.links.iter().map(|(it, link)| LinkRow::of(id, *it, link));
            let links: Vec<LinkRow> = links.collect();
            self.links.extend(links.into_iter().map(|row| (row.link_id, row)));
            self.refunds.extend(refunds.into_iter().map(|row| (row.refund_id, row)));
        }
        Ok(())
    }
}

impl PaymentsTables {
    /// The books of a booking.
    pub(super) fn ledger_of(&self, id: Id<Booking>) -> Books {
        self.books.get(&id).cloned().unwrap_or_default()
    }

    /// Keeps the books of a booking and writes what is new in them.
    pub(super) fn keep(&mut self, id: Id<Booking>, books: Books, entries: Vec<Entry>) {
        self.books.insert(id, books);
        self.post(entries);
    }

    /// Remembers which payment a booking is placed with.
    pub(super) fn place(&mut self, id: Id<Booking>, payment: PaymentId, now: Timestamp) {
        self.placed.insert(id, payment);
        self.issue(id, now);
    }

    /// Issues the receipt of a booking that is placed with money that counts and of which something
    /// is left, once; asked when all events of a transaction are in.
    pub(super) fn issue(&mut self, id: Id<Booking>, now: Timestamp) {
        let Some(State::Open(known)) = self.states.get(&id) else { return };
        let Some(payment) = self.placed.get(&id) else { return };
        let payment_id = payment.to_string();
        let is_issued = self.receipts.iter().any(|row| row.payment_id == payment_id);
        let is_here = known.verified.as_ref() == Some(payment) && known.left(payment) > 0;
        if !is_here || is_issued {
            return;
        }
        let financial_year = FinancialYear::of(now, &rules().zone).april();
        let of_year = self.receipts.iter().filter(|row| row.financial_year == financial_year);
        self.receipts.push(ReceiptRow {
            financial_year,
            number: i32::try_from(of_year.count()).unwrap_or(i32::MAX).saturating_add(1),
            booking_id: id,
            payment_id,
            amount_minor: known.brought(payment),
        });
    }

    /// Keeps a payment without a known booking, or removes it when it is fully refunded.
    pub(crate) fn note_unknown(&mut self, id: PaymentId) {
        let lines = self.ledger.iter().filter(|line| line.account == Account::Suspense.word());
        let of_it = lines.filter(|line| line.payment_id.as_deref() == Some(id.as_str()));
        if of_it.fold(0_i64, |sum, line| sum.saturating_add(line.minor)) == 0 {
            self.unknown.remove(&id);
        } else {
            self.unknown.insert(id);
        }
    }

    /// What a dispute takes of a payment without a known booking leaves suspense. Until the payment
    /// is in the ledger it is passed over: the nightly list brings it again.
    pub(crate) fn note_unowned_dispute(&mut self, dispute: Dispute) {
        let (id, payment) = (dispute.id.clone(), dispute.payment.clone());
        if !self.posted.contains(&format!("captured {payment}")) {
            return;
        }
        let known = self.unowned_disputes.get(&id);
        let Some((after, entry)) = UnownedDispute::after(known, dispute) else { return };
        self.unowned_disputes.insert(id, after);
        self.post(entry.into_iter().collect());
        self.note_unknown(payment);
    }

    /// Writes entries, each once: its cause is its name.
    pub(crate) fn post(&mut self, entries: Vec<Entry>) {
        for entry in entries {
            if !self.posted.insert(entry.cause.clone()) {
                continue;
            }
            self.ledger.extend(entry.lines.into_iter().map(|line| LedgerLine {
                entry: entry.cause.clone(),
                payment_id: entry.payment.as_ref().map(ToString::to_string),
                account: line.account.word().to_owned(),
                minor: line.amount.minor,
                currency: line.amount.currency,
            }));
        }
    }
}

fn collection_row(booking_id: Id<Booking>, collection: &Collection) -> CollectionRow {
    CollectionRow {
        booking_id,
        collection_id: collection.terms.collection_id,
        customer_id: collection.terms.customer_id,
        amount_minor: collection.terms.amount.minor,
        amount_currency: collection.terms.amount.currency.code().to_owned(),
        order_id: collection.order.as_ref().map(ToString::to_string),
        state: standing_word(collection.standing()).to_owned(),
        verified_payment_id: collection.verified.as_ref().map(ToString::to_string),
    }
}

fn refund_row(booking_id: Id<Booking>, refund_id: Id<RefundKind>, refund: &Refund) -> RefundRow {
    let state = match (refund.end, &refund.accepted) {
        (Some(End::Processed), _) => "processed",
        (Some(End::Failed | End::Overtaken | End::Given), _) => "failed",
        (None, Some(_)) => "accepted",
        (None, None) => "requested",
    };
    RefundRow {
        refund_id,
        booking_id,
        payment_id: refund.payment.to_string(),
        amount_minor: refund.amount.minor,
        amount_currency: refund.amount.currency.clone(),
        cause: refund.cause.word().to_owned(),
        state: state.to_owned(),
        provider_refund_id: refund.accepted.as_ref().map(ToString::to_string),
    }
}
