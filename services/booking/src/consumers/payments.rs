//! Events of payments. Each has its counterpart here: confirmed or unplaced, hold extended or
//! expired.

use std::sync::Arc;

use contract::common::v1 as common;
use contract::payments::v1 as payments;
use eventstore::{Recorded, Tx};
use futures::future::BoxFuture;
use kernel::Id;
use kernel::id::Booking;
use messaging::{Reaction, ReactionError};

use crate::app::App;
use crate::app::claim_payment::claim_payment;
use crate::app::confirm_booking::confirm_booking;
use crate::domain::booking::PaymentId;
use crate::read_model::external_facts;
use crate::read_model::refunds::{self, Failure, Refund};

/// The action that an event of payments requires.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Action {
    /// Confirm, reinstate or leave unplaced. `minor` is the captured amount in minor units.
    Confirm { id: Id<Booking>, payment: PaymentId, minor: Option<i64> },
    /// Extend the hold, once.
    Claim { id: Id<Booking> },
    /// Record a failed attempt.
    AttemptFailed { id: Id<Booking> },
    /// Record a requested refund.
    RefundRequested { id: Id<Booking>, refund: Refund },
    /// Record a processed refund.
    RefundProcessed { id: Id<Booking>, refund_id: String },
    /// Record a failed refund.
    RefundFailed { id: Id<Booking>, failure: Failure },
}

/// The action for an event; `None` when it does not concern bookings.
///
/// # Errors
/// When the event's type is known but its content cannot be read.
pub fn action_for(event: &Recorded) -> Result<Option<Action>, ReactionError> {
    let action = if let Some(e) = event.get::<payments::PaymentVerified>()? {
        let (id, minor) = (booking(&e.booking_id)?, minor(e.amount));
        Action::Confirm { id, payment: PaymentId(e.payment_id), minor }
    } else if let Some(e) = event.get::<payments::PaymentClaimed>()? {
        Action::Claim { id: booking(&e.booking_id)? }
    } else if let Some(e) = event.get::<payments::PaymentFailed>()? {
        Action::AttemptFailed { id: booking(&e.booking_id)? }
    } else if let Some(e) = event.get::<payments::RefundRequested>()? {
        let refund = Refund {
            refund_id: e.refund_id,
            payment_id: e.payment_id,
            minor: minor(e.amount).unwrap_or_default(),
            cause: e.cause,
            renews: Some(e.renews_refund_id).filter(|renewed| !renewed.is_empty()),
        };
        Action::RefundRequested { id: booking(&e.booking_id)?, refund }
    } else if let Some(e) = event.get::<payments::RefundDiscovered>()? {
        let refund = Refund {
            refund_id: e.refund_id,
            payment_id: e.payment_id,
            minor: minor(e.amount).unwrap_or_default(),
            cause: "elsewhere".to_owned(),
            renews: None,
        };
        Action::RefundRequested { id: booking(&e.booking_id)?, refund }
    } else if let Some(e) = event.get::<payments::RefundFailed>()? {
        let failure = Failure {
            refund_id: e.refund_id,
            reason: e.reason,
            is_final: e.r#final,
            // An event of before names no amount, nor what the bank gave.
            bank_minor: e.amount.map(|_| minor(e.given_by_bank).unwrap_or_default()),
        };
        Action::RefundFailed { id: booking(&e.booking_id)?, failure }
    } else if let Some(e) = event.get::<payments::RefundProcessed>()? {
        Action::RefundProcessed { id: booking(&e.booking_id)?, refund_id: e.refund_id }
    } else {
        return Ok(None);
    };
    Ok(Some(action))
}

fn minor(amount: Option<common::Money>) -> Option<i64> {
    amount.map(|amount| amount.minor_units)
}

pub(super) fn booking(text: &str) -> Result<Id<Booking>, ReactionError> {
    text.parse().map_err(|error: kernel::id::InvalidId| ReactionError::Failed(error.into()))
}

/// Handles events of payments.
#[derive(Debug, Clone)]
pub struct OnPayments {
    app: Arc<App>,
}

impl OnPayments {
    /// A handler that uses this app.
    #[must_use]
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}

impl Reaction for OnPayments {
    fn react<'t>(
        &'t self,
        tx: &'t mut Tx,
        event: &'t Recorded,
    ) -> BoxFuture<'t, Result<(), ReactionError>> {
        Box::pin(async move {
            let action = action_for(event)?;
            // By a clock that is a day ahead, the hold is over and the session, too: the money
            // would go back for good. It waits as the timers do.
            if matches!(action, Some(Action::Confirm { .. }))
                && self.app.store.has_clock_stepped(tx).await?
            {
                return Err(ReactionError::Later("the database's clock has stepped".into()));
            }
            match action {
                None => {}
                Some(Action::Confirm { id, payment, minor }) => {
                    confirm_booking(tx, &self.app, id, (payment, minor)).await?;
                }
                Some(Action::Claim { id }) => claim_payment(tx, &self.app, id).await?,
                Some(Action::AttemptFailed { id }) => {
                    external_facts::attempt_failed(tx, id).await?;
                }
                Some(Action::RefundRequested { id, refund }) => {
                    refunds::requested(tx, id, (&refund, event.recorded_at)).await?;
                }
                Some(Action::RefundProcessed { id, refund_id }) => {
                    refunds::processed(tx, id, (&refund_id, event.recorded_at)).await?;
                }
                Some(Action::RefundFailed { id, failure }) => {
                    refunds::failed(tx, id, (&failure, event.recorded_at)).await?;
                }
            }
            Ok(())
        })
    }

    /// 1: with refunds that failed, and all refunds as rows.
    fn release(&self) -> &'static str {
        "1"
    }
}
