//! A database per test, cloned from a template that is migrated once per set of migrations.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use anyhow::{Context as _, Result};
use eventstore::{Database, Store};
use kernel::hex;
use sha2::{Digest as _, Sha256};
use sqlx::migrate::Migrator;
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection};

use crate::administrator;

/// The role that services under test use; it has a service's rights and no more.
const APP_ROLE: &str = "sukoon_test_app";

/// How many connections a service under test uses at most: a test has one caller, and each new
/// connection is a process of PostgreSQL that reads its catalogues anew.
const CONNECTIONS_MAX: u32 = 8;

/// A migrated database of one test. It is dropped with this value.
#[derive(Debug)]
pub struct TestDatabase {
    name: String,
    /// The owner's one connection, once a statement was run.
    owner: tokio::sync::Mutex<Option<PgConnection>>,
    /// URL for the service's own role.
    pub url: String,
    /// URL for the owner, who may do everything, for example move the clock.
    pub owner_url: String,
}

impl TestDatabase {
    /// Makes a database with the event log and a service's own tables.
    pub async fn new(service: &Migrator) -> Result<Self> {
        let template = template(service).await?;
        let name = format!("test_{}", eventstore::new_uuid().simple());
        // Each page of the template would be logged: half as much again for a database of 12 MB.
        let sql = format!("create database {name} template {template} strategy file_copy");
        administrator::run(sql).await?;
        let owner_url = with_database(&administrator::url()?, &name)?;
        let url = format!("{}?connection_limit={CONNECTIONS_MAX}", with_role(&owner_url)?);
        Ok(Self { name, owner: tokio::sync::Mutex::default(), url, owner_url })
    }

    /// Opens it as the service would.
    pub fn store(&self) -> Result<Store> {
        Ok(Store::new(Database::new(self.url.clone()).open()?))
    }

    /// Migrates it as the command `migrate` does, which changes nothing where that was done.
    pub async fn migrate(&self, service: &Migrator) -> Result<()> {
        Ok(eventstore::migrate(&self.owner_url, APP_ROLE, service).await?)
    }

    /// Sets the database's clock so many seconds ahead of the machine's.
    pub async fn move_clock(&self, seconds: i64) -> Result<()> {
        self.as_owner(&format!("update clock set offset_by = make_interval(secs => {seconds})"))
            .await
    }

    /// Stops the database's clock; [`Self::move_clock`] still moves it. A limit of a second then
    /// doesn't pass while a busy machine hashes the next password.
    pub async fn stop_clock(&self) -> Result<()> {
        self.as_owner(
            "do $stop$ begin execute format('create or replace function clock_now()
             returns timestamptz language plpgsql volatile as $$
             begin return %L::timestamptz + (select offset_by from clock); end $$',
             clock_timestamp()); end $stop$",
        )
        .await
    }

    /// Runs a statement with the owner's rights. What it sets for its session holds for the next
    /// ones too.
    pub async fn as_owner(&self, sql: &str) -> Result<()> {
        let mut kept = self.owner.lock().await;
        let mut owner = match kept.take() {
            Some(owner) => owner,
            None => PgConnection::connect(&self.owner_url).await?,
        };
        owner.execute(AssertSqlSafe(sql.to_owned())).await?;
        // One whose statement failed may be broken, and is not kept.
        *kept = Some(owner);
        Ok(())
    }
}

impl Drop for TestDatabase {
    fn drop(&mut self) {
        // A database that cannot be dropped goes when the test services end.
        drop(administrator::run_blocking(format!(
            "drop database if exists {} with (force)",
            self.name
        )));
    }
}

/// The name of the template with these migrations, which is made if no test has made it.
async fn template(service: &Migrator) -> Result<String> {
    /// The templates that this program has seen.
    static MADE: Mutex<BTreeSet<String>> = Mutex::new(BTreeSet::new());
    let mut hash = Sha256::new();
    for migration in eventstore::database::migrations(service).iter() {
        hash.update(&*migration.checksum);
    }
    let name = format!("template_{:.20}", hex::encode(hash.finalize()));
    // A set of names cannot be half-written.
    if MADE.lock().unwrap_or_else(PoisonError::into_inner).contains(&name) {
        return Ok(name);
    }
    let url = administrator::url()?;
    let mut admin = PgConnection::connect(&url).await?;
    // Tests of several processes want the same template at once; one makes it, the others wait.
    admin.execute("select pg_advisory_lock(7345001)").await?;
    // The lock ends with its connection.
    make_template(&mut admin, &url, &name, service).await?;
    admin.close().await?;
    MADE.lock().unwrap_or_else(PoisonError::into_inner).insert(name.clone());
    Ok(name)
}

async fn make_template(
    admin: &mut PgConnection,
    url: &str,
    name: &str,
    service: &Migrator,
) -> Result<()> {
    let made: bool = sqlx::query_scalar(
        "select exists (select 1 from pg_database where datname = $1 and datistemplate)",
    )
    .bind(name)
    .fetch_one(&mut *admin)
    .await?;
    if made {
        return Ok(());
    }
    let role = format!(
        "do $$ begin create role {APP_ROLE} login password '{APP_ROLE}';
         exception when duplicate_object then null; end $$"
    );
    admin.execute(AssertSqlSafe(role)).await?;
    admin.execute(AssertSqlSafe(format!("drop database if exists {name}"))).await?;
    admin.execute(AssertSqlSafe(format!("create database {name}"))).await?;
    let owner_url = with_database(url, name)?;
    let mut owner = PgConnection::connect(&owner_url).await?;
    owner.execute("create extension if not exists btree_gist").await?;
    owner.close().await?;
    eventstore::migrate(&owner_url, APP_ROLE, service).await?;
    // Only a finished template is marked as one, so a test that died half-way leaves none behind.
    admin.execute(AssertSqlSafe(format!("alter database {name} is_template true"))).await?;
    Ok(())
}

fn with_database(url: &str, name: &str) -> Result<String> {
    let (front, _database) = url.rsplit_once('/').context("the URL names no database")?;
    Ok(format!("{front}/{name}"))
}

fn with_role(url: &str) -> Result<String> {
    let (_credentials, rest) = url.split_once('@').context("the URL names no user")?;
    Ok(format!("postgres://{APP_ROLE}:{APP_ROLE}@{rest}"))
}
