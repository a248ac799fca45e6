//! How often may be guessed at one account, and how often it may be mailed.
//!
//! What is counted is the address, not the account: an address without one gets the same answers.
//! Limits per network address are the gateway's.

use eventstore::{StoreError, Tx};
use kernel::Timestamp;
use sqlx::FromRow;

use crate::address::EmailAddress;
use crate::secrets::CodeKey;

/// The longest wait between two guesses.
const WAIT_SECONDS_MAX: i64 = 15 * 60;
/// Two mails of a kind are so far apart.
const MAIL_SPACING_SECONDS: i64 = 60;
/// Failures are forgotten when there were none for so long.
const FORGET_SECONDS: i64 = 24 * 3600;

/// What is limited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Limited {
    /// Guesses at the password.
    Password,
    /// Guesses at codes. Each code bears five; this one goes on counting over new codes.
    Code,
    /// Mails to somebody who signs up.
    SignupMail,
    /// Mails to somebody who forgot the password.
    RecoveryMail,
}

impl Limited {
    fn word(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Code => "code",
            Self::SignupMail => "signup_mail",
            Self::RecoveryMail => "recovery_mail",
        }
    }

    /// How long the next one has to wait after so many.
    fn wait_seconds(self, failures: i32) -> i64 {
        let free = match self {
            Self::Password => 5,
            // Two codes may be typed wrong before anybody has to wait.
            Self::Code => 10,
            Self::SignupMail | Self::RecoveryMail => return MAIL_SPACING_SECONDS,
        };
        let Ok(exponent) = u32::try_from(failures - free) else { return 0 };
        2_i64.saturating_pow(exponent).min(WAIT_SECONDS_MAX)
    }
}

/// The limits of one address.
#[derive(Clone)]
pub struct Limits {
    address_hash: [u8; 32],
}

#[derive(FromRow)]
struct Counted {
    failures: i32,
    blocked_until_at: Timestamp,
    forget_at: Timestamp,
}

impl Limits {
    /// Those of this address.
    #[must_use]
    pub fn of(email: &EmailAddress, key: &CodeKey) -> Self {
        Self { address_hash: key.address_hash(email) }
    }

    /// Lets nobody else decide about this address until the transaction ends.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn lock(&self, tx: &mut Tx) -> Result<(), StoreError> {
        let name: String = self.address_hash.iter().map(|byte| format!("{byte:02x}")).collect();
        tx.lock(&[name]).await
    }

    /// Counts one more, before it is known how it ends, so that those that come at once count too.
    /// Returns how many seconds to wait instead, if it may not be now.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn count(
        &self,
        tx: &mut Tx,
        what: Limited,
        now: Timestamp,
    ) -> Result<Option<i64>, StoreError> {
        let counted: Option<Counted> = sqlx::query_as(
            "select failures, blocked_until_at, forget_at from address_limits
             where address_hash = $1 and kind = $2",
        )
        .bind(self.address_hash)
        .bind(what.word())
        .fetch_optional(tx.connection())
        .await?;
        let counted = counted.filter(|counted| counted.forget_at > now);
        if let Some(blocked) = counted.as_ref().map(|counted| counted.blocked_until_at)
            && blocked > now
        {
            return Ok(Some(blocked.seconds_since(now).max(1)));
        }
        let failures = counted.map_or(0, |counted| counted.failures).saturating_add(1);
        sqlx::query(
            "insert into address_limits (address_hash, kind, failures, blocked_until_at, forget_at)
             values ($1, $2, $3, $4, $5)
             on conflict (address_hash, kind) do update
             set failures = excluded.failures, blocked_until_at = excluded.blocked_until_at,
                 forget_at = excluded.forget_at",
        )
        .bind(self.address_hash)
        .bind(what.word())
        .bind(failures)
        .bind(now.plus_seconds(what.wait_seconds(failures)))
        .bind(now.plus_seconds(FORGET_SECONDS))
        .execute(tx.connection())
        .await?;
        Ok(None)
    }

    /// Forgets what was counted: it was them.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn forget(&self, tx: &mut Tx, what: Limited) -> Result<(), StoreError> {
        sqlx::query("delete from address_limits where address_hash = $1 and kind = $2")
            .bind(self.address_hash)
            .bind(what.word())
            .execute(tx.connection())
            .await?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::Limited;

    #[test]
    fn waits_begin_at_the_fifth_failure_and_double_to_a_quarter_of_an_hour() {
        let waits = |failures| Limited::Password.wait_seconds(failures);
        assert_eq!([1, 4, 5, 6, 7, 14, 15, 90].map(waits), [0, 0, 1, 2, 4, 512, 900, 900]);
        assert_eq!(Limited::Code.wait_seconds(9), 0);
        assert_eq!(Limited::Code.wait_seconds(10), 1);
        assert_eq!(Limited::RecoveryMail.wait_seconds(1), 60);
    }
}
