//! A booking's rows as the wire shows them to its owner; and the contact, which the statement keeps
//! that reads the answer to a request.

use contract::booking::v1 as wire;
use contract::convert::to_wire;
use eventstore::{StoreError, Tx};
use kernel::id::{Booking, Customer};
use kernel::{Id, Timestamp};
use runtime::practice::Practice;
use sqlx::postgres::PgRow;
use sqlx::{PgExecutor, Postgres, QueryBuilder, Row};

use super::project::mode_word;
use crate::domain::booking::Facts;
use crate::domain::contact::Contact;
use crate::domain::span::Span;

/// A booking and what is not shown of it.
#[derive(Clone)]
pub struct View {
    /// Who owns it.
    pub customer_id: Id<Customer>,
    /// When it was asked for.
    pub requested_at: Timestamp,
    /// Whether it was confirmed on the customer's word and no verified money has come since.
    pub confirmed_on_claim: bool,
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

/// The query of one booking or of several. They are two, because PostgreSQL plans a query whose
/// parameter is a list anew each time, which takes longer than the query does.
macro_rules! view_sql {
    ($rest:literal) => {
        view_sql!("", ("bookings", "slot_reservations", "booking_contacts"), $rest)
    };
    ($with:literal, ($bookings:literal, $sessions:literal, $contacts:literal), $rest:literal) => {
        concat!(
            $with,
            " select b.booking_id, b.customer_id, b.service_id, b.service_title, b.price_minor,
                    b.price_currency, b.mode, b.state, b.held_until_at, b.checkout_opened,
                    b.payment_state, b.mail_state, b.requested_at, b.version,
                    b.confirmed_on_claim,
                    c.first_name, c.last_name, c.email, c.phone, c.notes, c.join_url,
                    r.starts_at, r.ends_at
             from ",
            $bookings,
            " b join ",
            $sessions,
            " r using (booking_id) left join ",
            $contacts,
            " c using (booking_id) ",
            $rest
        )
    };
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
    let rows = sqlx::query(view_sql!("where b.booking_id = $1 order by r.starts_at"))
        .bind(id)
        .fetch_all(executor)
        .await?;
    Ok(views(&rows, practice)?.into_iter().next())
}

/// Keeps who comes, and when they accepted the terms, and reads the booking with it. Asked again
/// for the same booking, the newest answer counts.
///
/// # Errors
/// When the database does not answer.
pub async fn upsert_contact(
    tx: &mut Tx,
    practice: &Practice,
    id: Id<Booking>,
    contact: &Contact,
    accepted_at: Timestamp,
) -> Result<Option<View>, StoreError> {
    let sql = view_sql!(
        "with kept as (
             insert into booking_contacts (booking_id, first_name, last_name, email, phone, notes,
                                           terms_accepted_at)
             values ($1, $2, $3, $4, $5, $6, $7)
             on conflict (booking_id) do update
             set first_name = excluded.first_name, last_name = excluded.last_name,
                 email = excluded.email, phone = excluded.phone, notes = excluded.notes,
                 terms_accepted_at = excluded.terms_accepted_at
             returning *)",
        ("bookings", "slot_reservations", "kept"),
        "where b.booking_id = $1 order by r.starts_at"
    );
    let rows = sqlx::query(sql)
        .bind(id)
        .bind(contact.first_name())
        .bind(contact.last_name())
        .bind(contact.email())
        .bind(contact.phone())
        .bind(contact.notes())
        .bind(accepted_at)
        .fetch_all(tx.connection())
        .await?;
    Ok(views(&rows, practice)?.into_iter().next())
}

/// A time that a new booking holds.
#[derive(Debug, Clone, Copy)]
pub struct Hold<'h> {
    /// What is booked.
    pub facts: &'h Facts,
    /// The time of its one session.
    pub span: Span,
    /// Until when it is held.
    pub until: Timestamp,
    /// Who comes.
    pub contact: &'h Contact,
}

/// Writes the rows of new bookings, of their sessions and of who comes, who accepts the terms now,
/// and reads the bookings from them: one round trip to the database for all of it. They are not in
/// the order of the holds.
///
/// # Errors
/// `Excluded` when the database has another live session or block at one of those times.
pub async fn insert_holds(
    tx: &mut Tx,
    practice: &Practice,
    holds: &[Hold<'_>],
    now: Timestamp,
) -> Result<Vec<View>, StoreError> {
    if holds.is_empty() {
        return Ok(Vec::new());
    }
    let mut sql = QueryBuilder::<Postgres>::new(
        "with wanted (booking_id, customer_id, service_id, service_title, price_minor,
                      price_currency, practitioner_id, mode, until_at, now, starts_at, ends_at,
                      first_name, last_name, email, phone, notes) as (",
    );
    sql.push_values(holds, |mut row, Hold { facts, span, until, contact }| {
        row.push_bind(facts.booking_id).push_bind(facts.customer_id).push_bind(&facts.service_id);
        row.push_bind(&facts.service_title).push_bind(facts.price.minor);
        row.push_bind(facts.price.currency.code()).push_bind(&facts.practitioner_id);
        row.push_bind(mode_word(facts.mode)).push_bind(until).push_bind(now);
        row.push_bind(span.starts_at()).push_bind(span.ends_at());
        row.push_bind(contact.first_name()).push_bind(contact.last_name());
        row.push_bind(contact.email()).push_bind(contact.phone()).push_bind(contact.notes());
    });
    sql.push(view_sql!(
        "),
         held as (
             insert into bookings (booking_id, customer_id, service_id, service_title, price_minor,
                                   price_currency, practitioner_id, mode, state, held_until_at,
                                   requested_at)
             select booking_id, customer_id, service_id, service_title, price_minor,
                    price_currency, practitioner_id, mode, 'held', until_at, now
             from wanted returning *),
         taken as (
             insert into slot_reservations (booking_id, practitioner_id, starts_at, ends_at,
                                            held_until_at, live)
             select booking_id, practitioner_id, starts_at, ends_at, until_at, true
             from wanted returning *),
         kept as (
             insert into booking_contacts (booking_id, first_name, last_name, email, phone, notes,
                                           terms_accepted_at)
             select booking_id, first_name, last_name, email, phone, notes, now
             from wanted returning *)",
        ("held", "taken", "kept"),
        ""
    ));
    let rows = sql.build().fetch_all(tx.connection()).await?;
    views(&rows, practice)
}

/// Reads bookings, in the order of their first sessions; those that do not exist are left out.
///
/// # Errors
/// When the database does not answer.
pub async fn load_all(
    executor: impl PgExecutor<'_>,
    practice: &Practice,
    ids: &[Id<Booking>],
) -> Result<Vec<View>, StoreError> {
    let ids: Vec<_> = ids.iter().map(|id| id.uuid()).collect();
    let rows = sqlx::query(view_sql!(
        "where b.booking_id = any ($1)
         order by min(r.starts_at) over (partition by b.booking_id), b.booking_id, r.starts_at"
    ))
    .bind(ids)
    .fetch_all(executor)
    .await?;
    views(&rows, practice)
}

/// The bookings of rows that belong together one after the other.
fn views(rows: &[PgRow], practice: &Practice) -> Result<Vec<View>, StoreError> {
    let mut views: Vec<View> = Vec::new();
    for row in rows {
        let session = wire::Session {
            starts_at: Some(to_wire(row.try_get("starts_at")?)),
            ends_at: Some(to_wire(row.try_get("ends_at")?)),
        };
        let mut booking = to_wire_booking(row, practice)?;
        match views.last_mut().filter(|last| last.booking.booking_id == booking.booking_id) {
            Some(last) => last.booking.sessions.push(session),
            None => {
                booking.sessions.push(session);
                views.push(View {
                    customer_id: row.try_get("customer_id")?,
                    requested_at: row.try_get("requested_at")?,
                    confirmed_on_claim: row.try_get("confirmed_on_claim")?,
                    booking,
                });
            }
        }
    }
    Ok(views)
}

fn to_wire_booking(row: &PgRow, practice: &Practice) -> Result<wire::Booking, StoreError> {
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
        location: if in_person { location_line(practice) } else { String::new() },
    })
}

/// The IANA name of the practice's zone.
#[must_use]
pub fn zone_name(practice: &Practice) -> String {
    practice.practice.zone.iana_name().unwrap_or("UTC").to_owned()
}

/// Where a session in person takes place, on one line.
#[must_use]
pub fn location_line(practice: &Practice) -> String {
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

/// A state as the wire and as rows call it.
const STATES: [(wire::BookingState, &str); 9] = [
    (wire::BookingState::Held, "held"),
    (wire::BookingState::AwaitingPayment, "awaiting_payment"),
    (wire::BookingState::Confirmed, "confirmed"),
    (wire::BookingState::MeetingScheduled, "meeting_scheduled"),
    (wire::BookingState::Completed, "completed"),
    (wire::BookingState::Expired, "expired"),
    (wire::BookingState::Cancelled, "released"),
    (wire::BookingState::Cancelled, "cancelled"),
    (wire::BookingState::PaidUnplaced, "paid_unplaced"),
];

fn state(word: &str) -> wire::BookingState {
    let known = STATES.iter().find(|(_, known)| *known == word);
    known.map_or(wire::BookingState::Unspecified, |(state, _)| *state)
}

/// The words of rows for a state of the wire; none for one that no booking is in.
pub fn state_words(state: i32) -> impl Iterator<Item = &'static str> {
    STATES.iter().filter(move |(known, _)| i32::from(*known) == state).map(|(_, word)| *word)
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
