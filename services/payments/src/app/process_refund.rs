//! Requests a refund from the provider until it accepts it (once), then polls it until it has
//! ended.

use std::sync::Arc;

use eventstore::{Metadata, Store, Tx, new_id};
use kernel::Id;
use kernel::id::{Booking, Refund as RefundKind};
use runtime::BoxError;
use runtime::status::chain;

use super::fold::{fold_refund, reapply_booking_intent};
use super::{App, metadata, traced};
use crate::domain::collection::Command;
use crate::domain::dispute::DisputeState;
use crate::domain::refund::{LOST_TO_A_DISPUTE, RefundUpdate};
use crate::error::Error;
use crate::providers::{Provider, ProviderError, ProviderRefund, RefundRequest};
use crate::read_model::query::{self, RefundRow};
use crate::repository::LockedCollection;
use crate::timers::kinds;

/// Does the next step of a refund. Idempotent, so that it can be repeated after a crash at any
/// point: the provider knows the refund by our id, and each result is recorded once.
///
/// # Errors
/// When the database or the provider does not answer; then the timer tries again.
pub async fn process_refund(
    app: &App,
    refund_id: Id<RefundKind>,
    (step, attempts): (usize, i32),
) -> Result<(), BoxError> {
    let row = query::refund(app.store.pool(), refund_id).await?;
    let Some(row) = row.filter(|row| !row.ended) else {
        cancel_refund(&app.store, refund_id).await?;
        return Ok(());
    };
    let (booking_id, trace) = (row.booking_id, row.traceparent.clone());
    let trace = trace.as_deref();
    let was_taken = row.provider_refund.is_some();
    let work = async {
        // Each step before acceptance is a refusal; without an answer the same step is tried again.
        let asked_before = step > 0 || attempts > 1;
        let disputed = disputed(app, refund_id, &row).await?;
        if disputed.is_some_and(DisputeState::is_open) {
            return Ok(postpone_for_dispute(app, (booking_id, refund_id), step, trace).await?);
        }
        if disputed == Some(DisputeState::Lost) && !was_taken {
            return Ok(fail_after_lost_dispute(app, (booking_id, refund_id), trace).await?);
        }
        let answer =
            request_or_fetch(app.provider.as_ref(), refund_id, row, (step, asked_before)).await;
        match &answer {
            Ok(RefundAnswer { update: RefundUpdate::Refused(reason), .. }) => {
                tracing::error!(%booking_id, %refund_id, reason, "a refund was refused");
            }
            Ok(RefundAnswer { update: RefundUpdate::Taken { .. }, .. }) => {}
            Err(error) => {
                let error = chain(error);
                tracing::warn!(%booking_id, %refund_id, error, "a refund has to wait");
            }
        }
        let answer = Arc::new(answer?);
        app.store
            .write(metadata("payments", booking_id, trace), move |tx| {
                let answer = Arc::clone(&answer);
                Box::pin(async move {
                    let mut locked = LockedCollection::load(tx, booking_id).await?;
                    apply_answer(tx, &mut locked, refund_id, &answer).await?;
                    reapply_booking_intent(tx, &mut locked, booking_id).await?;
                    schedule_next(tx, &locked, refund_id, (step, was_taken)).await
                })
            })
            .await?;
        Ok(())
    };
    traced("ask refund", booking_id, trace, work).await
}

/// The state of a dispute that blocks this refund: the bank may take the same money, and it would
/// be returned twice. Refunds by staff are not blocked.
async fn disputed(
    app: &App,
    refund_id: Id<RefundKind>,
    row: &RefundRow,
) -> Result<Option<DisputeState>, Error> {
    if row.provider_refund.is_some() {
        return Ok(None);
    }
    Ok(query::disputed(app.store.pool(), refund_id).await?)
}

/// Checks again in a day; the end of the dispute schedules it sooner.
async fn postpone_for_dispute(
    app: &App,
    (booking_id, refund_id): (Id<Booking>, Id<RefundKind>),
    step: usize,
    trace: Option<&str>,
) -> Result<(), Error> {
    tracing::warn!(%booking_id, %refund_id, "a refund waits, because its payment is disputed");
    app.store
        .write(metadata("payments", booking_id, trace), move |tx| {
            Box::pin(async move {
                let now = tx.now().await?;
                Ok(kinds::postpone_refund(tx, refund_id, step, now).await?)
            })
        })
        .await
}

/// The bank has returned the money to the payer, so the refund is ended as failed.
async fn fail_after_lost_dispute(
    app: &App,
    (booking_id, refund_id): (Id<Booking>, Id<RefundKind>),
    trace: Option<&str>,
) -> Result<(), Error> {
    app.store
        .write(metadata("payments", booking_id, trace), move |tx| {
            Box::pin(async move {
                let mut locked = LockedCollection::load(tx, booking_id).await?;
                let update = RefundUpdate::Refused(LOST_TO_A_DISPUTE.to_owned());
                let rest_id = new_id();
                locked.apply(tx, Command::LearnRefund { refund_id, update, rest_id }).await?;
                Ok(kinds::end_refund(tx, refund_id).await?)
            })
        })
        .await
}

/// The provider's answer about a refund.
#[derive(Debug, Clone)]
pub struct RefundAnswer {
    /// About itself.
    pub update: RefundUpdate,
    /// All refunds of its payment, if they were fetched.
    pub others: Vec<ProviderRefund>,
}

impl RefundAnswer {
    fn taken(refund: &ProviderRefund) -> Self {
        let update = RefundUpdate::Taken { id: refund.id.clone(), progress: refund.progress };
        Self { update, others: Vec::new() }
    }
}

/// Fetches a refund that was accepted, else requests it; the provider creates it at most once.
///
/// # Errors
/// When it does not say it.
pub async fn request_or_fetch(
    provider: &dyn Provider,
    refund_id: Id<RefundKind>,
    row: RefundRow,
    (refusals, asked_before): (usize, bool),
) -> Result<RefundAnswer, ProviderError> {
    if let Some(id) = &row.provider_refund {
        return provider.fetch_refund(id).await.map(|refund| RefundAnswer::taken(&refund));
    }
    let own = |refunds: &[ProviderRefund]| {
        refunds.iter().find(|it| it.refund_id == Some(refund_id)).map(RefundAnswer::taken)
    };
    if asked_before && let Some(found) = own(&provider.refunds_of(&row.payment).await?) {
        return Ok(found);
    }
    let (payment, amount) = (row.payment.clone(), row.amount.clone());
    let wanted = RefundRequest { refund_id, payment, amount, refusals };
    match provider.refund(&wanted).await {
        Ok(refund) => Ok(RefundAnswer::taken(&refund)),
        // It may exist already, or the money was refunded externally.
        Err(ProviderError::Refused { reason }) => {
            let others = provider.refunds_of(&row.payment).await?;
            let refused =
                RefundAnswer { update: RefundUpdate::Refused(reason), others: Vec::new() };
            Ok(RefundAnswer { others: others.clone(), ..own(&others).unwrap_or(refused) })
        }
        Err(error) => Err(error),
    }
}

async fn apply_answer(
    tx: &mut Tx,
    locked: &mut LockedCollection,
    refund_id: Id<RefundKind>,
    answer: &RefundAnswer,
) -> Result<(), Error> {
    for refund in &answer.others {
        fold_refund(tx, locked, refund).await?;
    }
    let (update, rest_id) = (answer.update.clone(), new_id());
    locked.apply(tx, Command::LearnRefund { refund_id, update, rest_id }).await?;
    Ok(())
}

/// Schedules the next step, unless the refund has ended.
async fn schedule_next(
    tx: &mut Tx,
    locked: &LockedCollection,
    refund_id: Id<RefundKind>,
    (step, was_taken): (usize, bool),
) -> Result<(), Error> {
    let refund = locked.collection().and_then(|known| known.refunds.get(&refund_id));
    match refund.filter(|refund| refund.end.is_none()) {
        None => kinds::end_refund(tx, refund_id).await?,
        Some(refund) if refund.accepted.is_none() => {
            kinds::schedule_refund_retry(tx, refund_id, step + 1, locked.now).await?;
        }
        // After acceptance, polling starts with short pauses, however long the acceptance took.
        Some(_) => {
            let next = if was_taken { step + 1 } else { 1 };
            kinds::schedule_refund_poll(tx, refund_id, next, locked.now).await?;
        }
    }
    Ok(())
}

/// Ends the timer of a refund that has ended, in its own transaction.
async fn cancel_refund(store: &Store, refund_id: Id<RefundKind>) -> Result<(), Error> {
    store
        .write(Metadata::by("payments", None), move |tx| {
            Box::pin(async move { Ok(kinds::end_refund(tx, refund_id).await?) })
        })
        .await
}
