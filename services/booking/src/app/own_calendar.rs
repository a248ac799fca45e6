//! The secret address of a client's own sessions, which the client's calendar subscribes to. The
//! client gives it anew or takes it away; its secret is made as that of a practitioner's address.

use std::sync::Arc;

use contract::booking::v1::RenewOwnCalendarRequest;
use eventstore::{Metadata, new_id};
use kernel::Id;
use kernel::id::{CalendarFeed, Customer};
use service::IdempotencyKey;

use super::App;
use super::request::parse_key;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::own_calendars::{self, OwnCalendar, OwnSession};

const RENEW: &str = "RenewOwnCalendar";

/// How many days a past session stays in the calendar.
const DAYS_BACK: i64 = 30;
/// Minutes per day.
const DAY_MINUTES: i64 = 24 * 60;

/// Gives a client's own sessions a new address.
///
/// # Errors
/// `InvalidIdempotencyKey`, or when the database does not answer.
pub async fn renew_own_calendar(
    app: &Arc<App>,
    customer_id: Id<Customer>,
    mut request: RenewOwnCalendarRequest,
) -> Result<OwnCalendar, Error> {
    let key = parse_key(&std::mem::take(&mut request.idempotency_key))?;
    let key = Arc::new(IdempotencyKey::of(&customer_id, RENEW, key, &request));
    let feed_id = new_id::<CalendarFeed>();
    let details = request.details;
    app.store
        .write(Metadata::traced(customer_id.to_string()), move |tx| {
            let key = Arc::clone(&key);
            Box::pin(async move {
                if key.lookup::<CalendarFeed>(tx).await?.is_none() {
                    let renewed_at = tx.now().await?;
                    let calendar = OwnCalendar { customer_id, feed_id, details, renewed_at };
                    own_calendars::upsert(tx, &calendar).await?;
                    key.store(tx, feed_id).await?;
                }
                Ok::<(), Error>(())
            })
        })
        .await?;
    let calendar = own_calendars::of(app.store.pool(), customer_id).await?;
    calendar.ok_or(refuse(Rejection::CalendarFeedNotFound))
}

/// Takes the address of a client's own sessions away.
///
/// # Errors
/// When the database does not answer.
pub async fn stop_own_calendar(app: &Arc<App>, customer_id: Id<Customer>) -> Result<(), Error> {
    app.store
        .write(Metadata::traced(customer_id.to_string()), move |tx| {
            Box::pin(async move { Ok::<(), Error>(own_calendars::delete(tx, customer_id).await?) })
        })
        .await
}

/// A client's address by its secret, with the own sessions of the last 30 days and all that are to
/// come; `None` where the secret is not that of a client's address.
///
/// # Errors
/// When the database does not answer.
pub async fn read_own_calendar(
    app: &App,
    secret: &str,
) -> Result<Option<(OwnCalendar, Vec<OwnSession>)>, Error> {
    let Some(feed_id) = app.feed_secrets.feed_id(secret) else { return Ok(None) };
    let pool = app.store.pool();
    let Some(calendar) = own_calendars::find(pool, feed_id).await? else { return Ok(None) };
    let from = app.store.now().await?.plus_minutes(-DAYS_BACK * DAY_MINUTES);
    let sessions = own_calendars::sessions(pool, calendar.customer_id, from).await?;
    Ok(Some((calendar, sessions)))
}
