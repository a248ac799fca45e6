//! What a service's readiness and health ask of its database: that it answers, that it has been
//! brought up to date, and that what is written is kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use runtime::health::{Checks, WRITES};
use sqlx::migrate::Migrator;

use crate::database::migrations;
use crate::error::StoreError;
use crate::store::Store;

/// What the database is asked about writes, without writing.
///
/// A commit that waits for a standby is seen by its session, and that the next one will wait by
/// the absence of any standby. Sessions of other roles are not seen, and of a standby only that it
/// is there. Two seconds are more than a standby needs on a slow minute.
const WRITES_NOW: &str = "
    select case
        when current_setting('transaction_read_only')::bool then 'read only'
        when current_setting('synchronous_commit') in ('off', 'local') then 'kept'
        when exists (
            select from pg_stat_activity
            where usename = current_user and wait_event = 'SyncRep'
              and query_start < clock_timestamp() - interval '2 seconds'
        ) then 'waiting'
        when current_setting('synchronous_standby_names') <> ''
             and not exists (select from pg_stat_replication) then 'waiting'
        else 'kept'
    end";

/// For how long a write that found no room is told, where no other write is tried.
const REFUSAL_TOLD: Duration = Duration::from_secs(60);

/// Why writes are not acknowledged.
#[derive(Debug, thiserror::Error)]
pub enum WriteFault {
    /// The server is a standby, or writes are switched off.
    #[error("the database takes no writes")]
    ReadOnly,
    /// Commits wait for a standby that is not there or does not keep up.
    #[error("commits wait for a standby of the database")]
    Unreplicated,
    /// The last write found no room: a disk is full.
    #[error("the database had no room for a write")]
    WithoutRoom,
    /// The database does not answer.
    #[error("the database does not say whether it takes writes")]
    Unknown(#[source] StoreError),
}

/// Why the tables are not those that the program knows.
#[derive(Debug, thiserror::Error)]
pub enum SchemaFault {
    /// The database has not been brought up to date.
    #[error("the database lacks {0} of this program's migrations")]
    Behind(usize),
    /// The database does not answer, or has never been brought up to date.
    #[error("the database does not say which migrations it has")]
    Unknown(#[source] StoreError),
}

/// Readiness is that the database answers and has all migrations of this program, so that a program
/// that is started before them gets no calls. It may have more: those of a later release only add.
/// That the database keeps what is written is a concern: without it reads are still served.
#[must_use]
pub fn checks(store: &Store, service: &Migrator) -> Checks {
    let wanted: Arc<[i64]> = migrations(service).iter().map(|it| it.version).collect();
    let is_migrated = Arc::new(AtomicBool::new(false));
    let (read, written) = (store.clone(), store.clone());
    let checks = Checks::new().check("database", move || {
        let (store, wanted, is_migrated) = (read.clone(), wanted.clone(), is_migrated.clone());
        async move {
            if !is_migrated.load(Ordering::Relaxed) {
                check_schema(&store, &wanted).await?;
                is_migrated.store(true, Ordering::Relaxed);
            }
            store.check().await.map_err(SchemaFault::Unknown)
        }
    });
    checks.concern(WRITES, move || {
        let store = written.clone();
        async move { check_writes(&store).await }
    })
}

async fn check_schema(store: &Store, wanted: &[i64]) -> Result<(), SchemaFault> {
    let sql = "select count(distinct version) from _sqlx_migrations
               where success and version = any($1)";
    let asked = sqlx::query_scalar(sql).bind(wanted).fetch_one(store.pool()).await;
    let there: i64 = asked.map_err(|error| SchemaFault::Unknown(error.into()))?;
    match wanted.len().saturating_sub(usize::try_from(there).unwrap_or_default()) {
        0 => Ok(()),
        missing => Err(SchemaFault::Behind(missing)),
    }
}

/// Whether the database keeps what is written.
///
/// # Errors
/// When it takes no writes or has no room for them, when commits wait for a standby, or when it
/// does not answer.
pub async fn check_writes(store: &Store) -> Result<(), WriteFault> {
    let asked = sqlx::query_scalar(WRITES_NOW).fetch_one(store.pool()).await;
    let answer: String = asked.map_err(|error| WriteFault::Unknown(error.into()))?;
    match answer.as_str() {
        "read only" => Err(WriteFault::ReadOnly),
        "waiting" => Err(WriteFault::Unreplicated),
        _ if store.refused_since().is_some_and(|it| it < REFUSAL_TOLD) => {
            Err(WriteFault::WithoutRoom)
        }
        _ => Ok(()),
    }
}
