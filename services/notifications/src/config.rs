//! This service's settings, one struct per concern.

use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use eventstore::Store;
use lettre::message::Mailbox;
use messaging::Nats;
use practice::{FILE, Practice, guide};
use runtime::caller::{PeerSettings, Peers, UserSettings};
use runtime::{Reader, Revised, RotatedSecret};
use secrecy::SecretString;
use service::MigrationConfig;

use crate::clients::{Clients, Neighbours};
use crate::delivery::DeliveryWorker;
use crate::delivery::message_builder::MessageBuilder;
use crate::delivery::sources::Sources;
use crate::forms::Forms;
use crate::mails::addresses::Addresses;
use crate::smtp::MailServer;
use crate::templates::template_context::TemplateContext;
use crate::timers::Timers;

/// More than a client gets in a day, and far less than a flood.
const RECIPIENT_LIMIT_DEFAULT: NonZeroU32 = NonZeroU32::MIN.saturating_add(29);

/// Far more than a practice gets, and few enough for its mailbox.
const CONTACT_LIMIT_DEFAULT: NonZeroU32 = NonZeroU32::MIN.saturating_add(59);

/// What serving needs.
#[derive(Debug, Clone)]
pub struct Config {
    /// Where gRPC is served; `NOTIFICATIONS_LISTEN`.
    pub listen: SocketAddr,
    /// The database, by the service's own role; `NOTIFICATIONS_DATABASE_URL`.
    pub database_url: SecretString,
    /// The event transport; `NATS_URL`, `EVENT_SIGNATURES`, `NATS_STREAM_REPLICAS`.
    pub nats: Nats,
    /// The folder with `practice.toml`; `PRACTICE_DIR`.
    pub practice_dir: PathBuf,
    /// The website's URL, for the links in mails; `PUBLIC_URL`.
    pub public_url: String,
    /// Other services.
    pub neighbours: Neighbours,
    /// The mail server.
    pub mail: MailSettings,
    /// The most messages that the contact form accepts in an hour, over all addresses;
    /// `NOTIFICATIONS_CONTACT_LIMIT`.
    pub contact_limit: NonZeroU32,
    /// The keys of service tokens.
    pub peers: PeerSettings,
    /// The keys of user tokens, for the staff service; `TOKEN_JWKS_URL` and `TOKEN_ISSUER`.
    pub users: UserSettings,
}

/// How mails are sent.
#[derive(Debug, Clone)]
pub struct MailSettings {
    /// The mail server; `NOTIFICATIONS_SMTP_URL`. It may hold a password.
    pub smtp_url: SecretString,
    /// The sender, `Name <address>`; `NOTIFICATIONS_SENDER`.
    pub sender: Mailbox,
    /// The key of address hashes in rows and links; `NOTIFICATIONS_ADDRESS_KEY`, at least 32
    /// characters.
    pub address_key: RotatedSecret,
    /// The most mails per address and hour, without codes; `NOTIFICATIONS_RECIPIENT_LIMIT`.
    pub recipient_limit: NonZeroU32,
}

impl Config {
    /// Reads them.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            listen: reader.address("NOTIFICATIONS_LISTEN"),
            database_url: reader.secret("NOTIFICATIONS_DATABASE_URL"),
            nats: Nats::read(reader),
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

    /// What sends mails, by the revision of the practice's files that is in use.
    ///
    /// # Errors
    /// The practice's or the templates' files are invalid, or a setting cannot be used.
    pub fn revised(&self, store: &Store, peers: &Peers) -> anyhow::Result<Revised<Timers>> {
        Revised::open(&self.practice_dir, FILE, |folder| self.timers(folder, store, peers))
    }

    fn timers(&self, folder: &Path, store: &Store, peers: &Peers) -> anyhow::Result<Arc<Timers>> {
        let practice = practice::load(folder)?;
        let message_builder = self.message_builder(folder, practice.clone())?;
        let server = MailServer::new(&self.mail.smtp_url, self.mail.sender.email.domain())?;
        let clients = Clients::new(&self.neighbours, peers)?;
        let sources = Sources::new(store.pool().clone(), clients);
        let limit = self.mail.recipient_limit;
        let worker = DeliveryWorker::new(store.clone(), sources, message_builder, server, limit);
        Ok(Arc::new(Timers::new(store.clone(), practice, worker)))
    }

    /// The same for another revision of the files.
    ///
    /// # Errors
    /// As above.
    pub fn timers_after(&self, folder: &Path, former: &Timers) -> anyhow::Result<Arc<Timers>> {
        let practice = practice::load(folder)?;
        let message_builder = self.message_builder(folder, practice.clone())?;
        Ok(Arc::new(former.after(practice, message_builder)))
    }

    fn message_builder(&self, folder: &Path, practice: Practice) -> anyhow::Result<MessageBuilder> {
        let guide = guide::load(folder)?;
        let context = TemplateContext { practice, guide, public_url: self.public_url.clone() };
        let addresses = Addresses::new(&self.mail.address_key)?;
        Ok(MessageBuilder::new(context, self.mail.sender.clone(), addresses)?)
    }

    /// The forms that ask for a mail.
    ///
    /// # Errors
    /// The key of addresses is too short.
    pub fn forms(&self, store: &Store) -> anyhow::Result<Forms> {
        Ok(Forms {
            store: store.clone(),
            addresses: Addresses::new(&self.mail.address_key)?,
            contact_limit: self.contact_limit,
        })
    }
}

impl MailSettings {
    fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            smtp_url: reader.secret("NOTIFICATIONS_SMTP_URL"),
            sender: sender(reader),
            address_key: reader.rotated_secret("NOTIFICATIONS_ADDRESS_KEY"),
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

/// A placeholder sender until the reader reports the problem.
#[expect(clippy::expect_used, reason = "the constant is an address")]
fn stand_in() -> Mailbox {
    "nobody@localhost".parse().expect("an address")
}

/// Reads what migrating needs.
pub fn migration(reader: &mut Reader<'_>) -> MigrationConfig {
    MigrationConfig {
        owner_url: reader.secret("NOTIFICATIONS_MIGRATION_DATABASE_URL"),
        database_url: reader.secret("NOTIFICATIONS_DATABASE_URL"),
    }
}
