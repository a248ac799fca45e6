//! "Your sessions": an account lists its bookings, cancels them and takes that back.

use booking::read_model::own_bookings::{COMING, PAST};
use contract::booking::v1::{
    BookingState, CancelOwnBookingRequest, ListOwnBookingsRequest, ListOwnBookingsResponse,
    OwnBookingsPart, PreviewOwnCancellationRequest, UndoCancellationRequest,
};
use contract::payments::v1::RefundRequested;
use kernel::id::{Booking, Customer};
use kernel::{Id, Money};
use serde_json::Value;
use testkit::until;
use tonic::{Code, Status};

use crate::cancels::cancel_by_practice;
use crate::grpc_harness::{GrpcHarness, refused};
use crate::world::{World, at, customer, new_package, owner};

async fn list(
    harness: &GrpcHarness,
    caller: Id<Customer>,
    (part, page_token): (OwnBookingsPart, &str),
) -> Result<ListOwnBookingsResponse, Status> {
    let asked = ListOwnBookingsRequest { part: part.into(), page_token: page_token.to_owned() };
    let answer = harness.public().list_own_bookings(harness.by(caller, asked)).await?;
    Ok(answer.into_inner())
}

async fn ids(harness: &GrpcHarness, caller: Id<Customer>, part: OwnBookingsPart) -> Vec<String> {
    let listed = list(harness, caller, (part, "")).await.unwrap();
    listed.bookings.into_iter().map(|booking| booking.booking_id).collect()
}

fn cancel(id: Id<Booking>, session_number: i32, shown: i64) -> CancelOwnBookingRequest {
    CancelOwnBookingRequest {
        idempotency_key: eventstore::new_uuid().to_string(),
        booking_id: id.to_string(),
        session_number,
        shown_refund: Some(Money::inr(shown).into()),
        expected_version: 1,
    }
}

fn undo(id: Id<Booking>) -> UndoCancellationRequest {
    let idempotency_key = eventstore::new_uuid().to_string();
    UndoCancellationRequest { idempotency_key, booking_id: id.to_string() }
}

async fn paid(world: &World, number: u128, day: i64, hour: i64) -> Id<Booking> {
    let id = world.hold(customer(number), at(day, hour)).await;
    world.pay(id, &format!("pay_{number}_{day}_{hour}")).await;
    id
}

#[tokio::test]
async fn what_is_to_come_is_in_its_order_and_what_is_over_newest_first() {
    let harness = GrpcHarness::new().await;
    let world = &harness.world;
    let late = paid(world, 1, 3, 11).await;
    let early = paid(world, 1, 1, 11).await;
    let package = world.request(customer(1), new_package([at(2, 13), at(4, 13), at(6, 13)])).await;
    let package = package.unwrap();
    world.pay(package, "pay_package").await;
    let cancelled = paid(world, 1, 5, 11).await;
    cancel_by_practice(world, owner(), cancelled).await;
    paid(world, 2, 1, 15).await;
    let text = |all: &[Id<Booking>]| all.iter().map(ToString::to_string).collect::<Vec<_>>();
    let me = customer(1);
    assert_eq!(ids(&harness, me, OwnBookingsPart::Coming).await, text(&[early, package, late]));
    assert_eq!(ids(&harness, me, OwnBookingsPart::Past).await, text(&[cancelled]));
    assert_eq!(ids(&harness, customer(3), OwnBookingsPart::Coming).await, text(&[]));
    // The first session of the package is over, and so its second one comes after the late one.
    world.minutes_later(2 * 24 * 60 + 6 * 60).await;
    world.reaches(early, BookingState::Completed).await;
    assert_eq!(ids(&harness, me, OwnBookingsPart::Coming).await, text(&[late, package]));
    assert_eq!(ids(&harness, me, OwnBookingsPart::Past).await, text(&[cancelled, early]));
    // A time that was held and never paid is in neither list once its hold has ended.
    let held = world.hold(me, at(7, 11)).await;
    assert_eq!(ids(&harness, me, OwnBookingsPart::Coming).await, text(&[late, package, held]));
    world.minutes_later(20).await;
    assert_eq!(ids(&harness, me, OwnBookingsPart::Coming).await, text(&[late, package]));
    for (part, token) in [(OwnBookingsPart::Past, "c1-x"), (OwnBookingsPart::Coming, "p0")] {
        let answer = list(&harness, me, (part, token)).await;
        refused(answer, Code::InvalidArgument, "INVALID_PAGE_TOKEN", "page_token");
    }
}

#[tokio::test]
async fn the_client_cancels_takes_it_back_and_cancels_again() {
    let harness = GrpcHarness::new().await;
    let world = &harness.world;
    let (id, me) = (paid(world, 1, 3, 11).await, customer(1));
    let before = world.reaches(id, BookingState::MeetingScheduled).await;
    let look = || PreviewOwnCancellationRequest { booking_id: id.to_string(), session_number: 0 };
    let mut public = harness.public();
    let shown = public.preview_own_cancellation(harness.by(me, look())).await.unwrap();
    let shown = shown.into_inner();
    assert_eq!((shown.session_numbers, shown.at_once), (vec![1], false));
    assert_eq!(shown.refund, Some(Money::inr(50_000).into()));
    let other = public.preview_own_cancellation(harness.by(customer(2), look())).await;
    refused(other, Code::NotFound, "BOOKING_NOT_FOUND", "");
    let other = public.cancel_own_booking(harness.by(customer(2), cancel(id, 0, 0))).await;
    refused(other, Code::NotFound, "BOOKING_NOT_FOUND", "");
    let greedy = public.cancel_own_booking(harness.by(me, cancel(id, 0, 50_001))).await;
    refused(greedy, Code::Aborted, "REFUND_FELL", "shown_refund");
    let request = cancel(id, 0, 50_000);
    for _press in 0..2 {
        let answer = public.cancel_own_booking(harness.by(me, request.clone())).await.unwrap();
        let booking = answer.into_inner().booking.unwrap();
        let pending = booking.pending_cancellation.clone().unwrap();
        assert_eq!((pending.session_number, pending.refund), (0, Some(Money::inr(50_000).into())));
        assert_eq!(booking.state(), BookingState::MeetingScheduled);
    }
    let booking = public.undo_cancellation(harness.by(me, undo(id))).await.unwrap();
    let booking = booking.into_inner().booking.unwrap();
    assert_eq!((&booking.sessions, &booking.pending_cancellation), (&before.sessions, &None));
    world.minutes_later(4).await;
    assert_eq!(world.state(id).await, BookingState::MeetingScheduled);
    public.cancel_own_booking(harness.by(me, cancel(id, 0, 50_000))).await.unwrap();
    world.minutes_later(3).await;
    let booking = world.reaches(id, BookingState::Cancelled).await;
    assert_eq!((&booking.pending_cancellation, booking.join_url.as_str()), (&None, ""));
    let late = public.undo_cancellation(harness.by(me, undo(id))).await;
    refused(late, Code::FailedPrecondition, "CANCELLATION_TOOK_EFFECT", "");
    let history = [
        "BookingRequested",
        "BookingConfirmed",
        "MeetingScheduled",
        "BookingCancellationRequested",
        "BookingCancellationUndone",
        "BookingCancellationRequested",
        "BookingCancelled",
    ];
    assert_eq!(world.booking_history(id).await, history);
}

#[tokio::test]
async fn one_session_of_a_package_is_cancelled_by_its_client() {
    let harness = GrpcHarness::new().await;
    let (world, me) = (&harness.world, customer(1));
    let id = world.request(me, new_package([at(2, 13), at(4, 13), at(6, 13)])).await.unwrap();
    world.pay(id, "pay_package").await;
    world.reaches(id, BookingState::MeetingScheduled).await;
    let mut public = harness.public();
    let look = PreviewOwnCancellationRequest { booking_id: id.to_string(), session_number: 2 };
    let shown = public.preview_own_cancellation(harness.by(me, look)).await.unwrap().into_inner();
    let share = shown.refund.unwrap().minor_units;
    public.cancel_own_booking(harness.by(me, cancel(id, 2, share))).await.unwrap();
    let second = public.cancel_own_booking(harness.by(me, cancel(id, 3, 0))).await;
    refused(second, Code::FailedPrecondition, "CANCELLATION_PENDING", "");
    world.minutes_later(3).await;
    until("the session is cancelled", async || {
        let booking = world.view(id).await.booking;
        let done = booking.sessions[1].cancelled && booking.pending_cancellation.is_none();
        Ok((done && booking.state() == BookingState::MeetingScheduled).then_some(()))
    })
    .await
    .unwrap();
    let unknown = public.cancel_own_booking(harness.by(me, cancel(id, 4, 0))).await;
    refused(unknown, Code::InvalidArgument, "SESSION_NOT_FOUND", "session_number");
}

/// Staff have given a part back before, and the client is shown no more than the rest.
#[tokio::test]
async fn what_went_back_before_is_not_shown_once_more() {
    let harness = GrpcHarness::new().await;
    let (world, me) = (&harness.world, customer(1));
    let id = paid(world, 1, 3, 11).await;
    let refund = RefundRequested {
        booking_id: id.to_string(),
        refund_id: "rfn_1".to_owned(),
        payment_id: "pay_1_3_11".to_owned(),
        amount: Some(Money::inr(20_000).into()),
        cause: "staff".to_owned(),
        ..RefundRequested::default()
    };
    world.payments_say(&refund).await;
    let look = PreviewOwnCancellationRequest { booking_id: id.to_string(), session_number: 0 };
    let mut public = harness.public();
    let shown = public.preview_own_cancellation(harness.by(me, look)).await.unwrap().into_inner();
    assert_eq!(shown.refund, Some(Money::inr(30_000).into()));
    let greedy = public.cancel_own_booking(harness.by(me, cancel(id, 0, 30_001))).await;
    refused(greedy, Code::Aborted, "REFUND_FELL", "shown_refund");
    let done = public.cancel_own_booking(harness.by(me, cancel(id, 0, 30_000))).await.unwrap();
    let pending = done.into_inner().booking.unwrap().pending_cancellation.unwrap();
    assert_eq!(pending.refund, Some(Money::inr(30_000).into()));
}

/// The rows and buffers that a page of the list reads.
async fn cost(world: &World, sql: &'static str) -> (i64, i64) {
    let sql = sqlx::AssertSqlSafe(format!("explain (analyze, buffers, format json) {sql}"));
    let plan: Value = sqlx::query_scalar(sql)
        .bind(customer(1))
        .bind(at(0, 12))
        .bind(None::<kernel::Timestamp>)
        .bind(None::<Id<Booking>>)
        .bind(21_i64)
        .fetch_one(world.app.store.pool())
        .await
        .unwrap();
    let top = plan.pointer("/0/Plan").unwrap();
    (rows(top), number(top, "Shared Hit Blocks") + number(top, "Shared Read Blocks"))
}

fn rows(node: &Value) -> i64 {
    let below = node.get("Plans").and_then(Value::as_array).into_iter().flatten();
    let own = number(node, "Actual Rows") + number(node, "Rows Removed by Filter");
    own + below.map(rows).sum::<i64>()
}

/// A whole number, which newer servers write as "21.00".
fn number(node: &Value, name: &str) -> i64 {
    let text = node.get(name).map(ToString::to_string).unwrap_or_default();
    text.split('.').next().and_then(|whole| whole.parse().ok()).unwrap_or_default()
}

#[tokio::test]
async fn a_page_reads_no_more_however_much_is_over() {
    let harness = GrpcHarness::new().await;
    let world = &harness.world;
    let mut costs = Vec::new();
    // Each fiftieth booking is mine.
    for (from, to) in [(1, 2_000), (2_001, 50_000)] {
        let sql = format!(
            "insert into bookings (booking_id, customer_id, service_id, service_title, price_minor,
                                   price_currency, practitioner_id, mode, state, requested_at,
                                   last_ends_at)
             select gen_random_uuid(),
                    case when n % 50 = 0 then '{me}'::uuid else gen_random_uuid() end,
                    'meditation', 'Meditation', 50000, 'INR', 'lead', 'online', 'completed', now(),
                    timestamptz '2015-01-01T00:00Z' + n * interval '1 hour'
             from generate_series({from}, {to}) n;
             vacuum analyze bookings",
            me = customer(1).uuid(),
        );
        for part in sql.split(';') {
            world.db.as_owner(part).await.unwrap();
        }
        costs.push((cost(world, COMING).await, cost(world, PAST).await));
    }
    let [few, many] = costs[..] else { panic!("{costs:?}") };
    for (few, many) in [(few.0, many.0), (few.1, many.1)] {
        assert!(many.0 * 10 <= few.0 * 12, "rows: {few:?} {many:?}");
        // An index of a large table is one or two pages deeper.
        assert!(many.1 * 10 <= few.1 * 12 + 20, "buffers: {few:?} {many:?}");
    }
}
