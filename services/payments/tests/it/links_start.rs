//! Starting a payment by a link: one usable link per booking, under lost answers, refusals,
//! concurrency and changes of mind.

use anyhow::{Context as _, Result};
use contract::payments::v1::{CollectionState, PaymentMethod, PaymentStatus};
use serde_json::json;
use tonic::Code;

use crate::world::{PRICE, World, assert_refused};

#[tokio::test]
async fn a_link_is_made_and_the_intent_came_first() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let started = world.link(held).await?;
    assert_eq!((started.order_id.as_str(), started.state()), ("", CollectionState::Pending));
    assert_eq!(started.amount.clone().context("an amount")?.minor_units, PRICE);
    assert!(started.link_url.starts_with(&format!("{}/l/", world.sandbox_url)));
    let names = ["CollectionOpened", "PaymentLinkOpened", "PaymentLinkCreated"];
    assert_eq!(world.names(held).await?, names);

    let links = world.provider_has("payment_links").await?;
    let events = world.events(held).await?;
    assert_eq!(links[0]["id"], started.link_id.as_str());
    assert_eq!(links[0]["reference_id"], events[1].payload["linkId"]);
    assert_eq!(links[0]["notes"], json!({ "booking_id": held.id.to_string() }));
    assert_eq!(links[0]["accept_partial"], false);
    // The hold of the tests ends after 15 minutes, and the provider takes 16 at least.
    let ends = started.link_expires_at.context("an end")?.seconds;
    assert_eq!(links[0]["expire_by"], ends);
    let now = world.store.now().await?.seconds();
    assert!((now + 15 * 60..=now + 16 * 60).contains(&ends), "{ends}");
    assert_eq!(world.link(held).await?, started, "asked again, it is the same");
    assert_eq!(world.provider_has("orders").await?.len(), 0);
    Ok(())
}

#[tokio::test]
async fn many_who_start_at_once_get_one_link() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let slow = json!({ "target": "payment_links.create", "kind": "delay", "delay_ms": 200 });
    world.fault(slow).await?;
    let started = futures::future::try_join_all((0..12).map(|_| world.link(held))).await?;
    assert!(started.iter().all(|it| it.link_id == started[0].link_id));
    assert_eq!(world.link_states().await?, ["created"]);
    Ok(())
}

#[tokio::test]
async fn a_link_whose_answer_was_lost_is_found_again() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let lost = json!({
        "target": "payment_links.create", "kind": "timeout_after_success", "delay_ms": 1,
    });
    world.fault(lost).await?;
    let started = world.link(held).await?;
    let links = world.provider_has("payment_links").await?;
    assert_eq!((links.len(), links[0]["id"].as_str()), (1, Some(started.link_id.as_str())));
    Ok(())
}

/// The list may lag behind a creation, or not know the filter: the reference is unique all the
/// same.
#[tokio::test]
async fn a_lost_link_that_the_list_does_not_show_is_never_made_twice() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let lost = json!({
        "target": "payment_links.create", "kind": "timeout_after_success", "delay_ms": 1,
    });
    world.fault(lost).await?;
    let blind = json!({ "target": "account.link_references", "kind": "drop", "times": 3 });
    world.fault(blind).await?;
    for _ in 0..2 {
        assert_refused(world.try_link(held).await?, Code::Unavailable, "PROVIDER_UNAVAILABLE");
    }
    let started = world.link(held).await?;
    assert_eq!(world.link_states().await?, ["created"]);
    assert_eq!(world.count(held, "PaymentLinkOpened").await?, 1);
    assert!(!started.link_url.is_empty());
    Ok(())
}

/// A creation that was never answered is too late to be repeated: its successor has another id.
#[tokio::test]
async fn a_link_that_was_never_made_is_followed_by_another_and_given_up() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let down = json!({ "target": "payment_links.create", "kind": "status", "status": 500 });
    world.fault(down).await?;
    assert_refused(world.try_link(held).await?, Code::Unavailable, "PROVIDER_UNAVAILABLE");
    world.move_clock(8 * 60).await?;
    let started = world.link(held).await?;
    assert_eq!(world.count(held, "PaymentLinkOpened").await?, 2);
    assert_eq!(world.count(held, "PaymentLinkWithdrawn").await?, 1);
    assert_eq!(world.provider_has("payment_links").await?.len(), 1);
    world.move_clock(2 * 3600).await?;
    world.until(held, "PaymentLinkAbsent").await?;
    assert!(!started.link_id.is_empty());
    Ok(())
}

#[tokio::test]
async fn a_link_that_is_refused_says_so() -> Result<()> {
    let alarms = testkit::Alarms::listen();
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let refused = json!({ "target": "payment_links.create", "kind": "refuse", "status": 400 });
    world.fault(refused).await?;
    assert_refused(world.try_link(held).await?, Code::Unavailable, "PROVIDER_UNAVAILABLE");
    assert_eq!(alarms.count("the provider refuses our orders"), 1);
    world.link(held).await?;
    Ok(())
}

#[tokio::test]
async fn who_turns_to_the_checkout_gets_it_when_the_link_is_cancelled() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let link = world.link(held).await?;
    let order = world.start(held).await?;
    assert!(!order.order_id.is_empty() && order.link_url.is_empty());
    assert_eq!(world.link_states().await?, ["cancelled"]);
    let withdrawn = world.until(held, "PaymentLinkWithdrawn").await?;
    assert_eq!(withdrawn.payload["reason"], "checkout");
    let checked = world.check_link(held).await??;
    assert_eq!(checked.payment_status(), PaymentStatus::Other, "the checkout is open");

    // And back: another link, beside an order that cannot be cancelled.
    let again = world.link(held).await?;
    assert_ne!(again.link_id, link.link_id);
    assert_eq!(world.link_states().await?, ["cancelled", "created"]);
    assert_eq!(world.start(held).await?.order_id, order.order_id, "there is one order");
    assert_eq!(world.link_states().await?, ["cancelled", "cancelled"]);
    Ok(())
}

#[tokio::test]
async fn no_checkout_opens_while_the_link_may_be_paid() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let link = world.link(held).await?;
    let refused = json!({ "target": "payment_links.cancel", "kind": "refuse", "times": 0 });
    world.fault(refused).await?;
    assert_refused(world.try_start(held).await?, Code::Unavailable, "PROVIDER_UNAVAILABLE");
    assert_eq!(world.provider_has("orders").await?.len(), 0);
    // It was paid in the meantime: there is nothing to pay any more.
    world.pay_link(&link.link_id, json!({})).await?;
    let started = world.start(held).await?;
    assert_eq!((started.order_id.as_str(), started.state()), ("", CollectionState::Paid));
    assert_eq!(world.verified_and_back(held).await?, (1, 0));
    Ok(())
}

/// The provider says that the link is paid, and does not say by which payment: nothing else is
/// handed out until it is known.
#[tokio::test]
async fn nothing_is_handed_out_beside_a_link_that_was_paid_by_an_unknown_payment() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let link = world.link(held).await?;
    world.pay_link(&link.link_id, json!({})).await?;
    let silent = json!({ "target": "orders.fetch.payments", "kind": "status", "times": 0 });
    world.fault(silent).await?;
    assert_refused(world.try_start(held).await?, Code::Unavailable, "PROVIDER_UNAVAILABLE");
    assert_refused(world.try_link(held).await?, Code::Unavailable, "PROVIDER_UNAVAILABLE");
    assert_eq!(world.provider_has("orders").await?.len(), 1, "the one beneath the link");
    assert_eq!(world.link_states().await?, ["paid"]);
    world.clear_faults().await?;
    world.move_clock(60).await?;
    world.until(held, "PaymentVerified").await?;
    assert_eq!(world.start(held).await?.state(), CollectionState::Paid);
    assert_eq!(world.verified_and_back(held).await?, (1, 0));
    Ok(())
}

#[tokio::test]
async fn a_link_that_expired_or_was_cancelled_is_said_to_be_and_another_is_made() -> Result<()> {
    for (state, wanted) in
        [("expired", PaymentStatus::Expired), ("cancelled", PaymentStatus::Cancelled)]
    {
        let world = World::without_webhooks().await?;
        let held = world.held().await?;
        let link = world.link(held).await?;
        assert_eq!(world.check_link(held).await??.payment_status(), PaymentStatus::Other);
        world.link_becomes(&link.link_id, state).await?;
        let checked = world.check_link(held).await??;
        assert_eq!((checked.payment_status(), checked.state()), (wanted, CollectionState::Pending));
        let again = world.link(held).await?;
        assert_ne!(again.link_id, link.link_id);
        assert_eq!(world.check_link(held).await??.payment_status(), PaymentStatus::Other);
    }
    Ok(())
}

/// A minute before its end a link is cancelled for the next one, if the hold lasts longer.
#[tokio::test]
async fn a_link_that_is_about_to_expire_gives_way_to_another() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let first = world.link(held).await?;
    world.move_clock(15 * 60 + 30).await?;
    assert_refused(world.try_link(held).await?, Code::FailedPrecondition, "HOLD_ENDED");
    world.hold_again(held).await?;
    let second = world.link(held).await?;
    assert_ne!(first.link_id, second.link_id);
    assert_eq!(world.link_states().await?, ["cancelled", "created"]);
    Ok(())
}

#[tokio::test]
async fn a_key_stands_for_one_way_of_paying() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let key = "one-key-for-both";
    world.try_start_by(held, PaymentMethod::Link, key).await??;
    let reused = world.try_start_by(held, PaymentMethod::Checkout, key).await?;
    assert_refused(reused, Code::InvalidArgument, "IDEMPOTENCY_KEY_REUSED");
    Ok(())
}
