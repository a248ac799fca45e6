//! Which dates a package allows.

use jiff::civil::{Date, date};
use kernel::Money;
use proptest::prelude::*;

use super::{PackageTerms, WrongDates};
use crate::domain::booking::Package;

fn starter() -> PackageTerms {
    let (id, title) = ("starter".to_owned(), "Starter Package".to_owned());
    PackageTerms {
        package: Package { id, title, notice_hours: 24 },
        sessions: 3,
        price: Money::inr(450_000),
        within_days: 60,
    }
}

fn days(days: &[i32]) -> Vec<Date> {
    let first = date(2026, 12, 1);
    days.iter().map(|day| first.checked_add(jiff::Span::new().days(*day)).unwrap()).collect()
}

#[test]
fn three_different_dates_within_two_months_fit() {
    assert_eq!(starter().check(&days(&[0, 1, 2])), Ok(()));
    assert_eq!(starter().check(&days(&[0, 30, 60])), Ok(()));
    assert_eq!(starter().check(&days(&[0, 30, 61])), Err(WrongDates::TooFarApart));
    assert_eq!(starter().check(&days(&[0, 0, 7])), Err(WrongDates::Same));
    assert_eq!(starter().check(&days(&[0, 7, 7])), Err(WrongDates::Same));
    assert_eq!(starter().check(&days(&[0, 7])), Err(WrongDates::Count));
    assert_eq!(starter().check(&days(&[0, 7, 14, 21])), Err(WrongDates::Count));
    assert_eq!(starter().check(&[]), Err(WrongDates::Count));
}

proptest! {
    #[test]
    fn dates_fit_when_they_differ_and_are_near(mut wanted in prop::collection::vec(0..120, 3)) {
        wanted.sort_unstable();
        let differ = wanted[0] != wanted[1] && wanted[1] != wanted[2];
        let is_near = wanted[2] - wanted[0] <= 60;
        prop_assert_eq!(starter().check(&days(&wanted)).is_ok(), differ && is_near);
    }
}
