//! Applies the provider's reports to a collection: facts, and the decisions that follow from them.

use std::collections::BTreeMap;
use std::sync::Arc;

use eventstore::{Metadata, Tx, new_id};
use kernel::id::{Booking, Refund as RefundKind};
use kernel::{Id, Timestamp};
use runtime::status::chain;

use super::App;
use super::apply_booking_intent::apply_booking_intent;
use super::ask_provider::Answers;
use crate::domain::collection::{Collection, Command, Event, Standing};
use crate::domain::fact::{Amount, OrderFact, OrderId, Payment, Source, Status};
use crate::domain::link::LinkStatus;
use crate::domain::receipt::due;
use crate::domain::refund::{End, FoundRefund, RefundUpdate};
use crate::error::{Error, Rejection, refuse};
use crate::providers::{LinkReport, PaymentReport, ProviderError, ProviderRefund};
use crate::read_model::query::CollectionRow;
use crate::read_model::{query, receipts};
use crate::repository::LockedCollection;
use crate::repository::timers;
use crate::timers::kinds;
use crate::timers::polling::{self, Bounds, PollSchedule};

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
    /// Its payment links.
    pub links: Vec<LinkReport>,
    /// The state of those of its orders that were fetched.
    pub orders: Vec<OrderFact>,
    /// Whether each link whose order may be unknown was fetched.
    pub are_links_known: bool,
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
        self.orders.push(order);
        self
    }
}

/// Completes reported payments: fetches the refunds of each payment of which more was refunded than
/// we know, because a refund was made on the provider's own pages.
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

/// The same for all that was asked about a booking; also fetches an order if a payment of another
/// amount waits for its state.
pub async fn fetch_refunds_and_orders(
    app: &App,
    row: &CollectionRow,
    answers: Answers,
) -> Result<ProviderReport, Error> {
    let Answers { links, payments, orders, facts, are_links_known, failed } = answers;
    let mut report = fetch_missing_refunds(app, payments).await?;
    report.is_partial |= failed.is_some();
    // Without their payments, the states of the orders may be older than these are.
    report.orders.extend(facts.into_iter().filter(|_| failed.is_none()));
    let report = ProviderReport { links, are_links_known, ..report };
    let (booking_id, amount) = (row.booking_id, Amount::from(row.amount));
    let has_undecided = query::has_undecided(app.store.pool(), booking_id).await?;
    let is_known = |order: &OrderId| report.orders.iter().any(|fact| fact.id == *order);
    let wanted = |order: &OrderId| {
        !is_known(order) && (has_undecided || needs_order(&report, (order, &amount)))
    };
    let wanted: Vec<OrderId> = orders.into_iter().filter(wanted).collect();
    let mut report = report;
    for order in wanted {
        report = fetch_order(app, booking_id, report, &order).await?;
    }
    Ok(report)
}

/// Adds the state of an order. Its payments are fetched after it, so that they include those that
/// paid it.
async fn fetch_order(
    app: &App,
    booking_id: Id<Booking>,
    report: ProviderReport,
    order: &OrderId,
) -> Result<ProviderReport, Error> {
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

/// What a booking's payment has come to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Outcome {
    /// Its state.
    pub standing: Standing,
    /// How the payment link ended that was handed out last, if it has ended and the customer did
    /// not choose another way.
    pub ended_link: Option<LinkStatus>,
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
) -> Result<Outcome, Error> {
    let mut locked = LockedCollection::load(tx, booking_id).await?;
    // A link says whose its order is, so it comes before the payments on that order.
    for link in &report.links {
        fold_link(tx, &mut locked, link, source).await?;
    }
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
    is_verified |= resolve_undecided(tx, &mut locked, report).await?;
    if is_verified || !report.refunds.is_empty() {
        // The session may have taken place on the client's claim before this money arrived; or the
        // money is fetched again after a restore, and booking's intent was stored long ago.
        reapply_booking_intent(tx, &mut locked, booking_id).await?;
    }
    let collection = locked.collection().ok_or(refuse(Rejection::PaymentNotStarted))?;
    if collection.is_settled() && !report.is_partial {
        polling::end(tx, booking_id).await?;
    } else {
        schedule_poll(tx, collection, next, locked.now).await?;
    }
    Ok(Outcome { standing: collection.standing(), ended_link: collection.ended_link() })
}

/// Folds a link that the provider reports. Without a reference of ours it is another business's;
/// one that we do not know is of a record that was lost, and its money is found by the nightly
/// list.
async fn fold_link(
    tx: &mut Tx,
    locked: &mut LockedCollection,
    report: &LinkReport,
    source: Source,
) -> Result<(), Error> {
    let known = locked.collection();
    let link = report.reference.and_then(|id| Some((id, known?.links.get(&id)?)));
    let Some((link_id, link)) = link else { return Ok(()) };
    if link.created.is_none() {
        let (provider, created) = (report.provider.clone(), report.link.clone());
        locked.apply(tx, Command::RecordLink { provider, link_id, created }).await?;
    }
    let fact = report.fact.clone();
    locked.apply(tx, Command::ObserveLink { link_id, fact, source }).await?;
    Ok(())
}

/// Decides about undecided money; returns whether a payment was verified.
async fn resolve_undecided(
    tx: &mut Tx,
    locked: &mut LockedCollection,
    report: &ProviderReport,
) -> Result<bool, Error> {
    let refund_ids: BTreeMap<_, _> = locked
        .collection()
        .into_iter()
        .flat_map(Collection::undecided)
        .map(|id| (id.clone(), locked.refund_id(&["observed", id.as_str()])))
        .collect();
    let (orders, are_links_known) = (report.orders.clone(), report.are_links_known);
    let resolve = Command::ResolveUndecided { orders, are_links_known, refund_ids };
    let events = locked.apply(tx, resolve).await?;
    Ok(events.iter().any(|event| matches!(event, Event::Verified { .. })))
}

/// Applies booking's stored intent again: for example, a failed external refund leaves money that
/// the intent was not applied to. If a receipt is due now, a timer issues it, because the lock of
/// its number has to be acquired last.
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
    // A second one under the same receipt is another refund, which the provider made by mistake.
    let is_it = |own: &Id<RefundKind>| {
        let own = known.refunds.get(own);
        own.is_some_and(|own| own.accepted.as_ref().is_none_or(|it| *it == id))
    };
    if let Some(own) = refund.refund_id.filter(is_it) {
        let update = RefundUpdate::Taken { id, progress };
        return Some(Command::LearnRefund { refund_id: own, update, rest_id });
    }
    let payment = refund.payment.clone()?;
    let found = FoundRefund { payment, id, amount: refund.amount.clone(), progress };
    Some(Command::DiscoverRefund { found, refund_id, rest_id })
}

/// Folds a refund that the provider reports.
pub async fn fold_refund(
    tx: &mut Tx,
    locked: &mut LockedCollection,
    refund: &ProviderRefund,
) -> Result<(), Error> {
    let ids = (new_id(), new_id());
    let command = locked.collection().and_then(|known| refund_command(known, refund, ids));
    let Some(command) = command else { return Ok(()) };
    let given = |locked: &LockedCollection| -> Vec<Id<RefundKind>> {
        let refunds = locked.collection().into_iter().flat_map(|known| &known.refunds);
        refunds.filter(|(_, it)| it.end == Some(End::Given)).map(|(id, _)| *id).collect()
    };
    let before = given(locked);
    locked.apply(tx, command).await?;
    let after = given(locked);
    // The timer of one that a dispute had ended is gone; it is under way after all.
    for refund_id in before.into_iter().filter(|id| !after.contains(id)) {
        kinds::schedule_refund_poll(tx, refund_id, 1, locked.now).await?;
    }
    Ok(())
}

async fn schedule_poll(
    tx: &mut Tx,
    collection: &Collection,
    next: PollDirective,
    now: Timestamp,
) -> Result<(), Error> {
    let booking_id = collection.terms.booking_id;
    let bounds = Bounds { held_until: None, payable_until: collection.payable_until() };
    match next {
        PollDirective::Keep => {}
        PollDirective::Restart => {
            polling::set(tx, booking_id, PollSchedule::first(now), now, bounds).await?;
        }
        // If the schedule was restarted during the poll, its new time stays.
        PollDirective::Advance(poll) => {
            if timers::is_poll_current(tx, booking_id, poll.schedule).await? {
                let bounds = Bounds { held_until: poll.held_until, ..bounds };
                polling::set(tx, booking_id, poll.next, now, bounds).await?;
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
) -> Result<Outcome, Error> {
    let report = Arc::new(report);
    app.store
        .write(metadata, move |tx| {
            let report = Arc::clone(&report);
            Box::pin(async move { fold(tx, booking_id, &report, source, next).await })
        })
        .await
}
