//! Sessions and the refresh tokens that keep them alive.
//!
//! A refresh token is used once. A second use means that two clients hold it: within a minute it is
//! a browser whose response was lost, and it gets the successor, as long as that was not used;
//! later it may be a thief, and the session ends for both. GoTrue always returns the successor, so
//! a theft is never detected; the time limit is our deviation.

use eventstore::{Tx, new_uuid};
use kernel::Timestamp;
use serde_json::{Value, json};
use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

use crate::repository::users::{self, User};
use crate::tokens::secrets::RefreshToken;

/// Maximum lifetime of a session.
const LIFETIME_SECONDS: i64 = 30 * 24 * 3600;
/// Maximum time without a refresh.
const IDLE_SECONDS: i64 = 14 * 24 * 3600;
/// How long a used token still returns its successor. The client library repeats a refresh without
/// an answer for half a minute.
const REUSE_GRACE_SECONDS: i64 = 60;
/// How long after redeeming a code a password may be set without the old one.
const PASSWORD_RESET_SECONDS: i64 = 3600;

/// How the user authenticated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum AuthMethod {
    /// By password.
    Password,
    /// By a mailed code or link.
    Otp,
    /// By a mailed code or link that also lets a new password be set without the old one.
    Recovery,
    /// By the same in a flow with PKCE, which names its purpose.
    RecoveryByFlow,
    /// By a method that has another name in the amr claim.
    Named(&'static str),
}

impl AuthMethod {
    /// Its value in the amr claim.
    #[must_use]
    pub fn amr_value(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Otp | Self::Recovery => "otp",
            Self::RecoveryByFlow => "recovery",
            Self::Named(name) => name,
        }
    }

    /// The method of a flow with PKCE, by its value in rows.
    #[must_use]
    pub fn of_flow(word: &str) -> Self {
        const NAMED: &[&str] =
            &["email/signup", "magiclink", "invite", "email_change", "oauth", "sso/saml"];
        match word {
            "recovery" => Self::RecoveryByFlow,
            other => NAMED
                .iter()
                .find(|name| **name == other)
                .map_or(Self::Otp, |name| Self::Named(name)),
        }
    }

    /// Whether it lets a new password be set without the old one.
    fn recovers(self) -> bool {
        matches!(self, Self::Recovery | Self::RecoveryByFlow)
    }
}

/// What a session was opened on, as the request says it.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Device {
    /// The browser or program.
    pub user_agent: Option<String>,
    /// The network address.
    pub network: Option<String>,
    /// The device tokens; they are not stored.
    pub tokens: Option<String>,
}

/// A session as it is stored.
#[derive(Debug, Clone)]
pub struct Session {
    /// Its id, which access tokens name.
    pub session_id: Uuid,
    /// The amr claim.
    pub proofs: Value,
    /// Until when a password may be set without the old one.
    pub password_reset_until_at: Option<Timestamp>,
    /// The aal claim: `aal1`, or `aal2` after a second factor.
    pub aal: String,
    /// The factor that made it `aal2`.
    pub factor_id: Option<Uuid>,
    /// When it was opened.
    pub created_at: Timestamp,
}

from_row!(Session { session_id, proofs, password_reset_until_at, aal, factor_id, created_at });

/// The values of the amr claim that stand for a mailed code or link, or one that was sent to the
/// account's phone.
const BY_CODE: &[&str] =
    &["otp", "recovery", "email/signup", "magiclink", "invite", "email_change"];

/// The values of the amr claim that stand for a second factor, or for a passkey that is both.
const BY_SECOND_FACTOR: &[&str] =
    &["totp", "passkey", "mfa/webauthn", "mfa/phone", "mfa/recovery_code"];

/// The value of the amr claim that stands for a sign-in at a provider.
const BY_PROVIDER: &[&str] = &["oauth"];

impl Session {
    /// When a code that was mailed was redeemed for this session last, in seconds.
    #[must_use]
    pub fn last_mailed_code(&self) -> Option<i64> {
        self.last_proof(BY_CODE)
    }

    /// When this session has shown a second factor last, in seconds.
    #[must_use]
    pub fn last_second_factor(&self) -> Option<i64> {
        self.last_proof(BY_SECOND_FACTOR)
    }

    /// When its person came from a provider for this session, in seconds.
    #[must_use]
    pub fn last_provider(&self) -> Option<i64> {
        self.last_proof(BY_PROVIDER)
    }

    /// When anything was shown for this session last, in seconds.
    #[must_use]
    pub fn last_shown(&self) -> Option<i64> {
        self.last_of(|_any| true)
    }

    fn last_proof(&self, methods: &[&str]) -> Option<i64> {
        self.last_of(|method| methods.contains(&method))
    }

    fn last_of(&self, counts: impl Fn(&str) -> bool) -> Option<i64> {
        let proofs = self.proofs.as_array().into_iter().flatten();
        let is_counted = |proof: &&Value| proof["method"].as_str().is_some_and(&counts);
        proofs.filter(is_counted).filter_map(|proof| proof["timestamp"].as_i64()).max()
    }
}

/// A session with its next refresh token.
pub struct OpenedSession {
    /// The session's user.
    pub user: User,
    /// The session.
    pub session: Session,
    /// The refresh token to return.
    pub refresh_token: RefreshToken,
    /// The time of the transaction.
    pub now: Timestamp,
    /// Whether the password of the sign-up was deleted just now, so that a new one is needed.
    pub password_removed: bool,
}

/// The outcome of a refresh.
pub enum RefreshOutcome {
    /// The session goes on.
    Continued(Box<OpenedSession>),
    /// The session goes on, with the token that the answer before gave.
    Repeated(Box<OpenedSession>),
    /// The token or its session does not exist.
    Unknown,
    /// The session was expired and is ended.
    Expired,
    /// The token was reused; the session is ended.
    Reused(Uuid),
    /// The user is banned.
    Banned,
}

struct RefreshTokenRow {
    session: Session,
    user_id: Uuid,
    ends_at: Timestamp,
    issued_at: Timestamp,
    replaced_at: Option<Timestamp>,
    child_sealed: Option<Vec<u8>>,
    child_is_active: bool,
}

from_row!(RefreshTokenRow {
    user_id, ends_at, issued_at, replaced_at, child_sealed, child_is_active,
} rows { session });

/// Opens a session for a user who has just authenticated.
pub async fn open(
    tx: &mut Tx,
    mut user: User,
    (auth_method, device): (AuthMethod, &Device),
    now: Timestamp,
) -> Result<OpenedSession, sqlx::Error> {
    let session = Session {
        session_id: new_uuid(),
        proofs: json!([{ "method": auth_method.amr_value(), "timestamp": now.seconds() }]),
        password_reset_until_at: (auth_method.recovers() || user.password_hash.is_none())
            .then(|| now.plus_seconds(PASSWORD_RESET_SECONDS)),
        aal: "aal1".to_owned(),
        factor_id: None,
        created_at: now,
    };
    sqlx::query(
        "insert into sessions (session_id, user_id, proofs, password_reset_until_at,
                               created_at, refreshed_at, ends_at, user_agent, network)
         values ($1, $2, $3, $4, $5, $5, $6, $7, $8)",
    )
    .bind(session.session_id)
    .bind(user.user_id)
    .bind(&session.proofs)
    .bind(session.password_reset_until_at)
    .bind(now)
    .bind(now.plus_seconds(LIFETIME_SECONDS))
    .bind(&device.user_agent)
    .bind(&device.network)
    .execute(tx.connection())
    .await?;
    let refresh_token = RefreshToken::random();
    insert_token(tx.connection(), session.session_id, &refresh_token, now).await?;
    user.last_sign_in_at = Some(now);
    user.updated_at = now;
    user.note_sign_in(auth_method.amr_value(), now);
    users::update(tx.connection(), &user).await?;
    Ok(OpenedSession { user, session, refresh_token, now, password_removed: false })
}

/// The session of an access token, if it is active.
pub async fn find_active(
    executor: impl PgExecutor<'_>,
    user_id: Uuid,
    session_id: Uuid,
) -> Result<Option<Session>, sqlx::Error> {
    sqlx::query_as(
        "select session_id, proofs, password_reset_until_at, aal, factor_id, created_at
         from sessions
         where session_id = $1 and user_id = $2 and least(ends_at, not_after) > clock_now()",
    )
    .bind(session_id)
    .bind(user_id)
    .fetch_optional(executor)
    .await
}

/// Uses a refresh token and rotates it.
pub async fn refresh(
    tx: &mut Tx,
    token: &RefreshToken,
) -> Result<RefreshOutcome, eventstore::StoreError> {
    // The token is locked before the clock is read: a waiting transaction sees a later time.
    let Some(presented) = lock_token(tx.connection(), token).await? else {
        return Ok(RefreshOutcome::Unknown);
    };
    let now = tx.now().await?;
    let session_id = presented.session.session_id;
    let idle =
        presented.replaced_at.is_none() && now.seconds_since(presented.issued_at) > IDLE_SECONDS;
    if presented.ends_at <= now || idle {
        end(tx.connection(), session_id).await?;
        return Ok(RefreshOutcome::Expired);
    }
    let Some(user) = users::lock_by_id(tx.connection(), presented.user_id).await? else {
        return Ok(RefreshOutcome::Unknown);
    };
    if user.is_banned(now) {
        return Ok(RefreshOutcome::Banned);
    }
    let next = match presented.replaced_at {
        None => Some(rotate(tx.connection(), token, session_id, now).await?),
        Some(at) if now.seconds_since(at) <= REUSE_GRACE_SECONDS && presented.child_is_active => {
            presented.child_sealed.and_then(|sealed| token.unseal(&sealed))
        }
        Some(_) => None,
    };
    let Some(refresh_token) = next else {
        end(tx.connection(), session_id).await?;
        return Ok(RefreshOutcome::Reused(session_id));
    };
    let session = presented.session;
    let opened = OpenedSession { user, session, refresh_token, now, password_removed: false };
    let repeated = presented.replaced_at.is_some();
    let outcome = if repeated { RefreshOutcome::Repeated } else { RefreshOutcome::Continued };
    Ok(outcome(Box::new(opened)))
}

async fn lock_token(
    connection: &mut PgConnection,
    token: &RefreshToken,
) -> Result<Option<RefreshTokenRow>, sqlx::Error> {
    // The row is locked in a statement of its own, so that the next one reads what the last holder
    // committed.
    let locked = sqlx::query("select 1 from refresh_tokens where token_hash = $1 for update")
        .bind(token.hash())
        .fetch_optional(&mut *connection)
        .await?;
    if locked.is_none() {
        return Ok(None);
    }
    sqlx::query_as(
        "select s.session_id, s.proofs, s.password_reset_until_at, s.aal, s.factor_id,
                s.created_at, s.user_id, least(s.ends_at, s.not_after) as ends_at,
                t.issued_at, t.replaced_at, t.child_sealed,
                exists (select 1 from refresh_tokens child
                        where child.token_hash = t.child_hash and child.replaced_at is null)
                    as child_is_active
         from refresh_tokens t join sessions s using (session_id)
         where t.token_hash = $1",
    )
    .bind(token.hash())
    .fetch_optional(connection)
    .await
}

async fn rotate(
    connection: &mut PgConnection,
    used: &RefreshToken,
    session_id: Uuid,
    now: Timestamp,
) -> Result<RefreshToken, sqlx::Error> {
    let child = RefreshToken::random();
    let sealed = used.seal(&child).map_err(|error| sqlx::Error::Encode(error.into()))?;
    insert_token(&mut *connection, session_id, &child, now).await?;
    sqlx::query(
        "update refresh_tokens set replaced_at = $2, child_hash = $3, child_sealed = $4
         where token_hash = $1",
    )
    .bind(used.hash())
    .bind(now)
    .bind(child.hash())
    .bind(sealed)
    .execute(&mut *connection)
    .await?;
    sqlx::query("update sessions set refreshed_at = $2 where session_id = $1")
        .bind(session_id)
        .bind(now)
        .execute(connection)
        .await?;
    Ok(child)
}

pub(super) async fn insert_token(
    executor: impl PgExecutor<'_>,
    session_id: Uuid,
    token: &RefreshToken,
    now: Timestamp,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into refresh_tokens (token_hash, session_id, issued_at) values ($1, $2, $3)",
    )
    .bind(token.hash())
    .bind(session_id)
    .bind(now)
    .execute(executor)
    .await?;
    Ok(())
}

/// Ends one session.
pub async fn end(executor: impl PgExecutor<'_>, session_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from sessions where session_id = $1")
        .bind(session_id)
        .execute(executor)
        .await?;
    Ok(())
}

/// Ends all sessions of an account except `except`.
pub async fn end_all(
    executor: impl PgExecutor<'_>,
    user_id: Uuid,
    except: Option<Uuid>,
) -> Result<(), sqlx::Error> {
    sqlx::query("delete from sessions where user_id = $1 and session_id is distinct from $2")
        .bind(user_id)
        .bind(except)
        .execute(executor)
        .await?;
    Ok(())
}

/// Ends all sessions of an account that are not stronger than `level`, except `except`.
pub async fn end_up_to(
    executor: impl PgExecutor<'_>,
    (user_id, level): (Uuid, &str),
    except: Option<Uuid>,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "delete from sessions
         where user_id = $1 and session_id is distinct from $2 and (aal = 'aal1' or aal = $3)",
    )
    .bind(user_id)
    .bind(except)
    .bind(level)
    .execute(executor)
    .await?;
    Ok(())
}

/// Revokes the permission to set a password without the old one.
pub async fn revoke_password_reset(
    executor: impl PgExecutor<'_>,
    session_id: Uuid,
) -> Result<(), sqlx::Error> {
    sqlx::query("update sessions set password_reset_until_at = null where session_id = $1")
        .bind(session_id)
        .execute(executor)
        .await?;
    Ok(())
}
