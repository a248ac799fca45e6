//! The money of a package, session by session.

use super::*;
use crate::domain::collection::Rest;
use crate::domain::refund::RefundUpdate;
use crate::domain::session_ends::{SessionEnd, SessionEnds};

const SHARES: [i64; 3] = [16_666, 16_666, 16_668];

/// A session that took place.
const HELD: Option<i64> = None;

/// Sessions from the first one on, each with its refund if it was cancelled.
fn ends(refunds: &[Option<i64>]) -> SessionEnds {
    let mut ends = SessionEnds::default();
    for ((refund_minor, share_minor), number) in refunds.iter().zip(SHARES).zip(1..) {
        ends = ends.with(number, SessionEnd { share_minor, refund_minor: *refund_minor });
    }
    ends
}

fn settle(refunds: &[Option<i64>], rest: Option<Rest>) -> Command {
    Command::SettleSessions { ends: ends(refunds), rest, refund_id: refund_id(1) }
}

fn earned(minor: i64) -> Event {
    Event::Earned { payment: pay(1), amount: inr(minor) }
}

fn retained(minor: i64) -> Event {
    Event::Retained { payment: pay(1), amount: inr(minor) }
}

fn back(minor: i64) -> Event {
    requested(pay(1), inr(minor), Cause::Cancelled)
}

fn with(more: &[Event]) -> Vec<Event> {
    [&paid()[..], more].concat()
}

#[test]
fn each_session_that_took_place_earns_its_share() {
    check(&paid(), settle(&[HELD], None), Ok(&[earned(16_666)]));
    let first = with(&[earned(16_666)]);
    check(&first, settle(&[HELD, HELD], None), Ok(&[earned(16_666)]));
    let two = with(&[earned(16_666), earned(16_666)]);
    let last = settle(&[HELD, HELD, HELD], Some(Rest::Earned));
    check(&two, last.clone(), Ok(&[earned(16_668)]));
    // Money that comes after all of them is earned session by session, too.
    check(&paid(), last, Ok(&[earned(16_666), earned(16_666), earned(16_668)]));
}

#[test]
fn a_cancelled_session_gives_its_share_back_or_keeps_it() {
    let first = with(&[earned(16_666)]);
    let in_time = settle(&[HELD, Some(16_666)], None);
    check(&first, in_time, Ok(&[back(16_666)]));
    check(&first, settle(&[HELD, Some(0)], None), Ok(&[retained(16_666)]));
    let kept = with(&[earned(16_666), retained(16_666)]);
    let last = settle(&[HELD, Some(0), Some(16_668)], Some(Rest::Earned));
    check(&kept, last, Ok(&[back(16_668)]));
    let all = settle(&[Some(0), Some(16_666), Some(16_668)], Some(Rest::Retained));
    check(&paid(), all, Ok(&[back(33_334), retained(16_666)]));
}

#[test]
fn nothing_happens_to_money_that_is_not_here() {
    check(&opened(), settle(&[HELD], None), Ok(&[]));
    let failed = [&opened()[..], &[observed(seen(1, Status::Failed))]].concat();
    check(&failed, settle(&[HELD, Some(16_666)], None), Ok(&[]));
}

/// What the practice has given back by itself is not earned, and takes nothing off what is promised
/// for a session that is cancelled.
#[test]
fn a_refund_of_staff_stands_beside_those_of_sessions() {
    let mut by_staff = paid();
    by_staff.push(earned(16_666));
    let refund = Refund::requested(pay(1), inr(30_000), Cause::Staff);
    by_staff.push(Event::RefundRequested { refund_id: refund_id(7), refund });
    check(&by_staff, settle(&[HELD, Some(16_666)], None), Ok(&[back(16_666)]));
    let all = settle(&[HELD, Some(16_666), Some(16_668)], None);
    check(&by_staff, all, Ok(&[back(20_000)]));
    check(&by_staff, settle(&[HELD, HELD], None), Ok(&[earned(3_334)]));
}

#[test]
fn a_refund_that_failed_stays_owed_and_is_earned_by_no_other_session() {
    let mut failed = with(&[earned(16_666), back(16_666)]);
    failed.push(Event::RefundFailed { refund_id: refund_id(1), reason: "failed".to_owned() });
    let last = settle(&[HELD, Some(16_666), HELD], Some(Rest::Earned));
    check(&failed, last, Ok(&[earned(16_668)]));
    let update = RefundUpdate::Refused("payment_too_old".to_owned());
    let told = Command::LearnRefund { refund_id: refund_id(1), update, rest_id: refund_id(9) };
    check(&failed, told, Ok(&[]));
}

/// A refund of all on the provider's pages, told before or after the payment says "refunded":
/// neither a later session nor the rest earns any of it.
#[test]
fn money_that_went_back_elsewhere_is_earned_by_no_later_session() {
    let refund = Refund {
        accepted: ProviderRefundId::parse("rfnd_AAAAAAAAAAAAAA"),
        ..Refund::requested(pay(1), inr(PRICE), Cause::Elsewhere)
    };
    let found = Event::RefundDiscovered { refund_id: refund_id(7), refund };
    let said = observed(seen(1, Status::Refunded));
    let done = Event::RefundProcessed { refund_id: refund_id(7) };
    for told in [[said.clone(), found.clone(), done.clone()], [found, done, said]] {
        let gone = [&with(&[earned(16_666)])[..], &told].concat();
        check(&gone, settle(&[HELD, HELD], None), Ok(&[]));
        check(&gone, settle(&[HELD, HELD, HELD], Some(Rest::Earned)), Ok(&[]));
        check(&gone, settle(&[HELD, Some(0), HELD], Some(Rest::Earned)), Ok(&[]));
    }
}
