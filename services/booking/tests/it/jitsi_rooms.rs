//! Rooms on a server of Jitsi that wants tokens, as the sandbox plays it.

use booking::clients::meetings::{MeetingSecrets, Meetings, RoomRequest};
use contract::booking::v1::{BookingState, GetJoinPageRequest, GetOwnJoinPageRequest};
use eventstore::new_id;
use kernel::Timestamp;
use practice::{MeetingProvider, Practice};
use serde_json::{Value, json};

use crate::grpc_harness::GrpcHarness;
use crate::own_calendar::{OWNER, booked_with};
use crate::third_parties::ThirdParties;
use crate::world::{FEED_KEY, World, at, customer, practice_of_two};

fn places() -> MeetingSecrets {
    let jitsi = Some("demo-jitsi-secret-of-32-characters".to_owned().into());
    MeetingSecrets { jitsi, ..MeetingSecrets::default() }
}

fn practice_at(server: &ThirdParties) -> Practice {
    let mut practice = practice_of_two();
    practice.meetings.provider = MeetingProvider::Jitsi;
    practice.meetings.server = format!("{}/jitsi", server.url);
    practice.meetings.app_id = "demo-jitsi".to_owned();
    practice
}

/// What the server says to a person who opens a link at a time.
async fn entered(server: &ThirdParties, url: &str, at: Timestamp) -> Value {
    server.answered("/api/jitsi", &json!({ "url": url, "at": at.to_string() })).await
}

#[tokio::test]
async fn a_token_is_made_when_a_person_joins_and_ends_with_the_session() {
    let server = ThirdParties::start().await;
    let world = World::meeting_at(practice_at(&server), places()).await;
    let harness = GrpcHarness::of(world).await;
    harness.grant(customer(OWNER), Some(staff::Role::Owner)).await;
    harness.world.run_timers();
    let id = booked_with(&harness, "lead", at(1, 14)).await;
    let stored = harness.world.reaches(id, BookingState::MeetingScheduled).await.join_url;
    assert_eq!(entered(&server, &stored, at(1, 14)).await["why"], "token required");
    let now = harness.world.app.store.now().await.unwrap();
    let ahead = at(1, 14).plus_minutes(-9).seconds_since(now) / 60;
    harness.world.minutes_later(ahead).await;
    let asked = GetOwnJoinPageRequest { booking_id: id.to_string() };
    let page = harness.join_pages().get_own_join_page(harness.by(customer(1), asked)).await;
    let clients = page.unwrap().into_inner().page.unwrap().room_url;
    let asked = GetJoinPageRequest { booking_id: id.to_string() };
    let page = harness.staff().get_join_page(harness.by(customer(OWNER), asked)).await;
    let hosts = page.unwrap().into_inner().join_url;
    for (url, is_host) in [(&clients, false), (&hosts, true)] {
        assert!(url.starts_with(&format!("{stored}?jwt=")), "{url}");
        let answer = entered(&server, url, at(1, 14)).await;
        assert_eq!((&answer["allowed"], &answer["moderator"]), (&json!(true), &json!(is_host)));
        let user = &answer["context"]["user"];
        assert_eq!(*user, json!({ "affiliation": if is_host { "owner" } else { "member" } }));
        // Until two hours after the session, as long as the page shows the room.
        for (minutes, why) in [
            (-12, "Not acceptable by nbf"),
            (-9, ""),
            (60 + 119, ""),
            (60 + 120, "Not acceptable by exp"),
        ] {
            let answer = entered(&server, url, at(1, 14).plus_minutes(minutes)).await;
            assert_eq!(answer["why"].as_str().unwrap_or_default(), why, "{minutes}");
        }
        let (_, token) = url.split_once('?').unwrap();
        let elsewhere = format!("{}/jitsi/session-1?{token}", server.url);
        let answer = entered(&server, &elsewhere, at(1, 14)).await;
        assert_eq!(answer["why"], "Room and token mismatched");
    }
}

#[tokio::test]
async fn a_rooms_name_is_the_same_for_a_repeat_and_tells_nothing() {
    let server = ThirdParties::start().await;
    let world = World::meeting_at(practice_at(&server), places()).await;
    world.run_timers();
    let id = world.hold(customer(1), at(1, 11)).await;
    world.pay(id, "pay_1").await;
    let stored = world.reaches(id, BookingState::MeetingScheduled).await.join_url;
    let session = booking::domain::span::Span::new(at(1, 11), at(1, 12)).unwrap();
    let request = |booking_id| RoomRequest {
        booking_id,
        practitioner_id: "lead".to_owned(),
        title: "Session".to_owned(),
        session,
        is_package: false,
        time_zone: "Asia/Kolkata".to_owned(),
    };
    let repeated = world.app.meetings.create(&request(id)).await.unwrap();
    assert_eq!(repeated.join_url, stored);
    let other = world.app.meetings.create(&request(new_id())).await.unwrap();
    assert_ne!(other.join_url, stored);
    let another_key = "o".repeat(32).into();
    let elsewhere = Meetings::new(&world.app.practice, &places(), &another_key).unwrap();
    assert_ne!(elsewhere.create(&request(id)).await.unwrap().join_url, stored);
    let hex = id.uuid().simple().to_string();
    for part in [&hex, &id.to_string(), &hex[..8]] {
        assert!(!stored.contains(part), "{stored}");
    }
    let events = world.app.store.load(&booking::contract::booking_stream(id)).await.unwrap();
    let name = stored.rsplit('/').next().unwrap();
    assert!(events.iter().all(|event| !event.payload.to_string().contains(name)));
}

#[tokio::test]
async fn a_server_without_tokens_gets_the_plain_link_and_one_with_them_needs_a_secret() {
    let server = ThirdParties::start().await;
    let mut practice = practice_at(&server);
    let key = FEED_KEY.to_owned().into();
    let told = Meetings::new(&practice, &MeetingSecrets::default(), &key).unwrap_err().to_string();
    assert!(told.contains("BOOKING_MEETING_JITSI_SECRET is not set"), "{told}");
    practice.meetings.app_id = String::new();
    let meetings = Meetings::new(&practice, &MeetingSecrets::default(), &key).unwrap();
    let pass = booking::clients::meetings::Pass {
        is_host: true,
        opens_at: at(1, 10),
        closes_at: at(1, 12),
    };
    let room = format!("{}/jitsi/session-1", server.url);
    assert_eq!(meetings.entrance(room.clone(), pass), room);
    assert_eq!(meetings.entrance(String::new(), pass), "");
}
