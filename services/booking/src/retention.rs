//! Retention: deletes expired idempotency keys, ended reports, old invitations and events of the
//! scheduling provider that no booking got, once a day.

use eventstore::Store;
use service::Retention;

use crate::error::Error;
use crate::repository::{
    consent_codes, hold_origins, invitations, page_keys, scheduled_events, waiting, widget_reports,
};
use crate::timers::kinds::RETENTION;

const DAILY: Retention =
    Retention { service: "booking", timer: RETENTION, period_minutes: 24 * 60 };

/// Deletes a batch of each, and sets the next timer.
pub async fn delete_expired(store: &Store, subject: &str) -> Result<(), Error> {
    let delete = DAILY.run(store, subject, |tx, now| {
        Box::pin(async move {
            let mut more = widget_reports::delete_ended(tx, now).await?;
            more |= scheduled_events::delete_old(tx, now).await?;
            more |= invitations::delete_ended(tx, now).await?;
            more |= hold_origins::delete_old(tx, now).await?;
            more |= waiting::delete_ended(tx, now).await?;
            more |= page_keys::delete_old_requests(tx, now).await?;
            Ok(more | consent_codes::delete_old(tx, now).await?)
        })
    });
    delete.await
}
