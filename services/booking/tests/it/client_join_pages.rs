//! The page that leads a client to the sessions: by a mail's key, or as the signed-in owner.

use contract::booking::v1::{
    BookingState, CancelBookingRequest, CancelledBy, ClientJoinPage, GetBookingContactRequest,
    GetBookingContactResponse, GetCalendarFileRequest, GetOwnJoinPageRequest,
    GetPageCalendarFileRequest, JoinKeyEnd, OpenJoinPageRequest, RequestBookingRequest,
    SessionMode,
};
use contract::convert::timestamp;
use kernel::Id;
use kernel::id::Booking;
use tonic::{Code, Status};

use crate::grpc_harness::{GrpcHarness, refused};
use crate::own_calendar::{NOTE, OWNER, booked_with, practice};
use crate::phone_bookings::{book_by_phone, new_phone_request};
use crate::world::{at, customer, new_package, new_request};

/// What a mail of a client is told.
async fn mailed(harness: &GrpcHarness, id: Id<Booking>, number: u8) -> GetBookingContactResponse {
    let asked = GetBookingContactRequest {
        booking_id: id.to_string(),
        mail_id: format!("mal_{number:032x}"),
        join_key_wanted: true,
        ..GetBookingContactRequest::default()
    };
    let answer = harness.internal("notifications").get_booking_contact(asked).await;
    answer.unwrap().into_inner()
}

async fn open(harness: &GrpcHarness, key: &str) -> Result<ClientJoinPage, Status> {
    let asked = OpenJoinPageRequest { join_key: key.to_owned() };
    Ok(harness.join_pages().open_join_page(asked).await?.into_inner().page.unwrap())
}

async fn own(
    harness: &GrpcHarness,
    number: u128,
    id: Id<Booking>,
) -> Result<ClientJoinPage, Status> {
    let asked = GetOwnJoinPageRequest { booking_id: id.to_string() };
    let answer =
        harness.join_pages().get_own_join_page(harness.by(customer(number), asked)).await?;
    Ok(answer.into_inner().page.unwrap())
}

/// Sets the clock to so many minutes after a session's start.
async fn clock_at(harness: &GrpcHarness, minutes: i64) {
    let now = harness.world.app.store.now().await.unwrap();
    let ahead = at(1, 14).plus_minutes(minutes).seconds_since(now) / 60;
    harness.world.minutes_later(ahead).await;
}

fn moment(it: &Option<prost_types::Timestamp>) -> Option<kernel::Timestamp> {
    it.as_ref().and_then(timestamp)
}

async fn cancel(harness: &GrpcHarness, id: Id<Booking>) {
    let cancel = CancelBookingRequest {
        booking_id: id.to_string(),
        idempotency_key: "cancel-0001".to_owned(),
        cancelled_by: CancelledBy::Practice.into(),
        ..CancelBookingRequest::default()
    };
    harness.staff().cancel_booking(harness.by(customer(OWNER), cancel)).await.unwrap();
}

#[tokio::test]
async fn a_mails_key_shows_when_and_how_and_the_room_in_its_time() {
    let harness = practice().await;
    harness.world.run_timers();
    let id = booked_with(&harness, "lead", at(1, 14)).await;
    harness.world.reaches(id, BookingState::MeetingScheduled).await;
    let key = mailed(&harness, id, 1).await.join_key;
    // The same mail is led there by the same key, another one by its own.
    assert_eq!(mailed(&harness, id, 1).await.join_key, key);
    assert_ne!(mailed(&harness, id, 2).await.join_key, key);
    let early = open(&harness, &key).await.unwrap();
    assert_eq!(early.sessions.len(), 1);
    assert_eq!((early.mode(), early.session_number), (SessionMode::Online, 1));
    let ends = moment(&early.sessions[0].ends_at).unwrap();
    assert_eq!(moment(&early.room_opens_at), Some(at(1, 14).plus_minutes(-10)));
    assert_eq!(moment(&early.room_closes_at), Some(ends.plus_minutes(120)));
    assert_eq!(early.room_url, "", "the room is shown a day early");
    let told = format!("{early:?}");
    for personal in ["Asha", "Meditation", NOTE, "example.org", "9893"] {
        assert!(!told.contains(personal), "{personal}: {told}");
    }
    // The clock moves by whole minutes, so it is up to one minute earlier.
    clock_at(&harness, -9).await;
    let open_now = open(&harness, &key).await.unwrap();
    assert!(open_now.room_url.starts_with("http"), "{open_now:?}");
    assert_eq!(own(&harness, 1, id).await.unwrap(), open_now);
}

#[tokio::test]
async fn from_two_hours_after_the_session_a_key_shows_nothing_of_it() {
    let harness = practice().await;
    let id = booked_with(&harness, "lead", at(1, 14)).await;
    let key = mailed(&harness, id, 1).await.join_key;
    let page = open(&harness, &key).await.unwrap();
    let (from, to) = (moment(&page.sessions[0].starts_at), moment(&page.sessions[0].ends_at));
    let length = to.unwrap().seconds_since(from.unwrap()) / 60;
    clock_at(&harness, length + 119).await;
    assert_eq!(open(&harness, &key).await.unwrap().sessions.len(), 1);
    clock_at(&harness, length + 121).await;
    let over = open(&harness, &key).await.unwrap();
    assert_eq!((over.sessions.len(), over.practitioner_name.as_str()), (0, ""));
    assert_eq!((over.room_opens_at, over.session_number), (None, 0));
    // Its owner still reads when it was.
    assert_eq!(own(&harness, 1, id).await.unwrap().sessions.len(), 1);
    clock_at(&harness, 90 * 24 * 60).await;
    let ended = open(&harness, &key).await.unwrap();
    assert_eq!((ended.ended(), ended.booking_id.as_str()), (JoinKeyEnd::Over, ""));
}

#[tokio::test]
async fn a_cancelled_session_says_so_and_has_no_room() {
    let harness = practice().await;
    harness.world.run_timers();
    let id = booked_with(&harness, "lead", at(1, 14)).await;
    harness.world.reaches(id, BookingState::MeetingScheduled).await;
    let key = mailed(&harness, id, 1).await.join_key;
    clock_at(&harness, -5).await;
    assert_ne!(open(&harness, &key).await.unwrap().room_url, "");
    cancel(&harness, id).await;
    let page = open(&harness, &key).await.unwrap();
    assert_eq!((page.state(), page.sessions.len()), (BookingState::Cancelled, 0));
    let own = own(&harness, 1, id).await.unwrap();
    for page in [page, own] {
        assert_eq!((page.room_url.as_str(), page.room_opens_at), ("", None));
    }
}

#[tokio::test]
async fn what_is_no_key_and_what_is_another_accounts_is_not_there() {
    let harness = practice().await;
    let id = booked_with(&harness, "lead", at(1, 14)).await;
    let key = mailed(&harness, id, 1).await.join_key;
    for wrong in ["", "a", &key[..42], &format!("{key}A"), &id.to_string()] {
        refused(open(&harness, wrong).await, Code::NotFound, "BOOKING_NOT_FOUND", "");
    }
    for stranger in [2, OWNER] {
        let answer = own(&harness, stranger, id).await;
        refused(answer, Code::NotFound, "BOOKING_NOT_FOUND", "");
    }
    let asked = GetOwnJoinPageRequest { booking_id: "bkg_nonsense".to_owned() };
    let answer = harness.join_pages().get_own_join_page(harness.by(customer(1), asked)).await;
    refused(answer, Code::NotFound, "BOOKING_NOT_FOUND", "");
    let asked = GetOwnJoinPageRequest { booking_id: id.to_string() };
    let signed_out = harness.join_pages().get_own_join_page(asked).await;
    assert_eq!(signed_out.unwrap_err().code(), Code::Unauthenticated);
}

#[tokio::test]
async fn calendar_files_lead_to_the_page_and_name_no_room() {
    let harness = practice().await;
    harness.world.run_timers();
    let id = booked_with(&harness, "lead", at(1, 14)).await;
    harness.world.reaches(id, BookingState::MeetingScheduled).await;
    let mail = mailed(&harness, id, 1).await;
    let room = mail.booking.as_ref().unwrap().join_url.clone();
    assert_ne!(room, "");
    let asked = GetCalendarFileRequest { booking_id: id.to_string() };
    let asked = harness.by(customer(1), asked);
    let saved = harness.public().get_calendar_file(asked).await.unwrap().into_inner().content;
    let site = "http://127.0.0.1:8080";
    let of_mail = format!("LOCATION:{site}/join#key={}\r\n", mail.join_key);
    for (file, line) in
        [(mail.calendar_file, of_mail), (saved, format!("LOCATION:{site}/join/{id}\r\n"))]
    {
        let file = file.replace("\r\n ", "");
        assert!(file.contains(&line), "{file}");
        assert!(!file.contains(&room) && !file.contains(NOTE), "{file}");
    }
}

#[tokio::test]
async fn a_session_in_person_has_a_place_and_no_room() {
    let harness = practice().await;
    let request = RequestBookingRequest {
        mode: SessionMode::InPerson.into(),
        ..new_request("meditation", at(1, 14))
    };
    let id = harness.world.request(customer(1), request).await.unwrap();
    harness.world.pay(id, "pay_1").await;
    assert_eq!(mailed(&harness, id, 1).await.join_key, "", "there is nothing to join");
    clock_at(&harness, -5).await;
    let page = own(&harness, 1, id).await.unwrap();
    assert_eq!((page.room_opens_at, page.room_url.as_str()), (None, ""));
    assert_ne!(page.location, "");
}

#[tokio::test]
async fn of_a_package_the_page_names_the_session_that_comes_next() {
    let harness = practice().await;
    let package = new_package([at(1, 14), at(2, 14), at(3, 14)]);
    let id = harness.world.request(customer(1), package).await.unwrap();
    harness.world.pay(id, "pay_1").await;
    let key = mailed(&harness, id, 1).await.join_key;
    let page = open(&harness, &key).await.unwrap();
    assert_eq!((page.sessions.len(), page.session_number), (3, 1));
    assert!(page.sessions.iter().all(|session| session.share.is_none()));
    clock_at(&harness, 5 * 60).await;
    let page = open(&harness, &key).await.unwrap();
    assert_eq!((page.sessions.len(), page.session_number), (3, 2));
}

#[tokio::test]
async fn a_booking_by_phone_is_joined_by_its_pages_key_too_until_an_account_owns_it() {
    let harness = practice().await;
    let id = book_by_phone(&harness.world, new_phone_request(at(1, 14))).await.unwrap();
    let page_key = harness.world.app.page_keys.key(id);
    let held = open(&harness, &page_key).await.unwrap();
    assert_eq!((held.state(), held.room_opens_at), (BookingState::Held, None));
    harness.world.pay(id, "pay_1").await;
    let key = mailed(&harness, id, 1).await.join_key;
    assert_eq!(open(&harness, &page_key).await.unwrap(), open(&harness, &key).await.unwrap());
    let asked = GetPageCalendarFileRequest { page_key: page_key.clone() };
    let file = harness.pages().get_page_calendar_file(asked).await.unwrap().into_inner().content;
    let file = file.replace("\r\n ", "");
    let led = file.split("/join#key=").nth(1).and_then(|rest| rest.get(..43)).unwrap().to_owned();
    assert!(led != page_key && led != key, "{file}");
    assert_eq!(open(&harness, &led).await.unwrap().session_number, 1);
    let adopt = harness.by_proved(customer(7), contract::booking::v1::AdoptBookingsRequest {});
    let adopted = harness.public().adopt_bookings(adopt).await.unwrap().into_inner();
    assert_eq!(adopted.booking_ids, [id.to_string()]);
    for key in [page_key, key, led] {
        let ended = open(&harness, &key).await.unwrap();
        assert_eq!((ended.ended(), ended.booking_id), (JoinKeyEnd::Adopted, id.to_string()));
        assert_eq!(ended.sessions.len(), 0);
    }
    assert_eq!(own(&harness, 7, id).await.unwrap().session_number, 1);
    // A mail that comes later leads its owner there without signing in.
    let later = mailed(&harness, id, 2).await.join_key;
    assert_eq!(open(&harness, &later).await.unwrap().session_number, 1);
}
