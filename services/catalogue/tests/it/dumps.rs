//! What callers, operators and the database see of this service, as snapshots. A change there is a
//! change for others: it needs a reason, and `INSTA_UPDATE=always cargo test`.

use catalogue::config::{CheckConfig, Config};
use testkit::dump;

#[test]
fn commands_read_these_settings() {
    insta::assert_snapshot!("settings_of_serve", dump::settings(Config::read));
    insta::assert_snapshot!("settings_of_check", dump::settings(CheckConfig::read));
}

#[test]
fn the_program_answers_operators_like_this() {
    let calls: &[&[&str]] = &[&[], &["migrate"], &["help"]];
    let told = dump::answers(env!("CARGO_BIN_EXE_catalogue"), calls).unwrap();
    insta::assert_snapshot!("program", told);
}
