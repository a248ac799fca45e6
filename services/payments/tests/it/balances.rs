//! Open balances are stored beside the ledger, so that neither a query nor a start reads the
//! history.

use std::time::Duration;

use anyhow::Result;
use payments::app::backfill_ledger::backfill_ledger;
use payments::read_model::ledger::{
    backfilled_until, streams_after, unequal_balances, write_closing,
};
use sqlx::{Connection as _, PgConnection};
use tokio::time::timeout;

use crate::ledger::{assert_left, confirmed, left};
use crate::world::{PRICE, World, usual_practice};

async fn close(world: &World) -> Result<bool> {
    let mut connection = world.store.pool().acquire().await?;
    Ok(write_closing(&mut connection).await?)
}

/// The balances follow the entries' numbers, whatever the clock says.
#[tokio::test]
async fn what_is_recorded_after_the_clock_was_set_back_is_in_the_balances() -> Result<()> {
    let world = World::without_webhooks().await?;
    world.move_clock(2 * 24 * 3600).await?;
    confirmed(&world).await?;
    world.until_quiet().await?;
    assert!(close(&world).await?);
    world.database.move_clock(0).await?;
    confirmed(&world).await?;
    world.until_quiet().await?;
    for _ in 0..2 {
        assert_left(&world, [("provider_clearing", 2 * PRICE), ("customer_advance", -2 * PRICE)])
            .await?;
        assert_eq!(unequal_balances(world.store.pool()).await?, []);
        assert!(close(&world).await?);
    }
    // A closing that misses something is found.
    let forget = "update ledger_sums set amount_minor = 0 where account = 'provider_clearing'";
    world.database.as_owner(forget).await?;
    let told = [("provider_clearing".to_owned(), 0, 2 * PRICE)];
    assert_eq!(unequal_balances(world.store.pool()).await?, told);
    Ok(())
}

/// An entry whose transaction began before a closing and commits after it is in the next one.
#[tokio::test]
async fn a_closing_waits_for_entries_that_are_being_written() -> Result<()> {
    let world = World::without_webhooks().await?;
    confirmed(&world).await?;
    world.until_quiet().await?;
    let mut owner = PgConnection::connect(&world.database.owner_url).await?;
    let mut late = owner.begin().await?;
    let write = "with entry as (
            insert into ledger_entries (entry_id, cause, kind, lines)
            values (gen_random_uuid(), 'late', 'settled', 2) returning entry_id)
        insert into ledger_lines (entry_id, line, account, amount_minor, amount_currency)
        select entry_id, line, account, minor, 'INR' from entry,
            (values (1, 'bank', 700), (2, 'suspense', -700)) as given (line, account, minor)";
    sqlx::query(write).execute(&mut *late).await?;
    // Another booking's money comes after it, and is committed before it.
    confirmed(&world).await?;
    world.until_quiet().await?;
    let closing = close(&world);
    let commit = async {
        let waits = "select count(*) from pg_stat_activity where datname = current_database()
                     and query like '%virtualtransaction =' || ' any%'";
        world.until_number(waits, 1).await?;
        late.commit().await?;
        anyhow::Ok(())
    };
    let (closed, committed) = tokio::join!(closing, commit);
    committed?;
    assert!(closed?);
    assert_eq!(left(&world).await?["bank"], 700);
    let lacks = "select count(*) from ledger_entries
                 where seq > (select max(up_to_seq) from ledger_sums)";
    assert_eq!(world.number(lacks).await?, 0);
    let bank = "select amount_minor from ledger_sums where account = 'bank'";
    assert_eq!(world.number(bank).await?, 700);
    Ok(())
}

/// A night closes the accounts, and a start looks through what came since.
#[tokio::test]
async fn a_closing_changes_no_balance_and_a_start_reads_what_is_new() -> Result<()> {
    let world = World::without_webhooks().await?;
    let closings = "select count(*) from ledger_sums where account = 'customer_advance'";
    let mut count = 0;
    for _ in 0..2 {
        confirmed(&world).await?;
        world.until_quiet().await?;
        let before = left(&world).await?;
        assert!(close(&world).await?);
        assert!(world.number(closings).await? > count);
        count = world.number(closings).await?;
        assert!(close(&world).await?);
        assert_eq!(world.number(closings).await?, count, "nothing new is no closing");
        assert_eq!(left(&world).await?, before);
    }

    // The last events of a payment are those of its receipt.
    world.until_number("select count(*) from receipts", 2).await?;
    world.until_number("select count(*) from outbox", 0).await?;
    backfill_ledger(&world.store).await?;
    let all = "select count(*) from feed f where f.position <= (select position from opened_books)";
    let events = world.number("select count(*) from events").await?;
    assert_eq!(world.number(all).await?, events);
    let pool = world.store.pool();
    let (streams, _end) = streams_after(pool, 0, 1_000).await?;
    assert_eq!(streams.len(), 2);
    let position = backfilled_until(pool).await?;
    let (streams, end) = streams_after(pool, position, 1_000).await?;
    assert_eq!((streams.is_empty(), end), (true, position), "nothing is read again");

    // What has been looked through is not looked through again: what is gone stays gone.
    let gone = "alter table ledger_lines disable trigger user;
                alter table ledger_entries disable trigger user;
                delete from ledger_lines; delete from ledger_entries;
                alter table ledger_entries enable trigger user;
                alter table ledger_lines enable trigger user;";
    world.database.as_owner(gone).await?;
    backfill_ledger(&world.store).await?;
    assert_eq!(world.number("select count(*) from ledger_entries").await?, 0);
    Ok(())
}

/// The work at startup may take long, and is abandoned at shutdown.
#[tokio::test]
async fn a_process_that_is_to_stop_does_not_wait_for_its_start() -> Result<()> {
    let mut world = World::without_webhooks().await?;
    // Its own start would wait for the lock, too.
    world.stop().await?;
    let mut owner = PgConnection::connect(&world.database.owner_url).await?;
    let mut lock = owner.begin().await?;
    sqlx::query("lock table opened_books in access exclusive mode").execute(&mut *lock).await?;
    let process = world.another(&usual_practice()).await?;
    let waiting = "select count(*) from pg_stat_activity where datname = current_database()
                   and wait_event_type = 'Lock' and query like '%opened_books%'";
    world.until_number(waiting, 1).await?;
    timeout(Duration::from_secs(120), process.stop()).await??;
    lock.rollback().await?;
    Ok(())
}
