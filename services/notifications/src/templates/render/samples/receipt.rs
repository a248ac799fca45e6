//! The time, the price and the receipt of the sample booking.

use contract::common::v1::Money;
use contract::convert;
use contract::payments::v1::{Receipt, TaxMode};
use kernel::Timestamp;

/// Seconds of 24 November 2026, 5:30 in the morning UTC: eleven in India.
pub(crate) const STARTS_AT: i64 = 1_795_498_200;
pub(crate) const MINUTE: i64 = 60;
pub(crate) const HOUR: i64 = 60 * MINUTE;
pub(crate) const PRICE: i64 = 150_000;

pub(crate) fn receipt(tax_mode: TaxMode, refunded: i64) -> Receipt {
    let has_tax = tax_mode == TaxMode::Gst;
    let (taxable, central, state) = if has_tax { (127_119, 11_441, 11_440) } else { (PRICE, 0, 0) };
    let if_taxed = |text: &str| if has_tax { text.to_owned() } else { String::new() };
    Receipt {
        receipt_id: "rct_01934000000070008000000000000001".to_owned(),
        serial: "SUK/26-27/00042".to_owned(),
        issued_at: Some(convert::to_wire(at(-3 * 24 * HOUR))),
        booking_id: "bkg_019340000000700080000000000a2b3c".to_owned(),
        payment_id: "pay_Nq7T2kXv9LmB4e".to_owned(),
        amount: Some(money(PRICE)),
        tax_mode: tax_mode.into(),
        gst_percent: if has_tax { 18 } else { 0 },
        taxable: Some(money(taxable)),
        central_tax: Some(money(central)),
        state_tax: Some(money(state)),
        issued_by: "Sukoon".to_owned(),
        issuer_address: "Arera Colony, Bhopal, Madhya Pradesh 462016".to_owned(),
        gstin: if_taxed("23ABCDE1234F1Z5"),
        service_code: if_taxed("999319"),
        refunded: Some(money(refunded)),
        ..Receipt::default()
    }
}

pub(crate) fn money(minor_units: i64) -> Money {
    Money { minor_units, currency_code: "INR".to_owned() }
}

/// So many seconds after the session's start.
pub(crate) fn at(seconds: i64) -> Timestamp {
    Timestamp::EPOCH.plus_seconds(STARTS_AT.saturating_add(seconds))
}
