//! Rows of settlements, their lines, and payments that are none of ours.

use eventstore::{StoreError, Tx};
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use sqlx::{PgExecutor, Row as _};

use crate::domain::fact::{Amount, DisputeId, OrderId, Payment, PaymentId};
use crate::domain::settlement::{Booked, Break, Figures, Line, LineSubject, Settlement};

/// A line as it was posted before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Posted {
    /// What it said.
    pub figures: Figures,
    /// Why it did not fit, in a word.
    pub broken: Option<String>,
    /// How often it came with something new.
    pub revision: i32,
}

/// What the ledger has of what a line is about, with its booking.
pub async fn booked(
    executor: impl PgExecutor<'_>,
    line: &Line,
) -> Result<Option<(Option<Id<Booking>>, Booked)>, StoreError> {
    if let LineSubject::Dispute(dispute, _) = &line.about {
        return disputed(executor, line, dispute).await;
    }
    let row = sqlx::query(
        "select e.booking_id, abs(l.amount_minor) as amount_minor, l.amount_currency,
                exists (select from settlement_lines s
                        where s.entity_id = $3 and s.settlement_id <> $4
                          and s.broken is null) as is_settled
         from ledger_entries e join ledger_lines l using (entry_id)
         where l.account = 'provider_clearing'
           and (e.kind = 'captured' and e.payment_id = $1
                or e.kind = 'refund_processed' and e.provider_refund_id = $2)
         order by e.booking_id nulls last limit 1",
    )
    .bind(match &line.about {
        LineSubject::Payment(payment) => Some(payment.as_str()),
        LineSubject::Refund(..) | LineSubject::Dispute(..) | LineSubject::Other(_) => None,
    })
    .bind(match &line.about {
        LineSubject::Refund(refund, _) => Some(refund.as_str()),
        LineSubject::Payment(_) | LineSubject::Dispute(..) | LineSubject::Other(_) => None,
    })
    .bind(line.id.as_str())
    .bind(line.settlement.as_str())
    .fetch_optional(executor)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let amount =
        Amount { minor: row.try_get("amount_minor")?, currency: row.try_get("amount_currency")? };
    let booked = Booked { amount, is_settled: row.try_get("is_settled")? };
    Ok(Some((row.try_get("booking_id")?, booked)))
}

/// What is known of the dispute that a line is about: the provider takes what is disputed when it
/// begins or when it is lost, and brings it back when it is won.
async fn disputed(
    executor: impl PgExecutor<'_>,
    line: &Line,
    dispute: &DisputeId,
) -> Result<Option<(Option<Id<Booking>>, Booked)>, StoreError> {
    let row = sqlx::query(
        "select booking_id, greatest(amount_minor, deducted_minor) as amount_minor, amount_currency,
                exists (select from settlement_lines s
                        where s.entity_id = $2 and s.settlement_id <> $3
                          and s.broken is null) as is_settled
         from (select dispute_id, booking_id, amount_minor, deducted_minor, amount_currency
               from disputes
               union all
               select dispute_id, null, amount_minor, deducted_minor, amount_currency
               from unowned_disputes) as known
         where dispute_id = $1 order by booking_id nulls last limit 1",
    )
    .bind(dispute.as_str())
    .bind(line.id.as_str())
    .bind(line.settlement.as_str())
    .fetch_optional(executor)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let amount =
        Amount { minor: row.try_get("amount_minor")?, currency: row.try_get("amount_currency")? };
    let booked = Booked { amount, is_settled: row.try_get("is_settled")? };
    Ok(Some((row.try_get("booking_id")?, booked)))
}

/// A line as it was posted before, if it was.
pub async fn posted(tx: &mut Tx, line: &Line) -> Result<Option<Posted>, StoreError> {
    let row = sqlx::query(
        "select amount_minor, debit_minor, credit_minor, fee_minor, tax_minor, amount_currency,
                broken, revision
         from settlement_lines where settlement_id = $1 and entity_id = $2 for update",
    )
    .bind(line.settlement.as_str())
    .bind(line.id.as_str())
    .fetch_optional(tx.connection())
    .await?;
    let Some(row) = row else { return Ok(None) };
    let figures = Figures {
        amount: row.try_get("amount_minor")?,
        debit: row.try_get("debit_minor")?,
        credit: row.try_get("credit_minor")?,
        fee: row.try_get("fee_minor")?,
        tax: row.try_get("tax_minor")?,
        currency: row.try_get("amount_currency")?,
    };
    let (broken, revision) = (row.try_get("broken")?, row.try_get("revision")?);
    Ok(Some(Posted { figures, broken, revision }))
}

/// Writes a line as it is now.
pub async fn write_line(
    tx: &mut Tx,
    line: &Line,
    broken: Option<Break>,
    revision: i32,
) -> Result<(), StoreError> {
    let figures = &line.figures;
    sqlx::query(
        "insert into settlement_lines (settlement_id, entity_id, kind, payment_id, amount_minor,
                                       debit_minor, credit_minor, fee_minor, tax_minor,
                                       amount_currency, settled_at, broken, revision)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
         on conflict (settlement_id, entity_id) do update
         set amount_minor = excluded.amount_minor, debit_minor = excluded.debit_minor,
             credit_minor = excluded.credit_minor, fee_minor = excluded.fee_minor,
             tax_minor = excluded.tax_minor, amount_currency = excluded.amount_currency,
             broken = excluded.broken, revision = excluded.revision",
    )
    .bind(line.settlement.as_str())
    .bind(line.id.as_str())
    .bind(line.about.word())
    .bind(line.about.payment().map(PaymentId::as_str))
    .bind(figures.amount)
    .bind(figures.debit)
    .bind(figures.credit)
    .bind(figures.fee)
    .bind(figures.tax)
    .bind(&figures.currency)
    .bind(line.settled_at)
    .bind(broken.map(Break::word))
    .bind(revision)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// When the oldest captured payment was seen that the provider has not paid out.
pub async fn oldest_unsettled(
    executor: impl PgExecutor<'_>,
) -> Result<Option<Timestamp>, StoreError> {
    let oldest = sqlx::query_scalar(
        "select min(p.seen_at) from payments p
         join (select payment_id from open_balances
               where account in ('provider_clearing', 'refunds_payable')
               group by payment_id having sum(amount_minor) > 0) as held using (payment_id)",
    )
    .fetch_one(executor)
    .await?;
    Ok(oldest)
}

/// What the lines of a settlement add up to.
pub async fn lines_sum(tx: &mut Tx, settlement: &Settlement) -> Result<i64, StoreError> {
    let sum = sqlx::query_scalar(
        "select coalesce(sum(credit_minor - debit_minor), 0)::bigint
         from settlement_lines where settlement_id = $1",
    )
    .bind(settlement.id.as_str())
    .fetch_one(tx.connection())
    .await?;
    Ok(sum)
}

/// Writes a settlement as it is now.
pub async fn write_settlement(
    tx: &mut Tx,
    settlement: &Settlement,
    broken: Option<Break>,
) -> Result<(), StoreError> {
    sqlx::query(
        "insert into settlements (settlement_id, amount_minor, state, bank_reference, broken)
         values ($1, $2, $3, $4, $5)
         on conflict (settlement_id) do update
         set amount_minor = excluded.amount_minor, state = excluded.state,
             bank_reference = excluded.bank_reference, broken = excluded.broken",
    )
    .bind(settlement.id.as_str())
    .bind(settlement.amount_minor)
    .bind(&settlement.state)
    .bind(&settlement.bank_reference)
    .bind(broken.map(Break::word))
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Stores a captured payment that belongs to no order of ours.
pub async fn insert_unknown(tx: &mut Tx, payment: &Payment) -> Result<(), StoreError> {
    sqlx::query(
        "insert into unknown_payments (payment_id, order_id, amount_minor, amount_currency)
         values ($1, $2, $3, $4) on conflict do nothing",
    )
    .bind(payment.id.as_str())
    .bind(payment.fact.order.as_ref().map(OrderId::as_str))
    .bind(payment.fact.amount.minor)
    .bind(&payment.fact.amount.currency)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Notes whether all of an unknown payment has gone back, which explains it.
pub async fn explain_unknown(tx: &mut Tx, payment: &PaymentId) -> Result<(), StoreError> {
    sqlx::query(
        "update unknown_payments set explained_at = clock_now()
         where payment_id = $1 and explained_at is null
           and not exists (
               select from ledger_entries join ledger_lines using (entry_id)
               where payment_id = $1 and account = 'suspense'
               having sum(amount_minor) <> 0)",
    )
    .bind(payment.as_str())
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Notes that a payment is another business's of the account.
pub async fn explain_foreign(tx: &mut Tx, payment: &PaymentId) -> Result<(), StoreError> {
    sqlx::query(
        "update unknown_payments set explained_at = clock_now()
         where payment_id = $1 and explained_at is null",
    )
    .bind(payment.as_str())
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Whether a payment that is none of ours is explained.
pub async fn is_explained(
    executor: impl PgExecutor<'_>,
    payment: &PaymentId,
) -> Result<bool, StoreError> {
    let known = sqlx::query_scalar(
        "select exists (select from unknown_payments
                        where payment_id = $1 and explained_at is not null)",
    );
    Ok(known.bind(payment.as_str()).fetch_one(executor).await?)
}

/// How much of an unknown payment is refunded in the ledger.
pub async fn unknown_refunded(
    executor: impl PgExecutor<'_>,
    payment: &PaymentId,
) -> Result<i64, StoreError> {
    let gone = sqlx::query_scalar(
        "select coalesce(-sum(amount_minor), 0)::bigint
         from ledger_entries join ledger_lines using (entry_id)
         where payment_id = $1 and booking_id is null and kind = 'refund_processed'
           and account = 'provider_clearing'",
    )
    .bind(payment.as_str())
    .fetch_one(executor)
    .await?;
    Ok(gone)
}

/// A random sample of the unexplained unknown payments.
pub async fn sample_unknown(
    executor: impl PgExecutor<'_>,
    many: i64,
) -> Result<Vec<PaymentId>, StoreError> {
    let ids: Vec<String> = sqlx::query_scalar(
        "select payment_id from unknown_payments where explained_at is null
         order by random() limit $1",
    )
    .bind(many)
    .fetch_all(executor)
    .await?;
    Ok(ids.iter().filter_map(|id| PaymentId::parse(id)).collect())
}

/// A random sample of the payments that were authorised more than a day ago.
pub async fn sample_authorized(
    executor: impl PgExecutor<'_>,
    many: i64,
) -> Result<Vec<PaymentId>, StoreError> {
    let ids: Vec<String> = sqlx::query_scalar(
        "select payment_id from payments
         where status = 'authorized' and seen_at < clock_now() - interval '1 day'
         order by random() limit $1",
    )
    .bind(many)
    .fetch_all(executor)
    .await?;
    Ok(ids.iter().filter_map(|id| PaymentId::parse(id)).collect())
}

/// A random sample of the orders that webhooks have waited for since before an instant.
pub async fn sample_waiting(
    executor: impl PgExecutor<'_>,
    before: Timestamp,
    many: i64,
) -> Result<Vec<OrderId>, StoreError> {
    let ids: Vec<String> = sqlx::query_scalar(
        "select waits_for_order_id from webhook_inbox
         where waits_for_order_id is not null and received_at < $1
           and not exists (select from unknown_payments u where u.order_id = waits_for_order_id)
         group by waits_for_order_id order by random() limit $2",
    )
    .bind(before)
    .bind(many)
    .fetch_all(executor)
    .await?;
    Ok(ids.iter().filter_map(|id| OrderId::parse(id)).collect())
}

/// A random sample of the bookings whose order's creation had no answer since before an instant,
/// and that were not looked up since their last lease.
pub async fn sample_without_order(
    executor: impl PgExecutor<'_>,
    before: Timestamp,
    many: i64,
) -> Result<Vec<(Id<Booking>, i32)>, StoreError> {
    let rows = sqlx::query(
        "select booking_id, ordering_turns from collections
         where order_id is null and ordering_turns > 0 and opened_at < $1
           and ordering_until_at < clock_timestamp()
           and order_absent_turn is distinct from ordering_turns
         order by random() limit $2",
    )
    .bind(before)
    .bind(many)
    .fetch_all(executor)
    .await?;
    let read = |row: &sqlx::postgres::PgRow| {
        Ok::<_, sqlx::Error>((row.try_get("booking_id")?, row.try_get("ordering_turns")?))
    };
    Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
}

/// Records that there is no order as of a lease.
pub async fn record_absent_order(
    tx: &mut Tx,
    booking_id: Id<Booking>,
    lease: i32,
) -> Result<(), StoreError> {
    sqlx::query("update collections set order_absent_turn = $2 where booking_id = $1")
        .bind(booking_id)
        .bind(lease)
        .execute(tx.connection())
        .await?;
    Ok(())
}
