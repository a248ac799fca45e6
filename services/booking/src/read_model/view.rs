//! A booking's rows as the wire shows them to its owner.

use contract::booking::v1 as wire;
use contract::convert::to_wire;
use eventstore::StoreError;
use kernel::id::{Booking, Customer};
use kernel::{Id, Timestamp};
use runtime::practice::Practice;
use sqlx::postgres::PgRow;
use sqlx::{PgExecutor, Row};

/// A booking and what is not shown of it.
#[derive(Clone)]
pub struct View {
    /// Who owns it.
    pub customer_id: Id<Customer>,
    /// When it was asked for.
    pub requested_at: Timestamp,
    /// What its owner sees.
    pub booking: wire::Booking,
}

impl View {
    /// Whether it is paid and placed, so that a calendar may have it.
    #[must_use]
    pub fn is_placed(&self) -> bool {
        matches!(
            self.booking.state(),
            wire::BookingState::Confirmed
                | wire::BookingState::MeetingScheduled
                | wire::BookingState::Completed
        )
    }
}

/// Reads a booking; `None` when there is none.
///
/// # Errors
/// When the database does not answer.
pub async fn load(
    executor: impl PgExecutor<'_>,
    practice: &Practice,
    id: Id<Booking>,
) -> Result<Option<View>, StoreError> {
    let rows = sqlx::query(
        "select b.booking_id, b.customer_id, b.service_id, b.service_title, b.price_minor,
                b.price_currency, b.mode, b.state, b.held_until_at, b.checkout_opened,
                b.payment_state, b.mail_state, b.requested_at, b.version,
                c.first_name, c.last_name, c.email, c.phone, c.notes, c.join_url,
                r.starts_at, r.ends_at
         from bookings b
              join slot_reservations r using (booking_id)
              left join booking_contacts c using (booking_id)
         where b.booking_id = $1 order by r.starts_at",
    )
    .bind(id)
    .fetch_all(executor)
    .await?;
    let Some(first) = rows.first() else { return Ok(None) };
    let mut booking = shown(first, practice)?;
    for row in &rows {
        booking.sessions.push(wire::Session {
            starts_at: Some(to_wire(row.try_get("starts_at")?)),
            ends_at: Some(to_wire(row.try_get("ends_at")?)),
        });
    }
    Ok(Some(View {
        customer_id: first.try_get("customer_id")?,
        requested_at: first.try_get("requested_at")?,
        booking,
    }))
}

fn shown(row: &PgRow, practice: &Practice) -> Result<wire::Booking, StoreError> {
    let id: Id<Booking> = row.try_get("booking_id")?;
    let in_person = row.try_get::<&str, _>("mode")? == "in_person";
    let mode = if in_person { wire::SessionMode::InPerson } else { wire::SessionMode::Online };
    let held_until_at: Option<Timestamp> = row.try_get("held_until_at")?;
    Ok(wire::Booking {
        booking_id: id.to_string(),
        service_id: row.try_get("service_id")?,
        service_title: row.try_get("service_title")?,
        sessions: Vec::new(),
        time_zone: zone_name(practice),
        mode: mode.into(),
        price: Some(contract::common::v1::Money {
            minor_units: row.try_get("price_minor")?,
            currency_code: row.try_get("price_currency")?,
        }),
        state: state(row.try_get("state")?).into(),
        held_until_at: held_until_at.map(to_wire),
        checkout_opened: row.try_get("checkout_opened")?,
        payment_state: payment_state(row.try_get("payment_state")?).into(),
        mail_state: mail_state(row.try_get("mail_state")?).into(),
        join_url: row.try_get::<Option<String>, _>("join_url")?.unwrap_or_default(),
        contact: contact(row)?,
        version: row.try_get("version")?,
        practitioner_name: practice.practice.practitioner_name.clone(),
        location: if in_person { place(practice) } else { String::new() },
    })
}

/// The IANA name of the practice's zone.
#[must_use]
pub fn zone_name(practice: &Practice) -> String {
    practice.practice.zone.iana_name().unwrap_or("UTC").to_owned()
}

/// Where a session in person takes place, on one line.
#[must_use]
pub fn place(practice: &Practice) -> String {
    let location = &practice.location;
    if location.name.is_empty() || location.address.starts_with(&location.name) {
        location.address.clone()
    } else {
        format!("{}, {}", location.name, location.address)
    }
}

/// Absent once the person behind it was deleted.
fn contact(row: &PgRow) -> Result<Option<wire::Contact>, StoreError> {
    let Some(first_name) = row.try_get::<Option<String>, _>("first_name")? else {
        return Ok(None);
    };
    Ok(Some(wire::Contact {
        first_name,
        last_name: row.try_get("last_name")?,
        email: row.try_get("email")?,
        phone: row.try_get("phone")?,
        notes: row.try_get("notes")?,
    }))
}

fn state(word: &str) -> wire::BookingState {
    match word {
        "held" => wire::BookingState::Held,
        "awaiting_payment" => wire::BookingState::AwaitingPayment,
        "confirmed" => wire::BookingState::Confirmed,
        "meeting_scheduled" => wire::BookingState::MeetingScheduled,
        "completed" => wire::BookingState::Completed,
        "expired" => wire::BookingState::Expired,
        "released" => wire::BookingState::Cancelled,
        "paid_unplaced" => wire::BookingState::PaidUnplaced,
        _ => wire::BookingState::Unspecified,
    }
}

fn payment_state(word: &str) -> wire::PaymentState {
    match word {
        "pending" => wire::PaymentState::Pending,
        "claimed" => wire::PaymentState::Claimed,
        "paid" => wire::PaymentState::Paid,
        "failed" => wire::PaymentState::Failed,
        "refunding" => wire::PaymentState::Refunding,
        "refunded" => wire::PaymentState::Refunded,
        _ => wire::PaymentState::Unspecified,
    }
}

fn mail_state(word: &str) -> wire::MailState {
    match word {
        "sent" => wire::MailState::Sent,
        "failed" => wire::MailState::Failed,
        _ => wire::MailState::Unspecified,
    }
}
