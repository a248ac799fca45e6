//! Reads what the provider paid out, day by day and page by page, and posts each line once.

use std::sync::Arc;
use std::time::Duration;

use eventstore::{Metadata, Tx};
use kernel::Timestamp;
use tokio::time::Instant;

use super::take_in::{not_told, pass_over, take_in_payment};
use super::{Error, Till};
use crate::ledger::post::{post, reverse};
use crate::read_model::settlement;
use crate::settlement::{About, Break, Line, Settlement, cause, check, check_sum, entry};

/// How many days back the report is read again at least, so that late lines and corrections are
/// found.
const DAYS_BACK: i64 = 5;
/// And at most, as long as money of then is not paid out: we may have been away.
const DAYS_BACK_MAX: i64 = 60;

const DAY: i64 = 24 * 3600;

/// How many lines that our books do not have are asked after in one go.
const QUESTIONS: usize = 5;
/// After how long no other line is asked after: a handler of a timer has 20 s, and a question may
/// take 16 of them.
const ASKS_FOR: Duration = Duration::from_secs(3);

/// Where the reading of a day's report stands.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Place {
    /// At which line the page begins.
    pub skip: usize,
    /// How many of the page's lines have been looked at and asked after.
    pub met: usize,
}

/// Reads the whole report of the last days. A timer does the same, a page at a time.
///
/// # Errors
/// When the database or the provider does not answer.
pub async fn settle_days(till: &Till, now: Timestamp) -> Result<(), Error> {
    for back in (0..days_back(till, now).await?).rev() {
        let mut place = Some(Place::default());
        while let Some(from) = place {
            place = settle_page(till, now, (back, from), 1).await?;
        }
    }
    check_sums(till, now).await
}

/// How many days back the report has to be read.
///
/// # Errors
/// When the database does not answer.
pub async fn days_back(till: &Till, now: Timestamp) -> Result<i64, Error> {
    let oldest = settlement::oldest_unsettled(till.store.pool()).await?;
    let days = oldest.map_or(0, |oldest| now.seconds_since(oldest) / DAY + 1);
    Ok(days.clamp(DAYS_BACK, DAYS_BACK_MAX))
}

/// Reads a page of the report about the day so many days ago, in its so-manieth try; says where to
/// go on. A page of which much has to be asked is posted only in a later go, so that a provider
/// that is slow cannot keep it from ever being posted.
///
/// # Errors
/// When the database or the provider does not answer.
pub async fn settle_page(
    till: &Till,
    now: Timestamp,
    (back, place): (i64, Place),
    attempts: i32,
) -> Result<Option<Place>, Error> {
    let began = Instant::now();
    let day = now.plus_seconds(-back.saturating_mul(DAY));
    let page = till.provider.settlement_lines(day, place.skip).await;
    let page = page.map_err(|error| not_told("settlement lines", &error))?;
    if page.unread > 0 {
        let unread = page.unread;
        tracing::error!(unread, back, "lines of a settlement cannot be read");
    }
    let mut asked = 0;
    for (met, line) in page.items.iter().enumerate().skip(place.met) {
        if asked == QUESTIONS || (asked > 0 && began.elapsed() >= ASKS_FOR) {
            return Ok(Some(Place { met, ..place }));
        }
        let was_asked = meet(till, line).await;
        asked += usize::from(!matches!(was_asked, Ok(false)));
        pass_over(was_asked.map(drop), attempts)?;
    }
    let lines = Arc::new(page.items);
    till.store
        .write(Metadata::by("payments", None), move |tx| {
            let lines = Arc::clone(&lines);
            Box::pin(async move {
                // Two that read the report at once would each post what the other is about to.
                tx.lock(&["settlement lines".to_owned()]).await?;
                for line in lines.iter() {
                    take_in_line(tx, line).await?;
                }
                Ok::<(), Error>(())
            })
        })
        .await?;
    Ok(page.next.map(|skip| Place { skip, met: 0 }))
}

/// Asks for what a line is about, if our books do not have it; says whether they do not.
async fn meet(till: &Till, line: &Line) -> Result<bool, Error> {
    if settlement::booked(till.store.pool(), line).await?.is_some() {
        return Ok(false);
    }
    match &line.about {
        About::Payment(payment) | About::Refund(_, Some(payment)) => {
            take_in_payment(till, payment).await?;
            Ok(true)
        }
        About::Refund(_, None) | About::Dispute(..) | About::Other(_) => Ok(false),
    }
}

/// Posts a line, unless it was posted as it is. What was posted otherwise is taken back first.
async fn take_in_line(tx: &mut Tx, line: &Line) -> Result<(), Error> {
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
///
/// # Errors
/// When the database or the provider does not answer.
pub async fn check_sums(till: &Till, now: Timestamp) -> Result<(), Error> {
    let from = now.plus_seconds(-(days_back(till, now).await? + 1).saturating_mul(DAY));
    let mut skip = Some(0);
    while let Some(start) = skip {
        let page = till.provider.settlements(from, now, start).await;
        let page = page.map_err(|error| not_told("settlements", &error))?;
        if page.unread > 0 {
            tracing::error!(unread = page.unread, "settlements cannot be read");
        }
        let all = Arc::new(page.items);
        till.store
            .write(Metadata::by("payments", None), move |tx| {
                let all = Arc::clone(&all);
                Box::pin(async move {
                    for settlement in all.iter() {
                        check_one(tx, settlement).await?;
                    }
                    Ok::<(), Error>(())
                })
            })
            .await?;
        skip = page.next;
    }
    Ok(())
}

async fn check_one(tx: &mut Tx, one: &Settlement) -> Result<(), Error> {
    let sum = settlement::lines_sum(tx, one).await?;
    let broken = check_sum(one, sum).err();
    if let Some(broken) = broken {
        let (settlement, word) = (&one.id, broken.word());
        tracing::warn!(%settlement, word, "a settlement does not fit its lines");
    }
    settlement::write_settlement(tx, one, broken).await?;
    Ok(())
}
