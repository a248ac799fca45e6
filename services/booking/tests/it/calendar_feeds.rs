//! The secret address of a practitioner's sessions.

use booking::app::cancel_booking::cancel_booking;
use booking::app::schedule_meeting::schedule_meeting;
use booking::read_model::calendar_feeds::FEED_SESSIONS;
use contract::booking::v1::{
    CalendarFeed, CancelBookingRequest, CancelledBy, ChangeRoleRequest, GetSessionCalendarRequest,
    ListCalendarFeedsRequest, RenewCalendarFeedRequest, RequestBookingRequest, StaffRole,
    StopCalendarFeedRequest,
};
use eventstore::Metadata;
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use runtime::status::detail_of;
use staff::Role;
use tonic::{Code, Status};

use crate::cancels::asked;
use crate::grpc_harness::{GrpcHarness, refused};
use crate::world::{World, at, customer, new_package, new_request_with, owner};

const OWNER: u128 = 901;

async fn harness() -> GrpcHarness {
    let harness = GrpcHarness::of(World::of_two().await).await;
    harness.grant(customer(OWNER), Some(Role::Owner)).await;
    harness
}

fn renewal(practitioner_id: &str, shows_client_names: bool) -> RenewCalendarFeedRequest {
    RenewCalendarFeedRequest {
        idempotency_key: eventstore::new_uuid().to_string(),
        practitioner_id: practitioner_id.to_owned(),
        shows_client_names,
    }
}

async fn renew(harness: &GrpcHarness, request: RenewCalendarFeedRequest) -> CalendarFeed {
    let request = harness.by(customer(OWNER), request);
    let renewed = harness.calendar_staff().renew_calendar_feed(request).await.unwrap();
    renewed.into_inner().feed.unwrap()
}

async fn list(harness: &GrpcHarness) -> Vec<CalendarFeed> {
    let request = harness.by(customer(OWNER), ListCalendarFeedsRequest {});
    harness.calendar_staff().list_calendar_feeds(request).await.unwrap().into_inner().feeds
}

async fn stop(harness: &GrpcHarness, practitioner_id: &str) -> Result<(), Status> {
    let request = StopCalendarFeedRequest { practitioner_id: practitioner_id.to_owned() };
    let request = harness.by(customer(OWNER), request);
    harness.calendar_staff().stop_calendar_feed(request).await.map(drop)
}

fn secret(feed: &CalendarFeed) -> String {
    let path = feed.path.strip_prefix("/calendars/").unwrap();
    path.strip_suffix(".ics").unwrap().to_owned()
}

pub(crate) async fn read(harness: &GrpcHarness, secret: &str) -> Result<String, Status> {
    let request = GetSessionCalendarRequest { secret: secret.to_owned() };
    Ok(harness.calendars().get_session_calendar(request).await?.into_inner().content)
}

/// The values of a property in a calendar, unfolded.
pub(crate) fn values(calendar: &str, name: &str) -> Vec<String> {
    let unfolded = calendar.replace("\r\n ", "");
    let values = unfolded.lines().filter_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    values.map(str::to_owned).collect()
}

#[tokio::test]
async fn an_address_shows_the_confirmed_sessions_of_its_practitioner() {
    let harness = harness().await;
    let world = &harness.world;
    let feed = renew(&harness, renewal("", false)).await;
    assert_eq!((feed.practitioner_id.as_str(), feed.shows_client_names), ("lead", false));
    let address = secret(&feed);
    let empty = read(&harness, &address).await.unwrap();
    assert_eq!(values(&empty, "UID"), [""; 0]);
    // A calendar must have a component, and programs check it before they subscribe.
    assert_eq!(values(&empty, "BEGIN"), ["VCALENDAR", "VTIMEZONE", "STANDARD"]);
    assert!(empty.ends_with("\r\nEND:VTIMEZONE\r\nEND:VCALENDAR\r\n"), "{empty}");
    let paid = world.request(customer(1), new_request_with("lead", "meditation", at(1, 11))).await;
    let paid = paid.unwrap();
    world.request(customer(2), new_request_with("lead", "meditation", at(1, 13))).await.unwrap();
    let other = world.request(customer(3), new_request_with("ravi", "meditation", at(1, 14))).await;
    world.pay(paid, "pay_1").await;
    world.pay(other.unwrap(), "pay_2").await;
    let calendar = read(&harness, &address).await.unwrap();
    assert_eq!(values(&calendar, "UID"), [format!("{paid}-0@bookings.sukoon")]);
    assert_eq!(values(&calendar, "DTSTART"), ["20261125T053000Z"]);
    assert_eq!(values(&calendar, "SUMMARY"), ["Session"]);
    assert_eq!(values(&calendar, "BEGIN"), ["VCALENDAR", "VEVENT"]);
    for secret in ["Asha", "Rao", "asha@", "Meditation", "meditation", "http"] {
        assert!(!calendar.contains(secret), "{calendar}");
    }
    // The same sessions have the same text, so that a program learns that it has them already.
    schedule_meeting(&world.app, Metadata::default(), paid).await.unwrap();
    assert_eq!(read(&harness, &address).await.unwrap(), calendar);
    cancel(world, paid, 0).await;
    assert_eq!(values(&read(&harness, &address).await.unwrap(), "UID"), [""; 0]);
}

async fn cancel(world: &World, id: Id<Booking>, session_number: i32) {
    let request = CancelBookingRequest { session_number, ..asked(id, CancelledBy::Practice) };
    cancel_booking(&world.app, owner(), request).await.unwrap();
}

#[tokio::test]
async fn each_session_of_a_package_is_an_event_whose_id_stays() {
    let harness = harness().await;
    let world = &harness.world;
    let address = secret(&renew(&harness, renewal("", false)).await);
    let request = RequestBookingRequest {
        practitioner_id: "lead".to_owned(),
        ..new_package([at(1, 11), at(2, 11), at(3, 11)])
    };
    let id = world.request(customer(1), request).await.unwrap();
    world.pay(id, "pay_1").await;
    let uid = |number: i32| format!("{id}-{number}@bookings.sukoon");
    let calendar = read(&harness, &address).await.unwrap();
    assert_eq!(values(&calendar, "UID"), [uid(0), uid(1), uid(2)]);
    assert_eq!(
        values(&calendar, "DTSTART"),
        ["20261125T053000Z", "20261126T053000Z", "20261127T053000Z"]
    );
    // A cancelled session leaves the calendar, and the others keep their ids.
    cancel(world, id, 1).await;
    assert_eq!(values(&read(&harness, &address).await.unwrap(), "UID"), [uid(1), uid(2)]);
    cancel(world, id, 3).await;
    assert_eq!(values(&read(&harness, &address).await.unwrap(), "UID"), [uid(1)]);
    cancel(world, id, 0).await;
    assert_eq!(values(&read(&harness, &address).await.unwrap(), "UID"), [""; 0]);
}

#[tokio::test]
async fn a_renewed_address_replaces_the_one_before_and_names_are_shown_when_wanted() {
    let harness = harness().await;
    let world = &harness.world;
    let booked =
        world.request(customer(1), new_request_with("ravi", "meditation", at(1, 14))).await;
    world.pay(booked.unwrap(), "pay_1").await;
    let first = renew(&harness, renewal("ravi", false)).await;
    let request = renewal("ravi", true);
    let second = renew(&harness, request.clone()).await;
    assert_eq!(second.practitioner_name, "Ravi Menon");
    // A repeated call makes no third one.
    assert_eq!(renew(&harness, request).await, second);
    let gone = read(&harness, &secret(&first)).await;
    refused(gone, Code::NotFound, "CALENDAR_FEED_NOT_FOUND", "");
    let calendar = read(&harness, &secret(&second)).await.unwrap();
    assert_eq!(values(&calendar, "SUMMARY"), ["Session with Asha Rao"]);
    let listed = list(&harness).await;
    assert_eq!(
        listed.iter().map(|it| it.practitioner_id.as_str()).collect::<Vec<_>>(),
        ["lead", "ravi"]
    );
    assert_eq!((listed[0].path.as_str(), listed[0].renewed_at), ("", None));
    assert_eq!(listed[1], second);
    stop(&harness, "ravi").await.unwrap();
    stop(&harness, "ravi").await.unwrap();
    let gone = read(&harness, &secret(&second)).await;
    refused(gone, Code::NotFound, "CALENDAR_FEED_NOT_FOUND", "");
    for wrong in ["", "nonsense", &secret(&second)[1..]] {
        let none = read(&harness, wrong).await;
        refused(none, Code::NotFound, "CALENDAR_FEED_NOT_FOUND", "");
    }
    let stored = "select count(*) from calendar_feeds";
    assert_eq!(world.count(stored).await, 0);
}

#[tokio::test]
async fn only_some_roles_have_the_addresses_and_each_call_is_audited() {
    let harness = harness().await;
    for (number, role, allowed) in [
        (901, Some(Role::Owner), true),
        (902, Some(Role::Admin), true),
        (903, Some(Role::Practitioner), true),
        (904, Some(Role::FrontDesk), false),
        (905, None, false),
    ] {
        harness.grant(customer(number), role).await;
        if role == Some(Role::Practitioner) {
            let asked = ChangeRoleRequest {
                user_id: customer(number).to_string(),
                role: StaffRole::Practitioner.into(),
                practitioner_id: "lead".to_owned(),
            };
            let asked = harness.by(customer(OWNER), asked);
            harness.organisation_staff().change_role(asked).await.unwrap();
        }
        let mut staff = harness.calendar_staff();
        let listed =
            staff.list_calendar_feeds(harness.by(customer(number), ListCalendarFeedsRequest {}));
        let listed = listed.await.map(drop);
        let renewed = staff.renew_calendar_feed(harness.by(customer(number), renewal("", false)));
        let renewed = renewed.await.map(drop);
        let stopped = staff
            .stop_calendar_feed(harness.by(customer(number), StopCalendarFeedRequest::default()));
        let stopped = stopped.await.map(drop);
        for (action, outcome) in [
            ("ListCalendarFeeds", listed),
            ("RenewCalendarFeed", renewed),
            ("StopCalendarFeed", stopped),
        ] {
            let told = outcome.err().map(|status| detail_of(&status).unwrap().reason);
            let expected = match role {
                _ if allowed => None,
                None => Some("STAFF_ONLY"),
                Some(_) => Some("ROLE_NOT_ALLOWED"),
            };
            assert_eq!(told.as_deref(), expected, "{action} by {role:?}");
            // Refusals of callers that are no members are counted elsewhere.
            if role.is_none() {
                continue;
            }
            let last = harness.audited(action).await.pop().unwrap();
            assert_eq!(
                (last.0, last.3),
                (customer(number).to_string(), expected.unwrap_or("done").to_owned())
            );
        }
    }
    let unknown = harness.by(customer(OWNER), renewal("nobody", false));
    let unknown = harness.calendar_staff().renew_calendar_feed(unknown).await;
    refused(unknown, Code::NotFound, "PRACTITIONER_NOT_FOUND", "practitioner_id");
    let unknown = stop(&harness, "nobody").await;
    refused(unknown, Code::NotFound, "PRACTITIONER_NOT_FOUND", "practitioner_id");
}

#[tokio::test]
async fn among_many_bookings_an_address_reads_only_its_window() {
    let harness = harness().await;
    let world = &harness.world;
    for sql in [
        "insert into bookings (booking_id, customer_id, service_id, service_title, price_minor,
                               price_currency, practitioner_id, mode, state, requested_at)
         select gen_random_uuid(), gen_random_uuid(), 'meditation', 'Meditation', 50000, 'INR',
                'lead', 'online', 'completed', '2020-01-01' from generate_series(1, 20000)",
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
    let plan: Vec<String> =
        sqlx::query_scalar(sqlx::AssertSqlSafe(format!("explain {FEED_SESSIONS}")))
            .bind("lead")
            .bind(from)
            .bind(from.plus_minutes(430 * 24 * 60))
            .bind(true)
            .bind(5000_i64)
            .fetch_all(world.app.store.pool())
            .await
            .unwrap();
    let plan = plan.join("\n");
    assert!(plan.contains("using slot_reservations_by_"), "{plan}");
    assert!(!plan.contains("Seq Scan on slot_reservations"), "{plan}");
    let feed = renew(&harness, renewal("", true)).await;
    let calendar = read(&harness, &secret(&feed)).await.unwrap();
    let shown = values(&calendar, "UID").len();
    // Twelve sessions a day, from 30 days ago until the rows end on 23 December.
    assert!((700..730).contains(&shown), "{shown}");
    assert!(values(&calendar, "DTSTART")[0].starts_with("20261025T"));
}
