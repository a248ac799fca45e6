//! The service over gRPC: authorization of each method, and the watch stream.

use std::sync::Arc;

use booking::consumers::notifications::OnNotifications;
use booking::read_model::query;
use contract::booking::v1::booking_internal_service_client::BookingInternalServiceClient;
use contract::booking::v1::{
    BookingState, GetBookingContactRequest, GetBookingFactsRequest, GetBookingRequest,
    GetCalendarFileRequest, ListSlotsRequest, MailState, RequestBookingRequest,
    WatchBookingRequest,
};
use contract::notifications::v1::{MailFailed, MailKind, MailSent};
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use runtime::channel;
use testkit::sent_statements;
use tonic::Code;

use crate::grpc_harness::{GrpcHarness, refused};
use crate::world::{asha, at, customer, new_request};

fn get(id: Id<Booking>) -> GetBookingRequest {
    GetBookingRequest { booking_id: id.to_string() }
}

#[tokio::test]
async fn another_customers_booking_is_not_found() {
    let harness = GrpcHarness::new().await;
    let id = harness.booked().await;
    let own = harness.public().get_booking(harness.by(customer(1), get(id))).await.unwrap();
    assert_eq!(own.into_inner().booking.unwrap().contact, Some(asha()));
    let missing = (Code::NotFound, "BOOKING_NOT_FOUND", "");
    let theirs = harness.public().get_booking(harness.by(customer(2), get(id))).await;
    refused(theirs, missing.0, missing.1, missing.2);
    let watch = WatchBookingRequest { booking_id: id.to_string() };
    let watched = harness.public().watch_booking(harness.by(customer(2), watch)).await;
    refused(watched.map(|_| ()), missing.0, missing.1, missing.2);
    let file = GetCalendarFileRequest { booking_id: id.to_string() };
    let filed = harness.public().get_calendar_file(harness.by(customer(2), file)).await;
    refused(filed, missing.0, missing.1, missing.2);
    let none = GetBookingRequest { booking_id: "bkg_nonsense".to_owned() };
    let nothing = harness.public().get_booking(harness.by(customer(1), none)).await;
    refused(nothing, missing.0, missing.1, missing.2);
}

#[tokio::test]
async fn free_times_are_public_and_everything_else_is_not() {
    let harness = GrpcHarness::new().await;
    let listed = ListSlotsRequest { service_id: "meditation".to_owned(), ..Default::default() };
    let slots = harness.public().list_slots(listed).await.unwrap().into_inner();
    assert_eq!(slots.days.len(), 7);
    let asked = harness.public().request_booking(new_request("meditation", at(1, 11))).await;
    refused(asked, Code::Unauthenticated, "TOKEN_MISSING", "");
    let id = harness.booked().await;
    let got = harness.public().get_booking(get(id)).await;
    refused(got, Code::Unauthenticated, "TOKEN_MISSING", "");
}

#[tokio::test]
async fn a_value_that_the_database_refuses_is_no_outage() {
    let harness = GrpcHarness::new().await;
    let request = RequestBookingRequest {
        scheduled_event_uri: "https://calendar.example/a\0b".to_owned(),
        ..new_request("meditation", at(1, 11))
    };
    let asked = harness.public().request_booking(harness.by(customer(1), request)).await;
    refused(asked, Code::InvalidArgument, "VALUE_REFUSED", "");
}

#[tokio::test]
async fn refusals_name_reason_and_field() {
    let harness = GrpcHarness::new().await;
    let mut wrong = new_request("meditation", at(1, 11));
    wrong.contact = Some(contract::booking::v1::Contact { email: "asha".to_owned(), ..asha() });
    let answer = harness.public().request_booking(harness.by(customer(1), wrong)).await;
    refused(answer, Code::InvalidArgument, "INVALID_EMAIL", "contact.email");
    let far = new_request("meditation", "9999-06-01T05:30:00Z".parse().unwrap());
    let answer = harness.public().request_booking(harness.by(customer(1), far)).await;
    refused(answer, Code::InvalidArgument, "INVALID_START", "starts_at");
    harness.booked().await;
    let late = harness.by(customer(2), new_request("meditation", at(1, 11)));
    let answer = harness.public().request_booking(late).await;
    refused(answer, Code::Aborted, "SLOT_TAKEN", "starts_at");
}

#[tokio::test]
async fn each_internal_call_has_its_own_callers() {
    let harness = GrpcHarness::new().await;
    let id = harness.booked().await;
    let facts = || GetBookingFactsRequest {
        booking_id: id.to_string(),
        ..GetBookingFactsRequest::default()
    };
    let contact = || GetBookingContactRequest { booking_id: id.to_string(), ..Default::default() };
    let told = harness.internal("payments").get_booking_facts(facts()).await.unwrap().into_inner();
    assert_eq!(told.customer_id, customer(1).to_string());
    assert_eq!(told.price.as_ref().unwrap().minor_units, 50_000);
    assert_eq!(told.state(), BookingState::Held);
    assert!(told.held_until_at.is_some());
    assert_eq!(told.starts_at, Some(contract::convert::to_wire(at(1, 11))));
    let told = harness
        .internal("notifications")
        .get_booking_contact(contact())
        .await
        .unwrap()
        .into_inner();
    assert_eq!(told.booking.unwrap().contact, Some(asha()));
    assert_eq!(told.calendar_file, "");
    let denied = (Code::PermissionDenied, "CALLER_NOT_ALLOWED");
    let wrong = harness.internal("notifications").get_booking_facts(facts()).await;
    refused(wrong, denied.0, denied.1, "");
    let wrong = harness.internal("payments").get_booking_contact(contact()).await;
    refused(wrong, denied.0, denied.1, "");
    // A user's token is not valid for internal calls.
    let mut plain = BookingInternalServiceClient::new(channel::connect_lazy(&harness.url).unwrap());
    let wrong = plain.get_booking_contact(harness.by(customer(1), contact())).await;
    refused(wrong, Code::Unauthenticated, "CALLER_TOKEN_MISSING", "");
}

#[tokio::test]
async fn the_calendar_file_comes_with_the_confirmation() {
    let harness = GrpcHarness::new().await;
    let id = harness.booked().await;
    let asked = || {
        let request = GetCalendarFileRequest { booking_id: id.to_string() };
        harness.by(customer(1), request)
    };
    let early = harness.public().get_calendar_file(asked()).await;
    refused(early, Code::FailedPrecondition, "BOOKING_NOT_CONFIRMED", "");
    harness.world.pay(id, "pay_1").await;
    harness.world.reaches(id, BookingState::MeetingScheduled).await;
    let file = harness.public().get_calendar_file(asked()).await.unwrap().into_inner();
    assert_eq!(file.filename, "session-2026-11-25.ics");
    assert!(file.content.contains("DTSTART:20261125T053000Z\r\n"));
    let contact = GetBookingContactRequest { booking_id: id.to_string(), ..Default::default() };
    let told = harness.internal("notifications").get_booking_contact(contact).await.unwrap();
    assert_eq!(told.into_inner().calendar_file, file.content);
}

#[tokio::test]
async fn a_watcher_receives_each_change_and_the_end() {
    let harness = GrpcHarness::new().await;
    let id = harness.booked().await;
    let watch = WatchBookingRequest { booking_id: id.to_string() };
    let request = harness.by(customer(1), watch);
    let mut stream = harness.public().watch_booking(request).await.unwrap().into_inner();
    let first = stream.message().await.unwrap().unwrap().booking.unwrap();
    assert_eq!(first.state(), BookingState::Held);
    harness.world.pay(id, "pay_1").await;
    let mut last = first;
    while last.state() != BookingState::MeetingScheduled {
        let next = stream.message().await.unwrap().unwrap().booking.unwrap();
        assert!(next.version > last.version);
        last = next;
    }
    let about = |kind: MailKind| MailSent {
        mail_id: "mal_1".to_owned(),
        booking_id: id.to_string(),
        kind: kind.into(),
    };
    let failed = MailFailed {
        mail_id: "mal_1".to_owned(),
        booking_id: id.to_string(),
        kind: MailKind::BookingConfirmed.into(),
        r#final: false,
    };
    harness.world.react(Arc::new(OnNotifications), &about(MailKind::PracticeNotice)).await;
    harness.world.react(Arc::new(OnNotifications), &failed).await;
    let told = stream.message().await.unwrap().unwrap().booking.unwrap();
    assert_eq!(told.mail_state(), MailState::Failed);
    harness.world.react(Arc::new(OnNotifications), &about(MailKind::BookingConfirmed)).await;
    let told = stream.message().await.unwrap().unwrap().booking.unwrap();
    assert_eq!(told.mail_state(), MailState::Sent);
    harness.world.shutdown.trigger();
    assert_eq!(stream.message().await.unwrap(), None);
}

#[tokio::test]
async fn a_watcher_receives_no_other_bookings() {
    let harness = GrpcHarness::new().await;
    let id = harness.booked().await;
    let pool = harness.world.app.store.pool();
    assert_eq!(query::version(pool, customer(1), id).await.unwrap(), Some(1));
    assert_eq!(query::version(pool, customer(2), id).await.unwrap(), None);
    let watch = WatchBookingRequest { booking_id: id.to_string() };
    let request = harness.by(customer(1), watch);
    let mut stream = harness.public().watch_booking(request).await.unwrap().into_inner();
    let first = stream.message().await.unwrap().unwrap().booking.unwrap();
    assert_eq!(first.version, 1);
    // Other bookings wake the watcher; its next message is still about its own.
    for (other, hour) in (100..).zip(12..16) {
        harness.world.hold(customer(other), at(2, hour)).await;
    }
    harness.world.pay(id, "pay_1").await;
    let told = stream.message().await.unwrap().unwrap().booking.unwrap();
    assert_eq!((told.booking_id, told.version > first.version), (id.to_string(), true));
}

/// The statements that a booking costs from its hold until a watcher of it has seen its payment.
async fn statements_until_seen(harness: &GrpcHarness, number: u128, day: i64) -> usize {
    let before = sent_statements();
    let id = harness.world.hold(customer(number), at(day, 12)).await;
    let watch = WatchBookingRequest { booking_id: id.to_string() };
    let request = harness.by(customer(number), watch);
    let mut stream = harness.public().watch_booking(request).await.unwrap().into_inner();
    stream.message().await.unwrap().unwrap();
    harness.world.pay(id, &format!("pay_{number}")).await;
    stream.message().await.unwrap().unwrap();
    sent_statements() - before
}

#[tokio::test]
async fn watchers_of_other_bookings_cost_one_query_together() {
    const WATCHERS: usize = 100;
    let harness = GrpcHarness::new().await;
    let id = harness.booked().await;
    // The first booking fills the caches.
    statements_until_seen(&harness, 101, 2).await;
    let alone = statements_until_seen(&harness, 102, 3).await;
    let mut streams = Vec::new();
    for _ in 0..WATCHERS {
        let watch = WatchBookingRequest { booking_id: id.to_string() };
        let request = harness.by(customer(1), watch);
        let mut stream = harness.public().watch_booking(request).await.unwrap().into_inner();
        stream.message().await.unwrap().unwrap();
        streams.push(stream);
    }
    // Each commit wakes the query; each watcher would have sent at least one of its own.
    let beside = statements_until_seen(&harness, 103, 4).await;
    println!("{alone} statements alone, {beside} beside {WATCHERS} watchers");
    assert!(alone > 0 && beside < alone + WATCHERS / 2, "{beside} statements, {alone} alone");
}

#[tokio::test]
async fn a_stream_ends_with_its_token() {
    let harness = GrpcHarness::new().await;
    let id = harness.booked().await;
    let now: Timestamp = sqlx::query_scalar("select clock_timestamp()")
        .fetch_one(harness.world.app.store.pool())
        .await
        .unwrap();
    let end = u64::try_from(now.seconds()).unwrap() + 2;
    let watch = WatchBookingRequest { booking_id: id.to_string() };
    let request = harness.until(customer(1), end, watch);
    let mut stream = harness.public().watch_booking(request).await.unwrap().into_inner();
    assert!(stream.message().await.unwrap().is_some());
    assert_eq!(stream.message().await.unwrap(), None);
}
