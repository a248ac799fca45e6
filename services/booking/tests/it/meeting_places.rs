//! Where sessions online take place, as `[meetings]` of the practice says.

use booking::clients::meetings::{MeetingSecrets, Meetings};
use booking::domain::claim_policy::ClaimPolicy;
use contract::booking::v1::BookingState;
use practice::{MeetingProvider, Practice, PractitionerMeetings};

use crate::world::{FEED_KEY, World, at, customer, new_request_with, practice_of_two};

const LINK: &str = "https://meet.example.org/asha?pwd=1";
const RAVIS_LINK: &str = "https://meet.example.org/ravi";

/// A practice whose sessions take place at one link, those of the second practitioner at another.
fn practice_with_links() -> Practice {
    let mut practice = practice_of_two();
    practice.meetings.provider = MeetingProvider::Link;
    practice.meetings.link = LINK.into();
    practice.meetings.practitioners = vec![PractitionerMeetings {
        practitioner_id: "ravi".to_owned(),
        provider: None,
        link: RAVIS_LINK.into(),
        user: String::new(),
        fallback_link: "".into(),
    }];
    practice
}

#[tokio::test]
async fn a_fixed_link_is_the_room_of_its_practitioners_bookings_without_a_call() {
    let world = World::of(practice_with_links(), ClaimPolicy::Review).await;
    world.run_timers();
    for (number, practitioner, link) in [(1, "lead", LINK), (2, "ravi", RAVIS_LINK)] {
        let request = new_request_with(practitioner, "meditation", at(1, 15));
        let id = world.request(customer(number), request).await.unwrap();
        world.pay(id, &format!("pay_{number}")).await;
        let booking = world.reaches(id, BookingState::MeetingScheduled).await;
        assert_eq!(booking.join_url, link);
        let events = world.app.store.load(&booking::contract::booking_stream(id)).await.unwrap();
        let told = events.iter().map(|event| event.payload.to_string()).collect::<String>();
        assert!(!told.contains("meet.example.org"), "an event has the link");
    }
    assert!(world.rooms.asked().is_empty());
}

#[test]
fn a_place_that_lacks_its_settings_is_named() {
    let mut practice = practice_with_links();
    let nothing = MeetingSecrets::default();
    let key = FEED_KEY.to_owned().into();
    assert!(Meetings::new(&practice, &nothing, &key).is_ok());
    practice.meetings.practitioners[0].provider = Some(MeetingProvider::Own);
    let told = Meetings::new(&practice, &nothing, &key).unwrap_err().to_string();
    assert!(told.contains("BOOKING_MEETING_URL is not set"), "{told}");
    assert!(told.ends_with("for Ravi Menon"), "{told}");
}
