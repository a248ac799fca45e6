//! The files of an installed practice: configuration of its servers and settings of its processes.
mod settings;

use super::decisions::Decisions;
use super::layout::Layout;
use anyhow::{Context, Result};
use machine::account;
use machine::nats;
use machine::paths;
use machine::secrets::{self, SecretStore};
pub(crate) use settings::{GATEWAY_PORT, INNER_PORT, POSTGRES_PORT, credentials};
use settings::{SERVICES, UnitSettings, WRITTEN};
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

const POSTGRES: &str = include_str!("../../vm/etc/postgresql.conf");
const HBA: &str = include_str!("../../vm/etc/pg_hba.conf");
const IDENT: &str = include_str!("../../vm/etc/pg_ident.conf");
const NATS: &str = include_str!("../../vm/etc/nats.conf");
const CADDY: &str = include_str!("../../vm/etc/Caddyfile");
const BACKREST: &str = include_str!("../../vm/etc/pgbackrest.conf");

/// The file with the site's address, which staff who are not root read too.
pub(crate) const SITE: &str = "public-url";
/// What the place of a person's own settings has at first.
const OWN: &str = "\
# Your own settings of all parts, NAME='value' on a line each: read last, and never overwritten.
# Secrets go to [settings.PART] of the answers. `systemctl restart sukoon.target` takes them.
";

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
    let mut common = UnitSettings::of(layout, "practice", secret_store);
    common.practice(decisions)?;
    common.write()?;
    for (service, ..) in SERVICES {
        let mut own = UnitSettings::of(layout, service, secret_store);
        own.service(service, decisions)?;
        own.own(decisions)?;
        own.write()?;
    }
    let mut gateway = UnitSettings::of(layout, "gateway", secret_store);
    gateway.gateway();
    gateway.own(decisions)?;
    gateway.write()?;
    let mut migrate = UnitSettings::of(layout, "migrate", secret_store);
    migrate.migrations()?;
    migrate.write()?;
    let mut check = UnitSettings::of(layout, "check", secret_store);
    check.checker(decisions)?;
    check.write()?;
    let mut alarm = UnitSettings::of(layout, "alarm", secret_store);
    alarm.alarm(decisions);
    alarm.write()
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
        .replace("@SHARED_BUFFERS@", &format!("{}MB", shared_buffers_mib(memory_mib)))
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
        write_public(&folder.join(name), &format!("{WRITTEN}{}", layout.rooted(text)))?;
    }
    write_public(&folder.join(SITE), &format!("https://{}\n", decisions.domain))?;
    places_of_own_settings(&folder)?;
    let users = nats::authorization(&nats::users(secret_store)?, false);
    let users = format!("{WRITTEN}{users}");
    private_for(layout, "sukoon-nats", &folder.join("nats-users.conf"), &users)?;
    let mut place = format!("{WRITTEN}[global]\n");
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

/// Makes what is read last, where it is missing. It is never written again.
fn places_of_own_settings(folder: &Path) -> Result<()> {
    let own = folder.join("own.env");
    if !own.exists() {
        secrets::write_private(&own, OWN.as_bytes())?;
    }
    let caddy = folder.join("Caddyfile.d");
    fs::create_dir_all(&caddy).with_context(|| format!("{} cannot be made", caddy.display()))
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

/// How much memory PostgreSQL takes for itself, in MiB. All of it is soon in use, whatever a
/// practice stores; what the system keeps of files serves reads as well, and gives way when memory
/// is short.
fn shared_buffers_mib(memory_mib: u64) -> u64 {
    (memory_mib.saturating_sub(512) / 16).clamp(32, 256)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decisions::tests::decisions;
    use crate::operations::settings_of;
    use machine::environment::Environment;

    #[test]
    fn no_unit_has_a_secret_in_its_environment_and_each_is_told_where_its_own_are() {
        let root = std::env::temp_dir().join(format!("sukoon-files-{}", std::process::id()));
        let layout = Layout::of(&Environment::from([("SUKOON_ROOT", root.to_str().unwrap())]));
        let mut store = SecretStore::open(&layout.secrets()).unwrap();
        write(&layout, &decisions(), 1024, &mut store).unwrap();
        let mut words: Vec<String> = ["postgres-booking", "nats-booking", "booking-feed-key"]
            .map(|word| store.get(word).unwrap())
            .into();
        words.extend(["BEGIN PRIVATE KEY".to_owned(), decisions().payments.webhook_secret]);
        words.push(store.get("postgres-booking_owner").unwrap());
        let named = |unit: &str| fs::read_to_string(layout.environment_file(unit)).unwrap();
        for unit in ["practice", "booking", "payments", "identity", "gateway", "migrate"] {
            let text = named(unit);
            let told = words.iter().find(|word| text.contains(word.as_str()));
            assert_eq!(told, None, "{unit}");
        }
        let value = |unit: &str, name: &str| {
            let settings = settings_of(&layout, unit).unwrap();
            settings.into_iter().find_map(|(known, value)| (known == name).then_some(value))
        };
        let word = store.get("postgres-booking").unwrap();
        assert!(value("booking", "BOOKING_DATABASE_URL").unwrap().contains(&word));
        assert!(value("booking", "BOOKING_MIGRATION_DATABASE_URL").is_none());
        assert!(value("migrate", "BOOKING_MIGRATION_DATABASE_URL").is_some());
        assert!(value("check", "BOOKING_DATABASE_URL").unwrap().contains("booking_reader"));
        assert_eq!(value("gateway", "CALLER_PRIVATE_KEY"), None);
        let machine = Layout::of(&Environment::default());
        let unit = "/run/credentials/sukoon@booking.service/secret_";
        assert_eq!(credentials(&machine, "booking"), unit);
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn a_person_s_own_settings_come_last_and_stay() {
        let root = std::env::temp_dir().join(format!("sukoon-own-{}", std::process::id()));
        let layout = Layout::of(&Environment::from([("SUKOON_ROOT", root.to_str().unwrap())]));
        let mut store = SecretStore::open(&layout.secrets()).unwrap();
        let mut decisions = decisions();
        let own = [("LOG_FILTER", "debug"), ("METRICS_LISTEN", "127.0.0.1:1")];
        let own = own.map(|(name, value)| (name.to_owned(), value.to_owned()));
        decisions.settings.insert("booking".to_owned(), own.into());
        write(&layout, &decisions, 1024, &mut store).unwrap();
        let at = |name: &str| layout.configuration().join(name);
        let read = |name: &str| fs::read_to_string(at(name)).unwrap();
        fs::write(at("own.env"), "LOG_FILTER='trace'\n").unwrap();
        fs::write(at("Caddyfile.d/own"), "tls internal\n").unwrap();
        write(&layout, &decisions, 1024, &mut store).unwrap();
        assert_eq!(read("own.env"), "LOG_FILTER='trace'\n");
        assert_eq!(read("Caddyfile.d/own"), "tls internal\n");
        let import = format!("import {}/*", at("Caddyfile.d").display());
        assert!(read("Caddyfile").contains(&import), "{}", read("Caddyfile"));
        let booking = read("env/booking.env");
        assert_eq!(booking.matches("METRICS_LISTEN=").count(), 1, "{booking}");
        assert!(booking.contains("METRICS_LISTEN='127.0.0.1:1'\n"), "{booking}");
        assert_eq!(read(SITE), "https://book.example.org\n");
        assert!(read("env/gateway.env").contains("GATEWAY_CHECKOUT_ORIGINS='https://pay"));
        // A secret stands in no environment.
        assert!(read("env/payments.env").contains("PAYMENTS_WEBHOOK_SECRET_PREVIOUS_FILE="));
        for name in [
            "Caddyfile",
            "postgresql.conf",
            "nats.conf",
            "nats-users.conf",
            "pg_hba.conf",
            "pg_ident.conf",
            "pgbackrest.conf",
            "pgbackrest.d/place.conf",
            "env/booking.env",
        ] {
            assert!(read(name).starts_with("# Written by `sukoon init`"), "{name}");
        }
        fs::remove_dir_all(root).unwrap();
    }

    #[test]
    fn the_units_of_the_checker_and_of_alarms_read_their_settings_as_a_credential() {
        let folder = std::env::temp_dir().join(format!("sukoon-unit-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join("alarm"), "NOTIFICATIONS_SMTP_URL='smtp://a:b@mail'\n").unwrap();
        let credentials = folder.to_str().unwrap();
        let unit = [("SUKOON_ROOT", "/none"), ("CREDENTIALS_DIRECTORY", credentials)];
        let told = settings_of(&Layout::of(&Environment::from(unit)), "alarm").unwrap();
        assert_eq!(told, [("NOTIFICATIONS_SMTP_URL".to_owned(), "smtp://a:b@mail".to_owned())]);
        fs::remove_dir_all(folder).unwrap();
        // The files that a unit reads into its environment are those without a secret.
        let units = concat!(env!("CARGO_MANIFEST_DIR"), "/../vm/systemd");
        let mut read = Vec::new();
        for unit in fs::read_dir(units).unwrap().map(|entry| entry.unwrap().path()) {
            let Ok(text) = fs::read_to_string(&unit) else { continue };
            let files = text.lines().filter_map(|line| line.strip_prefix("EnvironmentFile="));
            read.extend(files.map(str::to_owned));
        }
        read.sort_unstable();
        read.dedup();
        let named = ["%i", "migrate", "practice"].map(|it| format!("/etc/sukoon/env/{it}.env"));
        assert_eq!(read[0], "-/etc/sukoon/own.env");
        assert_eq!(read[1..], named);
    }
}
