//! Services of one process hand events over without NATS.

use std::time::Duration;

use anyhow::Result;
use messaging::Nats;
use testkit::until;
use tokio::time::timeout;

use crate::{Trouble, World, numbers};

/// How long the events may take together. A consumer that looked by itself only, every five
/// seconds, would take longer.
const TIMEOUT: Duration = Duration::from_secs(60);

#[tokio::test]
async fn a_consumer_is_woken_for_each_event_and_misses_none() -> Result<()> {
    let world = World::new(Nats::none(), Trouble::None).await?;
    let one_by_one = async {
        for one in 0..15 {
            world.happen(numbers(one..one + 1)).await?;
            world.copies_are(&numbers(0..one + 1)).await?;
        }
        anyhow::Ok(())
    };
    timeout(TIMEOUT, one_by_one).await??;
    // Some of these are numbered while those before are taken in.
    for ten in 0..5 {
        world.happen_at_once(numbers(15 + ten * 10..25 + ten * 10)).await?;
    }
    world.copies_are(&numbers(0..65)).await?;
    world.shutdown.trigger();
    until("NATS would not be told again what was handed over", async || {
        let published = "select published_position from relay";
        let published: i64 = sqlx::query_scalar(published).fetch_one(world.source.pool()).await?;
        Ok((published == 65).then_some(()))
    })
    .await?;
    world.stop().await
}
