//! The state that all parts of the sandbox share: settings, the store, the faults and one HTTP
//! client.

use std::collections::BTreeSet;
use std::io;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use tokio::sync::watch;

use crate::calendar_files::Calendars;
use crate::checkout_log::CheckoutLog;
use crate::faults::Faults;
use crate::scheduled_events::Scheduling;
use crate::settings::{Account, Timing};
use crate::store::Store;
use crate::zoom_meetings::Zoom;

pub(crate) type SharedState = Arc<AppState>;

pub(crate) struct AppState {
    pub(crate) account: Account,
    pub(crate) timing: Timing,
    pub(crate) meeting_token: String,
    /// The bearer token that the sender of messages expects.
    pub(crate) message_key: String,
    pub(crate) oidc: crate::oidc::provider::Oidc,
    /// The base of this process's address for browsers and services, without a trailing slash.
    pub(crate) public_url: String,
    /// The base of the checkout frame's address, without a trailing slash.
    pub(crate) frame_url: String,
    /// The host names under which it answers.
    pub(crate) hosts: Vec<String>,
    pub(crate) checkout_log: CheckoutLog,
    pub(crate) faults: Faults,
    pub(crate) calendars: Calendars,
    pub(crate) scheduling: Scheduling,
    pub(crate) pushes: crate::push_log::Pushes,
    pub(crate) zoom: Zoom,
    pub(crate) switches: crate::switches::AccountSwitches,
    /// Idempotency keys of refunds that were refused because of a low balance: they stay refused.
    pub(crate) refused_keys: Mutex<BTreeSet<String>>,
    pub(crate) http: reqwest::Client,
    /// Counts delivered webhooks. A reordered webhook waits for the next one.
    pub(crate) arrived: watch::Sender<u64>,
    store: Mutex<Store>,
}

impl AppState {
    pub(crate) fn new(
        settings: crate::settings::Settings,
        (public_url, frame_url): (String, String),
        store: Store,
    ) -> Result<SharedState, reqwest::Error> {
        // This fails only when a provider is already installed, which is just as good.
        drop(rustls::crypto::ring::default_provider().install_default());
        let http = reqwest::Client::builder()
            .timeout(settings.timing.webhook_timeout)
            .redirect(reqwest::redirect::Policy::none())
            .no_proxy()
            .build()?;
        let hosts = crate::host_names::names([&public_url, &frame_url], &settings.hosts);
        Ok(Arc::new(Self {
            hosts,
            account: settings.account,
            timing: settings.timing,
            meeting_token: settings.meeting_token,
            message_key: settings.message_key,
            oidc: crate::oidc::provider::Oidc::new(settings.oidc),
            public_url,
            frame_url,
            checkout_log: CheckoutLog::default(),
            faults: Faults::default(),
            calendars: Calendars::default(),
            scheduling: Scheduling::default(),
            pushes: crate::push_log::Pushes::default(),
            zoom: Zoom::default(),
            switches: crate::switches::AccountSwitches::default(),
            refused_keys: Mutex::default(),
            http,
            arrived: watch::Sender::new(0),
            store: Mutex::new(store),
        }))
    }

    /// The store, for one read or one change. It is never held across an await.
    pub(crate) fn store(&self) -> MutexGuard<'_, Store> {
        self.store.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes one change.
    pub(crate) fn commit(&self, change: crate::store::rows::Change) -> io::Result<()> {
        self.store().commit(vec![change])
    }
}
