//! The practice's notice of a dispute.

use contract::convert::timestamp;
use contract::payments::v1::DisputeObserved;
use eventstore::Recorded;
use messaging::ReactionError;
use serde_json::json;

use crate::mails::declaration::{Declaration, id};
use crate::mails::kind::Kind;
use crate::mails::mail::{About, NewMail};
use crate::templates::render::samples::figures::PRICE;
use crate::templates::render::samples::{Form, Typed, online};

/// The declaration.
pub(super) const MAIL: Declaration = Declaration { asked_by, samples, ..Declaration::TO_PRACTICE };

/// The bank reviews the answer; the practice can do nothing.
const UNDER_REVIEW: &str = "under_review";

/// The subject names the dispute, its phase and its state.
fn asked_by(event: &Recorded) -> Result<Option<NewMail>, ReactionError> {
    let Some(e) = event.get::<DisputeObserved>()? else { return Ok(None) };
    if e.state == UNDER_REVIEW {
        return Ok(None);
    }
    let amount = e.amount.ok_or_else(|| ReactionError::Failed("no amount".into()))?;
    let respond_by = e.respond_by_at.as_ref().and_then(timestamp);
    let subject = format!("{} {} {}", e.dispute_id, e.phase, e.state);
    let payload = json!({
        "dispute_id": e.dispute_id,
        "payment_id": e.payment_id,
        "dispute_state": e.state,
        "phase": e.phase,
        "respond_by": respond_by.map(|at| at.to_string()),
        "amount_minor": amount.minor_units,
        "currency": amount.currency_code,
    });
    let about = About::Booking(id(&e.booking_id)?);
    Ok(Some(NewMail::about(Kind::DisputeNotice, subject, about).with_payload(payload)))
}

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
