//! Retention: deletes expired rows, so that personal data is kept no longer than needed.

use std::time::Duration;

use eventstore::{Store, StoreError};
use runtime::{BoxError, Shutdown};

use crate::app;

/// The interval between runs.
const INTERVAL: Duration = Duration::from_secs(600);

/// The statements, one per table. A sign-up that was not confirmed within a day is deleted, and an
/// invitation that was not accepted within a week. Accounts that administrators made stay.
const DELETE_EXPIRED: &[&str] = &[
    "delete from codes where expires_at <= clock_now()",
    "delete from code_mail_asks where asked_at <= clock_now() - interval '1 hour'",
    "delete from sessions where ends_at <= clock_now()",
    "delete from sessions where not_after <= clock_now()",
    "delete from flow_states where expires_at <= clock_now() - interval '1 hour'",
    "delete from ended_sessions where ended_at <= clock_now() - interval '2 hours'",
    "delete from provider_flows where expires_at <= clock_now()",
    "delete from phone_messages where created_at <= clock_now() - interval '1 day'",
    "delete from address_limits where forget_at <= clock_now()",
    "delete from challenges where expires_at <= clock_now()",
    "delete from factor_limits where forget_at <= clock_now()",
    "delete from account_notices where expires_at <= clock_now()",
    // An enrolment that was given up; the contract gives it 300 seconds.
    "delete from factors
     where status = 'unverified' and created_at <= clock_now() - interval '300 seconds'
       and greatest(created_at, last_challenged_at) <= clock_now() - interval '300 seconds'",
    "delete from users
     where email_confirmed_at is null and phone_confirmed_at is null and not is_anonymous
           and confirmation_sent_at is not null and deleted_at is null
           and last_sign_in_at is null
           and updated_at <= clock_now() - case when invited_at is null then interval '1 day'
                                                else interval '7 days' end",
    "delete from users u
     where is_anonymous and updated_at <= clock_now() - interval '1 day'
           and not exists (select 1 from sessions s where s.user_id = u.user_id)",
    "delete from service_keys where expires_at <= clock_now() - interval '400 days'",
    "delete from audit_entries where created_at <= clock_now() - interval '400 days'",
];

/// Deletes expired rows periodically until shutdown.
///
/// # Errors
/// Never; a database error is logged and retried at the next run.
pub async fn run(store: Store, shutdown: Shutdown) -> Result<(), BoxError> {
    loop {
        if let Err(error) = delete_expired(&store).await {
            tracing::warn!(%error, "what has ended could not be removed");
        }
        tokio::select! {
            () = shutdown.wait() => return Ok(()),
            () = tokio::time::sleep(INTERVAL) => {}
        }
    }
}

/// Deletes all expired rows once.
pub async fn delete_expired(store: &Store) -> Result<(), StoreError> {
    store
        .write(app::metadata(), |tx| {
            Box::pin(async move {
                for sql in DELETE_EXPIRED {
                    sqlx::query(*sql).execute(tx.connection()).await?;
                }
                Ok::<(), StoreError>(())
            })
        })
        .await
}
