//! Given, when, then; and what holds for every history.

use kernel::id::Refund as RefundKind;
use kernel::{Decider, Id, Money, fold};
use proptest::prelude::*;
use uuid::Uuid;

use super::{
    Collection, CollectionLife, Command, Event, Mismatch, Rejection, Standing, State, Terms,
};
use crate::domain::fact::{
    Amount, Fact, OrderId, Payment, PaymentId, ProviderRefundId, Source, Status,
};
use crate::domain::refund::{Cause, End, News, Progress, Refund};

const PRICE: i64 = 50_000;

fn terms() -> Terms {
    Terms {
        collection_id: Id::from_uuid(Uuid::from_u128(1)),
        booking_id: Id::from_uuid(Uuid::from_u128(2)),
        customer_id: Id::from_uuid(Uuid::from_u128(3)),
        amount: Money::inr(PRICE),
    }
}

fn order() -> OrderId {
    OrderId::parse("order_AAAAAAAAAAAAAA").unwrap()
}

fn pay(number: u8) -> PaymentId {
    PaymentId::parse(&format!("pay_{number:014}")).unwrap()
}

fn refund_id(number: u128) -> Id<RefundKind> {
    Id::from_uuid(Uuid::from_u128(100 + number))
}

fn inr(minor: i64) -> Amount {
    Money::inr(minor).into()
}

fn seen(number: u8, status: Status) -> Payment {
    Payment { id: pay(number), fact: Fact { status, amount: inr(PRICE), order: Some(order()) } }
}

fn observe(payment: Payment) -> Command {
    Command::Observe { payment, source: Source::Poll, refund_id: refund_id(1) }
}

fn observed(payment: Payment) -> Event {
    Event::Observed { payment, source: Source::Poll }
}

fn opened() -> Vec<Event> {
    vec![Event::Opened(terms()), Event::OrderCreated { order: order() }]
}

fn requested(payment: PaymentId, amount: Amount, cause: Cause) -> Event {
    let refund = Refund { payment, amount, cause, accepted: None, end: None };
    Event::RefundRequested { refund_id: refund_id(1), refund }
}

/// Opened, ordered and verified.
fn paid() -> Vec<Event> {
    let mut history = opened();
    history.push(observed(seen(1, Status::Captured)));
    history.push(Event::Verified { payment: pay(1), amount: inr(PRICE) });
    history
}

fn unplaced() -> Vec<Event> {
    let mut history = paid();
    history.push(requested(pay(1), inr(PRICE), Cause::Unplaced));
    history
}

#[track_caller]
fn check(given: &[Event], when: Command, then: Result<&[Event], Rejection>) {
    let state = fold::<CollectionLife>(given);
    let decided = CollectionLife::decide(&state, when.clone());
    assert_eq!(decided.as_deref().map_err(|rejection| *rejection), then);
    // The same command twice decides nothing the second time.
    if let Ok(events) = decided {
        let after = events.iter().fold(state, CollectionLife::evolve);
        assert_eq!(CollectionLife::decide(&after, when), Ok(Vec::new()));
    }
}

fn open(state: &State) -> &Collection {
    match state {
        State::Open(collection) => collection,
        State::Absent => panic!("it is open"),
    }
}

#[track_caller]
fn stands(given: &[Event], standing: Standing) {
    assert_eq!(open(&fold::<CollectionLife>(given)).standing(), standing);
}

#[test]
fn the_intent_comes_before_everything() {
    check(&[], Command::Open(terms()), Ok(&[Event::Opened(terms())]));
    check(&[], Command::RecordOrder(order()), Err(Rejection::NotOpened));
    check(&[], Command::Claim, Err(Rejection::NotOpened));
    check(&[], observe(seen(1, Status::Captured)), Err(Rejection::NotOpened));
}

#[test]
fn whoever_opens_again_keeps_the_first_receipt_and_cannot_change_the_terms() {
    let again = Terms { collection_id: Id::from_uuid(Uuid::from_u128(9)), ..terms() };
    check(&opened(), Command::Open(again), Ok(&[]));
    let dearer = Terms { amount: Money::inr(PRICE + 1), ..terms() };
    check(&opened(), Command::Open(dearer), Err(Rejection::OtherTerms));
}

#[test]
fn less_than_a_rupee_cannot_be_paid() {
    let cheap = Terms { amount: Money::inr(99), ..terms() };
    check(&[], Command::Open(cheap), Err(Rejection::AmountNotPayable));
}

#[test]
fn there_is_one_order_for_ever() {
    let order_created = [Event::OrderCreated { order: order() }];
    check(&opened()[..1], Command::RecordOrder(order()), Ok(&order_created));
    check(&opened(), Command::RecordOrder(order()), Ok(&[]));
    let other = OrderId::parse("order_BBBBBBBBBBBBBB").unwrap();
    check(&opened(), Command::RecordOrder(other), Err(Rejection::OtherOrder));
}

#[test]
fn captured_money_that_matches_is_verified_once() {
    let payment = seen(1, Status::Captured);
    let verified = Event::Verified { payment: pay(1), amount: inr(PRICE) };
    check(&opened(), observe(payment.clone()), Ok(&[observed(payment.clone()), verified]));
    check(&paid(), observe(payment), Ok(&[]));
    stands(&paid(), Standing::Paid);
}

#[test]
fn authorised_money_is_not_money_yet() {
    let payment = seen(1, Status::Authorized);
    check(&opened(), observe(payment.clone()), Ok(&[observed(payment.clone())]));
    let mut history = opened();
    history.push(observed(payment));
    stands(&history, Standing::Pending);
}

#[test]
fn a_failure_is_told_once_and_is_not_final() {
    let failed = seen(1, Status::Failed);
    let told = [observed(failed.clone()), Event::Failed { payment: pay(1) }];
    check(&opened(), observe(failed), Ok(&told));
    let mut history = opened();
    history.extend(told);
    stands(&history, Standing::Failed);
    let captured = seen(1, Status::Captured);
    let verified = Event::Verified { payment: pay(1), amount: inr(PRICE) };
    check(&history, observe(captured.clone()), Ok(&[observed(captured), verified]));
}

#[test]
fn a_failure_that_comes_late_changes_nothing() {
    check(&paid(), observe(seen(1, Status::Failed)), Ok(&[]));
    check(&paid(), observe(seen(1, Status::Authorized)), Ok(&[]));
}

#[test]
fn money_that_does_not_match_goes_back_at_once() {
    let fact = seen(1, Status::Captured).fact;
    let dollars = Amount { minor: PRICE, currency: "USD".to_owned() };
    let other_order = OrderId::parse("order_BBBBBBBBBBBBBB");
    let cases = [
        (Fact { amount: inr(PRICE - 1), ..fact.clone() }, Mismatch::Amount),
        (Fact { amount: inr(PRICE + 1), ..fact.clone() }, Mismatch::Amount),
        (Fact { amount: dollars, ..fact.clone() }, Mismatch::Currency),
        (Fact { order: other_order, ..fact.clone() }, Mismatch::Order),
        (Fact { order: None, ..fact }, Mismatch::Order),
    ];
    for (fact, reason) in cases {
        let amount = fact.amount.clone();
        let payment = Payment { id: pay(1), fact };
        let then = [
            observed(payment.clone()),
            Event::Mismatched { payment: pay(1), amount: amount.clone(), reason },
            requested(pay(1), amount, Cause::Mismatched),
        ];
        check(&opened(), observe(payment), Ok(&then));
        let history: Vec<Event> = opened().into_iter().chain(then).collect();
        stands(&history, Standing::Mismatched);
    }
}

#[test]
fn a_second_captured_payment_goes_back() {
    let second = seen(2, Status::Captured);
    let then = [
        observed(second.clone()),
        Event::Mismatched { payment: pay(2), amount: inr(PRICE), reason: Mismatch::Double },
        requested(pay(2), inr(PRICE), Cause::Double),
    ];
    check(&paid(), observe(second), Ok(&then));
    let history: Vec<Event> = paid().into_iter().chain(then).collect();
    stands(&history, Standing::Paid);
}

#[test]
fn a_payment_that_the_provider_gave_back_itself_is_neither_counted_nor_refunded() {
    let back = seen(2, Status::Refunded);
    check(&paid(), observe(back.clone()), Ok(&[observed(back.clone())]));
    check(&opened(), observe(back.clone()), Ok(&[observed(back)]));
}

#[test]
fn a_claim_is_news_once_and_only_while_money_is_missing() {
    check(&opened(), Command::Claim, Ok(&[Event::Claimed]));
    check(&paid(), Command::Claim, Ok(&[]));
}

#[test]
fn an_unplaced_booking_is_refunded_once() {
    let unplace = |id| Command::Unplace { payment: pay(1), refund_id: refund_id(id) };
    let request = [requested(pay(1), inr(PRICE), Cause::Unplaced)];
    check(&paid(), unplace(1), Ok(&request));
    check(&unplaced(), unplace(2), Ok(&[]));
    check(&opened(), unplace(1), Err(Rejection::PaymentUnknown));
    stands(&unplaced(), Standing::Refunding);
}

#[test]
fn a_refund_is_accepted_then_processed_and_never_twice() {
    let provider_refund = ProviderRefundId::parse("rfnd_AAAAAAAAAAAAAA").unwrap();
    let learn = |progress| {
        let news = News::Taken { id: provider_refund.clone(), progress };
        Command::LearnRefund { refund_id: refund_id(1), news }
    };
    let accepted =
        Event::RefundAccepted { refund_id: refund_id(1), provider_refund: provider_refund.clone() };
    let processed = Event::RefundProcessed { refund_id: refund_id(1) };
    check(&unplaced(), learn(Progress::Pending), Ok(std::slice::from_ref(&accepted)));
    let both = [accepted, processed];
    // The webhook may be faster than the answer to our own request.
    check(&unplaced(), learn(Progress::Processed), Ok(&both));
    let mut history = unplaced();
    history.extend(both);
    check(&history, learn(Progress::Pending), Ok(&[]));
    check(&history, learn(Progress::Failed), Ok(&[]));
    stands(&history, Standing::Refunded);
    check(&paid(), learn(Progress::Pending), Err(Rejection::RefundUnknown));
}

#[test]
fn a_refund_that_is_refused_for_good_fails_once_and_money_that_went_back_after_all_counts_more() {
    let refuse = |reason: &str| Command::LearnRefund {
        refund_id: refund_id(1),
        news: News::Refused(reason.to_owned()),
    };
    check(&unplaced(), refuse("insufficient_balance"), Ok(&[]));
    check(&unplaced(), refuse("bad_request_error"), Ok(&[]));
    let reason = "payment_too_old".to_owned();
    let failed = Event::RefundFailed { refund_id: refund_id(1), reason: reason.clone() };
    check(&unplaced(), refuse(&reason), Ok(std::slice::from_ref(&failed)));
    let mut history = unplaced();
    history.push(failed);
    stands(&history, Standing::Refunding);
    let id = ProviderRefundId::parse("rfnd_AAAAAAAAAAAAAA").unwrap();
    let news = News::Taken { id: id.clone(), progress: Progress::Processed };
    let then = [
        Event::RefundAccepted { refund_id: refund_id(1), provider_refund: id },
        Event::RefundProcessed { refund_id: refund_id(1) },
    ];
    check(&history, Command::LearnRefund { refund_id: refund_id(1), news }, Ok(&then));
}

/// An accepted refund that failed at the provider.
fn failed_there(number: u128) -> [Event; 2] {
    let provider_refund = ProviderRefundId::parse(&format!("rfnd_{number:014}")).unwrap();
    [
        Event::RefundAccepted { refund_id: refund_id(number), provider_refund },
        Event::RefundFailed { refund_id: refund_id(number), reason: "failed".to_owned() },
    ]
}

#[test]
fn a_refund_that_failed_there_is_asked_for_anew_at_most_three_times() {
    let renew = |failed| Command::RenewRefund {
        failed: refund_id(failed),
        refund_id: refund_id(failed + 1),
    };
    let refund = Refund {
        payment: pay(1),
        amount: inr(PRICE),
        cause: Cause::Unplaced,
        accepted: None,
        end: None,
    };
    let mut history = unplaced();
    check(&history, renew(1), Ok(&[]));
    check(&history, renew(7), Err(Rejection::RefundUnknown));
    for number in 1..=2 {
        history.extend(failed_there(number));
        stands(&history, Standing::Refunding);
        let next =
            Event::RefundRequested { refund_id: refund_id(number + 1), refund: refund.clone() };
        check(&history, renew(number), Ok(std::slice::from_ref(&next)));
        history.push(next);
        // An earlier failure that is told again asks for nothing more.
        check(&history, renew(1), Ok(&[]));
    }
    let mut done = history.clone();
    done.push(Event::RefundProcessed { refund_id: refund_id(3) });
    stands(&done, Standing::Refunded);
    history.extend(failed_there(3));
    check(&history, renew(3), Ok(&[]));
}

#[test]
fn a_refund_that_was_refused_for_good_is_not_asked_for_anew() {
    let mut history = unplaced();
    let reason = "payment_too_old".to_owned();
    history.push(Event::RefundFailed { refund_id: refund_id(1), reason });
    let renew = Command::RenewRefund { failed: refund_id(1), refund_id: refund_id(2) };
    check(&history, renew, Ok(&[]));
}

#[test]
fn money_that_somebody_else_gave_back_after_it_counted_is_seen() {
    let mut history = paid();
    history.push(observed(seen(1, Status::Refunded)));
    stands(&history, Standing::Refunded);
    assert!(open(&fold::<CollectionLife>(&history)).went_back_without_us(&pay(1)));
    // What went back because we asked for it is no surprise.
    let mut history = unplaced();
    history.push(observed(seen(1, Status::Refunded)));
    stands(&history, Standing::Refunding);
    assert!(!open(&fold::<CollectionLife>(&history)).went_back_without_us(&pay(1)));
}

/// Everything that a provider may say about three payments of one order.
fn any_payment() -> impl Strategy<Value = Payment> {
    let status = prop_oneof![
        Just(Status::Created),
        Just(Status::Failed),
        Just(Status::Authorized),
        Just(Status::Captured),
        Just(Status::Refunded),
    ];
    // A payment's amount never changes; that of the third one is wrong.
    (1_u8..=3, status).prop_map(|(number, status)| {
        let mut payment = seen(number, status);
        if number == 3 {
            payment.fact.amount = inr(PRICE + 1);
        }
        payment
    })
}

/// Decides on each in turn, as the service would.
fn run(payments: &[Payment]) -> (State, Vec<Event>) {
    let mut state = fold::<CollectionLife>(&opened());
    let mut history = Vec::new();
    for (number, payment) in payments.iter().enumerate() {
        let command = Command::Observe {
            payment: payment.clone(),
            source: Source::Webhook,
            refund_id: refund_id(number as u128),
        };
        let events = CollectionLife::decide(&state, command).unwrap();
        state = events.iter().fold(state, CollectionLife::evolve);
        history.extend(events);
    }
    (state, history)
}

/// Payments with a shuffled copy in which each comes once or more.
fn any_order() -> impl Strategy<Value = (Vec<Payment>, Vec<Payment>)> {
    proptest::collection::vec(any_payment(), 0..12).prop_flat_map(|payments| {
        let repeats = proptest::collection::vec(1_usize..=3, payments.len());
        (Just(payments), repeats).prop_flat_map(|(payments, repeats)| {
            let many: Vec<Payment> = payments
                .iter()
                .zip(repeats)
                .flat_map(|(payment, times)| std::iter::repeat_n(payment.clone(), times))
                .collect();
            (Just(payments), Just(many).prop_shuffle())
        })
    })
}

proptest! {
    #[test]
    fn any_order_and_repetition_leads_to_the_same_facts((once, shuffled) in any_order()) {
        let (one, other) = (run(&once).0, run(&shuffled).0);
        prop_assert_eq!(&open(&one).payments, &open(&other).payments);
        // What was captured is counted once or goes back, whichever came first; unless the
        // provider gave it back before it was seen as captured.
        let never_back = once.iter().all(|payment| payment.fact.status != Status::Refunded);
        if never_back {
            prop_assert_eq!(open(&one).verified.is_some(), open(&other).verified.is_some());
            prop_assert_eq!(open(&one).refunds.len(), open(&other).refunds.len());
        }
    }

    #[test]
    fn money_counts_once_and_all_other_money_goes_back(
        payments in proptest::collection::vec(any_payment(), 0..20)
    ) {
        let (state, history) = run(&payments);
        let verified = |event: &&Event| matches!(event, Event::Verified { .. });
        prop_assert!(history.iter().filter(verified).count() <= 1);
        let collection = open(&state);
        for (id, fact) in &collection.payments {
            let counted = collection.verified.as_ref() == Some(id);
            let refunds = collection.refunds.values().filter(|it| it.payment == *id).count();
            prop_assert!(!(counted && refunds > 0), "it counts and goes back");
            prop_assert!(refunds <= 1);
            if fact.status == Status::Captured {
                prop_assert!(counted || refunds == 1, "money is neither counted nor returned");
            }
            prop_assert!(!counted || fact.amount == inr(PRICE));
        }
    }

    #[test]
    fn said_again_nothing_happens(payments in proptest::collection::vec(any_payment(), 0..12)) {
        let (state, history) = run(&payments);
        let all: Vec<Event> = opened().into_iter().chain(history).collect();
        prop_assert_eq!(&fold::<CollectionLife>(&all), &state);
        for payment in payments {
            let again = CollectionLife::decide(&state, observe(payment)).unwrap();
            prop_assert_eq!(again, Vec::new());
        }
    }
}

#[test]
fn a_refund_ends_with_the_better_of_two_ends() {
    assert!(End::Processed > End::Failed);
}
