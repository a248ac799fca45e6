//! A booking that was confirmed on its client's word, cancelled before money was seen.

use kernel::{Money, fold};

use super::{
    FREE, cancel, cancelled, check, facts_at, on_claim, payment, requested, unpaid, unplaced,
    verify,
};
use crate::domain::booking::{
    BookingLife, CancelledBy, ConfirmationBasis, Event, RefundChoice, State,
};

#[test]
fn a_payment_after_a_cancelled_claim_follows_the_cancellation() {
    let taken = [requested(), on_claim(false)];
    let cancellation = cancel(CancelledBy::Practice, RefundChoice::ByPolicy, 20);
    let promise = unpaid(CancelledBy::Practice, 50_000);
    check(&taken, cancellation.clone(), Ok(std::slice::from_ref(&promise)));
    // With a verified payment it is like any other paid booking.
    let settled = [&taken[..], &[Event::Paid { payment: payment() }]].concat();
    check(&settled, cancellation, Ok(&[cancelled(CancelledBy::Practice, 50_000)]));
    let promised = [&taken[..], &[promise]].concat();
    check(&promised, verify(40, FREE), Ok(&[unplaced()]));
    let kept = [&taken[..], &[unpaid(CancelledBy::Customer, 0)]].concat();
    check(&kept, verify(40, FREE), Ok(&[Event::Paid { payment: payment() }]));
    // It stays cancelled, with the payment that arrived.
    let state = fold::<BookingLife>(&[&promised[..], &[unplaced()]].concat());
    let basis = ConfirmationBasis::Payment(payment());
    let facts = facts_at(600);
    assert_eq!(state, State::Cancelled { facts, basis, refund: Money::inr(50_000) });
}
