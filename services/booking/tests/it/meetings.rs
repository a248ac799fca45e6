//! Meeting rooms: one per booking, however often the provider fails.

use contract::booking::v1::{BookingState, RequestBookingRequest, SessionMode};
use testkit::until;

use crate::world::{World, at, customer, new_request};

#[tokio::test]
async fn a_provider_that_fails_is_asked_again_while_the_booking_stays_confirmed() {
    let world = World::new().await;
    world.rooms.fail(2);
    let id = world.hold(customer(1), at(1, 11)).await;
    world.pay(id, "pay_1").await;
    until("the provider was asked", async || Ok((!world.rooms.asked().is_empty()).then_some(())))
        .await
        .unwrap();
    assert_eq!(world.state(id).await, BookingState::Confirmed);
    world.reaches(id, BookingState::MeetingScheduled).await;
    assert_eq!((world.rooms.asked().len(), world.rooms.count()), (3, 1));
}

#[tokio::test]
async fn the_provider_learns_the_time_and_nothing_of_person_or_service() {
    let world = World::new().await;
    let id = world.request(customer(1), new_request("energy-healing", at(1, 11))).await.unwrap();
    world.pay(id, "pay_1").await;
    world.reaches(id, BookingState::MeetingScheduled).await;
    let asked = world.rooms.asked();
    assert_eq!(
        asked,
        [serde_json::json!({
            "external_id": id.to_string(),
            "title": "Session with Sukoon",
            "starts_at": "2026-11-25T05:30:00Z",
            "duration_minutes": 90,
        })]
    );
}

#[tokio::test]
async fn a_session_in_person_needs_no_room() {
    let world = World::new().await;
    let request = RequestBookingRequest {
        mode: SessionMode::InPerson.into(),
        ..new_request("meditation", at(0, 11))
    };
    let id = world.request(customer(1), request).await.unwrap();
    world.pay(id, "pay_1").await;
    assert_eq!(world.state(id).await, BookingState::Confirmed);
    world.minutes_later(3 * 60).await;
    world.reaches(id, BookingState::Completed).await;
    assert!(world.rooms.asked().is_empty());
}
