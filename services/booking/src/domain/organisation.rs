//! The members of the practice: who may change whom, and when an invitation can be answered. Pure.

use kernel::id::{Customer, StaffInvitation};
use kernel::{Id, Timestamp};
use staff::Role;

use super::contact;

/// For how many minutes an invitation can be accepted after its last mail.
pub const INVITATION_MINUTES: i64 = 48 * 60;
/// How many mails an invitation has at most.
pub const MAILS_MAX: i64 = 6;
/// How many invitations the practice sends within a day at most.
pub const INVITATIONS_PER_DAY: i64 = 100;
/// After how many days an invitation that ended is deleted.
pub const KEPT_DAYS: i64 = 90;

kernel::rejections! {
    /// Why a change of the practice's members is rejected.
    pub enum OrganisationError {
        InvalidEmail: InvalidArgument "INVALID_EMAIL" @ "email", "Invalid email address";
        InvalidRole: InvalidArgument "INVALID_ROLE" @ "role", "Please choose a role.";
        // An admin would change an owner or make one, or the caller is no manager any more.
        RoleAboveOwn: PermissionDenied "ROLE_ABOVE_OWN", "Your role does not allow this change.";
        LastOwner: FailedPrecondition "LAST_OWNER",
            "The practice needs an owner. Please make another member an owner first.";
        MemberNotFound: NotFound "MEMBER_NOT_FOUND", "There is no such member.";
        // A later mail may have another key.
        InvitationNotFound: NotFound "INVITATION_NOT_FOUND",
            "There is no such invitation. If it was sent again, please open the newest mail.";
        // It was answered, withdrawn, or is too old.
        InvitationEnded: FailedPrecondition "INVITATION_ENDED",
            "This invitation has ended. Please ask the practice for a new one.";
        // The account's proved address is not the invited one.
        ForAnotherAddress: PermissionDenied "INVITATION_FOR_ANOTHER_ADDRESS",
            "This invitation is for another e-mail address. Please sign in with that one.";
        AlreadyInvited: AlreadyExists "ALREADY_INVITED" @ "email",
            "This address is invited already. You can send the invitation again.";
        AlreadyMember: AlreadyExists "ALREADY_MEMBER" @ "email",
            "This account is a member of the practice already.";
        // The practice or one invitation has sent as many mails as it may.
        TooManyInvitations: ResourceExhausted "TOO_MANY_INVITATIONS",
            "Too many invitations were sent. Please try again tomorrow.";
        NotOwnCalendar: PermissionDenied "NOT_OWN_CALENDAR" @ "practitioner_id",
            "You can change your own calendar only.";
    }
}

/// Whether a member of the role `actor` may change members and invitations of `role`: owners all,
/// admins all but owners.
#[must_use]
pub fn may_manage(actor: Role, role: Role) -> bool {
    match actor {
        Role::Owner => true,
        Role::Admin => role != Role::Owner,
        Role::Practitioner | Role::FrontDesk => false,
    }
}

/// A change of a membership.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RoleChange {
    /// The role of the member who makes it.
    pub actor: Role,
    /// Whether it is that member's own membership.
    pub is_own: bool,
    /// The role before.
    pub before: Role,
    /// The role from then on; `None` ends the membership.
    pub after: Option<Role>,
    /// How many owners the practice has.
    pub owners: i64,
}

impl RoleChange {
    /// Whether it may be made.
    ///
    /// # Errors
    /// `RoleAboveOwn` or `LastOwner`.
    pub fn check(&self) -> Result<(), OrganisationError> {
        let leaves = self.is_own && self.after.is_none();
        let above = |role| !may_manage(self.actor, role);
        if !leaves && (above(self.before) || self.after.is_some_and(above)) {
            return Err(OrganisationError::RoleAboveOwn);
        }
        let ends_owner = self.before == Role::Owner && self.after != Some(Role::Owner);
        if ends_owner && self.owners <= 1 {
            return Err(OrganisationError::LastOwner);
        }
        Ok(())
    }

    /// The roles whose pending invitations of this member end with it, because a member of the new
    /// role could not send them.
    #[must_use]
    pub fn lost_roles(&self) -> Vec<Role> {
        let lost = |role: &Role| !self.after.is_some_and(|after| may_manage(after, *role));
        Role::ALL.iter().copied().filter(lost).collect()
    }
}

kernel::words! {
    /// Where an invitation stands.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum InvitationState {
        /// It can be accepted.
        Pending = "pending",
        /// It was accepted.
        Accepted = "accepted",
        /// It was declined.
        Declined = "declined",
        /// The practice ended it.
        Withdrawn = "withdrawn",
        /// It is too old.
        Expired = "expired",
    }
}

/// An invitation to the practice's staff. Its address is personal data, so it is not printed.
#[derive(Clone, PartialEq, Eq)]
pub struct Invitation {
    /// Its id.
    pub id: Id<StaffInvitation>,
    /// The invited address, in lower case.
    pub email: String,
    /// The role that it gives.
    pub role: Role,
    /// The practitioner that it links.
    pub practitioner_id: Option<String>,
    /// Where it stood when it was last written.
    pub stored_state: InvitationState,
    /// The member who sent it.
    pub invited_by: Id<Customer>,
    /// When it was sent first.
    pub invited_at: Timestamp,
    /// Until when it can be accepted.
    pub expires_at: Timestamp,
    /// How many mails it has had.
    pub mails: i64,
    /// The account that answered it.
    pub answered_by: Option<Id<Customer>>,
}

impl std::fmt::Debug for Invitation {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Invitation").field("id", &self.id).finish_non_exhaustive()
    }
}

impl Invitation {
    /// Where it stands at a moment.
    #[must_use]
    pub fn state(&self, now: Timestamp) -> InvitationState {
        if self.stored_state == InvitationState::Pending && now >= self.expires_at {
            InvitationState::Expired
        } else {
            self.stored_state
        }
    }

    /// Whether the owner of this proved address may answer it now.
    ///
    /// # Errors
    /// `ForAnotherAddress` or `InvitationEnded`.
    pub fn check_answer(
        &self,
        proved_email: &str,
        now: Timestamp,
    ) -> Result<(), OrganisationError> {
        if proved_email.to_lowercase() != self.email {
            return Err(OrganisationError::ForAnotherAddress);
        }
        if self.state(now) != InvitationState::Pending {
            return Err(OrganisationError::InvitationEnded);
        }
        Ok(())
    }

    /// Whether another mail may be sent.
    ///
    /// # Errors
    /// `InvitationEnded` or `TooManyInvitations`.
    pub fn check_resend(&self) -> Result<(), OrganisationError> {
        if !matches!(self.stored_state, InvitationState::Pending | InvitationState::Expired) {
            return Err(OrganisationError::InvitationEnded);
        }
        if self.mails >= MAILS_MAX {
            return Err(OrganisationError::TooManyInvitations);
        }
        Ok(())
    }
}

/// An address as typed, in lower case.
///
/// # Errors
/// `InvalidEmail`.
pub fn parse_email(text: &str) -> Result<String, OrganisationError> {
    let email = contact::email(text).map_err(|_invalid| OrganisationError::InvalidEmail)?;
    Ok(email.to_lowercase())
}

#[cfg(test)]
mod tests;
