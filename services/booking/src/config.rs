//! Settings, one struct per concern.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use eventstore::{Database, Store};
use messaging::Nats;
use practice::FILE;
use runtime::caller::{PeerSettings, Peers, UserSettings};
use runtime::settings::Mode;
use runtime::{Reader, Revised, RotatedSecret, Shutdown, probe};
use secrecy::{ExposeSecret as _, SecretString};
use service::MigrationConfig;
use url::{Host, Url};

use crate::app::App;
use crate::app::consent_secrets::ConsentCodes;
use crate::app::consent_settings::ConsentSettings;
use crate::app::feed_secrets::FeedSecrets;
use crate::app::group_commit::GroupCommit;
use crate::app::hold_origin::OriginHashes;
use crate::app::invitation_keys::InvitationKeys;
use crate::app::page_keys::PageKeys;
use crate::app::startup::prepare;
use crate::app::widget_visits::WidgetVisits;
use crate::clients::calendars::{CalendarSecrets, Calendars};
use crate::clients::catalogue::Catalogue;
use crate::clients::meetings::{MeetingSecrets, Meetings};
use crate::clients::scheduling::{Provider, Scheduling};
use crate::domain::availability::Rules;
use crate::domain::claim_policy::ClaimPolicy;
use crate::domain::consent::document::{Fingerprints, WeakKey};
use crate::domain::hold_limit::{HoldLimit, HoldLimits};
use crate::domain::practitioners::Practitioners;
use crate::repository::DaySnapshotCache;

mod commands;
mod meetings;
mod try_meetings;

pub use commands::{GrantConfig, Granted, Person, RoleConfig, grant, role};
pub use try_meetings::{TryMeetingsConfig, try_meetings};

/// Settings of `serve`.
#[derive(Debug, Clone)]
pub struct Config {
    /// The gRPC listen address; `BOOKING_LISTEN`.
    pub listen: SocketAddr,
    /// The database URL with the service's role; `BOOKING_DATABASE_URL`.
    pub database_url: SecretString,
    /// The NATS server; `NATS_URL`, `EVENT_SIGNATURES`, `NATS_STREAM_REPLICAS`.
    pub nats: Nats,
    /// The folder with `practice.toml`; `PRACTICE_DIR`.
    pub practice_dir: PathBuf,
    /// The website's URL, for the links in calendar files; `PUBLIC_URL`.
    pub public_url: String,
    /// Other services.
    pub neighbours: Neighbours,
    /// What the places for sessions online need beside `practice.toml`.
    pub meetings: MeetingSecrets,
    /// The key of the fingerprints of consent files; `BOOKING_CONSENT_KEY`, at least 32 characters.
    /// With another key, files that were handed out before can't be proved any more.
    pub consent_key: RotatedSecret,
    /// The key of the secret addresses of practitioners' sessions and of payment pages;
    /// `BOOKING_FEED_KEY`, at least 32 characters. With another key all addresses that were given
    /// show nothing.
    pub feed_key: RotatedSecret,
    /// The external scheduling provider; without one our own calendar is the only one.
    pub scheduling: Option<SchedulingSettings>,
    /// Practitioners' own calendars.
    pub calendars: CalendarSettings,
    /// How often the process tries itself, if it does; `PROBE_SECONDS`.
    pub probe: Option<Duration>,
    /// How a claimed payment is treated; `PAYMENT_CLAIM_POLICY`, review or accept.
    pub claim_policy: ClaimPolicy,
    /// How often times may be held without a payment; `BOOKING_UNPAID_PER_ACCOUNT`,
    /// `BOOKING_UNPAID_PER_DEVICE`, `BOOKING_UNPAID_PER_NETWORK`: free in a day, and by how many
    /// seconds the pause grows with each further one.
    pub hold_limits: HoldLimits,
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

/// An external scheduling provider.
#[derive(Debug, Clone)]
pub struct SchedulingSettings {
    /// The provider's API; `BOOKING_SCHEDULING_URL`, for example `https://api.calendly.com`.
    pub url: String,
    /// The address of the account's user; `BOOKING_SCHEDULING_USER`, the `uri` of `GET /users/me`.
    pub user: String,
    /// Our token at the provider; `BOOKING_SCHEDULING_TOKEN`.
    pub token: SecretString,
}

impl SchedulingSettings {
    fn read(reader: &mut Reader<'_>) -> Option<Self> {
        let url = reader.optional_url("BOOKING_SCHEDULING_URL")?;
        let user = reader.url("BOOKING_SCHEDULING_USER");
        Some(Self { url, user, token: reader.secret("BOOKING_SCHEDULING_TOKEN") })
    }
}

/// Practitioners' own calendars, which `practice.toml` names.
#[derive(Debug, Clone, Default)]
pub struct CalendarSettings {
    /// Addresses and passwords by `calendar_id`; `BOOKING_CALENDAR_SECRETS`, a JSON object such as
    /// `{"google": "https://…", "ravi": "…"}`.
    pub secrets: CalendarSecrets,
    /// An origin on this machine from which calendars may be read in a trial;
    /// `BOOKING_CALENDAR_SANDBOX_URL`. Production refuses it.
    pub sandbox: Option<Url>,
}

impl CalendarSettings {
    fn read(reader: &mut Reader<'_>) -> Self {
        let name = "BOOKING_CALENDAR_SECRETS";
        let given = reader.optional_secret(name);
        let parsed = given.map(|given| serde_json::from_str(given.expose_secret()));
        let secrets: BTreeMap<String, String> = match parsed.transpose() {
            Ok(secrets) => secrets.unwrap_or_default(),
            Err(_unreadable) => {
                reader.problem(name, "it must be a JSON object of texts by calendar_id");
                BTreeMap::new()
            }
        };
        let secrets = secrets.into_iter().map(|(id, secret)| (id, secret.into())).collect();
        let name = "BOOKING_CALENDAR_SANDBOX_URL";
        let sandbox = reader.optional_url(name).and_then(|url| Url::parse(&url).ok());
        if let Some(url) = &sandbox {
            let is_loopback = match url.host() {
                Some(Host::Ipv4(address)) => address.is_loopback(),
                Some(Host::Ipv6(address)) => address.is_loopback(),
                Some(Host::Domain(_)) | None => false,
            };
            if reader.mode() == Mode::Production {
                reader.problem(name, "it is for trials, and production refuses it");
            } else if !is_loopback {
                reader.problem(name, "it must be an address of this machine, such as 127.0.0.1");
            }
        }
        Self { secrets, sandbox }
    }
}

impl Config {
    /// Reads the settings.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            listen: reader.address("BOOKING_LISTEN"),
            database_url: reader.secret("BOOKING_DATABASE_URL"),
            nats: Nats::read(reader),
            practice_dir: reader.path("PRACTICE_DIR"),
            public_url: reader.url("PUBLIC_URL"),
            neighbours: Neighbours {
                catalogue_url: reader.url("CATALOGUE_URL"),
                payments_url: reader.url("PAYMENTS_URL"),
                notifications_url: reader.url("NOTIFICATIONS_URL"),
            },
            meetings: meetings::read(reader),
            consent_key: reader.rotated_secret("BOOKING_CONSENT_KEY"),
            feed_key: reader.rotated_secret("BOOKING_FEED_KEY"),
            scheduling: SchedulingSettings::read(reader),
            calendars: CalendarSettings::read(reader),
            probe: probe::read_period(reader),
            claim_policy: reader.parse_or("PAYMENT_CLAIM_POLICY", ClaimPolicy::Review),
            hold_limits: HoldLimits {
                account: reader.parse_or("BOOKING_UNPAID_PER_ACCOUNT", HoldLimit::new(6, 1200)),
                device: reader.parse_or("BOOKING_UNPAID_PER_DEVICE", HoldLimit::new(8, 1200)),
                network: reader.parse_or("BOOKING_UNPAID_PER_NETWORK", HoldLimit::new(200, 1)),
            },
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

    /// The same by another revision. Its texts are kept before a client can be shown them.
    ///
    /// # Errors
    /// As above, or its time zone is another than that of sessions to come.
    pub async fn renewed(
        &self,
        folder: &Path,
        former: &App,
        peers: &Peers,
        shutdown: &Shutdown,
    ) -> anyhow::Result<Arc<App>> {
        let app = self.app_after(folder, peers, former)?;
        prepare(&app, folder, shutdown).await?;
        Ok(app)
    }

    /// What commands work with, made of the settings and of the practice's files in a folder.
    ///
    /// # Errors
    /// The practice's files are invalid, or a setting cannot be used.
    fn app(&self, folder: &Path, peers: &Peers) -> anyhow::Result<Arc<App>> {
        let store = Store::new(Database::new(self.database_url.expose_secret()).open()?);
        let widget_visits = WidgetVisits::new(self.feed_key.current())?;
        self.app_with(folder, peers, (store, widget_visits))
    }

    /// The same for another revision of the files, with what is counted and open already.
    fn app_after(&self, folder: &Path, peers: &Peers, former: &App) -> anyhow::Result<Arc<App>> {
        let stays = (former.store.clone(), former.widget_visits.clone());
        self.app_with(folder, peers, stays)
    }

    fn app_with(
        &self,
        folder: &Path,
        peers: &Peers,
        (store, widget_visits): (Store, WidgetVisits),
    ) -> anyhow::Result<Arc<App>> {
        let practice = practice::load(folder)?;
        if self.scheduling.is_none() && !practice.scheduling_widgets.is_empty() {
            anyhow::bail!(
                "practice.toml has scheduling_widgets, and BOOKING_SCHEDULING_URL is not set"
            );
        }
        let consent = ConsentSettings {
            terms: practice::consent::load(folder, &practice)?,
            fingerprints: fingerprints(&self.consent_key)?,
        };
        Ok(Arc::new(App {
            store,
            rules: Rules::of(&practice),
            practitioners: Practitioners::of(&practice),
            day_snapshots: DaySnapshotCache::new(),
            group_commit: GroupCommit::new(),
            scheduling: match &self.scheduling {
                None => Scheduling::Own,
                Some(it) => {
                    Scheduling::External(Provider::new(&it.url, &it.user, it.token.clone())?)
                }
            },
            calendars: Calendars::new(
                &practice,
                &self.calendars.secrets,
                self.calendars.sandbox.as_ref(),
            )?,
            meetings: Meetings::new(&practice, &self.meetings, self.feed_key.current())?,
            practice,
            catalogue: Catalogue::new(&self.neighbours.catalogue_url, peers)?,
            public_url: self.public_url.clone(),
            feed_secrets: FeedSecrets::new(&self.feed_key)?,
            page_keys: PageKeys::new(&self.feed_key)?,
            invitation_keys: InvitationKeys::new(&self.feed_key)?,
            consent,
            consent_codes: ConsentCodes::new(self.feed_key.current())?,
            claim_policy: self.claim_policy,
            hold_limits: self.hold_limits,
            origin_hashes: OriginHashes::new(&self.feed_key)?,
            widget_visits,
        }))
    }
}

fn fingerprints(key: &RotatedSecret) -> Result<Fingerprints, WeakKey> {
    let current = Fingerprints::new(key.current().expose_secret())?;
    match key.previous() {
        Some(previous) => current.with_previous(previous.expose_secret()),
        None => Ok(current),
    }
}

/// Reads the settings of `migrate`.
pub fn migration(reader: &mut Reader<'_>) -> MigrationConfig {
    MigrationConfig {
        owner_url: reader.secret("BOOKING_MIGRATION_DATABASE_URL"),
        database_url: reader.secret("BOOKING_DATABASE_URL"),
    }
}

#[cfg(test)]
mod tests;
