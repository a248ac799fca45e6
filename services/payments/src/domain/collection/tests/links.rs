//! Payment links: one at a time, none beside money, and their money like that of an order.

mod properties;

use kernel::Timestamp;
use kernel::id::PaymentLink;

use super::*;
use crate::domain::collection::LinkChange;
use crate::domain::fact::{LinkId, OrderFact};
use crate::domain::link::{LinkFact, LinkStatus, ProviderLink, Withdrawal};

/// When the links of these tests end.
fn end() -> Timestamp {
    Timestamp::EPOCH.plus_seconds(3_600)
}

fn link(number: u128) -> Id<PaymentLink> {
    Id::from_uuid(Uuid::from_u128(500 + number))
}

fn created(number: u128) -> ProviderLink {
    let id = LinkId::parse(&format!("plink_{number:014}")).unwrap();
    ProviderLink { id, url: format!("https://example.com/l/{number}") }
}

/// The order beneath a link.
fn beneath(number: u128) -> OrderId {
    OrderId::parse(&format!("order_L{number:013}")).unwrap()
}

fn event(number: u128, change: LinkChange) -> Event {
    Event::Link { link_id: link(number), change }
}

fn made(number: u128) -> [Event; 2] {
    let provider = RAZORPAY.to_owned();
    [
        event(number, LinkChange::Opened { expires_at: end() }),
        event(number, LinkChange::Created { provider, created: created(number) }),
    ]
}

fn fact(status: LinkStatus, order: Option<OrderId>) -> LinkFact {
    LinkFact { status, order }
}

fn told(number: u128, fact: LinkFact) -> Event {
    event(number, LinkChange::Observed { fact, source: Source::Poll })
}

fn tell(number: u128, fact: LinkFact) -> Command {
    Command::ObserveLink { link_id: link(number), fact, source: Source::Poll }
}

fn withdrawn(number: u128, why: Withdrawal) -> Event {
    event(number, LinkChange::Withdrawn(why))
}

fn open_link(number: u128, now: i64) -> Command {
    let now = Timestamp::EPOCH.plus_seconds(now);
    Command::OpenLink { link_id: link(number), expires_at: end(), now }
}

/// Opened for links, with so many of them.
fn linked(links: &[u128]) -> Vec<Event> {
    let mut history = vec![Event::Opened(terms())];
    links.iter().for_each(|number| history.extend(made(*number)));
    history
}

fn on(order: OrderId, number: u8, minor: i64, status: Status) -> Payment {
    let fact = Fact { status, amount: inr(minor), order: Some(order) };
    Payment { id: pay(number), fact }
}

fn resolve(orders: Vec<OrderFact>, are_links_known: bool) -> Command {
    let refund_ids = (1..6).map(|number| (pay(number), refund_id(number.into()))).collect();
    Command::ResolveUndecided { orders, are_links_known, refund_ids }
}

fn paid_in_full(order: OrderId) -> OrderFact {
    let provider = RAZORPAY.to_owned();
    OrderFact { provider, id: order, amount: inr(PRICE), is_paid_in_full: true }
}

#[test]
fn a_link_is_opened_once_while_it_is_usable() {
    let opened = event(1, LinkChange::Opened { expires_at: end() });
    check(&[Event::Opened(terms())], open_link(1, 0), Ok(&[opened]));
    check(&linked(&[1]), open_link(2, 0), Ok(&[]));
    check(&linked(&[1]), open_link(2, 3_539), Ok(&[]));
    check(&paid(), open_link(1, 0), Ok(&[]));
    check(&[], open_link(1, 0), Err(Rejection::NotOpened));
}

#[test]
fn another_link_needs_that_the_one_before_takes_no_money() {
    check(&linked(&[1]), open_link(2, 3_540), Err(Rejection::LinkOpen));
    let mut gone = linked(&[1]);
    gone.push(withdrawn(1, Withdrawal::Checkout));
    check(&gone, open_link(2, 0), Err(Rejection::LinkOpen));
    for status in [LinkStatus::Cancelled, LinkStatus::Expired] {
        let mut over = gone.clone();
        over.push(told(1, fact(status, None)));
        let opened = event(2, LinkChange::Opened { expires_at: end() });
        check(&over, open_link(2, 0), Ok(&[opened]));
    }
}

/// A page whose address was never known cannot be opened.
#[test]
fn a_link_without_an_answer_is_withdrawn_for_the_next_one_and_found_absent() {
    let mut unknown = vec![Event::Opened(terms())];
    unknown.push(event(1, LinkChange::Opened { expires_at: end() }));
    check(&unknown, open_link(2, 0), Ok(&[]));
    let opened = event(2, LinkChange::Opened { expires_at: end() });
    let then = [withdrawn(1, Withdrawal::Expired), opened];
    let state = fold::<CollectionLife>(&unknown);
    assert_eq!(CollectionLife::decide(&state, open_link(2, 3_600)).as_deref(), Ok(&then[..]));

    let absent = Command::RecordAbsentLink { link_id: link(1) };
    check(&unknown, absent.clone(), Ok(&[event(1, LinkChange::Absent)]));
    check(&linked(&[1]), absent, Ok(&[]));
}

/// A list may lag for long: what the provider has after all is a link like any other.
#[test]
fn a_link_that_was_absent_and_appears_is_recorded_and_can_be_paid() {
    let [opened, made] = made(1);
    let mut history = vec![Event::Opened(terms()), opened, event(1, LinkChange::Absent)];
    let provider = RAZORPAY.to_owned();
    let record = Command::RecordLink { provider, link_id: link(1), created: created(1) };
    check(&history, record, Ok(std::slice::from_ref(&made)));
    history.push(made);
    let known = fold::<CollectionLife>(&history);
    let known = open(&known).links[&link(1)].clone();
    assert!(known.is_payable() && !known.is_over(), "{known:?}");
    let payment = on(beneath(1), 1, PRICE, Status::Captured);
    check(&history, observe(payment.clone()), Ok(&[observed(payment)]));
}

/// Its payment is not known yet; another link would be paid besides.
#[test]
fn no_link_is_opened_after_one_that_was_paid() {
    let mut history = linked(&[1]);
    history.push(told(1, fact(LinkStatus::Paid, Some(beneath(1)))));
    check(&history, open_link(2, 0), Err(Rejection::LinkOpen));
}

#[test]
fn a_link_counts_as_payable_until_its_end_also_when_it_was_cancelled() {
    let until = |history: &[Event]| open(&fold::<CollectionLife>(history)).payable_until();
    assert_eq!(until(&opened()), None);
    let mut history = linked(&[1]);
    assert_eq!(until(&history), Some(end()));
    history.push(told(1, fact(LinkStatus::Cancelled, None)));
    assert_eq!(until(&history), Some(end()), "a payment may have begun before");
    let unknown = event(1, LinkChange::Opened { expires_at: end() });
    assert_eq!(until(&[Event::Opened(terms()), unknown, event(1, LinkChange::Absent)]), None);
}

#[test]
fn the_number_of_links_is_limited() {
    let mut history = linked(&[]);
    for number in 1..=12 {
        history.extend(made(number));
        history.push(told(number, fact(LinkStatus::Cancelled, None)));
    }
    check(&history, open_link(13, 0), Err(Rejection::TooManyLinks));
}

#[test]
fn a_link_is_recorded_once() {
    let record = |number, of| Command::RecordLink {
        provider: RAZORPAY.to_owned(),
        link_id: link(number),
        created: created(of),
    };
    let [opened, made] = made(1);
    check(&[Event::Opened(terms()), opened], record(1, 1), Ok(&[made]));
    check(&linked(&[1]), record(1, 1), Ok(&[]));
    check(&linked(&[1]), record(1, 2), Err(Rejection::OtherLink));
    check(&linked(&[1]), record(2, 2), Err(Rejection::LinkUnknown));
}

#[test]
fn links_are_withdrawn_once_and_those_that_are_over_not_at_all() {
    let withdraw = Command::WithdrawLinks { why: Withdrawal::Ended };
    check(&linked(&[1]), withdraw.clone(), Ok(&[withdrawn(1, Withdrawal::Ended)]));
    let mut over = linked(&[1]);
    over.push(told(1, fact(LinkStatus::Expired, None)));
    check(&over, withdraw, Ok(&[]));
}

#[test]
fn a_links_state_goes_forward_and_its_orders_are_kept() {
    let cancelled = fact(LinkStatus::Cancelled, None);
    check(&linked(&[1]), tell(1, cancelled.clone()), Ok(&[told(1, cancelled.clone())]));
    let mut history = linked(&[1]);
    history.push(told(1, cancelled));
    check(&history, tell(1, fact(LinkStatus::Created, None)), Ok(&[]));
    let ordered = fact(LinkStatus::Created, Some(beneath(1)));
    check(&history, tell(1, ordered.clone()), Ok(&[told(1, ordered)]));
    check(&history, tell(2, fact(LinkStatus::Paid, None)), Err(Rejection::LinkUnknown));
}

#[test]
fn money_of_a_link_counts_and_other_links_are_withdrawn() {
    let mut history = linked(&[1, 2]);
    history.push(told(1, fact(LinkStatus::Paid, Some(beneath(1)))));
    let payment = on(beneath(1), 1, PRICE, Status::Captured);
    let then = [
        observed(payment.clone()),
        Event::Verified { payment: pay(1), amount: inr(PRICE) },
        withdrawn(2, Withdrawal::Paid),
    ];
    check(&history, observe(payment), Ok(&then));
    history.extend(then);
    stands(&history, Standing::Paid);
}

#[test]
fn money_of_the_checkout_withdraws_the_link() {
    let mut history = opened();
    history.extend(made(1));
    let payment = seen(1, Status::Captured);
    let verified = Event::Verified { payment: pay(1), amount: inr(PRICE) };
    let then = [observed(payment.clone()), verified, withdrawn(1, Withdrawal::Paid)];
    check(&history, observe(payment), Ok(&then));
}

#[test]
fn of_the_money_of_an_order_and_a_link_one_goes_back() {
    let mut history = paid();
    history.extend(made(1));
    history.push(told(1, fact(LinkStatus::Paid, Some(beneath(1)))));
    let second = on(beneath(1), 2, PRICE, Status::Captured);
    let then = [
        observed(second.clone()),
        Event::Mismatched { payment: pay(2), amount: inr(PRICE), reason: Mismatch::Double },
        requested(pay(2), inr(PRICE), Cause::Double),
    ];
    check(&history, observe(second), Ok(&then));
}

#[test]
fn money_of_an_unknown_order_waits_for_the_links() {
    let payment = on(beneath(1), 1, PRICE, Status::Captured);
    check(&linked(&[1]), observe(payment.clone()), Ok(&[observed(payment.clone())]));
    let mut waiting = linked(&[1]);
    waiting.push(observed(payment));
    stands(&waiting, Standing::Pending);
    check(&waiting, resolve(vec![], false), Ok(&[]));
    let strange = [
        Event::Mismatched { payment: pay(1), amount: inr(PRICE), reason: Mismatch::Order },
        requested(pay(1), inr(PRICE), Cause::Mismatched),
    ];
    check(&waiting, resolve(vec![], true), Ok(&strange));
    waiting.push(told(1, fact(LinkStatus::Paid, Some(beneath(1)))));
    let verified = Event::Verified { payment: pay(1), amount: inr(PRICE) };
    check(&waiting, resolve(vec![], false), Ok(&[verified]));
}

/// Our links take no parts; a provider that takes them all the same keeps none of them.
#[test]
fn parts_go_back_each_of_them() {
    let mut history = linked(&[1]);
    history.push(told(1, fact(LinkStatus::PartiallyPaid, Some(beneath(1)))));
    history.push(observed(on(beneath(1), 1, 20_000, Status::Captured)));
    let unpaid = OrderFact { is_paid_in_full: false, ..paid_in_full(beneath(1)) };
    let first = [
        Event::OrderObserved { order: unpaid.clone() },
        Event::Mismatched { payment: pay(1), amount: inr(20_000), reason: Mismatch::Amount },
        requested(pay(1), inr(20_000), Cause::Mismatched),
    ];
    check(&history, resolve(vec![unpaid], true), Ok(&first));
    history.extend(first);
    history.push(observed(on(beneath(1), 2, 30_000, Status::Captured)));
    let state = fold::<CollectionLife>(&history);
    let last = CollectionLife::decide(&state, resolve(vec![paid_in_full(beneath(1))], true));
    let last = last.unwrap();
    assert!(
        matches!(&last[1], Event::Mismatched { reason: Mismatch::Amount, .. }),
        "the order is paid, and by no one payment: {last:?}"
    );
    // A fee of the provider counts as ever.
    let mut history = linked(&[2]);
    history.push(told(2, fact(LinkStatus::Paid, Some(beneath(2)))));
    history.push(observed(on(beneath(2), 1, PRICE + 1_180, Status::Captured)));
    let counted = [
        Event::OrderObserved { order: paid_in_full(beneath(2)) },
        Event::Verified { payment: pay(1), amount: inr(PRICE + 1_180) },
    ];
    check(&history, resolve(vec![paid_in_full(beneath(2))], true), Ok(&counted));
}
