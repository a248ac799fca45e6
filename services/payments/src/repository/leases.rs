//! The leases for creating something at the provider: one caller at a time creates a booking's
//! order, and one its payment link. They measure a process's life, so they run on the real clock.

use eventstore::StoreError;
use kernel::Id;
use kernel::id::Booking;
use sqlx::PgExecutor;

/// What is created under a lease.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Creation {
    /// The one order; without a lease once there is one.
    Order,
    /// A payment link.
    Link,
}

/// Acquires a booking's lease if no valid one exists. Returns its number, from 1.
pub async fn acquire(
    executor: impl PgExecutor<'_>,
    booking_id: Id<Booking>,
    what: Creation,
    seconds: i32,
) -> Result<Option<i32>, StoreError> {
    let lease = sqlx::query_scalar(match what {
        Creation::Order => {
            "update collections
             set ordering_until_at = clock_timestamp() + make_interval(secs => $2),
                 ordering_turns = ordering_turns + 1
             where booking_id = $1 and order_id is null
               and ordering_until_at <= clock_timestamp()
             returning ordering_turns"
        }
        Creation::Link => {
            "update collections
             set linking_until_at = clock_timestamp() + make_interval(secs => $2),
                 linking_turns = linking_turns + 1
             where booking_id = $1 and linking_until_at <= clock_timestamp()
             returning linking_turns"
        }
    })
    .bind(booking_id)
    .bind(f64::from(seconds))
    .fetch_optional(executor)
    .await?;
    Ok(lease)
}

/// Renews a lease; its holder calls it while it is alive.
pub async fn renew(
    executor: impl PgExecutor<'_>,
    booking_id: Id<Booking>,
    (what, lease): (Creation, i32),
    seconds: i32,
) -> Result<(), StoreError> {
    sqlx::query(match what {
        Creation::Order => {
            "update collections
             set ordering_until_at = clock_timestamp() + make_interval(secs => $3)
             where booking_id = $1 and ordering_turns = $2 and order_id is null"
        }
        Creation::Link => {
            "update collections
             set linking_until_at = clock_timestamp() + make_interval(secs => $3)
             where booking_id = $1 and linking_turns = $2"
        }
    })
    .bind(booking_id)
    .bind(lease)
    .bind(f64::from(seconds))
    .execute(executor)
    .await?;
    Ok(())
}

/// Releases a lease, so that the next caller need not wait for its end.
pub async fn release(
    executor: impl PgExecutor<'_>,
    booking_id: Id<Booking>,
    (what, lease): (Creation, i32),
) -> Result<(), StoreError> {
    sqlx::query(match what {
        Creation::Order => {
            "update collections set ordering_until_at = '-infinity'
             where booking_id = $1 and ordering_turns = $2"
        }
        Creation::Link => {
            "update collections set linking_until_at = '-infinity'
             where booking_id = $1 and linking_turns = $2"
        }
    })
    .bind(booking_id)
    .bind(lease)
    .execute(executor)
    .await?;
    Ok(())
}
