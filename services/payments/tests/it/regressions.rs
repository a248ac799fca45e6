//! Known failures of other payment integrations, one test for each, with its source. Those that
//! concern slots are tested in booking (`races.rs`, `money.rs`).

use anyhow::Result;
use contract::booking::v1::BookingUnplaced;
use contract::payments::v1::CollectionState;
use eventstore::NewEvent;
use serde_json::{Value, json};
use tonic::Code;

use crate::signed_webhooks::{PAYMENT, captured, event, payment, post, send, sign};
use crate::world::{Held, KEY_SECRET, PRICE, WEBHOOK_SECRET, World, assert_refused};

const HOUR: i64 = 3600;
const POLLING: &str = "select count(*) from timers where kind = 'poll-order'";

fn text<'v>(value: &'v Value, field: &str) -> &'v str {
    value[field].as_str().unwrap_or_default()
}

/// A booking whose order exists, at a provider whose webhooks never come.
async fn ordered() -> Result<(World, Held, String)> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    Ok((world, held, order))
}

/// Polls of the order get no answer, so that only webhooks report.
async fn mute(world: &World) -> Result<()> {
    world.fault(json!({ "target": "orders.fetch.payments", "kind": "drop", "times": 0 })).await
}

/// Paid, not booked: the browser's callback never returned <- razorpay-prestashop#64,
/// razorpay-opencart#47.
#[tokio::test]
async fn a_lost_callback_loses_no_payment() -> Result<()> {
    let (world, held, order) = ordered().await?;
    world.pay(&order, json!({})).await?;
    world.until(held, "PaymentVerified").await?;
    let (world, held, order) = ordered().await?;
    mute(&world).await?;
    send(&world, captured(&order, 1)).await?;
    world.until(held, "PaymentVerified").await?;
    Ok(())
}

/// Webhook and handler race and create two orders <- razorpay-prestashop#64,
/// razorpay-magento#208, #211, #291.
#[tokio::test]
async fn webhook_answer_and_poll_at_once_are_one_payment_of_one_order() -> Result<()> {
    let world = World::new().await?;
    let held = world.held().await?;
    // Two tabs begin, and the money and its webhooks come as soon as there is an order to pay.
    let booking_id = held.id.to_string();
    let tabs = ["key-of-tab-1", "key-of-tab-2"];
    let tabs = tabs.map(|key| world.start_as(held.customer, &booking_id, key));
    let payer = async {
        let order = testkit::until("there is an order", async || {
            let orders = world.provider_has("orders").await?;
            Ok(orders.first().map(|order| text(order, "id").to_owned()))
        });
        let order = order.await?;
        Ok((world.pay(&order, json!({})).await?, order))
    };
    let (tabs, (paid, order)) =
        futures::future::try_join(futures::future::try_join_all(tabs), payer).await?;
    for tab in tabs {
        assert_eq!(tab?.order_id, order);
    }
    let (id, signature) = (text(&paid, "payment_id"), text(&paid, "signature"));
    let answers = futures::future::try_join_all((0..5).map(|_| world.answer(held, id, signature)));
    let checks = futures::future::try_join_all((0..5).map(|_| world.check(held)));
    let (answers, checks) = futures::future::try_join(answers, checks).await?;
    for state in answers.into_iter().chain(checks) {
        assert_eq!(state?, CollectionState::Paid);
    }
    world.until_quiet().await?;
    assert_eq!(world.count(held, "PaymentVerified").await?, 1);
    assert_eq!(world.provider_has("orders").await?.len(), 1);
    Ok(())
}

/// A delay as a fix: webhooks applied after 300 s <- woo-razorpay.php:3393, Magento's cron.
#[tokio::test]
async fn a_webhook_counts_at_once() -> Result<()> {
    let (world, held, order) = ordered().await?;
    mute(&world).await?;
    send(&world, captured(&order, 1)).await?;
    world.until(held, "PaymentVerified").await?;
    // On the database clock, which the test has not moved.
    let slow = "select count(*) from events e, webhook_inbox w
                where e.event_type = 'payments.v1.PaymentVerified'
                  and e.recorded_at > w.received_at + interval '1 minute'";
    assert_eq!(world.number(slow).await?, 0);
    Ok(())
}

/// A refund before the authorisation was dropped, and the order read "paid" afterwards <-
/// razorpay-woocommerce#664.
#[tokio::test]
async fn a_refund_before_its_payment_is_not_lost() -> Result<()> {
    let (world, held, order) = ordered().await?;
    mute(&world).await?;
    let refund = json!({
        "id": "rfnd_AAAAAAAAAAAAAA", "amount": PRICE, "currency": "INR", "status": "processed",
        "payment_id": PAYMENT, "receipt": null, "notes": [],
    });
    let parts = [("refund", refund), ("payment", payment(&order, "authorized"))];
    send(&world, event("refund.processed", &parts, 2)).await?;
    // Webhooks that wait together are folded in any order, so the refund's is waited for.
    world.until_quiet().await?;
    send(&world, captured(&order, 1)).await?;
    world.until_quiet().await?;
    assert_eq!(world.count(held, "PaymentVerified").await?, 0, "its money is gone");
    assert_eq!(world.number("select count(*) from collections where state = 'refunded'").await?, 1);
    Ok(())
}

/// A webhook for an order that did not exist yet was acknowledged and lost <- statamic-cargo#190.
#[tokio::test]
async fn an_early_webhook_waits_for_its_order() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let lost = json!({ "target": "orders.create", "kind": "timeout_after_success", "delay_ms": 1 });
    world.fault(lost).await?;
    world.fault(json!({ "target": "orders.fetch.list", "kind": "status" })).await?;
    assert!(world.try_start(held).await?.is_err());
    let orders = world.provider_has("orders").await?;
    mute(&world).await?;
    // The order, whose receipt shows its owner, cannot be fetched either.
    world.fault(json!({ "target": "orders.fetch.one", "kind": "drop", "times": 0 })).await?;
    send(&world, captured(text(&orders[0], "id"), 1)).await?;
    let waits = "select count(*) from webhook_inbox where waits_for_order_id is not null";
    world.until_number(waits, 1).await?;
    world.start(held).await?;
    world.until(held, "PaymentVerified").await?;
    Ok(())
}

/// A late failure downgraded a paid order <- nearmerch#209, themeum/tutor#2360; an invoice stayed
/// unpaid after failure and success <- razorpay-whmcs#62.
#[tokio::test]
async fn no_failure_downgrades_a_paid_order_or_ends_an_unpaid_one() -> Result<()> {
    let failed = |order: &str| event("payment.failed", &[("payment", payment(order, "failed"))], 9);
    let (world, held, order) = ordered().await?;
    mute(&world).await?;
    send(&world, captured(&order, 1)).await?;
    world.until(held, "PaymentVerified").await?;
    send(&world, failed(&order)).await?;
    world.until_quiet().await?;
    assert_eq!(world.check(held).await??, CollectionState::Paid);
    assert_eq!(world.count(held, "PaymentFailed").await?, 0);

    let second = world.held().await?;
    let order = world.start(second).await?.order_id;
    let other = |status: &str| {
        let mut payment = payment(&order, status);
        payment["id"] = json!("pay_BBBBBBBBBBBBBB");
        event(&format!("payment.{status}"), &[("payment", payment)], 1)
    };
    send(&world, other("failed")).await?;
    world.until(second, "PaymentFailed").await?;
    send(&world, other("captured")).await?;
    world.until(second, "PaymentVerified").await?;
    Ok(())
}

/// Only the latest of several partial refunds was kept <- InsForge#1485.
#[tokio::test]
async fn partial_refunds_are_summed_up_to_the_captured_amount() -> Result<()> {
    let world = World::new().await?;
    let (held, payment_id) = world.paid().await?;
    for amount in [10_000, 15_000, 25_000] {
        assert_eq!(world.check(held).await??, CollectionState::Paid);
        world.refund_externally(&payment_id, amount).await?;
    }
    let sum = "select coalesce(sum(amount_minor), 0)::bigint from refunds
               where state = 'processed'";
    world.until_number(sum, PRICE).await?;
    assert_eq!(world.check(held).await??, CollectionState::Refunded);
    assert!(world.refund_externally(&payment_id, 1).await.is_err(), "nothing is left");
    Ok(())
}

/// `JSON.stringify(body)` breaks the MAC for some events <- razorpay-node#96, #112, #131, #434;
/// InsForge#1382.
#[tokio::test]
async fn the_mac_is_checked_over_the_received_bytes() -> Result<()> {
    let (world, held, order) = ordered().await?;
    mute(&world).await?;
    let body = format!(
        "{{ \"payload\":{{\"payment\" : {{\"entity\":{{\"order_id\":\"{order}\",\n\t\"id\":\
         \"{PAYMENT}\",\"description\":\"a\\/b \\\"c\\\" \\u20b9 \u{20b9}\",\"amount\":50000,\
         \"currency\":\"INR\",\"status\":\"captured\",\"fee\":1.0e3,\"fee\":11.80}}}}}} ,\
         \"event\":\"payment.captured\" }}\r\n"
    );
    let value: Value = serde_json::from_str(&body)?;
    let again = value.to_string().into_bytes();
    let signature = sign(WEBHOOK_SECRET, body.as_bytes())?;
    assert_eq!(post(&world, again, &signature, "evt_1").await?, 400, "other bytes, other MAC");
    send(&world, body.into_bytes()).await?;
    world.until(held, "PaymentVerified").await?;
    Ok(())
}

/// Fields in the wrong order <- razorpay-node#105; the order's id taken from the request and not
/// from the session <- razorpay-php#122.
#[tokio::test]
async fn an_answer_is_checked_against_our_own_order() -> Result<()> {
    let (world, held, order) = ordered().await?;
    let swapped = sign(KEY_SECRET, format!("{PAYMENT}|{order}").as_bytes())?;
    let answer = world.answer(held, PAYMENT, &swapped).await?;
    assert_refused(answer, Code::PermissionDenied, "SIGNATURE_INVALID");
    // A valid signature of another order; the request has no field for another order's id.
    let other = world.held().await?;
    let others_order = world.start(other).await?.order_id;
    let paid = world.pay(&others_order, json!({})).await?;
    let answer = world.answer(held, text(&paid, "payment_id"), text(&paid, "signature")).await?;
    assert_refused(answer, Code::PermissionDenied, "SIGNATURE_INVALID");
    Ok(())
}

/// Reloading the return page verified again <- razorpay-php#107.
#[tokio::test]
async fn a_repeated_answer_changes_nothing() -> Result<()> {
    let (world, held, order) = ordered().await?;
    let paid = world.pay(&order, json!({})).await?;
    for _ in 0..3 {
        let state =
            world.answer(held, text(&paid, "payment_id"), text(&paid, "signature")).await??;
        assert_eq!(state, CollectionState::Paid);
    }
    assert_eq!(world.count(held, "PaymentVerified").await?, 1);
    assert_eq!(world.count(held, "PaymentObserved").await?, 1);
    Ok(())
}

/// Authentic, of the wrong amount: $1 for an order of $2,000 <- CVE-2026-9189; callbacks that were
/// unsigned <- CVE-2026-0656, CVE-2025-14078.
#[tokio::test]
async fn neither_a_signature_nor_another_amount_is_a_payment() -> Result<()> {
    let (world, held, order) = ordered().await?;
    mute(&world).await?;
    assert_eq!(post(&world, captured(&order, 1), "", "evt_1").await?, 400);
    assert_refused(
        world.answer(held, PAYMENT, "").await?,
        Code::PermissionDenied,
        "SIGNATURE_INVALID",
    );
    // Signed, of a payment that the provider does not have.
    let good = sign(KEY_SECRET, format!("{order}|{PAYMENT}").as_bytes())?;
    assert_eq!(world.answer(held, PAYMENT, &good).await??, CollectionState::Pending);
    for (field, value) in [("amount", json!(100)), ("currency", json!("USD"))] {
        let mut payment = payment(&order, "captured");
        payment[field] = value;
        payment["id"] = json!(format!("pay_{:0>14}", field));
        send(&world, event("payment.captured", &[("payment", payment)], 1)).await?;
    }
    // One of another amount waits for the provider's word.
    world.clear_faults().await?;
    testkit::until("both are mismatched", async || {
        Ok((world.count(held, "PaymentMismatched").await? == 2).then_some(()))
    })
    .await?;
    assert_eq!(world.count(held, "PaymentVerified").await?, 0);
    Ok(())
}

/// The payer never returns from the UPI app, the payment stays authorised and is given back by
/// itself <- help.zoho.com, Razorpay webhooks; a restarted app loses its callback <-
/// razorpay-cordova-sample-app#299.
#[tokio::test]
async fn capture_does_not_need_the_payers_return() -> Result<()> {
    let (world, held, order) = ordered().await?;
    // We do not capture: the order states that the provider captures at once.
    world.fault(json!({ "target": "payments.capture", "kind": "status", "times": 0 })).await?;
    let paid = world.pay(&order, json!({ "outcome": "authorized", "method": "upi" })).await?;
    let seen = world.until(held, "PaymentObserved").await?;
    assert_eq!(seen.payload["status"], "authorized");
    assert_eq!(world.check(held).await??, CollectionState::Pending);
    // The provider captures it later without a webhook: only the poll can find it.
    world.clear_faults().await?;
    let capture = format!("/v1/payments/{}/capture", text(&paid, "payment_id"));
    world.tell(&capture, &json!({ "amount": PRICE, "currency": "INR" })).await?;
    world.move_clock(HOUR).await?;
    world.until(held, "PaymentVerified").await?;
    assert_eq!(world.number("select count(*) from webhook_inbox").await?, 0);
    // One that was authorised and went back is known as that, and is no payment.
    let other = world.held().await?;
    let order = world.start(other).await?.order_id;
    mute(&world).await?;
    let back = event("payment.refunded", &[("payment", payment(&order, "refunded"))], 1);
    send(&world, back).await?;
    world.until_quiet().await?;
    assert_eq!(world.count(other, "PaymentVerified").await?, 0);
    assert_eq!(world.number("select count(*) from collections where state = 'refunded'").await?, 1);
    Ok(())
}

/// UPI completes hours later, and the booking was "abandoned" <- vacationlabs.com, "Fixing payment
/// status mismatches".
#[tokio::test]
async fn a_upi_payment_hours_later_is_found() -> Result<()> {
    let (world, held, order) = ordered().await?;
    world.pay(&order, json!({ "outcome": "failed", "method": "upi" })).await?;
    world.until(held, "PaymentFailed").await?;
    world.move_clock(9 * HOUR).await?;
    let asked = "select count(*) from timers where kind = 'poll-order' and due_at > clock_now()";
    world.until_number(asked, 1).await?;
    world.pay(&order, json!({ "method": "upi" })).await?;
    world.move_clock(16 * HOUR).await?;
    world.until(held, "PaymentVerified").await?;
    Ok(())
}

/// "Cancelled", and success a moment later <- razorpay-flutter#136, #343; android-sample#111.
#[tokio::test]
async fn a_dismissed_checkout_does_not_end_the_payment() -> Result<()> {
    let world = World::new().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    // There is no call that says "cancelled"; all that comes is a failure, which is not final.
    let paid = world.pay_late(&order).await?;
    world.until(held, "PaymentFailed").await?;
    world.agree_late(&paid).await?;
    world.until(held, "PaymentVerified").await?;
    assert_eq!(world.check(held).await??, CollectionState::Paid);
    Ok(())
}

/// Payments without an order are returned by the provider itself.
#[tokio::test]
async fn a_payment_without_an_order_pays_for_no_booking() -> Result<()> {
    let (world, held, order) = ordered().await?;
    mute(&world).await?;
    let mut orderless = payment(&order, "captured");
    orderless["order_id"] = json!(null);
    send(&world, event("payment.captured", &[("payment", orderless)], 1)).await?;
    world.until_quiet().await?;
    assert_eq!(world.names(held).await?, ["CollectionOpened", "OrderCreated"]);
    Ok(())
}

/// A capture after the hold needs a refund by itself, and only one <- flexprice#2230; "explicit
/// recoverable conflict path" <- cali.so#83.
#[tokio::test]
async fn money_that_cannot_be_placed_is_refunded_once() -> Result<()> {
    let world = World::new().await?;
    let (held, payment_id) = world.paid().await?;
    for _ in 0..2 {
        let unplaced =
            BookingUnplaced { booking_id: held.id.to_string(), payment_id: payment_id.clone() };
        world.booking.publishes(NewEvent::of(&unplaced)?, None).await?;
    }
    world.until(held, "RefundProcessed").await?;
    world.until_number("select position from checkpoints where source = 'booking'", 2).await?;
    assert_eq!(world.count(held, "RefundRequested").await?, 1);
    assert_eq!(world.provider_has("refunds").await?.len(), 1);
    Ok(())
}

/// A booking was cancelled although the payment went through, its webhook being three days late <-
/// calcom/cal.diy#18011. Money is found before, and reported to booking in every state of the
/// booking.
#[tokio::test]
async fn a_payment_counts_with_a_webhook_three_days_late() -> Result<()> {
    let (world, held, order) = ordered().await?;
    world.move_clock(60 * HOUR).await?;
    let asked = "select count(*) from timers where kind = 'poll-order' and due_at > clock_now()";
    world.until_number(asked, 1).await?;
    world.pay(&order, json!({})).await?;
    world.move_clock(67 * HOUR).await?;
    world.until(held, "PaymentVerified").await?;
    let payments = world.provider_has("payments").await?;
    let mut late = payments[0].clone();
    late["entity"] = json!("payment");
    send(&world, event("payment.captured", &[("payment", late)], 1)).await?;
    world.until_quiet().await?;
    assert_eq!(world.count(held, "PaymentVerified").await?, 1);
    Ok(())
}

/// A repeat with the same key was answered with a failed order and 201 <- InsForge#1490.
#[tokio::test]
async fn a_repeat_is_answered_with_the_current_state() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    world.fault(json!({ "target": "orders", "kind": "status", "status": 500, "times": 0 })).await?;
    for _ in 0..2 {
        let answer = world.try_start(held).await?;
        assert_refused(answer, Code::Unavailable, "PROVIDER_UNAVAILABLE");
    }
    world.clear_faults().await?;
    // The same key, and now there is an order.
    let order = world.start(held).await?.order_id;
    world.pay(&order, json!({})).await?;
    assert_eq!(world.check(held).await??, CollectionState::Paid);
    assert_eq!(world.start(held).await?.state(), CollectionState::Paid);
    Ok(())
}

/// Polling stopped after 26 minutes, and a pending attempt without an id of the provider was marked
/// as failed <- hyperswitch, `workflows/payment_sync.rs`.
#[tokio::test]
async fn polling_does_not_end_after_twenty_six_minutes() -> Result<()> {
    let (world, held, order) = ordered().await?;
    world.move_clock(27 * 60).await?;
    let goes_on = "select count(*) from timers where kind = 'poll-order' and due_at > clock_now()";
    world.until_number(goes_on, 1).await?;
    assert_eq!(world.number(POLLING).await?, 1);
    let unknown = world.held().await?;
    world.fault(json!({ "target": "orders", "kind": "drop", "times": 2 })).await?;
    assert!(world.try_start(unknown).await?.is_err());
    world.move_clock(50 * 60).await?;
    // The late poll has fired, and has set the next one.
    world.until_number(goes_on, 1).await?;
    world.until_quiet().await?;
    assert_eq!(world.names(held).await?, ["CollectionOpened", "OrderCreated"]);
    assert_eq!(world.names(unknown).await?, ["CollectionOpened"], "it is neither failed nor over");
    world.pay(&order, json!({})).await?;
    world.move_clock(75 * 60).await?;
    world.until(held, "PaymentVerified").await?;
    world.until_number(POLLING, 0).await?;
    world.until_quiet().await?;
    assert_eq!(world.count(held, "PaymentFailed").await?, 0);
    assert_eq!(world.names(unknown).await?, ["CollectionOpened"], "and so it stays");
    Ok(())
}
