//! Tests of members, roles and invitations.

use kernel::{Id, Timestamp};
use staff::Role;
use uuid::Uuid;

use super::{
    Invitation, InvitationState, MAILS_MAX, OrganisationError, RoleChange, may_manage, parse_email,
};

const ROLES: &[Role] = Role::ALL;

fn change(actor: Role, before: Role, after: Option<Role>) -> RoleChange {
    RoleChange { actor, is_own: false, before, after, owners: 2 }
}

#[test]
fn only_owners_touch_owners_and_only_managers_touch_members() {
    for actor in ROLES {
        for before in ROLES {
            for after in ROLES.iter().copied().map(Some).chain([None]) {
                let allowed = match actor {
                    Role::Owner => true,
                    Role::Admin => *before != Role::Owner && after != Some(Role::Owner),
                    Role::Practitioner | Role::FrontDesk => false,
                };
                let expected = if allowed { Ok(()) } else { Err(OrganisationError::RoleAboveOwn) };
                let told = change(*actor, *before, after).check();
                assert_eq!(told, expected, "{actor:?} {before:?} {after:?}");
            }
        }
    }
    assert!(!may_manage(Role::Admin, Role::Owner));
}

#[test]
fn every_member_may_leave_but_the_last_owner() {
    for role in ROLES {
        let leave = RoleChange { is_own: true, ..change(*role, *role, None) };
        assert_eq!(leave.check(), Ok(()), "{role:?}");
    }
    let last =
        |after| RoleChange { is_own: true, owners: 1, ..change(Role::Owner, Role::Owner, after) };
    for after in [None, Some(Role::Admin), Some(Role::FrontDesk)] {
        assert_eq!(last(after).check(), Err(OrganisationError::LastOwner), "{after:?}");
    }
    assert_eq!(last(Some(Role::Owner)).check(), Ok(()));
    // No member raises the own role.
    let raise = RoleChange { is_own: true, ..change(Role::Admin, Role::Admin, Some(Role::Owner)) };
    assert_eq!(raise.check(), Err(OrganisationError::RoleAboveOwn));
}

#[test]
fn a_lower_role_loses_the_invitations_that_it_could_not_send() {
    let lost = |after| change(Role::Owner, Role::Owner, after).lost_roles();
    assert_eq!(lost(Some(Role::Owner)), []);
    assert_eq!(lost(Some(Role::Admin)), [Role::Owner]);
    assert_eq!(lost(Some(Role::FrontDesk)), ROLES);
    assert_eq!(lost(None), ROLES);
}

fn invitation() -> Invitation {
    Invitation {
        id: Id::from_uuid(Uuid::from_u128(1)),
        email: "priya@practice.example".to_owned(),
        role: Role::Admin,
        practitioner_id: None,
        stored_state: InvitationState::Pending,
        invited_by: Id::from_uuid(Uuid::from_u128(2)),
        invited_at: Timestamp::EPOCH,
        expires_at: Timestamp::EPOCH.plus_minutes(48 * 60),
        mails: 1,
        answered_by: None,
    }
}

#[test]
fn the_proved_address_must_be_the_invited_one() {
    let now = Timestamp::EPOCH;
    for same in ["priya@practice.example", "Priya@Practice.Example"] {
        assert_eq!(invitation().check_answer(same, now), Ok(()), "{same}");
    }
    for other in ["", "priya@practice.example ", "priya@practice.example.in", "priya+x@practice.in"]
    {
        let refused = Err(OrganisationError::ForAnotherAddress);
        assert_eq!(invitation().check_answer(other, now), refused, "{other}");
    }
}

#[test]
fn an_invitation_ends_with_its_last_minute() {
    let email = "priya@practice.example";
    let last = Timestamp::EPOCH.plus_seconds(48 * 60 * 60 - 1);
    assert_eq!(invitation().check_answer(email, last), Ok(()));
    assert_eq!(invitation().state(last.plus_seconds(1)), InvitationState::Expired);
    let late = invitation().check_answer(email, last.plus_seconds(1));
    assert_eq!(late, Err(OrganisationError::InvitationEnded));
    for &stored_state in InvitationState::ALL {
        let ended = Invitation { stored_state, ..invitation() };
        let is_open = stored_state == InvitationState::Pending;
        assert_eq!(ended.check_answer(email, Timestamp::EPOCH).is_ok(), is_open);
        let may_resend =
            matches!(stored_state, InvitationState::Pending | InvitationState::Expired);
        assert_eq!(ended.check_resend().is_ok(), may_resend, "{stored_state:?}");
        assert_eq!(InvitationState::from_word(stored_state.word()), Some(stored_state));
    }
    let often = Invitation { mails: MAILS_MAX, ..invitation() };
    assert_eq!(often.check_resend(), Err(OrganisationError::TooManyInvitations));
}

#[test]
fn an_address_is_kept_in_lower_case() {
    assert_eq!(parse_email(" Priya@Practice.Example "), Ok("priya@practice.example".to_owned()));
    for wrong in ["", "priya", "priya@", "a@b@c", "priya@practice.example\r\nBcc: x@y.example"] {
        assert_eq!(parse_email(wrong), Err(OrganisationError::InvalidEmail), "{wrong:?}");
    }
}
