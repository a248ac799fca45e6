//! Access to the admin panel: a correct password gives a browser a short-lived grant, and every
//! call of the panel checks that grant again.
//!
//! Passwords and grant secrets are never logged, stored or returned again.

pub mod grant;
pub mod repository;
pub mod login_throttle;
pub mod passphrase;
pub mod authorization;
pub mod unlock;

use std::sync::Arc;

use eventstore::Store;
use runtime::caller::{UserError, Users};
use staff::{Roles, StaffError};

use crate::clients::identity_server::IdentityServer;
use crate::moderation::passphrase::Passphrase;

/// The metadata key of a browser's grant, set by the gateway.
pub const GRANT_HEADER: &str = "x-moderation-grant";
/// The metadata key of a visitor's network address, set by the gateway.
pub const CALLER_ADDRESS_HEADER: &str = "x-caller-address";

/// Authorizes moderators.
#[derive(Clone)]
pub struct Moderation {
    store: Store,
    users: Users,
    roles: Arc<dyn Roles>,
    auth_method: AuthMethod,
}

/// How the panel is unlocked.
#[derive(Debug, Clone)]
pub enum AuthMethod {
    /// The account password of a signed-in owner or admin.
    OwnPassword(IdentityServer),
    /// One shared passphrase.
    Passphrase(Passphrase),
}

impl std::fmt::Debug for Moderation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Moderation").field("proof", &self.auth_method).finish_non_exhaustive()
    }
}

impl Moderation {
    /// Unlocked with this method.
    #[must_use]
    pub fn new(
        auth_method: AuthMethod,
        (users, roles): (Users, Arc<dyn Roles>),
        store: Store,
    ) -> Self {
        Self { store, users, roles, auth_method }
    }

    /// Whether staff must be signed in and retype their own password.
    #[must_use]
    pub fn sign_in_required(&self) -> bool {
        matches!(self.auth_method, AuthMethod::OwnPassword(_))
    }
}

kernel::rejections! {
    /// Why access is denied.
    pub enum Denial {
        // Unlocking failed, whatever the reason.
        AccessDenied: PermissionDenied "ACCESS_DENIED", "Incorrect password.";
        // The grant is missing, or belongs to another account.
        GrantRequired: PermissionDenied "GRANT_REQUIRED", "Please unlock the panel first.";
        GrantEnded: PermissionDenied "GRANT_ENDED",
            "Your access has ended. Please unlock the panel again.";
        ..User(UserError);
        ..Staff(StaffError);
    }
}
