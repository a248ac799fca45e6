//! Reads a practitioner's own calendar every few minutes. Its busy times close times like any
//! block; bookings that are there already stay. A calendar that cannot be read keeps its last busy
//! times closed and stands on a list for staff.

use std::collections::BTreeSet;
use std::sync::Arc;

use contract::booking::v1::ReadCalendarSourceRequest;
use eventstore::{Act, Metadata, Tx};
use jiff::tz::TimeZone;
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use runtime::status::chain;
use runtime::{BoxError, failpoint};
use staff::Staff;

use super::App;
use super::staff_scope::Scope;
use crate::clients::busy_calendar::{BusyReader, BusyTimes, Unreadable, named_bookings};
use crate::clients::calendars::{CalendarError, Fetched, Source};
use crate::domain::span::Span;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::busy_times::{self, SourceState};
use crate::read_model::query;
use crate::repository::busy_times::{
    Reading, delete_others, forget_contents, store, store_failure, store_unchanged,
};
use crate::timers::kinds::{self, READ_CALENDAR};

/// The method's name, in the audit log.
pub const METHOD: &str = "ReadCalendarSource";

/// The seconds between two readings of a calendar.
const PERIOD_SECONDS: i64 = 5 * 60;
/// The seconds before a calendar that cannot be read is tried again. Each further attempt waits for
/// as long as it could not be read, and at most a period: a server that was away for a moment, for
/// example while a practice starts, costs no five minutes.
const RETRY_SECONDS: i64 = 10;
/// How many days past the last bookable one are read, so that a calendar that does not change need
/// not be read whole each time.
const DAYS_BEYOND: i64 = 2;
/// The minutes for which a calendar that does not change is not read whole.
const WHOLE_MINUTES: i64 = 24 * 60;
/// How long a calendar may be unreadable before that is a concern: servers have their bad minutes.
const CONCERN_MINUTES: i32 = 30;
/// Minutes per day.
const DAY_MINUTES: i64 = 24 * 60;

/// What came of asking for a calendar.
enum Outcome {
    Read(BusyTimes, Option<String>),
    Unchanged,
    Failed(CalendarError),
}

/// Fails while a calendar cannot be read for so long that staff must act.
///
/// # Errors
/// The ids of such calendars.
pub async fn are_read(app: Arc<App>) -> Result<(), BoxError> {
    if app.calendars.sources().is_empty() {
        return Ok(());
    }
    let failing = busy_times::failing_for(app.store.pool(), CONCERN_MINUTES).await?;
    if failing.is_empty() {
        return Ok(());
    }
    Err(format!("calendars cannot be read: {}", failing.join(", ")).into())
}

/// Reads a calendar and sets its next reading.
///
/// # Errors
/// When the database does not answer; that the calendar cannot be read is no error.
pub async fn read_calendar(
    app: &Arc<App>,
    metadata: Metadata,
    calendar_id: &str,
) -> Result<(), Error> {
    let source = app.calendars.get(calendar_id).cloned();
    let outcome = match &source {
        Some(source) => Some(fetch(app, source).await?),
        None => None,
    };
    if let Some(Outcome::Failed(error)) = &outcome {
        tell(app, calendar_id, error).await?;
    }
    let outcome = Arc::new(outcome);
    let calendar_id: Arc<str> = calendar_id.into();
    app.store
        .write(metadata, move |tx| {
            let (source, outcome) = (source.clone(), Arc::clone(&outcome));
            let calendar_id = Arc::clone(&calendar_id);
            Box::pin(async move {
                let (Some(source), Some(outcome)) = (source, outcome.as_ref()) else {
                    // The practice's file does not name it any more.
                    return Ok(tx.end_timer(READ_CALENDAR, &calendar_id).await?);
                };
                record(tx, &source, outcome).await
            })
        })
        .await
}

/// Writes to the log that a calendar cannot be read. One that never could be closes nothing.
async fn tell(app: &App, calendar_id: &str, error: &CalendarError) -> Result<(), Error> {
    let why = chain(error);
    let states = busy_times::states(app.store.pool()).await?;
    if states.get(calendar_id).is_some_and(|state| state.read_at.is_some()) {
        tracing::warn!(calendar_id, why, "a calendar cannot be read, and its last times stay");
    } else {
        tracing::error!(calendar_id, why, "a calendar was never read, and closes no times");
    }
    Ok(())
}

/// Asks for a calendar, outside any transaction.
async fn fetch(app: &App, source: &Arc<Source>) -> Result<Outcome, Error> {
    let states = busy_times::states(app.store.pool()).await?;
    let now = app.store.now().await?;
    let Some(window) = window(app, now) else { return Ok(Outcome::Unchanged) };
    let known = states.get(&source.calendar_id).and_then(|state| known_etag(state, now));
    failpoint::pass(&"calendar.before");
    let fetched = app.calendars.fetch(source, window, known.as_deref()).await;
    failpoint::pass(&"calendar.after");
    Ok(match fetched {
        Ok(Fetched::Unchanged) => Outcome::Unchanged,
        Ok(Fetched::Files(files, etag)) => {
            let own = own_bookings(app, &files).await?;
            let (zone, invited_as) = (app.rules.zone.clone(), source.invited_as.clone());
            match read_files(files, window, zone, invited_as, own).await {
                Ok(busy) => Outcome::Read(busy, etag),
                Err(unreadable) => Outcome::Failed(unreadable.into()),
            }
        }
        Err(error) => Outcome::Failed(error),
    })
}

/// The bookings of ours whose sessions these files have: another practice's sessions have ids of
/// the same form.
async fn own_bookings(app: &App, files: &[String]) -> Result<BTreeSet<Id<Booking>>, Error> {
    let named: Vec<_> = files.iter().flat_map(|file| named_bookings(file)).collect();
    let known = query::versions(app.store.pool(), &named).await?;
    Ok(known.into_iter().map(|(booking, _version)| booking).collect())
}

/// The times that may be booked, from the beginning of today on.
fn window(app: &App, now: Timestamp) -> Option<Span> {
    let (from, _) = app.rules.bounds(app.rules.date_of(now));
    let (_, to) = app.rules.bounds(app.rules.last_date(now));
    Span::new(from, to.plus_minutes(DAYS_BEYOND * DAY_MINUTES))
}

/// The server's name for the content that is known, while its busy times reach far enough.
fn known_etag(state: &SourceState, now: Timestamp) -> Option<String> {
    let expanded_at = state.expanded_at?;
    let is_recent = now.seconds_since(expanded_at) < WHOLE_MINUTES * 60;
    state.etag.clone().filter(|_| is_recent)
}

/// Reads files beside the other tasks: a large one takes a while. What breaks the reader makes the
/// calendar unreadable, and nothing else.
async fn read_files(
    files: Vec<String>,
    window: Span,
    zone: TimeZone,
    invited_as: Vec<String>,
    own: BTreeSet<Id<Booking>>,
) -> Result<BusyTimes, Unreadable> {
    let reading = tokio::task::spawn_blocking(move || {
        let reader = BusyReader::new(window, &zone).invited_as(&invited_as);
        let mut reader = reader.without_sessions_of(own);
        files.iter().try_for_each(|file| reader.read(file))?;
        reader.finish()
    });
    reading.await.unwrap_or(Err(Unreadable::NotACalendar))
}

async fn record(tx: &mut Tx, source: &Source, outcome: &Outcome) -> Result<(), Error> {
    let now = tx.now().await?;
    let (calendar_id, practitioner_id) =
        (source.calendar_id.as_str(), source.practitioner_id.as_str());
    let mut wait = PERIOD_SECONDS;
    match outcome {
        Outcome::Read(busy, etag) => {
            let reading = Reading {
                calendar_id,
                practitioner_id,
                spans: &busy.spans,
                events: busy.events,
                odd_events: busy.odd_events,
                etag: etag.as_deref(),
            };
            store(tx, &reading, now).await?;
        }
        Outcome::Unchanged => store_unchanged(tx, calendar_id, now).await?,
        Outcome::Failed(error) => {
            let ids = (calendar_id, practitioner_id);
            let since = store_failure(tx, ids, error.word(), now).await?;
            wait = now.seconds_since(since).clamp(RETRY_SECONDS, PERIOD_SECONDS);
        }
    }
    let next = now.plus_seconds(wait);
    tx.set_timer(READ_CALENDAR, calendar_id, next, kinds::payload(tx)).await?;
    Ok(())
}

/// Sets the readings of the practice's calendars, each at once, and forgets those that its file
/// does not name any more: their times are open again.
pub async fn schedule_readings(app: &Arc<App>) -> Result<(), Error> {
    let named: Vec<String> =
        app.calendars.sources().iter().map(|source| source.calendar_id.clone()).collect();
    let metadata = Metadata::traced("booking");
    app.store
        .write(metadata, move |tx| {
            let named = named.clone();
            Box::pin(async move {
                for forgotten in delete_others(tx, &named).await? {
                    tx.end_timer(READ_CALENDAR, &forgotten).await?;
                    tracing::info!(calendar_id = forgotten, "a calendar is not read any more");
                }
                forget_contents(tx).await?;
                let now = tx.now().await?;
                for calendar_id in &named {
                    tx.set_timer(READ_CALENDAR, calendar_id, now, kinds::payload(tx)).await?;
                }
                Ok(())
            })
        })
        .await
}

/// Staff has a calendar read now.
///
/// # Errors
/// `CalendarSourceNotFound`, or when the database does not answer.
pub async fn read_soon(
    app: &Arc<App>,
    (staff, scope): (Staff, &Scope),
    request: ReadCalendarSourceRequest,
) -> Result<(), Error> {
    let source = app.calendars.get(&request.calendar_id);
    let source = source.filter(|it| scope.admits(&it.practitioner_id));
    let source = source.ok_or(refuse(Rejection::CalendarSourceNotFound))?;
    let calendar_id = source.calendar_id.clone();
    let metadata = Metadata::traced(staff.id.to_string());
    app.store
        .write(metadata, move |tx| {
            let calendar_id = calendar_id.clone();
            Box::pin(async move {
                let now = tx.now().await?;
                tx.set_timer(READ_CALENDAR, &calendar_id, now, kinds::payload(tx)).await?;
                tx.audit(staff, Act { action: METHOD, subject: "" }).await?;
                Ok(())
            })
        })
        .await
}
