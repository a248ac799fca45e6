//! Reconciliation exceptions are listed with their reason, and leave the list once they are
//! resolved.

use std::sync::Arc;

use anyhow::Result;
use contract::booking::v1::BookingExpired;
use contract::payments::v1::CollectionState;
use eventstore::NewEvent;
use payments::app::fold_webhook::fold_webhook;
use payments::app::reconciliation_exceptions::{list, report_overdue};
use serde_json::{Value, json};
use testkit::Alarms;

use crate::ledger::{
    announce, build_app, confirm, confirmed, night, ordered, settle, text, unplace,
};
use crate::signed_webhooks::{PAYMENT, event, send};
use crate::world::{PRICE, World};

const HOUR: i64 = 3600;
const DAY: i64 = 24 * HOUR;

/// The reasons in the list, young ones too, by the alphabet.
async fn reasons(world: &World) -> Result<Vec<&'static str>> {
    let rows = list(&build_app(world)?, true).await?;
    for row in &rows {
        assert!(row.explanation.ends_with('.'), "{row:?}");
    }
    let mut words: Vec<_> = rows.iter().map(|row| row.reason.word()).collect();
    words.sort_unstable();
    Ok(words)
}

/// What is open by the triggers is what is open by the ledger, row for row.
pub(crate) async fn open_balances_follow(world: &World) -> Result<()> {
    let apart = "with summed as (
            select e.payment_id, l.account, l.amount_currency,
                   sum(l.amount_minor)::bigint as amount_minor,
                   coalesce(sum(l.amount_minor) filter (where e.kind = 'settled'), 0)::bigint
                       as settled_minor
            from ledger_entries e join ledger_lines l using (entry_id)
            where e.payment_id is not null and l.account in
                ('provider_clearing', 'refunds_payable', 'customer_advance', 'suspense')
            group by e.payment_id, l.account, l.amount_currency),
         wanted as (select * from summed where amount_minor <> 0 or settled_minor <> 0),
         kept as (select payment_id, account, amount_currency, amount_minor, settled_minor
                  from open_balances)
         select count(*) from ((table wanted except table kept) union all
                               (table kept except table wanted)) as apart";
    assert_eq!(world.number(apart).await?, 0, "open_balances are the ledger's");
    Ok(())
}

async fn until_reasons(world: &World, wanted: &[&str]) -> Result<()> {
    let asked = async || Ok((reasons(world).await? == wanted).then_some(()));
    let waited = testkit::until("the reasons are these", asked).await;
    assert!(waited.is_ok(), "{:?} and not {wanted:?}", reasons(world).await?);
    open_balances_follow(world).await
}

#[tokio::test]
async fn money_without_a_booking_is_listed_after_a_day() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, order) = ordered(&world).await?;
    assert_eq!(reasons(&world).await?, [""; 0]);
    let paid = world.pay(&order, json!({})).await?;
    assert_eq!(world.check(held).await??, CollectionState::Paid);
    until_reasons(&world, &["CAPTURED_NOT_PLACED"]).await?;
    let app = build_app(&world)?;
    let row = list(&app, true).await?.remove(0);
    assert_eq!(row.booking_id, Some(held.id));
    assert_eq!(row.order_id.as_deref(), Some(order.as_str()));
    assert_eq!(row.payment_id.as_deref(), Some(text(&paid, "payment_id")?));
    assert_eq!(
        row.amount.map(|amount| (amount.minor, amount.currency)),
        Some((PRICE, "INR".to_owned()))
    );
    assert_eq!(list(&app, false).await?, [], "it is young");
    assert_eq!(report_overdue(&app).await?, 0);
    world.move_clock(DAY + 60).await?;
    assert_eq!(list(&app, false).await?.len(), 1);
    assert_eq!(report_overdue(&app).await?, 1);
    confirm(&world, held, text(&paid, "payment_id")?).await?;
    until_reasons(&world, &[]).await?;
    assert_eq!(report_overdue(&app).await?, 0);
    Ok(())
}

#[tokio::test]
async fn money_of_an_expired_booking_is_listed_until_it_is_refunded() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, payment) = confirmed(&world).await?;
    until_reasons(&world, &[]).await?;
    let booking_id = held.id.to_string();
    world.booking.publishes(NewEvent::of(&BookingExpired { booking_id })?, None).await?;
    until_reasons(&world, &["CAPTURED_NOT_PLACED"]).await?;
    unplace(&world, held, &payment).await?;
    world.until(held, "RefundProcessed").await?;
    until_reasons(&world, &[]).await
}

#[tokio::test]
async fn a_booking_confirmed_on_a_claim_is_listed_until_its_money_is_verified() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, order) = ordered(&world).await?;
    world.claim(held).await??;
    confirm(&world, held, "").await?;
    until_reasons(&world, &["CONFIRMED_WITHOUT_MONEY"]).await?;
    world.pay(&order, json!({})).await?;
    assert_eq!(world.check(held).await??, CollectionState::Paid);
    until_reasons(&world, &[]).await
}

#[tokio::test]
async fn mismatched_money_is_listed_until_it_is_refunded() -> Result<()> {
    let world = World::without_webhooks().await?;
    world.fault(json!({ "target": "refunds.create", "kind": "refuse", "times": 0 })).await?;
    let (held, order) = ordered(&world).await?;
    world.pay(&order, json!({ "amount": PRICE - 100 })).await?;
    assert_eq!(world.check(held).await??, CollectionState::Mismatched);
    until_reasons(&world, &["MISMATCHED", "REFUND_NOT_TAKEN"]).await?;
    world.until_refused_for_now(1).await?;
    world.clear_faults().await?;
    world.move_clock(HOUR + 60).await?;
    world.until(held, "RefundProcessed").await?;
    until_reasons(&world, &[]).await
}

#[tokio::test]
async fn a_failed_refund_is_listed_until_the_money_is_refunded() -> Result<()> {
    let world = World::without_webhooks().await?;
    let refuse = json!({ "target": "refunds.create", "kind": "refuse", "code": "PAYMENT_TOO_OLD" });
    world.fault(refuse).await?;
    let (held, payment) = confirmed(&world).await?;
    unplace(&world, held, &payment).await?;
    world.until(held, "RefundFailed").await?;
    until_reasons(&world, &["REFUND_FAILED"]).await?;
    world.tell("/api/refund", &json!({ "payment_id": payment })).await?;
    testkit::until("the refund was found", async || {
        night(&world).await?;
        Ok((reasons(&world).await?.is_empty()).then_some(()))
    })
    .await
}

#[tokio::test]
async fn a_slow_refund_is_listed_until_it_is_processed() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, payment) = confirmed(&world).await?;
    let slow = json!({ "target": "refunds.process", "kind": "delay", "delay_ms": 3_600_000 });
    world.fault(slow).await?;
    unplace(&world, held, &payment).await?;
    world.until(held, "RefundAccepted").await?;
    assert_eq!(reasons(&world).await?, [""; 0]);
    world.move_clock(7 * DAY + 60).await?;
    until_reasons(&world, &["REFUND_PENDING_LONG"]).await
}

#[tokio::test]
async fn externally_refunded_money_is_listed_while_its_booking_stands() -> Result<()> {
    let world = World::new().await?;
    let (held, payment) = confirmed(&world).await?;
    world.tell("/api/refund", &json!({ "payment_id": payment })).await?;
    world.until(held, "RefundProcessed").await?;
    until_reasons(&world, &["REFUNDED_ELSEWHERE"]).await?;
    let booking_id = held.id.to_string();
    world.booking.publishes(NewEvent::of(&BookingExpired { booking_id })?, None).await?;
    until_reasons(&world, &[]).await
}

#[tokio::test]
async fn an_order_with_unknown_outcome_is_listed_until_it_is_known() -> Result<()> {
    let world = World::without_webhooks().await?;
    let drop = |target: &str| json!({ "target": target, "kind": "drop", "times": 0 });
    world.fault(drop("orders.create")).await?;
    let nothing = world.held().await?;
    assert!(world.try_start(nothing).await?.is_err());
    world.clear_faults().await?;
    let lost = json!({ "target": "orders.create", "kind": "timeout_after_success", "delay_ms": 1 });
    world.fault(lost).await?;
    world.fault(drop("orders.fetch.list")).await?;
    let made = world.held().await?;
    assert!(world.try_start(made).await?.is_err());
    world.clear_faults().await?;
    until_reasons(&world, &["ORDER_OUTCOME_UNKNOWN", "ORDER_OUTCOME_UNKNOWN"]).await?;
    night(&world).await?;
    until_reasons(&world, &["ORDER_OUTCOME_UNKNOWN", "ORDER_OUTCOME_UNKNOWN"]).await?;
    world.move_clock(HOUR).await?;
    testkit::until("the orders were looked for", async || {
        night(&world).await?;
        Ok((reasons(&world).await?.is_empty()).then_some(()))
    })
    .await?;
    assert_eq!(world.names(nothing).await?, ["CollectionOpened"]);
    assert_eq!(world.names(made).await?, ["CollectionOpened", "OrderCreated"]);
    Ok(())
}

/// An order at the provider that we did not make.
async fn foreign_order(world: &World, receipt: &str) -> Result<String> {
    let wanted = json!({ "amount": 7_700, "currency": "INR", "receipt": receipt });
    let order: Value = world.tell("/v1/orders", &wanted).await?;
    Ok(text(&order, "id")?.to_owned())
}

#[tokio::test]
async fn sales_of_another_business_of_the_account_are_not_listed() -> Result<()> {
    let world = World::new().await?;
    let (failed, paid) = (foreign_order(&world, "shop-1").await?, foreign_order(&world, "").await?);
    world.pay(&failed, json!({ "outcome": "failed" })).await?;
    world.pay(&paid, json!({})).await?;
    let folded = "select count(*) from webhook_inbox where folded_at is not null";
    world.until_number(folded, 4).await?;
    world.move_clock(HOUR).await?;
    night(&world).await?;
    night(&world).await?;
    assert_eq!(reasons(&world).await?, [""; 0]);
    assert_eq!(world.number("select count(*) from unknown_payments").await?, 1);
    // Its payout fits our books.
    settle(&world).await?;
    assert_eq!(reasons(&world).await?, [""; 0]);
    Ok(())
}

/// An order with a receipt of ours that is not in this database: it may have been restored.
#[tokio::test]
async fn an_unknown_order_is_listed_until_the_provider_is_asked() -> Result<()> {
    let world = World::new().await?;
    let ours = || eventstore::new_id::<kernel::id::Collection>().to_string();
    let failed = foreign_order(&world, &ours()).await?;
    let paid = foreign_order(&world, &ours()).await?;
    world.pay(&failed, json!({ "outcome": "failed" })).await?;
    let payment = world.pay(&paid, json!({})).await?;
    until_reasons(&world, &["ORDER_UNKNOWN", "ORDER_UNKNOWN"]).await?;
    world.move_clock(HOUR).await?;
    night(&world).await?;
    // One of them has no money; the money of the other one is an exception of its own.
    until_reasons(&world, &["PAYMENT_UNKNOWN"]).await?;
    let row = list(&build_app(&world)?, true).await?.remove(0);
    assert_eq!(row.order_id.as_deref(), Some(paid.as_str()));
    world.tell("/api/refund", &json!({ "payment_id": payment["payment_id"] })).await?;
    testkit::until("it went back", async || {
        night(&world).await?;
        Ok((reasons(&world).await?.is_empty()).then_some(()))
    })
    .await
}

#[tokio::test]
async fn money_that_is_not_settled_within_a_week_is_listed() -> Result<()> {
    let world = World::without_webhooks().await?;
    confirmed(&world).await?;
    let (back, payment) = confirmed(&world).await?;
    unplace(&world, back, &payment).await?;
    world.until(back, "RefundProcessed").await?;
    assert_eq!(reasons(&world).await?, [""; 0]);
    world.move_clock(7 * DAY + 60).await?;
    // A refunded payment may be settled or not; it is no exception.
    until_reasons(&world, &["NOT_SETTLED"]).await?;
    world.database.move_clock(0).await?;
    settle(&world).await?;
    world.move_clock(7 * DAY + 60).await?;
    until_reasons(&world, &[]).await
}

#[tokio::test]
async fn an_unpaid_booking_is_no_exception() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, order) = ordered(&world).await?;
    world.pay(&order, json!({ "outcome": "failed" })).await?;
    assert_eq!(world.check(held).await??, CollectionState::Failed);
    let booking_id = held.id.to_string();
    world.booking.publishes(NewEvent::of(&BookingExpired { booking_id })?, None).await?;
    let other = world.held().await?;
    announce(&world, other).await?;
    world.move_clock(4 * DAY).await?;
    night(&world).await?;
    assert_eq!(reasons(&world).await?, [""; 0]);
    assert_eq!(report_overdue(&build_app(&world)?).await?, 0);
    Ok(())
}

#[tokio::test]
async fn an_unfolded_webhook_is_listed_until_it_is_folded() -> Result<()> {
    let world = World::without_webhooks().await?;
    let gone =
        json!({ "target": "payments.fetch.one", "kind": "status", "status": 404, "times": 0 });
    world.fault(gone).await?;
    let refund = json!({
        "id": "rfnd_AAAAAAAAAAAAAA", "amount": PRICE, "currency": "INR", "status": "processed",
        "payment_id": PAYMENT, "receipt": null, "notes": [],
    });
    send(&world, event("refund.processed", &[("refund", refund)], 1)).await?;
    assert_eq!(reasons(&world).await?, [""; 0]);
    world.move_clock(HOUR + 60).await?;
    until_reasons(&world, &["WEBHOOK_NOT_FOLDED"]).await?;
    let app = Arc::new(build_app(&world)?);
    let event_id: String = sqlx::query_scalar("select event_id from webhook_inbox")
        .fetch_one(world.store.pool())
        .await?;
    let alarms = Alarms::listen();
    for (attempts, told) in [(14, 0), (15, 1), (16, 1), (135, 2)] {
        assert!(fold_webhook(&app, &event_id, attempts).await.is_err());
        assert_eq!(alarms.count("a webhook cannot be folded"), told, "{attempts}");
    }
    world.clear_faults().await?;
    // The provider does not know the payment, so it is not ours either.
    fold_webhook(&app, &event_id, 136).await?;
    until_reasons(&world, &[]).await
}

#[tokio::test]
async fn authorised_money_is_listed_until_it_is_captured() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, order) = ordered(&world).await?;
    // Our own capture, due a minute later, fails at first.
    world.fault(json!({ "target": "payments.capture", "kind": "refuse", "times": 0 })).await?;
    let paid = world.pay(&order, json!({ "outcome": "authorized" })).await?;
    assert_eq!(world.check(held).await??, CollectionState::Pending);
    assert_eq!(reasons(&world).await?, [""; 0]);
    world.move_clock(DAY + 60).await?;
    until_reasons(&world, &["AUTHORIZED_LONG"]).await?;
    world.clear_faults().await?;
    world.move_clock(DAY + 7 * 3_600).await?;
    world.until(held, "PaymentVerified").await?;
    confirm(&world, held, text(&paid, "payment_id")?).await?;
    until_reasons(&world, &[]).await
}

/// The provider sent it back days later, when it was not polled any more, and no webhook came.
#[tokio::test]
async fn an_authorised_payment_that_went_back_is_found_at_night() -> Result<()> {
    let world = World::without_webhooks().await?;
    // Our own capture, due a minute later, would come before the provider's act or after it.
    world.fault(json!({ "target": "payments.capture", "kind": "refuse", "times": 0 })).await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    let paid = world.pay(&order, json!({ "outcome": "authorized" })).await?;
    assert_eq!(world.check(held).await??, CollectionState::Pending);
    world.database.as_owner("delete from timers where kind = 'poll-order'").await?;
    world.move_clock(6 * 24 * 3600).await?;
    assert_eq!(reasons(&world).await?, ["AUTHORIZED_LONG"]);
    world.tell("/api/give-back", &json!({ "payment_id": paid["payment_id"] })).await?;
    night(&world).await?;
    until_reasons(&world, &[]).await
}
