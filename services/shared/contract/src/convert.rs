//! Conversions between money and time of the wire and of the kernel.

use kernel::{Currency, Money, Timestamp};

use crate::common::v1 as wire;

impl From<Money> for wire::Money {
    fn from(money: Money) -> Self {
        Self { minor_units: money.minor, currency_code: money.currency.code().to_owned() }
    }
}

/// The kernel's form of an amount; `None` when the currency is not one that we are paid in.
#[must_use]
pub fn money(wire: &wire::Money) -> Option<Money> {
    let currency = Currency::from_code(&wire.currency_code)?;
    Some(Money { minor: wire.minor_units, currency })
}

/// The wire's form of an instant.
#[must_use]
pub fn to_wire(instant: Timestamp) -> prost_types::Timestamp {
    let jiff = instant.jiff();
    prost_types::Timestamp { seconds: jiff.as_second(), nanos: jiff.subsec_nanosecond() }
}

/// The kernel's form of an instant; `None` when it is out of range.
#[must_use]
pub fn timestamp(wire: &prost_types::Timestamp) -> Option<Timestamp> {
    let micros = wire.seconds.checked_mul(1_000_000)?.checked_add(i64::from(wire.nanos) / 1000)?;
    Timestamp::from_micros(micros)
}
