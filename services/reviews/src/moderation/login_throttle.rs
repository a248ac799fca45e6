//! Throttles attempts to unlock the panel after wrong passwords. Its state survives restarts.
//!
//! An attempt is counted before its result is known, so that concurrent attempts count, too.

use std::net::{IpAddr, Ipv6Addr};

use eventstore::{StoreError, Tx};
use kernel::Id;
use kernel::id::Customer;

use crate::moderation::repository;

/// Failures without a wait, per account and per network address.
const FREE_ATTEMPTS: i32 = 5;
/// Failures without a wait for all callers together, where all share one passphrase. It is higher,
/// because an attacker could use these up to lock the practice out.
const FREE_ATTEMPTS_OF_EVERYBODY: i32 = 50;
/// A network's attempts in a day that do not wait for the failures of all callers together, so that
/// others who fail without end cannot keep the practice out.
const FIRST_ATTEMPTS: i32 = 3;
/// The first wait; each further failure doubles it.
const BACKOFF_SECONDS: i64 = 30;
/// The longest wait.
const BACKOFF_SECONDS_MAX: i64 = 15 * 60;
/// The longest wait for all callers together; it is short, so that the practice is not locked out.
const BACKOFF_SECONDS_MAX_OF_EVERYBODY: i64 = 60;
/// Failures are deleted after this time without a new one. Together with the hourly retention job,
/// network addresses are kept for a day at most.
const RESET_AFTER_SECONDS: i64 = 23 * 3600;

/// What an attempt is counted for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum ThrottleKey {
    /// The signed-in account.
    Account(Id<Customer>),
    /// The caller's network; an IPv6 line owns a whole /64. `None` when the address is unknown.
    Address(Option<IpAddr>),
    /// All callers together, for the shared passphrase.
    Everybody,
}

impl std::fmt::Debug for ThrottleKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Account(_) => "Account",
            Self::Address(_) => "Address",
            Self::Everybody => "Everybody",
        })
    }
}

impl ThrottleKey {
    /// The network of an address that the gateway reported.
    #[must_use]
    pub fn address(named: Option<&str>) -> Self {
        let address = named.and_then(|text| text.parse::<IpAddr>().ok());
        Self::Address(address.map(|address| match address.to_canonical() {
            IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from(u128::from(v6) & (u128::MAX << 64))),
            v4 @ IpAddr::V4(_) => v4,
        }))
    }

    fn name(self) -> String {
        match self {
            Self::Account(id) => id.to_string(),
            Self::Address(Some(address)) => address.to_string(),
            Self::Address(None) => "nowhere".to_owned(),
            Self::Everybody => "everybody".to_owned(),
        }
    }

    /// The wait after this many failures.
    fn backoff_seconds(self, failures: i32) -> i64 {
        let (free, longest) = match self {
            Self::Account(_) | Self::Address(_) => (FREE_ATTEMPTS, BACKOFF_SECONDS_MAX),
            Self::Everybody => (FREE_ATTEMPTS_OF_EVERYBODY, BACKOFF_SECONDS_MAX_OF_EVERYBODY),
        };
        let Ok(exponent) = u32::try_from(failures.saturating_sub(free)) else { return 0 };
        BACKOFF_SECONDS.saturating_mul(2_i64.saturating_pow(exponent)).min(longest)
    }
}

/// Counts an attempt for each key. False when one of them has to wait; then nothing is counted, and
/// the password must not be checked.
pub async fn record_attempt(tx: &mut Tx, keys: &[ThrottleKey]) -> Result<bool, StoreError> {
    let names: Vec<String> = keys.iter().map(|it| format!("try {}", it.name())).collect();
    tx.lock(&names).await?;
    let now = tx.now().await?;
    repository::delete_expired_failures(tx).await?;
    let mut counted = Vec::with_capacity(keys.len());
    for it in keys {
        let (failures, blocked_until) = repository::failures_of(tx, &it.name()).await?;
        if blocked_until.is_some_and(|until| until > now) && !is_exempt(*it, &counted) {
            return Ok(false);
        }
        counted.push((*it, failures.saturating_add(1)));
    }
    for (it, failures) in counted {
        let until = now.plus_seconds(it.backoff_seconds(failures));
        let delete_at = now.plus_seconds(RESET_AFTER_SECONDS);
        repository::upsert_failures(tx, &it.name(), failures, (until, delete_at)).await?;
    }
    Ok(true)
}

/// Whether an attempt, which is the last of those counted for its network, is one of the network's
/// first and so does not wait for all callers together.
fn is_exempt(key: ThrottleKey, counted: &[(ThrottleKey, i32)]) -> bool {
    let is_first = |(key, attempts): &(ThrottleKey, i32)| {
        matches!(key, ThrottleKey::Address(Some(_))) && *attempts <= FIRST_ATTEMPTS
    };
    key == ThrottleKey::Everybody && counted.iter().any(is_first)
}

/// Uncounts an attempt whose password could not be checked. Waits earned by other attempts stay.
pub async fn undo_attempt(tx: &mut Tx, keys: &[ThrottleKey]) -> Result<(), StoreError> {
    let names: Vec<String> = keys.iter().map(|it| format!("try {}", it.name())).collect();
    tx.lock(&names).await?;
    let now = tx.now().await?;
    for it in keys {
        let (failures, _blocked_until) = repository::failures_of(tx, &it.name()).await?;
        let left = failures.saturating_sub(1).max(0);
        let until = now.plus_seconds(it.backoff_seconds(left));
        repository::lower_failures(tx, &it.name(), left, until).await?;
    }
    Ok(())
}

/// Deletes the counters after a correct password.
pub async fn reset(tx: &mut Tx, keys: &[ThrottleKey]) -> Result<(), StoreError> {
    let keys: Vec<String> = keys.iter().map(|it| it.name()).collect();
    repository::delete_failures(tx, &keys).await
}

#[cfg(test)]
mod tests {
    use super::ThrottleKey;

    #[test]
    fn waits_begin_at_the_fifth_try_and_double_to_a_quarter_of_an_hour() {
        let waits = |failures| ThrottleKey::Address(None).backoff_seconds(failures);
        assert_eq!([1, 4, 5, 6, 9, 10, 99].map(waits), [0, 0, 30, 60, 480, 900, 900]);
        let waits = |failures| ThrottleKey::Everybody.backoff_seconds(failures);
        assert_eq!([49, 50, 51, 90].map(waits), [0, 30, 60, 60]);
    }

    #[test]
    fn addresses_are_keyed_by_network() {
        let key = |text| ThrottleKey::address(Some(text)).name();
        assert_eq!(key("203.0.113.7"), "203.0.113.7");
        assert_eq!(key("::ffff:203.0.113.7"), "203.0.113.7");
        assert_eq!(key("2001:db8:1:2:3:4:5:6"), key("2001:db8:1:2::9"));
        assert_ne!(key("2001:db8:1:2::9"), key("2001:db8:1:3::9"));
        assert_eq!(key("usr_0"), ThrottleKey::address(None).name());
    }
}
