//! Staff book for clients on the phone: the same way to a time as every client's, held for longer.

use booking::app::page_keys::{PageKeyPurpose, find};
use booking::app::request_phone_booking::request_phone_booking;
use booking::domain::booking::Origin;
use booking::domain::page_standing::{PageEnd, PageStanding};
use booking::error::Error;
use contract::booking::v1::{
    BookingState, CancelBookingRequest, RequestPhoneBookingRequest, SendPaymentPageRequest,
    SessionMode,
};
use contract::convert::to_wire;
use futures::future::join_all;
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use staff::Role;
use tonic::Code;

use crate::grpc_harness::{GrpcHarness, refused};
use crate::races::tally;
use crate::world::{World, asha, at, customer, new_request, owner, reason};

/// A request for meditation online, held for the usual time.
pub(crate) fn new_phone_request(starts_at: Timestamp) -> RequestPhoneBookingRequest {
    RequestPhoneBookingRequest {
        idempotency_key: eventstore::new_uuid().to_string(),
        service_id: "meditation".to_owned(),
        starts_at: vec![to_wire(starts_at)],
        mode: SessionMode::Online.into(),
        contact: Some(asha()),
        ..RequestPhoneBookingRequest::default()
    }
}

/// Books by phone and returns the booking.
pub(crate) async fn book_by_phone(
    world: &World,
    request: RequestPhoneBookingRequest,
) -> Result<Id<Booking>, Error> {
    request_phone_booking(&world.app, owner(), request).await.map(|held| held.id)
}

async fn held_minutes(world: &World, id: Id<Booking>) -> i64 {
    let until = world.view(id).await.booking.held_until_at.unwrap().seconds;
    let now = world.app.store.now().await.unwrap().seconds();
    // Rounded, because the clock of tests goes on.
    (until - now + 30) / 60
}

#[tokio::test]
async fn a_time_is_held_for_as_long_as_staff_choose() {
    let world = World::new().await;
    let hold = async |starts_at, hold_minutes| {
        let request = RequestPhoneBookingRequest { hold_minutes, ..new_phone_request(starts_at) };
        let id = book_by_phone(&world, request).await.unwrap();
        held_minutes(&world, id).await
    };
    assert_eq!(hold(at(5, 11), 0).await, 24 * 60);
    assert_eq!(hold(at(5, 13), 15).await, 15);
    assert_eq!(hold(at(9, 11), 7 * 24 * 60).await, 7 * 24 * 60);
    // Never beyond the start of the session, which is in four hours.
    assert_eq!(hold(at(0, 13), 0).await, 4 * 60);
    for hold_minutes in [-1, 14, 7 * 24 * 60 + 1] {
        let wrong = RequestPhoneBookingRequest { hold_minutes, ..new_phone_request(at(6, 11)) };
        assert_eq!(reason(book_by_phone(&world, wrong).await), "INVALID_HOLD_MINUTES");
    }
    world.minutes_later(16).await;
    let expired = "select count(*) from bookings where state = 'expired'";
    testkit::until("the short hold ends", async || {
        Ok((world.count(expired).await == 1).then_some(()))
    })
    .await
    .unwrap();
}

#[tokio::test]
async fn what_is_stored_says_that_the_terms_come_later() {
    let world = World::without_timers().await;
    let request = RequestPhoneBookingRequest { send_mail: true, ..new_phone_request(at(1, 11)) };
    let id = book_by_phone(&world, request.clone()).await.unwrap();
    let view = world.view(id).await;
    assert_eq!((view.origin, view.terms_missing), (Origin::Phone, true));
    assert_eq!(view.booking.state(), BookingState::Held);
    assert_eq!(world.booking_history(id).await, ["BookingRequested", "PaymentPageRequested"]);
    assert_eq!(world.count("select count(*) from consents").await, 0);
    // The same request again is the same booking, and no second mail.
    assert_eq!(book_by_phone(&world, request.clone()).await.unwrap(), id);
    assert_eq!(world.booking_history(id).await.len(), 2);
    let other = RequestPhoneBookingRequest { send_mail: false, ..request };
    assert_eq!(reason(book_by_phone(&world, other).await), "IDEMPOTENCY_KEY_REUSED");
    // A client's own booking is none of these.
    let own = world.view(world.hold(customer(1), at(1, 13)).await).await;
    assert_eq!((own.origin, own.terms_missing), (Origin::Account, false));
}

#[tokio::test]
async fn what_costs_nothing_is_not_booked_by_phone() {
    let world = World::without_timers().await;
    let service_id = "free-consultation".to_owned();
    let free = RequestPhoneBookingRequest { service_id, ..new_phone_request(at(1, 11)) };
    assert_eq!(reason(book_by_phone(&world, free).await), "NOTHING_TO_PAY");
    assert_eq!(world.count("select count(*) from events").await, 0);
}

#[tokio::test]
async fn staff_may_hold_more_than_a_client() {
    let world = World::without_timers().await;
    for hour in [11, 12, 13, 14] {
        book_by_phone(&world, new_phone_request(at(1, hour))).await.unwrap();
    }
    assert_eq!(world.count("select count(distinct customer_id) from bookings").await, 4);
}

#[tokio::test]
async fn a_package_is_booked_by_phone_with_all_its_dates() {
    let world = World::without_timers().await;
    let starts_at = [at(1, 11), at(8, 11), at(15, 11)].map(to_wire).to_vec();
    let package_id = "starter".to_owned();
    let package =
        RequestPhoneBookingRequest { starts_at, package_id, ..new_phone_request(at(1, 11)) };
    let id = book_by_phone(&world, package.clone()).await.unwrap();
    assert_eq!(world.view(id).await.booking.sessions.len(), 3);
    assert_eq!(held_minutes(&world, id).await, 24 * 60);
    let taken = RequestPhoneBookingRequest { idempotency_key: "another-key".to_owned(), ..package };
    assert_eq!(reason(book_by_phone(&world, taken).await), "SLOT_TAKEN");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn of_staff_and_clients_who_want_one_slot_one_gets_it() {
    let world = World::without_timers().await;
    let buyers = (0..30).map(|number| {
        let world = &world;
        async move {
            if number % 3 == 0 {
                book_by_phone(world, new_phone_request(at(1, 11))).await
            } else {
                world.request(customer(1000 + number), new_request("meditation", at(1, 11))).await
            }
        }
    });
    let tally = tally(join_all(buyers).await);
    assert_eq!((tally.get("held"), tally.get("SLOT_TAKEN")), (Some(&1), Some(&29)));
    assert_eq!(world.history("day-lead-2026-11-25").await, ["SlotHeld"]);
    let kept = "select count(*) from phone_bookings p left join bookings b using (booking_id)
                where b.booking_id is null";
    assert_eq!(world.count(kept).await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_repeat_at_the_same_moment_is_the_same_booking() {
    let world = World::without_timers().await;
    let request = new_phone_request(at(1, 11));
    let repeats = (0..8).map(|_| book_by_phone(&world, request.clone()));
    let mut ids: Vec<_> = join_all(repeats).await.into_iter().map(Result::unwrap).collect();
    ids.dedup();
    assert_eq!(ids.len(), 1);
    assert_eq!(world.count("select count(*) from bookings").await, 1);
}

#[tokio::test]
async fn staff_calls_are_audited_and_send_the_address_again() {
    let harness = GrpcHarness::of(World::without_timers().await).await;
    harness.grant(customer(901), Some(Role::Admin)).await;
    let client = harness.by(customer(905), new_phone_request(at(1, 11)));
    let answer = harness.staff().request_phone_booking(client).await;
    refused(answer, Code::PermissionDenied, "STAFF_ONLY", "");
    let request = harness.by(customer(901), new_phone_request(at(1, 11)));
    let made = harness.staff().request_phone_booking(request).await.unwrap().into_inner();
    let booking_id = made.booking.unwrap().booking.unwrap().booking_id;
    let id: Id<Booking> = booking_id.parse().unwrap();
    let standing = async |key: &str| {
        let app = &harness.world.app;
        find(app, key, PageKeyPurpose::Page).await.unwrap().standing
    };
    assert_eq!(standing(&made.page_key).await, PageStanding::Whole);
    let entries = harness.audited("RequestPhoneBooking").await;
    assert_eq!(entries.len(), 1);
    assert_eq!((entries[0].2.as_str(), entries[0].3.as_str()), (booking_id.as_str(), "done"));

    let send = async |booking_id: &str, key: &str| {
        let request = SendPaymentPageRequest {
            booking_id: booking_id.to_owned(),
            idempotency_key: key.to_owned(),
            send_mail: true,
        };
        harness.staff().send_payment_page(harness.by(customer(901), request)).await
    };
    let sent = send(&booking_id, "send-once").await.unwrap().into_inner();
    // The mail has a new key, and the one that was read aloud before has ended.
    let ended = PageStanding::Ended(PageEnd::Renewed);
    assert_eq!(standing(&made.page_key).await, ended);
    let again = send(&booking_id, "send-once").await.unwrap().into_inner();
    assert_eq!(again.page_key, sent.page_key);
    assert_eq!(standing(&sent.page_key).await, PageStanding::Whole);
    send(&booking_id, "send-twice").await.unwrap();
    assert_eq!(standing(&sent.page_key).await, ended);
    let history = harness.world.booking_history(id).await;
    assert_eq!(history[1..], ["PaymentPageRequested", "PaymentPageRequested"]);
    let own = harness.world.hold(customer(1), at(1, 13)).await.to_string();
    refused(send(&own, "not-by-phone").await, Code::FailedPrecondition, "NOT_BY_PHONE", "");
    harness.world.minutes_later(25 * 60).await;
    refused(send(&booking_id, "too-late-now").await, Code::FailedPrecondition, "HOLD_ENDED", "");
    // What is not confirmed cannot be cancelled; its hold ends by itself.
    let cancel = CancelBookingRequest {
        booking_id,
        idempotency_key: "cancel-it".to_owned(),
        cancelled_by: contract::booking::v1::CancelledBy::Customer.into(),
        ..CancelBookingRequest::default()
    };
    let cancelled = harness.staff().cancel_booking(harness.by(customer(901), cancel)).await;
    refused(cancelled, Code::FailedPrecondition, "NOT_CANCELLABLE", "");
}
