//! Whether the provider's webhooks name our account. A webhook that is signed with our secret and
//! names another account means a mistyped setting or a secret shared by two accounts: a person has
//! to look at it, and the health port shows it until a webhook of our own arrives.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

/// Webhooks count as heard for so long after the last one. The provider switches off an endpoint
/// that has failed for a day; a path that is broken otherwise costs a new order some seconds.
pub const HEARD_SECONDS: i64 = 60 * 60;

/// What the last webhook named.
#[derive(Debug, Clone, Default)]
pub struct WebhookHealth {
    names_other_account: Arc<AtomicBool>,
    bad_signatures: Arc<AtomicU64>,
}

/// The last webhook named another account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the payment provider's webhooks name another account than the settings")]
pub struct AnotherAccount;

impl WebhookHealth {
    /// Records whether a signed webhook names another account than ours.
    ///
    /// # Errors
    /// It does, so it must not be stored.
    pub fn record_account(&self, names_other: bool) -> Result<(), AnotherAccount> {
        self.names_other_account.store(names_other, Ordering::Relaxed);
        self.check()
    }

    /// Counts a webhook that is not signed with our secret.
    pub fn record_bad_signature(&self) {
        self.bad_signatures.fetch_add(1, Ordering::Relaxed);
    }

    /// How many were not, since this process began.
    #[must_use]
    pub fn bad_signatures(&self) -> u64 {
        self.bad_signatures.load(Ordering::Relaxed)
    }

    /// Whether webhooks are of our account.
    ///
    /// # Errors
    /// The last one was not.
    pub fn check(&self) -> Result<(), AnotherAccount> {
        if self.names_other_account.load(Ordering::Relaxed) { Err(AnotherAccount) } else { Ok(()) }
    }
}
