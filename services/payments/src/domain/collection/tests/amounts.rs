//! Payments of another amount than the order's: the provider's word about its order decides.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::domain::fact::OrderFact;
use crate::domain::refund::FoundRefund;

/// A fee that the provider adds.
const FEE: i64 = 1_180;

/// The state of the order at the provider.
pub(super) fn order_fact(minor: i64, is_paid_in_full: bool) -> OrderFact {
    let provider = "razorpay".to_owned();
    OrderFact { provider, id: order(), amount: inr(minor), is_paid_in_full }
}

fn of_amount(number: u8, minor: i64, status: Status) -> Payment {
    Payment { fact: Fact { amount: inr(minor), ..seen(number, status).fact }, id: pay(number) }
}

fn captured(number: u8, minor: i64) -> Payment {
    of_amount(number, minor, Status::Captured)
}

fn resolve_undecided(order: Option<OrderFact>) -> Command {
    let refund_ids = [1, 2].map(|number| (pay(number), refund_id(number.into())));
    let orders = order.into_iter().collect();
    Command::ResolveUndecided {
        orders,
        are_links_known: false,
        refund_ids: BTreeMap::from(refund_ids),
    }
}

fn order_observed(minor: i64, is_paid_in_full: bool) -> Event {
    Event::OrderObserved { order: order_fact(minor, is_paid_in_full) }
}

fn verified(minor: i64) -> Event {
    Event::Verified { payment: pay(1), amount: inr(minor) }
}

/// Opened, ordered, and paid with an amount that the provider took for the whole.
fn paid_with(minor: i64) -> Vec<Event> {
    let mut history = opened();
    history.push(observed(captured(1, minor)));
    history.push(order_observed(PRICE, true));
    history.push(verified(minor));
    history
}

#[test]
fn another_amount_waits_for_the_providers_word_about_its_order() {
    for minor in [PRICE + FEE, PRICE - 5_000] {
        let payment = captured(1, minor);
        check(&opened(), observe(payment.clone()), Ok(&[observed(payment.clone())]));
        let waiting: Vec<Event> = opened().into_iter().chain([observed(payment)]).collect();
        stands(&waiting, Standing::Pending);
        check(&waiting, resolve_undecided(None), Ok(&[]));
        let paid = resolve_undecided(Some(order_fact(PRICE, true)));
        check(&waiting, paid.clone(), Ok(&[order_observed(PRICE, true), verified(minor)]));
        stands(&paid_with(minor), Standing::Paid);
        check(&paid_with(minor), paid, Ok(&[]));
    }
}

#[test]
fn it_goes_back_when_the_order_is_not_paid_or_of_another_amount() {
    let minor = PRICE + 1;
    let waiting: Vec<Event> = opened().into_iter().chain([observed(captured(1, minor))]).collect();
    for (asks, is_paid) in [(PRICE, false), (PRICE + 1, true)] {
        let then = [
            order_observed(asks, is_paid),
            Event::Mismatched { payment: pay(1), amount: inr(minor), reason: Mismatch::Amount },
            requested(pay(1), inr(minor), Cause::Mismatched),
        ];
        // The ids of this collection's refunds begin with that of its payment.
        let refund_ids = BTreeMap::from([(pay(1), refund_id(1))]);
        let orders = vec![order_fact(asks, is_paid)];
        let resolve = Command::ResolveUndecided { orders, are_links_known: false, refund_ids };
        check(&waiting, resolve, Ok(&then));
        let history: Vec<Event> = waiting.iter().cloned().chain(then).collect();
        stands(&history, Standing::Mismatched);
    }
    let other = OrderFact {
        id: OrderId::parse("order_BBBBBBBBBBBBBB").unwrap(),
        ..order_fact(PRICE, true)
    };
    check(&waiting, resolve_undecided(Some(other)), Ok(&[]));
}

#[test]
fn of_two_other_amounts_nothing_tells_which_one_paid() {
    let both = [observed(captured(1, PRICE + FEE)), observed(captured(2, PRICE + 1))];
    let waiting: Vec<Event> = opened().into_iter().chain(both).collect();
    let state = fold::<CollectionLife>(&waiting);
    let then =
        CollectionLife::decide(&state, resolve_undecided(Some(order_fact(PRICE, true)))).unwrap();
    let mismatched = then.iter().filter(|it| matches!(it, Event::Mismatched { .. })).count();
    assert_eq!((then.len(), mismatched), (6, 2));
}

#[test]
fn beside_a_payment_that_counts_another_amount_goes_back_without_a_question() {
    let waiting = [observed(captured(2, PRICE + FEE)), observed(seen(1, Status::Captured))];
    let known: Vec<Event> = opened().into_iter().chain(waiting).chain([verified(PRICE)]).collect();
    let then = [
        Event::Mismatched { payment: pay(2), amount: inr(PRICE + FEE), reason: Mismatch::Amount },
        Event::RefundRequested {
            refund_id: refund_id(2),
            refund: Refund::requested(pay(2), inr(PRICE + FEE), Cause::Mismatched),
        },
    ];
    check(&known, resolve_undecided(None), Ok(&then));
}

#[test]
fn what_goes_back_is_what_was_paid_less_the_fee() {
    let refund_id = refund_id(1);
    let cancel = || Command::Cancel { refund: inr(PRICE), refund_id };
    let unplace = || Command::Unplace { payment: pay(1), refund_id };
    for (paid, back) in [(PRICE + FEE, PRICE), (PRICE - 5_000, PRICE - 5_000)] {
        let cancelled = requested(pay(1), inr(back), Cause::Cancelled);
        check(&paid_with(paid), cancel(), Ok(std::slice::from_ref(&cancelled)));
        let unplaced = requested(pay(1), inr(back), Cause::Unplaced);
        check(&paid_with(paid), unplace(), Ok(&[unplaced]));
        let earned = Event::Earned { payment: pay(1), amount: inr(back) };
        check(&paid_with(paid), Command::Complete, Ok(&[earned]));
        let gone = [cancelled, Event::RefundProcessed { refund_id }];
        let history: Vec<Event> = paid_with(paid).into_iter().chain(gone).collect();
        stands(&history, Standing::Refunded);
    }
}

/// Seed 1883770890 of the simulator: the fee was earned beside the price.
#[test]
fn a_fee_that_went_back_with_earned_money_is_not_earned() {
    let whole = Refund {
        accepted: ProviderRefundId::parse("rfnd_AAAAAAAAAAAAAA"),
        ..Refund::requested(pay(1), inr(PRICE + FEE), Cause::Elsewhere)
    };
    let then = [
        Event::Earned { payment: pay(1), amount: inr(PRICE) },
        Event::RefundDiscovered { refund_id: refund_id(1), refund: whole },
        Event::RefundProcessed { refund_id: refund_id(1) },
        observed(of_amount(1, PRICE + FEE, Status::Refunded)),
    ];
    let history: Vec<Event> = paid_with(PRICE + FEE).into_iter().chain(then).collect();
    check(&history, Command::Complete, Ok(&[]));
}

/// The provider's reports of a payment with a fee, and of external refunds.
#[derive(Debug, Clone)]
enum Report {
    Seen(Status),
    Refund(u8, i64, Progress),
    Order,
}

fn any_story() -> impl Strategy<Value = Vec<Report>> {
    const LEAST: i64 = PRICE - 5_000;
    let parts = prop_oneof![
        Just(vec![]),
        (1..LEAST).prop_map(|minor| vec![minor]),
        (1..LEAST).prop_map(|minor| vec![minor, LEAST - minor]),
    ];
    let end = prop_oneof![Just(Progress::Processed), Just(Progress::Failed)];
    (parts, end).prop_map(|(parts, end)| {
        let refunds = parts.into_iter().zip(0_u8..).flat_map(|(minor, number)| {
            [Progress::Pending, end].map(|progress| Report::Refund(number, minor, progress))
        });
        let statuses = [Status::Created, Status::Authorized, Status::Captured];
        statuses.map(Report::Seen).into_iter().chain(refunds).chain([Report::Order]).collect()
    })
}

fn tell(told: &[Report], paid: i64) -> Collection {
    let mut state = fold::<CollectionLife>(&opened());
    // The order is fetched as long as a payment waits for it.
    for (number, it) in told.iter().chain([&Report::Order]).enumerate() {
        let number = u128::try_from(number).unwrap();
        let (refund_id, rest_id) = (refund_id(10 + 2 * number), refund_id(11 + 2 * number));
        let command = match it {
            Report::Seen(status) => observe(of_amount(1, paid, *status)),
            Report::Order => resolve_undecided(Some(order_fact(PRICE, true))),
            Report::Refund(which, minor, progress) => {
                let id = ProviderRefundId::parse(&format!("rfnd_{which:014}")).unwrap();
                let amount = inr(*minor);
                let found = FoundRefund { payment: pay(1), id, amount, progress: *progress };
                Command::DiscoverRefund { found, refund_id, rest_id }
            }
        };
        let events = CollectionLife::decide(&state, command).unwrap();
        state = events.iter().fold(state, CollectionLife::evolve);
    }
    open(&state).clone()
}

proptest! {
    #[test]
    fn another_amount_counts_in_any_order_of_reports(
        (once, shuffled) in any_story()
            .prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle())),
        paid in prop_oneof![Just(PRICE + FEE), Just(PRICE - 5_000)],
    ) {
        let (one, other) = (tell(&once, paid), tell(&shuffled, paid));
        // Whether money counts that has gone back before, is decided with what is known then.
        let picture = |it: &Collection| (it.kept(&pay(1)), it.standing());
        prop_assert_eq!(picture(&one), picture(&other));
        prop_assert!(one.kept(&pay(1)) <= PRICE);
    }
}
