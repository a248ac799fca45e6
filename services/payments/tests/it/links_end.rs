//! How links end: cancelled when their time or their booking is over, whatever the provider says.

use anyhow::Result;
use contract::booking::v1::{
    BookingCancelled, BookingExpired, BookingReleased, BookingRequested, BookingUnplaced,
};
use contract::common::v1::Money as WireMoney;
use contract::payments::v1::{CollectionState, PaymentStatus};
use eventstore::NewEvent;
use serde_json::{Value, json};
use tonic::Code;

use crate::ledger::agrees;
use crate::world::{Held, PRICE, World, assert_refused};

async fn happens<M>(world: &World, event: M) -> Result<()>
where
    M: prost::Message + prost::Name,
{
    world.booking.publishes(NewEvent::of(&event)?, None).await
}

async fn requested(world: &World, held: Held) -> Result<()> {
    let (booking_id, customer_id) = (held.id.to_string(), held.customer.to_string());
    happens(world, BookingRequested { booking_id, customer_id, ..Default::default() }).await
}

async fn expired(world: &World, held: Held) -> Result<()> {
    let booking_id = held.id.to_string();
    happens(world, BookingExpired { booking_id }).await
}

#[tokio::test]
async fn a_link_is_cancelled_when_the_hold_ends_or_the_time_is_given_back() -> Result<()> {
    let world = World::without_webhooks().await?;
    for number in 1..=3 {
        let held = world.held().await?;
        requested(&world, held).await?;
        world.link(held).await?;
        let booking_id = held.id.to_string();
        match number {
            1 => expired(&world, held).await?,
            2 => {
                happens(&world, BookingReleased { booking_id }).await?;
            }
            _ => {
                let refund = Some(WireMoney { minor_units: 0, currency_code: "INR".to_owned() });
                let event = BookingCancelled { booking_id, refund, ..Default::default() };
                happens(&world, event).await?;
            }
        }
        let withdrawn = world.until(held, "PaymentLinkWithdrawn").await?;
        assert_eq!(withdrawn.payload["reason"], "ended");
        world.until_links(&vec!["cancelled"; number]).await?;
        let checked = world.check_link(held).await??;
        assert_eq!(checked.payment_status(), PaymentStatus::Cancelled);
    }
    world.until_number("select count(*) from timers where kind = 'close-link'", 0).await
}

#[tokio::test]
async fn a_link_that_cannot_be_cancelled_is_tried_again() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    requested(&world, held).await?;
    world.link(held).await?;
    for (target, kind) in [
        ("payment_links.cancel", "status"),
        ("payment_links.cancel", "refuse"),
        ("payment_links.cancel", "timeout_after_success"),
    ] {
        world.fault(json!({ "target": target, "kind": kind, "delay_ms": 1 })).await?;
    }
    expired(&world, held).await?;
    // A refusal is followed by a pause on the database's clock, a failure by one on the wall's.
    let is_postponed =
        "select count(*) from timers where kind = 'close-link' and payload->>'step' = '1'";
    world.until_number(is_postponed, 1).await?;
    world.move_clock(60).await?;
    world.until(held, "PaymentLinkObserved").await?;
    world.until_number("select count(*) from timers where kind = 'close-link'", 0).await?;
    assert_eq!(world.link_states().await?, ["cancelled"]);
    assert_eq!(world.count(held, "PaymentLinkObserved").await?, 1);
    Ok(())
}

/// The cancellation loses against a payment: the refusal is followed by a look.
#[tokio::test]
async fn a_link_that_was_paid_before_it_could_be_cancelled_brings_late_money() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    requested(&world, held).await?;
    let link = world.link(held).await?;
    let paid = world.pay_link(&link.link_id, json!({})).await?;
    expired(&world, held).await?;
    let verified = world.until(held, "PaymentVerified").await?;
    assert_eq!(verified.payload["paymentId"], paid["payment_id"]);
    // Booking finds no place for it.
    let (booking_id, payment_id) =
        (held.id.to_string(), paid["payment_id"].as_str().unwrap_or_default().to_owned());
    happens(&world, BookingUnplaced { booking_id, payment_id }).await?;
    world.until(held, "RefundProcessed").await?;
    assert_eq!(world.verified_and_back(held).await?, (1, 1));
    agrees(&world).await
}

/// The payer approves at the bank after the link was cancelled, and another pays an expired one.
#[tokio::test]
async fn money_of_a_link_that_is_over_is_found_and_judged() -> Result<()> {
    for (webhooks, state) in [(true, "cancelled"), (false, "cancelled"), (true, "expired")] {
        let world = if webhooks { World::new().await? } else { World::without_webhooks().await? };
        let held = world.held().await?;
        requested(&world, held).await?;
        let link = world.link(held).await?;
        let begun = world.pay_link(&link.link_id, json!({ "outcome": "created" })).await?;
        if state == "cancelled" {
            expired(&world, held).await?;
        } else {
            world.link_becomes(&link.link_id, state).await?;
        }
        world.until_links(&[state]).await?;
        let payment = begun["payment_id"].as_str().unwrap_or_default();
        approve(&world, payment).await?;
        if !webhooks {
            world.move_clock(3600).await?;
        }
        let verified = world.until(held, "PaymentVerified").await?;
        assert_eq!(verified.payload["paymentId"], payment);
        assert_eq!(world.verified_and_back(held).await?, (1, 0));
        agrees(&world).await?;
    }
    Ok(())
}

async fn approve(world: &World, payment: &str) -> Result<()> {
    let url = format!("{}/checkout/bank/{payment}", world.sandbox_url);
    let form = world.http.post(url).header("content-type", "application/x-www-form-urlencoded");
    form.body("approves=true").send().await?.error_for_status()?;
    Ok(())
}

/// Nothing reported its order: neither a webhook nor a poll. The list of the night does.
#[tokio::test]
async fn the_night_finds_money_of_a_link_whose_order_nothing_told() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    requested(&world, held).await?;
    let link = world.link(held).await?;
    world.database.as_owner(&format!("delete from timers where subject = '{}'", held.id)).await?;
    world.pay_link(&link.link_id, json!({})).await?;
    world.move_clock(36 * 3600).await?;
    world.until(held, "PaymentVerified").await?;
    world.until_quiet().await?;
    assert_eq!(world.number("select count(*) from unknown_payments").await?, 0);
    agrees(&world).await
}

#[tokio::test]
async fn a_link_made_at_the_moment_in_which_the_hold_ends_is_cancelled() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    requested(&world, held).await?;
    let slow = json!({ "target": "payment_links.create", "kind": "delay", "delay_ms": 400 });
    world.fault(slow).await?;
    let (link, ended) = tokio::join!(world.try_link(held), async {
        world.until(held, "PaymentLinkOpened").await?;
        expired(&world, held).await
    });
    ended?;
    // Whether the event came before or after the answer: the link does not stay.
    drop(link?);
    world.until_links(&["cancelled"]).await?;
    world.until_number("select count(*) from timers where kind = 'close-link'", 0).await
}

/// The news of the hold's end is here before the link is opened; booking's answer is older.
#[tokio::test]
async fn no_link_is_opened_for_a_booking_that_has_ended() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    requested(&world, held).await?;
    expired(&world, held).await?;
    let ended = "select count(*) from known_bookings where state = 'expired'";
    world.until_number(ended, 1).await?;
    assert_refused(world.try_link(held).await?, Code::FailedPrecondition, "HOLD_ENDED");
    assert_eq!(world.names(held).await?, ["CollectionOpened"]);
    assert_eq!(world.provider_has("payment_links").await?.len(), 0);
    Ok(())
}

/// The last link was never made; an earlier one has a payment that is still under way.
#[tokio::test]
async fn an_earlier_link_is_polled_although_the_last_one_was_never_made() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let link = world.link(held).await?;
    let begun = world.pay_link(&link.link_id, json!({ "outcome": "created" })).await?;
    world.link_becomes(&link.link_id, "cancelled").await?;
    world.check(held).await??;
    let down = json!({ "target": "payment_links.create", "kind": "status", "status": 500 });
    world.fault(down).await?;
    assert_refused(world.try_link(held).await?, Code::Unavailable, "PROVIDER_UNAVAILABLE");
    assert_eq!(world.check(held).await??, CollectionState::Pending, "it can be asked for");
    approve(&world, begun["payment_id"].as_str().unwrap_or_default()).await?;
    world.move_clock(3_600).await?;
    let verified = world.until(held, "PaymentVerified").await?;
    assert_eq!(verified.payload["paymentId"], begun["payment_id"]);
    agrees(&world).await
}

#[tokio::test]
async fn an_open_link_is_polled_until_its_end_is_long_over() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    world.link(held).await?;
    let polling = "select count(*) from timers where kind = 'poll-order'";
    assert_eq!(world.number(polling).await?, 1);
    world.move_clock(4 * 24 * 3600).await?;
    world.until_number(polling, 0).await?;
    assert_eq!(world.check(held).await??, CollectionState::Pending);
    Ok(())
}

/// What the tests of other modules use, too.
pub(crate) async fn unplaced_part(world: &World, held: Held, link: &str) -> Result<Vec<Value>> {
    world.pay_link(link, json!({ "amount": PRICE / 5, "part": true })).await?;
    world.until(held, "RefundRequested").await?;
    world.provider_has("payments").await
}
