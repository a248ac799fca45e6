//! Amounts on the wire.

use contract::common::v1::Money as WireMoney;

use crate::domain::fact::Amount;

pub(super) fn to_wire(amount: &Amount) -> Option<WireMoney> {
    Some(WireMoney { minor_units: amount.minor, currency_code: amount.currency.clone() })
}

pub(super) fn from_wire(amount: WireMoney) -> Amount {
    Amount { minor: amount.minor_units, currency: amount.currency_code }
}
