//! How often the panel may be opened with a wrong password before there is a wait. It is kept over
//! restarts.
//!
//! A try is counted before it is known how it ends, so that tries that come at once count too.

use std::net::{IpAddr, Ipv6Addr};

use eventstore::{StoreError, Tx};
use kernel::id::Customer;
use kernel::{Id, Timestamp};
use sqlx::Row;

/// So many wrong tries are free for an account and for a network address.
const FREE: i32 = 5;
/// So many are free for everybody together, where all share one passphrase. It is more, because
/// whoever wants to keep the practice out could use these up for it.
const FREE_FOR_EVERYBODY: i32 = 50;
/// The first wait; each further one is twice as long.
const WAIT_SECONDS: i64 = 30;
/// The longest wait.
const WAIT_SECONDS_MAX: i64 = 15 * 60;
/// The longest wait of everybody, after which the practice has its turn again.
const WAIT_SECONDS_MAX_OF_EVERYBODY: i64 = 60;
/// Wrong tries are forgotten when there were none for so long. With the hour until the next sweep
/// it is the day at most for which network addresses are kept.
const FORGET_SECONDS: i64 = 23 * 3600;

/// Who or what a try is counted for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TriedBy {
    /// The account that was signed in.
    Account(Id<Customer>),
    /// The network that it came from; one IPv6 line owns a whole /64. `None` when nobody said.
    Address(Option<IpAddr>),
    /// All who know, or guess at, the one passphrase.
    Everybody,
}

impl std::fmt::Debug for TriedBy {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Account(_) => "Account",
            Self::Address(_) => "Address",
            Self::Everybody => "Everybody",
        })
    }
}

impl TriedBy {
    /// The network of an address as the gateway names it.
    #[must_use]
    pub fn address(named: Option<&str>) -> Self {
        let address = named.and_then(|text| text.parse::<IpAddr>().ok());
        Self::Address(address.map(|address| match address.to_canonical() {
            IpAddr::V6(v6) => IpAddr::V6(Ipv6Addr::from(u128::from(v6) & (u128::MAX << 64))),
            v4 @ IpAddr::V4(_) => v4,
        }))
    }

    fn key(self) -> String {
        match self {
            Self::Account(id) => id.to_string(),
            Self::Address(Some(address)) => address.to_string(),
            Self::Address(None) => "nowhere".to_owned(),
            Self::Everybody => "everybody".to_owned(),
        }
    }

    /// How long the next try has to wait after so many.
    fn wait_seconds(self, failures: i32) -> i64 {
        let (free, longest) = match self {
            Self::Account(_) | Self::Address(_) => (FREE, WAIT_SECONDS_MAX),
            Self::Everybody => (FREE_FOR_EVERYBODY, WAIT_SECONDS_MAX_OF_EVERYBODY),
        };
        let Ok(exponent) = u32::try_from(failures.saturating_sub(free)) else { return 0 };
        WAIT_SECONDS.saturating_mul(2_i64.saturating_pow(exponent)).min(longest)
    }
}

/// Counts a try for each of them. False when one of them has to wait; then nothing is counted, and
/// the password is not to be looked at.
///
/// # Errors
/// When the database does not answer.
pub async fn begin(tx: &mut Tx, all: &[TriedBy]) -> Result<bool, StoreError> {
    let names: Vec<String> = all.iter().map(|it| format!("try {}", it.key())).collect();
    tx.lock(&names).await?;
    let now = tx.now().await?;
    forget_old(tx).await?;
    let mut counted = Vec::with_capacity(all.len());
    for it in all {
        let (failures, blocked_until) = known(tx, *it).await?;
        if blocked_until.is_some_and(|until| until > now) {
            return Ok(false);
        }
        counted.push((*it, failures.saturating_add(1)));
    }
    for (it, failures) in counted {
        keep(tx, it, failures, now).await?;
    }
    Ok(true)
}

async fn known(tx: &mut Tx, it: TriedBy) -> Result<(i32, Option<Timestamp>), StoreError> {
    let row =
        sqlx::query("select failures, blocked_until_at from moderation_tries where tried_by = $1")
            .bind(it.key())
            .fetch_optional(tx.connection())
            .await?;
    let Some(row) = row else { return Ok((0, None)) };
    Ok((row.try_get("failures")?, Some(row.try_get("blocked_until_at")?)))
}

async fn keep(tx: &mut Tx, it: TriedBy, failures: i32, now: Timestamp) -> Result<(), StoreError> {
    sqlx::query(
        "insert into moderation_tries (tried_by, failures, blocked_until_at, forget_at)
         values ($1, $2, $3, $4)
         on conflict (tried_by) do update
         set failures = excluded.failures, blocked_until_at = excluded.blocked_until_at,
             forget_at = excluded.forget_at",
    )
    .bind(it.key())
    .bind(failures)
    .bind(now.plus_seconds(it.wait_seconds(failures)))
    .bind(now.plus_seconds(FORGET_SECONDS))
    .execute(tx.connection())
    .await?;
    Ok(())
}

/// Forgets what is over; returns how many rows that were.
///
/// # Errors
/// When the database does not answer.
pub async fn forget_old(tx: &mut Tx) -> Result<u64, StoreError> {
    let forgotten = sqlx::query("delete from moderation_tries where forget_at <= clock_now()")
        .execute(tx.connection())
        .await?;
    Ok(forgotten.rows_affected())
}

/// Gives a try back that could not be looked at. The wait that the others have earned stays.
///
/// # Errors
/// When the database does not answer.
pub async fn give_back(tx: &mut Tx, all: &[TriedBy]) -> Result<(), StoreError> {
    let names: Vec<String> = all.iter().map(|it| format!("try {}", it.key())).collect();
    tx.lock(&names).await?;
    let now = tx.now().await?;
    for it in all {
        let (failures, _blocked_until) = known(tx, *it).await?;
        let left = failures.saturating_sub(1).max(0);
        sqlx::query(
            "update moderation_tries
             set failures = $2, blocked_until_at = least(blocked_until_at, $3)
             where tried_by = $1",
        )
        .bind(it.key())
        .bind(left)
        .bind(now.plus_seconds(it.wait_seconds(left)))
        .execute(tx.connection())
        .await?;
    }
    Ok(())
}

/// Forgets what was counted: it was them.
///
/// # Errors
/// When the database does not answer.
pub async fn forget(tx: &mut Tx, all: &[TriedBy]) -> Result<(), StoreError> {
    let keys: Vec<String> = all.iter().map(|it| it.key()).collect();
    sqlx::query("delete from moderation_tries where tried_by = any($1)")
        .bind(keys)
        .execute(tx.connection())
        .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::TriedBy;

    #[test]
    fn waits_begin_at_the_fifth_try_and_double_to_a_quarter_of_an_hour() {
        let waits = |failures| TriedBy::Address(None).wait_seconds(failures);
        assert_eq!([1, 4, 5, 6, 9, 10, 99].map(waits), [0, 0, 30, 60, 480, 900, 900]);
        let waits = |failures| TriedBy::Everybody.wait_seconds(failures);
        assert_eq!([49, 50, 51, 90].map(waits), [0, 30, 60, 60]);
    }

    #[test]
    fn one_line_is_one_network_and_what_is_no_address_is_nowhere() {
        let key = |text| TriedBy::address(Some(text)).key();
        assert_eq!(key("203.0.113.7"), "203.0.113.7");
        assert_eq!(key("::ffff:203.0.113.7"), "203.0.113.7");
        assert_eq!(key("2001:db8:1:2:3:4:5:6"), key("2001:db8:1:2::9"));
        assert_ne!(key("2001:db8:1:2::9"), key("2001:db8:1:3::9"));
        assert_eq!(key("usr_0"), TriedBy::address(None).key());
    }
}
