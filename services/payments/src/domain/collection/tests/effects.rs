//! What follows from events outside of the stream.

use super::{inr, observed, open, opened, order, paid, pay, refund_id, requested, seen, unplaced};
use crate::domain::collection::{CollectionLife, Effect, Event, LinkChange, effects};
use crate::domain::fact::{ProviderRefundId, Source, Status};
use crate::domain::link::{LinkFact, LinkStatus, Withdrawal};
use crate::domain::refund::{Cause, OVERTAKEN};
use kernel::{Decider, Id, Timestamp, fold};
use uuid::Uuid;

/// The effects of what is decided after other events.
fn after(given: &[Event], decided: &[Event]) -> Vec<Effect> {
    let before = fold::<CollectionLife>(given);
    let was_undecided = open(&before).undecided().next().is_some();
    let state = decided.iter().fold(before, CollectionLife::evolve);
    effects(was_undecided, open(&state), decided)
}

#[test]
fn an_order_and_money_that_is_not_decided_restart_the_polls() {
    let expect = Effect::ExpectWebhook(pay(1));
    let ordered = [Effect::BeginPolling, Effect::FoldWaiting(order())];
    assert_eq!(after(&opened()[..1], &opened()[1..]), ordered);
    let captured = [observed(seen(1, Status::Captured))];
    assert_eq!(after(&opened(), &captured), [expect.clone(), Effect::RestartPolling]);
    assert_eq!(
        after(&[&opened()[..], &captured].concat(), &captured),
        std::slice::from_ref(&expect)
    );
    assert_eq!(after(&opened(), &paid()[2..]), [expect, Effect::RecheckSoldOrder]);
    let payment = seen(1, Status::Captured);
    let reported = [Event::Observed { payment, source: Source::Webhook }, paid()[3].clone()];
    assert_eq!(after(&opened(), &reported), [Effect::RecheckSoldOrder]);
}

#[test]
fn a_refund_is_requested_until_it_ends() {
    let (id, ours) = (refund_id(1), requested(pay(1), inr(10), Cause::Unplaced));
    let failed = |reason: &str| Event::RefundFailed { refund_id: id, reason: reason.to_owned() };
    assert_eq!(after(&paid(), std::slice::from_ref(&ours)), [Effect::RequestRefund(id)]);
    assert_eq!(after(&paid(), &[ours, failed(OVERTAKEN)]), [Effect::EndRefund(id)]);
    let processed = [Event::RefundProcessed { refund_id: id }];
    assert_eq!(after(&unplaced(), &processed), [Effect::EndRefund(id), Effect::IssuePapers]);
    let provider_refund = ProviderRefundId::parse("rfnd_AAAAAAAAAAAAAA").unwrap();
    let accepted = Event::RefundAccepted { refund_id: id, provider_refund };
    let renewed = after(&unplaced(), &[accepted, failed("failed")]);
    assert_eq!(renewed, [Effect::EndRefund(id), Effect::RenewRefund(id)]);
}

#[test]
fn a_withdrawn_link_is_cancelled_until_it_is_over() {
    let link_id = Id::from_uuid(Uuid::from_u128(7));
    let follows = |change| {
        let expires_at = Timestamp::EPOCH.plus_minutes(60);
        let opening = Event::Link { link_id, change: LinkChange::Opened { expires_at } };
        after(&[opened(), vec![opening]].concat(), &[Event::Link { link_id, change }])
    };
    let withdrawn = follows(LinkChange::Withdrawn(Withdrawal::Ended));
    assert_eq!(withdrawn, [Effect::CloseLink(link_id)]);
    let seen = |status, order| {
        let fact = LinkFact { status, order };
        follows(LinkChange::Observed { fact, source: Source::Poll })
    };
    assert_eq!(seen(LinkStatus::Created, Some(order())), [Effect::FoldWaiting(order())]);
    assert_eq!(seen(LinkStatus::Cancelled, None), [Effect::EndCloseLink(link_id)]);
    assert_eq!(follows(LinkChange::Absent), [Effect::EndCloseLink(link_id)]);
}
