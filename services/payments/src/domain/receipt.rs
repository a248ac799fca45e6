//! What a receipt states: its serial number, its tax, and who issues it. It is worked out once and
//! never again, so later settings change no receipt.

use jiff::tz::TimeZone;
use kernel::id::{Booking, Receipt as ReceiptKind};
use kernel::{Id, Money, Timestamp};
use runtime::practice::{self, Practice};

use super::fact::PaymentId;

/// The longest serial number that the rules for tax invoices allow.
pub const SERIAL_CHARS_MAX: usize = 16;
/// The month with which a financial year begins.
const FIRST_MONTH: i8 = 4;
/// The rates of GST that can be meant, in percent.
const PERCENT: std::ops::RangeInclusive<i32> = 1..=40;

/// Why a receipt cannot be issued.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// The number has too many digits behind this prefix.
    #[error("its serial number would be longer than {SERIAL_CHARS_MAX} characters")]
    SerialTooLong,
    /// There is no such rate of GST.
    #[error("there is no such rate of GST")]
    NoSuchRate,
    /// A receipt is for money that came.
    #[error("the amount is not one that can be paid")]
    AmountNotPayable,
}

/// A financial year, by the year of the April in which it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct FinancialYear(i32);

impl FinancialYear {
    /// The one in which an instant lies, by the wall clock of a zone.
    #[must_use]
    pub fn of(at: Timestamp, zone: &TimeZone) -> Self {
        let date = at.in_zone(zone).date();
        let year = i32::from(date.year());
        Self(if date.month() < FIRST_MONTH { year - 1 } else { year })
    }

    /// The year of its April.
    #[must_use]
    pub fn april(self) -> i32 {
        self.0
    }

    /// As serial numbers write it: "26-27".
    fn short(self) -> String {
        format!("{:02}-{:02}", self.0.rem_euclid(100), (self.0 + 1).rem_euclid(100))
    }
}

/// The serial number of the so-manieth receipt of a year.
///
/// # Errors
/// `SerialTooLong`.
pub fn serial(prefix: &str, year: FinancialYear, number: i32) -> Result<String, Refusal> {
    let serial = format!("{prefix}/{}/{number:05}", year.short());
    if serial.chars().count() <= SERIAL_CHARS_MAX {
        Ok(serial)
    } else {
        Err(Refusal::SerialTooLong)
    }
}

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
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Parts {
    /// The amount without tax.
    pub taxable: i64,
    /// Central tax.
    pub central_tax: i64,
    /// The state's tax.
    pub state_tax: i64,
}

/// Splits an amount that includes its tax. What is without tax is rounded half up; half of the rest
/// is the state's, and a paisa that cannot be halved is central tax.
///
/// # Errors
/// `NoSuchRate`, or `AmountNotPayable` below zero.
pub fn split(amount: i64, tax: Tax) -> Result<Parts, Refusal> {
    if amount < 0 {
        return Err(Refusal::AmountNotPayable);
    }
    let percent = match tax {
        Tax::None => return Ok(Parts { taxable: amount, central_tax: 0, state_tax: 0 }),
        Tax::Gst { percent } => percent,
    };
    if !PERCENT.contains(&percent) {
        return Err(Refusal::NoSuchRate);
    }
    let whole = 100 + i128::from(percent);
    // Twice the numerator and one denominator more, over twice the denominator, rounds half up; and
    // 128 bits hold every amount two hundred times.
    let taxable = (i128::from(amount) * 200 + whole) / (2 * whole);
    let taxable = i64::try_from(taxable).map_err(|_too_large| Refusal::AmountNotPayable)?;
    let taxes = amount.checked_sub(taxable).ok_or(Refusal::AmountNotPayable)?;
    let state_tax = taxes / 2;
    Ok(Parts { taxable, central_tax: taxes - state_tax, state_tax })
}

/// Who issues receipts, as the practice's settings say now.
#[derive(Debug, Clone)]
pub struct Issuer {
    zone: TimeZone,
    prefix: String,
    tax: Tax,
    letterhead: Letterhead,
}

/// What a receipt says of its issuer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Letterhead {
    /// The issuer's name.
    pub issued_by: String,
    /// The issuer's address, on one line.
    pub address: String,
    /// The issuer's GSTIN, or empty.
    pub gstin: String,
    /// The service accounting code, or empty.
    pub service_code: String,
}

/// Money that belongs to a booking that was placed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paid {
    /// The booking.
    pub booking_id: Id<Booking>,
    /// The provider's payment.
    pub payment: PaymentId,
    /// How much.
    pub amount: Money,
}

/// A receipt as it is issued.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receipt {
    /// Its id.
    pub receipt_id: Id<ReceiptKind>,
    /// The financial year in which it was issued.
    pub year: FinancialYear,
    /// Its number in that year, from 1.
    pub number: i32,
    /// Its serial number.
    pub serial: String,
    /// When it was issued.
    pub issued_at: Timestamp,
    /// What it is for.
    pub paid: Paid,
    /// How it states tax.
    pub tax: Tax,
    /// What the amount consists of.
    pub parts: Parts,
    /// Who issued it.
    pub letterhead: Letterhead,
}

impl Issuer {
    /// The practice, or whoever issues receipts for it.
    #[must_use]
    pub fn of(practice: &Practice) -> Self {
        let (settings, identity) = (&practice.receipts, &practice.practice);
        let or = |own: &str, usual: &str| if own.is_empty() { usual } else { own }.to_owned();
        Self {
            zone: identity.zone.clone(),
            prefix: settings.prefix.clone(),
            tax: match settings.tax {
                practice::Tax::None => Tax::None,
                practice::Tax::Gst => Tax::Gst { percent: settings.gst_percent },
            },
            letterhead: Letterhead {
                issued_by: or(&settings.issued_by, &identity.name),
                address: or(&settings.issuer_address, &identity.address),
                gstin: settings.gstin.clone(),
                service_code: settings.service_code.clone(),
            },
        }
    }

    /// The financial year of a receipt that is issued then.
    #[must_use]
    pub fn year_of(&self, at: Timestamp) -> FinancialYear {
        FinancialYear::of(at, &self.zone)
    }

    /// The receipt for money that came, with the number that its year has come to.
    ///
    /// # Errors
    /// Why there cannot be one.
    pub fn issue(
        &self,
        receipt_id: Id<ReceiptKind>,
        paid: Paid,
        number: i32,
        now: Timestamp,
    ) -> Result<Receipt, Refusal> {
        let year = self.year_of(now);
        Ok(Receipt {
            receipt_id,
            year,
            number,
            serial: serial(&self.prefix, year, number)?,
            issued_at: now,
            tax: self.tax,
            parts: split(paid.amount.minor, self.tax)?,
            paid,
            letterhead: self.letterhead.clone(),
        })
    }
}

#[cfg(test)]
mod tests;
