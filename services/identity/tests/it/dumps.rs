//! What callers, operators and the database see of this service, as snapshots. A change there is a
//! change for others: it needs a reason, and `INSTA_UPDATE=always cargo test`.

use identity::config::{
    AccountConfig, Config, EnrollFactorConfig, FindAccountConfig, ResetFactorsConfig,
    RevokeServiceKeyConfig, ServiceKeyConfig, migration,
};
use testkit::dump;

#[test]
fn commands_read_these_settings() {
    insta::assert_snapshot!("settings_of_serve", dump::settings(Config::read));
    insta::assert_snapshot!("settings_of_migrate", dump::settings(migration));
    insta::assert_snapshot!("settings_of_account", dump::settings(AccountConfig::read));
    insta::assert_snapshot!("settings_of_find_account", dump::settings(FindAccountConfig::read));
    insta::assert_snapshot!("settings_of_reset_factors", dump::settings(ResetFactorsConfig::read));
    insta::assert_snapshot!("settings_of_enroll_factor", dump::settings(EnrollFactorConfig::read));
    insta::assert_snapshot!("settings_of_service_key", dump::settings(ServiceKeyConfig::read));
    let revoke = dump::settings(RevokeServiceKeyConfig::read);
    insta::assert_snapshot!("settings_of_revoke_service_key", revoke);
}

#[test]
fn the_program_answers_operators_like_this() {
    let calls: &[&[&str]] = &[
        &[],
        &["migrate"],
        &["help"],
        &["migrate", "more"],
        &["account"],
        &["find-account"],
        &["reset-factors"],
    ];
    let told = dump::answers(env!("CARGO_BIN_EXE_identity"), calls).unwrap();
    insta::assert_snapshot!("program", told);
}
