//! Money at the practice's desk: it counts once, what comes beside it goes back, and what goes back
//! of it is owed until a person has given it.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::refunds::{by_staff, cancel};
use super::*;
use crate::domain::desk::{Handover, Way};
use crate::domain::ledger::{Account, Books};

fn desk(number: u8) -> PaymentId {
    PaymentId::parse(&format!("desk_cash_{number:032}")).unwrap()
}

fn cash() -> Handover {
    Handover::new(Way::Cash, "").unwrap()
}

fn upi() -> Handover {
    Handover::new(Way::Upi, "412345678901").unwrap()
}

fn pay_at_desk(number: u8, minor: i64) -> Command {
    Command::PayAtDesk { payment: desk(number), amount: inr(minor), handover: cash() }
}

fn give_back(minor: i64) -> Command {
    Command::GiveBackAtDesk { amount: inr(minor), handover: upi() }
}

fn paid_at_desk() -> Vec<Event> {
    vec![
        Event::PaidAtDesk { payment: desk(1), amount: inr(PRICE), handover: cash() },
        Event::Verified { payment: desk(1), amount: inr(PRICE) },
    ]
}

/// Opened and paid at the desk; no order was ever made.
fn paid_there() -> Vec<Event> {
    [vec![Event::Opened(terms())], paid_at_desk()].concat()
}

fn owed(number: u128, minor: i64, cause: Cause) -> Event {
    let refund = Refund::requested(desk(1), inr(minor), cause);
    Event::RefundRequested { refund_id: refund_id(number), refund }
}

fn given_back(number: u128, minor: i64) -> [Event; 2] {
    let refund_id = refund_id(number);
    [
        Event::GivenBackAtDesk { refund_id, amount: inr(minor), handover: upi() },
        Event::RefundProcessed { refund_id },
    ]
}

fn balances(history: &[Event]) -> BTreeMap<Account, i64> {
    let mut balances = BTreeMap::new();
    for line in Books::default().enter(history).iter().flat_map(|entry| &entry.lines) {
        *balances.entry(line.account).or_insert(0) += line.amount.minor;
    }
    balances.retain(|_, minor| *minor != 0);
    balances
}

#[test]
fn the_price_is_paid_at_the_desk_once() {
    check(&[Event::Opened(terms())], pay_at_desk(1, PRICE), Ok(&paid_at_desk()));
    let opened = [Event::Opened(terms())];
    for minor in [0, -1, 1, PRICE - 1, PRICE + 1] {
        check(&opened, pay_at_desk(1, minor), Err(Rejection::AmountNotOwed));
    }
    check(&paid_there(), pay_at_desk(2, PRICE), Err(Rejection::AlreadyPaid));
    check(&paid(), pay_at_desk(1, PRICE), Err(Rejection::AlreadyPaid));
    check(&[], pay_at_desk(1, PRICE), Err(Rejection::NotOpened));
    let known = fold::<CollectionLife>(&paid_there());
    assert_eq!(open(&known).standing(), Standing::Paid);
    assert!(open(&known).is_settled(), "nothing is to be asked for");
}

#[test]
fn what_is_paid_with_the_provider_as_well_goes_back_once() {
    let history = [opened(), paid_at_desk()].concat();
    let refund = Refund::requested(pay(1), inr(PRICE), Cause::Double);
    let then = [
        observed(seen(1, Status::Captured)),
        Event::Mismatched { payment: pay(1), amount: inr(PRICE), reason: Mismatch::Double },
        Event::RefundRequested { refund_id: refund_id(1), refund },
    ];
    check(&history, observe(seen(1, Status::Captured)), Ok(&then));
    let known = fold::<CollectionLife>(&[history, then.to_vec()].concat());
    assert_eq!(open(&known).verified, Some(desk(1)));
    assert!(open(&known).owed_at_desk().next().is_none(), "the provider gives it back");
}

#[test]
fn a_cancelled_booking_is_owed_at_the_desk_until_it_was_given_back() {
    let then = [owed(1, PRICE, Cause::Cancelled)];
    check(&paid_there(), cancel(PRICE), Ok(&then));
    let history = [paid_there(), then.to_vec()].concat();
    let known = fold::<CollectionLife>(&history);
    assert_eq!((open(&known).left(&desk(1)), open(&known).standing()), (0, Standing::Refunding));
    assert_eq!(open(&known).owed_at_desk().count(), 1);
    for minor in [PRICE - 1, PRICE + 1, 0] {
        let state = fold::<CollectionLife>(&history);
        let refused = CollectionLife::decide(&state, give_back(minor));
        assert_eq!(refused, Err(Rejection::AmountNotOwed), "{minor}");
    }
    let state = fold::<CollectionLife>(&history);
    let done = CollectionLife::decide(&state, give_back(PRICE)).unwrap();
    assert_eq!(done, given_back(1, PRICE));
    let after = [history, done].concat();
    let known = fold::<CollectionLife>(&after);
    assert_eq!(open(&known).standing(), Standing::Refunded);
    // Nothing is given back a second time.
    check(&after, give_back(PRICE), Err(Rejection::NothingOwed));
    check(&after, by_staff(None, 2), Err(Rejection::NothingToRefund));
    assert_eq!(
        balances(&after),
        BTreeMap::from([(Account::DeskCash, PRICE), (Account::DeskUpi, -PRICE)])
    );
}

#[test]
fn parts_that_staff_give_back_are_owed_together() {
    let mut history = paid_there();
    history.extend([owed(1, 20_000, Cause::Staff), owed(2, 10_000, Cause::Staff)]);
    let known = fold::<CollectionLife>(&history);
    assert_eq!((open(&known).left(&desk(1)), open(&known).standing()), (20_000, Standing::Paid));
    let done = CollectionLife::decide(&known, give_back(30_000)).unwrap();
    assert_eq!(done, [given_back(1, 20_000), given_back(2, 10_000)].concat());
    history.extend(done);
    history.push(Event::Earned { payment: desk(1), amount: inr(20_000) });
    let expected =
        [(Account::DeskCash, PRICE), (Account::DeskUpi, -30_000), (Account::Revenue, -20_000)];
    assert_eq!(balances(&history), BTreeMap::from(expected));
    assert_eq!(balances(&history).get(&Account::ProviderClearing), None);
}

#[test]
fn what_was_never_paid_at_the_desk_is_not_given_back_there() {
    check(&paid(), give_back(PRICE), Err(Rejection::NothingOwed));
    check(&unplaced(), give_back(PRICE), Err(Rejection::NothingOwed));
}

/// What may happen to a booking's money, in any order.
#[derive(Debug, Clone, Copy)]
enum Act {
    Desk(u8),
    Provider(u8),
    Cancel(i64),
    Unplace,
    Staff(Option<i64>),
    GiveBack,
    Complete,
}

fn any_act() -> impl Strategy<Value = Act> {
    prop_oneof![
        (1_u8..=2).prop_map(Act::Desk),
        (1_u8..=2).prop_map(Act::Provider),
        (0..=PRICE).prop_map(Act::Cancel),
        Just(Act::Unplace),
        proptest::option::of(100..PRICE).prop_map(Act::Staff),
        Just(Act::GiveBack),
        Just(Act::Complete),
    ]
}

/// The command of an act; none where nothing is to be done.
fn command(known: &Collection, act: Act, number: u128) -> Option<Command> {
    let refund_id = refund_id(number);
    Some(match act {
        Act::Desk(number) => pay_at_desk(number, PRICE),
        Act::Provider(number) => {
            let payment = seen(number, Status::Captured);
            Command::Observe { payment, source: Source::Poll, refund_id }
        }
        Act::Cancel(minor) => Command::Cancel { refund: inr(minor), refund_id },
        Act::Unplace => Command::Unplace { payment: known.verified.clone()?, refund_id },
        Act::Staff(minor) => by_staff(minor, number),
        Act::GiveBack => {
            give_back(known.owed_at_desk().map(|(_, refund)| refund.amount.minor).sum())
        }
        Act::Complete => Command::Complete,
    })
}

proptest! {
    /// In every order of the acts the price is kept at most once, no payment gives back more than
    /// it brought, and the desk's accounts are what was paid there less what was given back.
    #[test]
    fn no_order_of_acts_doubles_money(acts in proptest::collection::vec(any_act(), 1..12)) {
        let mut history = opened();
        for (act, number) in acts.into_iter().zip(1_u128..) {
            let state = fold::<CollectionLife>(&history);
            let Some(command) = command(open(&state), act, number) else { continue };
            history.extend(CollectionLife::decide(&state, command).unwrap_or_default());
            let state = fold::<CollectionLife>(&history);
            let known = open(&state);
            let kept = known.payments.keys().map(|id| known.left(id)).sum::<i64>();
            prop_assert!(kept <= PRICE, "{kept} of {history:?}");
            for id in known.payments.keys() {
                prop_assert!(known.going_back(id) <= known.brought(id));
            }
            let balances = balances(&history);
            let at_desk = |accounts: [Account; 2]| -> i64 {
                accounts.iter().filter_map(|account| balances.get(account)).sum()
            };
            let paid: i64 = known.at_desk.iter().map(|id| known.brought(id)).sum();
            let given: i64 = history
                .iter()
                .filter_map(|event| {
                    if let Event::GivenBackAtDesk { amount, .. } = event {
                        Some(amount.minor)
                    } else {
                        None
                    }
                })
                .sum();
            prop_assert_eq!(at_desk([Account::DeskCash, Account::DeskUpi]), paid - given);
            prop_assert_eq!(balances.values().sum::<i64>(), 0);
        }
    }
}
