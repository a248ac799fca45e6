//! What clients chose about mails.

use eventstore::{StoreError, Tx};
use kernel::id::{Booking, Customer};
use kernel::{Id, Timestamp};
use sqlx::{PgExecutor, Row as _};

use crate::domain::mail_preferences::MailPreferences;

/// The most bookings whose reminders are planned anew at once.
const BOOKINGS_MAX: i64 = 100;

/// What a client chose; `None` where the practice's own hours hold.
pub async fn of(
    executor: impl PgExecutor<'_>,
    customer_id: Id<Customer>,
) -> Result<Option<MailPreferences>, StoreError> {
    let row =
        sqlx::query("select reminder_hours, thanks from mail_preferences where customer_id = $1")
            .bind(customer_id)
            .fetch_optional(executor)
            .await?;
    let Some(row) = row else { return Ok(None) };
    Ok(MailPreferences::new(row.try_get("reminder_hours")?, row.try_get("thanks")?))
}

/// Keeps a choice. True where it is another one than before.
pub async fn choose(
    tx: &mut Tx,
    customer_id: Id<Customer>,
    chosen: &MailPreferences,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let changed = sqlx::query(
        "insert into mail_preferences (customer_id, reminder_hours, thanks, chosen_at)
         values ($1, $2, $3, $4)
         on conflict (customer_id) do update
         set reminder_hours = excluded.reminder_hours, thanks = excluded.thanks,
             chosen_at = excluded.chosen_at
         where mail_preferences.reminder_hours <> excluded.reminder_hours
            or mail_preferences.thanks <> excluded.thanks",
    )
    .bind(customer_id)
    .bind(chosen.reminder_hours())
    .bind(chosen.thanks)
    .bind(now)
    .execute(tx.connection())
    .await?;
    Ok(changed.rows_affected() > 0)
}

/// The bookings of a client with a session to come, the next ones to end first.
pub async fn coming(
    tx: &mut Tx,
    customer_id: Id<Customer>,
    now: Timestamp,
) -> Result<Vec<Id<Booking>>, StoreError> {
    Ok(sqlx::query_scalar(
        "select booking_id from bookings
         where customer_id = $1 and last_ends_at > $2
           and state in ('confirmed', 'meeting_scheduled')
         order by last_ends_at, booking_id limit $3",
    )
    .bind(customer_id)
    .bind(now)
    .bind(BOOKINGS_MAX)
    .fetch_all(tx.connection())
    .await?)
}
