//! Events on their way from one service to another: real PostgreSQL, real NATS, real gRPC.

mod acknowledged;
mod deferred;
mod faults;
mod forged;
mod going_on;
mod in_process;
mod newer_release;
mod parked;
mod restored;
mod users;

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::Result;
use contract::booking::v1::BookingExpired;
use eventstore::{Metadata, NewEvent, Recorded, Store, StoreError, Tx, Unreadable, checkpoint};
use futures::future::BoxFuture;
use messaging::{
    ConsumerHealth, FeedReader, FeedServer, Nats, Reaction, ReactionError, Subscription,
    run_consumer, run_publisher, run_relay,
};
use runtime::health::{Checks, Probe};
use runtime::server::Server;
use runtime::{Shutdown, Tasks};
use sqlx::migrate::Migrator;
use testkit::{TestDatabase, TestKeys, until};
use tonic::service::Routes;

const CONSUMER: &str = "notifications-on-booking";

/// What keeps a reaction from doing its part.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Trouble {
    None,
    /// It fails on this event.
    On(&'static str),
    /// It panics on this event.
    PanicsOn(&'static str),
    /// A stream that this event is about cannot be read.
    UnreadOn(&'static str),
    /// A row that this event is about holds what cannot be.
    ImpossibleOn(&'static str),
    /// A table is not there yet, as when new code runs before its migration.
    MissingTable,
    /// It wants the lock "a" for the first event, and for the second "b" as well, once another one
    /// waits for a lock.
    WantsLocks,
    /// Nothing, and it bears to be run again, as every reaction of a service does.
    BearsRepeats,
}

/// Appends what it is given to a stream of the consumer's own, unless it is told to fail.
struct Copying {
    trouble: Trouble,
    broken: AtomicBool,
}

impl Reaction for Copying {
    #[expect(clippy::panic, reason = "a handler that panics is one of the troubles")]
    fn react<'t>(
        &'t self,
        tx: &'t mut Tx,
        event: &'t Recorded,
    ) -> BoxFuture<'t, Result<(), ReactionError>> {
        Box::pin(async move {
            let text = event.decode::<BookingExpired>()?.booking_id;
            let broken = self.broken.load(Ordering::SeqCst);
            if broken && matches!(self.trouble, Trouble::On(on) if on == text) {
                return Err(ReactionError::Failed("told to fail".into()));
            }
            match self.trouble {
                Trouble::PanicsOn(on) if broken && on == text => panic!("over Asha's event"),
                Trouble::UnreadOn(on) if broken && on == text => {
                    Err(StoreError::from(Unreadable::of(event)))?;
                }
                Trouble::ImpossibleOn(on) if broken && on == text => {
                    let read = sqlx::query_scalar::<_, bool>("select 'perhaps'");
                    read.fetch_one(tx.connection()).await.map_err(StoreError::from)?;
                }
                _ => {}
            }
            if self.trouble == Trouble::MissingTable {
                let read = sqlx::query("select from not_there_yet").execute(tx.connection());
                read.await.map_err(StoreError::from)?;
            }
            if self.trouble == Trouble::WantsLocks {
                going_on::want(tx, &text, &self.broken).await?;
            }
            let loaded = tx.load("copies").await?;
            if self.trouble == Trouble::BearsRepeats {
                for copy in &loaded.events {
                    if copy.decode::<BookingExpired>()?.booking_id == text {
                        return Ok(());
                    }
                }
            }
            let copy = NewEvent::of(&BookingExpired { booking_id: text })?;
            tx.append("copies", loaded.version, &[copy]).await?;
            Ok(())
        })
    }
}

/// A source and a consumer, each with its database, and what runs between them.
struct World {
    databases: (TestDatabase, TestDatabase),
    source: Store,
    target: Store,
    shutdown: Shutdown,
    tasks: Tasks,
    reaction: Arc<Copying>,
    /// What tells how the consumer goes on.
    probe: Probe,
}

impl World {
    async fn new(nats: Nats, trouble: Trouble) -> Result<Self> {
        let keys = TestKeys::new(&["booking", "notifications"])?;
        let own = [
            nats.clone().with_keys(&keys.peers("booking")?),
            nats.with_keys(&keys.peers("notifications")?),
        ];
        Self::with(&keys, own, trouble).await
    }

    /// With connections of their own for the source and the consumer.
    async fn with(
        keys: &TestKeys,
        [publishing, consuming]: [Nats; 2],
        trouble: Trouble,
    ) -> Result<Self> {
        let none = Migrator::with_migrations(Vec::new());
        let databases = (TestDatabase::new(&none).await?, TestDatabase::new(&none).await?);
        let (source, target) = (databases.0.store()?, databases.1.store()?);
        let shutdown = Shutdown::new();
        let mut tasks = Tasks::new(&shutdown);
        let server = Server::bind("127.0.0.1:0".parse()?, &shutdown).await?;
        let url = format!("http://{}", server.address()?);
        let readers: &[&str] = &["notifications"];
        let feed = FeedServer::service(source.clone(), keys.peers("booking")?, readers);
        tasks.spawn("server", server.serve(Routes::new(feed)));
        tasks.spawn("relay", run_relay(source.clone(), shutdown.clone()));
        let publisher = run_publisher(source.clone(), "booking", publishing, shutdown.clone());
        tasks.spawn("publisher", publisher);
        let consumer_health = ConsumerHealth::default();
        let telling = Server::bind("127.0.0.1:0".parse()?, &shutdown).await?;
        let probe = Probe::new(&format!("http://{}", telling.address()?))?;
        let telling = telling.ready(consumer_health.add_to(Checks::new()));
        tasks.spawn("telling", telling.serve(Routes::default()));
        let peers = keys.peers("notifications")?;
        let feed = FeedReader::new(&url, "booking", &peers)?;
        let subscription =
            Subscription { consumer: CONSUMER, source: "booking", feed, consumer_health };
        let reaction = Arc::new(Copying { trouble, broken: AtomicBool::new(true) });
        let consumer = run_consumer(
            target.clone(),
            consuming,
            subscription,
            Arc::clone(&reaction) as _,
            shutdown.clone(),
        );
        tasks.spawn("consumer", consumer);
        Ok(Self { databases, source, target, shutdown, tasks, reaction, probe })
    }

    async fn happen(&self, texts: impl IntoIterator<Item = String>) -> Result<(), StoreError> {
        for text in texts {
            self.source
                .write(Metadata::by("test", None), move |tx| {
                    let text = text.clone();
                    Box::pin(async move {
                        let stream = format!("booking-{text}");
                        let event = NewEvent::of(&BookingExpired { booking_id: text })?;
                        tx.append(&stream, 0, &[event]).await?;
                        Ok::<(), StoreError>(())
                    })
                })
                .await?;
        }
        Ok(())
    }

    /// All of it in one transaction.
    async fn happen_at_once(&self, texts: Vec<String>) -> Result<(), StoreError> {
        self.source
            .write(Metadata::by("test", None), move |tx| {
                let texts = texts.clone();
                Box::pin(async move {
                    for text in texts {
                        let stream = format!("booking-{text}");
                        let event = NewEvent::of(&BookingExpired { booking_id: text })?;
                        tx.append(&stream, 0, &[event]).await?;
                    }
                    Ok::<(), StoreError>(())
                })
            })
            .await
    }

    async fn copies(&self) -> Result<Vec<String>> {
        let events = self.target.load("copies").await?;
        events.iter().map(|event| Ok(event.decode::<BookingExpired>()?.booking_id)).collect()
    }

    async fn copies_are(&self, wanted: &[String]) -> Result<()> {
        until("everything has arrived", async || {
            Ok((self.copies().await?.len() >= wanted.len()).then_some(()))
        })
        .await?;
        assert_eq!(self.copies().await?, wanted, "something is lost, repeated or out of order");
        Ok(())
    }

    async fn stop(self) -> Result<()> {
        self.shutdown.trigger();
        self.tasks.join().await?;
        Ok(())
    }
}

fn numbers(range: std::ops::Range<u32>) -> Vec<String> {
    range.map(|n| format!("{n:03}")).collect()
}

fn own_room() -> Result<(Nats, String)> {
    let room = eventstore::new_uuid().simple().to_string();
    Ok((Nats::in_room(testkit::nats_url()?, &room), room))
}

#[tokio::test]
async fn events_arrive_once_and_in_order() -> Result<()> {
    let (nats, _room) = own_room()?;
    let world = World::new(nats, Trouble::None).await?;
    world.happen(numbers(0..40)).await?;
    world.copies_are(&numbers(0..40)).await?;
    world.stop().await
}

#[tokio::test]
async fn nats_may_be_wiped_while_events_flow() -> Result<()> {
    let (nats, room) = own_room()?;
    let world = World::new(nats, Trouble::None).await?;
    let client = async_nats::connect(testkit::nats_url()?).await?;
    let jetstream = async_nats::jetstream::new(client);
    for round in 0..4 {
        world.happen(numbers(round * 10..round * 10 + 10)).await?;
        // Whether it exists yet differs from run to run; both have to be borne.
        drop(jetstream.delete_stream(format!("{room}-BOOKING")).await);
    }
    world.copies_are(&numbers(0..40)).await?;
    world.stop().await
}

#[tokio::test]
async fn without_nats_events_are_only_slower() -> Result<()> {
    let world = World::new(Nats::new("nats://127.0.0.1:9"), Trouble::None).await?;
    world.happen(numbers(0..10)).await?;
    world.copies_are(&numbers(0..10)).await?;
    world.stop().await
}

#[tokio::test]
async fn an_event_that_fails_is_parked_and_others_go_on() -> Result<()> {
    let (nats, _room) = own_room()?;
    let world = World::new(nats, Trouble::On("001")).await?;
    world.happen(numbers(0..4)).await?;
    world.copies_are(&["000".into(), "002".into(), "003".into()]).await?;
    let parked = checkpoint::parked(&world.target, CONSUMER, "booking").await?;
    assert_eq!(parked.len(), 1);
    assert_eq!(parked[0].event.stream_id, "booking-001");
    assert_eq!(parked[0].error, "told to fail");
    world.stop().await
}

#[tokio::test]
async fn an_event_that_fails_for_a_while_is_not_overtaken() -> Result<()> {
    let (nats, _room) = own_room()?;
    let world = World::new(nats, Trouble::On("001")).await?;
    world.happen(numbers(0..2)).await?;
    until("it has failed once", async || {
        let failures: Option<i32> = sqlx::query_scalar("select max(failures) from checkpoints")
            .fetch_one(world.target.pool())
            .await?;
        Ok(failures.filter(|failures| *failures > 0))
    })
    .await?;
    world.reaction.broken.store(false, Ordering::SeqCst);
    world.happen(numbers(2..4)).await?;
    world.copies_are(&numbers(0..4)).await?;
    world.stop().await
}

#[tokio::test]
async fn an_event_waits_for_what_it_needs_and_is_not_parked_for_it() -> Result<()> {
    let (nats, _room) = own_room()?;
    let world = World::new(nats, Trouble::MissingTable).await?;
    world.happen(numbers(0..3)).await?;
    let feed_is_read = async || {
        let tried: i64 = sqlx::query_scalar(
            "select xact_rollback from pg_stat_database where datname = current_database()",
        )
        .fetch_one(world.target.pool())
        .await?;
        Ok((tried > i64::from(checkpoint::FAILURES_MAX)).then_some(()))
    };
    until("it was tried more often than an event may fail", feed_is_read).await?;
    assert!(checkpoint::parked(&world.target, CONSUMER, "booking").await?.is_empty());
    world.databases.1.as_owner("create table not_there_yet ()").await?;
    world.databases.1.as_owner("grant select on not_there_yet to public").await?;
    world.copies_are(&numbers(0..3)).await?;
    world.stop().await
}

#[tokio::test]
async fn what_has_waited_is_taken_in_by_few_transactions_each_event_once() -> Result<()> {
    let (nats, _room) = own_room()?;
    let world = World::new(nats, Trouble::MissingTable).await?;
    world.happen(numbers(0..200)).await?;
    testkit::until_in_feed(&world.source).await?;
    world.databases.1.as_owner("create table not_there_yet ()").await?;
    world.databases.1.as_owner("grant select on not_there_yet to public").await?;
    world.copies_are(&numbers(0..200)).await?;
    let transactions: i64 = sqlx::query_scalar("select count(distinct xmin::text) from events")
        .fetch_one(world.target.pool())
        .await?;
    // Those of the run that failed, 64 at most, are taken one by one.
    assert!(transactions <= 64 + 8, "{transactions} transactions for 200 events");
    world.stop().await
}
