//! Disputes: reported to the practice with their deadline, joined in any order, and posted when
//! they are lost. Refunds by us wait for their end.

use std::collections::BTreeMap;

use anyhow::{Context as _, Result};
use contract::booking::v1::{BookingCancelled, CancelledBy};
use contract::payments::v1::{
    RefundPaymentRequest, RefundPaymentResponse, ReleaseRefundRequest, ReleaseRefundResponse,
};
use kernel::Money;
use payments::app::reconciliation_exceptions::{Reason, list};
use payments::domain::fact::PaymentId;
use serde_json::{Value, json};
use testkit::Alarms;
use tonic::{Code, Response, Status};

use crate::ledger::{
    assert_left, build_app, confirmed, follows, left, night, ordered, settle, text,
};
use crate::receipts::{happens, until_taken_in};
use crate::signed_webhooks::tell_dispute;
use crate::world::{Held, PRICE, World, assert_refused};

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
        // The bank gave the client what was owed to them, so it is neither a loss nor a debt.
        assert_eq!((sums.get("dispute_loss"), sums.get("provider_clearing")), (None, None));
        assert_eq!(sums.get("customer_advance"), None);
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
    world.move_clock(DAY + 60).await?;
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
    assert_eq!(failed.payload.get("final"), Some(&json!(true)));
    assert_eq!(failed.payload.pointer("/givenByBank/minorUnits"), Some(&json!(PRICE.to_string())));
    let sums = left(&world).await?;
    assert_eq!((sums.get("dispute_loss"), sums.get("customer_advance")), (None, None));
    assert_eq!(reasons(&world).await?, [Reason::DisputeLost], "no refund is still to be made");
    // Staff cannot give it once more.
    assert_refused(refund(&world, held).await, Code::FailedPrecondition, "NOTHING_TO_REFUND");
    follows(&world, held).await
}

/// A refund failed at the provider, and the bank takes the money before it is renewed.
#[tokio::test]
async fn a_refund_that_failed_is_not_owed_once_a_dispute_took_its_money() -> Result<()> {
    let world = World::new().await?;
    let (held, payment) = placed(&world).await?;
    world.fault(json!({ "target": "refunds.process", "kind": "refuse" })).await?;
    cancel(&world, held).await?;
    world.until(held, "RefundFailed").await?;
    let id = dispute(&world, &payment, json!({})).await?;
    until_state(&world, "open").await?;
    goes_on(&world, &id, "lost").await?;
    until_state(&world, "lost").await?;
    let events = world.events(held).await?;
    let told = events.iter().rfind(|it| it.event_type.ends_with(".RefundFailed"));
    let told = told.context("it is told")?;
    assert_eq!(told.payload.get("final"), Some(&json!(true)));
    assert_eq!(told.payload.pointer("/givenByBank/minorUnits"), Some(&json!(PRICE.to_string())));
    world.move_clock(3_700).await?;
    world.until_number("select count(*) from timers where kind = 'renew-refund'", 0).await?;
    assert_eq!(world.provider_has("refunds").await?.len(), 1, "it is not renewed");
    assert_eq!(left(&world).await?, BTreeMap::new(), "all of it is with the client");
    assert_eq!(reasons(&world).await?, [Reason::DisputeLost]);
    assert_refused(refund(&world, held).await, Code::FailedPrecondition, "NOTHING_TO_REFUND");
    follows(&world, held).await
}

async fn refund(world: &World, held: Held) -> Result<RefundPaymentResponse, Status> {
    let owner = world.employ("owner");
    let asked = RefundPaymentRequest {
        booking_id: held.id.to_string(),
        idempotency_key: "given-twice-0001".to_owned(),
        amount: None,
    };
    let asked = world.request(owner, asked).map_err(|error| Status::internal(error.to_string()))?;
    world.staff.clone().refund_payment(asked).await.map(Response::into_inner)
}

#[tokio::test]
async fn a_dispute_about_a_part_takes_a_part() -> Result<()> {
    const PART: i64 = 20_000;
    let world = World::new().await?;
    let (held, payment) = placed(&world).await?;
    let id = dispute(&world, &payment, json!({ "amount": PART })).await?;
    until_state(&world, "open").await?;
    cancel(&world, held).await?;
    // Only that part waits.
    world.until(held, "RefundProcessed").await?;
    world.until_number("select count(*) from refunds where held", 1).await?;
    goes_on(&world, &id, "lost").await?;
    let failed = world.until(held, "RefundFailed").await?;
    assert_eq!(failed.payload.pointer("/givenByBank/minorUnits"), Some(&json!(PART.to_string())));
    world.until_quiet().await?;
    let refunds = world.provider_has("refunds").await?;
    let amounts: Vec<_> = refunds.iter().map(|it| it.get("amount").cloned()).collect();
    assert_eq!(amounts, [Some(json!(PRICE - PART))]);
    assert_eq!(left(&world).await?, BTreeMap::new(), "all of it is with the client");
    assert_eq!(reasons(&world).await?, [Reason::DisputeLost]);
    let state = "select count(*) from collections where state = 'refunded'";
    assert_eq!(world.number(state).await?, 1);
    follows(&world, held).await
}

/// In the other order: the provider has not taken the refund yet when the dispute begins.
#[tokio::test]
async fn a_dispute_about_a_part_divides_a_refund_that_was_refused_for_now() -> Result<()> {
    const PART: i64 = 20_000;
    let world = World::new().await?;
    let (held, payment) = placed(&world).await?;
    world.fault(json!({ "target": "account.balance", "kind": "refuse" })).await?;
    cancel(&world, held).await?;
    world.until_refused_for_now(1).await?;
    let id = dispute(&world, &payment, json!({ "amount": PART })).await?;
    until_state(&world, "open").await?;
    world.move_clock(3_700).await?;
    world.until(held, "RefundProcessed").await?;
    world.until_number("select count(*) from refunds where held", 1).await?;
    assert_eq!(reasons(&world).await?, [Reason::DisputeOpen, Reason::RefundHeld]);
    goes_on(&world, &id, "won").await?;
    world.until_number("select count(*) from refunds where state = 'processed'", 2).await?;
    let refunds = world.provider_has("refunds").await?;
    let mut amounts: Vec<_> =
        refunds.iter().filter_map(|it| it.get("amount").and_then(Value::as_i64)).collect();
    amounts.sort_unstable();
    assert_eq!(amounts, [PART, PRICE - PART]);
    assert_eq!(reasons(&world).await?, []);
    follows(&world, held).await
}

#[tokio::test]
async fn a_refund_that_fits_beside_an_open_dispute_does_not_wait() -> Result<()> {
    const PART: i64 = 20_000;
    let world = World::new().await?;
    let (held, payment) = placed(&world).await?;
    dispute(&world, &payment, json!({ "amount": PART })).await?;
    until_state(&world, "open").await?;
    let cancelled = BookingCancelled {
        booking_id: held.id.to_string(),
        cancelled_by: CancelledBy::Customer.into(),
        refund: Some(Money::inr(PRICE - PART).into()),
        ..BookingCancelled::default()
    };
    happens(&world, cancelled).await?;
    world.until(held, "RefundProcessed").await?;
    assert_eq!(reasons(&world).await?, [Reason::DisputeOpen]);
    follows(&world, held).await
}

#[tokio::test]
async fn staff_let_a_held_refund_go() -> Result<()> {
    let world = World::new().await?;
    let (held, payment) = placed(&world).await?;
    let owner = world.employ("owner");
    let asked = || ReleaseRefundRequest { booking_id: held.id.to_string() };
    let mut staff = world.staff.clone();
    let early = staff.release_refund(world.request(owner, asked())?).await;
    assert_refused(early, Code::FailedPrecondition, "REFUND_NOT_HELD");
    dispute(&world, &payment, json!({ "phase": "retrieval" })).await?;
    until_state(&world, "open").await?;
    cancel(&world, held).await?;
    world.until_number("select count(*) from refunds where held", 1).await?;
    assert_refused(refund(&world, held).await, Code::FailedPrecondition, "NOTHING_TO_REFUND");
    let released = staff.release_refund(world.request(owner, asked())?).await?.into_inner();
    assert_eq!((released.refund_ids.len(), minor(&released)), (1, PRICE));
    world.until(held, "RefundProcessed").await?;
    assert_eq!(world.provider_has("refunds").await?.len(), 1, "one refund, not a second one");
    let audited = "select count(*) from audit_log where action = 'ReleaseRefund'";
    assert_eq!(world.number(audited).await?, 2);
    follows(&world, held).await
}

/// The bank has its money before the end of the dispute: giving it back too would pay it twice.
#[tokio::test]
async fn a_refund_whose_money_was_deducted_waits_for_the_bank() -> Result<()> {
    let world = World::new().await?;
    let (held, payment) = placed(&world).await?;
    let dispute = ("disp_AAAAAAAAAAAAAA", payment.as_str());
    // The provider calls nothing deducted until it is lost.
    tell_dispute(&world, dispute, ("open", 0), 100).await?;
    until_state(&world, "open").await?;
    let refused = refund(&world, held).await;
    assert_refused(refused, Code::FailedPrecondition, "REFUND_DEDUCTED");
    cancel(&world, held).await?;
    world.until_number("select count(*) from refunds where held", 1).await?;
    let asked = ReleaseRefundRequest { booking_id: held.id.to_string() };
    let request = world.request(world.employ("owner"), asked)?;
    let refused = world.staff.clone().release_refund(request).await;
    assert_refused(refused, Code::FailedPrecondition, "REFUND_DEDUCTED");
    assert_eq!(world.number("select count(*) from refunds where held").await?, 1);
    tell_dispute(&world, dispute, ("won", 0), 200).await?;
    world.until(held, "RefundProcessed").await?;
    follows(&world, held).await
}

fn minor(released: &ReleaseRefundResponse) -> i64 {
    released.amount.as_ref().map_or(0, |amount| amount.minor_units)
}

#[tokio::test]
async fn what_an_older_release_wrote_of_a_dispute_is_counted_at_the_start() -> Result<()> {
    let world = World::new().await?;
    let (held, payment) = placed(&world).await?;
    dispute(&world, &payment, json!({})).await?;
    until_state(&world, "open").await?;
    cancel(&world, held).await?;
    world.until_number("select count(*) from refunds where held", 1).await?;
    // The rows as a release wrote them that knew neither column.
    let before = "update refunds set held = false; update disputes set counted = false";
    world.database.as_owner(before).await?;
    assert!(reasons(&world).await?.contains(&Reason::RefundNotTaken));
    payments::app::count_disputes::count_disputes(&world.store).await?;
    assert_eq!(reasons(&world).await?, [Reason::DisputeOpen, Reason::RefundHeld]);
    assert_eq!(world.number("select count(*) from disputes where not counted").await?, 0);
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
    let dispute = ("disp_AAAAAAAAAAAAAA", payment.as_str());
    for (number, state) in ["lost", "under_review", "open", "lost"].into_iter().enumerate() {
        let deducted = if state == "lost" { PRICE } else { 0 };
        tell_dispute(&world, dispute, (state, deducted), 100 + i64::try_from(number)?).await?;
        // Webhooks are folded side by side; the first has to be known before the others.
        world.until_quiet().await?;
    }
    tell_dispute(&world, ("disp_BBBBBBBBBBBBBB", "pay_ZZZZZZZZZZZZZZ"), ("open", 0), 200).await?;
    world.until_quiet().await?;
    assert_eq!(
        world.number("select count(*) from webhook_inbox where folded_at is null").await?,
        0
    );
    assert_eq!(world.count(held, "DisputeObserved").await?, 1);
    assert_eq!(world.number("select count(*) from disputes").await?, 1);
    assert_eq!(left(&world).await?, BTreeMap::new());
    follows(&world, held).await
}

/// All webhooks of the payment are lost, and it is not asked for before its bank disputes it.
#[tokio::test]
async fn a_dispute_can_be_the_first_news_of_a_payment() -> Result<()> {
    let world = World::new().await?;
    let (held, order) = ordered(&world).await?;
    world.database.as_owner("delete from timers where kind = 'poll-order'").await?;
    for event in ["payment.authorized", "payment.captured", "order.paid"] {
        let lost = json!({ "target": format!("webhook.{event}"), "kind": "drop", "times": 0 });
        world.fault(lost).await?;
    }
    let paid = world.pay(&order, json!({ "amount": 12_300 })).await?;
    let id = dispute(&world, text(&paid, "payment_id")?, json!({})).await?;
    until_state(&world, "open").await?;
    world.until(held, "PaymentMismatched").await?;
    goes_on(&world, &id, "lost").await?;
    until_state(&world, "lost").await?;
    world.until_quiet().await?;
    assert_eq!(world.number("select count(*) from unowned_disputes").await?, 0);
    assert_eq!(left(&world).await?, BTreeMap::new(), "the bank took all of it, once");
    follows(&world, held).await
}

/// So much of a payment of an unknown owner is there.
async fn assert_unowned(world: &World, minor: i64) -> Result<()> {
    let sums = [("provider_clearing".to_owned(), minor), ("suspense".to_owned(), -minor)];
    assert_eq!(left(world).await?, BTreeMap::from(sums));
    Ok(())
}

/// Another business of the account, or a record that was lost: the money stands in suspense, and
/// what the bank takes of it leaves there.
#[tokio::test]
async fn what_a_dispute_takes_of_unknown_money_leaves_suspense() -> Result<()> {
    for world in [World::without_webhooks().await?, World::new().await?] {
        let paid = world.tell("/api/pay", &json!({ "amount": 12_300 })).await?;
        night(&world).await?;
        assert_unowned(&world, 12_300).await?;
        let id = dispute(&world, text(&paid, "payment_id")?, json!({ "amount": 5_000 })).await?;
        goes_on(&world, &id, "lost").await?;
        let other = dispute(&world, text(&paid, "payment_id")?, json!({ "amount": 7_300 })).await?;
        for _ in 0..2 {
            night(&world).await?;
            world.until_quiet().await?;
            assert_unowned(&world, 7_300).await?;
            assert_eq!(reasons(&world).await?, [Reason::PaymentUnknown]);
        }
        goes_on(&world, &other, "lost").await?;
        night(&world).await?;
        world.until_quiet().await?;
        assert_eq!(left(&world).await?, BTreeMap::new(), "nothing of it is there");
        assert_eq!(reasons(&world).await?, []);
    }
    Ok(())
}

#[tokio::test]
async fn a_payment_that_is_identified_brings_its_disputes_along() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, order) = ordered(&world).await?;
    // As after the loss of a part of the book: neither the order nor its receipt is known.
    let lost = "update collections
                set order_id = null, ordered_at = null, collection_id = gen_random_uuid()";
    world.database.as_owner(lost).await?;
    world.database.as_owner("delete from timers where kind = 'poll-order'").await?;
    let paid = world.pay(&order, json!({})).await?;
    night(&world).await?;
    let id = dispute(&world, text(&paid, "payment_id")?, json!({})).await?;
    goes_on(&world, &id, "lost").await?;
    night(&world).await?;
    assert_eq!(left(&world).await?, BTreeMap::new(), "the bank took all of it");
    let known = format!("update collections set order_id = '{order}', ordered_at = clock_now()");
    world.database.as_owner(&known).await?;
    let app = build_app(&world)?;
    let payment = PaymentId::parse(text(&paid, "payment_id")?).context("an id")?;
    payments::app::import_payment::import_payment(&app, &payment).await?;
    assert_eq!(world.count(held, "DisputeObserved").await?, 1);
    assert_eq!(world.number("select count(*) from disputes where state = 'lost'").await?, 1);
    assert_eq!(left(&world).await?, BTreeMap::new(), "it went once, and is owed to nobody");
    assert_refused(refund(&world, held).await, Code::FailedPrecondition, "NOTHING_TO_REFUND");
    Ok(())
}
