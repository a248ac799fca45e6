//! Reports about links and their money in any order and with any repetition.

use std::collections::BTreeMap;

use proptest::prelude::*;

use super::*;

/// One report of the provider.
#[derive(Debug, Clone)]
enum Report {
    Payment(Payment),
    Link(u128, LinkFact),
}

fn any_link(number: u128) -> impl Strategy<Value = Vec<Report>> {
    let over = prop_oneof![
        Just(None),
        Just(Some(LinkStatus::Paid)),
        Just(Some(LinkStatus::Cancelled)),
        Just(Some(LinkStatus::Expired)),
    ];
    (over, any::<bool>()).prop_map(move |(over, is_named_early)| {
        let early = is_named_early.then(|| beneath(number));
        let first = Report::Link(number, fact(LinkStatus::Created, early));
        let last = over.map(|it| Report::Link(number, fact(it, Some(beneath(number)))));
        [first].into_iter().chain(last).collect()
    })
}

/// Attempts on the orders beneath two links and on the checkout's.
fn any_money() -> impl Strategy<Value = Vec<Report>> {
    let way = || {
        prop_oneof![
            Just(vec![]),
            Just(vec![Status::Created, Status::Failed]),
            Just(vec![Status::Created, Status::Authorized, Status::Captured]),
            Just(vec![Status::Failed, Status::Authorized, Status::Captured]),
        ]
    };
    let part = prop_oneof![Just(PRICE), Just(20_000), Just(PRICE + 1)];
    (way(), way(), way(), way(), part).prop_map(|(first, second, third, checkout, minor)| {
        let paths = [
            (1, beneath(1), first, PRICE),
            (2, beneath(1), second, minor),
            (3, beneath(2), third, PRICE),
            (4, order(), checkout, PRICE),
        ];
        let mut told = Vec::new();
        for (number, order, path, minor) in paths {
            for status in path {
                told.push(Report::Payment(on(order.clone(), number, minor, status)));
            }
        }
        told
    })
}

/// Everything that is reported, and the same shuffled with repetitions.
fn any_telling() -> impl Strategy<Value = (Vec<Report>, Vec<Report>)> {
    (any_link(1), any_link(2), any_money()).prop_flat_map(|(one, two, money)| {
        let told: Vec<Report> = one.into_iter().chain(two).chain(money).collect();
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

/// Folds the reports as the service does; at the end the links and the orders are fetched, as they
/// are while money is undecided.
fn run(told: &[Report]) -> (State, Vec<Event>) {
    let mut given = opened();
    given.extend([made(1), made(2)].into_iter().flatten());
    let (mut state, mut history) = (fold::<CollectionLife>(&given), Vec::new());
    let orders = || {
        let unpaid = |id| OrderFact { is_paid_in_full: false, ..paid_in_full(id) };
        vec![unpaid(order()), unpaid(beneath(1)), unpaid(beneath(2))]
    };
    let fetched =
        [1, 2].map(|number| tell(number, fact(LinkStatus::Created, Some(beneath(number)))));
    let reports = told.iter().map(|report| match report.clone() {
        Report::Payment(payment) => {
            let refund_id = refund_id(50 + u128::from(payment.id.as_str().as_bytes()[17]));
            Command::Observe { payment, source: Source::Webhook, refund_id }
        }
        Report::Link(number, fact) => {
            Command::ObserveLink { link_id: link(number), fact, source: Source::Webhook }
        }
    });
    let last = fetched.into_iter().chain([resolve(orders(), true)]);
    for command in reports.chain(last) {
        for command in [command, resolve(orders(), false)] {
            let events = CollectionLife::decide(&state, command).unwrap();
            state = events.iter().fold(state, CollectionLife::evolve);
            history.extend(events);
        }
    }
    (state, history)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2_000))]

    #[test]
    fn money_of_all_ways_counts_once_and_the_rest_goes_back((_, shuffled) in any_telling()) {
        let (state, history) = run(&shuffled);
        let known = open(&state);
        let fits = |fact: &&Fact| fact.status == Status::Captured && fact.amount == inr(PRICE);
        let is_paid = known.payments.values().any(|fact| fits(&fact));
        let kept: i64 = known.payments.keys().map(|id| known.kept(id)).sum();
        prop_assert_eq!(kept, if is_paid { PRICE } else { 0 });
        prop_assert_eq!(known.verified.is_some(), is_paid);
        prop_assert_eq!(known.undecided().count(), 0);
        let verified = |event: &&Event| matches!(event, Event::Verified { .. });
        prop_assert!(history.iter().filter(verified).count() <= 1);
        for (id, fact) in &known.payments {
            let backs = known.refunds.values().filter(|it| it.payment == *id).count();
            let is_counted = known.verified.as_ref() == Some(id);
            let wanted = usize::from(fact.status == Status::Captured && !is_counted);
            prop_assert_eq!(backs, wanted, "{}", id);
        }
        // Once money counts, no other link is handed out.
        for link in known.links.values().filter(|_| is_paid) {
            let brought_it = known
                .verified
                .as_ref()
                .and_then(|id| known.payments.get(id)?.order.as_ref())
                .is_some_and(|order| link.orders.contains(order));
            prop_assert!(brought_it || link.is_over() || link.withdrawn.is_some());
        }
    }

    /// What is known of the links and of each payment depends on no order and no repetition.
    #[test]
    fn any_order_and_repetition_ends_in_the_same_facts((once, shuffled) in any_telling()) {
        let facts = |told: &[Report]| {
            let (state, _) = run(told);
            let known = open(&state);
            let links: BTreeMap<_, _> = known
                .links
                .iter()
                .map(|(id, link)| (*id, (link.status, link.orders.clone())))
                .collect();
            (known.payments.clone(), links, known.standing())
        };
        prop_assert_eq!(facts(&once), facts(&shuffled));
    }

    #[test]
    fn a_repeated_report_changes_nothing((_, told) in any_telling()) {
        let (state, history) = run(&told);
        for report in told {
            let command = match report {
                Report::Payment(payment) => observe(payment),
                Report::Link(number, fact) => tell(number, fact),
            };
            prop_assert_eq!(CollectionLife::decide(&state, command).unwrap(), Vec::new());
        }
        let mut given = opened();
        given.extend([made(1), made(2)].into_iter().flatten());
        given.extend(history);
        prop_assert_eq!(&fold::<CollectionLife>(&given), &state);
    }
}
