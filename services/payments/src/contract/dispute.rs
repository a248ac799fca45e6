//! Converts disputes between domain and `proto/`.

use contract::convert::{timestamp as instant, to_wire as wire_instant};
use contract::payments::v1 as wire;

use super::amount::{from_wire, to_wire};
use crate::domain::collection::Event;
use crate::domain::dispute::{Dispute, DisputeFact, DisputeState, Phase};
use crate::domain::fact::{DisputeId, PaymentId};

pub(super) fn observed(booking_id: String, dispute: &Dispute) -> wire::DisputeObserved {
    let fact = &dispute.fact;
    wire::DisputeObserved {
        booking_id,
        payment_id: dispute.payment.to_string(),
        dispute_id: dispute.id.to_string(),
        state: fact.state.word().to_owned(),
        phase: fact.phase.word().to_owned(),
        amount: to_wire(&fact.amount),
        deducted_minor_units: fact.deducted_minor,
        respond_by_at: fact.respond_by.map(wire_instant),
        reason: fact.reason.clone(),
        provider: dispute.provider.clone(),
    }
}

pub(super) fn read(event: wire::DisputeObserved) -> Option<Event> {
    let fact = DisputeFact {
        phase: Phase::from_word(&event.phase)?,
        state: DisputeState::from_word(&event.state)?,
        respond_by: event.respond_by_at.as_ref().and_then(instant),
        deducted_minor: event.deducted_minor_units,
        amount: event.amount.map(from_wire)?,
        reason: event.reason,
    };
    Some(Event::DisputeObserved(Dispute {
        provider: event.provider,
        id: DisputeId::parse(&event.dispute_id)?,
        payment: PaymentId::parse(&event.payment_id)?,
        fact,
    }))
}
