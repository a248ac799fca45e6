//! The processes of a practice, and the settings of each.
use crate::options::{Form, Options};
use crate::practice;
use crate::supervise::ProcessSpec;
use anyhow::Result;
use kernel::PaymentProvider;
use machine::certificates::Certificates;
use machine::databases;
use machine::environment::Environment;
use machine::inheritance;
use machine::keys;
use machine::nats::Broker;
use machine::paths::Paths;
use machine::run_state::Addresses;
use machine::secrets::{CALLERS, SecretStore};
use machine::settings::Settings;
use serde_json::json;
use std::collections::BTreeMap;
use std::sync::Arc;

/// The client id of the identity server at the sandbox's OpenID provider.
const OIDC_CLIENT: &str = "sukoon";
/// The services, in the order in which a booking uses them.
pub(crate) const SERVICES: [&str; 6] =
    ["catalogue", "identity", "booking", "payments", "notifications", "reviews"];
/// All processes that run our own programs.
pub(crate) const PROGRAMS: [&str; 8] = [
    "sandbox",
    "catalogue",
    "identity",
    "booking",
    "payments",
    "notifications",
    "reviews",
    "gateway",
];
/// The program that contains all services; its first argument selects one.
pub(crate) const SERVICES_PROGRAM: &str = "services";
/// The most connections of a service to its database in the small form. One practice's loops and
/// requests take turns with two, and each connection costs PostgreSQL some 5 MiB.
const SMALL_CONNECTIONS_MAX: u32 = 2;
/// The purpose of the port at which a process tells its metrics.
pub(crate) const METRICS: &str = "metrics";
/// Internal ports, each with the process that listens on it and its purpose.
pub(crate) const INTERNAL_PORTS: [(&str, &str); 20] = [
    ("postgres", "postgres"),
    ("nats", "nats"),
    ("catalogue", "grpc"),
    ("identity", "grpc"),
    ("identity", "http"),
    ("booking", "grpc"),
    ("payments", "grpc"),
    ("payments", "http"),
    ("notifications", "grpc"),
    ("reviews", "grpc"),
    ("reviews", "http"),
    ("gateway", "inner"),
    ("sandbox", "smtp"),
    ("catalogue", METRICS),
    ("identity", METRICS),
    ("booking", METRICS),
    ("payments", METRICS),
    ("notifications", METRICS),
    ("reviews", METRICS),
    ("gateway", METRICS),
];

/// Ports by `<part> <purpose>`.
pub(crate) type Ports = BTreeMap<String, u16>;

/// The inputs from which each process's settings are built.
pub(crate) struct SpecBuilder<'a> {
    /// The operator's environment.
    pub(crate) environment: &'a Environment,
    /// The paths.
    pub(crate) paths: &'a Paths,
    /// The practice's addresses and limits.
    pub(crate) options: &'a Options,
    /// The internal ports.
    pub(crate) ports: &'a Ports,
    /// The services' databases.
    pub(crate) databases: &'a BTreeMap<String, Addresses>,
    /// The server of NATS; none in the small form.
    pub(crate) broker: Option<&'a Broker>,
    /// The certificates of the processes; without them they speak in the clear, on this machine.
    pub(crate) certificates: Option<&'a Certificates>,
}

impl SpecBuilder<'_> {
    /// One of our processes with its settings.
    pub(crate) fn process_spec(
        &self,
        name: &'static str,
        secret_store: &mut SecretStore,
    ) -> Result<ProcessSpec> {
        // What follows overrides what is inherited.
        let pairs = inheritance::of(name, self.environment);
        let mut settings =
            Settings { process: name, secrets: secret_store, secrets_at: None, pairs };
        settings.set_default("SUKOON_MODE", "development");
        settings.set_default("LOG_FILTER", "info");
        settings.set_default("LOG_FORMAT", "text");
        settings.set("PUBLIC_URL", &self.options.public_url);
        settings.set_default(inheritance::MALLOC_CONF, inheritance::JEMALLOC_CONF);
        if name == "sandbox" {
            self.sandbox(&mut settings)?;
        } else {
            // Each process has a port of its own for them, on this machine only.
            settings.set("METRICS_LISTEN", self.internal_address(name, METRICS));
            // The gateway calls no internal method, so it has no key for one.
            if name != "gateway" {
                self.call_keys(name, &mut settings)?;
            }
            self.addresses(&mut settings);
            for (setting, path) in self.certificates.iter().flat_map(|it| it.settings(name)) {
                settings.set(setting, path);
            }
        }
        if let Some(url) = self.broker.and_then(|broker| broker.url(name)) {
            settings.set_secret("NATS_URL", &url)?;
        }
        match name {
            "booking" => self.booking(&mut settings)?,
            "payments" => self.payments(&mut settings)?,
            "notifications" => self.notifications(&mut settings)?,
            "identity" => self.identity(&mut settings)?,
            "reviews" => self.reviews(&mut settings)?,
            "gateway" => self.gateway(&mut settings),
            _ => {}
        }
        let mut part = self.program(name);
        part.environment = settings.pairs;
        part.owner_settings = self.owner_settings(name, secret_store)?;
        if name == "identity" {
            let folder = self.paths.data.join("secrets");
            part.current_settings = Some(Arc::new(move || keys::identity_settings(&folder)));
        }
        part.ports = self.ports_of(name);
        Ok(part)
    }

    /// All services are one program, so that their processes share its code in memory.
    fn program(&self, name: &'static str) -> ProcessSpec {
        if name == "sandbox" {
            return ProcessSpec::new(name, self.paths.programs.join(name));
        }
        ProcessSpec::new(name, self.paths.programs.join(SERVICES_PROGRAM)).with_argument(name)
    }

    fn port(&self, part: &str, purpose: &str) -> u16 {
        self.ports.get(&format!("{part} {purpose}")).copied().unwrap_or_default()
    }

    pub(crate) fn internal_address(&self, part: &str, purpose: &str) -> String {
        format!("127.0.0.1:{}", self.port(part, purpose))
    }

    fn internal_url(&self, part: &str, purpose: &str) -> String {
        let scheme = if self.certificates.is_some() { "https" } else { "http" };
        format!("{scheme}://{}", self.internal_address(part, purpose))
    }

    /// The ports of a part; in the small form all tell their metrics at the same one.
    pub(crate) fn ports_of(&self, name: &str) -> BTreeMap<String, u16> {
        let own = |(key, port): (&String, &u16)| {
            let (part, purpose) = key.split_once(' ')?;
            (part == name).then(|| (purpose.to_owned(), *port))
        };
        let mut ports: BTreeMap<String, u16> = self.ports.iter().filter_map(own).collect();
        if self.options.form == Form::Small && ports.contains_key(METRICS) {
            ports.insert(METRICS.to_owned(), self.port("gateway", METRICS));
        }
        match name {
            "gateway" => drop(ports.insert("http".to_owned(), self.options.port)),
            "sandbox" => drop(ports.insert("http".to_owned(), self.options.sandbox_port)),
            _ => {}
        }
        ports
    }

    fn sandbox_internal_url(&self) -> String {
        format!("http://127.0.0.1:{}", self.options.sandbox_port)
    }

    fn sandbox(&self, settings: &mut Settings<'_>) -> Result<()> {
        let listen = format!("{}:{}", self.options.host, self.options.sandbox_port);
        // With certificates payments takes no call but the gateway's, as it does of the real one.
        let receiver = match self.certificates {
            Some(_) => format!("http://127.0.0.1:{}", self.options.port),
            None => self.internal_url("payments", "http"),
        };
        let webhook = format!("{receiver}{}", PaymentProvider::FIRST.webhook_path);
        settings.set("SANDBOX_LISTEN", listen);
        settings.set("SANDBOX_SMTP_LISTEN", self.internal_address("sandbox", "smtp"));
        settings.set("SANDBOX_PUBLIC_URL", &self.options.sandbox_url);
        settings.set("SANDBOX_FRAME_URL", &self.options.frame_url);
        let key_id = key_id(settings.secrets)?;
        settings.set("SANDBOX_KEY_ID", key_id);
        settings.set("SANDBOX_WEBHOOK_URL", webhook);
        settings.set("SANDBOX_OIDC_CLIENT_ID", OIDC_CLIENT);
        for (name, word) in [
            ("SANDBOX_KEY_SECRET", "provider-key-secret"),
            ("SANDBOX_WEBHOOK_SECRET", "provider-webhook-secret"),
            ("SANDBOX_MEETING_TOKEN", "meeting-token"),
            ("SANDBOX_MESSAGE_KEY", "message-key"),
            ("SANDBOX_OIDC_CLIENT_SECRET", "oidc-secret"),
        ] {
            let value = settings.secrets.get_or_create(word)?;
            settings.set(name, value);
        }
        let data = self.paths.data.join("sandbox");
        settings.set("SANDBOX_DATA", data.to_string_lossy());
        Ok(())
    }

    fn call_keys(&self, name: &str, settings: &mut Settings<'_>) -> Result<()> {
        let own = settings.secrets.private_key(&format!("caller-{name}"))?;
        let public = settings.secrets.public_keys("caller-", &CALLERS)?;
        settings.set_secret("CALLER_PRIVATE_KEY", &own)?;
        settings.set("CALLER_PUBLIC_KEYS", public);
        Ok(())
    }

    /// Adds the addresses of all services.
    fn addresses(&self, settings: &mut Settings<'_>) {
        // The path is absolute, because the processes run in another folder.
        settings.set("PRACTICE_DIR", practice::store(self.paths).files().to_string_lossy());
        for service in SERVICES {
            let upper = service.to_uppercase();
            settings.set(&format!("{upper}_LISTEN"), self.internal_address(service, "grpc"));
            // IDENTITY_URL is the URL of identity's HTTP server, see below.
            if service != "identity" {
                settings.set(&format!("{upper}_URL"), self.internal_url(service, "grpc"));
            }
        }
        settings.set("IDENTITY_GRPC_URL", self.internal_url("identity", "grpc"));
        settings.set("PAYMENTS_HTTP_URL", self.internal_url("payments", "http"));
        settings.set("REVIEWS_HTTP_URL", self.internal_url("reviews", "http"));
        let embedded = self.internal_url("identity", "http");
        let identity = self.environment.get("IDENTITY_URL").unwrap_or(&embedded).to_owned();
        let keys = format!("{}/.well-known/jwks.json", identity.trim_end_matches('/'));
        settings.set_default("TOKEN_JWKS_URL", keys);
        settings.set("IDENTITY_URL", identity);
        settings.set_default("TOKEN_ISSUER", format!("{}/auth/v1", self.options.public_url));
    }

    fn database(&self, service: &str, settings: &mut Settings<'_>) -> Result<()> {
        let Some(addresses) = self.databases.get(service) else { return Ok(()) };
        let name = format!("{}_DATABASE_URL", service.to_uppercase());
        let Form::Small = self.options.form else {
            return settings.set_secret(&name, &addresses.url);
        };
        let mark = if addresses.url.contains('?') { '&' } else { '?' };
        let limit = SMALL_CONNECTIONS_MAX;
        settings.set_secret(&name, &format!("{}{mark}connection_limit={limit}", addresses.url))
    }

    /// The database's address for its owner, which no process that serves may have.
    fn owner_settings(
        &self,
        service: &str,
        secret_store: &SecretStore,
    ) -> Result<Vec<(String, String)>> {
        let Some(addresses) = self.databases.get(service) else { return Ok(Vec::new()) };
        let name = format!("{}_MIGRATION_DATABASE_URL", service.to_uppercase());
        let owner = format!("{service}-owner");
        let path = secret_store.setting_file(&owner, &name, &addresses.migration_url)?;
        Ok(vec![(format!("{name}_FILE"), path.to_string_lossy().into_owned())])
    }

    fn booking(&self, settings: &mut Settings<'_>) -> Result<()> {
        self.database("booking", settings)?;
        settings.set("BOOKING_MEETING_URL", self.sandbox_internal_url());
        settings.set_word("BOOKING_MEETING_TOKEN", "meeting-token")?;
        settings.set_signing_word("BOOKING_CONSENT_KEY", "booking-consent-key")?;
        settings.set_signing_word("BOOKING_FEED_KEY", "booking-feed-key")?;
        // "sandbox" tries an external scheduling provider.
        if self.environment.get("BOOKING_SCHEDULING_URL") == Some("sandbox") {
            let provider = format!("{}/scheduling", self.options.sandbox_url);
            settings.set("BOOKING_SCHEDULING_USER", format!("{provider}/users/OWNER"));
            settings.set("BOOKING_SCHEDULING_URL", provider);
            settings.set_word("BOOKING_SCHEDULING_TOKEN", "meeting-token")?;
        }
        // Production refuses it; a practice that tries itself may read the sandbox's calendars.
        if self.environment.get("SUKOON_MODE") != Some("production") {
            let sandbox = self.sandbox_internal_url();
            // A trial needs only the block of a calendar with this id in practice.toml.
            let secrets = json!({ "sandbox": format!("{sandbox}/calendars/lead.ics") });
            settings.set("BOOKING_CALENDAR_SANDBOX_URL", sandbox);
            settings.set_default("BOOKING_CALENDAR_SECRETS", secrets.to_string());
        }
        Ok(())
    }

    fn payments(&self, settings: &mut Settings<'_>) -> Result<()> {
        self.database("payments", settings)?;
        settings.set("PAYMENTS_HTTP_LISTEN", self.internal_address("payments", "http"));
        settings.set("PAYMENTS_PROVIDER_URL", format!("{}/v1", self.sandbox_internal_url()));
        settings.set("PAYMENTS_CHECKOUT_SCRIPT_URL", self.checkout_script());
        let key_id = key_id(settings.secrets)?;
        settings.set("PAYMENTS_KEY_ID", key_id);
        settings.set_word("PAYMENTS_KEY_SECRET", "provider-key-secret")?;
        settings.set_word("PAYMENTS_WEBHOOK_SECRET", "provider-webhook-secret")?;
        Ok(())
    }

    fn notifications(&self, settings: &mut Settings<'_>) -> Result<()> {
        self.database("notifications", settings)?;
        let server = format!("smtp://{}", self.internal_address("sandbox", "smtp"));
        settings.set_secret("NOTIFICATIONS_SMTP_URL", &server)?;
        settings.set_default("NOTIFICATIONS_SENDER", "Sukoon <hello@sukoon.example>");
        settings.set_signing_word("NOTIFICATIONS_ADDRESS_KEY", "notifications-address-key")?;
        Ok(())
    }

    fn identity(&self, settings: &mut Settings<'_>) -> Result<()> {
        self.database("identity", settings)?;
        settings.set("IDENTITY_HTTP_LISTEN", self.internal_address("identity", "http"));
        let signing = settings.secrets.private_key("identity-signing")?;
        settings.set_secret("IDENTITY_SIGNING_KEY", &signing)?;
        settings.set_word("IDENTITY_CODE_KEY", "identity-code-key")?;
        // A person who tries the practice should not have to read a mail first. Identity refuses
        // this in production.
        if self.environment.get("SUKOON_MODE") != Some("production") {
            settings.set_default("IDENTITY_CONFIRM_EMAIL", "false");
            // Tests ask a trial for more mails than people ask a practice for.
            settings.set_default("IDENTITY_CODE_MAILS_PER_HOUR", "100000");
        }
        // "sandbox" tries signing in by phone, and at another provider.
        if self.environment.get("IDENTITY_SMS_URL") == Some("sandbox") {
            settings.set("IDENTITY_SMS_URL", format!("{}/messages", self.sandbox_internal_url()));
            settings.set_word("IDENTITY_SMS_KEY", "message-key")?;
        }
        if self.environment.get("IDENTITY_KEYCLOAK_ISSUER") == Some("sandbox") {
            let issuer = format!("{}/oidc", self.options.sandbox_url);
            settings.set("IDENTITY_KEYCLOAK_ISSUER", issuer);
            settings.set("IDENTITY_KEYCLOAK_CLIENT_ID", OIDC_CLIENT);
            settings.set_word("IDENTITY_KEYCLOAK_SECRET", "oidc-secret")?;
        }
        Ok(())
    }

    /// The operator decides how the admin panel is unlocked: `ADMIN_PASSPHRASE_HASH` is passed on
    /// from the environment. Pictures can be stored in a bucket instead of the folder.
    fn reviews(&self, settings: &mut Settings<'_>) -> Result<()> {
        self.database("reviews", settings)?;
        let pictures = format!("file://{}", self.paths.data.join("pictures").to_string_lossy());
        settings.set("REVIEWS_HTTP_LISTEN", self.internal_address("reviews", "http"));
        settings.set_signing_word("REVIEWS_INVITATION_KEY", "reviews-invitation-key")?;
        settings.set_default("REVIEWS_PICTURES_URL", pictures);
        Ok(())
    }

    fn gateway(&self, settings: &mut Settings<'_>) {
        let web = practice::store(self.paths).pages();
        settings.set("GATEWAY_LISTEN", format!("{}:{}", self.options.host, self.options.port));
        settings.set("GATEWAY_INNER_LISTEN", self.internal_address("gateway", "inner"));
        settings.set_default("GATEWAY_WEB_DIR", web.to_string_lossy());
        settings.set("GATEWAY_CHECKOUT_ORIGINS", self.options.checkout_origins().join(" "));
        // The gateway refuses to start when the origins above do not include this script's.
        settings.set("PAYMENTS_CHECKOUT_SCRIPT_URL", self.checkout_script());
    }

    /// The URL of the provider's checkout script.
    fn checkout_script(&self) -> String {
        format!("{}/v1/checkout.js", self.options.sandbox_url)
    }
}

/// The provider's public key id, in the form of the provider's test accounts.
pub(crate) fn key_id(secret_store: &mut SecretStore) -> Result<String> {
    let word = secret_store.get_or_create("provider-key-id")?;
    Ok(format!("rzp_test_{}", word.get(..14).unwrap_or(&word)))
}

/// Whether a service has a database and therefore migrations.
pub(crate) fn migrates(name: &str) -> bool {
    databases::SERVICES.contains(&name)
}

#[cfg(test)]
mod tests;
