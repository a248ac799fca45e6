//! Roles, what a staff method asks of its caller, and why it refuses one.

use futures::future::BoxFuture;
use kernel::Id;
use kernel::id::Customer;
use runtime::BoxError;
use runtime::caller::Aal;

kernel::words! {
    /// What a member of the practice may do. Each method of a staff service names the roles that
    /// may call it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Role {
        /// Everything.
        Owner = "owner",
        /// Everything but the practice itself and its owners.
        Admin = "admin",
        /// Own calendar and clients.
        Practitioner = "practitioner",
        /// All bookings, no refunds.
        FrontDesk = "front_desk",
    }
}

impl Role {
    /// The roles that decide about money.
    pub const MANAGERS: &'static [Self] = &[Self::Owner, Self::Admin];
}

/// An authorized member of the practice.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Staff {
    /// The account.
    pub id: Id<Customer>,
    /// What it may do.
    pub role: Role,
}

kernel::rejections! {
    /// Why a caller is not authorized.
    pub enum StaffError {
        StaffOnly: PermissionDenied "STAFF_ONLY", "This is for the practice's staff only.";
        RoleNotAllowed: PermissionDenied "ROLE_NOT_ALLOWED", "Your role does not allow this.";
        SecondFactorRequired: PermissionDenied "SECOND_FACTOR_REQUIRED",
            "Please use your second step, or set one up on your account page.";
        // The session has shown it too long ago for this call.
        SecondFactorTooOld: PermissionDenied "SECOND_FACTOR_TOO_OLD",
            "Please show your second step once more, and then repeat this.";
    }
}

/// Checks a role.
///
/// # Errors
/// `StaffOnly` without a role, `RoleNotAllowed` with one that is not in `allowed`.
pub fn admit(role: Option<Role>, allowed: &[Role]) -> Result<Role, StaffError> {
    let role = role.ok_or(StaffError::StaffOnly)?;
    if allowed.contains(&role) { Ok(role) } else { Err(StaffError::RoleNotAllowed) }
}

/// A member's role, and whether it needs a second factor.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The role.
    pub role: Role,
    /// Whether the time to set up a second factor is over, or one was used before.
    pub needs_second_factor: bool,
}

/// The source of people's roles: booking's own table, or a call to booking.
pub trait Roles: Send + Sync + 'static {
    /// A person's role, now; `None` for customers. `reach` is the highest level that the account is
    /// known to reach: from the first [`Aal::Aal2`] on a second factor is needed.
    fn standing_of(
        &self,
        person: Id<Customer>,
        reach: Aal,
    ) -> BoxFuture<'_, Result<Option<Standing>, BoxError>>;
}

#[cfg(test)]
mod tests {
    use super::{Role, StaffError, admit};

    #[test]
    fn a_word_is_its_role_and_no_other_word_is_one() {
        for role in Role::ALL {
            assert_eq!(Role::from_word(role.word()), Some(*role));
        }
        for word in ["", "Owner", "customer", "authenticated", "owner "] {
            assert_eq!(Role::from_word(word), None, "{word}");
        }
    }

    #[test]
    fn only_named_roles_are_let_in() {
        assert_eq!(admit(None, Role::ALL), Err(StaffError::StaffOnly));
        assert_eq!(admit(Some(Role::FrontDesk), Role::MANAGERS), Err(StaffError::RoleNotAllowed));
        assert_eq!(admit(Some(Role::Admin), Role::MANAGERS), Ok(Role::Admin));
    }
}
