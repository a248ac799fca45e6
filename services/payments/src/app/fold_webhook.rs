//! Folds a webhook: in the transaction that stores it where nothing has to be asked, else by a
//! timer. Its report of payments and refunds may be old, repeated, or about an order that is not
//! recorded yet.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::Duration;

use eventstore::Tx;
use kernel::Id;
use kernel::id::Booking;
use runtime::status::chain;

use super::adopt_order::{OrderOwner, adopt_order};
use super::fold::{self, PollDirective, ProviderReport};
use super::{App, metadata, traced};
use crate::domain::collection::Command;
use crate::domain::dispute::Dispute;
use crate::domain::fact::{OrderId, Payment, Source};
use crate::domain::ledger::{Entry, UnownedDispute};
use crate::error::{Error, Rejection, refuse};
use crate::providers::{LinkReport, Observation, ProviderError, ProviderRefund, deadline};
use crate::read_model::inbox::{Folded, Webhook};
use crate::read_model::query::CollectionRow;
use crate::read_model::{inbox, links, query, settlement, unowned_disputes};
use crate::repository::LockedCollection;
use crate::repository::posting::post;
use crate::timers::kinds;

/// The actor of the events that it causes.
const ACTOR: &str = "payments";

/// A webhook that cannot be folded is logged after this many attempts, and then after every this
/// many more: after about ten minutes, then every two hours.
const ALARM_AFTER: (i32, i32) = (15, 120);

/// How long the request of a webhook waits for locks before folding is left to the timer: the
/// provider waits five seconds for its answer.
const LOCK_TIMEOUT: &str = "1s";

/// What a webhook tells, as far as that says how it is folded.
#[derive(Debug, PartialEq, Eq)]
pub enum WebhookContent {
    /// Nothing that is ours to fold.
    Nothing,
    /// One payment on an order.
    Payment(Payment, OrderId),
    /// More, about which the provider may have to be asked.
    More,
}

/// What a report tells. A payment without an order is not ours.
#[must_use]
pub fn content_of(report: Vec<Observation>) -> WebhookContent {
    let mut report = report.into_iter();
    match (report.next(), report.next()) {
        (None, _) => WebhookContent::Nothing,
        (Some(Observation::Payment(payment)), None) => match payment.fact.order.clone() {
            Some(order) => WebhookContent::Payment(payment, order),
            None => WebhookContent::Nothing,
        },
        _ => WebhookContent::More,
    }
}

/// Stores a webhook unless it is known. One that says nothing new is passed over, a payment on a
/// known order is folded, and everything else is left to a timer.
///
/// # Errors
/// When the database does not answer, or a payment cannot be folded: then nothing is stored.
pub async fn store_and_fold(
    tx: &mut Tx,
    webhook: &Webhook,
    told: &WebhookContent,
) -> Result<(), Error> {
    let (mut at_once, mut new) = (*told == WebhookContent::Nothing, None);
    if let WebhookContent::Payment(payment, order) = told {
        at_once = query::is_known(tx.connection(), payment, order).await?;
        if !at_once && let Some(row) = query::collection_of_order(tx.connection(), order).await? {
            at_once = true;
            new = Some((row, payment));
        }
    }
    let payment = match told {
        WebhookContent::Payment(payment, _) if at_once => Some(&payment.id),
        _ => None,
    };
    let stored = inbox::insert(tx, webhook, Folded { at_once, payment }).await?;
    match (stored, new) {
        (Some(id), _) if !at_once => {
            let now = tx.now().await?;
            kinds::schedule_fold(tx, &id, now).await?;
        }
        (Some(_), Some((row, payment))) => fold_now(tx, &row, payment).await?,
        (Some(_), None) | (None, _) => {}
    }
    Ok(())
}

async fn fold_now(tx: &mut Tx, row: &CollectionRow, payment: &Payment) -> Result<(), Error> {
    let (booking_id, trace) = (row.booking_id, row.traceparent.as_deref());
    let report = ProviderReport { payments: vec![payment.clone()], ..ProviderReport::default() };
    let work = async {
        tx.set_metadata(metadata(ACTOR, booking_id, trace));
        tx.set("lock_timeout", LOCK_TIMEOUT).await?;
        fold::fold(tx, booking_id, &report, Source::Webhook, PollDirective::Restart).await
    };
    traced("fold webhook", booking_id, trace, work).await?;
    Ok(())
}

/// Folds one webhook and ends its timer; `attempts` counts from 1. One that keeps failing is logged
/// as an error and is a reconciliation exception.
pub async fn fold_webhook(app: &Arc<App>, event_id: &str, attempts: i32) -> Result<(), Error> {
    let folded = fold_one(app, event_id).await;
    if let Err(error) = &folded
        && attempts % ALARM_AFTER.1 == ALARM_AFTER.0
    {
        tracing::error!(event_id, attempts, error = chain(error), "a webhook cannot be folded");
    }
    folded
}

/// The timeout of fetching an unknown order. A webhook has to be folded even if the provider does
/// not answer.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(2);

async fn fold_one(app: &Arc<App>, event_id: &str) -> Result<(), Error> {
    let raw = inbox::unfolded(app.store.pool(), event_id).await?;
    let report = raw.map(|raw| app.provider.read_webhook(&raw)).unwrap_or_default();
    let report = add_missing_payments(app, report).await?;
    let (report, lost) = drop_foreign_orders(app, report).await?;
    let about = affected_booking(app, &report).await?;
    let trace = about.as_ref().and_then(|(_, trace)| trace.clone());
    let event_id = event_id.to_owned();
    let report = Arc::new((report, lost));
    let work = async |booking_id: Option<Id<Booking>>| {
        let metadata = match booking_id {
            Some(booking_id) => metadata(ACTOR, booking_id, trace.as_deref()),
            None => unbound_metadata(),
        };
        app.store
            .write(metadata, move |tx| {
                let (report, event_id) = (Arc::clone(&report), event_id.clone());
                Box::pin(async move { fold(tx, &report, &event_id).await })
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

/// Fetches the unknown payments of refunds and disputes, which name their payment and not its
/// order.
async fn add_missing_payments(
    app: &App,
    report: Vec<Observation>,
) -> Result<Vec<Observation>, Error> {
    let mut all = Vec::with_capacity(report.len());
    for observation in report {
        let named = match &observation {
            Observation::Payment(_) | Observation::Link(_) => None,
            Observation::Refund(refund) => refund.payment.as_ref(),
            Observation::Dispute(dispute) => Some(&dispute.payment),
        };
        if let Some(id) = named
            && !all.iter().any(|it| matches!(it, Observation::Payment(it) if it.id == *id))
            && query::booking_of(app.store.pool(), id).await?.is_none()
        {
            // Webhooks share no places with what asks the provider, so none of them waits long.
            match deadline::within(LOOKUP_TIMEOUT, app.provider.payment(id)).await {
                Ok(report) => all.push(Observation::Payment(report.payment)),
                // The provider does not know it, so it is not ours.
                Err(ProviderError::Refused { .. }) => {}
                Err(error) => {
                    let error = chain(&error);
                    tracing::warn!(payment = %id, error, "a payment is not known yet");
                    return Err(refuse(Rejection::ProviderUnavailable));
                }
            }
        }
        all.push(observation);
    }
    Ok(all)
}

/// Orders whose booking has another order by now, with that booking.
type LostOrders = BTreeMap<OrderId, Id<Booking>>;

/// Drops payments of orders of another business of the same account. Each unknown order is fetched.
/// If the provider does not answer, the webhook waits, because the order may be ours and still
/// being created. An order of ours whose record was lost is recorded again.
async fn drop_foreign_orders(
    app: &App,
    report: Vec<Observation>,
) -> Result<(Vec<Observation>, LostOrders), Error> {
    let mut ours = Vec::with_capacity(report.len());
    let mut lost = LostOrders::new();
    let beneath_links = own_link_orders(app, &report).await?;
    for observation in report {
        let order = match &observation {
            Observation::Payment(payment) => payment.fact.order.as_ref(),
            Observation::Link(_) | Observation::Refund(_) | Observation::Dispute(_) => None,
        };
        let order = order.filter(|order| !beneath_links.contains(*order));
        if let Some(order) = order
            && query::collection_of_order(app.store.pool(), order).await?.is_none()
        {
            match order_owner_in_time(app, order).await? {
                Some(OrderOwner::Others) => {
                    tracing::info!(%order, "an order of another business is passed over");
                    continue;
                }
                Some(OrderOwner::Booking(booking_id)) => {
                    lost.insert(order.clone(), booking_id);
                }
                Some(OrderOwner::Lost) | None => {}
            }
        }
        ours.push(observation);
    }
    Ok((ours, lost))
}

/// The orders beneath those links of a webhook that are ours.
async fn own_link_orders(app: &App, report: &[Observation]) -> Result<BTreeSet<OrderId>, Error> {
    let mut orders = BTreeSet::new();
    for observation in report {
        if let Observation::Link(link) = observation
            && let (Some(link_id), Some(order)) = (link.reference, &link.fact.order)
            && links::link(app.store.pool(), link_id).await?.is_some()
        {
            orders.insert(order.clone());
        }
    }
    Ok(orders)
}

/// The owner of an order, if the provider answers in time.
async fn order_owner_in_time(app: &App, order: &OrderId) -> Result<Option<OrderOwner>, Error> {
    match tokio::time::timeout(LOOKUP_TIMEOUT, app.provider.order(order)).await {
        Ok(Ok(order)) => adopt_order(app, &order).await.map(Some),
        Ok(Err(_)) | Err(_) => Ok(None),
    }
}

fn unbound_metadata() -> eventstore::Metadata {
    eventstore::Metadata::traced(ACTOR)
}

/// The booking that a webhook is about, with its trace, as far as we know it.
async fn affected_booking(
    app: &App,
    report: &[Observation],
) -> Result<Option<(Id<Booking>, Option<String>)>, Error> {
    let pool = app.store.pool();
    for observation in report {
        match observation {
            Observation::Link(link) => {
                let Some(link_id) = link.reference else { continue };
                let Some(link) = links::link(pool, link_id).await? else { continue };
                let row = query::collection(pool, link.booking_id).await?;
                return Ok(row.map(|row| (row.booking_id, row.traceparent)));
            }
            Observation::Payment(payment) => {
                let Some(order) = &payment.fact.order else { continue };
                if let Some(row) = query::collection_of_order(pool, order).await? {
                    return Ok(Some((row.booking_id, row.traceparent)));
                }
            }
            Observation::Dispute(dispute) => {
                let booking_id = query::booking_of(pool, &dispute.payment).await?;
                let Some(booking_id) = booking_id else { continue };
                let row = query::collection(pool, booking_id).await?;
                return Ok(row.map(|row| (row.booking_id, row.traceparent)));
            }
            Observation::Refund(refund) => {
                let Some(booking_id) = booking_of(pool, refund).await? else { continue };
                let row = query::collection(pool, booking_id).await?;
                return Ok(row.map(|row| (row.booking_id, row.traceparent)));
            }
        }
    }
    Ok(None)
}

/// The booking whose money a refund gives back, by our id of it or by its payment.
async fn booking_of(
    pool: &sqlx::PgPool,
    refund: &ProviderRefund,
) -> Result<Option<Id<Booking>>, Error> {
    if let Some(refund_id) = refund.refund_id
        && let Some(row) = query::refund(pool, refund_id).await?
    {
        return Ok(Some(row.booking_id));
    }
    let Some(payment) = &refund.payment else { return Ok(None) };
    Ok(query::booking_of(pool, payment).await?)
}

async fn fold(
    tx: &mut Tx,
    (report, lost): &(Vec<Observation>, LostOrders),
    event_id: &str,
) -> Result<(), Error> {
    let mut waits_for = None;
    for observation in report {
        match observation {
            Observation::Link(link) => fold_link(tx, link).await?,
            Observation::Payment(payment) => {
                inbox::set_payment(tx, event_id, &payment.id).await?;
                let missing = fold_payment(tx, payment, lost).await?;
                waits_for = waits_for.or(missing);
            }
            Observation::Refund(refund) => fold_refund(tx, refund).await?,
            Observation::Dispute(dispute) => fold_dispute(tx, dispute).await?,
        }
    }
    match waits_for {
        Some(order) => inbox::set_waits_for(tx, event_id, &order).await?,
        None => inbox::mark_folded(tx, event_id).await?,
    }
    kinds::end_fold(tx, event_id).await?;
    Ok(())
}

/// A link that is not ours is ignored.
async fn fold_link(tx: &mut Tx, link: &LinkReport) -> Result<(), Error> {
    let Some(link_id) = link.reference else { return Ok(()) };
    let Some(row) = links::link(tx.connection(), link_id).await? else { return Ok(()) };
    let report = ProviderReport { links: vec![link.clone()], ..ProviderReport::default() };
    fold::fold(tx, row.booking_id, &report, Source::Webhook, PollDirective::Keep).await?;
    Ok(())
}

/// Returns the order if it is not recorded yet. A payment without an order is not ours.
async fn fold_payment(
    tx: &mut Tx,
    payment: &Payment,
    lost: &LostOrders,
) -> Result<Option<OrderId>, Error> {
    let Some(order) = &payment.fact.order else { return Ok(None) };
    let mut row = query::collection_of_order(tx.connection(), order).await?;
    if row.is_none() {
        // The transaction that records the order holds this lock, and schedules the webhooks that
        // wait for the order.
        tx.lock(&[kinds::order_lock(order)]).await?;
        row = query::collection_of_order(tx.connection(), order).await?;
    }
    let booking_id = row.map(|row| row.booking_id).or_else(|| lost.get(order).copied());
    let Some(booking_id) = booking_id else { return Ok(Some(order.clone())) };
    let report = ProviderReport { payments: vec![payment.clone()], ..ProviderReport::default() };
    fold::fold(tx, booking_id, &report, Source::Webhook, PollDirective::Restart).await?;
    Ok(None)
}

/// A dispute of an unknown payment is ignored until the payment is in the ledger: then the nightly
/// list brings it again.
pub async fn fold_dispute(tx: &mut Tx, dispute: &Dispute) -> Result<(), Error> {
    if let Some(booking_id) = query::booking_of(tx.connection(), &dispute.payment).await? {
        let mut locked = LockedCollection::load(tx, booking_id).await?;
        locked.apply(tx, Command::ObserveDispute(dispute.clone())).await?;
    } else if unowned_disputes::lock_payment(tx, &dispute.payment).await? {
        fold_unowned(tx, dispute).await?;
    }
    Ok(())
}

/// Money of an unknown owner stands in suspense, and so does what a dispute takes of it.
async fn fold_unowned(tx: &mut Tx, dispute: &Dispute) -> Result<(), Error> {
    if query::booking_of(tx.connection(), &dispute.payment).await?.is_some() {
        // It was identified before we had the lock, and is its booking's from now on.
        return Err(refuse(Rejection::ProviderUnavailable));
    }
    let known = unowned_disputes::dispute(tx, &dispute.id).await?;
    let Some((after, entry)) = UnownedDispute::after(known.as_ref(), dispute.clone()) else {
        return Ok(());
    };
    let (payment, state) = (&dispute.payment, dispute.fact.state.word());
    tracing::error!(%payment, state, "a payment of an unknown owner is disputed");
    unowned_disputes::write(tx, &after).await?;
    let entries: Vec<Entry> = entry.into_iter().collect();
    post(tx, None, &entries).await?;
    settlement::explain_unknown(tx, payment).await?;
    Ok(())
}

async fn fold_refund(tx: &mut Tx, refund: &ProviderRefund) -> Result<(), Error> {
    let own = match refund.refund_id {
        Some(refund_id) => query::refund(tx.connection(), refund_id).await?,
        None => None,
    };
    let booking_id = match (own, &refund.payment) {
        (Some(row), _) => Some(row.booking_id),
        (None, Some(payment)) => query::booking_of(tx.connection(), payment).await?,
        (None, None) => None,
    };
    // A payment of no order of ours has no refund of ours.
    let Some(booking_id) = booking_id else { return Ok(()) };
    let mut locked = LockedCollection::load(tx, booking_id).await?;
    fold::fold_refund(tx, &mut locked, refund).await?;
    fold::reapply_booking_intent(tx, &mut locked, booking_id).await
}
