//! Receipts as they were issued, with what has gone back of their payments since.

use eventstore::{StoreError, Tx};
use kernel::id::{Booking, Receipt as ReceiptKind};
use kernel::{Id, Timestamp};
use sqlx::postgres::PgRow;
use sqlx::{AssertSqlSafe, PgExecutor, Row as _};

use crate::domain::fact::PaymentId;
use crate::domain::receipt::{FinancialYear, Letterhead, Parts, Receipt, Tax};

/// A receipt as its row has it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReceiptRow {
    /// Its id.
    pub receipt_id: Id<ReceiptKind>,
    /// Its serial number.
    pub serial: String,
    /// When it was issued.
    pub issued_at: Timestamp,
    /// The booking.
    pub booking_id: Id<Booking>,
    /// The provider's payment.
    pub payment_id: String,
    /// What was paid, in minor units.
    pub amount_minor: i64,
    /// The currency of everything that it states.
    pub currency: String,
    /// How it states tax.
    pub tax: Tax,
    /// What the amount consists of.
    pub parts: Parts,
    /// Who issued it.
    pub letterhead: Letterhead,
    /// What has gone back of the payment up to now.
    pub refunded_minor: i64,
}

/// Everything of a receipt, and the refunds that the provider has processed.
const RECEIPT: &str = "select r.*, (
        select coalesce(sum(refunds.amount_minor), 0)::bigint from refunds
        where refunds.payment_id = r.payment_id and refunds.state = 'processed') as refunded_minor
     from receipts r";

/// Takes the next number of a year, from 1. The year's row is locked until this transaction ends,
/// and one that comes to nothing gives its number back.
///
/// # Errors
/// When the database does not answer.
pub async fn take_number(tx: &mut Tx, year: FinancialYear) -> Result<i32, StoreError> {
    let number = sqlx::query_scalar(
        "insert into receipt_counters (financial_year, last_number) values ($1, 1)
         on conflict (financial_year) do update
         set last_number = receipt_counters.last_number + 1
         returning last_number",
    )
    .bind(year.april())
    .fetch_one(tx.connection())
    .await?;
    Ok(number)
}

/// Whether there is a receipt for a payment.
///
/// # Errors
/// When the database does not answer.
pub async fn is_issued(
    executor: impl PgExecutor<'_>,
    payment: &PaymentId,
) -> Result<bool, StoreError> {
    let found = sqlx::query_scalar("select exists (select from receipts where payment_id = $1)")
        .bind(payment.as_str())
        .fetch_one(executor)
        .await?;
    Ok(found)
}

/// Writes a receipt.
///
/// # Errors
/// When the database does not answer.
pub async fn insert(tx: &mut Tx, receipt: &Receipt) -> Result<(), StoreError> {
    sqlx::query(
        "insert into receipts (receipt_id, financial_year, number, serial, booking_id, payment_id,
                               amount_minor, amount_currency, tax_mode, gst_percent, taxable_minor,
                               central_tax_minor, state_tax_minor, issued_by, issuer_address, gstin,
                               service_code, issued_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18)",
    )
    .bind(receipt.receipt_id)
    .bind(receipt.year.april())
    .bind(receipt.number)
    .bind(&receipt.serial)
    .bind(receipt.paid.booking_id)
    .bind(receipt.paid.payment.as_str())
    .bind(receipt.paid.amount.minor)
    .bind(receipt.paid.amount.currency.code())
    .bind(receipt.tax.word())
    .bind(receipt.tax.percent())
    .bind(receipt.parts.taxable)
    .bind(receipt.parts.central_tax)
    .bind(receipt.parts.state_tax)
    .bind(&receipt.letterhead.issued_by)
    .bind(&receipt.letterhead.address)
    .bind(&receipt.letterhead.gstin)
    .bind(&receipt.letterhead.service_code)
    .bind(receipt.issued_at)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// The receipts of a booking, oldest first.
///
/// # Errors
/// When the database does not answer.
pub async fn of_booking(
    executor: impl PgExecutor<'_>,
    booking_id: Id<Booking>,
) -> Result<Vec<ReceiptRow>, StoreError> {
    let sql = format!("{RECEIPT} where r.booking_id = $1 order by r.financial_year, r.number");
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(booking_id).fetch_all(executor).await?;
    Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
}

/// A receipt by its id.
///
/// # Errors
/// When the database does not answer.
pub async fn one(
    executor: impl PgExecutor<'_>,
    receipt_id: Id<ReceiptKind>,
) -> Result<Option<ReceiptRow>, StoreError> {
    let sql = format!("{RECEIPT} where r.receipt_id = $1");
    let row = sqlx::query(AssertSqlSafe(sql)).bind(receipt_id).fetch_optional(executor).await?;
    Ok(row.as_ref().map(read).transpose()?)
}

fn read(row: &PgRow) -> Result<ReceiptRow, sqlx::Error> {
    let tax = Tax::from_word(row.try_get("tax_mode")?, row.try_get("gst_percent")?);
    let tax = tax.ok_or_else(|| sqlx::Error::ColumnDecode {
        index: "tax_mode".to_owned(),
        source: "an impossible value".into(),
    })?;
    Ok(ReceiptRow {
        receipt_id: row.try_get("receipt_id")?,
        serial: row.try_get("serial")?,
        issued_at: row.try_get("issued_at")?,
        booking_id: row.try_get("booking_id")?,
        payment_id: row.try_get("payment_id")?,
        amount_minor: row.try_get("amount_minor")?,
        currency: row.try_get("amount_currency")?,
        tax,
        parts: Parts {
            taxable: row.try_get("taxable_minor")?,
            central_tax: row.try_get("central_tax_minor")?,
            state_tax: row.try_get("state_tax_minor")?,
        },
        letterhead: Letterhead {
            issued_by: row.try_get("issued_by")?,
            address: row.try_get("issuer_address")?,
            gstin: row.try_get("gstin")?,
            service_code: row.try_get("service_code")?,
        },
        refunded_minor: row.try_get("refunded_minor")?,
    })
}
