//! A provider that takes long for each answer: the calls of one firing share a deadline, what they
//! brought is recorded, and the next firing goes on from there.

use std::time::Duration;

use anyhow::Result;
use payments::app::poll_order::poll_order;
use payments::providers::deadline;
use payments::timers::polling::PollSchedule;
use serde_json::json;

use crate::ledger::{build_app, ordered};
use crate::world::World;

/// How long each answer takes, and how long all calls of a firing may: as 7 s of 15 s, two of them
/// fit, also on a busy machine, and three do not.
const ANSWER_MILLIS: u64 = 4_000;
const FIRING: Duration = Duration::from_millis(11_800);

#[tokio::test]
async fn money_of_another_amount_is_decided_although_each_answer_is_slow() -> Result<()> {
    let mut world = World::without_webhooks().await?;
    world.tell("/api/switches", &json!({ "convenience_fee_percent": 2 })).await?;
    let (held, order) = ordered(&world).await?;
    world.stop().await?;
    world.pay(&order, json!({})).await?;
    for target in ["orders.fetch.payments", "orders.fetch.one"] {
        let slow =
            json!({ "target": target, "kind": "delay", "delay_ms": ANSWER_MILLIS, "times": 0 });
        world.fault(slow).await?;
    }
    let app = build_app(&world)?;
    let fire = async || {
        let schedule = PollSchedule::first(world.store.now().await?);
        deadline::within(FIRING, poll_order(&app, held.id, schedule)).await?;
        anyhow::Ok(())
    };
    fire().await?;
    assert_eq!(world.count(held, "PaymentObserved").await?, 1, "what was learnt is recorded");
    assert_eq!(world.count(held, "PaymentVerified").await?, 0, "the order is not known yet");
    fire().await?;
    assert_eq!(world.count(held, "PaymentVerified").await?, 1, "it went on from there");
    Ok(())
}
