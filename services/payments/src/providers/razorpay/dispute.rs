//! Razorpay's disputes. A webhook's name says more than its entity if more documents are required.

use kernel::Timestamp;
use serde_json::Value;

use super::json;
use crate::domain::dispute::{Dispute, DisputeFact, DisputeState, Phase};

/// The event by which the provider requires more documents.
const MORE_WANTED: &str = "payment.dispute.action_required";

/// A dispute as an entity states it; `None` if it is none, or its state is unknown.
pub(super) fn read(entity: &Value, provider: &str, event: &Value) -> Option<Dispute> {
    let told = DisputeState::from_word(json::text(entity, "status")?)?;
    let wants_more = json::text(event, "event") == Some(MORE_WANTED) && told.is_open();
    let state = if wants_more { DisputeState::ActionRequired } else { told };
    let respond_by = json::integer(entity, "respond_by").filter(|at| *at > 0);
    Some(Dispute {
        provider: provider.to_owned(),
        id: json::text(entity, "id").and_then(json::dispute_id)?,
        payment: json::text(entity, "payment_id").and_then(json::payment_id)?,
        fact: DisputeFact {
            // An unknown round counts as a chargeback.
            phase: json::text(entity, "phase")
                .and_then(Phase::from_word)
                .unwrap_or(Phase::Chargeback),
            state,
            respond_by: respond_by.and_then(Timestamp::from_seconds),
            deducted_minor: json::integer(entity, "amount_deducted").unwrap_or(0).max(0),
            amount: json::amount(entity)?,
            reason: json::text(entity, "reason_code").map(json::word).unwrap_or_default(),
        },
    })
}

#[cfg(test)]
mod tests {
    use kernel::Timestamp;
    use serde_json::json;

    use super::read;
    use crate::domain::dispute::{DisputeState, Phase};

    #[test]
    fn a_dispute_is_read_with_its_deadline() {
        let entity = json!({
            "id": "disp_AAAAAAAAAAAAAA", "entity": "dispute", "payment_id": "pay_AAAAAAAAAAAAAA",
            "amount": 39_000, "currency": "INR", "amount_deducted": 0, "gateway_dispute_id": null,
            "reason_code": "chargeback_authorization", "respond_by": 1_600_000_000,
            "status": "open", "phase": "chargeback", "created_at": 1_590_000_000,
        });
        let told = |event: &str| read(&entity, "razorpay", &json!({ "event": event })).unwrap();
        let fact = told("payment.dispute.created").fact;
        assert_eq!((fact.state, fact.phase), (DisputeState::Open, Phase::Chargeback));
        assert_eq!(fact.respond_by.map(Timestamp::seconds), Some(1_600_000_000));
        let fact = told("payment.dispute.action_required").fact;
        assert_eq!(fact.state, DisputeState::ActionRequired);
        for (field, value) in [
            ("id", json!("disp_short")),
            ("payment_id", json!(null)),
            ("status", json!("new")),
            ("amount", json!("many")),
        ] {
            let mut entity = entity.clone();
            entity[field] = value;
            assert_eq!(read(&entity, "razorpay", &json!({})), None, "{field}");
        }
    }
}
