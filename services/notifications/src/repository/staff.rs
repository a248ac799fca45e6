//! Queries and changes of mails by staff.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use eventstore::{StoreError, Tx};
use kernel::id::Booking;
use kernel::{Id, Timestamp};
use sha2::{Digest as _, Sha256};
use sqlx::postgres::PgRow;
use sqlx::{PgExecutor, Postgres, QueryBuilder, Row};
use uuid::Uuid;

use super::rows::parse_column;
use super::timer::schedule_urgent;
use crate::mails::kind::Kind;
use crate::mails::mail::{MailId, State};

/// The bytes of the filter's hash in a page token.
const FILTER_HASH_BYTES: usize = 8;
/// The columns of a mail in a list.
const COLUMNS: &str = "mail_id, kind, subject, booking_id, state, attempts, last_error, queued_at,
                       due_at, sent_at, message_id";

/// A mail as staff sees it.
#[derive(Debug, Clone, PartialEq)]
pub struct MailSummary {
    /// Its id.
    pub id: MailId,
    /// Which mail it is.
    pub kind: Kind,
    /// The wire id of what it is sent once for.
    pub subject: String,
    /// The booking it is about, if it is about one.
    pub booking: Option<Id<Booking>>,
    /// Where it stands.
    pub state: State,
    /// How often it was tried.
    pub attempts: i32,
    /// The code why the last attempt failed, or why it waits or was dropped.
    pub reason: Option<String>,
    /// When it was queued.
    pub queued_at: Timestamp,
    /// When it is tried next, unless it is over.
    pub due_at: Timestamp,
    /// When the mail server took it.
    pub sent_at: Option<Timestamp>,
    /// Its Message-ID, since its first attempt.
    pub message_id: Option<String>,
}

/// The filter of a list.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Filter {
    /// Only mails in this state.
    pub state: Option<State>,
    /// Only those about this booking.
    pub booking: Option<Id<Booking>>,
}

/// The last mail of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// When it was queued.
    pub queued_at: Timestamp,
    /// Its id, which orders those that were queued at the same moment.
    pub id: MailId,
}

impl Filter {
    /// A hash of the filter, so that a page token is invalid for another list.
    fn hash(self) -> Vec<u8> {
        let state = self.state.map(State::name).unwrap_or_default();
        let booking = self.booking.map(|id| id.to_string()).unwrap_or_default();
        let hash = Sha256::digest(format!("{state} {booking}").as_bytes());
        hash.iter().copied().take(FILTER_HASH_BYTES).collect()
    }
}

impl Cursor {
    /// The position of a mail in every list.
    #[must_use]
    pub const fn of(mail: &MailSummary) -> Self {
        Self { queued_at: mail.queued_at, id: mail.id }
    }

    /// The token of the next page.
    #[must_use]
    pub fn token(self, filter: Filter) -> String {
        let mut bytes = filter.hash();
        bytes.extend(self.queued_at.micros().to_be_bytes());
        bytes.extend(self.id.uuid().as_bytes());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// Reads a token; `None` when it is malformed, or belongs to another list.
    #[must_use]
    pub fn read(filter: Filter, token: &str) -> Option<Self> {
        let bytes = URL_SAFE_NO_PAD.decode(token).ok()?;
        let place = bytes.strip_prefix(filter.hash().as_slice())?;
        let (micros, uuid) = place.split_first_chunk()?;
        Some(Self {
            queued_at: Timestamp::from_micros(i64::from_be_bytes(*micros))?,
            id: MailId::from_uuid(Uuid::from_slice(uuid).ok()?),
        })
    }
}

/// Mails behind `after`, newest first, at most `limit`.
pub async fn list(
    executor: impl PgExecutor<'_>,
    filter: Filter,
    after: Option<Cursor>,
    limit: i64,
) -> Result<Vec<MailSummary>, StoreError> {
    let mut query: QueryBuilder<Postgres> = QueryBuilder::new("select ");
    query.push(COLUMNS).push(" from mails where true");
    if let Some(state) = filter.state {
        query.push(" and state = ").push_bind(state.name());
    }
    if let Some(booking) = filter.booking {
        query.push(" and booking_id = ").push_bind(booking);
    }
    if let Some(after) = after {
        query.push(" and (queued_at, mail_id) < (").push_bind(after.queued_at);
        query.push(", ").push_bind(after.id).push(")");
    }
    query.push(" order by queued_at desc, mail_id desc limit ").push_bind(limit);
    let rows = query.build().fetch_all(executor).await?;
    rows.iter().map(read_summary).collect::<Result<_, _>>().map_err(StoreError::from)
}

/// A state and its number of mails.
pub type StateCount = (State, i64);

/// The number of mails per state, without empty states, of all mails or of one booking.
pub async fn counts(
    executor: impl PgExecutor<'_>,
    booking: Option<Id<Booking>>,
) -> Result<Vec<StateCount>, StoreError> {
    let mut query: QueryBuilder<Postgres> =
        QueryBuilder::new("select state, count(*) as mails from mails");
    if let Some(booking) = booking {
        query.push(" where booking_id = ").push_bind(booking);
    }
    let rows = query.push(" group by state").build().fetch_all(executor).await?;
    let mut counts: Vec<StateCount> = rows
        .iter()
        .map(|row| Ok((parse_column(row, "state")?, row.try_get("mails")?)))
        .collect::<Result<_, sqlx::Error>>()?;
    counts.sort_by_key(|(state, _)| State::ALL.iter().position(|known| known == state));
    Ok(counts)
}

/// Why a mail was left as it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Unchanged {
    /// There is no such mail.
    Unknown,
    /// Its state doesn't allow the change.
    NotNow,
}

/// Retries a mail now, with a new retry window of three days and the backoff of a new mail. A mail
/// in flight isn't sent a second time; only its retry window restarts, in case the delivery fails.
pub async fn retry_now(
    tx: &mut Tx,
    id: MailId,
) -> Result<Result<MailSummary, Unchanged>, StoreError> {
    let Some(mail) = lock_summary(tx, id).await? else { return Ok(Err(Unchanged::Unknown)) };
    match mail.state {
        State::Sent | State::Dropped | State::Settled => return Ok(Err(Unchanged::NotNow)),
        State::Sending => {
            sqlx::query("update mails set first_tried_at = null where mail_id = $1")
                .bind(id)
                .execute(tx.connection())
                .await?;
            return Ok(Ok(mail));
        }
        State::Queued | State::Retrying | State::Failed => {}
    }
    let now = tx.now().await?;
    sqlx::query(
        "update mails
         set state = 'queued', due_at = $2, first_tried_at = null, attempts = 0
         where mail_id = $1",
    )
    .bind(id)
    .bind(now)
    .execute(tx.connection())
    .await?;
    schedule_urgent(tx, id, now).await?;
    Ok(Ok(MailSummary { state: State::Queued, due_at: now, attempts: 0, ..mail }))
}

/// Records that staff has dealt with a failed mail.
pub async fn settle(tx: &mut Tx, id: MailId) -> Result<Result<MailSummary, Unchanged>, StoreError> {
    let Some(mail) = lock_summary(tx, id).await? else { return Ok(Err(Unchanged::Unknown)) };
    if mail.state != State::Failed {
        return Ok(Err(Unchanged::NotNow));
    }
    sqlx::query("update mails set state = 'settled' where mail_id = $1")
        .bind(id)
        .execute(tx.connection())
        .await?;
    Ok(Ok(MailSummary { state: State::Settled, ..mail }))
}

async fn lock_summary(tx: &mut Tx, id: MailId) -> Result<Option<MailSummary>, StoreError> {
    let mut query: QueryBuilder<Postgres> = QueryBuilder::new("select ");
    query.push(COLUMNS).push(" from mails where mail_id = ").push_bind(id).push(" for update");
    let row = query.build().fetch_optional(tx.connection()).await?;
    row.as_ref().map(read_summary).transpose().map_err(StoreError::from)
}

fn read_summary(row: &PgRow) -> Result<MailSummary, sqlx::Error> {
    Ok(MailSummary {
        id: row.try_get("mail_id")?,
        kind: parse_column(row, "kind")?,
        subject: row.try_get("subject")?,
        booking: row.try_get("booking_id")?,
        state: parse_column(row, "state")?,
        attempts: row.try_get("attempts")?,
        reason: row.try_get("last_error")?,
        queued_at: row.try_get("queued_at")?,
        due_at: row.try_get("due_at")?,
        sent_at: row.try_get("sent_at")?,
        message_id: row.try_get("message_id")?,
    })
}

#[cfg(test)]
mod tests {
    use kernel::{Id, Timestamp};
    use uuid::Uuid;

    use super::{Cursor, Filter};
    use crate::mails::mail::{MailId, State};

    #[test]
    fn a_token_is_read_by_its_list_only() {
        let cursor = Cursor {
            queued_at: Timestamp::from_micros(1_795_400_000_123_456).unwrap(),
            id: MailId::from_uuid(Uuid::from_u128(7)),
        };
        let (all, failed) =
            (Filter::default(), Filter { state: Some(State::Failed), ..Filter::default() });
        let of_one = Filter { booking: Some(Id::from_uuid(Uuid::from_u128(1))), ..failed };
        let token = cursor.token(failed);
        assert_eq!(Cursor::read(failed, &token), Some(cursor));
        for other in [all, of_one] {
            assert_eq!(Cursor::read(other, &token), None);
        }
        let longer = format!("{token}AAAA");
        for wrong in ["", "2", "not a token", &token[4..], &token[..40], &longer] {
            assert_eq!(Cursor::read(failed, wrong), None, "{wrong}");
        }
    }
}
