//! What notifications' database holds: mails about a range of bookings, and page by page those
//! about nothing of that kind.

use anyhow::Result;
use kernel::Id;
use kernel::id::{Mail, Review};
use notifications::timers::kinds::SEND_MAIL;
use uuid::Uuid;

use crate::blank::{Parked, empty};
use crate::range::{Range, SETTLED_AFTER_SECONDS};
use crate::rows;
use crate::snapshot::{Log, MailRow, NotificationsStore, Snapshot};
use crate::stores::{Store, Stores};
use crate::streams::{events_of, timer};

/// How many mails or reviews a page has at most.
const PAGE: i64 = 1_000;
/// The mail that the practice gets for a review.
const REVIEW_NOTICE: &str = "review_notice";

/// The mails about a range of bookings.
pub(super) async fn read(
    store: &mut Store,
    range: &Range,
    into: &mut NotificationsStore,
) -> Result<()> {
    let query = sqlx::query(
        "select * from mails where booking_id between $1 and $2 and booking_id <> all($3)",
    );
    let query = query.bind(range.first).bind(range.last).bind(range.ids_without());
    let mails = store.rows(query, rows::mail).await?;
    add(store, mails, into).await
}

/// Mails with their events and timers.
async fn add(store: &mut Store, mails: Vec<MailRow>, into: &mut NotificationsStore) -> Result<()> {
    let streams = mails.iter().map(|row| format!("mail-{}", row.mail_id.uuid())).collect();
    into.log.events = events_of(store, streams).await?;
    let subjects: Vec<String> = mails.iter().map(|row| row.mail_id.to_string()).collect();
    let timers = sqlx::query(
        "select kind, subject, due_at from timers where kind = $1 and subject = any($2)",
    );
    into.log.timers = store.rows(timers.bind(SEND_MAIL).bind(subjects), timer).await?;
    into.mails = mails;
    Ok(())
}

/// A page of mails that are about no booking and no review, after `last`.
pub(crate) async fn mails_without_booking(
    stores: &mut Stores,
    parked: &Parked,
    last: Option<Id<Mail>>,
) -> Result<Option<(Snapshot, Id<Mail>)>> {
    let query = sqlx::query(
        "select * from mails
         where booking_id is null and kind <> $1 and ($2::uuid is null or mail_id > $2)
         order by mail_id limit $3",
    );
    let query = query.bind(REVIEW_NOTICE).bind(last.map(Id::uuid)).bind(PAGE);
    let mails = stores.notifications.rows(query, rows::mail).await?;
    let Some(end) = mails.last().map(|row| row.mail_id) else { return Ok(None) };
    let mut snapshot = empty(stores, parked);
    add(&mut stores.notifications, mails, &mut snapshot.notifications).await?;
    Ok(Some((snapshot, end)))
}

/// A page of reviews with the mails about them, after the stream `last`.
pub(crate) async fn reviews(
    stores: &mut Stores,
    parked: &Parked,
    last: &str,
) -> Result<Option<(Snapshot, String)>> {
    let query = sqlx::query(
        "select stream_id from events
         where stream_id like 'review-%' and stream_id > $1 and version = 1 and recorded_at <= $2
         order by stream_id limit $3",
    );
    let settled = stores.taken_at.plus_seconds(-SETTLED_AFTER_SECONDS);
    let query = query.bind(last.to_owned()).bind(settled).bind(PAGE);
    let streams: Vec<String> = stores.reviews.rows(query, |row| sqlx::Row::try_get(row, 0)).await?;
    let Some(end) = streams.last().cloned() else { return Ok(None) };
    let subjects: Vec<String> = streams.iter().filter_map(|stream| subject(stream)).collect();
    let events = events_of(&mut stores.reviews, streams).await?;
    let query = sqlx::query("select * from mails where kind = $1 and subject = any($2)");
    let query = query.bind(REVIEW_NOTICE).bind(subjects);
    let mails = stores.notifications.rows(query, rows::mail).await?;
    let mut snapshot = empty(stores, parked);
    snapshot.reviews = Some(Log { events, ..Log::default() });
    add(&mut stores.notifications, mails, &mut snapshot.notifications).await?;
    Ok(Some((snapshot, end)))
}

/// The subject of the mail about a review, by its stream.
fn subject(stream: &str) -> Option<String> {
    let id = Uuid::parse_str(stream.strip_prefix("review-")?).ok()?;
    Some(Id::<Review>::from_uuid(id).to_string())
}
