//! Imports a payment from one of the provider's lists. A payment on our order is folded like any
//! report; captured money of an unknown owner is posted to suspense.

use std::sync::Arc;

use eventstore::Metadata;
use kernel::Id;
use kernel::id::Booking;
use runtime::status::chain;

use super::adopt_order::{OrderOwner, adopt_order};
use super::fold::{PollDirective, ProviderReport, fetch_missing_refunds, fold_in_transaction};
use super::{App, metadata, traced};
use crate::domain::fact::{Amount, Payment, PaymentId, Source, Status};
use crate::domain::ledger::{Account, Entry, EntryKind};
use crate::domain::refund::Progress;
use crate::error::{Error, Rejection, refuse};
use crate::providers::{PaymentReport, ProviderError, ProviderRefund};
use crate::read_model::{query, settlement};
use crate::repository::posting::post;

/// The actor of the events that it causes.
const ACTOR: &str = "payments";

/// A failed call to the provider: it is logged, and the timer tries again.
pub(super) fn provider_unavailable(what: &str, error: &ProviderError) -> Error {
    tracing::warn!(what, error = chain(error), "the payment provider's lists are not known yet");
    refuse(Rejection::ProviderUnavailable)
}

/// How often a page is tried before a failing item in it is skipped.
const MAX_ATTEMPTS: i32 = 5;

/// One failing payment must not block the others: after some attempts it is logged and skipped, and
/// tried again another night.
pub(super) fn skip_after_retries(done: Result<(), Error>, attempts: i32) -> Result<(), Error> {
    match done {
        Err(error) if attempts > MAX_ATTEMPTS => {
            tracing::error!(
                error = chain(&error),
                "something of the provider's list is passed over"
            );
            Ok(())
        }
        done => done,
    }
}

/// Fetches a payment and imports it with all its refunds. A payment that the provider does not know
/// is ignored.
pub async fn import_payment(app: &App, id: &PaymentId) -> Result<(), Error> {
    let report = match app.provider.payment(id).await {
        Ok(report) => report,
        Err(ProviderError::Refused { .. }) => return Ok(()),
        Err(error) => return Err(provider_unavailable("payment", &error)),
    };
    let refunds = app
        .provider
        .refunds_of(id)
        .await
        .map_err(|error| provider_unavailable("refunds", &error))?;
    match booking_of(app, &report.payment).await? {
        Some(booking_id) => {
            let payments = vec![report.payment];
            fold_ours(
                app,
                booking_id,
                ProviderReport { payments, refunds, ..ProviderReport::default() },
            )
            .await
        }
        None => import_unknown(app, report.payment, refunds).await,
    }
}

/// Imports a listed payment. Fetches its refunds only if more was refunded than we know.
pub async fn import_report(app: &App, report: PaymentReport) -> Result<(), Error> {
    let pool = app.store.pool();
    let Some(booking_id) = booking_of(app, &report.payment).await? else {
        let id = report.payment.id.clone();
        let refunded = settlement::unknown_refunded(pool, &id).await?;
        let refunds = if report.refunded_minor > refunded {
            app.provider
                .refunds_of(&id)
                .await
                .map_err(|error| provider_unavailable("refunds", &error))?
        } else {
            Vec::new()
        };
        return import_unknown(app, report.payment, refunds).await;
    };
    let report = fetch_missing_refunds(app, vec![report]).await?;
    fold_ours(app, booking_id, report).await
}

async fn booking_of(app: &App, payment: &Payment) -> Result<Option<Id<Booking>>, Error> {
    let pool = app.store.pool();
    if let Some(booking_id) = query::booking_of(pool, &payment.id).await? {
        return Ok(Some(booking_id));
    }
    let Some(order) = &payment.fact.order else { return Ok(None) };
    Ok(query::collection_of_order(pool, order).await?.map(|row| row.booking_id))
}

async fn fold_ours(
    app: &App,
    booking_id: Id<Booking>,
    report: ProviderReport,
) -> Result<(), Error> {
    let row = query::collection(app.store.pool(), booking_id).await?;
    let trace = row.and_then(|row| row.traceparent);
    let trace = trace.as_deref();
    let work = async {
        let metadata = metadata(ACTOR, booking_id, trace);
        fold_in_transaction(app, metadata, booking_id, report, (Source::Poll, PollDirective::Keep))
            .await
            .map(drop)
    };
    traced("take in payment", booking_id, trace, work).await
}

/// Imports a payment that is not on our orders. Only captured money matters; attempts are ignored.
async fn import_unknown(
    app: &App,
    payment: Payment,
    refunds: Vec<ProviderRefund>,
) -> Result<(), Error> {
    match payment.fact.status {
        Status::Captured | Status::Refunded => {}
        Status::Created | Status::Failed | Status::Authorized => return Ok(()),
    }
    let order_owner = order_owner(app, &payment).await?;
    if let OrderOwner::Booking(booking_id) = order_owner {
        let payments = vec![payment];
        return fold_ours(
            app,
            booking_id,
            ProviderReport { payments, refunds, ..ProviderReport::default() },
        )
        .await;
    }
    let is_foreign = order_owner == OrderOwner::Others;
    let report = Arc::new((payment, refunds));
    app.store
        .write(Metadata::traced(ACTOR), move |tx| {
            let report = Arc::clone(&report);
            Box::pin(async move {
                let (payment, refunds) = report.as_ref();
                let accounts = (Account::ProviderClearing, Account::Suspense);
                let captured = Entry::captured(&payment.id, &payment.fact.amount, accounts);
                let refunded =
                    refunds.iter().filter_map(|refund| refund_entry(&payment.id, refund));
                let entries: Vec<Entry> = captured.into_iter().chain(refunded).collect();
                settlement::insert_unknown(tx, payment).await?;
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

/// The owner of an unknown payment's order; each is fetched once. Money of another business of the
/// account stays in suspense and is no exception.
async fn order_owner(app: &App, payment: &Payment) -> Result<OrderOwner, Error> {
    let Some(order) = &payment.fact.order else { return Ok(OrderOwner::Lost) };
    if settlement::is_explained(app.store.pool(), &payment.id).await? {
        return Ok(OrderOwner::Lost);
    }
    match app.provider.order(order).await {
        Ok(order) => adopt_order(app, &order).await,
        Err(ProviderError::Refused { .. }) => Ok(OrderOwner::Lost),
        Err(error) => Err(provider_unavailable("order", &error)),
    }
}

fn refund_entry(payment: &PaymentId, refund: &ProviderRefund) -> Option<Entry> {
    if refund.progress != Progress::Processed {
        return None;
    }
    let amount: &Amount = &refund.amount;
    let what = (EntryKind::RefundProcessed, format!("refunded {}", refund.id));
    let accounts = (Account::Suspense, Account::ProviderClearing);
    let entry = Entry::transfer(what, payment, amount, accounts)?;
    Some(Entry { provider_refund: Some(refund.id.clone()), ..entry })
}
