//! A booking keeps the policy of the day on which it was made, and says what it gives.

use std::sync::Arc;

use booking::app::App;
use booking::app::cancel_booking::{cancel_booking, preview_cancellation};
use booking::app::request_booking::request_booking;
use booking::app::shown_texts::keep_texts;
use contract::booking::v1::{Booking as WireBooking, CancelledBy, PreviewCancellationRequest};
use contract::convert::{money, timestamp};
use kernel::id::Booking;
use kernel::{Id, Money, PracticeLate, Timestamp};
use practice::CancellationStep;

use crate::cancels::asked;
use crate::world::{World, at, customer, new_request, owner};

/// All of the price until three days before, two fifths until a day and a half before.
fn with_steps(world: &World) -> Arc<App> {
    world.another(|practice| {
        practice.policies.cancellation_hours = 72;
        practice.policies.practice_late = PracticeLate::FreeSession;
        practice.policies.cancellation_steps = vec![CancellationStep {
            until_hours: 36,
            refund_percent: 40,
            practice_late: PracticeLate::Share(20),
        }];
    })
}

async fn book(app: &Arc<App>, number: u128, starts_at: Timestamp) -> Id<Booking> {
    let request = new_request("meditation", starts_at);
    request_booking(app, customer(number), request).await.unwrap().id
}

/// What staff are told that a cancellation by the client would give back, and what it gives.
async fn cancel(app: &Arc<App>, id: Id<Booking>) -> Money {
    let request = asked(id, CancelledBy::Customer);
    let preview = PreviewCancellationRequest {
        booking_id: request.booking_id.clone(),
        cancelled_by: request.cancelled_by,
        refund: request.refund,
        session_number: 0,
    };
    let told = preview_cancellation(app, owner(), &preview).await.unwrap().sum.refund;
    let given = cancel_booking(app, owner(), request).await.unwrap().refund;
    assert_eq!(told, given);
    given
}

/// Each step of a booking's one session: how many hours before the start it ends, what it gives,
/// and whether the practice gives anything when it cancels in it.
fn steps(booking: &WireBooking) -> Vec<(i64, i64, bool)> {
    let session = booking.sessions.first().unwrap();
    let starts_at = session.starts_at.as_ref().and_then(timestamp).unwrap();
    let steps = session.refund_steps.iter().map(|step| {
        let until = step.until_at.as_ref().and_then(timestamp).unwrap();
        let refund = step.refund.as_ref().and_then(money).unwrap();
        (starts_at.seconds_since(until) / 3600, refund.minor, step.practice_late.is_some())
    });
    steps.collect()
}

#[tokio::test]
async fn a_booking_keeps_the_policy_of_the_day_on_which_it_was_made() {
    let world = World::without_timers().await;
    let edited = with_steps(&world);
    let (before, after) = (book(&world.app, 1, at(2, 11)).await, book(&edited, 2, at(2, 12)).await);
    for (number, id) in [(1, before), (2, after)] {
        world.pay(id, &format!("pay_{number}")).await;
        let usual = [(24, 50_000, false), (0, 0, false)];
        let of_steps = [(72, 50_000, false), (36, 20_000, true), (0, 0, true)];
        let expected = if number == 1 { &usual[..] } else { &of_steps[..] };
        assert_eq!(steps(&world.view(id).await.booking), expected);
    }
    // Both sessions start in about two days, and the practice's file says the same for both.
    assert_eq!(cancel(&edited, before).await, Money::inr(50_000));
    assert_eq!(cancel(&world.app, after).await, Money::inr(20_000));
    assert_eq!(steps(&world.view(after).await.booking), []);
}

#[tokio::test]
async fn a_booking_of_an_earlier_release_keeps_the_policy_of_the_first_start() {
    let world = World::without_timers().await;
    keep_texts(&world.app, &Arc::from([])).await.unwrap();
    let id = book(&world.app, 1, at(2, 11)).await;
    world
        .db
        .as_owner(
            "alter table events disable trigger user;
             update events set payload = payload - 'cancellationPolicy';
             alter table events enable trigger user;
             update bookings set cancellation_policy = null",
        )
        .await
        .unwrap();
    world.pay(id, "pay_1").await;
    let edited = with_steps(&world);
    // A later start changes nothing, whatever the file says by then.
    keep_texts(&edited, &Arc::from([])).await.unwrap();
    let view = booking::read_model::view::load(edited.store.pool(), &edited.practice, id).await;
    assert_eq!(steps(&view.unwrap().unwrap().booking), [(24, 50_000, false), (0, 0, false)]);
    assert_eq!(cancel(&edited, id).await, Money::inr(50_000));
}
