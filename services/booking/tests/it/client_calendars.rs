//! The secret address of a client's own sessions.

use booking::app::cancel_booking::cancel_booking;
use booking::app::move_booking::move_own_booking;
use booking::read_model::own_calendars::OWN_SESSIONS;
use contract::booking::v1::{
    CancelBookingRequest, CancelledBy, Contact, GetOwnCalendarRequest, OwnCalendar,
    RenewOwnCalendarRequest, RequestBookingRequest, StopOwnCalendarRequest,
};
use kernel::id::{Booking, Customer};
use kernel::{Id, Timestamp};
use tonic::{Code, Request};

use crate::calendar_feeds::{read, values};
use crate::cancels::asked;
use crate::grpc_harness::{GrpcHarness, refused};
use crate::moves::to;
use crate::world::{World, asha, at, customer, new_package, new_request_with, owner};

const DAY_MINUTES: i64 = 24 * 60;

async fn harness() -> GrpcHarness {
    GrpcHarness::of(World::of_two().await).await
}

fn renewal(details: bool) -> RenewOwnCalendarRequest {
    RenewOwnCalendarRequest { idempotency_key: eventstore::new_uuid().to_string(), details }
}

async fn renew(
    harness: &GrpcHarness,
    client: Id<Customer>,
    request: RenewOwnCalendarRequest,
) -> OwnCalendar {
    let renewed = harness.calendars().renew_own_calendar(harness.by(client, request)).await;
    renewed.unwrap().into_inner().calendar.unwrap()
}

async fn get(harness: &GrpcHarness, client: Id<Customer>) -> OwnCalendar {
    let asked = harness.by(client, GetOwnCalendarRequest {});
    harness.calendars().get_own_calendar(asked).await.unwrap().into_inner().calendar.unwrap()
}

async fn stop(harness: &GrpcHarness, client: Id<Customer>) {
    let asked = harness.by(client, StopOwnCalendarRequest {});
    harness.calendars().stop_own_calendar(asked).await.unwrap();
}

fn secret(calendar: &OwnCalendar) -> String {
    let path = calendar.path.strip_prefix("/calendars/").unwrap();
    path.strip_suffix(".ics").unwrap().to_owned()
}

async fn booked(world: &World, client: u128, starts_at: Timestamp) -> Id<Booking> {
    let contact = Contact {
        first_name: "Canaryfirst".to_owned(),
        last_name: "Canarylast".to_owned(),
        phone: "+919812345678".to_owned(),
        ..asha()
    };
    let request = new_request_with("ravi", "meditation", starts_at);
    let request = RequestBookingRequest { contact: Some(contact), ..request };
    let id = world.request(customer(client), request).await.unwrap();
    world.pay(id, &format!("pay_{id}")).await;
    id
}

async fn cancel(world: &World, id: Id<Booking>, session_number: i32) {
    let request = CancelBookingRequest { session_number, ..asked(id, CancelledBy::Practice) };
    cancel_booking(&world.app, owner(), request).await.unwrap();
}

#[tokio::test]
async fn an_address_shows_the_own_sessions_and_tells_nothing_of_them() {
    let harness = harness().await;
    let world = &harness.world;
    let own = renew(&harness, customer(1), renewal(false)).await;
    assert!(!own.details);
    assert_eq!(get(&harness, customer(1)).await, own);
    let empty = read(&harness, &secret(&own)).await.unwrap();
    assert_eq!(values(&empty, "BEGIN"), ["VCALENDAR", "VTIMEZONE", "STANDARD"]);
    let mine = booked(world, 1, at(1, 14)).await;
    booked(world, 2, at(1, 16)).await;
    // It is held, and not paid.
    world.request(customer(1), new_request_with("lead", "meditation", at(2, 11))).await.unwrap();
    let calendar = read(&harness, &secret(&own)).await.unwrap();
    assert_eq!(values(&calendar, "UID"), [format!("{mine}-0@bookings.sukoon")]);
    assert_eq!(values(&calendar, "DTSTART"), ["20261125T083000Z"]);
    assert_eq!(values(&calendar, "SUMMARY"), ["Session"]);
    assert_eq!(values(&calendar, "X-WR-CALNAME"), ["Sessions"]);
    for property in ["LOCATION", "DESCRIPTION", "URL", "ORGANIZER"] {
        assert_eq!(values(&calendar, property), [""; 0], "{property}");
    }
    for told in ["anary", "9812345678", "asha@", "editation", "Ravi", "ravi", "http", "Online"] {
        assert!(!calendar.contains(told), "{told}: {calendar}");
    }
}

#[tokio::test]
async fn details_are_shown_where_the_client_chose_them() {
    let harness = harness().await;
    booked(&harness.world, 1, at(1, 14)).await;
    let own = renew(&harness, customer(1), renewal(true)).await;
    assert!(own.details);
    let calendar = read(&harness, &secret(&own)).await.unwrap();
    let summary = values(&calendar, "SUMMARY");
    assert!(summary[0].ends_with(" with Ravi Menon"), "{summary:?}");
    assert_eq!(values(&calendar, "LOCATION"), ["Online"]);
    for told in ["anary", "9812345678", "asha@", "http"] {
        assert!(!calendar.contains(told), "{told}: {calendar}");
    }
}

#[tokio::test]
async fn a_moved_session_follows_and_a_cancelled_one_is_gone() {
    let harness = harness().await;
    let world = &harness.world;
    let address = secret(&renew(&harness, customer(1), renewal(false)).await);
    let id = booked(world, 1, at(3, 14)).await;
    let times = (at(3, 14), at(4, 16));
    move_own_booking(&world.app, customer(1), to(id, times)).await.unwrap();
    let calendar = read(&harness, &address).await.unwrap();
    assert_eq!(values(&calendar, "UID"), [format!("{id}-0@bookings.sukoon")]);
    assert_eq!(values(&calendar, "SEQUENCE"), ["1"]);
    assert_eq!(values(&calendar, "DTSTART"), ["20261128T103000Z"]);
    cancel(world, id, 0).await;
    assert_eq!(values(&read(&harness, &address).await.unwrap(), "UID"), [""; 0]);
    // Of a package the other sessions keep their ids.
    let package = new_package([at(1, 11), at(2, 11), at(3, 11)]);
    let id = world.request(customer(1), package).await.unwrap();
    world.pay(id, "pay_package").await;
    cancel(world, id, 1).await;
    let uid = |number: i32| format!("{id}-{number}@bookings.sukoon");
    assert_eq!(values(&read(&harness, &address).await.unwrap(), "UID"), [uid(1), uid(2)]);
}

#[tokio::test]
async fn a_session_stays_for_thirty_days() {
    let harness = harness().await;
    let world = &harness.world;
    let address = secret(&renew(&harness, customer(1), renewal(false)).await);
    booked(world, 1, at(1, 14)).await;
    world.minutes_later(30 * DAY_MINUTES).await;
    assert_eq!(values(&read(&harness, &address).await.unwrap(), "UID").len(), 1);
    world.minutes_later(2 * DAY_MINUTES).await;
    assert_eq!(values(&read(&harness, &address).await.unwrap(), "UID").len(), 0);
}

#[tokio::test]
async fn an_address_ends_when_it_is_renewed_or_stopped() {
    let harness = harness().await;
    let none = get(&harness, customer(1)).await;
    assert_eq!(none, OwnCalendar::default());
    let first = renew(&harness, customer(1), renewal(false)).await;
    let other = renew(&harness, customer(2), renewal(false)).await;
    let request = renewal(true);
    let second = renew(&harness, customer(1), request.clone()).await;
    // A repeated call makes no third one.
    assert_eq!(renew(&harness, customer(1), request).await, second);
    stop(&harness, customer(2)).await;
    stop(&harness, customer(2)).await;
    read(&harness, &secret(&second)).await.unwrap();
    for ended in [secret(&first), secret(&other), secret(&second)[1..].to_owned()] {
        let gone = read(&harness, &ended).await;
        refused(gone, Code::NotFound, "CALENDAR_FEED_NOT_FOUND", "");
    }
    assert_eq!(get(&harness, customer(2)).await, OwnCalendar::default());
    let unsigned = Request::new(GetOwnCalendarRequest {});
    let unsigned = harness.calendars().get_own_calendar(unsigned).await;
    assert_eq!(unsigned.unwrap_err().code(), Code::Unauthenticated);
    let wrong = RenewOwnCalendarRequest { idempotency_key: "short".to_owned(), details: false };
    let wrong = harness.calendars().renew_own_calendar(harness.by(customer(1), wrong)).await;
    assert_eq!(wrong.unwrap_err().code(), Code::InvalidArgument);
    assert_eq!(get(&harness, customer(1)).await, second);
}

#[tokio::test]
async fn among_many_bookings_an_address_reads_the_own_ones() {
    let harness = harness().await;
    let world = &harness.world;
    for sql in [
        "insert into bookings (booking_id, customer_id, service_id, service_title, price_minor,
                               price_currency, practitioner_id, mode, state, requested_at,
                               last_ends_at)
         select gen_random_uuid(), gen_random_uuid(), 'meditation', 'Meditation', 50000, 'INR',
                'lead', 'online', 'completed', '2020-01-01', '2026-12-01'
         from generate_series(1, 20000)",
        "insert into slot_reservations (booking_id, practitioner_id, starts_at, ends_at, live)
         select booking_id, 'lead', starts_at, starts_at + interval '45 minutes', true
         from (select booking_id, timestamptz '2022-06-01T00:00Z'
                      + row_number() over (order by booking_id) * interval '2 hours' as starts_at
               from bookings) placed",
        "analyze bookings",
        "analyze slot_reservations",
    ] {
        world.db.as_owner(sql).await.unwrap();
    }
    let from: Timestamp = "2026-10-25T03:30:00Z".parse().unwrap();
    let explain = sqlx::AssertSqlSafe(format!("explain {OWN_SESSIONS}"));
    let plan: Vec<String> = sqlx::query_scalar(explain)
        .bind(customer(1))
        .bind(from)
        .bind(1000_i64)
        .fetch_all(world.app.store.pool())
        .await
        .unwrap();
    let plan = plan.join("\n");
    assert!(!plan.contains("Seq Scan"), "{plan}");
}
