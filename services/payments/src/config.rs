//! This service's settings, one struct per concern.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use eventstore::{Database, Store};
use messaging::Nats;
use practice::{FILE, Practice};
use runtime::caller::{PeerSettings, Peers, UserSettings};
use runtime::{Reader, Revised, probe};
use secrecy::{ExposeSecret as _, SecretString};
use service::MigrationConfig;

use crate::app::order_health::OrderHealth;
use crate::app::webhook_health::WebhookHealth;
use crate::app::{App, Checkout};
use crate::clients::booking::BookingClient;
use crate::domain::receipt::Issuer;
use crate::domain::refund_request::promised_days;
use crate::providers::Provider;
use crate::providers::razorpay::Razorpay;

/// The account at the provider that takes the practice's money.
pub use crate::providers::razorpay::Settings as Account;

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
    pub provider: Account,
    /// Where browsers load the provider's checkout from; `PAYMENTS_CHECKOUT_SCRIPT_URL`.
    pub checkout_script_url: String,
    /// How often the process tries itself, if it does; `PROBE_SECONDS`.
    pub probe: Option<Duration>,
    /// How users' tokens are verified.
    pub users: UserSettings,
    /// How services' tokens are signed and verified.
    pub peers: PeerSettings,
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
            provider: Account {
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

    /// What commands work with, by the revision of the practice's files that is in use.
    ///
    /// # Errors
    /// The practice's files are invalid, or a setting cannot be used.
    pub fn revised(&self, peers: &Peers) -> anyhow::Result<Revised<App>> {
        Revised::open(&self.practice_dir, FILE, |folder| self.app(folder, peers))
    }

    fn app(&self, folder: &Path, peers: &Peers) -> anyhow::Result<Arc<App>> {
        let practice = practice::load(folder)?;
        let pool = Database::new(self.database_url.expose_secret()).open()?;
        Ok(Arc::new(App {
            store: Store::new(pool),
            bookings: BookingClient::new(&self.booking_url, peers)?,
            checkout: Checkout {
                key_id: self.provider.key_id.clone(),
                script_url: self.checkout_script_url.clone(),
            },
            provider: open(self.provider.clone())?,
            order_health: OrderHealth::default(),
            webhook_health: WebhookHealth::default(),
            issuer: Arc::new(Issuer::of(&practice)),
            refund_days: promised_days(&practice.policies.refund_days_text),
            desk_limit_minor: desk_limit_minor(&practice),
        }))
    }
}

/// The same as before for another revision of the practice's files.
///
/// # Errors
/// They are invalid.
pub fn app_after(folder: &Path, former: &App) -> Result<Arc<App>, practice::Error> {
    let practice = practice::load(folder)?;
    let issuer = Arc::new(Issuer::of(&practice));
    let refund_days = promised_days(&practice.policies.refund_days_text);
    let desk_limit_minor = desk_limit_minor(&practice);
    Ok(Arc::new(App { issuer, refund_days, desk_limit_minor, ..former.clone() }))
}

fn desk_limit_minor(practice: &Practice) -> i64 {
    i64::from(practice.policies.desk_limit_rupees).saturating_mul(100)
}

/// Opens the account at the provider.
pub fn open(account: Account) -> Result<Arc<dyn Provider>, reqwest::Error> {
    Ok(Arc::new(Razorpay::new(account)?))
}

/// Reads the settings of `migrate`.
pub fn migration(reader: &mut Reader<'_>) -> MigrationConfig {
    MigrationConfig {
        owner_url: reader.secret("PAYMENTS_MIGRATION_DATABASE_URL"),
        database_url: reader.secret("PAYMENTS_DATABASE_URL"),
    }
}
