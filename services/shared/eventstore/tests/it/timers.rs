//! Timers: due by the one clock, retried after a failure, fired once per ending.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use anyhow::Result;
use eventstore::{Metadata, Signal, Store, StoreError, Timer, TimerHandler, run_timers};
use futures::future::BoxFuture;
use kernel::Timestamp;
use serde_json::json;

use testkit::{Alarms, TestDatabase};

use crate::{database, no_tables};

/// Counts what fires and ends it, except for the first `failures` times.
struct Counting {
    store: Store,
    failures: usize,
    fired: AtomicUsize,
}

impl TimerHandler for Counting {
    fn fire(&self, timer: Timer) -> BoxFuture<'_, Result<(), runtime::BoxError>> {
        Box::pin(async move {
            let before = self.fired.fetch_add(1, Ordering::SeqCst);
            if before < self.failures {
                return Err("not yet".into());
            }
            end(&self.store, timer).await?;
            Ok(())
        })
    }
}

async fn set(store: &Store, minutes: i64) -> Result<(), StoreError> {
    store
        .write(Metadata::by("test", None), move |tx| {
            Box::pin(async move {
                let due = tx.now().await?.plus_minutes(minutes);
                tx.set_timer("expire", "bkg_1", due, json!({})).await
            })
        })
        .await
}

async fn left(store: &Store) -> Result<i64> {
    Ok(sqlx::query_scalar("select count(*) from timers").fetch_one(store.pool()).await?)
}

async fn fires(failures: usize) -> Result<usize> {
    let (database, store) = database().await?;
    let handler = Arc::new(Counting { store: store.clone(), failures, fired: AtomicUsize::new(0) });
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let worker = tokio::spawn(run_timers(store.clone(), Arc::clone(&handler) as _, async {
        drop(stopped.await);
    }));
    set(&store, 15).await?;
    assert_eq!(left(&store).await?, 1);
    assert_eq!(handler.fired.load(Ordering::SeqCst), 0, "it fired before it was due");
    database.move_clock(16 * 60).await?;
    testkit::until("the timer has fired", async || Ok((left(&store).await? == 0).then_some(())))
        .await?;
    drop(stop);
    worker.await?;
    Ok(handler.fired.load(Ordering::SeqCst))
}

#[tokio::test]
async fn a_timer_fires_when_the_clock_reaches_it() -> Result<()> {
    assert_eq!(fires(0).await?, 1);
    Ok(())
}

/// Statements that ask for the machine's time get one that the test can set and count, because our
/// schema comes before PostgreSQL's own.
const CLOCK_THAT_STEPS: &str = "
    create table step (by interval not null);
    insert into step values ('0');
    create sequence looks;
    grant select on step to public;
    grant all on sequence looks to public;
    create function clock_timestamp() returns timestamptz language plpgsql volatile as '
    begin
        perform nextval(''public.looks'');
        return pg_catalog.clock_timestamp() + (select by from public.step);
    end';
    do $$ begin
        execute format('alter database %I set search_path = public, pg_catalog',
                       current_database());
    end $$";

/// Waits until the time has been asked for so much oftener that timers were looked for in between.
async fn until_looked(store: &Store) -> Result<()> {
    let looks = || sqlx::query_scalar::<_, i64>("select last_value from looks");
    let before = looks().fetch_one(store.pool()).await?;
    testkit::until("timers are looked for", async || {
        store.notify(Signal::TimersDue);
        Ok((looks().fetch_one(store.pool()).await? > before + 30).then_some(()))
    })
    .await
}

async fn has_stepped(store: &Store) -> Result<bool, StoreError> {
    let known = store.clone();
    let ask = store.write(Metadata::by("test", None), move |tx| {
        let known = known.clone();
        Box::pin(async move { known.has_clock_stepped(tx).await })
    });
    ask.await
}

/// A clock that jumps ahead must not fire timers early.
#[tokio::test]
async fn a_clock_that_steps_a_day_ahead_ends_nothing() -> Result<()> {
    let alarms = Alarms::listen();
    let database = TestDatabase::new(&no_tables()).await?;
    database.as_owner(CLOCK_THAT_STEPS).await?;
    let store = database.store()?;
    let handler = Counting { store: store.clone(), failures: 0, fired: AtomicUsize::new(0) };
    let handler = Arc::new(handler);
    let never = std::future::pending::<()>();
    let worker = tokio::spawn(run_timers(store.clone(), Arc::clone(&handler) as _, never));
    set(&store, 0).await?;
    testkit::until("timers run", async || Ok((left(&store).await? == 0).then_some(()))).await?;
    set(&store, 15).await?;
    database.as_owner("update step set by = '1 day'").await?;
    until_looked(&store).await?;
    let told = "the database's clock has stepped";
    testkit::until(told, async || Ok((alarms.count(told) > 0).then_some(()))).await?;
    until_looked(&store).await?;
    assert_eq!(left(&store).await?, 1, "it fired a day before its time");
    assert!(has_stepped(&store).await?, "what decides by time is told");

    database.as_owner("update step set by = '0'").await?;
    set(&store, 0).await?;
    testkit::until("timers go on", async || Ok((left(&store).await? == 0).then_some(()))).await?;
    assert!(!has_stepped(&store).await?);
    worker.abort();
    Ok(())
}

/// A table that is read once a second would fire these hundred timers in a hundred seconds.
#[tokio::test]
async fn a_timer_fires_when_it_is_due_and_not_when_the_table_is_read_next() -> Result<()> {
    let (_database, store) = database().await?;
    let handler = Counting { store: store.clone(), failures: 0, fired: AtomicUsize::new(0) };
    let never = std::future::pending::<()>();
    let worker = tokio::spawn(run_timers(store.clone(), Arc::new(handler), never));
    let all = async {
        for _ in 0..100 {
            store
                .write(Metadata::by("test", None), |tx| {
                    Box::pin(async move {
                        let soon = tx.now().await?.micros() + 20_000;
                        let due = Timestamp::from_micros(soon).ok_or(StoreError::Conflict)?;
                        tx.set_timer("expire", "bkg_1", due, json!({})).await
                    })
                })
                .await?;
            testkit::until("it has fired", async || Ok((left(&store).await? == 0).then_some(())))
                .await?;
        }
        anyhow::Ok(())
    };
    tokio::time::timeout(Duration::from_secs(60), all).await??;
    worker.abort();
    Ok(())
}

#[tokio::test]
async fn a_timer_that_fails_is_tried_again() -> Result<()> {
    assert_eq!(fires(2).await?, 3);
    Ok(())
}

#[tokio::test]
async fn setting_a_timer_again_moves_it() -> Result<()> {
    let (_database, store) = database().await?;
    set(&store, 15).await?;
    set(&store, 30).await?;
    assert_eq!(left(&store).await?, 1);
    Ok(())
}

/// The first handler ends what it had claimed, and not what was set and claimed again meanwhile.
#[tokio::test]
async fn a_timer_that_another_handler_has_claimed_meanwhile_stays() -> Result<()> {
    let (_database, store) = database().await?;
    set(&store, 0).await?;
    let claim = "update timers set attempts = attempts + 1 returning timer_id, due_at";
    let (timer_id, due_at) = sqlx::query_as(claim).fetch_one(store.pool()).await?;
    let first = Timer {
        timer_id,
        kind: "expire".to_owned(),
        subject: "bkg_1".to_owned(),
        due_at,
        payload: json!({}),
        metadata: Metadata::default(),
        attempts: 1,
    };
    set(&store, 0).await?;
    sqlx::query(claim).fetch_one(store.pool()).await?;
    store
        .write(Metadata::default(), move |tx| {
            let first = first.clone();
            Box::pin(async move { tx.end_claimed_timer(&first).await })
        })
        .await?;
    assert_eq!(left(&store).await?, 1);
    Ok(())
}

/// Never comes back from timers of the kinds `hangs` and `hangs too`, and ends the others.
struct Hanging(Store);

impl TimerHandler for Hanging {
    fn fire(&self, timer: Timer) -> BoxFuture<'_, Result<(), runtime::BoxError>> {
        Box::pin(async move {
            if timer.kind.starts_with("hangs") {
                std::future::pending::<()>().await;
            }
            end(&self.0, timer).await?;
            Ok(())
        })
    }

    fn share_a_third_party(&self) -> &'static [&'static [&'static str]] {
        &[&["hangs", "hangs too"]]
    }
}

async fn end(store: &Store, timer: Timer) -> Result<(), StoreError> {
    store
        .write(Metadata::default(), move |tx| {
            let timer = timer.clone();
            Box::pin(async move { tx.end_timer(&timer.kind, &timer.subject).await })
        })
        .await
}

/// Kinds that wait for the same third party share their places, so that others have some, too.
#[tokio::test]
async fn a_third_party_that_hangs_holds_up_nothing_else() -> Result<()> {
    let (_database, store) = database().await?;
    store
        .write(Metadata::by("test", None), |tx| {
            Box::pin(async move {
                let now = tx.now().await?;
                for n in 0..20 {
                    // They are due earlier, so they would be taken first.
                    let (due, n) = (now.plus_minutes(-1), n.to_string());
                    tx.set_timer("hangs", &n, due, json!({})).await?;
                    tx.set_timer("hangs too", &n, due, json!({})).await?;
                    tx.set_timer("goes on", &n, now, json!({})).await?;
                }
                Ok::<(), StoreError>(())
            })
        })
        .await?;
    // What hangs would be waited for at the end, so the worker is cut off instead of stopped.
    let never = std::future::pending::<()>();
    let worker = tokio::spawn(run_timers(store.clone(), Arc::new(Hanging(store.clone())), never));
    testkit::until("only what hangs is left", async || {
        Ok((left(&store).await? == 40).then_some(()))
    })
    .await?;
    let taken: i64 = sqlx::query_scalar("select count(*) from timers where attempts > 0")
        .fetch_one(store.pool())
        .await?;
    assert_eq!(taken, 4, "more were taken than may wait for one third party");
    worker.abort();
    Ok(())
}

/// A handler that hangs has twenty seconds; a process that is to stop has not.
#[tokio::test]
async fn a_handler_that_hangs_keeps_no_process_from_stopping() -> Result<()> {
    let (_database, store) = database().await?;
    let set = store.write(Metadata::by("test", None), |tx| {
        Box::pin(async move {
            let now = tx.now().await?;
            tx.set_timer("hangs", "1", now, json!({})).await
        })
    });
    set.await?;
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let handler = Arc::new(Hanging(store.clone()));
    let worker = tokio::spawn(run_timers(store.clone(), handler, async {
        drop(stopped.await);
    }));
    let under_way = "select count(*) from timers where attempts = 1
                     and lease_until_at > clock_timestamp() + interval '6 seconds'";
    let count = || sqlx::query_scalar::<_, i64>(under_way).fetch_one(store.pool());
    testkit::until("it is claimed", async || Ok((count().await? == 1).then_some(()))).await?;
    drop(stop);
    worker.await?;
    // It was given up before its handler's own time was over: the lease is as it was claimed.
    assert_eq!(count().await?, 1, "the worker waited until the handler had timed out");
    Ok(())
}

/// Notes the subjects in the order in which they fire.
struct Noting {
    store: Store,
    subjects: Mutex<Vec<String>>,
}

impl TimerHandler for Noting {
    fn fire(&self, timer: Timer) -> BoxFuture<'_, Result<(), runtime::BoxError>> {
        Box::pin(async move {
            self.subjects.lock().unwrap().push(timer.subject.clone());
            end(&self.store, timer).await?;
            Ok(())
        })
    }
}

#[tokio::test]
async fn what_may_wait_gives_way_and_is_done() -> Result<()> {
    const CROWD: usize = 200;
    let (_database, store) = database().await?;
    let set = store.write(Metadata::by("test", None), |tx| {
        Box::pin(async move {
            let now = tx.now().await?;
            for n in 0..CROWD {
                let due = now.plus_minutes(-60);
                let kind = ["mail", "sold order", "report"][n % 3];
                tx.set_bulk_timer(kind, &format!("crowd {n}"), due, json!({})).await?;
            }
            tx.set_timer("refund", "refund", now, json!({})).await?;
            tx.set_timer("mail", "code", now, json!({})).await
        })
    });
    set.await?;
    let noting = Arc::new(Noting { store: store.clone(), subjects: Mutex::default() });
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let worker = tokio::spawn(run_timers(store.clone(), Arc::clone(&noting) as _, async {
        drop(stopped.await);
    }));
    testkit::until("all have fired", async || Ok((left(&store).await? == 0).then_some(()))).await?;
    drop(stop);
    worker.await?;
    let subjects = noting.subjects.lock().unwrap().clone();
    for urgent in ["code", "refund"] {
        let place = subjects.iter().position(|subject| subject == urgent);
        assert!(place < Some(8), "{urgent} is among the first that are claimed: {place:?}");
    }
    assert_eq!(subjects.len(), CROWD + 2, "each once");
    Ok(())
}

/// Several processes claim at the same time.
#[tokio::test]
async fn each_timer_is_claimed_by_one_process() -> Result<()> {
    let (_database, store) = database().await?;
    let set = store.write(Metadata::by("test", None), |tx| {
        Box::pin(async move {
            let now = tx.now().await?;
            for n in 0..300 {
                tx.set_timer("mail", &n.to_string(), now, json!({})).await?;
            }
            Ok::<(), StoreError>(())
        })
    });
    set.await?;
    let noting = Arc::new(Noting { store: store.clone(), subjects: Mutex::default() });
    let never = std::future::pending::<()>;
    let workers: Vec<_> = (0..4)
        .map(|_| tokio::spawn(run_timers(store.clone(), Arc::clone(&noting) as _, never())))
        .collect();
    testkit::until("all have fired", async || Ok((left(&store).await? == 0).then_some(()))).await?;
    workers.iter().for_each(tokio::task::JoinHandle::abort);
    assert_eq!(noting.subjects.lock().unwrap().len(), 300);
    Ok(())
}
