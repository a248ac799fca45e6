//! What a person is told by mail of a change to the account: one row each, and the event that asks
//! for the mail. The rows can be deleted once it is sent.

use contract::identity::v1::AccountNoticeRequested;
use eventstore::{NewEvent, StoreError, Tx, new_id};
use kernel::Timestamp;
use kernel::id::AccountNotice;
use sqlx::PgExecutor;
use uuid::Uuid;

use crate::accounts::address::EmailAddress;
use crate::accounts::device;
use crate::guard::device as device_token;
use crate::repository::sessions::Device;
use crate::tokens::secrets::CodeKey;

/// How long a notice waits for its mail.
const VALID_SECONDS: i64 = 7 * 24 * 3600;
/// How long a sign-in by the same program from the same network is not told again: clients without
/// cookies have no device token.
const SAME_DEVICE_SECONDS: i64 = 24 * 3600;

kernel::words! {
    /// What a notice tells.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum NoticeKind {
        /// A sign-in from a device that was not used before.
        NewDevice = "new_device",
        /// A new password.
        PasswordChanged = "password_changed",
        /// A new address; told to the former one.
        EmailChanged = "email_changed",
        /// The same, told to the new one.
        EmailAdded = "email_added",
        /// A new phone number.
        PhoneChanged = "phone_changed",
        /// A new second factor.
        FactorAdded = "factor_added",
        /// A second factor less.
        FactorRemoved = "factor_removed",
        /// A new passkey.
        PasskeyAdded = "passkey_added",
        /// A passkey less.
        PasskeyRemoved = "passkey_removed",
        /// A passkey or security key whose counter did not go up: it was moved, or copied.
        PasskeyCounter = "passkey_counter",
        /// A sign-in by a recovery code.
        RecoveryCodeUsed = "recovery_code_used",
        /// New recovery codes.
        RecoveryCodesMade = "recovery_codes_made",
        /// All factors and passkeys were removed by the practice.
        FactorsReset = "factors_reset",
        /// Ways in that were older than the proof of the address were closed by the upgrade.
        WaysClosed = "ways_closed",
    }
}

/// A notice to be mailed.
#[derive(Clone)]
pub struct NewNotice<'a> {
    /// Whose account it is about.
    pub user_id: Uuid,
    /// What it tells.
    pub kind: NoticeKind,
    /// Where it goes, when that is not the account's address.
    pub sent_to: Option<&'a str>,
    /// The device that made the change.
    pub device: &'a Device,
    /// What the factor is; may be empty. Nothing that was typed: the mail would repeat it.
    pub subject: &'static str,
}

/// A notice as it is stored. Personal data, so it has no `Debug`.
#[derive(Clone)]
pub struct Notice {
    /// Whose account it is about.
    pub user_id: Uuid,
    /// See [`NoticeKind`].
    pub kind: String,
    /// Where it goes, when that is not the account's address.
    pub sent_to: Option<String>,
    /// The device in words; may be empty.
    pub device: String,
    /// The network address, shortened; may be empty.
    pub network: String,
    /// What the factor is; may be empty.
    pub subject: String,
    /// When it happened.
    pub created_at: Timestamp,
}

from_row!(Notice { user_id, kind, sent_to, device, network, subject, created_at });

/// Stores a notice and appends the event for its mail.
pub async fn tell(tx: &mut Tx, notice: NewNotice<'_>, now: Timestamp) -> Result<(), StoreError> {
    let notice_id = new_id::<AccountNotice>();
    let (words, network) = seen(notice.device);
    sqlx::query(
        "insert into account_notices (notice_id, user_id, kind, sent_to, device, network, subject,
                                      created_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(notice_id.uuid())
    .bind(notice.user_id)
    .bind(notice.kind.word())
    .bind(notice.sent_to)
    .bind(words)
    .bind(network)
    .bind(notice.subject)
    .bind(now)
    .bind(now.plus_seconds(VALID_SECONDS))
    .execute(tx.connection())
    .await?;
    let event = AccountNoticeRequested {
        notice_id: notice_id.to_string(),
        kind: notice.kind.word().to_owned(),
    };
    tx.append(&notice_id.to_string(), 0, &[NewEvent::of(&event)?]).await?;
    Ok(())
}

/// Tells the account's own address of a change.
pub async fn tell_of_account(
    tx: &mut Tx,
    (user_id, kind): (Uuid, NoticeKind),
    device: &Device,
    now: Timestamp,
) -> Result<(), StoreError> {
    tell(tx, NewNotice { user_id, kind, sent_to: None, device, subject: "" }, now).await
}

/// Tells the former and the new address of a change.
pub async fn tell_new_address(
    tx: &mut Tx,
    user_id: Uuid,
    (former, new): (&str, &str),
    device: &Device,
    now: Timestamp,
) -> Result<(), StoreError> {
    for (kind, email) in [(NoticeKind::EmailChanged, former), (NoticeKind::EmailAdded, new)] {
        let notice = NewNotice { user_id, kind, sent_to: Some(email), device, subject: "" };
        tell(tx, notice, now).await?;
    }
    Ok(())
}

/// Tells of a sign-in from a device that shows no token of the account.
pub async fn tell_new_device(
    tx: &mut Tx,
    (user_id, email): (Uuid, &EmailAddress),
    (device, key): (&Device, &CodeKey),
    now: Timestamp,
) -> Result<(), StoreError> {
    if device_token::known(device.tokens.as_deref(), email, key).is_some() {
        return Ok(());
    }
    let (words, network) = seen(device);
    let told: bool = sqlx::query_scalar(
        "select exists (select 1 from account_notices
                        where user_id = $1 and kind = 'new_device' and device = $2
                          and network = $3 and created_at > $4)",
    )
    .bind(user_id)
    .bind(words)
    .bind(network)
    .bind(now.plus_seconds(-SAME_DEVICE_SECONDS))
    .fetch_one(tx.connection())
    .await?;
    if told {
        return Ok(());
    }
    tell_of_account(tx, (user_id, NoticeKind::NewDevice), device, now).await
}

/// Tells of a credential whose counter did not go up, once in the life of a notice: one that was
/// moved to a manager that does not count says so at each sign-in.
pub async fn tell_counter(
    tx: &mut Tx,
    user_id: Uuid,
    device: &Device,
    now: Timestamp,
) -> Result<(), StoreError> {
    let kind = NoticeKind::PasskeyCounter;
    let told: bool = sqlx::query_scalar(
        "select exists (select 1 from account_notices
                        where user_id = $1 and kind = $2 and expires_at > $3)",
    )
    .bind(user_id)
    .bind(kind.word())
    .bind(now)
    .fetch_one(tx.connection())
    .await?;
    if told {
        return Ok(());
    }
    tell_of_account(tx, (user_id, kind), device, now).await
}

/// The device and its network as a notice names them.
fn seen(device: &Device) -> (String, String) {
    let words = device.user_agent.as_deref().map(device::words).unwrap_or_default();
    let network = device.network.as_deref().map(device::short_network).unwrap_or_default();
    (words, network)
}

/// Deletes the notices of an account.
pub async fn delete_all(executor: impl PgExecutor<'_>, user_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from account_notices where user_id = $1")
        .bind(user_id)
        .execute(executor)
        .await?;
    Ok(())
}

/// The notice with an id.
pub async fn by_id(
    executor: impl PgExecutor<'_>,
    notice_id: Uuid,
) -> Result<Option<Notice>, sqlx::Error> {
    sqlx::query_as(
        "select user_id, kind, sent_to, device, network, subject, created_at
         from account_notices where notice_id = $1 and expires_at > clock_now()",
    )
    .bind(notice_id)
    .fetch_optional(executor)
    .await
}
