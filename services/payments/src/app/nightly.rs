//! The nightly jobs, in order: the provider's list of payments is compared, its payouts are posted,
//! and overdue reconciliation exceptions are logged. Each timer run does one page, so that a crash
//! costs one page.

use eventstore::{Metadata, Store, StoreError, Timer};
use kernel::Timestamp;
use serde_json::{Value, json};

use super::App;
use super::backfill_ledger::backfill_ledger;
use super::import_payment::skip_after_retries;
use super::list_disputes::list_disputes;
use super::list_payments::{list_page, listed_from, look_up_open_items};
use super::reconciliation_exceptions::report_overdue;
use super::settle_day::{PageCursor, check_sums, days_back, settle_page};
use crate::error::Error;
use crate::read_model::ledger::{unequal_balances, write_closing};
use crate::repository::timers;

/// Compares the provider's list of payments with our ledger.
pub const LIST_PAYMENTS: &str = "list-payments";
/// Posts the provider's payouts.
pub const SETTLE_DAY: &str = "settle-day";
/// Logs overdue reconciliation exceptions.
pub const TELL_UNEXPLAINED: &str = "tell-unexplained";

const MINUTE: i64 = 60;
const DAY: i64 = 24 * 60 * MINUTE;
/// How many rounds of look-ups a night has.
const ROUNDS: i64 = 8;
/// There is one of each.
const ALL: &str = "all";

/// The jobs, and at which second of a day by UTC each is due: 2:00, 2:30 and 3:30 in India.
const JOBS: [(&str, i64); 3] = [
    (LIST_PAYMENTS, 20 * 60 * MINUTE + 30 * MINUTE),
    (SETTLE_DAY, 21 * 60 * MINUTE),
    (TELL_UNEXPLAINED, 22 * 60 * MINUTE),
];

/// Whether a timer is one of these.
#[must_use]
pub fn is_nightly(kind: &str) -> bool {
    JOBS.iter().any(|(job, _)| *job == kind)
}

/// The next time of a job.
fn next(kind: &str, now: Timestamp) -> Timestamp {
    let second = JOBS.iter().find(|(job, _)| *job == kind).map_or(0, |(_, second)| *second);
    let today = now.plus_seconds(second - now.seconds().rem_euclid(DAY));
    if today > now { today } else { today.plus_seconds(DAY) }
}

/// Sets the timers that are not set: a migration has set them once, and each one sets itself anew,
/// so at the start nothing is to be done unless a row was lost.
pub async fn start(store: &Store) -> Result<(), Error> {
    store
        .write(Metadata::by("payments", None), |tx| {
            Box::pin(async move {
                let now = tx.now().await?;
                for (kind, _) in JOBS {
                    if !timers::is_set(tx, kind).await? {
                        tx.set_timer(kind, ALL, next(kind, now), json!({})).await?;
                    }
                }
                Ok::<(), Error>(())
            })
        })
        .await
}

/// Does the page in the timer's payload, and sets the timer to the next page or the next night.
///
/// # Errors
/// When the database or the provider does not answer; then the timer tries the page again.
pub async fn fire(app: &App, timer: &Timer) -> Result<(), Error> {
    let now = app.store.now().await?;
    let at = |field: &str| timer.payload.get(field).and_then(Value::as_i64);
    let skip = at("skip").and_then(|skip| usize::try_from(skip).ok());
    let payload = match timer.kind.as_str() {
        LIST_PAYMENTS => {
            let listing = Listing::read(now, &timer.payload);
            compare(app, now, &listing, timer.attempts).await?
        }
        SETTLE_DAY => {
            let met = at("met").and_then(|met| usize::try_from(met).ok());
            let cursor = PageCursor { skip: skip.unwrap_or(0), met: met.unwrap_or(0) };
            settle(app, now, (at("back"), cursor), timer.attempts).await?
        }
        _ => {
            report_overdue(app).await?;
            backfill_ledger(&app.store).await?;
            close_ledger(app).await?;
            None
        }
    };
    let kind = timer.kind.clone();
    let done = payload.as_ref().is_none_or(|payload| payload.get(BEFORE).is_some());
    let due = if done { next(&kind, now) } else { now };
    let payload = payload.unwrap_or_else(|| json!({}));
    app.store
        .write(Metadata::by("payments", None), move |tx| {
            let (kind, payload) = (kind.clone(), payload.clone());
            Box::pin(async move { Ok(tx.set_timer(&kind, ALL, due, payload).await?) })
        })
        .await
}

/// Closes the ledger's accounts, and compares them with what is open.
async fn close_ledger(app: &App) -> Result<(), Error> {
    let mut connection = app.store.pool().acquire().await.map_err(StoreError::from)?;
    if !write_closing(&mut connection).await? {
        tracing::warn!("the ledger is closed another night: a transaction does not end");
    }
    for (account, closed, open) in unequal_balances(&mut *connection).await? {
        tracing::error!(account, closed, open, "an account's balance is not what is open of it");
    }
    Ok(())
}

/// When the previous list began, in the payload of the timer that waits for the next night: the
/// next list begins there, however long the service was down.
const BEFORE: &str = "before";

/// The progress of tonight's list.
struct Listing {
    /// When it began.
    began: Timestamp,
    /// From where on payments are listed.
    from: Timestamp,
    skip: usize,
    /// The round of look-ups; none while payments are listed.
    round: Option<i64>,
}

impl Listing {
    fn read(now: Timestamp, payload: &Value) -> Self {
        let number = |field: &str| payload.get(field).and_then(Value::as_i64);
        let time = |field: &str| number(field).and_then(Timestamp::from_seconds);
        Self {
            began: time("began").unwrap_or(now),
            from: time("from").unwrap_or_else(|| listed_from(now, time(BEFORE))),
            skip: number("skip").and_then(|skip| usize::try_from(skip).ok()).unwrap_or(0),
            round: number("round"),
        }
    }

    fn at(&self, step: &str, number: usize) -> Value {
        json!({ "began": self.began.seconds(), "from": self.from.seconds(), step: number })
    }
}

async fn compare(
    app: &App,
    now: Timestamp,
    listing: &Listing,
    attempts: i32,
) -> Result<Option<Value>, Error> {
    if let Some(round) = listing.round {
        look_up_open_items(app, now, attempts).await?;
        let next = usize::try_from(round + 1).unwrap_or_default();
        let done = json!({ BEFORE: listing.began.seconds() });
        return Ok(Some(if round < ROUNDS { listing.at("round", next) } else { done }));
    }
    let next = list_page(app, (listing.from, now), listing.skip, attempts).await?;
    if next.is_none() {
        skip_after_retries(list_disputes(app, now, attempts).await, attempts)?;
    }
    Ok(Some(next.map_or_else(|| listing.at("round", 1), |skip| listing.at("skip", skip))))
}

async fn settle(
    app: &App,
    now: Timestamp,
    (back, cursor): (Option<i64>, PageCursor),
    attempts: i32,
) -> Result<Option<Value>, Error> {
    let back = match back {
        Some(back) => back,
        None => days_back(app, now).await? - 1,
    };
    if back < 0 {
        check_sums(app, now).await?;
        return Ok(None);
    }
    let next = settle_page(app, now, (back, cursor), attempts).await?;
    let next = next.map_or_else(
        || json!({ "back": back - 1 }),
        |PageCursor { skip, met }| json!({ "back": back, "skip": skip, "met": met }),
    );
    Ok(Some(next))
}

#[cfg(test)]
mod tests {
    use kernel::Timestamp;

    use super::{LIST_PAYMENTS, SETTLE_DAY, TELL_UNEXPLAINED, is_nightly, next};

    #[test]
    fn the_night_is_indias_and_its_jobs_follow_each_other() {
        let now: Timestamp = "2026-11-21T20:45:00Z".parse().unwrap();
        let due = |kind| next(kind, now).to_string();
        assert_eq!(due(LIST_PAYMENTS), "2026-11-22T20:30:00Z");
        assert_eq!(due(SETTLE_DAY), "2026-11-21T21:00:00Z");
        assert_eq!(due(TELL_UNEXPLAINED), "2026-11-21T22:00:00Z");
        let then = next(SETTLE_DAY, now);
        assert_eq!(next(SETTLE_DAY, then).seconds_since(then), 24 * 3600);
        assert!(is_nightly(SETTLE_DAY) && !is_nightly("refund"));
    }
}
