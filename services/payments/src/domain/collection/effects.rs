//! What follows from a collection's events outside of its stream, as data.

use kernel::Id;
use kernel::id::{PaymentLink, Refund as RefundKind};

use super::model::{Collection, Event, LinkChange};
use crate::domain::fact::{OrderId, PaymentId, Source, Status};
use crate::domain::link::Link;
use crate::domain::refund::Refund;

/// What follows from an event.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Effect {
    /// The order and the links are polled, with short pauses at first.
    RestartPolling,
    /// The same for a new order, which is not paid yet.
    BeginPolling,
    /// The webhooks that wait for this order are folded.
    FoldWaiting(OrderId),
    /// The sold order is polled from now on.
    RecheckSoldOrder,
    /// A refund is requested from the provider.
    RequestRefund(Id<RefundKind>),
    /// A refund that the provider has is polled.
    PollRefund(Id<RefundKind>),
    /// The timer of a refund ends.
    EndRefund(Id<RefundKind>),
    /// Another refund is requested some time after this one failed.
    RenewRefund(Id<RefundKind>),
    /// A withdrawn link is cancelled at the provider.
    CloseLink(Id<PaymentLink>),
    /// The timer of a link ends.
    EndCloseLink(Id<PaymentLink>),
    /// The webhook of a captured payment is due, unless it has come.
    ExpectWebhook(PaymentId),
    /// Verified money went back without us. A person looks at it while the booking is live.
    ReportReturn(PaymentId),
    /// The tax documents that follow a receipt voucher are due, if there is one.
    IssuePapers,
}

/// The effects of a decision's events, in their order. `known` is the collection after the whole
/// decision; `was_undecided` says whether a payment was undecided before it.
#[must_use]
pub fn effects(was_undecided: bool, known: &Collection, events: &[Event]) -> Vec<Effect> {
    let is_undecided = known.undecided().next().is_some();
    // The order is polled together with its payments.
    let restart = (is_undecided && !was_undecided).then_some(Effect::RestartPolling);
    events.iter().flat_map(|event| of_event(known, event)).chain(restart).collect()
}

fn of_event(known: &Collection, event: &Event) -> Vec<Effect> {
    match event {
        Event::OrderCreated { order, .. } => {
            vec![Effect::BeginPolling, Effect::FoldWaiting(order.clone())]
        }
        Event::Link { link_id, change } => of_link(known, *link_id, change),
        Event::RefundRequested { refund_id, refund } => {
            // It may have ended in the same append. One at the desk is given back by a person.
            let has_ended = known.refunds.get(refund_id).is_some_and(|it| it.end.is_some());
            let is_asked_for = !has_ended && !known.is_at_desk(&refund.payment);
            Vec::from_iter(is_asked_for.then_some(Effect::RequestRefund(*refund_id)))
        }
        Event::RefundReleased { refund_id } => vec![Effect::RequestRefund(*refund_id)],
        Event::Verified { .. } => vec![Effect::RecheckSoldOrder],
        Event::RefundFailed { refund_id, .. } => {
            // Also refunds that became renewable while this one covered their money.
            let payment = known.refunds.get(refund_id).map(|refund| &refund.payment);
            let renewals = known.renewable(payment).map(Effect::RenewRefund);
            std::iter::once(Effect::EndRefund(*refund_id)).chain(renewals).collect()
        }
        Event::Observed { payment, source } => {
            let is_captured = payment.fact.status == Status::Captured;
            let is_unreported = match source {
                Source::Webhook => false,
                Source::Checkout | Source::Poll => is_captured,
            };
            let expect = is_unreported.then(|| Effect::ExpectWebhook(payment.id.clone()));
            report_return(known, &payment.id).into_iter().chain(expect).collect()
        }
        Event::RefundDiscovered { refund_id, refund } => {
            let report = report_return(known, &refund.payment).into_iter();
            report.chain([Effect::PollRefund(*refund_id)]).collect()
        }
        // Refunds that waited for its end are requested at once.
        Event::DisputeObserved(dispute) if !dispute.fact.state.is_open() => {
            let waits = |(_, refund): &(_, &Refund)| refund.is_unaccepted();
            let waiting = known.refunds_of(&dispute.payment).filter(waits);
            waiting.map(|(refund_id, _)| Effect::RequestRefund(refund_id)).collect()
        }
        Event::RefundProcessed { refund_id } => {
            vec![Effect::EndRefund(*refund_id), Effect::IssuePapers]
        }
        Event::Earned { .. } | Event::Retained { .. } => vec![Effect::IssuePapers],
        Event::Opened(_)
        | Event::OrderObserved { .. }
        | Event::PaidAtDesk { .. }
        | Event::GivenBackAtDesk { .. }
        | Event::Claimed
        | Event::Failed { .. }
        | Event::Mismatched { .. }
        | Event::DisputeObserved(_)
        | Event::RefundAccepted { .. } => Vec::new(),
    }
}

fn report_return(known: &Collection, payment: &PaymentId) -> Option<Effect> {
    known.went_back_without_us(payment).then(|| Effect::ReportReturn(payment.clone()))
}

fn of_link(known: &Collection, link_id: Id<PaymentLink>, change: &LinkChange) -> Vec<Effect> {
    let link = known.links.get(&link_id);
    match change {
        LinkChange::Opened { .. } => Vec::new(),
        LinkChange::Created { .. } => {
            // Its creation may have been answered after it had been withdrawn.
            let is_withdrawn = link.is_some_and(|link| link.withdrawn.is_some());
            let close = is_withdrawn.then_some(Effect::CloseLink(link_id));
            std::iter::once(Effect::RestartPolling).chain(close).collect()
        }
        LinkChange::Observed { fact, .. } => {
            let fold = fact.order.clone().map(Effect::FoldWaiting);
            let is_over = link.is_none_or(Link::is_over);
            fold.into_iter().chain(is_over.then_some(Effect::EndCloseLink(link_id))).collect()
        }
        LinkChange::Withdrawn(_) => vec![Effect::CloseLink(link_id)],
        LinkChange::Absent => vec![Effect::EndCloseLink(link_id)],
    }
}
