//! Checks a service's database for readiness and health: it answers, its migrations are applied,
//! and writes are kept.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use runtime::health::{Checks, WRITES};
use sqlx::migrate::Migrator;

use crate::database::migrations;
use crate::error::StoreError;
use crate::store::Store;

/// Asks the database about writes, without writing.
///
/// A session shows that its commit waits for a standby; the next commit will wait if there is no
/// standby. The service's role does not see sessions of other roles, and of a standby only that it
/// exists. A standby needs less than two seconds even when it is slow.
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

/// For how long a write that found no room is reported if no other write is tried.
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
    /// The database lacks migrations.
    #[error("the database lacks {0} of this program's migrations")]
    Behind(usize),
    /// The database does not answer, or has no migrations.
    #[error("the database does not say which migrations it has")]
    Unknown(#[source] StoreError),
}

/// The program is ready when the database answers and has all of its migrations, so a program that
/// is started before them gets no calls. More migrations are fine, because later releases only add.
/// Whether the database keeps writes is a concern: without that reads are still served.
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

/// Checks that the database keeps writes.
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
