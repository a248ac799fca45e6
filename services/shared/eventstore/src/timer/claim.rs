//! Claims of timers: as many at once as there are free places, and no more of a third party's
//! timers than its lane has places.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use kernel::Timestamp;
use serde_json::Value;
use sqlx::postgres::PgRow;
use sqlx::{PgExecutor, Row};
use uuid::Uuid;

use super::clock::APART_MAX;
use crate::error::StoreError;
use crate::event::Metadata;

/// The lease of a claimed timer. A handler has a little less time.
const LEASE_SECONDS: f64 = 25.0;
/// How many timers of a process wait for one third party at most, so that one that hangs delays
/// nothing else.
const PARALLEL_OF_A_LANE_MAX: usize = 4;
// The statement below has the same number.
const _: () = assert!(PARALLEL_OF_A_LANE_MAX == 4, "the statement reads four of each");

/// Each kind is read by itself over an index of ready timers, so a claim costs the same whatever
/// else is due. Within a lane bulk timers come last, and repeated tries come after first ones. The
/// limit is the lane's places, written as a number and not as a parameter, so that the planner
/// knows how few rows there are. The lease is checked where the row is locked, because another
/// process may have claimed it since it was read.
const CLAIM: &str = "
with recursive kinds as (
    (select kind from timers
     where (select clock_timestamp()) between $8::timestamptz - $9 and $8::timestamptz + $9
     order by kind limit 1)
    union all
    select (select t.kind from timers t where t.kind > k.kind order by t.kind limit 1)
    from kinds k where k.kind is not null),
rooms as (
    select k.kind, coalesce(m.lane, k.kind) as lane, $2 - coalesce(b.running, 0) as room
    from kinds k
    left join unnest($3::text[], $4::text[]) m (kind, lane) on m.kind = k.kind
    left join unnest($5::text[], $6::int[]) b (lane, running) on b.lane = coalesce(m.lane, k.kind)
    where k.kind is not null),
ready as (
    select c.*, r.room, row_number() over (
        partition by r.lane order by c.is_bulk, c.attempts > 0, c.due_at) as place
    from rooms r cross join lateral (
        (select timer_id, is_bulk, attempts, due_at from timers
         where kind = r.kind and attempts = 0 and not is_bulk and due_at <= (select clock_now())
         order by due_at limit 4)
        union all
        (select timer_id, is_bulk, attempts, due_at from timers
         where kind = r.kind and attempts = 0 and is_bulk and due_at <= (select clock_now())
         order by due_at limit 4)
        union all
        (select timer_id, is_bulk, attempts, due_at from timers
         where kind = r.kind and attempts > 0 and lease_until_at <= (select clock_timestamp())
           and due_at <= (select clock_now())
         order by lease_until_at limit 4)) c),
chosen as (
    select timer_id from ready where place <= room
    order by is_bulk, attempts > 0, due_at limit $7)
update timers
set lease_until_at = clock_timestamp() + make_interval(secs => $1), attempts = attempts + 1
where timer_id in (
    select timer_id from timers
    where timer_id in (select timer_id from chosen) and lease_until_at <= clock_timestamp()
    for update skip locked)
returning timer_id, kind, subject, due_at, payload, metadata, attempts";

/// A timer that is due and was claimed.
#[derive(Debug, Clone)]
pub struct Timer {
    /// Its own id.
    pub timer_id: Uuid,
    /// The work to do.
    pub kind: String,
    /// The subject, for example a booking's id.
    pub subject: String,
    /// When it fell due.
    pub due_at: Timestamp,
    /// Further data for the handler.
    pub payload: Value,
    /// The metadata of the transaction that set it.
    pub metadata: Metadata,
    /// The number of this try, from 1.
    pub attempts: i32,
}

/// Claims at most so many of the due timers, and none if the database's clock does not show the
/// expected time.
pub(super) async fn claim(
    executor: impl PgExecutor<'_>,
    lanes: &Lanes,
    (most, expected): (usize, Timestamp),
) -> Result<Vec<Timer>, StoreError> {
    let (kinds, lanes_of_kinds) = lanes.shared();
    let (busy, running) = lanes.busy();
    let rows = sqlx::query(CLAIM)
        .bind(LEASE_SECONDS)
        .bind(i32::try_from(PARALLEL_OF_A_LANE_MAX).unwrap_or(i32::MAX))
        .bind(kinds)
        .bind(lanes_of_kinds)
        .bind(busy)
        .bind(running)
        .bind(i64::try_from(most).unwrap_or(i64::MAX))
        .bind(expected)
        .bind(APART_MAX)
        .fetch_all(executor)
        .await?;
    rows.iter().map(read).collect::<Result<_, _>>().map_err(StoreError::from)
}

/// What decides whether timers are claimed now, and when this is asked again.
#[derive(Debug)]
pub(super) struct NextDue {
    /// Whether a timer is due that no process has and that does not pause.
    pub(super) is_due: bool,
    /// In how long the next timer falls due that is not due yet.
    pub(super) within: Option<Duration>,
    /// Whether the database's clock is not the machine's.
    pub(super) clock_is_moved: bool,
}

/// Whether a timer is due, and when the next one is. It costs less than a claim that finds nothing.
pub(super) async fn next_due(executor: impl PgExecutor<'_>) -> Result<NextDue, StoreError> {
    let (is_due, seconds, clock_is_moved): (bool, Option<f64>, bool) = sqlx::query_as(
        "with c as materialized (select clock_now() as now, clock_timestamp() as real)
         select exists (select from timers where due_at <= c.now and lease_until_at <= c.real),
                extract(epoch from (select due_at from timers where due_at > c.now
                                    order by due_at limit 1) - c.now)::float8,
                abs(extract(epoch from c.now - c.real)) > 0.1
         from c",
    )
    .fetch_one(executor)
    .await?;
    let within = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    Ok(NextDue { is_due, within, clock_is_moved })
}

fn read(row: &PgRow) -> Result<Timer, sqlx::Error> {
    Ok(Timer {
        timer_id: row.try_get("timer_id")?,
        kind: row.try_get("kind")?,
        subject: row.try_get("subject")?,
        due_at: row.try_get("due_at")?,
        payload: row.try_get("payload")?,
        metadata: serde_json::from_value(row.try_get("metadata")?).unwrap_or_default(),
        attempts: row.try_get("attempts")?,
    })
}

/// The running timers of this process by lane: kinds that wait for the same third party share a
/// lane, every other kind has its own.
#[derive(Debug, Clone)]
pub(super) struct Lanes {
    shared: &'static [&'static [&'static str]],
    running: Arc<Mutex<BTreeMap<String, i32>>>,
    /// Whether a timer may be due that found no place.
    is_waiting: Arc<AtomicBool>,
}

impl Lanes {
    pub(super) fn new(shared: &'static [&'static [&'static str]]) -> Self {
        Self { shared, running: Arc::default(), is_waiting: Arc::default() }
    }

    /// The name of a kind's lane: its own, or that of the first kind that it shares one with.
    fn of<'k>(&self, kind: &'k str) -> &'k str {
        let shared = self.shared.iter().find(|kinds| kinds.contains(&kind));
        shared.and_then(|kinds| kinds.first()).copied().unwrap_or(kind)
    }

    /// Kinds that share a lane, each with the name of the lane.
    fn shared(&self) -> (Vec<&'static str>, Vec<&'static str>) {
        let kinds = self.shared.iter().copied().flatten().copied();
        kinds.map(|kind| (kind, self.of(kind))).unzip()
    }

    /// How many timers run in each lane.
    fn busy(&self) -> (Vec<String>, Vec<i32>) {
        self.counts().iter().map(|(lane, count)| (lane.clone(), *count)).unzip()
    }

    /// Counts one more timer of a kind until the returned value is dropped.
    pub(super) fn enter(&self, kind: &str) -> Entered {
        let lane = self.of(kind).to_owned();
        *self.counts().entry(lane.clone()).or_default() += 1;
        Entered { lanes: self.clone(), lane }
    }

    /// Whether the places of a lane are taken.
    pub(super) fn has_a_full_one(&self) -> bool {
        let most = i32::try_from(PARALLEL_OF_A_LANE_MAX).unwrap_or(i32::MAX);
        self.counts().values().any(|count| *count >= most)
    }

    /// Notes whether a timer may be due that found no place.
    pub(super) fn note_waiting(&self, is_waiting: bool) {
        self.is_waiting.store(is_waiting, Ordering::SeqCst);
    }

    /// Whether the end of a timer is to wake the loop.
    pub(super) fn is_waiting(&self) -> bool {
        self.is_waiting.load(Ordering::SeqCst)
    }

    fn counts(&self) -> MutexGuard<'_, BTreeMap<String, i32>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// One running timer.
pub(super) struct Entered {
    lanes: Lanes,
    lane: String,
}

impl Drop for Entered {
    fn drop(&mut self) {
        if let Some(count) = self.lanes.counts().get_mut(&self.lane) {
            *count = count.saturating_sub(1);
        }
    }
}
