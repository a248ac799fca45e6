//! The practice's owner on this machine: an account with all rights, so that the staff's commands
//! can be tried at once. A practice in production, or with another identity server, gets no such
//! account.
use crate::environment::Environment;
use crate::secrets::SecretStore;
use anyhow::{Context, Result};
use std::path::Path;

const EMAIL: &str = "owner@sukoon.example";
const PASSWORD: &str = "owner-password";

/// The owner's credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Owner {
    /// The email address.
    pub email: String,
    /// The password, created once and kept among the secrets.
    pub password: String,
    /// Whether the password was created just now.
    pub is_new: bool,
}

impl Owner {
    /// The owner of this practice; none in production and with another identity server.
    pub fn of(environment: &Environment, secret_store: &mut SecretStore) -> Result<Option<Self>> {
        let real = environment.get("SUKOON_MODE") == Some("production");
        if real || environment.get("IDENTITY_URL").is_some() {
            return Ok(None);
        }
        let email = environment.get("SUKOON_OWNER_EMAIL").unwrap_or(EMAIL).to_owned();
        let is_new = secret_store.get(PASSWORD).is_none();
        let password = grouped(&secret_store.get_or_create(PASSWORD)?);
        Ok(Some(Self { email, password, is_new }))
    }
}

/// Reads the owner's password from a data folder.
pub fn password(data: &Path) -> Result<String> {
    let word = SecretStore::open(&data.join("secrets"))?.get(PASSWORD);
    word.map(|word| grouped(&word)).context("this practice has no owner of ours")
}

/// A secret in a form that is easy to type: four groups of four characters.
fn grouped(word: &str) -> String {
    let groups = (0..4).filter_map(|group| word.get(group * 4..group * 4 + 4));
    groups.collect::<Vec<_>>().join("-")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    fn secret_store(name: &str) -> (std::path::PathBuf, SecretStore) {
        let data = std::env::temp_dir().join(format!("sukoon-{name}-{}", std::process::id()));
        fs::create_dir_all(&data).unwrap();
        let secret_store = SecretStore::open(&data.join("secrets")).unwrap();
        (data, secret_store)
    }

    #[test]
    fn the_owner_keeps_its_password_and_may_have_another_address() {
        let (data, mut secret_store) = secret_store("owner");
        assert!(password(&data).is_err());
        let owner = Owner::of(&Environment::default(), &mut secret_store).unwrap().unwrap();
        assert_eq!(owner.email, "owner@sukoon.example");
        assert_eq!(owner.password.len(), 19);
        assert_eq!(password(&data).unwrap(), owner.password);
        let environment = Environment::from([("SUKOON_OWNER_EMAIL", "meera@sukoon.example")]);
        let other = Owner::of(&environment, &mut secret_store).unwrap().unwrap();
        assert_eq!((&*other.email, &other.password), ("meera@sukoon.example", &owner.password));
        fs::remove_dir_all(data).unwrap();
    }

    #[test]
    fn production_and_another_identity_server_get_no_owner() {
        let (data, mut secret_store) = secret_store("no-owner");
        for pair in [("SUKOON_MODE", "production"), ("IDENTITY_URL", "https://id.example")] {
            assert_eq!(Owner::of(&Environment::from([pair]), &mut secret_store).unwrap(), None);
        }
        fs::remove_dir_all(data).unwrap();
    }
}
