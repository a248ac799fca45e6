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
use crate::domain::fact::{Amount, PaymentId};
use crate::domain::refund::RefundUpdate;
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
    step: usize,
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
        let row = match row {
            taken if was_taken => taken,
            row => {
                let found = look(app.provider.as_ref(), &row.payment).await;
                let found = found.inspect_err(|error| {
                    let error = chain(error);
                    tracing::warn!(%booking_id, %refund_id, error, "a refund has to wait");
                })?;
                match prepare(app, (booking_id, refund_id), found, (step, trace)).await? {
                    Some(amount) => RefundRow { amount, ..row },
                    None => return Ok(()),
                }
            }
        };
        // Each step before acceptance is a refusal; without an answer the same step is tried again.
        let answer = request_or_fetch(app.provider.as_ref(), refund_id, row, step).await;
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

/// What the provider has of a payment before a refund of it is requested: our note that it was
/// requested may be lost, and the provider's of its key, too; and others may have given money back.
///
/// # Errors
/// When it does not say it.
pub async fn look(
    provider: &dyn Provider,
    payment: &PaymentId,
) -> Result<Vec<ProviderRefund>, ProviderError> {
    provider.refunds_of(payment).await
}

/// What is to be requested of a refund, once all that the provider has is known; none when it is
/// there, has ended, or waits for the end of a dispute. Then it is checked again in a day; the end
/// of the dispute, or a staff member, schedules it sooner.
async fn prepare(
    app: &App,
    (booking_id, refund_id): (Id<Booking>, Id<RefundKind>),
    found: Vec<ProviderRefund>,
    (step, trace): (usize, Option<&str>),
) -> Result<Option<Amount>, Error> {
    let least_minor = app.provider.least_refund_minor();
    let found = Arc::new(found);
    app.store
        .write(metadata("payments", booking_id, trace), move |tx| {
            let found = Arc::clone(&found);
            Box::pin(async move {
                let mut locked = LockedCollection::load(tx, booking_id).await?;
                for refund in found.iter() {
                    fold_refund(tx, &mut locked, refund).await?;
                }
                if !found.is_empty() {
                    reapply_booking_intent(tx, &mut locked, booking_id).await?;
                }
                locked.apply(tx, Command::PrepareRefund { refund_id, least_minor }).await?;
                let known = locked.collection();
                let refund = known.and_then(|known| known.refunds.get(&refund_id));
                let Some(refund) = refund.filter(|it| it.is_unaccepted()) else {
                    schedule_next(tx, &locked, refund_id, (step, false)).await?;
                    return Ok(None);
                };
                if known.is_some_and(|known| known.is_held(refund_id)) {
                    tracing::warn!(%booking_id, %refund_id, "a refund waits for a dispute's end");
                    kinds::postpone_refund(tx, refund_id, step, locked.now).await?;
                    return Ok(None);
                }
                Ok(Some(refund.amount.clone()))
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

/// Fetches a refund that was accepted, else requests it. What the provider has of its payment was
/// looked at before.
///
/// # Errors
/// When it does not say it.
pub async fn request_or_fetch(
    provider: &dyn Provider,
    refund_id: Id<RefundKind>,
    row: RefundRow,
    refusals: usize,
) -> Result<RefundAnswer, ProviderError> {
    if let Some(id) = &row.provider_refund {
        return provider.fetch_refund(id).await.map(|refund| RefundAnswer::taken(&refund));
    }
    let (payment, amount) = (row.payment.clone(), row.amount.clone());
    let wanted = RefundRequest { refund_id, payment, amount, refusals };
    match provider.refund(&wanted).await {
        Ok(refund) => Ok(RefundAnswer::taken(&refund)),
        // It may exist already, or the money was refunded externally. The refusal is recorded in
        // any case; the next attempt looks again.
        Err(ProviderError::Refused { reason }) => {
            let others = provider.refunds_of(&row.payment).await.unwrap_or_default();
            let own = others.iter().find(|it| it.refund_id == Some(refund_id));
            let update =
                own.map_or(RefundUpdate::Refused(reason), |own| RefundAnswer::taken(own).update);
            Ok(RefundAnswer { update, others })
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

#[cfg(test)]
mod tests;
