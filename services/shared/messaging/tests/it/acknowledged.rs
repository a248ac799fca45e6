//! How messages are acknowledged: the last of a run speaks for those before it.

use anyhow::Result;
use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::{self, stream};
use testkit::until;

use crate::{CONSUMER, Trouble, World, numbers, own_room};

#[tokio::test]
async fn everything_is_acknowledged_also_to_a_durable_of_an_earlier_release() -> Result<()> {
    let (nats, room) = own_room()?;
    let client = async_nats::connect(testkit::nats_url()?).await?;
    let name = format!("{room}-BOOKING");
    let stream = jetstream::new(client)
        .create_stream(stream::Config {
            name,
            subjects: vec![format!("{room}-events.booking.>")],
            max_bytes: 1024 * 1024,
            ..stream::Config::default()
        })
        .await?;
    stream
        .create_consumer(pull::Config {
            durable_name: Some(CONSUMER.to_owned()),
            ack_policy: AckPolicy::Explicit,
            ..pull::Config::default()
        })
        .await?;
    let world = World::new(nats, Trouble::None).await?;
    // Only what is published behind the new durable's beginning comes over it.
    until("the durable was made anew", async || {
        let found: Option<PullConsumer> = stream.get_consumer(CONSUMER).await.ok();
        let anew = found.filter(|it| it.cached_info().config.ack_policy == AckPolicy::All);
        Ok(anew.map(|_durable| ()))
    })
    .await?;
    world.happen(numbers(0..50)).await?;
    world.happen_at_once(numbers(50..90)).await?;
    world.copies_are(&numbers(0..90)).await?;
    until("all that was delivered is acknowledged", async || {
        let mut durable: PullConsumer =
            stream.get_consumer(CONSUMER).await.map_err(|e| anyhow::anyhow!(e))?;
        let info = durable.info().await?;
        let all = info.num_pending == 0 && info.num_ack_pending == 0;
        Ok((all && info.delivered.consumer_sequence > 0).then_some(()))
    })
    .await?;
    world.stop().await
}
