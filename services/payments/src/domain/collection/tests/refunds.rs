//! Refunds: full and partial, several of a payment, ours and external ones.

use super::*;
use crate::domain::refund::{FoundRefund, OVERTAKEN};

fn provider_id(number: u8) -> ProviderRefundId {
    ProviderRefundId::parse(&format!("rfnd_{number:014}")).unwrap()
}

fn found(number: u8, minor: i64, progress: Progress) -> FoundRefund {
    FoundRefund { payment: pay(1), id: provider_id(number), amount: inr(minor), progress }
}

fn discover(found: FoundRefund) -> Command {
    Command::DiscoverRefund { found, refund_id: refund_id(50), rest_id: refund_id(60) }
}

fn discovered(found: &FoundRefund) -> Event {
    let refund = Refund {
        accepted: Some(found.id.clone()),
        ..Refund::requested(found.payment.clone(), found.amount.clone(), Cause::Elsewhere)
    };
    Event::RefundDiscovered { refund_id: refund_id(50), refund }
}

pub(super) fn cancel(minor: i64) -> Command {
    Command::Cancel { refund: inr(minor), refund_id: refund_id(1) }
}

pub(super) fn by_staff(minor: Option<i64>, number: u128) -> Command {
    let amount = minor.map(inr);
    Command::RefundByStaff { amount, refund_id: refund_id(number), least_minor: 100 }
}

fn retained(minor: i64) -> Event {
    Event::Retained { payment: pay(1), amount: inr(minor) }
}

fn earned(minor: i64) -> Event {
    Event::Earned { payment: pay(1), amount: inr(minor) }
}

fn with(mut history: Vec<Event>, more: impl IntoIterator<Item = Event>) -> Vec<Event> {
    history.extend(more);
    history
}

#[test]
fn a_cancellation_gives_back_what_its_policy_says_and_keeps_the_rest() {
    let whole = requested(pay(1), inr(PRICE), Cause::Cancelled);
    check(&paid(), cancel(PRICE), Ok(std::slice::from_ref(&whole)));
    stands(&with(paid(), [whole]), Standing::Refunding);
    let half = requested(pay(1), inr(20_000), Cause::Cancelled);
    check(&paid(), cancel(20_000), Ok(&[half.clone(), retained(30_000)]));
    stands(&with(paid(), [half, retained(30_000)]), Standing::Paid);
    check(&paid(), cancel(0), Ok(&[retained(PRICE)]));
    // Never more than was captured, and in no other currency.
    check(&paid(), cancel(PRICE * 2), Ok(&[requested(pay(1), inr(PRICE), Cause::Cancelled)]));
    let dollars = Amount { minor: PRICE, currency: "USD".to_owned() };
    let odd = Command::Cancel { refund: dollars, refund_id: refund_id(1) };
    check(&paid(), odd, Ok(&[retained(PRICE)]));
}

#[test]
fn a_cancellation_counts_what_has_gone_back_before() {
    let some = Event::RefundRequested {
        refund_id: refund_id(7),
        refund: Refund::requested(pay(1), inr(30_000), Cause::Staff),
    };
    let rest = requested(pay(1), inr(20_000), Cause::Cancelled);
    check(&with(paid(), [some.clone()]), cancel(PRICE), Ok(std::slice::from_ref(&rest)));
    let history = with(paid(), [some]);
    check(
        &history,
        cancel(5_000),
        Ok(&[requested(pay(1), inr(5_000), Cause::Cancelled), retained(15_000)]),
    );
}

#[test]
fn a_cancellation_without_verified_money_moves_none() {
    check(&opened(), cancel(PRICE), Ok(&[]));
    check(&opened()[..1], cancel(PRICE), Ok(&[]));
    check(&[], cancel(PRICE), Err(Rejection::NotOpened));
}

#[test]
fn a_session_that_took_place_earns_what_is_kept_of_its_money_once() {
    check(&paid(), Command::Complete, Ok(&[earned(PRICE)]));
    check(&opened(), Command::Complete, Ok(&[]));
    let partly = requested(pay(1), inr(20_000), Cause::Staff);
    check(&with(paid(), [partly]), Command::Complete, Ok(&[earned(30_000)]));
    // Refunded money is not earned, also if its refund failed.
    check(&unplaced(), Command::Complete, Ok(&[]));
    let failed = with(unplaced(), failed_there(1));
    check(&failed, Command::Complete, Ok(&[]));
}

/// An external partial refund that was pending when the booking was over, and that failed.
#[test]
fn money_of_a_failed_refund_follows_the_bookings_outcome() {
    let under_way = found(1, 20_000, Progress::Pending);
    let home = Event::RefundFailed { refund_id: refund_id(50), reason: "failed".to_owned() };
    let pending = with(paid(), [discovered(&under_way)]);
    check(&pending, Command::Complete, Ok(&[earned(30_000)]));
    let over = with(pending.clone(), [earned(30_000)]);
    check(&over, Command::Complete, Ok(&[]));
    let come = with(over, [home.clone()]);
    check(&come, Command::Complete, Ok(&[earned(20_000)]));
    check(&with(come, [earned(20_000)]), Command::Complete, Ok(&[]));

    check(&pending, cancel(0), Ok(&[retained(30_000)]));
    let come = with(pending.clone(), [retained(30_000), home.clone()]);
    check(&come, cancel(0), Ok(&[retained(20_000)]));
    check(&with(come, [retained(20_000)]), cancel(0), Ok(&[]));

    let back = requested(pay(1), inr(30_000), Cause::Cancelled);
    check(&pending, cancel(PRICE), Ok(std::slice::from_ref(&back)));
    let come = with(pending, [back, home]);
    let refund = Refund::requested(pay(1), inr(20_000), Cause::Cancelled);
    let rest = Event::RefundRequested { refund_id: refund_id(2), refund };
    let again = Command::Cancel { refund: inr(PRICE), refund_id: refund_id(2) };
    check(&come, again, Ok(&[rest]));
}

#[test]
fn staff_gives_back_parts_until_nothing_is_left() {
    let part = |number, minor| Event::RefundRequested {
        refund_id: refund_id(number),
        refund: Refund::requested(pay(1), inr(minor), Cause::Staff),
    };
    check(&paid(), by_staff(Some(20_000), 1), Ok(&[part(1, 20_000)]));
    let history = with(paid(), [part(1, 20_000)]);
    stands(&history, Standing::Paid);
    check(&history, by_staff(Some(30_001), 2), Err(Rejection::AmountNotRefundable));
    for wrong in [0, -1] {
        check(&history, by_staff(Some(wrong), 2), Err(Rejection::AmountNotRefundable));
    }
    check(&history, by_staff(Some(30_000), 2), Ok(&[part(2, 30_000)]));
    check(&history, by_staff(None, 2), Ok(&[part(2, 30_000)]));
    let all = with(history, [part(2, 30_000)]);
    stands(&all, Standing::Refunding);
    check(&all, by_staff(None, 3), Err(Rejection::NothingToRefund));
    check(&opened(), by_staff(None, 3), Err(Rejection::NothingToRefund));
}

#[test]
fn staff_may_give_back_what_was_kept_or_earned_or_failed_to_go_back() {
    let request = [Event::RefundRequested {
        refund_id: refund_id(9),
        refund: Refund::requested(pay(1), inr(PRICE), Cause::Staff),
    }];
    check(&with(paid(), [retained(PRICE)]), by_staff(None, 9), Ok(&request));
    check(&with(paid(), [earned(PRICE)]), by_staff(None, 9), Ok(&request));
    let too_old =
        Event::RefundFailed { refund_id: refund_id(1), reason: "payment_too_old".to_owned() };
    check(&with(unplaced(), [too_old]), by_staff(None, 9), Ok(&request));
}

#[test]
fn an_external_refund_is_recorded_once() {
    let part = found(1, 20_000, Progress::Pending);
    check(&paid(), discover(part.clone()), Ok(&[discovered(&part)]));
    let history = with(paid(), [discovered(&part)]);
    stands(&history, Standing::Paid);
    assert!(open(&fold::<CollectionLife>(&history)).went_back_without_us(&pay(1)));
    let done = found(1, 20_000, Progress::Processed);
    let processed = Event::RefundProcessed { refund_id: refund_id(50) };
    check(&history, discover(done), Ok(std::slice::from_ref(&processed)));
    let whole = found(1, PRICE, Progress::Processed);
    let both = [discovered(&whole), processed];
    check(&paid(), discover(whole), Ok(&both));
    stands(&with(paid(), both), Standing::Refunded);
}

#[test]
fn a_refund_that_comes_before_its_payment_is_not_lost() {
    // woocommerce#664: it was dropped, and the order read "paid" afterwards.
    let part = found(1, 20_000, Progress::Processed);
    let known = [discovered(&part), Event::RefundProcessed { refund_id: refund_id(50) }];
    check(&opened(), discover(part), Ok(&known));
    let captured = seen(1, Status::Captured);
    let verified = Event::Verified { payment: pay(1), amount: inr(PRICE) };
    let history = with(opened(), known);
    check(&history, observe(captured.clone()), Ok(&[observed(captured.clone()), verified]));
    // Money that is all gone does not count any more.
    let whole = found(1, PRICE, Progress::Processed);
    let history =
        with(opened(), [discovered(&whole), Event::RefundProcessed { refund_id: refund_id(50) }]);
    check(&history, observe(captured.clone()), Ok(&[observed(captured.clone())]));
    stands(&with(history, [observed(captured)]), Standing::Refunded);
}

#[test]
fn a_refund_of_ours_whose_id_was_lost_is_known_by_its_amount() {
    let whole = found(1, PRICE, Progress::Processed);
    let accepted =
        Event::RefundAccepted { refund_id: refund_id(1), provider_refund: provider_id(1) };
    let processed = Event::RefundProcessed { refund_id: refund_id(1) };
    check(&unplaced(), discover(whole), Ok(&[accepted, processed]));
}

#[test]
fn a_refund_that_was_overtaken_gives_back_the_rest() {
    let part = found(1, 20_000, Progress::Pending);
    let rest = Refund {
        renews: Some(refund_id(1)),
        ..Refund::requested(pay(1), inr(30_000), Cause::Unplaced)
    };
    let then = [
        discovered(&part),
        Event::RefundFailed { refund_id: refund_id(1), reason: OVERTAKEN.to_owned() },
        Event::RefundRequested { refund_id: refund_id(60), refund: rest },
    ];
    check(&unplaced(), discover(part), Ok(&then));
    let history = with(unplaced(), then);
    stands(&history, Standing::Refunding);
    let known = fold::<CollectionLife>(&history);
    assert_eq!((open(&known).left(&pay(1)), open(&known).owed(&pay(1))), (0, 0));
    assert!(!open(&known).is_renewable(refund_id(1)));
}

#[test]
fn two_parts_of_a_payment_go_back_side_by_side() {
    let ours = Event::RefundRequested {
        refund_id: refund_id(1),
        refund: Refund::requested(pay(1), inr(20_000), Cause::Staff),
    };
    let history = with(paid(), [ours]);
    // It has the amount of ours, and there is room for both: so it is another one.
    let theirs = found(1, 20_000, Progress::Pending);
    check(&history, discover(theirs.clone()), Ok(&[discovered(&theirs)]));
    let known = fold::<CollectionLife>(&with(history, [discovered(&theirs)]));
    assert_eq!(open(&known).left(&pay(1)), 10_000);
}

#[test]
fn mismatched_money_is_refunded_when_an_external_refund_fails() {
    let dollars = Amount { minor: PRICE, currency: "USD".to_owned() };
    let wrong = Payment {
        fact: Fact { amount: dollars.clone(), ..seen(1, Status::Captured).fact },
        id: pay(1),
    };
    let found = |progress| FoundRefund { amount: dollars.clone(), ..found(1, PRICE, progress) };
    let whole = found(Progress::Pending);
    let known = with(opened(), [discovered(&whole), observed(wrong.clone())]);
    check(&with(opened(), [discovered(&whole)]), observe(wrong.clone()), Ok(&[observed(wrong)]));
    let failed = found(Progress::Failed);
    let then = [
        Event::RefundFailed { refund_id: refund_id(50), reason: "failed".to_owned() },
        Event::Mismatched { payment: pay(1), amount: dollars.clone(), reason: Mismatch::Currency },
        Event::RefundRequested {
            refund_id: refund_id(60),
            refund: Refund::requested(pay(1), dollars, Cause::Mismatched),
        },
    ];
    check(&known, discover(failed), Ok(&then));
}

#[test]
fn a_failed_external_refund_is_not_renewed() {
    let whole = found(1, PRICE, Progress::Failed);
    let failed = Event::RefundFailed { refund_id: refund_id(50), reason: "failed".to_owned() };
    let history = with(paid(), [discovered(&whole), failed]);
    stands(&history, Standing::Paid);
    let renew = Command::RenewRefund { failed: refund_id(50) };
    check(&history, renew, Ok(&[]));
}

#[test]
fn a_renewal_gives_back_no_more_than_is_left() {
    let part = found(1, 20_000, Progress::Processed);
    let history = with(unplaced(), failed_there(1));
    let history = with(
        history,
        [
            Event::RefundDiscovered {
                refund_id: refund_id(50),
                refund: Refund {
                    accepted: Some(provider_id(9)),
                    ..Refund::requested(pay(1), part.amount, Cause::Elsewhere)
                },
            },
            Event::RefundProcessed { refund_id: refund_id(50) },
        ],
    );
    let renew = Command::RenewRefund { failed: refund_id(1) };
    let refund = Refund {
        renews: Some(refund_id(1)),
        ..Refund::requested(pay(1), inr(30_000), Cause::Unplaced)
    };
    let next = Event::RefundRequested { refund_id: following(refund_id(1)), refund };
    check(&history, renew, Ok(&[next]));
}

/// Ours of 20000, reported by a webhook without our id: the payment covers both.
fn taken_for_another_hands(progress: Progress) -> Vec<Event> {
    let ours = Event::RefundRequested {
        refund_id: refund_id(1),
        refund: Refund::requested(pay(1), inr(20_000), Cause::Staff),
    };
    let history = with(paid(), [ours]);
    let told = found(1, 20_000, progress);
    let told = CollectionLife::decide(&fold::<CollectionLife>(&history), discover(told)).unwrap();
    assert!(matches!(told.first(), Some(Event::RefundDiscovered { .. })));
    with(history, told)
}

fn learn(id: u8, number: u128, progress: Progress) -> Command {
    let update = RefundUpdate::Taken { id: provider_id(id), progress };
    Command::LearnRefund { refund_id: refund_id(number), update, rest_id: refund_id(70) }
}

#[test]
fn a_refund_taken_for_external_is_reattributed_to_ours() {
    let accepted =
        Event::RefundAccepted { refund_id: refund_id(1), provider_refund: provider_id(1) };
    let overtaken = Event::RefundFailed { refund_id: refund_id(50), reason: OVERTAKEN.to_owned() };
    let history = taken_for_another_hands(Progress::Pending);
    check(&history, learn(1, 1, Progress::Pending), Ok(&[overtaken.clone(), accepted.clone()]));
    let processed = Event::RefundProcessed { refund_id: refund_id(1) };
    let then = [overtaken, accepted.clone(), processed];
    check(&history, learn(1, 1, Progress::Processed), Ok(&then));
    let after = with(history, then);
    let known = fold::<CollectionLife>(&after);
    assert_eq!(open(&known).left(&pay(1)), 30_000, "it counts once");
    assert!(!open(&known).went_back_without_us(&pay(1)));
    check(&after, discover(found(1, 20_000, Progress::Processed)), Ok(&[]));
    // A failed one is renewed, as ours.
    let history = taken_for_another_hands(Progress::Failed);
    let failed = Event::RefundFailed { refund_id: refund_id(1), reason: "failed".to_owned() };
    for told in [Progress::Pending, Progress::Failed] {
        check(&history, learn(1, 1, told), Ok(&[accepted.clone(), failed.clone()]));
    }
    let known = fold::<CollectionLife>(&with(history, [accepted, failed]));
    assert!(open(&known).is_renewable(refund_id(1)));
}

#[test]
fn a_refund_found_as_external_is_not_made_twice() {
    let history = taken_for_another_hands(Progress::Processed);
    let overtaken = Event::RefundFailed { refund_id: refund_id(1), reason: OVERTAKEN.to_owned() };
    check(&history, learn(1, 1, Progress::Processed), Ok(std::slice::from_ref(&overtaken)));
    let known = fold::<CollectionLife>(&with(history, [overtaken]));
    assert_eq!((open(&known).left(&pay(1)), open(&known).owed(&pay(1))), (30_000, 0));
}

#[test]
fn two_refunds_of_ours_that_were_mixed_up_both_go_back() {
    let ours = |number| Event::RefundRequested {
        refund_id: refund_id(number),
        refund: Refund::requested(pay(1), inr(25_000), Cause::Staff),
    };
    let history = with(paid(), [ours(1), ours(2)]);
    // What the provider made of the second is taken for the first: there is no room for a third.
    let accepted = |number| Event::RefundAccepted {
        refund_id: refund_id(number),
        provider_refund: provider_id(1),
    };
    let pending = discover(found(1, 25_000, Progress::Pending));
    check(&history, pending, Ok(&[accepted(1)]));
    let mixed = with(history.clone(), [accepted(1)]);
    check(&mixed, learn(1, 2, Progress::Pending), Ok(&[accepted(2)]));
    let known = fold::<CollectionLife>(&with(mixed.clone(), [accepted(2)]));
    assert!(open(&known).refunds[&refund_id(1)].is_unaccepted());
    assert_eq!(open(&known).left(&pay(1)), 0);
    let gone = with(mixed, [Event::RefundProcessed { refund_id: refund_id(1) }]);
    let rest = Refund {
        renews: Some(refund_id(2)),
        ..Refund::requested(pay(1), inr(25_000), Cause::Staff)
    };
    let then = [
        Event::RefundFailed { refund_id: refund_id(2), reason: OVERTAKEN.to_owned() },
        Event::RefundRequested { refund_id: refund_id(70), refund: rest },
    ];
    check(&gone, learn(1, 2, Progress::Processed), Ok(&then));
}

/// An external refund that is pending, and then fails.
fn elsewhere(minor: i64) -> (Event, Command) {
    let found = found(1, minor, Progress::Pending);
    let failed = FoundRefund { progress: Progress::Failed, ..found.clone() };
    (discovered(&found), discover(failed))
}

/// Decides, and applies the events.
fn after(history: Vec<Event>, command: Command) -> (Vec<Event>, Vec<Event>) {
    let state = fold::<CollectionLife>(&history);
    let decided = CollectionLife::decide(&state, command).unwrap();
    (with(history, decided.clone()), decided)
}

#[test]
fn a_failed_external_refund_of_an_unplaced_booking_is_made_by_us() {
    let (discovered, failed) = elsewhere(20_000);
    let unplace = || Command::Unplace { payment: pay(1), refund_id: refund_id(1) };
    let (history, asked) = after(with(paid(), [discovered]), unplace());
    assert_eq!(asked, [requested(pay(1), inr(30_000), Cause::Unplaced)]);
    assert_eq!(after(history.clone(), unplace()).1, [], "asked once");
    let (history, _) = after(history, failed);
    let again = Command::Unplace { payment: pay(1), refund_id: refund_id(2) };
    let refund = Refund::requested(pay(1), inr(20_000), Cause::Unplaced);
    let rest = Event::RefundRequested { refund_id: refund_id(2), refund };
    assert_eq!(after(history, again).1, [rest]);
}

#[test]
fn a_failed_external_refund_is_still_owed_to_a_cancellation() {
    // The policy's 50,000 were requested, an external refund of 20,000 came first, and failed.
    let history = with(paid(), [requested(pay(1), inr(PRICE), Cause::Cancelled)]);
    let (history, overtaken) = after(history, discover(found(1, 20_000, Progress::Pending)));
    assert!(overtaken.len() == 3, "discovered, overtaken, the rest: {overtaken:?}");
    let (history, _) = after(history, discover(found(1, 20_000, Progress::Failed)));
    let again = Command::Cancel { refund: inr(PRICE), refund_id: refund_id(2) };
    let refund = Refund::requested(pay(1), inr(20_000), Cause::Cancelled);
    assert_eq!(
        after(history, again).1,
        [Event::RefundRequested { refund_id: refund_id(2), refund }]
    );
}

#[test]
fn refunds_of_earned_money_do_not_hide_returned_money() {
    let (discovered, failed) = elsewhere(20_000);
    let (history, earnings) = after(with(paid(), [discovered]), Command::Complete);
    assert_eq!(earnings, [earned(30_000)]);
    let (history, _) = after(history, by_staff(Some(30_000), 3));
    assert_eq!(after(history.clone(), Command::Complete).1, []);
    let (history, _) = after(history, failed);
    let (history, earnings) = after(history, Command::Complete);
    assert_eq!(earnings, [earned(20_000)], "as the ledger has it");
    assert_eq!(after(history, Command::Complete).1, []);
}

#[test]
fn a_failed_refund_is_renewable_after_an_external_one_failed() {
    let ours = requested(pay(1), inr(PRICE), Cause::Unplaced);
    let (history, _) = after(with(paid(), [ours]), learn(1, 1, Progress::Failed));
    let (history, _) = after(history, discover(found(2, PRICE, Progress::Pending)));
    let renewable = |history: &[Event]| {
        let state = fold::<CollectionLife>(history);
        open(&state).renewable(Some(&pay(1))).collect::<Vec<_>>()
    };
    assert_eq!(renewable(&history), [], "its money is on its way");
    let (history, _) = after(history, discover(found(2, PRICE, Progress::Failed)));
    assert_eq!(renewable(&history), [refund_id(1)]);
}
