//! This service's settings, one struct per concern.

use std::net::SocketAddr;

use runtime::Reader;
use runtime::caller::PeerSettings;
use secrecy::{ExposeSecret as _, SecretString};

/// A shorter key could be found by trying.
const CODE_KEY_BYTES_MIN: usize = 16;

/// What serving needs.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where gRPC is served; `IDENTITY_LISTEN`.
    pub listen: SocketAddr,
    /// Where the GoTrue contract is served, at `/`; `IDENTITY_HTTP_LISTEN`.
    pub http_listen: SocketAddr,
    /// The database, by the service's own role; `IDENTITY_DATABASE_URL`.
    pub database_url: SecretString,
    /// Where events travel; `NATS_URL`.
    pub nats_url: String,
    /// How accounts and their tokens are made.
    pub accounts: AccountSettings,
    /// Services' tokens.
    pub peers: PeerSettings,
}

/// How accounts and their tokens are made.
#[derive(Debug, Clone)]
pub struct AccountSettings {
    /// The site's own address; `PUBLIC_URL`.
    pub public_url: String,
    /// What access tokens name as their issuer; `TOKEN_ISSUER`.
    pub issuer: String,
    /// The P-256 key that signs access tokens, PKCS#8 PEM; `IDENTITY_SIGNING_KEY`.
    pub signing_key: SecretString,
    /// The secret that codes are derived with; `IDENTITY_CODE_KEY`.
    pub code_key: SecretString,
    /// Whether an address has to be confirmed by a code before anybody is signed in;
    /// `IDENTITY_CONFIRM_EMAIL`, true unless it says false. Without it, signing up tells whether
    /// an address has an account.
    pub confirm_email: bool,
}

/// What migrating needs.
#[derive(Debug, Clone)]
pub struct MigrationConfig {
    /// The database, by its owner; `IDENTITY_MIGRATION_DATABASE_URL`.
    pub owner_url: SecretString,
    /// The same by the service's own role, which is granted its rights; `IDENTITY_DATABASE_URL`.
    pub database_url: SecretString,
}

impl Config {
    /// Reads them.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            listen: reader.address("IDENTITY_LISTEN"),
            http_listen: reader.address("IDENTITY_HTTP_LISTEN"),
            database_url: reader.secret("IDENTITY_DATABASE_URL"),
            nats_url: reader.required("NATS_URL"),
            accounts: AccountSettings::read(reader),
            peers: PeerSettings::read(reader),
        }
    }
}

impl AccountSettings {
    fn read(reader: &mut Reader<'_>) -> Self {
        let code_key = reader.secret("IDENTITY_CODE_KEY");
        let length = code_key.expose_secret().len();
        if length > 0 && length < CODE_KEY_BYTES_MIN {
            reader.problem("IDENTITY_CODE_KEY", "it is shorter than 16 characters");
        }
        Self {
            public_url: reader.url("PUBLIC_URL"),
            issuer: reader.url("TOKEN_ISSUER"),
            signing_key: reader.secret("IDENTITY_SIGNING_KEY"),
            code_key,
            confirm_email: reader.parse_or("IDENTITY_CONFIRM_EMAIL", true),
        }
    }
}

impl MigrationConfig {
    /// Reads them.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            owner_url: reader.secret("IDENTITY_MIGRATION_DATABASE_URL"),
            database_url: reader.secret("IDENTITY_DATABASE_URL"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::AccountSettings;
    use runtime::Reader;

    const COMPLETE: &[(&str, &str)] = &[
        ("PUBLIC_URL", "https://sukoon.example/"),
        ("TOKEN_ISSUER", "https://sukoon.example/auth/v1"),
        ("IDENTITY_SIGNING_KEY", "a key"),
        ("IDENTITY_CODE_KEY", "sixteen letters or more"),
    ];

    fn problems(settings: &[(&str, &str)]) -> Vec<String> {
        let mut reader = Reader::new(&settings);
        AccountSettings::read(&mut reader);
        let problems = reader.finish(()).err().map(|invalid| invalid.problems);
        problems.unwrap_or_default().into_iter().map(|problem| problem.name).collect()
    }

    #[test]
    fn addresses_are_confirmed_unless_the_settings_say_otherwise() {
        assert!(AccountSettings::read(&mut Reader::new(&COMPLETE)).confirm_email);
        let off = [COMPLETE, &[("IDENTITY_CONFIRM_EMAIL", "false")]].concat();
        assert!(!AccountSettings::read(&mut Reader::new(&off.as_slice())).confirm_email);
        assert_eq!(problems(COMPLETE), Vec::<String>::new());
    }

    #[test]
    fn a_key_that_can_be_guessed_is_refused() {
        let with_key = |key| [COMPLETE.get(..3).unwrap(), &[("IDENTITY_CODE_KEY", key)]].concat();
        assert_eq!(problems(&with_key("short")), ["IDENTITY_CODE_KEY"]);
        assert_eq!(problems(&with_key("demo-but-long-enough")), ["IDENTITY_CODE_KEY"]);
    }
}
