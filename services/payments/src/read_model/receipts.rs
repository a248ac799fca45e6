//! Receipts and tax documents as they were issued, with what was refunded of their payments since.
//! Receipts have a table of their own; reads combine both tables.

use eventstore::{StoreError, Tx};
use kernel::id::{Booking, Customer, Receipt as ReceiptKind, Refund as RefundKind};
use kernel::{Id, Timestamp};
use sqlx::postgres::{PgArguments, PgRow};
use sqlx::query::Query;
use sqlx::{AssertSqlSafe, PgExecutor, Postgres, Row as _};

use super::payers;
use crate::domain::fact::PaymentId;
use crate::domain::payer::Payer;
use crate::domain::receipt::due::{Issued, Reference};
use crate::domain::receipt::paper::{Paper, Series};
use crate::domain::receipt::tax::{Parts, Tax};
use crate::domain::receipt::{FinancialYear, Letterhead, Receipt};

type Insert<'q> = Query<'q, Postgres, PgArguments>;

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
    /// Its kind.
    pub paper: Paper,
    /// The provider's payment.
    pub payment_id: String,
    /// The refund that it is about.
    pub refund_id: Option<Id<RefundKind>>,
    /// The total amount, in minor units.
    pub amount_minor: i64,
    /// The currency of everything that it states.
    pub currency: String,
    /// How it states tax.
    pub tax: Tax,
    /// What the amount consists of.
    pub parts: Parts,
    /// Who issued it.
    pub letterhead: Letterhead,
    /// To whom it was issued.
    pub payer: Option<Payer>,
    /// The document that it refers to.
    pub refers_to: Option<Reference>,
    /// What was refunded of the payment up to now; 0 for tax documents.
    pub refunded_minor: i64,
}

/// All columns of receipts (with the sum of processed refunds) and of tax documents: the part
/// before `where` of a query over both tables.
const PAPERS: &str = "select papers.* from (
        select receipt_id, kind, financial_year, number, serial, booking_id, payment_id,
               null::uuid as refund_id, null::text as refers_to_serial,
               null::timestamptz as refers_to_issued_at, amount_minor, amount_currency, tax_mode,
               gst_percent, taxable_minor, central_tax_minor, state_tax_minor,
               integrated_tax_minor, issued_by, issuer_address, gstin, service_code, payer_name,
               payer_gstin, payer_address, payer_state, issued_at,
               (select coalesce(sum(refunds.amount_minor), 0)::bigint from refunds
                where refunds.payment_id = receipts.payment_id
                  and refunds.state = 'processed') as refunded_minor
        from receipts
        union all
        select paper_id, kind, financial_year, number, serial, booking_id, payment_id,
               refund_id, refers_to_serial, refers_to_issued_at, amount_minor, amount_currency,
               tax_mode, gst_percent, taxable_minor, central_tax_minor, state_tax_minor,
               integrated_tax_minor, issued_by, issuer_address, gstin, service_code, payer_name,
               payer_gstin, payer_address, payer_state, issued_at, 0::bigint
        from tax_papers) papers";

/// Takes the next number of a series in a year, from 1. The year's row is locked until this
/// transaction ends, and a rollback returns the number.
pub async fn take_number(
    tx: &mut Tx,
    series: Series,
    year: FinancialYear,
) -> Result<i32, StoreError> {
    let of_receipts = "insert into receipt_counters (financial_year, last_number) values ($1, 1)
         on conflict (financial_year) do update
         set last_number = receipt_counters.last_number + 1
         returning last_number";
    let of_others = "insert into tax_paper_counters (financial_year, series, last_number)
         values ($1, $2, 1)
         on conflict (series, financial_year) do update
         set last_number = tax_paper_counters.last_number + 1
         returning last_number";
    let counted = match series {
        Series::Receipt => sqlx::query_scalar(of_receipts).bind(year.april()),
        Series::Invoice | Series::RefundVoucher | Series::CreditNote => {
            sqlx::query_scalar(of_others).bind(year.april()).bind(series.word())
        }
    };
    Ok(counted.fetch_one(tx.connection()).await?)
}

/// Whether there is a receipt for a payment.
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

/// The booking of the newest receipt for money that came by the provider.
pub async fn newest_booking(
    executor: impl PgExecutor<'_>,
) -> Result<Option<Id<Booking>>, StoreError> {
    let found = sqlx::query_scalar(
        "select booking_id from receipts where payment_id not like 'desk\\_%'
         order by financial_year desc, number desc limit 1",
    )
    .fetch_optional(executor)
    .await?;
    Ok(found)
}

/// Whether tax documents follow a receipt of a booking.
pub async fn has_voucher(
    executor: impl PgExecutor<'_>,
    booking_id: Id<Booking>,
) -> Result<bool, StoreError> {
    let found = sqlx::query_scalar(
        "select exists (
             select from receipts where booking_id = $1 and kind = 'receipt_voucher')",
    )
    .bind(booking_id)
    .fetch_one(executor)
    .await?;
    Ok(found)
}

/// Whether an invoice, or bill of supply, was issued for a booking: then the payer's details are
/// fixed.
pub async fn is_invoiced(
    executor: impl PgExecutor<'_>,
    booking_id: Id<Booking>,
) -> Result<bool, StoreError> {
    let found = sqlx::query_scalar(
        "select exists (select from tax_papers where booking_id = $1 and series = 'invoice')",
    )
    .bind(booking_id)
    .fetch_one(executor)
    .await?;
    Ok(found)
}

/// What was issued for a booking, as far as later documents depend on it.
pub async fn issued(
    executor: impl PgExecutor<'_>,
    booking_id: Id<Booking>,
) -> Result<Vec<Issued>, StoreError> {
    let rows = of_booking(executor, booking_id).await?;
    let unreadable = || StoreError::from(sqlx::Error::Decode("not the id of a payment".into()));
    rows.into_iter()
        .map(|row| {
            Ok(Issued {
                paper: row.paper,
                payment: PaymentId::parse(&row.payment_id).ok_or_else(unreadable)?,
                refund: row.refund_id,
                amount_minor: row.amount_minor,
                tax: row.tax,
                place: row.parts.place(),
                reference: Reference { serial: row.serial, issued_at: row.issued_at },
            })
        })
        .collect()
}

/// Writes a receipt or tax document.
pub async fn insert(tx: &mut Tx, receipt: &Receipt) -> Result<(), StoreError> {
    let of_receipts = "insert into receipts (
             receipt_id, kind, financial_year, number, serial, booking_id, payment_id, amount_minor,
             amount_currency, tax_mode, gst_percent, taxable_minor, central_tax_minor,
             state_tax_minor, integrated_tax_minor, issued_by, issuer_address, gstin, service_code,
             payer_name, payer_gstin, payer_address, payer_state, issued_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
                 $19, $20, $21, $22, $23, $24)";
    let of_others = "insert into tax_papers (
             paper_id, kind, financial_year, number, serial, booking_id, payment_id, amount_minor,
             amount_currency, tax_mode, gst_percent, taxable_minor, central_tax_minor,
             state_tax_minor, integrated_tax_minor, issued_by, issuer_address, gstin, service_code,
             payer_name, payer_gstin, payer_address, payer_state, issued_at, series, refund_id,
             refers_to_serial, refers_to_issued_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18,
                 $19, $20, $21, $22, $23, $24, $25, $26, $27, $28)";
    let series = receipt.due.paper.series();
    let query = match series {
        Series::Receipt => bind(sqlx::query(of_receipts), receipt),
        Series::Invoice | Series::RefundVoucher | Series::CreditNote => {
            let refers_to = receipt.due.refers_to.as_ref();
            bind(sqlx::query(of_others), receipt)
                .bind(series.word())
                .bind(receipt.due.refund)
                .bind(refers_to.map(|it| &it.serial))
                .bind(refers_to.map(|it| it.issued_at))
        }
    };
    query.execute(tx.connection()).await?;
    Ok(())
}

/// Binds the columns that all documents share, $1 to $24.
fn bind<'q>(query: Insert<'q>, receipt: &'q Receipt) -> Insert<'q> {
    let payer = receipt.payer.as_ref();
    query
        .bind(receipt.receipt_id)
        .bind(receipt.due.paper.word())
        .bind(receipt.year.april())
        .bind(receipt.number)
        .bind(&receipt.serial)
        .bind(receipt.due.booking_id)
        .bind(receipt.due.payment.as_str())
        .bind(receipt.due.amount.minor)
        .bind(receipt.due.amount.currency.code())
        .bind(receipt.tax.word())
        .bind(receipt.tax.percent())
        .bind(receipt.parts.taxable)
        .bind(receipt.parts.central_tax)
        .bind(receipt.parts.state_tax)
        .bind(receipt.parts.integrated_tax)
        .bind(&receipt.letterhead.issued_by)
        .bind(&receipt.letterhead.address)
        .bind(&receipt.letterhead.gstin)
        .bind(&receipt.letterhead.service_code)
        .bind(payer.map_or("", |it| &it.name))
        .bind(payer.map_or("", |it| &it.gstin))
        .bind(payer.map_or("", |it| &it.address))
        .bind(payer.map_or("", |it| &it.state))
        .bind(receipt.issued_at)
}

/// The receipts and tax documents of a booking, oldest first.
pub async fn of_booking(
    executor: impl PgExecutor<'_>,
    booking_id: Id<Booking>,
) -> Result<Vec<ReceiptRow>, StoreError> {
    let sql = format!(
        "{PAPERS} where booking_id = $1
         order by issued_at, array_position(
             array['receipt', 'receipt_voucher', 'tax_invoice', 'bill_of_supply'], kind),
             serial"
    );
    let rows = sqlx::query(AssertSqlSafe(sql)).bind(booking_id).fetch_all(executor).await?;
    Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
}

/// The receipts and tax documents of a client's bookings in a financial year, oldest first. Both
/// tables are read by their index of bookings, so it costs what the client has.
pub async fn of_customer(
    executor: impl PgExecutor<'_>,
    customer_id: Id<Customer>,
    year: i32,
    max: usize,
) -> Result<Vec<ReceiptRow>, StoreError> {
    let sql = format!(
        "{PAPERS} where financial_year = $2 and booking_id = any (
             array(select booking_id from collections where customer_id = $1))
         order by issued_at, serial limit $3"
    );
    let max = i64::try_from(max).unwrap_or(i64::MAX);
    let query = sqlx::query(AssertSqlSafe(sql)).bind(customer_id).bind(year).bind(max);
    let rows = query.fetch_all(executor).await?;
    Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
}

/// The financial years in which a client's bookings have receipts or tax documents, newest first.
pub async fn years_of_customer(
    executor: impl PgExecutor<'_>,
    customer_id: Id<Customer>,
) -> Result<Vec<i32>, StoreError> {
    let sql = "with own as (select booking_id from collections where customer_id = $1)
         select financial_year from receipts where booking_id in (select booking_id from own)
         union
         select financial_year from tax_papers where booking_id in (select booking_id from own)
         order by financial_year desc";
    Ok(sqlx::query_scalar(sql).bind(customer_id).fetch_all(executor).await?)
}

/// A receipt or tax document by its id.
pub async fn one(
    executor: impl PgExecutor<'_>,
    receipt_id: Id<ReceiptKind>,
) -> Result<Option<ReceiptRow>, StoreError> {
    let sql = format!("{PAPERS} where receipt_id = $1");
    let row = sqlx::query(AssertSqlSafe(sql)).bind(receipt_id).fetch_optional(executor).await?;
    Ok(row.as_ref().map(read).transpose()?)
}

fn read(row: &PgRow) -> Result<ReceiptRow, sqlx::Error> {
    let impossible = |column: &str| sqlx::Error::ColumnDecode {
        index: column.to_owned(),
        source: "an impossible value".into(),
    };
    let tax = Tax::from_word(row.try_get("tax_mode")?, row.try_get("gst_percent")?);
    let paper = Paper::from_word(row.try_get("kind")?);
    let serial: Option<String> = row.try_get("refers_to_serial")?;
    let issued_at: Option<Timestamp> = row.try_get("refers_to_issued_at")?;
    Ok(ReceiptRow {
        receipt_id: row.try_get("receipt_id")?,
        serial: row.try_get("serial")?,
        issued_at: row.try_get("issued_at")?,
        booking_id: row.try_get("booking_id")?,
        paper: paper.ok_or_else(|| impossible("kind"))?,
        payment_id: row.try_get("payment_id")?,
        refund_id: row.try_get("refund_id")?,
        amount_minor: row.try_get("amount_minor")?,
        currency: row.try_get("amount_currency")?,
        tax: tax.ok_or_else(|| impossible("tax_mode"))?,
        parts: Parts {
            taxable: row.try_get("taxable_minor")?,
            central_tax: row.try_get("central_tax_minor")?,
            state_tax: row.try_get("state_tax_minor")?,
            integrated_tax: row.try_get("integrated_tax_minor")?,
        },
        letterhead: Letterhead {
            issued_by: row.try_get("issued_by")?,
            address: row.try_get("issuer_address")?,
            gstin: row.try_get("gstin")?,
            service_code: row.try_get("service_code")?,
        },
        payer: payers::read(row, ["payer_name", "payer_gstin", "payer_address", "payer_state"])?,
        refers_to: serial.zip(issued_at).map(|(serial, issued_at)| Reference { serial, issued_at }),
        refunded_minor: row.try_get("refunded_minor")?,
    })
}
