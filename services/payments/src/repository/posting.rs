//! Writes entries, each once, in the transaction of their cause.

use eventstore::{StoreError, Tx, new_uuid};
use kernel::Id;
use kernel::id::Booking;
use sqlx::Row as _;

use crate::domain::fact::PaymentId;
use crate::domain::ledger::{Account, Entry, EntryKind};

/// Writes the entries that are not written yet. Returns the payments of an unknown owner that are
/// identified by them.
pub async fn post(
    tx: &mut Tx,
    booking_id: Option<Id<Booking>>,
    entries: &[Entry],
) -> Result<Vec<PaymentId>, StoreError> {
    let mut identified = Vec::new();
    for entry in entries {
        let is_new = write(tx, booking_id, entry).await?;
        if let (false, EntryKind::Captured, Some(booking_id)) = (is_new, entry.kind, booking_id)
            && identify(tx, booking_id, entry).await?
        {
            identified.extend(entry.payment.clone());
        }
    }
    Ok(identified)
}

/// Writes one entry; says whether it is new.
async fn write(
    tx: &mut Tx,
    booking_id: Option<Id<Booking>>,
    entry: &Entry,
) -> Result<bool, StoreError> {
    let entry_id = new_uuid();
    let count = i32::try_from(entry.lines.len()).unwrap_or(i32::MAX);
    let is_new = sqlx::query(
        "insert into ledger_entries (entry_id, cause, kind, booking_id, payment_id,
                                     provider_refund_id, lines)
         values ($1, $2, $3, $4, $5, $6, $7)
         on conflict (cause) do nothing",
    )
    .bind(entry_id)
    .bind(&entry.cause)
    .bind(entry.kind.word())
    .bind(booking_id)
    .bind(entry.payment.as_ref().map(PaymentId::as_str))
    .bind(entry.provider_refund.as_ref().map(ToString::to_string))
    .bind(count)
    .execute(tx.connection())
    .await?
    .rows_affected()
        > 0;
    if is_new {
        let lines = &entry.lines;
        sqlx::query(
            "insert into ledger_lines (entry_id, line, account, amount_minor, amount_currency)
             select $1, line, account, amount_minor, amount_currency
             from unnest($2::text[], $3::bigint[], $4::text[])
                  with ordinality as given (account, amount_minor, amount_currency, line)",
        )
        .bind(entry_id)
        .bind(lines.iter().map(|line| line.account.word()).collect::<Vec<_>>())
        .bind(lines.iter().map(|line| line.amount.minor).collect::<Vec<_>>())
        .bind(lines.iter().map(|line| line.amount.currency.as_str()).collect::<Vec<_>>())
        .execute(tx.connection())
        .await?;
    }
    Ok(is_new)
}

/// Captured money of an unknown owner is identified as a booking's, also when refunds and disputes
/// have taken all of it; returns whether it was of an unknown owner.
async fn identify(
    tx: &mut Tx,
    booking_id: Id<Booking>,
    captured: &Entry,
) -> Result<bool, StoreError> {
    let Some(payment) = &captured.payment else { return Ok(false) };
    let explained = sqlx::query(
        "update unknown_payments set explained_at = coalesce(explained_at, clock_now())
         where payment_id = $1",
    )
    .bind(payment.as_str())
    .execute(tx.connection())
    .await?
    .rows_affected();
    if explained == 0 {
        return Ok(false);
    }
    // What refunds and disputes took in the meantime is posted again by the booking's own events.
    let gone = "select cause from ledger_entries
                where payment_id = $1 and booking_id is null and kind = any($2)";
    let gone = sqlx::query(gone)
        .bind(payment.as_str())
        .bind([EntryKind::RefundProcessed.word(), EntryKind::DisputeLost.word()])
        .fetch_all(tx.connection())
        .await?;
    for row in gone {
        let cause: String = row.try_get("cause")?;
        reverse(tx, &cause, &format!("{cause} reversed")).await?;
    }
    let lines = captured.lines.iter().cloned().map(|mut line| {
        if line.account == Account::ProviderClearing {
            line.account = Account::Suspense;
        }
        line
    });
    let identified = Entry {
        cause: format!("identified {payment}"),
        kind: EntryKind::Identified,
        lines: lines.collect(),
        ..captured.clone()
    };
    write(tx, Some(booking_id), &identified).await
}

/// Reverses an entry by another one with the opposite lines; once.
pub async fn reverse(tx: &mut Tx, cause: &str, reversed: &str) -> Result<(), StoreError> {
    let entry_id = new_uuid();
    sqlx::query(
        "with taken_back as (
             insert into ledger_entries (entry_id, cause, kind, booking_id, payment_id,
                                         provider_refund_id, lines)
             select $1, $3, $4, booking_id, payment_id, provider_refund_id, lines
             from ledger_entries where cause = $2
             on conflict (cause) do nothing
             returning entry_id)
         insert into ledger_lines (entry_id, line, account, amount_minor, amount_currency)
         select taken_back.entry_id, line, account, -amount_minor, amount_currency
         from taken_back, ledger_entries as first join ledger_lines using (entry_id)
         where first.cause = $2",
    )
    .bind(entry_id)
    .bind(cause)
    .bind(reversed)
    .bind(EntryKind::Reversed.word())
    .execute(tx.connection())
    .await?;
    Ok(())
}
