//! What callers, operators and the database see of this service, as snapshots. A change there is a
//! change for others: it needs a reason, and `INSTA_UPDATE=always cargo test`.

use notifications::config::{Config, migration};
use notifications::error::Rejection;
use testkit::{dump, every_variant};

#[test]
fn rejected_forms_reach_callers_like_this() {
    let all = every_variant!(
        Rejection: NameMissing, EmailMissing, MessageMissing, InvalidEmail, NameTooLong,
        NameWithoutLetter, InvalidName, MessageTooLong,
        InvalidIdempotencyKey, IdempotencyKeyReused, TooManyMessages, TooManyInAll, InvalidToken,
    );
    insta::assert_snapshot!("rejected_forms", dump::rejections(&all));
}

#[test]
fn commands_read_these_settings() {
    insta::assert_snapshot!("settings_of_serve", dump::settings(Config::read));
    insta::assert_snapshot!("settings_of_migrate", dump::settings(migration));
}

#[test]
fn the_program_answers_operators_like_this() {
    let calls: &[&[&str]] = &[&[], &["migrate"], &["help"], &["migrate", "more"]];
    let told = dump::answers(env!("CARGO_BIN_EXE_notifications"), calls).unwrap();
    insta::assert_snapshot!("program", told);
}
