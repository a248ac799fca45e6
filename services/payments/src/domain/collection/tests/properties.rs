//! What holds for every history: whatever the order in which things are told, and however often.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::domain::refund::Found;

/// One thing that the provider may tell.
#[derive(Debug, Clone)]
enum Told {
    Payment(Payment),
    Refund(Found),
}

/// Everything that a provider may say about a payment. Its amount never changes; that of the third
/// one is wrong.
fn payment(number: u8, status: Status) -> Payment {
    let mut payment = seen(number, status);
    if number == 3 {
        payment.fact.amount = inr(PRICE + 1);
    }
    payment
}

fn any_payment() -> impl Strategy<Value = Payment> {
    let status = prop_oneof![
        Just(Status::Created),
        Just(Status::Failed),
        Just(Status::Authorized),
        Just(Status::Captured),
        Just(Status::Refunded),
    ];
    (1_u8..=3, status).prop_map(|(number, status)| payment(number, status))
}

/// The ways that a payment may take at the provider.
fn any_way() -> impl Strategy<Value = Vec<Status>> {
    use Status::{Authorized, Captured, Created, Failed};
    prop_oneof![
        Just(vec![]),
        Just(vec![Created, Failed]),
        Just(vec![Created, Authorized]),
        Just(vec![Created, Authorized, Captured]),
        Just(vec![Failed, Authorized, Captured]),
    ]
}

/// Refunds that other hands make of a captured payment: parts that are no more than all of it, each
/// told of while it is pending, when it has ended, or both.
fn any_refunds(number: u8) -> impl Strategy<Value = Vec<Found>> {
    let all = payment(number, Status::Captured).fact.amount.minor;
    let parts = prop_oneof![
        Just(vec![]),
        Just(vec![all]),
        (1..all).prop_map(|minor| vec![minor]),
        (1..all).prop_map(move |minor| vec![minor, all - minor]),
        (2..all).prop_flat_map(move |sum| (1..sum).prop_map(move |one| vec![one, sum - one])),
    ];
    let ends = proptest::collection::vec((any::<bool>(), 0_u8..3), 2);
    (parts, ends).prop_map(move |(parts, ends)| {
        let mut told = Vec::new();
        for (index, (minor, (is_told_early, end))) in parts.into_iter().zip(ends).enumerate() {
            let id = format!("rfnd_{number}{index}000000000000");
            let as_it_is = |progress| Found {
                payment: pay(number),
                id: ProviderRefundId::parse(&id).unwrap(),
                amount: inr(minor),
                progress,
            };
            if is_told_early || end == 0 {
                told.push(as_it_is(Progress::Pending));
            }
            match end {
                1 => told.push(as_it_is(Progress::Processed)),
                2 => told.push(as_it_is(Progress::Failed)),
                _ => {}
            }
        }
        told
    })
}

/// What happens to an order at the provider, which captures one payment of it and gives another one
/// that comes late back by itself; a third one is of a wrong amount.
fn any_order() -> impl Strategy<Value = Vec<Told>> {
    let late = prop_oneof![
        Just(vec![]),
        Just(vec![Status::Created, Status::Failed]),
        Just(vec![Status::Failed, Status::Authorized, Status::Refunded]),
    ];
    let payments = (any_way(), late, any_way());
    (payments, any_refunds(1), any_refunds(3)).prop_map(|((first, late, wrong), one, other)| {
        let mut told = Vec::new();
        for (number, way) in [(1, &first), (2, &late), (3, &wrong)] {
            told.extend(way.iter().map(|status| Told::Payment(payment(number, *status))));
        }
        for (way, refunds) in [(first, one), (wrong, other)] {
            if way.contains(&Status::Captured) {
                told.extend(refunds.into_iter().map(Told::Refund));
            }
        }
        told
    })
}

/// An order's story as it happens, and shuffled with each part told once or more.
fn any_telling() -> impl Strategy<Value = (Vec<Told>, Vec<Told>)> {
    any_order().prop_flat_map(|told| {
        let repeats = proptest::collection::vec(1_usize..=3, told.len());
        (Just(told), repeats).prop_flat_map(|(told, repeats)| {
            let many: Vec<Told> = told
                .iter()
                .zip(repeats)
                .flat_map(|(it, times)| std::iter::repeat_n(it.clone(), times))
                .collect();
            (Just(told), Just(many).prop_shuffle())
        })
    })
}

fn command(told: &Told, number: u128) -> Command {
    let (refund_id, rest_id) = (refund_id(2 * number), refund_id(2 * number + 1));
    match told.clone() {
        Told::Payment(payment) => Command::Observe { payment, source: Source::Webhook, refund_id },
        Told::Refund(found) => Command::DiscoverRefund { found, refund_id, rest_id },
    }
}

/// Decides on each in turn, as the service would.
fn run(told: &[Told]) -> (State, Vec<Event>) {
    let mut state = fold::<CollectionLife>(&opened());
    let mut history = Vec::new();
    for (number, it) in told.iter().enumerate() {
        let events = CollectionLife::decide(&state, command(it, number as u128)).unwrap();
        state = events.iter().fold(state, CollectionLife::evolve);
        history.extend(events);
    }
    (state, history)
}

/// What counts in the end: what is known, where it stands, and where each payment's money is.
#[derive(Debug, PartialEq, Eq)]
struct Outcome {
    payments: BTreeMap<PaymentId, Fact>,
    standing: Standing,
    /// Of each payment: what it brought, what is kept of it, and whether that counts.
    money: BTreeMap<PaymentId, (i64, i64, bool)>,
    /// Refunds at the provider by their ids there, with their ends.
    there: BTreeMap<String, (i64, Option<End>)>,
}

fn outcome(state: &State) -> Outcome {
    let known = open(state);
    let money = known.payments.keys().map(|id| {
        let brought = known.captured(id).map_or(0, |fact| fact.amount.minor);
        let kept = known.kept(id);
        (id.clone(), (brought, kept, kept > 0 && known.verified.as_ref() == Some(id)))
    });
    let there = known.refunds.values().filter_map(|refund| {
        let id = refund.accepted.as_ref()?.to_string();
        Some((id, (refund.amount.minor, refund.end)))
    });
    Outcome {
        payments: known.payments.clone(),
        standing: known.standing(),
        money: money.collect(),
        there: there.collect(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    /// Lesson 4 of payments.md, woocommerce#664, and lesson 7, InsForge#1485: facts are joined and
    /// refunds are summed, so neither order nor repetition changes anything.
    #[test]
    fn any_order_and_repetition_ends_in_the_same_state((once, shuffled) in any_telling()) {
        prop_assert_eq!(outcome(&run(&once).0), outcome(&run(&shuffled).0));
    }

    #[test]
    fn money_counts_once_and_all_other_money_goes_back(
        payments in proptest::collection::vec(any_payment(), 0..20)
    ) {
        let told: Vec<Told> = payments.into_iter().map(Told::Payment).collect();
        let (state, history) = run(&told);
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
    fn no_payment_gives_back_more_than_it_brought((_, shuffled) in any_telling()) {
        let (state, history) = run(&shuffled);
        let known = open(&state);
        for id in known.payments.keys() {
            let brought = known.captured(id).map_or(0, |fact| fact.amount.minor);
            if brought > 0 {
                prop_assert!(known.going_back(id) <= brought);
            }
            prop_assert!(!known.mismatched.contains(id) || known.kept(id) == 0);
        }
        // One refund of ours per cause and payment; every other one takes the place of one before.
        let mut causes = Vec::new();
        for event in history {
            if let Event::RefundRequested { refund, .. } = event && refund.renews.is_none() {
                prop_assert!(!causes.contains(&(refund.payment.clone(), refund.cause.word())));
                causes.push((refund.payment, refund.cause.word()));
            }
        }
    }

    #[test]
    fn said_again_nothing_happens((_, told) in any_telling()) {
        let (state, history) = run(&told);
        let all: Vec<Event> = opened().into_iter().chain(history).collect();
        prop_assert_eq!(&fold::<CollectionLife>(&all), &state);
        for it in told {
            let again = CollectionLife::decide(&state, command(&it, 500)).unwrap();
            prop_assert_eq!(again, Vec::new());
        }
    }
}
