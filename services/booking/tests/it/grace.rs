//! Grace: so often in so many months a client who cancels late gets more back, over all bookings of
//! the account.

use std::sync::Arc;

use booking::app::App;
use booking::app::adopt_bookings::adopt_bookings;
use booking::app::cancel_booking::{cancel_booking, preview_cancellation};
use booking::app::free_session::Client;
use booking::app::own_cancellation::{
    ShownCancellation, cancel_own_booking, preview_own_cancellation, take_effect, undo_cancellation,
};
use booking::app::request_booking::request_booking;
use booking::app::request_phone_booking::request_phone_booking;
use booking::error::Error;
use contract::booking::v1::{
    BookingState, CancelOwnBookingRequest, CancelledBy, PreviewCancellationRequest,
    PreviewOwnCancellationRequest, UndoCancellationRequest,
};
use eventstore::Metadata;
use kernel::id::Booking;
use kernel::{Id, Money, Timestamp};
use practice::GraceRule;

use crate::cancels::asked;
use crate::phone_bookings::new_phone_request;
use crate::world::{World, at, customer, new_package, new_request, owner, reason};

/// All of the price back until a day before; once in six months also later.
fn forgiving(world: &World, refund_percent: u8) -> Arc<App> {
    let grace = Some(GraceRule { times: 1, months: 6, refund_percent });
    world.another(|practice| practice.policies.grace = grace)
}

async fn book(world: &World, app: &Arc<App>, number: u128, starts_at: Timestamp) -> Id<Booking> {
    let request = new_request("meditation", starts_at);
    let id = request_booking(app, customer(number), request).await.unwrap().id;
    world.pay(id, &format!("pay_{id}")).await;
    id
}

async fn look(app: &Arc<App>, number: u128, id: Id<Booking>) -> ShownCancellation {
    let asked = PreviewOwnCancellationRequest { booking_id: id.to_string(), session_number: 0 };
    preview_own_cancellation(app, customer(number), &asked).await.unwrap()
}

/// What is shown as coming back, and what of it by grace.
async fn back(app: &Arc<App>, number: u128, id: Id<Booking>) -> (i64, Option<i64>) {
    let shown = look(app, number, id).await;
    (shown.own.refund.minor, shown.grace.map(|used| used.refund.minor))
}

async fn cancel(
    app: &Arc<App>,
    number: u128,
    id: Id<Booking>,
    shown: i64,
) -> Result<Id<Booking>, Error> {
    let request = CancelOwnBookingRequest {
        idempotency_key: eventstore::new_uuid().to_string(),
        booking_id: id.to_string(),
        session_number: 0,
        shown_refund: Some(Money::inr(shown).into()),
        expected_version: 0,
    };
    cancel_own_booking(app, customer(number), request).await
}

async fn undo(app: &Arc<App>, number: u128, id: Id<Booking>) {
    let (idempotency_key, booking_id) = (eventstore::new_uuid().to_string(), id.to_string());
    let request = UndoCancellationRequest { idempotency_key, booking_id };
    undo_cancellation(app, customer(number), &request).await.unwrap();
}

/// The timer of a cancellation fires, three minutes later.
async fn effect(world: &World, app: &Arc<App>, id: Id<Booking>) {
    world.minutes_later(3).await;
    let shared = Arc::clone(app);
    let done = app.store.write(Metadata::by("test", None), move |tx| {
        let app = Arc::clone(&shared);
        Box::pin(async move { take_effect(tx, &app, id).await })
    });
    done.await.unwrap();
    assert_eq!(world.state(id).await, BookingState::Cancelled);
}

async fn uses(world: &World) -> i64 {
    world.count("select count(*) from grace_uses").await
}

#[tokio::test]
async fn the_first_late_cancellation_gives_all_back_and_the_second_nothing() {
    let world = World::without_timers().await;
    let app = forgiving(&world, 100);
    let (first, second) =
        (book(&world, &app, 1, at(0, 14)).await, book(&world, &app, 1, at(0, 16)).await);
    let shown = look(&app, 1, first).await;
    assert_eq!((shown.own.refund.minor, shown.own.loses), (50_000, true));
    let again_at = shown.grace.unwrap().again_at.to_string();
    assert!(again_at.starts_with("2027-05-24T"), "{again_at}");
    assert_eq!(back(&app, 2, book(&world, &app, 2, at(0, 15)).await).await, (50_000, Some(50_000)));
    cancel(&app, 1, first, 50_000).await.unwrap();
    // It counts from the press on.
    assert_eq!(back(&app, 1, second).await, (0, None));
    assert_eq!(reason(cancel(&app, 1, second, 50_000).await), "REFUND_FELL");
    // Taken back, it is there again.
    undo(&app, 1, first).await;
    assert_eq!(back(&app, 1, second).await, (50_000, Some(50_000)));
    assert_eq!(uses(&world).await, 0);
    cancel(&app, 1, second, 50_000).await.unwrap();
    effect(&world, &app, second).await;
    assert_eq!(uses(&world).await, 1);
    assert_eq!(back(&app, 1, first).await, (0, None));
    let view = world.view(second).await;
    assert_eq!(view.booking.state(), BookingState::Cancelled);
}

#[tokio::test]
async fn two_presses_at_once_use_one_grace() {
    let world = World::without_timers().await;
    let app = forgiving(&world, 100);
    let (first, second) =
        (book(&world, &app, 1, at(0, 14)).await, book(&world, &app, 1, at(0, 16)).await);
    let (one, two) = tokio::join!(cancel(&app, 1, first, 50_000), cancel(&app, 1, second, 50_000));
    assert!(one.is_ok() != two.is_ok(), "{one:?} {two:?}");
    assert_eq!(reason(if one.is_ok() { two } else { one }), "REFUND_FELL");
}

#[tokio::test]
async fn once_the_months_are_over_there_is_grace_again() {
    let world = World::without_timers().await;
    let app = forgiving(&world, 60);
    let first = book(&world, &app, 1, at(0, 14)).await;
    cancel(&app, 1, first, 30_000).await.unwrap();
    effect(&world, &app, first).await;
    let used = "select used_at - interval '6 months' < clock_now() - interval '6 months'
                    + interval '1 minute' from grace_uses";
    let is_now: bool = sqlx::query_scalar(used).fetch_one(world.app.store.pool()).await.unwrap();
    assert!(is_now);
    let second = book(&world, &app, 1, at(0, 16)).await;
    assert_eq!(back(&app, 1, second).await, (0, None));
    let almost = "update grace_uses set used_at = clock_now() - interval '6 months'
                      + interval '1 hour'";
    world.db.as_owner(almost).await.unwrap();
    assert_eq!(back(&app, 1, second).await, (0, None));
    let over = "update grace_uses set used_at = clock_now() - interval '6 months'
                    - interval '1 minute'";
    world.db.as_owner(over).await.unwrap();
    assert_eq!(back(&app, 1, second).await, (30_000, Some(30_000)));
}

#[tokio::test]
async fn staff_see_it_and_cancel_with_it() {
    let world = World::without_timers().await;
    let app = forgiving(&world, 100);
    let first = book(&world, &app, 1, at(0, 14)).await;
    let request = asked(first, CancelledBy::Customer);
    let look = PreviewCancellationRequest {
        booking_id: request.booking_id.clone(),
        cancelled_by: request.cancelled_by,
        refund: request.refund,
        session_number: 0,
    };
    let shown = preview_cancellation(&app, owner(), &look).await.unwrap();
    assert_eq!(shown.grace.unwrap().refund, Money::inr(50_000));
    let given = cancel_booking(&app, owner(), request).await.unwrap();
    assert_eq!(given.refund, Money::inr(50_000));
    assert_eq!(uses(&world).await, 1);
    // What the practice cancels itself uses none.
    let second = book(&world, &app, 2, at(0, 15)).await;
    cancel_booking(&app, owner(), asked(second, CancelledBy::Practice)).await.unwrap();
    assert_eq!(uses(&world).await, 1);
}

#[tokio::test]
async fn a_late_session_of_a_package_uses_it() {
    let world = World::without_timers().await;
    let app = forgiving(&world, 100);
    let package = new_package([at(0, 14), at(3, 13), at(5, 13)]);
    let id = request_booking(&app, customer(1), package).await.unwrap().id;
    world.pay(id, "pay_package").await;
    assert_eq!(back(&app, 1, id).await, (450_001, Some(150_000)));
    cancel(&app, 1, id, 450_001).await.unwrap();
    effect(&world, &app, id).await;
    let first = "select count(*) from grace_uses where session_number = 1";
    assert_eq!((uses(&world).await, world.count(first).await), (1, 1));
}

#[tokio::test]
async fn an_adopted_booking_counts_for_its_account() {
    let world = World::without_timers().await;
    let app = forgiving(&world, 100);
    let phone = request_phone_booking(&app, owner(), new_phone_request(at(0, 14))).await;
    let phone = phone.unwrap().id;
    world.pay(phone, "pay_phone").await;
    cancel_booking(&app, owner(), asked(phone, CancelledBy::Customer)).await.unwrap();
    assert_eq!(uses(&world).await, 1);
    let own = book(&world, &app, 1, at(0, 16)).await;
    assert_eq!(back(&app, 1, own).await, (50_000, Some(50_000)));
    let client = Client { proved_email: Some("asha@example.org".to_owned()), ..customer(1).into() };
    assert_eq!(adopt_bookings(&app, client).await.unwrap(), [phone]);
    assert_eq!(back(&app, 1, own).await, (0, None));
}

#[tokio::test]
async fn a_booking_of_before_the_rule_has_none() {
    let world = World::without_timers().await;
    let before = book(&world, &world.app, 1, at(0, 14)).await;
    let app = forgiving(&world, 100);
    assert_eq!(back(&app, 1, before).await, (0, None));
}
