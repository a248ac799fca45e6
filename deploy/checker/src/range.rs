//! A range of bookings by their ids, small enough that everything about them fits into memory.

use std::collections::BTreeSet;

use anyhow::Result;
use kernel::Id;
use kernel::id::Booking;
use sqlx::query::Query;
use sqlx::{Postgres, Row as _};
use uuid::Uuid;

use crate::scope::Scope;
use crate::stores::{Store, Stores};

/// How many bookings a page has at most.
const BOOKINGS_MAX: i64 = 500;
/// What changed so shortly before the databases were read may stand in one of them and not yet in
/// another, in seconds.
pub(crate) const SETTLED_AFTER_SECONDS: i64 = 60;
/// The end of all ids.
const LAST: Uuid = Uuid::from_u128(u128::MAX);

/// A range of bookings, both ends included.
#[derive(Debug, Clone)]
pub(crate) struct Range {
    /// The first id.
    pub(crate) first: Uuid,
    /// The last id.
    pub(crate) last: Uuid,
    /// Those in it that are changing just now and are left out.
    pub(crate) without: BTreeSet<Id<Booking>>,
}

impl Range {
    /// The range after `before`, or the first one; none after the last one.
    pub(crate) async fn after(before: Option<&Self>, stores: &mut Stores) -> Result<Option<Self>> {
        let first = match before {
            None => Uuid::nil(),
            Some(range) if range.last == LAST => return Ok(None),
            Some(range) => Uuid::from_u128(range.last.as_u128().saturating_add(1)),
        };
        let mut last = LAST;
        for end in [
            end_of_rows(&mut stores.booking, "bookings", first).await?,
            end_of_rows(&mut stores.payments, "collections", first).await?,
            end_of_streams(&mut stores.booking, "booking-", first).await?,
            end_of_streams(&mut stores.payments, "collection-", first).await?,
        ] {
            last = end.map_or(last, |end| last.min(end));
        }
        let mut range = Self { first, last, without: BTreeSet::new() };
        let mut changed = range.changed(stores, true).await?;
        changed.extend(range.changed(stores, false).await?);
        range.without = changed;
        Ok(Some(range))
    }

    async fn changed(&self, stores: &mut Stores, booking: bool) -> Result<BTreeSet<Id<Booking>>> {
        let since = stores.taken_at.plus_seconds(-SETTLED_AFTER_SECONDS);
        let (store, prefix) = match booking {
            true => (&mut stores.booking, "booking-"),
            false => (&mut stores.payments, "collection-"),
        };
        let (from, to) = self.streams(prefix);
        let query = sqlx::query(
            "select distinct stream_id from events
             where stream_id between $1 and $2 and recorded_at > $3",
        );
        let streams = store
            .rows(query.bind(from).bind(to).bind(since), |row| row.try_get::<String, _>(0))
            .await?;
        Ok(streams.iter().filter_map(|stream| id_in(stream, prefix)).map(Id::from_uuid).collect())
    }

    /// The first and the last stream's name.
    pub(crate) fn streams(&self, prefix: &str) -> (String, String) {
        (format!("{prefix}{}", self.first), format!("{prefix}{}", self.last))
    }

    /// The names of the streams that are left out.
    pub(crate) fn streams_without(&self, prefix: &str) -> Vec<String> {
        self.without.iter().map(|id| format!("{prefix}{}", id.uuid())).collect()
    }

    /// The ids of the bookings that are left out.
    pub(crate) fn ids_without(&self) -> Vec<Uuid> {
        self.without.iter().map(|id| id.uuid()).collect()
    }

    /// A query about the rows of the range's bookings: its first id, its last one and those that
    /// are left out.
    pub(crate) fn query(
        &self,
        sql: &'static str,
    ) -> Query<'static, Postgres, sqlx::postgres::PgArguments> {
        sqlx::query(sql).bind(self.first).bind(self.last).bind(self.ids_without())
    }

    /// The same as a scope.
    pub(crate) fn scope(&self) -> Scope {
        let Self { first, last, without } = self.clone();
        Scope::Bookings { first, last, without }
    }
}

/// The id of the last row of a full page; none when the page would not be full.
async fn end_of_rows(store: &mut Store, table: &'static str, first: Uuid) -> Result<Option<Uuid>> {
    let query = match table {
        "bookings" => {
            "select booking_id from bookings where booking_id >= $1
             order by booking_id offset $2 limit 1"
        }
        _ => {
            "select booking_id from collections where booking_id >= $1
             order by booking_id offset $2 limit 1"
        }
    };
    let query = sqlx::query(query).bind(first).bind(BOOKINGS_MAX - 1);
    Ok(store.rows(query, |row| row.try_get(0)).await?.pop())
}

/// The same among streams, of which some may have no row.
async fn end_of_streams(store: &mut Store, prefix: &str, first: Uuid) -> Result<Option<Uuid>> {
    let query = sqlx::query(
        "select stream_id from events
         where stream_id between $1 and $2 and version = 1 order by stream_id offset $3 limit 1",
    );
    let (from, to) = (format!("{prefix}{first}"), format!("{prefix}{LAST}"));
    let query = query.bind(from).bind(to).bind(BOOKINGS_MAX - 1);
    let last: Option<String> = store.rows(query, |row| row.try_get(0)).await?.pop();
    Ok(last.and_then(|stream| id_in(&stream, prefix)))
}

fn id_in(stream: &str, prefix: &str) -> Option<Uuid> {
    Uuid::parse_str(stream.strip_prefix(prefix)?).ok()
}
