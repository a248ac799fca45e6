//! Claimed payments, and the policy that accepts claims.

use booking::app::accept_claim::accept_claim;
use booking::app::open_checkout::open_checkout;
use booking::domain::claim_policy::ClaimPolicy;
use contract::booking::v1::{AcceptClaimRequest, BookingState, PaymentState};
use contract::payments::v1::{PaymentClaimed, PaymentFailed, PaymentVerified};
use kernel::Id;
use kernel::id::Booking;
use staff::{Role, Staff};

use crate::world::{TIMERS, World, at, customer, owner, reason};

async fn claim(world: &World, id: Id<Booking>) {
    world.payments_say(&PaymentClaimed { booking_id: id.to_string() }).await;
}

fn asked(id: Id<Booking>, key: &str) -> AcceptClaimRequest {
    AcceptClaimRequest { booking_id: id.to_string(), idempotency_key: key.to_owned() }
}

async fn accept(world: &World, id: Id<Booking>) -> Result<Id<Booking>, booking::error::Error> {
    let key = eventstore::new_uuid().to_string();
    accept_claim(&world.app, owner(), asked(id, &key)).await
}

async fn claims_accepted(world: &World) -> i64 {
    world
        .count(
            "select count(*) from events where event_type = 'booking.v1.BookingConfirmed'
                and (payload->>'claimAccepted')::boolean and payload->>'paymentId' is null",
        )
        .await
}

#[tokio::test]
async fn a_claim_that_staff_accept_places_the_booking_and_its_money_belongs_to_it() {
    let world = World::new().await;
    let id = world.hold(customer(1), at(1, 11)).await;
    open_checkout(&world.app, customer(1), id, "checkout-1").await.unwrap();
    assert_eq!(reason(accept(&world, id).await), "NOT_CLAIMED");
    claim(&world, id).await;
    // A failed attempt after the claim does not undo it.
    let failed = PaymentFailed { booking_id: id.to_string(), payment_id: "pay_0".to_owned() };
    world.payments_say(&failed).await;
    accept_claim(&world.app, owner(), asked(id, "accept-01")).await.unwrap();
    let booking = world.reaches(id, BookingState::MeetingScheduled).await;
    assert_ne!(booking.payment_state(), PaymentState::Paid);
    assert!(world.view(id).await.confirmed_on_claim);
    assert_eq!(claims_accepted(&world).await, 1);
    // Again, with the same key and with another one.
    accept_claim(&world.app, owner(), asked(id, "accept-01")).await.unwrap();
    accept(&world, id).await.unwrap();
    // The payment arrives long after the hold would have expired.
    world.minutes_later(60).await;
    world.pay(id, "pay_1").await;
    world.pay(id, "pay_1").await;
    let view = world.view(id).await;
    assert_eq!(view.booking.payment_state(), PaymentState::Paid);
    assert_eq!(view.booking.state(), BookingState::MeetingScheduled);
    assert!(!view.confirmed_on_claim);
    let history = world.booking_history(id).await;
    let expected = [
        "BookingRequested",
        "BookingCheckoutOpened",
        "BookingConfirmed",
        "MeetingScheduled",
        "BookingPaid",
    ];
    assert_eq!(history, expected);
    assert_eq!(world.history("day-lead-2026-11-25").await.last().unwrap(), "SlotBooked");
}

#[tokio::test]
async fn a_claim_is_accepted_after_its_hold_while_the_time_is_free() {
    let world = World::new().await;
    let id = world.hold(customer(1), at(1, 11)).await;
    claim(&world, id).await;
    world.minutes_later(31).await;
    world.reaches(id, BookingState::Expired).await;
    let other = world.hold(customer(2), at(1, 11)).await;
    assert_eq!(reason(accept(&world, id).await), "SLOT_TAKEN");
    world.minutes_later(16).await;
    world.reaches(other, BookingState::Expired).await;
    accept(&world, id).await.unwrap();
    world.reaches(id, BookingState::MeetingScheduled).await;
    // The session takes place, and its end is handled.
    world.minutes_later(2 * 24 * 60).await;
    world.reaches(id, BookingState::Completed).await;
    assert_eq!(world.count(TIMERS).await, 0);
    // The payment may arrive even then.
    world.pay(id, "pay_1").await;
    assert_eq!(world.view(id).await.booking.payment_state(), PaymentState::Paid);
}

#[tokio::test]
async fn a_claim_for_a_session_that_is_over_is_not_accepted() {
    let world = World::without_timers().await;
    let id = world.hold(customer(1), at(0, 11)).await;
    claim(&world, id).await;
    world.minutes_later(3 * 60).await;
    assert_eq!(reason(accept(&world, id).await), "SLOT_PAST");
    let unknown = eventstore::new_id();
    assert_eq!(reason(accept(&world, unknown).await), "BOOKING_NOT_FOUND");
    let nonsense = AcceptClaimRequest { booking_id: "bkg_1".to_owned(), ..asked(id, "accept-01") };
    let refused = accept_claim(&world.app, owner(), nonsense).await;
    assert_eq!(reason(refused), "BOOKING_NOT_FOUND");
    let short = accept_claim(&world.app, owner(), asked(id, "short")).await;
    assert_eq!(reason(short), "INVALID_IDEMPOTENCY_KEY");
}

#[tokio::test]
async fn an_accepted_claim_that_is_cancelled_has_its_late_money_given_back() {
    let world = World::without_timers().await;
    let id = world.hold(customer(1), at(1, 11)).await;
    claim(&world, id).await;
    accept(&world, id).await.unwrap();
    let staff = Staff { role: Role::Admin, ..owner() };
    let cancelled = crate::cancels::cancel_by_practice(&world, staff, id).await;
    // No refund is promised for money that has not arrived.
    assert!(cancelled.unpaid);
    let unpaid = "select count(*) from events where event_type = 'booking.v1.BookingCancelled'
                  and (payload->>'unpaid')::boolean";
    assert_eq!(world.count(unpaid).await, 1);
    world.pay(id, "pay_1").await;
    world.pay(id, "pay_1").await;
    // A repeated request after the payment reports it.
    assert!(!crate::cancels::cancel_by_practice(&world, staff, id).await.unpaid);
    let history = world.booking_history(id).await;
    assert_eq!(
        history[1..],
        ["BookingCheckoutOpened", "BookingConfirmed", "BookingCancelled", "BookingUnplaced"]
    );
    let view = world.view(id).await.booking;
    assert_eq!((view.state(), view.payment_state()), (BookingState::Cancelled, PaymentState::Paid));
    world.hold(customer(2), at(1, 11)).await;
}

#[tokio::test]
async fn the_accept_policy_confirms_at_once() {
    let world = World::with_claims(ClaimPolicy::Accept).await;
    world.run_timers();
    let id = world.hold(customer(1), at(1, 11)).await;
    claim(&world, id).await;
    claim(&world, id).await;
    world.reaches(id, BookingState::MeetingScheduled).await;
    assert!(world.view(id).await.confirmed_on_claim);
    assert_eq!(claims_accepted(&world).await, 1);
    world.pay(id, "pay_1").await;
    assert!(!world.view(id).await.confirmed_on_claim);
    // If the time is taken, the booking waits for the payment as usual.
    let late = world.hold(customer(2), at(1, 14)).await;
    world.minutes_later(16).await;
    world.reaches(late, BookingState::Expired).await;
    let faster = world.hold(customer(3), at(1, 14)).await;
    claim(&world, late).await;
    assert_eq!(world.state(late).await, BookingState::Expired);
    assert_eq!(world.state(faster).await, BookingState::Held);
    // The event is consumed again when the time is free: the claim was decided already.
    world.minutes_later(16).await;
    world.reaches(faster, BookingState::Expired).await;
    claim(&world, late).await;
    assert_eq!(world.state(late).await, BookingState::Expired);
    world.hold(customer(3), at(1, 14)).await;
    let verified = PaymentVerified {
        booking_id: late.to_string(),
        payment_id: "pay_2".to_owned(),
        ..PaymentVerified::default()
    };
    world.payments_say(&verified).await;
    assert_eq!(world.state(late).await, BookingState::PaidUnplaced);
}
