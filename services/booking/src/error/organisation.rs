//! Code, reason, field and text of each rejection of a change of the practice's members.

use kernel::Code;

use crate::domain::organisation::OrganisationError;

pub(super) fn text(wrong: OrganisationError) -> &'static str {
    match wrong {
        OrganisationError::InvalidEmail => "Invalid email address",
        OrganisationError::InvalidRole => "Please choose a role.",
        OrganisationError::RoleAboveOwn => "Your role does not allow this change.",
        OrganisationError::LastOwner => {
            "The practice needs an owner. Please make another member an owner first."
        }
        OrganisationError::MemberNotFound => "There is no such member.",
        OrganisationError::InvitationNotFound => {
            "There is no such invitation. If it was sent again, please open the newest mail."
        }
        OrganisationError::InvitationEnded => {
            "This invitation has ended. Please ask the practice for a new one."
        }
        OrganisationError::ForAnotherAddress => {
            "This invitation is for another e-mail address. Please sign in with that one."
        }
        OrganisationError::AlreadyInvited => {
            "This address is invited already. You can send the invitation again."
        }
        OrganisationError::AlreadyMember => "This account is a member of the practice already.",
        OrganisationError::TooManyInvitations => {
            "Too many invitations were sent. Please try again tomorrow."
        }
        OrganisationError::NotOwnCalendar => "You can change your own calendar only.",
    }
}

pub(super) fn code(wrong: OrganisationError) -> Code {
    match wrong {
        OrganisationError::InvalidEmail | OrganisationError::InvalidRole => Code::InvalidArgument,
        OrganisationError::RoleAboveOwn
        | OrganisationError::ForAnotherAddress
        | OrganisationError::NotOwnCalendar => Code::PermissionDenied,
        OrganisationError::MemberNotFound | OrganisationError::InvitationNotFound => Code::NotFound,
        OrganisationError::LastOwner | OrganisationError::InvitationEnded => {
            Code::FailedPrecondition
        }
        OrganisationError::AlreadyInvited | OrganisationError::AlreadyMember => Code::AlreadyExists,
        OrganisationError::TooManyInvitations => Code::ResourceExhausted,
    }
}

pub(super) fn reason(wrong: OrganisationError) -> &'static str {
    match wrong {
        OrganisationError::InvalidEmail => "INVALID_EMAIL",
        OrganisationError::InvalidRole => "INVALID_ROLE",
        OrganisationError::RoleAboveOwn => "ROLE_ABOVE_OWN",
        OrganisationError::LastOwner => "LAST_OWNER",
        OrganisationError::MemberNotFound => "MEMBER_NOT_FOUND",
        OrganisationError::InvitationNotFound => "INVITATION_NOT_FOUND",
        OrganisationError::InvitationEnded => "INVITATION_ENDED",
        OrganisationError::ForAnotherAddress => "INVITATION_FOR_ANOTHER_ADDRESS",
        OrganisationError::AlreadyInvited => "ALREADY_INVITED",
        OrganisationError::AlreadyMember => "ALREADY_MEMBER",
        OrganisationError::TooManyInvitations => "TOO_MANY_INVITATIONS",
        OrganisationError::NotOwnCalendar => "NOT_OWN_CALENDAR",
    }
}

pub(super) fn field(wrong: OrganisationError) -> Option<&'static str> {
    match wrong {
        OrganisationError::InvalidEmail
        | OrganisationError::AlreadyInvited
        | OrganisationError::AlreadyMember => Some("email"),
        OrganisationError::InvalidRole => Some("role"),
        OrganisationError::NotOwnCalendar => Some("practitioner_id"),
        OrganisationError::RoleAboveOwn
        | OrganisationError::LastOwner
        | OrganisationError::MemberNotFound
        | OrganisationError::InvitationNotFound
        | OrganisationError::InvitationEnded
        | OrganisationError::ForAnotherAddress
        | OrganisationError::TooManyInvitations => None,
    }
}
