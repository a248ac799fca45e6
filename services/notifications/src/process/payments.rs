//! From payments: a receipt was issued; a payment is disputed; money goes back, or has gone back,
//! by our refunds or by one that the practice made on the provider's own pages.

use contract::common::v1::Money;
use contract::convert::timestamp;
use contract::payments::v1 as wire;
use eventstore::{Recorded, Tx};
use futures::future::BoxFuture;
use kernel::Id;
use kernel::id::{Booking, Receipt, Refund};
use messaging::{Reaction, ReactionError};
use serde_json::{Value, json};

use super::{id, knows_later_mails};
use crate::mail::{About, Kind, NewMail};
use crate::store;

/// What an event of payments asks of this service.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Tell the customer that money is on its way back; what is kept of it says how much and why.
    TellStarted { booking: Id<Booking>, refund: Id<Refund>, kept: Value },
    /// A refund that failed is tried anew under another id. The customer was told already, so only
    /// what its end has to say is kept.
    Keep { booking: Id<Booking>, refund: Id<Refund>, kept: Value },
    /// Tell the customer that it is back.
    TellDone { booking: Id<Booking>, refund: Id<Refund> },
    /// Tell the practice of a dispute; the subject names it and how it stands.
    TellDispute { booking: Id<Booking>, subject: String, kept: Value },
    /// Send the customer the receipt.
    SendReceipt { booking: Id<Booking>, receipt: Id<Receipt> },
}

/// What to do about an event; `None` when no mail follows from it.
///
/// # Errors
/// When it is one of these by name and cannot be read.
pub fn step(event: &Recorded) -> Result<Option<Step>, ReactionError> {
    let step = if let Some(e) = event.get::<wire::RefundRequested>()? {
        let (booking, refund) = (id(&e.booking_id)?, id(&e.refund_id)?);
        let kept = about_money(e.amount, &e.cause)?;
        if e.renewed {
            Step::Keep { booking, refund, kept }
        } else {
            Step::TellStarted { booking, refund, kept }
        }
    } else if let Some(e) = event.get::<wire::RefundDiscovered>()? {
        let kept = about_money(e.amount, "discovered")?;
        Step::TellStarted { booking: id(&e.booking_id)?, refund: id(&e.refund_id)?, kept }
    } else if let Some(e) = event.get::<wire::RefundProcessed>()? {
        Step::TellDone { booking: id(&e.booking_id)?, refund: id(&e.refund_id)? }
    } else if let Some(e) = event.get::<wire::DisputeObserved>()? {
        return dispute(e);
    } else if let Some(e) = event.get::<wire::ReceiptIssued>()? {
        Step::SendReceipt { booking: id(&e.booking_id)?, receipt: id(&e.receipt_id)? }
    } else {
        return Ok(None);
    };
    Ok(Some(step))
}

/// The bank reads an answer without anything that the practice could do.
const UNDER_REVIEW: &str = "under_review";

fn dispute(event: wire::DisputeObserved) -> Result<Option<Step>, ReactionError> {
    if event.state == UNDER_REVIEW {
        return Ok(None);
    }
    let amount = event.amount.ok_or_else(|| ReactionError::Failed("no amount".into()))?;
    let respond_by = event.respond_by_at.as_ref().and_then(timestamp);
    let subject = format!("{} {} {}", event.dispute_id, event.phase, event.state);
    let kept = json!({
        "dispute_id": event.dispute_id,
        "payment_id": event.payment_id,
        "dispute_state": event.state,
        "phase": event.phase,
        "respond_by": respond_by.map(|at| at.to_string()),
        "amount_minor": amount.minor_units,
        "currency": amount.currency_code,
    });
    Ok(Some(Step::TellDispute { booking: id(&event.booking_id)?, subject, kept }))
}

fn about_money(amount: Option<Money>, cause: &str) -> Result<Value, ReactionError> {
    let amount = amount.ok_or_else(|| ReactionError::Failed("no amount".into()))?;
    Ok(json!({
        "amount_minor": amount.minor_units, "currency": amount.currency_code, "cause": cause,
    }))
}

/// Takes payments' events in.
#[derive(Debug, Clone, Copy)]
pub struct OnPayments;

impl Reaction for OnPayments {
    fn react<'t>(
        &'t self,
        tx: &'t mut Tx,
        event: &'t Recorded,
    ) -> BoxFuture<'t, Result<(), ReactionError>> {
        Box::pin(async move {
            knows_later_mails(tx).await?;
            match step(event)? {
                None => {}
                Some(Step::TellStarted { booking, refund, kept }) => {
                    let mail = about_refund(Kind::RefundStarted, booking, refund, kept);
                    store::queue(tx, &mail).await?;
                }
                Some(Step::Keep { booking, refund, kept }) => {
                    let mail = about_refund(Kind::RefundStarted, booking, refund, kept);
                    store::keep_unsent(tx, &mail, "renewed").await?;
                }
                Some(Step::TellDone { booking, refund }) => {
                    // The processed refund's event says neither amount nor cause; the request's
                    // did.
                    let kept = store::payload(tx, Kind::RefundStarted, &refund.to_string()).await?;
                    let Some(kept) = kept else {
                        // No later event could tell more, so waiting would help nobody.
                        tracing::warn!(%refund, "a refund was processed that nobody spoke of");
                        return Ok(());
                    };
                    let mail = about_refund(Kind::RefundDone, booking, refund, kept);
                    store::queue(tx, &mail).await?;
                }
                Some(Step::TellDispute { booking, subject, kept }) => {
                    let about = About::Booking(booking);
                    let mail = NewMail::about(Kind::DisputeNotice, subject, about);
                    store::queue(tx, &NewMail { payload: kept, ..mail }).await?;
                }
                Some(Step::SendReceipt { booking, receipt }) => {
                    // What it says is payments' own and asked for when it is sent.
                    let about = About::Booking(booking);
                    let mail = NewMail::about(Kind::Receipt, receipt.to_string(), about);
                    store::queue(tx, &mail).await?;
                }
            }
            Ok(())
        })
    }
}

fn about_refund(kind: Kind, booking: Id<Booking>, refund: Id<Refund>, payload: Value) -> NewMail {
    NewMail {
        kind,
        subject: refund.to_string(),
        about: About::Booking(booking),
        payload,
        waits_for_link: false,
    }
}
