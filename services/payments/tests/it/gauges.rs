//! What metrics tell about money: what the ledger has, a sum of nothing, and what nothing explains.

use anyhow::Result;
use payments::read_model::gauges;
use testkit::figures;

use crate::ledger::confirmed;
use crate::world::{PRICE, World};

const DAY: i64 = 24 * 3600;

#[tokio::test]
async fn the_ledger_is_told_with_its_sum_and_what_moved_today() -> Result<()> {
    let world = World::without_webhooks().await?;
    confirmed(&world).await?;
    world.until_quiet().await?;
    let told = figures(&gauges::ledger(world.store.pool()).await?);
    assert_eq!(told["sukoon.money.balance provider_clearing INR"], PRICE);
    assert_eq!(told["sukoon.money.balance customer_advance INR"], -PRICE);
    assert_eq!(told["sukoon.money.moved captured INR"], PRICE);
    assert_eq!(told["sukoon.ledger.imbalance INR"], 0);
    // Two days later nothing has moved within a day, and the balance is what it was.
    world.move_clock(2 * DAY).await?;
    let later = figures(&gauges::ledger(world.store.pool()).await?);
    assert_eq!(later.get("sukoon.money.moved captured INR"), None);
    assert_eq!(later["sukoon.ledger.imbalance INR"], 0);
    Ok(())
}

#[tokio::test]
async fn a_ledger_that_does_not_net_to_zero_is_told() -> Result<()> {
    let world = World::without_webhooks().await?;
    confirmed(&world).await?;
    world.until_quiet().await?;
    let lost = "alter table ledger_lines disable trigger user;
                delete from ledger_lines where account = 'customer_advance';
                alter table ledger_lines enable trigger user;";
    world.database.as_owner(lost).await?;
    let told = figures(&gauges::ledger(world.store.pool()).await?);
    assert_eq!(told["sukoon.ledger.imbalance INR"], PRICE);
    Ok(())
}

#[tokio::test]
async fn what_nothing_explains_is_told_by_reason_and_with_its_age() -> Result<()> {
    let world = World::without_webhooks().await?;
    let quiet = figures(&gauges::unexplained(world.store.pool()).await?);
    assert!(quiet.values().all(|value| *value == 0), "{quiet:?}");
    assert_eq!(quiet["sukoon.money.unexplained CAPTURED_NOT_PLACED"], 0);
    let unknown = "insert into unknown_payments
                       (payment_id, amount_minor, amount_currency, seen_at)
                   values ('pay_1', 100, 'INR', clock_now() - interval '3 hours'),
                          ('pay_2', 100, 'INR', clock_now())";
    world.database.as_owner(unknown).await?;
    let told = figures(&gauges::unexplained(world.store.pool()).await?);
    assert_eq!(told["sukoon.money.unexplained PAYMENT_UNKNOWN"], 2);
    let age = told["sukoon.money.unexplained.age PAYMENT_UNKNOWN"];
    assert!((3 * 3600..4 * 3600).contains(&age), "{age}");
    Ok(())
}
