//! Members, invitations and their changes on the wire, as a caller may see them.

use std::collections::HashMap;

use contract::booking::v1 as wire;
use contract::convert::to_wire;
use kernel::id::Customer;
use kernel::{Id, Timestamp};
use staff::Staff;

use super::wire_role::wire_role;
use crate::app::App;
use crate::domain::organisation::{Invitation, InvitationState, may_manage};
use crate::read_model::members::{Member, RecordedChange};

/// What rows lack: names, addresses of other members, and the time.
pub(super) struct Wire<'a> {
    pub(super) app: &'a App,
    pub(super) addresses: HashMap<Id<Customer>, String>,
    pub(super) now: Timestamp,
}

impl Wire<'_> {
    fn practitioner(&self, id: Option<&String>) -> (String, String) {
        let Some(id) = id else { return Default::default() };
        (id.clone(), self.app.practice.name_of_practitioner(id).to_owned())
    }

    fn address(&self, person: Id<Customer>) -> String {
        self.addresses.get(&person).cloned().unwrap_or_default()
    }

    pub(super) fn membership(&self, member: &Member) -> wire::Membership {
        let (practitioner_id, practitioner_name) =
            self.practitioner(member.practitioner_id.as_ref());
        wire::Membership {
            practice_id: member.practice_id.to_string(),
            practice_name: self.app.practice.practice.name.clone(),
            role: wire_role(Some(member.role)).into(),
            practitioner_id,
            practitioner_name,
            since_at: Some(to_wire(member.since_at)),
            second_factor_by: Some(to_wire(member.second_factor_by)),
        }
    }

    pub(super) fn member(&self, caller: Staff, member: &Member) -> wire::Member {
        let (practitioner_id, practitioner_name) =
            self.practitioner(member.practitioner_id.as_ref());
        wire::Member {
            user_id: member.person.to_string(),
            email: member.email.clone().unwrap_or_default(),
            role: wire_role(Some(member.role)).into(),
            practitioner_id,
            practitioner_name,
            since_at: Some(to_wire(member.since_at)),
            is_caller: member.person == caller.id,
            may_change: may_manage(caller.role, member.role),
        }
    }

    pub(super) fn invitation(&self, caller: Staff, invitation: &Invitation) -> wire::Invitation {
        let (practitioner_id, practitioner_name) =
            self.practitioner(invitation.practitioner_id.as_ref());
        wire::Invitation {
            invitation_id: invitation.id.to_string(),
            email: invitation.email.clone(),
            role: wire_role(Some(invitation.role)).into(),
            practitioner_id,
            practitioner_name,
            state: wire_state(invitation.state(self.now)).into(),
            invited_by: self.address(invitation.invited_by),
            invited_at: Some(to_wire(invitation.invited_at)),
            expires_at: Some(to_wire(invitation.expires_at)),
            may_change: may_manage(caller.role, invitation.role),
        }
    }

    /// What its key shows. Of one that has ended it names no person: the key has ended as well.
    pub(super) fn offer(&self, invitation: &Invitation) -> wire::InvitationOffer {
        let state = invitation.state(self.now);
        let ended = wire::InvitationOffer {
            practice_name: self.app.practice.practice.name.clone(),
            role: wire_role(Some(invitation.role)).into(),
            state: wire_state(state).into(),
            expires_at: Some(to_wire(invitation.expires_at)),
            ..wire::InvitationOffer::default()
        };
        if state != InvitationState::Pending {
            return ended;
        }
        let (_id, practitioner_name) = self.practitioner(invitation.practitioner_id.as_ref());
        wire::InvitationOffer {
            email: invitation.email.clone(),
            practitioner_name,
            invited_by: self.address(invitation.invited_by),
            ..ended
        }
    }

    pub(super) fn change(&self, change: RecordedChange) -> wire::MembershipChange {
        let actor: Option<Id<Customer>> = change.actor.parse().ok();
        let member = change.person.map(|person| self.address(person));
        let member = member.filter(|email| !email.is_empty());
        wire::MembershipChange {
            changed_at: Some(to_wire(change.changed_at)),
            actor_email: actor.map(|actor| self.address(actor)).unwrap_or_default(),
            actor: change.actor,
            kind: wire_kind(&change.kind).into(),
            user_id: change.person.map(|person| person.to_string()).unwrap_or_default(),
            email: member.or(change.invited_email).unwrap_or_default(),
            role_before: wire_role(change.before).into(),
            role_after: wire_role(change.after).into(),
        }
    }
}

fn wire_state(state: InvitationState) -> wire::InvitationState {
    match state {
        InvitationState::Pending => wire::InvitationState::Pending,
        InvitationState::Accepted => wire::InvitationState::Accepted,
        InvitationState::Declined => wire::InvitationState::Declined,
        InvitationState::Withdrawn => wire::InvitationState::Withdrawn,
        InvitationState::Expired => wire::InvitationState::Expired,
    }
}

fn wire_kind(word: &str) -> wire::MembershipChangeKind {
    match word {
        "invited" => wire::MembershipChangeKind::Invited,
        "resent" => wire::MembershipChangeKind::Resent,
        "withdrawn" => wire::MembershipChangeKind::Withdrawn,
        "declined" => wire::MembershipChangeKind::Declined,
        "joined" => wire::MembershipChangeKind::Joined,
        "role_changed" => wire::MembershipChangeKind::RoleChanged,
        "removed" => wire::MembershipChangeKind::Removed,
        "left" => wire::MembershipChangeKind::Left,
        "granted" => wire::MembershipChangeKind::Granted,
        _ => wire::MembershipChangeKind::Unspecified,
    }
}
