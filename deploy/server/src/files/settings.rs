//! The settings of an installed practice's processes, each in the file of its unit. Secrets are not
//! in it: systemd hands them to the unit as credentials, files that only its own user can read.
use crate::decisions::Decisions;
use crate::layout::Layout;
use crate::push;
use anyhow::Result;
use machine::inheritance::{JEMALLOC_CONF, MALLOC_CONF};
use machine::paths;
use machine::secrets::CALLERS;
use machine::secrets::{self, SecretStore};
use machine::settings::Settings;

/// The first line of what is written, so that a person's own lines go elsewhere.
pub(super) const WRITTEN: &str = "\
# Written by `sukoon init`, which overwrites it. What is your own goes to own.env, Caddyfile.d or
# [settings] of the answers: /usr/share/sukoon/docs/SERVER.md.
";
/// The ports of everything that listens, on loopback.
pub(crate) const POSTGRES_PORT: u16 = 7432;
const NATS_PORT: u16 = 7422;
/// The gateway's port for visitors, whom Caddy brings.
pub(crate) const GATEWAY_PORT: u16 = 7480;
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
const STORES: [&str; 5] = machine::databases::SERVICES;
/// The connections of a service. PostgreSQL needs some 5 MiB for each, and a service's loops soon
/// have all of them open; one core does no more with more of them.
const CONNECTIONS_MAX: u32 = 3;
/// Where the metrics of processes are told, on loopback, each after the one before.
const METRICS_PORT: u16 = 7701;

/// Words in the names of secrets.
const SECRET: [&str; 5] = ["SECRET", "KEY", "TOKEN", "PASSWORD", "PASSPHRASE"];

/// The settings of one file.
#[derive(Debug)]
pub(super) struct UnitSettings<'a> {
    layout: &'a Layout,
    own: Settings<'a>,
}

impl<'a> UnitSettings<'a> {
    /// Those of the file with this name; none yet. No value has a single quote, which `Decisions`
    /// refuses and our own secrets lack.
    pub(super) fn of(
        layout: &'a Layout,
        name: &'static str,
        secret_store: &'a mut SecretStore,
    ) -> Self {
        let secrets_at = Some(credentials(layout, name));
        let (secrets, pairs) = (secret_store, Vec::new());
        Self { layout, own: Settings { process: name, secrets, secrets_at, pairs } }
    }

    /// Writes the file, and makes the folder of the unit's secrets if it has none.
    pub(super) fn write(&self) -> Result<()> {
        let folder = self.layout.secrets().join("settings");
        paths::create_private(&folder)?;
        paths::create_private(&folder.join(self.own.process))?;
        let text = format!("{WRITTEN}{}", self.own.lines());
        secrets::write_private(&self.layout.environment_file(self.own.process), text.as_bytes())
    }

    /// What all processes are told.
    pub(super) fn practice(&mut self, decisions: &Decisions) -> Result<()> {
        let public = format!("https://{}", decisions.domain);
        self.own.set("SUKOON_MODE", "production");
        self.own.set("LOG_FILTER", "info");
        self.own.set("LOG_FORMAT", "json");
        self.own.set("TOKIO_WORKER_THREADS", "2");
        self.own.set(MALLOC_CONF, JEMALLOC_CONF);
        self.own.set("PUBLIC_URL", &public);
        self.own.set("PRACTICE_DIR", self.layout.rooted("/etc/sukoon/practice"));
        for (service, grpc, http) in SERVICES {
            let upper = service.to_uppercase();
            let name = if service == "identity" { "IDENTITY_GRPC" } else { upper.as_str() };
            self.own.set(&format!("{name}_URL"), format!("http://127.0.0.1:{grpc}"));
            if let Some(port) = http.filter(|_| service != "identity") {
                self.own.set(&format!("{upper}_HTTP_URL"), format!("http://127.0.0.1:{port}"));
            }
        }
        self.own.set("IDENTITY_URL", "http://127.0.0.1:7602");
        self.own.set("TOKEN_JWKS_URL", "http://127.0.0.1:7602/.well-known/jwks.json");
        self.own.set("TOKEN_ISSUER", format!("{public}/auth/v1"));
        let callers = self.own.secrets.public_keys("caller-", &CALLERS)?;
        self.own.set("CALLER_PUBLIC_KEYS", callers);
        self.own.set("PAYMENTS_CHECKOUT_SCRIPT_URL", &decisions.payments.checkout_script_url);
        Ok(())
    }

    /// What the gateway is told. It calls no internal method, so it has no key for one.
    pub(super) fn gateway(&mut self) {
        self.own.set("GATEWAY_LISTEN", format!("127.0.0.1:{GATEWAY_PORT}"));
        self.own.set("GATEWAY_INNER_LISTEN", format!("127.0.0.1:{INNER_PORT}"));
        self.own.set("GATEWAY_WEB_DIR", "/usr/share/sukoon/web");
        self.own.set("GATEWAY_TRUST_PROXY", "true");
        self.metrics("gateway");
    }

    fn metrics(&mut self, process: &str) {
        for (_, port) in metrics_ports().filter(|(name, _)| *name == process) {
            self.own.set("METRICS_LISTEN", format!("127.0.0.1:{port}"));
        }
    }

    /// What one of the services is told.
    pub(super) fn service(&mut self, service: &str, decisions: &Decisions) -> Result<()> {
        let key = self.own.secrets.private_key(&format!("caller-{service}"))?;
        self.own.set_secret("CALLER_PRIVATE_KEY", &key)?;
        let upper = service.to_uppercase();
        for (name, grpc, http) in SERVICES.into_iter().filter(|(name, ..)| *name == service) {
            self.own.set(&format!("{upper}_LISTEN"), format!("127.0.0.1:{grpc}"));
            if let Some(port) = http {
                self.own.set(&format!("{upper}_HTTP_LISTEN"), format!("127.0.0.1:{port}"));
            }
            if STORES.contains(&name) {
                let address = url(self.layout, name, name, self.own.secrets)?;
                self.own.set_secret(&format!("{upper}_DATABASE_URL"), &address)?;
            }
        }
        if let Some(word) = machine::nats::users(self.own.secrets)?.get(service) {
            let address = format!("nats://{service}:{word}@127.0.0.1:{NATS_PORT}");
            self.own.set_secret("NATS_URL", &address)?;
        }
        self.metrics(service);
        self.purpose(service, decisions)
    }

    /// What only this service is told.
    fn purpose(&mut self, service: &str, decisions: &Decisions) -> Result<()> {
        match service {
            "booking" => {
                for setting in decisions.meetings.settings() {
                    if setting.is_secret {
                        self.own.set_secret(setting.name, setting.value)?;
                    } else {
                        self.own.set(setting.name, setting.value);
                    }
                }
                self.own.set_signing_word("BOOKING_CONSENT_KEY", "booking-consent-key")?;
                self.own.set_signing_word("BOOKING_FEED_KEY", "booking-feed-key")
            }
            "payments" => {
                let payments = &decisions.payments;
                self.own.set("PAYMENTS_PROVIDER_URL", &payments.url);
                self.own.set("PAYMENTS_KEY_ID", &payments.key_id);
                if !payments.account_id.is_empty() {
                    self.own.set("PAYMENTS_ACCOUNT_ID", &payments.account_id);
                }
                self.own.set_secret("PAYMENTS_KEY_SECRET", &payments.key_secret)?;
                self.own.set_secret("PAYMENTS_WEBHOOK_SECRET", &payments.webhook_secret)
            }
            "notifications" => {
                self.own.set("NOTIFICATIONS_SENDER", &decisions.mail.sender);
                self.own.set_secret("NOTIFICATIONS_SMTP_URL", &decisions.mail.url)?;
                let word = "notifications-address-key";
                self.own.set_signing_word("NOTIFICATIONS_ADDRESS_KEY", word)
            }
            "identity" => {
                let signing = self.own.secrets.private_key("identity-signing")?;
                self.own.set_secret("IDENTITY_SIGNING_KEY", &signing)?;
                self.own.set_word("IDENTITY_CODE_KEY", "identity-code-key")
            }
            "reviews" => {
                let pictures = self.layout.rooted("/var/lib/sukoon/reviews/pictures");
                self.own.set("REVIEWS_PICTURES_URL", format!("file://{pictures}"));
                self.own.set_signing_word("REVIEWS_INVITATION_KEY", "reviews-invitation-key")
            }
            _ => Ok(()),
        }
    }

    /// What the practice has decided beside that: it comes last.
    pub(super) fn own(&mut self, decisions: &Decisions) -> Result<()> {
        let part = decisions.settings.get(self.own.process);
        for (name, value) in part.into_iter().flatten() {
            if SECRET.iter().any(|word| name.contains(word)) {
                self.own.set_secret(name, value)?;
            } else {
                self.own.set(name, value);
            }
        }
        Ok(())
    }

    /// What the migrations are told, who own the databases.
    pub(super) fn migrations(&mut self) -> Result<()> {
        for service in STORES {
            let upper = service.to_uppercase();
            let own = url(self.layout, service, service, self.own.secrets)?;
            self.own.set_secret(&format!("{upper}_DATABASE_URL"), &own)?;
            let owner = url(self.layout, &format!("{service}_owner"), service, self.own.secrets)?;
            self.own.set_secret(&format!("{upper}_MIGRATION_DATABASE_URL"), &owner)?;
        }
        Ok(())
    }

    /// What the checker is told: how to read everything, and to write nothing.
    pub(super) fn checker(&mut self, decisions: &Decisions) -> Result<()> {
        for service in STORES {
            let reader = url(self.layout, &format!("{service}_reader"), service, self.own.secrets)?;
            self.own.set(&format!("{}_DATABASE_URL", service.to_uppercase()), reader);
        }
        self.own.set("PAYMENTS_PROVIDER_URL", &decisions.payments.url);
        self.own.set("PAYMENTS_KEY_ID", &decisions.payments.key_id);
        self.own.set("PAYMENTS_KEY_SECRET", &decisions.payments.key_secret);
        Ok(())
    }

    /// What alarms need.
    pub(super) fn alarm(&mut self, decisions: &Decisions) {
        self.own.set("SUKOON_OPERATOR_EMAIL", &decisions.operator);
        self.own.set("SUKOON_METRICS_PORTS", named_metrics_ports());
        self.own.set("NOTIFICATIONS_SMTP_URL", &decisions.mail.url);
        self.own.set("NOTIFICATIONS_SENDER", &decisions.mail.sender);
        self.own.set("SUKOON_LOOK_FILE", Layout::LOOK_FILE);
        if let Some(alarms) = &decisions.alarms {
            self.own.set(push::URL, &alarms.url);
            self.own.set(push::FORM, &alarms.form);
        }
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
