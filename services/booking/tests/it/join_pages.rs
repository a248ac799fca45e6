//! The practice's page of a booking's sessions: the note by role, the room from ten minutes before.

use contract::booking::v1::{
    BookingState, CancelBookingRequest, CancelledBy, GetJoinPageRequest, GetJoinPageResponse,
};
use contract::convert::timestamp;
use kernel::Id;
use kernel::id::Booking;
use tonic::Code;

use crate::grpc_harness::{GrpcHarness, refused};
use crate::own_calendar::{ADMIN, DESK, LEAD, NOTE, OWNER, RAVI, UNLINKED, booked_with, practice};
use crate::world::{at, customer};

async fn page_of(
    harness: &GrpcHarness,
    number: u128,
    id: Id<Booking>,
) -> Result<GetJoinPageResponse, tonic::Status> {
    let asked = GetJoinPageRequest { booking_id: id.to_string() };
    let answer = harness.staff().get_join_page(harness.by(customer(number), asked)).await?;
    Ok(answer.into_inner())
}

#[tokio::test]
async fn a_member_sees_by_role_what_holds_a_session() {
    let harness = practice().await;
    let id = booked_with(&harness, "lead", at(1, 14)).await;
    for (number, note) in [(OWNER, NOTE), (LEAD, NOTE), (ADMIN, ""), (DESK, "")] {
        let page = page_of(&harness, number, id).await.unwrap();
        assert_eq!((page.notes.as_str(), page.client_first_name.as_str()), (note, "Asha"));
        assert_eq!(page.sessions[0].starts_at.as_ref().and_then(timestamp), Some(at(1, 14)));
        assert_eq!(
            page.room_opens_at.as_ref().and_then(timestamp),
            Some(at(1, 14).plus_minutes(-10))
        );
        assert_eq!(page.join_url, "", "the room is shown a day early");
    }
    for number in [RAVI, UNLINKED, 1] {
        let answer = page_of(&harness, number, id).await.map(drop);
        let code = answer.unwrap_err().code();
        assert!(matches!(code, Code::NotFound | Code::PermissionDenied), "{number}: {code}");
    }
    let rows = harness.audited("GetJoinPage").await;
    assert_eq!(rows.iter().filter(|row| row.3 == "done").count(), 4, "{rows:?}");
}

#[tokio::test]
async fn the_room_is_there_from_ten_minutes_before_and_ends_with_the_booking() {
    let harness = practice().await;
    harness.world.run_timers();
    let id = booked_with(&harness, "lead", at(1, 14)).await;
    harness.world.reaches(id, BookingState::MeetingScheduled).await;
    assert_eq!(page_of(&harness, LEAD, id).await.unwrap().join_url, "");
    let now = harness.world.app.store.now().await.unwrap();
    let minutes = at(1, 14).plus_minutes(-9).seconds_since(now) / 60;
    harness.world.minutes_later(minutes).await;
    assert_ne!(page_of(&harness, LEAD, id).await.unwrap().join_url, "");
    let cancel = CancelBookingRequest {
        booking_id: id.to_string(),
        idempotency_key: "cancel-0001".to_owned(),
        cancelled_by: CancelledBy::Practice.into(),
        ..CancelBookingRequest::default()
    };
    harness.staff().cancel_booking(harness.by(customer(OWNER), cancel)).await.unwrap();
    let page = page_of(&harness, LEAD, id).await.unwrap();
    assert_eq!(page.state(), BookingState::Cancelled);
    assert_eq!((page.join_url.as_str(), page.notes.as_str()), ("", ""));
    assert_eq!(page.room_opens_at, None);
}

#[tokio::test]
async fn what_is_no_booking_has_no_page() {
    let harness = practice().await;
    let asked = GetJoinPageRequest { booking_id: "bkg_nonsense".to_owned() };
    let answer = harness.staff().get_join_page(harness.by(customer(OWNER), asked)).await;
    refused(answer, Code::NotFound, "BOOKING_NOT_FOUND", "");
}
