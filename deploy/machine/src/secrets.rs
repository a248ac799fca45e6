//! Secrets of a data folder: created once and readable only by their owner. Only the owner's
//! password is printed, because a person has to know it.
use crate::paths;
use anyhow::{Context, Result};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use data_encoding::HEXLOWER;
use p256::SecretKey;
use p256::elliptic_curve::sec1::ToEncodedPoint;
use p256::pkcs8::{DecodePrivateKey, EncodePrivateKey, LineEnding};
use rand::Rng;
use serde_json::json;
use std::collections::BTreeMap;
use std::fs::{self, OpenOptions};
use std::io::Write;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

/// The programs that sign calls to other services.
pub const CALLERS: [&str; 7] =
    ["booking", "catalogue", "gateway", "identity", "notifications", "payments", "reviews"];

/// A folder of secrets. A missing secret is created and stored at its first use.
#[derive(Debug)]
pub struct SecretStore {
    folder: PathBuf,
    words: BTreeMap<String, String>,
}

impl SecretStore {
    /// Opens or creates the folder.
    pub fn open(folder: &Path) -> Result<Self> {
        paths::create_private(folder)?;
        let file = folder.join("words.json");
        let words = match fs::read(&file) {
            Ok(text) => serde_json::from_slice(&text)
                .with_context(|| format!("{} is damaged; put back a copy of it", file.display()))?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => BTreeMap::new(),
            Err(error) => {
                return Err(error).with_context(|| format!("{} cannot be read", file.display()));
            }
        };
        Ok(Self { folder: folder.to_owned(), words })
    }

    /// The secret with this name, if it exists.
    pub fn get(&self, name: &str) -> Option<String> {
        self.words.get(name).cloned()
    }

    /// The secret with this name, which is created if it is missing.
    pub fn get_or_create(&mut self, name: &str) -> Result<String> {
        if let Some(word) = self.words.get(name) {
            return Ok(word.clone());
        }
        let word = random_secret();
        self.set(&[(name, Some(word.clone()))])?;
        Ok(word)
    }

    /// Sets or removes several secrets, all or none.
    pub fn set(&mut self, changes: &[(&str, Option<String>)]) -> Result<()> {
        for (name, value) in changes {
            match value {
                Some(word) => drop(self.words.insert((*name).to_owned(), word.clone())),
                None => drop(self.words.remove(*name)),
            }
        }
        let text = serde_json::to_vec_pretty(&self.words).context("secrets cannot be written")?;
        write_private(&self.folder.join("words.json"), &text)
    }

    /// Puts the value of a process's setting into a file of its own, which the process is told
    /// instead: an environment is shown by `/proc`, and inherited.
    pub fn setting_file(&self, process: &str, name: &str, value: &str) -> Result<PathBuf> {
        let folder = self.folder.join("settings").join(process);
        paths::create_private(&self.folder.join("settings"))?;
        paths::create_private(&folder)?;
        let path = folder.join(name);
        if fs::read_to_string(&path).ok().as_deref() != Some(value) {
            write_private(&path, value.as_bytes())?;
        }
        Ok(path)
    }

    /// Removes the file of a setting that is not set any more.
    pub fn remove_setting_file(&self, process: &str, name: &str) -> Result<()> {
        match fs::remove_file(self.folder.join("settings").join(process).join(name)) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                Err(error).context("a former secret cannot be removed")
            }
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// The file of the private key with this name.
    pub fn key_path(&self, name: &str) -> PathBuf {
        self.folder.join(format!("{name}.pem"))
    }

    /// The private P-256 key with this name, as PKCS#8 PEM. It is created if it is missing.
    pub fn private_key(&self, name: &str) -> Result<String> {
        let path = self.key_path(name);
        if let Ok(pem) = fs::read_to_string(&path) {
            return Ok(pem);
        }
        let pem = new_key()?.to_pkcs8_pem(LineEnding::LF).context("a key cannot be encoded")?;
        write_private(&path, pem.as_bytes())?;
        Ok(pem.as_str().to_owned())
    }

    /// The public keys of several names as a JSON Web Key Set. The key id is the name; the key's
    /// file is named after the prefix and the name.
    pub fn public_keys(&self, prefix: &str, names: &[&str]) -> Result<String> {
        let keys: Result<Vec<_>> = names.iter().map(|name| self.public_key(prefix, name)).collect();
        Ok(json!({ "keys": keys? }).to_string())
    }

    fn public_key(&self, prefix: &str, name: &str) -> Result<serde_json::Value> {
        let file = format!("{prefix}{name}");
        let pem = self.private_key(&file)?;
        let damaged = || format!("{} is not a private key", self.key_path(&file).display());
        let key = SecretKey::from_pkcs8_pem(&pem).with_context(damaged)?;
        let point = key.public_key().to_encoded_point(false);
        let coordinate = |half: Option<&p256::FieldBytes>| half.map(|b| URL_SAFE_NO_PAD.encode(b));
        Ok(json!({
            "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": name,
            "x": coordinate(point.x()), "y": coordinate(point.y()),
        }))
    }
}

fn new_key() -> Result<SecretKey> {
    // All but about one in 2^32 strings of 32 bytes are valid keys.
    let mut bytes = [0; 32];
    rand::rng().fill_bytes(&mut bytes);
    SecretKey::from_slice(&bytes).context("no key was made; try again")
}

/// A new secret: 32 hexadecimal digits, safe in URLs, SQL and configuration files.
pub fn random_secret() -> String {
    let mut bytes = [0; 16];
    rand::rng().fill_bytes(&mut bytes);
    HEXLOWER.encode(&bytes)
}

/// Writes a file that only its owner can read. The write is atomic.
pub fn write_private(path: &Path, content: &[u8]) -> Result<()> {
    let shown = path.display();
    let temporary = path.with_extension("new");
    let write = || -> std::io::Result<()> {
        drop(fs::remove_file(&temporary));
        let mut file =
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temporary)?;
        file.write_all(content)?;
        file.sync_all()?;
        fs::rename(&temporary, path)
    };
    write().with_context(|| format!("{shown} cannot be written"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    fn folder(name: &str) -> PathBuf {
        std::env::temp_dir().join(format!("sukoon-{name}-{}", std::process::id()))
    }

    #[test]
    fn secrets_stay_the_same_and_are_closed_to_others() {
        let folder = folder("vault");
        let mut secret_store = SecretStore::open(&folder).unwrap();
        let word = secret_store.get_or_create("webhook").unwrap();
        let key = secret_store.private_key("booking").unwrap();
        let mut again = SecretStore::open(&folder).unwrap();
        assert_eq!(again.get_or_create("webhook").unwrap(), word);
        assert_eq!(again.private_key("booking").unwrap(), key);
        assert_ne!(again.get_or_create("other").unwrap(), word);
        for name in ["words.json", "booking.pem"] {
            let mode = fs::metadata(folder.join(name)).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn the_public_keys_carry_the_service_s_name_and_nothing_private() {
        let folder = folder("keys");
        let secret_store = SecretStore::open(&folder).unwrap();
        let set: serde_json::Value = serde_json::from_str(
            &secret_store.public_keys("caller-", &["booking", "gateway"]).unwrap(),
        )
        .unwrap();
        let keys = set["keys"].as_array().unwrap();
        assert_eq!(keys[0]["kid"], "booking");
        assert_eq!(keys[1]["kid"], "gateway");
        assert_eq!(keys[0]["x"].as_str().unwrap().len(), 43);
        assert!(keys.iter().all(|key| key.get("d").is_none()));
        fs::remove_dir_all(folder).unwrap();
    }
}
