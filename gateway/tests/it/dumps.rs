//! What callers, operators and the database see of this service, as snapshots. A change there is a
//! change for others: it needs a reason, and `INSTA_UPDATE=always cargo test`.

use gateway::{Config, RateLimit, RateLimits};
use runtime::settings::{Reader, Source};
use testkit::dump;

#[test]
fn commands_read_these_settings() {
    insta::assert_snapshot!("settings_of_serve", dump::settings(Config::read));
}

#[test]
fn the_program_answers_operators_like_this() {
    let calls: &[&[&str]] = &[&[], &["migrate"], &["help"]];
    let told = dump::answers(env!("CARGO_BIN_EXE_gateway"), calls).unwrap();
    insta::assert_snapshot!("program", told);
}

#[test]
fn rate_limits_are_these_without_settings() {
    let nothing: &[(&str, &str)] = &[];
    let source: &dyn Source = &nothing;
    let RateLimits {
        address,
        account,
        staff,
        sign_in,
        refreshes,
        bad_webhooks,
        reviews,
        pictures,
        forms,
        forms_per_hour,
        uploads_per_hour,
        unsubscribing,
    } = Config::read(&mut Reader::new(source)).rate_limits;
    let line = |(name, limit): (&str, RateLimit)| {
        format!("{name}: {} at once, {} a minute\n", limit.burst, limit.per_minute)
    };
    let all = [
        ("requests of an address", address),
        ("commands of an account", account),
        ("calls of an account for the practice", staff),
        ("sign-ins of an address", sign_in),
        ("refreshed sessions of an address", refreshes),
        ("rejected webhooks of an address", bad_webhooks),
        ("reviews of an address", reviews),
        ("pictures of an address", pictures),
        ("forms of an address", forms),
        ("unsubscribing of an address", unsubscribing),
    ];
    let hourly = format!(
        "forms of an address: {forms_per_hour} an hour\n\
         uploads of an address: {uploads_per_hour} an hour\n"
    );
    insta::assert_snapshot!("rate_limits", all.map(line).concat() + &hourly);
}
