//! What late cancellations kept is given back by staff once and in one act.

use anyhow::{Context as _, Result};
use contract::booking::v1::{
    BookingCancelled, BookingConfirmed, BookingSessionCancelled, BookingState, CancelledBy,
    GetBookingFactsResponse,
};
use contract::common::v1::DeskWay;
use contract::convert::to_wire;
use contract::payments::v1::{
    GetKeptAmountRequest, GiveBackKeptRequest, GiveBackKeptResponse, RecordDeskPaymentRequest,
    RefundPaymentRequest,
};
use eventstore::{NewEvent, new_id};
use futures::future::join_all;
use kernel::Id;
use kernel::id::Customer;
use tonic::{Code, Status};

use crate::refund_requests::inr;
use crate::world::{Held, PRICE, World, assert_refused};

/// What a late cancellation keeps of the price.
const KEPT: i64 = PRICE - PRICE / 5;

/// The booking is cancelled late by its client: a fifth goes back.
async fn cancelled(world: &World, held: Held) -> Result<()> {
    let cancelled = BookingCancelled {
        booking_id: held.id.to_string(),
        cancelled_by: CancelledBy::Customer.into(),
        refund: Some(inr(PRICE / 5)),
        ..BookingCancelled::default()
    };
    world.booking.publishes(NewEvent::of(&cancelled)?, None).await?;
    world.until(held, "PaymentRetained").await?;
    Ok(())
}

async fn late(world: &World) -> Result<Held> {
    let (held, payment_id) = world.paid().await?;
    let booking_id = held.id.to_string();
    let confirmed = BookingConfirmed { booking_id, payment_id, ..BookingConfirmed::default() };
    world.booking.publishes(NewEvent::of(&confirmed)?, None).await?;
    cancelled(world, held).await?;
    Ok(held)
}

async fn kept(
    world: &World,
    person: Id<Customer>,
    booking_id: &str,
) -> Result<Result<i64, Status>> {
    let asked = GetKeptAmountRequest { booking_id: booking_id.to_owned() };
    let answer = world.staff.clone().get_kept_amount(world.request(person, asked)?).await;
    Ok(answer.map(|answer| answer.into_inner().amount.unwrap_or_default().minor_units))
}

async fn give_back(
    world: &World,
    person: Id<Customer>,
    held: Held,
    (minor, key): (i64, &str),
) -> Result<Result<GiveBackKeptResponse, Status>> {
    let asked = GiveBackKeptRequest {
        booking_id: held.id.to_string(),
        idempotency_key: key.to_owned(),
        amount: Some(inr(minor)),
    };
    let answer = world.staff.clone().give_back_kept(world.request(person, asked)?).await;
    Ok(answer.map(tonic::Response::into_inner))
}

async fn refund(world: &World, person: Id<Customer>, held: Held, minor: i64) -> Result<()> {
    let asked = RefundPaymentRequest {
        booking_id: held.id.to_string(),
        idempotency_key: format!("a-refund-of-{minor}"),
        amount: Some(inr(minor)),
    };
    world.staff.clone().refund_payment(world.request(person, asked)?).await?;
    Ok(())
}

#[tokio::test]
async fn what_was_kept_goes_back_once() -> Result<()> {
    let world = World::new().await?;
    let (held, admin) = (late(&world).await?, world.employ("admin"));
    let id = held.id.to_string();
    assert_eq!(kept(&world, admin, &id).await??, KEPT);
    let first = give_back(&world, admin, held, (KEPT, "the-first-one")).await??;
    assert_eq!((first.amount.clone(), first.at_desk), (Some(inr(KEPT)), false));
    // The same call again gives nothing more, nor does another one.
    let again = (0..5).map(|_| give_back(&world, admin, held, (KEPT, "the-first-one")));
    for one in join_all(again).await {
        assert_eq!(one??, first);
    }
    let other = give_back(&world, admin, held, (KEPT - 1, "the-first-one")).await?;
    assert_refused(other, Code::InvalidArgument, "IDEMPOTENCY_KEY_REUSED");
    let twice = give_back(&world, world.employ("owner"), held, (KEPT, "another-one")).await?;
    assert_refused(twice, Code::FailedPrecondition, "NOTHING_KEPT");
    assert_eq!(kept(&world, admin, &id).await??, 0);
    world.until_number("select count(*) from refunds where state = 'processed'", 2).await?;
    let back = world.provider_has("refunds").await?;
    let amounts: Vec<i64> = back.iter().filter_map(|it| it["amount"].as_i64()).collect();
    assert_eq!((amounts.len(), amounts.iter().sum::<i64>()), (2, PRICE));
    Ok(())
}

#[tokio::test]
async fn two_members_at_once_give_it_back_once() -> Result<()> {
    let world = World::new().await?;
    let (held, owner) = (late(&world).await?, world.employ("owner"));
    let keys: Vec<String> = (0..6).map(|number| format!("the-press-{number}")).collect();
    let all = keys.iter().map(|key| give_back(&world, owner, held, (KEPT, key)));
    let mut given = 0;
    for one in join_all(all).await {
        match one? {
            Ok(_) => given += 1,
            refused => assert_refused(refused, Code::FailedPrecondition, "NOTHING_KEPT"),
        }
    }
    assert_eq!(given, 1);
    assert_eq!(world.count(held, "RefundRequested").await?, 2);
    Ok(())
}

#[tokio::test]
async fn a_refund_by_staff_leaves_less_to_give_back() -> Result<()> {
    let world = World::new().await?;
    let (held, owner) = (late(&world).await?, world.employ("owner"));
    refund(&world, owner, held, 10_000).await?;
    let stale = give_back(&world, owner, held, (KEPT, "a-stale-one")).await?;
    assert_refused(stale, Code::InvalidArgument, "AMOUNT_NOT_KEPT");
    let left = kept(&world, owner, &held.id.to_string()).await??;
    assert_eq!(left, KEPT - 10_000);
    // Pressed together, no paisa goes back twice.
    let (given, other) = tokio::join!(
        give_back(&world, owner, held, (left, "the-right-one")),
        refund(&world, owner, held, 20_000),
    );
    let (given, other) = (given?, other);
    assert!(given.is_ok() != other.is_ok(), "{given:?} {other:?}");
    let total = "select sum(amount_minor)::bigint from refunds";
    let all = if given.is_ok() { PRICE } else { PRICE / 5 + 30_000 };
    assert_eq!(world.number(total).await?, all);
    Ok(())
}

#[tokio::test]
async fn what_sessions_of_a_package_kept_is_added_up() -> Result<()> {
    let world = World::new().await?;
    let (held, payment_id) = world.paid().await?;
    let owner = world.employ("owner");
    let booking_id = held.id.to_string();
    let confirmed = BookingConfirmed {
        booking_id: booking_id.clone(),
        payment_id,
        ..BookingConfirmed::default()
    };
    world.booking.publishes(NewEvent::of(&confirmed)?, None).await?;
    let share = PRICE / 2;
    let cancelled = BookingSessionCancelled {
        booking_id: booking_id.clone(),
        session_number: 1,
        cancelled_by: CancelledBy::Customer.into(),
        share: Some(inr(share)),
        refund: Some(inr(share / 2)),
        ..BookingSessionCancelled::default()
    };
    world.booking.publishes(NewEvent::of(&cancelled)?, None).await?;
    world.until(held, "PaymentRetained").await?;
    let kept_of_it = share - share / 2;
    assert_eq!(kept(&world, owner, &booking_id).await??, kept_of_it);
    give_back(&world, owner, held, (kept_of_it, "of-one-session")).await??;
    assert_eq!(kept(&world, owner, &booking_id).await??, 0);
    Ok(())
}

#[tokio::test]
async fn where_nothing_is_kept_nothing_goes_back() -> Result<()> {
    let world = World::new().await?;
    let (held, _) = world.paid().await?;
    let owner = world.employ("owner");
    assert_eq!(kept(&world, owner, &held.id.to_string()).await??, 0);
    let nothing = give_back(&world, owner, held, (PRICE, "of-nothing")).await?;
    assert_refused(nothing, Code::FailedPrecondition, "NOTHING_KEPT");
    let unknown = new_id::<kernel::id::Booking>().to_string();
    for id in [unknown.as_str(), "bkg_1", ""] {
        let refused = kept(&world, owner, id).await?;
        assert_refused(refused, Code::NotFound, "BOOKING_NOT_FOUND");
    }
    let nobodys = Held { id: new_id(), ..held };
    let refused = give_back(&world, owner, nobodys, (PRICE, "of-an-unknown-one")).await?;
    assert_refused(refused, Code::NotFound, "BOOKING_NOT_FOUND");
    for role in ["front_desk", "practitioner"] {
        let member = world.employ(role);
        let refused = give_back(&world, member, held, (PRICE, "of-a-member")).await?;
        assert_refused(refused, Code::PermissionDenied, "ROLE_NOT_ALLOWED");
        let refused = kept(&world, member, &held.id.to_string()).await?;
        assert_refused(refused, Code::PermissionDenied, "ROLE_NOT_ALLOWED");
    }
    assert_eq!(world.count(held, "RefundRequested").await?, 0);
    Ok(())
}

#[tokio::test]
async fn what_was_paid_at_the_desk_is_given_back_there() -> Result<()> {
    let world = World::without_webhooks().await?;
    let (held, owner) = (world.held().await?, world.employ("owner"));
    world.booking.knows(GetBookingFactsResponse {
        booking_id: held.id.to_string(),
        customer_id: held.customer.to_string(),
        price: Some(inr(PRICE)),
        held_until_at: Some(to_wire(world.store.now().await?.plus_minutes(60))),
        state: BookingState::Held.into(),
        by_phone: true,
        ..GetBookingFactsResponse::default()
    });
    let paid = RecordDeskPaymentRequest {
        booking_id: held.id.to_string(),
        idempotency_key: "paid-in-cash".to_owned(),
        amount: Some(inr(PRICE)),
        way: DeskWay::Cash.into(),
        reference: String::new(),
    };
    world.staff.clone().record_desk_payment(world.request(owner, paid)?).await?;
    cancelled(&world, held).await?;
    let given = give_back(&world, owner, held, (KEPT, "back-at-the-desk")).await??;
    assert!(given.at_desk);
    assert_eq!(given.amount.context("a sum")?, inr(KEPT));
    assert!(world.provider_has("refunds").await?.is_empty());
    Ok(())
}
