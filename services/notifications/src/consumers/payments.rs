//! Events of payments: a receipt was issued, a payment is disputed, or a refund was requested,
//! processed, or discovered because the practice made it on the provider's own pages.

use contract::common::v1::Money;
use contract::convert::timestamp;
use contract::payments::v1 as wire;
use eventstore::{Recorded, Tx};
use futures::future::BoxFuture;
use kernel::Id;
use kernel::id::{Booking, Receipt, Refund};
use messaging::{Reaction, ReactionError};
use serde_json::{Value, json};

use super::{declare_later_mails, id};
use crate::mails::kind::Kind;
use crate::mails::mail::{About, NewMail};
use crate::repository;

/// What this service does about an event of payments.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Mail the client that a refund has started; the payload says how much and why.
    SendRefundStarted { booking: Id<Booking>, refund: Id<Refund>, payload: Value },
    /// A failed refund is retried under another id. The client was notified already, so only the
    /// payload is stored, for the mail at its end.
    RecordRefund { booking: Id<Booking>, refund: Id<Refund>, payload: Value },
    /// Mail the client that the refund is done.
    SendRefundDone { booking: Id<Booking>, refund: Id<Refund> },
    /// Mail the practice about a dispute; the subject names the dispute, its phase and its state.
    SendDispute { booking: Id<Booking>, subject: String, payload: Value },
    /// Mail the client the receipt.
    SendReceipt { booking: Id<Booking>, receipt: Id<Receipt> },
}

/// What to do about an event; `None` when no mail follows from it.
///
/// # Errors
/// When it is one of these events and cannot be read.
pub fn step(event: &Recorded) -> Result<Option<Step>, ReactionError> {
    let step = if let Some(e) = event.get::<wire::RefundRequested>()? {
        let (booking, refund) = (id(&e.booking_id)?, id(&e.refund_id)?);
        let payload = about_money(e.amount, &e.cause)?;
        if e.renewed {
            Step::RecordRefund { booking, refund, payload }
        } else {
            Step::SendRefundStarted { booking, refund, payload }
        }
    } else if let Some(e) = event.get::<wire::RefundDiscovered>()? {
        let payload = about_money(e.amount, "discovered")?;
        Step::SendRefundStarted { booking: id(&e.booking_id)?, refund: id(&e.refund_id)?, payload }
    } else if let Some(e) = event.get::<wire::RefundProcessed>()? {
        Step::SendRefundDone { booking: id(&e.booking_id)?, refund: id(&e.refund_id)? }
    } else if let Some(e) = event.get::<wire::DisputeObserved>()? {
        return dispute(e);
    } else if let Some(e) = event.get::<wire::ReceiptIssued>()? {
        Step::SendReceipt { booking: id(&e.booking_id)?, receipt: id(&e.receipt_id)? }
    } else {
        return Ok(None);
    };
    Ok(Some(step))
}

/// The bank reviews the answer; the practice can do nothing.
const UNDER_REVIEW: &str = "under_review";

fn dispute(event: wire::DisputeObserved) -> Result<Option<Step>, ReactionError> {
    if event.state == UNDER_REVIEW {
        return Ok(None);
    }
    let amount = event.amount.ok_or_else(|| ReactionError::Failed("no amount".into()))?;
    let respond_by = event.respond_by_at.as_ref().and_then(timestamp);
    let subject = format!("{} {} {}", event.dispute_id, event.phase, event.state);
    let payload = json!({
        "dispute_id": event.dispute_id,
        "payment_id": event.payment_id,
        "dispute_state": event.state,
        "phase": event.phase,
        "respond_by": respond_by.map(|at| at.to_string()),
        "amount_minor": amount.minor_units,
        "currency": amount.currency_code,
    });
    Ok(Some(Step::SendDispute { booking: id(&event.booking_id)?, subject, payload }))
}

fn about_money(amount: Option<Money>, cause: &str) -> Result<Value, ReactionError> {
    let amount = amount.ok_or_else(|| ReactionError::Failed("no amount".into()))?;
    Ok(json!({
        "amount_minor": amount.minor_units, "currency": amount.currency_code, "cause": cause,
    }))
}

/// Handles payments' events.
#[derive(Debug, Clone, Copy)]
pub struct OnPayments;

impl Reaction for OnPayments {
    fn react<'t>(
        &'t self,
        tx: &'t mut Tx,
        event: &'t Recorded,
    ) -> BoxFuture<'t, Result<(), ReactionError>> {
        Box::pin(async move {
            declare_later_mails(tx).await?;
            match step(event)? {
                None => {}
                Some(Step::SendRefundStarted { booking, refund, payload }) => {
                    let mail = about_refund(Kind::RefundStarted, booking, refund, payload);
                    repository::queue(tx, &mail).await?;
                }
                Some(Step::RecordRefund { booking, refund, payload }) => {
                    let mail = about_refund(Kind::RefundStarted, booking, refund, payload);
                    repository::record_unsent(tx, &mail, "renewed").await?;
                }
                Some(Step::SendRefundDone { booking, refund }) => {
                    // The event of the processed refund has neither amount nor cause; the request's
                    // had.
                    let payload =
                        repository::payload(tx, Kind::RefundStarted, &refund.to_string()).await?;
                    let Some(payload) = payload else {
                        // No later event could add them, so waiting would not help.
                        tracing::warn!(%refund, "a refund was processed that nobody spoke of");
                        return Ok(());
                    };
                    let mail = about_refund(Kind::RefundDone, booking, refund, payload);
                    repository::queue(tx, &mail).await?;
                }
                Some(Step::SendDispute { booking, subject, payload }) => {
                    let about = About::Booking(booking);
                    let mail = NewMail::about(Kind::DisputeNotice, subject, about);
                    repository::queue(tx, &NewMail { payload, ..mail }).await?;
                }
                Some(Step::SendReceipt { booking, receipt }) => {
                    // The receipt belongs to payments and is fetched when the mail is sent.
                    let about = About::Booking(booking);
                    let mail = NewMail::about(Kind::Receipt, receipt.to_string(), about);
                    repository::queue(tx, &mail).await?;
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
