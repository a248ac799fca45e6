//! One caller at a time creates something at the provider. The work runs in a task of its own and
//! under a lease, so that a caller who disconnects leaves neither half of it behind nor others
//! waiting.

use std::convert::Infallible;
use std::sync::Arc;
use std::time::Duration;

use kernel::id::Booking;
use kernel::{CommandError, Id};

use super::App;
use crate::error::Error;
use crate::repository::leases::{self, Creation};

/// How long a lease lasts if its process dies. A live holder renews it.
pub const LEASE_SECONDS: i32 = 5;
/// How often the lease is renewed.
const RENEW_EVERY: Duration = Duration::from_secs(1);
/// How long to wait for another holder's lease.
pub const LEASE_WAIT: Duration = Duration::from_secs(9);
/// How often to check whether that lease has ended.
pub const LEASE_POLL: Duration = Duration::from_millis(100);

/// Does the work under a booking's lease, with the lease's number; none if another caller has it.
/// The lease of an order ends with the order, each other one with its work.
///
/// # Errors
/// What the work fails with, or that the database does not answer.
pub async fn under_lease<T, W>(
    app: &Arc<App>,
    booking_id: Id<Booking>,
    what: Creation,
    work: impl FnOnce(Arc<App>, i32) -> W + Send + 'static,
) -> Result<Option<T>, Error>
where
    T: Send + 'static,
    W: Future<Output = Result<T, Error>> + Send + 'static,
{
    let app = Arc::clone(app);
    uncancelled(async move {
        let pool = app.store.pool();
        let Some(lease) = leases::acquire(pool, booking_id, what, LEASE_SECONDS).await? else {
            return Ok(None);
        };
        let work = work(Arc::clone(&app), lease);
        holding(&app, booking_id, (what, lease), work).await.map(Some)
    })
    .await
}

/// Does the work in a task of its own, which goes on when the caller is gone.
///
/// # Errors
/// What the work fails with.
pub async fn uncancelled<T: Send + 'static>(
    work: impl Future<Output = Result<T, Error>> + Send + 'static,
) -> Result<T, Error> {
    match runtime::spawn(work).await {
        Ok(done) => done,
        Err(error) => Err(CommandError::unavailable(error)),
    }
}

/// Does the work of a lease's holder, and renews the lease meanwhile. To be called in a task that
/// is not cancelled.
///
/// # Errors
/// What the work fails with, or that the database does not answer.
pub async fn holding<T>(
    app: &App,
    booking_id: Id<Booking>,
    lease: (Creation, i32),
    work: impl Future<Output = Result<T, Error>>,
) -> Result<T, Error> {
    let done = tokio::select! {
        done = work => done,
        never = renew(app, booking_id, lease) => match never {},
    };
    if done.is_err() || lease.0 != Creation::Order {
        leases::release(app.store.pool(), booking_id, lease).await?;
    }
    done
}

/// Renews the lease for as long as this future is polled.
async fn renew(app: &App, booking_id: Id<Booking>, lease: (Creation, i32)) -> Infallible {
    loop {
        tokio::time::sleep(RENEW_EVERY).await;
        let renewed = leases::renew(app.store.pool(), booking_id, lease, LEASE_SECONDS).await;
        if let Err(error) = renewed {
            // At worst another caller acquires the lease, finds the receipt or the reference in use
            // and looks it up.
            tracing::warn!(%error, %booking_id, "a turn could not be kept");
        }
    }
}
