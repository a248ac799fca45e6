//! Money in whole minor units with checked arithmetic. There is no float anywhere.

use std::fmt;

/// A currency that the practice can be paid in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Currency {
    /// Indian rupee; its minor unit is the paisa.
    Inr,
}

impl Currency {
    /// ISO 4217 code in upper case.
    #[must_use]
    pub const fn code(self) -> &'static str {
        match self {
            Self::Inr => "INR",
        }
    }

    /// Reads an ISO 4217 code; `None` for one that the practice is not paid in.
    #[must_use]
    pub fn from_code(code: &str) -> Option<Self> {
        match code {
            "INR" => Some(Self::Inr),
            _ => None,
        }
    }
}

/// An amount in minor units: 50000 is ₹500.00.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Money {
    /// Whole minor units, paise for INR.
    pub minor: i64,
    /// The currency.
    pub currency: Currency,
}

/// Why two amounts could not be combined.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum MoneyError {
    /// The amounts are of different currencies.
    #[error("the amounts are of different currencies")]
    CurrencyMismatch,
    /// The result does not fit into 64 bits.
    #[error("the amount is too large")]
    Overflow,
}

impl Money {
    /// An amount of paise.
    #[must_use]
    pub const fn inr(minor: i64) -> Self {
        Self { minor, currency: Currency::Inr }
    }

    /// The sum.
    ///
    /// # Errors
    /// When the currencies differ or the sum does not fit.
    pub fn checked_add(self, other: Self) -> Result<Self, MoneyError> {
        self.combine(other, i64::checked_add)
    }

    /// The difference.
    ///
    /// # Errors
    /// When the currencies differ or the difference does not fit.
    pub fn checked_sub(self, other: Self) -> Result<Self, MoneyError> {
        self.combine(other, i64::checked_sub)
    }

    fn combine(self, other: Self, op: fn(i64, i64) -> Option<i64>) -> Result<Self, MoneyError> {
        if self.currency != other.currency {
            return Err(MoneyError::CurrencyMismatch);
        }
        let minor = op(self.minor, other.minor).ok_or(MoneyError::Overflow)?;
        Ok(Self { minor, currency: self.currency })
    }
}

/// As people in India write it: `₹2,100`, `₹1,00,000.50`; whole rupees have no paise.
impl fmt::Display for Money {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.minor < 0 { "-" } else { "" };
        let rupees = self.minor.unsigned_abs() / 100;
        let paise = self.minor.unsigned_abs() % 100;
        write!(f, "{sign}₹{}", grouped(rupees))?;
        if paise != 0 {
            write!(f, ".{paise:02}")?;
        }
        Ok(())
    }
}

/// Groups digits the Indian way: the last three, then pairs.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (index, digit) in digits.chars().enumerate() {
        let left = digits.len() - index;
        if index > 0 && (left == 3 || (left > 3 && left % 2 == 1)) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::{Money, MoneyError};
    use proptest::prelude::*;

    #[test]
    fn amounts_are_written_the_indian_way() {
        for (minor, text) in [
            (50_000, "₹500"),
            (210_000, "₹2,100"),
            (10_000_050, "₹1,00,000.50"),
            (1_234_567_800, "₹1,23,45,678"),
            (-110_000, "-₹1,100"),
            (0, "₹0"),
        ] {
            assert_eq!(Money::inr(minor).to_string(), text);
        }
    }

    #[test]
    fn too_much_is_an_error_and_not_a_wrap() {
        let most = Money::inr(i64::MAX);
        assert_eq!(most.checked_add(Money::inr(1)), Err(MoneyError::Overflow));
    }

    proptest! {
        #[test]
        fn what_is_added_can_be_taken_away(
            a in -1_000_000_000_i64..1_000_000_000,
            b in 0_i64..1_000_000_000,
        ) {
            let sum = Money::inr(a).checked_add(Money::inr(b)).unwrap();
            prop_assert_eq!(sum.checked_sub(Money::inr(b)).unwrap(), Money::inr(a));
        }
    }
}
