//! From payments: money that arrived or did not. Whatever happens to money, each step here has its
//! counterpart: confirmed or unplaced, extended or left to run out.

use std::sync::Arc;

use contract::common::v1 as common;
use contract::payments::v1 as payments;
use eventstore::{Recorded, Tx};
use futures::future::BoxFuture;
use kernel::Id;
use kernel::id::Booking;
use messaging::{Reaction, ReactionError};

use crate::app::Desk;
use crate::app::claim_payment::claim_payment;
use crate::app::confirm_booking::confirm_booking;
use crate::domain::booking::PaymentId;
use crate::read_model::learn::{self, Refund};

/// What an event of payments asks of this service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Step {
    /// Confirm, place again, or leave unplaced. So many minor units were captured.
    Confirm { id: Id<Booking>, payment: PaymentId, minor: Option<i64> },
    /// Extend the hold, once.
    Claim { id: Id<Booking> },
    /// Show that the attempt failed.
    AttemptFailed { id: Id<Booking> },
    /// Show that money is on its way back.
    RefundRequested { id: Id<Booking>, refund: Refund },
    /// Show that it came back.
    RefundProcessed { id: Id<Booking>, refund_id: String },
}

/// What to do about an event; `None` when it does not concern bookings.
///
/// # Errors
/// When it is one of ours by name and cannot be read.
pub fn step(event: &Recorded) -> Result<Option<Step>, ReactionError> {
    let step = if let Some(e) = event.get::<payments::PaymentVerified>()? {
        let minor = e.amount.map(|amount| amount.minor_units);
        Step::Confirm { id: booking(&e.booking_id)?, payment: PaymentId(e.payment_id), minor }
    } else if let Some(e) = event.get::<payments::PaymentClaimed>()? {
        Step::Claim { id: booking(&e.booking_id)? }
    } else if let Some(e) = event.get::<payments::PaymentFailed>()? {
        Step::AttemptFailed { id: booking(&e.booking_id)? }
    } else if let Some(e) = event.get::<payments::RefundRequested>()? {
        let refund = refund(e.refund_id, e.payment_id, e.amount);
        Step::RefundRequested { id: booking(&e.booking_id)?, refund }
    } else if let Some(e) = event.get::<payments::RefundDiscovered>()? {
        let refund = refund(e.refund_id, e.payment_id, e.amount);
        Step::RefundRequested { id: booking(&e.booking_id)?, refund }
    } else if let Some(e) = event.get::<payments::RefundProcessed>()? {
        Step::RefundProcessed { id: booking(&e.booking_id)?, refund_id: e.refund_id }
    } else {
        return Ok(None);
    };
    Ok(Some(step))
}

fn refund(refund_id: String, payment_id: String, amount: Option<common::Money>) -> Refund {
    let minor = amount.map(|amount| amount.minor_units).unwrap_or_default();
    Refund { refund_id, payment_id, minor }
}

pub(super) fn booking(text: &str) -> Result<Id<Booking>, ReactionError> {
    text.parse().map_err(|error: kernel::id::InvalidId| ReactionError::Failed(error.into()))
}

/// Takes payments' events in.
#[derive(Debug, Clone)]
pub struct OnPayments {
    desk: Arc<Desk>,
}

impl OnPayments {
    /// Works at this desk.
    #[must_use]
    pub fn new(desk: Arc<Desk>) -> Self {
        Self { desk }
    }
}

impl Reaction for OnPayments {
    fn react<'t>(
        &'t self,
        tx: &'t mut Tx,
        event: &'t Recorded,
    ) -> BoxFuture<'t, Result<(), ReactionError>> {
        Box::pin(async move {
            match step(event)? {
                None => {}
                Some(Step::Confirm { id, payment, minor }) => {
                    confirm_booking(tx, &self.desk, id, (payment, minor)).await?;
                }
                Some(Step::Claim { id }) => claim_payment(tx, &self.desk, id).await?,
                Some(Step::AttemptFailed { id }) => learn::attempt_failed(tx, id).await?,
                Some(Step::RefundRequested { id, refund }) => {
                    learn::refund_requested(tx, id, &refund).await?;
                }
                Some(Step::RefundProcessed { id, refund_id }) => {
                    learn::refund_processed(tx, id, &refund_id).await?;
                }
            }
            Ok(())
        })
    }
}
