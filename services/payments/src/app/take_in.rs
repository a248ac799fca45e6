//! Takes in a payment that was met in one of the provider's lists: one on our order is folded like
//! everything that is told of it; captured money of nobody that we know goes to suspense.

use std::sync::Arc;

use eventstore::Metadata;
use kernel::Id;
use kernel::id::Booking;
use runtime::status::chain;
use runtime::telemetry::traceparent;

use super::adopt_order::{Whose, adopt_order};
use super::fold::{Next, Told, fold_now, look_into};
use super::{Error, Rejection, Till, metadata, refuse, traced};
use crate::domain::fact::{Amount, Payment, PaymentId, Source, Status};
use crate::domain::refund::Progress;
use crate::ledger::post::post;
use crate::ledger::{Account, Entry, EntryKind};
use crate::provider::{PaymentReport, ProviderError, ProviderRefund};
use crate::read_model::{query, settlement};

/// Who is named as the cause of what comes of it.
const ACTOR: &str = "payments";

/// The provider could not be asked: it is logged, and the timer tries again.
pub(super) fn not_told(what: &str, error: &ProviderError) -> Error {
    tracing::warn!(what, error = chain(error), "the payment provider's lists are not known yet");
    refuse(Rejection::ProviderUnavailable)
}

/// How often a page is tried before what fails in it is passed over.
const TRIES: i32 = 5;

/// What fails for one payment must not keep all others waiting for ever: after some tries it is
/// logged and passed over, and met again another night.
pub(super) fn pass_over(done: Result<(), Error>, attempts: i32) -> Result<(), Error> {
    match done {
        Err(error) if attempts > TRIES => {
            tracing::error!(
                error = chain(&error),
                "something of the provider's list is passed over"
            );
            Ok(())
        }
        done => done,
    }
}

/// Asks for a payment and takes it in with all its refunds. A payment that the provider does not
/// know is none.
///
/// # Errors
/// When the database or the provider does not answer.
pub async fn take_in_payment(till: &Till, id: &PaymentId) -> Result<(), Error> {
    let report = match till.provider.payment(id).await {
        Ok(report) => report,
        Err(ProviderError::Refused { .. }) => return Ok(()),
        Err(error) => return Err(not_told("payment", &error)),
    };
    let refunds =
        till.provider.refunds_of(id).await.map_err(|error| not_told("refunds", &error))?;
    match booking_of(till, &report.payment).await? {
        Some(booking_id) => {
            let payments = vec![report.payment];
            fold_ours(till, booking_id, Told { payments, refunds, ..Told::default() }).await
        }
        None => take_in_unknown(till, report.payment, refunds).await,
    }
}

/// Takes in a payment that was listed, and asks for its refunds only if more has gone back than we
/// know.
///
/// # Errors
/// When the database or the provider does not answer.
pub async fn take_in_report(till: &Till, report: PaymentReport) -> Result<(), Error> {
    let pool = till.store.pool();
    let Some(booking_id) = booking_of(till, &report.payment).await? else {
        let id = report.payment.id.clone();
        let gone = settlement::unknown_gone(pool, &id).await?;
        let refunds = if report.refunded_minor > gone {
            till.provider.refunds_of(&id).await.map_err(|error| not_told("refunds", &error))?
        } else {
            Vec::new()
        };
        return take_in_unknown(till, report.payment, refunds).await;
    };
    let told = look_into(till, vec![report]).await?;
    fold_ours(till, booking_id, told).await
}

async fn booking_of(till: &Till, payment: &Payment) -> Result<Option<Id<Booking>>, Error> {
    let pool = till.store.pool();
    if let Some(booking_id) = query::booking_of(pool, &payment.id).await? {
        return Ok(Some(booking_id));
    }
    let Some(order) = &payment.fact.order else { return Ok(None) };
    Ok(query::collection_of_order(pool, order).await?.map(|row| row.booking_id))
}

async fn fold_ours(till: &Till, booking_id: Id<Booking>, told: Told) -> Result<(), Error> {
    let row = query::collection(till.store.pool(), booking_id).await?;
    let trace = row.and_then(|row| row.traceparent);
    let trace = trace.as_deref();
    let work = async {
        let metadata = metadata(ACTOR, booking_id, trace);
        fold_now(till, metadata, booking_id, told, (Source::Poll, Next::Keep)).await.map(drop)
    };
    traced("take in payment", booking_id, trace, work).await
}

/// Only money counts here: an attempt on somebody else's order is nobody's business.
async fn take_in_unknown(
    till: &Till,
    payment: Payment,
    refunds: Vec<ProviderRefund>,
) -> Result<(), Error> {
    match payment.fact.status {
        Status::Captured | Status::Refunded => {}
        Status::Created | Status::Failed | Status::Authorized => return Ok(()),
    }
    let whose = whose(till, &payment).await?;
    if let Whose::Booking(booking_id) = whose {
        let payments = vec![payment];
        return fold_ours(till, booking_id, Told { payments, refunds, ..Told::default() }).await;
    }
    let is_foreign = whose == Whose::Others;
    let told = Arc::new((payment, refunds));
    till.store
        .write(Metadata::by(ACTOR, traceparent()), move |tx| {
            let told = Arc::clone(&told);
            Box::pin(async move {
                let (payment, refunds) = told.as_ref();
                let came = Entry::captured(&payment.id, &payment.fact.amount, Account::Suspense);
                let gone = refunds.iter().filter_map(|refund| went_back(&payment.id, refund));
                let entries: Vec<Entry> = came.into_iter().chain(gone).collect();
                settlement::note_unknown(tx, payment).await?;
                post(tx, None, &entries).await?;
                if is_foreign {
                    settlement::explain_foreign(tx, &payment.id).await?;
                }
                settlement::explain_unknown(tx, &payment.id).await?;
                Ok(())
            })
        })
        .await
}

/// On whose order a payment is that we do not know; each is asked for once. Money of another
/// business of the account stands in suspense and needs no explanation.
async fn whose(till: &Till, payment: &Payment) -> Result<Whose, Error> {
    let Some(order) = &payment.fact.order else { return Ok(Whose::Lost) };
    if settlement::is_explained(till.store.pool(), &payment.id).await? {
        return Ok(Whose::Lost);
    }
    match till.provider.order(order).await {
        Ok(order) => adopt_order(till, &order).await,
        Err(ProviderError::Refused { .. }) => Ok(Whose::Lost),
        Err(error) => Err(not_told("order", &error)),
    }
}

fn went_back(payment: &PaymentId, refund: &ProviderRefund) -> Option<Entry> {
    if refund.progress != Progress::Processed {
        return None;
    }
    let amount: &Amount = &refund.amount;
    let what = (EntryKind::RefundProcessed, format!("refunded {}", refund.id));
    let accounts = (Account::Suspense, Account::ProviderClearing);
    let entry = Entry::transfer(what, payment, amount, accounts)?;
    Some(Entry { provider_refund: Some(refund.id.clone()), ..entry })
}
