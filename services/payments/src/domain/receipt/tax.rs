//! The tax in an amount: how much of it, and whose.

use super::error::ReceiptError;

/// The rates of GST that can be meant, in percent.
const PERCENT: std::ops::RangeInclusive<i32> = 1..=40;

/// How a receipt states tax.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tax {
    /// Not at all.
    None,
    /// As GST at this rate, which the amount includes.
    Gst {
        /// The rate.
        percent: i32,
    },
}

impl Tax {
    /// Its word in the table.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Gst { .. } => "gst",
        }
    }

    /// The rate; 0 without tax.
    #[must_use]
    pub fn percent(self) -> i32 {
        match self {
            Self::None => 0,
            Self::Gst { percent } => percent,
        }
    }

    /// Reads word and rate.
    #[must_use]
    pub fn from_word(word: &str, percent: i32) -> Option<Self> {
        match word {
            "none" => Some(Self::None),
            "gst" => Some(Self::Gst { percent }),
            _ => None,
        }
    }
}

/// What an amount consists of; together they are the amount.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Parts {
    /// The amount without tax.
    pub taxable: i64,
    /// Central tax.
    pub central_tax: i64,
    /// The state's tax.
    pub state_tax: i64,
    /// Integrated tax, in the place of both where the payer is in another state.
    pub integrated_tax: i64,
}

impl Parts {
    /// Where the payer was, as far as it shows in the tax.
    #[must_use]
    pub fn place(self) -> PlaceOfSupply {
        if self.integrated_tax > 0 { PlaceOfSupply::OtherState } else { PlaceOfSupply::SameState }
    }
}

/// Where the payer is, which says whose tax it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PlaceOfSupply {
    /// In the issuer's state, or not known: half of the tax is central, half of it the state's.
    SameState,
    /// In another state: the tax is integrated.
    OtherState,
}

/// Splits an amount that includes its tax. Central and state tax are the same tax at half the rate,
/// so each is that half, rounded half up, and what is without tax is the rest. Integrated tax is
/// what is left of the amount without it, which is rounded half up.
///
/// # Errors
/// `NoSuchRate`, or `AmountNotPayable` below zero.
pub fn split(amount: i64, tax: Tax, place: PlaceOfSupply) -> Result<Parts, ReceiptError> {
    if amount < 0 {
        return Err(ReceiptError::AmountNotPayable);
    }
    let percent = match tax {
        Tax::None => return Ok(Parts { taxable: amount, ..Parts::default() }),
        Tax::Gst { percent } => percent,
    };
    if !PERCENT.contains(&percent) {
        return Err(ReceiptError::NoSuchRate);
    }
    let whole = 100 + i128::from(percent);
    // The numerator and half a denominator more, over the denominator, rounds half up; and 128 bits
    // hold every amount two hundred times.
    let share = |of: i128, denominator: i128| {
        let rounded = (i128::from(amount) * of * 2 + denominator) / (2 * denominator);
        i64::try_from(rounded).map_err(|_too_large| ReceiptError::AmountNotPayable)
    };
    let (half, integrated_tax) = match place {
        PlaceOfSupply::SameState => (share(i128::from(percent), 2 * whole)?, 0),
        PlaceOfSupply::OtherState => (0, amount.saturating_sub(share(100, whole)?)),
    };
    let taxes = half.saturating_add(half).saturating_add(integrated_tax);
    let taxable = amount.saturating_sub(taxes);
    Ok(Parts { taxable, central_tax: half, state_tax: half, integrated_tax })
}
