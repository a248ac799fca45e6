//! The secret address of a practitioner's sessions, which other calendars subscribe to. Staff gives
//! it anew or takes it away; the secret is derived from the address's id and a key, so that no
//! table has it.

use std::sync::Arc;

use contract::booking::v1::{RenewCalendarFeedRequest, StopCalendarFeedRequest};
use eventstore::{Act, Metadata, new_id};
use kernel::id::CalendarFeed;
use service::IdempotencyKey;
use staff::Staff;

use super::App;
use super::block_time::practitioner;
use super::request::parse_key;

use crate::error::{Error, Rejection, refuse};
use crate::read_model::calendar_feeds::{self, Feed, FeedSession};

/// The names of the methods, in idempotency keys and the audit log.
pub const RENEW: &str = "RenewCalendarFeed";
/// See [`RENEW`].
pub const STOP: &str = "StopCalendarFeed";

/// How many days a past session stays in the calendar.
const DAYS_BACK: i64 = 30;
/// How many days ahead sessions are listed: further than can be booked (`horizon_days`).
const DAYS_AHEAD: i64 = 400;
/// Minutes per day.
const DAY_MINUTES: i64 = 24 * 60;

/// Gives a practitioner's sessions a new address.
///
/// # Errors
/// `PractitionerNotFound`, or when the database does not answer.
pub async fn renew_feed(
    app: &Arc<App>,
    staff: Staff,
    mut request: RenewCalendarFeedRequest,
) -> Result<Feed, Error> {
    let practitioner_id = practitioner(app, &request.practitioner_id)?;
    let key = parse_key(&std::mem::take(&mut request.idempotency_key))?;
    let key = Arc::new(IdempotencyKey::of(&staff.id, RENEW, key, &request));
    let new = new_id::<CalendarFeed>();
    let metadata = Metadata::traced(staff.id.to_string());
    let written = practitioner_id.clone();
    app.store
        .write(metadata, move |tx| {
            let (practitioner_id, key) = (written.clone(), Arc::clone(&key));
            let shows_client_names = request.shows_client_names;
            Box::pin(async move {
                if key.lookup::<CalendarFeed>(tx).await?.is_none() {
                    let renewed_at = tx.now().await?;
                    let feed =
                        Feed { practitioner_id, feed_id: new, shows_client_names, renewed_at };
                    calendar_feeds::upsert(tx, &feed).await?;
                    key.store(tx, new).await?;
                }
                tx.audit(staff, Act { action: RENEW, subject: "" }).await?;
                Ok::<(), Error>(())
            })
        })
        .await?;
    tracing::info!("the address of a practitioner's sessions was renewed");
    let feeds = calendar_feeds::all(app.store.pool()).await?;
    let feed = feeds.into_iter().find(|feed| feed.practitioner_id == practitioner_id);
    feed.ok_or(refuse(Rejection::CalendarFeedNotFound))
}

/// Takes the address of a practitioner's sessions away.
///
/// # Errors
/// `PractitionerNotFound`, or when the database does not answer.
pub async fn stop_feed(
    app: &Arc<App>,
    staff: Staff,
    request: StopCalendarFeedRequest,
) -> Result<(), Error> {
    // A practitioner who left the practice's file may still have an address.
    let practitioner_id = match practitioner(app, &request.practitioner_id) {
        Ok(known) => known,
        Err(refused) => {
            let feeds = calendar_feeds::all(app.store.pool()).await?;
            let former = |feed: &Feed| feed.practitioner_id == request.practitioner_id;
            if !feeds.iter().any(former) {
                return Err(refused);
            }
            request.practitioner_id
        }
    };
    let metadata = Metadata::traced(staff.id.to_string());
    app.store
        .write(metadata, move |tx| {
            let practitioner_id = practitioner_id.clone();
            Box::pin(async move {
                calendar_feeds::delete(tx, &practitioner_id).await?;
                tx.audit(staff, Act { action: STOP, subject: "" }).await?;
                Ok(())
            })
        })
        .await
}

/// The address of a secret, with the practitioner's sessions of the last 30 days and all that are
/// to come.
///
/// # Errors
/// `CalendarFeedNotFound`, or when the database does not answer.
pub async fn read_feed(app: &App, secret: &str) -> Result<(Feed, Vec<FeedSession>), Error> {
    let not_found = || refuse(Rejection::CalendarFeedNotFound);
    let feed_id = app.feed_secrets.feed_id(secret).ok_or_else(not_found)?;
    let pool = app.store.pool();
    let feed = calendar_feeds::find(pool, feed_id).await?.ok_or_else(not_found)?;
    let now = app.store.now().await?;
    let from = now.plus_minutes(-DAYS_BACK * DAY_MINUTES);
    let to = now.plus_minutes(DAYS_AHEAD * DAY_MINUTES);
    let sessions = calendar_feeds::sessions(pool, &feed, (from, to)).await?;
    Ok((feed, sessions))
}
