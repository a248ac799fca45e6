//! Projects this service's events into its tables; it decides nothing.

use eventstore::{StoreError, Tx};
use kernel::id::{Block, Booking, Customer};
use kernel::{Id, Timestamp};
use sqlx::types::Json;

use crate::domain::booking::{
    self, Attendance, ConfirmationBasis, Mode, MovedBy, PaymentId, PendingCancellation,
};
use crate::domain::day;
use crate::domain::span::Span;
use crate::read_model::view::StoredCancellation;
use crate::read_model::{grace_uses, move_proposals, refunds};

/// The stored word of a mode.
#[must_use]
pub fn mode_word(mode: Mode) -> &'static str {
    match mode {
        Mode::Online => "online",
        Mode::InPerson => "in_person",
    }
}

/// Projects a booking's event.
pub async fn booking(
    tx: &mut Tx,
    id: Id<Booking>,
    event: &booking::Event,
) -> Result<(), StoreError> {
    use booking::Event;
    match event {
        // [`super::view::insert_holds`] inserts the row of a new booking, together with its
        // session's.
        Event::Requested { .. } => Ok(()),
        Event::CheckoutOpened { until } => checkout_opened(tx, id, *until).await,
        Event::Confirmed { basis: ConfirmationBasis::Payment(payment), .. } => {
            state(tx, id, "confirmed").await?;
            paid(tx, id, payment).await
        }
        Event::Confirmed { basis: ConfirmationBasis::Claim, .. } => {
            confirmed_on_claim(tx, id).await
        }
        Event::Confirmed { basis: ConfirmationBasis::Free, .. } => state(tx, id, "confirmed").await,
        Event::Paid { payment } => paid(tx, id, payment).await,
        Event::Unplaced { payment } => {
            unplaced(tx, id).await?;
            paid(tx, id, payment).await
        }
        Event::Cancelled { refund, by_grace, .. } => {
            if *by_grace {
                grace_uses::insert(tx, id, None).await?;
            }
            // The link gives access to a meeting room that must not be used any more.
            join_url(tx, id, "").await?;
            cancelled(tx, id, refund.minor).await?;
            refunds::settle(tx, id).await
        }
        // What is to be seen of it is written with the event of its day, or is a matter of time.
        Event::SessionCompleted { number, .. } => session_ended(tx, id, *number).await,
        Event::SessionCancelled { number, by_grace, .. } => {
            if *by_grace {
                grace_uses::insert(tx, id, Some(*number)).await?;
            }
            session_ended(tx, id, *number).await
        }
        Event::CancellationRequested(pending) => pending_cancellation(tx, id, Some(pending)).await,
        Event::CancellationUndone => pending_cancellation(tx, id, None).await,
        Event::Moved { number, from, to, by, move_number: _, practitioner } => {
            let (number, by, practitioner) = (*number, *by, practitioner.as_deref());
            let (from, to) = (*from, *to);
            moved(tx, id, &Moved { number, from, to, by, practitioner }).await
        }
        Event::MoveProposed(proposal) => move_proposals::set(tx, id, Some(proposal)).await,
        Event::MoveProposalWithdrawn { .. } => move_proposals::set(tx, id, None).await,
        Event::Adopted { customer_id } => adopted(tx, id, *customer_id).await,
        Event::AttendanceMarked { number, attendance, no_show } => {
            attendance_marked(tx, id, (*number, *attendance), *no_show).await
        }
        // It is for the mails alone.
        Event::PageRequested { .. }
        | Event::ConsentCodeRequested { .. }
        | Event::PageCodeRequested { .. } => Ok(()),
        Event::MeetingScheduled { .. } | Event::Expired | Event::Released | Event::Completed => {
            match plain_state(event) {
                Some(word) => state(tx, id, word).await,
                None => Ok(()),
            }
        }
    }
}

/// The stored state after an event that changes only the state.
pub(super) fn plain_state(event: &booking::Event) -> Option<&'static str> {
    use booking::Event;
    match event {
        Event::MeetingScheduled { .. } => Some("meeting_scheduled"),
        Event::Expired => Some("expired"),
        Event::Released => Some("released"),
        Event::Completed => Some("completed"),
        Event::Requested { .. }
        | Event::CheckoutOpened { .. }
        | Event::Confirmed { .. }
        | Event::Paid { .. }
        | Event::Unplaced { .. }
        | Event::SessionCompleted { .. }
        | Event::SessionCancelled { .. }
        | Event::CancellationRequested(_)
        | Event::CancellationUndone
        | Event::Moved { .. }
        | Event::MoveProposed(_)
        | Event::MoveProposalWithdrawn { .. }
        | Event::Adopted { .. }
        | Event::PageRequested { .. }
        | Event::ConsentCodeRequested { .. }
        | Event::PageCodeRequested { .. }
        | Event::AttendanceMarked { .. }
        | Event::Cancelled { .. } => None,
    }
}

async fn checkout_opened(tx: &mut Tx, id: Id<Booking>, until: Timestamp) -> Result<(), StoreError> {
    sqlx::query(
        "update bookings set state = 'awaiting_payment', held_until_at = $2,
                             checkout_opened = true, version = version + 1
         where booking_id = $1",
    )
    .bind(id)
    .bind(until)
    .execute(tx.connection())
    .await?;
    Ok(())
}

async fn adopted(
    tx: &mut Tx,
    id: Id<Booking>,
    customer_id: Id<Customer>,
) -> Result<(), StoreError> {
    sqlx::query(
        "update bookings set customer_id = $2, adopted = true, version = version + 1
         where booking_id = $1",
    )
    .bind(id)
    .bind(customer_id)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// The session's row gets its new time, and its new practitioner, before the days release the old
/// time and take the new one: a row that is not live would be a session that was cancelled. A room
/// that was made for another practitioner is none of the booking's any more.
async fn moved(tx: &mut Tx, id: Id<Booking>, moved: &Moved<'_>) -> Result<(), StoreError> {
    sqlx::query(
        "update slot_reservations
         set starts_at = $3, ends_at = $4, moves = moves + 1, own_moves = own_moves + $5,
             practitioner_id = coalesce($6, practitioner_id)
         where booking_id = $1 and starts_at = $2",
    )
    .bind(id)
    .bind(moved.from.starts_at())
    .bind(moved.to.starts_at())
    .bind(moved.to.ends_at())
    .bind(i32::from(moved.by == MovedBy::Customer))
    .bind(moved.practitioner)
    .execute(tx.connection())
    .await?;
    sqlx::query(
        "update bookings
         set version = version + 1,
             last_ends_at = (select max(r.ends_at) from slot_reservations r
                             where r.booking_id = $1),
             practitioner_id = coalesce($2, practitioner_id),
             state = case when $2 is not null and state = 'meeting_scheduled' then 'confirmed'
                          else state end,
             move_proposal = case when move_proposal ->> 'session' = $3 then null
                                  else move_proposal end
         where booking_id = $1",
    )
    .bind(id)
    .bind(moved.practitioner)
    .bind(moved.number.to_string())
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// What a move changes.
struct Moved<'e> {
    number: usize,
    from: Span,
    to: Span,
    by: MovedBy,
    practitioner: Option<&'e str>,
}

/// A mark that was taken back is as if there were none.
async fn attendance_marked(
    tx: &mut Tx,
    id: Id<Booking>,
    (number, attendance): (usize, Attendance),
    no_show: bool,
) -> Result<(), StoreError> {
    sqlx::query(
        "update bookings
         set no_show = $2, version = version + 1,
             marks = (marks - $3::text) || case when $4::text is null then '{}'
                                          else jsonb_build_object($3::text, $4::text) end
         where booking_id = $1",
    )
    .bind(id)
    .bind(no_show)
    .bind(number.to_string())
    .bind(attendance_word(attendance))
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// The stored word of a mark; none for one that was taken back.
fn attendance_word(attendance: Attendance) -> Option<&'static str> {
    match attendance {
        Attendance::Came => Some("came"),
        Attendance::Late => Some("late"),
        Attendance::NoShow => Some("no_show"),
        Attendance::Unmarked => None,
    }
}

/// What was to be cancelled of a session that has ended is settled.
async fn session_ended(tx: &mut Tx, id: Id<Booking>, number: usize) -> Result<(), StoreError> {
    sqlx::query(
        "update bookings
         set version = version + 1,
             pending_cancellation = case when pending_cancellation ->> 'session' = $2::text
                                         then null else pending_cancellation end,
             move_proposal = case when move_proposal ->> 'session' = $2::text
                                  then null else move_proposal end
         where booking_id = $1",
    )
    .bind(id)
    .bind(number.to_string())
    .execute(tx.connection())
    .await?;
    Ok(())
}

async fn pending_cancellation(
    tx: &mut Tx,
    id: Id<Booking>,
    pending: Option<&PendingCancellation>,
) -> Result<(), StoreError> {
    let stored = pending.map(|pending| {
        Json(StoredCancellation {
            session: pending.session,
            refund_minor: pending.refund.minor,
            takes_effect_at: pending.takes_effect_at,
            grace_times: pending.grace_times,
        })
    });
    sqlx::query(
        "update bookings set pending_cancellation = $2, version = version + 1
         where booking_id = $1",
    )
    .bind(id)
    .bind(stored)
    .execute(tx.connection())
    .await?;
    Ok(())
}

async fn paid(tx: &mut Tx, id: Id<Booking>, payment: &PaymentId) -> Result<(), StoreError> {
    sqlx::query(
        "update bookings set payment_state = 'paid', payment_id = $2, refund_id = null,
                             confirmed_on_claim = false, version = version + 1
         where booking_id = $1",
    )
    .bind(id)
    .bind(&payment.0)
    .execute(tx.connection())
    .await?;
    refunds::settle(tx, id).await
}

async fn cancelled(tx: &mut Tx, id: Id<Booking>, promised: i64) -> Result<(), StoreError> {
    sqlx::query("update bookings set promised_minor = $2 where booking_id = $1")
        .bind(id)
        .bind(promised)
        .execute(tx.connection())
        .await?;
    state(tx, id, "cancelled").await
}

async fn confirmed_on_claim(tx: &mut Tx, id: Id<Booking>) -> Result<(), StoreError> {
    sqlx::query(
        "update bookings set state = 'confirmed', held_until_at = null,
                             confirmed_on_claim = true, version = version + 1
         where booking_id = $1",
    )
    .bind(id)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// A payment for a cancelled booking leaves it cancelled.
async fn unplaced(tx: &mut Tx, id: Id<Booking>) -> Result<(), StoreError> {
    sqlx::query(
        "update bookings set state = 'paid_unplaced', held_until_at = null
         where booking_id = $1 and state <> 'cancelled'",
    )
    .bind(id)
    .execute(tx.connection())
    .await?;
    Ok(())
}

async fn state(tx: &mut Tx, id: Id<Booking>, state: &str) -> Result<(), StoreError> {
    sqlx::query(
        "update bookings set state = $2, held_until_at = null, version = version + 1,
                             pending_cancellation = case when $2 in ('completed', 'cancelled')
                                                         then null else pending_cancellation end,
                             move_proposal = case when $2 in ('completed', 'cancelled')
                                                  then null else move_proposal end
         where booking_id = $1",
    )
    .bind(id)
    .bind(state)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// The key of a practitioner's day in the tables.
#[derive(Debug, Clone)]
pub struct DayKey {
    /// The practitioner.
    pub practitioner_id: String,
    /// The day's first instant.
    pub from: Timestamp,
    /// The first instant of the next day.
    pub to: Timestamp,
}

/// Projects a day's event.
///
/// # Errors
/// `Excluded` when another live session or block overlaps the time.
pub async fn day(tx: &mut Tx, key: &DayKey, event: &day::Event) -> Result<(), StoreError> {
    use day::Event;
    match event {
        Event::Held { booking_id, span, until } => {
            reserve(tx, key, (*booking_id, *span), Some(*until)).await
        }
        Event::Booked { booking_id, span } => reserve(tx, key, (*booking_id, *span), None).await,
        Event::HoldExtended { booking_id, until } => {
            sqlx::query(
                "update slot_reservations set held_until_at = $4
                 where booking_id = $1 and starts_at >= $2 and starts_at < $3 and live",
            )
            .bind(booking_id)
            .bind(key.from)
            .bind(key.to)
            .bind(until)
            .execute(tx.connection())
            .await?;
            Ok(())
        }
        Event::Released { booking_id } => {
            sqlx::query(
                "update slot_reservations set live = false
                 where booking_id = $1 and starts_at >= $2 and starts_at < $3",
            )
            .bind(booking_id)
            .bind(key.from)
            .bind(key.to)
            .execute(tx.connection())
            .await?;
            Ok(())
        }
        Event::Blocked { block_id, span } => block(tx, key, *block_id, *span).await,
        Event::Unblocked { block_id } => {
            sqlx::query("update slot_reservations set live = false where block_id = $1")
                .bind(block_id)
                .execute(tx.connection())
                .await?;
            Ok(())
        }
    }
}

async fn block(tx: &mut Tx, key: &DayKey, id: Id<Block>, span: Span) -> Result<(), StoreError> {
    sqlx::query(
        "insert into slot_reservations (block_id, practitioner_id, starts_at, ends_at, live)
         values ($1, $2, $3, $4, true)",
    )
    .bind(id)
    .bind(&key.practitioner_id)
    .bind(span.starts_at())
    .bind(span.ends_at())
    .execute(tx.connection())
    .await?;
    Ok(())
}

async fn reserve(
    tx: &mut Tx,
    key: &DayKey,
    (booking_id, span): (Id<Booking>, Span),
    until: Option<Timestamp>,
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into slot_reservations (booking_id, practitioner_id, starts_at, ends_at,
                                        held_until_at, live)
         values ($1, $2, $3, $4, $5, true)
         on conflict (booking_id, starts_at)
         do update set held_until_at = excluded.held_until_at, live = true",
    )
    .bind(booking_id)
    .bind(&key.practitioner_id)
    .bind(span.starts_at())
    .bind(span.ends_at())
    .bind(until)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Notifies watchers of a change that has no event.
pub async fn touch(tx: &mut Tx, id: Id<Booking>) -> Result<(), StoreError> {
    sqlx::query("update bookings set version = version + 1 where booking_id = $1")
        .bind(id)
        .execute(tx.connection())
        .await?;
    Ok(())
}

/// Stores the meeting link. It is deleted with the customer's contact data.
pub async fn join_url(tx: &mut Tx, id: Id<Booking>, url: &str) -> Result<(), StoreError> {
    sqlx::query("update booking_contacts set join_url = $2 where booking_id = $1")
        .bind(id)
        .bind(url)
        .execute(tx.connection())
        .await?;
    Ok(())
}
