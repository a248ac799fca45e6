//! Events of payments: a receipt was issued, a payment is disputed, or a refund was requested,
//! accepted, processed, has failed, or was discovered because the practice made it on the
//! provider's own pages; and a client asked for a refund, or was answered.

use contract::common::v1::Money;
use contract::payments::v1 as wire;
use eventstore::{Recorded, StoreError, Tx};
use futures::future::BoxFuture;
use kernel::Id;
use kernel::id::{Booking, Refund};
use messaging::{Reaction, ReactionError};
use serde_json::{Value, json};

use super::declare_later_mails;
use crate::mails::declaration::id;
use crate::mails::kind::Kind;
use crate::mails::kinds::asked_by;
use crate::mails::mail::{About, NewMail};
use crate::mails::payload::{AT_DESK, BY_BANK, OWED, REFUND_FAILED, RENEWS};
use crate::repository;

/// What this service does about an event of payments.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// A refund is requested: its payload, which says how much and why, is stored for the mails to
    /// come. It names the refund in whose place this one was requested, if any.
    RecordRefund { booking: Id<Booking>, refund: Id<Refund>, payload: Value },
    /// The provider took it: mail the client that it is on its way.
    AnnounceRefund { refund: Id<Refund> },
    /// Mail the client about a refund that the provider has nothing to take of: the practice made
    /// it elsewhere, or gives it back at its desk.
    SendRefundStarted { booking: Id<Booking>, refund: Id<Refund>, payload: Value },
    /// Mail the client, and the practice unless the bank has given the money, that a refund failed
    /// for good.
    SendRefundFailed { booking: Id<Booking>, subject: String, payload: Value },
    /// Mail the client that the refund is done.
    SendRefundDone { booking: Id<Booking>, refund: Id<Refund> },
    /// Queue the mails that ask for nothing else.
    Queue(Vec<NewMail>),
}

/// What to do about an event; `None` when no mail follows from it.
///
/// # Errors
/// When it is one of these events and cannot be read.
pub fn step(event: &Recorded) -> Result<Option<Step>, ReactionError> {
    let step = if let Some(e) = event.get::<wire::RefundRequested>()? {
        let (booking, refund) = (id(&e.booking_id)?, id(&e.refund_id)?);
        let mut payload = about_money(e.amount, &e.cause)?;
        if let Some(told) = payload.as_object_mut().filter(|_| e.renewed) {
            told.insert(RENEWS.to_owned(), Value::String(e.renews_refund_id));
        }
        if contract::desk::way_of(&e.payment_id).is_some() {
            payload.as_object_mut().map(|told| told.insert(AT_DESK.to_owned(), true.into()));
            return Ok(Some(Step::SendRefundStarted { booking, refund, payload }));
        }
        Step::RecordRefund { booking, refund, payload }
    } else if let Some(e) = event.get::<wire::RefundAccepted>()? {
        Step::AnnounceRefund { refund: id(&e.refund_id)? }
    } else if let Some(e) = event.get::<wire::RefundFailed>()? {
        return refund_failed(e);
    } else if let Some(e) = event.get::<wire::RefundDiscovered>()? {
        let payload = about_money(e.amount, "discovered")?;
        Step::SendRefundStarted { booking: id(&e.booking_id)?, refund: id(&e.refund_id)?, payload }
    } else if let Some(e) = event.get::<wire::RefundProcessed>()? {
        Step::SendRefundDone { booking: id(&e.booking_id)?, refund: id(&e.refund_id)? }
    } else {
        Step::Queue(asked_by(event)?)
    };
    Ok(Some(step))
}

/// Another refund was faster.
const OVERTAKEN: &str = "overtaken";
/// The payer's bank has given the money by a dispute.
const LOST: &str = "lost_to_a_dispute";

/// A rest of less than the provider's least, of which no mail speaks.
const TOO_SMALL: &str = "below_the_least";

/// An event of a release before `final` does not say whether it is the last word: then booking
/// knows whether anything is owed, and one mail for the booking tells it.
fn refund_failed(event: wire::RefundFailed) -> Result<Option<Step>, ReactionError> {
    let by_bank = event.reason == LOST || event.given_by_bank.is_some();
    let is_of_before = event.amount.is_none();
    let is_untold = [OVERTAKEN, TOO_SMALL].contains(&event.reason.as_str());
    if is_untold || !(event.r#final || by_bank || is_of_before) {
        return Ok(None);
    }
    let subject = if is_of_before { event.booking_id.clone() } else { event.refund_id };
    let payload = json!({ REFUND_FAILED: if by_bank { BY_BANK } else { OWED } });
    Ok(Some(Step::SendRefundFailed { booking: id(&event.booking_id)?, subject, payload }))
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
                    repository::record_refund(tx, &mail).await?;
                }
                Some(Step::AnnounceRefund { refund }) => {
                    repository::announce_refund(tx, &refund.to_string()).await?;
                }
                Some(Step::SendRefundFailed { booking, subject, payload }) => {
                    let subject = subject_of_failure(tx, subject, &payload).await?;
                    for mail in refund_failed_mails(booking, &subject, &payload) {
                        repository::queue(tx, &mail).await?;
                    }
                }
                Some(Step::SendRefundDone { booking, refund }) => {
                    // The event of the processed refund has neither amount nor cause; the request's
                    // had.
                    let payload =
                        repository::payload(tx, Kind::RefundStarted, &refund.to_string()).await?;
                    let Some(payload) = payload else {
                        // No later event could add them, so waiting would not help.
                        tracing::warn!(%refund, "an unannounced refund was processed");
                        return Ok(());
                    };
                    let mail = about_refund(Kind::RefundDone, booking, refund, payload);
                    repository::queue(tx, &mail).await?;
                }
                Some(Step::Queue(mails)) => {
                    for mail in &mails {
                        repository::queue(tx, mail).await?;
                    }
                }
            }
            Ok(())
        })
    }

    /// 1: with refunds that were accepted and that failed. 2: with requests for refunds.
    fn release(&self) -> &'static str {
        "2"
    }
}

/// What was said to be owed, and the payer's bank gave then, is told by a mail of its own. An event
/// of a release before names the booking, of which one mail tells.
async fn subject_of_failure(
    tx: &mut Tx,
    subject: String,
    payload: &Value,
) -> Result<String, StoreError> {
    let says =
        |told: &Value, word: &str| told.get(REFUND_FAILED).and_then(Value::as_str) == Some(word);
    if !says(payload, BY_BANK) || subject.parse::<Id<Refund>>().is_err() {
        return Ok(subject);
    }
    let before = repository::payload(tx, Kind::RefundFailed, &subject).await?;
    let was_owed = before.is_some_and(|before| says(&before, OWED));
    Ok(if was_owed { format!("{subject} bank") } else { subject })
}

/// The mails about a refund that failed for good.
#[must_use]
pub fn refund_failed_mails(booking: Id<Booking>, subject: &str, payload: &Value) -> Vec<NewMail> {
    let is_owed = payload.get(REFUND_FAILED).and_then(Value::as_str) == Some(OWED);
    let practice = is_owed.then_some(Kind::RefundFailedNotice);
    let kinds = std::iter::once(Kind::RefundFailed).chain(practice);
    let mail = |kind| NewMail::about(kind, subject.to_owned(), About::Booking(booking));
    kinds.map(|kind| mail(kind).with_payload(payload.clone())).collect()
}

fn about_refund(kind: Kind, booking: Id<Booking>, refund: Id<Refund>, payload: Value) -> NewMail {
    NewMail { kind, subject: refund.to_string(), about: About::Booking(booking), payload }
}
