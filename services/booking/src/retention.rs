//! Retention: deletes expired idempotency keys, ended reports, old invitations and events of the
//! scheduling provider that no booking got, once a day.

use eventstore::{Metadata, Store};

use crate::error::Error;
use crate::repository::{
    consent_codes, hold_origins, invitations, page_keys, scheduled_events, widget_reports,
};
use crate::timers::kinds::{self, RETENTION};

const DAY_MINUTES: i64 = 24 * 60;

/// Deletes a batch of each, and sets the next timer: in a minute if more
/// are left, otherwise tomorrow.
///
/// # Errors
/// When the database does not answer; the timer retries.
pub async fn delete_expired(store: &Store, subject: String) -> Result<(), Error> {
    let metadata = Metadata::by("booking", runtime::telemetry::traceparent());
    let deleted = store
        .write(metadata, move |tx| {
            let subject = subject.clone();
            Box::pin(async move {
                let deleted = tx.delete_old_keys().await?;
                let now = tx.now().await?;
                let more_reports = widget_reports::delete_ended(tx, now).await?;
                let more_events = scheduled_events::delete_old(tx, now).await?;
                let more_invitations = invitations::delete_ended(tx, now).await?;
                let more_origins = hold_origins::delete_old(tx, now).await?;
                let more_requests = page_keys::delete_old_requests(tx, now).await?;
                let more_codes = consent_codes::delete_old(tx, now).await?;
                let more_invitations =
                    more_invitations || more_origins || more_requests || more_codes;
                let more = deleted.is_part || more_reports || more_events || more_invitations;
                let minutes = if more { 1 } else { DAY_MINUTES };
                let next = now.plus_minutes(minutes);
                let payload = kinds::payload(tx);
                tx.set_timer(RETENTION, &subject, next, payload).await?;
                Ok::<u64, Error>(deleted.count)
            })
        })
        .await?;
    tracing::info!(deleted, "old idempotency keys are gone");
    Ok(())
}
