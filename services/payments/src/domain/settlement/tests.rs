//! Which lines of a settlement fit, and what each leaves in the accounts.

use proptest::prelude::*;

use super::{Booked, Break, Figures, Line, LineSubject, Settlement, check, check_sum, entry};
use crate::domain::fact::{Amount, PaymentId, ProviderRefundId, SettledId, SettlementId};
use crate::domain::ledger::Account;

const PRICE: i64 = 50_000;

fn figures() -> Figures {
    let currency = "INR".to_owned();
    Figures { amount: PRICE, debit: 0, credit: 48_820, fee: 1_180, tax: 180, currency }
}

fn line(figures: Figures) -> Line {
    Line {
        settlement: SettlementId::parse("setl_AAAAAAAAAAAAAA").unwrap(),
        id: SettledId::parse("pay_AAAAAAAAAAAAAA").unwrap(),
        about: LineSubject::Payment(PaymentId::parse("pay_AAAAAAAAAAAAAA").unwrap()),
        figures,
        settled_at: None,
    }
}

fn refund_line(figures: Figures) -> Line {
    let refund = ProviderRefundId::parse("rfnd_AAAAAAAAAAAAAA").unwrap();
    let payment = PaymentId::parse("pay_AAAAAAAAAAAAAA");
    Line { about: LineSubject::Refund(refund, payment), ..line(figures) }
}

fn booked() -> Booked {
    let amount = Amount { minor: PRICE, currency: "INR".to_owned() };
    Booked { amount, is_settled: false }
}

fn posted(line: &Line, checked: Result<(), Break>) -> Vec<(Account, i64)> {
    let entry = entry(line, checked, 1).unwrap();
    assert_eq!(entry.lines.iter().map(|line| line.amount.minor).sum::<i64>(), 0);
    entry.lines.iter().map(|line| (line.account, line.amount.minor)).collect()
}

#[test]
fn a_payment_that_fits_is_paid_out_less_fee_and_tax() {
    let line = line(figures());
    assert_eq!(check(&line, Some(&booked())), Ok(()));
    let left = [
        (Account::Bank, 48_820),
        (Account::GatewayFee, 1_000),
        (Account::GstInput, 180),
        (Account::ProviderClearing, -PRICE),
    ];
    assert_eq!(posted(&line, Ok(())), left);
}

#[test]
fn a_refund_that_fits_is_taken_from_what_is_paid_out() {
    let of = |fee, tax, debit| Figures { debit, credit: 0, fee, tax, ..figures() };
    let free = refund_line(of(0, 0, PRICE));
    assert_eq!(check(&free, Some(&booked())), Ok(()));
    let left = [(Account::Bank, -PRICE), (Account::ProviderClearing, PRICE)];
    assert_eq!(posted(&free, Ok(())), left);
    // A refund at once costs something.
    let instant = refund_line(of(590, 90, PRICE + 590));
    assert_eq!(check(&instant, Some(&booked())), Ok(()));
    let left = [
        (Account::Bank, -PRICE - 590),
        (Account::GatewayFee, 500),
        (Account::GstInput, 90),
        (Account::ProviderClearing, PRICE),
    ];
    assert_eq!(posted(&instant, Ok(())), left);
}

#[test]
fn what_does_not_fit_waits_in_suspense_with_its_reason() {
    let with = |change: fn(&mut Figures)| {
        let mut figures = figures();
        change(&mut figures);
        check(&line(figures), Some(&booked()))
    };
    assert_eq!(with(|it| it.amount = 60_000), Err(Break::Amount));
    assert_eq!(with(|it| it.currency = "USD".to_owned()), Err(Break::Currency));
    assert_eq!(with(|it| it.credit = 48_821), Err(Break::Net));
    assert_eq!(with(|it| it.debit = 1), Err(Break::Net));
    assert_eq!(with(|it| it.tax = 1_181), Err(Break::Tax));
    assert_eq!(with(|it| it.tax = -1), Err(Break::Tax));
    assert_eq!(with(|it| it.fee = i64::MIN), Err(Break::Net));
    assert_eq!(check(&line(figures()), None), Err(Break::Unknown));
    let again = Booked { is_settled: true, ..booked() };
    assert_eq!(check(&line(figures()), Some(&again)), Err(Break::Twice));
    let other = Line { about: LineSubject::Other("adjustment".to_owned()), ..line(figures()) };
    assert_eq!(check(&other, Some(&booked())), Err(Break::Adjustment));
    let left = [(Account::Bank, 48_820), (Account::Suspense, -48_820)];
    assert_eq!(posted(&line(figures()), Err(Break::Unknown)), left);
}

#[test]
fn a_settlement_is_the_sum_of_its_lines() {
    let settlement = |state: &str| Settlement {
        id: SettlementId::parse("setl_AAAAAAAAAAAAAA").unwrap(),
        amount_minor: 48_820,
        state: state.to_owned(),
        bank_reference: None,
    };
    assert_eq!(check_sum(&settlement("processed"), 48_820), Ok(()));
    assert_eq!(check_sum(&settlement("created"), 48_821), Err(Break::Sum));
    assert_eq!(check_sum(&settlement("failed"), 48_820), Err(Break::Failed));
}

#[test]
fn every_break_has_a_word_that_is_read_again() {
    for &broken in Break::ALL {
        assert_eq!(Break::from_word(broken.word()), Some(broken));
    }
    assert_eq!(Break::from_word("nothing"), None);
}

proptest! {
    #[test]
    fn no_settlement_line_unbalances_the_ledger(
        (amount, debit, credit) in (any::<i64>(), any::<i64>(), any::<i64>()),
        (fee, tax) in (any::<i64>(), any::<i64>()),
        is_refund in any::<bool>(),
    ) {
        let currency = "INR".to_owned();
        let figures = Figures { amount, debit, credit, fee, tax, currency };
        let line = if is_refund { refund_line(figures) } else { line(figures) };
        let booked = Booked {
            amount: Amount { minor: amount, currency: "INR".to_owned() },
            is_settled: false,
        };
        let checked = check(&line, Some(&booked));
        if let Some(entry) = entry(&line, checked, 1) {
            let sum: i128 = entry.lines.iter().map(|line| i128::from(line.amount.minor)).sum();
            prop_assert_eq!(sum, 0);
            let of = |account| {
                let line = entry.lines.iter().find(|line| line.account == account);
                line.map_or(0, |line| line.amount.minor)
            };
            if checked.is_ok() {
                let owed = if is_refund { amount } else { -amount };
                prop_assert_eq!(of(Account::ProviderClearing), owed);
            } else {
                prop_assert_eq!(of(Account::ProviderClearing), 0);
            }
        }
    }
}
