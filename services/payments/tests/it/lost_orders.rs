//! A failover may lose the last commits, and with them the record of an order that the provider has
//! and that its client can pay.

use anyhow::Result;
use contract::payments::v1::CollectionState;
use serde_json::json;

use crate::ledger::{agrees, left};
use crate::world::{Held, PRICE, World};

impl World {
    /// Takes a collection back to where it was before its order was written down.
    async fn loses_order(&self, held: Held) -> Result<()> {
        let id = held.id.uuid();
        // An outbox row without its event would stop the relay, which no failover leaves behind.
        testkit::until_at_rest(&self.store).await?;
        self.database
            .as_owner(&format!(
                "set local session_replication_role = replica;
                 delete from feed where seq in (
                     select seq from events where event_type = 'payments.v1.OrderCreated'
                     and stream_id = 'collection-{id}');
                 delete from events where event_type = 'payments.v1.OrderCreated'
                     and stream_id = 'collection-{id}';
                 delete from timers where subject = 'bkg_{simple}';
                 update collections set order_id = null, ordered_at = null, ordering_turns = 0
                     where booking_id = '{id}';",
                simple = id.simple(),
            ))
            .await
    }
}

#[tokio::test]
async fn money_for_an_order_whose_record_was_lost_finds_its_booking() -> Result<()> {
    let world = World::new().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    world.loses_order(held).await?;
    world.pay(&order, json!({})).await?;
    world.until(held, "PaymentVerified").await?;
    assert_eq!(world.start(held).await?.order_id, order);
    assert_eq!(world.check(held).await??, CollectionState::Paid);
    assert_eq!(world.count(held, "OrderCreated").await?, 1);
    assert_eq!(world.provider_has("orders").await?.len(), 1);
    agrees(&world).await
}

/// Nothing came but the list of the night.
#[tokio::test]
async fn the_night_finds_it_too() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    world.loses_order(held).await?;
    world.pay(&order, json!({})).await?;
    world.move_clock(36 * 3600).await?;
    world.until(held, "PaymentVerified").await?;
    world.until_quiet().await?;
    assert_eq!(world.number("select count(*) from unknown_payments").await?, 0);
    agrees(&world).await
}

#[tokio::test]
async fn money_for_a_lost_order_goes_back_when_its_booking_has_another_one() -> Result<()> {
    let world = World::new().await?;
    let ignored = json!({ "target": "account.unique_receipt", "kind": "drop", "times": 0 });
    world.fault(ignored).await?;
    let held = world.held().await?;
    let first = world.start(held).await?.order_id;
    world.loses_order(held).await?;
    let second = world.start(held).await?.order_id;
    assert_ne!(first, second);
    world.pay(&first, json!({})).await?;
    world.until(held, "RefundProcessed").await?;
    assert_eq!(world.count(held, "PaymentVerified").await?, 0);
    world.pay(&second, json!({})).await?;
    world.until(held, "PaymentVerified").await?;
    world.until_quiet().await?;
    assert_eq!(world.count(held, "RefundRequested").await?, 1);
    assert_eq!(world.check(held).await??, CollectionState::Paid);
    assert_eq!(left(&world).await?.get("customer_advance"), Some(&-PRICE));
    agrees(&world).await
}
