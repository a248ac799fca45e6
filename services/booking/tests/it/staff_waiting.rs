//! The wait list as staff use it.

use contract::booking::v1 as wire;
use contract::convert::to_wire;
use staff::Role;
use testkit::until;
use tonic::{Code, Request};

use crate::grpc_harness::{GrpcHarness, refused};
use crate::waiting::{joined, offered, wish};
use crate::world::{at, customer};

const DESK: u128 = 901;
const PRACTITIONER: u128 = 902;

async fn practice() -> GrpcHarness {
    let harness = GrpcHarness::new().await;
    harness.grant(customer(DESK), Some(Role::FrontDesk)).await;
    harness.grant(customer(PRACTITIONER), Some(Role::Practitioner)).await;
    harness
}

async fn list(harness: &GrpcHarness) -> Vec<wire::StaffWaiting> {
    let asked = harness.by(customer(DESK), wire::ListWaitingRequest::default());
    harness.waiting_staff().list_waiting(asked).await.unwrap().into_inner().waiting
}

fn time(waiting_id: &str, day: i64, reason: &str) -> wire::OfferTimeRequest {
    wire::OfferTimeRequest {
        idempotency_key: eventstore::new_uuid().to_string(),
        waiting_id: waiting_id.to_owned(),
        starts_at: Some(to_wire(at(day, 11))),
        practitioner_id: String::new(),
        reason: reason.to_owned(),
    }
}

fn by_desk<T>(harness: &GrpcHarness, message: T) -> Request<T> {
    harness.by(customer(DESK), message)
}

#[tokio::test]
async fn staff_see_the_order_and_step_out_of_it_for_a_reason() {
    let harness = practice().await;
    let world = &harness.world;
    for number in [11, 12] {
        joined(world, number, wish()).await;
    }
    let waits = list(&harness).await;
    let customers: Vec<_> = waits.iter().map(|it| it.customer_id.clone()).collect();
    assert_eq!(customers, [customer(11).to_string(), customer(12).to_string()]);
    assert_eq!(waits[1].email, "client-12@example.org");
    let second = waits[1].waiting.clone().unwrap().waiting_id;
    let unsaid = by_desk(&harness, time(&second, 3, " x "));
    let unsaid = harness.waiting_staff().offer_time(unsaid).await;
    refused(unsaid, Code::InvalidArgument, "INVALID_REASON", "reason");
    let request = time(&second, 3, "Called twice this week.");
    for _press in 0..2 {
        let asked = by_desk(&harness, request.clone());
        let offer = harness.waiting_staff().offer_time(asked).await.unwrap().into_inner().offer;
        assert_eq!(offer, Some(offered(world, 12).await));
    }
    let again = by_desk(&harness, time(&second, 4, "Once more."));
    let again = harness.waiting_staff().offer_time(again).await;
    refused(again, Code::FailedPrecondition, "HAS_OFFER", "");
    let said = "select count(*) from waiting_offers where reason = 'Called twice this week.'";
    assert_eq!(world.count(said).await, 1);
    let blocked =
        wire::ListBlockedTimesRequest { from_date: "2026-11-27".to_owned(), ..Default::default() };
    let blocked = harness.staff().list_blocked_times(by_desk(&harness, blocked)).await.unwrap();
    let blocked = blocked.into_inner().blocked_times.remove(0);
    assert_eq!(blocked.offered_until_at, offered(world, 12).await.held_until_at);
    // Opened by staff, the time goes to the next in order.
    let unblock = wire::UnblockTimeRequest { block_id: blocked.block_id };
    harness.staff().unblock_time(by_desk(&harness, unblock)).await.unwrap();
    offered(world, 11).await;
    assert_eq!(harness.audited("OfferTime").await.len(), 4, "refusals, too");
}

#[tokio::test]
async fn staff_take_a_client_off_the_list_and_the_offer_goes_on() {
    let harness = practice().await;
    let world = &harness.world;
    for number in [11, 12] {
        joined(world, number, wish()).await;
    }
    let first = list(&harness).await.remove(0).waiting.unwrap().waiting_id;
    let asked = by_desk(&harness, time(&first, 3, "The first in order."));
    harness.waiting_staff().offer_time(asked).await.unwrap();
    let end = |reason: &str| wire::EndWaitingRequest {
        waiting_id: first.clone(),
        reason: reason.to_owned(),
    };
    let unsaid = harness.waiting_staff().end_waiting(by_desk(&harness, end(""))).await;
    refused(unsaid, Code::InvalidArgument, "INVALID_REASON", "reason");
    for _press in 0..2 {
        let asked = by_desk(&harness, end("Wrote that it is not needed."));
        harness.waiting_staff().end_waiting(asked).await.unwrap();
    }
    until("the time is offered to the next", async || {
        Ok((offered(world, 12).await.starts_at == Some(to_wire(at(3, 11)))).then_some(()))
    })
    .await
    .unwrap();
    assert_eq!(list(&harness).await.len(), 1);
}

#[tokio::test]
async fn others_are_refused() {
    let harness = practice().await;
    for (person, reason) in
        [(customer(11), "STAFF_ONLY"), (customer(PRACTITIONER), "ROLE_NOT_ALLOWED")]
    {
        let asked = harness.by(person, wire::ListWaitingRequest::default());
        let answer = harness.waiting_staff().list_waiting(asked).await;
        refused(answer, Code::PermissionDenied, reason, "");
        let asked = harness.by(person, time("wai_none", 3, "No reason."));
        let answer = harness.waiting_staff().offer_time(asked).await;
        refused(answer, Code::PermissionDenied, reason, "");
    }
}

#[tokio::test]
async fn staff_offer_only_what_the_client_can_take() {
    let harness = practice().await;
    let world = &harness.world;
    let id = world.hold(customer(11), at(5, 11)).await;
    world.pay(id, "pay_11").await;
    let earlier = wire::WaitingWish { earlier_than_booking_id: id.to_string(), ..wish() };
    let entry = joined(world, 11, earlier).await.waiting_id;
    let later = by_desk(&harness, time(&entry, 6, "Asked on the phone."));
    let later = harness.waiting_staff().offer_time(later).await;
    refused(later, Code::FailedPrecondition, "SLOT_NOT_OFFERED", "starts_at");
    let sooner = by_desk(&harness, time(&entry, 3, "Asked on the phone."));
    harness.waiting_staff().offer_time(sooner).await.unwrap();
    // Another practitioner gives this service alone.
    let other = joined(world, 12, wish()).await.waiting_id;
    sqlx::query("update waiting_entries set service_id = 'karmic-healing' where customer_id = $1")
        .bind(customer(12))
        .execute(world.app.store.pool())
        .await
        .unwrap();
    let not_given = by_desk(&harness, time(&other, 4, "Asked on the phone."));
    let not_given = harness.waiting_staff().offer_time(not_given).await;
    refused(not_given, Code::FailedPrecondition, "SLOT_NOT_OFFERED", "starts_at");
}
