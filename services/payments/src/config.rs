//! This service's settings, one struct per concern.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use messaging::Nats;
use runtime::caller::{PeerSettings, UserSettings};
use runtime::{Reader, probe};
use secrecy::SecretString;

use crate::providers::razorpay;

/// The settings of the server.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where gRPC is served; `PAYMENTS_LISTEN`.
    pub listen: SocketAddr,
    /// Where the provider's webhooks arrive; `PAYMENTS_HTTP_LISTEN`.
    pub http_listen: SocketAddr,
    /// The database, by the service's own role; `PAYMENTS_DATABASE_URL`.
    pub database_url: SecretString,
    /// The NATS server; `NATS_URL`, `EVENT_SIGNATURES`, `NATS_STREAM_REPLICAS`.
    pub nats: Nats,
    /// The folder with `practice.toml`, which says who issues receipts; `PRACTICE_DIR`.
    pub practice_dir: PathBuf,
    /// The booking service; `BOOKING_URL`.
    pub booking_url: String,
    /// The payment provider.
    pub provider: razorpay::Settings,
    /// Where browsers load the provider's checkout from; `PAYMENTS_CHECKOUT_SCRIPT_URL`.
    pub checkout_script_url: String,
    /// How often the process tries itself, if it does; `PROBE_SECONDS`.
    pub probe: Option<Duration>,
    /// How users' tokens are verified.
    pub users: UserSettings,
    /// How services' tokens are signed and verified.
    pub peers: PeerSettings,
}

/// The settings of the migration.
#[derive(Debug, Clone)]
pub struct MigrationConfig {
    /// The database, by its owner; `PAYMENTS_MIGRATION_DATABASE_URL`.
    pub owner_url: SecretString,
    /// The same by the service's own role, which is granted its rights; `PAYMENTS_DATABASE_URL`.
    pub database_url: SecretString,
}

impl Config {
    /// Reads them.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            listen: reader.address("PAYMENTS_LISTEN"),
            http_listen: reader.address("PAYMENTS_HTTP_LISTEN"),
            database_url: reader.secret("PAYMENTS_DATABASE_URL"),
            nats: Nats::read(reader),
            practice_dir: reader.path("PRACTICE_DIR"),
            booking_url: reader.url("BOOKING_URL"),
            provider: razorpay::Settings {
                url: reader.url("PAYMENTS_PROVIDER_URL"),
                key_id: reader.required("PAYMENTS_KEY_ID"),
                key_secret: reader.secret("PAYMENTS_KEY_SECRET"),
                webhook_secret: reader.secret("PAYMENTS_WEBHOOK_SECRET"),
                webhook_secret_previous: reader.optional_secret("PAYMENTS_WEBHOOK_SECRET_PREVIOUS"),
                link_return_url: reader
                    .optional_url("PUBLIC_URL")
                    .map(|url| format!("{}/pay/link-return", url.trim_end_matches('/'))),
                account_id: reader.optional("PAYMENTS_ACCOUNT_ID"),
            },
            checkout_script_url: reader.url("PAYMENTS_CHECKOUT_SCRIPT_URL"),
            probe: probe::read_period(reader),
            users: UserSettings::read(reader),
            peers: PeerSettings::read(reader),
        }
    }
}

impl MigrationConfig {
    /// Reads them.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            owner_url: reader.secret("PAYMENTS_MIGRATION_DATABASE_URL"),
            database_url: reader.secret("PAYMENTS_DATABASE_URL"),
        }
    }
}
