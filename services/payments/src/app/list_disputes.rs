//! Imports the provider's disputes of the last months, so that none is missed whose webhooks were
//! lost.

use eventstore::Metadata;
use kernel::Timestamp;

use super::fold_webhook::fold_dispute;
use super::import_payment::{provider_unavailable, skip_after_retries};
use super::{App, metadata};
use crate::domain::dispute::Dispute;
use crate::error::Error;
use crate::read_model::query;

/// How far back disputes are listed: older ones do not change. A round takes up to three months.
const LOOKBACK: i64 = 180 * DAY;
const DAY: i64 = 24 * 3600;

/// Imports the listed disputes; `attempts` counts from 1. After some of them one that fails is
/// passed over, so that it hides no other one.
pub async fn list_disputes(app: &App, now: Timestamp, attempts: i32) -> Result<(), Error> {
    let (from, until) = (now.plus_seconds(-LOOKBACK), now.plus_seconds(DAY));
    let mut skip = Some(0);
    while let Some(begin) = skip {
        let page = app.provider.disputes_between(from, until, begin).await;
        let page = page.map_err(|error| provider_unavailable("disputes", &error))?;
        if page.unread > 0 {
            tracing::error!(unread = page.unread, "disputes cannot be read");
        }
        for dispute in page.items {
            skip_after_retries(import_dispute(app, dispute).await, attempts)?;
        }
        skip = page.next;
    }
    Ok(())
}

async fn import_dispute(app: &App, dispute: Dispute) -> Result<(), Error> {
    let booking_id = query::booking_of(app.store.pool(), &dispute.payment).await?;
    let metadata = match booking_id {
        Some(booking_id) => metadata("payments", booking_id, None),
        None => Metadata::by("payments", None),
    };
    app.store
        .write(metadata, move |tx| {
            let dispute = dispute.clone();
            Box::pin(async move { fold_dispute(tx, &dispute).await })
        })
        .await
}
