//! Rate limits per email address: guesses and mails.
//!
//! Limits are counted by address, not by account, so that an address without an account gets the
//! same answers. Limits per network address are enforced by the gateway.

use eventstore::{StoreError, Tx};
use kernel::Timestamp;
use sqlx::FromRow;

use crate::accounts::address::EmailAddress;
use crate::tokens::secrets::CodeKey;

/// Maximum wait between two guesses.
const BACKOFF_SECONDS_MAX: i64 = 15 * 60;
/// Minimum interval between two mails of a kind.
const MAIL_SPACING_SECONDS: i64 = 60;
/// Maximum mails of a kind to one address, each with its window in seconds. Otherwise anyone could
/// have an address mailed every minute without end.
const MAILS_MAX: [(usize, i64); 2] = [(10, 3600), (30, 24 * 3600)];
/// Counters are reset after this time without a new failure.
const RESET_AFTER_SECONDS: i64 = 24 * 3600;

/// A limited action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LimitedAction {
    /// Guesses at the password.
    Password,
    /// Guesses at codes, counted across codes; each code also allows five.
    Code,
    /// Sign-up mails.
    SignupMail,
    /// Recovery mails.
    RecoveryMail,
    /// Mails with a magic link.
    MagiclinkMail,
    /// Mails with an invitation.
    InviteMail,
    /// Mails about a change of address.
    ChangeMail,
    /// Mails with a nonce for a new password.
    ReauthenticationMail,
    /// Messages to a phone.
    PhoneMessage,
}

impl LimitedAction {
    fn word(self) -> &'static str {
        match self {
            Self::Password => "password",
            Self::Code => "code",
            Self::SignupMail => "signup_mail",
            Self::RecoveryMail => "recovery_mail",
            Self::MagiclinkMail => "magiclink_mail",
            Self::InviteMail => "invite_mail",
            Self::ChangeMail => "change_mail",
            Self::ReauthenticationMail => "reauthentication_mail",
            Self::PhoneMessage => "phone_message",
        }
    }

    /// When the next attempt is allowed. `mailed` are the times of the last day's mails, oldest
    /// first, including the current one.
    fn blocked_until(self, failures: i32, mailed: &[Timestamp], now: Timestamp) -> Timestamp {
        let free = match self {
            Self::Password => 5,
            // Two codes may be mistyped before a wait.
            Self::Code => 10,
            _mail => return next_mail(mailed, now),
        };
        let Ok(exponent) = u32::try_from(failures - free) else { return now };
        now.plus_seconds(2_i64.saturating_pow(exponent).min(BACKOFF_SECONDS_MAX))
    }

    fn is_mail(self) -> bool {
        !matches!(self, Self::Password | Self::Code)
    }
}

/// When the next mail is allowed: after the minimum interval, and when the oldest mail of a full
/// window has left it.
fn next_mail(mailed: &[Timestamp], now: Timestamp) -> Timestamp {
    let full = MAILS_MAX.iter().filter_map(|(max, span)| {
        let oldest = mailed.len().checked_sub(*max).and_then(|at| mailed.get(at))?;
        Some(oldest.plus_seconds(*span))
    });
    full.fold(now.plus_seconds(MAIL_SPACING_SECONDS), Timestamp::max)
}

/// The limits of one address.
#[derive(Clone)]
pub struct AddressLimits {
    address_hash: [u8; 32],
}

#[derive(FromRow)]
struct LimitRow {
    failures: i32,
    blocked_until_at: Timestamp,
    forget_at: Timestamp,
    mailed_at_micros: Vec<i64>,
}

impl LimitRow {
    /// The times of mails within the longest window.
    fn recent_mails(&self, now: Timestamp) -> impl Iterator<Item = Timestamp> {
        let since = now.plus_seconds(-RESET_AFTER_SECONDS);
        let all = self.mailed_at_micros.iter().copied().filter_map(Timestamp::from_micros);
        all.filter(move |at| *at > since)
    }
}

impl AddressLimits {
    /// The limits of this address.
    #[must_use]
    pub fn of(email: &EmailAddress, key: &CodeKey) -> Self {
        Self { address_hash: key.address_hash(email) }
    }

    /// Takes an advisory lock on this address until the transaction ends.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn lock(&self, tx: &mut Tx) -> Result<(), StoreError> {
        tx.lock(&[self.name()]).await
    }

    /// Takes the locks of several addresses, in one order.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn lock_all(tx: &mut Tx, addresses: &[Self]) -> Result<(), StoreError> {
        let names: Vec<String> = addresses.iter().map(Self::name).collect();
        tx.lock(&names).await
    }

    /// The name of its lock.
    fn name(&self) -> String {
        self.address_hash.iter().map(|byte| format!("{byte:02x}")).collect()
    }

    /// Counts an attempt before its result is known, so that concurrent attempts count, too.
    /// Returns the seconds to wait if it is not allowed now.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn check_and_count(
        &self,
        tx: &mut Tx,
        what: LimitedAction,
        now: Timestamp,
    ) -> Result<Option<i64>, StoreError> {
        let counted: Option<LimitRow> = sqlx::query_as(
            "select failures, blocked_until_at, forget_at, mailed_at_micros from address_limits
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
        let failures = counted.as_ref().map_or(0, |it| it.failures).saturating_add(1);
        let mut mailed: Vec<Timestamp> = Vec::new();
        if what.is_mail() {
            mailed.extend(counted.iter().flat_map(|counted| counted.recent_mails(now)));
            mailed.push(now);
        }
        self.upsert(tx, what, (failures, &mailed), now).await?;
        Ok(None)
    }

    async fn upsert(
        &self,
        tx: &mut Tx,
        what: LimitedAction,
        (failures, mailed): (i32, &[Timestamp]),
        now: Timestamp,
    ) -> Result<(), StoreError> {
        let micros: Vec<i64> = mailed.iter().map(|at| at.micros()).collect();
        sqlx::query(
            "insert into address_limits (address_hash, kind, failures, blocked_until_at, forget_at,
                 mailed_at_micros)
             values ($1, $2, $3, $4, $5, $6)
             on conflict (address_hash, kind) do update
             set failures = excluded.failures, blocked_until_at = excluded.blocked_until_at,
                 forget_at = excluded.forget_at, mailed_at_micros = excluded.mailed_at_micros",
        )
        .bind(self.address_hash)
        .bind(what.word())
        .bind(failures)
        .bind(what.blocked_until(failures, mailed, now))
        .bind(now.plus_seconds(RESET_AFTER_SECONDS))
        .bind(micros)
        .execute(tx.connection())
        .await?;
        Ok(())
    }

    /// Resets the counter after a success.
    ///
    /// # Errors
    /// When the database does not answer.
    pub async fn reset(&self, tx: &mut Tx, what: LimitedAction) -> Result<(), StoreError> {
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
    use kernel::Timestamp;

    use super::{LimitedAction, next_mail};

    const START: Timestamp = Timestamp::EPOCH;

    #[test]
    fn waits_begin_at_the_fifth_failure_and_double_to_a_quarter_of_an_hour() {
        let wait =
            |what: LimitedAction, failures| what.blocked_until(failures, &[], START).seconds();
        let waits = |failures| wait(LimitedAction::Password, failures);
        assert_eq!([1, 4, 5, 6, 7, 14, 15, 90].map(waits), [0, 0, 1, 2, 4, 512, 900, 900]);
        assert_eq!(wait(LimitedAction::Code, 9), 0);
        assert_eq!(wait(LimitedAction::Code, 10), 1);
        assert_eq!(wait(LimitedAction::RecoveryMail, 1), 60);
    }

    /// Seconds from the first mail until the next is allowed, after `count` mails `apart` seconds
    /// apart.
    fn next_after(count: i64, apart: i64) -> i64 {
        let mailed: Vec<Timestamp> = (0..count).map(|n| START.plus_seconds(n * apart)).collect();
        next_mail(&mailed, mailed.last().copied().unwrap_or(START)).seconds()
    }

    #[test]
    fn mails_are_apart_and_few_in_an_hour_and_in_a_day() {
        assert_eq!(next_after(1, 60), 60);
        assert_eq!(next_after(9, 60), 9 * 60);
        assert_eq!(next_after(10, 60), 3600);
        assert_eq!(next_after(12, 360), 2 * 360 + 3600);
        assert_eq!(next_after(10, 500), 4560, "an hour is over before the tenth");
        assert_eq!(next_after(29, 500), 28 * 500 + 60);
        assert_eq!(next_after(30, 500), 24 * 3600);
        assert_eq!(next_after(31, 500), 500 + 24 * 3600);
    }
}
