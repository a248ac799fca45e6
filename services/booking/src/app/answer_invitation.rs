//! The invited person accepts or declines. Only an account whose address the identity server has
//! proved, and which is the invited one, gets a membership: another account may have registered the
//! address before its owner.

use std::sync::Arc;

use eventstore::{Act, Actor, Metadata, Tx};
use kernel::Id;
use kernel::id::Customer;
use staff::{Role, Staff};

use super::App;
use super::free_session::Client;
use super::invitation_keys::hash_of;
use crate::domain::organisation::{Invitation, InvitationState, OrganisationError, may_manage};
use crate::error::{Error, Rejection, refuse};
use crate::repository::members::{ChangeKind, Membership, MembershipChange};
use crate::repository::{invitations, members};

/// The names of the methods, in the audit log.
pub const ACCEPT: &str = "AcceptInvitation";
/// See [`ACCEPT`].
pub const DECLINE: &str = "DeclineInvitation";

fn wrong(error: OrganisationError) -> Error {
    refuse(error.into())
}

/// The invitation of a key.
///
/// # Errors
/// `InvitationNotFound`.
pub async fn invitation_of(app: &App, key: &str) -> Result<Invitation, Error> {
    let not_found = || wrong(OrganisationError::InvitationNotFound);
    let hash = hash_of(key).ok_or_else(not_found)?;
    invitations::find_by_hash(app.store.pool(), &hash).await?.ok_or_else(not_found)
}

/// An account with its proved address.
#[derive(Clone)]
struct Invited {
    person: Id<Customer>,
    email: String,
    hash: Vec<u8>,
}

impl Invited {
    fn of(client: Client, key: &str) -> Result<Self, Error> {
        let hash = hash_of(key).ok_or(wrong(OrganisationError::InvitationNotFound))?;
        let email = client.proved_email.ok_or(refuse(Rejection::AddressNotProved))?;
        Ok(Self { person: client.customer_id, email: email.to_lowercase(), hash })
    }

    fn metadata(&self) -> Metadata {
        Metadata::traced(self.person.to_string())
    }

    /// Reads the invitation under the organisation's lock, so that it is answered once.
    async fn find(&self, tx: &mut Tx) -> Result<Invitation, Error> {
        members::lock(tx).await?;
        let found = invitations::find_by_hash(tx.connection(), &self.hash).await?;
        found.ok_or(wrong(OrganisationError::InvitationNotFound))
    }

    fn change<'a>(
        &self,
        actor: &'a str,
        invitation: &Invitation,
        kind: ChangeKind,
    ) -> MembershipChange<'a> {
        let joins = kind == ChangeKind::Joined;
        MembershipChange {
            actor,
            kind,
            person: joins.then_some(self.person),
            invitation: Some(invitation.id),
            before: None,
            after: joins.then_some(invitation.role),
        }
    }
}

/// Makes the caller a member.
///
/// # Errors
/// `AddressNotProved`, `InvitationNotFound`, `ForAnotherAddress`, `InvitationEnded` or
/// `AlreadyMember`.
pub async fn accept_invitation(app: &Arc<App>, client: Client, key: &str) -> Result<(), Error> {
    let invited = Invited::of(client, key)?;
    app.store
        .write(invited.metadata(), move |tx| {
            let invited = invited.clone();
            Box::pin(async move { accept(tx, &invited).await })
        })
        .await
}

async fn accept(tx: &mut Tx, invited: &Invited) -> Result<(), Error> {
    let invitation = invited.find(tx).await?;
    let member = members::membership(tx, invited.person).await?;
    let is_repeated = invitation.stored_state == InvitationState::Accepted
        && invitation.answered_by == Some(invited.person)
        && member.is_some();
    if is_repeated {
        return Ok(());
    }
    let now = tx.now().await?;
    invitation.check_answer(&invited.email, now).map_err(wrong)?;
    if member.is_some() {
        return Err(wrong(OrganisationError::AlreadyMember));
    }
    // A process of an earlier release may have ended the inviter's role, and no invitation with it.
    let inviter = members::membership(tx, invitation.invited_by).await?;
    if !inviter.is_some_and(|inviter| may_manage(inviter.role, invitation.role)) {
        return Err(wrong(OrganisationError::InvitationEnded));
    }
    let role: Role = invitation.role;
    let practitioner_id = invitation.practitioner_id.clone();
    members::upsert(tx, invited.person, &Membership { role, practitioner_id }).await?;
    members::set_address(tx, invited.person, &invited.email).await?;
    let answered_by = Some(invited.person);
    invitations::end(tx, invitation.id, InvitationState::Accepted, answered_by).await?;
    let actor = invited.person.to_string();
    let change = invited.change(&actor, &invitation, ChangeKind::Joined);
    members::record_change(tx, change).await?;
    let act = Act { action: ACCEPT, subject: &invitation.id.to_string() };
    tx.audit(Staff { id: invited.person, role }, act).await?;
    tracing::info!(invitation_id = %invitation.id, "an invitation was accepted");
    Ok(())
}

/// Ends an invitation without a membership; a repeated call changes nothing.
///
/// # Errors
/// `AddressNotProved`, `InvitationNotFound`, `ForAnotherAddress` or `InvitationEnded`.
pub async fn decline_invitation(app: &Arc<App>, client: Client, key: &str) -> Result<(), Error> {
    let invited = Invited::of(client, key)?;
    app.store
        .write(invited.metadata(), move |tx| {
            let invited = invited.clone();
            Box::pin(async move { decline(tx, &invited).await })
        })
        .await
}

async fn decline(tx: &mut Tx, invited: &Invited) -> Result<(), Error> {
    let invitation = invited.find(tx).await?;
    let is_repeated = invitation.stored_state == InvitationState::Declined
        && invitation.answered_by == Some(invited.person);
    if is_repeated {
        return Ok(());
    }
    let now = tx.now().await?;
    invitation.check_answer(&invited.email, now).map_err(wrong)?;
    let answered_by = Some(invited.person);
    invitations::end(tx, invitation.id, InvitationState::Declined, answered_by).await?;
    let actor = invited.person.to_string();
    let change = invited.change(&actor, &invitation, ChangeKind::Declined);
    members::record_change(tx, change).await?;
    let act = Act { action: DECLINE, subject: &invitation.id.to_string() };
    tx.audit_as(&Actor::account(invited.person, None), act, eventstore::audit::DONE).await?;
    Ok(())
}
