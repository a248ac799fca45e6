//! Packages: their sessions end one by one, each with its share of the price.

use kernel::{CancellationPolicy, Decider, Money, fold};
use proptest::prelude::*;

use super::{
    FREE, GONE, any_command, at, at_time, cancel, check, facts_at, on_claim, paid, verify,
};
use crate::domain::booking::{
    BookingLife, Cancellation, CancelledBy, Command, ConfirmationBasis, Event, Facts, Package,
    RefundChoice, Rejection, State,
};
use crate::domain::span::Span;

/// Minutes of a day.
const DAY: i64 = 24 * 60;

/// Three sessions of an hour on the second, third and fourth day, for a price that three do not
/// divide.
pub(super) fn package() -> Facts {
    let session = |day: i64| Span::new(at(day * DAY), at(day * DAY + 60)).unwrap();
    Facts {
        price: Money::inr(100_001),
        package: Some(Package {
            id: "starter".to_owned(),
            title: "Starter Package".to_owned(),
            notice_hours: 24,
        }),
        sessions: vec![session(2), session(3), session(4)],
        ..facts_at(600)
    }
}

const SHARES: [i64; 3] = [33_333, 33_333, 33_335];

fn requested() -> Event {
    Event::Requested { facts: package(), until: at(15) }
}

fn given(more: &[Event]) -> Vec<Event> {
    [&[requested(), paid(false)], more].concat()
}

fn completed(number: usize) -> Event {
    Event::SessionCompleted { number, share: Money::inr(SHARES[number - 1]) }
}

fn cancelled(number: usize, by: CancelledBy, is_refunded: bool) -> Event {
    let share = Money::inr(SHARES[number - 1]);
    let refund = if is_refunded { share } else { Money::inr(0) };
    Event::SessionCancelled {
        number,
        by,
        share,
        refund,
        unpaid: false,
        with_all: false,
        by_grace: false,
    }
}

/// The same when all of the package is cancelled with it.
fn at_last(number: usize, by: CancelledBy, is_refunded: bool) -> Event {
    let mut event = cancelled(number, by, is_refunded);
    if let Event::SessionCancelled { with_all, .. } = &mut event {
        *with_all = true;
    }
    event
}

fn over(by: CancelledBy, minor: i64) -> Event {
    Event::Cancelled { by, refund: Money::inr(minor), unpaid: false, by_grace: false }
}

/// The policy's own notice is not the package's.
fn one(number: usize, now: i64) -> Command {
    let (by, refund) = (CancelledBy::Customer, RefundChoice::ByPolicy);
    let unwritten = CancellationPolicy::all_or_nothing(String::new(), 90);
    let cancellation = Cancellation { by, refund, session: Some(number), unwritten, grace_left: 0 };
    Command::Cancel { cancellation, now: at(now) }
}

fn complete(now: i64) -> Command {
    Command::Complete { now: at(now) }
}

#[test]
fn the_shares_are_the_price_to_the_paisa() {
    let facts = package();
    let shares: Vec<i64> = facts.numbers().map(|number| facts.share(number).minor).collect();
    assert_eq!(shares, SHARES);
    assert_eq!(shares.iter().sum::<i64>(), facts.price.minor);
}

#[test]
fn sessions_end_one_by_one_and_the_last_one_completes_the_booking() {
    check(&given(&[]), complete(2 * DAY + 59), Ok(&[]));
    check(&given(&[]), complete(2 * DAY + 60), Ok(&[completed(1)]));
    check(&given(&[completed(1)]), complete(2 * DAY + 61), Ok(&[]));
    check(&given(&[completed(1)]), complete(3 * DAY + 60), Ok(&[completed(2)]));
    let two = given(&[completed(1), completed(2)]);
    check(&two, complete(4 * DAY + 60), Ok(&[completed(3), Event::Completed]));
    // After an outage all of them are due.
    let all = [completed(1), completed(2), completed(3), Event::Completed];
    check(&given(&[]), complete(9 * DAY), Ok(&all));
    check(&given(&all), complete(9 * DAY), Ok(&[]));
}

#[test]
fn a_session_follows_the_policy_with_its_share() {
    let customer = CancelledBy::Customer;
    check(&given(&[]), one(2, 2 * DAY), Ok(&[cancelled(2, customer, true)]));
    check(&given(&[]), one(2, 2 * DAY + 1), Ok(&[cancelled(2, customer, false)]));
    check(&given(&[cancelled(2, customer, true)]), one(2, 2 * DAY), Ok(&[]));
    check(&given(&[]), one(0, 10), Err(Rejection::SessionUnknown));
    check(&given(&[]), one(4, 10), Err(Rejection::SessionUnknown));
    // Its end has passed, though nothing has said so yet.
    check(&given(&[]), one(1, 2 * DAY + 60), Err(Rejection::NotCancellable));
    check(&given(&[completed(1)]), one(1, 2 * DAY + 60), Err(Rejection::NotCancellable));
    check(&[requested()], one(1, 10), Err(Rejection::NotCancellable));
    // What is due is completed with it.
    let both = [completed(1), cancelled(3, customer, true)];
    check(&given(&[]), one(3, 2 * DAY + 60), Ok(&both));
}

#[test]
fn all_that_is_left_is_cancelled_each_session_by_the_policy() {
    let (customer, practice) = (CancelledBy::Customer, CancelledBy::Practice);
    let all = cancel(customer, RefundChoice::ByPolicy, 2 * DAY - 60);
    let late = [at_last(1, customer, false), at_last(2, customer, true)];
    let late = [&late[..], &[at_last(3, customer, true), over(customer, 66_668)]].concat();
    check(&given(&[]), all.clone(), Ok(&late));
    check(&given(&late), all, Ok(&[]));
    let ours = cancel(practice, RefundChoice::ByPolicy, 2 * DAY + 70);
    let rest = [completed(1), cancelled(2, practice, true), cancelled(3, practice, true)];
    let rest = [&rest[..], &[Event::Completed]].concat();
    check(&given(&[]), ours.clone(), Ok(&rest));
    check(&given(&rest), ours, Ok(&[]));
    let state = fold::<BookingLife>(&given(&rest));
    assert_eq!(state.promised_refund(), Some(Money::inr(66_668)));
}

#[test]
fn the_last_session_to_be_cancelled_ends_the_booking() {
    let customer = CancelledBy::Customer;
    let two = given(&[cancelled(1, customer, true), cancelled(2, customer, false)]);
    let last = [at_last(3, customer, true), over(customer, 66_668)];
    check(&two, one(3, 2 * DAY), Ok(&last));
    let held = given(&[completed(1), cancelled(2, customer, true)]);
    let last = [cancelled(3, customer, true), Event::Completed];
    check(&held, one(3, 2 * DAY + 90), Ok(&last));
    check(&[&held[..], &last].concat(), one(3, 2 * DAY + 90), Ok(&[]));
    check(&[&held[..], &last].concat(), one(1, 2 * DAY + 90), Err(Rejection::NotCancellable));
}

#[test]
fn late_money_places_all_of_it_or_none() {
    let ended = [requested(), Event::Expired];
    check(&ended, verify(40, FREE), Ok(&[paid(true)]));
    let unplaced = Event::Unplaced { payment: super::payment() };
    check(&ended, verify(40, GONE), Ok(std::slice::from_ref(&unplaced)));
    // The first session is what has to be two hours ahead.
    check(&ended, verify(2 * DAY - 119, FREE), Ok(&[unplaced]));
}

#[test]
fn money_for_a_claim_follows_what_was_promised_for_each_session() {
    let claimed = [requested(), on_claim(false)];
    let unpaid = |mut event: Event| {
        if let Event::SessionCancelled { unpaid, .. } | Event::Cancelled { unpaid, .. } = &mut event
        {
            *unpaid = true;
        }
        event
    };
    let customer = CancelledBy::Customer;
    let part = [at_last(1, customer, false), at_last(2, customer, true)];
    let part = [&part[..], &[at_last(3, customer, true), over(customer, 66_668)]].concat();
    let part: Vec<Event> = part.into_iter().map(unpaid).collect();
    let all = cancel(customer, RefundChoice::ByPolicy, 2 * DAY - 60);
    check(&claimed, all, Ok(&part));
    // A part of it is kept, so it is not simply sent back.
    let paid = Event::Paid { payment: super::payment() };
    check(&[&claimed[..], &part].concat(), verify(2 * DAY, FREE), Ok(&[paid]));
}

fn any_of_a_package() -> impl Strategy<Value = Command> {
    let numbered = (0_usize..5, any::<bool>()).prop_map(|(number, by_practice)| {
        let by = if by_practice { CancelledBy::Practice } else { CancelledBy::Customer };
        let (refund, unwritten) = (RefundChoice::ByPolicy, super::a_day());
        let cancellation =
            Cancellation { by, refund, session: Some(number), unwritten, grace_left: 0 };
        Command::Cancel { cancellation, now: at(0) }
    });
    let placed = Just(verify(0, FREE));
    let request = Just(Command::Request { facts: package(), until: at(15) });
    let over = Just(complete(0));
    prop_oneof![2 => any_command(), 4 => numbered, 3 => over, 2 => placed, 2 => request]
}

proptest! {
    #[test]
    fn every_paisa_of_a_package_is_earned_kept_or_promised_once(
        commands in prop::collection::vec((0_i64..900, any_of_a_package()), 1..60)
    ) {
        let mut state = State::Absent;
        let mut clock = 0;
        let mut history = vec![];
        let first = Command::Request { facts: package(), until: at(15) };
        let paid = verify(0, FREE);
        let begun = [(0, first), (0, paid)];
        for (step, command) in begun.into_iter().chain(commands) {
            clock += step;
            let command = at_time(command, at(clock));
            let Ok(events) = BookingLife::decide(&state, command.clone()) else { continue };
            state = events.iter().fold(state, BookingLife::evolve);
            history.extend(events);
            prop_assert_eq!(BookingLife::decide(&state, command), Ok(Vec::new()));
        }
        let mut ends = [0; 3];
        let (mut shares, mut promised) = (0, 0);
        for event in &history {
            let (number, share, refund) =
                if let Event::SessionCompleted { number, share } = event {
                    (*number, *share, Money::inr(0))
                } else if let Event::SessionCancelled { number, share, refund, .. } = event {
                    (*number, *share, *refund)
                } else {
                    continue;
                };
            ends[number - 1] += 1;
            shares += share.minor;
            promised += refund.minor;
            prop_assert!((0..=share.minor).contains(&refund.minor));
        }
        prop_assert!(ends.iter().all(|count| *count <= 1), "each session ends once");
        let is_over = ends.iter().sum::<i32>() == 3;
        let has_ended = history
            .iter()
            .filter(|event| matches!(event, Event::Completed | Event::Cancelled { .. }))
            .count();
        prop_assert_eq!(has_ended, usize::from(is_over), "the last session ends the booking");
        if is_over {
            prop_assert_eq!(shares, package().price.minor);
        }
        prop_assert_eq!(state.promised_refund().map_or(0, |it| it.minor), promised);
        prop_assert!(matches!(state.basis(), Some(ConfirmationBasis::Payment(_))));
    }
}
