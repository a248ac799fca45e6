//! Reports: who may say which booking a report is about, who may read it, what it says, and its
//! end.

use booking::retention;
use contract::booking::v1::widget_service_client::WidgetServiceClient;
use contract::booking::v1::{
    BookingState, GetReportRequest, ReleaseBookingRequest, ReportBookingRequest, ReportState,
};
use futures::future::join_all;
use kernel::Id;
use kernel::id::{Booking, Customer};
use runtime::channel;
use tonic::transport::Channel;
use tonic::{Code, Status};

use crate::grpc_harness::{GrpcHarness, refused};
use crate::world::{World, at, customer};

const REPORT: &str = "0123456789abcdef0123456789abcdef";
const OTHER: &str = "ffffffffffffffffffffffffffffffff";

fn client(harness: &GrpcHarness) -> WidgetServiceClient<Channel> {
    WidgetServiceClient::new(channel::connect_lazy(&harness.url).unwrap())
}

async fn say(
    harness: &GrpcHarness,
    customer: Id<Customer>,
    (report_id, booking_id): (&str, &str),
) -> Result<(), Status> {
    let request = ReportBookingRequest {
        idempotency_key: eventstore::new_uuid().to_string(),
        report_id: report_id.to_owned(),
        booking_id: booking_id.to_owned(),
    };
    client(harness).report_booking(harness.by(customer, request)).await.map(drop)
}

/// What a caller without an account reads.
async fn read(harness: &GrpcHarness, report_id: &str) -> Result<ReportState, Status> {
    let request = GetReportRequest { report_id: report_id.to_owned() };
    Ok(client(harness).get_report(request).await?.into_inner().state())
}

async fn booked(harness: &GrpcHarness, hour: i64) -> Id<Booking> {
    harness.world.hold(customer(1), at(1, hour)).await
}

#[tokio::test]
async fn a_report_follows_its_booking_without_another_word() {
    let harness = GrpcHarness::new().await;
    assert_eq!(read(&harness, REPORT).await.unwrap(), ReportState::Waiting);
    let id = booked(&harness, 11).await;
    say(&harness, customer(1), (REPORT, &id.to_string())).await.unwrap();
    assert_eq!(read(&harness, REPORT).await.unwrap(), ReportState::Held);
    assert_eq!(read(&harness, OTHER).await.unwrap(), ReportState::Waiting);
    harness.world.pay(id, "pay_1").await;
    harness.world.reaches(id, BookingState::MeetingScheduled).await;
    assert_eq!(read(&harness, REPORT).await.unwrap(), ReportState::Confirmed);
}

#[tokio::test]
async fn a_hold_that_ends_and_one_that_is_given_back_are_told_apart() {
    let harness = GrpcHarness::of(World::without_timers().await).await;
    let first = booked(&harness, 11).await;
    say(&harness, customer(1), (REPORT, &first.to_string())).await.unwrap();
    let release = ReleaseBookingRequest {
        booking_id: first.to_string(),
        idempotency_key: "give-it-back".to_owned(),
    };
    harness.public().release_booking(harness.by(customer(1), release)).await.unwrap();
    assert_eq!(read(&harness, REPORT).await.unwrap(), ReportState::Cancelled);
    // The client takes another time in the same tab.
    let second = booked(&harness, 13).await;
    say(&harness, customer(1), (REPORT, &second.to_string())).await.unwrap();
    assert_eq!(read(&harness, REPORT).await.unwrap(), ReportState::Held);
    // No timer runs here: a hold is over when its time is.
    harness.world.minutes_later(15).await;
    assert_eq!(read(&harness, REPORT).await.unwrap(), ReportState::Expired);
}

#[tokio::test]
async fn only_the_account_of_the_booking_says_it_and_only_for_its_own_report() {
    let harness = GrpcHarness::of(World::without_timers().await).await;
    let id = booked(&harness, 11).await.to_string();
    let theirs = harness.world.hold(customer(2), at(1, 13)).await.to_string();
    for unknown in [theirs.as_str(), "bkg_00000000000000000000000000000001", "nonsense", ""] {
        let answer = say(&harness, customer(1), (REPORT, unknown)).await;
        refused(answer, Code::NotFound, "BOOKING_NOT_FOUND", "");
    }
    let unsigned = client(&harness).report_booking(ReportBookingRequest::default()).await;
    refused(unsigned, Code::Unauthenticated, "TOKEN_MISSING", "");
    assert_eq!(harness.world.count("select count(*) from widget_reports").await, 0);
    say(&harness, customer(1), (REPORT, &id)).await.unwrap();
    let stolen = say(&harness, customer(2), (REPORT, &theirs)).await;
    refused(stolen, Code::FailedPrecondition, "REPORT_ENDED", "report_id");
    harness.world.pay(theirs.parse().unwrap(), "pay_2").await;
    assert_eq!(read(&harness, REPORT).await.unwrap(), ReportState::Held);
}

#[tokio::test]
async fn a_malformed_id_is_refused_with_its_field() {
    let harness = GrpcHarness::of(World::without_timers().await).await;
    let id = booked(&harness, 11).await.to_string();
    for wrong in ["", "short", &REPORT.to_uppercase(), "0123456789abcdef0123456789abcde'"] {
        let (bad, reason) = (Code::InvalidArgument, "INVALID_REPORT_ID");
        refused(read(&harness, wrong).await, bad, reason, "report_id");
        refused(say(&harness, customer(1), (wrong, &id)).await, bad, reason, "report_id");
    }
}

#[tokio::test]
async fn a_repeated_key_changes_nothing_and_one_of_another_request_is_refused() {
    let harness = GrpcHarness::of(World::without_timers().await).await;
    let (first, second) = (booked(&harness, 11).await, booked(&harness, 13).await);
    let request = |booking: Id<Booking>| ReportBookingRequest {
        idempotency_key: "the-same-key".to_owned(),
        report_id: REPORT.to_owned(),
        booking_id: booking.to_string(),
    };
    let say = async |booking| {
        let request = harness.by(customer(1), request(booking));
        client(&harness).report_booking(request).await
    };
    say(first).await.unwrap();
    say(first).await.unwrap();
    let field = "idempotency_key";
    refused(say(second).await, Code::InvalidArgument, "IDEMPOTENCY_KEY_REUSED", field);
    assert_eq!(harness.world.count("select count(*) from widget_reports").await, 1);
}

#[tokio::test]
async fn a_report_ends_after_two_hours_and_its_row_is_deleted() {
    let harness = GrpcHarness::of(World::without_timers().await).await;
    let id = booked(&harness, 11).await;
    say(&harness, customer(1), (REPORT, &id.to_string())).await.unwrap();
    harness.world.pay(id, "pay_1").await;
    harness.world.minutes_later(119).await;
    // Saying it again does not make it last longer.
    say(&harness, customer(1), (REPORT, &id.to_string())).await.unwrap();
    assert_eq!(read(&harness, REPORT).await.unwrap(), ReportState::Confirmed);
    let store = &harness.world.app.store;
    retention::delete_expired(store, "test").await.unwrap();
    assert_eq!(harness.world.count("select count(*) from widget_reports").await, 1);
    harness.world.minutes_later(1).await;
    assert_eq!(read(&harness, REPORT).await.unwrap(), ReportState::Waiting);
    let late = say(&harness, customer(1), (REPORT, &id.to_string())).await;
    refused(late, Code::FailedPrecondition, "REPORT_ENDED", "report_id");
    retention::delete_expired(store, "test").await.unwrap();
    assert_eq!(harness.world.count("select count(*) from widget_reports").await, 0);
}

#[tokio::test]
async fn an_account_has_a_bounded_number_of_reports_also_at_once() {
    let harness = GrpcHarness::of(World::without_timers().await).await;
    let id = booked(&harness, 11).await.to_string();
    let all: Vec<_> = (0..30).map(|number| format!("{number:032x}")).collect();
    let said = all.iter().map(|report| say(&harness, customer(1), (report, &id)));
    let refusals = join_all(said).await.into_iter().filter_map(Result::err);
    let mut count = 0;
    for refusal in refusals {
        refused::<()>(Err(refusal), Code::ResourceExhausted, "TOO_MANY_REPORTS", "");
        count += 1;
    }
    assert_eq!(count, 10);
    assert_eq!(harness.world.count("select count(*) from widget_reports").await, 20);
    // Those that have ended do not count.
    harness.world.minutes_later(120).await;
    say(&harness, customer(1), (REPORT, &id)).await.unwrap();
}
