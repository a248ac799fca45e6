//! The budget of mails with codes: how many may be asked for within an hour, by everybody together.
//! It has three shares, so that strangers' mails do not take those of people who have an account.
//! How full the open one is depends on requests alone and tells of no account.

use eventstore::{StoreError, Tx};
use kernel::Timestamp;

const HOUR_SECONDS: i64 = 3600;

kernel::words! {
    /// A share of the budget.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Share {
        /// Half of it, for any client and any address.
        Open = "open",
        /// Three tenths, for addresses with an account when the open one is full.
        Accounts = "accounts",
        /// The rest, for devices that signed in to the account before.
        Devices = "devices",
    }
}

impl Share {
    /// How many mails of a budget it has.
    fn of(self, per_hour: u32) -> i64 {
        let per_hour = i64::from(per_hour);
        let (accounts, devices) = (per_hour * 3 / 10, per_hour / 5);
        match self {
            Self::Open => per_hour - accounts - devices,
            Self::Accounts => accounts,
            Self::Devices => devices,
        }
    }
}

/// Takes one mail of a share, or returns the seconds until it has another one.
pub async fn take(
    tx: &mut Tx,
    (share, per_hour): (Share, u32),
    now: Timestamp,
) -> Result<Option<i64>, StoreError> {
    // The last lock of each request: one mail after the other is counted.
    tx.lock(&["mails with codes".to_owned()]).await?;
    let max = share.of(per_hour);
    let hour_ago = now.plus_seconds(-HOUR_SECONDS);
    let (full_since,): (Option<Timestamp>,) = sqlx::query_as(
        "select case when $3 > 0
                then (select asked_at from code_mail_asks where share = $1 and asked_at > $2
                      order by asked_at desc, ask_id desc offset $3 - 1 limit 1)
                else $4 end",
    )
    .bind(share.word())
    .bind(hour_ago)
    .bind(max)
    .bind(now)
    .fetch_one(tx.connection())
    .await?;
    if let Some(since) = full_since {
        return Ok(Some(since.plus_seconds(HOUR_SECONDS).seconds_since(now).max(1)));
    }
    sqlx::query("insert into code_mail_asks (share, asked_at) values ($1, $2)")
        .bind(share.word())
        .bind(now)
        .execute(tx.connection())
        .await?;
    Ok(None)
}

#[cfg(test)]
mod tests {
    use super::Share;

    #[test]
    fn the_shares_are_the_budget() {
        let of =
            |per_hour| [Share::Open, Share::Accounts, Share::Devices].map(|it| it.of(per_hour));
        assert_eq!(of(300), [150, 90, 60]);
        for per_hour in 0..100 {
            assert_eq!(of(per_hour).iter().sum::<i64>(), i64::from(per_hour));
        }
    }
}
