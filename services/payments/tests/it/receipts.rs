//! Receipts: when one is issued, what it states, who may read it, and that it never changes.

use std::path::PathBuf;

use anyhow::{Result, ensure};
use contract::booking::v1::{BookingCancelled, BookingCompleted, BookingPaid};
use contract::common::v1::Money as WireMoney;
use contract::payments::v1::payments_internal_service_client::PaymentsInternalServiceClient;
use contract::payments::v1::{
    CollectionState, GetReceiptRequest, ListReceiptsRequest, Receipt, TaxMode,
};
use eventstore::{NewEvent, new_id};
use kernel::id::{Booking, Customer, Receipt as ReceiptKind};
use kernel::{Id, Money};
use serde_json::json;
use sqlx::Connection as _;
use tonic::{Code, Status};

use crate::ledger::{announce, confirm, confirmed, ordered, unplace};
use crate::receipt_numbering::{gapless, verified};
use crate::signed_webhooks::{PAYMENT, captured, send};
use crate::world::{Held, PRICE, World, assert_refused, usual_practice};

const COUNT: &str = "select count(*) from receipts";
const HOUR: i64 = 3600;

/// A copy of the practice's file with changes.
pub(crate) fn practice(world: &World, name: &str, changes: &[(&str, &str)]) -> Result<PathBuf> {
    let mut text = std::fs::read_to_string(usual_practice().join("practice.toml"))?;
    for (before, after) in changes {
        ensure!(text.contains(before), "practice.toml has no {before}");
        text = text.replace(before, after);
    }
    let folder = world.folder.join(name);
    std::fs::create_dir_all(&folder)?;
    std::fs::write(folder.join("practice.toml"), text)?;
    Ok(folder)
}

/// The settings of a practice that is registered for GST.
const GST: [(&str, &str); 5] = [
    ("tax = \"none\"", "tax = \"gst\""),
    ("gstin = \"\"", "gstin = \"23ABCDE1234F1Z5\""),
    ("service_code = \"\"", "service_code = \"999319\""),
    ("issued_by = \"\"", "issued_by = \"Sukoon Wellness LLP\""),
    ("issuer_address = \"\"", "issuer_address = \"Shivaji Nagar, Bhopal 462016\""),
];

pub(crate) async fn happens<M>(world: &World, event: M) -> Result<()>
where
    M: prost::Message + prost::Name,
{
    world.booking.publishes(NewEvent::of(&event)?, None).await
}

async fn paid_for(world: &World, held: Held, payment_id: &str) -> Result<()> {
    let (booking_id, payment_id) = (held.id.to_string(), payment_id.to_owned());
    happens(world, BookingPaid { booking_id, payment_id }).await
}

/// Waits until all events of booking are consumed, and none is parked.
pub(crate) async fn until_taken_in(world: &World) -> Result<()> {
    let last = world.booking.last_position().await?;
    testkit::until("booking's events were taken in", async || {
        let at = "select coalesce(max(position), 0) from checkpoints where source = 'booking'";
        Ok((world.number(at).await? == last).then_some(()))
    })
    .await?;
    assert_eq!(world.number("select count(*) from parked_events").await?, 0);
    Ok(())
}

/// Lets all events of booking be consumed again.
pub(crate) async fn taken_in_again(world: &World) -> Result<()> {
    until_taken_in(world).await?;
    let rewound = "update checkpoints set position = 0, event_id = null where source = 'booking'";
    world.database.as_owner(rewound).await?;
    until_taken_in(world).await
}

async fn list(
    world: &World,
    customer: Id<Customer>,
    booking_id: &str,
) -> Result<Result<Vec<Receipt>, Status>> {
    let asked = ListReceiptsRequest { booking_id: booking_id.to_owned() };
    let answer = world.client.clone().list_receipts(world.request(customer, asked)?).await;
    Ok(answer.map(|answer| answer.into_inner().receipts))
}

pub(crate) async fn of(world: &World, held: Held) -> Result<Vec<Receipt>> {
    Ok(list(world, held.customer, &held.id.to_string()).await??)
}

/// The one receipt of a booking, once it is there.
pub(crate) async fn receipt(world: &World, held: Held) -> Result<Receipt> {
    let found = testkit::until("the receipt", async || {
        let found = of(world, held).await?;
        Ok((!found.is_empty()).then_some(found))
    })
    .await?;
    let [only] = <[Receipt; 1]>::try_from(found).map_err(|all| anyhow::anyhow!("{all:?}"))?;
    Ok(only)
}

async fn get(
    world: &World,
    caller: &'static str,
    receipt_id: &str,
) -> Result<Result<Receipt, Status>> {
    let peers = world.keys.peers(caller)?;
    let channel = runtime::channel::peer(world.url(), "payments", &peers)?;
    let asked = GetReceiptRequest { receipt_id: receipt_id.to_owned() };
    let answer = PaymentsInternalServiceClient::new(channel).get_receipt(asked).await;
    Ok(answer.map(|answer| answer.into_inner().receipt.unwrap_or_default()))
}

pub(crate) fn inr(minor_units: i64) -> Option<WireMoney> {
    Some(Money::inr(minor_units).into())
}

#[tokio::test]
async fn a_confirmed_booking_has_a_receipt_which_says_who_issued_it() -> Result<()> {
    let world = World::new().await?;
    let (held, payment_id) = confirmed(&world).await?;
    let receipt = receipt(&world, held).await?;
    let issued_at = receipt.issued_at;
    ensure!(issued_at.is_some() && receipt.receipt_id.starts_with("rct_"), "{receipt:?}");
    ensure!(receipt.serial.starts_with("SUK/") && receipt.serial.ends_with("/00001"));
    let wanted = Receipt {
        receipt_id: receipt.receipt_id.clone(),
        serial: receipt.serial.clone(),
        issued_at,
        booking_id: held.id.to_string(),
        payment_id: payment_id.clone(),
        amount: inr(PRICE),
        tax_mode: TaxMode::None.into(),
        gst_percent: 0,
        taxable: inr(PRICE),
        central_tax: inr(0),
        state_tax: inr(0),
        issued_by: "Sukoon".to_owned(),
        issuer_address: "Arera Colony, Bhopal, Madhya Pradesh 462016".to_owned(),
        gstin: String::new(),
        service_code: String::new(),
        refunded: inr(0),
        kind: "receipt".to_owned(),
        integrated_tax: inr(0),
        ..Receipt::default()
    };
    assert_eq!(receipt, wanted);
    let stream = Id::<ReceiptKind>::to_string(&receipt.receipt_id.parse()?);
    assert_eq!(get(&world, "notifications", &stream).await??, wanted);
    let id: Id<ReceiptKind> = receipt.receipt_id.parse()?;
    let events = world.store.load(&format!("receipt-{}", id.uuid())).await?;
    let [event] = events.as_slice() else { anyhow::bail!("{events:?}") };
    assert_eq!(event.event_type, "payments.v1.ReceiptIssued");
    let told = json!({
        "receiptId": receipt.receipt_id, "bookingId": receipt.booking_id, "paymentId": payment_id,
        "serial": receipt.serial,
        "amount": { "minorUnits": PRICE.to_string(), "currencyCode": "INR" },
    });
    assert_eq!(event.payload, told);
    Ok(())
}

#[tokio::test]
async fn a_practice_with_gst_states_it_and_a_later_setting_changes_no_receipt() -> Result<()> {
    let mut world = World::without_webhooks().await?;
    let (first, _payment) = confirmed(&world).await?;
    let before = receipt(&world, first).await?;
    let process = world.another(&practice(&world, "gst", &GST)?).await?;
    world.replace(process).await?;
    let (second, _payment) = confirmed(&world).await?;
    let with_tax = receipt(&world, second).await?;
    assert_eq!(with_tax.tax_mode(), TaxMode::Gst);
    assert_eq!(with_tax.gst_percent, 18);
    assert_eq!(with_tax.amount, inr(50_000));
    assert_eq!(with_tax.taxable, inr(42_372));
    assert_eq!(
        (with_tax.central_tax.clone(), with_tax.state_tax.clone()),
        (inr(3_814), inr(3_814))
    );
    assert_eq!(with_tax.issued_by, "Sukoon Wellness LLP");
    assert_eq!(with_tax.issuer_address, "Shivaji Nagar, Bhopal 462016");
    assert_eq!(with_tax.gstin, "23ABCDE1234F1Z5");
    assert_eq!(with_tax.service_code, "999319");
    let renamed =
        [("name = \"Sukoon\"", "name = \"Shanti\""), ("prefix = \"SUK\"", "prefix = \"SH\"")];
    let process = world.another(&practice(&world, "renamed", &renamed)?).await?;
    world.replace(process).await?;
    let (third, _payment) = confirmed(&world).await?;
    let renamed = receipt(&world, third).await?;
    assert_eq!(renamed.issued_by, "Shanti");
    ensure!(renamed.serial.starts_with("SH/") && renamed.serial.ends_with("/00003"), "{renamed:?}");
    // What was issued stays as it was, and numbers go on under another prefix.
    assert_eq!(receipt(&world, first).await?, before);
    assert_eq!(receipt(&world, second).await?, with_tax);
    gapless(&world.store).await
}

#[tokio::test]
async fn what_has_gone_back_is_on_the_receipt_once_it_has() -> Result<()> {
    let world = World::new().await?;
    let (held, _payment) = confirmed(&world).await?;
    let before = receipt(&world, held).await?;
    world.fault(json!({ "target": "refunds.create", "kind": "refuse", "times": 0 })).await?;
    let (booking_id, refund) = (held.id.to_string(), inr(20_000));
    happens(&world, BookingCancelled { booking_id, refund, ..Default::default() }).await?;
    world.until(held, "RefundRequested").await?;
    assert_eq!(receipt(&world, held).await?, before, "it is only asked for");
    world.until_refused_for_now(1).await?;
    world.clear_faults().await?;
    world.move_clock(HOUR + 60).await?;
    world.until(held, "RefundProcessed").await?;
    let after = receipt(&world, held).await?;
    assert_eq!(after, Receipt { refunded: inr(20_000), ..before });
    assert_eq!(get(&world, "notifications", &after.receipt_id).await??, after);
    // The rest goes back on the provider's own pages.
    world.refund_externally(&after.payment_id, PRICE - 20_000).await?;
    testkit::until("all of it is back", async || {
        Ok((receipt(&world, held).await?.refunded == inr(PRICE)).then_some(()))
    })
    .await
}

#[tokio::test]
async fn a_booking_on_the_customers_word_has_no_receipt_before_its_money() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, order) = ordered(&world).await?;
    confirm(&world, held, "").await?;
    until_taken_in(&world).await?;
    assert_eq!(of(&world, held).await?, []);
    let paid = world.pay(&order, json!({})).await?;
    let payment_id = paid["payment_id"].as_str().unwrap_or_default().to_owned();
    assert_eq!(world.check(held).await??, CollectionState::Paid);
    happens(&world, BookingCompleted { booking_id: held.id.to_string() }).await?;
    until_taken_in(&world).await?;
    assert_eq!(of(&world, held).await?, [], "booking has not said whose money it is");
    paid_for(&world, held, &payment_id).await?;
    assert_eq!(receipt(&world, held).await?.payment_id, payment_id);
    // The same again, and its confirmation in another event, issue nothing more.
    paid_for(&world, held, &payment_id).await?;
    confirm(&world, held, &payment_id).await?;
    until_taken_in(&world).await?;
    taken_in_again(&world).await?;
    assert_eq!(world.number(COUNT).await?, 1);
    gapless(&world.store).await
}

#[tokio::test]
async fn money_that_is_not_a_placed_bookings_has_no_receipt() -> Result<()> {
    let world = World::new().await?;
    let (waits, order) = ordered(&world).await?;
    world.pay(&order, json!({})).await?;
    world.until(waits, "PaymentVerified").await?;
    let (gone, order) = ordered(&world).await?;
    world.pay(&order, json!({})).await?;
    let verified = world.until(gone, "PaymentVerified").await?;
    let payment_id = verified.payload["paymentId"].as_str().unwrap_or_default();
    unplace(&world, gone, payment_id).await?;
    world.until(gone, "RefundProcessed").await?;
    let (wrong, order) = ordered(&world).await?;
    world.pay(&order, json!({ "amount": PRICE + 1 })).await?;
    let mismatched = world.until(wrong, "PaymentMismatched").await?;
    confirm(&world, wrong, mismatched.payload["paymentId"].as_str().unwrap_or_default()).await?;
    until_taken_in(&world).await?;
    assert_eq!(world.number(COUNT).await?, 0);
    assert_eq!(world.number("select count(*) from receipt_counters").await?, 0);
    Ok(())
}

#[tokio::test]
async fn money_that_is_learnt_of_after_its_confirmation_gets_its_receipt_then() -> Result<()> {
    let world = World::new().await?;
    let (held, order) = ordered(&world).await?;
    // As after a restore: booking knows what this database has to learn again.
    confirm(&world, held, PAYMENT).await?;
    until_taken_in(&world).await?;
    assert_eq!(of(&world, held).await?, []);
    send(&world, captured(&order, 1)).await?;
    assert_eq!(receipt(&world, held).await?.payment_id, PAYMENT);
    world.until_number("select count(*) from timers where kind = 'issue-receipt'", 0).await?;
    taken_in_again(&world).await?;
    assert_eq!(world.number(COUNT).await?, 1);
    gapless(&world.store).await
}

#[tokio::test]
async fn a_confirmation_of_what_is_not_known_at_all_is_a_persons_task() -> Result<()> {
    let world = World::without_webhooks().await?;
    confirm(&world, world.held().await?, PAYMENT).await?;
    world.until_number("select count(*) from parked_events", 1).await?;
    assert_eq!(world.number(COUNT).await?, 0);
    Ok(())
}

#[tokio::test]
async fn receipts_are_shown_to_their_owner_only() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, _payment) = confirmed(&world).await?;
    let receipt = receipt(&world, held).await?;
    let stranger = new_id::<Customer>();
    let (own, unknown) = (held.id.to_string(), new_id::<Booking>().to_string());
    for booking_id in [own.as_str(), &unknown, "", "bkg_1", &receipt.receipt_id] {
        let answer = list(&world, stranger, booking_id).await?;
        assert_refused(answer, Code::NotFound, "BOOKING_NOT_FOUND");
    }
    let asked = ListReceiptsRequest { booking_id: own };
    let anonymous = world.client.clone().list_receipts(asked).await.unwrap_err();
    assert_eq!(anonymous.code(), Code::Unauthenticated);
    // Of one's own booking there is none before it is paid for.
    let waits = world.held().await?;
    announce(&world, waits).await?;
    until_taken_in(&world).await?;
    assert_eq!(of(&world, waits).await?, []);
    world.start(waits).await?;
    assert_eq!(of(&world, waits).await?, []);
    for caller in ["booking", "payments"] {
        let answer = get(&world, caller, &receipt.receipt_id).await?;
        let code = answer.map_err(|status| status.code()).unwrap_err();
        assert!(matches!(code, Code::PermissionDenied | Code::Unauthenticated), "{caller}: {code}");
    }
    for unknown in [new_id::<ReceiptKind>().to_string(), String::new(), held.id.to_string()] {
        let answer = get(&world, "notifications", &unknown).await?;
        assert_refused(answer, Code::NotFound, "RECEIPT_UNKNOWN");
    }
    Ok(())
}

#[tokio::test]
async fn receipts_cannot_be_changed_by_the_service_nor_by_the_owner() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, _payment) = confirmed(&world).await?;
    let before = receipt(&world, held).await?;
    for sql in [
        "update receipts set amount_minor = amount_minor + 1, taxable_minor = taxable_minor + 1",
        "update receipts set number = 2",
        "delete from receipts",
        "truncate receipts",
    ] {
        let by_owner = world.database.as_owner(sql).await.unwrap_err();
        assert!(format!("{by_owner:#}").contains("receipts are immutable"), "{sql}: {by_owner:#}");
        assert!(sqlx::query(sql).execute(world.store.pool()).await.is_err(), "{sql}");
    }
    assert_eq!(receipt(&world, held).await?, before);
    Ok(())
}

/// All tables as before there were receipts, and then what the release's migration does for
/// bookings of before.
pub(crate) async fn upgraded(world: &World) -> Result<()> {
    until_taken_in(world).await?;
    let as_before = "alter table receipts disable trigger user;
                     delete from receipts; delete from receipt_counters;
                     alter table receipts enable trigger user;
                     update known_bookings set placed_payment_id = null;";
    world.database.as_owner(as_before).await?;
    let migration =
        include_str!("../../../../migrations/payments/20261121630003_move_checkpoints.sql");
    let first = migration.split("-- While a deploy rolls").next().unwrap_or_default();
    world.database.as_owner(first).await?;
    until_taken_in(world).await
}

#[tokio::test]
async fn bookings_of_before_there_were_receipts_get_theirs_in_the_order_of_confirmation()
-> Result<()> {
    let world = World::without_webhooks().await?;
    let mut paid = Vec::new();
    for _ in 0..3 {
        paid.push(verified(&world).await?);
    }
    paid.reverse();
    for (held, payment) in &paid {
        confirm(&world, *held, payment).await?;
    }
    // One that was cancelled since, one on the customer's word, and one that only waits.
    let booking_id = paid[1].0.id.to_string();
    happens(&world, BookingCancelled { booking_id, refund: inr(0), ..Default::default() }).await?;
    let (on_word, _payment) = verified(&world).await?;
    confirm(&world, on_word, "").await?;
    verified(&world).await?;
    upgraded(&world).await?;
    let sql = "select payment_id from receipts order by number";
    let order: Vec<String> = sqlx::query_scalar(sql).fetch_all(world.store.pool()).await?;
    let wanted: Vec<String> = paid.iter().map(|(_, payment)| payment.clone()).collect();
    assert_eq!(order, wanted);
    let cancelled = "select count(*) from known_bookings where state = 'cancelled'";
    assert_eq!(world.number(cancelled).await?, 1);
    Ok(())
}

#[tokio::test]
async fn a_process_without_receipts_waits_and_takes_no_confirmation_in() -> Result<()> {
    let world = World::without_webhooks().await?;
    confirmed(&world).await?;
    until_taken_in(&world).await?;
    // It moves the checkpoint as its release does, and has not said that it knows of receipts.
    let moves = "update checkpoints set position = position + 1, event_id = gen_random_uuid()
                 where source = 'booking'";
    let mut owner = sqlx::PgConnection::connect(&world.database.owner_url).await?;
    let mut tx = owner.begin().await?;
    sqlx::query(moves).execute(&mut *tx).await?;
    let refused = tx.commit().await.unwrap_err();
    let code =
        refused.as_database_error().and_then(sqlx::error::DatabaseError::code).unwrap_or_default();
    assert_eq!(code, "55000", "not about the data, so it waits and parks nothing");
    confirmed(&world).await?;
    until_taken_in(&world).await?;
    assert_eq!(world.number(COUNT).await?, 2);
    Ok(())
}
