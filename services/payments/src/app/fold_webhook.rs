//! Folds a webhook that was written down: it tells of payments and refunds, and what it tells may
//! be old, repeated or about an order that we are only about to know.

use std::sync::Arc;

use eventstore::Tx;
use kernel::Id;
use kernel::id::Booking;

use super::ask_refund::learn_refund;
use super::fold::{Next, fold_payments};
use super::{Error, Till, metadata, traced};
use crate::domain::fact::{OrderId, Payment, Source};
use crate::domain::refund::News;
use crate::provider::{Observation, ProviderRefund};
use crate::read_model::{inbox, query};
use crate::timers;

/// What the events that come of it name as their cause.
const ACTOR: &str = "payments";

/// Folds one webhook and ends its timer.
///
/// # Errors
/// When the database does not answer.
pub async fn fold_webhook(till: &Arc<Till>, event_id: &str) -> Result<(), Error> {
    let raw = inbox::unfolded(till.store.pool(), event_id).await?;
    let told = raw.map(|raw| till.provider.read_webhook(&raw)).unwrap_or_default();
    let about = whose(till, &told).await?;
    let trace = about.as_ref().and_then(|(_, trace)| trace.clone());
    let event_id = event_id.to_owned();
    let told = Arc::new(told);
    let work = async |booking_id: Option<Id<Booking>>| {
        let metadata = match booking_id {
            Some(booking_id) => metadata(ACTOR, booking_id, trace.as_deref()),
            None => metadata_of_none(),
        };
        till.store
            .write(metadata, move |tx| {
                let (told, event_id) = (Arc::clone(&told), event_id.clone());
                Box::pin(async move { fold(tx, &told, &event_id).await })
            })
            .await
    };
    match about {
        Some((booking_id, _)) => {
            let work = work(Some(booking_id));
            traced("fold webhook", booking_id, trace.as_deref(), work).await
        }
        None => work(None).await,
    }
}

fn metadata_of_none() -> eventstore::Metadata {
    eventstore::Metadata::by(ACTOR, runtime::telemetry::traceparent())
}

/// The booking that a webhook is about, with its trace, as far as we know it.
async fn whose(
    till: &Till,
    told: &[Observation],
) -> Result<Option<(Id<Booking>, Option<String>)>, Error> {
    let pool = till.store.pool();
    for observation in told {
        match observation {
            Observation::Payment(payment) => {
                let Some(order) = &payment.fact.order else { continue };
                if let Some(row) = query::collection_of_order(pool, order).await? {
                    return Ok(Some((row.booking_id, row.traceparent)));
                }
            }
            Observation::Refund(refund) => {
                let Some(refund_id) = refund.refund_id else { continue };
                if let Some(row) = query::refund(pool, refund_id).await? {
                    return Ok(Some((row.booking_id, row.traceparent)));
                }
            }
        }
    }
    Ok(None)
}

async fn fold(tx: &mut Tx, told: &[Observation], event_id: &str) -> Result<(), Error> {
    let mut waits_for = None;
    for observation in told {
        match observation {
            Observation::Payment(payment) => {
                let missing = fold_payment(tx, payment).await?;
                waits_for = waits_for.or(missing);
            }
            Observation::Refund(refund) => fold_refund(tx, refund).await?,
        }
    }
    match waits_for {
        Some(order) => inbox::wait_for(tx, event_id, &order).await?,
        None => inbox::folded(tx, event_id).await?,
    }
    timers::end_fold(tx, event_id).await?;
    Ok(())
}

/// Returns the order that is not known yet. A payment without an order is none of ours.
async fn fold_payment(tx: &mut Tx, payment: &Payment) -> Result<Option<OrderId>, Error> {
    let Some(order) = &payment.fact.order else { return Ok(None) };
    let mut row = query::collection_of_order(tx.connection(), order).await?;
    if row.is_none() {
        // Whoever is about to record the order holds this lock, and wakes those who wait for it.
        tx.lock(&[timers::order_lock(order)]).await?;
        row = query::collection_of_order(tx.connection(), order).await?;
    }
    let Some(row) = row else { return Ok(Some(order.clone())) };
    let payments = std::slice::from_ref(payment);
    fold_payments(tx, row.booking_id, payments, Source::Webhook, Next::Hurry).await?;
    Ok(None)
}

async fn fold_refund(tx: &mut Tx, refund: &ProviderRefund) -> Result<(), Error> {
    let Some(refund_id) = refund.refund_id else { return Ok(()) };
    let Some(row) = query::refund(tx.connection(), refund_id).await? else { return Ok(()) };
    let news = News::Taken { id: refund.id.clone(), progress: refund.progress };
    learn_refund(tx, row.booking_id, refund_id, news, None).await
}
