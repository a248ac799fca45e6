//! Completed sessions from booking's feed, and the review that each proved. Every statement is
//! idempotent, because events may be delivered repeatedly.

use eventstore::{StoreError, Tx};
use kernel::id::{Booking, Customer, Review};
use kernel::{Id, Timestamp};
use sqlx::{PgExecutor, Row as _};

/// A completed session.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CompletedSession {
    /// When it was completed.
    pub at: Timestamp,
    /// Whether it has proved a review.
    pub used: bool,
}

/// Stores the customer of a booking, and whether it costs nothing: then it never proves a review.
pub async fn insert(
    tx: &mut Tx,
    booking_id: Id<Booking>,
    customer_id: Id<Customer>,
    is_free: bool,
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into sessions (booking_id, customer_id, is_free) values ($1, $2, $3)
         on conflict (booking_id) do nothing",
    )
    .bind(booking_id)
    .bind(customer_id)
    .bind(is_free)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Stores the account that adopted a booking; false when the booking is unknown. The request of a
/// booking adds nothing to a row that is there, so a repeat of it does not undo this.
pub async fn set_customer(
    tx: &mut Tx,
    booking_id: Id<Booking>,
    customer_id: Id<Customer>,
) -> Result<bool, StoreError> {
    let known = sqlx::query("update sessions set customer_id = $2 where booking_id = $1")
        .bind(booking_id)
        .bind(customer_id)
        .execute(tx.connection())
        .await?
        .rows_affected();
    Ok(known > 0)
}

/// Stores the completion of a session; false when the booking is unknown.
pub async fn mark_completed(
    tx: &mut Tx,
    booking_id: Id<Booking>,
    at: Timestamp,
) -> Result<bool, StoreError> {
    let known = sqlx::query(
        "update sessions set completed_at = coalesce(completed_at, $2) where booking_id = $1",
    )
    .bind(booking_id)
    .bind(at)
    .execute(tx.connection())
    .await?
    .rows_affected();
    Ok(known > 0)
}

/// Stores whether the client came to no session of a booking, which then proves no review; false
/// when the booking is unknown.
pub async fn mark_no_show(
    tx: &mut Tx,
    booking_id: Id<Booking>,
    no_show: bool,
) -> Result<bool, StoreError> {
    let known = sqlx::query("update sessions set no_show = $2 where booking_id = $1")
        .bind(booking_id)
        .bind(no_show)
        .execute(tx.connection())
        .await?
        .rows_affected();
    Ok(known > 0)
}

/// The completed session of a booking that can prove a review; `None` when it has none.
pub async fn by_booking(
    executor: impl PgExecutor<'_>,
    booking_id: Id<Booking>,
) -> Result<Option<CompletedSession>, StoreError> {
    let row = sqlx::query(
        "select completed_at, review_id is not null as used from sessions
         where booking_id = $1 and completed_at is not null and not is_free
               and not no_show",
    )
    .bind(booking_id)
    .fetch_optional(executor)
    .await?;
    let Some(row) = row else { return Ok(None) };
    Ok(Some(CompletedSession { at: row.try_get("completed_at")?, used: row.try_get("used")? }))
}

/// The same under a row lock: concurrent proofs with this session wait.
pub async fn lock_by_booking(
    tx: &mut Tx,
    booking_id: Id<Booking>,
) -> Result<Option<CompletedSession>, StoreError> {
    sqlx::query("select from sessions where booking_id = $1 for update")
        .bind(booking_id)
        .execute(tx.connection())
        .await?;
    by_booking(tx.connection(), booking_id).await
}

/// Whether a customer has a completed session that has proved no review yet.
pub async fn has_unused(
    executor: impl PgExecutor<'_>,
    customer_id: Id<Customer>,
) -> Result<bool, StoreError> {
    let can = sqlx::query_scalar(
        "select exists (select from sessions
                        where customer_id = $1 and completed_at is not null
                          and review_id is null and not is_free and not no_show)",
    )
    .bind(customer_id)
    .fetch_one(executor)
    .await?;
    Ok(can)
}

/// The oldest such session, under a row lock. The oldest is used because invitations of later ones
/// are valid longer.
pub async fn lock_oldest_of_customer(
    tx: &mut Tx,
    customer_id: Id<Customer>,
) -> Result<Option<Id<Booking>>, StoreError> {
    let booking_id = sqlx::query_scalar(
        "select booking_id from sessions
         where customer_id = $1 and completed_at is not null and review_id is null
               and not is_free and not no_show
         order by completed_at limit 1
         for update",
    )
    .bind(customer_id)
    .fetch_optional(tx.connection())
    .await?;
    Ok(booking_id)
}

/// Marks a session as used by a review. Needs the session's lock.
pub async fn mark_used(
    tx: &mut Tx,
    booking_id: Id<Booking>,
    review_id: Id<Review>,
) -> Result<(), StoreError> {
    sqlx::query("update sessions set review_id = $2 where booking_id = $1 and review_id is null")
        .bind(booking_id)
        .bind(review_id)
        .execute(tx.connection())
        .await?;
    Ok(())
}
