//! Reads rows.

use eventstore::StoreError;
use kernel::id::{Booking, Collection, Customer, Refund as RefundKind};
use kernel::{Currency, Id, Money, Timestamp};
use sqlx::postgres::PgRow;
use sqlx::{PgExecutor, Row as _};

use crate::domain::booking_intent::BookingIntent;
use crate::domain::booking_status::BookingStatus;
use crate::domain::collection::{Standing, Terms};
use crate::domain::fact::{Amount, OrderId, Payment, PaymentId, ProviderRefundId, Status};
use crate::read_model::links::{self, LinkRow};
use crate::read_model::project::{read_session_ends, standing_word};

/// A collection as its row has it.
#[derive(Debug, Clone)]
pub struct CollectionRow {
    /// What it pays for.
    pub booking_id: Id<Booking>,
    /// Our id, the receipt.
    pub collection_id: Id<Collection>,
    /// Who owns the booking.
    pub customer_id: Id<Customer>,
    /// What is to be paid.
    pub amount: Money,
    /// The provider's order, once there is one.
    pub order: Option<Order>,
    /// The payment link that was opened last.
    pub link: Option<LinkRow>,
    /// Whether the provider has one, which may be an earlier one.
    pub has_link: bool,
    /// Its state.
    pub standing: Standing,
    /// The trace that the booking belongs to.
    pub traceparent: Option<String>,
}

impl CollectionRow {
    /// The row of a collection that was opened just now.
    #[must_use]
    pub fn opened(terms: &Terms, traceparent: Option<String>) -> Self {
        Self {
            booking_id: terms.booking_id,
            collection_id: terms.collection_id,
            customer_id: terms.customer_id,
            amount: terms.amount,
            order: None,
            link: None,
            has_link: false,
            standing: Standing::Pending,
            traceparent,
        }
    }

    /// Whether the provider has an order or a link of it.
    #[must_use]
    pub fn is_at_provider(&self) -> bool {
        self.order.is_some() || self.has_link
    }
}

/// The provider's order.
#[derive(Debug, Clone)]
pub struct Order {
    /// Its id.
    pub id: OrderId,
    /// When it was recorded.
    pub created_at: Timestamp,
}

/// An order that the provider must know: any of ours, whichever is found at once.
///
/// # Errors
/// When the database does not answer, or an order's id is none.
pub async fn known_order(executor: impl PgExecutor<'_>) -> Result<Option<OrderId>, StoreError> {
    let sql = "select order_id from collections where order_id is not null limit 1";
    let id: Option<String> = sqlx::query_scalar(sql).fetch_optional(executor).await?;
    let parse = |id: String| OrderId::parse(&id).ok_or_else(|| impossible("order_id"));
    Ok(id.map(parse).transpose()?)
}

/// A refund as its row has it.
#[derive(Debug, Clone)]
pub struct RefundRow {
    /// The booking whose money it is.
    pub booking_id: Id<Booking>,
    /// What is refunded.
    pub payment: PaymentId,
    /// How much.
    pub amount: Amount,
    /// The provider's id, once it accepted the refund.
    pub provider_refund: Option<ProviderRefundId>,
    /// Whether it has ended, one way or the other, or is given back at the practice's desk: nothing
    /// is to be asked of the provider.
    pub ended: bool,
    /// The trace that the booking belongs to.
    pub traceparent: Option<String>,
}

/// The trace in which the booking began counts more than the call that began its payment. The
/// account that adopted the booking counts more than the contact for whom it was made.
const COLLECTION: &str = "select c.booking_id, c.collection_id,
        coalesce(k.adopter_id, c.customer_id) as customer_id, c.amount_minor,
        c.amount_currency, c.order_id, c.ordered_at, c.state,
        coalesce(k.traceparent, c.traceparent) as traceparent,
        exists(select 1 from payment_links p where p.booking_id = c.booking_id
               and p.provider_link_id is not null) as has_link";
const FROM: &str = "from collections c
     left join known_bookings k using (booking_id)
     left join payment_links l on l.link_id = c.link_id";

/// The query of collections that meet a condition, each with the link that was opened last.
fn select(condition: &'static str) -> sqlx::AssertSqlSafe<String> {
    // Safe: every part of it is a constant.
    let links = links::COLUMNS;
    sqlx::AssertSqlSafe(format!("{COLLECTION}, {links} {FROM} where {condition}"))
}

fn standing(word: &str) -> Option<Standing> {
    use Standing::{Failed, Mismatched, Paid, Pending, Refunded, Refunding};
    [Pending, Paid, Failed, Mismatched, Refunding, Refunded]
        .into_iter()
        .find(|it| standing_word(*it) == word)
}

/// A column holds a value that this service never writes.
fn impossible(column: &str) -> sqlx::Error {
    sqlx::Error::ColumnDecode { index: column.to_owned(), source: "an impossible value".into() }
}

fn collection_row(row: &PgRow) -> Result<CollectionRow, sqlx::Error> {
    let currency = Currency::from_code(row.try_get("amount_currency")?);
    let order_id: Option<String> = row.try_get("order_id")?;
    let ordered_at: Option<Timestamp> = row.try_get("ordered_at")?;
    let order = order_id.zip(ordered_at).map(|(id, created_at)| {
        OrderId::parse(&id).map(|id| Order { id, created_at }).ok_or_else(|| impossible("order_id"))
    });
    Ok(CollectionRow {
        booking_id: row.try_get("booking_id")?,
        collection_id: row.try_get("collection_id")?,
        customer_id: row.try_get("customer_id")?,
        amount: Money {
            minor: row.try_get("amount_minor")?,
            currency: currency.ok_or_else(|| impossible("amount_currency"))?,
        },
        order: order.transpose()?,
        link: links::link_row(row)?,
        has_link: row.try_get("has_link")?,
        standing: standing(row.try_get("state")?).ok_or_else(|| impossible("state"))?,
        traceparent: row.try_get("traceparent")?,
    })
}

/// The collection of a booking.
pub async fn collection(
    executor: impl PgExecutor<'_>,
    booking_id: Id<Booking>,
) -> Result<Option<CollectionRow>, StoreError> {
    let row =
        sqlx::query(select("c.booking_id = $1")).bind(booking_id).fetch_optional(executor).await?;
    Ok(row.as_ref().map(collection_row).transpose()?)
}

/// The collection of a booking, if its payment was begun, and the trace in which the booking began,
/// if it is known.
pub async fn begun(
    executor: impl PgExecutor<'_>,
    booking_id: Id<Booking>,
) -> Result<(Option<CollectionRow>, Option<String>), StoreError> {
    let links = links::COLUMNS;
    // Safe: every part of it is a constant.
    let sql = sqlx::AssertSqlSafe(format!(
        "{COLLECTION}, {links} from (select $1::uuid as booking_id) b
         left join collections c using (booking_id)
         left join known_bookings k using (booking_id)
         left join payment_links l on l.link_id = c.link_id"
    ));
    let row = sqlx::query(sql).bind(booking_id).fetch_one(executor).await?;
    let is_begun = row.try_get::<Option<Id<Collection>>, _>("collection_id")?.is_some();
    let known = is_begun.then(|| collection_row(&row)).transpose()?;
    Ok((known, row.try_get("traceparent")?))
}

/// The collection that an order belongs to, as its own or beneath one of its links.
pub async fn collection_of_order(
    executor: impl PgExecutor<'_>,
    order: &OrderId,
) -> Result<Option<CollectionRow>, StoreError> {
    let own_or_of_link = "c.booking_id = coalesce(
        (select booking_id from collections where order_id = $1),
        (select booking_id from payment_link_orders where order_id = $1))";
    let row =
        sqlx::query(select(own_or_of_link)).bind(order.as_str()).fetch_optional(executor).await?;
    Ok(row.as_ref().map(collection_row).transpose()?)
}

/// The collection whose order bears this receipt.
pub async fn collection_of_receipt(
    executor: impl PgExecutor<'_>,
    receipt: Id<Collection>,
) -> Result<Option<CollectionRow>, StoreError> {
    let row =
        sqlx::query(select("c.collection_id = $1")).bind(receipt).fetch_optional(executor).await?;
    Ok(row.as_ref().map(collection_row).transpose()?)
}

/// Who owns a booking that was announced.
pub async fn announced_owner(
    executor: impl PgExecutor<'_>,
    booking_id: Id<Booking>,
) -> Result<Option<Id<Customer>>, StoreError> {
    let owner = sqlx::query_scalar(
        "select coalesce(adopter_id, customer_id) from known_bookings where booking_id = $1",
    )
    .bind(booking_id)
    .fetch_optional(executor)
    .await?;
    Ok(owner)
}

/// The trace in which a booking began, if it was announced.
pub async fn announced_trace(
    executor: impl PgExecutor<'_>,
    booking_id: Id<Booking>,
) -> Result<Option<String>, StoreError> {
    let trace: Option<Option<String>> =
        sqlx::query_scalar("select traceparent from known_bookings where booking_id = $1")
            .bind(booking_id)
            .fetch_optional(executor)
            .await?;
    Ok(trace.flatten())
}

/// A refund.
pub async fn refund(
    executor: impl PgExecutor<'_>,
    refund_id: Id<RefundKind>,
) -> Result<Option<RefundRow>, StoreError> {
    let row = sqlx::query(
        "select r.booking_id, r.payment_id, r.amount_minor, r.amount_currency,
                r.provider_refund_id,
                r.state in ('processed', 'failed') or r.provider = 'desk' as ended,
                coalesce(k.traceparent, c.traceparent) as traceparent
         from refunds r join collections c using (booking_id)
         left join known_bookings k using (booking_id)
         where r.refund_id = $1",
    )
    .bind(refund_id)
    .fetch_optional(executor)
    .await?;
    Ok(row.as_ref().map(refund_row).transpose()?)
}

/// The sum of a payment's refunds that the provider accepted and that did not fail, ours and
/// external ones.
pub async fn refunded_minor(
    executor: impl PgExecutor<'_>,
    payment: &PaymentId,
) -> Result<i64, StoreError> {
    let sum = sqlx::query_scalar(
        "select coalesce(sum(amount_minor), 0)::bigint from refunds
         where payment_id = $1 and state in ('accepted', 'processed')",
    )
    .bind(payment.as_str())
    .fetch_one(executor)
    .await?;
    Ok(sum)
}

/// The bookings with a dispute that was not counted as money yet.
pub async fn uncounted_disputes(
    executor: impl PgExecutor<'_>,
) -> Result<Vec<Id<Booking>>, StoreError> {
    let ids = sqlx::query_scalar("select distinct booking_id from disputes where not counted");
    Ok(ids.fetch_all(executor).await?)
}

/// Whether money of a booking has come that is neither counted nor sent back.
pub async fn has_undecided(
    executor: impl PgExecutor<'_>,
    booking_id: Id<Booking>,
) -> Result<bool, StoreError> {
    let undecided = sqlx::query_scalar(
        "select exists (select from payments
                        where booking_id = $1 and status = 'captured' and counted is null)",
    );
    Ok(undecided.bind(booking_id).fetch_one(executor).await?)
}

/// Whether a report of a payment on an order says nothing new: its money came, it was decided
/// whether it counts, and nothing that is reported outranks that.
pub async fn is_known(
    executor: impl PgExecutor<'_>,
    payment: &Payment,
    order: &OrderId,
) -> Result<bool, StoreError> {
    let Payment { id, fact } = payment;
    if fact.status > Status::Captured {
        return Ok(false);
    }
    let known = sqlx::query_scalar(
        "select exists (select from payments p join collections c using (booking_id)
                        where p.payment_id = $1 and p.status in ('captured', 'refunded')
                          and p.counted is not null and c.order_id = $2
                          and p.amount_minor = $3 and p.amount_currency = $4)",
    )
    .bind(id.as_str())
    .bind(order.as_str())
    .bind(fact.amount.minor)
    .bind(&fact.amount.currency)
    .fetch_one(executor)
    .await?;
    Ok(known)
}

/// The booking whose order a payment was made on, if it is known.
pub async fn booking_of(
    executor: impl PgExecutor<'_>,
    payment: &PaymentId,
) -> Result<Option<Id<Booking>>, StoreError> {
    let booking_id = sqlx::query_scalar("select booking_id from payments where payment_id = $1")
        .bind(payment.as_str())
        .fetch_optional(executor)
        .await?;
    Ok(booking_id)
}

/// The status of a booking, as booking last reported it.
pub async fn booking_state(
    executor: impl PgExecutor<'_>,
    booking_id: Id<Booking>,
) -> Result<BookingStatus, StoreError> {
    let word: Option<Option<String>> =
        sqlx::query_scalar("select state from known_bookings where booking_id = $1")
            .bind(booking_id)
            .fetch_optional(executor)
            .await?;
    Ok(word.flatten().and_then(|word| BookingStatus::from_word(&word)).unwrap_or_default())
}

/// Booking's stored intent for a booking's money.
pub async fn booking_intent(
    executor: impl PgExecutor<'_>,
    booking_id: Id<Booking>,
) -> Result<BookingIntent, StoreError> {
    let row = sqlx::query(
        "select state, unplaced_payment_id, refund_minor, refund_currency, placed_payment_id,
                session_ends
         from known_bookings where booking_id = $1",
    )
    .bind(booking_id)
    .fetch_optional(executor)
    .await?;
    Ok(row.as_ref().map(read_intent).transpose()?.unwrap_or_default())
}

fn read_intent(row: &PgRow) -> Result<BookingIntent, sqlx::Error> {
    let word: Option<String> = row.try_get("state")?;
    let unplaced: Option<String> = row.try_get("unplaced_payment_id")?;
    let placed: Option<String> = row.try_get("placed_payment_id")?;
    let (minor, currency) = (row.try_get("refund_minor")?, row.try_get("refund_currency")?);
    let refund = Option::zip(minor, currency).map(|(minor, currency)| Amount { minor, currency });
    Ok(BookingIntent {
        status: word.and_then(|word| BookingStatus::from_word(&word)).unwrap_or_default(),
        unplaced: unplaced.as_deref().and_then(PaymentId::parse),
        refund,
        placed: placed.as_deref().and_then(PaymentId::parse),
        session_ends: read_session_ends(&row.try_get("session_ends")?),
    })
}

fn refund_row(row: &PgRow) -> Result<RefundRow, sqlx::Error> {
    let payment = PaymentId::parse(row.try_get("payment_id")?);
    let provider_refund: Option<String> = row.try_get("provider_refund_id")?;
    Ok(RefundRow {
        booking_id: row.try_get("booking_id")?,
        payment: payment.ok_or_else(|| impossible("payment_id"))?,
        amount: Amount {
            minor: row.try_get("amount_minor")?,
            currency: row.try_get("amount_currency")?,
        },
        provider_refund: provider_refund.as_deref().and_then(ProviderRefundId::parse),
        ended: row.try_get("ended")?,
        traceparent: row.try_get("traceparent")?,
    })
}
