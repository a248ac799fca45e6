//! From payments: money goes back, or has gone back.

use contract::payments::v1 as wire;
use eventstore::{Recorded, Tx};
use futures::future::BoxFuture;
use kernel::Id;
use kernel::id::{Booking, Refund};
use messaging::{Reaction, ReactionError};
use serde_json::{Value, json};

use super::id;
use crate::mail::{About, Kind, NewMail};
use crate::store;

/// What an event of payments asks of this service.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Tell the customer that money is on its way back; what is kept of it says how much and why.
    TellStarted { booking: Id<Booking>, refund: Id<Refund>, kept: Value },
    /// Tell the customer that it is back.
    TellDone { booking: Id<Booking>, refund: Id<Refund> },
}

/// What to do about an event; `None` when no mail follows from it.
///
/// # Errors
/// When it is one of these by name and cannot be read.
pub fn step(event: &Recorded) -> Result<Option<Step>, ReactionError> {
    let step = if let Some(e) = event.get::<wire::RefundRequested>()? {
        let amount = e.amount.ok_or_else(|| ReactionError::Failed("no amount".into()))?;
        let kept = json!({
            "amount_minor": amount.minor_units, "currency": amount.currency_code, "cause": e.cause,
        });
        Step::TellStarted { booking: id(&e.booking_id)?, refund: id(&e.refund_id)?, kept }
    } else if let Some(e) = event.get::<wire::RefundProcessed>()? {
        Step::TellDone { booking: id(&e.booking_id)?, refund: id(&e.refund_id)? }
    } else {
        return Ok(None);
    };
    Ok(Some(step))
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
            match step(event)? {
                None => {}
                Some(Step::TellStarted { booking, refund, kept }) => {
                    let mail = about_refund(Kind::RefundStarted, booking, refund, kept);
                    store::queue(tx, &mail).await?;
                }
                Some(Step::TellDone { booking, refund }) => {
                    // The processed refund's event says neither amount nor cause; the request's
                    // did.
                    let kept = store::payload(tx, Kind::RefundStarted, &refund.to_string()).await?;
                    let kept = kept.ok_or_else(|| {
                        ReactionError::Failed("a refund was processed that nobody requested".into())
                    })?;
                    let mail = about_refund(Kind::RefundDone, booking, refund, kept);
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
