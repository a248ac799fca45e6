//! Money of links: like that of orders, once, and the rest goes back.

use anyhow::{Context as _, Result};
use contract::payments::v1::{CollectionState, PaymentStatus};
use serde_json::{Value, json};

use crate::ledger::{agrees, build_app, complete, left};
use crate::links_end::unplaced_part;
use crate::signed_webhooks::{event, send};
use crate::world::{PRICE, World};

#[tokio::test]
async fn a_paid_link_is_paid_by_webhook_by_poll_and_when_asked() -> Result<()> {
    for how in ["webhook", "poll", "asked"] {
        let world =
            if how == "webhook" { World::new().await? } else { World::without_webhooks().await? };
        let held = world.held().await?;
        let link = world.link(held).await?;
        let paid = world.pay_link(&link.link_id, json!({ "method": "upi" })).await?;
        if how == "asked" {
            let checked = world.check_link(held).await??;
            assert_eq!(checked.payment_status(), PaymentStatus::Paid);
        } else if how == "poll" {
            world.move_clock(3).await?;
        }
        let verified = world.until(held, "PaymentVerified").await?;
        assert_eq!(verified.payload["paymentId"], paid["payment_id"]);
        assert_eq!(world.check(held).await??, CollectionState::Paid);
        world.until_quiet().await?;
        assert_eq!(world.verified_and_back(held).await?, (1, 0));
        assert_eq!(left(&world).await?.get("customer_advance"), Some(&-PRICE));
        let again = world.link(held).await?;
        assert_eq!((again.link_url.as_str(), again.state()), ("", CollectionState::Paid));
        agrees(&world).await?;
    }
    Ok(())
}

/// Each webhook late, twice, in another order, or not at all.
#[tokio::test]
async fn webhooks_of_links_come_as_they_like() -> Result<()> {
    for (target, kind) in [
        ("webhook.payment_link.paid", "duplicate"),
        ("webhook.payment_link.paid", "drop"),
        ("webhook.payment.captured", "reorder"),
        ("webhook.payment.authorized", "reorder"),
        ("webhook.order.paid", "timeout_after_success"),
        ("webhook.payment.captured", "drop"),
    ] {
        let world = World::new().await?;
        let held = world.held().await?;
        let link = world.link(held).await?;
        world.fault(json!({ "target": target, "kind": kind })).await?;
        world.pay_link(&link.link_id, json!({})).await?;
        world.until(held, "PaymentVerified").await?;
        world.until_quiet().await?;
        assert_eq!(world.verified_and_back(held).await?, (1, 0), "{target} {kind}");
        agrees(&world).await?;
    }
    Ok(())
}

/// The order was open before the payer turned to the link; both were paid.
#[tokio::test]
async fn of_an_order_and_a_link_that_are_both_paid_one_goes_back() -> Result<()> {
    for webhooks in [true, false] {
        let world = if webhooks { World::new().await? } else { World::without_webhooks().await? };
        let held = world.held().await?;
        let order = world.start(held).await?.order_id;
        let link = world.link(held).await?;
        world.pay(&order, json!({})).await?;
        world.pay_link(&link.link_id, json!({})).await?;
        world.check(held).await??;
        if !webhooks {
            world.move_clock(2 * 3600).await?;
        }
        let back = world.until(held, "RefundProcessed").await?;
        assert_eq!(world.verified_and_back(held).await?, (1, 1), "{back:?}");
        assert_eq!(world.check(held).await??, CollectionState::Paid);
        assert_eq!(left(&world).await?.get("customer_advance"), Some(&-PRICE));
        let refunds = world.provider_has("refunds").await?;
        assert_eq!((refunds.len(), refunds[0]["amount"].as_i64()), (1, Some(PRICE)));
        agrees(&world).await?;
    }
    Ok(())
}

#[tokio::test]
async fn money_of_the_checkout_cancels_the_link() -> Result<()> {
    let world = World::new().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    world.link(held).await?;
    world.pay(&order, json!({})).await?;
    let withdrawn = world.until(held, "PaymentLinkWithdrawn").await?;
    assert_eq!(withdrawn.payload["reason"], "paid");
    world.until_links(&["cancelled"]).await?;
    assert_eq!(world.verified_and_back(held).await?, (1, 0));
    Ok(())
}

#[tokio::test]
async fn a_second_payment_of_a_link_goes_back() -> Result<()> {
    let world = World::new().await?;
    let held = world.held().await?;
    let link = world.link(held).await?;
    world.pay_link(&link.link_id, json!({})).await?;
    world.until(held, "PaymentVerified").await?;
    world.pay_link(&link.link_id, json!({ "again": true })).await?;
    world.until_quiet().await?;
    assert_eq!(world.check(held).await??, CollectionState::Paid);
    assert_eq!(world.verified_and_back(held).await?, (1, 0), "the provider gave it back itself");
    assert_eq!(left(&world).await?.get("customer_advance"), Some(&-PRICE));
    agrees(&world).await
}

/// Our links take no parts. If the provider takes them all the same, each goes back, also the last
/// one, with which the order is paid.
#[tokio::test]
async fn parts_go_back() -> Result<()> {
    let world = World::new().await?;
    let held = world.held().await?;
    let link = world.link(held).await?;
    unplaced_part(&world, held, &link.link_id).await?;
    let checked = world.check_link(held).await??;
    assert_eq!(checked.payment_status(), PaymentStatus::Other);
    let rest = json!({ "amount": PRICE - PRICE / 5, "part": true });
    world.pay_link(&link.link_id, rest).await?;
    world.until_number("select count(*) from refunds where state = 'processed'", 2).await?;
    assert_eq!(world.verified_and_back(held).await?, (0, 2));
    assert_eq!(left(&world).await?.get("customer_advance"), None);
    agrees(&world).await
}

/// A payment that failed on the page, then one that is paid.
#[tokio::test]
async fn a_failed_attempt_on_a_link_is_not_the_end_of_it() -> Result<()> {
    let world = World::new().await?;
    let held = world.held().await?;
    let link = world.link(held).await?;
    world.pay_link(&link.link_id, json!({ "outcome": "failed" })).await?;
    world.until(held, "PaymentFailed").await?;
    world.pay_link(&link.link_id, json!({ "outcome": "late", "delay_ms": 1 })).await?;
    world.until(held, "PaymentVerified").await?;
    Ok(())
}

/// The payer comes back by the provider's address, before any webhook.
#[tokio::test]
async fn the_way_back_is_the_providers_or_nothing() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, other) = (world.held().await?, world.held().await?);
    let link = world.link(held).await?;
    world.link(other).await?;
    world.pay_link(&link.link_id, json!({})).await?;
    let back = reqwest::Client::builder().redirect(reqwest::redirect::Policy::none()).no_proxy();
    let back = back.build()?.get(format!("{}/return", link.link_url)).send().await?;
    let to = back.headers().get("location").context("a way back")?.to_str()?.to_owned();
    let (_, query) = to.split_once('?').context("a query")?;
    let port = world.webhook_url.replace("/webhooks/razorpay", "/pay/link-return");
    let status = async |query: &str| -> Result<u16> {
        Ok(world.http.get(format!("{port}?{query}")).send().await?.status().as_u16())
    };
    assert_eq!(status("").await?, 204);
    assert_eq!(status(&query.replace("status=paid", "status=expired")).await?, 400);
    assert_eq!(status(&query.replace(&held.id.to_string(), "bkg_1")).await?, 400);
    let foreign = query.replace(&held.id.to_string(), &other.id.to_string());
    assert_eq!(status(&foreign).await?, 400, "it is of another booking");
    assert_eq!(world.count(held, "PaymentVerified").await?, 0);

    world.fault(json!({ "target": "payment_links.fetch.one", "kind": "status" })).await?;
    assert_eq!(status(query).await?, 500);
    for _ in 0..2 {
        assert_eq!(status(query).await?, 200);
    }
    assert_eq!(world.verified_and_back(held).await?, (1, 0));
    assert_eq!(world.count(other, "PaymentObserved").await?, 0);
    Ok(())
}

/// Links of another business of the account are none of ours; unknown events change nothing.
#[tokio::test]
async fn links_of_others_are_passed_over() -> Result<()> {
    let world = World::new().await?;
    let made = json!({ "amount": PRICE, "currency": "INR", "reference_id": "23" });
    let theirs = world.tell("/v1/payment_links", &made).await?;
    let id = theirs["id"].as_str().context("an id")?;
    world.pay_link(id, json!({})).await?;
    world.link_becomes(id, "expired").await.err();
    let odd = json!({ "id": id, "status": "paused", "reference_id": "23" });
    send(&world, event("payment_link.paused", &[("payment_link", odd)], 1)).await?;
    world.until_quiet().await?;
    let rows = "select count(*) from payment_links";
    assert_eq!(world.number(rows).await?, 0);
    assert_eq!(world.number("select count(*) from events").await?, 0);
    Ok(())
}

#[tokio::test]
async fn money_of_a_link_is_earned_settled_and_refunded_like_any_other() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let link = world.link(held).await?;
    world.pay_link(&link.link_id, json!({})).await?;
    world.check(held).await??;
    complete(&world, held).await?;
    world.until(held, "PaymentEarned").await?;
    world.tell("/api/settle", &json!({})).await?;
    let app = build_app(&world)?;
    payments::app::settle_day::settle_days(&app, world.store.now().await?).await?;
    let sums = left(&world).await?;
    assert_eq!(sums.get("provider_clearing"), None, "{sums:?}");
    assert_eq!(sums.get("revenue"), Some(&-PRICE));
    let broken = payments::app::reconciliation_exceptions::list(&app, true).await?;
    assert_eq!(broken, []);
    agrees(&world).await
}

/// An account that adds a fee to each payment does so on links, too.
#[tokio::test]
async fn a_fee_or_an_offer_counts_on_a_link() -> Result<()> {
    for switches in [json!({ "convenience_fee_percent": 2 }), json!({ "offer_percent": 10 })] {
        let world = World::new().await?;
        world.tell("/api/switches", &switches).await?;
        let held = world.held().await?;
        let link = world.link(held).await?;
        let paid = world.pay_link(&link.link_id, json!({})).await?;
        assert_ne!(paid["payment"]["amount"], Value::from(PRICE));
        world.until(held, "PaymentVerified").await?;
        assert_eq!(world.verified_and_back(held).await?, (1, 0));
        agrees(&world).await?;
    }
    Ok(())
}
