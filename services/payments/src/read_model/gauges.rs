//! What metrics tell about money: sums of the ledger and what nothing explains. Amounts and counts
//! only; no payment is named.

use std::collections::BTreeMap;

use eventstore::{Store, StoreError};
use kernel::Timestamp;
use runtime::BoxError;
use runtime::metrics::catalogue::{
    LEDGER_IMBALANCE, MONEY_BALANCE, MONEY_MOVED, MONEY_UNEXPLAINED, MONEY_UNEXPLAINED_AGE,
};
use runtime::metrics::{self, Label, Reading};
use sqlx::{PgPool, Row as _};

use super::ledger::balances;
use super::reconciliation_exceptions::{Reason, find};

/// Each entry's debits are what it moved. The instant is read once, so that an index finds the day.
const MOVED: &str = "
select e.kind, l.amount_currency, sum(l.amount_minor)::bigint as minor
from ledger_entries e join ledger_lines l using (entry_id)
where e.recorded_at >= (select clock_now() - interval '24 hours') and l.amount_minor > 0
group by e.kind, l.amount_currency";

/// Adds money to this process's metrics.
pub fn add_sources(store: &Store) {
    let pool = store.pool().clone();
    metrics::add_source("ledger", metrics::COSTLY, move || {
        let pool = pool.clone();
        async move { Ok::<_, BoxError>(ledger(&pool).await?) }
    });
    let pool = store.pool().clone();
    metrics::add_source("unexplained-money", metrics::COSTLY, move || {
        let pool = pool.clone();
        async move { Ok::<_, BoxError>(unexplained(&pool).await?) }
    });
}

/// The balances of all accounts, their sum, and what moved within a day.
pub async fn ledger(pool: &PgPool) -> Result<Vec<Reading>, StoreError> {
    let mut sums: BTreeMap<String, i64> = BTreeMap::new();
    let mut readings = Vec::new();
    for row in balances(pool).await? {
        let currency = row.balance.currency;
        let labels = [Label::Account.of(row.account), Label::Currency.of(currency.clone())];
        readings.push(Reading::new(&MONEY_BALANCE, row.balance.minor, labels));
        let sum = sums.entry(currency).or_default();
        *sum = sum.saturating_add(row.balance.minor);
    }
    for (currency, sum) in sums {
        readings.push(Reading::new(&LEDGER_IMBALANCE, sum, [Label::Currency.of(currency)]));
    }
    for row in sqlx::query(MOVED).fetch_all(pool).await? {
        let kind = Label::Kind.of(row.try_get::<String, _>("kind")?);
        let currency = Label::Currency.of(row.try_get::<String, _>("amount_currency")?);
        readings.push(Reading::new(&MONEY_MOVED, row.try_get("minor")?, [kind, currency]));
    }
    Ok(readings)
}

/// How many rows of each reason there are, and how old the oldest is.
pub async fn unexplained(pool: &PgPool) -> Result<Vec<Reading>, StoreError> {
    let now: Timestamp = sqlx::query_scalar("select clock_now()").fetch_one(pool).await?;
    let rows = find(pool).await?;
    let of = |reason: &Reason| {
        let ages = rows.iter().filter(|row| row.reason == *reason);
        let ages: Vec<i64> = ages.map(|row| now.seconds_since(row.since).max(0)).collect();
        let label = Label::Reason.of(reason.word());
        let count = i64::try_from(ages.len()).unwrap_or(i64::MAX);
        let oldest = ages.into_iter().max().unwrap_or(0);
        [
            Reading::new(&MONEY_UNEXPLAINED, count, [label.clone()]),
            Reading::new(&MONEY_UNEXPLAINED_AGE, oldest, [label]),
        ]
    };
    Ok(Reason::ALL.iter().flat_map(of).collect())
}
