//! Who may moderate: a browser gets a grant for the right password, for a short while, and every
//! call behind it is asked for that grant again.
//!
//! What was typed and what the browser holds are never logged, stored or repeated.

pub mod grant;
pub mod login_throttle;
pub mod identity_server;
pub mod passphrase;
pub mod authorization;
pub mod unlock;

use std::sync::Arc;

use eventstore::Store;
use kernel::{Code, Reject};
use runtime::caller::{UserError, Users};
use runtime::staff::{Roles, StaffError};

use crate::config::ModerationSettings;
use crate::moderation::identity_server::IdentityServer;
use crate::moderation::passphrase::Passphrase;

/// The metadata in which the gateway sends a browser's grant.
pub const GRANT_HEADER: &str = "x-moderation-grant";
/// The metadata in which the gateway sends a visitor's network address.
pub const CALLER_ADDRESS_HEADER: &str = "x-caller-address";

/// Who may moderate, and how they prove it.
#[derive(Clone)]
pub struct Moderation {
    store: Store,
    users: Users,
    roles: Arc<dyn Roles>,
    auth_method: AuthMethod,
}

/// What opens the panel.
#[derive(Debug, Clone)]
enum AuthMethod {
    /// The own password of an owner or admin who is signed in.
    OwnPassword(IdentityServer),
    /// One passphrase for all who have it.
    Passphrase(Passphrase),
}

impl std::fmt::Debug for Moderation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Moderation").field("proof", &self.auth_method).finish_non_exhaustive()
    }
}

impl Moderation {
    /// As the settings say.
    ///
    /// # Errors
    /// When the passphrase's hash is none that protects it, or HTTP cannot be spoken here.
    pub fn new(
        settings: &ModerationSettings,
        (users, roles): (Users, Arc<dyn Roles>),
        store: Store,
    ) -> anyhow::Result<Self> {
        let auth_method = match &settings.passphrase_hash {
            Some(hash) => AuthMethod::Passphrase(Passphrase::new(hash)?),
            None => AuthMethod::OwnPassword(IdentityServer::new(settings)?),
        };
        Ok(Self { store, users, roles, auth_method })
    }

    /// Whether staff sign in first and then retype their own password.
    #[must_use]
    pub fn sign_in_required(&self) -> bool {
        matches!(self.auth_method, AuthMethod::OwnPassword(_))
    }
}

/// Why somebody may not moderate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Denial {
    /// Whatever was wrong when the panel was to be unlocked.
    #[error("Incorrect password.")]
    AccessDenied,
    /// There is no grant, or it is somebody else's.
    #[error("Please unlock the panel first.")]
    GrantRequired,
    /// There was one.
    #[error("Your access has ended. Please unlock the panel again.")]
    GrantEnded,
    /// The caller did not prove who they are.
    #[error(transparent)]
    User(#[from] UserError),
    /// The caller is not, or no longer, of those who may.
    #[error(transparent)]
    Staff(#[from] StaffError),
}

impl Reject for Denial {
    fn code(&self) -> Code {
        match self {
            Self::AccessDenied | Self::GrantRequired | Self::GrantEnded => Code::PermissionDenied,
            Self::User(why) => why.code(),
            Self::Staff(why) => why.code(),
        }
    }

    fn reason(&self) -> &'static str {
        match self {
            Self::AccessDenied => "ACCESS_DENIED",
            Self::GrantRequired => "GRANT_REQUIRED",
            Self::GrantEnded => "GRANT_ENDED",
            Self::User(why) => why.reason(),
            Self::Staff(why) => why.reason(),
        }
    }
}
