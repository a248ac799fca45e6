//! Argon2id hashing on a bounded number of threads, so that many sign-ins cannot starve other work.

use std::sync::Arc;
use std::thread;
use std::time::Duration;

use argon2::password_hash::phc::PasswordHash;
use argon2::password_hash::{PasswordHasher as _, PasswordVerifier as _};
use argon2::{Algorithm, Argon2, Params, Version};
use runtime::BoxError;
use tokio::sync::Semaphore;

/// 19 MiB of memory, two passes, one lane.
const MEMORY_KIB: u32 = 19_456;
const PASSES: u32 = 2;
const LANES: u32 = 1;
/// Maximum concurrent hashes; each needs a thread and its memory.
const PARALLEL_MAX: usize = 4;
/// How long a sign-in waits for a permit.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(5);

/// A password could not be hashed or checked.
#[derive(Debug, thiserror::Error)]
pub enum HashError {
    /// Too many are queued.
    #[error("too many passwords are waiting")]
    Busy,
    /// The hash function failed.
    #[error("the hash function failed")]
    Failed(#[source] BoxError),
}

/// Creates and verifies hashes.
#[derive(Clone)]
pub struct Hasher {
    argon2: Argon2<'static>,
    permits: Arc<Semaphore>,
    /// A hash of random bytes, compared with when the address is unknown, so that the answer takes
    /// as long as for a known one.
    dummy_hash: Arc<str>,
}

impl Hasher {
    /// Creates a hasher.
    ///
    /// # Errors
    /// When the hash function rejects its parameters.
    pub fn new() -> Result<Self, HashError> {
        let params = Params::new(MEMORY_KIB, PASSES, LANES, None).map_err(failed)?;
        let argon2 = Argon2::new(Algorithm::Argon2id, Version::V0x13, params);
        let parallel = thread::available_parallelism().map_or(1, usize::from).min(PARALLEL_MAX);
        let dummy_hash = hash(&argon2, &rand::random::<[u8; 32]>())?;
        Ok(Self {
            argon2,
            permits: Arc::new(Semaphore::new(parallel)),
            dummy_hash: dummy_hash.into(),
        })
    }

    /// The PHC string of a password.
    ///
    /// # Errors
    /// When no permit becomes free in time.
    pub async fn hash(&self, password: &str) -> Result<String, HashError> {
        let (argon2, password) = (self.argon2.clone(), password.to_owned());
        self.with_permit(move || hash(&argon2, password.as_bytes())).await
    }

    /// Whether it is the password. Without a stored hash the answer is no, after the same time.
    ///
    /// # Errors
    /// When no permit becomes free in time, or the stored hash is malformed.
    pub async fn verify(&self, password: &str, stored: Option<&str>) -> Result<bool, HashError> {
        let known = stored.is_some();
        let stored = stored.unwrap_or(&self.dummy_hash).to_owned();
        let (argon2, password) = (self.argon2.clone(), password.to_owned());
        let same = self
            .with_permit(move || {
                let stored = PasswordHash::new(&stored).map_err(failed)?;
                Ok(argon2.verify_password(password.as_bytes(), &stored).is_ok())
            })
            .await?;
        Ok(same && known)
    }

    async fn with_permit<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> Result<T, HashError> + Send + 'static,
    ) -> Result<T, HashError> {
        let permit = Arc::clone(&self.permits).acquire_owned();
        let Ok(Ok(permit)) = tokio::time::timeout(QUEUE_TIMEOUT, permit).await else {
            return Err(HashError::Busy);
        };
        // The permit moves into the work: a cancelled caller does not stop the work.
        let working = tokio::task::spawn_blocking(move || {
            let done = work();
            drop(permit);
            done
        });
        working.await.map_err(failed)?
    }
}

fn hash(argon2: &Argon2<'_>, password: &[u8]) -> Result<String, HashError> {
    let hashed: PasswordHash = argon2.hash_password(password).map_err(failed)?;
    Ok(hashed.to_string())
}

fn failed(error: impl Into<BoxError>) -> HashError {
    HashError::Failed(error.into())
}

#[cfg(test)]
mod tests {
    use super::Hasher;

    #[tokio::test]
    async fn a_password_is_known_again_and_no_other_is() {
        let hasher = Hasher::new().unwrap();
        let stored = hasher.hash("a quiet garden").await.unwrap();
        assert!(stored.starts_with("$argon2id$v=19$m=19456,t=2,p=1$"), "{stored}");
        assert!(hasher.verify("a quiet garden", Some(&stored)).await.unwrap());
        assert!(!hasher.verify("a quiet Garden", Some(&stored)).await.unwrap());
        assert!(!hasher.verify("a quiet garden", None).await.unwrap());
        assert_ne!(stored, hasher.hash("a quiet garden").await.unwrap());
    }
}
