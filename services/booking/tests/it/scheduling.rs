//! An external scheduling provider has our confirmed sessions, each once, and no others.

use std::sync::Arc;

use booking::app::App;
use booking::app::calendar_bookings::{keep_calendar, schedule_keeping};
use booking::app::cancel_booking::cancel_booking;
use booking::app::move_booking::move_own_booking;
use booking::clients::scheduling::Scheduling;
use booking::read_model::calendar_bookings::{NEXT_WANTED, SessionState, of};
use contract::booking::v1::{CancelBookingRequest, CancelledBy, GetCalendarBookingRequest};
use eventstore::Metadata;
use kernel::Id;
use kernel::id::Booking;
use serde_json::{Value, json};
use tonic::Code;

use crate::cancels::asked;
use crate::grpc_harness::{GrpcHarness, refused};
use crate::third_parties::ThirdParties;
use crate::world::{TIMERS, World, at, customer, new_package, new_request, owner};

async fn scheduled() -> (World, ThirdParties, Arc<App>) {
    let world = World::without_timers().await;
    let server = ThirdParties::start().await;
    server.take_past_starts().await;
    let app = world.another_with_scheduling(Scheduling::External(server.provider()));
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

/// A paid package: sessions at eleven in the next three days.
async fn paid_package(world: &World) -> Id<Booking> {
    let package = new_package([at(1, 11), at(2, 11), at(3, 11)]);
    let id = world.request(customer(1), package).await.unwrap();
    world.pay(id, "pay_1").await;
    id
}

/// Cancels a session of a booking, or with 0 all of it.
async fn cancel(world: &World, id: Id<Booking>, session_number: i32) {
    let request = CancelBookingRequest { session_number, ..asked(id, CancelledBy::Practice) };
    cancel_booking(&world.app, owner(), request).await.unwrap();
}

async fn sessions(app: &App, id: Id<Booking>) -> Vec<SessionState> {
    of(app.store.pool(), id).await.unwrap()
}

/// The calendar booking and the problem of a single session.
async fn known(app: &App, id: Id<Booking>) -> (String, String) {
    let mut sessions = sessions(app, id).await;
    assert!(sessions.len() <= 1, "{sessions:?}");
    sessions.pop().map(|it| (it.uri, it.problem)).unwrap_or_default()
}

/// A fault of the provider's next request of a kind.
async fn fails(server: &ThirdParties, kind: &str, fault: Value) {
    server.fault_of(&format!("scheduling.{kind}"), fault).await;
}

fn answer_lost() -> Value {
    json!({ "kind": "timeout_after_success", "delay_ms": 1 })
}

fn refusal(status: u16, message: &str) -> Value {
    json!({ "kind": "status", "status": status, "code": message })
}

/// The starts of the provider's events with a status.
async fn starts(server: &ThirdParties, status: &str) -> Vec<String> {
    let events = server.events(status).await;
    let mut starts: Vec<_> =
        events.iter().map(|it| it["start_time"].as_str().unwrap().to_owned()).collect();
    starts.sort();
    starts
}

#[tokio::test]
async fn a_confirmed_session_is_scheduled_and_a_cancelled_one_is_cancelled() {
    let (world, server, app) = scheduled().await;
    world.hold(customer(9), at(1, 16)).await;
    let id = paid(&world, 1, 11).await;
    for _look in 0..3 {
        keep(&app).await;
    }
    let events = server.events("active").await;
    assert_eq!(events.len(), 1, "what is only held is not scheduled");
    assert_eq!(events[0]["start_time"], "2026-11-25T05:30:00Z");
    // The first event type is used, and resource.uri is the calendar booking's id.
    let first_type = format!("{}/scheduling/event_types/SESSION", server.url);
    assert_eq!(events[0]["event_type"], first_type);
    let invitee = server.invitee(&events[0]).await;
    let uri = invitee["uri"].as_str().unwrap().to_owned();
    assert_eq!(known(&app, id).await, (uri, String::new()));
    // The provider refuses fields that it does not know, so this is all that it got.
    let learnt = format!("{events:?} {invitee}").to_lowercase();
    assert!(!learnt.contains("meditation"), "{learnt}");
    cancel(&world, id, 0).await;
    keep(&app).await;
    assert_eq!(starts(&server, "active").await, [""; 0]);
    assert_eq!(known(&app, id).await, (String::new(), String::new()));
    keep(&app).await;
    assert_eq!(server.events("canceled").await.len(), 1);
}

#[tokio::test]
async fn a_moved_session_is_cancelled_there_and_scheduled_anew() {
    let (world, server, app) = scheduled().await;
    let id = paid(&world, 1, 11).await;
    keep(&app).await;
    let request = crate::moves::to(id, (at(1, 11), at(2, 14)));
    move_own_booking(&world.app, customer(1), request).await.unwrap();
    fails(&server, "cancellation", json!({ "kind": "status", "status": 500 })).await;
    // As long as the old time is there, the new one is not: there would be no name for it.
    for _look in 0..2 {
        keep(&app).await;
        assert_eq!(starts(&server, "active").await, ["2026-11-25T05:30:00Z"]);
    }
    world.minutes_later(10).await;
    for _look in 0..4 {
        keep(&app).await;
    }
    assert_eq!(starts(&server, "active").await, ["2026-11-26T08:30:00Z"]);
    assert_eq!(server.events("canceled").await.len(), 1);
}

#[tokio::test]
async fn a_session_whose_answer_was_lost_is_not_scheduled_twice() {
    let (world, server, app) = scheduled().await;
    let id = paid(&world, 1, 11).await;
    fails(&server, "invitees", answer_lost()).await;
    keep(&app).await;
    let (uri, problem) = known(&app, id).await;
    assert_eq!((uri.as_str(), problem.as_str()), ("", "Failed to create booking: Unknown error"));
    world.minutes_later(1).await;
    keep(&app).await;
    assert_eq!(server.events("active").await.len(), 1);
    assert!(known(&app, id).await.0.contains("/invitees/"));
    // A cancellation whose answer was lost is found done.
    cancel(&world, id, 0).await;
    fails(&server, "cancellation", answer_lost()).await;
    keep(&app).await;
    world.minutes_later(1).await;
    keep(&app).await;
    assert_eq!(known(&app, id).await, (String::new(), String::new()));
    assert_eq!(server.events("canceled").await.len(), 1);
}

#[tokio::test]
async fn the_providers_refusals_have_the_specifications_words() {
    let (world, server, app) = scheduled().await;
    let id = paid(&world, 1, 11).await;
    let mut too_many = refusal(429, "Too many requests");
    too_many["delay_ms"] = json!(90_000);
    for (kind, fault, told) in [
        ("event_types", refusal(500, ""), "Failed to fetch event types"),
        ("event_types", refusal(401, "The access token is invalid"), "Failed to fetch event types"),
        ("event_types", json!({ "kind": "empty" }), "No event types found"),
        ("invitees", refusal(400, "No such time."), "Failed to create booking: No such time."),
        ("invitees", refusal(500, ""), "Failed to create booking: Unknown error"),
        ("invitees", too_many, "Failed to create booking: Too many requests"),
    ] {
        fails(&server, kind, fault).await;
        keep(&app).await;
        assert_eq!(known(&app, id).await, (String::new(), told.to_owned()));
        // It is not asked again at once.
        keep(&app).await;
        assert_eq!(server.events("active").await.len(), 0);
        world.minutes_later(3).await;
    }
    keep(&app).await;
    assert_eq!(server.events("active").await.len(), 1);
    assert_eq!(known(&app, id).await.1, "");
}

#[tokio::test]
async fn one_failure_does_not_hold_up_the_other_sessions() {
    let (world, server, app) = scheduled().await;
    let first = paid(&world, 1, 11).await;
    let second = paid(&world, 2, 13).await;
    fails(&server, "invitees", refusal(400, "No such time.")).await;
    keep(&app).await;
    keep(&app).await;
    assert!(!known(&app, first).await.1.is_empty());
    assert!(!known(&app, second).await.0.is_empty());
}

const PACKAGE: [&str; 3] = ["2026-11-25T05:30:00Z", "2026-11-26T05:30:00Z", "2026-11-27T05:30:00Z"];

#[tokio::test]
async fn each_session_of_a_package_is_an_event_and_is_cancelled_alone() {
    let (world, server, app) = scheduled().await;
    let id = paid_package(&world).await;
    for _look in 0..4 {
        keep(&app).await;
    }
    assert_eq!(starts(&server, "active").await, PACKAGE);
    let before = sessions(&app, id).await;
    assert_eq!(before.iter().map(|it| it.number).collect::<Vec<_>>(), [1, 2, 3]);
    assert!(before.iter().all(|it| !it.uri.is_empty() && it.problem.is_empty()), "{before:?}");
    // Each is found again by a key of its own.
    let mut keys = Vec::new();
    for event in server.events("active").await {
        keys.push(server.invitee(&event).await["tracking"]["utm_content"].clone());
    }
    keys.sort_by_key(Value::to_string);
    assert_eq!(keys, [format!("{id}"), format!("{id}/2"), format!("{id}/3")]);
    cancel(&world, id, 2).await;
    for _look in 0..2 {
        keep(&app).await;
    }
    assert_eq!(starts(&server, "active").await, [PACKAGE[0], PACKAGE[2]]);
    let after = sessions(&app, id).await;
    assert_eq!((&after[0], &after[2]), (&before[0], &before[2]));
    assert_eq!(after[1].uri, "");
    cancel(&world, id, 0).await;
    for _look in 0..3 {
        keep(&app).await;
    }
    assert_eq!(starts(&server, "active").await, [""; 0]);
    assert_eq!(starts(&server, "canceled").await, PACKAGE);
}

#[tokio::test]
async fn a_fault_at_the_second_session_holds_up_neither_the_first_nor_the_third() {
    let (world, server, app) = scheduled().await;
    let id = paid_package(&world).await;
    keep(&app).await;
    fails(&server, "invitees", refusal(400, "No such time.")).await;
    for _look in 0..3 {
        keep(&app).await;
    }
    assert_eq!(starts(&server, "active").await, [PACKAGE[0], PACKAGE[2]]);
    let problems: Vec<_> = sessions(&app, id).await.into_iter().map(|it| it.problem).collect();
    assert_eq!(problems, ["", "Failed to create booking: No such time.", ""]);
    // It is cancelled before it could be scheduled, so it never is.
    cancel(&world, id, 2).await;
    world.minutes_later(60).await;
    keep(&app).await;
    assert_eq!(starts(&server, "active").await, [PACKAGE[0], PACKAGE[2]]);
    assert_eq!(starts(&server, "canceled").await, [""; 0]);
}

/// The task dies after the provider did it and before that is written.
#[tokio::test]
async fn a_death_between_provider_and_database_makes_no_second_event() {
    let (world, server, app) = scheduled().await;
    let id = paid_package(&world).await;
    for number in 1..=3 {
        fails(&server, "invitees", json!({ "kind": "timeout_after_success", "delay_ms": 60_000 }))
            .await;
        let dying = tokio::spawn({
            let app = Arc::clone(&app);
            async move { keep(&app).await }
        });
        testkit::until("the provider has it", async || {
            Ok((server.events("active").await.len() == number).then_some(()))
        })
        .await
        .unwrap();
        dying.abort();
        assert!(dying.await.unwrap_err().is_cancelled());
        assert_eq!(sessions(&app, id).await.len(), number - 1, "nothing is written of it");
        keep(&app).await;
        assert_eq!(server.events("active").await.len(), number);
        assert_eq!(sessions(&app, id).await.len(), number);
    }
    assert_eq!(starts(&server, "active").await, PACKAGE);
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
    assert!(own.calendar_booking_id.contains("/scheduled_events/"));
    assert!(!own.is_failing);
    assert_eq!(own.sessions.len(), 1);
    assert_eq!(own.sessions[0].calendar_booking_id, own.calendar_booking_id);
    let other = harness.calendars().get_calendar_booking(ask(2)).await;
    refused(other, Code::NotFound, "BOOKING_NOT_FOUND", "");
    let plain = GetCalendarBookingRequest { booking_id: id.to_string() };
    let anonymous = harness.calendars().get_calendar_booking(plain).await;
    refused(anonymous, Code::Unauthenticated, "TOKEN_MISSING", "");
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
