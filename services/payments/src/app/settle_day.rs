//! Reads what the provider paid out, day by day and page by page, and posts each line once.

use std::sync::Arc;
use std::time::Duration;

use eventstore::{Metadata, Tx};
use kernel::Timestamp;
use tokio::time::Instant;

use super::App;
use super::import_payment::{import_payment, provider_unavailable, skip_after_retries};
use crate::domain::settlement::{
    Break, Line, LineSubject, Settlement, cause, check, check_sum, entry,
};
use crate::error::Error;
use crate::read_model::settlement;
use crate::repository::posting::{post, reverse};

/// How many days back the report is read again at least, to find late lines and corrections.
const DAYS_BACK: i64 = 5;
/// And at most, while older money is not paid out.
const DAYS_BACK_MAX: i64 = 60;

const DAY: i64 = 24 * 3600;

/// How many lines that are not in our ledger are looked up in one timer run.
const MAX_LOOKUPS: usize = 5;
/// After how long no other line is looked up: a timer handler has 20 s, and a look-up may take 16
/// s.
const LOOKUP_TIMEOUT: Duration = Duration::from_secs(3);

/// The position in a day's report.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct PageCursor {
    /// At which line the page begins.
    pub skip: usize,
    /// How many of the page's lines are checked and looked up.
    pub met: usize,
}

/// Reads the whole report of the last days. A timer does the same, a page at a time.
pub async fn settle_days(app: &App, now: Timestamp) -> Result<(), Error> {
    for back in (0..days_back(app, now).await?).rev() {
        let mut cursor = Some(PageCursor::default());
        while let Some(from) = cursor {
            cursor = settle_page(app, now, (back, from), 1).await?;
        }
    }
    check_sums(app, now).await
}

/// How many days back the report has to be read.
pub async fn days_back(app: &App, now: Timestamp) -> Result<i64, Error> {
    let oldest = settlement::oldest_unsettled(app.store.pool()).await?;
    let days = oldest.map_or(0, |oldest| now.seconds_since(oldest) / DAY + 1);
    Ok(days.clamp(DAYS_BACK, DAYS_BACK_MAX))
}

/// Reads a page of the report of `back` days ago; `attempts` counts from 1. Returns where to
/// continue. A page with many unknown lines is looked up over several timer runs and posted in the
/// last one, so that a slow provider cannot block it.
pub async fn settle_page(
    app: &App,
    now: Timestamp,
    (back, cursor): (i64, PageCursor),
    attempts: i32,
) -> Result<Option<PageCursor>, Error> {
    let began = Instant::now();
    let day = now.plus_seconds(-back.saturating_mul(DAY));
    let page = app.provider.settlement_lines(day, cursor.skip).await;
    let page = page.map_err(|error| provider_unavailable("settlement lines", &error))?;
    if page.unread > 0 {
        let unread = page.unread;
        tracing::error!(unread, back, "lines of a settlement cannot be read");
    }
    let mut looked_up = 0;
    for (met, line) in page.items.iter().enumerate().skip(cursor.met) {
        if looked_up == MAX_LOOKUPS || (looked_up > 0 && began.elapsed() >= LOOKUP_TIMEOUT) {
            return Ok(Some(PageCursor { met, ..cursor }));
        }
        let was_looked_up = import_if_unknown(app, line).await;
        looked_up += usize::from(!matches!(was_looked_up, Ok(false)));
        skip_after_retries(was_looked_up.map(drop), attempts)?;
    }
    let lines = Arc::new(page.items);
    app.store
        .write(Metadata::by("payments", None), move |tx| {
            let lines = Arc::clone(&lines);
            Box::pin(async move {
                // Two concurrent readers would post the same lines.
                tx.lock(&["settlement lines".to_owned()]).await?;
                for line in lines.iter() {
                    post_line(tx, line).await?;
                }
                Ok::<(), Error>(())
            })
        })
        .await?;
    Ok(page.next.map(|skip| PageCursor { skip, met: 0 }))
}

/// Imports the payment of a line that is not in our ledger; returns whether it looked one up.
async fn import_if_unknown(app: &App, line: &Line) -> Result<bool, Error> {
    if settlement::booked(app.store.pool(), line).await?.is_some() {
        return Ok(false);
    }
    match &line.about {
        LineSubject::Payment(payment) | LineSubject::Refund(_, Some(payment)) => {
            import_payment(app, payment).await?;
            Ok(true)
        }
        LineSubject::Refund(_, None) | LineSubject::Dispute(..) | LineSubject::Other(_) => {
            Ok(false)
        }
    }
}

/// Posts a line, unless it is posted unchanged. An earlier posting with other figures is reversed
/// first.
async fn post_line(tx: &mut Tx, line: &Line) -> Result<(), Error> {
    let before = settlement::posted(tx, line).await?;
    let booked = settlement::booked(tx.connection(), line).await?;
    let (booking_id, booked) = booked.map_or((None, None), |(id, booked)| (id, Some(booked)));
    let checked = check(line, booked.as_ref());
    let broken = checked.err();
    let revision = match before {
        None => 1,
        Some(before) => {
            let word = before.broken.as_deref();
            if before.figures == line.figures && word == broken.map(Break::word) {
                return Ok(());
            }
            let posted = cause(line, before.revision);
            reverse(tx, &posted, &format!("{posted} reversed")).await?;
            before.revision.saturating_add(1)
        }
    };
    if let Some(broken) = broken {
        let (settlement, line, word) = (&line.settlement, &line.id, broken.word());
        tracing::warn!(%settlement, %line, word, "a line of a settlement does not fit our books");
    }
    let posting: Vec<_> = entry(line, checked, revision).into_iter().collect();
    post(tx, booking_id, &posting).await?;
    settlement::write_line(tx, line, broken, revision).await?;
    Ok(())
}

/// Compares the settlements of the last days with their lines.
pub async fn check_sums(app: &App, now: Timestamp) -> Result<(), Error> {
    let from = now.plus_seconds(-(days_back(app, now).await? + 1).saturating_mul(DAY));
    let mut skip = Some(0);
    while let Some(start) = skip {
        let page = app.provider.settlements(from, now, start).await;
        let page = page.map_err(|error| provider_unavailable("settlements", &error))?;
        if page.unread > 0 {
            tracing::error!(unread = page.unread, "settlements cannot be read");
        }
        let all = Arc::new(page.items);
        app.store
            .write(Metadata::by("payments", None), move |tx| {
                let all = Arc::clone(&all);
                Box::pin(async move {
                    for settlement in all.iter() {
                        check_settlement(tx, settlement).await?;
                    }
                    Ok::<(), Error>(())
                })
            })
            .await?;
        skip = page.next;
    }
    Ok(())
}

async fn check_settlement(tx: &mut Tx, one: &Settlement) -> Result<(), Error> {
    let sum = settlement::lines_sum(tx, one).await?;
    let broken = check_sum(one, sum).err();
    if let Some(broken) = broken {
        let (settlement, word) = (&one.id, broken.word());
        tracing::warn!(%settlement, word, "a settlement does not fit its lines");
    }
    settlement::write_settlement(tx, one, broken).await?;
    Ok(())
}
