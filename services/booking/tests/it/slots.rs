//! The public list of free times.

use booking::app::list_slots::list_slots;
use contract::booking::v1::{ListSlotsRequest, ListSlotsResponse, SlotDay};
use contract::convert::{timestamp, to_wire};

use crate::world::{World, at, customer, reason};

async fn list(world: &World, service: &str, from: &str, days: i32) -> ListSlotsResponse {
    list_slots(&world.app, asked(service, from, days)).await.unwrap()
}

fn asked(service: &str, from: &str, days: i32) -> ListSlotsRequest {
    let (service_id, from_date) = (service.to_owned(), from.to_owned());
    ListSlotsRequest { service_id, from_date, days, practitioner_id: String::new() }
}

/// The start times of a day as hours in Bhopal; occupied ones are negative.
pub(crate) fn hours(day: &SlotDay) -> Vec<i64> {
    day.slots
        .iter()
        .map(|slot| {
            let start = timestamp(&slot.starts_at.unwrap()).unwrap();
            let hour = start.seconds_since(at(0, 0)).rem_euclid(86_400) / 3600;
            if slot.available { hour } else { -hour }
        })
        .collect()
}

#[tokio::test]
async fn a_week_is_listed_from_today_on() {
    let world = World::without_timers().await;
    let listed = list(&world, "meditation", "", 0).await;
    assert_eq!(listed.days.len(), 7);
    assert_eq!(listed.days[0].date, "2026-11-24");
    assert_eq!(listed.days[6].date, "2026-11-30");
    assert_eq!(listed.time_zone, "Asia/Kolkata");
    assert_eq!(listed.time_zone_label, "IST");
    assert_eq!(listed.last_date, "2027-01-23");
    assert_eq!(listed.next_available_at, Some(to_wire(at(0, 11))));
    for day in &listed.days {
        assert_eq!(hours(day), [11, 12, 13, 14, 15, 16, 17]);
        assert!(!day.closed);
    }
}

#[tokio::test]
async fn past_starts_disappear_as_the_day_goes_on() {
    let world = World::without_timers().await;
    world.minutes_later(3 * 60).await;
    let listed = list(&world, "meditation", "2026-11-24", 1).await;
    assert_eq!(hours(&listed.days[0]), [13, 14, 15, 16, 17]);
    world.minutes_later(5 * 60).await;
    let listed = list(&world, "meditation", "2026-11-24", 1).await;
    assert_eq!(hours(&listed.days[0]), Vec::<i64>::new());
    assert_eq!(listed.next_available_at, Some(to_wire(at(1, 11))));
}

#[tokio::test]
async fn held_and_booked_times_are_taken_for_their_whole_length() {
    let world = World::new().await;
    let request = crate::world::new_request("energy-healing", at(0, 11));
    let first = world.request(customer(1), request).await.unwrap();
    let booked = world.hold(customer(2), at(0, 15)).await;
    world.pay(booked, "pay_1").await;
    let day = |listed: ListSlotsResponse| hours(&listed.days[0]);
    // Ninety minutes at eleven and an hour at three.
    let an_hour = day(list(&world, "meditation", "2026-11-24", 1).await);
    assert_eq!(an_hour, [-11, -12, 13, 14, -15, 16, 17]);
    let longer = day(list(&world, "energy-healing", "2026-11-24", 1).await);
    assert_eq!(longer, [-11, -12, 13, -14, -15, 16, 17]);
    // The hold expires, the booking stays.
    world.minutes_later(16).await;
    world.reaches(first, contract::booking::v1::BookingState::Expired).await;
    let after = day(list(&world, "meditation", "2026-11-24", 1).await);
    assert_eq!(after, [11, 12, 13, 14, -15, 16, 17]);
}

#[tokio::test]
async fn days_beyond_the_horizon_are_empty_and_wrong_questions_refused() {
    let world = World::without_timers().await;
    let listed = list(&world, "meditation", "2027-01-23", 2).await;
    assert_eq!(hours(&listed.days[0]).len(), 7);
    assert_eq!(hours(&listed.days[1]).len(), 0);
    for (request, why) in [
        (asked("meditation", "24-11-2026", 1), "INVALID_DATE"),
        (asked("meditation", "2026-02-30", 1), "INVALID_DATE"),
        (asked("meditation", "9999-12-31", 1), "INVALID_DATE"),
        (asked("meditation", "", 43), "RANGE_TOO_LONG"),
        (asked("meditation", "", -1), "RANGE_TOO_LONG"),
        (asked("unknown", "", 1), "SERVICE_NOT_FOUND"),
        (asked("", "", 1), "SERVICE_NOT_FOUND"),
    ] {
        assert_eq!(reason(list_slots(&world.app, request).await), why);
    }
}
