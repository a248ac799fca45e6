//! Busy times of practitioners' own calendars: they close times like any block, never move a
//! booking, and stay closed while a calendar cannot be read.

use booking::app::list_slots::list_slots;
use booking::app::open_checkout::open_checkout;
use booking::app::read_calendar::{read_calendar, schedule_readings};
use booking::clients::calendars::{CalendarSecrets, Calendars};
use booking::domain::span::Span;
use booking::read_model::busy_times;
use contract::booking::v1::{
    BookingState, CalendarSource, ListCalendarSourcesRequest, ListSlotsRequest,
    ReadCalendarSourceRequest,
};
use eventstore::Metadata;
use practice::{BusyCalendar, CalendarKind, Practice};
use serde_json::{Value, json};
use staff::Role;
use testkit::until;
use tonic::Code;

use crate::grpc_harness::{GrpcHarness, refused};
use crate::third_parties::{ThirdParties, calendar};
use crate::world::{World, at, customer, new_request, new_request_with, practice_of_two, reason};

const TOMORROW: &str = "2026-11-25";
/// From one to half past two on the 25th in Bhopal.
const LUNCH: (&str, &str) = ("20261125T073000Z", "20261125T090000Z");

fn calendar_of(practitioner_id: &str) -> BusyCalendar {
    BusyCalendar {
        calendar_id: "own".to_owned(),
        practitioner_id: practitioner_id.to_owned(),
        kind: CalendarKind::Address,
        url: String::new(),
        username: String::new(),
        invited_as: Vec::new(),
    }
}

fn practice(practitioner_id: &str) -> Practice {
    let mut practice = practice_of_two();
    practice.calendars.push(calendar_of(practitioner_id));
    practice
}

/// What a calendar's server does next.
#[derive(Debug)]
enum Behaviour {
    /// One request goes wrong.
    Fault(Value),
    /// It has this file.
    Serves(String),
}

impl Behaviour {
    async fn apply(&self, server: &ThirdParties) {
        match self {
            Self::Fault(fault) => {
                server.fault_of("calendars.fetch", fault.clone()).await;
            }
            Self::Serves(file) => server.put_calendar(file.clone()).await,
        }
    }
}

/// A practice whose first practitioner has a calendar at a server, which is not read yet.
async fn world(server: &ThirdParties) -> World {
    let secrets = CalendarSecrets::from([("own".to_owned(), server.calendar_address().into())]);
    World::with_calendars(practice("lead"), secrets, &server.url).await
}

async fn read(world: &World) {
    read_calendar(&world.app, Metadata::default(), "own").await.unwrap();
}

/// The free starts of an hour with the first practitioner tomorrow.
async fn free(world: &World) -> Vec<String> {
    let request = ListSlotsRequest {
        service_id: "meditation".to_owned(),
        from_date: TOMORROW.to_owned(),
        days: 1,
        practitioner_id: "lead".to_owned(),
    };
    let listed = list_slots(&world.app, request).await.unwrap();
    let slots = listed.days.iter().flat_map(|day| &day.slots).filter(|slot| slot.available);
    let start = |slot: &contract::booking::v1::Slot| {
        let starts_at = contract::convert::timestamp(slot.starts_at.as_ref().unwrap()).unwrap();
        starts_at.in_zone(&world.app.rules.zone).strftime("%H").to_string()
    };
    slots.map(start).collect()
}

async fn state(world: &World) -> busy_times::SourceState {
    busy_times::states(world.app.store.pool()).await.unwrap().remove("own").unwrap()
}

#[tokio::test]
async fn busy_times_close_times_like_a_block_and_open_them_again() {
    let server = ThirdParties::start().await;
    let world = world(&server).await;
    assert_eq!(free(&world).await, ["11", "12", "13", "14", "15", "16", "17"]);
    server.serves(&[LUNCH]).await;
    read(&world).await;
    // An hour of meditation at twelve still fits before one.
    assert_eq!(free(&world).await, ["11", "12", "15", "16", "17"]);
    for hour in [13, 14] {
        let request = new_request_with("lead", "meditation", at(1, hour));
        assert_eq!(reason(world.request(customer(1), request).await), "SLOT_TAKEN");
    }
    // Anyone is the other practitioner then.
    let anyone = world.request(customer(1), new_request("meditation", at(1, 13))).await.unwrap();
    assert_eq!(world.view(anyone).await.booking.practitioner_id, "ravi");
    let outside = new_request_with("lead", "meditation", at(1, 18));
    assert_eq!(reason(world.request(customer(2), outside).await), "SLOT_NOT_OFFERED");
    server.serves(&[]).await;
    read(&world).await;
    assert_eq!(free(&world).await.len(), 7);
    world.request(customer(3), new_request_with("lead", "meditation", at(1, 13))).await.unwrap();
    assert_eq!(world.count("select count(*) from busy_times").await, 0);
    // The calendar's words are kept nowhere.
    let events = "select count(*) from events where payload::text like '%Canary%'";
    assert_eq!(world.count(events).await, 0);
}

/// A practitioner may work in two practices that use this program.
#[tokio::test]
async fn a_session_of_another_practice_closes_its_time_and_one_of_ours_does_not() {
    let server = ThirdParties::start().await;
    let world = world(&server).await;
    let ours = new_request_with("lead", "meditation", at(1, 17));
    let ours = world.request(customer(1), ours).await.unwrap().to_string();
    let before = free(&world).await;
    let others = "bkg_019340000000700080000000000000ac".to_owned();
    for (booking, closes) in [(ours, false), (others, true)] {
        let uid = format!("UID:{booking}-0@bookings.sukoon");
        server.put_calendar(calendar(&[LUNCH]).replace("UID:0@test", &uid)).await;
        read(&world).await;
        let open = free(&world).await.contains(&"13".to_owned());
        assert_eq!((open, state(&world).await.events), (!closes, 1), "{booking}");
    }
    assert!(before.contains(&"13".to_owned()), "{before:?}");
}

#[tokio::test]
async fn what_is_held_or_booked_stays_and_late_money_finds_no_place() {
    let server = ThirdParties::start().await;
    let world = world(&server).await;
    let ask = async |number: u128, hour: i64| {
        let request = new_request_with("lead", "meditation", at(1, hour));
        world.request(customer(number), request).await.unwrap()
    };
    let (booked, held, late) = (ask(1, 11).await, ask(2, 13).await, ask(3, 15).await);
    world.pay(booked, "pay_1").await;
    server.serves(&[("20261124T183000Z", "20261125T183000Z")]).await;
    read(&world).await;
    assert_eq!(free(&world).await, [""; 0]);
    assert_eq!(world.state(booked).await, BookingState::Confirmed);
    // A time that is held is paid as if nothing had happened.
    world.pay(held, "pay_2").await;
    assert_eq!(world.state(held).await, BookingState::Confirmed);
    open_checkout(&world.app, customer(3), late, "checkout-1").await.unwrap();
    world.minutes_later(31).await;
    world.pay(late, "pay_3").await;
    assert_eq!(world.state(late).await, BookingState::PaidUnplaced);
}

#[tokio::test]
async fn a_calendar_that_cannot_be_read_keeps_its_last_times_closed() {
    let server = ThirdParties::start().await;
    let world = world(&server).await;
    server.serves(&[LUNCH]).await;
    read(&world).await;
    let read_at = state(&world).await.read_at;
    let whole = calendar(&[LUNCH]);
    let cut = whole[..whole.len() - 20].to_owned();
    let minutely = "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:a\r\nDTSTART:20261125T000000Z\r\n\
                    DURATION:PT1M\r\nRRULE:FREQ=MINUTELY\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n";
    let status = |status: u16| json!({ "kind": "status", "status": status });
    let redirect = |to: &str| json!({ "kind": "redirect", "code": to });
    let mut since = None;
    for (behaviour, word) in [
        (Behaviour::Fault(status(500)), "server_error"),
        (Behaviour::Fault(status(429)), "server_error"),
        (Behaviour::Fault(status(401)), "refused"),
        (Behaviour::Fault(status(403)), "refused"),
        (Behaviour::Fault(status(404)), "no_calendar"),
        (Behaviour::Fault(redirect(&server.calendar_address())), "redirected"),
        (Behaviour::Fault(redirect("http://169.254.169.254/latest")), "redirected"),
        (Behaviour::Fault(json!({ "kind": "endless" })), "too_large"),
        (Behaviour::Fault(json!({ "kind": "huge" })), "too_large"),
        (Behaviour::Serves(String::new()), "not_a_calendar"),
        (Behaviour::Serves("<html>Sign in</html>".to_owned()), "not_a_calendar"),
        (Behaviour::Serves(cut), "incomplete"),
        (Behaviour::Serves(minutely.to_owned()), "too_many_times"),
    ] {
        world.minutes_later(5).await;
        behaviour.apply(&server).await;
        read(&world).await;
        let state = state(&world).await;
        assert_eq!(state.problem, word, "{behaviour:?}");
        assert_eq!((state.read_at, state.busy_times), (read_at, 1), "{behaviour:?}");
        since = since.or(state.failing_since);
        assert_eq!(state.failing_since, since, "{behaviour:?}");
        assert_eq!(free(&world).await, ["11", "12", "15", "16", "17"], "{behaviour:?}");
    }
    let failing = busy_times::failing_for(world.app.store.pool(), 30).await.unwrap();
    assert_eq!(failing, ["own"]);
    server.serves(&[]).await;
    read(&world).await;
    let state = state(&world).await;
    assert_eq!((state.problem.as_str(), state.failing_since), ("", None));
    assert_eq!(free(&world).await.len(), 7);
}

#[tokio::test]
async fn a_calendar_of_many_years_is_read() {
    let server = ThirdParties::start().await;
    let world = world(&server).await;
    let words = "Canary ".repeat(40);
    let past = "BEGIN:VEVENT\r\nUID:past\r\nDTSTART:20190715T043000Z\r\n\
                DTEND:20190715T053000Z\r\nSUMMARY:";
    let past = format!("{past}{words}\r\nEND:VEVENT\r\n").repeat(11_000);
    let file = calendar(&[LUNCH]).replacen("BEGIN:VEVENT", &format!("{past}BEGIN:VEVENT"), 1);
    assert!(file.len() > 4_000_000);
    server.put_calendar(file).await;
    read(&world).await;
    let state = state(&world).await;
    assert_eq!((state.problem.as_str(), state.events, state.busy_times), ("", 1, 1));
    assert_eq!(free(&world).await, ["11", "12", "15", "16", "17"]);
}

#[tokio::test]
async fn a_calendar_that_was_never_read_is_told_at_once() {
    let server = ThirdParties::start().await;
    let world = world(&server).await;
    let failing = async || busy_times::failing_for(world.app.store.pool(), 30).await.unwrap();
    assert_eq!(failing().await, [""; 0]);
    read(&world).await;
    assert_eq!(failing().await, ["own"]);
    server.serves(&[LUNCH]).await;
    read(&world).await;
    // Once read, its last times stay closed, so bad minutes of its server are no concern.
    server.fault(json!({ "target": "calendars.fetch", "kind": "status", "status": 500 })).await;
    read(&world).await;
    assert_eq!(state(&world).await.problem, "server_error");
    assert_eq!(failing().await, [""; 0]);
}

/// The seconds from the last reading to the next.
async fn wait(world: &World) -> i64 {
    let sql = "select extract(epoch from due_at - tried_at)::bigint from timers, calendar_sources
               where kind = 'read-calendar' and subject = calendar_id";
    world.count(sql).await
}

#[tokio::test]
async fn a_calendar_that_cannot_be_read_is_tried_again_soon_and_then_less_often() {
    let server = ThirdParties::start().await;
    let world = world(&server).await;
    let unreadable = json!({ "target": "calendars.fetch", "kind": "status", "status": 500 });
    server.fault(unreadable.clone()).await;
    read(&world).await;
    assert_eq!(wait(&world).await, 10);
    world.minutes_later(1).await;
    server.fault(unreadable.clone()).await;
    read(&world).await;
    let waited = wait(&world).await;
    assert!((60..300).contains(&waited), "as long as it could not be read: {waited} s");
    world.minutes_later(10).await;
    server.fault(unreadable).await;
    read(&world).await;
    assert_eq!(wait(&world).await, 300);
    server.serves(&[LUNCH]).await;
    read(&world).await;
    assert_eq!((state(&world).await.failing_since, wait(&world).await), (None, 300));
}

#[tokio::test]
async fn a_server_that_sends_nothing_more_is_given_up() {
    let server = ThirdParties::start().await;
    let world = world(&server).await;
    server.serves(&[LUNCH]).await;
    server.fault(json!({ "target": "calendars.fetch", "kind": "hang" })).await;
    read(&world).await;
    assert_eq!(state(&world).await.problem, "too_slow");
}

#[tokio::test]
async fn a_calendar_that_does_not_change_is_not_sent_again_for_a_day() {
    let server = ThirdParties::start().await;
    let world = world(&server).await;
    server.serves(&[LUNCH]).await;
    read(&world).await;
    let first = state(&world).await;
    world.minutes_later(5).await;
    read(&world).await;
    let second = state(&world).await;
    assert_eq!((second.problem.as_str(), second.busy_times), ("", 1));
    assert!(second.read_at > first.read_at && second.expanded_at == first.expanded_at);
    // The bookable days move on, so all of it is read once a day.
    world.minutes_later(24 * 60).await;
    read(&world).await;
    assert!(state(&world).await.expanded_at > first.expanded_at);
}

#[tokio::test]
async fn only_the_public_internet_is_asked_and_only_by_https() {
    let server = ThirdParties::start().await;
    server.serves(&[LUNCH]).await;
    // The first request that came through would use it up.
    server.fault(json!({ "target": "calendars.fetch", "kind": "status" })).await;
    let port = server.url.rsplit(':').next().unwrap();
    let window = Span::new(at(0, 0), at(60, 0)).unwrap();
    for (address, word) in [
        (server.calendar_address(), "not_https"),
        ("http://calendar.example/x.ics".to_owned(), "not_https"),
        ("ftp://calendar.example/x.ics".to_owned(), "not_https"),
        ("file:///etc/passwd".to_owned(), "not_https"),
        ("not an address".to_owned(), "not_https"),
        (format!("https://127.0.0.1:{port}/calendars/own.ics"), "not_public"),
        (format!("https://127.1:{port}/calendars/own.ics"), "not_public"),
        (format!("https://[::1]:{port}/calendars/own.ics"), "not_public"),
        (format!("https://[::ffff:127.0.0.1]:{port}/calendars/own.ics"), "not_public"),
        ("https://10.0.0.1/x.ics".to_owned(), "not_public"),
        ("https://169.254.169.254/latest/meta-data".to_owned(), "not_public"),
        // A name is checked by what it leads to.
        (format!("https://localhost:{port}/calendars/own.ics"), "not_public"),
        (format!("webcal://localhost:{port}/calendars/own.ics"), "not_public"),
        (format!("WEBCAL://localhost:{port}/calendars/own.ics"), "not_public"),
        (format!("webcals://localhost:{port}/calendars/own.ics"), "not_public"),
        (format!("WebCals://localhost:{port}/calendars/own.ics"), "not_public"),
    ] {
        let secrets = CalendarSecrets::from([("own".to_owned(), address.clone().into())]);
        let calendars = Calendars::new(&practice("lead"), &secrets, None).unwrap();
        let source = calendars.get("own").unwrap();
        let error = calendars.fetch(source, window, None).await.unwrap_err();
        assert_eq!(error.word(), word, "{address}");
    }
    let none = Calendars::new(&practice("lead"), &CalendarSecrets::new(), None).unwrap();
    let error = none.fetch(none.get("own").unwrap(), window, None).await.unwrap_err();
    assert_eq!(error.word(), "no_secret");
    assert_eq!(server.faults_left().await, 1, "its server was asked");
}

#[tokio::test]
async fn a_calendar_that_the_practice_takes_away_opens_its_times() {
    let server = ThirdParties::start().await;
    let world = world(&server).await;
    server.serves(&[LUNCH]).await;
    schedule_readings(&world.app).await.unwrap();
    world.run_timers();
    until("the calendar is read", async || {
        Ok((world.count("select count(*) from busy_times").await == 1).then_some(()))
    })
    .await
    .unwrap();
    let without =
        World::with_calendars(practice_of_two(), CalendarSecrets::new(), &server.url).await;
    let app = world.another_with_calendars(&without.app.calendars);
    schedule_readings(&app).await.unwrap();
    assert_eq!(world.count("select count(*) from busy_times").await, 0);
    assert_eq!(free(&world).await.len(), 7);
}

async fn sources(harness: &GrpcHarness) -> Vec<CalendarSource> {
    let request = harness.by(customer(901), ListCalendarSourcesRequest {});
    harness.calendar_staff().list_calendar_sources(request).await.unwrap().into_inner().sources
}

#[tokio::test]
async fn staff_see_how_each_calendar_is_read_and_have_it_read_now() {
    let server = ThirdParties::start().await;
    let world = world(&server).await;
    schedule_readings(&world.app).await.unwrap();
    world.run_timers();
    let harness = GrpcHarness::of(world).await;
    harness.grant(customer(901), Some(Role::Owner)).await;
    let failing = until("the calendar was tried", async || {
        Ok(sources(&harness).await.pop().filter(|source| source.tried_at.is_some()))
    })
    .await
    .unwrap();
    assert_eq!((failing.calendar_id.as_str(), failing.practitioner_id.as_str()), ("own", "lead"));
    assert_eq!((failing.problem.as_str(), failing.read_at), ("no_calendar", None));
    assert!(failing.failing_since_at.is_some());
    server.serves(&[LUNCH]).await;
    let now = ReadCalendarSourceRequest { calendar_id: "own".to_owned() };
    harness.calendar_staff().read_calendar_source(harness.by(customer(901), now)).await.unwrap();
    let read = until("the calendar is read", async || {
        Ok(sources(&harness).await.pop().filter(|source| source.problem.is_empty()))
    })
    .await
    .unwrap();
    assert_eq!((read.events, read.odd_events, read.busy_times), (1, 0, 1));
    let unknown = ReadCalendarSourceRequest { calendar_id: "other".to_owned() };
    let unknown = harness.by(customer(901), unknown);
    let unknown = harness.calendar_staff().read_calendar_source(unknown).await;
    refused(unknown, Code::NotFound, "CALENDAR_SOURCE_NOT_FOUND", "");
    harness.grant(customer(904), Some(Role::FrontDesk)).await;
    let other = harness.by(customer(904), ListCalendarSourcesRequest {});
    let other = harness.calendar_staff().list_calendar_sources(other).await;
    refused(other, Code::PermissionDenied, "ROLE_NOT_ALLOWED", "");
}
