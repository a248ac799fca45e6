//! Events of booking: a booking was confirmed or cancelled, its meeting room exists, its session is
//! over, or its hold ended.

use contract::booking::v1 as wire;
use contract::booking::v1::CancelledBy;
use contract::common::v1::Money;
use eventstore::{Recorded, Tx};
use futures::future::BoxFuture;
use kernel::id::{Booking, StaffInvitation};
use kernel::{Id, Timestamp};
use messaging::{Reaction, ReactionError};
use practice::Mails;
use serde_json::{Value, json};

use super::{declare_later_mails, id};
use crate::mails::kind::Kind;
use crate::mails::mail::{About, NewMail};
use crate::mails::payload::{BOOKED_AT, REFUNDED_BEFORE, RENEWED, SECOND};
use crate::repository;

/// What this service does about an event of booking.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Mail the client and the practice, and remind the client later. The payload says whether the
    /// practice accepted the client's claim of a payment.
    Confirm { booking: Id<Booking>, payload: Value, booked_at: Timestamp },
    /// The meeting link is known.
    SendLink(Id<Booking>),
    /// Mail the practice that a session has no room; of a package with the session's number.
    SendRoomMissing { booking: Id<Booking>, number: Option<usize> },
    /// Mail the client how to book again.
    SendHoldEnded(Id<Booking>),
    /// Mail the client and the practice; the payload says who cancelled, when, how much is
    /// refunded, and whether the booking was unpaid.
    SendCancellation { booking: Id<Booking>, payload: Value },
    /// The same for one session of a package.
    SendSessionCancellation { booking: Id<Booking>, number: usize, payload: Value },
    /// Mail the client of a booking by phone the address of its page; each request once.
    SendPage { booking: Id<Booking>, number: i64, renewed: bool },
    /// Mail the client of a booking by phone a code for the consent; each request once.
    SendConsentCode { booking: Id<Booking>, number: i64 },
    /// Mail an invitation to the practice's staff; each request once.
    SendInvitation { invitation: Id<StaffInvitation>, number: i64 },
    /// Thank the client some time after the session, and ask for a review.
    FollowUp(Id<Booking>),
}

/// What to do about an event; `None` when no mail follows from it.
///
/// # Errors
/// When it is one of these events and cannot be read.
pub fn step(event: &Recorded) -> Result<Option<Step>, ReactionError> {
    let step = if let Some(e) = event.get::<wire::BookingConfirmed>()? {
        let payload = if e.claim_accepted { json!({ "on_claim": true }) } else { json!({}) };
        Step::Confirm { booking: id(&e.booking_id)?, payload, booked_at: event.recorded_at }
    } else if let Some(e) = event.get::<wire::MeetingScheduled>()? {
        Step::SendLink(id(&e.booking_id)?)
    } else if let Some(e) = event.get::<wire::RoomMissing>()? {
        let number = usize::try_from(e.session_number).ok().filter(|number| *number > 0);
        Step::SendRoomMissing { booking: id(&e.booking_id)?, number }
    } else if let Some(e) = event.get::<wire::BookingExpired>()? {
        Step::SendHoldEnded(id(&e.booking_id)?)
    } else if let Some(e) = event.get::<wire::BookingCancelled>()? {
        let about = (e.cancelled_by(), e.refund.as_ref(), e.unpaid);
        Step::SendCancellation { booking: id(&e.booking_id)?, payload: cancellation(event, about)? }
    } else if let Some(e) = event.get::<wire::BookingSessionCancelled>()? {
        let about = (e.cancelled_by(), e.refund.as_ref(), e.unpaid);
        let payload = cancellation(event, about)?;
        let number = usize::try_from(e.session_number)
            .map_err(|_negative| ReactionError::Failed("not the number of a session".into()))?;
        Step::SendSessionCancellation { booking: id(&e.booking_id)?, number, payload }
    } else if let Some(e) = event.get::<wire::PaymentPageRequested>()? {
        let (number, renewed) = (e.request_number, e.renewed);
        Step::SendPage { booking: id(&e.booking_id)?, number, renewed }
    } else if let Some(e) = event.get::<wire::ConsentCodeRequested>()? {
        Step::SendConsentCode { booking: id(&e.booking_id)?, number: e.request_number }
    } else if let Some(e) = event.get::<wire::StaffInvitationMailRequested>()? {
        Step::SendInvitation { invitation: id(&e.invitation_id)?, number: e.mail_number }
    } else if let Some(e) = event.get::<wire::BookingCompleted>()? {
        Step::FollowUp(id(&e.booking_id)?)
    } else {
        return Ok(None);
    };
    Ok(Some(step))
}

fn cancellation(
    event: &Recorded,
    (by, refund, unpaid): (CancelledBy, Option<&Money>, bool),
) -> Result<Value, ReactionError> {
    let refund = refund.ok_or_else(|| ReactionError::Failed("no refund".into()))?;
    let by = match by {
        CancelledBy::Customer => "customer",
        CancelledBy::Practice => "practice",
        CancelledBy::Unspecified => {
            return Err(ReactionError::Failed("cancelled by nobody".into()));
        }
    };
    Ok(json!({
        "cancelled_by": by,
        "cancelled_at": event.recorded_at.to_string(),
        "amount_minor": refund.minor_units,
        "currency": refund.currency_code,
        "unpaid": unpaid,
    }))
}

/// The reminders of a session. When each is due is decided by [`crate::mails::planning`].
#[must_use]
pub fn reminders(mails: &Mails, booking: Id<Booking>, booked_at: Timestamp) -> Vec<NewMail> {
    let booked_at = booked_at.to_string();
    let mail = |kind, payload| NewMail::of_booking(kind, booking).with_payload(payload);
    if mails.second_reminder_hours == 0 {
        return vec![mail(Kind::Reminder, json!({ BOOKED_AT: booked_at }))];
    }
    vec![
        mail(Kind::Reminder, json!({ BOOKED_AT: booked_at, SECOND: true })),
        mail(Kind::SecondReminder, json!({ BOOKED_AT: booked_at })),
    ]
}

/// Handles booking's events.
#[derive(Debug, Clone)]
pub struct OnBooking {
    mails: Mails,
}

impl OnBooking {
    /// For a practice with these settings of mails.
    #[must_use]
    pub fn new(mails: &Mails) -> Self {
        Self { mails: mails.clone() }
    }
}

impl Reaction for OnBooking {
    fn react<'t>(
        &'t self,
        tx: &'t mut Tx,
        event: &'t Recorded,
    ) -> BoxFuture<'t, Result<(), ReactionError>> {
        Box::pin(async move {
            declare_later_mails(tx).await?;
            match step(event)? {
                None => {}
                Some(Step::Confirm { booking, payload, booked_at }) => {
                    for kind in [Kind::BookingConfirmed, Kind::PracticeNotice] {
                        let mail = NewMail::of_booking(kind, booking).with_payload(payload.clone());
                        repository::queue(tx, &mail).await?;
                    }
                    for mail in reminders(&self.mails, booking, booked_at) {
                        repository::queue(tx, &mail).await?;
                    }
                }
                Some(Step::SendLink(booking)) => repository::link_arrived(tx, booking).await?,
                Some(Step::SendRoomMissing { booking, number }) => {
                    repository::queue(tx, &room_missing_mail((booking, number))).await?;
                }
                Some(Step::SendHoldEnded(booking)) => {
                    repository::queue(tx, &NewMail::of_booking(Kind::HoldEnded, booking)).await?;
                }
                Some(Step::SendCancellation { booking, payload }) => {
                    queue_cancellation(tx, (booking, None), payload).await?;
                }
                Some(Step::SendSessionCancellation { booking, number, payload }) => {
                    queue_cancellation(tx, (booking, Some(number)), payload).await?;
                }
                Some(Step::SendPage { booking, number, renewed }) => {
                    repository::queue(tx, &page_mail(booking, (number, renewed))).await?;
                }
                Some(Step::SendConsentCode { booking, number }) => {
                    repository::queue(tx, &consent_code_mail(booking, number)).await?;
                }
                Some(Step::SendInvitation { invitation, number }) => {
                    repository::queue(tx, &invitation_mail(invitation, number)).await?;
                }
                Some(Step::FollowUp(booking)) => {
                    repository::queue(tx, &NewMail::of_booking(Kind::FollowUp, booking)).await?;
                }
            }
            Ok(())
        })
    }

    /// 1: with rooms that are missing.
    fn release(&self) -> &'static str {
        "1"
    }
}

/// The practice's notice of a session without a room.
#[must_use]
pub fn room_missing_mail((booking, session): (Id<Booking>, Option<usize>)) -> NewMail {
    let kind = Kind::RoomMissingNotice;
    match session {
        None => NewMail::of_booking(kind, booking),
        Some(number) => NewMail::of_session(kind, booking, number),
    }
}

/// Tells the client and the practice of a cancelled booking, or of a session of a package. Waiting
/// mails that are no longer true are dropped when they are due: see `Declaration::is_untrue`.
async fn queue_cancellation(
    tx: &mut Tx,
    (booking, session): (Id<Booking>, Option<usize>),
    mut payload: Value,
) -> Result<(), ReactionError> {
    let before = repository::promised(tx, booking).await?;
    if let Some(all) = payload.as_object_mut() {
        all.insert(REFUNDED_BEFORE.to_owned(), before.into());
    }
    for kind in [Kind::BookingCancelled, Kind::CancellationNotice] {
        repository::queue(tx, &cancellation_mail(kind, (booking, session), &payload)).await?;
    }
    Ok(())
}

/// The mail with the address of a booking's page, for one of its requests.
#[must_use]
pub fn page_mail(booking: Id<Booking>, (number, renewed): (i64, bool)) -> NewMail {
    let subject = format!("{booking}/page {number}");
    let mail = NewMail::about(Kind::PaymentPage, subject, About::Booking(booking));
    if renewed { mail.with_payload(json!({ RENEWED: true })) } else { mail }
}

/// The mail with a code for the consent on a booking's page, for one of its requests.
#[must_use]
pub fn consent_code_mail(booking: Id<Booking>, number: i64) -> NewMail {
    let subject = format!("{booking}/code {number}");
    NewMail::about(Kind::ConsentCode, subject, About::Booking(booking))
}

/// The mail of an invitation to the practice's staff, for one of its requests.
#[must_use]
pub fn invitation_mail(invitation: Id<StaffInvitation>, number: i64) -> NewMail {
    let subject = format!("{invitation}/{number}");
    NewMail::about(Kind::StaffInvitation, subject, About::Subject)
}

/// The mail about a cancelled booking, or about a session of a package.
#[must_use]
pub fn cancellation_mail(
    kind: Kind,
    (booking, session): (Id<Booking>, Option<usize>),
    payload: &Value,
) -> NewMail {
    let mail = match session {
        None => NewMail::of_booking(kind, booking),
        Some(number) => NewMail::of_session(kind, booking, number),
    };
    mail.with_payload(payload.clone())
}
