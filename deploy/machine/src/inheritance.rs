//! What each process inherits of the operator's environment: the settings that it reads, and where
//! the system keeps what every program needs. Nothing else of a shell is handed on: neither the
//! keys to other systems that an operator has there, nor one part's secrets to another part.
use crate::environment::Environment;

/// The settings of the heap.
pub const MALLOC_CONF: &str = "_RJEM_MALLOC_CONF";
/// jemalloc settings that return memory soon after a peak: one arena for all threads of a
/// process, which returns pages that have been free for a second.
pub const JEMALLOC_CONF: &str =
    "narenas:1,background_thread:true,dirty_decay_ms:1000,muzzy_decay_ms:0";
/// What every program needs to run: its files, its language, its zone.
const SYSTEM: [&str; 9] = [
    "HOME",
    "LANG",
    "LC_ALL",
    "PATH",
    "RUST_BACKTRACE",
    "SSL_CERT_DIR",
    "SSL_CERT_FILE",
    "TMPDIR",
    "TZ",
];
/// The settings that all our programs read.
const EVERY_PROGRAM: [&str; 16] = [
    "EVENT_SIGNATURES",
    "FAILPOINTS_DIR",
    "HTTPS_PROXY",
    "HTTP_PROXY",
    "LOG_FILTER",
    "LOG_FORMAT",
    "NATS_STREAM_REPLICAS",
    "NO_PROXY",
    "SUKOON_MODE",
    "TLS_CA",
    "TLS_CERTIFICATE",
    "TLS_KEY",
    "TOKIO_WORKER_THREADS",
    "TOKEN_ISSUER",
    "TOKEN_JWKS_URL",
    MALLOC_CONF,
];
/// The collector of traces, whose settings have the names that its own documentation gives them.
const TRACES: &str = "OTEL_";

/// The operator's settings for the process with this name.
pub fn of(name: &str, environment: &Environment) -> Vec<(String, String)> {
    let inherited = environment.pairs().filter(|(setting, _value)| inherits(name, setting));
    inherited.map(|(setting, value)| (setting.to_owned(), value.to_owned())).collect()
}

/// Whether a process inherits this setting.
pub fn inherits(name: &str, setting: &str) -> bool {
    if SYSTEM.contains(&setting) {
        return true;
    }
    // These two are not ours; they get nothing of a practice.
    if matches!(name, "postgres" | "nats") || setting.contains("_MIGRATION_DATABASE_URL") {
        return false;
    }
    let setting = setting.strip_suffix("_FILE").unwrap_or(setting);
    let own = setting.strip_prefix(&*name.to_uppercase()).is_some_and(|it| it.starts_with('_'));
    own || EVERY_PROGRAM.contains(&setting)
        || setting.starts_with(TRACES)
        || others(name).iter().any(|other| other_matches(other, setting))
}

/// Settings that do not begin with the name of the program that reads them.
fn others(name: &str) -> &'static [&'static str] {
    match name {
        "booking" => &["PAYMENT_CLAIM_POLICY", "PROBE_SECONDS"],
        "payments" => &["PROBE_SECONDS"],
        // The credentials of a bucket have the names that its own tools use.
        "reviews" => &["ADMIN_PASSPHRASE_HASH", "AWS_*", "IDENTITY_API_KEY"],
        _ => &[],
    }
}

fn other_matches(other: &str, setting: &str) -> bool {
    match other.strip_suffix('*') {
        Some(prefix) => setting.starts_with(prefix),
        None => other == setting,
    }
}

#[cfg(test)]
mod tests {
    use super::{inherits, of};
    use crate::environment::Environment;

    #[test]
    fn a_shells_own_keys_and_other_parts_secrets_are_not_handed_on() {
        let environment = Environment::from([
            ("AWS_SECRET_ACCESS_KEY", "bucket"),
            ("GITHUB_TOKEN", "stranger"),
            ("IDENTITY_SMS_KEY", "sms"),
            ("PATH", "/usr/bin"),
            ("PAYMENTS_KEY_SECRET", "money"),
            ("REVIEWS_PICTURES_URL", "s3://pictures"),
            ("REVIEWS_MIGRATION_DATABASE_URL", "postgres://owner"),
            ("REVIEWSX", "stranger"),
            ("SUKOON_PASSWORD", "owner"),
        ]);
        let names = |process: &str| {
            of(process, &environment).into_iter().map(|(name, _value)| name).collect::<Vec<_>>()
        };
        assert_eq!(names("postgres"), ["PATH"]);
        assert_eq!(names("gateway"), ["PATH"]);
        assert_eq!(names("identity"), ["IDENTITY_SMS_KEY", "PATH"]);
        assert_eq!(names("reviews"), ["AWS_SECRET_ACCESS_KEY", "PATH", "REVIEWS_PICTURES_URL"]);
    }

    #[test]
    fn a_secret_may_also_be_named_by_a_file() {
        assert!(inherits("payments", "PAYMENTS_KEY_SECRET_FILE"));
        assert!(inherits("reviews", "ADMIN_PASSPHRASE_HASH_FILE"));
        assert!(!inherits("reviews", "PAYMENTS_KEY_SECRET_FILE"));
        assert!(!inherits("reviews", "REVIEWS_MIGRATION_DATABASE_URL_FILE"));
    }
}
