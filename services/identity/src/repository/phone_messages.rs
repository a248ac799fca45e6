//! Messages to phones. A row is written with its code; the message is sent afterwards, and its id
//! is the sender's idempotency key. No row contains a code.

use eventstore::{StoreError, Tx, new_uuid};
use kernel::Timestamp;
use serde_json::json;
use sqlx::PgExecutor;
use uuid::Uuid;

/// The timer that sends a message.
pub const SEND_MESSAGE: &str = "send-message";

/// A message to a phone. Personal data, so it has no `Debug`.
#[derive(Clone)]
pub struct PhoneMessage {
    /// Its id.
    pub message_id: Uuid,
    /// The code that it brings, or the challenge of a second factor that the code answers. The
    /// digits are derived from it.
    pub code_id: Uuid,
    /// The digits of the phone.
    pub phone: String,
    /// `sms` or `whatsapp`.
    pub channel: String,
    /// How many digits it has.
    pub digits: i16,
    /// Whether the code answers the challenge of a second factor.
    pub is_of_factor: bool,
}

from_row!(PhoneMessage { message_id, code_id, phone, channel, digits, is_of_factor });

/// A message that is to be sent. Personal data, so it has no `Debug`.
#[derive(Clone, Copy)]
pub struct NewMessage<'a> {
    /// The code that it brings, or the challenge that the code answers.
    pub code_id: Uuid,
    /// The account.
    pub user_id: Uuid,
    /// The digits of the phone.
    pub phone: &'a str,
    /// `sms` or `whatsapp`.
    pub channel: &'a str,
}

/// Stores a message and its timer.
pub async fn queue(
    tx: &mut Tx,
    message: NewMessage<'_>,
    now: Timestamp,
) -> Result<Uuid, StoreError> {
    let message_id = new_uuid();
    sqlx::query(
        "insert into phone_messages (message_id, code_id, user_id, phone, channel, created_at)
         values ($1, $2, $3, $4, $5, $6)",
    )
    .bind(message_id)
    .bind(message.code_id)
    .bind(message.user_id)
    .bind(message.phone)
    .bind(message.channel)
    .bind(now)
    .execute(tx.connection())
    .await?;
    tx.set_timer(SEND_MESSAGE, &message_id.to_string(), now, json!({})).await?;
    Ok(message_id)
}

/// The message with an id, while its code is valid.
pub async fn unsent(
    executor: impl PgExecutor<'_>,
    message_id: Uuid,
) -> Result<Option<PhoneMessage>, sqlx::Error> {
    sqlx::query_as(
        "select m.message_id, m.code_id, m.phone, m.channel, c.code_id is null as is_of_factor,
                coalesce(c.digits, 6::smallint) as digits
         from phone_messages m
         left join codes c on c.code_id = m.code_id and c.expires_at > clock_now()
         left join challenges f on f.challenge_id = m.code_id and f.verified_at is null
                                   and f.expires_at > clock_now()
         where m.message_id = $1 and m.sent_at is null and m.refused_at is null
               and (c.code_id is not null or f.challenge_id is not null)",
    )
    .bind(message_id)
    .fetch_optional(executor)
    .await
}

/// Notes what the sender answered, and ends the timer.
pub async fn finish(tx: &mut Tx, message_id: Uuid, refused: bool) -> Result<(), StoreError> {
    sqlx::query(
        "update phone_messages set sent_at = case when $2 then null else clock_now() end,
                                   refused_at = case when $2 then clock_now() end
         where message_id = $1",
    )
    .bind(message_id)
    .bind(refused)
    .execute(tx.connection())
    .await?;
    tx.end_timer(SEND_MESSAGE, &message_id.to_string()).await
}

/// Whether so many messages were queued within the last hour.
pub async fn is_full(
    executor: impl PgExecutor<'_>,
    per_hour: u32,
    now: Timestamp,
) -> Result<bool, sqlx::Error> {
    let queued: i64 = sqlx::query_scalar(
        "select count(*) from (select 1 from phone_messages where created_at > $1 limit $2) recent",
    )
    .bind(now.plus_seconds(-3600))
    .bind(i64::from(per_hour))
    .fetch_one(executor)
    .await?;
    Ok(queued >= i64::from(per_hour))
}
