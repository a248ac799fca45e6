//! Given, when, then; and properties of every history.

mod amounts;
mod desk;
mod disputes;
mod effects;
mod links;
mod refunds;
mod properties;
mod sessions;

use kernel::id::Refund as RefundKind;
use kernel::{Decider, Id, Money, fold};
use uuid::Uuid;

use super::{
    Collection, CollectionLife, Command, Event, Mismatch, Rejection, Standing, State, Terms,
};
use crate::domain::fact::{
    Amount, Fact, OrderId, Payment, PaymentId, ProviderRefundId, Source, Status,
};
use crate::domain::refund::{Cause, End, Progress, Refund, RefundUpdate, following};

const PRICE: i64 = 50_000;
const RAZORPAY: &str = "razorpay";

fn record(order: OrderId) -> Command {
    Command::RecordOrder { provider: RAZORPAY.to_owned(), order }
}

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
    vec![
        Event::Opened(terms()),
        Event::OrderCreated { provider: RAZORPAY.to_owned(), order: order() },
    ]
}

fn requested(payment: PaymentId, amount: Amount, cause: Cause) -> Event {
    let refund = Refund::requested(payment, amount, cause);
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
    check(&[], record(order()), Err(Rejection::NotOpened));
    check(&[], Command::Claim, Err(Rejection::NotOpened));
    check(&[], observe(seen(1, Status::Captured)), Err(Rejection::NotOpened));
}

#[test]
fn opening_again_keeps_the_first_receipt_and_terms() {
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
fn a_collection_keeps_its_first_order() {
    let order_created = [Event::OrderCreated { provider: RAZORPAY.to_owned(), order: order() }];
    check(&opened()[..1], record(order()), Ok(&order_created));
    check(&opened(), record(order()), Ok(&[]));
    let other = OrderId::parse("order_BBBBBBBBBBBBBB").unwrap();
    check(&opened(), record(other), Err(Rejection::OtherOrder));
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
fn a_failure_is_reported_once_and_is_not_final() {
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
fn a_claim_is_recorded_once_and_only_without_money() {
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
        let update = RefundUpdate::Taken { id: provider_refund.clone(), progress };
        Command::LearnRefund { refund_id: refund_id(1), update, rest_id: refund_id(90) }
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
        update: RefundUpdate::Refused(reason.to_owned()),
        rest_id: refund_id(90),
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
    let update = RefundUpdate::Taken { id: id.clone(), progress: Progress::Processed };
    let then = [
        Event::RefundAccepted { refund_id: refund_id(1), provider_refund: id },
        Event::RefundProcessed { refund_id: refund_id(1) },
    ];
    let learn = Command::LearnRefund { refund_id: refund_id(1), update, rest_id: refund_id(90) };
    check(&history, learn, Ok(&then));
}

/// An accepted refund that failed at the provider.
fn failed_there(number: u128) -> [Event; 2] {
    failed_at_provider(refund_id(number), number)
}

fn failed_at_provider(refund_id: Id<RefundKind>, number: u128) -> [Event; 2] {
    let provider_refund = ProviderRefundId::parse(&format!("rfnd_{number:014}")).unwrap();
    [
        Event::RefundAccepted { refund_id, provider_refund },
        Event::RefundFailed { refund_id, reason: "failed".to_owned() },
    ]
}

#[test]
fn a_refund_that_failed_there_is_asked_for_anew_at_most_three_times() {
    let renew = |failed| Command::RenewRefund { failed };
    let refund = Refund::requested(pay(1), inr(PRICE), Cause::Unplaced);
    let mut history = unplaced();
    check(&history, renew(refund_id(1)), Ok(&[]));
    check(&history, renew(refund_id(7)), Err(Rejection::RefundUnknown));
    let mut last = refund_id(1);
    for number in 1..=2 {
        history.extend(failed_at_provider(last, number));
        stands(&history, Standing::Refunding);
        let refund = Refund { renews: Some(last), ..refund.clone() };
        let next = Event::RefundRequested { refund_id: following(last), refund };
        check(&history, renew(last), Ok(std::slice::from_ref(&next)));
        history.push(next);
        // A repeated report of an earlier failure requests nothing more.
        check(&history, renew(refund_id(1)), Ok(&[]));
        last = following(last);
    }
    let mut done = history.clone();
    done.push(Event::RefundProcessed { refund_id: last });
    stands(&done, Standing::Refunded);
    history.extend(failed_at_provider(last, 3));
    check(&history, renew(last), Ok(&[]));
}

#[test]
fn a_refund_that_was_refused_for_good_is_not_asked_for_anew() {
    let mut history = unplaced();
    let reason = "payment_too_old".to_owned();
    history.push(Event::RefundFailed { refund_id: refund_id(1), reason });
    let renew = Command::RenewRefund { failed: refund_id(1) };
    check(&history, renew, Ok(&[]));
}

#[test]
fn an_external_refund_of_verified_money_is_recorded() {
    let mut history = paid();
    history.push(observed(seen(1, Status::Refunded)));
    stands(&history, Standing::Refunded);
    assert!(open(&fold::<CollectionLife>(&history)).went_back_without_us(&pay(1)));
    // A refund that we requested raises no alarm.
    let mut history = unplaced();
    history.push(observed(seen(1, Status::Refunded)));
    stands(&history, Standing::Refunding);
    assert!(!open(&fold::<CollectionLife>(&history)).went_back_without_us(&pay(1)));
}

#[test]
fn a_processed_refund_outranks_a_failed_one() {
    assert!(End::Processed > End::Failed && End::Failed > End::Overtaken);
}
