//! The consumer of booking's events: a booking's owner, trace and status; and what follows for its
//! money when it was placed, could not be placed, was cancelled, or took place.

use std::sync::Arc;

use contract::booking::v1 as booking;
use contract::common::v1::Money;
use eventstore::{Recorded, Tx};
use futures::future::BoxFuture;
use kernel::Id;
use kernel::id::{Booking, Kind};
use messaging::{Reaction, ReactionError};

use crate::app::apply_booking_intent::apply_booking_intent;
use crate::app::issue_receipt::issue_or_postpone;
use crate::domain::booking_intent::Step;
use crate::domain::booking_status::BookingStatus;
use crate::domain::collection::Command;
use crate::domain::fact::{Amount, PaymentId};
use crate::domain::link::Withdrawal;
use crate::domain::receipt::Issuer;
use crate::domain::session_ends::SessionEnd;
use crate::read_model::{project, query};
use crate::repository::LockedCollection;

/// The step for an event; `None` if it does not concern money.
///
/// # Errors
/// When it is one of ours by name and cannot be read.
pub fn step(event: &Recorded) -> Result<Option<Step>, ReactionError> {
    if let Some(e) = event.get::<booking::BookingRequested>()? {
        let customer_id = parse(&e.customer_id)?;
        return Ok(Some(Step::RecordBooking { id: parse(&e.booking_id)?, customer_id }));
    }
    if let Some(e) = event.get::<booking::BookingAdopted>()? {
        let adopter_id = parse(&e.customer_id)?;
        return Ok(Some(Step::RecordAdopter { id: parse(&e.booking_id)?, adopter_id }));
    }
    if let Some(e) = event.get::<booking::BookingUnplaced>()? {
        let payment = payment_of(&e.payment_id)?.ok_or_else(invalid_payment)?;
        return Ok(Some(Step::Refund { id: parse(&e.booking_id)?, payment }));
    }
    if let Some(e) = event.get::<booking::BookingCancelled>()? {
        let refund = e.refund.unwrap_or_default();
        let refund = Amount { minor: refund.minor_units, currency: refund.currency_code };
        return Ok(Some(Step::Cancel { id: parse(&e.booking_id)?, refund }));
    }
    if let Some(e) = event.get::<booking::BookingPaid>()? {
        let payment = payment_of(&e.payment_id)?;
        return Ok(Some(Step::Keep { id: parse(&e.booking_id)?, payment }));
    }
    if let Some(e) = event.get::<booking::BookingSessionCompleted>()? {
        let end = SessionEnd { share_minor: minor(e.share), refund_minor: None };
        let (id, number) = (parse(&e.booking_id)?, e.session_number);
        return Ok(Some(Step::EndSession { id, number, end, with_all: false }));
    }
    if let Some(e) = event.get::<booking::BookingSessionCancelled>()? {
        let refund_minor = Some(minor(e.refund));
        let end = SessionEnd { share_minor: minor(e.share), refund_minor };
        let (id, number) = (parse(&e.booking_id)?, e.session_number);
        return Ok(Some(Step::EndSession { id, number, end, with_all: e.with_all }));
    }
    if let Some(e) = event.get::<booking::BookingCompleted>()? {
        return Ok(Some(Step::Complete { id: parse(&e.booking_id)? }));
    }
    let recorded = if let Some(e) = event.get::<booking::BookingConfirmed>()? {
        if let Some(payment) = payment_of(&e.payment_id)? {
            return Ok(Some(Step::Place { id: parse(&e.booking_id)?, payment }));
        }
        Some((e.booking_id, BookingStatus::Confirmed))
    } else if let Some(e) = event.get::<booking::BookingExpired>()? {
        Some((e.booking_id, BookingStatus::Expired))
    } else {
        let released = event.get::<booking::BookingReleased>()?;
        released.map(|e| (e.booking_id, BookingStatus::Released))
    };
    recorded.map(|(id, status)| Ok(Step::RecordStatus { id: parse(&id)?, status })).transpose()
}

fn minor(amount: Option<Money>) -> i64 {
    amount.map_or(0, |amount| amount.minor_units)
}

/// The payment that an event names; none when it names none.
fn payment_of(text: &str) -> Result<Option<PaymentId>, ReactionError> {
    if text.is_empty() {
        return Ok(None);
    }
    PaymentId::parse(text).map(Some).ok_or_else(invalid_payment)
}

fn invalid_payment() -> ReactionError {
    ReactionError::Failed("not the id of a payment".into())
}

fn parse<K: Kind>(text: &str) -> Result<Id<K>, ReactionError> {
    text.parse().map_err(|error: kernel::id::InvalidId| ReactionError::Failed(error.into()))
}

/// The consumer of booking's events.
pub const ON_BOOKING: &str = "payments-on-booking";

/// Handles booking's events.
#[derive(Debug, Clone)]
pub struct OnBooking {
    issuer: Arc<Issuer>,
}

impl Reaction for OnBooking {
    fn react<'t>(
        &'t self,
        tx: &'t mut Tx,
        event: &'t Recorded,
    ) -> BoxFuture<'t, Result<(), ReactionError>> {
        Box::pin(async move {
            project::declare_receipt_support(tx).await?;
            match step(event)? {
                Some(step) => self.handle(tx, event, step).await,
                None => Ok(()),
            }
        })
    }
}

impl OnBooking {
    /// A handler that issues receipts as this issuer.
    #[must_use]
    pub fn new(issuer: Arc<Issuer>) -> Self {
        Self { issuer }
    }

    async fn handle(&self, tx: &mut Tx, event: &Recorded, step: Step) -> Result<(), ReactionError> {
        match &step {
            Step::RecordBooking { id, customer_id } => {
                let trace = event.metadata.traceparent.as_deref();
                project::known_booking(tx, *id, *customer_id, trace).await?;
            }
            Step::RecordAdopter { id, adopter_id } => {
                // Its request was taken in before, or is parked: then this one follows it.
                if !project::adopted_booking(tx, *id, *adopter_id).await? {
                    return Err(ReactionError::Failed("the booking is not known".into()));
                }
            }
            Step::RecordStatus { id, status } => record_status(tx, *id, *status).await?,
            Step::Place { id, payment } | Step::Refund { id, payment } => {
                let is_recorded = self.apply_intent(tx, *id, &step).await?;
                ensure_known(tx, *id, payment, is_recorded).await?;
            }
            Step::EndSession { id, with_all: true, .. } => {
                let intent = step.intent_after(query::booking_intent(tx.connection(), *id).await?);
                project::booking_intent(tx, *id, &intent).await?;
            }
            Step::Cancel { id, .. }
            | Step::Keep { id, .. }
            | Step::EndSession { id, .. }
            | Step::Complete { id } => {
                self.apply_intent(tx, *id, &step).await?;
            }
        }
        Ok(())
    }

    /// Stores booking's intent, applies it to the money that is here, and issues the receipt that
    /// is due if possible; returns whether the intent is stored.
    async fn apply_intent(
        &self,
        tx: &mut Tx,
        id: Id<Booking>,
        step: &Step,
    ) -> Result<bool, ReactionError> {
        let intent = step.intent_after(query::booking_intent(tx.connection(), id).await?);
        let is_recorded = project::booking_intent(tx, id, &intent).await?;
        let mut locked = LockedCollection::load(tx, id).await?;
        apply_booking_intent(tx, &mut locked, &intent).await?;
        withdraw_links(tx, &mut locked, intent.status).await?;
        issue_or_postpone(tx, &self.issuer, &locked, &intent).await?;
        Ok(is_recorded)
    }
}

/// Records a booking's status. The collection is locked first, so that a link that is created at
/// this moment is either seen here, or sees that the booking has ended.
async fn record_status(
    tx: &mut Tx,
    id: Id<Booking>,
    status: BookingStatus,
) -> Result<(), ReactionError> {
    if status.takes_money() {
        return Ok(project::booking_state(tx, id, status).await?);
    }
    let mut locked = LockedCollection::load(tx, id).await?;
    project::booking_state(tx, id, status).await?;
    withdraw_links(tx, &mut locked, status).await
}

/// Withdraws the payment links of a booking that is over; a timer cancels them at the provider.
/// What is paid by them all the same takes the way of late money.
async fn withdraw_links(
    tx: &mut Tx,
    locked: &mut LockedCollection,
    status: BookingStatus,
) -> Result<(), ReactionError> {
    if status.takes_money() || locked.collection().is_none() {
        return Ok(());
    }
    locked.apply(tx, Command::WithdrawLinks { why: Withdrawal::Ended }).await?;
    Ok(())
}

/// Fails for an event if neither the booking nor the payment is known: otherwise that money would
/// never be refunded, and its receipt never issued.
async fn ensure_known(
    tx: &mut Tx,
    id: Id<Booking>,
    payment: &PaymentId,
    is_recorded: bool,
) -> Result<(), ReactionError> {
    if is_recorded {
        return Ok(());
    }
    let locked = LockedCollection::load(tx, id).await?;
    if locked.collection().is_some_and(|known| known.payments.contains_key(payment)) {
        return Ok(());
    }
    Err(ReactionError::Failed("neither the booking nor its payment is known".into()))
}
