//! An external scheduling provider has our confirmed sessions, each once, and no others.

use std::sync::Arc;

use booking::app::App;
use booking::app::calendar_bookings::{keep_calendar, schedule_keeping};
use booking::app::cancel_booking::cancel_booking;
use booking::clients::scheduling::{Provider, Scheduling};
use booking::read_model::calendar_bookings::{NEXT_WANTED, of};
use contract::booking::v1::{CancelBookingRequest, CancelledBy, GetCalendarBookingRequest};
use eventstore::Metadata;
use kernel::Id;
use kernel::id::Booking;
use tonic::Code;

use crate::grpc_harness::{GrpcHarness, refused};
use crate::scheduling_server::{Fault, SchedulingServer, TOKEN};
use crate::world::{TIMERS, World, at, customer, new_request, owner};

async fn scheduled() -> (World, SchedulingServer, Arc<App>) {
    let world = World::without_timers().await;
    let server = SchedulingServer::new().await;
    let provider = Provider::new(&server.url, &server.user(), TOKEN.to_owned().into()).unwrap();
    let app = world.another_with_scheduling(Scheduling::External(provider));
    (world, server, app)
}

async fn keep(app: &Arc<App>) {
    keep_calendar(app, Metadata::default()).await.unwrap();
}

async fn paid(world: &World, number: u128, hour: i64) -> Id<Booking> {
    let id = world.request(customer(number), new_request("meditation", at(1, hour))).await.unwrap();
    world.pay(id, &format!("pay_{number}")).await;
    id
}

async fn cancel(world: &World, id: Id<Booking>) {
    let request = CancelBookingRequest {
        booking_id: id.to_string(),
        idempotency_key: eventstore::new_uuid().to_string(),
        cancelled_by: CancelledBy::Practice.into(),
        refund: 0,
        session_number: 0,
    };
    cancel_booking(&world.app, owner(), request).await.unwrap();
}

async fn known(app: &App, id: Id<Booking>) -> (String, String) {
    of(app.store.pool(), id).await.unwrap()
}

#[tokio::test]
async fn a_confirmed_session_is_scheduled_and_a_cancelled_one_is_cancelled() {
    let (world, server, app) = scheduled().await;
    world.hold(customer(9), at(1, 16)).await;
    let id = paid(&world, 1, 11).await;
    for _look in 0..3 {
        keep(&app).await;
    }
    let events = server.events("active");
    assert_eq!(events.len(), 1, "what is only held is not scheduled");
    assert_eq!(events[0]["start_time"], "2026-11-25T05:30:00Z");
    // The first event type is used, and resource.uri is the calendar booking's id.
    assert_eq!(events[0]["event_type"], format!("{}/event_types/T1", server.url));
    let uri = format!("{}/scheduled_events/E1/invitees/I1", server.url);
    assert_eq!(known(&app, id).await, (uri, String::new()));
    assert!(!server.asked().to_lowercase().contains("meditation"), "{}", server.asked());
    cancel(&world, id).await;
    keep(&app).await;
    assert_eq!((server.events("active").len(), server.events("canceled").len()), (0, 1));
    assert_eq!(known(&app, id).await, (String::new(), String::new()));
    keep(&app).await;
    assert_eq!(server.events("canceled").len(), 1);
}

#[tokio::test]
async fn a_session_whose_answer_was_lost_is_not_scheduled_twice() {
    let (world, server, app) = scheduled().await;
    let id = paid(&world, 1, 11).await;
    server.fails("invitees", Fault::AnswerLost);
    keep(&app).await;
    let (uri, problem) = known(&app, id).await;
    assert_eq!((uri.as_str(), problem.as_str()), ("", "Failed to create booking: Unknown error"));
    world.minutes_later(1).await;
    keep(&app).await;
    assert_eq!(server.events("active").len(), 1);
    assert!(known(&app, id).await.0.ends_with("/invitees/I1"));
    // A cancellation whose answer was lost is found done.
    cancel(&world, id).await;
    server.fails("cancellation", Fault::AnswerLost);
    keep(&app).await;
    world.minutes_later(1).await;
    keep(&app).await;
    assert_eq!(known(&app, id).await, (String::new(), String::new()));
    assert_eq!(server.events("canceled").len(), 1);
}

#[tokio::test]
async fn the_providers_refusals_have_the_specifications_words() {
    let (world, server, app) = scheduled().await;
    let id = paid(&world, 1, 11).await;
    let refuse = |status, message| Fault::Refused(status, message);
    for (kind, fault, told) in [
        ("event_types", refuse(500, ""), "Failed to fetch event types"),
        ("event_types", refuse(401, "The access token is invalid"), "Failed to fetch event types"),
        ("invitees", refuse(400, "No such time."), "Failed to create booking: No such time."),
        ("invitees", refuse(500, ""), "Failed to create booking: Unknown error"),
        ("invitees", Fault::TooMany(90), "Failed to create booking: Too many requests"),
    ] {
        server.fails(kind, fault);
        keep(&app).await;
        assert_eq!(known(&app, id).await, (String::new(), told.to_owned()));
        // It is not asked again at once.
        keep(&app).await;
        assert_eq!(server.events("active").len(), 0);
        world.minutes_later(2).await;
    }
    server.has_event_types(0);
    keep(&app).await;
    assert_eq!(known(&app, id).await.1, "No event types found");
    server.has_event_types(1);
    world.minutes_later(60).await;
    keep(&app).await;
    assert_eq!(server.events("active").len(), 1);
    assert_eq!(known(&app, id).await.1, "");
}

#[tokio::test]
async fn one_failure_does_not_hold_up_the_other_sessions() {
    let (world, server, app) = scheduled().await;
    let first = paid(&world, 1, 11).await;
    let second = paid(&world, 2, 13).await;
    server.fails("invitees", Fault::Refused(400, "No such time."));
    keep(&app).await;
    keep(&app).await;
    assert!(!known(&app, first).await.1.is_empty());
    assert!(!known(&app, second).await.0.is_empty());
}

#[tokio::test]
async fn without_a_provider_nothing_is_asked_and_no_timer_is_set() {
    let world = World::without_timers().await;
    let id = paid(&world, 1, 11).await;
    schedule_keeping(&world.app).await.unwrap();
    assert_eq!(world.count(TIMERS).await, 2, "the room and the session's end");
    keep_calendar(&world.app, Metadata::default()).await.unwrap();
    assert_eq!(known(&world.app, id).await, (String::new(), String::new()));
}

#[tokio::test]
async fn only_the_owner_learns_the_calendar_bookings_id() {
    let (world, _server, app) = scheduled().await;
    let id = paid(&world, 1, 11).await;
    keep(&app).await;
    let harness = GrpcHarness::of(world).await;
    let ask = |number| {
        harness.by(customer(number), GetCalendarBookingRequest { booking_id: id.to_string() })
    };
    let own = harness.calendars().get_calendar_booking(ask(1)).await.unwrap().into_inner();
    assert!(own.calendar_booking_id.ends_with("/scheduled_events/E1/invitees/I1"));
    assert!(!own.is_failing);
    let other = harness.calendars().get_calendar_booking(ask(2)).await;
    refused(other, Code::NotFound, "BOOKING_NOT_FOUND", "");
    let plain = GetCalendarBookingRequest { booking_id: id.to_string() };
    let nobody = harness.calendars().get_calendar_booking(plain).await;
    refused(nobody, Code::Unauthenticated, "TOKEN_MISSING", "");
}

#[tokio::test]
async fn the_next_session_is_found_without_reading_the_past() {
    let (world, _server, app) = scheduled().await;
    for sql in [
        "insert into bookings (booking_id, customer_id, service_id, service_title, price_minor,
                               price_currency, practitioner_id, mode, state, requested_at)
         select gen_random_uuid(), gen_random_uuid(), 'meditation', 'Meditation', 50000, 'INR',
                'lead', 'online', 'completed', '2020-01-01' from generate_series(1, 20000)",
        "insert into slot_reservations (booking_id, practitioner_id, starts_at, ends_at, live)
         select booking_id, 'lead', starts_at, starts_at + interval '45 minutes', true
         from (select booking_id, timestamptz '2020-01-01T00:00Z'
                      + row_number() over (order by booking_id) * interval '2 hours' as starts_at
               from bookings) placed",
        "analyze bookings",
        "analyze slot_reservations",
    ] {
        world.db.as_owner(sql).await.unwrap();
    }
    let now = app.store.now().await.unwrap();
    let plan: Vec<String> =
        sqlx::query_scalar(sqlx::AssertSqlSafe(format!("explain {NEXT_WANTED}")))
            .bind(now)
            .fetch_all(app.store.pool())
            .await
            .unwrap();
    let plan = plan.join("\n");
    assert!(plan.contains("slot_reservations_by_start"), "{plan}");
    assert!(!plan.contains("Seq Scan on slot_reservations"), "{plan}");
}
