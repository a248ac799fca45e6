//! Settlements, matched line by line: each line once, however often it is reported.

use anyhow::{Context as _, Result};
use kernel::Timestamp;
use payments::app::reconciliation_exceptions::{Reason, ReconciliationException, list};
use payments::app::settle_day::{PageCursor, settle_days, settle_page};
use serde_json::{Value, json};

use crate::ledger::{
    FEE, agrees, assert_left, build_app, complete, confirmed, left, night, settle, text,
};
use crate::world::{PRICE, World};

const ENTRIES: &str = "select count(*) from ledger_entries";

/// Reads the last days' report again.
async fn read_again(world: &World) -> Result<()> {
    settle_days(&build_app(world)?, world.store.now().await?).await?;
    Ok(())
}

async fn breaks(world: &World) -> Result<Vec<ReconciliationException>> {
    let mut rows = list(&build_app(world)?, true).await?;
    rows.retain(|row| row.reason == Reason::SettlementBreak);
    Ok(rows)
}

/// Alters a line of a report.
async fn forge(world: &World, line: &Value, more: Value) -> Result<()> {
    let mut body =
        json!({ "settlement_id": line["settlement_id"], "entity_id": line["entity_id"] });
    let fields = body.as_object_mut().context("an object")?;
    fields.extend(more.as_object().context("an object")?.clone());
    world.tell("/api/settlement-line", &body).await.map(drop)
}

#[tokio::test]
async fn a_report_that_is_read_again_posts_nothing_again() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, _payment) = confirmed(&world).await?;
    confirmed(&world).await?;
    complete(&world, held).await?;
    world.until(held, "PaymentEarned").await?;
    world.tell("/api/settle", &json!({})).await?;
    let (one, other) = tokio::join!(read_again(&world), read_again(&world));
    one.and(other)?;
    agrees(&world).await?;
    let before = (world.number(ENTRIES).await?, left(&world).await?);
    for _ in 0..3 {
        read_again(&world).await?;
    }
    assert_eq!((world.number(ENTRIES).await?, left(&world).await?), before);
    assert_eq!(breaks(&world).await?, []);
    assert_eq!(world.number("select count(*) from settlement_lines").await?, 2);
    let sum = "select amount_minor from settlements where broken is null";
    assert_eq!(world.number(sum).await?, 2 * (PRICE - FEE));
    Ok(())
}

/// The fee was taken from credits that the practice had bought before.
#[tokio::test]
async fn a_payout_whose_fees_credits_have_paid_is_whole_and_no_break() -> Result<()> {
    let world = World::without_webhooks().await?;
    confirmed(&world).await?;
    world.tell("/api/switches", &json!({ "fee_credits": true })).await?;
    let settled = world.tell("/api/settle", &json!({})).await?;
    assert_eq!(settled["lines"][0]["credit_type"], "fee");
    assert_eq!(settled["lines"][0]["fee"], FEE);
    read_again(&world).await?;
    let sums = left(&world).await?;
    assert_eq!(sums["bank"], PRICE);
    assert_eq!((sums.get("gateway_fee"), sums.get("provider_clearing")), (None, None));
    assert_eq!(breaks(&world).await?, []);
    agrees(&world).await
}

#[tokio::test]
async fn a_line_with_a_wrong_amount_is_a_break_until_it_is_put_right() -> Result<()> {
    let world = World::without_webhooks().await?;
    confirmed(&world).await?;
    let settled = world.tell("/api/settle", &json!({})).await?;
    let line = &settled["lines"][0];
    let forged = PRICE + 10_000 - FEE;
    forge(&world, line, json!({ "amount": PRICE + 10_000, "credit": forged })).await?;
    read_again(&world).await?;
    read_again(&world).await?;
    let sums = left(&world).await?;
    assert_eq!((sums["bank"], sums["suspense"]), (forged, -forged));
    assert_eq!(sums["provider_clearing"], PRICE, "it is not settled by such a line");
    let rows = breaks(&world).await?;
    let told: Vec<&str> = rows.iter().map(|row| row.explanation.as_str()).collect();
    let wanted = [
        "The provider settled another amount than is in our books.",
        "The lines of this settlement do not add up to what was paid out.",
    ];
    assert_eq!(told, wanted);
    assert_eq!(rows[0].payment_id.as_deref(), line["entity_id"].as_str());
    assert_eq!(rows[0].amount.as_ref().map(|amount| amount.minor), Some(forged));
    assert!(rows[0].booking_id.is_some());

    forge(&world, line, json!({ "amount": PRICE, "credit": PRICE - FEE })).await?;
    read_again(&world).await?;
    read_again(&world).await?;
    assert_eq!(breaks(&world).await?, []);
    assert_eq!(left(&world).await?.get("suspense"), None);
    agrees(&world).await
}

#[tokio::test]
async fn fees_and_taxes_that_do_not_fit_are_breaks() -> Result<()> {
    let world = World::without_webhooks().await?;
    confirmed(&world).await?;
    let settled = world.tell("/api/settle", &json!({})).await?;
    let line = &settled["lines"][0];
    for (wrong, words) in [
        (json!({ "fee": FEE + 1 }), "What was paid out is not the amount less the fee."),
        (json!({ "fee": FEE, "tax": FEE + 1 }), "The tax does not fit the fee."),
        (
            json!({ "tax": 180, "currency": "USD" }),
            "The provider settled in another currency than is in our books.",
        ),
    ] {
        forge(&world, line, wrong).await?;
        read_again(&world).await?;
        assert_eq!(breaks(&world).await?[0].explanation, words);
    }
    forge(&world, line, json!({ "currency": "INR" })).await?;
    read_again(&world).await?;
    assert_eq!(breaks(&world).await?, []);
    agrees(&world).await
}

#[tokio::test]
async fn an_adjustment_is_listed_and_waits_in_suspense() -> Result<()> {
    let world = World::without_webhooks().await?;
    world.tell("/api/adjustment", &json!({ "amount": -700 })).await?;
    settle(&world).await?;
    assert_left(&world, [("bank", -700), ("suspense", 700)]).await?;
    let rows = breaks(&world).await?;
    assert_eq!(rows.len(), 1);
    let told = "The provider added or took money for a reason of its own.";
    assert_eq!(rows[0].explanation, told);
    Ok(())
}

#[tokio::test]
async fn a_line_that_is_missing_is_seen_in_the_sum_and_found_when_it_comes_late() -> Result<()> {
    let world = World::without_webhooks().await?;
    confirmed(&world).await?;
    confirmed(&world).await?;
    let settled = world.tell("/api/settle", &json!({})).await?;
    forge(&world, &settled["lines"][1], json!({ "hidden": true })).await?;
    read_again(&world).await?;
    let rows = breaks(&world).await?;
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].payment_id.as_deref(), settled["settlement"]["id"].as_str());
    assert_eq!(left(&world).await?["provider_clearing"], PRICE);
    forge(&world, &settled["lines"][1], json!({ "hidden": false })).await?;
    read_again(&world).await?;
    assert_eq!(breaks(&world).await?, []);
    agrees(&world).await
}

#[tokio::test]
async fn what_was_settled_already_is_not_settled_again() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (_held, first) = confirmed(&world).await?;
    settle(&world).await?;
    confirmed(&world).await?;
    let again = world.tell("/api/settle", &json!({})).await?;
    forge(&world, &again["lines"][0], json!({ "becomes": first })).await?;
    read_again(&world).await?;
    read_again(&world).await?;
    let told = breaks(&world).await?;
    assert_eq!(told.len(), 1);
    assert_eq!(told[0].explanation, "The provider settled the same thing twice.");
    let sums = left(&world).await?;
    assert_eq!((sums["provider_clearing"], sums["suspense"]), (PRICE, FEE - PRICE));
    Ok(())
}

#[tokio::test]
async fn unreported_payments_are_found_in_the_settlement() -> Result<()> {
    let world = World::without_webhooks().await?;
    // Paid after polling had ended, and refunded externally.
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    world.database.as_owner("delete from timers where kind = 'poll-order'").await?;
    let paid = world.pay(&order, json!({})).await?;
    let part = json!({ "payment_id": paid["payment_id"], "amount": 20_000 });
    world.tell("/api/refund", &part).await?;
    // And money that is none of ours at all, a part of which went back.
    let other = world.tell("/api/pay", &json!({ "amount": 9_900 })).await?;
    let part = json!({ "payment_id": other["payment_id"], "amount": 900 });
    world.tell("/api/refund", &part).await?;
    until_processed(&world, 2).await?;
    settle(&world).await?;
    agrees(&world).await?;
    assert_eq!(world.count(held, "PaymentVerified").await?, 1);
    assert_eq!(world.count(held, "RefundDiscovered").await?, 1);
    let sums = left(&world).await?;
    assert_eq!((sums["customer_advance"], sums["suspense"]), (20_000 - PRICE, -9_000));
    assert_eq!(sums.get("provider_clearing"), None);
    assert_eq!(breaks(&world).await?, []);
    let mut unknown = list(&build_app(&world)?, true).await?;
    unknown.retain(|row| row.reason != Reason::CapturedNotPlaced);
    assert_eq!(unknown.len(), 1);
    assert_eq!(unknown[0].reason, Reason::PaymentUnknown);
    assert_eq!(unknown[0].payment_id.as_deref(), Some(text(&other, "payment_id")?));
    Ok(())
}

async fn until_processed(world: &World, wanted: usize) -> Result<()> {
    testkit::until("refunds are processed", async || {
        let refunds = world.provider_has("refunds").await?;
        let done = refunds.iter().filter(|refund| refund["status"] == "processed").count();
        Ok((done == wanted).then_some(()))
    })
    .await
}

#[tokio::test]
async fn the_providers_list_has_payments_without_webhooks() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    world.database.as_owner("delete from timers where kind = 'poll-order'").await?;
    world.pay(&order, json!({})).await?;
    // More than a page of money that is none of ours.
    for _ in 0..105 {
        world.tell("/api/pay", &json!({ "amount": 100 })).await?;
    }
    world.fault(json!({ "target": "payments.fetch.list", "kind": "status" })).await?;
    for _ in 0..2 {
        night(&world).await?;
    }
    assert_eq!(world.count(held, "PaymentVerified").await?, 1);
    assert_eq!(world.number("select count(*) from unknown_payments").await?, 105);
    agrees(&world).await?;
    assert_left(
        &world,
        [
            ("customer_advance", -PRICE),
            ("provider_clearing", PRICE + 10_500),
            ("suspense", -10_500),
        ],
    )
    .await
}

#[tokio::test]
async fn money_of_an_unknown_order_is_assigned_when_it_is_known() -> Result<()> {
    let world = World::without_webhooks().await?;
    let held = world.held().await?;
    let order = world.start(held).await?.order_id;
    // As after the loss of a part of the book: neither the order nor its receipt is known, and its
    // money is listed.
    let lost = "update collections
                set order_id = null, ordered_at = null, collection_id = gen_random_uuid()";
    world.database.as_owner(lost).await?;
    world.database.as_owner("delete from timers where kind = 'poll-order'").await?;
    let paid = world.pay(&order, json!({})).await?;
    let part = json!({ "payment_id": paid["payment_id"], "amount": 5_000 });
    world.tell("/api/refund", &part).await?;
    until_processed(&world, 1).await?;
    night(&world).await?;
    let rest = PRICE - 5_000;
    assert_left(&world, [("provider_clearing", rest), ("suspense", -rest)]).await?;
    let known = format!("update collections set order_id = '{order}', ordered_at = clock_now()");
    world.database.as_owner(&known).await?;
    night(&world).await?;
    assert_left(&world, [("provider_clearing", rest), ("customer_advance", -rest)]).await?;
    let mut rows = list(&build_app(&world)?, true).await?;
    rows.retain(|row| row.reason == Reason::PaymentUnknown);
    assert_eq!(rows, []);
    Ok(())
}

/// Lets a job of the night fall due now.
async fn due(world: &World, kind: &str) -> Result<()> {
    let sql = format!("update timers set due_at = clock_now() where kind = '{kind}'");
    world.database.as_owner(&sql).await
}

#[tokio::test]
async fn the_jobs_of_the_night_run_by_themselves_and_come_again() -> Result<()> {
    let world = World::without_webhooks().await?;
    let jobs = "select count(*) from timers
                where kind in ('list-payments', 'settle-day', 'tell-unexplained')
                  and due_at > clock_now() and payload - 'before' = '{}'";
    world.until_number(jobs, 3).await?;
    confirmed(&world).await?;
    world.tell("/api/pay", &json!({ "amount": 100 })).await?;
    world.tell("/api/settle", &json!({})).await?;
    world.fault(json!({ "target": "settlements.fetch", "kind": "status" })).await?;
    due(&world, "list-payments").await?;
    world.until_number("select count(*) from unknown_payments", 1).await?;
    due(&world, "settle-day").await?;
    world.until_number("select count(*) from settlements where broken is null", 1).await?;
    due(&world, "tell-unexplained").await?;
    world.until_number(jobs, 3).await?;
    agrees(&world).await?;
    let night = "select count(*) from timers
                 where kind = 'settle-day' and extract(hour from due_at at time zone 'utc') = 21";
    assert_eq!(world.number(night).await?, 1);
    Ok(())
}

#[tokio::test]
async fn nights_without_a_list_leave_no_gap() -> Result<()> {
    let world = World::without_webhooks().await?;
    due(&world, "list-payments").await?;
    let done = "select count(*) from timers
                where kind = 'list-payments' and payload ? 'before' and due_at > clock_now()";
    world.until_number(done, 1).await?;
    world.tell("/api/pay", &json!({ "amount": 100 })).await?;
    // We were away for longer than a list reaches back by itself.
    world.move_clock(10 * 24 * 3600).await?;
    world.until_number("select count(*) from unknown_payments", 1).await
}

#[tokio::test]
async fn a_day_is_indias() -> Result<()> {
    let world = World::without_webhooks().await?;
    confirmed(&world).await?;
    world.tell("/api/settle", &json!({ "day": "2026-03-01" })).await?;
    let app = build_app(&world)?;
    let lines = "select count(*) from settlement_lines";
    // In India the first of March begins at half past six in the evening before, by UTC.
    for (now, found) in
        [("2026-02-28T18:29:59Z", 0), ("2026-03-06T18:30:00Z", 0), ("2026-03-05T18:29:59Z", 1)]
    {
        let now: Timestamp = now.parse()?;
        settle_days(&app, now).await?;
        assert_eq!(world.number(lines).await?, found, "{now}");
    }
    Ok(())
}

#[tokio::test]
async fn an_unavailable_payment_does_not_block_other_lines() -> Result<()> {
    let world = World::without_webhooks().await?;
    confirmed(&world).await?;
    let unknown = world.tell("/api/pay", &json!({ "amount": 100 })).await?;
    world.tell("/api/settle", &json!({})).await?;
    world.fault(json!({ "target": "payments.fetch", "kind": "drop", "times": 0 })).await?;
    let (app, now) = (build_app(&world)?, world.store.now().await?);
    assert!(
        settle_page(&app, now, (0, PageCursor::default()), 1).await.is_err(),
        "it is asked again"
    );
    settle_page(&app, now, (0, PageCursor::default()), 6).await?;
    let sums = left(&world).await?;
    assert_eq!((sums.get("provider_clearing"), sums["suspense"]), (None, 2 - 100));
    let told = breaks(&world).await?;
    assert_eq!(told[0].explanation, "The provider settled something that is not in our books.");
    assert_eq!(told[0].payment_id.as_deref(), Some(text(&unknown, "payment_id")?));
    world.clear_faults().await?;
    read_again(&world).await?;
    assert_eq!(breaks(&world).await?, []);
    agrees(&world).await
}

#[tokio::test]
async fn a_page_with_many_unknown_lines_is_read_in_several_runs() -> Result<()> {
    let world = World::without_webhooks().await?;
    for _ in 0..12 {
        world.tell("/api/pay", &json!({ "amount": 100 })).await?;
    }
    world.tell("/api/settle", &json!({})).await?;
    let (app, now) = (build_app(&world)?, world.store.now().await?);
    let lines = "select count(*) from settlement_lines";
    let (mut place, mut goes) = (PageCursor::default(), 0);
    while let Some(next) = settle_page(&app, now, (0, place), 1).await? {
        assert_eq!(world.number(lines).await?, 0, "it is posted as a whole");
        assert!(next.met > place.met, "each go leads on");
        (place, goes) = (next, goes + 1);
    }
    assert!(goes >= 2, "five questions are asked in one go: {goes}");
    assert_eq!(world.number(lines).await?, 12);
    assert_eq!(breaks(&world).await?, []);
    agrees(&world).await
}
