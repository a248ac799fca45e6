//! Meeting rooms: one per booking, however often the provider fails.

use booking::app::cancel_booking::cancel_booking;
use booking::app::schedule_meeting::schedule_meeting;
use booking::domain::claim_policy::ClaimPolicy;
use contract::booking::v1::{
    BookingState, CancelBookingRequest, CancelledBy, RequestBookingRequest, RoomMissing,
    SessionMode,
};
use eventstore::Metadata;
use kernel::Id;
use kernel::id::Booking;
use practice::PractitionerMeetings;
use testkit::until;

use crate::world::{
    World, at, customer, new_package, new_request, new_request_with, owner, practice_of_two,
};

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

/// What was told of missing rooms, by the sessions' numbers.
async fn missing(world: &World, id: Id<Booking>) -> Vec<i32> {
    let events = world.app.store.load(&booking::contract::room_stream(id)).await.unwrap();
    let told = events.iter().map(|event| event.get::<RoomMissing>().unwrap().unwrap());
    told.map(|event| event.session_number).collect()
}

/// Runs the timer of the room's creation, which fails or not.
async fn ask_for_room(world: &World, id: Id<Booking>) -> bool {
    schedule_meeting(&world.app, Metadata::by("booking", None), id).await.is_ok()
}

#[tokio::test]
async fn a_session_without_a_room_a_day_before_is_told_once_and_ends_with_the_room() {
    let world = World::without_timers().await;
    let id = world.hold(customer(1), at(2, 11)).await;
    world.pay(id, "pay_1").await;
    world.rooms.fail(4);
    assert!(!ask_for_room(&world, id).await);
    assert_eq!(missing(&world, id).await, [] as [i32; 0], "two days before it is early");
    world.minutes_later(26 * 60 + 1).await;
    for _ in 0..3 {
        assert!(!ask_for_room(&world, id).await);
        assert_eq!(missing(&world, id).await, [0]);
    }
    assert_eq!(world.state(id).await, BookingState::Confirmed);
    assert!(ask_for_room(&world, id).await);
    assert_eq!(world.state(id).await, BookingState::MeetingScheduled);
    assert_eq!(missing(&world, id).await, [0]);
}

#[tokio::test]
async fn of_what_is_booked_for_the_same_day_the_provider_has_ten_minutes() {
    let world = World::without_timers().await;
    let id = world.hold(customer(1), at(0, 15)).await;
    world.pay(id, "pay_1").await;
    world.rooms.fail(2);
    assert!(!ask_for_room(&world, id).await);
    assert_eq!(missing(&world, id).await, [] as [i32; 0]);
    world.minutes_later(10).await;
    assert!(!ask_for_room(&world, id).await);
    assert_eq!(missing(&world, id).await, [0]);
}

#[tokio::test]
async fn of_a_package_each_session_that_takes_place_is_told_by_its_number() {
    let world = World::without_timers().await;
    let package = new_package([at(1, 11), at(2, 11), at(3, 11)]);
    let id = world.request(customer(1), package).await.unwrap();
    world.pay(id, "pay_1").await;
    let cancel = CancelBookingRequest {
        session_number: 2,
        ..crate::cancels::asked(id, CancelledBy::Customer)
    };
    cancel_booking(&world.app, owner(), cancel).await.unwrap();
    world.rooms.fail(3);
    for (minutes, told) in [(3 * 60, vec![1]), (24 * 60, vec![1]), (24 * 60, vec![1, 3])] {
        world.minutes_later(minutes).await;
        assert!(!ask_for_room(&world, id).await);
        assert_eq!(missing(&world, id).await, told, "{minutes}");
    }
}

#[tokio::test]
async fn a_practice_with_a_fallback_link_meets_there_when_the_provider_is_away_the_day_before() {
    let mut practice = practice_of_two();
    practice.meetings.fallback_link = "https://meet.example.org/spare".into();
    practice.meetings.practitioners = vec![PractitionerMeetings {
        practitioner_id: "ravi".to_owned(),
        provider: None,
        link: "".into(),
        user: String::new(),
        fallback_link: "https://meet.example.org/ravis".into(),
    }];
    let world = World::of(practice, ClaimPolicy::Review).await;
    for (number, practitioner, link) in [(1, "lead", "spare"), (2, "ravi", "ravis")] {
        let request = new_request_with(practitioner, "meditation", at(2, 15));
        let id = world.request(customer(number), request).await.unwrap();
        world.pay(id, &format!("pay_{number}")).await;
        world.rooms.fail(2);
        assert!(!ask_for_room(&world, id).await);
        assert_eq!(world.state(id).await, BookingState::Confirmed, "two days before it is early");
        let now = world.app.store.now().await.unwrap();
        world.minutes_later(at(1, 15).seconds_since(now) / 60 + 1).await;
        assert!(ask_for_room(&world, id).await);
        let booking = world.view(id).await.booking;
        assert_eq!(booking.state(), BookingState::MeetingScheduled);
        assert_eq!(booking.join_url, format!("https://meet.example.org/{link}"));
        assert_eq!(missing(&world, id).await, [] as [i32; 0]);
        world.minutes_later(-(at(1, 15).seconds_since(now) / 60 + 1)).await;
    }
}
