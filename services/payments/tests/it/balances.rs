//! Open balances are stored beside the ledger, so that neither a query nor a start reads the
//! history.

use std::time::Duration;

use anyhow::Result;
use payments::app::backfill_ledger::backfill_ledger;
use payments::read_model::ledger::{backfilled_until, streams_after, write_closing};
use sqlx::{Connection as _, PgConnection};
use tokio::time::timeout;

use crate::ledger::{confirmed, left};
use crate::world::{World, usual_practice};

/// A night closes the accounts as of an hour ago, and a start looks through what came since.
#[tokio::test]
async fn a_closing_changes_no_balance_and_a_start_reads_what_is_new() -> Result<()> {
    let world = World::without_webhooks().await?;
    confirmed(&world).await?;
    world.until_quiet().await?;
    world.database.move_clock(2 * 3600).await?;
    confirmed(&world).await?;
    world.until_quiet().await?;
    let before = left(&world).await?;
    for _ in 0..2 {
        write_closing(world.store.pool()).await?;
        assert_eq!(left(&world).await?, before);
    }
    // The practice's own night may have fallen into these two hours and closed, too.
    let closings = "select count(*) from ledger_closings where account = 'customer_advance'";
    let first = "select count(*) from ledger_closings where account = 'customer_advance'
                 and amount_minor = (select amount_minor from ledger_lines
                                     where account = 'customer_advance' limit 1)";
    let count = world.number(closings).await?;
    assert!((2..=3).contains(&count), "{count} closings");
    assert_eq!(world.number(first).await?, count, "each has the first booking's money");

    backfill_ledger(&world.store).await?;
    let all = "select count(*) from feed f where f.position <= (select position from opened_books)";
    let waiting = world.number("select count(*) from outbox").await?;
    let events = world.number("select count(*) from events").await?;
    assert_eq!(world.number(all).await? + waiting, events);
    let pool = world.store.pool();
    let (streams, _end) = streams_after(pool, 0, 1_000).await?;
    assert_eq!(streams.len(), 2);
    let position = backfilled_until(pool).await?;
    let (streams, end) = streams_after(pool, position, 1_000).await?;
    assert_eq!((streams.is_empty(), end), (waiting == 0, position), "nothing is read again");

    // What has been looked through is not looked through again: what is gone stays gone.
    world.until_number("select count(*) from outbox", 0).await?;
    backfill_ledger(&world.store).await?;
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
    timeout(Duration::from_secs(30), process.stop()).await??;
    lock.rollback().await?;
    Ok(())
}
