//! The settings of an installed practice's processes, each in the file of its unit. Secrets are not
//! in it: systemd hands them to the unit as credentials, files that only its own user can read.
use crate::inheritance::MALLOC_CONF;
use crate::paths;
use crate::process_specs::{CALLERS, JEMALLOC_CONF};
use crate::secrets::{self, SecretStore};
use crate::vm::decisions::Decisions;
use crate::vm::layout::Layout;
use anyhow::Result;

/// The ports of everything that listens, on loopback.
pub(crate) const POSTGRES_PORT: u16 = 7432;
const NATS_PORT: u16 = 7422;
const GATEWAY_PORT: u16 = 7480;
/// The gateway's port for those on this machine: its health report.
pub(crate) const INNER_PORT: u16 = 7481;
/// The services with their ports for gRPC and, if they have one, for HTTP.
pub(super) const SERVICES: [(&str, u16, Option<u16>); 6] = [
    ("catalogue", 7501, None),
    ("identity", 7502, Some(7602)),
    ("booking", 7503, None),
    ("payments", 7504, Some(7604)),
    ("notifications", 7505, None),
    ("reviews", 7506, Some(7606)),
];
/// The services that store their data in a database.
const STORES: [&str; 5] = crate::databases::SERVICES;
/// The connections of a service. PostgreSQL needs some 5 MiB for each, and a service's loops soon
/// have all of them open; one core does no more with more of them.
const CONNECTIONS_MAX: u32 = 3;
/// Where the metrics of processes are told, on loopback, each after the one before.
const METRICS_PORT: u16 = 7701;

/// The settings of one file.
#[derive(Debug)]
pub(super) struct Settings<'a> {
    layout: &'a Layout,
    name: &'static str,
    lines: Vec<String>,
}

impl<'a> Settings<'a> {
    /// Those of the file with this name; none yet.
    pub(super) const fn of(layout: &'a Layout, name: &'static str) -> Self {
        Self { layout, name, lines: Vec::new() }
    }

    /// Sets one; no value has a single quote, which `Decisions` refuses and our own secrets lack.
    pub(super) fn set(&mut self, name: &str, value: impl AsRef<str>) {
        self.lines.push(format!("{name}='{}'", value.as_ref()));
    }

    /// Names the file of a secret.
    pub(super) fn set_secret(
        &mut self,
        name: &str,
        value: &str,
        secret_store: &SecretStore,
    ) -> Result<()> {
        secret_store.setting_file(self.name, name, value)?;
        self.set(&format!("{name}_FILE"), format!("{}{name}", credentials(self.layout, self.name)));
        Ok(())
    }

    /// The same for a word of the secrets, which is made if it is missing.
    fn set_word(&mut self, name: &str, word: &str, secret_store: &mut SecretStore) -> Result<()> {
        let value = secret_store.get_or_create(word)?;
        self.set_secret(name, &value, secret_store)
    }

    /// The same for a word that signs: the one before it is accepted, if there is one.
    fn set_signing_word(
        &mut self,
        name: &str,
        word: &str,
        secret_store: &mut SecretStore,
    ) -> Result<()> {
        if let Some(previous) = secret_store.get(&format!("{word}-previous")) {
            self.set_secret(&format!("{name}_PREVIOUS"), &previous, secret_store)?;
        }
        self.set_word(name, word, secret_store)
    }

    /// Writes the file, and makes the folder of the unit's secrets if it has none.
    pub(super) fn write(&self) -> Result<()> {
        let folder = self.layout.secrets().join("settings");
        paths::create_private(&folder)?;
        paths::create_private(&folder.join(self.name))?;
        let text = format!("# Written by `sukoon init`.\n{}\n", self.lines.join("\n"));
        secrets::write_private(&self.layout.environment_file(self.name), text.as_bytes())
    }

    /// What all processes are told.
    pub(super) fn practice(
        &mut self,
        decisions: &Decisions,
        secret_store: &SecretStore,
    ) -> Result<()> {
        let public = format!("https://{}", decisions.domain);
        self.set("SUKOON_MODE", "production");
        self.set("LOG_FILTER", "info");
        self.set("LOG_FORMAT", "json");
        self.set("TOKIO_WORKER_THREADS", "2");
        self.set(MALLOC_CONF, JEMALLOC_CONF);
        self.set("PUBLIC_URL", &public);
        self.set("PRACTICE_DIR", self.layout.rooted("/etc/sukoon/practice"));
        for (service, grpc, http) in SERVICES {
            let upper = service.to_uppercase();
            let name = if service == "identity" { "IDENTITY_GRPC" } else { upper.as_str() };
            self.set(&format!("{name}_URL"), format!("http://127.0.0.1:{grpc}"));
            if let Some(port) = http.filter(|_| service != "identity") {
                self.set(&format!("{upper}_HTTP_URL"), format!("http://127.0.0.1:{port}"));
            }
        }
        self.set("IDENTITY_URL", "http://127.0.0.1:7602");
        self.set("TOKEN_JWKS_URL", "http://127.0.0.1:7602/.well-known/jwks.json");
        self.set("TOKEN_ISSUER", format!("{public}/auth/v1"));
        self.set("CALLER_PUBLIC_KEYS", secret_store.public_keys("caller-", &CALLERS)?);
        self.set("PAYMENTS_CHECKOUT_SCRIPT_URL", &decisions.payments.checkout_script_url);
        Ok(())
    }

    /// What the gateway is told. It calls no internal method, so it has no key for one.
    pub(super) fn gateway(&mut self) {
        self.set("GATEWAY_LISTEN", format!("127.0.0.1:{GATEWAY_PORT}"));
        self.set("GATEWAY_INNER_LISTEN", format!("127.0.0.1:{INNER_PORT}"));
        self.set("GATEWAY_WEB_DIR", "/usr/share/sukoon/web");
        self.set("GATEWAY_TRUST_PROXY", "true");
        self.metrics("gateway");
    }

    fn metrics(&mut self, process: &str) {
        for (_, port) in metrics_ports().filter(|(name, _)| *name == process) {
            self.set("METRICS_LISTEN", format!("127.0.0.1:{port}"));
        }
    }

    /// What one of the services is told.
    pub(super) fn service(
        &mut self,
        service: &str,
        decisions: &Decisions,
        secret_store: &mut SecretStore,
    ) -> Result<()> {
        let key = secret_store.private_key(&format!("caller-{service}"))?;
        self.set_secret("CALLER_PRIVATE_KEY", &key, secret_store)?;
        let upper = service.to_uppercase();
        for (name, grpc, http) in SERVICES.into_iter().filter(|(name, ..)| *name == service) {
            self.set(&format!("{upper}_LISTEN"), format!("127.0.0.1:{grpc}"));
            if let Some(port) = http {
                self.set(&format!("{upper}_HTTP_LISTEN"), format!("127.0.0.1:{port}"));
            }
            if STORES.contains(&name) {
                let address = url(self.layout, name, name, secret_store)?;
                self.set_secret(&format!("{upper}_DATABASE_URL"), &address, secret_store)?;
            }
        }
        if let Some(word) = crate::nats::users(secret_store)?.get(service) {
            let address = format!("nats://{service}:{word}@127.0.0.1:{NATS_PORT}");
            self.set_secret("NATS_URL", &address, secret_store)?;
        }
        self.metrics(service);
        self.purpose(service, decisions, secret_store)
    }

    /// What only this service is told.
    fn purpose(
        &mut self,
        service: &str,
        decisions: &Decisions,
        secret_store: &mut SecretStore,
    ) -> Result<()> {
        match service {
            "booking" => {
                let meetings = &decisions.meetings;
                self.set("BOOKING_MEETING_URL", &meetings.url);
                self.set_secret("BOOKING_MEETING_TOKEN", &meetings.token, secret_store)?;
                self.set_signing_word("BOOKING_CONSENT_KEY", "booking-consent-key", secret_store)?;
                self.set_signing_word("BOOKING_FEED_KEY", "booking-feed-key", secret_store)
            }
            "payments" => {
                let payments = &decisions.payments;
                self.set("PAYMENTS_PROVIDER_URL", &payments.url);
                self.set("PAYMENTS_KEY_ID", &payments.key_id);
                if !payments.account_id.is_empty() {
                    self.set("PAYMENTS_ACCOUNT_ID", &payments.account_id);
                }
                self.set_secret("PAYMENTS_KEY_SECRET", &payments.key_secret, secret_store)?;
                self.set_secret("PAYMENTS_WEBHOOK_SECRET", &payments.webhook_secret, secret_store)
            }
            "notifications" => {
                self.set("NOTIFICATIONS_SENDER", &decisions.mail.sender);
                self.set_secret("NOTIFICATIONS_SMTP_URL", &decisions.mail.url, secret_store)?;
                let word = "notifications-address-key";
                self.set_signing_word("NOTIFICATIONS_ADDRESS_KEY", word, secret_store)
            }
            "identity" => {
                let signing = secret_store.private_key("identity-signing")?;
                self.set_secret("IDENTITY_SIGNING_KEY", &signing, secret_store)?;
                self.set_word("IDENTITY_CODE_KEY", "identity-code-key", secret_store)
            }
            "reviews" => {
                let pictures = self.layout.rooted("/var/lib/sukoon/reviews/pictures");
                self.set("REVIEWS_PICTURES_URL", format!("file://{pictures}"));
                self.set_signing_word(
                    "REVIEWS_INVITATION_KEY",
                    "reviews-invitation-key",
                    secret_store,
                )
            }
            _ => Ok(()),
        }
    }

    /// What the migrations are told, who own the databases.
    pub(super) fn migrations(&mut self, secret_store: &mut SecretStore) -> Result<()> {
        for service in STORES {
            let upper = service.to_uppercase();
            let own = url(self.layout, service, service, secret_store)?;
            self.set_secret(&format!("{upper}_DATABASE_URL"), &own, secret_store)?;
            let owner = url(self.layout, &format!("{service}_owner"), service, secret_store)?;
            self.set_secret(&format!("{upper}_MIGRATION_DATABASE_URL"), &owner, secret_store)?;
        }
        Ok(())
    }

    /// What the checker is told: how to read everything, and to write nothing.
    pub(super) fn checker(
        &mut self,
        decisions: &Decisions,
        secret_store: &mut SecretStore,
    ) -> Result<()> {
        for service in STORES {
            let reader = url(self.layout, &format!("{service}_reader"), service, secret_store)?;
            self.set(&format!("{}_DATABASE_URL", service.to_uppercase()), reader);
        }
        self.set("PAYMENTS_PROVIDER_URL", &decisions.payments.url);
        self.set("PAYMENTS_KEY_ID", &decisions.payments.key_id);
        self.set("PAYMENTS_KEY_SECRET", &decisions.payments.key_secret);
        Ok(())
    }

    /// What alarms need.
    pub(super) fn alarm(&mut self, decisions: &Decisions) {
        self.set("SUKOON_OPERATOR_EMAIL", &decisions.operator);
        self.set("SUKOON_METRICS_PORTS", named_metrics_ports());
        self.set("NOTIFICATIONS_SMTP_URL", &decisions.mail.url);
        self.set("NOTIFICATIONS_SENDER", &decisions.mail.sender);
    }
}

/// The beginning of the paths under which a unit reads its secrets. A unit names their folder as
/// `LoadCredential=secret:…`; on trial, where there are no units, it is the folder itself.
pub(crate) fn credentials(layout: &Layout, name: &str) -> String {
    if !layout.is_the_machine() {
        return format!("{}/settings/{name}/", layout.secrets().display());
    }
    let unit = match name {
        "migrate" => "sukoon-migrate.service".to_owned(),
        service => format!("sukoon@{service}.service"),
    };
    format!("/run/credentials/{unit}/secret_")
}

/// The address of a database for a role.
fn url(
    layout: &Layout,
    role: &str,
    database: &str,
    secret_store: &mut SecretStore,
) -> Result<String> {
    let word = secret_store.get_or_create(&format!("postgres-{role}"))?;
    let address = format!("postgres://{role}:{word}@127.0.0.1:{POSTGRES_PORT}/{database}");
    // On trial the cluster has no port, which may be taken, but its socket alone.
    Ok(match layout.is_the_machine() {
        true => format!("{address}?connection_limit={CONNECTIONS_MAX}"),
        false => format!("{address}?host={}", layout.socket().display()),
    })
}

fn metrics_ports() -> impl Iterator<Item = (&'static str, u16)> {
    let services = SERVICES.into_iter().map(|(name, ..)| name);
    services.chain(["gateway"]).zip(METRICS_PORT..)
}

fn named_metrics_ports() -> String {
    metrics_ports().map(|(name, port)| format!("{name}={port}")).collect::<Vec<_>>().join(" ")
}
