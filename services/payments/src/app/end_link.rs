//! Ends a payment link at the provider: it is cancelled, and what the provider says then is folded.
//! A refusal to cancel means that it was paid, has expired, or is being paid: so it is fetched.

use std::sync::Arc;

use eventstore::Metadata;
use kernel::Id;
use kernel::id::PaymentLink;
use runtime::status::chain;

use super::ask_provider::ask_about_link;
use super::fold::{PollDirective, fetch_refunds_and_orders, fold_in_transaction};
use super::record_link::record_link;
use super::{App, metadata, provider_failed, traced};
use crate::domain::collection::Command;
use crate::domain::fact::Source;
use crate::domain::link::LinkStatus;
use crate::error::{Error, Rejection, refuse};
use crate::providers::{LinkReport, LinkRequest};
use crate::read_model::links::{self, LinkRow};
use crate::read_model::query::{self, CollectionRow};
use crate::repository::LockedCollection;
use crate::timers::kinds;

/// How long a link without an answer is looked for; a list may lag behind a creation.
const LOOK_FOR_SECONDS: i64 = 3_600;
/// How long after its end a link that could not be cancelled is given up to the polls.
const GIVE_UP_SECONDS: i64 = 3_600;

/// Cancels a link that can be paid, so that another way of paying can take its place.
///
/// # Errors
/// `ProviderUnavailable` when it may still be paid, or that the database does not answer.
pub async fn end_link(app: &Arc<App>, link: &LinkRow, trace: Option<&str>) -> Result<(), Error> {
    let booking_id = link.booking_id;
    let row = query::collection(app.store.pool(), booking_id).await?;
    let row = row.ok_or(refuse(Rejection::PaymentNotStarted))?;
    if cancel(app, &row, link, trace).await? == Some(LinkStatus::Created) {
        tracing::warn!(%booking_id, link = %link.link_id, "a payment link could not be cancelled");
        return Err(refuse(Rejection::ProviderUnavailable));
    }
    Ok(())
}

/// Cancels a link whose creation was answered; returns the state that the provider reports.
async fn cancel(
    app: &App,
    row: &CollectionRow,
    link: &LinkRow,
    trace: Option<&str>,
) -> Result<Option<LinkStatus>, Error> {
    let Some(created) = &link.link.created else { return Ok(None) };
    let booking_id = link.booking_id;
    let report = app.provider.cancel_link(&created.id).await;
    let report = report.map_err(|error| provider_failed(booking_id, &error))?;
    let status = report.fact.status;
    fold_report(app, row, report, trace).await?;
    Ok(Some(status))
}

/// Folds a link with the payments on its order.
async fn fold_report(
    app: &App,
    row: &CollectionRow,
    report: LinkReport,
    trace: Option<&str>,
) -> Result<(), Error> {
    let booking_id = row.booking_id;
    let answers = ask_about_link(app, report).await;
    if let Some(error) = &answers.failed {
        tracing::warn!(%booking_id, error = chain(error), "a link's payments are not known yet");
    }
    let report = fetch_refunds_and_orders(app, row, answers).await?;
    let metadata = metadata("payments", booking_id, trace);
    fold_in_transaction(app, metadata, booking_id, report, (Source::Poll, PollDirective::Keep))
        .await?;
    Ok(())
}

/// Does the next step for a link that was withdrawn: cancels it, or looks for it if its creation
/// was never answered. Idempotent, so that it can be repeated after a crash at any point.
///
/// # Errors
/// When the database or the provider does not answer; then the timer tries again.
pub async fn close_link(
    app: &Arc<App>,
    link_id: Id<PaymentLink>,
    step: usize,
) -> Result<(), Error> {
    let link = links::link(app.store.pool(), link_id).await?;
    let Some(link) = link.filter(|row| !row.link.is_over()) else {
        return end_timer(app, link_id).await;
    };
    let booking_id = link.booking_id;
    let row = query::collection(app.store.pool(), booking_id).await?;
    let Some(row) = row else { return end_timer(app, link_id).await };
    let trace = row.traceparent.as_deref();
    let work = async {
        if link.link.created.is_none() {
            return look_for(app, &row, &link, step).await;
        }
        match cancel(app, &row, &link, trace).await? {
            Some(LinkStatus::Created) => postpone(app, &link, step, trace).await,
            // A partly paid link cannot be cancelled; polls follow it to its end.
            Some(_) | None => end_timer(app, link_id).await,
        }
    };
    traced("close payment link", booking_id, trace, work).await
}

/// Looks for a link whose creation was never answered. What is found is cancelled by the next step.
async fn look_for(
    app: &Arc<App>,
    row: &CollectionRow,
    link: &LinkRow,
    step: usize,
) -> Result<(), Error> {
    let (booking_id, link_id) = (row.booking_id, link.link_id);
    let trace = row.traceparent.as_deref();
    let expires_at = link.link.expires_at;
    let wanted = LinkRequest { reference: link_id, booking_id, amount: row.amount, expires_at };
    let found = app.provider.find_link(wanted).await;
    let found = found.map_err(|error| provider_failed(booking_id, &error))?;
    if let Some(report) = found {
        return record_link(app, link, report, trace).await;
    }
    let now = app.store.now().await?;
    if now < link.opened_at.plus_seconds(LOOK_FOR_SECONDS) {
        return postpone(app, link, step, trace).await;
    }
    app.store
        .write(metadata("payments", booking_id, trace), move |tx| {
            Box::pin(async move {
                let mut locked = LockedCollection::load(tx, booking_id).await?;
                locked.apply(tx, Command::RecordAbsentLink { link_id }).await?;
                Ok(kinds::end_close_link(tx, link_id).await?)
            })
        })
        .await
}

/// Sets the time of the next step. Long after its end a link takes no money, whatever is said of
/// it.
async fn postpone(
    app: &App,
    link: &LinkRow,
    step: usize,
    trace: Option<&str>,
) -> Result<(), Error> {
    let (booking_id, link_id) = (link.booking_id, link.link_id);
    let given_up = link.link.expires_at.plus_seconds(GIVE_UP_SECONDS);
    app.store
        .write(metadata("payments", booking_id, trace), move |tx| {
            Box::pin(async move {
                let now = tx.now().await?;
                if now >= given_up {
                    tracing::error!(%booking_id, link = %link_id, "a link was never cancelled");
                    return Ok(kinds::end_close_link(tx, link_id).await?);
                }
                Ok(kinds::postpone_close_link(tx, link_id, step + 1, now).await?)
            })
        })
        .await
}

async fn end_timer(app: &App, link_id: Id<PaymentLink>) -> Result<(), Error> {
    app.store
        .write(Metadata::by("payments", None), move |tx| {
            Box::pin(async move { Ok(kinds::end_close_link(tx, link_id).await?) })
        })
        .await
}
