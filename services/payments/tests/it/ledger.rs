//! The ledger of each course of a payment, compared with the sandbox provider's book.

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::{Context as _, Result, ensure};
use contract::booking::v1::{
    BookingCancelled, BookingCompleted, BookingConfirmed, BookingRequested, BookingUnplaced,
    CancelledBy,
};
use contract::payments::v1::CollectionState;
use eventstore::NewEvent;
use kernel::Money;
use payments::app::order_health::OrderHealth;
use payments::app::webhook_health::WebhookHealth;
use payments::app::{App, Checkout};
use payments::clients::booking::BookingClient;
use payments::contract::read_collection_event;
use payments::domain::ledger::Books;
use payments::domain::receipt::Issuer;
use payments::providers::razorpay::{Razorpay, Settings};
use payments::read_model::ledger::{balances, entries_of};
use secrecy::SecretString;
use serde_json::{Value, json};
use sqlx::Connection as _;
use testkit::{TestKeys, until};

use crate::world::{Held, KEY, KEY_SECRET, PRICE, WEBHOOK_SECRET, World, usual_practice};

const HOUR: i64 = 3600;
/// Fee and tax of the price.
pub(crate) const FEE: i64 = 1_180;
const TAX: i64 = 180;

/// The app, so that the test can run its nightly jobs.
pub(crate) fn build_app(world: &World) -> Result<App> {
    let peers = TestKeys::new(&["payments"])?.peers("payments")?;
    let provider = Settings {
        url: format!("{}/v1", world.sandbox_url),
        key_id: KEY.to_owned(),
        key_secret: SecretString::from(KEY_SECRET),
        webhook_secret: SecretString::from(WEBHOOK_SECRET),
        webhook_secret_previous: None,
        link_return_url: None,
        account_id: None,
    };
    Ok(App {
        store: world.store.clone(),
        provider: Arc::new(Razorpay::new(provider)?),
        order_health: OrderHealth::default(),
        webhook_health: WebhookHealth::default(),
        bookings: BookingClient::new("http://127.0.0.1:1", &peers)?,
        checkout: Checkout { key_id: KEY.to_owned(), script_url: String::new() },
        issuer: Arc::new(Issuer::of(&practice::load(&usual_practice())?)),
        refund_days: 7,
        desk_limit_minor: 0,
    })
}

/// Lets the service compare the provider's lists with our book, as it does each night.
pub(crate) async fn night(world: &World) -> Result<()> {
    let due = "update timers set due_at = clock_now(), payload = '{}' where kind = 'list-payments'";
    world.database.as_owner(due).await?;
    let done = "select count(*) from timers where kind = 'list-payments'
                and payload ? 'before' and due_at > clock_now()";
    world.until_number(done, 1).await
}

pub(crate) fn text<'v>(value: &'v Value, field: &str) -> Result<&'v str> {
    value.get(field).and_then(Value::as_str).with_context(|| format!("{field} in {value}"))
}

/// A booking that was announced and whose order is there.
pub(crate) async fn ordered(world: &World) -> Result<(Held, String)> {
    let held = world.held().await?;
    announce(world, held).await?;
    Ok((held, world.start(held).await?.order_id))
}

pub(crate) async fn announce(world: &World, held: Held) -> Result<()> {
    let requested = NewEvent::of(&BookingRequested {
        booking_id: held.id.to_string(),
        customer_id: held.customer.to_string(),
        ..BookingRequested::default()
    })?;
    world.booking.publishes(requested, None).await
}

/// A booking that is paid and stands.
pub(crate) async fn confirmed(world: &World) -> Result<(Held, String)> {
    let (held, order) = ordered(world).await?;
    let paid = world.pay(&order, json!({})).await?;
    assert_eq!(world.check(held).await??, CollectionState::Paid);
    let payment_id = text(&paid, "payment_id")?.to_owned();
    confirm(world, held, &payment_id).await?;
    Ok((held, payment_id))
}

pub(crate) async fn confirm(world: &World, held: Held, payment_id: &str) -> Result<()> {
    let event = NewEvent::of(&BookingConfirmed {
        booking_id: held.id.to_string(),
        payment_id: payment_id.to_owned(),
        claim_accepted: payment_id.is_empty(),
        ..BookingConfirmed::default()
    })?;
    world.booking.publishes(event, None).await
}

pub(crate) async fn unplace(world: &World, held: Held, payment_id: &str) -> Result<()> {
    let (booking_id, payment_id) = (held.id.to_string(), payment_id.to_owned());
    let event = NewEvent::of(&BookingUnplaced { booking_id, payment_id })?;
    world.booking.publishes(event, None).await
}

pub(crate) async fn complete(world: &World, held: Held) -> Result<()> {
    let event = NewEvent::of(&BookingCompleted { booking_id: held.id.to_string() })?;
    world.booking.publishes(event, None).await
}

/// What is left on each account in rupees' minor units; the sum of all is zero in each currency.
pub(crate) async fn left(world: &World) -> Result<BTreeMap<String, i64>> {
    let mut sums = BTreeMap::<String, i64>::new();
    let mut left = BTreeMap::new();
    for row in balances(world.store.pool()).await? {
        *sums.entry(row.balance.currency.clone()).or_default() += row.balance.minor;
        if row.balance.currency == "INR" && row.balance.minor != 0 {
            left.insert(row.account, row.balance.minor);
        }
    }
    ensure!(sums.values().all(|sum| *sum == 0), "the ledger does not net to zero: {sums:?}");
    Ok(left)
}

pub(crate) async fn assert_left<const N: usize>(
    world: &World,
    wanted: [(&str, i64); N],
) -> Result<()> {
    let wanted: BTreeMap<_, _> =
        wanted.into_iter().map(|(account, sum)| (account.to_owned(), sum)).collect();
    assert_eq!(left(world).await?, wanted);
    agrees(world).await
}

/// The ledger says what the provider's own book says, paisa for paisa.
pub(crate) async fn agrees(world: &World) -> Result<()> {
    let mut provider = BTreeMap::<&str, i64>::new();
    let mut add = |account, sum| *provider.entry(account).or_default() += sum;
    let number = |row: &Value, field: &str| row[field].as_i64().unwrap_or_default();
    let is_inr = |row: &&Value| row["currency"] == "INR";
    for payment in world.provider_has("payments").await?.iter().filter(is_inr) {
        if ["captured", "refunded"].contains(&text(payment, "status")?) {
            add("provider_clearing", number(payment, "amount"));
        }
    }
    for refund in world.provider_has("refunds").await?.iter().filter(is_inr) {
        if refund["status"] == "processed" {
            add("provider_clearing", -number(refund, "amount"));
        }
    }
    for settlement in world.provider_has("settlements").await? {
        let lines = settlement.get("lines").and_then(Value::as_array).context("lines")?;
        for line in lines {
            let paid_out = number(line, "credit") - number(line, "debit");
            add("bank", paid_out);
            if line["type"] == "adjustment" {
                continue;
            }
            // What credits have paid is in the bill for the credits.
            let of_line = if line["credit_type"] == "default" { 1 } else { 0 };
            let (fee, tax) = (of_line * number(line, "fee"), of_line * number(line, "tax"));
            add("gateway_fee", fee - tax);
            add("gst_input", tax);
            add("provider_clearing", -paid_out - fee);
        }
    }
    provider.retain(|_, sum| *sum != 0);
    let ours = left(world).await?;
    for account in ["provider_clearing", "bank", "gateway_fee", "gst_input"] {
        let (ours, theirs) = (ours.get(account), provider.get(account));
        ensure!(ours == theirs, "{account}: {ours:?} in the ledger, {theirs:?} at the provider");
    }
    Ok(())
}

/// The kinds of a booking's entries, oldest first.
async fn kinds(world: &World, held: Held) -> Result<Vec<String>> {
    let entries = entries_of(world.store.pool(), held.id).await?;
    for entry in &entries {
        let sum: i64 = entry.lines.iter().map(|(_, amount)| amount.minor).sum();
        assert_eq!(sum, 0, "{entry:?}");
    }
    Ok(entries.into_iter().map(|entry| entry.kind).collect())
}

/// The ledger of a booking follows from its events, entry by entry.
pub(crate) async fn follows(world: &World, held: Held) -> Result<()> {
    // A change between the two reads would be in only one of them, so both are read when nothing
    // has: an entry is written with its event.
    let (stored, written) = until("nothing happens while both are read", async || {
        let before = world.events(held).await?;
        let written = entries_of(world.store.pool(), held.id).await?;
        let after = world.events(held).await?;
        Ok((before.len() == after.len()).then_some((after, written)))
    })
    .await?;
    let events: Vec<_> = stored.iter().map(read_collection_event).collect::<Result<_, _>>()?;
    let mut wanted = Vec::new();
    for entry in Books::default().enter(&events) {
        let line = |line: &payments::domain::ledger::Line| {
            (line.account.word().to_owned(), line.amount.clone())
        };
        let lines: Vec<_> = entry.lines.iter().map(line).collect();
        wanted.push((entry.kind.word().to_owned(), lines));
    }
    let written: Vec<_> = written
        .into_iter()
        .filter(|entry| !["settled", "reversed"].contains(&entry.kind.as_str()))
        .map(|entry| (entry.kind, entry.lines))
        .collect();
    assert_eq!(written, wanted);
    Ok(())
}

pub(crate) async fn settle(world: &World) -> Result<Value> {
    let settled = world.tell("/api/settle", &json!({})).await?;
    let app = build_app(world)?;
    payments::app::settle_day::settle_days(&app, world.store.now().await?).await?;
    Ok(settled)
}

#[tokio::test]
async fn a_payment_is_followed_from_its_capture_to_the_bank() -> Result<()> {
    let world = World::new().await?;
    let (held, _payment) = confirmed(&world).await?;
    world.until_quiet().await?;
    assert_left(&world, [("provider_clearing", PRICE), ("customer_advance", -PRICE)]).await?;
    complete(&world, held).await?;
    world.until(held, "PaymentEarned").await?;
    assert_left(&world, [("provider_clearing", PRICE), ("revenue", -PRICE)]).await?;
    settle(&world).await?;
    let left = [
        ("bank", PRICE - FEE),
        ("gateway_fee", FEE - TAX),
        ("gst_input", TAX),
        ("revenue", -PRICE),
    ];
    assert_left(&world, left).await?;
    assert_eq!(kinds(&world, held).await?, ["captured", "earned", "settled"]);
    follows(&world, held).await
}

#[tokio::test]
async fn a_full_refund_leaves_nothing_but_the_fee() -> Result<()> {
    let world = World::new().await?;
    let (held, payment) = confirmed(&world).await?;
    unplace(&world, held, &payment).await?;
    world.until(held, "RefundProcessed").await?;
    world.until_quiet().await?;
    assert_left(&world, []).await?;
    settle(&world).await?;
    assert_left(&world, [("bank", -FEE), ("gateway_fee", FEE - TAX), ("gst_input", TAX)]).await?;
    let kinds = kinds(&world, held).await?;
    assert_eq!(kinds[..3], ["captured", "refund_requested", "refund_processed"]);
    assert_eq!(kinds[3..], ["settled", "settled"]);
    follows(&world, held).await
}

#[tokio::test]
async fn a_cancelled_booking_gives_a_part_back_and_keeps_the_rest() -> Result<()> {
    let world = World::new().await?;
    let (held, _payment) = confirmed(&world).await?;
    let cancelled = NewEvent::of(&BookingCancelled {
        booking_id: held.id.to_string(),
        cancelled_by: CancelledBy::Customer.into(),
        refund: Some(Money::inr(20_000).into()),
        ..BookingCancelled::default()
    })?;
    world.booking.publishes(cancelled, None).await?;
    world.until(held, "RefundProcessed").await?;
    world.until_quiet().await?;
    let rest = PRICE - 20_000;
    assert_left(&world, [("provider_clearing", rest), ("retained", -rest)]).await?;
    settle(&world).await?;
    let left =
        [("bank", rest - FEE), ("gateway_fee", FEE - TAX), ("gst_input", TAX), ("retained", -rest)];
    assert_left(&world, left).await?;
    follows(&world, held).await
}

#[tokio::test]
async fn a_refund_that_fails_is_owed_again_until_another_one_arrives() -> Result<()> {
    let world = World::new().await?;
    world.fault(json!({ "target": "refunds.process", "kind": "refuse" })).await?;
    let (held, payment) = confirmed(&world).await?;
    unplace(&world, held, &payment).await?;
    world.until(held, "RefundFailed").await?;
    world.until_quiet().await?;
    assert_left(&world, [("provider_clearing", PRICE), ("customer_advance", -PRICE)]).await?;
    world.move_clock(HOUR + 60).await?;
    world.until(held, "RefundProcessed").await?;
    world.until_quiet().await?;
    assert_left(&world, []).await?;
    let asked = ["captured", "refund_requested", "refund_failed", "refund_requested"];
    assert_eq!(kinds(&world, held).await?[..4], asked);
    follows(&world, held).await
}

#[tokio::test]
async fn a_refund_by_another_hand_is_in_the_books() -> Result<()> {
    let world = World::new().await?;
    let (held, payment) = confirmed(&world).await?;
    world.tell("/api/refund", &json!({ "payment_id": payment, "amount": 15_000 })).await?;
    world.until(held, "RefundProcessed").await?;
    world.until_quiet().await?;
    let rest = PRICE - 15_000;
    assert_left(&world, [("provider_clearing", rest), ("customer_advance", -rest)]).await?;
    complete(&world, held).await?;
    world.until(held, "PaymentEarned").await?;
    assert_left(&world, [("provider_clearing", rest), ("revenue", -rest)]).await?;
    follows(&world, held).await
}

#[tokio::test]
async fn money_that_does_not_match_waits_in_suspense_and_goes_back() -> Result<()> {
    let world = World::new().await?;
    world.fault(json!({ "target": "refunds.create", "kind": "refuse", "times": 0 })).await?;
    let (wrong, order) = ordered(&world).await?;
    world.pay(&order, json!({ "amount": PRICE + 1 })).await?;
    world.until(wrong, "PaymentMismatched").await?;
    let (foreign, order) = ordered(&world).await?;
    world.pay(&order, json!({ "currency": "USD" })).await?;
    world.until(foreign, "PaymentMismatched").await?;
    world.until_quiet().await?;
    let waits = [("provider_clearing", PRICE + 1), ("refunds_payable", -PRICE - 1)];
    assert_left(&world, waits).await?;
    let dollars = balances(world.store.pool()).await?;
    let dollars = dollars.iter().filter(|it| it.balance.currency == "USD");
    let dollars: Vec<_> = dollars.map(|it| (it.account.as_str(), it.balance.minor)).collect();
    let held = [("provider_clearing", PRICE), ("refunds_payable", -PRICE), ("suspense", 0)];
    assert_eq!(dollars, held);
    world.until_refused_for_now(2).await?;
    world.clear_faults().await?;
    world.move_clock(HOUR + 60).await?;
    for held in [wrong, foreign] {
        world.until(held, "RefundProcessed").await?;
        follows(&world, held).await?;
    }
    assert_left(&world, []).await
}

#[tokio::test]
async fn a_second_payment_and_one_that_the_provider_sent_back_itself_net_to_nothing() -> Result<()>
{
    let world = World::new().await?;
    let (held, _payment) = confirmed(&world).await?;
    let order = world.start(held).await?.order_id;
    world.pay(&order, json!({ "again": true })).await?;
    world.until_quiet().await?;
    testkit::until("the ledger agrees", async || Ok(agrees(&world).await.ok())).await?;
    let left = left(&world).await?;
    assert_eq!(left.get("customer_advance"), Some(&-PRICE));
    assert_eq!(left.get("suspense"), None);
    follows(&world, held).await
}

/// Runs statements in one transaction with the owner's rights and commits.
async fn commit(world: &World, statements: &[&'static str]) -> Result<(), sqlx::Error> {
    let mut owner = sqlx::PgConnection::connect(&world.database.owner_url).await?;
    let mut tx = owner.begin().await?;
    for sql in statements {
        sqlx::query(*sql).execute(&mut *tx).await?;
    }
    tx.commit().await
}

#[tokio::test]
async fn the_ledger_cannot_be_changed_by_the_service_nor_by_the_owner() -> Result<()> {
    let world = World::without_webhooks().await?;
    confirmed(&world).await?;
    let before = left(&world).await?;
    for sql in [
        "update ledger_entries set kind = 'earned'",
        "delete from ledger_entries",
        "truncate ledger_entries cascade",
        "update ledger_lines set amount_minor = amount_minor + 1",
        "delete from ledger_lines",
        "truncate ledger_lines",
    ] {
        let by_owner = world.database.as_owner(sql).await.unwrap_err();
        assert!(format!("{by_owner:#}").contains("the ledger is immutable"), "{sql}: {by_owner:#}");
        assert!(sqlx::query(sql).execute(world.store.pool()).await.is_err(), "{sql}");
    }
    assert_eq!(left(&world).await?, before);
    Ok(())
}

#[tokio::test]
async fn an_entry_that_does_not_net_to_zero_cannot_be_committed() -> Result<()> {
    const ENTRY: &str = "insert into ledger_entries (entry_id, cause, kind, lines)
                         values (gen_random_uuid(), 'a test', 'captured', 2)";
    const DEBIT: &str = "insert into ledger_lines
        select entry_id, 1, 'bank', 100, 'INR' from ledger_entries where cause = 'a test'";
    const CREDIT: &str = "insert into ledger_lines
        select entry_id, 2, 'suspense', -100, 'INR' from ledger_entries where cause = 'a test'";
    const LESS: &str = "insert into ledger_lines
        select entry_id, 2, 'suspense', -99, 'INR' from ledger_entries where cause = 'a test'";
    const DOLLARS: &str = "insert into ledger_lines
        select entry_id, 2, 'suspense', -100, 'USD' from ledger_entries where cause = 'a test'";
    const MORE: &str = "insert into ledger_lines
        select entry_id, 2 + n, 'bank', 50 * (3 - 2 * n), 'INR'
        from ledger_entries, generate_series(1, 2) as n where cause = 'a test'";
    let world = World::without_webhooks().await?;
    for refused in [
        &[ENTRY][..],
        &[ENTRY, DEBIT],
        &[ENTRY, DEBIT, LESS],
        &[ENTRY, DEBIT, DOLLARS],
        &[ENTRY, DEBIT, CREDIT, MORE],
    ] {
        let error = commit(&world, refused).await.unwrap_err().to_string();
        assert!(error.contains("an entry of the ledger"), "{refused:?}: {error}");
    }
    assert_eq!(world.number("select count(*) from ledger_entries").await?, 0);
    commit(&world, &[ENTRY, DEBIT, CREDIT]).await?;
    let later = commit(&world, &[MORE]).await.unwrap_err().to_string();
    assert!(later.contains("has 4 lines and not 2"), "{later}");
    assert!(commit(&world, &[ENTRY]).await.is_err(), "a cause comes once");
    assert_eq!(world.number("select count(*) from ledger_lines").await?, 2);
    Ok(())
}

#[tokio::test]
async fn money_that_moved_before_there_was_a_ledger_is_posted_at_the_start() -> Result<()> {
    let world = World::new().await?;
    let (held, payment) = confirmed(&world).await?;
    unplace(&world, held, &payment).await?;
    world.until(held, "RefundProcessed").await?;
    let (other, _payment) = confirmed(&world).await?;
    world.until_quiet().await?;
    let before = (left(&world).await?, kinds(&world, held).await?, kinds(&world, other).await?);
    world
        .database
        .as_owner(
            "alter table ledger_entries disable trigger user;
             alter table ledger_lines disable trigger user;
             delete from ledger_lines; delete from ledger_entries;
             alter table ledger_entries enable trigger user;
             alter table ledger_lines enable trigger user;",
        )
        .await?;
    assert_eq!(left(&world).await?, BTreeMap::new());
    for _ in 0..2 {
        payments::app::backfill_ledger::backfill_ledger(&world.store).await?;
    }
    let after = (left(&world).await?, kinds(&world, held).await?, kinds(&world, other).await?);
    assert_eq!(after, before);
    follows(&world, held).await
}
