//! What time brings: polling that ends, bodies that go, and a feed that others read.

use anyhow::Result;
use contract::payments::v1::CollectionState;
use serde_json::json;

use crate::world::World;

const DAY: i64 = 24 * 3600;

#[tokio::test]
async fn an_order_is_polled_for_three_days_and_not_for_ever() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    let polling = "select count(*) from timers where kind = 'poll-order'";
    assert_eq!(world.number(polling).await?, 1);
    // Two days later it is still asked for, seldom: money that comes then is found.
    world.database.move_clock(2 * DAY).await?;
    world.pay(&order, json!({ "outcome": "failed" })).await?;
    world.until(held, "PaymentFailed").await?;
    assert_eq!(world.number(polling).await?, 1);
    world.database.move_clock(3 * DAY + 60).await?;
    world.until_number(polling, 0).await?;
    // Whoever asks then is still told the truth.
    world.pay(&order, json!({})).await?;
    assert_eq!(world.check(held).await??, CollectionState::Paid);
    Ok(())
}

#[tokio::test]
async fn bodies_of_webhooks_are_deleted_after_ninety_days() -> Result<()> {
    let world = World::new().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    world.pay(&order, json!({})).await?;
    world.until(held, "PaymentVerified").await?;
    world.until_quiet().await?;
    let bodies = "select count(*) from webhook_inbox where raw is not null";
    assert_eq!(world.number(bodies).await?, 3);
    world.database.move_clock(91 * DAY).await?;
    world.until_number(bodies, 0).await?;
    let kept = "select count(*) from webhook_inbox where body_sha256 is not null";
    assert_eq!(world.number(kept).await?, 3);
    Ok(())
}

#[tokio::test]
async fn what_happened_is_numbered_for_those_who_react_to_it() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    world.pay(&order, json!({})).await?;
    assert_eq!(world.check(held).await??, CollectionState::Paid);
    world.until_number("select count(*) from feed", 4).await?;
    Ok(())
}
