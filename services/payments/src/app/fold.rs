//! Applies the provider's reports to a collection: facts, and the decisions that follow from them.

use std::collections::BTreeMap;
use std::sync::Arc;

use eventstore::{Metadata, Tx, new_id};
use kernel::id::{Booking, Refund as RefundKind};
use kernel::{Id, Timestamp};
use runtime::status::chain;

use super::App;
use super::apply_booking_intent::apply_booking_intent;
use crate::domain::collection::{Collection, Command, Event, Standing};
use crate::domain::fact::{Amount, OrderFact, OrderId, Payment, Source, Status};
use crate::domain::receipt::due;
use crate::domain::refund::{FoundRefund, RefundUpdate};
use crate::error::{Error, Rejection, refuse};
use crate::providers::{PaymentReport, ProviderError, ProviderRefund};
use crate::read_model::query::CollectionRow;
use crate::read_model::{query, receipts};
use crate::repository::LockedCollection;
use crate::repository::timers;
use crate::timers::kinds;
use crate::timers::polling::{self, PollSchedule};

/// What happens to the booking's polling once the report is applied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PollDirective {
    /// The schedule stays as it is.
    Keep,
    /// The schedule restarts with short pauses, because a client waits.
    Restart,
    /// The schedule advances after this poll, unless it was restarted in the meantime.
    Advance(CompletedPoll),
}

/// A poll that was carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompletedPoll {
    /// The schedule that it was due by.
    pub schedule: PollSchedule,
    /// The schedule after it.
    pub next: PollSchedule,
    /// Until when the booking's time is held, if that is known.
    pub held_until: Option<Timestamp>,
}

/// What the provider reported about one booking's money.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ProviderReport {
    /// Its payments.
    pub payments: Vec<Payment>,
    /// Refunds of them.
    pub refunds: Vec<ProviderRefund>,
    /// The state of its order, if it was fetched.
    pub order: Option<Box<OrderFact>>,
    /// Whether a call failed, so that the poll has to be repeated.
    pub is_partial: bool,
}

impl ProviderReport {
    /// The same with a later report and the state of the order.
    #[must_use]
    pub fn merged_with(mut self, after: Self, order: OrderFact) -> Self {
        self.payments.extend(after.payments);
        self.refunds.extend(after.refunds);
        self.is_partial |= after.is_partial;
        self.order = Some(Box::new(order));
        self
    }
}

/// Completes reported payments: fetches the refunds of each payment of which more was refunded than
/// we know, because a refund was made on the provider's own pages.
///
/// # Errors
/// When the database does not answer.
pub async fn fetch_missing_refunds(
    app: &App,
    reports: Vec<PaymentReport>,
) -> Result<ProviderReport, Error> {
    let mut report = ProviderReport::default();
    for PaymentReport { payment, refunded_minor } in reports {
        let id = payment.id.clone();
        report.payments.push(payment);
        if refunded_minor <= query::refunded_minor(app.store.pool(), &id).await? {
            continue;
        }
        match app.provider.refunds_of(&id).await {
            Ok(refunds) => report.refunds.extend(refunds),
            Err(error) => {
                tracing::warn!(payment = %id, error = chain(&error), "refunds are not known yet");
                report.is_partial = true;
            }
        }
    }
    Ok(report)
}

/// The same for payments of a booking's order; also fetches the order if a payment of another
/// amount waits for its state.
///
/// # Errors
/// When the database does not answer.
pub async fn fetch_refunds_and_order(
    app: &App,
    row: &CollectionRow,
    reports: Vec<PaymentReport>,
) -> Result<ProviderReport, Error> {
    let (booking_id, report) = (row.booking_id, fetch_missing_refunds(app, reports).await?);
    let Some(order) = row.order.as_ref().map(|order| &order.id) else { return Ok(report) };
    if !needs_order(&report, (order, &Amount::from(row.amount)))
        && !query::has_undecided(app.store.pool(), booking_id).await?
    {
        return Ok(report);
    }
    // Payments are fetched after the order, so that they include those that paid it.
    let asked =
        async { Ok((app.provider.order(order).await?, app.provider.payments_of(order).await?)) };
    match asked.await {
        Ok((order, reports)) => {
            let later = fetch_missing_refunds(app, reports).await?;
            Ok(report.merged_with(later, order.fact))
        }
        Err(error) => {
            let error: ProviderError = error;
            tracing::warn!(%booking_id, error = chain(&error), "an order is not known yet");
            Ok(ProviderReport { is_partial: true, ..report })
        }
    }
}

/// Whether money of another amount than the order's was captured: then the order is fetched, too.
#[must_use]
pub fn needs_order(report: &ProviderReport, (order, amount): (&OrderId, &Amount)) -> bool {
    report.payments.iter().any(|Payment { fact, .. }| {
        fact.status == Status::Captured
            && fact.order.as_ref() == Some(order)
            && fact.amount.currency == amount.currency
            && fact.amount.minor != amount.minor
    })
}

/// Folds a report inside a transaction.
///
/// # Errors
/// When the database does not answer, or nothing was ever collected for this booking.
pub async fn fold(
    tx: &mut Tx,
    booking_id: Id<Booking>,
    report: &ProviderReport,
    source: Source,
    next: PollDirective,
) -> Result<Standing, Error> {
    let mut locked = LockedCollection::load(tx, booking_id).await?;
    let mut is_verified = false;
    for payment in &report.payments {
        let refund_id = locked.refund_id(&["observed", payment.id.as_str()]);
        let payment = payment.clone();
        let events = locked.apply(tx, Command::Observe { payment, source, refund_id }).await?;
        is_verified |= events.iter().any(|event| matches!(event, Event::Verified { .. }));
    }
    for refund in &report.refunds {
        fold_refund(tx, &mut locked, refund).await?;
    }
    is_verified |= resolve_undecided(tx, &mut locked, report.order.as_deref()).await?;
    if is_verified || !report.refunds.is_empty() {
        // The session may have taken place on the client's claim before this money arrived; or the
        // money is fetched again after a restore, and booking's intent was stored long ago.
        reapply_booking_intent(tx, &mut locked, booking_id).await?;
    }
    let collection = locked.collection().ok_or(refuse(Rejection::PaymentNotStarted))?;
    if collection.is_settled() && !report.is_partial {
        polling::end(tx, booking_id).await?;
    } else {
        schedule_poll(tx, booking_id, next, locked.now).await?;
    }
    Ok(collection.standing())
}

/// Decides about undecided money; returns whether a payment was verified.
async fn resolve_undecided(
    tx: &mut Tx,
    locked: &mut LockedCollection,
    order: Option<&OrderFact>,
) -> Result<bool, Error> {
    let refund_ids: BTreeMap<_, _> = locked
        .collection()
        .into_iter()
        .flat_map(Collection::undecided)
        .map(|id| (id.clone(), locked.refund_id(&["observed", id.as_str()])))
        .collect();
    let events =
        locked.apply(tx, Command::ResolveUndecided { order: order.cloned(), refund_ids }).await?;
    Ok(events.iter().any(|event| matches!(event, Event::Verified { .. })))
}

/// Applies booking's stored intent again: for example, a failed external refund leaves money that
/// the intent was not applied to. If a receipt is due now, a timer issues it, because the lock of
/// its number has to be acquired last.
///
/// # Errors
/// When the database does not answer.
pub async fn reapply_booking_intent(
    tx: &mut Tx,
    locked: &mut LockedCollection,
    booking_id: Id<Booking>,
) -> Result<(), Error> {
    let intent = query::booking_intent(tx.connection(), booking_id).await?;
    apply_booking_intent(tx, locked, &intent).await?;
    let placed = intent.placed.as_ref();
    if let Some(payment) = locked.collection().and_then(|known| due::for_money(known, placed))
        && !receipts::is_issued(tx.connection(), payment).await?
    {
        kinds::schedule_receipt(tx, booking_id, locked.now).await?;
    }
    Ok(())
}

/// The command for a refund that the provider reports: an update of ours if it has our id, else a
/// found refund. The two ids are new. `None` when its payment is not known.
#[must_use]
pub fn refund_command(
    known: &Collection,
    refund: &ProviderRefund,
    (refund_id, rest_id): (Id<RefundKind>, Id<RefundKind>),
) -> Option<Command> {
    let (id, progress) = (refund.id.clone(), refund.progress);
    let own = refund.refund_id.filter(|own| known.refunds.contains_key(own));
    if let Some(own) = own {
        let update = RefundUpdate::Taken { id, progress };
        return Some(Command::LearnRefund { refund_id: own, update, rest_id });
    }
    let payment = refund.payment.clone()?;
    let found = FoundRefund { payment, id, amount: refund.amount.clone(), progress };
    Some(Command::DiscoverRefund { found, refund_id, rest_id })
}

/// Folds a refund that the provider reports.
///
/// # Errors
/// When the database does not answer.
pub async fn fold_refund(
    tx: &mut Tx,
    locked: &mut LockedCollection,
    refund: &ProviderRefund,
) -> Result<(), Error> {
    let ids = (new_id(), new_id());
    let command = locked.collection().and_then(|known| refund_command(known, refund, ids));
    if let Some(command) = command {
        locked.apply(tx, command).await?;
    }
    Ok(())
}

async fn schedule_poll(
    tx: &mut Tx,
    booking_id: Id<Booking>,
    next: PollDirective,
    now: Timestamp,
) -> Result<(), Error> {
    match next {
        PollDirective::Keep => {}
        PollDirective::Restart => {
            polling::set(tx, booking_id, PollSchedule::first(now), now, None).await?;
        }
        // If the schedule was restarted during the poll, its new time stays.
        PollDirective::Advance(poll) => {
            if timers::is_poll_current(tx, booking_id, poll.schedule).await? {
                polling::set(tx, booking_id, poll.next, now, poll.held_until).await?;
            }
        }
    }
    Ok(())
}

/// Folds a report in a transaction of its own.
///
/// # Errors
/// When the database does not answer, or nothing was ever collected for this booking.
pub async fn fold_in_transaction(
    app: &App,
    metadata: Metadata,
    booking_id: Id<Booking>,
    report: ProviderReport,
    (source, next): (Source, PollDirective),
) -> Result<Standing, Error> {
    let report = Arc::new(report);
    app.store
        .write(metadata, move |tx| {
            let report = Arc::clone(&report);
            Box::pin(async move { fold(tx, booking_id, &report, source, next).await })
        })
        .await
}
