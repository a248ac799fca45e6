//! Meetings at Zoom, as the sandbox plays it: each booking has one, however often an answer is
//! lost, and a cancelled one has none.

use booking::app::cancel_booking::cancel_booking;
use booking::app::remove_meeting::remove_meeting;
use booking::app::schedule_meeting::schedule_meeting;
use booking::clients::meetings::{MeetingSecrets, Meetings, ZoomSettings};
use contract::booking::v1::{BookingState, CancelledBy};
use eventstore::Metadata;
use kernel::Id;
use kernel::id::Booking;
use practice::{MeetingProvider, Practice, PractitionerMeetings};
use serde_json::{Value, json};
use testkit::until;

use crate::cancels::asked;
use crate::third_parties::ThirdParties;
use crate::world::{
    FEED_KEY, World, at, customer, new_package, new_request, new_request_with, owner,
    practice_of_two,
};

pub(crate) fn places(server: &ThirdParties) -> MeetingSecrets {
    let zoom = ZoomSettings {
        url: format!("{}/zoom/v2", server.url),
        token_url: format!("{}/zoom/oauth/token", server.url),
        account: "demo-zoom-account".to_owned(),
        client: "demo-zoom-client".to_owned(),
        secret: "demo-zoom-secret".to_owned().into(),
    };
    MeetingSecrets { zoom: Some(zoom), ..MeetingSecrets::default() }
}

fn practice_at_zoom() -> Practice {
    let mut practice = practice_of_two();
    practice.meetings.provider = MeetingProvider::Zoom;
    practice.meetings.user = "asha@example.org".to_owned();
    practice.meetings.practitioners = vec![PractitionerMeetings {
        practitioner_id: "ravi".to_owned(),
        provider: None,
        link: "".into(),
        user: "ravi@example.org".to_owned(),
        fallback_link: "".into(),
    }];
    practice
}

/// A practice at Zoom whose timers do not run.
pub(crate) async fn at_zoom() -> (World, ThirdParties) {
    let server = ThirdParties::start().await;
    let world = World::meeting_at(practice_at_zoom(), places(&server)).await;
    (world, server)
}

pub(crate) async fn paid(world: &World, number: u128, hour: i64) -> Id<Booking> {
    let id = world.request(customer(number), new_request("meditation", at(2, hour))).await.unwrap();
    world.pay(id, &format!("pay_{number}")).await;
    id
}

/// What came of asking for a room: nothing, or why there is none yet.
async fn ask(world: &World, id: Id<Booking>) -> String {
    match schedule_meeting(&world.app, Metadata::by("booking", None), id).await {
        Ok(()) => String::new(),
        Err(kernel::CommandError::Unavailable(error)) => runtime::status::chain(error.as_ref()),
        Err(other) => panic!("{other:?}"),
    }
}

async fn cancel(world: &World, id: Id<Booking>) {
    cancel_booking(&world.app, owner(), asked(id, CancelledBy::Practice)).await.unwrap();
}

async fn remove(world: &World, id: Id<Booking>) {
    remove_meeting(&world.app, Metadata::by("booking", None), id).await.unwrap();
}

/// The provider's meetings.
pub(crate) async fn meetings(server: &ThirdParties) -> Vec<Value> {
    let all = server.got("/api/zoom").await;
    all.as_array().unwrap().clone()
}

async fn row_state(world: &World) -> String {
    let state = sqlx::query_scalar("select state from meeting_rooms");
    state.fetch_one(world.app.store.pool()).await.unwrap()
}

fn answer_lost() -> Value {
    json!({ "kind": "timeout_after_success", "delay_ms": 1 })
}

fn refusal(status: u16, code: i64) -> Value {
    json!({ "kind": "refuse", "status": status, "code": code.to_string() })
}

#[tokio::test]
async fn a_booking_has_a_meeting_of_its_practitioner_and_a_cancelled_one_none() {
    let (world, server) = at_zoom().await;
    world.run_timers();
    for (number, practitioner, user) in
        [(1, "lead", "asha@example.org"), (2, "ravi", "ravi@example.org")]
    {
        let request = new_request_with(practitioner, "meditation", at(1, 15));
        let id = world.request(customer(number), request).await.unwrap();
        world.pay(id, &format!("pay_{number}")).await;
        let booking = world.reaches(id, BookingState::MeetingScheduled).await;
        let mut made = meetings(&server).await;
        made.retain(|it| it["host_email"] == user);
        let [made] = <[Value; 1]>::try_from(made).unwrap();
        assert_eq!(booking.join_url, made["join_url"].as_str().unwrap());
        assert!(booking.join_url.contains("?pwd="));
        for (field, value) in [
            ("topic", json!("Session with Sukoon")),
            ("type", json!(2)),
            ("start_time", json!("2026-11-25T09:30:00Z")),
            ("duration", json!(60)),
            (
                "settings",
                json!({
                    "waiting_room": true, "join_before_host": false, "use_pmi": false,
                    "approval_type": 2, "meeting_authentication": false,
                    "auto_recording": "none",
                }),
            ),
        ] {
            assert_eq!(made[field], value, "{field}");
        }
        // The provider refuses fields that it does not know, so this is all that it got.
        let learnt = made.to_string();
        for personal in ["Asha", "Meditation", &id.to_string(), &id.uuid().simple().to_string()] {
            assert!(!learnt.contains(personal), "{personal}: {learnt}");
        }
        let events = world.app.store.load(&booking::contract::booking_stream(id)).await.unwrap();
        let number = made["id"].to_string();
        assert!(events.iter().all(|event| !event.payload.to_string().contains(&number)));
        cancel(&world, id).await;
        until("the meeting is removed", async || {
            let left = meetings(&server).await;
            Ok(left.iter().all(|it| it["host_email"] != user).then_some(()))
        })
        .await
        .unwrap();
    }
}

#[tokio::test]
async fn the_sessions_of_a_package_have_one_meeting_that_outlives_them() {
    let (world, server) = at_zoom().await;
    let package = new_package([at(1, 11), at(2, 11), at(3, 11)]);
    let id = world.request(customer(1), package).await.unwrap();
    world.pay(id, "pay_1").await;
    assert_eq!(ask(&world, id).await, "");
    let made = meetings(&server).await;
    assert_eq!(
        (made.len(), &made[0]["type"], &made[0]["start_time"]),
        (1, &json!(3), &json!(null))
    );
}

#[tokio::test]
async fn a_meeting_whose_answer_was_lost_is_found_again_and_not_made_twice() {
    let (world, server) = at_zoom().await;
    // Further meetings, so that it is not on the first page of the list.
    for number in 2..7 {
        let other = paid(&world, number, 10 + i64::try_from(number).unwrap()).await;
        assert_eq!(ask(&world, other).await, "");
    }
    let id = paid(&world, 1, 11).await;
    server.fault_of("zoom.create", answer_lost()).await;
    assert!(ask(&world, id).await.starts_with("the meeting provider did not answer"));
    assert_eq!(world.state(id).await, BookingState::Confirmed);
    assert_eq!(meetings(&server).await.len(), 6);
    assert_eq!(ask(&world, id).await, "");
    assert_eq!(meetings(&server).await.len(), 6);
    let link = world.view(id).await.booking.join_url;
    assert!(meetings(&server).await.iter().any(|it| it["join_url"] == link.as_str()), "{link}");
}

#[tokio::test]
async fn each_refusal_has_a_sentence_and_a_token_that_ended_is_asked_for_again() {
    let (world, server) = at_zoom().await;
    let id = paid(&world, 1, 11).await;
    for (target, fault, told) in [
        (
            "zoom.create",
            refusal(429, 429),
            "Zoom refused: status 429, code 429: a limit of requests",
        ),
        (
            "zoom.create",
            refusal(400, 3161),
            "code 3161: the user may not schedule meetings, or the",
        ),
        ("zoom.create", refusal(404, 1001), "code 1001: there is no such user in the account"),
        ("zoom.list", json!({ "kind": "status", "status": 500 }), "status 500, code 500"),
        (
            "zoom.token",
            refusal(400, 4717),
            "Zoom gives no token (400 Bad Request): see the account",
        ),
        ("zoom.token", json!({ "kind": "drop" }), "the meeting provider did not answer"),
    ] {
        // What was asked for before is looked for first, so the token is needed here too.
        if target == "zoom.token" {
            server.deleted("/api/zoom").await;
        }
        server.fault_of(target, fault).await;
        let error = ask(&world, id).await;
        assert!(error.contains(told), "{told}\n{error}");
        assert!(!error.contains("asha@"), "{error}");
        assert_eq!(server.faults_left().await, 0, "{told}");
    }
    // The token ends before its time, as when the app's secret was changed.
    server.deleted("/api/zoom").await;
    assert_eq!(ask(&world, id).await, "");
    assert_eq!(meetings(&server).await.len(), 1);
}

#[tokio::test]
async fn where_a_limit_is_reached_zoom_is_not_asked_for_a_while() {
    let (world, server) = at_zoom().await;
    let id = paid(&world, 1, 11).await;
    let due = async || -> i64 {
        let now = world.app.store.now().await.unwrap();
        let due = sqlx::query_scalar("select due_at from timers where kind = 'create-meeting'");
        let due: kernel::Timestamp = due.fetch_one(world.app.store.pool()).await.unwrap();
        due.seconds_since(now)
    };
    // The limit of a day names no time, that by the second does.
    let by_the_second = json!({ "kind": "refuse", "status": 429, "delay_ms": 3000 });
    for (fault, seconds) in [(refusal(429, 429), 590..=600), (by_the_second, 0..=3)] {
        server.fault_of("zoom.create", fault).await;
        assert_ne!(ask(&world, id).await, "");
        let due = due().await;
        assert!(seconds.contains(&due), "{due}");
    }
    assert_eq!(world.state(id).await, BookingState::Confirmed);
}

#[tokio::test]
async fn the_hundred_and_first_meeting_of_a_day_is_refused_until_another_day() {
    let (world, server) = at_zoom().await;
    let Some(zoom) = world.app.meetings.zoom() else { panic!("there is no account") };
    let session = booking::domain::span::Span::new(at(2, 11), at(2, 12)).unwrap();
    let request = booking::clients::meetings::RoomRequest {
        booking_id: eventstore::new_id(),
        practitioner_id: "lead".to_owned(),
        title: "Session".to_owned(),
        session,
        is_package: false,
        time_zone: "Asia/Kolkata".to_owned(),
    };
    for _made in 0..100 {
        zoom.create("asha@example.org", &request, "a mark").await.unwrap();
    }
    let id = paid(&world, 1, 11).await;
    assert!(ask(&world, id).await.contains("100 meetings made or changed in a day"));
    // The limit is each user's own.
    let request = new_request_with("ravi", "meditation", at(2, 15));
    let other = world.request(customer(2), request).await.unwrap();
    world.pay(other, "pay_2").await;
    assert_eq!(ask(&world, other).await, "");
    assert_eq!(meetings(&server).await.len(), 101);
}

#[tokio::test]
async fn a_cancelled_bookings_meeting_is_removed_however_often_that_takes() {
    let (world, server) = at_zoom().await;
    let id = paid(&world, 1, 11).await;
    assert_eq!(ask(&world, id).await, "");
    cancel(&world, id).await;
    for fault in [refusal(400, 3002), refusal(429, 429), json!({ "kind": "drop" })] {
        server.fault_of("zoom.delete", fault).await;
        remove(&world, id).await;
        assert_eq!(
            (meetings(&server).await.len(), row_state(&world).await.as_str()),
            (1, "ending")
        );
    }
    server.fault_of("zoom.delete", answer_lost()).await;
    remove(&world, id).await;
    assert_eq!(meetings(&server).await.len(), 0);
    assert_eq!(row_state(&world).await, "ending");
    remove(&world, id).await;
    assert_eq!(row_state(&world).await, "ended");
    let timers = "select count(*) from timers where kind = 'remove-meeting'";
    assert_eq!(world.count(timers).await, 0);
}

#[tokio::test]
async fn a_meeting_that_a_person_deleted_at_zoom_counts_as_removed() {
    let (world, server) = at_zoom().await;
    let id = paid(&world, 1, 11).await;
    assert_eq!(ask(&world, id).await, "");
    server.deleted("/api/zoom").await;
    cancel(&world, id).await;
    remove(&world, id).await;
    assert_eq!(row_state(&world).await, "ended");
}

#[tokio::test]
async fn a_meeting_of_a_booking_that_was_cancelled_while_it_was_made_is_removed() {
    let (world, server) = at_zoom().await;
    let id = paid(&world, 1, 11).await;
    server.fault_of("zoom.create", answer_lost()).await;
    assert_ne!(ask(&world, id).await, "");
    cancel(&world, id).await;
    assert_eq!(meetings(&server).await.len(), 1);
    remove(&world, id).await;
    assert_eq!((meetings(&server).await.len(), row_state(&world).await.as_str()), (0, "ended"));
    // Of one that is not found a call may still be under way.
    let other = paid(&world, 2, 13).await;
    server.fault_of("zoom.create", json!({ "kind": "drop" })).await;
    assert_ne!(ask(&world, other).await, "");
    cancel(&world, other).await;
    remove(&world, other).await;
    let ending = "select count(*) from meeting_rooms where state = 'ending'";
    assert_eq!(world.count(ending).await, 1);
    world.minutes_later(6).await;
    remove(&world, other).await;
    assert_eq!(world.count(ending).await, 0);
}

#[tokio::test]
async fn where_the_fallback_is_the_room_what_zoom_may_have_made_is_removed() {
    let server = ThirdParties::start().await;
    let mut practice = practice_at_zoom();
    practice.meetings.fallback_link = "https://meet.example.org/spare".into();
    let world = World::meeting_at(practice, places(&server)).await;
    let id = paid(&world, 1, 11).await;
    server.fault_of("zoom.create", answer_lost()).await;
    assert_ne!(ask(&world, id).await, "");
    world.minutes_later(26 * 60 + 1).await;
    server.fault_of("zoom.list", json!({ "kind": "status", "status": 503 })).await;
    assert_eq!(ask(&world, id).await, "");
    assert_eq!(world.view(id).await.booking.join_url, "https://meet.example.org/spare");
    assert_eq!(meetings(&server).await.len(), 1);
    remove(&world, id).await;
    assert_eq!(meetings(&server).await.len(), 0);
}

#[tokio::test]
async fn an_account_that_is_not_set_is_named() {
    let practice = practice_at_zoom();
    let key = FEED_KEY.to_owned().into();
    let told = Meetings::new(&practice, &MeetingSecrets::default(), &key).unwrap_err().to_string();
    assert!(told.contains("BOOKING_MEETING_ZOOM_ACCOUNT is not set"), "{told}");
}
