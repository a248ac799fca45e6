//! This service's settings, one struct per concern.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::PathBuf;

use lettre::message::Mailbox;
use messaging::Nats;
use runtime::Reader;
use runtime::caller::{PeerSettings, UserSettings};
use secrecy::SecretString;

/// More than any customer's day makes, and far less than a mailbox notices as a flood.
const RECIPIENT_LIMIT_DEFAULT: NonZeroU32 = NonZeroU32::MIN.saturating_add(29);

/// Far more than a practice gets, and a flood that its mailbox survives.
const CONTACT_LIMIT_DEFAULT: NonZeroU32 = NonZeroU32::MIN.saturating_add(59);

/// What serving needs.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where gRPC is served; `NOTIFICATIONS_LISTEN`.
    pub listen: SocketAddr,
    /// The database, by the service's own role; `NOTIFICATIONS_DATABASE_URL`.
    pub database_url: SecretString,
    /// Where events travel; `NATS_URL`.
    pub nats: Nats,
    /// The folder with `practice.toml`; `PRACTICE_DIR`.
    pub practice_dir: PathBuf,
    /// Where people reach the website, for the links in mails; `PUBLIC_URL`.
    pub public_url: String,
    /// Other services.
    pub neighbours: Neighbours,
    /// The mail server.
    pub mail: MailSettings,
    /// How many messages the contact form takes in an hour, from everybody together;
    /// `NOTIFICATIONS_CONTACT_LIMIT`.
    pub contact_limit: NonZeroU32,
    /// Services' tokens.
    pub peers: PeerSettings,
    /// People's tokens, for what staff calls; `TOKEN_JWKS_URL` and `TOKEN_ISSUER`.
    pub users: UserSettings,
}

/// Where other services are.
#[derive(Debug, Clone)]
pub struct Neighbours {
    /// Whose feed tells of bookings, and who knows names, addresses and staff; `BOOKING_URL`.
    pub booking_url: String,
    /// Whose feed tells of refunds; `PAYMENTS_URL`.
    pub payments_url: String,
    /// Whose feed tells of reviews, and who knows them and their invitations; `REVIEWS_URL`.
    pub reviews_url: String,
    /// Who knows the codes that are mailed; `IDENTITY_GRPC_URL`. Absent where accounts are kept by
    /// a hosted server, which sends such mails itself.
    pub identity_url: Option<String>,
}

/// How mails leave the house.
#[derive(Debug, Clone)]
pub struct MailSettings {
    /// The mail server; `NOTIFICATIONS_SMTP_URL`. It may hold a password.
    pub smtp_url: SecretString,
    /// Who mails come from, `Name <address>`; `NOTIFICATIONS_SENDER`.
    pub sender: Mailbox,
    /// Makes of an address what stands for it in rows and links; `NOTIFICATIONS_ADDRESS_KEY`, at
    /// least 32 characters.
    pub address_key: SecretString,
    /// How many mails one address gets in an hour at most, codes aside;
    /// `NOTIFICATIONS_RECIPIENT_LIMIT`.
    pub recipient_limit: NonZeroU32,
}

/// What migrating needs.
#[derive(Debug, Clone)]
pub struct MigrationConfig {
    /// The database, by its owner; `NOTIFICATIONS_MIGRATION_DATABASE_URL`.
    pub owner_url: SecretString,
    /// The same by the service's own role, which is granted its rights;
    /// `NOTIFICATIONS_DATABASE_URL`.
    pub database_url: SecretString,
}

impl Config {
    /// Reads them.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            listen: reader.address("NOTIFICATIONS_LISTEN"),
            database_url: reader.secret("NOTIFICATIONS_DATABASE_URL"),
            nats: Nats::new(reader.required("NATS_URL")),
            practice_dir: reader.path("PRACTICE_DIR"),
            public_url: reader.url("PUBLIC_URL"),
            neighbours: Neighbours {
                booking_url: reader.url("BOOKING_URL"),
                payments_url: reader.url("PAYMENTS_URL"),
                reviews_url: reader.url("REVIEWS_URL"),
                identity_url: reader.optional_url("IDENTITY_GRPC_URL"),
            },
            mail: MailSettings::read(reader),
            contact_limit: reader.parse_or("NOTIFICATIONS_CONTACT_LIMIT", CONTACT_LIMIT_DEFAULT),
            peers: PeerSettings::read(reader),
            users: UserSettings::read(reader),
        }
    }
}

impl MailSettings {
    fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            smtp_url: reader.secret("NOTIFICATIONS_SMTP_URL"),
            sender: sender(reader),
            address_key: reader.secret("NOTIFICATIONS_ADDRESS_KEY"),
            recipient_limit: reader
                .parse_or("NOTIFICATIONS_RECIPIENT_LIMIT", RECIPIENT_LIMIT_DEFAULT),
        }
    }
}

fn sender(reader: &mut Reader<'_>) -> Mailbox {
    const NAME: &str = "NOTIFICATIONS_SENDER";
    let text = reader.required(NAME);
    match text.parse() {
        Ok(mailbox) => mailbox,
        Err(_unreadable) => {
            if !text.is_empty() {
                reader.problem(NAME, "it must look like: Name <name@example.org>");
            }
            stand_in()
        }
    }
}

/// Fills the sender's place until the reader refuses to hand the settings out.
#[expect(clippy::expect_used, reason = "the constant is an address")]
fn stand_in() -> Mailbox {
    "nobody@localhost".parse().expect("an address")
}

impl MigrationConfig {
    /// Reads them.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            owner_url: reader.secret("NOTIFICATIONS_MIGRATION_DATABASE_URL"),
            database_url: reader.secret("NOTIFICATIONS_DATABASE_URL"),
        }
    }
}
