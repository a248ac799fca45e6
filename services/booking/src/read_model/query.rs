//! Queries of commands on the tables.

use eventstore::{StoreError, Tx};
use kernel::id::{Block, Booking, Customer};
use kernel::{Id, Timestamp};
use sqlx::postgres::PgRow;
use sqlx::{PgExecutor, Postgres, QueryBuilder, Row};

use crate::domain::booking::Facts;
use crate::domain::hold_limit::{UnpaidCount, UnpaidHolds};
use crate::domain::practitioners::OccupiedTime;
use crate::domain::span::Span;

/// A practitioner's occupied times between two instants: booked, closed, with a live hold, or busy
/// by the practitioner's own calendar.
pub async fn occupied(
    executor: impl PgExecutor<'_>,
    practitioner_id: &str,
    (from, to): (Timestamp, Timestamp),
    now: Timestamp,
) -> Result<Vec<OccupiedTime>, StoreError> {
    let rows = sqlx::query(
        "select starts_at, ends_at, booking_id is not null as is_session from slot_reservations
         where live and practitioner_id = $1 and starts_at >= $2 and starts_at < $3
           and (held_until_at is null or held_until_at > $4)
         union all
         select starts_at, ends_at, false from busy_times
         where practitioner_id = $1 and during && tstzrange($2, $3)
         order by starts_at",
    )
    .bind(practitioner_id)
    .bind(from)
    .bind(to)
    .bind(now)
    .fetch_all(executor)
    .await?;
    let mut times = Vec::with_capacity(rows.len());
    for row in rows {
        let span = Span::new(row.try_get("starts_at")?, row.try_get("ends_at")?);
        let is_session = row.try_get("is_session")?;
        times.extend(span.map(|span| OccupiedTime { span, is_session }));
    }
    Ok(times)
}

/// The other live rows that overlap a time, including expired holds; `None` for a closed time.
pub async fn overlapping_reservations(
    tx: &mut Tx,
    practitioner_id: &str,
    span: Span,
    except: Id<Booking>,
) -> Result<Vec<Option<Id<Booking>>>, StoreError> {
    let ids = sqlx::query_scalar(
        "select booking_id from slot_reservations
         where live and practitioner_id = $1 and during && tstzrange($2, $3)
           and booking_id is distinct from $4",
    )
    .bind(practitioner_id)
    .bind(span.starts_at())
    .bind(span.ends_at())
    .bind(except)
    .fetch_all(tx.connection())
    .await?;
    Ok(ids)
}

/// Whether another booking of a client has a session at a time, booked or held.
pub async fn overlaps_own(tx: &mut Tx, facts: &Facts, span: Span) -> Result<bool, StoreError> {
    let now = tx.now().await?;
    let overlaps = sqlx::query_scalar(
        "select exists (
             select from bookings b join slot_reservations r using (booking_id)
             where b.customer_id = $1 and b.booking_id <> $2 and b.last_ends_at > $3 and r.live
               and r.during && tstzrange($3, $4)
               and (r.held_until_at is null or r.held_until_at > $5))",
    )
    .bind(facts.customer_id)
    .bind(facts.booking_id)
    .bind(span.starts_at())
    .bind(span.ends_at())
    .bind(now)
    .fetch_one(tx.connection())
    .await?;
    Ok(overlaps)
}

/// The sessions of a client's other bookings that have not ended, booked or held.
pub async fn other_sessions(
    executor: impl PgExecutor<'_>,
    facts: &Facts,
    now: Timestamp,
) -> Result<Vec<Span>, StoreError> {
    let rows: Vec<(Timestamp, Timestamp)> = sqlx::query_as(
        "select r.starts_at, r.ends_at
         from bookings b join slot_reservations r using (booking_id)
         where b.customer_id = $1 and b.booking_id <> $2 and b.last_ends_at > $3 and r.live
           and (r.held_until_at is null or r.held_until_at > $3)",
    )
    .bind(facts.customer_id)
    .bind(facts.booking_id)
    .bind(now)
    .fetch_all(executor)
    .await?;
    Ok(rows.into_iter().filter_map(|(from, to)| Span::new(from, to)).collect())
}

/// The version of a customer's booking; `None` when the customer has no such booking.
pub async fn version(
    executor: impl PgExecutor<'_>,
    customer_id: Id<Customer>,
    id: Id<Booking>,
) -> Result<Option<i64>, StoreError> {
    let version = sqlx::query_scalar(
        "select version from bookings where booking_id = $1 and customer_id = $2",
    )
    .bind(id)
    .bind(customer_id)
    .fetch_optional(executor)
    .await?;
    Ok(version)
}

/// The versions of those of these bookings that there are, in any order.
pub async fn versions(
    executor: impl PgExecutor<'_>,
    ids: &[Id<Booking>],
) -> Result<Vec<(Id<Booking>, i64)>, StoreError> {
    let versions =
        sqlx::query_as("select booking_id, version from bookings where booking_id = any($1)")
            .bind(ids)
            .fetch_all(executor)
            .await?;
    Ok(versions)
}

/// A customer's unpaid holds.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Holds {
    /// The number of live holds, with a time on the wait list that is not the requested one.
    pub live: i64,
    /// The booking that holds exactly the requested slot, with the requested practitioner.
    pub same: Option<Id<Booking>>,
    /// Whether another session of the customer, held or booked, overlaps the slot. It is looked up
    /// only among several practitioners: the day of one has no overlap anyway.
    pub overlap: bool,
    /// What was held before without a payment.
    pub unpaid: UnpaidHolds,
    /// The time on the wait list that is held for the customer and is exactly the requested one.
    pub offer: Option<Id<Block>>,
}

impl Holds {
    fn read(row: &PgRow) -> Result<Self, StoreError> {
        let unpaid = |count, last_at| {
            Ok::<_, StoreError>(UnpaidCount {
                count: row.try_get(count)?,
                last_at: row.try_get(last_at)?,
            })
        };
        Ok(Self {
            live: row.try_get("live")?,
            same: row.try_get("same")?,
            overlap: row.try_get("overlap")?,
            offer: row.try_get("offer")?,
            unpaid: UnpaidHolds {
                has_paid: row.try_get("has_paid")?,
                account: unpaid("account_count", "account_last_at")?,
                device: unpaid("device_count", "device_last_at")?,
                network: unpaid("network_count", "network_last_at")?,
            },
        })
    }

    /// The same for one session more of a package: `same` is the booking that holds every one.
    #[must_use]
    pub fn and(self, one: Self) -> Self {
        let same = self.same.filter(|same| one.same == Some(*same));
        Self { same, overlap: self.overlap || one.overlap, offer: None, ..self }
    }
}

/// A requested slot, to compare with the customer's holds.
#[derive(Debug, Clone, Copy)]
pub struct SlotRequest<'r> {
    /// The customer.
    pub customer_id: Id<Customer>,
    /// The service.
    pub service_id: &'r str,
    /// The package; `None` for a single session.
    pub package_id: Option<&'r str>,
    /// Online or in person, as stored.
    pub mode: &'static str,
    /// The time.
    pub span: Span,
    /// The requested practitioner; `None` for anyone.
    pub practitioner_id: Option<&'r str>,
    /// The practitioner whose day is asked.
    pub asked_id: &'r str,
    /// Where the request comes from. Personal data.
    pub network_hash: Option<&'r [u8]>,
    /// The same of its device.
    pub device_hash: Option<&'r [u8]>,
}

/// Unpaid holds since the last day whose time is over, and when the last was requested: a lateral
/// join for each row of `asked as a`. Of a device or network the last thousand are looked at, and
/// no live ones, so that a request costs the same however many times are held.
const UNPAID_HOLDS: &str = "
     left join lateral (
         select count(*) as count, max(b.requested_at) as last_at from bookings b
         where b.customer_id = a.customer_id and b.requested_at > a.now - interval '1 day'
           and not b.by_phone and b.payment_state not in ('paid', 'refunding', 'refunded')
           and (b.state in ('expired', 'released') or b.held_until_at <= a.now)) account on true
     left join lateral (
         select count(*) as count, max(o.held_at) as last_at
         from (select booking_id, held_at from hold_origins
               where device_hash = a.device_hash and held_until_at <= a.now
                 and held_until_at > a.now - interval '1 day' and held_at > a.now - interval '1 day'
               order by held_until_at desc limit 1000) o join bookings b using (booking_id)
         where b.payment_state not in ('paid', 'refunding', 'refunded')
           and (b.state in ('expired', 'released') or b.held_until_at <= a.now)) device on true
     left join lateral (
         select count(*) as count, max(o.held_at) as last_at
         from (select booking_id, held_at from hold_origins
               where network_hash = a.network_hash and held_until_at <= a.now
                 and held_until_at > a.now - interval '1 day' and held_at > a.now - interval '1 day'
               order by held_until_at desc limit 1000) o join bookings b using (booking_id)
         where b.payment_state not in ('paid', 'refunding', 'refunded')
           and (b.state in ('expired', 'released') or b.held_until_at <= a.now)) network on true";

/// The customers' holds, one for each requested slot and in the same order. Exact under the
/// customers' locks. Where there are `several` practitioners, sessions that overlap are looked up
/// in their calendars.
pub async fn holds(
    tx: &mut Tx,
    requests: &[SlotRequest<'_>],
    several: &[String],
    now: Timestamp,
) -> Result<Vec<Holds>, StoreError> {
    let mut sql = QueryBuilder::<Postgres>::new("with asked as (");
    sql.push_values(requests.iter().enumerate(), |mut row, (number, request)| {
        row.push(number).push_bind(request.customer_id).push_bind(request.service_id);
        row.push_bind(request.mode)
            .push_bind(request.span.starts_at())
            .push_bind(request.span.ends_at());
        row.push_bind(request.practitioner_id).push_bind(request.package_id).push_bind(now);
        row.push_bind(request.network_hash).push_bind(request.device_hash);
        row.push_bind(request.asked_id);
    });
    sql.push(
        ")
         select (select count(*) from bookings b
                 where b.customer_id = a.customer_id and b.held_until_at > a.now)
                + (select count(*) from waiting_offers o
                   where o.customer_id = a.customer_id and o.state = 'open'
                     and (o.practitioner_id, o.starts_at, o.ends_at)
                         <> (a.asked_id, a.starts_at, a.ends_at)) as live,
                (select b.booking_id from bookings b join slot_reservations r using (booking_id)
                 where b.customer_id = a.customer_id and b.service_id = a.service_id
                   and b.mode = a.mode and b.held_until_at > a.now and r.live
                   and r.starts_at = a.starts_at and r.ends_at = a.ends_at
                   and (a.practitioner_id is null or b.practitioner_id = a.practitioner_id)
                   and b.package_id is not distinct from a.package_id
                 limit 1) as same,
                (select o.offer_id from waiting_offers o
                 where o.customer_id = a.customer_id and o.state = 'open'
                   and o.practitioner_id = a.asked_id and o.starts_at = a.starts_at
                   and o.ends_at = a.ends_at) as offer, ",
    );
    if several.is_empty() {
        sql.push("false");
    } else {
        sql.push("(select exists (select from unnest(").push_bind(several);
        sql.push(
            "::text[]) as p (id)
                     join slot_reservations r
                       on r.practitioner_id = p.id and r.live
                          and r.during && tstzrange(a.starts_at, a.ends_at)
                          and (r.held_until_at is null or r.held_until_at > a.now)
                     join bookings b using (booking_id)
                     where b.customer_id = a.customer_id))",
        );
    }
    sql.push(
        " as overlap,
         exists (select from bookings b
                 where b.customer_id = a.customer_id and b.price_minor > 0
                   and b.payment_state in ('paid', 'refunding', 'refunded')) as has_paid,
         account.count as account_count, account.last_at as account_last_at,
         device.count as device_count, device.last_at as device_last_at,
         network.count as network_count, network.last_at as network_last_at
         from asked as a
             (n, customer_id, service_id, mode, starts_at, ends_at, practitioner_id, package_id,
              now, network_hash, device_hash, asked_id)",
    );
    sql.push(UNPAID_HOLDS).push(" order by n");
    let rows = sql.build().fetch_all(tx.connection()).await?;
    rows.iter().map(Holds::read).collect()
}

/// Whether the customer has another live booking that replaces this one, held, or confirmed and
/// still to come: of the same service and requested later, or at the same time with another
/// practitioner.
pub async fn is_replaced(tx: &mut Tx, facts: &Facts, now: Timestamp) -> Result<bool, StoreError> {
    let replaced = sqlx::query_scalar(
        "select exists (
             select 1 from bookings other join bookings this on this.booking_id = $1
             where other.booking_id <> this.booking_id
               and other.customer_id = this.customer_id
               and ((other.service_id = this.service_id
                     and other.requested_at >= this.requested_at)
                    or exists (select 1 from slot_reservations mine, slot_reservations r
                               where mine.booking_id = this.booking_id
                                 and r.booking_id = other.booking_id
                                 and r.live and r.during && mine.during))
               and (other.held_until_at > $2
                    or (other.state in ('confirmed', 'meeting_scheduled')
                        and exists (select 1 from slot_reservations r
                                    where r.booking_id = other.booking_id
                                      and r.live and r.ends_at > $2))))",
    )
    .bind(facts.booking_id)
    .bind(now)
    .fetch_one(tx.connection())
    .await?;
    Ok(replaced)
}

/// Whether a payment was ever claimed for a booking. Exact under the booking's locks.
pub async fn is_claimed(tx: &mut Tx, id: Id<Booking>) -> Result<bool, StoreError> {
    let claimed = sqlx::query_scalar("select claimed from bookings where booking_id = $1")
        .bind(id)
        .fetch_optional(tx.connection())
        .await?;
    Ok(claimed.unwrap_or(false))
}

/// The SQL of [`bookings_between`], public so that a test can check its query plan.
pub const BOOKINGS_BETWEEN: &str =
    "select booking_id from bookings join slot_reservations r using (booking_id)
     where r.starts_at >= $1 and r.starts_at < $2
       and ($3::text[] is null
            or case when no_show and state = 'completed' then 'no_show' else state end = any ($3))
       and ($5::text is null or r.practitioner_id = $5)
     group by booking_id order by min(r.starts_at), booking_id limit $4";

/// The bookings with sessions in a range of instants, by their first session there; only those in
/// `states` and with this practitioner, if given.
pub async fn bookings_between(
    executor: impl PgExecutor<'_>,
    (from, to): (Timestamp, Timestamp),
    (states, practitioner_id): (Option<&[&str]>, Option<&str>),
    at_most: i64,
) -> Result<Vec<Id<Booking>>, StoreError> {
    let ids = sqlx::query_scalar(BOOKINGS_BETWEEN)
        .bind(from)
        .bind(to)
        .bind(states)
        .bind(at_most)
        .bind(practitioner_id)
        .fetch_all(executor)
        .await?;
    Ok(ids)
}

/// The bookings whose id ends with these eight digits, newest first; only those with this
/// practitioner, if given.
pub async fn bookings_by_reference(
    executor: impl PgExecutor<'_>,
    (reference, practitioner_id): (&str, Option<&str>),
    at_most: i64,
) -> Result<Vec<Id<Booking>>, StoreError> {
    let sql = "select booking_id from bookings
               where right(booking_id::text, 8) = $1
                 and ($2::text is null or practitioner_id = $2)
               order by booking_id desc limit $3";
    let ids = sqlx::query_scalar(sql)
        .bind(reference)
        .bind(practitioner_id)
        .bind(at_most)
        .fetch_all(executor)
        .await?;
    Ok(ids)
}

/// A booking's practitioner; `None` when there is no such booking.
pub async fn practitioner_of(
    executor: impl PgExecutor<'_>,
    id: Id<Booking>,
) -> Result<Option<String>, StoreError> {
    let sql = "select practitioner_id from bookings where booking_id = $1";
    Ok(sqlx::query_scalar(sql).bind(id).fetch_optional(executor).await?)
}

/// A closed time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Blocked {
    /// The block's id.
    pub block_id: Id<Block>,
    /// The practitioner.
    pub practitioner_id: String,
    /// The time range.
    pub span: Span,
    /// Until when it is held for a client on the wait list; `None` for a time that staff closed.
    pub offered_until: Option<Timestamp>,
}

fn blocked(row: &PgRow) -> Result<Option<Blocked>, sqlx::Error> {
    let block_id = row.try_get("block_id")?;
    let practitioner_id = row.try_get("practitioner_id")?;
    let span = Span::new(row.try_get("starts_at")?, row.try_get("ends_at")?);
    let offered_until = row.try_get("held_until_at")?;
    Ok(span.map(|span| Blocked { block_id, practitioner_id, span, offered_until }))
}

/// A block, including one that was opened again; `None` if it never existed.
pub async fn block(
    executor: impl PgExecutor<'_>,
    id: Id<Block>,
) -> Result<Option<Blocked>, StoreError> {
    let row = sqlx::query(
        "select block_id, r.practitioner_id, r.starts_at, r.ends_at, o.held_until_at
         from slot_reservations r left join waiting_offers o on o.offer_id = r.block_id
         where block_id = $1",
    )
    .bind(id)
    .fetch_optional(executor)
    .await?;
    Ok(row.as_ref().map(blocked).transpose()?.flatten())
}

/// The closed times of all practitioners, or of one, between two instants, in order.
pub async fn blocked_between(
    executor: impl PgExecutor<'_>,
    (from, to): (Timestamp, Timestamp),
    practitioner_id: Option<&str>,
) -> Result<Vec<Blocked>, StoreError> {
    let rows = sqlx::query(
        "select block_id, r.practitioner_id, r.starts_at, r.ends_at, o.held_until_at
         from slot_reservations r left join waiting_offers o on o.offer_id = r.block_id
         where live and block_id is not null and r.starts_at >= $1 and r.starts_at < $2
           and ($3::text is null or r.practitioner_id = $3)
         order by r.starts_at, r.practitioner_id, block_id",
    )
    .bind(from)
    .bind(to)
    .bind(practitioner_id)
    .fetch_all(executor)
    .await?;
    let mut times = Vec::with_capacity(rows.len());
    for row in &rows {
        times.extend(blocked(row)?);
    }
    Ok(times)
}

/// What is needed to take a booking's locks. Its owner changes when it is adopted, and its days and
/// its practitioner when it is moved: they are compared once more under the locks.
#[derive(Debug, Clone)]
pub struct BookingLocation {
    /// Who owns it.
    pub customer_id: Id<Customer>,
    /// The practitioner whose days it is on.
    pub practitioner_id: String,
    /// When its sessions start.
    pub starts: Vec<Timestamp>,
}

/// Finds what is needed to lock a booking; `None` when it doesn't exist.
pub async fn locate(tx: &mut Tx, id: Id<Booking>) -> Result<Option<BookingLocation>, StoreError> {
    let rows = sqlx::query(
        "select b.customer_id, b.practitioner_id, r.starts_at
         from bookings b join slot_reservations r using (booking_id)
         where b.booking_id = $1 order by r.starts_at",
    )
    .bind(id)
    .fetch_all(tx.connection())
    .await?;
    let Some(first) = rows.first() else { return Ok(None) };
    let customer_id = first.try_get("customer_id")?;
    let practitioner_id = first.try_get("practitioner_id")?;
    let starts =
        rows.iter().map(|row| row.try_get("starts_at")).collect::<Result<_, sqlx::Error>>()?;
    Ok(Some(BookingLocation { customer_id, practitioner_id, starts }))
}

/// When the terms were accepted; `None` while they are not, and once the contact data was deleted.
pub async fn terms_accepted_at(
    executor: impl PgExecutor<'_>,
    id: Id<Booking>,
) -> Result<Option<Timestamp>, StoreError> {
    let sql = "select terms_accepted_at from booking_contacts where booking_id = $1";
    let accepted: Option<Option<Timestamp>> =
        sqlx::query_scalar(sql).bind(id).fetch_optional(executor).await?;
    Ok(accepted.flatten())
}
