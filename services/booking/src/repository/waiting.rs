//! Writes the wait list's entries. Exact under the client's lock.

use eventstore::{StoreError, Tx};
use jiff::civil::{Date, Weekday};
use kernel::id::{Booking, Customer, Waiting};
use kernel::{Id, Timestamp};
use sqlx::postgres::PgRow;
use sqlx::{PgExecutor, Row as _};

use crate::domain::booking::Mode;
use crate::domain::waiting::{DayPart, WaitingWish};
use crate::read_model::project::mode_word;

/// The most rows that [`delete_ended`] deletes at once.
const DELETED_MAX: i64 = 10_000;
/// For how long an entry is kept after its end.
const KEPT_DAYS: i64 = 30;
const MINUTES_PER_DAY: i64 = 24 * 60;

/// An entry of the wait list.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its id.
    pub id: Id<Waiting>,
    /// The client.
    pub customer_id: Id<Customer>,
    /// What is waited for.
    pub wish: WaitingWish,
    /// The service's title when it began.
    pub service_title: String,
    /// The client's given name. Personal data.
    pub first_name: String,
    /// The client's proved address. Personal data.
    pub email: String,
    /// Since when.
    pub joined_at: Timestamp,
    /// Until when.
    pub ends_at: Timestamp,
    /// How many offers were not taken.
    pub offers_lapsed: i32,
}

/// How an entry ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ending {
    /// The client booked or moved.
    Booked,
    /// The client left.
    Left,
    /// Staff took the client off the list.
    Removed,
    /// The booking that was to be earlier is over.
    Ended,
}

impl Ending {
    const fn word(self) -> &'static str {
        match self {
            Self::Booked => "booked",
            Self::Left => "left",
            Self::Removed => "removed",
            Self::Ended => "ended",
        }
    }
}

/// The columns of an entry.
macro_rules! entry_sql {
    ($rest:literal) => {
        concat!(
            "select waiting_id, customer_id, service_id, service_title, practitioner_id, mode,
                    from_date::text as from_date, until_date::text as until_date, weekdays,
                    day_parts, notice_minutes, earlier_than, first_name, email, joined_at, ends_at,
                    offers_lapsed
             from waiting_entries e ",
            $rest
        )
    };
}

/// Inserts an entry.
pub async fn insert(tx: &mut Tx, entry: &Entry) -> Result<(), StoreError> {
    let wish = &entry.wish;
    let weekdays: Vec<i16> =
        wish.weekdays.iter().map(|it| it.to_monday_one_offset().into()).collect();
    let day_parts: Vec<&str> = wish.day_parts.iter().map(|it| it.word()).collect();
    sqlx::query(
        "insert into waiting_entries (waiting_id, customer_id, service_id, service_title,
             practitioner_id, mode, from_date, until_date, weekdays, day_parts, notice_minutes,
             earlier_than, first_name, email, joined_at, ends_at, state)
         values ($1, $2, $3, $4, $5, $6, $7::text::date, $8::text::date, $9, $10, $11, $12, $13,
                 $14, $15, $16, 'waiting')",
    )
    .bind(entry.id)
    .bind(entry.customer_id)
    .bind(&wish.service_id)
    .bind(&entry.service_title)
    .bind(&wish.practitioner_id)
    .bind(mode_word(wish.mode))
    .bind(wish.from.to_string())
    .bind(wish.until.to_string())
    .bind(weekdays)
    .bind(day_parts)
    .bind(wish.notice_minutes)
    .bind(wish.earlier_than)
    .bind(&entry.first_name)
    .bind(&entry.email)
    .bind(entry.joined_at)
    .bind(entry.ends_at)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// The entries of a client that stand, soonest joined first.
pub async fn of_customer(
    executor: impl PgExecutor<'_>,
    customer_id: Id<Customer>,
    now: Timestamp,
) -> Result<Vec<Entry>, StoreError> {
    let sql = entry_sql!(
        "where customer_id = $1 and state = 'waiting' and ends_at > $2
         order by joined_at, waiting_id"
    );
    let rows = sqlx::query(sql).bind(customer_id).bind(now).fetch_all(executor).await?;
    rows.iter().map(read).collect()
}

/// An entry that stands.
pub async fn find(
    executor: impl PgExecutor<'_>,
    id: Id<Waiting>,
    now: Timestamp,
) -> Result<Option<Entry>, StoreError> {
    let sql = entry_sql!("where waiting_id = $1 and state = 'waiting' and ends_at > $2");
    let row = sqlx::query(sql).bind(id).bind(now).fetch_optional(executor).await?;
    row.as_ref().map(read).transpose()
}

/// Whose entry it is, also of one that is over.
pub async fn owner(
    executor: impl PgExecutor<'_>,
    id: Id<Waiting>,
) -> Result<Option<Id<Customer>>, StoreError> {
    let sql = "select customer_id from waiting_entries where waiting_id = $1";
    Ok(sqlx::query_scalar(sql).bind(id).fetch_optional(executor).await?)
}

/// The place of an entry in the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListPlace {
    /// Since when it stands.
    pub joined_at: Timestamp,
    /// The entry.
    pub id: Id<Waiting>,
}

/// The entries that stand, in the order in which times are offered, after a place.
pub async fn in_order(
    executor: impl PgExecutor<'_>,
    after: Option<ListPlace>,
    now: Timestamp,
    at_most: i64,
) -> Result<Vec<Entry>, StoreError> {
    let sql = entry_sql!(
        "where state = 'waiting' and ends_at > $1
           and ($2::timestamptz is null or (joined_at, waiting_id) > ($2, $3))
         order by joined_at, waiting_id limit $4"
    );
    let rows = sqlx::query(sql)
        .bind(now)
        .bind(after.map(|place| place.joined_at))
        .bind(after.map(|place| place.id))
        .bind(at_most)
        .fetch_all(executor)
        .await?;
    rows.iter().map(read).collect()
}

/// The entries to which a time can be offered, in order: of clients without an open offer, and
/// without a booking of that service whose payment is awaited.
pub async fn ready(tx: &mut Tx, now: Timestamp) -> Result<Vec<Entry>, StoreError> {
    let sql = entry_sql!(
        "where state = 'waiting' and ends_at > $1
           and not exists (select from waiting_offers o
                           where o.customer_id = e.customer_id and o.state = 'open')
           and not exists (select from bookings b
                           where b.customer_id = e.customer_id and b.service_id = e.service_id
                             and b.held_until_at > $1)
         order by joined_at, waiting_id"
    );
    let rows = sqlx::query(sql).bind(now).fetch_all(tx.connection()).await?;
    rows.iter().map(read).collect()
}

/// The bookings of a practitioner that are wanted earlier, and their clients, if a time that became
/// free may be it.
pub async fn for_earlier(
    executor: impl PgExecutor<'_>,
    practitioner_id: &str,
    now: Timestamp,
) -> Result<Vec<(Id<Booking>, Id<Customer>)>, StoreError> {
    let sql = "select distinct e.earlier_than, e.customer_id from waiting_entries e
               where e.state = 'waiting' and e.ends_at > $1 and e.earlier_than is not null
                 and e.practitioner_id = $2
                 and exists (select from freed_times f
                             where f.practitioner_id = $2 and f.ends_at > $1
                               and f.starts_at < e.ends_at)";
    Ok(sqlx::query_as(sql).bind(now).bind(practitioner_id).fetch_all(executor).await?)
}

/// The services for which there are entries.
pub async fn services(
    executor: impl PgExecutor<'_>,
    now: Timestamp,
) -> Result<Vec<String>, StoreError> {
    let sql = "select distinct service_id from waiting_entries
               where state = 'waiting' and ends_at > $1 order by service_id";
    Ok(sqlx::query_scalar(sql).bind(now).fetch_all(executor).await?)
}

/// Ends an entry that stands; false when it was over.
pub async fn end(
    tx: &mut Tx,
    id: Id<Waiting>,
    ending: Ending,
    reason: Option<&str>,
) -> Result<bool, StoreError> {
    let now = tx.now().await?;
    let ended = sqlx::query(
        "update waiting_entries set state = $2, ended_at = $3, reason = $4
         where waiting_id = $1 and state = 'waiting'",
    )
    .bind(id)
    .bind(ending.word())
    .bind(now)
    .bind(reason)
    .execute(tx.connection())
    .await?;
    Ok(ended.rows_affected() > 0)
}

/// Ends the entries of a booking's client for a new booking of its service, and returns their ids.
pub async fn booked(
    tx: &mut Tx,
    id: Id<Booking>,
    now: Timestamp,
) -> Result<Vec<Id<Waiting>>, StoreError> {
    let ids = sqlx::query_scalar(
        "update waiting_entries e set state = 'booked', ended_at = $2
         from bookings b
         where b.booking_id = $1 and e.customer_id = b.customer_id
           and e.service_id = b.service_id and e.state = 'waiting' and e.earlier_than is null
         returning e.waiting_id",
    )
    .bind(id)
    .bind(now)
    .fetch_all(tx.connection())
    .await?;
    Ok(ids)
}

/// Ends the entries that want a booking earlier. Returns their ids.
pub async fn end_of_booking(
    tx: &mut Tx,
    id: Id<Booking>,
    ending: Ending,
) -> Result<Vec<Id<Waiting>>, StoreError> {
    let now = tx.now().await?;
    let ids = sqlx::query_scalar(
        "update waiting_entries set state = $2, ended_at = $3
         where earlier_than = $1 and state = 'waiting' returning waiting_id",
    )
    .bind(id)
    .bind(ending.word())
    .bind(now)
    .fetch_all(tx.connection())
    .await?;
    Ok(ids)
}

/// Lets the entries that want a booking earlier wait for times of its new practitioner. Returns
/// their ids: what is offered to them is a time of the one before.
pub async fn hand_over(
    tx: &mut Tx,
    id: Id<Booking>,
    practitioner_id: &str,
) -> Result<Vec<Id<Waiting>>, StoreError> {
    let ids = sqlx::query_scalar(
        "update waiting_entries set practitioner_id = $2
         where earlier_than = $1 and state = 'waiting' returning waiting_id",
    )
    .bind(id)
    .bind(practitioner_id)
    .fetch_all(tx.connection())
    .await?;
    Ok(ids)
}

/// Deletes entries some time after their end, with their offers; true if there may be more.
pub async fn delete_ended(tx: &mut Tx, now: Timestamp) -> Result<bool, StoreError> {
    let before = now.plus_minutes(-KEPT_DAYS * MINUTES_PER_DAY);
    let deleted = sqlx::query(
        "delete from waiting_entries where waiting_id in (
             select waiting_id from waiting_entries
             where (state <> 'waiting' and ended_at < $1)
                or (state = 'waiting' and ends_at < $1)
             limit $2)",
    )
    .bind(before)
    .bind(DELETED_MAX)
    .execute(tx.connection())
    .await?;
    sqlx::query("delete from freed_times where ends_at < $1")
        .bind(now)
        .execute(tx.connection())
        .await?;
    Ok(deleted.rows_affected() >= DELETED_MAX.unsigned_abs())
}

fn read(row: &PgRow) -> Result<Entry, StoreError> {
    let weekdays: Vec<i16> = row.try_get("weekdays")?;
    let day_parts: Vec<String> = row.try_get("day_parts")?;
    let weekday = |number: &i16| {
        let number = i8::try_from(*number).ok()?;
        Weekday::from_monday_one_offset(number).ok()
    };
    let mode: String = row.try_get("mode")?;
    let is_online = mode == mode_word(Mode::Online);
    Ok(Entry {
        id: row.try_get("waiting_id")?,
        customer_id: row.try_get("customer_id")?,
        wish: WaitingWish {
            service_id: row.try_get("service_id")?,
            practitioner_id: row.try_get("practitioner_id")?,
            mode: if is_online { Mode::Online } else { Mode::InPerson },
            from: read_date(row, "from_date")?,
            until: read_date(row, "until_date")?,
            weekdays: weekdays.iter().filter_map(weekday).collect(),
            day_parts: day_parts.iter().filter_map(|it| DayPart::from_word(it)).collect(),
            notice_minutes: row.try_get("notice_minutes")?,
            earlier_than: row.try_get("earlier_than")?,
        },
        service_title: row.try_get("service_title")?,
        first_name: row.try_get("first_name")?,
        email: row.try_get("email")?,
        joined_at: row.try_get("joined_at")?,
        ends_at: row.try_get("ends_at")?,
        offers_lapsed: row.try_get("offers_lapsed")?,
    })
}

fn read_date(row: &PgRow, column: &str) -> Result<Date, StoreError> {
    let text: String = row.try_get(column)?;
    text.parse().map_err(|error: jiff::Error| sqlx::Error::Decode(error.into()).into())
}
