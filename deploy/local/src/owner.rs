//! The practice's owner on this machine: an account that can sign in and may do everything, so that
//! the staff's commands can be tried at once. Where the practice is somebody's real desk, or where
//! another server keeps the accounts, there is none.
use crate::environment::Environment;
use crate::process::last_lines;
use crate::secrets::Vault;
use crate::supervise::{Part, Supervisor};
use anyhow::{Context, Result, bail};
use std::path::Path;

const EMAIL: &str = "owner@sukoon.example";
const PASSWORD: &str = "owner-password";

/// How the owner signs in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Owner {
    /// The address.
    pub(crate) email: String,
    /// The password, made once and kept among the secrets.
    pub(crate) password: String,
}

impl Owner {
    /// The owner of this practice; none where it is not ours to make one.
    pub(crate) fn of(environment: &Environment, vault: &mut Vault) -> Result<Option<Self>> {
        let real = environment.get("SUKOON_MODE") == Some("production");
        if real || environment.get("IDENTITY_URL").is_some() {
            return Ok(None);
        }
        let email = environment.get("SUKOON_OWNER_EMAIL").unwrap_or(EMAIL).to_owned();
        Ok(Some(Self { email, password: readable(&vault.word(PASSWORD)?) }))
    }
}

/// The owner's password in a data folder.
pub(crate) fn password(data: &Path) -> Result<String> {
    let word = Vault::open(&data.join("secrets"))?.known(PASSWORD);
    word.map(|word| readable(&word)).context("this practice has no owner of ours")
}

/// A secret word as people can copy it by hand: four groups of four.
fn readable(word: &str) -> String {
    let groups = (0..4).filter_map(|group| word.get(group * 4..group * 4 + 4));
    groups.collect::<Vec<_>>().join("-")
}

/// Makes sure that the owner has an account, and its role at the practice. `parts` are all programs
/// with their settings.
pub(crate) async fn seed(supervisor: &Supervisor, parts: &[Part], owner: &Owner) -> Result<()> {
    let account = [
        ("ACCOUNT_EMAIL", owner.email.as_str()),
        ("ACCOUNT_PASSWORD", &owner.password),
        ("ACCOUNT_FIRST_NAME", "Owner"),
        // Nothing but the account's id is to be printed.
        ("LOG_FILTER", "error"),
    ];
    let id = run_once(supervisor, parts, ("identity", "account"), &account).await?;
    let staff = [("STAFF_USER_ID", id.trim()), ("STAFF_ROLE", "owner")];
    run_once(supervisor, parts, ("booking", "grant"), &staff).await.map(|_printed| ())
}

async fn run_once(
    supervisor: &Supervisor,
    parts: &[Part],
    (name, argument): (&str, &str),
    settings: &[(&str, &str)],
) -> Result<String> {
    let part = parts.iter().find(|part| part.name == name).context("a program is missing")?;
    let mut once = part.clone().with(argument);
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    once.environment.extend(settings.iter().map(own));
    let ran = supervisor.command(&once)?.output().await;
    let ran = ran.with_context(|| format!("{name} cannot be started"))?;
    let printed = String::from_utf8_lossy(&ran.stdout).into_owned();
    if !ran.status.success() {
        let said = [&*printed, &*String::from_utf8_lossy(&ran.stderr)].concat();
        let log = last_lines(&supervisor.log(name), 3);
        bail!("`{name} {argument}` failed ({}):\n{}\n{log}", ran.status, said.trim());
    }
    Ok(printed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn vault(name: &str) -> (std::path::PathBuf, Vault) {
        let data = std::env::temp_dir().join(format!("sukoon-{name}-{}", std::process::id()));
        fs::create_dir_all(&data).unwrap();
        let vault = Vault::open(&data.join("secrets")).unwrap();
        (data, vault)
    }

    #[test]
    fn the_owner_keeps_its_password_and_may_have_another_address() {
        let (data, mut vault) = vault("owner");
        assert!(password(&data).is_err());
        let owner = Owner::of(&Environment::default(), &mut vault).unwrap().unwrap();
        assert_eq!(owner.email, "owner@sukoon.example");
        assert_eq!(owner.password.len(), 19);
        assert_eq!(password(&data).unwrap(), owner.password);
        let environment = Environment::from([("SUKOON_OWNER_EMAIL", "meera@sukoon.example")]);
        let other = Owner::of(&environment, &mut vault).unwrap().unwrap();
        assert_eq!((&*other.email, &other.password), ("meera@sukoon.example", &owner.password));
        fs::remove_dir_all(data).unwrap();
    }

    #[test]
    fn a_real_desk_and_another_identity_server_get_none() {
        let (data, mut vault) = vault("no-owner");
        for pair in [("SUKOON_MODE", "production"), ("IDENTITY_URL", "https://id.example")] {
            assert_eq!(Owner::of(&Environment::from([pair]), &mut vault).unwrap(), None);
        }
        fs::remove_dir_all(data).unwrap();
    }
}
