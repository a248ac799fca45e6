//! The rows of clients' requests for refunds, the only place with the words that client and
//! practice wrote.

use eventstore::{StoreError, Tx};
use kernel::id::{Booking, Customer, RefundRequest as RefundRequestKind};
use kernel::{Id, Timestamp};
use sqlx::postgres::PgRow;
use sqlx::{PgExecutor, Row as _};

use crate::domain::fact::Amount;
use crate::domain::refund_request::{Deadlines, RefundRequest, RequestState};

/// For how many days after the answer the words of client and practice are kept, and answered
/// requests are listed.
const WORDS_DAYS: i32 = 90;
/// How many requests are listed.
const LISTED_MAX: i64 = 200;
/// How many rows one transaction empties.
const EMPTIED_MAX: u64 = 1_000;

/// A request that was made just now.
#[derive(Clone)]
pub struct NewRequest {
    /// Its id.
    pub request_id: Id<RefundRequestKind>,
    /// The booking.
    pub booking_id: Id<Booking>,
    /// The account that asks.
    pub customer_id: Id<Customer>,
    /// In the client's words; may be empty.
    pub reason: String,
    /// When.
    pub requested_at: Timestamp,
    /// Until when it is dealt with.
    pub deadlines: Deadlines,
}

/// What staff answer.
#[derive(Clone)]
pub struct NewAnswer {
    /// What goes back, if anything.
    pub amount: Option<Amount>,
    /// What the client reads.
    pub text: String,
    /// Which member of the practice answers.
    pub by: Id<Customer>,
    /// When.
    pub at: Timestamp,
    /// Until when what goes back is to be back.
    pub close_by: Timestamp,
}

/// Stores a new request, and returns it with its number.
pub async fn insert(tx: &mut Tx, new: &NewRequest) -> Result<RefundRequest, StoreError> {
    let row = sqlx::query(
        "insert into refund_requests (request_id, booking_id, customer_id, reason, requested_at,
                                      answer_by_at, close_by_at)
         values ($1, $2, $3, nullif($4, ''), $5, $6, $7)
         returning *",
    )
    .bind(new.request_id)
    .bind(new.booking_id)
    .bind(new.customer_id)
    .bind(&new.reason)
    .bind(new.requested_at)
    .bind(new.deadlines.answer_by)
    .bind(new.deadlines.close_by)
    .fetch_one(tx.connection())
    .await?;
    Ok(read(&row)?)
}

/// Stores the answer of an open request, and returns it as it stands then.
pub async fn answer(
    tx: &mut Tx,
    request_id: Id<RefundRequestKind>,
    new: &NewAnswer,
) -> Result<RefundRequest, StoreError> {
    let state = if new.amount.is_some() { RequestState::Granted } else { RequestState::Declined };
    let row = sqlx::query(
        "update refund_requests
         set state = $2, amount_minor = $3, amount_currency = $4, answer = $5, answered_by = $6,
             answered_at = $7, close_by_at = $8
         where request_id = $1 and state = 'open'
         returning *",
    )
    .bind(request_id)
    .bind(state.word())
    .bind(new.amount.as_ref().map(|amount| amount.minor))
    .bind(new.amount.as_ref().map(|amount| &amount.currency))
    .bind(&new.text)
    .bind(new.by)
    .bind(new.at)
    .bind(new.close_by)
    .fetch_one(tx.connection())
    .await?;
    Ok(read(&row)?)
}

/// A request by its id.
pub async fn find(
    executor: impl PgExecutor<'_>,
    request_id: Id<RefundRequestKind>,
) -> Result<Option<RefundRequest>, StoreError> {
    let found = sqlx::query("select * from refund_requests where request_id = $1")
        .bind(request_id)
        .fetch_optional(executor)
        .await?;
    Ok(found.as_ref().map(read).transpose()?)
}

/// The request of a booking.
pub async fn of_booking(
    executor: impl PgExecutor<'_>,
    booking_id: Id<Booking>,
) -> Result<Option<RefundRequest>, StoreError> {
    let found = sqlx::query("select * from refund_requests where booking_id = $1")
        .bind(booking_id)
        .fetch_optional(executor)
        .await?;
    Ok(found.as_ref().map(read).transpose()?)
}

/// The requests: those that wait for an answer first, by the time until which they are to be
/// answered; then those that were answered in the last days, if they are wanted.
pub async fn list(
    executor: impl PgExecutor<'_>,
    with_answered: bool,
) -> Result<Vec<RefundRequest>, StoreError> {
    let rows = sqlx::query(
        "select * from refund_requests
         where state = 'open'
            or $1 and answered_at >= clock_now() - make_interval(days => $2)
         order by state <> 'open', answer_by_at, number
         limit $3",
    )
    .bind(with_answered)
    .bind(WORDS_DAYS)
    .bind(LISTED_MAX)
    .fetch_all(executor)
    .await?;
    Ok(rows.iter().map(read).collect::<Result<_, _>>()?)
}

/// Deletes the words of requests that were answered long ago, or should have been; returns whether
/// more may be left.
pub async fn delete_old_words(tx: &mut Tx) -> Result<bool, StoreError> {
    let emptied = sqlx::query(
        "update refund_requests set reason = null, answer = null
         where request_id = any(array(
             select request_id from refund_requests
             where (reason is not null or answer is not null)
               and coalesce(answered_at, close_by_at) < clock_now() - make_interval(days => $1)
             limit $2))",
    )
    .bind(WORDS_DAYS)
    .bind(EMPTIED_MAX.cast_signed())
    .execute(tx.connection())
    .await?
    .rows_affected();
    Ok(emptied == EMPTIED_MAX)
}

fn impossible_state() -> sqlx::Error {
    let source = "an impossible value".into();
    sqlx::Error::ColumnDecode { index: "state".to_owned(), source }
}

fn read(row: &PgRow) -> Result<RefundRequest, sqlx::Error> {
    let state = RequestState::from_word(row.try_get("state")?);
    let minor: Option<i64> = row.try_get("amount_minor")?;
    let currency: Option<String> = row.try_get("amount_currency")?;
    Ok(RefundRequest {
        request_id: row.try_get("request_id")?,
        number: row.try_get("number")?,
        booking_id: row.try_get("booking_id")?,
        customer_id: row.try_get("customer_id")?,
        reason: row.try_get::<Option<String>, _>("reason")?.unwrap_or_default(),
        requested_at: row.try_get("requested_at")?,
        deadlines: Deadlines {
            answer_by: row.try_get("answer_by_at")?,
            close_by: row.try_get("close_by_at")?,
        },
        state: state.ok_or_else(impossible_state)?,
        amount: Option::zip(minor, currency).map(|(minor, currency)| Amount { minor, currency }),
        answer: row.try_get::<Option<String>, _>("answer")?.unwrap_or_default(),
        answered_at: row.try_get("answered_at")?,
    })
}
