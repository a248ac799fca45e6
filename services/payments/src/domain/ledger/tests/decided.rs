//! Property: the ledger agrees with the state of a collection after any decisions in any order.

use std::collections::BTreeMap;

use kernel::{Decider as _, Id, Money, fold};
use proptest::prelude::*;
use uuid::Uuid;

use super::{PRICE, inr, pay, rfn};
use crate::domain::collection::{CollectionLife, Command, Event, Rest, State, Terms};
use crate::domain::fact::{
    Amount, Fact, OrderFact, OrderId, Payment, ProviderRefundId, Source, Status,
};
use crate::domain::ledger::{Account, Books, Entry};
use crate::domain::refund::{End, FoundRefund, Progress, RefundUpdate};
use crate::domain::session_ends::{SessionEnd, SessionEnds};

const RAZORPAY: &str = "razorpay";

fn order() -> OrderId {
    OrderId::parse("order_AAAAAAAAAAAAAA").unwrap()
}

fn opened() -> Vec<Event> {
    let terms = Terms {
        collection_id: Id::from_uuid(Uuid::from_u128(1)),
        booking_id: Id::from_uuid(Uuid::from_u128(2)),
        customer_id: Id::from_uuid(Uuid::from_u128(3)),
        amount: Money::inr(PRICE),
    };
    vec![
        Event::Opened(terms),
        Event::OrderCreated { provider: RAZORPAY.to_owned(), order: order() },
    ]
}

fn any_status() -> impl Strategy<Value = Status> {
    use Status::{Authorized, Captured, Failed, Refunded};
    prop::sample::select(vec![Failed, Authorized, Captured, Captured, Refunded])
}

fn any_progress() -> impl Strategy<Value = Progress> {
    prop::sample::select(vec![Progress::Pending, Progress::Processed, Progress::Failed])
}

fn observe(number: u8, status: Status) -> Command {
    // The third one pays a fee, or by mistake too much; the fourth one has an offer.
    let amount = inr(match number {
        3 => PRICE + 100,
        4 => PRICE - 100,
        _ => PRICE,
    });
    let payment = Payment { id: pay(number), fact: Fact { status, amount, order: Some(order()) } };
    Command::Observe { payment, source: Source::Poll, refund_id: rfn(0) }
}

fn discover(number: u8, refund: u8, progress: Progress) -> Command {
    let id = ProviderRefundId::parse(&format!("rfnd_{number:07}{refund:07}")).unwrap();
    let amount = inr(PRICE / 4 * i64::from(refund + 1));
    let found = FoundRefund { payment: pay(number), id, amount, progress };
    Command::DiscoverRefund { found, refund_id: rfn(0), rest_id: rfn(0) }
}

fn learn(number: u8, update: Option<Progress>) -> Command {
    let id = ProviderRefundId::parse(&format!("rfnd_own{number:011}")).unwrap();
    let update = match update {
        Some(progress) => RefundUpdate::Taken { id, progress },
        None => RefundUpdate::Refused("payment_too_old".to_owned()),
    };
    Command::LearnRefund { refund_id: rfn(number), update, rest_id: rfn(0) }
}

fn judge(is_paid_in_full: bool) -> Command {
    let (provider, amount) = ("razorpay".to_owned(), inr(PRICE));
    let order = OrderFact { provider, id: order(), amount, is_paid_in_full };
    Command::ResolveUndecided {
        orders: vec![order],
        are_links_known: true,
        refund_ids: BTreeMap::new(),
    }
}

/// A command; its new ids are put in when it is decided.
pub(crate) fn any_command() -> impl Strategy<Value = Command> {
    let refund_id = rfn(0);
    let payment = 1_u8..5;
    let minor = 1..PRICE;
    prop_oneof![
        4 => (payment.clone(), any_status()).prop_map(|(it, status)| observe(it, status)),
        2 => any::<bool>().prop_map(judge),
        2 => (payment.clone(), 0_u8..4, any_progress())
            .prop_map(|(it, refund, progress)| discover(it, refund, progress)),
        4 => (0_u8..12, prop::option::weighted(0.8, any_progress()))
            .prop_map(|(number, update)| learn(number, update)),
        1 => (0_u8..12).prop_map(|it| Command::RenewRefund { failed: rfn(it) }),
        1 => payment.prop_map(move |it| Command::Unplace { payment: pay(it), refund_id }),
        1 => minor.clone().prop_map(move |it| Command::Cancel { refund: inr(it), refund_id }),
        1 => minor
            .prop_map(move |it| Command::RefundByStaff {
                amount: Some(inr(it)),
                refund_id,
                least_minor: 1,
            }),
        1 => Just(Command::Complete),
    ]
}

/// Puts the next ids where a command brings new ones.
fn numbered(mut command: Command, number: u8) -> Command {
    match &mut command {
        Command::Observe { refund_id: id, .. }
        | Command::Unplace { refund_id: id, .. }
        | Command::Cancel { refund_id: id, .. }
        | Command::RefundByStaff { refund_id: id, .. }
        | Command::SettleSessions { refund_id: id, .. }
        | Command::LearnRefund { rest_id: id, .. } => *id = rfn(number),
        Command::ResolveUndecided { refund_ids, .. } => {
            *refund_ids = (0..4).map(|it| (pay(it + 1), rfn(number + it))).collect();
        }
        Command::DiscoverRefund { refund_id, rest_id, .. } => {
            (*refund_id, *rest_id) = (rfn(number), rfn(number + 1));
        }
        Command::Open(_)
        | Command::RecordOrder { .. }
        | Command::OpenLink { .. }
        | Command::RecordLink { .. }
        | Command::WithdrawLinks { .. }
        | Command::ObserveLink { .. }
        | Command::RecordAbsentLink { .. }
        | Command::Claim
        | Command::ObserveDispute(_)
        | Command::PayAtDesk { .. }
        | Command::GiveBackAtDesk { .. }
        | Command::PrepareRefund { .. }
        | Command::ReleaseRefund { .. }
        | Command::RenewRefund { .. }
        | Command::Complete => {}
    }
    command
}

/// Replaces each completion by the ends of one more session of a package of three: held, cancelled
/// without a refund, or with one.
fn end_sessions(commands: &mut [Command], ways: [usize; 3]) {
    let shares = [PRICE / 3, PRICE / 3, PRICE - 2 * (PRICE / 3)];
    let mut ended = 0;
    for command in commands.iter_mut().filter(|it| matches!(it, Command::Complete)) {
        ended = (ended + 1).min(3);
        let mut ends = SessionEnds::default();
        for ((way, share_minor), number) in ways.into_iter().zip(shares).zip(1..).take(ended) {
            let refund_minor = [None, Some(0), Some(share_minor)][way];
            ends = ends.with(number, SessionEnd { share_minor, refund_minor });
        }
        let rest = if ways.contains(&0) { Rest::Earned } else { Rest::Retained };
        let rest = (ended == 3).then_some(rest);
        *command = Command::SettleSessions { ends, rest, refund_id: rfn(0) };
    }
}

/// The state of a collection after each of some commands; a rejected one changes nothing.
pub(crate) fn states(commands: Vec<Command>) -> Vec<State> {
    let mut events = opened();
    let mut number = 0;
    let mut after = |command| {
        let state = fold::<CollectionLife>(&events);
        let decided = CollectionLife::decide(&state, numbered(command, number));
        let decided = decided.unwrap_or_default();
        number += if decided.is_empty() { 0 } else { 4 };
        events.extend(decided);
        fold::<CollectionLife>(&events)
    };
    commands.into_iter().map(&mut after).collect()
}

/// What comes of commands, and the entries that were written with each; one that is refused changes
/// nothing.
fn decide_all(commands: Vec<Command>) -> (State, Vec<Event>, Vec<Entry>) {
    let mut events = opened();
    let mut written = Vec::new();
    let mut number = 0;
    for command in commands {
        let state = fold::<CollectionLife>(&events);
        let decided = CollectionLife::decide(&state, numbered(command, number));
        let decided = decided.unwrap_or_default();
        number += if decided.is_empty() { 0 } else { 4 };
        written.extend(Books::of(&events).enter(&decided));
        events.extend(decided);
    }
    (fold::<CollectionLife>(&events), events, written)
}

proptest! {
    #[test]
    fn the_ledger_agrees_with_the_collection(
        mut commands in prop::collection::vec(any_command(), 0..24),
        takes_place in any::<bool>(),
        package in prop::option::of(prop::array::uniform3(0_usize..3)),
    ) {
        // A session takes place or is cancelled, and never both; those of a package each by itself.
        commands.retain(|command| {
            let is_other = if takes_place || package.is_some() {
                matches!(command, Command::Cancel { .. })
            } else {
                matches!(command, Command::Complete)
            };
            !is_other
        });
        if let Some(ways) = package {
            end_sessions(&mut commands, ways);
        }
        let (state, events, written) = decide_all(commands);
        let State::Open(known) = &state else { panic!("it is open") };
        let entries = Books::default().enter(&events);
        prop_assert_eq!(&entries, &written, "the ledger follows from the events");
        let mut sums = BTreeMap::<Account, i64>::new();
        for line in entries.iter().flat_map(|entry| &entry.lines) {
            *sums.entry(line.account).or_default() += line.amount.minor;
        }
        let sum = |account| sums.get(&account).copied().unwrap_or(0);
        let captured = known.payments.keys().filter_map(|id| known.captured(id));
        let came: i64 = captured.map(|fact| fact.amount.minor).sum();
        let with_end = |end| -> i64 {
            let refunds = known.refunds.values().filter(|it| it.end == end);
            refunds.map(|it| it.amount.minor).sum()
        };
        let gone = with_end(Some(End::Processed));
        prop_assert_eq!(sum(Account::ProviderClearing), came - gone, "{:#?}", events);
        prop_assert_eq!(sum(Account::RefundsPayable), -with_end(None));
        match &known.verified {
            None => prop_assert_eq!(sum(Account::CustomerAdvance), 0),
            Some(it) => {
                let advance = -sum(Account::CustomerAdvance);
                prop_assert_eq!(advance, known.open_by_refunds(it), "{:#?}", events);
                // Nothing more is earned of money that the provider reports as refunded.
                prop_assert!(known.open(it) <= advance.max(0), "{:#?}", events);
                let fee = -sum(Account::ConvenienceFee);
                prop_assert!((0..=known.added_fee(it)).contains(&fee), "{fee}: {events:#?}");
            }
        }
        // Earned or retained money is reduced only by later refunds of it.
        let closed = |amount: &Option<Amount>| amount.as_ref().map_or(0, |amount| amount.minor);
        prop_assert!(-sum(Account::Revenue) - sum(Account::Discount) <= closed(&known.earned));
        prop_assert!(-sum(Account::Retained) <= closed(&known.retained));
    }
}
