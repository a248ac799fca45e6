//! How a consumer goes on is told, and it lets requests go first where both want the same locks.

use std::sync::atomic::{AtomicBool, Ordering};

use anyhow::{Context as _, Result};
use eventstore::{StoreError, Tx};
use messaging::Nats;
use testkit::until;

use crate::{CONSUMER, Trouble, World, numbers, own_room};

const WAITING: &str = "select exists (
    select from pg_locks where locktype = 'advisory' and not granted
    and database = (select oid from pg_database where datname = current_database()))";

/// What [`Trouble::WantsLocks`] does about an event.
pub(crate) async fn want(tx: &mut Tx, text: &str, first: &AtomicBool) -> Result<(), StoreError> {
    if text == "000" {
        return tx.lock(&["a".to_owned()]).await;
    }
    while first.load(Ordering::SeqCst) {
        if sqlx::query_scalar::<_, bool>(WAITING).fetch_one(tx.connection()).await? {
            first.store(false, Ordering::SeqCst);
        }
    }
    tx.lock(&["b".to_owned()]).await
}

impl World {
    async fn behind(&self) -> Result<Option<i64>> {
        let lags = self.probe.consumers().await;
        let ours = lags.iter().find(|lag| lag.consumer == CONSUMER);
        Ok(ours.map(|lag| lag.events_behind))
    }
}

#[tokio::test]
async fn how_far_a_consumer_is_behind_is_told() -> Result<()> {
    let world = World::new(Nats::new("nats://127.0.0.1:9"), Trouble::MissingTable).await?;
    // More than one page of the feed.
    world.happen_at_once(numbers(0..230)).await?;
    until("all of them wait", async || Ok((world.behind().await? == Some(230)).then_some(())))
        .await?;
    world.stop().await?;

    let (nats, _room) = own_room()?;
    let world = World::new(nats, Trouble::None).await?;
    world.happen(numbers(0..20)).await?;
    world.copies_are(&numbers(0..20)).await?;
    until("none is left", async || Ok((world.behind().await? == Some(0)).then_some(()))).await?;
    world.stop().await
}

/// A run takes locks event by event. PostgreSQL would end one of the two after a second, and not
/// always the run.
#[tokio::test]
async fn a_request_that_needs_a_lock_of_a_batch_gets_it() -> Result<()> {
    let world = World::new(Nats::new("nats://127.0.0.1:9"), Trouble::WantsLocks).await?;
    let mut request = world.target.pool().begin().await?;
    let lock = async |request: &mut sqlx::PgConnection, name: &str| {
        let taken = sqlx::query("select take_locks(array[$1])").bind(name).execute(request).await;
        taken.map(drop).with_context(|| format!("the request did not get {name}"))
    };
    lock(&mut request, "b").await?;
    world.happen_at_once(numbers(0..2)).await?;
    let held = "select exists (select from pg_locks where locktype = 'advisory' and granted
                               and pid <> pg_backend_pid() and database = (
                                   select oid from pg_database
                                   where datname = current_database()))";
    until("the run has the first lock", async || {
        let held: bool = sqlx::query_scalar(held).fetch_one(&mut *request).await?;
        Ok(held.then_some(()))
    })
    .await?;
    lock(&mut request, "a").await?;
    request.commit().await?;
    world.copies_are(&numbers(0..2)).await?;
    world.stop().await
}
