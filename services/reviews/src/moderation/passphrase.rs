//! The shared passphrase of all moderators, for practices that set its argon2id hash.

use std::sync::Arc;
use std::time::Duration;

use argon2::password_hash::PasswordVerifier as _;
use argon2::password_hash::phc::PasswordHash;
use argon2::{Algorithm, Argon2, Params};
use runtime::BoxError;
use secrecy::{ExposeSecret as _, SecretString};
use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;

/// Concurrent checks; each needs a thread and the hash's memory.
const PARALLEL_MAX: usize = 2;
/// How long a check waits for a permit.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(5);
/// Minimum memory, and minimum memory times passes; weaker hashes are guessed too quickly.
const MEMORY_KIB_MIN: u32 = 7 * 1024;
const WORK_KIB_MIN: u64 = 35 * 1024;
/// Passphrases that are guessed first.
const COMMON_PASSPHRASES: [&str; 8] =
    ["", "admin", "admin123", "password", "passphrase", "changeme", "sukoon", "letmein"];

/// Why a hash is rejected at the start. The message never contains the hash.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum WeakPassphrase {
    /// It is not a PHC string of argon2id.
    #[error("ADMIN_PASSPHRASE_HASH is no argon2id hash ($argon2id$v=19$m=19456,t=2,p=1$…)")]
    NotArgon2id,
    /// Its cost parameters are too low.
    #[error("ADMIN_PASSPHRASE_HASH was made with too little work: use m=19456,t=2,p=1 or more")]
    TooCheap,
    /// It is the hash of a common passphrase.
    #[error("ADMIN_PASSPHRASE_HASH is the hash of a passphrase that everybody tries first")]
    Common,
}

/// A passphrase could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum HashError {
    /// Too many checks are queued.
    #[error("too many passphrases are waiting")]
    Busy,
    /// The thread ended without a result.
    #[error("the check was given up")]
    Abandoned(#[source] BoxError),
}

/// Checks passphrases.
#[derive(Clone)]
pub struct Passphrase {
    hash: Arc<str>,
    permits: Arc<Semaphore>,
}

impl std::fmt::Debug for Passphrase {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Passphrase(..)")
    }
}

impl Passphrase {
    /// The passphrase with this hash.
    ///
    /// # Errors
    /// When the hash is too weak.
    pub fn new(hash: &SecretString) -> Result<Self, WeakPassphrase> {
        let text = hash.expose_secret();
        let unreadable = WeakPassphrase::NotArgon2id;
        let parsed = PasswordHash::new(text).map_err(|_unreadable| unreadable)?;
        if Algorithm::try_from(parsed.algorithm.as_str()).ok() != Some(Algorithm::Argon2id)
            || parsed.hash.is_none()
            || parsed.salt.is_none()
        {
            return Err(unreadable);
        }
        let params = Params::try_from(&parsed).map_err(|_unreadable| unreadable)?;
        let work = u64::from(params.m_cost()).saturating_mul(params.t_cost().into());
        if params.m_cost() < MEMORY_KIB_MIN || work < WORK_KIB_MIN {
            return Err(WeakPassphrase::TooCheap);
        }
        if COMMON_PASSPHRASES.iter().any(|guess| matches_hash(text, guess)) {
            return Err(WeakPassphrase::Common);
        }
        Ok(Self { hash: text.into(), permits: Arc::new(Semaphore::new(PARALLEL_MAX)) })
    }

    /// Identifies this hash: another passphrase, or the same one hashed again, has another
    /// fingerprint.
    #[must_use]
    pub fn fingerprint(&self) -> [u8; 32] {
        Sha256::digest(self.hash.as_bytes()).into()
    }

    /// Whether the input is the passphrase.
    ///
    /// # Errors
    /// When no permit becomes free in time.
    pub async fn verify(&self, typed: SecretString) -> Result<bool, HashError> {
        let permit = Arc::clone(&self.permits).acquire_owned();
        let Ok(Ok(permit)) = tokio::time::timeout(QUEUE_TIMEOUT, permit).await else {
            return Err(HashError::Busy);
        };
        let hash = Arc::clone(&self.hash);
        // The permit moves into the work: a cancelled caller does not stop the work.
        let working = tokio::task::spawn_blocking(move || {
            let right = matches_hash(&hash, typed.expose_secret());
            drop(permit);
            right
        });
        working.await.map_err(|error| HashError::Abandoned(error.into()))
    }
}

/// The PHC string contains the parameters.
fn matches_hash(hash: &str, typed: &str) -> bool {
    let parsed = PasswordHash::new(hash);
    parsed.is_ok_and(|hash| Argon2::default().verify_password(typed.as_bytes(), &hash).is_ok())
}

#[cfg(test)]
mod tests {
    use super::{Passphrase, WeakPassphrase};
    use argon2::password_hash::PasswordHasher as _;
    use argon2::password_hash::phc::PasswordHash;
    use argon2::{Algorithm, Argon2, Params, Version};
    use secrecy::SecretString;

    fn hash(algorithm: Algorithm, (memory, passes): (u32, u32), word: &str) -> SecretString {
        let params = Params::new(memory, passes, 1, None).unwrap();
        let argon2 = Argon2::new(algorithm, Version::V0x13, params);
        let hash: PasswordHash = argon2.hash_password(word.as_bytes()).unwrap();
        SecretString::from(hash.to_string())
    }

    #[tokio::test]
    async fn the_passphrase_is_known_and_no_other_is() {
        let hash = hash(Algorithm::Argon2id, (19_456, 2), "a quiet garden behind the house");
        let passphrase = Passphrase::new(&hash).unwrap();
        let is_right = async |typed: &str| passphrase.verify(SecretString::from(typed)).await;
        assert!(is_right("a quiet garden behind the house").await.unwrap());
        assert!(!is_right("a quiet garden behind the House").await.unwrap());
        assert!(!is_right("").await.unwrap());
        assert_eq!(format!("{passphrase:?}"), "Passphrase(..)");
    }

    #[test]
    fn a_weak_hash_stops_the_start() {
        let word = "a quiet garden behind the house";
        for (hash, why) in [
            (hash(Algorithm::Argon2i, (19_456, 2), word), WeakPassphrase::NotArgon2id),
            (hash(Algorithm::Argon2id, (4_096, 3), word), WeakPassphrase::TooCheap),
            (hash(Algorithm::Argon2id, (8_192, 2), word), WeakPassphrase::TooCheap),
            (hash(Algorithm::Argon2id, (19_456, 2), "sukoon"), WeakPassphrase::Common),
            (SecretString::from(word), WeakPassphrase::NotArgon2id),
            (SecretString::from("$argon2id$v=19$m=19456,t=2,p=1"), WeakPassphrase::NotArgon2id),
        ] {
            assert_eq!(Passphrase::new(&hash).err(), Some(why));
        }
    }
}
