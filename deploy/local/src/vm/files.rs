//! The files of an installed practice: configuration of its servers and settings of its processes.
use super::decisions::Decisions;
use super::layout::Layout;
use crate::account;
use crate::paths;
use crate::inheritance::MALLOC_CONF;
use crate::process_specs::{CALLERS, JEMALLOC_CONF};
use crate::secrets::{self, SecretStore};
use anyhow::{Context, Result};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const POSTGRES: &str = include_str!("../../../vm/etc/postgresql.conf");
const HBA: &str = include_str!("../../../vm/etc/pg_hba.conf");
const IDENT: &str = include_str!("../../../vm/etc/pg_ident.conf");
const NATS: &str = include_str!("../../../vm/etc/nats.conf");
const CADDY: &str = include_str!("../../../vm/etc/Caddyfile");
const BACKREST: &str = include_str!("../../../vm/etc/pgbackrest.conf");

/// The ports of everything that listens, on loopback.
pub(crate) const POSTGRES_PORT: u16 = 7432;
const NATS_PORT: u16 = 7422;
const GATEWAY_PORT: u16 = 7480;
/// The gateway's port for those on this machine: its health report.
const INNER_PORT: u16 = 7481;
/// The services with their ports for gRPC and, if they have one, for HTTP.
const SERVICES: [(&str, u16, Option<u16>); 6] = [
    ("catalogue", 7501, None),
    ("identity", 7502, Some(7602)),
    ("booking", 7503, None),
    ("payments", 7504, Some(7604)),
    ("notifications", 7505, None),
    ("reviews", 7506, Some(7606)),
];
/// The services that store their data in a database.
const STORES: [&str; 5] = crate::databases::SERVICES;
/// The role that reads everything and writes nothing.
pub(crate) const CHECK_ROLE: &str = "sukoon_check";

/// Writes all of them. What exists is written again with the same secrets.
pub(crate) fn write(
    layout: &Layout,
    decisions: &Decisions,
    memory_mib: u64,
    secret_store: &mut SecretStore,
) -> Result<()> {
    servers(layout, decisions, memory_mib, secret_store)?;
    let folder = layout.configuration().join("env");
    paths::create_private(&folder)?;
    let mut common = Settings::default();
    common.practice(layout, decisions, secret_store)?;
    common.write(layout, "practice")?;
    for (service, ..) in SERVICES {
        let mut own = Settings::default();
        own.service(layout, service, decisions, secret_store)?;
        own.write(layout, service)?;
    }
    let mut gateway = Settings::default();
    gateway.keys("gateway", secret_store)?;
    gateway.set("GATEWAY_LISTEN", format!("127.0.0.1:{GATEWAY_PORT}"));
    gateway.set("GATEWAY_INNER_LISTEN", format!("127.0.0.1:{INNER_PORT}"));
    gateway.set("GATEWAY_WEB_DIR", "/usr/share/sukoon/web");
    gateway.set("GATEWAY_TRUST_PROXY", "true");
    gateway.write(layout, "gateway")?;
    let mut migrate = Settings::default();
    let mut check = Settings::default();
    for service in STORES {
        let upper = service.to_uppercase();
        migrate.set(&format!("{upper}_DATABASE_URL"), url(layout, service, service, secret_store)?);
        let owner = url(layout, &format!("{service}_owner"), service, secret_store)?;
        migrate.set(&format!("{upper}_MIGRATION_DATABASE_URL"), owner);
        check
            .set(&format!("{upper}_DATABASE_URL"), url(layout, CHECK_ROLE, service, secret_store)?);
    }
    migrate.write(layout, "migrate")?;
    check.set("PAYMENTS_PROVIDER_URL", &decisions.payments.url);
    check.set("PAYMENTS_KEY_ID", &decisions.payments.key_id);
    check.set("PAYMENTS_KEY_SECRET", &decisions.payments.key_secret);
    check.write(layout, "check")?;
    let mut alarm = Settings::default();
    alarm.set("SUKOON_OPERATOR", &decisions.operator);
    alarm.set("NOTIFICATIONS_SMTP_URL", &decisions.mail.url);
    alarm.set("NOTIFICATIONS_SENDER", &decisions.mail.sender);
    alarm.write(layout, "alarm")
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
        true => format!("{address}?connection_limit=8"),
        false => format!("{address}?host={}", layout.socket().display()),
    })
}

fn servers(
    layout: &Layout,
    decisions: &Decisions,
    memory_mib: u64,
    secret_store: &mut SecretStore,
) -> Result<()> {
    let folder = layout.configuration();
    fs::create_dir_all(&folder).with_context(|| format!("{} cannot be made", folder.display()))?;
    let postgres = POSTGRES
        .replace("@SHARED_BUFFERS@", &format!("{}MB", (memory_mib / 16).clamp(48, 256)))
        .replace("@CACHE@", &format!("{}MB", memory_mib / 3));
    let postgres = match layout.is_the_machine() {
        true => postgres,
        false => postgres.replace("listen_addresses = '127.0.0.1'", "listen_addresses = ''"),
    };
    let me = if layout.is_the_machine() { "sukoon-postgres".to_owned() } else { owner()? };
    let ident = IDENT.replace("sukoon-postgres", &me);
    let caddy =
        CADDY.replace("@DOMAIN@", &decisions.domain).replace("@OPERATOR@", &decisions.operator);
    for (name, text) in [
        ("postgresql.conf", postgres.as_str()),
        ("pg_hba.conf", HBA),
        ("pg_ident.conf", &ident),
        ("nats.conf", NATS),
        ("Caddyfile", &caddy),
        ("pgbackrest.conf", BACKREST),
    ] {
        write_public(&folder.join(name), &layout.rooted(text))?;
    }
    let users = format!(
        "authorization {{ user: \"sukoon\", password: \"{}\" }}\n",
        secret_store.get_or_create("nats")?
    );
    private_for(layout, "sukoon-nats", &folder.join("nats-users.conf"), &users)?;
    let mut place = String::from("[global]\n");
    place.push_str(&format!(
        "repo1-cipher-pass={}\n",
        secret_store.get_or_create("backup-passphrase")?
    ));
    if !decisions.backups.place.contains_key("repo1-path") {
        place.push_str(&layout.rooted("repo1-path=/var/lib/sukoon/backup/repository\n"));
    }
    for (name, value) in &decisions.backups.place {
        place.push_str(&format!("{name}={value}\n"));
    }
    let secrets = layout.backrest_secrets();
    fs::create_dir_all(&secrets).context("the folder of the backups' secrets cannot be made")?;
    give_to(layout, "sukoon-postgres", &secrets, 0o700)?;
    private_for(layout, "sukoon-postgres", &secrets.join("place.conf"), &place)
}

/// The name of the user that owns what a trial makes.
fn owner() -> Result<String> {
    Ok(account::database_user()?.map_or_else(whoami, |user| user.name))
}

fn whoami() -> String {
    let users = fs::read_to_string("/etc/passwd").unwrap_or_default();
    let uid = rustix::process::geteuid().as_raw().to_string();
    let own = users.lines().find(|line| line.split(':').nth(2) == Some(uid.as_str()));
    own.and_then(|line| line.split(':').next()).unwrap_or("postgres").to_owned()
}

fn write_public(path: &Path, text: &str) -> Result<()> {
    fs::write(path, text).with_context(|| format!("{} cannot be written", path.display()))?;
    fs::set_permissions(path, fs::Permissions::from_mode(0o644))
        .with_context(|| format!("{} cannot be set up", path.display()))
}

/// Writes a file that only one user can read.
fn private_for(layout: &Layout, user: &str, path: &Path, text: &str) -> Result<()> {
    secrets::write_private(path, text.as_bytes())?;
    give_to(layout, user, path, 0o600)
}

/// Gives a file or folder to a user of the package; on trial to the one that runs PostgreSQL.
pub(crate) fn give_to(layout: &Layout, user: &str, path: &Path, mode: u32) -> Result<()> {
    let owner = if layout.is_the_machine() {
        Some(account::named(user)?)
    } else {
        account::database_user()?
    };
    account::change_owner(path, owner.as_ref())?;
    fs::set_permissions(path, fs::Permissions::from_mode(mode))
        .with_context(|| format!("{} cannot be closed to others", path.display()))
}

/// The settings of one file.
#[derive(Debug, Default)]
struct Settings {
    lines: Vec<String>,
}

impl Settings {
    /// Sets one; no value has a single quote, which `Decisions` refuses and our own secrets lack.
    fn set(&mut self, name: &str, value: impl AsRef<str>) {
        self.lines.push(format!("{name}='{}'", value.as_ref()));
    }

    fn write(&self, layout: &Layout, name: &str) -> Result<()> {
        let text = format!("# Written by `sukoon init`.\n{}\n", self.lines.join("\n"));
        secrets::write_private(&layout.environment_file(name), text.as_bytes())
    }

    fn practice(
        &mut self,
        layout: &Layout,
        decisions: &Decisions,
        secret_store: &mut SecretStore,
    ) -> Result<()> {
        let public = format!("https://{}", decisions.domain);
        self.set("SUKOON_MODE", "production");
        self.set("LOG_FILTER", "info");
        self.set("LOG_FORMAT", "json");
        self.set("TOKIO_WORKER_THREADS", "2");
        self.set(MALLOC_CONF, JEMALLOC_CONF);
        self.set("PUBLIC_URL", &public);
        self.set("PRACTICE_DIR", layout.rooted("/etc/sukoon/practice"));
        let nats = secret_store.get_or_create("nats")?;
        self.set("NATS_URL", format!("nats://sukoon:{nats}@127.0.0.1:{NATS_PORT}"));
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

    fn keys(&mut self, name: &str, secret_store: &SecretStore) -> Result<()> {
        self.set("CALLER_PRIVATE_KEY", secret_store.private_key(&format!("caller-{name}"))?);
        Ok(())
    }

    fn service(
        &mut self,
        layout: &Layout,
        service: &str,
        decisions: &Decisions,
        secret_store: &mut SecretStore,
    ) -> Result<()> {
        self.keys(service, secret_store)?;
        let upper = service.to_uppercase();
        for (name, grpc, http) in SERVICES.into_iter().filter(|(name, ..)| *name == service) {
            self.set(&format!("{upper}_LISTEN"), format!("127.0.0.1:{grpc}"));
            if let Some(port) = http {
                self.set(&format!("{upper}_HTTP_LISTEN"), format!("127.0.0.1:{port}"));
            }
            if STORES.contains(&name) {
                self.set(&format!("{upper}_DATABASE_URL"), url(layout, name, name, secret_store)?);
            }
        }
        let mut word = |name: &str| secret_store.get_or_create(name);
        match service {
            "booking" => {
                self.set("BOOKING_MEETING_URL", &decisions.meetings.url);
                self.set("BOOKING_MEETING_TOKEN", &decisions.meetings.token);
                self.set("BOOKING_CONSENT_KEY", word("booking-consent-key")?);
                self.set("BOOKING_FEED_KEY", word("booking-feed-key")?);
            }
            "payments" => {
                let payments = &decisions.payments;
                self.set("PAYMENTS_PROVIDER_URL", &payments.url);
                self.set("PAYMENTS_KEY_ID", &payments.key_id);
                self.set("PAYMENTS_KEY_SECRET", &payments.key_secret);
                self.set("PAYMENTS_WEBHOOK_SECRET", &payments.webhook_secret);
                if !payments.account_id.is_empty() {
                    self.set("PAYMENTS_ACCOUNT_ID", &payments.account_id);
                }
            }
            "notifications" => {
                self.set("NOTIFICATIONS_SMTP_URL", &decisions.mail.url);
                self.set("NOTIFICATIONS_SENDER", &decisions.mail.sender);
                self.set("NOTIFICATIONS_ADDRESS_KEY", word("notifications-address-key")?);
            }
            "identity" => {
                self.set("IDENTITY_CODE_KEY", word("identity-code-key")?);
                self.set("IDENTITY_SIGNING_KEY", secret_store.private_key("identity-signing")?);
            }
            "reviews" => {
                self.set("REVIEWS_INVITATION_KEY", word("reviews-invitation-key")?);
                let pictures = layout.rooted("/var/lib/sukoon/reviews/pictures");
                self.set("REVIEWS_PICTURES_URL", format!("file://{pictures}"));
            }
            _ => {}
        }
        Ok(())
    }
}
