//! Mailed codes: one per account and purpose, the newest.

use contract::identity::v1::CodeRequested;
use eventstore::{NewEvent, StoreError, Tx, new_id};
use kernel::id::{Customer, MailedCode};
use kernel::{Id, Timestamp};
use sqlx::PgExecutor;
use uuid::Uuid;

use crate::tokens::secrets::Digits;

/// How long a code is valid.
pub const VALID_MINUTES: i32 = 10;
/// How long an invitation is valid: the person did not ask for it and does not wait for it.
const INVITATION_MINUTES: i32 = 24 * 60;
/// Wrong attempts after which the digits of a code are void. Its link, which cannot be guessed,
/// stays valid: else a stranger could keep an account's owner out by guessing.
const WRONG_ATTEMPTS_MAX: i32 = 5;

kernel::words! {
    /// What a code is for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Purpose {
        /// To confirm the address of a new account.
        Signup = "signup",
        /// To set a new password.
        Recovery = "recovery",
        /// To sign in without a password.
        Magiclink = "magiclink",
        /// To accept an administrator's invitation.
        Invite = "invite",
        /// To let the account leave its address.
        EmailChangeCurrent = "email_change_current",
        /// To prove the address that an account changes to.
        EmailChangeNew = "email_change_new",
        /// To let a signed-in user set a new password.
        Reauthentication = "reauthentication",
        /// To confirm a phone, or to sign in with it.
        Phone = "phone",
        /// To prove the phone that an account changes to.
        PhoneChange = "phone_change",
    }
}

impl Purpose {
    /// How long its codes are valid.
    #[must_use]
    pub fn valid_minutes(self) -> i32 {
        if self == Self::Invite { INVITATION_MINUTES } else { VALID_MINUTES }
    }

    /// Whether its code is redeemed by a session of the account only.
    #[must_use]
    pub fn needs_session(self) -> bool {
        let changes = [Self::EmailChangeCurrent, Self::EmailChangeNew, Self::PhoneChange];
        self == Self::Reauthentication || changes.contains(&self)
    }

    /// How many digits its codes have, by whether a known device asks.
    #[must_use]
    pub fn digits_for(self, is_known_device: bool) -> Digits {
        if is_known_device || self.needs_session() { Digits::Six } else { Digits::Eight }
    }

    /// The contract's type of verification, as links name it.
    #[must_use]
    pub fn link_type(self) -> &'static str {
        match self {
            Self::EmailChangeCurrent | Self::EmailChangeNew => "email_change",
            Self::Phone => "sms",
            other => other.word(),
        }
    }
}

/// A valid code.
#[derive(Debug, Clone)]
pub struct Code {
    /// Its id, from which its digits are derived.
    pub code_id: Uuid,
    /// Whose it is.
    pub user_id: Uuid,
    /// A [`Purpose`]'s word.
    pub purpose: String,
    /// The redirect of the link.
    pub redirect_to: Option<String>,
    /// Where it was sent, when that is not the account's address.
    pub sent_to: Option<String>,
    /// The flow with PKCE that its link goes on with.
    pub flow_state_id: Option<Uuid>,
    /// How many digits it has; see [`Code::typed`].
    pub digits: i16,
}

from_row!(Code { code_id, user_id, purpose, redirect_to, sent_to, flow_state_id, digits });

impl Code {
    /// What its digits are derived from.
    #[must_use]
    pub fn typed(&self) -> (Uuid, Digits) {
        (self.code_id, Digits::of_count(self.digits))
    }
}

/// A code to issue.
#[derive(Debug, Clone, Default)]
pub struct NewCode<'a> {
    /// The redirect of the link.
    pub redirect_to: Option<&'a str>,
    /// Where it is sent, when that is not the account's address.
    pub sent_to: Option<&'a str>,
    /// The flow with PKCE that its link goes on with.
    pub flow_state_id: Option<Uuid>,
    /// How many digits it has.
    pub digits: Digits,
}

/// Issues a code, which replaces an older one, and appends the event for its mail. A code without a
/// redirect takes over the redirect of the one that it replaces.
pub async fn issue(
    tx: &mut Tx,
    (user_id, purpose): (Uuid, Purpose),
    code: &NewCode<'_>,
    now: Timestamp,
) -> Result<Uuid, StoreError> {
    let code_id = insert(tx, (user_id, purpose), code, now).await?;
    let event = CodeRequested {
        code_id: code_id.to_string(),
        user_id: Id::<Customer>::from_uuid(user_id).to_string(),
        purpose: purpose.word().to_owned(),
    };
    tx.append(&code_id.to_string(), 0, &[NewEvent::of(&event)?]).await?;
    Ok(code_id.uuid())
}

/// Issues a code, which replaces an older one, without a mail: its link or digits reach the person
/// in another way.
pub async fn insert(
    tx: &mut Tx,
    (user_id, purpose): (Uuid, Purpose),
    code: &NewCode<'_>,
    now: Timestamp,
) -> Result<Id<MailedCode>, StoreError> {
    let code_id = new_id::<MailedCode>();
    sqlx::query(
        "insert into codes as old (code_id, user_id, purpose, redirect_to, sent_to, flow_state_id,
                                   created_at, expires_at, digits)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)
         on conflict (user_id, purpose) do update
         set code_id = excluded.code_id, wrong_tries = 0,
             redirect_to = coalesce(excluded.redirect_to, old.redirect_to),
             sent_to = excluded.sent_to, flow_state_id = excluded.flow_state_id,
             created_at = excluded.created_at, expires_at = excluded.expires_at,
             digits = excluded.digits",
    )
    .bind(code_id)
    .bind(user_id)
    .bind(purpose.word())
    .bind(code.redirect_to)
    .bind(code.sent_to)
    .bind(code.flow_state_id)
    .bind(now)
    .bind(now.plus_minutes(i64::from(purpose.valid_minutes())))
    .bind(code.digits.count())
    .execute(tx.connection())
    .await?;
    Ok(code_id)
}

/// The code of an account for a purpose, if its digits are valid, locked until the transaction
/// ends.
pub async fn of_user(
    tx: &mut Tx,
    user_id: Uuid,
    purpose: Purpose,
    now: Timestamp,
) -> Result<Option<Code>, sqlx::Error> {
    sqlx::query_as(
        "select code_id, user_id, purpose, redirect_to, sent_to, flow_state_id, digits from codes
         where user_id = $1 and purpose = $2 and expires_at > $3 and wrong_tries < $4 for update",
    )
    .bind(user_id)
    .bind(purpose.word())
    .bind(now)
    .bind(WRONG_ATTEMPTS_MAX)
    .fetch_optional(tx.connection())
    .await
}

/// Whether an account has a code for a purpose that has not expired.
pub async fn is_pending(
    tx: &mut Tx,
    user_id: Uuid,
    purpose: Purpose,
    now: Timestamp,
) -> Result<bool, sqlx::Error> {
    sqlx::query_scalar(
        "select exists (select 1 from codes
                        where user_id = $1 and purpose = $2 and expires_at > $3)",
    )
    .bind(user_id)
    .bind(purpose.word())
    .bind(now)
    .fetch_one(tx.connection())
    .await
}

/// The valid code with an id.
pub async fn by_id(
    executor: impl PgExecutor<'_>,
    code_id: Uuid,
) -> Result<Option<Code>, sqlx::Error> {
    sqlx::query_as(
        "select code_id, user_id, purpose, redirect_to, sent_to, flow_state_id, digits from codes
         where code_id = $1 and expires_at > clock_now()",
    )
    .bind(code_id)
    .fetch_optional(executor)
    .await
}

/// The valid code whose link goes on with a flow, locked until the transaction ends.
pub async fn of_flow(tx: &mut Tx, flow_state_id: Uuid) -> Result<Option<Code>, sqlx::Error> {
    sqlx::query_as(
        "select code_id, user_id, purpose, redirect_to, sent_to, flow_state_id, digits from codes
         where flow_state_id = $1 and expires_at > clock_now() for update",
    )
    .bind(flow_state_id)
    .fetch_optional(tx.connection())
    .await
}

/// Deletes a code. Of concurrent attempts, one gets true.
pub async fn consume(tx: &mut Tx, code_id: Uuid) -> Result<bool, sqlx::Error> {
    let gone = sqlx::query("delete from codes where code_id = $1")
        .bind(code_id)
        .execute(tx.connection())
        .await?;
    Ok(gone.rows_affected() == 1)
}

/// Counts a wrong attempt at the digits.
pub async fn count_wrong_attempt(tx: &mut Tx, code_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("update codes set wrong_tries = wrong_tries + 1 where code_id = $1")
        .bind(code_id)
        .execute(tx.connection())
        .await?;
    Ok(())
}

/// Deletes all codes of an account.
pub async fn delete_all(executor: impl PgExecutor<'_>, user_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from codes where user_id = $1").bind(user_id).execute(executor).await?;
    Ok(())
}
