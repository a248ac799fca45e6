//! Events of booking: a booking was confirmed, moved or cancelled, its meeting room exists, its
//! session is over, its client came, or its hold ended.

use contract::booking::v1 as wire;
use contract::booking::v1::{Attendance, CancelledBy, MovedBy};
use contract::common::v1::Money;
use contract::convert::timestamp;
use eventstore::{Recorded, Tx};
use futures::future::BoxFuture;
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use messaging::{Reaction, ReactionError};
use practice::Mails;
use serde_json::{Value, json};

use super::declare_later_mails;
use crate::mails::declaration::id;
use crate::mails::kind::Kind;
use crate::mails::kinds::asked_by;
use crate::mails::mail::NewMail;
use crate::mails::moves;
use crate::mails::payload::{
    BOOKED_AT, HANDED_OVER, MOVE, MOVED_BY, MOVED_FROM, MOVED_TO, REFUNDED_BEFORE, SECOND,
};
use crate::mails::planning::PLANNED_WITHIN_SECONDS;
use crate::mails::proposals;
use crate::repository;

/// What this service does about an event of booking.
#[derive(Debug, Clone, PartialEq)]
pub enum Step {
    /// Mail the client and the practice, and remind the client later. The payload says whether the
    /// practice accepted the client's claim of a payment.
    Confirm { booking: Id<Booking>, payload: Value, booked_at: Timestamp },
    /// The meeting link is known.
    SendLink(Id<Booking>),
    /// Mail the client and the practice; the payload says who cancelled, when, how much is
    /// refunded, and whether the booking was unpaid.
    SendCancellation { booking: Id<Booking>, payload: Value },
    /// The same for one session of a package.
    SendSessionCancellation { booking: Id<Booking>, number: usize, payload: Value },
    /// Mail the client and the practice, and remind the client of the new time.
    Move(Move),
    /// The client came: the follow-up waits no longer for that.
    WakeFollowUp(Id<Booking>),
    /// The client chose about mails: plan the reminders of these bookings anew.
    Replan(Vec<Id<Booking>>),
    /// Tell the client that the session takes place at its time after all, and remind of it.
    KeepTime(NewMail, Id<Booking>),
    /// Queue the mails that ask for nothing else.
    Queue(Vec<NewMail>),
}

/// A session that has another time.
#[derive(Debug, Clone, PartialEq)]
pub struct Move {
    /// The booking.
    pub booking: Id<Booking>,
    /// The session, by its number from 1.
    pub session: usize,
    /// How often it has been moved by now.
    pub number: i32,
    /// Who wanted it, as its mails say it.
    pub by: &'static str,
    /// When the session would have started.
    pub from: Timestamp,
    /// When it starts.
    pub to: Timestamp,
    /// When it was moved.
    pub moved_at: Timestamp,
    /// Whether another practitioner gives it from now on.
    pub is_handed_over: bool,
}

/// What to do about an event.
///
/// # Errors
/// When it is one of these events and cannot be read.
pub fn step(event: &Recorded) -> Result<Step, ReactionError> {
    let step = if let Some(e) = event.get::<wire::BookingConfirmed>()? {
        let payload = if e.claim_accepted { json!({ "on_claim": true }) } else { json!({}) };
        Step::Confirm { booking: id(&e.booking_id)?, payload, booked_at: event.recorded_at }
    } else if let Some(e) = event.get::<wire::MeetingScheduled>()? {
        Step::SendLink(id(&e.booking_id)?)
    } else if let Some(e) = event.get::<wire::BookingCancelled>()? {
        let payload = cancellation(event, e.cancelled_by(), e.refund.as_ref(), e.unpaid)?;
        Step::SendCancellation { booking: id(&e.booking_id)?, payload }
    } else if let Some(e) = event.get::<wire::BookingSessionCancelled>()? {
        let payload = cancellation(event, e.cancelled_by(), e.refund.as_ref(), e.unpaid)?;
        let number = usize::try_from(e.session_number)
            .map_err(|_negative| ReactionError::Failed("not the number of a session".into()))?;
        Step::SendSessionCancellation { booking: id(&e.booking_id)?, number, payload }
    } else if let Some(e) = event.get::<wire::BookingMoved>()? {
        Step::Move(moved(event, &e)?)
    } else if let Some(e) = event.get::<wire::BookingAttendanceMarked>()? {
        attended(&e)?
    } else if let Some(e) = event.get::<wire::MailPreferencesChanged>()? {
        let ids = e.booking_ids.iter().map(|text| id(text)).collect::<Result<_, _>>();
        Step::Replan(ids?)
    } else if let Some(e) = event.get::<wire::BookingMoveProposalWithdrawn>()? {
        let booking = id(&e.booking_id)?;
        let subject = (booking, e.session_number, e.proposal_number);
        Step::KeepTime(proposals::mail_of(Kind::MoveProposalWithdrawn, subject), booking)
    } else {
        Step::Queue(asked_by(event)?)
    };
    Ok(step)
}

/// What does not bring the follow-up forward is asked about when that is due.
fn attended(e: &wire::BookingAttendanceMarked) -> Result<Step, ReactionError> {
    let came = matches!(e.attendance(), Attendance::Came | Attendance::Late);
    let booking = id(&e.booking_id)?;
    Ok(if came { Step::WakeFollowUp(booking) } else { Step::Queue(Vec::new()) })
}

fn cancellation(
    event: &Recorded,
    by: CancelledBy,
    refund: Option<&Money>,
    unpaid: bool,
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

fn moved(event: &Recorded, e: &wire::BookingMoved) -> Result<Move, ReactionError> {
    let by = match e.moved_by() {
        MovedBy::Customer => "customer",
        MovedBy::CustomerAsked => "customer_asked",
        MovedBy::Practice => "practice",
        MovedBy::Unspecified => return Err(ReactionError::Failed("moved by no side".into())),
    };
    let session = usize::try_from(e.session_number).ok().filter(|number| *number > 0);
    let (from, to) = (e.previous_starts_at.as_ref(), e.starts_at.as_ref());
    let (from, to) = from
        .and_then(timestamp)
        .zip(to.and_then(timestamp))
        .ok_or_else(|| ReactionError::Failed("a move without its times".into()))?;
    Ok(Move {
        booking: id(&e.booking_id)?,
        session: session
            .ok_or_else(|| ReactionError::Failed("not the number of a session".into()))?,
        number: e.move_number,
        by,
        from,
        to,
        moved_at: event.recorded_at,
        is_handed_over: !e.practitioner_id.is_empty(),
    })
}

impl Move {
    /// Its mails to the client and the practice.
    #[must_use]
    pub fn mails(&self) -> Vec<NewMail> {
        let payload = json!({
            MOVE: self.number,
            MOVED_BY: self.by,
            MOVED_FROM: self.from.to_string(),
            MOVED_TO: self.to.to_string(),
            HANDED_OVER: self.is_handed_over,
        });
        let kinds = [Kind::BookingMoved, Kind::MoveNotice];
        kinds.map(|kind| self.mail(kind).with_payload(payload.clone())).to_vec()
    }

    /// The reminders of the new time, which its move counts as booked.
    #[must_use]
    pub fn reminders(&self, mails: &Mails) -> Vec<NewMail> {
        let of_move = |reminder: NewMail| {
            let mut payload = reminder.payload;
            if let Some(all) = payload.as_object_mut() {
                all.insert(MOVE.to_owned(), self.number.into());
                all.insert(MOVED_TO.to_owned(), self.to.to_string().into());
            }
            self.mail(reminder.kind).with_payload(payload)
        };
        let reminders = reminders(mails, self.booking, self.moved_at);
        reminders.into_iter().map(of_move).collect()
    }

    fn mail(&self, kind: Kind) -> NewMail {
        moves::mail_of(kind, self.booking, self.session, self.number)
    }
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
                Step::Confirm { booking, payload, booked_at } => {
                    let reminders = reminders(&self.mails, booking, booked_at);
                    queue_confirmation(tx, booking, &payload, &reminders).await?;
                }
                Step::SendLink(booking) => repository::link_arrived(tx, booking).await?,
                Step::SendCancellation { booking, payload } => {
                    queue_cancellation(tx, (booking, None), payload).await?;
                }
                Step::SendSessionCancellation { booking, number, payload } => {
                    queue_cancellation(tx, (booking, Some(number)), payload).await?;
                }
                Step::WakeFollowUp(booking) => repository::wake_follow_up(tx, booking).await?,
                Step::Replan(bookings) => {
                    for booking in bookings {
                        repository::replan_reminders(tx, booking).await?;
                    }
                }
                Step::KeepTime(mail, booking) => {
                    repository::wake_reminders(tx, booking).await?;
                    repository::queue(tx, &mail).await?;
                }
                Step::Move(moved) => queue_move(tx, &moved, &self.mails).await?,
                Step::Queue(mails) => {
                    for mail in &mails {
                        repository::queue(tx, mail).await?;
                    }
                }
            }
            Ok(())
        })
    }

    /// 5: with proposals of another time, codes of pages and choices about mails; 4: with marks of
    /// who came; 3: with times for the wait list; 2: with sessions that were moved; 1: with rooms
    /// that are missing.
    fn release(&self) -> &'static str {
        "5"
    }
}

/// Tells the client and the practice of a confirmed booking. Where that was done before, no
/// confirmation is left that plans the reminders, so they plan themselves.
async fn queue_confirmation(
    tx: &mut Tx,
    booking: Id<Booking>,
    payload: &Value,
    reminders: &[NewMail],
) -> Result<(), ReactionError> {
    let of = |kind| NewMail::of_booking(kind, booking).with_payload(payload.clone());
    let is_new = repository::queue(tx, &of(Kind::BookingConfirmed)).await?;
    repository::queue(tx, &of(Kind::PracticeNotice)).await?;
    let waits = if is_new { PLANNED_WITHIN_SECONDS } else { 0 };
    let due_at = tx.now().await?.plus_seconds(waits);
    for mail in reminders {
        repository::queue_due(tx, mail, due_at).await?;
    }
    Ok(())
}

/// Tells the client and the practice of a session's new time, and plans its reminders anew: those
/// of the new time are mails of their own, and those of the time before are woken, to learn from
/// booking that they are overtaken. Both ask booking for facts of after the move, whatever a worker
/// that plans one of them has read before it.
async fn queue_move(tx: &mut Tx, moved: &Move, mails: &Mails) -> Result<(), ReactionError> {
    repository::wake_reminders(tx, moved.booking).await?;
    for mail in moved.mails().iter().chain(&moved.reminders(mails)) {
        repository::queue(tx, mail).await?;
    }
    Ok(())
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
