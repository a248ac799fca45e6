//! What the desk does with one booking: it is found by its reference, its cancellation is
//! previewed, an unpaid one that was made by phone is taken back, and who came is marked.

use contract::booking::v1::{
    AcceptTermsRequest, Attendance, BookingState, CancelBookingRequest, CancellationRefund,
    CancelledBy, FindBookingsRequest, GetBookingContactRequest, ListBookingsRequest,
    MarkAttendanceRequest, PreviewCancellationRequest, PreviewCancellationResponse,
    ReleaseHoldRequest, SessionMark, SessionMode,
};
use contract::common::v1::DeskWay;
use kernel::Id;
use kernel::id::Booking;
use staff::Role;
use tonic::Code;

use crate::grpc_harness::{GrpcHarness, refused};
use crate::phone_bookings::{book_by_phone, new_phone_request};
use crate::world::{World, at, customer, new_package};

const DESK: u128 = 901;

async fn harness() -> GrpcHarness {
    let harness = GrpcHarness::of(World::without_timers().await).await;
    harness.grant(customer(DESK), Some(Role::Admin)).await;
    harness
}

fn reference(id: Id<Booking>) -> String {
    let id = id.to_string();
    id[id.len() - 8..].to_uppercase()
}

async fn find(harness: &GrpcHarness, reference: &str) -> Vec<String> {
    let request = FindBookingsRequest { reference: reference.to_owned() };
    let found = harness.staff().find_bookings(harness.by(customer(DESK), request)).await;
    let found = found.unwrap().into_inner().bookings;
    found.into_iter().map(|staff| staff.booking.unwrap().booking_id).collect()
}

#[tokio::test]
async fn a_booking_is_found_by_the_reference_that_its_mail_quotes() {
    let harness = harness().await;
    let id = harness.world.hold(customer(1), at(1, 11)).await;
    harness.world.hold(customer(2), at(1, 13)).await;
    assert_eq!(find(&harness, &reference(id)).await, [id.to_string()]);
    assert_eq!(find(&harness, &reference(id).to_lowercase()).await, [id.to_string()]);
    for none in ["00000000", "", "%", &id.to_string()] {
        assert!(find(&harness, none).await.is_empty(), "{none}");
    }
    let request = FindBookingsRequest { reference: reference(id) };
    let client = harness.staff().find_bookings(harness.by(customer(905), request)).await;
    refused(client, Code::PermissionDenied, "STAFF_ONLY", "");
    assert_eq!(harness.audited("FindBookings").await.len(), 6);
}

#[tokio::test]
async fn a_listed_day_is_named() {
    let harness = harness().await;
    let list = async |from_date: &str| {
        let request = ListBookingsRequest { from_date: from_date.to_owned(), ..Default::default() };
        let listed = harness.staff().list_bookings(harness.by(customer(DESK), request)).await;
        listed.unwrap().into_inner().from_date
    };
    let today = list("").await;
    assert_eq!(today.len(), 10, "{today}");
    assert_eq!(list(&today).await, today);
}

async fn preview(
    harness: &GrpcHarness,
    id: Id<Booking>,
    session_number: i32,
) -> Result<PreviewCancellationResponse, tonic::Status> {
    let request = PreviewCancellationRequest {
        booking_id: id.to_string(),
        cancelled_by: CancelledBy::Customer.into(),
        refund: CancellationRefund::Unspecified.into(),
        session_number,
    };
    let asked = harness.staff().preview_cancellation(harness.by(customer(DESK), request)).await;
    asked.map(tonic::Response::into_inner)
}

#[tokio::test]
async fn a_preview_says_what_the_cancellation_does_and_changes_nothing() {
    let harness = harness().await;
    let world = &harness.world;
    let package = new_package([at(1, 11), at(2, 11), at(3, 11)]);
    let id = world.request(customer(1), package).await.unwrap();
    refused(preview(&harness, id, 0).await, Code::FailedPrecondition, "NOT_CANCELLABLE", "");
    world.pay(id, "pay_1").await;
    let before = world.booking_history(id).await;
    let one = preview(&harness, id, 2).await.unwrap();
    assert_eq!((one.refund.unwrap().minor_units, one.unpaid), (150_000, false));
    let sessions = one.booking.unwrap().booking.unwrap().sessions;
    assert_eq!(one.sessions, sessions[1..2]);
    let all = preview(&harness, id, 0).await.unwrap();
    assert_eq!((all.refund.unwrap().minor_units, all.sessions.len()), (450_001, 3));
    assert_eq!(world.booking_history(id).await, before);

    let cancel = CancelBookingRequest {
        booking_id: id.to_string(),
        idempotency_key: "cancel-the-second".to_owned(),
        cancelled_by: CancelledBy::Customer.into(),
        session_number: 2,
        ..CancelBookingRequest::default()
    };
    harness.staff().cancel_booking(harness.by(customer(DESK), cancel)).await.unwrap();
    // What is cancelled already has no part in the sum.
    let rest = preview(&harness, id, 0).await.unwrap();
    assert_eq!((rest.refund.unwrap().minor_units, rest.sessions.len()), (300_001, 2));
    assert!(preview(&harness, id, 2).await.unwrap().sessions.is_empty());
}

async fn release(
    harness: &GrpcHarness,
    id: Id<Booking>,
    key: &str,
) -> Result<BookingState, tonic::Status> {
    let request =
        ReleaseHoldRequest { booking_id: id.to_string(), idempotency_key: key.to_owned() };
    let released = harness.staff().release_hold(harness.by(customer(DESK), request)).await;
    released.map(|answer| answer.into_inner().booking.unwrap().booking.unwrap().state())
}

#[tokio::test]
async fn an_unpaid_booking_by_phone_is_taken_back_and_its_time_is_free() {
    let harness = harness().await;
    let world = &harness.world;
    let mut request = new_phone_request(at(1, 11));
    request.mode = SessionMode::InPerson.into();
    let id = book_by_phone(world, request).await.unwrap();
    let accept = AcceptTermsRequest {
        page_key: world.app.page_keys.key(id),
        terms_accepted: true,
        ..AcceptTermsRequest::default()
    };
    // Also once its client has agreed on the page, which is as if checkout were opened.
    harness.pages().accept_terms(accept).await.unwrap();
    assert_eq!(release(&harness, id, "take-it-back").await.unwrap(), BookingState::Cancelled);
    for key in ["take-it-back", "take-it-twice"] {
        assert_eq!(release(&harness, id, key).await.unwrap(), BookingState::Cancelled);
    }
    let history = world.booking_history(id).await;
    assert_eq!(history.iter().filter(|event| *event == "BookingReleased").count(), 1);
    world.hold(customer(1), at(1, 11)).await;
    assert_eq!(harness.audited("ReleaseHold").await.len(), 3);
}

#[tokio::test]
async fn what_is_paid_or_was_asked_for_by_an_account_is_not_taken_back() {
    let harness = harness().await;
    let world = &harness.world;
    let own = world.hold(customer(1), at(1, 11)).await;
    refused(
        release(&harness, own, "not-by-phone").await,
        Code::FailedPrecondition,
        "NOT_BY_PHONE",
        "",
    );
    let paid = book_by_phone(world, new_phone_request(at(1, 13))).await.unwrap();
    world.pay(paid, "pay_2").await;
    refused(
        release(&harness, paid, "it-is-paid").await,
        Code::FailedPrecondition,
        "HOLD_ENDED",
        "",
    );
    assert_eq!(world.state(paid).await, BookingState::Confirmed);
}

#[tokio::test]
async fn a_client_who_did_not_come_is_marked_and_the_mark_can_be_taken_back() {
    let harness = GrpcHarness::new().await;
    harness.grant(customer(DESK), Some(Role::Admin)).await;
    let world = &harness.world;
    let id = world.hold(customer(1), at(1, 11)).await;
    world.pay(id, "pay_1").await;
    let mark = async |attendance: Attendance, key: &str| {
        let request = MarkAttendanceRequest {
            booking_id: id.to_string(),
            idempotency_key: key.to_owned(),
            session_number: 0,
            attendance: attendance.into(),
        };
        let marked = harness.staff().mark_attendance(harness.by(customer(DESK), request)).await;
        marked.map(|answer| answer.into_inner().booking.unwrap().booking.unwrap().state())
    };
    let early = mark(Attendance::NoShow, "mark-too-early").await;
    refused(early, Code::FailedPrecondition, "NOT_MARKABLE", "");
    let nothing = mark(Attendance::Unspecified, "mark-nothing").await;
    refused(nothing, Code::InvalidArgument, "INVALID_ATTENDANCE", "attendance");
    // An hour after it has begun, at eleven tomorrow.
    world.minutes_later(27 * 60).await;
    world.reaches(id, BookingState::Completed).await;
    let version = world.view(id).await.booking.version;
    let state = mark(Attendance::NoShow, "mark-no-show").await.unwrap();
    assert_eq!(state, BookingState::NoShow);
    mark(Attendance::NoShow, "mark-no-show").await.unwrap();
    mark(Attendance::NoShow, "mark-it-again").await.unwrap();
    assert_eq!(world.view(id).await.booking.version, version + 1);
    let listed = async |state: BookingState| {
        let request = ListBookingsRequest {
            from_date: "2026-11-25".to_owned(),
            days: 10,
            states: vec![state.into()],
        };
        let listed = harness.staff().list_bookings(harness.by(customer(DESK), request)).await;
        listed.unwrap().into_inner().bookings.len()
    };
    let all = (listed(BookingState::NoShow).await, listed(BookingState::Completed).await);
    assert_eq!(all, (1, 0));
    // The day's list says it of the session.
    assert_eq!(
        world.view(id).await.marks,
        [SessionMark { session_number: 1, attendance: Attendance::NoShow.into() }]
    );
    assert_eq!(attended(&harness, id).await, [0; 0]);
    let state = mark(Attendance::Unmarked, "mark-taken-back").await.unwrap();
    assert_eq!(state, BookingState::Completed);
    assert_eq!(world.view(id).await.marks, []);
    let history = world.booking_history(id).await;
    let marks = history.iter().filter(|event| *event == "BookingAttendanceMarked").count();
    assert_eq!(marks, 2);
    for (attendance, key) in [(Attendance::Came, "mark-came"), (Attendance::Late, "mark-late")] {
        mark(attendance, key).await.unwrap();
        assert_eq!(attended(&harness, id).await, [1]);
    }
}

/// The sessions to which the client came, as notifications is told.
async fn attended(harness: &GrpcHarness, id: Id<Booking>) -> Vec<i32> {
    let booking_id = id.to_string();
    let asked = GetBookingContactRequest { booking_id, ..GetBookingContactRequest::default() };
    let answer = harness.internal("notifications").get_booking_contact(asked).await;
    answer.unwrap().into_inner().attended_sessions
}

#[tokio::test]
async fn a_booking_that_was_paid_at_the_desk_says_how() {
    let harness = harness().await;
    let world = &harness.world;
    for (hour, payment, way) in [
        (11, "desk_cash_00000000000000000000000000000001", DeskWay::Cash),
        (13, "desk_upi_00000000000000000000000000000002", DeskWay::Upi),
        (15, "pay_3", DeskWay::Unspecified),
    ] {
        let id = book_by_phone(world, new_phone_request(at(1, hour))).await.unwrap();
        world.pay(id, payment).await;
        let booking = world.view(id).await.booking;
        assert_eq!((booking.state(), booking.paid_at_desk()), (BookingState::Confirmed, way));
    }
}
