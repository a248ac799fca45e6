//! This service's settings, one struct per concern.

use std::net::SocketAddr;
use std::path::PathBuf;

use messaging::Nats;
use runtime::caller::{PeerSettings, UserSettings};
use runtime::{Reader, RotatedSecret};
use secrecy::SecretString;

/// Settings of `serve`.
#[derive(Debug, Clone)]
pub struct Config {
    /// The address of gRPC; `REVIEWS_LISTEN`.
    pub listen: SocketAddr,
    /// The address of uploads and pictures; `REVIEWS_HTTP_LISTEN`.
    pub http_listen: SocketAddr,
    /// The database, with the service's own role; `REVIEWS_DATABASE_URL`.
    pub database_url: SecretString,
    /// The NATS server; `NATS_URL`, `EVENT_SIGNATURES`, `NATS_STREAM_REPLICAS`.
    pub nats: Nats,
    /// The folder with the practice's files; `PRACTICE_DIR`.
    pub practice_dir: PathBuf,
    /// The booking service: completed sessions and staff roles; `BOOKING_URL`.
    pub booking_url: String,
    /// The key that signs invitations; `REVIEWS_INVITATION_KEY`.
    pub invitation_key: RotatedSecret,
    /// Where pictures are kept.
    pub pictures: PictureSettings,
    /// How the admin panel is unlocked.
    pub moderation: ModerationSettings,
    /// Verification of users' tokens.
    pub users: UserSettings,
    /// Verification and signing of services' tokens.
    pub peers: PeerSettings,
}

/// Where pictures are kept.
#[derive(Debug, Clone)]
pub struct PictureSettings {
    /// `REVIEWS_PICTURES_URL`: `file:///…` or `s3://bucket/prefix`; the credentials of a bucket are
    /// in the names that its own tools use (`AWS_ACCESS_KEY_ID` and so on).
    pub url: String,
}

/// How the admin panel is unlocked.
#[derive(Debug, Clone)]
pub struct ModerationSettings {
    /// The identity server, which checks staff passwords; `IDENTITY_URL`.
    pub identity_url: String,
    /// The API key of a hosted identity server; `IDENTITY_API_KEY`.
    pub identity_api_key: Option<SecretString>,
    /// One shared passphrase instead of each member's own password, as an argon2id hash;
    /// `ADMIN_PASSPHRASE_HASH`.
    pub passphrase_hash: Option<SecretString>,
}

/// Settings of `migrate`.
#[derive(Debug, Clone)]
pub struct MigrationConfig {
    /// The database, with its owner's role; `REVIEWS_MIGRATION_DATABASE_URL`.
    pub owner_url: SecretString,
    /// The same with the service's own role, which is granted its rights; `REVIEWS_DATABASE_URL`.
    pub database_url: SecretString,
}

impl Config {
    /// Reads them.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            listen: reader.address("REVIEWS_LISTEN"),
            http_listen: reader.address("REVIEWS_HTTP_LISTEN"),
            database_url: reader.secret("REVIEWS_DATABASE_URL"),
            nats: Nats::read(reader),
            practice_dir: reader.path("PRACTICE_DIR"),
            booking_url: reader.url("BOOKING_URL"),
            invitation_key: reader.rotated_secret("REVIEWS_INVITATION_KEY"),
            pictures: PictureSettings { url: reader.required("REVIEWS_PICTURES_URL") },
            moderation: ModerationSettings {
                identity_url: reader.url("IDENTITY_URL"),
                identity_api_key: reader.optional_secret("IDENTITY_API_KEY"),
                passphrase_hash: reader.optional_secret("ADMIN_PASSPHRASE_HASH"),
            },
            users: UserSettings::read(reader),
            peers: PeerSettings::read(reader),
        }
    }
}

impl MigrationConfig {
    /// Reads them.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            owner_url: reader.secret("REVIEWS_MIGRATION_DATABASE_URL"),
            database_url: reader.secret("REVIEWS_DATABASE_URL"),
        }
    }
}
