//! Asks the provider to give money back, until it takes the refund, which it does once; then asks
//! how it goes until it has ended.

use eventstore::Tx;
use kernel::Id;
use kernel::id::{Booking, Refund as RefundKind};
use runtime::BoxError;
use runtime::status::chain;

use super::{Error, Till, metadata, traced};
use crate::domain::collection::Command;
use crate::domain::refund::{News, Progress, is_final};
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
        let asked_before = step > 0 || attempts > 1;
        let news = ask(till.provider.as_ref(), refund_id, row, asked_before).await;
        match &news {
            Ok(News::Refused(reason)) => {
                tracing::error!(%booking_id, %refund_id, reason, "a refund was refused");
            }
            Ok(News::Taken { .. }) => {}
            Err(error) => {
                let error = chain(error);
                tracing::warn!(%booking_id, %refund_id, error, "a refund has to wait");
            }
        }
        let news = news?;
        // Once it is taken, its questions begin at their fast pace, however long that took.
        let is_first = !was_taken && matches!(news, News::Taken { .. });
        let next = if is_first { 1 } else { step + 1 };
        till.store
            .write(metadata("payments", booking_id, trace), move |tx| {
                let news = news.clone();
                Box::pin(
                    async move { learn_refund(tx, booking_id, refund_id, news, Some(next)).await },
                )
            })
            .await?;
        Ok(())
    };
    traced("ask refund", booking_id, trace, work).await
}

/// What the provider says of a refund, which it is asked for at most once.
///
/// # Errors
/// When it does not say it.
pub async fn ask(
    provider: &dyn Provider,
    refund_id: Id<RefundKind>,
    row: RefundRow,
    asked_before: bool,
) -> Result<News, ProviderError> {
    if let Some(id) = &row.provider_refund {
        return provider.fetch_refund(id).await.map(|refund| taken(&refund));
    }
    if asked_before && let Some(found) = find(provider, refund_id, &row).await? {
        return Ok(taken(&found));
    }
    let wanted =
        WantedRefund { refund_id, payment: row.payment.clone(), amount: row.amount.clone() };
    match provider.refund(&wanted).await {
        Ok(refund) => Ok(taken(&refund)),
        // It may be ours already, or the money went back by another hand.
        Err(ProviderError::Refused { reason }) => match find(provider, refund_id, &row).await? {
            Some(found) => Ok(taken(&found)),
            None => Ok(News::Refused(reason)),
        },
        Err(error) => Err(error),
    }
}

/// The refund under our id, or else one of the whole amount that somebody made without us.
async fn find(
    provider: &dyn Provider,
    refund_id: Id<RefundKind>,
    row: &RefundRow,
) -> Result<Option<ProviderRefund>, ProviderError> {
    let known = provider.refunds_of(&row.payment).await?;
    let own = known.iter().find(|it| it.refund_id == Some(refund_id));
    let gives_all =
        |it: &&ProviderRefund| it.amount == row.amount && it.progress != Progress::Failed;
    let whole = known.iter().find(gives_all);
    Ok(own.or(whole).cloned())
}

fn taken(refund: &ProviderRefund) -> News {
    News::Taken { id: refund.id.clone(), progress: refund.progress }
}

/// Records what was learnt about a refund; `next` is the step of its next question.
///
/// # Errors
/// When the database does not answer, or there is no such refund.
pub async fn learn_refund(
    tx: &mut Tx,
    booking_id: Id<Booking>,
    refund_id: Id<RefundKind>,
    news: News,
    next: Option<usize>,
) -> Result<(), Error> {
    let mut open = OpenCollection::load(tx, booking_id).await?;
    let is_refused = matches!(&news, News::Refused(reason) if !is_final(reason));
    open.apply(tx, Command::LearnRefund { refund_id, news }).await?;
    let ended = open
        .collection()
        .and_then(|collection| collection.refunds.get(&refund_id))
        .is_none_or(|refund| refund.end.is_some());
    if ended {
        timers::end_refund(tx, refund_id).await?;
    } else if let Some(step) = next {
        if is_refused {
            timers::ask_refund_later(tx, refund_id, step, open.now).await?;
        } else {
            timers::go_on_refunding(tx, refund_id, step, open.now).await?;
        }
    }
    Ok(())
}
