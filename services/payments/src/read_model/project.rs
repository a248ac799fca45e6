//! Writes what a collection has become, and what booking announced.

use eventstore::{StoreError, Tx};
use kernel::id::{Booking, Customer, Refund as RefundKind};
use kernel::{Id, Timestamp};
use serde_json::{Value, json};

use crate::domain::booking_intent::BookingIntent;
use crate::domain::booking_status::BookingStatus;
use crate::domain::collection::{Collection, Standing};
use crate::domain::dispute::Dispute;
use crate::domain::fact::PaymentId;
use crate::domain::refund::{End, Refund};
use crate::domain::session_ends::{SessionEnd, SessionEnds};
use crate::read_model::links;

/// A standing's word in the table.
#[must_use]
pub fn standing_word(standing: Standing) -> &'static str {
    match standing {
        Standing::Pending => "pending",
        Standing::Paid => "paid",
        Standing::Failed => "failed",
        Standing::Mismatched => "mismatched",
        Standing::Refunding => "refunding",
        Standing::Refunded => "refunded",
    }
}

/// Writes a collection, its links and its refunds as they stand now.
pub async fn collection(
    tx: &mut Tx,
    collection: &Collection,
    now: Timestamp,
) -> Result<(), StoreError> {
    let terms = &collection.terms;
    let traceparent = tx.metadata().traceparent.clone();
    sqlx::query(
        "insert into collections (booking_id, collection_id, customer_id, amount_minor,
                                  amount_currency, order_id, ordered_at, state,
                                  verified_payment_id, opened_at, traceparent, provider, link_id)
         values ($1, $2, $3, $4, $5, $6, case when $6 is not null then $9 end, $7, $8, $9, $10,
                 $11, $12)
         on conflict (booking_id) do update
         set order_id = excluded.order_id, provider = excluded.provider,
             ordered_at = coalesce(collections.ordered_at, excluded.ordered_at),
             state = excluded.state, verified_payment_id = excluded.verified_payment_id,
             link_id = excluded.link_id",
    )
    .bind(terms.booking_id)
    .bind(terms.collection_id)
    .bind(terms.customer_id)
    .bind(terms.amount.minor)
    .bind(terms.amount.currency.code())
    .bind(collection.order.as_ref().map(ToString::to_string))
    .bind(standing_word(collection.standing()))
    .bind(collection.verified.as_ref().map(ToString::to_string))
    .bind(now)
    .bind(traceparent)
    .bind(collection.provider_name())
    .bind(collection.last_link)
    .execute(tx.connection())
    .await?;
    links::write(tx, collection, now).await?;
    for payment_id in collection.payments.keys() {
        payment(tx, collection, payment_id, now).await?;
    }
    for known in collection.disputes.values() {
        dispute(tx, terms.booking_id, known, now).await?;
    }
    // A provider's refund may have moved to another of our refunds, and its id is unique.
    let (named, nameless): (Vec<_>, Vec<_>) =
        collection.refunds.iter().partition(|(_, known)| known.accepted.is_some());
    for (refund_id, known) in nameless.into_iter().chain(named) {
        refund(tx, collection, *refund_id, known, now).await?;
    }
    Ok(())
}

async fn dispute(
    tx: &mut Tx,
    booking_id: Id<Booking>,
    dispute: &Dispute,
    now: Timestamp,
) -> Result<(), StoreError> {
    let fact = &dispute.fact;
    sqlx::query(
        "insert into disputes (dispute_id, provider, booking_id, payment_id, state, phase, reason,
                               amount_minor, amount_currency, deducted_minor, respond_by_at,
                               seen_at, counted)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, true)
         on conflict (dispute_id) do update
         set state = excluded.state, phase = excluded.phase, reason = excluded.reason,
             amount_minor = excluded.amount_minor, deducted_minor = excluded.deducted_minor,
             respond_by_at = excluded.respond_by_at, counted = true",
    )
    .bind(dispute.id.as_str())
    .bind(&dispute.provider)
    .bind(booking_id)
    .bind(dispute.payment.as_str())
    .bind(fact.state.word())
    .bind(fact.phase.word())
    .bind(&fact.reason)
    .bind(fact.amount.minor)
    .bind(&fact.amount.currency)
    .bind(fact.deducted_minor)
    .bind(fact.respond_by)
    .bind(now)
    .execute(tx.connection())
    .await?;
    Ok(())
}

async fn payment(
    tx: &mut Tx,
    collection: &Collection,
    payment: &PaymentId,
    now: Timestamp,
) -> Result<(), StoreError> {
    let Some(fact) = collection.payments.get(payment) else { return Ok(()) };
    let counted = if collection.verified.as_ref() == Some(payment) {
        Some("verified")
    } else {
        collection.mismatched.contains(payment).then_some("mismatched")
    };
    sqlx::query(
        "insert into payments (payment_id, booking_id, status, amount_minor, amount_currency,
                               counted, seen_at, provider)
         values ($1, $2, $3, $4, $5, $6, $7, $8)
         on conflict (payment_id) do update
         set status = excluded.status, counted = excluded.counted",
    )
    .bind(payment.as_str())
    .bind(collection.terms.booking_id)
    .bind(fact.status.word())
    .bind(fact.amount.minor)
    .bind(&fact.amount.currency)
    .bind(counted)
    .bind(now)
    .bind(provider_of(collection, payment))
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// The word for the practice's desk where a row names its payment's provider.
const DESK: &str = "desk";

/// The provider of a payment and its refunds.
fn provider_of<'c>(collection: &'c Collection, payment: &PaymentId) -> &'c str {
    if collection.is_at_desk(payment) { DESK } else { collection.provider_name() }
}

async fn refund(
    tx: &mut Tx,
    collection: &Collection,
    refund_id: Id<RefundKind>,
    refund: &Refund,
    now: Timestamp,
) -> Result<(), StoreError> {
    let state = match (refund.end, &refund.accepted) {
        (Some(End::Processed), _) => "processed",
        (Some(End::Failed | End::Overtaken | End::Given), _) => "failed",
        (None, Some(_)) => "accepted",
        (None, None) => "requested",
    };
    sqlx::query(
        "insert into refunds (refund_id, booking_id, payment_id, amount_minor, amount_currency,
                              cause, state, provider_refund_id, requested_at, renews_refund_id,
                              provider, given_minor, held)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
         on conflict (refund_id) do update
         set state = excluded.state, provider_refund_id = excluded.provider_refund_id,
             given_minor = excluded.given_minor, held = excluded.held",
    )
    .bind(refund_id)
    .bind(collection.terms.booking_id)
    .bind(refund.payment.as_str())
    .bind(refund.amount.minor)
    .bind(&refund.amount.currency)
    .bind(refund.cause.word())
    .bind(state)
    .bind(refund.accepted.as_ref().map(ToString::to_string))
    .bind(now)
    .bind(refund.renews)
    .bind(provider_of(collection, &refund.payment))
    .bind(collection.given(refund_id, refund))
    .bind(collection.is_held(refund_id))
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Stores a booking's owner and the trace in which it began.
pub async fn known_booking(
    tx: &mut Tx,
    booking_id: Id<Booking>,
    customer_id: Id<Customer>,
    traceparent: Option<&str>,
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into known_bookings (booking_id, customer_id, traceparent, state)
         values ($1, $2, $3, 'requested')
         on conflict do nothing",
    )
    .bind(booking_id)
    .bind(customer_id)
    .bind(traceparent)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Stores the account that adopted a booking; false when the booking is unknown.
pub async fn adopted_booking(
    tx: &mut Tx,
    booking_id: Id<Booking>,
    adopter_id: Id<Customer>,
) -> Result<bool, StoreError> {
    let known = sqlx::query("update known_bookings set adopter_id = $2 where booking_id = $1")
        .bind(booking_id)
        .bind(adopter_id)
        .execute(tx.connection())
        .await?
        .rows_affected();
    Ok(known > 0)
}

/// Stores a booking's status.
pub async fn booking_state(
    tx: &mut Tx,
    booking_id: Id<Booking>,
    status: BookingStatus,
) -> Result<(), StoreError> {
    sqlx::query("update known_bookings set state = $2 where booking_id = $1")
        .bind(booking_id)
        .bind(status.word())
        .execute(tx.connection())
        .await?;
    Ok(())
}

/// Stores booking's intent for a booking's money; returns whether the booking is known, because
/// only then there is a row for it.
pub async fn booking_intent(
    tx: &mut Tx,
    booking_id: Id<Booking>,
    intent: &BookingIntent,
) -> Result<bool, StoreError> {
    let known = sqlx::query(
        "update known_bookings
         set state = $2, unplaced_payment_id = $3, refund_minor = $4, refund_currency = $5,
             placed_payment_id = $6, session_ends = $7
         where booking_id = $1",
    )
    .bind(booking_id)
    .bind(intent.status.word())
    .bind(intent.unplaced.as_ref().map(PaymentId::as_str))
    .bind(intent.refund.as_ref().map(|refund| refund.minor))
    .bind(intent.refund.as_ref().map(|refund| refund.currency.as_str()))
    .bind(intent.placed.as_ref().map(PaymentId::as_str))
    .bind(session_ends_json(&intent.session_ends))
    .execute(tx.connection())
    .await?
    .rows_affected();
    Ok(known > 0)
}

/// The ends of a package's sessions as they are stored.
fn session_ends_json(ends: &SessionEnds) -> Value {
    ends.iter().map(|(number, end)| session_end_json(number, end)).collect()
}

fn session_end_json(number: i32, end: SessionEnd) -> Value {
    json!({ "number": number, "share": end.share_minor, "refund": end.refund_minor })
}

/// Reads them.
#[must_use]
pub fn read_session_ends(stored: &Value) -> SessionEnds {
    let ends = stored.as_array().into_iter().flatten();
    ends.fold(SessionEnds::default(), |known, end| {
        let field = |name: &str| end.get(name).and_then(Value::as_i64);
        let number = field("number").and_then(|number| i32::try_from(number).ok());
        let Some((number, share_minor)) = number.zip(field("share")) else { return known };
        known.with(number, SessionEnd { share_minor, refund_minor: field("refund") })
    })
}

/// Says that this process issues receipts. One of a release that does not may not move the
/// consumer's checkpoint, or it would take an event in without its receipt.
pub async fn declare_receipt_support(tx: &mut Tx) -> Result<(), StoreError> {
    tx.set("payments.knows", "receipts").await
}
