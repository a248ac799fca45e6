//! Queries of bookings that staff made by phone.

use eventstore::StoreError;
use kernel::Id;
use kernel::id::Booking;
use sqlx::PgExecutor;

/// The SQL of [`of_email`], public so that a test can check its query plan.
pub const OF_EMAIL: &str =
    "select booking_id from phone_bookings where email = $1 order by made_at limit $2";

/// The bookings that the account of an address (in lower case) may adopt, oldest first.
pub async fn of_email(
    executor: impl PgExecutor<'_>,
    email: &str,
    at_most: i64,
) -> Result<Vec<Id<Booking>>, StoreError> {
    Ok(sqlx::query_scalar(OF_EMAIL).bind(email).bind(at_most).fetch_all(executor).await?)
}
