//! What callers, operators and the database see of this service, as snapshots. A change there is a
//! change for others: it needs a reason, and `INSTA_UPDATE=always cargo test`.

use kernel::typed::TextProblem;
use payments::config::{Config, migration};
use payments::domain::collection;
use payments::domain::payer::PayerError;
use payments::domain::receipt::ReceiptError;
use payments::error::Rejection;
use testkit::{dump, every_variant};

#[test]
fn rejections_reach_callers_like_this() {
    let mut all = every_variant!(
        Rejection: InvalidIdempotencyKey, IdempotencyKeyReused, InvalidPaymentId, BookingNotFound,
        HoldEnded, InvalidPrice, PaymentNotStarted, SignatureInvalid, ProviderUnavailable,
        MethodChanged, TooManyLinks, TermsNotAccepted, ConsentRequired,
        NothingToRefund, NothingKept, AmountNotKept, InvalidAmount, AmountNotRefundable,
        RefundNotHeld, RefundDeducted,
        InvalidExplanation, SessionNotBegun, RefundTimeOver, InvalidReason, RefundRequestNotFound,
        AlreadyAnswered, InvalidAnswer,
        NotByPhone, AlreadyPaid, AmountNotOwed, NothingOwed, InvalidDeskWay, InvalidReference,
        AboveDeskLimit,
        NothingUnexplained, InvalidPayer(PayerError::State), PapersOff, PayerFixed, ReceiptUnknown,
        ReceiptRefused(ReceiptError::NoSuchRate), Misfit(collection::Rejection::OtherOrder),
    );
    let payers = every_variant!(
        PayerError: Name(TextProblem::Missing), Gstin, Address(TextProblem::Missing), State,
    );
    let problems = every_variant!(TextProblem: Missing, Letterless, Control, TooLong);
    let lines = problems.into_iter().flat_map(|it| [PayerError::Name(it), PayerError::Address(it)]);
    all.extend(lines.map(Rejection::InvalidPayer));
    all.extend(payers.into_iter().map(Rejection::InvalidPayer));
    let receipts = every_variant!(ReceiptError: SerialTooLong, NoSuchRate, AmountNotPayable);
    all.extend(receipts.into_iter().map(Rejection::ReceiptRefused));
    insta::assert_snapshot!("rejections", dump::rejections(&all));
}

#[test]
fn commands_read_these_settings() {
    insta::assert_snapshot!("settings_of_serve", dump::settings(Config::read));
    insta::assert_snapshot!("settings_of_migrate", dump::settings(migration));
}

#[test]
fn the_program_answers_operators_like_this() {
    let calls: &[&[&str]] = &[&[], &["migrate"], &["help"], &["migrate", "more"]];
    let told = dump::answers(env!("CARGO_BIN_EXE_payments"), calls).unwrap();
    insta::assert_snapshot!("program", told);
}
