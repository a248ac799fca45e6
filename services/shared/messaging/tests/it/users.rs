//! Events flow between users who have the rights of one service each, and no more.

use anyhow::{Context as _, Result};
use messaging::Nats;
use sqlx::{Connection as _, PgConnection};
use testkit::{TestDatabase, TestKeys, until};

use crate::{CONSUMER, Trouble, World, numbers};

/// The tests' server as this user, whose password is its name there.
fn user(name: &str) -> Result<String> {
    let url = testkit::nats_url()?;
    let (scheme, host) = url.split_once("://").context("no URL")?;
    Ok(format!("{scheme}://{name}:{name}@{host}"))
}

#[tokio::test]
async fn a_source_and_a_consumer_need_only_the_rights_of_their_services() -> Result<()> {
    // Rights are those of a practice's own streams, of which there is one in all tests.
    let none = sqlx::migrate::Migrator::with_migrations(Vec::new());
    let database = TestDatabase::new(&none).await?;
    let shared = database.owner_url.rsplit_once('/').context("no database")?.0;
    let mut alone = PgConnection::connect(&format!("{shared}/postgres")).await?;
    sqlx::query("select pg_advisory_lock(7345002)").execute(&mut alone).await?;
    let context = async_nats::jetstream::new(async_nats::connect(testkit::nats_url()?).await?);
    drop(context.delete_stream("BOOKING").await);
    let keys = TestKeys::new(&["booking", "notifications"])?;
    let nats = |name| Ok::<_, anyhow::Error>(Nats::new(user(name)?).with_keys(&keys.peers(name)?));
    let world =
        World::with(&keys, [nats("booking")?, nats("notifications")?], Trouble::None).await?;
    let delivered = async || {
        let Ok(stream) = context.get_stream("BOOKING").await else { return Ok(None) };
        let Ok(consumer) = stream.consumer_info(CONSUMER).await else { return Ok(None) };
        Ok(Some(consumer.ack_floor.stream_sequence))
    };
    until("the source has a stream, and the consumer is there", delivered).await?;
    world.happen(numbers(0..20)).await?;
    world.copies_are(&numbers(0..20)).await?;
    let acknowledged = async || Ok(delivered().await?.filter(|sequence| *sequence >= 20));
    until("all of it came over NATS and was acknowledged", acknowledged).await?;
    world.stop().await?;
    context.delete_stream("BOOKING").await?;
    Ok(())
}
