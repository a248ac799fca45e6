//! Events that another service than their source has published.

use anyhow::Result;
use async_nats::HeaderMap;
use messaging::Nats;
use testkit::{Alarms, TestKeys, until};

use crate::{Trouble, World, numbers, own_room};

/// Publishes an event as booking's first one, with what a stranger can know.
async fn forge(room: &str, signature: Option<&str>) -> Result<()> {
    let context = async_nats::jetstream::new(async_nats::connect(testkit::nats_url()?).await?);
    let stream = format!("{room}-BOOKING");
    until("the stream is there", async || Ok(context.get_stream(&stream).await.ok())).await?;
    let mut headers = HeaderMap::new();
    headers.insert("Nats-Msg-Id", eventstore::new_uuid().to_string());
    headers.insert("Sukoon-Stream", "booking-forged");
    headers.insert("Sukoon-Version", "1");
    headers.insert("Sukoon-Position", "1");
    headers.insert("Sukoon-Type", "booking.v1.BookingExpired");
    headers.insert("Sukoon-Metadata", "{}");
    headers.insert("Sukoon-Recorded-At", "2026-11-24T05:30:00Z");
    if let Some(signature) = signature {
        headers.insert("Sukoon-Signature", signature);
    }
    let subject = format!("{room}-events.booking.v1.BookingExpired");
    let payload = "{\"bookingId\":\"forged\"}";
    context.publish_with_headers(subject, headers, payload.into()).await?.await?;
    // The consumer has it once it has acknowledged it.
    until("it is acknowledged", async || {
        let stream = context.get_stream(&stream).await?;
        let found = stream.consumer_info(crate::CONSUMER).await?;
        Ok((found.ack_floor.stream_sequence > 0).then_some(()))
    })
    .await
}

#[tokio::test]
async fn a_forged_event_is_not_taken_in_and_hides_no_true_one() -> Result<()> {
    for signature in [None, Some(""), Some("rubbish")] {
        let alarms = Alarms::listen();
        let (nats, room) = own_room()?;
        let world = World::new(nats, Trouble::None).await?;
        // What is published before the consumer is there does not come to it.
        let context = async_nats::jetstream::new(async_nats::connect(testkit::nats_url()?).await?);
        until("the consumer is there", async || {
            let Ok(stream) = context.get_stream(format!("{room}-BOOKING")).await else {
                return Ok(None);
            };
            Ok(stream.consumer_info(crate::CONSUMER).await.ok())
        })
        .await?;
        forge(&room, signature).await?;
        world.happen(numbers(0..5)).await?;
        world.copies_are(&numbers(0..5)).await?;
        let told = alarms.count("a signature that is not their source's");
        assert_eq!(told > 0, signature.is_some(), "{signature:?}");
        world.stop().await?;
    }
    Ok(())
}

#[tokio::test]
async fn unsigned_events_of_an_earlier_release_are_read_from_their_source() -> Result<()> {
    let keys = TestKeys::new(&["booking", "notifications"])?;
    let (nats, _room) = own_room()?;
    let known = nats.clone().with_keys(&keys.peers("notifications")?);
    let world = World::with(&keys, [nats, known], Trouble::None).await?;
    world.happen(numbers(0..20)).await?;
    world.copies_are(&numbers(0..20)).await?;
    world.stop().await
}

#[test]
fn production_asks_for_a_user_and_a_password() {
    let told = |url: &str, mode: &str| {
        let source: &[(&str, &str)] = &[("NATS_URL", url), ("SUKOON_MODE", mode)];
        let mut reader = runtime::Reader::new(&source);
        Nats::read(&mut reader);
        reader.finish(()).err().map(|invalid| invalid.to_string())
    };
    let refused = told("nats://127.0.0.1:4222", "production").unwrap_or_default();
    assert!(refused.contains("NATS_URL: it names no user"), "{refused}");
    assert_eq!(told("nats://127.0.0.1:4222", "development"), None);
    assert_eq!(told("nats://booking:word@127.0.0.1:4222", "production"), None);
}
