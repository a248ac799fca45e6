//! This service's settings, one struct per concern.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use eventstore::{Database, Store};
use messaging::Nats;
use practice::FILE;
use runtime::caller::{PeerSettings, Peers, UserSettings, Users};
use runtime::{Reader, Revised, RotatedSecret};
use secrecy::{ExposeSecret as _, SecretString};
use service::MigrationConfig;
use staff::{Roles, StaffDirectory};

use crate::app::App;
use crate::app::invitation::Invitations;
use crate::clients::identity_server::IdentityServer;
use crate::moderation::passphrase::Passphrase;
use crate::moderation::{AuthMethod, Moderation};
use crate::picture::Pictures;
use crate::picture::object_storage::{BucketSettings, ObjectStorage};

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
    /// `REVIEWS_PICTURES_URL`: `file:///…` or `s3://bucket/prefix`.
    pub url: String,
    /// The region, endpoint and credentials of a bucket, by the names that its own tools use
    /// (`AWS_ACCESS_KEY_ID` and so on).
    pub bucket: BucketSettings,
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
            pictures: PictureSettings {
                url: reader.required("REVIEWS_PICTURES_URL"),
                bucket: BucketSettings::read(reader),
            },
            moderation: ModerationSettings {
                identity_url: reader.url("IDENTITY_URL"),
                identity_api_key: reader.optional_secret("IDENTITY_API_KEY"),
                passphrase_hash: reader.optional_secret("ADMIN_PASSPHRASE_HASH"),
            },
            users: UserSettings::read(reader),
            peers: PeerSettings::read(reader),
        }
    }

    /// What commands work with, by the revision of the practice's files that is in use.
    ///
    /// # Errors
    /// The practice's files are invalid, or a setting cannot be used.
    pub fn revised(&self, program: PathBuf) -> anyhow::Result<Revised<App>> {
        Revised::open(&self.practice_dir, FILE, |folder| self.app(folder, program))
    }

    fn app(&self, folder: &Path, program: PathBuf) -> anyhow::Result<Arc<App>> {
        let store = Store::new(Database::new(self.database_url.expose_secret()).open()?);
        let objects = ObjectStorage::open(&self.pictures.url, &self.pictures.bucket)?;
        Ok(Arc::new(App {
            practice: practice::load(folder)?,
            invitations: Invitations::new(&self.invitation_key)?,
            pictures: Arc::new(Pictures::new(store.clone(), objects, program)),
            store,
        }))
    }

    /// The way into the admin panel.
    ///
    /// # Errors
    /// The passphrase's hash or a URL cannot be one.
    pub fn moderation(
        &self,
        store: &Store,
        users: Users,
        peers: &Peers,
    ) -> anyhow::Result<Moderation> {
        let roles: Arc<dyn Roles> = Arc::new(StaffDirectory::new(&self.booking_url, peers)?);
        let method = match &self.moderation.passphrase_hash {
            Some(hash) => AuthMethod::Passphrase(Passphrase::new(hash)?),
            None => {
                let key = self.moderation.identity_api_key.clone();
                let server = IdentityServer::new(&self.moderation.identity_url, key)?;
                AuthMethod::OwnPassword(server)
            }
        };
        Ok(Moderation::new(method, (users, roles), store.clone()))
    }
}

/// The same as before for another revision of the practice's files.
///
/// # Errors
/// They are invalid.
pub fn app_after(folder: &Path, former: &App) -> Result<Arc<App>, practice::Error> {
    let practice = practice::load(folder)?;
    Ok(Arc::new(App { practice, ..former.clone() }))
}

/// Reads the settings of `migrate`.
pub fn migration(reader: &mut Reader<'_>) -> MigrationConfig {
    MigrationConfig {
        owner_url: reader.secret("REVIEWS_MIGRATION_DATABASE_URL"),
        database_url: reader.secret("REVIEWS_DATABASE_URL"),
    }
}
