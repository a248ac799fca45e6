//! The provider's book as payments has recorded it, for what the provider itself was not asked
//! about: the same checks then say whether our own records agree with each other.

use kernel::Timestamp;
use payments::domain::collection::{Collection, Event};
use payments::domain::dispute::DisputeState;
use payments::domain::fact::{PaymentId, Status};
use payments::domain::refund::{Cause, End, Refund};

use crate::history::{History, HistoryEvent};
use crate::snapshot::{
    ProviderBook, ProviderDispute, ProviderOrder, ProviderPayment, ProviderRefund,
};

/// Everything that the events of these bookings say of the provider.
pub(crate) fn book(history: &History) -> ProviderBook {
    let mut book = ProviderBook::default();
    for (id, collection) in &history.collections {
        let past = history.money.get(id).map(Vec::as_slice).unwrap_or_default();
        orders(collection, &mut book);
        // What was paid at the desk the provider has never seen.
        let is_its = |payment: &&PaymentId| !collection.is_at_desk(payment);
        for payment in collection.payments.keys().filter(is_its) {
            book.payments.extend(self::payment(collection, past, payment));
        }
        let refunds = collection.refunds.iter();
        for (refund_id, refund) in refunds.filter(|(_, it)| is_its(&&it.payment)) {
            book.refunds.extend(self::refund(&refund_id.to_string(), refund));
        }
        let disputes = collection.disputes.values();
        book.disputes.extend(disputes.map(|it| ProviderDispute {
            dispute_id: it.id.to_string(),
            payment_id: it.payment.to_string(),
            state: it.fact.state.word().to_owned(),
        }));
        let lost = collection.disputes.values();
        for dispute in lost.filter(|it| it.fact.state == DisputeState::Lost) {
            let sum = book.lost_in_disputes.entry(dispute.payment.to_string()).or_default();
            *sum = sum.saturating_add(dispute.fact.lost_minor());
        }
    }
    book
}

fn orders(collection: &Collection, book: &mut ProviderBook) {
    let terms = &collection.terms;
    let mut add = |order_id: String, receipt: String| {
        book.orders.push(ProviderOrder {
            order_id,
            receipt,
            amount_minor: terms.amount.minor,
            currency: terms.amount.currency.code().to_owned(),
        });
    };
    if let Some(order) = &collection.order {
        add(order.to_string(), terms.collection_id.to_string());
    }
    for (link_id, link) in &collection.links {
        link.orders.iter().for_each(|order| add(order.to_string(), link_id.to_string()));
    }
}

fn payment(
    collection: &Collection,
    past: &[HistoryEvent<Event>],
    id: &PaymentId,
) -> Option<ProviderPayment> {
    let fact = collection.payments.get(id)?;
    Some(ProviderPayment {
        payment_id: id.to_string(),
        order_id: fact.order.as_ref().map(ToString::to_string),
        amount_minor: fact.amount.minor,
        currency: fact.amount.currency.clone(),
        status: fact.status.word().to_owned(),
        captured_at: captured_at(past, id),
        pays_order: collection.verified.as_ref() == Some(id),
    })
}

/// When it was first reported that a payment was captured.
pub(crate) fn captured_at(past: &[HistoryEvent<Event>], id: &PaymentId) -> Option<Timestamp> {
    let is_capture = |event: &Event| {
        matches!(event, Event::Observed { payment, .. }
                 if payment.id == *id && payment.fact.status >= Status::Captured)
    };
    past.iter().find(|it| is_capture(&it.event)).map(|it| it.at)
}

/// A refund that the provider has, as far as we were told.
fn refund(our_id: &str, refund: &Refund) -> Option<ProviderRefund> {
    let status = match refund.end {
        Some(End::Processed) => "processed",
        Some(End::Failed) => "failed",
        Some(End::Overtaken | End::Given) => return None,
        None => "pending",
    };
    let accepted = refund.accepted.as_ref().map(ToString::to_string);
    if accepted.is_none() && refund.end.is_none() {
        return None;
    }
    Some(ProviderRefund {
        provider_refund_id: accepted.unwrap_or_else(|| our_id.to_owned()),
        payment_id: refund.payment.to_string(),
        amount_minor: refund.amount.minor,
        status: status.to_owned(),
        receipt: (refund.cause != Cause::Elsewhere).then(|| our_id.to_owned()),
    })
}
