//! Disputes: reported to the practice with their deadline, joined in any order, and posted when
//! they are lost. Refunds by us wait for their end.

use anyhow::Result;
use contract::booking::v1::{BookingCancelled, CancelledBy};
use kernel::Money;
use payments::app::reconciliation_exceptions::{Reason, list};
use serde_json::{Value, json};
use testkit::Alarms;

use crate::ledger::{assert_left, build_app, confirmed, follows, left, night, settle, text};
use crate::receipts::{happens, until_taken_in};
use crate::signed_webhooks::{event, send};
use crate::world::{Held, PRICE, World};

const DAY: i64 = 24 * 3600;

/// A booking that is paid and stands, as payments knows.
async fn placed(world: &World) -> Result<(Held, String)> {
    let placed = confirmed(world).await?;
    until_taken_in(world).await?;
    Ok(placed)
}

async fn dispute(world: &World, payment: &str, more: Value) -> Result<String> {
    let mut body = json!({ "payment_id": payment });
    if let (Some(fields), Value::Object(more)) = (body.as_object_mut(), more) {
        fields.extend(more);
    }
    let begun = world.tell("/api/dispute", &body).await?;
    Ok(text(&begun, "id")?.to_owned())
}

async fn goes_on(world: &World, dispute: &str, state: &str) -> Result<()> {
    let body = json!({ "dispute_id": dispute, "state": state });
    world.tell("/api/dispute-state", &body).await.map(drop)
}

async fn until_state(world: &World, wanted: &str) -> Result<()> {
    testkit::until(&format!("the dispute is {wanted}"), async || {
        let state: Option<String> = sqlx::query_scalar("select state from disputes")
            .fetch_optional(world.store.pool())
            .await?;
        Ok((state.as_deref() == Some(wanted)).then_some(()))
    })
    .await
}

async fn reasons(world: &World) -> Result<Vec<Reason>> {
    Ok(list(&build_app(world)?, true).await?.iter().map(|row| row.reason).collect())
}

async fn cancel(world: &World, held: Held) -> Result<()> {
    let cancelled = BookingCancelled {
        booking_id: held.id.to_string(),
        cancelled_by: CancelledBy::Customer.into(),
        refund: Some(Money::inr(PRICE).into()),
        ..BookingCancelled::default()
    };
    happens(world, cancelled).await
}

#[tokio::test]
async fn a_dispute_is_a_task_with_its_day_until_it_is_answered() -> Result<()> {
    let alarms = Alarms::listen();
    let world = World::new().await?;
    let (held, payment) = placed(&world).await?;
    let id = dispute(&world, &payment, json!({ "days": 3 })).await?;
    until_state(&world, "open").await?;
    let rows = list(&build_app(&world)?, true).await?;
    let row = rows.iter().find(|row| row.reason == Reason::DisputeOpen);
    let told = row.map(|row| (row.booking_id, row.payment_id.as_deref(), row.respond_by));
    let day = world.until(held, "DisputeObserved").await?;
    let day = day.payload.pointer("/respondByAt").cloned();
    let respond_by = told.and_then(|(_, _, respond_by)| respond_by);
    assert_eq!(told.map(|it| (it.0, it.1)), Some((Some(held.id), Some(payment.as_str()))));
    assert_eq!(respond_by.map(|at| json!(at.to_string())), day);
    assert_eq!(alarms.count("a payment is disputed"), 1);
    goes_on(&world, &id, "under_review").await?;
    until_state(&world, "under_review").await?;
    assert_eq!(reasons(&world).await?, []);
    goes_on(&world, &id, "action_required").await?;
    until_state(&world, "action_required").await?;
    assert_eq!(reasons(&world).await?, [Reason::DisputeOpen]);
    goes_on(&world, &id, "won").await?;
    until_state(&world, "won").await?;
    assert_eq!(reasons(&world).await?, []);
    world.until_quiet().await?;
    assert_left(&world, [("provider_clearing", PRICE), ("customer_advance", -PRICE)]).await?;
    follows(&world, held).await
}

#[tokio::test]
async fn what_is_lost_is_in_the_books_and_in_the_settlement() -> Result<()> {
    for at_onset in [false, true] {
        let world = World::new().await?;
        let (held, payment) = placed(&world).await?;
        let id = dispute(&world, &payment, json!({ "at_onset": at_onset })).await?;
        until_state(&world, "open").await?;
        settle(&world).await?;
        goes_on(&world, &id, "lost").await?;
        until_state(&world, "lost").await?;
        settle(&world).await?;
        world.until_quiet().await?;
        let sums = left(&world).await?;
        assert_eq!((sums["dispute_loss"], sums.get("provider_clearing")), (PRICE, None));
        assert_eq!(sums.get("suspense"), None, "every line is joined");
        assert_eq!(reasons(&world).await?, [Reason::DisputeLost]);
        follows(&world, held).await?;
    }
    Ok(())
}

#[tokio::test]
async fn what_was_taken_at_the_beginning_comes_back_when_it_is_won() -> Result<()> {
    let world = World::new().await?;
    let (held, payment) = placed(&world).await?;
    let id = dispute(&world, &payment, json!({ "at_onset": true })).await?;
    until_state(&world, "open").await?;
    settle(&world).await?;
    let waits = left(&world).await?;
    assert_eq!(waits["provider_clearing"], PRICE, "the provider holds it");
    goes_on(&world, &id, "won").await?;
    until_state(&world, "won").await?;
    settle(&world).await?;
    let sums = left(&world).await?;
    assert_eq!((sums.get("provider_clearing"), sums.get("dispute_loss")), (None, None));
    assert_eq!(reasons(&world).await?, []);
    follows(&world, held).await
}

#[tokio::test]
async fn a_refund_by_us_waits_for_the_end_of_a_dispute() -> Result<()> {
    let world = World::new().await?;
    let (held, payment) = placed(&world).await?;
    let id = dispute(&world, &payment, json!({})).await?;
    until_state(&world, "open").await?;
    cancel(&world, held).await?;
    world.until(held, "RefundRequested").await?;
    let waits = "select count(*) from timers
                 where kind = 'refund' and due_at > clock_now() + interval '1 hour'";
    world.until_number(waits, 1).await?;
    assert!(world.provider_has("refunds").await?.is_empty());
    assert_eq!(reasons(&world).await?, [Reason::DisputeOpen, Reason::RefundHeld]);
    // A day later it is checked again, and still waits.
    world.database.move_clock(DAY + 60).await?;
    world
        .until_number("select count(*) from timers where kind = 'refund' and attempts > 0", 0)
        .await?;
    world.until_number(waits, 1).await?;
    assert!(world.provider_has("refunds").await?.is_empty());
    goes_on(&world, &id, "won").await?;
    world.until(held, "RefundProcessed").await?;
    assert_eq!(reasons(&world).await?, []);
    follows(&world, held).await
}

#[tokio::test]
async fn money_that_a_dispute_took_does_not_go_back_once_more() -> Result<()> {
    let world = World::new().await?;
    let (held, payment) = placed(&world).await?;
    let id = dispute(&world, &payment, json!({})).await?;
    until_state(&world, "open").await?;
    cancel(&world, held).await?;
    world.until(held, "RefundRequested").await?;
    goes_on(&world, &id, "lost").await?;
    let failed = world.until(held, "RefundFailed").await?;
    assert_eq!(failed.payload.get("reason"), Some(&json!("lost_to_a_dispute")));
    world.until_quiet().await?;
    assert!(world.provider_has("refunds").await?.is_empty());
    assert_eq!(left(&world).await?["dispute_loss"], PRICE);
    follows(&world, held).await
}

#[tokio::test]
async fn a_dispute_without_a_webhook_is_found_at_night() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, payment) = placed(&world).await?;
    let id = dispute(&world, &payment, json!({})).await?;
    night(&world).await?;
    until_state(&world, "open").await?;
    goes_on(&world, &id, "lost").await?;
    for _ in 0..2 {
        night(&world).await?;
    }
    until_state(&world, "lost").await?;
    assert_eq!(world.count(held, "DisputeObserved").await?, 2);
    follows(&world, held).await
}

#[tokio::test]
async fn a_dispute_only_goes_forward_and_one_of_others_is_passed_over() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, payment) = placed(&world).await?;
    let told = async |id: &str, payment: &str, state: &str, number: i64| {
        let entity = json!({
            "id": id, "entity": "dispute", "payment_id": payment, "amount": PRICE,
            "currency": "INR", "amount_deducted": if state == "lost" { PRICE } else { 0 },
            "respond_by": 1_900_000_000, "status": state, "phase": "chargeback",
            "reason_code": "fraud",
        });
        let kind = format!("payment.dispute.{state}");
        send(&world, event(&kind, &[("dispute", entity)], number)).await
    };
    let id = "disp_AAAAAAAAAAAAAA";
    for (number, state) in ["lost", "under_review", "open", "lost"].into_iter().enumerate() {
        told(id, &payment, state, 100 + i64::try_from(number)?).await?;
        // Webhooks are folded side by side; the first has to be known before the others.
        world.until_quiet().await?;
    }
    told("disp_BBBBBBBBBBBBBB", "pay_ZZZZZZZZZZZZZZ", "open", 200).await?;
    world.until_quiet().await?;
    assert_eq!(
        world.number("select count(*) from webhook_inbox where folded_at is null").await?,
        0
    );
    assert_eq!(world.count(held, "DisputeObserved").await?, 1);
    assert_eq!(world.number("select count(*) from disputes").await?, 1);
    assert_eq!(left(&world).await?["dispute_loss"], PRICE);
    follows(&world, held).await
}
