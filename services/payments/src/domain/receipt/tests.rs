//! Serial numbers, the change of the financial year, and the tax in an amount.

use jiff::tz::TimeZone;
use kernel::Timestamp;
use proptest::prelude::*;

use super::tax::{Parts, PlaceOfSupply, Tax, split};
use super::{FinancialYear, ReceiptError, SERIAL_CHARS_MAX, serial};

const HERE: PlaceOfSupply = PlaceOfSupply::SameState;

fn india() -> TimeZone {
    TimeZone::get("Asia/Kolkata").unwrap()
}

fn year_of(text: &str) -> i32 {
    let at: Timestamp = text.parse().unwrap();
    FinancialYear::of(at, &india()).april()
}

#[test]
fn a_financial_year_turns_at_midnight_of_the_first_of_april_in_the_practices_zone() {
    // India's midnight is half past six in the evening by UTC.
    assert_eq!(year_of("2027-03-31T18:29:59.999999Z"), 2026);
    assert_eq!(year_of("2027-03-31T18:30:00Z"), 2027);
    for same in ["2026-04-01T00:00:00Z", "2026-12-31T23:59:59Z", "2027-01-01T00:00:00Z"] {
        assert_eq!(year_of(same), 2026, "{same}");
    }
    let utc: Timestamp = "2027-03-31T18:30:00Z".parse().unwrap();
    assert_eq!(FinancialYear::of(utc, &TimeZone::UTC).april(), 2026, "another zone");
}

#[test]
fn a_serial_number_names_prefix_year_and_number() {
    let year = FinancialYear(2026);
    assert_eq!(serial("SUK", year, 1).unwrap(), "SUK/26-27/00001");
    assert_eq!(serial("R", year, 12_345).unwrap(), "R/26-27/12345");
    assert_eq!(serial("SUK", FinancialYear(2099), 7).unwrap(), "SUK/99-00/00007");
}

#[test]
fn a_number_that_does_not_fit_is_an_error_and_is_not_cut() {
    let year = FinancialYear(2026);
    let longest = serial("SUK", year, 999_999).unwrap();
    assert_eq!((longest.as_str(), longest.len()), ("SUK/26-27/999999", SERIAL_CHARS_MAX));
    assert_eq!(serial("SUK", year, 1_000_000), Err(ReceiptError::SerialTooLong));
    // A shorter prefix has room for more.
    assert_eq!(serial("SU", year, 1_000_000).unwrap(), "SU/26-27/1000000");
    assert_eq!(serial("SU", year, 10_000_000), Err(ReceiptError::SerialTooLong));
}

#[test]
fn gst_is_taken_out_of_the_amount_and_halved() {
    let gst = |percent| Tax::Gst { percent };
    let parts = |taxable, central_tax, state_tax| Parts {
        taxable,
        central_tax,
        state_tax,
        integrated_tax: 0,
    };
    assert_eq!(split(50_000, Tax::None, HERE), Ok(parts(50_000, 0, 0)));
    assert_eq!(split(118_000, gst(18), HERE), Ok(parts(100_000, 9_000, 9_000)));
    // Both taxes are of the same value at the same rate: 50000 × 9 / 118 = 3813.55….
    assert_eq!(split(50_000, gst(18), HERE), Ok(parts(42_372, 3_814, 3_814)));
    assert_eq!(split(50_000, gst(5), HERE), Ok(parts(47_620, 1_190, 1_190)));
    // Halves are rounded up: 7 × 20 / 140 = 1 exactly, 21 × 6 / 112 = 1.125, 6 × 10 / 120 = 0.5.
    assert_eq!(split(7, gst(40), HERE), Ok(parts(5, 1, 1)));
    assert_eq!(split(21, gst(12), HERE), Ok(parts(19, 1, 1)));
    assert_eq!(split(6, gst(20), HERE), Ok(parts(4, 1, 1)));
}

#[test]
fn invalid_amounts_and_rates_are_refused() {
    for percent in [i32::MIN, -18, 0, 41, i32::MAX] {
        assert_eq!(split(100, Tax::Gst { percent }, HERE), Err(ReceiptError::NoSuchRate));
    }
    assert_eq!(split(-1, Tax::None, HERE), Err(ReceiptError::AmountNotPayable));
    assert_eq!(
        split(i64::MIN, Tax::Gst { percent: 18 }, HERE),
        Err(ReceiptError::AmountNotPayable)
    );
}

/// Amounts of all sizes, the largest included.
fn amounts() -> impl Strategy<Value = i64> {
    prop_oneof![0_i64..10_000_000, 0_i64..=i64::MAX, Just(i64::MAX), Just(i64::MAX - 1)]
}

proptest! {
    #[test]
    fn the_parts_are_the_amount_and_none_is_negative(amount in amounts(), percent in 1_i32..=40) {
        let Parts { taxable, central_tax, state_tax, .. } =
            split(amount, Tax::Gst { percent }, HERE).unwrap();
        let sum = i128::from(taxable) + i128::from(central_tax) + i128::from(state_tax);
        prop_assert_eq!(sum, i128::from(amount));
        prop_assert!(taxable >= 0 && state_tax >= 0);
        prop_assert_eq!(central_tax, state_tax);
        // In another state it is the same tax under one name, but for what is rounded.
        let there = split(amount, Tax::Gst { percent }, PlaceOfSupply::OtherState).unwrap();
        prop_assert_eq!((there.central_tax, there.state_tax), (0, 0));
        prop_assert_eq!(there.taxable + there.integrated_tax, amount);
        prop_assert!((there.taxable - taxable).abs() <= 1);
        // What is without tax is at most a paisa away from what it would be with fractions: both
        // halves are rounded.
        let whole = 100 + i128::from(percent);
        let off = |taxable: i64| (i128::from(taxable) * whole - i128::from(amount) * 100).abs();
        prop_assert!(off(taxable) <= whole && 2 * off(there.taxable) <= whole);
    }

    #[test]
    fn without_tax_all_of_it_is_stated_as_it_came(amount in amounts()) {
        let parts = Parts { taxable: amount, ..Parts::default() };
        prop_assert_eq!(split(amount, Tax::None, HERE), Ok(parts));
    }

    #[test]
    fn a_serial_number_is_never_too_long_and_says_its_number(
        prefix in "[A-Z0-9]{1,3}", year in 2000_i32..2200, number in 1_i32..=i32::MAX,
    ) {
        match serial(&prefix, FinancialYear(year), number) {
            Ok(serial) => {
                prop_assert!(serial.len() <= SERIAL_CHARS_MAX);
                let said = serial.rsplit('/').next().unwrap_or_default();
                prop_assert_eq!(said.parse::<i32>().unwrap(), number);
            }
            Err(error) => {
                prop_assert_eq!(error, ReceiptError::SerialTooLong);
                prop_assert!(number > 999_999);
            }
        }
    }
}
