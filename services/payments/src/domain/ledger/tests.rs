//! The balances after each course of a payment; and properties of every history.

pub(crate) mod decided;

use std::collections::{BTreeMap, BTreeSet};

use kernel::id::Refund as RefundKind;
use kernel::{Id, Money};
use proptest::prelude::*;
use uuid::Uuid;

use super::{Account, Books, Entry};
use crate::domain::collection::{Event, Mismatch};
use crate::domain::fact::{Amount, Fact, Payment, PaymentId, ProviderRefundId, Source, Status};
use crate::domain::refund::{Cause, Refund};

const PRICE: i64 = 50_000;

fn pay(number: u8) -> PaymentId {
    PaymentId::parse(&format!("pay_{number:014}")).unwrap()
}

fn rfn(number: u8) -> Id<RefundKind> {
    Id::from_uuid(Uuid::from_u128(100 + u128::from(number)))
}

fn inr(minor: i64) -> Amount {
    Money::inr(minor).into()
}

fn observed(payment: u8, status: Status) -> Event {
    let fact = Fact { status, amount: inr(PRICE), order: None };
    Event::Observed { payment: Payment { id: pay(payment), fact }, source: Source::Poll }
}

fn verified(payment: u8) -> Event {
    Event::Verified { payment: pay(payment), amount: inr(PRICE) }
}

fn mismatched(payment: u8, amount: Amount) -> Event {
    Event::Mismatched { payment: pay(payment), amount, reason: Mismatch::Amount }
}

fn refund(payment: u8, minor: i64) -> Refund {
    let (payment, amount, cause) = (pay(payment), inr(minor), Cause::Unplaced);
    Refund::requested(payment, amount, cause)
}

fn requested(number: u8, payment: u8, minor: i64) -> Event {
    Event::RefundRequested { refund_id: rfn(number), refund: refund(payment, minor) }
}

fn discovered(number: u8, payment: u8, minor: i64) -> Event {
    let provider_refund = ProviderRefundId::parse(&format!("rfnd_{number:014}"));
    let refund = Refund { accepted: provider_refund, ..refund(payment, minor) };
    Event::RefundDiscovered { refund_id: rfn(number), refund }
}

fn processed(number: u8) -> Event {
    Event::RefundProcessed { refund_id: rfn(number) }
}

fn failed(number: u8) -> Event {
    Event::RefundFailed { refund_id: rfn(number), reason: "failed".to_owned() }
}

fn earned(payment: u8, minor: i64) -> Event {
    Event::Earned { payment: pay(payment), amount: inr(minor) }
}

fn entries(events: &[Event]) -> Vec<Entry> {
    Books::default().enter(events)
}

/// The balances in rupees' minor units that are not zero.
fn balances(events: &[Event]) -> BTreeMap<Account, i64> {
    let mut sums = BTreeMap::new();
    for line in entries(events).iter().flat_map(|entry| &entry.lines) {
        *sums.entry(line.account).or_default() += line.amount.minor;
    }
    sums.retain(|_account, sum| *sum != 0);
    sums
}

#[track_caller]
fn assert_left<const N: usize>(events: &[Event], left: [(Account, i64); N]) {
    assert_eq!(balances(events), BTreeMap::from(left));
}

#[test]
fn money_is_owed_until_the_session_took_place() {
    use Account::{CustomerAdvance, ProviderClearing, Revenue};
    let mut events = vec![observed(1, Status::Captured), verified(1)];
    assert_left(&events, [(ProviderClearing, PRICE), (CustomerAdvance, -PRICE)]);
    events.push(earned(1, PRICE));
    assert_left(&events, [(ProviderClearing, PRICE), (Revenue, -PRICE)]);
}

/// A refund after the sessions of a package takes what was closed last first, and returns there
/// when it fails.
#[test]
fn money_of_a_package_is_earned_and_kept_in_accounts_of_its_own() {
    use Account::{CustomerAdvance, ProviderClearing, RefundsPayable, Retained, Revenue};
    let kept = Event::Retained { payment: pay(1), amount: inr(16_666) };
    let mut events = vec![verified(1), earned(1, 16_666), kept];
    let open = (CustomerAdvance, -16_668);
    let closed = [(Revenue, -16_666), (Retained, -16_666)];
    assert_left(&events, [(ProviderClearing, PRICE), open, closed[0], closed[1]]);
    events.push(earned(1, 16_668));
    assert_left(&events, [(ProviderClearing, PRICE), (Revenue, -33_334), closed[1]]);
    events.push(requested(1, 1, 40_000));
    let payable = (RefundsPayable, -40_000);
    assert_left(&events, [(ProviderClearing, PRICE), payable, (Retained, -10_000)]);
    let failed = [&events[..], &[failed(1)]].concat();
    assert_left(&failed, [(ProviderClearing, PRICE), (Revenue, -33_334), closed[1]]);
    events.push(processed(1));
    assert_left(&events, [(ProviderClearing, 10_000), (Retained, -10_000)]);
}

#[test]
fn what_is_kept_after_a_late_cancellation_is_not_revenue() {
    use Account::{ProviderClearing, Retained};
    let kept = Event::Retained { payment: pay(1), amount: inr(PRICE - 100) };
    let events = [verified(1), requested(1, 1, 100), processed(1), kept];
    assert_left(&events, [(ProviderClearing, PRICE - 100), (Retained, 100 - PRICE)]);
}

#[test]
fn a_refund_is_payable_until_it_went_back() {
    use Account::{CustomerAdvance, ProviderClearing, RefundsPayable};
    let mut events = vec![verified(1), requested(1, 1, PRICE)];
    assert_left(&events, [(ProviderClearing, PRICE), (RefundsPayable, -PRICE)]);
    events.push(failed(1));
    assert_left(&events, [(ProviderClearing, PRICE), (CustomerAdvance, -PRICE)]);
    let found_to_have_gone = [events.clone(), vec![processed(1)]].concat();
    assert_left(&found_to_have_gone, []);
    events.extend([requested(2, 1, PRICE), processed(2), processed(2)]);
    assert_left(&events, []);
}

#[test]
fn what_does_not_match_waits_in_suspense_until_it_is_back() {
    use Account::{ProviderClearing, RefundsPayable, Suspense};
    let dollars = Amount { minor: 700, currency: "USD".to_owned() };
    let mut events = vec![mismatched(1, dollars.clone())];
    assert_left(&events, [(ProviderClearing, 700), (Suspense, -700)]);
    let refund = Refund::requested(pay(1), dollars.clone(), Cause::Mismatched);
    events.push(Event::RefundRequested { refund_id: rfn(1), refund });
    assert_left(&events, [(ProviderClearing, 700), (RefundsPayable, -700)]);
    events.push(processed(1));
    assert_left(&events, []);
    let all = entries(&events);
    assert!(all.iter().flat_map(|it| &it.lines).all(|it| it.amount.currency == "USD"));
}

#[test]
fn money_that_came_and_went_unseen_is_in_the_books() {
    let events = [observed(1, Status::Refunded), discovered(1, 1, PRICE), processed(1)];
    assert_eq!(entries(&events).len(), 3);
    assert_left(&events, []);
    // The refund may be reported before the payment.
    let mut events = vec![discovered(1, 1, 100), processed(1)];
    let gone = [(Account::ProviderClearing, -100), (Account::Suspense, 100)];
    assert_left(&events, gone);
    events.push(verified(1));
    let rest = PRICE - 100;
    let owed = [(Account::ProviderClearing, rest), (Account::CustomerAdvance, -rest)];
    assert_left(&events, owed);
    let events = [discovered(1, 1, PRICE), processed(1), observed(1, Status::Refunded)];
    assert_left(&events, []);
}

#[test]
fn a_refund_by_another_hand_comes_out_of_what_is_owed() {
    use Account::{CustomerAdvance, ProviderClearing};
    let events = [verified(1), discovered(1, 1, 20_000), processed(1)];
    let left = PRICE - 20_000;
    assert_left(&events, [(ProviderClearing, left), (CustomerAdvance, -left)]);
    let told = entries(&events);
    let last = told.last().unwrap();
    assert_eq!(last.provider_refund.as_ref().unwrap().as_str(), "rfnd_00000000000001");
    assert_eq!(last.cause, format!("refund {} processed", rfn(1)));
}

#[test]
fn a_refund_after_the_session_comes_out_of_revenue() {
    use Account::{ProviderClearing, Revenue};
    let mut events = vec![verified(1), earned(1, PRICE), requested(1, 1, 10_000), failed(1)];
    assert_left(&events, [(ProviderClearing, PRICE), (Revenue, -PRICE)]);
    events.extend([requested(2, 1, 10_000), processed(2)]);
    assert_left(&events, [(ProviderClearing, 40_000), (Revenue, -40_000)]);
}

#[test]
fn what_was_to_go_back_before_the_session_stays_owed_when_it_fails() {
    use Account::{CustomerAdvance, ProviderClearing, Revenue};
    let mut events = vec![verified(1), requested(1, 1, 10_000), earned(1, 40_000), failed(1)];
    let owed = [(ProviderClearing, PRICE), (CustomerAdvance, -10_000), (Revenue, -40_000)];
    assert_left(&events, owed);
    // A person gives back more than is owed: the rest comes out of revenue.
    events.extend([requested(2, 1, 15_000), processed(2)]);
    assert_left(&events, [(ProviderClearing, 35_000), (Revenue, -35_000)]);
    let told = entries(&events);
    assert_eq!(told[4].lines.len(), 3);
    let failed_and_gone = [&events[..5], &[failed(2), processed(2)]].concat();
    assert_left(&failed_and_gone, [(ProviderClearing, 35_000), (Revenue, -35_000)]);
}

fn any_event() -> impl Strategy<Value = Event> {
    let payment = 0_u8..3;
    let refund = 0_u8..4;
    let status = prop::sample::select(vec![
        Status::Created,
        Status::Failed,
        Status::Authorized,
        Status::Captured,
        Status::Refunded,
    ]);
    prop_oneof![
        (payment.clone(), status).prop_map(|(it, status)| observed(it, status)),
        payment.clone().prop_map(verified),
        payment.clone().prop_map(|it| mismatched(it, inr(PRICE))),
        (refund.clone(), payment.clone(), 1..PRICE)
            .prop_map(|(it, of, sum)| requested(it, of, sum)),
        (refund.clone(), payment.clone(), 1..PRICE)
            .prop_map(|(it, of, sum)| discovered(it, of, sum)),
        refund.clone().prop_map(processed),
        refund.prop_map(failed),
        (payment.clone(), 1..PRICE).prop_map(|(it, sum)| earned(it, sum)),
        (payment, 1..PRICE)
            .prop_map(|(it, sum)| Event::Retained { payment: pay(it), amount: inr(sum) }),
    ]
}

proptest! {
    #[test]
    fn every_history_nets_to_zero_and_posts_each_cause_once(
        events in prop::collection::vec(any_event(), 0..40)
    ) {
        let mut causes = BTreeSet::new();
        for entry in entries(&events) {
            prop_assert_eq!(entry.lines.iter().map(|line| line.amount.minor).sum::<i64>(), 0);
            prop_assert!(entry.lines.iter().all(|line| line.amount.minor != 0));
            prop_assert!(causes.insert(entry.cause.clone()), "{} comes twice", entry.cause);
        }
    }

    #[test]
    fn the_provider_has_what_was_captured_less_what_went_back(
        events in prop::collection::vec(any_event(), 0..40)
    ) {
        let (mut came, mut owed, mut gone) = (BTreeSet::new(), BTreeMap::new(), BTreeSet::new());
        for event in &events {
            match event {
                Event::Verified { payment, .. } | Event::Mismatched { payment, .. } => {
                    came.insert(payment.clone());
                }
                Event::Observed { payment, .. } if payment.fact.status >= Status::Captured => {
                    came.insert(payment.id.clone());
                }
                Event::RefundRequested { refund_id, refund }
                | Event::RefundDiscovered { refund_id, refund } => {
                    owed.entry(*refund_id).or_insert(refund.amount.minor);
                }
                Event::RefundProcessed { refund_id } if owed.contains_key(refund_id) => {
                    gone.insert(*refund_id);
                }
                Event::Observed { .. }
                | Event::RefundProcessed { .. }
                | Event::PaidAtDesk { .. }
                | Event::GivenBackAtDesk { .. }
                | Event::Opened(_)
                | Event::OrderCreated { .. }
                | Event::Link { .. }
                | Event::Claimed
                | Event::OrderObserved { .. }
                | Event::Failed { .. }
                | Event::RefundAccepted { .. }
                | Event::RefundReleased { .. }
                | Event::RefundFailed { .. }
                | Event::DisputeObserved(_)
                | Event::Earned { .. }
                | Event::Retained { .. } => {}
            }
        }
        let captured = PRICE * i64::try_from(came.len()).unwrap();
        let back: i64 = gone.iter().map(|it| owed[it]).sum();
        let left = balances(&events).get(&Account::ProviderClearing).copied().unwrap_or(0);
        prop_assert_eq!(left, captured - back);
    }

    #[test]
    fn nothing_is_owed_once_a_payment_was_earned(
        before in prop::collection::vec((0_u8..4, 1..PRICE / 8, any::<Option<bool>>()), 0..5),
        after in prop::collection::vec((4_u8..8, 1..PRICE / 8, any::<Option<bool>>()), 0..5),
    ) {
        let mut events = vec![verified(1)];
        let mut left = PRICE;
        let mut known = BTreeSet::new();
        let mut tell = |events: &mut Vec<Event>, (number, sum, end): (u8, i64, Option<bool>)| {
            if !known.insert(number) {
                return 0;
            }
            events.push(requested(number, 1, sum));
            match end {
                Some(true) => events.push(processed(number)),
                Some(false) => events.push(failed(number)),
                None => {}
            }
            if end == Some(false) { 0 } else { sum }
        };
        for it in before {
            left -= tell(&mut events, it);
        }
        events.push(earned(1, left));
        for it in after {
            tell(&mut events, it);
        }
        let sums = balances(&events);
        prop_assert_eq!(sums.get(&Account::CustomerAdvance), None);
        prop_assert_eq!(sums.get(&Account::Suspense), None);
    }
}
