//! Rows of the services' databases as the checker's types.

use crate::snapshot::{
    BookingRow, CollectionRow, EventRow, Holder, LedgerLine, LinkRow, MailRow, ReceiptRow,
    RefundRequestRow, RefundRow, ReservationRow, WebhookRow,
};
use eventstore::Recorded;
use kernel::Id;
use kernel::id::{Block, Booking};
use serde_json::Value;
use sqlx::Row;
use sqlx::postgres::PgRow;

/// A row of `events` with its position in `feed`.
///
/// # Errors
/// When a column is missing or of another type.
pub fn event(row: &PgRow) -> Result<EventRow, sqlx::Error> {
    let metadata: Value = row.try_get("metadata")?;
    let metadata =
        serde_json::from_value(metadata).map_err(|error| sqlx::Error::Decode(Box::new(error)))?;
    Ok(EventRow {
        seq: row.try_get("seq")?,
        position: row.try_get("position")?,
        event: Recorded {
            event_id: row.try_get("event_id")?,
            stream_id: row.try_get("stream_id")?,
            version: row.try_get("version")?,
            position: 0,
            event_type: row.try_get("event_type")?,
            payload: row.try_get("payload")?,
            metadata,
            recorded_at: row.try_get("recorded_at")?,
        },
    })
}

/// A row of `bookings`.
///
/// # Errors
/// When a column is missing or of another type.
pub fn booking(row: &PgRow) -> Result<BookingRow, sqlx::Error> {
    Ok(BookingRow {
        booking_id: row.try_get("booking_id")?,
        customer_id: row.try_get("customer_id")?,
        service_id: row.try_get("service_id")?,
        price_minor: row.try_get("price_minor")?,
        price_currency: row.try_get("price_currency")?,
        practitioner_id: row.try_get("practitioner_id")?,
        mode: row.try_get("mode")?,
        state: row.try_get("state")?,
        held_until_at: row.try_get("held_until_at")?,
        checkout_opened: row.try_get("checkout_opened")?,
        payment_state: row.try_get("payment_state")?,
    })
}

/// A row of `slot_reservations`.
///
/// # Errors
/// When a column is missing or of another type.
pub fn reservation(row: &PgRow) -> Result<ReservationRow, sqlx::Error> {
    let booking: Option<Id<Booking>> = row.try_get("booking_id")?;
    let holder = match booking {
        Some(booking) => Holder::Booking(booking),
        None => Holder::Block(row.try_get::<Id<Block>, _>("block_id")?),
    };
    Ok(ReservationRow {
        holder,
        practitioner_id: row.try_get("practitioner_id")?,
        starts_at: row.try_get("starts_at")?,
        ends_at: row.try_get("ends_at")?,
        held_until_at: row.try_get("held_until_at")?,
        live: row.try_get("live")?,
    })
}

/// A row of `collections`.
///
/// # Errors
/// When a column is missing or of another type.
pub fn collection(row: &PgRow) -> Result<CollectionRow, sqlx::Error> {
    Ok(CollectionRow {
        booking_id: row.try_get("booking_id")?,
        collection_id: row.try_get("collection_id")?,
        customer_id: row.try_get("customer_id")?,
        amount_minor: row.try_get("amount_minor")?,
        amount_currency: row.try_get("amount_currency")?,
        order_id: row.try_get("order_id")?,
        state: row.try_get("state")?,
        verified_payment_id: row.try_get("verified_payment_id")?,
    })
}

/// A row of `payment_links`, with `order_ids`.
///
/// # Errors
/// When a column is missing or of another type.
pub fn link(row: &PgRow) -> Result<LinkRow, sqlx::Error> {
    Ok(LinkRow {
        link_id: row.try_get("link_id")?,
        booking_id: row.try_get("booking_id")?,
        provider_link_id: row.try_get("provider_link_id")?,
        status: row.try_get("status")?,
        withdrawn: row.try_get("withdrawn")?,
        expires_at: row.try_get("expires_at")?,
        order_ids: row.try_get::<Vec<String>, _>("order_ids")?.into_iter().collect(),
    })
}

/// A row of `refunds`.
///
/// # Errors
/// When a column is missing or of another type.
pub fn refund(row: &PgRow) -> Result<RefundRow, sqlx::Error> {
    Ok(RefundRow {
        refund_id: row.try_get("refund_id")?,
        booking_id: row.try_get("booking_id")?,
        payment_id: row.try_get("payment_id")?,
        amount_minor: row.try_get("amount_minor")?,
        amount_currency: row.try_get("amount_currency")?,
        cause: row.try_get("cause")?,
        state: row.try_get("state")?,
        provider_refund_id: row.try_get("provider_refund_id")?,
    })
}

/// A row of `webhook_inbox`.
///
/// # Errors
/// When a column is missing or of another type.
pub fn webhook(row: &PgRow) -> Result<WebhookRow, sqlx::Error> {
    let folded_at: Option<kernel::Timestamp> = row.try_get("folded_at")?;
    Ok(WebhookRow {
        event_id: row.try_get("event_id")?,
        body_sha256: row.try_get("body_sha256")?,
        folded: folded_at.is_some(),
        waits_for_order_id: row.try_get("waits_for_order_id")?,
    })
}

/// A line of the ledger, with its entry.
///
/// # Errors
/// When a column is missing or of another type.
pub fn ledger_line(row: &PgRow) -> Result<LedgerLine, sqlx::Error> {
    Ok(LedgerLine {
        entry: row.try_get("entry")?,
        payment_id: row.try_get("payment_id")?,
        account: row.try_get("account")?,
        minor: row.try_get("amount_minor")?,
        currency: row.try_get("amount_currency")?,
    })
}

/// A row of `receipts`.
///
/// # Errors
/// When a column is missing or of another type.
pub fn receipt(row: &PgRow) -> Result<ReceiptRow, sqlx::Error> {
    Ok(ReceiptRow {
        financial_year: row.try_get("financial_year")?,
        number: row.try_get("number")?,
        booking_id: row.try_get("booking_id")?,
        payment_id: row.try_get("payment_id")?,
        amount_minor: row.try_get("amount_minor")?,
    })
}

/// A row of `refund_requests`.
///
/// # Errors
/// When a column is missing or of another type.
pub fn refund_request(row: &PgRow) -> Result<RefundRequestRow, sqlx::Error> {
    Ok(RefundRequestRow {
        request_id: row.try_get("request_id")?,
        booking_id: row.try_get("booking_id")?,
        state: row.try_get("state")?,
        amount_minor: row.try_get("amount_minor")?,
        amount_currency: row.try_get("amount_currency")?,
    })
}

/// A row of `mails`.
///
/// # Errors
/// When a column is missing or of another type.
pub fn mail(row: &PgRow) -> Result<MailRow, sqlx::Error> {
    Ok(MailRow {
        mail_id: row.try_get("mail_id")?,
        kind: row.try_get("kind")?,
        subject: row.try_get("subject")?,
        booking_id: row.try_get("booking_id")?,
        state: row.try_get("state")?,
        reason: row.try_get("last_error")?,
        message_id: row.try_get("message_id")?,
        link_told: row.try_get("link_told")?,
    })
}
