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

/// Splits an amount that includes its tax. What is without tax is rounded half up; half of the rest
/// is the state's, and a paisa that cannot be halved is central tax.
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
    // Twice the numerator and one denominator more, over twice the denominator, rounds half up; and
    // 128 bits hold every amount two hundred times.
    let taxable = (i128::from(amount) * 200 + whole) / (2 * whole);
    let taxable = i64::try_from(taxable).map_err(|_too_large| ReceiptError::AmountNotPayable)?;
    let taxes = amount.checked_sub(taxable).ok_or(ReceiptError::AmountNotPayable)?;
    let state_tax = taxes / 2;
    let (central_tax, state_tax, integrated_tax) = match place {
        PlaceOfSupply::SameState => (taxes - state_tax, state_tax, 0),
        PlaceOfSupply::OtherState => (0, 0, taxes),
    };
    Ok(Parts { taxable, central_tax, state_tax, integrated_tax })
}
