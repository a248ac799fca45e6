//! A booking by phone that is paid at the practice's desk: who may say so, what follows, and how
//! what is owed of it is given back.

use anyhow::{Context as _, Result};
use contract::booking::v1::{BookingCancelled, BookingRequested, GetBookingFactsResponse};
use contract::common::v1::{DeskWay, Money as WireMoney};
use contract::convert::to_wire;
use contract::payments::v1::{
    ListUnexplainedOrdersRequest, RecordDeskPaymentRequest, RecordDeskRefundRequest,
    RefundPaymentRequest,
};
use eventstore::new_id;
use futures::future::join_all;
use kernel::id::Customer;
use kernel::{Id, Money};
use serde_json::json;
use tonic::{Code, Status};

use crate::ledger::{assert_left, confirm, follows};
use crate::receipts::{happens, of, until_taken_in};
use crate::world::{Held, PRICE, World, assert_refused};

/// A booking that staff made by phone, held for a day.
async fn by_phone(world: &World) -> Result<Held> {
    let held = Held { id: new_id(), customer: new_id() };
    says(world, held, |_| {}).await?;
    let (booking_id, customer_id) = (held.id.to_string(), held.customer.to_string());
    let requested =
        BookingRequested { booking_id, customer_id, by_phone: true, ..Default::default() };
    happens(world, requested).await?;
    Ok(held)
}

/// What booking says of it.
async fn says(
    world: &World,
    held: Held,
    change: impl FnOnce(&mut GetBookingFactsResponse),
) -> Result<()> {
    let until = world.store.now().await?.plus_minutes(24 * 60);
    let mut facts = GetBookingFactsResponse {
        booking_id: held.id.to_string(),
        customer_id: held.customer.to_string(),
        price: Some(Money::inr(PRICE).into()),
        held_until_at: Some(to_wire(until)),
        state: contract::booking::v1::BookingState::Held.into(),
        starts_at: Some(to_wire(until.plus_minutes(24 * 60))),
        by_phone: true,
        ..GetBookingFactsResponse::default()
    };
    change(&mut facts);
    world.booking.knows(facts);
    Ok(())
}

fn inr(minor_units: i64) -> Option<WireMoney> {
    Some(WireMoney { minor_units, currency_code: "INR".to_owned() })
}

async fn pay(
    world: &World,
    person: Id<Customer>,
    held: Held,
    (minor, way, key): (i64, DeskWay, &str),
) -> Result<Result<String, Status>> {
    let asked = RecordDeskPaymentRequest {
        booking_id: held.id.to_string(),
        idempotency_key: key.to_owned(),
        amount: inr(minor),
        way: way.into(),
        reference: String::new(),
    };
    let answer = world.staff.clone().record_desk_payment(world.request(person, asked)?).await;
    Ok(answer.map(|answer| answer.into_inner().payment_id))
}

async fn give_back(
    world: &World,
    person: Id<Customer>,
    held: Held,
    (minor, key): (i64, &str),
) -> Result<Result<Vec<String>, Status>> {
    let asked = RecordDeskRefundRequest {
        booking_id: held.id.to_string(),
        idempotency_key: key.to_owned(),
        amount: inr(minor),
        way: DeskWay::Upi.into(),
        reference: "412345678901".to_owned(),
    };
    let answer = world.staff.clone().record_desk_refund(world.request(person, asked)?).await;
    Ok(answer.map(|answer| answer.into_inner().refund_ids))
}

async fn reasons(world: &World, owner: Id<Customer>) -> Result<Vec<String>> {
    let asked = ListUnexplainedOrdersRequest { include_young: true };
    let listed = world.staff.clone().list_unexplained_orders(world.request(owner, asked)?).await?;
    Ok(listed.into_inner().orders.into_iter().map(|order| order.reason).collect())
}

#[tokio::test]
async fn a_booking_that_was_paid_at_the_desk_is_paid_for() -> Result<()> {
    let world = World::without_webhooks().await?;
    let desk = world.employ("front_desk");
    let held = by_phone(&world).await?;
    let said = (PRICE, DeskWay::Cash, "paid-in-cash");
    let payment = pay(&world, desk, held, said).await??;
    assert!(payment.starts_with("desk_cash_"), "{payment}");
    assert_eq!(pay(&world, desk, held, said).await??, payment, "said again, it is the same");
    let names = world.names(held).await?;
    assert_eq!(names, ["CollectionOpened", "DeskPaymentRecorded", "PaymentVerified"]);
    confirm(&world, held, &payment).await?;
    until_taken_in(&world).await?;
    let receipts = of(&world, held).await?;
    assert_eq!(receipts.len(), 1);
    assert_eq!(receipts[0].payment_id, payment);
    assert_left(&world, [("customer_advance", -PRICE), ("desk_cash", PRICE)]).await?;
    follows(&world, held).await?;
    // Booking may not know it yet, and nothing is paid with the provider as well.
    let late = world.try_link(held).await?;
    assert_refused(late, Code::FailedPrecondition, "ALREADY_PAID");
    // The key may be lost with a commit: its payment stays the same.
    let keys = "delete from idempotency_keys where method = 'RecordDeskPayment'";
    world.database.as_owner(keys).await?;
    assert_eq!(pay(&world, desk, held, said).await??, payment);
    let again = pay(&world, desk, held, (PRICE, DeskWay::Upi, "paid-by-upi")).await?;
    assert_refused(again, Code::FailedPrecondition, "ALREADY_PAID");
    assert_eq!(world.count(held, "DeskPaymentRecorded").await?, 1);
    assert_eq!(world.provider_has("orders").await?.len(), 0, "the provider has no part in it");
    Ok(())
}

#[tokio::test]
async fn only_what_is_owed_and_held_by_phone_is_paid_at_the_desk() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (owner, desk) = (world.employ("owner"), world.employ("front_desk"));
    let held = by_phone(&world).await?;
    for minor in [0, PRICE - 1, PRICE + 1] {
        let refused = pay(&world, owner, held, (minor, DeskWay::Cash, "another-sum")).await?;
        assert_refused(refused, Code::InvalidArgument, "AMOUNT_NOT_OWED");
    }
    let no_way = pay(&world, owner, held, (PRICE, DeskWay::Unspecified, "no-way-1")).await?;
    assert_refused(no_way, Code::InvalidArgument, "INVALID_DESK_WAY");
    let cash = (PRICE, DeskWay::Cash, "paid-in-cash");
    let client = pay(&world, held.customer, held, cash).await?;
    assert_refused(client, Code::PermissionDenied, "STAFF_ONLY");
    says(&world, held, |facts| facts.by_phone = false).await?;
    assert_refused(pay(&world, owner, held, cash).await?, Code::FailedPrecondition, "NOT_BY_PHONE");
    says(&world, held, |facts| facts.consent_missing = true).await?;
    let refused = pay(&world, owner, held, cash).await?;
    assert_refused(refused, Code::FailedPrecondition, "CONSENT_REQUIRED");
    says(&world, held, |facts| facts.held_until_at = None).await?;
    assert_refused(pay(&world, owner, held, cash).await?, Code::FailedPrecondition, "HOLD_ENDED");
    // The front desk has a limit, which an owner has not.
    says(&world, held, |facts| facts.price = Some(Money::inr(2_000_001).into())).await?;
    let much = (2_000_001, DeskWay::Cash, "a-large-sum");
    let refused = pay(&world, desk, held, much).await?;
    assert_refused(refused, Code::FailedPrecondition, "ABOVE_DESK_LIMIT");
    pay(&world, owner, held, much).await??;
    Ok(())
}

/// The client may have the link open, and pay it as the member presses.
#[tokio::test]
async fn what_the_client_pays_as_well_goes_back_and_the_link_ends() -> Result<()> {
    let world = World::without_webhooks().await?;
    let owner = world.employ("owner");
    let held = by_phone(&world).await?;
    let order = world.start(held).await?.order_id;
    let link = world.link(held).await?;
    let payment = pay(&world, owner, held, (PRICE, DeskWay::Upi, "paid-by-upi")).await??;
    world.until_links(&["cancelled"]).await?;
    assert!(!link.link_id.is_empty());
    // The order cannot be cancelled, and is paid all the same.
    world.pay(&order, json!({})).await?;
    world.move_clock(2 * 3600).await?;
    world.until(held, "PaymentMismatched").await?;
    let back = world.until(held, "RefundProcessed").await?;
    let requested = world.until(held, "RefundRequested").await?;
    assert_eq!(requested.payload["cause"], "double");
    assert_eq!(requested.payload["refundId"], back.payload["refundId"]);
    assert_ne!(requested.payload["paymentId"], payment);
    let late = pay(&world, owner, held, (PRICE, DeskWay::Cash, "paid-once-more")).await?;
    assert_refused(late, Code::FailedPrecondition, "ALREADY_PAID");
    assert_left(&world, [("customer_advance", -PRICE), ("desk_upi", PRICE)]).await?;
    follows(&world, held).await
}

#[tokio::test]
async fn of_two_members_and_a_client_at_once_one_has_paid() -> Result<()> {
    let world = World::without_webhooks().await?;
    for round in 0..4 {
        let held = by_phone(&world).await?;
        let order = world.start(held).await?.order_id;
        let members = [world.employ("owner"), world.employ("front_desk"), world.employ("admin")];
        world.pay(&order, json!({})).await?;
        let key = format!("round-{round}-at-once");
        let said = members.map(|member| pay(&world, member, held, (PRICE, DeskWay::Cash, &key)));
        let (said, checked) = tokio::join!(join_all(said), world.check(held));
        checked??;
        let mut taken = 0;
        for answer in said {
            match answer? {
                Ok(_) => taken += 1,
                Err(refused) => {
                    let why = (refused.code(), refused.message().to_owned());
                    assert_eq!(why.0, Code::FailedPrecondition, "{why:?}");
                }
            }
        }
        assert!(taken <= 1, "{taken}");
        world.until(held, "PaymentVerified").await?;
        assert_eq!(world.count(held, "PaymentVerified").await?, 1);
        // What came beside it goes back.
        world.move_clock(2 * 3600).await?;
        if taken == 1 {
            world.until(held, "RefundProcessed").await?;
        }
        assert_eq!(world.count(held, "RefundProcessed").await?, taken);
        follows(&world, held).await?;
    }
    Ok(())
}

#[tokio::test]
async fn what_is_owed_is_listed_until_it_was_given_back_and_the_provider_is_never_asked()
-> Result<()> {
    let world = World::without_webhooks().await?;
    let owner = world.employ("owner");
    let held = by_phone(&world).await?;
    let payment = pay(&world, owner, held, (PRICE, DeskWay::Cash, "paid-in-cash")).await??;
    confirm(&world, held, &payment).await?;
    let refund = Some(Money::inr(PRICE).into());
    let cancelled =
        BookingCancelled { booking_id: held.id.to_string(), refund, ..Default::default() };
    happens(&world, cancelled).await?;
    let owed = world.until(held, "RefundRequested").await?;
    assert_eq!(owed.payload["paymentId"], payment);
    assert_eq!(reasons(&world, owner).await?, ["OWED_AT_DESK"]);
    world.until_quiet().await?;
    let timers = "select count(*) from timers where kind = 'refund'";
    assert_eq!(world.number(timers).await?, 0);
    assert_eq!(world.provider_has("refunds").await?.len(), 0);
    let other = give_back(&world, owner, held, (PRICE - 1, "given-less")).await?;
    assert_refused(other, Code::InvalidArgument, "AMOUNT_NOT_OWED");
    let desk = world.employ("front_desk");
    let refused = give_back(&world, desk, held, (PRICE, "given-back-1")).await?;
    assert_refused(refused, Code::PermissionDenied, "ROLE_NOT_ALLOWED");
    let done = give_back(&world, owner, held, (PRICE, "given-back-1")).await??;
    let id = owed.payload["refundId"].as_str().context("an id")?;
    assert_eq!(done, [id]);
    assert_eq!(give_back(&world, owner, held, (PRICE, "given-back-1")).await??, done);
    let twice = give_back(&world, owner, held, (PRICE, "given-back-2")).await?;
    assert_refused(twice, Code::FailedPrecondition, "NOTHING_OWED");
    assert_eq!(world.count(held, "RefundProcessed").await?, 1);
    assert_eq!(reasons(&world, owner).await?, [""; 0]);
    assert_left(&world, [("desk_cash", PRICE), ("desk_upi", -PRICE)]).await?;
    follows(&world, held).await
}

#[tokio::test]
async fn a_refund_by_staff_says_that_it_is_to_be_given_at_the_desk() -> Result<()> {
    let world = World::without_webhooks().await?;
    let owner = world.employ("owner");
    let held = by_phone(&world).await?;
    pay(&world, owner, held, (PRICE, DeskWay::Upi, "paid-by-upi")).await??;
    let asked = RefundPaymentRequest {
        booking_id: held.id.to_string(),
        idempotency_key: "a-part-of-it".to_owned(),
        amount: inr(20_000),
    };
    let answer = world.staff.clone().refund_payment(world.request(owner, asked)?).await?;
    assert!(answer.into_inner().at_desk);
    give_back(&world, owner, held, (20_000, "given-back-1")).await??;
    assert_left(&world, [("customer_advance", 20_000 - PRICE), ("desk_upi", PRICE - 20_000)]).await
}
