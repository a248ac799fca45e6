//! The content of a receipt or tax document: serial number, tax, issuer and payer. It is computed
//! once, at issue, so later settings change no document.

pub mod due;
pub mod paper;
mod error;
pub mod tax;

use std::collections::BTreeMap;

use jiff::tz::TimeZone;
use kernel::id::Receipt as ReceiptKind;
use kernel::{Id, Timestamp};
use practice::Practice;

use self::due::Due;
pub use self::error::{ReceiptError, SERIAL_CHARS_MAX};
use self::paper::{Extent, Series};
use self::tax::{Parts, PlaceOfSupply, Tax, split};
use super::payer::{self, Payer};

/// The month with which a financial year begins.
const FIRST_MONTH: i8 = 4;

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

/// The serial number of a year's receipt with this number.
///
/// # Errors
/// `SerialTooLong`.
pub fn serial(prefix: &str, year: FinancialYear, number: i32) -> Result<String, ReceiptError> {
    let serial = format!("{prefix}/{}/{number:05}", year.short());
    if serial.chars().count() <= SERIAL_CHARS_MAX {
        Ok(serial)
    } else {
        Err(ReceiptError::SerialTooLong)
    }
}

/// Who issues receipts, as the practice's settings say now.
#[derive(Debug, Clone)]
pub struct Issuer {
    zone: TimeZone,
    prefixes: BTreeMap<Series, String>,
    extent: Extent,
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

/// A receipt or tax document as it is issued.
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
    /// Its kind, and what it is for.
    pub due: Due,
    /// How it states tax.
    pub tax: Tax,
    /// What the amount consists of.
    pub parts: Parts,
    /// Who issued it.
    pub letterhead: Letterhead,
    /// To whom, where the payer gave name and address.
    pub payer: Option<Payer>,
}

impl Issuer {
    /// The practice, or the issuer that its settings name.
    #[must_use]
    pub fn of(practice: &Practice) -> Self {
        let (settings, identity) = (&practice.receipts, &practice.practice);
        let or = |own: &str, usual: &str| if own.is_empty() { usual } else { own }.to_owned();
        Self {
            zone: identity.zone.clone(),
            prefixes: BTreeMap::from([
                (Series::Receipt, settings.prefix.clone()),
                (Series::Invoice, settings.invoice_prefix.clone()),
                (Series::RefundVoucher, settings.refund_voucher_prefix.clone()),
                (Series::CreditNote, settings.credit_note_prefix.clone()),
            ]),
            extent: match settings.papers {
                practice::Papers::Receipt => Extent::Receipt,
                practice::Papers::All => Extent::All,
            },
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

    /// Which documents are issued, by the current settings.
    #[must_use]
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// How a new receipt states tax.
    #[must_use]
    pub fn tax(&self) -> Tax {
        self.tax
    }

    /// Where a payer is, seen from the issuer.
    fn place_of(&self, payer: Option<&Payer>) -> PlaceOfSupply {
        let own = payer::state_of(&self.letterhead.gstin);
        match payer {
            Some(payer) if own.is_some_and(|own| own != payer.state) => PlaceOfSupply::OtherState,
            _ => PlaceOfSupply::SameState,
        }
    }

    /// Issues a document that is due, with the next number of its series and year.
    ///
    /// # Errors
    /// Why there cannot be one.
    pub fn issue(
        &self,
        (receipt_id, number): (Id<ReceiptKind>, i32),
        due: Due,
        payer: Option<Payer>,
        now: Timestamp,
    ) -> Result<Receipt, ReceiptError> {
        let year = self.year_of(now);
        let prefix = self.prefixes.get(&due.paper.series()).map_or("", String::as_str);
        let place = due.place.unwrap_or_else(|| self.place_of(payer.as_ref()));
        Ok(Receipt {
            receipt_id,
            year,
            number,
            serial: serial(prefix, year, number)?,
            issued_at: now,
            tax: due.tax,
            parts: split(due.amount.minor, due.tax, place)?,
            due,
            letterhead: self.letterhead.clone(),
            payer,
        })
    }
}

#[cfg(test)]
mod tests;
