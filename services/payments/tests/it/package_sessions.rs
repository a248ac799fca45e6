//! The sessions of a package end one by one, and its money follows them, paisa for paisa.

use anyhow::Result;
use contract::booking::v1::{
    BookingCancelled, BookingCompleted, BookingConfirmed, BookingRequested,
    BookingSessionCancelled, BookingSessionCompleted,
};
use contract::common::v1::Money as WireMoney;
use contract::payments::v1::CollectionState;
use eventstore::NewEvent;

use crate::world::{Held, PRICE, World};

const SHARE: i64 = PRICE / 3;
const LAST: i64 = PRICE - 2 * SHARE;

fn money(minor_units: i64) -> Option<WireMoney> {
    Some(WireMoney { minor_units, currency_code: "INR".to_owned() })
}

async fn happens<M>(world: &World, event: M) -> Result<()>
where
    M: prost::Message + prost::Name,
{
    world.booking.publishes(NewEvent::of(&event)?, None).await
}

async fn placed(world: &World, held: Held, payment_id: &str) -> Result<()> {
    let (booking_id, customer_id) = (held.id.to_string(), held.customer.to_string());
    let requested =
        BookingRequested { booking_id: booking_id.clone(), customer_id, ..Default::default() };
    happens(world, requested).await?;
    let payment_id = payment_id.to_owned();
    happens(world, BookingConfirmed { booking_id, payment_id, ..Default::default() }).await
}

async fn takes_place(world: &World, held: Held, session_number: i32, share: i64) -> Result<()> {
    let (booking_id, share) = (held.id.to_string(), money(share));
    happens(world, BookingSessionCompleted { booking_id, session_number, share }).await
}

async fn cancelled(
    world: &World,
    held: Held,
    session_number: i32,
    (share, refund): (i64, i64),
) -> Result<()> {
    happens(
        world,
        BookingSessionCancelled {
            booking_id: held.id.to_string(),
            session_number,
            share: money(share),
            refund: money(refund),
            ..Default::default()
        },
    )
    .await
}

/// The sum of an account in the ledger.
async fn account(world: &World, word: &'static str) -> Result<i64> {
    let sql = "select coalesce(sum(amount_minor), 0)::bigint from ledger_lines where account = $1";
    Ok(sqlx::query_scalar(sql).bind(word).fetch_one(world.store.pool()).await?)
}

#[tokio::test]
async fn the_ledger_earns_and_gives_back_session_by_session() -> Result<()> {
    let world = World::new().await?;
    let (held, payment_id) = world.paid().await?;
    placed(&world, held, &payment_id).await?;
    takes_place(&world, held, 1, SHARE).await?;
    let first = world.until(held, "PaymentEarned").await?;
    assert_eq!(first.payload["amount"]["minorUnits"], SHARE.to_string());
    assert_eq!(account(&world, "revenue").await?, -SHARE);
    assert_eq!(account(&world, "customer_advance").await?, SHARE - PRICE);

    cancelled(&world, held, 2, (SHARE, SHARE)).await?;
    let refund = world.until(held, "RefundRequested").await?;
    assert_eq!(refund.payload["amount"]["minorUnits"], SHARE.to_string());
    assert_eq!(refund.payload["cause"], "cancelled");
    world.until(held, "RefundProcessed").await?;
    assert_eq!(account(&world, "customer_advance").await?, -LAST);

    takes_place(&world, held, 3, LAST).await?;
    happens(&world, BookingCompleted { booking_id: held.id.to_string() }).await?;
    world.until_number("select count(*) from known_bookings where state = 'completed'", 1).await?;
    assert_eq!(world.count(held, "PaymentEarned").await?, 2);
    assert_eq!(account(&world, "revenue").await?, -SHARE - LAST);
    assert_eq!(account(&world, "customer_advance").await?, 0);
    assert_eq!(world.check(held).await??, CollectionState::Paid);
    let refunds = world.provider_has("refunds").await?;
    assert_eq!((refunds.len(), refunds[0]["amount"].as_i64()), (1, Some(SHARE)));
    // Whatever is delivered again changes nothing.
    takes_place(&world, held, 1, SHARE).await?;
    cancelled(&world, held, 2, (SHARE, SHARE)).await?;
    world.until_quiet().await?;
    assert_eq!(world.count(held, "PaymentEarned").await?, 2);
    assert_eq!(world.count(held, "RefundRequested").await?, 1);
    Ok(())
}

#[tokio::test]
async fn a_package_that_is_cancelled_late_keeps_the_share_of_its_first_session() -> Result<()> {
    let world = World::new().await?;
    let (held, payment_id) = world.paid().await?;
    placed(&world, held, &payment_id).await?;
    cancelled(&world, held, 1, (SHARE, 0)).await?;
    cancelled(&world, held, 2, (SHARE, SHARE)).await?;
    cancelled(&world, held, 3, (LAST, LAST)).await?;
    let refund = money(SHARE + LAST);
    let booking_id = held.id.to_string();
    happens(&world, BookingCancelled { booking_id, refund, ..Default::default() }).await?;
    world.until_number("select count(*) from refunds where state = 'processed'", 2).await?;
    assert_eq!(account(&world, "retained").await?, -SHARE);
    assert_eq!(account(&world, "customer_advance").await?, 0);
    let refunds = world.provider_has("refunds").await?;
    let back: i64 = refunds.iter().filter_map(|refund| refund["amount"].as_i64()).sum();
    assert_eq!((refunds.len(), back), (2, SHARE + LAST));
    Ok(())
}

/// One decision of booking's is one refund.
#[tokio::test]
async fn a_package_that_is_cancelled_whole_gives_back_one_sum() -> Result<()> {
    let world = World::new().await?;
    let (held, payment_id) = world.paid().await?;
    placed(&world, held, &payment_id).await?;
    for (session_number, share) in [(1, SHARE), (2, SHARE), (3, LAST)] {
        let event = BookingSessionCancelled {
            booking_id: held.id.to_string(),
            session_number,
            share: money(share),
            refund: money(share),
            with_all: true,
            ..Default::default()
        };
        happens(&world, event).await?;
    }
    let (booking_id, refund) = (held.id.to_string(), money(PRICE));
    happens(&world, BookingCancelled { booking_id, refund, ..Default::default() }).await?;
    world.until_number("select count(*) from refunds where state = 'processed'", 1).await?;
    let refunds = world.provider_has("refunds").await?;
    let back: i64 = refunds.iter().filter_map(|refund| refund["amount"].as_i64()).sum();
    assert_eq!((refunds.len(), back), (1, PRICE));
    assert_eq!(account(&world, "customer_advance").await?, 0);
    Ok(())
}

/// After a restore of this database, or for a claim that was accepted: the sessions are over when
/// the money is learnt of.
#[tokio::test]
async fn money_that_comes_after_the_sessions_follows_how_they_ended() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    placed(&world, held, "").await?;
    let started = world.start(held).await?;
    takes_place(&world, held, 1, SHARE).await?;
    cancelled(&world, held, 2, (SHARE, SHARE)).await?;
    takes_place(&world, held, 3, LAST).await?;
    happens(&world, BookingCompleted { booking_id: held.id.to_string() }).await?;
    world.until_number("select count(*) from known_bookings where state = 'completed'", 1).await?;
    world.pay(&started.order_id, serde_json::json!({})).await?;
    world.check(held).await??;
    world.until(held, "RefundProcessed").await?;
    assert_eq!(world.count(held, "PaymentEarned").await?, 2);
    assert_eq!(account(&world, "revenue").await?, -SHARE - LAST);
    assert_eq!(account(&world, "customer_advance").await?, 0);
    Ok(())
}
