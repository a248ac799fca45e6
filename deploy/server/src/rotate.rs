//! `sukoon keys rotate` on a server: new passwords for NATS and PostgreSQL, and new keys with which
//! services sign calls and events. Sessions go on: identity's own keys are not among them. It may
//! be interrupted and repeated.
use super::changes::Settings;
use super::decisions::Decisions;
use super::files;
use super::init;
use super::layout::Layout;
use super::opening;
use super::requirements;
use super::units;
use anyhow::{Context, Result};
use machine::keys;
use machine::output;
use machine::secrets::CALLERS;
use machine::secrets::SecretStore;
use std::fs;
use std::io::ErrorKind;
use std::process::ExitCode;

/// Makes them, and starts the services with them.
pub(crate) async fn run(layout: &Layout) -> Result<ExitCode> {
    let decisions = Decisions::kept(layout)?;
    let mut secret_store = SecretStore::open(&layout.secrets())?;
    output::step("making new keys and passwords");
    forget(&mut secret_store)?;
    files::write(layout, &decisions, requirements::memory_mib()?, &mut secret_store)?;
    init::set_passwords(layout, &mut secret_store)?;
    start_again(layout).await
}

/// `sukoon keys renew-links` on a server: links and files of the keys before stay good.
pub(crate) async fn links(layout: &Layout, end_previous: bool) -> Result<ExitCode> {
    let decisions = Decisions::kept(layout)?;
    keys::renew_links(&layout.secrets(), end_previous)?;
    let mut secret_store = SecretStore::open(&layout.secrets())?;
    files::write(layout, &decisions, requirements::memory_mib()?, &mut secret_store)?;
    start_again(layout).await
}

async fn start_again(layout: &Layout) -> Result<ExitCode> {
    if layout.is_the_machine() {
        output::step("starting the services with them");
        let mut restart = vec!["restart", "sukoon-migrate.service"];
        restart.extend(units::PARTS.iter().filter(|unit| **unit != units::POSTGRES));
        units::systemctl(&restart)?;
        Settings::of_files(layout).keep(layout)?;
        opening::wait_until_open().await?;
    }
    output::line("New keys are in use. Copies of /etc/sukoon/secrets have to be made again.");
    Ok(ExitCode::SUCCESS)
}

/// Forgets the former ones, so that new ones are made where they are needed.
fn forget(secret_store: &mut SecretStore) -> Result<()> {
    let roles = machine::databases::SERVICES.into_iter().flat_map(machine::databases::roles);
    let mut words: Vec<String> = roles.map(|role| format!("postgres-{role}")).collect();
    words.extend(machine::nats::users(secret_store)?.keys().map(|user| format!("nats-{user}")));
    let changes: Vec<_> = words.iter().map(|word| (word.as_str(), None)).collect();
    secret_store.set(&changes)?;
    for caller in CALLERS {
        match fs::remove_file(secret_store.key_path(&format!("caller-{caller}"))) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(error).context("a former key cannot be removed");
            }
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn services_get_new_words_and_keys_and_identity_keeps_its_own() {
        let folder = std::env::temp_dir().join(format!("sukoon-rotate-{}", std::process::id()));
        let mut store = SecretStore::open(&folder).unwrap();
        let made = |store: &mut SecretStore| {
            let words = ["postgres-booking", "postgres-booking_owner", "nats-booking"];
            let mut all: Vec<String> =
                words.iter().map(|word| store.get_or_create(word).unwrap()).collect();
            all.push(store.private_key("caller-booking").unwrap());
            let own = [
                store.get_or_create("identity-code-key").unwrap(),
                store.private_key("identity-signing").unwrap(),
                store.get_or_create("backup-passphrase").unwrap(),
            ];
            (all, own)
        };
        let (before, own) = made(&mut store);
        forget(&mut store).unwrap();
        let (after, still_own) = made(&mut store);
        assert!(before.iter().zip(&after).all(|(old, new)| old != new));
        assert_eq!(own, still_own);
        fs::remove_dir_all(folder).unwrap();
    }
}
