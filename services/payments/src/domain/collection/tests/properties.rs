//! Properties of every history: independent of the order and the repetition of reports.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;
use crate::domain::refund::FoundRefund;

/// One report of the provider.
#[derive(Debug, Clone)]
enum Report {
    Payment(Payment),
    Refund(FoundRefund),
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

/// External refunds of a captured payment: parts that do not exceed it, each reported while it is
/// pending, when it has ended, or both.
fn any_refunds(number: u8) -> impl Strategy<Value = Vec<FoundRefund>> {
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
            let as_it_is = |progress| FoundRefund {
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
fn any_order() -> impl Strategy<Value = Vec<Report>> {
    let late = prop_oneof![
        Just(vec![]),
        Just(vec![Status::Created, Status::Failed]),
        Just(vec![Status::Failed, Status::Authorized, Status::Refunded]),
    ];
    let payments = (any_way(), late, any_way());
    (payments, any_refunds(1), any_refunds(3)).prop_map(|((first, late, wrong), one, other)| {
        let mut told = Vec::new();
        for (number, way) in [(1, &first), (2, &late), (3, &wrong)] {
            told.extend(way.iter().map(|status| Report::Payment(payment(number, *status))));
        }
        for (way, refunds) in [(first, one), (wrong, other)] {
            if way.contains(&Status::Captured) {
                told.extend(refunds.into_iter().map(Report::Refund));
            }
        }
        told
    })
}

/// The reports about an order in their true order, and shuffled with repetitions.
fn any_telling() -> impl Strategy<Value = (Vec<Report>, Vec<Report>)> {
    any_order().prop_flat_map(|told| {
        let repeats = proptest::collection::vec(1_usize..=3, told.len());
        (Just(told), repeats).prop_flat_map(|(told, repeats)| {
            let many: Vec<Report> = told
                .iter()
                .zip(repeats)
                .flat_map(|(it, times)| std::iter::repeat_n(it.clone(), times))
                .collect();
            (Just(told), Just(many).prop_shuffle())
        })
    })
}

fn command(told: &Report, number: u128) -> Command {
    let (refund_id, rest_id) = (refund_id(2 * number), refund_id(2 * number + 1));
    match told.clone() {
        Report::Payment(payment) => {
            Command::Observe { payment, source: Source::Webhook, refund_id }
        }
        Report::Refund(found) => Command::DiscoverRefund { found, refund_id, rest_id },
    }
}

/// The provider's word about the order, which it does not call paid by the wrong amount.
fn resolve_undecided(state: &State, told: &Report, number: u128) -> Command {
    let payment = match told {
        Report::Payment(payment) => &payment.id,
        Report::Refund(found) => &found.payment,
    };
    let known = open(state).undecided().chain([payment]).cloned();
    let refund_ids = known.map(|id| (id, refund_id(1_000 + number))).collect();
    let orders = vec![amounts::order_fact(PRICE, false)];
    Command::ResolveUndecided { orders, are_links_known: false, refund_ids }
}

/// Decides on each report in order, as the service does.
fn run(told: &[Report]) -> (State, Vec<Event>) {
    let mut state = fold::<CollectionLife>(&opened());
    let mut history = Vec::new();
    for (number, it) in told.iter().enumerate() {
        for command in [command(it, number as u128), resolve_undecided(&state, it, number as u128)]
        {
            let events = CollectionLife::decide(&state, command).unwrap();
            state = events.iter().fold(state, CollectionLife::evolve);
            history.extend(events);
        }
    }
    (state, history)
}

/// The final result: facts, standing and the money of each payment.
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

    /// Facts are joined and refunds are summed, so neither order nor repetition changes anything
    /// (razorpay-woocommerce#664, InsForge#1485).
    #[test]
    fn any_order_and_repetition_ends_in_the_same_state((once, shuffled) in any_telling()) {
        prop_assert_eq!(outcome(&run(&once).0), outcome(&run(&shuffled).0));
    }

    #[test]
    fn money_counts_once_and_all_other_money_goes_back(
        payments in proptest::collection::vec(any_payment(), 0..20)
    ) {
        let told: Vec<Report> = payments.into_iter().map(Report::Payment).collect();
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
    fn a_repeated_observation_changes_nothing((_, told) in any_telling()) {
        let (state, history) = run(&told);
        let all: Vec<Event> = opened().into_iter().chain(history).collect();
        prop_assert_eq!(&fold::<CollectionLife>(&all), &state);
        for it in told {
            let again = CollectionLife::decide(&state, command(&it, 500)).unwrap();
            prop_assert_eq!(again, Vec::new());
        }
    }
}

// What is not promised, because it is decided with what is known at that time: which of two good
// payments counts, whether a claim is recorded (not after the money), and how much a cancellation
// refunds or a session earns when external refunds are reported before or after it. Of those the
// sums still hold: see `no_payment_gives_back_more_than_it_brought`.

/// What the provider may say of a refund of ours: answers with our id, and webhooks without it.
fn any_news() -> impl Strategy<Value = Vec<Command>> {
    let progress =
        prop_oneof![Just(Progress::Pending), Just(Progress::Processed), Just(Progress::Failed)];
    let told = proptest::collection::vec((progress, any::<bool>()), 1..6);
    told.prop_map(|told| {
        let mut all = vec![Command::Claim];
        for (number, (progress, has_our_id)) in told.into_iter().enumerate() {
            let id = ProviderRefundId::parse("rfnd_AAAAAAAAAAAAAA").unwrap();
            let (new_id, rest_id) = (refund_id(300 + number as u128), refund_id(400));
            all.push(if has_our_id {
                let update = RefundUpdate::Taken { id, progress };
                Command::LearnRefund { refund_id: refund_id(1), update, rest_id }
            } else {
                let found = FoundRefund { payment: pay(1), id, amount: inr(PRICE), progress };
                Command::DiscoverRefund { found, refund_id: new_id, rest_id }
            });
        }
        // At the end the refund is fetched by our id, whatever webhooks have reported.
        let id = ProviderRefundId::parse("rfnd_AAAAAAAAAAAAAA").unwrap();
        let update = RefundUpdate::Taken { id, progress: Progress::Pending };
        let rest_id = refund_id(401);
        all.push(Command::LearnRefund { refund_id: refund_id(1), update, rest_id });
        for status in [Status::Created, Status::Authorized, Status::Captured] {
            all.push(observe(seen(1, status)));
        }
        all
    })
}

/// What booking may want of a booking's money.
fn any_wish() -> impl Strategy<Value = Command> {
    let refund_id = refund_id(9);
    prop_oneof![
        (0..=PRICE).prop_map(move |minor| Command::Cancel { refund: inr(minor), refund_id }),
        Just(Command::Unplace { payment: pay(1), refund_id }),
        Just(Command::Complete),
    ]
}

/// Decides on each in order; booking's intent is applied again when money counts, as by
/// `app/apply_booking_intent.rs`.
fn follow(history: &[Event], told: &[Command], wish: &Command) -> Collection {
    let mut state = fold::<CollectionLife>(history);
    let mut wished = false;
    for command in told {
        wished |= command == wish;
        let decided = match CollectionLife::decide(&state, command.clone()) {
            Err(Rejection::PaymentUnknown) => Vec::new(),
            decided => decided.unwrap(),
        };
        let counts = decided.iter().any(|event| matches!(event, Event::Verified { .. }));
        state = decided.iter().fold(state, CollectionLife::evolve);
        if counts && wished {
            let decided = CollectionLife::decide(&state, wish.clone()).unwrap();
            state = decided.iter().fold(state, CollectionLife::evolve);
        }
    }
    open(&state).clone()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1_000))]

    #[test]
    fn of_two_good_payments_one_counts_and_the_other_goes_back(
        told in Just(vec![
            (1, Status::Created), (1, Status::Authorized), (1, Status::Captured),
            (2, Status::Failed), (2, Status::Authorized), (2, Status::Captured),
            (3, Status::Captured),
        ]).prop_shuffle()
    ) {
        let told = told.into_iter().map(|(number, it)| Report::Payment(payment(number, it)));
        let told: Vec<_> = told.collect();
        let (state, history) = run(&told);
        let known = open(&state);
        let kept: i64 = known.payments.keys().map(|id| known.kept(id)).sum();
        prop_assert_eq!((kept, known.refunds.len(), known.standing()), (PRICE, 2, Standing::Paid));
        let verified = |event: &&Event| matches!(event, Event::Verified { .. });
        prop_assert_eq!(history.iter().filter(verified).count(), 1);
    }

    #[test]
    fn reports_of_our_refund_give_the_same_state_in_any_order(
        (once, shuffled) in any_news()
            .prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle()))
    ) {
        let end = |told: &[Command]| {
            let known = follow(&unplaced(), told, &Command::Complete);
            let money = (known.left(&pay(1)), known.owed(&pay(1)), known.standing());
            let named = known.refunds.values().filter(|it| it.accepted.is_some());
            let named: Vec<_> = named.map(|it| (it.amount.clone(), it.end)).collect();
            (money, named.len(), named.first().and_then(|(_, end)| *end))
        };
        let (one, other) = (end(&once), end(&shuffled));
        prop_assert_eq!(one.1, 1, "one refund at the provider is one of ours");
        prop_assert_eq!(one, other);
    }

    #[test]
    fn bookings_intent_is_applied_before_or_after_the_money(
        wish in any_wish(),
        order in Just(vec![0_usize, 1, 2, 3, 4, 5]).prop_shuffle()
    ) {
        let all = vec![
            observe(seen(1, Status::Created)), observe(seen(1, Status::Authorized)),
            observe(seen(1, Status::Captured)), observe(seen(1, Status::Captured)),
            wish.clone(), wish.clone(),
        ];
        let shuffled: Vec<_> = order.into_iter().map(|index| all[index].clone()).collect();
        prop_assert_eq!(follow(&opened(), &all, &wish), follow(&opened(), &shuffled, &wish));
    }
}
