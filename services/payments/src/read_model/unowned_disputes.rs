//! Disputes of payments whose owner is not known.

use eventstore::{StoreError, Tx};
use sqlx::Row as _;
use sqlx::postgres::PgRow;

use crate::domain::dispute::{Dispute, DisputeFact, DisputeState, Phase};
use crate::domain::fact::{Amount, DisputeId, PaymentId};
use crate::domain::ledger::UnownedDispute;

/// Whether a payment is in the ledger without an owner; then no other transaction folds disputes of
/// it, nor identifies it, until this one ends.
pub async fn lock_payment(tx: &mut Tx, payment: &PaymentId) -> Result<bool, StoreError> {
    let row = sqlx::query("select from unknown_payments where payment_id = $1 for update")
        .bind(payment.as_str())
        .fetch_optional(tx.connection())
        .await?;
    Ok(row.is_some())
}

/// What is known of a dispute.
pub async fn dispute(tx: &mut Tx, id: &DisputeId) -> Result<Option<UnownedDispute>, StoreError> {
    let row = sqlx::query(
        "select dispute_id, provider, payment_id, state, phase, reason, amount_minor,
                amount_currency, deducted_minor, respond_by_at, moves
         from unowned_disputes where dispute_id = $1",
    )
    .bind(id.as_str())
    .fetch_optional(tx.connection())
    .await?;
    Ok(row.as_ref().map(read).transpose()?)
}

/// The disputes of a payment.
pub async fn of_payment(
    tx: &mut Tx,
    payment: &PaymentId,
) -> Result<Vec<UnownedDispute>, StoreError> {
    let rows = sqlx::query(
        "select dispute_id, provider, payment_id, state, phase, reason, amount_minor,
                amount_currency, deducted_minor, respond_by_at, moves
         from unowned_disputes where payment_id = $1 order by dispute_id",
    )
    .bind(payment.as_str())
    .fetch_all(tx.connection())
    .await?;
    Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
}

/// Writes a dispute as it is now.
pub async fn write(tx: &mut Tx, known: &UnownedDispute) -> Result<(), StoreError> {
    let (dispute, fact) = (&known.dispute, &known.dispute.fact);
    sqlx::query(
        "insert into unowned_disputes (dispute_id, provider, payment_id, state, phase, reason,
                                       amount_minor, amount_currency, deducted_minor,
                                       respond_by_at, moves)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
         on conflict (dispute_id) do update
         set state = excluded.state, phase = excluded.phase, reason = excluded.reason,
             amount_minor = excluded.amount_minor, deducted_minor = excluded.deducted_minor,
             respond_by_at = excluded.respond_by_at, moves = excluded.moves",
    )
    .bind(dispute.id.as_str())
    .bind(&dispute.provider)
    .bind(dispute.payment.as_str())
    .bind(fact.state.word())
    .bind(fact.phase.word())
    .bind(&fact.reason)
    .bind(fact.amount.minor)
    .bind(&fact.amount.currency)
    .bind(fact.deducted_minor)
    .bind(fact.respond_by)
    .bind(known.moves)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// A column holds a value that this service never writes.
fn impossible(column: &str) -> sqlx::Error {
    sqlx::Error::ColumnDecode { index: column.to_owned(), source: "an impossible value".into() }
}

fn read(row: &PgRow) -> Result<UnownedDispute, sqlx::Error> {
    let word = |column: &str| row.try_get::<&str, _>(column);
    let phase = Phase::from_word(word("phase")?);
    let state = DisputeState::from_word(word("state")?);
    let id = DisputeId::parse(word("dispute_id")?);
    let payment = PaymentId::parse(word("payment_id")?);
    let fact = DisputeFact {
        phase: phase.ok_or_else(|| impossible("phase"))?,
        state: state.ok_or_else(|| impossible("state"))?,
        respond_by: row.try_get("respond_by_at")?,
        deducted_minor: row.try_get("deducted_minor")?,
        amount: Amount {
            minor: row.try_get("amount_minor")?,
            currency: row.try_get("amount_currency")?,
        },
        reason: row.try_get("reason")?,
    };
    let dispute = Dispute {
        provider: row.try_get("provider")?,
        id: id.ok_or_else(|| impossible("dispute_id"))?,
        payment: payment.ok_or_else(|| impossible("payment_id"))?,
        fact,
    };
    Ok(UnownedDispute { dispute, moves: row.try_get("moves")? })
}
