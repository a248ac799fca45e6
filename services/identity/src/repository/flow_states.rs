//! Flows with PKCE: the challenge of a client, kept until the person comes back from a mail or a
//! provider and the client exchanges the code for a session.

use eventstore::{Tx, new_uuid};
use kernel::Timestamp;
use serde_json::Value;
use sqlx::PgExecutor;
use uuid::Uuid;

/// How long a flow may take after the person came back, and how long one with a provider may.
pub const VALID_SECONDS: i64 = 300;

/// A client's challenge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Challenge {
    /// The text of `code_challenge`.
    pub text: String,
    /// `s256` or `plain`.
    pub method: &'static str,
}

/// A flow as it is stored.
#[derive(Clone)]
pub struct FlowState {
    /// Its id.
    pub flow_state_id: Uuid,
    /// The code that the client exchanges.
    pub auth_code: Uuid,
    /// The account, once it is known.
    pub user_id: Option<Uuid>,
    /// The text of `code_challenge`.
    pub code_challenge: String,
    /// `s256` or `plain`.
    pub code_challenge_method: String,
    /// `email`, `magiclink`, `recovery`, or the name of a provider.
    pub provider_type: String,
    /// The method in the amr claim of the session.
    pub authentication_method: String,
    /// Where the browser goes in the end.
    pub redirect_to: Option<String>,
    /// The password of the sign-up, which the client that has the verifier puts back.
    pub password_hash: Option<String>,
    /// What a provider says of the identity that the account gets by the exchange.
    pub linked_identity: Option<Value>,
    /// When it can no longer be exchanged.
    pub expires_at: Timestamp,
    /// When the person came back; before, the code is worth nothing.
    pub auth_code_issued_at: Option<Timestamp>,
    /// When its code was exchanged.
    pub used_at: Option<Timestamp>,
    /// The session that the exchange gave.
    pub session_id: Option<Uuid>,
}

from_row!(FlowState {
    flow_state_id,
    auth_code,
    user_id,
    code_challenge,
    code_challenge_method,
    provider_type,
    authentication_method,
    redirect_to,
    password_hash,
    linked_identity,
    expires_at,
    auth_code_issued_at,
    used_at,
    session_id,
});

/// What a new flow begins with.
#[derive(Debug, Clone)]
pub struct NewFlow {
    /// The client's challenge.
    pub challenge: Challenge,
    /// The account, if it is known.
    pub user_id: Option<Uuid>,
    /// `email`, `magiclink`, `recovery`, or the name of a provider.
    pub provider_type: String,
    /// The method in the amr claim of the session.
    pub authentication_method: String,
    /// Where the browser goes in the end.
    pub redirect_to: Option<String>,
    /// How long the person may take to come back.
    pub valid_seconds: i64,
}

/// Stores a new flow and returns its id.
pub async fn begin(tx: &mut Tx, flow: &NewFlow, now: Timestamp) -> Result<Uuid, sqlx::Error> {
    let flow_state_id = new_uuid();
    sqlx::query(
        "insert into flow_states (flow_state_id, auth_code, user_id, code_challenge,
                                  code_challenge_method, provider_type, authentication_method,
                                  redirect_to, created_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)",
    )
    .bind(flow_state_id)
    .bind(random_id())
    .bind(flow.user_id)
    .bind(&flow.challenge.text)
    .bind(flow.challenge.method)
    .bind(&flow.provider_type)
    .bind(&flow.authentication_method)
    .bind(&flow.redirect_to)
    .bind(now)
    .bind(now.plus_seconds(flow.valid_seconds))
    .execute(tx.connection())
    .await?;
    Ok(flow_state_id)
}

/// A flow that has not ended, locked until the transaction ends.
pub async fn lock(
    tx: &mut Tx,
    flow_state_id: Uuid,
    now: Timestamp,
) -> Result<Option<FlowState>, sqlx::Error> {
    sqlx::query_as(
        "select flow_state_id, auth_code, user_id, code_challenge, code_challenge_method,
                provider_type, authentication_method, redirect_to, password_hash, linked_identity,
                expires_at, auth_code_issued_at, used_at, session_id
         from flow_states where flow_state_id = $1 and expires_at > $2 and used_at is null
         for update",
    )
    .bind(flow_state_id)
    .bind(now)
    .fetch_optional(tx.connection())
    .await
}

/// Keeps what a provider says of an identity until the client exchanges its code.
pub async fn keep_identity(
    tx: &mut Tx,
    flow_state_id: Uuid,
    told: &Value,
) -> Result<(), sqlx::Error> {
    sqlx::query("update flow_states set linked_identity = $2 where flow_state_id = $1")
        .bind(flow_state_id)
        .bind(told)
        .execute(tx.connection())
        .await?;
    Ok(())
}

/// Makes the flow's code worth something for an account, for [`VALID_SECONDS`]. A password that the
/// account has lost meanwhile is kept in it.
pub async fn issue_code(
    tx: &mut Tx,
    flow_state_id: Uuid,
    (user_id, password_hash): (Uuid, Option<&str>),
    now: Timestamp,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update flow_states set user_id = $2, auth_code_issued_at = $3, expires_at = $4,
                                password_hash = $5
         where flow_state_id = $1",
    )
    .bind(flow_state_id)
    .bind(user_id)
    .bind(now)
    .bind(now.plus_seconds(VALID_SECONDS))
    .bind(password_hash)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// The flow of a code, locked until the transaction ends, also after its end.
pub async fn lock_by_code(tx: &mut Tx, auth_code: Uuid) -> Result<Option<FlowState>, sqlx::Error> {
    sqlx::query_as(
        "select flow_state_id, auth_code, user_id, code_challenge, code_challenge_method,
                provider_type, authentication_method, redirect_to, password_hash, linked_identity,
                expires_at, auth_code_issued_at, used_at, session_id
         from flow_states where auth_code = $1 and auth_code_issued_at is not null for update",
    )
    .bind(auth_code)
    .fetch_optional(tx.connection())
    .await
}

/// Ends a flow by the exchange of its code. The row stays until retention deletes it, so that a
/// second use is recognised; what is personal in it goes.
pub async fn use_up(
    tx: &mut Tx,
    flow_state_id: Uuid,
    session_id: Option<Uuid>,
    now: Timestamp,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "update flow_states set used_at = $2, session_id = $3, password_hash = null,
                                linked_identity = null, redirect_to = null
         where flow_state_id = $1",
    )
    .bind(flow_state_id)
    .bind(now)
    .bind(session_id)
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Ends the flows of an account whose code can be exchanged already, and those of its provider
/// links.
pub async fn delete_issued(
    executor: impl PgExecutor<'_>,
    user_id: Uuid,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "delete from flow_states
         where user_id = $1 and used_at is null and auth_code_issued_at is not null",
    )
    .bind(user_id)
    .execute(executor)
    .await?;
    Ok(())
}

/// An id that cannot be guessed: it is a secret. Other ids begin with the time.
#[expect(clippy::disallowed_methods, reason = "a secret does not begin with the time")]
#[must_use]
pub fn random_id() -> Uuid {
    Uuid::new_v4()
}
