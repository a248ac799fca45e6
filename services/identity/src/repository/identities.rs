//! The identities of an account: its address, its phone, accounts at other providers.

use eventstore::new_uuid;
use kernel::Timestamp;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use sqlx::{PgConnection, PgExecutor};
use uuid::Uuid;

/// The provider of an identity by address.
pub const EMAIL: &str = "email";
/// The provider of an identity by phone.
pub const PHONE: &str = "phone";

/// One way in which an account is known. Personal data, so it has no `Debug`.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
pub struct Identity {
    /// The row's id.
    pub identity_id: Uuid,
    /// The account.
    pub user_id: Uuid,
    /// `email`, `phone`, or the name of another provider.
    pub provider: String,
    /// The account's name at the provider; the account's id for an address or a phone.
    pub provider_id: String,
    /// What the provider says of the person.
    pub identity_data: Value,
    /// The address that it says.
    pub email: Option<String>,
    /// When it was last used to sign in.
    pub last_sign_in_at: Option<Timestamp>,
    /// When it was added.
    pub created_at: Timestamp,
    /// When it last changed.
    pub updated_at: Timestamp,
}

impl Identity {
    /// The identity of an account at another provider, or by phone; `data` must be an object.
    #[must_use]
    pub fn of_provider(
        user_id: Uuid,
        (provider, provider_id): (&str, &str),
        data: Value,
        now: Timestamp,
    ) -> Self {
        let email = data.get("email").and_then(Value::as_str).map(str::to_lowercase);
        Self {
            identity_id: new_uuid(),
            user_id,
            provider: provider.to_owned(),
            provider_id: provider_id.to_owned(),
            identity_data: data,
            email,
            last_sign_in_at: None,
            created_at: now,
            updated_at: now,
        }
    }

    /// Sets a field of the identity's data.
    pub fn set(&mut self, name: &str, value: Value) {
        if let Some(data) = self.identity_data.as_object_mut() {
            data.insert(name.to_owned(), value);
        }
    }
}

/// Stores identities that are new or have changed.
///
/// # Errors
/// When another account has one of them, or the database does not answer.
pub async fn store(
    connection: &mut PgConnection,
    identities: &[Identity],
) -> Result<(), sqlx::Error> {
    if identities.is_empty() {
        return Ok(());
    }
    let rows =
        serde_json::to_value(identities).map_err(|error| sqlx::Error::Encode(error.into()))?;
    sqlx::query(
        "insert into identities as old
             (identity_id, user_id, provider, provider_id, identity_data, email, last_sign_in_at,
              created_at, updated_at)
         select identity_id, user_id, provider, provider_id, identity_data, email,
                last_sign_in_at, created_at, updated_at
         from jsonb_populate_recordset(null::identities, $1)
         on conflict (identity_id) do update
         set identity_data = excluded.identity_data, email = excluded.email,
             last_sign_in_at = excluded.last_sign_in_at, updated_at = excluded.updated_at
         where (old.identity_data, old.email, old.last_sign_in_at, old.updated_at)
               is distinct from (excluded.identity_data, excluded.email,
                                 excluded.last_sign_in_at, excluded.updated_at)",
    )
    .bind(rows)
    .execute(connection)
    .await?;
    Ok(())
}

/// The account of a provider's identity.
pub async fn owner(
    executor: impl PgExecutor<'_>,
    provider: &str,
    provider_id: &str,
) -> Result<Option<Uuid>, sqlx::Error> {
    sqlx::query_scalar("select user_id from identities where provider = $1 and provider_id = $2")
        .bind(provider)
        .bind(provider_id)
        .fetch_optional(executor)
        .await
}

/// Removes an identity from its account.
pub async fn delete(executor: impl PgExecutor<'_>, identity_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from identities where identity_id = $1")
        .bind(identity_id)
        .execute(executor)
        .await?;
    Ok(())
}

/// Removes all identities of an account.
pub async fn delete_all(executor: impl PgExecutor<'_>, user_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from identities where user_id = $1")
        .bind(user_id)
        .execute(executor)
        .await?;
    Ok(())
}
