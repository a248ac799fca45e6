//! Flows with other providers: what was asked for, kept until the person comes back.

use eventstore::Tx;
use kernel::Timestamp;
use sqlx::PgExecutor;
use uuid::Uuid;

/// How long a person may take at a provider.
pub const VALID_SECONDS: i64 = 600;

/// A flow as it is stored. It holds secrets, so it has no `Debug`.
#[derive(Clone)]
pub struct ProviderFlow {
    /// Its id, which is the state that the provider returns.
    pub state_id: Uuid,
    /// The provider's name.
    pub provider: String,
    /// The nonce that the ID token must name.
    pub nonce: String,
    /// The verifier of the challenge that the provider was given.
    pub code_verifier: String,
    /// Where the browser goes in the end.
    pub redirect_to: Option<String>,
    /// The flow with PKCE of the client.
    pub flow_state_id: Option<Uuid>,
    /// The account that gets the identity; without one it signs in.
    pub link_user_id: Option<Uuid>,
}

from_row!(ProviderFlow {
    state_id,
    provider,
    nonce,
    code_verifier,
    redirect_to,
    flow_state_id,
    link_user_id,
});

/// Stores a new flow.
pub async fn begin(tx: &mut Tx, flow: &ProviderFlow, now: Timestamp) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into provider_flows (state_id, provider, nonce, code_verifier, redirect_to,
                                     flow_state_id, link_user_id, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(flow.state_id)
    .bind(&flow.provider)
    .bind(&flow.nonce)
    .bind(&flow.code_verifier)
    .bind(&flow.redirect_to)
    .bind(flow.flow_state_id)
    .bind(flow.link_user_id)
    .bind(now.plus_seconds(VALID_SECONDS))
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Takes a flow that has not ended. Of concurrent calls, one gets it.
pub async fn take(
    tx: &mut Tx,
    state_id: Uuid,
    now: Timestamp,
) -> Result<Option<ProviderFlow>, sqlx::Error> {
    sqlx::query_as(
        "delete from provider_flows where state_id = $1 and expires_at > $2
         returning state_id, provider, nonce, code_verifier, redirect_to, flow_state_id,
                   link_user_id",
    )
    .bind(state_id)
    .bind(now)
    .fetch_optional(tx.connection())
    .await
}

/// Ends the flows that are to add an identity to an account.
pub async fn delete_all(executor: impl PgExecutor<'_>, user_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from provider_flows where link_user_id = $1")
        .bind(user_id)
        .execute(executor)
        .await?;
    Ok(())
}
