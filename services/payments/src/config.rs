//! This service's settings, one struct per concern.

use std::net::SocketAddr;
use std::str::FromStr;

use runtime::Reader;
use runtime::caller::{PeerSettings, UserSettings};
use secrecy::SecretString;

use crate::razorpay;

/// What serving needs.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where gRPC is served; `PAYMENTS_LISTEN`.
    pub listen: SocketAddr,
    /// Where the provider's webhooks arrive; `PAYMENTS_HTTP_LISTEN`.
    pub http_listen: SocketAddr,
    /// The database, by the service's own role; `PAYMENTS_DATABASE_URL`.
    pub database_url: SecretString,
    /// Where events travel; `NATS_URL`.
    pub nats_url: String,
    /// Whose bookings are paid for; `BOOKING_URL`.
    pub booking_url: String,
    /// The payment provider.
    pub provider: razorpay::Settings,
    /// Where browsers load the provider's checkout from; `PAYMENTS_CHECKOUT_SCRIPT_URL`.
    pub checkout_script_url: String,
    /// People's tokens.
    pub users: UserSettings,
    /// Services' tokens.
    pub peers: PeerSettings,
}

/// What a customer's word that it is paid is worth.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ClaimPolicy {
    /// The provider is asked; only captured money counts.
    Review,
}

impl FromStr for ClaimPolicy {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match text {
            "review" => Ok(Self::Review),
            "accept" => Err("accept comes with the commands for staff; until then it is review"),
            _ => Err("it must be review"),
        }
    }
}

/// What migrating needs.
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
        // Only one policy exists yet; a wish for another one stops the start.
        let ClaimPolicy::Review = reader.parse_or("PAYMENT_CLAIM_POLICY", ClaimPolicy::Review);
        Self {
            listen: reader.address("PAYMENTS_LISTEN"),
            http_listen: reader.address("PAYMENTS_HTTP_LISTEN"),
            database_url: reader.secret("PAYMENTS_DATABASE_URL"),
            nats_url: reader.required("NATS_URL"),
            booking_url: reader.url("BOOKING_URL"),
            provider: razorpay::Settings {
                url: reader.url("PAYMENTS_PROVIDER_URL"),
                key_id: reader.required("PAYMENTS_KEY_ID"),
                key_secret: reader.secret("PAYMENTS_KEY_SECRET"),
                webhook_secret: reader.secret("PAYMENTS_WEBHOOK_SECRET"),
                webhook_secret_previous: reader.optional_secret("PAYMENTS_WEBHOOK_SECRET_PREVIOUS"),
            },
            checkout_script_url: reader.url("PAYMENTS_CHECKOUT_SCRIPT_URL"),
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

#[cfg(test)]
mod tests {
    use super::Config;
    use runtime::Reader;

    #[test]
    fn a_claim_is_never_accepted_without_money() {
        let source: &[(&str, &str)] = &[("PAYMENT_CLAIM_POLICY", "accept")];
        let mut reader = Reader::new(&source);
        Config::read(&mut reader);
        let told = reader.finish(()).unwrap_err().to_string();
        assert!(told.contains("PAYMENT_CLAIM_POLICY: accept comes with the commands for staff"));
    }
}
