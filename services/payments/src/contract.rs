//! Converts domain events to and from the events of `proto/`; the only place that does.

mod amount;
mod desk;
mod dispute;
mod fields;
mod link;
pub mod receipt;
pub mod refund_request;

use contract::convert::money;
use contract::payments::v1 as wire;
use eventstore::{NewEvent, Recorded, StoreError, Unreadable};
use kernel::id::{Booking, Refund as RefundKind};
use kernel::{Id, PaymentProvider};

use self::amount::{from_wire, to_wire};
use self::fields::{get, parse};
use crate::domain::collection::{Collection, Event, FailedRefund, Mismatch, Terms};
use crate::domain::fact::{Amount, Fact, OrderFact, OrderId, Payment, PaymentId, ProviderRefundId};
use crate::domain::fact::{Source, Status};
use crate::domain::refund::{Cause, Refund};

/// The stream of a booking's collection.
#[must_use]
pub fn collection_stream(id: Id<Booking>) -> String {
    format!("collection-{}", id.uuid())
}

/// The booking whose money a stream is about; `None` for any other stream.
#[must_use]
pub fn booking_of_stream(stream: &str) -> Option<Id<Booking>> {
    stream.strip_prefix("collection-")?.parse().ok().map(Id::from_uuid)
}

/// An event as it is stored; `provider` is that of the collection's order, or empty while there is
/// none, and `after` is what is known once it and those appended with it have happened.
///
/// # Errors
/// When `proto/` does not declare it.
pub fn collection_event(
    id: Id<Booking>,
    provider: &str,
    event: &Event,
    after: Option<&Collection>,
) -> Result<NewEvent, StoreError> {
    let booking_id = id.to_string();
    let new = match event {
        Event::Opened(terms) => NewEvent::of(&wire::CollectionOpened {
            collection_id: terms.collection_id.to_string(),
            booking_id,
            customer_id: terms.customer_id.to_string(),
            amount: Some(terms.amount.into()),
        }),
        Event::OrderCreated { provider, order } => NewEvent::of(&wire::OrderCreated {
            booking_id,
            order_id: order.to_string(),
            provider: provider.clone(),
        }),
        Event::Claimed => NewEvent::of(&wire::PaymentClaimed { booking_id }),
        Event::Link { link_id, change } => link::event(booking_id, *link_id, change),
        Event::Observed { payment, source } => {
            NewEvent::of(&observed(booking_id, provider, payment, *source))
        }
        Event::PaidAtDesk { payment, amount, handover } => {
            NewEvent::of(&desk::paid(booking_id, payment, amount, handover))
        }
        Event::GivenBackAtDesk { refund_id, amount, handover } => {
            NewEvent::of(&desk::given_back(booking_id, *refund_id, amount, handover))
        }
        Event::OrderObserved { order } => NewEvent::of(&order_observed(booking_id, order)),
        Event::Verified { payment, amount } => NewEvent::of(&wire::PaymentVerified {
            booking_id,
            payment_id: payment.to_string(),
            amount: to_wire(amount),
        }),
        Event::Failed { payment } => {
            NewEvent::of(&wire::PaymentFailed { booking_id, payment_id: payment.to_string() })
        }
        Event::Mismatched { payment, amount, reason } => {
            NewEvent::of(&mismatched(booking_id, payment, amount, *reason))
        }
        Event::RefundRequested { refund_id, refund } => {
            NewEvent::of(&requested(booking_id, *refund_id, refund))
        }
        Event::RefundReleased { refund_id } => {
            NewEvent::of(&wire::RefundReleased { booking_id, refund_id: refund_id.to_string() })
        }
        Event::RefundAccepted { refund_id, provider_refund } => {
            NewEvent::of(&accepted(booking_id, provider, *refund_id, provider_refund))
        }
        Event::RefundProcessed { refund_id } => {
            NewEvent::of(&wire::RefundProcessed { booking_id, refund_id: refund_id.to_string() })
        }
        Event::RefundFailed { refund_id, reason } => {
            let told = after.and_then(|known| known.failed_refund(*refund_id, reason));
            NewEvent::of(&refund_failed(booking_id, *refund_id, reason, told.as_ref()))
        }
        Event::RefundDiscovered { refund_id, refund } => {
            NewEvent::of(&discovered(booking_id, provider, *refund_id, refund))
        }
        Event::DisputeObserved(dispute) => NewEvent::of(&dispute::observed(booking_id, dispute)),
        Event::Earned { payment, amount } => NewEvent::of(&wire::PaymentEarned {
            booking_id,
            payment_id: payment.to_string(),
            amount: to_wire(amount),
        }),
        Event::Retained { payment, amount } => NewEvent::of(&wire::PaymentRetained {
            booking_id,
            payment_id: payment.to_string(),
            amount: to_wire(amount),
        }),
    };
    Ok(new?)
}

/// An event as it was stored.
///
/// # Errors
/// When it is no event of a collection, or holds an invalid value.
pub fn read_collection_event(stored: &Recorded) -> Result<Event, Unreadable> {
    let event = if let Some(e) = get::<wire::CollectionOpened>(stored)? {
        read_opened(&e)
    } else if let Some(e) = get::<wire::OrderCreated>(stored)? {
        let provider =
            if e.provider.is_empty() { PaymentProvider::FIRST.name.to_owned() } else { e.provider };
        OrderId::parse(&e.order_id).map(|order| Event::OrderCreated { provider, order })
    } else if get::<wire::PaymentClaimed>(stored)?.is_some() {
        Some(Event::Claimed)
    } else if let Some(e) = get::<wire::PaymentObserved>(stored)? {
        read_observed(&e)
    } else if let Some(e) = get::<wire::OrderObserved>(stored)? {
        read_order(e)
    } else if let Some(e) = get::<wire::PaymentVerified>(stored)? {
        PaymentId::parse(&e.payment_id)
            .zip(e.amount.map(from_wire))
            .map(|(payment, amount)| Event::Verified { payment, amount })
    } else if let Some(e) = get::<wire::PaymentEarned>(stored)? {
        PaymentId::parse(&e.payment_id)
            .zip(e.amount.map(from_wire))
            .map(|(payment, amount)| Event::Earned { payment, amount })
    } else if let Some(e) = get::<wire::PaymentRetained>(stored)? {
        PaymentId::parse(&e.payment_id)
            .zip(e.amount.map(from_wire))
            .map(|(payment, amount)| Event::Retained { payment, amount })
    } else if let Some(e) = get::<wire::PaymentFailed>(stored)? {
        PaymentId::parse(&e.payment_id).map(|payment| Event::Failed { payment })
    } else if let Some(e) = get::<wire::PaymentMismatched>(stored)? {
        PaymentId::parse(&e.payment_id)
            .zip(e.amount.map(from_wire))
            .zip(Mismatch::from_word(&e.reason))
            .map(|((payment, amount), reason)| Event::Mismatched { payment, amount, reason })
    } else if let Some(e) = get::<wire::DeskPaymentRecorded>(stored)? {
        desk::read_paid(e)
    } else if let Some(e) = get::<wire::DisputeObserved>(stored)? {
        dispute::read(e)
    } else {
        read_refund_event(stored)?
    };
    event.ok_or_else(|| Unreadable::of(stored))
}

fn read_refund_event(stored: &Recorded) -> Result<Option<Event>, Unreadable> {
    let event = if let Some(e) = get::<wire::RefundRequested>(stored)? {
        read_requested(e)
    } else if let Some(e) = get::<wire::RefundAccepted>(stored)? {
        parse(&e.refund_id).zip(ProviderRefundId::parse(&e.provider_refund_id)).map(
            |(refund_id, provider_refund)| Event::RefundAccepted { refund_id, provider_refund },
        )
    } else if let Some(e) = get::<wire::RefundProcessed>(stored)? {
        parse(&e.refund_id).map(|refund_id| Event::RefundProcessed { refund_id })
    } else if let Some(e) = get::<wire::RefundFailed>(stored)? {
        let reason = e.reason;
        parse(&e.refund_id).map(|refund_id| Event::RefundFailed { refund_id, reason })
    } else if let Some(e) = get::<wire::RefundReleased>(stored)? {
        parse(&e.refund_id).map(|refund_id| Event::RefundReleased { refund_id })
    } else if let Some(e) = get::<wire::RefundDiscovered>(stored)? {
        read_discovered(e)
    } else if let Some(e) = get::<wire::DeskRefundRecorded>(stored)? {
        desk::read_given_back(e)
    } else {
        link::read(stored)?
    };
    Ok(event)
}

fn observed(
    booking_id: String,
    provider: &str,
    payment: &Payment,
    source: Source,
) -> wire::PaymentObserved {
    wire::PaymentObserved {
        booking_id,
        payment_id: payment.id.to_string(),
        status: payment.fact.status.word().to_owned(),
        amount: to_wire(&payment.fact.amount),
        source: source.word().to_owned(),
        order_id: payment.fact.order.as_ref().map(ToString::to_string).unwrap_or_default(),
        provider: provider.to_owned(),
    }
}

fn order_observed(booking_id: String, order: &OrderFact) -> wire::OrderObserved {
    wire::OrderObserved {
        booking_id,
        order_id: order.id.to_string(),
        amount: to_wire(&order.amount),
        paid_in_full: order.is_paid_in_full,
        provider: order.provider.clone(),
    }
}

fn mismatched(
    booking_id: String,
    payment: &PaymentId,
    amount: &Amount,
    reason: Mismatch,
) -> wire::PaymentMismatched {
    wire::PaymentMismatched {
        booking_id,
        payment_id: payment.to_string(),
        amount: to_wire(amount),
        reason: reason.word().to_owned(),
    }
}

fn accepted(
    booking_id: String,
    provider: &str,
    refund_id: Id<RefundKind>,
    provider_refund: &ProviderRefundId,
) -> wire::RefundAccepted {
    wire::RefundAccepted {
        booking_id,
        refund_id: refund_id.to_string(),
        provider_refund_id: provider_refund.to_string(),
        provider: provider.to_owned(),
    }
}

fn read_opened(event: &wire::CollectionOpened) -> Option<Event> {
    Some(Event::Opened(Terms {
        collection_id: parse(&event.collection_id)?,
        booking_id: parse(&event.booking_id)?,
        customer_id: parse(&event.customer_id)?,
        amount: event.amount.as_ref().and_then(money)?,
    }))
}

fn read_observed(event: &wire::PaymentObserved) -> Option<Event> {
    let fact = Fact {
        status: Status::from_word(&event.status)?,
        amount: event.amount.clone().map(from_wire)?,
        order: OrderId::parse(&event.order_id),
    };
    let payment = Payment { id: PaymentId::parse(&event.payment_id)?, fact };
    Some(Event::Observed { payment, source: Source::from_word(&event.source)? })
}

fn read_order(event: wire::OrderObserved) -> Option<Event> {
    let order = OrderFact {
        provider: event.provider,
        id: OrderId::parse(&event.order_id)?,
        amount: event.amount.map(from_wire)?,
        is_paid_in_full: event.paid_in_full,
    };
    Some(Event::OrderObserved { order })
}

fn requested(
    booking_id: String,
    refund_id: Id<RefundKind>,
    refund: &Refund,
) -> wire::RefundRequested {
    wire::RefundRequested {
        booking_id,
        refund_id: refund_id.to_string(),
        payment_id: refund.payment.to_string(),
        amount: to_wire(&refund.amount),
        cause: refund.cause.word().to_owned(),
        renewed: refund.renews.is_some(),
        renews_refund_id: refund.renews.map(|id| id.to_string()).unwrap_or_default(),
    }
}

/// What others tell of a refund that failed is written with it; the collection itself follows from
/// the reason.
fn refund_failed(
    booking_id: String,
    refund_id: Id<RefundKind>,
    reason: &str,
    told: Option<&FailedRefund>,
) -> wire::RefundFailed {
    let given = told.and_then(|told| told.given_by_bank.as_ref());
    wire::RefundFailed {
        booking_id,
        refund_id: refund_id.to_string(),
        reason: reason.to_owned(),
        r#final: told.is_some_and(|told| told.is_final),
        given_by_bank: given.and_then(to_wire),
        amount: told.and_then(|told| to_wire(&told.amount)),
    }
}

fn read_requested(event: wire::RefundRequested) -> Option<Event> {
    let refund = Refund {
        payment: PaymentId::parse(&event.payment_id)?,
        amount: event.amount.map(from_wire)?,
        cause: Cause::from_word(&event.cause)?,
        renews: parse(&event.renews_refund_id),
        accepted: None,
        end: None,
    };
    Some(Event::RefundRequested { refund_id: parse(&event.refund_id)?, refund })
}

fn discovered(
    booking_id: String,
    provider: &str,
    refund_id: Id<RefundKind>,
    refund: &Refund,
) -> wire::RefundDiscovered {
    wire::RefundDiscovered {
        booking_id,
        refund_id: refund_id.to_string(),
        payment_id: refund.payment.to_string(),
        amount: to_wire(&refund.amount),
        provider_refund_id: refund.accepted.as_ref().map(ToString::to_string).unwrap_or_default(),
        provider: provider.to_owned(),
    }
}

fn read_discovered(event: wire::RefundDiscovered) -> Option<Event> {
    let refund = Refund {
        payment: PaymentId::parse(&event.payment_id)?,
        amount: event.amount.map(from_wire)?,
        cause: Cause::Elsewhere,
        renews: None,
        accepted: Some(ProviderRefundId::parse(&event.provider_refund_id)?),
        end: None,
    };
    Some(Event::RefundDiscovered { refund_id: parse(&event.refund_id)?, refund })
}

#[cfg(test)]
mod tests;
