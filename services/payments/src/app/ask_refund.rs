//! Asks the provider to give money back, until it takes the refund, which it does once; then asks
//! how it goes until it has ended.

use std::sync::Arc;

use eventstore::{Tx, new_id};
use kernel::Id;
use kernel::id::{Booking, Refund as RefundKind};
use runtime::BoxError;
use runtime::status::chain;

use super::fold::{fold_refund, follow_news};
use super::{Error, Till, metadata, traced};
use crate::domain::collection::Command;
use crate::domain::dispute::DisputeState;
use crate::domain::refund::{LOST_TO_A_DISPUTE, News};
use crate::provider::{Provider, ProviderError, ProviderRefund, WantedRefund};
use crate::read_model::query::{self, RefundRow};
use crate::store::OpenCollection;
use crate::timers;

/// Does what is due for a refund. It bears being run again after a crash at any place: the provider
/// knows the refund by our id, and what is recorded is recorded once.
///
/// # Errors
/// When the database or the provider does not answer; then the timer tries again.
pub async fn ask_refund(
    till: &Till,
    refund_id: Id<RefundKind>,
    (step, attempts): (usize, i32),
) -> Result<(), BoxError> {
    let row = query::refund(till.store.pool(), refund_id).await?;
    let Some(row) = row.filter(|row| !row.ended) else {
        timers::forget_refund(&till.store, refund_id).await?;
        return Ok(());
    };
    let (booking_id, trace) = (row.booking_id, row.traceparent.clone());
    let trace = trace.as_deref();
    let was_taken = row.provider_refund.is_some();
    let work = async {
        // Each step before it was taken is a refusal; without an answer the step is tried again.
        let asked_before = step > 0 || attempts > 1;
        let disputed = disputed(till, refund_id, &row).await?;
        if disputed.is_some_and(DisputeState::is_open) {
            return Ok(hold(till, (booking_id, refund_id), step, trace).await?);
        }
        if disputed == Some(DisputeState::Lost) && !was_taken {
            return Ok(give_up(till, (booking_id, refund_id), trace).await?);
        }
        let answer = ask(till.provider.as_ref(), refund_id, row, (step, asked_before)).await;
        match &answer {
            Ok(Answer { news: News::Refused(reason), .. }) => {
                tracing::error!(%booking_id, %refund_id, reason, "a refund was refused");
            }
            Ok(Answer { news: News::Taken { .. }, .. }) => {}
            Err(error) => {
                let error = chain(error);
                tracing::warn!(%booking_id, %refund_id, error, "a refund has to wait");
            }
        }
        let answer = Arc::new(answer?);
        till.store
            .write(metadata("payments", booking_id, trace), move |tx| {
                let answer = Arc::clone(&answer);
                Box::pin(async move {
                    let mut open = OpenCollection::load(tx, booking_id).await?;
                    take_in(tx, &mut open, refund_id, &answer).await?;
                    follow_news(tx, &mut open, booking_id).await?;
                    go_on(tx, &open, refund_id, (step, was_taken)).await
                })
            })
            .await?;
        Ok(())
    };
    traced("ask refund", booking_id, trace, work).await
}

/// How the dispute of a refund's payment stands that keeps this refund from being asked for. The
/// bank may take the same money, and it would go back twice. What a person asks for is asked.
async fn disputed(
    till: &Till,
    refund_id: Id<RefundKind>,
    row: &RefundRow,
) -> Result<Option<DisputeState>, Error> {
    if row.provider_refund.is_some() {
        return Ok(None);
    }
    Ok(query::disputed(till.store.pool(), refund_id).await?)
}

/// Looks again in a day; the end of the dispute is sooner told.
async fn hold(
    till: &Till,
    (booking_id, refund_id): (Id<Booking>, Id<RefundKind>),
    step: usize,
    trace: Option<&str>,
) -> Result<(), Error> {
    tracing::warn!(%booking_id, %refund_id, "a refund waits, because its payment is disputed");
    till.store
        .write(metadata("payments", booking_id, trace), move |tx| {
            Box::pin(async move {
                let now = tx.now().await?;
                Ok(timers::hold_refund(tx, refund_id, step, now).await?)
            })
        })
        .await
}

/// The bank has taken the money for the payer, so it does not go back by us.
async fn give_up(
    till: &Till,
    (booking_id, refund_id): (Id<Booking>, Id<RefundKind>),
    trace: Option<&str>,
) -> Result<(), Error> {
    till.store
        .write(metadata("payments", booking_id, trace), move |tx| {
            Box::pin(async move {
                let mut open = OpenCollection::load(tx, booking_id).await?;
                let news = News::Refused(LOST_TO_A_DISPUTE.to_owned());
                let rest_id = new_id();
                open.apply(tx, Command::LearnRefund { refund_id, news, rest_id }).await?;
                Ok(timers::end_refund(tx, refund_id).await?)
            })
        })
        .await
}

/// What the provider said about a refund.
#[derive(Debug, Clone)]
pub struct Answer {
    /// About itself.
    pub news: News,
    /// All refunds of its payment, when these had to be asked for.
    pub others: Vec<ProviderRefund>,
}

impl Answer {
    fn taken(refund: &ProviderRefund) -> Self {
        let news = News::Taken { id: refund.id.clone(), progress: refund.progress };
        Self { news, others: Vec::new() }
    }
}

/// What the provider says of a refund, which it is asked for at most once.
///
/// # Errors
/// When it does not say it.
pub async fn ask(
    provider: &dyn Provider,
    refund_id: Id<RefundKind>,
    row: RefundRow,
    (refusals, asked_before): (usize, bool),
) -> Result<Answer, ProviderError> {
    if let Some(id) = &row.provider_refund {
        return provider.fetch_refund(id).await.map(|refund| Answer::taken(&refund));
    }
    let own = |refunds: &[ProviderRefund]| {
        refunds.iter().find(|it| it.refund_id == Some(refund_id)).map(Answer::taken)
    };
    if asked_before && let Some(found) = own(&provider.refunds_of(&row.payment).await?) {
        return Ok(found);
    }
    let (payment, amount) = (row.payment.clone(), row.amount.clone());
    let wanted = WantedRefund { refund_id, payment, amount, refusals };
    match provider.refund(&wanted).await {
        Ok(refund) => Ok(Answer::taken(&refund)),
        // It may be ours already, or the money went back by another hand.
        Err(ProviderError::Refused { reason }) => {
            let others = provider.refunds_of(&row.payment).await?;
            let refused = Answer { news: News::Refused(reason), others: Vec::new() };
            Ok(Answer { others: others.clone(), ..own(&others).unwrap_or(refused) })
        }
        Err(error) => Err(error),
    }
}

async fn take_in(
    tx: &mut Tx,
    open: &mut OpenCollection,
    refund_id: Id<RefundKind>,
    answer: &Answer,
) -> Result<(), Error> {
    for refund in &answer.others {
        fold_refund(tx, open, refund).await?;
    }
    let (news, rest_id) = (answer.news.clone(), new_id());
    open.apply(tx, Command::LearnRefund { refund_id, news, rest_id }).await?;
    Ok(())
}

/// Sets the time of the next question, unless the refund has ended.
async fn go_on(
    tx: &mut Tx,
    open: &OpenCollection,
    refund_id: Id<RefundKind>,
    (step, was_taken): (usize, bool),
) -> Result<(), Error> {
    let refund = open.collection().and_then(|known| known.refunds.get(&refund_id));
    match refund.filter(|refund| refund.end.is_none()) {
        None => timers::end_refund(tx, refund_id).await?,
        Some(refund) if refund.accepted.is_none() => {
            timers::ask_refund_later(tx, refund_id, step + 1, open.now).await?;
        }
        // Once it is taken, its questions begin at their fast pace, however long that took.
        Some(_) => {
            let next = if was_taken { step + 1 } else { 1 };
            timers::go_on_refunding(tx, refund_id, next, open.now).await?;
        }
    }
    Ok(())
}
