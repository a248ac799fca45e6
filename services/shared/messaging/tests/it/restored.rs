//! A source whose database was restored from an older copy gives positions a second time; nothing
//! of what happens afterwards may be taken for a repeat.

use anyhow::Result;
use messaging::Nats;

use crate::{Trouble, World, numbers, own_room};

impl World {
    /// Takes the source back to where it was after its first `kept` events, as a restore does.
    async fn restore_source(&self, kept: i64) -> Result<()> {
        self.databases
            .0
            .as_owner(&format!(
                "set local session_replication_role = replica;
                 delete from feed where position > {kept};
                 delete from events e where not exists (
                     select from feed f where f.seq = e.seq);
                 update relay set published_position = {kept};"
            ))
            .await
    }
}

fn texts(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

#[tokio::test]
async fn what_happens_after_a_restore_is_taken_in_though_its_position_was_used() -> Result<()> {
    let (nats, _room) = own_room()?;
    let world = World::new(nats, Trouble::BearsRepeats).await?;
    world.happen(numbers(0..6)).await?;
    world.copies_are(&numbers(0..6)).await?;
    world.restore_source(4).await?;
    // Two positions that were used before and one that was not.
    world.happen(texts(&["new-a", "new-b", "new-c"])).await?;
    let mut wanted = numbers(0..6);
    wanted.extend(texts(&["new-a", "new-b", "new-c"]));
    world.copies_are(&wanted).await?;
    world.stop().await
}

#[tokio::test]
async fn a_source_that_is_shorter_after_a_restore_is_noticed_before_it_grows() -> Result<()> {
    let world = World::new(Nats::new("nats://127.0.0.1:9"), Trouble::BearsRepeats).await?;
    world.happen(numbers(0..6)).await?;
    world.copies_are(&numbers(0..6)).await?;
    world.restore_source(2).await?;
    world.happen(texts(&["new-a"])).await?;
    let mut wanted = numbers(0..6);
    wanted.extend(texts(&["new-a"]));
    world.copies_are(&wanted).await?;
    world.stop().await
}

/// What both still have is not taken in again: this consumer would copy it a second time.
#[tokio::test]
async fn what_a_restored_source_still_has_is_not_taken_in_again() -> Result<()> {
    let world = World::new(Nats::new("nats://127.0.0.1:9"), Trouble::None).await?;
    world.happen(numbers(0..6)).await?;
    world.copies_are(&numbers(0..6)).await?;
    let events = eventstore::feed::read(world.source.pool(), 0, 10).await?;
    for event in events.iter().filter(|event| [2, 4, 5].contains(&event.position)) {
        sqlx::query("insert into checkpoint_marks values ($1, 'booking', $2, $3)")
            .bind(crate::CONSUMER)
            .bind(event.position)
            .bind(event.event_id)
            .execute(world.target.pool())
            .await?;
    }
    world.restore_source(4).await?;
    world.happen(texts(&["new-a", "new-b", "new-c"])).await?;
    let mut wanted = numbers(0..6);
    wanted.extend(texts(&["new-a", "new-b", "new-c"]));
    world.copies_are(&wanted).await?;
    world.stop().await
}
