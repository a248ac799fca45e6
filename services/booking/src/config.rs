//! Settings, one struct per concern.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::str::FromStr;

use kernel::Id;
use kernel::id::Customer;
use runtime::Reader;
use runtime::caller::{PeerSettings, UserSettings};
use secrecy::SecretString;
use staff::Role;

use crate::domain::claim_policy::ClaimPolicy;

/// Settings of `serve`.
#[derive(Debug, Clone)]
pub struct Config {
    /// The gRPC listen address; `BOOKING_LISTEN`.
    pub listen: SocketAddr,
    /// The database URL with the service's role; `BOOKING_DATABASE_URL`.
    pub database_url: SecretString,
    /// The NATS server; `NATS_URL`.
    pub nats_url: String,
    /// The folder with `practice.toml`; `PRACTICE_DIR`.
    pub practice_dir: PathBuf,
    /// Other services.
    pub neighbours: Neighbours,
    /// The meeting provider.
    pub meetings: MeetingSettings,
    /// The key of the fingerprints of consent files; `BOOKING_CONSENT_KEY`, at least 32 characters.
    /// With another key, files that were handed out before can't be proved any more.
    pub consent_key: SecretString,
    /// How a claimed payment is treated; `PAYMENT_CLAIM_POLICY`, review or accept.
    pub claim_policy: ClaimPolicy,
    /// Verification of user tokens.
    pub users: UserSettings,
    /// Verification of service tokens.
    pub peers: PeerSettings,
}

/// URLs of other services.
#[derive(Debug, Clone)]
pub struct Neighbours {
    /// Prices and session lengths; `CATALOGUE_URL`.
    pub catalogue_url: String,
    /// The feed of payment events; `PAYMENTS_URL`.
    pub payments_url: String,
    /// The feed of mail events; `NOTIFICATIONS_URL`.
    pub notifications_url: String,
}

/// The meeting provider.
#[derive(Debug, Clone)]
pub struct MeetingSettings {
    /// The provider's URL; `BOOKING_MEETING_URL`.
    pub url: String,
    /// Our token at the provider; `BOOKING_MEETING_TOKEN`.
    pub token: SecretString,
}

/// Settings of `migrate`.
#[derive(Debug, Clone)]
pub struct MigrationConfig {
    /// The database URL with the owner's role; `BOOKING_MIGRATION_DATABASE_URL`.
    pub owner_url: SecretString,
    /// The database URL with the service's role, which is granted its rights;
    /// `BOOKING_DATABASE_URL`.
    pub database_url: SecretString,
}

impl Config {
    /// Reads the settings.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            listen: reader.address("BOOKING_LISTEN"),
            database_url: reader.secret("BOOKING_DATABASE_URL"),
            nats_url: reader.required("NATS_URL"),
            practice_dir: reader.path("PRACTICE_DIR"),
            neighbours: Neighbours {
                catalogue_url: reader.url("CATALOGUE_URL"),
                payments_url: reader.url("PAYMENTS_URL"),
                notifications_url: reader.url("NOTIFICATIONS_URL"),
            },
            meetings: MeetingSettings {
                url: reader.url("BOOKING_MEETING_URL"),
                token: reader.secret("BOOKING_MEETING_TOKEN"),
            },
            consent_key: reader.secret("BOOKING_CONSENT_KEY"),
            claim_policy: reader.parse_or("PAYMENT_CLAIM_POLICY", ClaimPolicy::Review),
            users: UserSettings::read(reader),
            peers: PeerSettings::read(reader),
        }
    }
}

impl MigrationConfig {
    /// Reads the settings.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            owner_url: reader.secret("BOOKING_MIGRATION_DATABASE_URL"),
            database_url: reader.secret("BOOKING_DATABASE_URL"),
        }
    }
}

/// Settings of `grant`.
#[derive(Debug, Clone)]
pub struct GrantConfig {
    /// The database URL with the owner's role; `BOOKING_MIGRATION_DATABASE_URL`.
    pub owner_url: SecretString,
    /// The account; `STAFF_USER_ID`, a UUID or "usr_…".
    pub person: Person,
    /// The role; `STAFF_ROLE`, a role's word or "none".
    pub role: Granted,
}

/// An account, given by the identity server's UUID or by our id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Person(pub Id<Customer>);

impl FromStr for Person {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let ours = if text.starts_with("usr_") {
            text.to_owned()
        } else {
            format!("usr_{}", text.replace('-', "").to_lowercase())
        };
        ours.parse().map(Self).map_err(|_invalid| "it must be a UUID, or usr_ and 32 digits")
    }
}

/// A role, or none to revoke it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Granted(pub Option<Role>);

impl FromStr for Granted {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match (text, Role::from_word(text)) {
            (_, Some(role)) => Ok(Self(Some(role))),
            ("none", None) => Ok(Self(None)),
            _ => Err("it must be owner, admin, practitioner, front_desk or none"),
        }
    }
}

/// Settings of `role`.
#[derive(Debug, Clone)]
pub struct RoleConfig {
    /// The database URL with the service's role; `BOOKING_DATABASE_URL`.
    pub database_url: SecretString,
    /// The account; `STAFF_USER_ID`, a UUID or "usr_…".
    pub person: Person,
}

impl RoleConfig {
    /// Reads the settings.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            database_url: reader.secret("BOOKING_DATABASE_URL"),
            person: reader.parse("STAFF_USER_ID", Person(Id::from_uuid(uuid::Uuid::nil()))),
        }
    }
}

impl GrantConfig {
    /// Reads the settings.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            owner_url: reader.secret("BOOKING_MIGRATION_DATABASE_URL"),
            person: reader.parse("STAFF_USER_ID", Person(Id::from_uuid(uuid::Uuid::nil()))),
            role: reader.parse("STAFF_ROLE", Granted(None)),
        }
    }
}

#[cfg(test)]
mod tests;
