//! The time and the price of the sample booking.

use contract::common::v1::Money;
use kernel::Timestamp;

/// Seconds of 24 November 2026, 5:30 in the morning UTC: eleven in India.
pub(crate) const STARTS_AT: i64 = 1_795_498_200;
pub(crate) const MINUTE: i64 = 60;
pub(crate) const HOUR: i64 = 60 * MINUTE;
pub(crate) const PRICE: i64 = 150_000;

pub(crate) fn money(minor_units: i64) -> Money {
    Money { minor_units, currency_code: "INR".to_owned() }
}

/// So many seconds after the session's start.
pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::EPOCH.plus_seconds(STARTS_AT.saturating_add(seconds))
}
