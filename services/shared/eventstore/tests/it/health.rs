//! Whether a database is up to date and keeps what is written. That commits wait for a standby is
//! tried by the failover drills, which have one.

use std::borrow::Cow;

use anyhow::Result;
use eventstore::health::{WriteFault, check_writes, checks};
use eventstore::migrate;
use sqlx::migrate::{Migration, MigrationType, Migrator};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, PgConnection, SqlSafeStr as _};

use crate::{append, database, no_tables};

#[tokio::test]
async fn a_database_that_takes_no_writes_is_told_while_reads_go_on() -> Result<()> {
    let (database, store) = database().await?;
    append(&store, "bkg_1", "one").await?;
    check_writes(&store).await?;
    let mut owner = PgConnection::connect(&database.owner_url).await?;
    let name: String =
        sqlx::query_scalar("select current_database()").fetch_one(&mut owner).await?;
    let read_only = format!("alter database {name} set default_transaction_read_only = on");
    owner.execute(AssertSqlSafe(read_only)).await?;
    // Sessions that there are keep what they have begun with.
    let store = database.store()?;
    assert!(append(&store, "bkg_1", "two").await.is_err());
    let told = check_writes(&store).await;
    assert!(matches!(told, Err(WriteFault::ReadOnly)), "{told:?}");
    store.check().await?;
    Ok(())
}

#[tokio::test]
async fn a_full_disk_is_told_until_a_write_succeeds() -> Result<()> {
    let (database, store) = database().await?;
    let full = "create function full_disk() returns trigger language plpgsql as
                $$ begin raise exception 'full' using errcode = 'disk_full'; end $$;
                create trigger full_disk before insert on events
                execute function full_disk()";
    database.as_owner(full).await?;
    assert!(append(&store, "bkg_1", "one").await.is_err());
    let told = check_writes(&store).await;
    assert!(matches!(told, Err(WriteFault::WithoutRoom)), "{told:?}");
    database.as_owner("drop trigger full_disk on events").await?;
    append(&store, "bkg_1", "one").await?;
    check_writes(&store).await?;
    Ok(())
}

#[tokio::test]
async fn reads_go_on_while_all_writes_wait() -> Result<()> {
    let (database, store) = database().await?;
    append(&store, "bkg_0", "one").await?;
    let mut owner = PgConnection::connect(&database.owner_url).await?;
    owner.execute("begin; lock table events in exclusive mode").await?;
    let writes = (1..=30).map(|n| {
        let store = store.clone();
        tokio::spawn(async move { append(&store, &format!("bkg_{n}"), "one").await })
    });
    let writes: Vec<_> = writes.collect();
    let turns = store.pool().options().get_max_connections() * 3 / 4;
    let waiting = "select count(*) from pg_locks l join pg_database d on d.oid = l.database
                   where d.datname = current_database() and not l.granted";
    while sqlx::query_scalar::<_, i64>(waiting).fetch_one(&mut owner).await? < turns.into() {
        tokio::task::yield_now().await;
    }
    for _ in 0..30 {
        store.check().await?;
    }
    owner.execute("rollback").await?;
    for write in writes {
        write.await??;
    }
    Ok(())
}

#[tokio::test]
async fn a_program_is_not_ready_before_its_migrations() -> Result<()> {
    let (database, store) = database().await?;
    let name = Cow::Borrowed("of this release");
    let sql = "create table of_this_release (id bigint primary key)".into_sql_str();
    let new = Migration::new(29_990_101_000_000, name, MigrationType::Simple, sql, false);
    let of_this_release = Migrator::with_migrations(vec![new]);
    let checks = checks(&store, &of_this_release);
    let failing = checks.failing().await;
    let [("database", reason)] = failing.as_slice() else { panic!("{failing:?}") };
    assert!(reason.contains("lacks 1 of this program's migrations"), "{reason}");
    migrate(&database.owner_url, "sukoon_test_app", &of_this_release).await?;
    assert_eq!(checks.failing().await, []);
    // A program of the release before goes on beside it.
    let before = eventstore::health::checks(&store, &no_tables());
    assert_eq!(before.failing().await, []);
    Ok(())
}
