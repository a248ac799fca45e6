//! A client's own cancellation: what goes back is what was shown, it takes effect once, and until
//! then it can be taken back.

use kernel::{
    CancellationPolicy, CancellationTier, Decider as _, Grace, Money, PracticeLate, fold,
};
use proptest::prelude::*;

use super::packages::package;
use super::{a_day, at, cancel, facts_at};
use crate::domain::booking::{
    BookingLife, Cancellation, CancelledBy, CancelledSum, Command, ConfirmationBasis, Event, Facts,
    OwnCancellation, PaymentId, RefundChoice, Rejection, State,
};
use crate::domain::span::Span;

fn by_client(session: Option<usize>) -> Cancellation {
    let (by, refund) = (CancelledBy::Customer, RefundChoice::ByPolicy);
    Cancellation { by, refund, session, unwritten: a_day(), grace_left: 0 }
}

fn placed(facts: Facts) -> State {
    let basis = ConfirmationBasis::Payment(PaymentId("pay_1".to_owned()));
    let requested = Event::Requested { facts, until: at(15) };
    fold::<BookingLife>(&[requested, Event::Confirmed { basis, reinstated: false }])
}

/// Three sessions, each a week after the one before.
fn package_at(start: i64) -> Facts {
    let session = |week: i64| {
        let from = start + week * 7 * 24 * 60;
        Span::new(at(from), at(from + 60)).unwrap()
    };
    Facts { sessions: (0..3).map(session).collect(), ..package() }
}

pub(super) fn later(session: Option<usize>, shown: i64, minutes: i64) -> Command {
    let (cancellation, shown) = (by_client(session), Money::inr(shown));
    Command::CancelLater { cancellation, shown, now: at(minutes) }
}

fn effect(minutes: i64) -> Command {
    Command::TakeEffect { unwritten: a_day(), now: at(minutes) }
}

fn decided(state: State, command: Command) -> Result<(State, Vec<Event>), Rejection> {
    let events = BookingLife::decide(&state, command)?;
    Ok((events.iter().fold(state, BookingLife::evolve), events))
}

#[test]
fn it_takes_effect_after_three_minutes_with_what_was_shown() {
    let (state, events) = decided(placed(facts_at(3_000)), later(None, 50_000, 0)).unwrap();
    let [Event::CancellationRequested(pending)] = events[..] else { panic!("{events:?}") };
    assert_eq!((pending.refund, pending.takes_effect_at), (Money::inr(50_000), at(3)));
    assert!(state.expects(None), "the time stays taken");
    let (state, events) = decided(state, effect(2)).unwrap();
    assert_eq!(events, [], "its time has not come");
    let (state, events) = decided(state, effect(3)).unwrap();
    assert!(matches!(events[..], [Event::Cancelled { refund, .. }] if refund.minor == 50_000));
    assert_eq!(decided(state.clone(), effect(4)).unwrap().1, [], "once");
    let undone = BookingLife::decide(&state, Command::UndoCancellation);
    assert_eq!(undone, Err(Rejection::CancellationTookEffect));
    assert_eq!(decided(state, later(None, 50_000, 5)).unwrap().1, [], "a repeat");
}

#[test]
fn what_is_undone_is_as_if_it_had_never_been() {
    let before = placed(facts_at(3_000));
    let (state, _) = decided(before.clone(), later(None, 50_000, 0)).unwrap();
    let (state, events) = decided(state, Command::UndoCancellation).unwrap();
    assert_eq!((&state, &events[..]), (&before, &[Event::CancellationUndone][..]));
    assert_eq!(decided(state.clone(), Command::UndoCancellation).unwrap().1, [], "a repeat");
    assert_eq!(decided(state, effect(3)).unwrap().1, []);
}

#[test]
fn before_a_sum_falls_or_a_session_begins_it_takes_effect_at_once() {
    // A day before it starts, everything goes back; after that nothing.
    let state = placed(facts_at(2_000));
    for (minutes, back, at_once) in [(556, 50_000, false), (558, 50_000, true), (561, 0, false)] {
        let own = OwnCancellation::of(&state, &by_client(None), at(minutes)).unwrap();
        assert_eq!((own.refund.minor, own.at_once), (back, at_once), "{minutes}");
        let (_, events) = decided(state.clone(), later(None, back, minutes)).unwrap();
        assert_eq!(matches!(events[0], Event::Cancelled { .. }), at_once, "{minutes}");
    }
    let own = OwnCancellation::of(&state, &by_client(None), at(1_998)).unwrap();
    assert!(own.at_once, "it begins within three minutes");
    let begun = OwnCancellation::of(&state, &by_client(None), at(2_000));
    assert_eq!(begun, Err(Rejection::SessionBegun));
}

#[test]
fn less_than_was_shown_is_refused() {
    let state = placed(facts_at(2_000));
    let refund = Money::inr(0);
    let refused = BookingLife::decide(&state, later(None, 50_000, 561));
    assert_eq!(refused, Err(Rejection::RefundFell { refund }));
    assert!(BookingLife::decide(&state, later(None, 0, 0)).is_ok(), "more is no reason");
}

#[test]
fn one_session_of_a_package_is_cancelled_and_the_practice_may_be_faster() {
    let (state, _) = decided(placed(package_at(3_000)), later(Some(2), 33_333, 0)).unwrap();
    let other = BookingLife::decide(&state, later(Some(3), 0, 1));
    assert_eq!(other, Err(Rejection::CancellationPending));
    let (_, events) = decided(state.clone(), effect(3)).unwrap();
    assert!(matches!(events[..], [Event::SessionCancelled { number: 2, .. }]), "{events:?}");
    // The practice cancels all of it meanwhile; the client's own has nothing left to do.
    let practice = cancel(CancelledBy::Practice, RefundChoice::Full, 1);
    let (state, _) = decided(state, practice).unwrap();
    assert_eq!(
        (state.pending_cancellation(), decided(state, effect(3)).unwrap().1),
        (None, vec![])
    );
}

/// The service was down from the press until the session was over, and the timer of its end is the
/// faster one.
#[test]
fn a_session_that_was_cancelled_before_it_is_not_completed_first() {
    for (facts, session) in [(facts_at(3_000), None), (package_at(3_000), Some(1))] {
        let state = placed(facts);
        let shown = OwnCancellation::of(&state, &by_client(session), at(0)).unwrap().refund;
        let (state, _) = decided(state, later(session, shown.minor, 0)).unwrap();
        let late = 3_000 + 61;
        let (state, events) = decided(state, Command::Complete { now: at(late) }).unwrap();
        assert_eq!((events, state.expects(session)), (vec![], true), "its timer stays");
        let (state, events) = decided(state, effect(late)).unwrap();
        assert_eq!(CancelledSum::of(&events, Money::inr(0)).refund, shown);
        let (_, events) = decided(state, Command::Complete { now: at(late) }).unwrap();
        assert_eq!(events, [], "nothing of it took place");
    }
}

/// All of the price until a day before; once in six months also later.
fn forgiving(refund_percent: u8) -> Option<std::sync::Arc<CancellationPolicy>> {
    let grace = Grace { times: 1, months: 6, refund_percent };
    Some(a_day().forgiving(Some(grace)).into())
}

#[test]
fn grace_gives_more_than_the_tier_where_it_is_left() {
    let state = placed(Facts { policy: forgiving(60), ..facts_at(1_000) });
    let look = |state: &State, grace_left, session| {
        let cancellation = Cancellation { grace_left, ..by_client(session) };
        let own = OwnCancellation::of(state, &cancellation, at(0)).unwrap();
        (own.refund.minor, own.by_grace.minor, own.grace_times, own.loses)
    };
    assert_eq!(look(&state, 1, None), (30_000, 30_000, 1, true));
    assert_eq!(look(&state, 0, None), (0, 0, 0, true));
    let early = placed(Facts { policy: forgiving(60), ..facts_at(3_000) });
    assert_eq!(look(&early, 1, None), (50_000, 0, 0, false), "the tier gives more");
    // Of a package the first late session uses it up.
    let package = Facts { policy: forgiving(100), ..package_at(1_000) };
    assert_eq!(look(&placed(package), 1, None), (100_001, 33_333, 1, true));
    // Staff's own choice and the practice's cancellation use none.
    for (by, refund) in [
        (CancelledBy::Practice, RefundChoice::ByPolicy),
        (CancelledBy::Customer, RefundChoice::Full),
        (CancelledBy::Customer, RefundChoice::Nothing),
    ] {
        let cancellation = Cancellation { by, refund, grace_left: 1, ..by_client(None) };
        let now = at(0);
        let events = BookingLife::decide(&state, Command::Cancel { cancellation, now }).unwrap();
        assert_eq!(CancelledSum::of(&events, Money::inr(0)).grace_times, 0);
    }
}

#[test]
fn what_grace_promised_takes_effect_whatever_became_of_it() {
    let state = placed(Facts { policy: forgiving(100), ..facts_at(1_000) });
    let cancellation = Cancellation { grace_left: 1, ..by_client(None) };
    let (shown, now) = (Money::inr(50_000), at(0));
    let command = Command::CancelLater { cancellation, shown, now };
    let (state, events) = decided(state, command).unwrap();
    let [Event::CancellationRequested(pending)] = events[..] else { panic!("{events:?}") };
    assert_eq!((pending.refund, pending.grace_times), (shown, 1));
    let (_, events) = decided(state, effect(3)).unwrap();
    assert!(
        matches!(events[..], [Event::Cancelled { refund, by_grace: true, .. }] if refund == shown)
    );
}

fn any_policy() -> impl Strategy<Value = CancellationPolicy> {
    let hours = prop::collection::btree_set(0_u16..=100, 1..=6);
    let percents = prop::collection::btree_set(0_u8..=100, 6);
    (hours, percents).prop_map(|(hours, percents)| {
        let tiers = hours.into_iter().rev().zip(percents.into_iter().rev());
        let practice_late = PracticeLate::Nothing;
        let tier = |(until_hours, refund_percent)| CancellationTier {
            until_hours,
            refund_percent,
            practice_late,
        };
        CancellationPolicy::new(String::new(), tiers.map(tier).collect()).unwrap()
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(10_000))]
    #[test]
    fn what_is_shown_comes_back_or_the_press_is_refused_with_the_new_sum(
        policy in any_policy(),
        minor in 1_i64..100_000_000,
        is_package in any::<bool>(),
        session in prop::option::of(1_usize..=3),
        (shown_at, pressed_after) in (0_i64..6_000, 0_i64..200),
        (grace, grace_left) in (prop::option::of(1_u8..=100), 0_u16..=3),
    ) {
        let session = session.filter(|_| is_package);
        let facts = if is_package { package_at(6_000) } else { facts_at(6_000) };
        let grace = grace.map(|refund_percent| Grace { times: 3, months: 6, refund_percent });
        let policy = Some(policy.forgiving(grace).into());
        let state = placed(Facts { price: Money::inr(minor), policy, ..facts });
        let pressed_at = shown_at + pressed_after;
        let cancellation = Cancellation { grace_left, ..by_client(session) };
        let look = |minutes| OwnCancellation::of(&state, &cancellation, at(minutes));
        let Ok(shown) = look(shown_at).map(|own| own.refund.minor) else { return Ok(()) };
        let command = Command::CancelLater {
            cancellation: cancellation.clone(),
            shown: Money::inr(shown),
            now: at(pressed_at),
        };
        let pressed = decided(state.clone(), command);
        let used = look(pressed_at).map_or(0, |own| own.grace_times);
        let most = grace.map_or(0, |_| grace_left);
        prop_assert!(used <= most);
        let (state, mut events) = match (pressed, look(pressed_at)) {
            (Ok(pressed), Ok(own)) => { prop_assert!(own.refund.minor >= shown); pressed }
            (Err(Rejection::RefundFell { refund }), Ok(own)) => {
                prop_assert!(refund == own.refund && refund.minor < shown);
                return Ok(());
            }
            (refused, own) => {
                prop_assert_eq!(refused.err(), own.err());
                return Ok(());
            }
        };
        let promised = state.pending_cancellation().map(|pending| pending.refund.minor);
        // However late the timer fires.
        if promised.is_some() {
            events = decided(state, effect(pressed_at + 3 + pressed_after)).unwrap().1;
        }
        let sum = CancelledSum::of(&events, Money::inr(0));
        prop_assert!(sum.grace_times == used && sum.by_grace.minor <= sum.refund.minor);
        let back = sum.refund.minor;
        prop_assert!(back >= shown && promised.is_none_or(|promised| promised == back));
    }
}
