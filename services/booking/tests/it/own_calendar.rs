//! A practitioner has the own calendar and clients and nothing of the others; notes are shown by
//! role; what was seen stands in the audit log.

use contract::booking::v1::{
    BlockTimeRequest, CancelBookingRequest, CancelledBy, ChangeRoleRequest, Contact,
    GetBookingFactsRequest, GetBookingHistoryRequest, ListBlockedTimesRequest, ListBookingsRequest,
    ListCalendarFeedsRequest, RenewCalendarFeedRequest, RequestBookingRequest,
    RequestPhoneBookingRequest, SendPaymentPageRequest, StaffRole, StopCalendarFeedRequest,
    UnblockTimeRequest,
};
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use staff::Role;
use tonic::Code;

use crate::grpc_harness::{GrpcHarness, refused};
use crate::phone_bookings::new_phone_request;
use crate::world::{World, asha, at, customer, new_request_with};

pub(crate) const OWNER: u128 = 901;
pub(crate) const ADMIN: u128 = 902;
/// Practitioners, of whom each is linked to one calendar, and one to none.
pub(crate) const LEAD: u128 = 903;
pub(crate) const RAVI: u128 = 904;
pub(crate) const UNLINKED: u128 = 905;
pub(crate) const DESK: u128 = 906;
pub(crate) const NOTE: &str = "A note for the practitioner alone.";

pub(crate) async fn practice() -> GrpcHarness {
    let harness = GrpcHarness::of(World::of_two().await).await;
    for (number, role) in [
        (OWNER, Role::Owner),
        (ADMIN, Role::Admin),
        (LEAD, Role::Practitioner),
        (RAVI, Role::Practitioner),
        (UNLINKED, Role::Practitioner),
        (DESK, Role::FrontDesk),
    ] {
        harness.grant(customer(number), Some(role)).await;
    }
    for (number, practitioner_id) in [(LEAD, "lead"), (RAVI, "ravi")] {
        let asked = ChangeRoleRequest {
            user_id: customer(number).to_string(),
            role: StaffRole::Practitioner.into(),
            practitioner_id: practitioner_id.to_owned(),
        };
        let asked = harness.by(customer(ADMIN), asked);
        harness.organisation_staff().change_role(asked).await.unwrap();
    }
    harness
}

pub(crate) async fn booked_with(
    harness: &GrpcHarness,
    practitioner: &str,
    starts_at: Timestamp,
) -> Id<Booking> {
    let contact = Some(Contact { notes: NOTE.to_owned(), ..asha() });
    let request = RequestBookingRequest {
        contact,
        ..new_request_with(practitioner, "meditation", starts_at)
    };
    let id = harness.world.request(customer(1), request).await.unwrap();
    harness.world.pay(id, &format!("pay_{practitioner}")).await;
    id
}

/// What a member sees of a day: the practitioners of the bookings, and the notes.
async fn seen(harness: &GrpcHarness, number: u128) -> Vec<(String, String)> {
    let asked = ListBookingsRequest { from_date: "2026-11-25".to_owned(), ..Default::default() };
    let listed = harness.staff().list_bookings(harness.by(customer(number), asked)).await.unwrap();
    let bookings = listed.into_inner().bookings.into_iter();
    bookings
        .map(|it| it.booking.unwrap())
        .map(|it| (it.practitioner_id, it.contact.unwrap().notes))
        .collect()
}

#[tokio::test]
async fn each_role_sees_what_is_its_own_and_notes_by_role() {
    let harness = practice().await;
    booked_with(&harness, "lead", at(1, 14)).await;
    booked_with(&harness, "ravi", at(1, 16)).await;
    let row = |practitioner: &str, note: &str| (practitioner.to_owned(), note.to_owned());
    assert_eq!(seen(&harness, OWNER).await, [row("lead", NOTE), row("ravi", NOTE)]);
    for number in [ADMIN, DESK] {
        assert_eq!(seen(&harness, number).await, [row("lead", ""), row("ravi", "")]);
    }
    assert_eq!(seen(&harness, LEAD).await, [row("lead", NOTE)]);
    assert_eq!(seen(&harness, RAVI).await, [row("ravi", NOTE)]);
    assert_eq!(seen(&harness, UNLINKED).await, []);
    // The range that was seen stands in the log.
    let rows = harness.audited("ListBookings").await;
    assert!(rows.iter().all(|row| row.2 == "2026-11-25/2026-11-25" && row.3 == "done"), "{rows:?}");
    assert_eq!(rows.len(), 6);
}

#[tokio::test]
async fn another_practitioners_booking_does_not_exist() {
    let harness = practice().await;
    let id = booked_with(&harness, "lead", at(1, 14)).await;
    let cancel = |key: &str| CancelBookingRequest {
        booking_id: id.to_string(),
        idempotency_key: key.to_owned(),
        cancelled_by: CancelledBy::Customer.into(),
        ..CancelBookingRequest::default()
    };
    for number in [RAVI, UNLINKED] {
        let asked = harness.by(customer(number), cancel("cancel-0001"));
        let answer = harness.staff().cancel_booking(asked).await;
        refused(answer, Code::NotFound, "BOOKING_NOT_FOUND", "");
        let send = SendPaymentPageRequest {
            booking_id: id.to_string(),
            idempotency_key: "send-00001".to_owned(),
            send_mail: true,
        };
        let answer = harness.staff().send_payment_page(harness.by(customer(number), send)).await;
        refused(answer, Code::NotFound, "BOOKING_NOT_FOUND", "");
        let history = GetBookingHistoryRequest { booking_id: id.to_string() };
        let asked = harness.by(customer(number), history);
        let answer = harness.staff().get_booking_history(asked).await;
        refused(answer, Code::PermissionDenied, "ROLE_NOT_ALLOWED", "");
    }
    let refusals = harness.audited("CancelBooking").await;
    assert!(refusals.iter().all(|row| row.3 == "BOOKING_NOT_FOUND"), "{refusals:?}");
    // By the practice's wish, which gives everything back, not even the own one.
    let wish = CancelBookingRequest {
        cancelled_by: CancelledBy::Practice.into(),
        ..cancel("cancel-0002")
    };
    let answer = harness.staff().cancel_booking(harness.by(customer(LEAD), wish)).await;
    refused(answer, Code::PermissionDenied, "ROLE_NOT_ALLOWED", "");
    let own = harness.by(customer(LEAD), cancel("cancel-0003"));
    let cancelled = harness.staff().cancel_booking(own).await.unwrap().into_inner();
    assert_eq!(cancelled.booking.unwrap().booking.unwrap().contact.unwrap().notes, NOTE);
}

#[tokio::test]
async fn a_practitioner_closes_and_opens_the_own_times_only() {
    let harness = practice().await;
    let mut staff = harness.staff();
    let block = |practitioner: &str, key: &str| BlockTimeRequest {
        idempotency_key: key.to_owned(),
        date: "2026-11-25".to_owned(),
        from_time: "14:00".to_owned(),
        to_time: "15:00".to_owned(),
        practitioner_id: practitioner.to_owned(),
    };
    for (number, practitioner) in [(RAVI, "lead"), (UNLINKED, "lead"), (UNLINKED, "")] {
        let asked = harness.by(customer(number), block(practitioner, "block-0001"));
        let answer = staff.block_time(asked).await;
        refused(answer, Code::PermissionDenied, "NOT_OWN_CALENDAR", "practitioner_id");
    }
    // Without a name a practitioner means the own calendar, and not the first one's.
    let asked = harness.by(customer(RAVI), block("", "block-0002"));
    let own = staff.block_time(asked).await.unwrap().into_inner().blocked_time.unwrap();
    assert_eq!(own.practitioner_id, "ravi");
    let asked = harness.by(customer(DESK), block("lead", "block-0003"));
    let leads = staff.block_time(asked).await.unwrap().into_inner().blocked_time.unwrap();
    let list = ListBlockedTimesRequest { from_date: "2026-11-25".to_owned(), days: 1 };
    for (number, expected) in [(RAVI, 1), (LEAD, 1), (UNLINKED, 0), (DESK, 2)] {
        let asked = harness.by(customer(number), list.clone());
        let listed = staff.list_blocked_times(asked).await.unwrap().into_inner().blocked_times;
        assert_eq!(listed.len(), expected, "{number}");
    }
    let open = UnblockTimeRequest { block_id: leads.block_id.clone() };
    let answer = staff.unblock_time(harness.by(customer(RAVI), open.clone())).await;
    refused(answer, Code::NotFound, "BLOCK_NOT_FOUND", "");
    staff.unblock_time(harness.by(customer(LEAD), open)).await.unwrap();
}

#[tokio::test]
async fn calendar_addresses_are_the_own_ones() {
    let harness = practice().await;
    let mut staff = harness.calendar_staff();
    let renew = |practitioner: &str, key: &str| RenewCalendarFeedRequest {
        idempotency_key: key.to_owned(),
        practitioner_id: practitioner.to_owned(),
        shows_client_names: true,
    };
    let asked = harness.by(customer(RAVI), renew("lead", "renew-0001"));
    let answer = staff.renew_calendar_feed(asked).await;
    refused(answer, Code::PermissionDenied, "NOT_OWN_CALENDAR", "practitioner_id");
    let asked = harness.by(customer(RAVI), renew("", "renew-0002"));
    let own = staff.renew_calendar_feed(asked).await.unwrap().into_inner().feed.unwrap();
    assert_eq!(own.practitioner_id, "ravi");
    for (number, expected) in [(OWNER, 2), (RAVI, 1), (UNLINKED, 0)] {
        let asked = harness.by(customer(number), ListCalendarFeedsRequest {});
        let feeds = staff.list_calendar_feeds(asked).await.unwrap().into_inner().feeds;
        assert_eq!(feeds.len(), expected, "{number}");
    }
    let stop = StopCalendarFeedRequest { practitioner_id: "ravi".to_owned() };
    let answer = staff.stop_calendar_feed(harness.by(customer(LEAD), stop)).await;
    refused(answer, Code::PermissionDenied, "NOT_OWN_CALENDAR", "practitioner_id");
}

#[tokio::test]
async fn bookings_by_phone_are_made_for_all_or_with_oneself() {
    let harness = practice().await;
    let book = async |number: u128, practitioner: &str, hour: i64| {
        let request = RequestPhoneBookingRequest {
            practitioner_id: practitioner.to_owned(),
            contact: Some(Contact { notes: NOTE.to_owned(), ..asha() }),
            ..new_phone_request(at(2, hour))
        };
        let asked = harness.by(customer(number), request);
        harness.staff().request_phone_booking(asked).await.map(|answer| {
            let booking = answer.into_inner().booking.unwrap().booking.unwrap();
            (booking.practitioner_id, booking.contact.unwrap().notes)
        })
    };
    refused(
        book(RAVI, "lead", 13).await,
        Code::PermissionDenied,
        "NOT_OWN_CALENDAR",
        "practitioner_id",
    );
    refused(
        book(UNLINKED, "", 13).await,
        Code::PermissionDenied,
        "NOT_OWN_CALENDAR",
        "practitioner_id",
    );
    assert_eq!(book(RAVI, "", 14).await.unwrap(), ("ravi".to_owned(), NOTE.to_owned()));
    assert_eq!(book(DESK, "lead", 15).await.unwrap(), ("lead".to_owned(), String::new()));
}

#[tokio::test]
async fn refusals_of_outsiders_are_one_row_an_hour() {
    let harness = practice().await;
    let outsider = customer(666);
    let ask = async || {
        let asked = harness.by(outsider, ListBookingsRequest::default());
        let answer = harness.staff().list_bookings(asked).await;
        refused(answer, Code::PermissionDenied, "STAFF_ONLY", "");
    };
    for _ in 0..20 {
        ask().await;
    }
    let rows = "select count(*) from outsider_refusals";
    assert_eq!(harness.world.count(rows).await, 1);
    assert_eq!(harness.counted_refusals(outsider).await, 20);
    assert_eq!(harness.audited("ListBookings").await, []);
    harness.world.minutes_later(61).await;
    ask().await;
    assert_eq!(harness.world.count(rows).await, 2);
    assert_eq!(harness.counted_refusals(outsider).await, 21);
}

/// Payments asks it before a member records money at the desk.
#[tokio::test]
async fn the_facts_of_a_booking_are_told_for_members_to_whom_it_belongs() {
    let harness = practice().await;
    let id = booked_with(&harness, "lead", at(1, 14)).await;
    let ask = async |staff_user_id: String| {
        let request = GetBookingFactsRequest {
            booking_id: id.to_string(),
            staff_user_id,
            ..GetBookingFactsRequest::default()
        };
        harness.internal("payments").get_booking_facts(request).await
    };
    for number in [OWNER, ADMIN, LEAD, DESK] {
        let facts = ask(customer(number).to_string()).await.unwrap().into_inner();
        assert!(!facts.by_phone, "{number}");
    }
    let client = customer(1).to_string();
    let others = [RAVI, UNLINKED].map(|number| customer(number).to_string());
    for other in others.into_iter().chain([client, "usr_1".to_owned()]) {
        let refusal = ask(other).await;
        refused(refusal, Code::NotFound, "BOOKING_NOT_FOUND", "");
    }
}
