//! The sessions of a day, for the day sheet.

use booking::read_model::query::BOOKINGS_BETWEEN;
use contract::booking::v1::{Booking, BookingState, ListDaySessionsRequest, SessionMode};
use kernel::Timestamp;
use tonic::{Code, Status};

use crate::cancels::cancel_by_practice;
use crate::grpc_harness::{GrpcHarness, refused};
use crate::world::{asha, at, customer, new_request, owner};

async fn listed(harness: &GrpcHarness, date: &str) -> Result<Vec<Booking>, Status> {
    let asked = ListDaySessionsRequest { date: date.to_owned() };
    let answer = harness.internal("notifications").list_day_sessions(asked).await?;
    Ok(answer.into_inner().bookings)
}

fn ids(bookings: &[Booking]) -> Vec<String> {
    bookings.iter().map(|booking| booking.booking_id.clone()).collect()
}

#[tokio::test]
async fn a_day_shows_what_takes_place_and_nothing_else() {
    let harness = GrpcHarness::new().await;
    let world = &harness.world;
    let late = world.hold(customer(1), at(1, 16)).await;
    let mut in_person = new_request("meditation", at(1, 11));
    in_person.mode = SessionMode::InPerson.into();
    let early = world.request(customer(2), in_person).await.unwrap();
    let other_day = world.hold(customer(3), at(2, 11)).await;
    let cancelled = world.hold(customer(4), at(1, 13)).await;
    world.hold(customer(5), at(1, 14)).await;
    for (number, id) in [late, early, other_day, cancelled].into_iter().enumerate() {
        world.pay(id, &format!("pay_{number}")).await;
    }
    world.reaches(late, BookingState::MeetingScheduled).await;
    cancel_by_practice(world, owner(), cancelled).await;
    let day = listed(&harness, "2026-11-25").await.unwrap();
    assert_eq!(ids(&day), [early.to_string(), late.to_string()]);
    assert_eq!((day[0].state(), day[0].mode()), (BookingState::Confirmed, SessionMode::InPerson));
    assert_eq!(day[0].contact, Some(asha()));
    assert!(day[1].join_url.starts_with("http"));
    assert_eq!(ids(&listed(&harness, "2026-11-26").await.unwrap()), [other_day.to_string()]);
    assert_eq!(listed(&harness, "2026-11-24").await.unwrap(), []);
    // A completed session stays on its day's sheet.
    world.minutes_later(24 * 60 + 3 * 60).await;
    world.reaches(early, BookingState::Completed).await;
    let day = listed(&harness, "2026-11-25").await.unwrap();
    assert_eq!(ids(&day), [early.to_string(), late.to_string()]);
}

#[tokio::test]
async fn a_day_is_one_of_the_practices_zone() {
    let harness = GrpcHarness::new().await;
    // In UTC, India's Wednesday starts and ends at half past six in the evening.
    harness
        .world
        .db
        .as_owner(
            "insert into bookings (booking_id, customer_id, service_id, service_title, price_minor,
                                   price_currency, practitioner_id, mode, state, requested_at)
             select ('00000000-0000-7000-8000-00000000000' || n)::uuid, gen_random_uuid(),
                    'meditation', 'Meditation', 50000, 'INR', 'lead', 'online', 'confirmed', now()
             from generate_series(1, 4) n;
             insert into slot_reservations (booking_id, practitioner_id, starts_at, ends_at, live)
             select ('00000000-0000-7000-8000-00000000000' || n)::uuid, 'lead', starts_at,
                    starts_at + interval '30 seconds', true
             from (values (1, timestamptz '2026-11-24T18:29:59Z'), (2, '2026-11-24T18:30:29Z'),
                          (3, '2026-11-25T18:29:29Z'), (4, '2026-11-25T18:30:00Z'))
                  times (n, starts_at);",
        )
        .await
        .unwrap();
    let numbers = async |date: &str| -> Vec<char> {
        let day = listed(&harness, date).await.unwrap();
        ids(&day).iter().filter_map(|id| id.chars().last()).collect()
    };
    assert_eq!(numbers("2026-11-24").await, ['1']);
    assert_eq!(numbers("2026-11-25").await, ['2', '3']);
    assert_eq!(numbers("2026-11-26").await, ['4']);
}

#[tokio::test]
async fn only_notifications_asks_and_only_for_a_date() {
    let harness = GrpcHarness::new().await;
    let asked = || ListDaySessionsRequest { date: "2026-11-25".to_owned() };
    for service in ["payments", "reviews", "catalogue"] {
        let answer = harness.internal(service).list_day_sessions(asked()).await;
        refused(answer, Code::PermissionDenied, "CALLER_NOT_ALLOWED", "");
    }
    for wrong in ["", "25.11.2026", "2026-02-30", "2026-11-25T00:00"] {
        let answer = listed(&harness, wrong).await;
        refused(answer, Code::InvalidArgument, "INVALID_DATE", "date");
    }
}

#[tokio::test]
async fn a_day_costs_what_it_shows() {
    let harness = GrpcHarness::new().await;
    let world = &harness.world;
    for sql in [
        "insert into bookings (booking_id, customer_id, service_id, service_title, price_minor,
                               price_currency, practitioner_id, mode, state, requested_at)
         select gen_random_uuid(), gen_random_uuid(), 'meditation', 'Meditation', 50000, 'INR',
                'lead', 'online', 'completed', now() from generate_series(1, 5000)",
        "insert into slot_reservations (booking_id, practitioner_id, starts_at, ends_at, live)
         select booking_id, 'lead', starts_at, starts_at + interval '45 minutes', true
         from (select booking_id, timestamptz '2025-01-01T00:00Z'
                      + row_number() over (order by booking_id) * interval '2 hours' as starts_at
               from bookings) placed",
        "analyze bookings",
        "analyze slot_reservations",
    ] {
        world.db.as_owner(sql).await.unwrap();
    }
    let from: Timestamp = "2025-06-01T18:30:00Z".parse().unwrap();
    let plan: Vec<String> =
        sqlx::query_scalar(sqlx::AssertSqlSafe(format!("explain {BOOKINGS_BETWEEN}")))
            .bind(from)
            .bind(from.plus_minutes(24 * 60))
            .bind(Some(&["confirmed", "meeting_scheduled", "completed"][..]))
            .bind(500_i64)
            .bind(None::<&str>)
            .fetch_all(world.app.store.pool())
            .await
            .unwrap();
    let plan = plan.join("\n");
    assert!(plan.contains("slot_reservations_by_start"), "{plan}");
    assert!(plan.contains("bookings_pkey") && !plan.contains("Seq Scan"), "{plan}");
    assert_eq!(listed(&harness, "2025-06-02").await.unwrap().len(), 12);
}
