//! The practice's notice of a dispute.

use serde_json::json;

use crate::mails::declaration::Declaration;
use crate::templates::render::samples::figures::PRICE;
use crate::templates::render::samples::{Form, Typed, online};

/// The declaration.
pub(super) const MAIL: Declaration = Declaration { samples, ..Declaration::TO_PRACTICE };

fn samples(typed: &Typed) -> Vec<Form> {
    ["open", "action_required", "won", "lost", "closed"]
        .into_iter()
        .map(|state| {
            let payload = json!({
                "dispute_id": "disp_AAAAAAAAAAAAAA", "payment_id": "pay_AAAAAAAAAAAAAA",
                "dispute_state": state, "phase": "pre_arbitration",
                "respond_by": "2026-11-27T12:30:00Z", "amount_minor": PRICE, "currency": "INR",
            });
            (state, online(typed, ""), payload)
        })
        .collect()
}
