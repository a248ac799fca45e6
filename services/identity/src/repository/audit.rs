//! What was done to accounts, for administrators. Entries name accounts and keys by their ids, and
//! no person.

use eventstore::new_uuid;
use kernel::Timestamp;
use serde_json::Value;
use sqlx::PgExecutor;
use uuid::Uuid;

kernel::words! {
    /// What was done, with the contract's word and kind.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Action {
        /// A sign-in at another provider.
        Login = "login",
        /// An account was made.
        SignedUp = "user_signedup",
        /// A person was invited.
        Invited = "user_invited",
        /// An account was deleted.
        Deleted = "user_deleted",
        /// An administrator changed an account.
        Modified = "user_modified",
        /// A recovery or sign-in code was requested.
        RecoveryRequested = "user_recovery_requested",
        /// An identity was added.
        IdentityLinked = "identity_linked",
        /// An identity was removed.
        IdentityUnlinked = "identity_unlinked",
        /// An administrator changed a factor.
        FactorUpdated = "factor_updated",
        /// An administrator removed a factor.
        FactorDeleted = "factor_deleted",
    }
}

impl Action {
    /// The contract's kind.
    fn log_type(self) -> &'static str {
        match self {
            Self::Login => "account",
            Self::SignedUp | Self::Invited | Self::Deleted => "team",
            Self::Modified
            | Self::RecoveryRequested
            | Self::IdentityLinked
            | Self::IdentityUnlinked => "user",
            Self::FactorUpdated | Self::FactorDeleted => "factor",
        }
    }
}

/// The account or key that did something.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Actor<'a> {
    /// Its id.
    pub id: Option<Uuid>,
    /// The name of a key; empty for an account.
    pub name: &'a str,
    /// The network address, where it is known.
    pub network: Option<&'a str>,
}

/// An entry as it is stored.
#[derive(Clone)]
pub struct Entry {
    /// Its id.
    pub audit_id: Uuid,
    /// When it was written.
    pub created_at: Timestamp,
    /// The account or key that did it.
    pub actor_id: Option<Uuid>,
    /// The name of a key.
    pub actor_name: String,
    /// An [`Action`]'s word.
    pub action: String,
    /// The contract's kind.
    pub log_type: String,
    /// What it was about.
    pub traits: Value,
    /// The network address.
    pub network: Option<String>,
}

from_row!(Entry { audit_id, created_at, actor_id, actor_name, action, log_type, traits, network });

/// A field by which entries are searched.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// The name of a key.
    Author,
    /// What was done.
    Action,
    /// The kind.
    Type,
}

/// Writes an entry.
pub async fn record(
    executor: impl PgExecutor<'_>,
    actor: &Actor<'_>,
    (action, traits): (Action, &Value),
    now: Timestamp,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into audit_entries (audit_id, created_at, actor_id, actor_name, action, log_type,
                                    traits, network)
         values ($1, $2, $3, $4, $5, $6, $7, $8)",
    )
    .bind(new_uuid())
    .bind(now)
    .bind(actor.id)
    .bind(actor.name)
    .bind(action.word())
    .bind(action.log_type())
    .bind(traits)
    .bind(actor.network)
    .execute(executor)
    .await?;
    Ok(())
}

/// A page of entries, newest first, and how many there are in all. Retention bounds them.
pub async fn page(
    executor: impl PgExecutor<'_> + Copy,
    search: Option<(Field, &str)>,
    (offset, limit): (i64, i64),
) -> Result<(Vec<Entry>, i64), sqlx::Error> {
    let (field, pattern) = match search {
        None => ("", String::new()),
        Some((Field::Author, text)) => ("author", super::pattern_of(text)),
        Some((Field::Action, text)) => ("action", super::pattern_of(text)),
        Some((Field::Type, text)) => ("type", super::pattern_of(text)),
    };
    let entries = sqlx::query_as(
        "select audit_id, created_at, actor_id, actor_name, action, log_type, traits, network
         from audit_entries
         where case $3 when '' then true when 'author' then actor_name ilike $4
               when 'action' then action ilike $4 else log_type ilike $4 end
         order by created_at desc, audit_id desc offset $1 limit $2",
    )
    .bind(offset)
    .bind(limit)
    .bind(field)
    .bind(&pattern)
    .fetch_all(executor)
    .await?;
    let total = sqlx::query_scalar(
        "select count(*) from audit_entries
         where case $1 when '' then true when 'author' then actor_name ilike $2
               when 'action' then action ilike $2 else log_type ilike $2 end",
    )
    .bind(field)
    .bind(&pattern)
    .fetch_one(executor)
    .await?;
    Ok((entries, total))
}
