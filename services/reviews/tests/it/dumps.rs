//! What callers, operators and the database see of this service, as snapshots. A change there is a
//! change for others: it needs a reason, and `INSTA_UPDATE=always cargo test`.

use reviews::config::{Config, migration};
use reviews::error::Rejection;
use reviews::moderation::Denial;
use runtime::caller::UserError;
use staff::StaffError;
use testkit::{dump, every_variant};

#[test]
fn rejections_reach_callers_like_this() {
    let all = every_variant!(
        Rejection: InvalidIdempotencyKey, IdempotencyKeyReused, NameRequired, NameTooLong,
        InvalidName, EmailRequired, InvalidEmail, ServiceRequired, UnknownService, RatingRequired,
        ReviewRequired, ReviewTooLong, NameWithoutLetter, ImageNotFound, InvitationNotValid,
        SessionNotCompleted, InvalidPageToken, ReviewNotFound, UndoTooLate,
    );
    insta::assert_snapshot!("rejections", dump::rejections(&all));
}

#[test]
fn denials_of_the_panel_reach_callers_like_this() {
    let mut all = every_variant!(
        Denial: AccessDenied, GrantRequired, GrantEnded, User(UserError::Missing),
        Staff(StaffError::StaffOnly),
    );
    let people = every_variant!(UserError: Missing, Invalid, KeysUnavailable);
    all.extend(people.into_iter().map(Denial::User));
    let staff = every_variant!(
        StaffError: StaffOnly, RoleNotAllowed, SecondFactorRequired, SecondFactorTooOld,
    );
    all.extend(staff.into_iter().map(Denial::Staff));
    insta::assert_snapshot!("denials", dump::rejections(&all));
}

#[test]
fn commands_read_these_settings() {
    insta::assert_snapshot!("settings_of_serve", dump::settings(Config::read));
    insta::assert_snapshot!("settings_of_migrate", dump::settings(migration));
}

#[test]
fn the_program_answers_operators_like_this() {
    let calls: &[&[&str]] = &[&[], &["migrate"], &["help"], &["migrate", "more"]];
    let told = dump::answers(env!("CARGO_BIN_EXE_reviews"), calls).unwrap();
    insta::assert_snapshot!("program", told);
}
