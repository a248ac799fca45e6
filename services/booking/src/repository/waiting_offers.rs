//! Times that are held for clients on the wait list, and times that became free. An offer is exact
//! under the locks of its day and its client.

use std::collections::BTreeSet;

use eventstore::{StoreError, Tx};
use kernel::id::{Block, Booking, Customer, Waiting};
use kernel::{Id, Timestamp};
use sqlx::postgres::PgRow;
use sqlx::{PgExecutor, Row as _};

use super::waiting::Entry;
use crate::domain::span::Span;
use crate::domain::waiting::DAYS_MAX;
use crate::timers::kinds::{OFFER_END, OFFER_TIMES, payload};

/// A time that is, or was, held for one client.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Offer {
    /// Its id, that of the closed time on the practitioner's day.
    pub id: Id<Block>,
    /// The entry.
    pub waiting_id: Id<Waiting>,
    /// The client.
    pub customer_id: Id<Customer>,
    /// The practitioner.
    pub practitioner_id: String,
    /// The session.
    pub span: Span,
    /// Until when it is held.
    pub held_until: Timestamp,
}

/// How an offer ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// The client took it.
    Taken,
    /// Its time ran out.
    Lapsed,
    /// The client does not want it.
    Declined,
    /// Staff opened its time.
    Withdrawn,
}

impl Outcome {
    const fn word(self) -> &'static str {
        match self {
            Self::Taken => "taken",
            Self::Lapsed => "lapsed",
            Self::Declined => "declined",
            Self::Withdrawn => "withdrawn",
        }
    }
}

macro_rules! open_sql {
    ($rest:literal) => {
        concat!(
            "select offer_id, waiting_id, customer_id, practitioner_id, starts_at, ends_at,
                    held_until_at
             from waiting_offers where state = 'open' and ",
            $rest
        )
    };
}

/// Inserts an open offer, and sets the timer of its end.
pub async fn insert(
    tx: &mut Tx,
    offer: &Offer,
    now: Timestamp,
    reason: Option<&str>,
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into waiting_offers (offer_id, waiting_id, customer_id, practitioner_id, starts_at,
                                     ends_at, offered_at, held_until_at, state, reason)
         values ($1, $2, $3, $4, $5, $6, $7, $8, 'open', $9)",
    )
    .bind(offer.id)
    .bind(offer.waiting_id)
    .bind(offer.customer_id)
    .bind(&offer.practitioner_id)
    .bind(offer.span.starts_at())
    .bind(offer.span.ends_at())
    .bind(now)
    .bind(offer.held_until)
    .bind(reason)
    .execute(tx.connection())
    .await?;
    let payload = payload(tx);
    tx.set_timer(OFFER_END, &offer.id.to_string(), offer.held_until, payload).await
}

/// An open offer.
pub async fn open(
    executor: impl PgExecutor<'_>,
    id: Id<Block>,
) -> Result<Option<Offer>, StoreError> {
    let sql = open_sql!("offer_id = $1");
    let row = sqlx::query(sql).bind(id).fetch_optional(executor).await?;
    Ok(row.as_ref().map(read).transpose()?.flatten())
}

/// The open offers of a practitioner's times that overlap a time. Exact under the day's lock.
pub async fn open_within(
    tx: &mut Tx,
    practitioner_id: &str,
    span: Span,
) -> Result<Vec<Offer>, StoreError> {
    let sql = open_sql!("practitioner_id = $1 and starts_at < $3 and ends_at > $2");
    let rows = sqlx::query(sql)
        .bind(practitioner_id)
        .bind(span.starts_at())
        .bind(span.ends_at())
        .fetch_all(tx.connection())
        .await?;
    Ok(rows.iter().map(read).collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// The open offer of an entry.
pub async fn open_of_entry(
    executor: impl PgExecutor<'_>,
    id: Id<Waiting>,
) -> Result<Option<Offer>, StoreError> {
    let sql = open_sql!("waiting_id = $1");
    let row = sqlx::query(sql).bind(id).fetch_optional(executor).await?;
    Ok(row.as_ref().map(read).transpose()?.flatten())
}

/// The open offer of a client, who has one at most.
pub async fn open_of_customer(
    executor: impl PgExecutor<'_>,
    customer_id: Id<Customer>,
) -> Result<Option<Offer>, StoreError> {
    let sql = open_sql!("customer_id = $1");
    let row = sqlx::query(sql).bind(customer_id).fetch_optional(executor).await?;
    Ok(row.as_ref().map(read).transpose()?.flatten())
}

/// The open offer of a client for exactly this time of a practitioner.
pub async fn open_at(
    tx: &mut Tx,
    customer_id: Id<Customer>,
    practitioner_id: &str,
    span: Span,
) -> Result<Option<Offer>, StoreError> {
    let sql =
        open_sql!("customer_id = $1 and practitioner_id = $2 and starts_at = $3 and ends_at = $4");
    let row = sqlx::query(sql)
        .bind(customer_id)
        .bind(practitioner_id)
        .bind(span.starts_at())
        .bind(span.ends_at())
        .fetch_optional(tx.connection())
        .await?;
    Ok(row.as_ref().map(read).transpose()?.flatten())
}

/// Has the freed times of all practitioners looked at again: a client whose offer has ended can be
/// asked about those, too, that became free meanwhile.
pub async fn offer_again(tx: &mut Tx) -> Result<(), StoreError> {
    let now = tx.now().await?;
    // In order: two transactions that set the same timers wait for each other in one direction.
    let practitioners: Vec<String> = sqlx::query_scalar(
        "select distinct practitioner_id from freed_times where starts_at > $1 order by 1",
    )
    .bind(now)
    .fetch_all(tx.connection())
    .await?;
    for practitioner_id in practitioners {
        let payload = payload(tx);
        tx.set_timer(OFFER_TIMES, &practitioner_id, now, payload).await?;
    }
    Ok(())
}

/// The open offers of these entries.
pub async fn open_of_entries(
    executor: impl PgExecutor<'_>,
    ids: &[Id<Waiting>],
) -> Result<Vec<Offer>, StoreError> {
    let sql = open_sql!("waiting_id = any ($1)");
    let rows = sqlx::query(sql).bind(ids).fetch_all(executor).await?;
    Ok(rows.iter().map(read).collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// Ends an open offer and its timer; of one that was not taken the entry counts that.
pub async fn end(tx: &mut Tx, id: Id<Block>, outcome: Outcome) -> Result<(), StoreError> {
    let lapsed = i32::from(matches!(outcome, Outcome::Lapsed | Outcome::Declined));
    sqlx::query(
        "with ended as (update waiting_offers set state = $2
                        where offer_id = $1 and state = 'open' returning waiting_id)
         update waiting_entries e set offers_lapsed = offers_lapsed + $3
         from ended where e.waiting_id = ended.waiting_id",
    )
    .bind(id)
    .bind(outcome.word())
    .bind(lapsed)
    .execute(tx.connection())
    .await?;
    tx.end_timer(OFFER_END, &id.to_string()).await
}

/// Has the open offers of entries that are over end at once.
pub async fn end_soon(tx: &mut Tx, entries: &[Id<Waiting>]) -> Result<(), StoreError> {
    if entries.is_empty() {
        return Ok(());
    }
    let (now, payload) = (tx.now().await?, payload(tx));
    for offer in open_of_entries(tx.connection(), entries).await? {
        tx.set_timer(OFFER_END, &offer.id.to_string(), now, payload.clone()).await?;
    }
    Ok(())
}

/// Which starts of a practitioner's times that are to come were offered to which clients.
pub async fn asked(
    tx: &mut Tx,
    practitioner_id: &str,
    now: Timestamp,
) -> Result<BTreeSet<(Id<Customer>, Timestamp)>, StoreError> {
    let asked: Vec<(Id<Customer>, Timestamp)> = sqlx::query_as(
        "select customer_id, starts_at from waiting_offers
         where practitioner_id = $1 and starts_at > $2",
    )
    .bind(practitioner_id)
    .bind(now)
    .fetch_all(tx.connection())
    .await?;
    Ok(asked.into_iter().collect())
}

/// Whether a client has a session or a hold at a time, beside the one that is to be earlier.
pub async fn overlaps_own(
    tx: &mut Tx,
    entry: &Entry,
    span: Span,
    now: Timestamp,
) -> Result<bool, StoreError> {
    let overlaps = sqlx::query_scalar(
        "select exists (
             select from bookings b join slot_reservations r using (booking_id)
             where b.customer_id = $1 and b.last_ends_at > $2 and r.live
               and r.during && tstzrange($2, $3) and b.booking_id is distinct from $5
               and (r.held_until_at is null or r.held_until_at > $4))",
    )
    .bind(entry.customer_id)
    .bind(span.starts_at())
    .bind(span.ends_at())
    .bind(now)
    .bind(entry.wish.earlier_than)
    .fetch_one(tx.connection())
    .await?;
    Ok(overlaps)
}

/// When the sessions of bookings of a single session start.
pub async fn starts_of(
    executor: impl PgExecutor<'_>,
    bookings: &[Id<Booking>],
) -> Result<Vec<(Id<Booking>, Timestamp)>, StoreError> {
    let sql = "select booking_id, starts_at from slot_reservations
               where booking_id = any ($1) and live";
    Ok(sqlx::query_as(sql).bind(bookings).fetch_all(executor).await?)
}

/// Notes that a practitioner's time became free, while there is a wait list, and has it offered.
pub async fn note_freed(
    tx: &mut Tx,
    practitioner_id: &str,
    spans: &[Span],
) -> Result<(), StoreError> {
    if spans.is_empty() {
        return Ok(());
    }
    let starts: Vec<Timestamp> = spans.iter().map(Span::starts_at).collect();
    let ends: Vec<Timestamp> = spans.iter().map(Span::ends_at).collect();
    let noted: Vec<Timestamp> = sqlx::query_scalar(
        "with c as materialized (select clock_now() as now)
         insert into freed_times (practitioner_id, starts_at, ends_at, freed_at)
         select $1, f.starts_at, f.ends_at, c.now
         from c, unnest($2::timestamptz[], $3::timestamptz[]) as f (starts_at, ends_at)
         where f.ends_at > c.now
           and exists (select from waiting_entries where state = 'waiting' and ends_at > c.now)
         on conflict (practitioner_id, starts_at, ends_at)
         do update set freed_at = excluded.freed_at
         returning freed_at",
    )
    .bind(practitioner_id)
    .bind(starts)
    .bind(ends)
    .fetch_all(tx.connection())
    .await?;
    if let Some(now) = noted.first() {
        let payload = payload(tx);
        tx.set_timer(OFFER_TIMES, practitioner_id, *now, payload).await?;
    }
    Ok(())
}

/// The times of a practitioner that became free and are not over, soonest first, as far ahead as
/// entries reach.
pub async fn freed(
    tx: &mut Tx,
    practitioner_id: &str,
    now: Timestamp,
) -> Result<Vec<Span>, StoreError> {
    let rows = sqlx::query(
        "select starts_at, ends_at from freed_times
         where practitioner_id = $1 and ends_at > $2
           and starts_at < $2 + make_interval(days => $3)
         order by starts_at, ends_at",
    )
    .bind(practitioner_id)
    .bind(now)
    .bind(DAYS_MAX + 1)
    .fetch_all(tx.connection())
    .await?;
    let span = |row: &PgRow| {
        Ok::<_, StoreError>(Span::new(row.try_get("starts_at")?, row.try_get("ends_at")?))
    };
    Ok(rows.iter().map(span).collect::<Result<Vec<_>, _>>()?.into_iter().flatten().collect())
}

/// `None` for a row without a time, which the table cannot have.
fn read(row: &PgRow) -> Result<Option<Offer>, StoreError> {
    let span = Span::new(row.try_get("starts_at")?, row.try_get("ends_at")?);
    let Some(span) = span else { return Ok(None) };
    Ok(Some(Offer {
        id: row.try_get("offer_id")?,
        waiting_id: row.try_get("waiting_id")?,
        customer_id: row.try_get("customer_id")?,
        practitioner_id: row.try_get("practitioner_id")?,
        span,
        held_until: row.try_get("held_until_at")?,
    }))
}
