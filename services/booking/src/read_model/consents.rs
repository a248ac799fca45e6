//! Queries of consents.

use eventstore::StoreError;
use kernel::id::{Booking, Consent, Customer};
use kernel::{Id, Timestamp};
use sqlx::postgres::PgRow;
use sqlx::{PgExecutor, Row};

use crate::domain::consent::GivenConsent;
use crate::domain::consent::proof::{Channel, Proof};

macro_rules! consent_sql {
    ($rest:literal) => {
        concat!(
            "select consent_id, customer_id, booking_id, version, full_name, email, signature,
                    given_at, withdrawn_at, channel, session_id, page_key, network, user_agent,
                    code_mailed_to, code_confirmed_at from consents ",
            $rest
        )
    };
}

/// The SQL of [`of_customer`], public so that a test can check its query plan.
pub const OF_CUSTOMER: &str = consent_sql!(
    "where customer_id = $1
     order by (version = $2 and withdrawn_at is null) desc, given_at desc, consent_id desc limit 1"
);

/// A customer's consent to the terms of this version that is in force; else the last one that was
/// given; `None` when none ever was.
pub async fn of_customer(
    executor: impl PgExecutor<'_>,
    customer_id: Id<Customer>,
    version: &str,
) -> Result<Option<GivenConsent>, StoreError> {
    let row =
        sqlx::query(OF_CUSTOMER).bind(customer_id).bind(version).fetch_optional(executor).await?;
    row.as_ref().map(read).transpose()
}

/// A consent by its id; `None` when it doesn't exist or was erased.
pub async fn by_id(
    executor: impl PgExecutor<'_>,
    id: Id<Consent>,
) -> Result<Option<GivenConsent>, StoreError> {
    let sql = consent_sql!("where consent_id = $1");
    let row = sqlx::query(sql).bind(id).fetch_optional(executor).await?;
    row.as_ref().map(read).transpose()
}

/// The consent that was given with a booking, else the last one that its client gave before it was
/// asked for; `None` when there is none.
pub async fn behind_booking(
    executor: impl PgExecutor<'_>,
    booking_id: Id<Booking>,
) -> Result<Option<GivenConsent>, StoreError> {
    let sql = "select c.consent_id, c.customer_id, c.booking_id, c.version, c.full_name, c.email,
                      c.signature, c.given_at, c.withdrawn_at, c.channel, c.session_id,
                      c.page_key, c.network, c.user_agent, c.code_mailed_to, c.code_confirmed_at
               from bookings b join consents c using (customer_id)
               where b.booking_id = $1 and (c.booking_id = $1 or c.given_at <= b.requested_at)
               order by (c.booking_id = $1) desc, c.given_at desc, c.consent_id desc limit 1";
    let row = sqlx::query(sql).bind(booking_id).fetch_optional(executor).await?;
    row.as_ref().map(read).transpose()
}

/// The most bookings that [`without_consent`] returns.
const BOOKINGS_MAX: i64 = 100;

/// The SQL of [`without_consent`], public so that a test can check its query plan.
pub const WITHOUT_CONSENT: &str = "select b.booking_id, max(c.withdrawn_at) as withdrawn_at
     from slot_reservations r
     join bookings b using (booking_id)
     join consents c on c.customer_id = b.customer_id
     where r.live and r.starts_at > $1 and b.mode = 'online'
       and b.state in ('confirmed', 'meeting_scheduled')
     group by b.booking_id
     having bool_and(c.withdrawn_at is not null)
     order by min(r.starts_at), b.booking_id limit $2";

/// Confirmed online bookings still to come whose customers have withdrawn every consent, and when
/// they withdrew the last one; soonest first.
pub async fn without_consent(
    executor: impl PgExecutor<'_>,
    now: Timestamp,
) -> Result<Vec<(Id<Booking>, Timestamp)>, StoreError> {
    let rows =
        sqlx::query(WITHOUT_CONSENT).bind(now).bind(BOOKINGS_MAX).fetch_all(executor).await?;
    let read = |row: &PgRow| Ok((row.try_get("booking_id")?, row.try_get("withdrawn_at")?));
    rows.iter().map(read).collect()
}

/// The text of the terms that a consent is to; `None` when there is no such version.
pub async fn text(
    executor: impl PgExecutor<'_>,
    version: &str,
) -> Result<Option<String>, StoreError> {
    let sql = "select content from consent_texts where version = $1";
    Ok(sqlx::query_scalar(sql).bind(version).fetch_optional(executor).await?)
}

fn read(row: &PgRow) -> Result<GivenConsent, StoreError> {
    Ok(GivenConsent {
        id: row.try_get("consent_id")?,
        customer_id: row.try_get("customer_id")?,
        booking_id: row.try_get("booking_id")?,
        version: row.try_get("version")?,
        full_name: row.try_get("full_name")?,
        email: row.try_get("email")?,
        signature: row.try_get("signature")?,
        given_at: row.try_get("given_at")?,
        withdrawn_at: row.try_get("withdrawn_at")?,
        proof: Proof {
            channel: Channel::from_word(row.try_get("channel")?).unwrap_or_default(),
            session_id: row.try_get("session_id")?,
            page_key: row.try_get("page_key")?,
            network: row.try_get("network")?,
            user_agent: row.try_get("user_agent")?,
            code_mailed_to: row.try_get("code_mailed_to")?,
            code_confirmed_at: row.try_get("code_confirmed_at")?,
        },
    })
}
