//! Challenges: what a client has to answer, once and within minutes.

use eventstore::new_uuid;
use kernel::Timestamp;
use sqlx::PgExecutor;
use uuid::Uuid;

/// How long a challenge can be answered, as in the contract.
pub const VALID_SECONDS: i64 = 300;
/// Wrong answers after which the code of a phone is void.
const WRONG_ANSWERS_MAX: i16 = 5;

kernel::words! {
    /// What a challenge asks for.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum ChallengeKind {
        /// The code of a factor. That of a phone is derived from the challenge's id, and not
        /// stored.
        Factor = "factor",
        /// A new credential of a factor.
        FactorCreate = "factor_create",
        /// The credential of a factor.
        FactorRequest = "factor_request",
        /// A new passkey.
        PasskeyCreate = "passkey_create",
        /// Any passkey, to sign in.
        PasskeyRequest = "passkey_request",
    }
}

/// A challenge as it is stored.
#[derive(Clone)]
pub struct Challenge {
    /// Its id.
    pub challenge_id: Uuid,
    /// See [`ChallengeKind`].
    pub kind: String,
    /// Whose it is; none for a sign-in.
    pub user_id: Option<Uuid>,
    /// The factor that it challenges.
    pub factor_id: Option<Uuid>,
    /// The session that asked.
    pub session_id: Option<Uuid>,
    /// The network address that asked.
    pub network: Option<String>,
    /// The state of a WebAuthn ceremony.
    pub state: Option<Vec<u8>>,
    /// When it can no longer be answered.
    pub expires_at: Timestamp,
    /// When it was answered.
    pub verified_at: Option<Timestamp>,
    /// Wrong codes of a phone that were given for it.
    pub wrong_answers: i16,
}

from_row!(Challenge {
    challenge_id,
    kind,
    user_id,
    factor_id,
    session_id,
    network,
    state,
    expires_at,
    verified_at,
    wrong_answers,
});

impl Challenge {
    /// A new challenge; not yet stored.
    #[must_use]
    pub fn new(kind: ChallengeKind, now: Timestamp) -> Self {
        Self {
            challenge_id: new_uuid(),
            kind: kind.word().to_owned(),
            user_id: None,
            factor_id: None,
            session_id: None,
            network: None,
            state: None,
            expires_at: now.plus_seconds(VALID_SECONDS),
            verified_at: None,
            wrong_answers: 0,
        }
    }

    /// Whether no answer is accepted any more: it is too late, or there were too many wrong ones.
    #[must_use]
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.expires_at <= now || self.wrong_answers >= WRONG_ANSWERS_MAX
    }

    /// Whether it is of this kind.
    #[must_use]
    pub fn is(&self, kind: ChallengeKind) -> bool {
        self.kind == kind.word()
    }

    /// The state of its ceremony; empty when it has none.
    #[must_use]
    pub fn ceremony(&self) -> &[u8] {
        self.state.as_deref().unwrap_or_default()
    }
}

/// Stores a new challenge.
pub async fn insert(
    executor: impl PgExecutor<'_>,
    challenge: &Challenge,
    now: Timestamp,
) -> Result<(), sqlx::Error> {
    sqlx::query(
        "insert into challenges (challenge_id, kind, user_id, factor_id, session_id, network,
                                 state, created_at, expires_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)",
    )
    .bind(challenge.challenge_id)
    .bind(&challenge.kind)
    .bind(challenge.user_id)
    .bind(challenge.factor_id)
    .bind(challenge.session_id)
    .bind(&challenge.network)
    .bind(&challenge.state)
    .bind(now)
    .bind(challenge.expires_at)
    .execute(executor)
    .await?;
    Ok(())
}

/// A challenge, locked until the transaction ends.
pub async fn lock(
    executor: impl PgExecutor<'_>,
    challenge_id: Uuid,
) -> Result<Option<Challenge>, sqlx::Error> {
    sqlx::query_as(
        "select challenge_id, kind, user_id, factor_id, session_id, network, state, expires_at,
                verified_at, wrong_answers
         from challenges where challenge_id = $1 for update",
    )
    .bind(challenge_id)
    .fetch_optional(executor)
    .await
}

/// Notes that a challenge was answered. The row stays until it expires, so that a second answer is
/// told apart from an unknown challenge, as in the contract.
pub async fn note_answer(
    executor: impl PgExecutor<'_>,
    challenge_id: Uuid,
    now: Timestamp,
) -> Result<(), sqlx::Error> {
    sqlx::query("update challenges set verified_at = $2 where challenge_id = $1")
        .bind(challenge_id)
        .bind(now)
        .execute(executor)
        .await?;
    Ok(())
}

/// Counts a wrong answer.
pub async fn count_wrong_answer(
    executor: impl PgExecutor<'_>,
    challenge_id: Uuid,
) -> Result<(), sqlx::Error> {
    sqlx::query("update challenges set wrong_answers = wrong_answers + 1 where challenge_id = $1")
        .bind(challenge_id)
        .execute(executor)
        .await?;
    Ok(())
}

/// Deletes a challenge.
pub async fn delete(executor: impl PgExecutor<'_>, challenge_id: Uuid) -> Result<(), sqlx::Error> {
    sqlx::query("delete from challenges where challenge_id = $1")
        .bind(challenge_id)
        .execute(executor)
        .await?;
    Ok(())
}
