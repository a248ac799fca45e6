//! Invitations to the practice's staff: owners and admins send, repeat and withdraw them. They are
//! about an address; whether it has an account is neither asked nor told.

use std::sync::Arc;

use contract::booking::v1::{
    InviteMemberRequest, ResendInvitationRequest, StaffInvitationMailRequested,
    WithdrawInvitationRequest,
};
use eventstore::{Act, Metadata, NewEvent, StoreError, Tx, new_id};
use kernel::Id;
use kernel::id::StaffInvitation;
use service::IdempotencyKey;
use staff::{Role, Staff};

use super::App;
use super::members::linked_practitioner;
use super::request::parse_key;
use crate::contract::invitation_stream;
use crate::domain::organisation::{
    INVITATION_MINUTES, INVITATIONS_PER_DAY, Invitation, InvitationState, OrganisationError,
    may_manage, parse_email,
};
use crate::error::{Error, refuse};
use crate::read_model::members as read;
use crate::repository::members::{ChangeKind, MembershipChange, ORGANISATION_LOCK};
use crate::repository::{invitations, members};

/// The names of the methods, in idempotency keys and the audit log.
pub const INVITE: &str = "InviteMember";
/// See [`INVITE`].
pub const RESEND: &str = "ResendInvitation";
/// See [`INVITE`].
pub const WITHDRAW: &str = "WithdrawInvitation";

const DAY_MINUTES: i64 = 24 * 60;

fn wrong(error: OrganisationError) -> Error {
    refuse(error.into())
}

/// What is to be sent.
#[derive(Debug, Clone)]
struct NewInvitation {
    id: Id<StaffInvitation>,
    email: String,
    role: Role,
    practitioner_id: Option<String>,
}

/// Invites an address, and returns the invitation's id.
///
/// # Errors
/// `InvalidEmail`, `InvalidRole`, `PractitionerNotFound`, `RoleAboveOwn`, `AlreadyInvited`,
/// `AlreadyMember` or `TooManyInvitations`.
pub async fn invite_member(
    app: &Arc<App>,
    staff: Staff,
    mut request: InviteMemberRequest,
    role: Option<Role>,
) -> Result<Id<StaffInvitation>, Error> {
    let role = role.ok_or(wrong(OrganisationError::InvalidRole))?;
    let new = NewInvitation {
        id: new_id(),
        email: parse_email(&request.email).map_err(wrong)?,
        role,
        practitioner_id: linked_practitioner(app, role, &request.practitioner_id)?,
    };
    let key = parse_key(&std::mem::take(&mut request.idempotency_key))?;
    let key = Arc::new(IdempotencyKey::of(&staff.id, INVITE, key, &request));
    let metadata = Metadata::traced(staff.id.to_string()).about(new.id.to_string());
    let app_for_task = Arc::clone(app);
    app.store
        .write(metadata, move |tx| {
            let (app, key) = (Arc::clone(&app_for_task), Arc::clone(&key));
            let new = new.clone();
            Box::pin(async move {
                tx.lock(&[key.lock_name(), ORGANISATION_LOCK.to_owned()]).await?;
                let id = match key.lookup::<StaffInvitation>(tx).await? {
                    Some(first) => first,
                    None => {
                        invite(tx, &app, staff, &new).await?;
                        key.store(tx, new.id).await?;
                        new.id
                    }
                };
                tx.audit(staff, Act { action: INVITE, subject: &id.to_string() }).await?;
                Ok(id)
            })
        })
        .await
}

async fn invite(tx: &mut Tx, app: &App, staff: Staff, new: &NewInvitation) -> Result<(), Error> {
    check_manager(tx, staff, new.role).await?;
    let now = tx.now().await?;
    if read::has_address(tx.connection(), &new.email).await? {
        return Err(wrong(OrganisationError::AlreadyMember));
    }
    if invitations::is_invited(tx, &new.email, now).await? {
        return Err(wrong(OrganisationError::AlreadyInvited));
    }
    let today = invitations::sent_since(tx, now.plus_minutes(-DAY_MINUTES)).await?;
    if today >= INVITATIONS_PER_DAY {
        return Err(wrong(OrganisationError::TooManyInvitations));
    }
    let invitation = Invitation {
        id: new.id,
        email: new.email.clone(),
        role: new.role,
        practitioner_id: new.practitioner_id.clone(),
        stored_state: InvitationState::Pending,
        invited_by: staff.id,
        invited_at: now,
        expires_at: now.plus_minutes(INVITATION_MINUTES),
        mails: 1,
        answered_by: None,
    };
    invitations::insert(tx, &invitation, &app.invitation_keys.new_token()).await?;
    request_mail(tx, new.id, 1).await?;
    record(tx, staff, (new.id, ChangeKind::Invited), Some(new.role)).await?;
    tracing::info!(invitation_id = %new.id, "a member was invited");
    Ok(())
}

/// Sends an invitation again, with a new key.
///
/// # Errors
/// `InvitationNotFound`, `InvitationEnded`, `RoleAboveOwn`, `AlreadyInvited` or
/// `TooManyInvitations`.
pub async fn resend_invitation(
    app: &Arc<App>,
    staff: Staff,
    mut request: ResendInvitationRequest,
) -> Result<Id<StaffInvitation>, Error> {
    let id = parse_id(&request.invitation_id)?;
    let key = parse_key(&std::mem::take(&mut request.idempotency_key))?;
    let key = Arc::new(IdempotencyKey::of(&staff.id, RESEND, key, &request));
    let metadata = Metadata::traced(staff.id.to_string()).about(id.to_string());
    let app_for_task = Arc::clone(app);
    app.store
        .write(metadata, move |tx| {
            let (app, key) = (Arc::clone(&app_for_task), Arc::clone(&key));
            Box::pin(async move {
                tx.lock(&[key.lock_name(), ORGANISATION_LOCK.to_owned()]).await?;
                tx.audit(staff, Act { action: RESEND, subject: &id.to_string() }).await?;
                if key.lookup::<StaffInvitation>(tx).await?.is_none() {
                    resend(tx, &app, staff, id).await?;
                    key.store(tx, id).await?;
                }
                Ok(id)
            })
        })
        .await
}

async fn resend(
    tx: &mut Tx,
    app: &App,
    staff: Staff,
    id: Id<StaffInvitation>,
) -> Result<(), Error> {
    let invitation = find(tx, id).await?;
    check_manager(tx, staff, invitation.role).await?;
    invitation.check_resend().map_err(wrong)?;
    let now = tx.now().await?;
    if read::has_address(tx.connection(), &invitation.email).await? {
        return Err(wrong(OrganisationError::AlreadyMember));
    }
    // An expired one may have been followed by a new one for the same address.
    let is_pending = invitation.state(now) == InvitationState::Pending;
    if !is_pending && invitations::is_invited(tx, &invitation.email, now).await? {
        return Err(wrong(OrganisationError::AlreadyInvited));
    }
    let token = app.invitation_keys.new_token();
    invitations::renew(tx, id, &token, now.plus_minutes(INVITATION_MINUTES)).await?;
    request_mail(tx, id, invitation.mails + 1).await?;
    record(tx, staff, (id, ChangeKind::Resent), Some(invitation.role)).await
}

/// Ends a pending invitation; a repeated call changes nothing.
///
/// # Errors
/// `InvitationNotFound`, `InvitationEnded` or `RoleAboveOwn`.
pub async fn withdraw_invitation(
    app: &Arc<App>,
    staff: Staff,
    request: WithdrawInvitationRequest,
) -> Result<Id<StaffInvitation>, Error> {
    let id = parse_id(&request.invitation_id)?;
    let metadata = Metadata::traced(staff.id.to_string()).about(id.to_string());
    app.store
        .write(metadata, move |tx| {
            Box::pin(async move {
                members::lock(tx).await?;
                tx.audit(staff, Act { action: WITHDRAW, subject: &id.to_string() }).await?;
                withdraw(tx, staff, id).await?;
                Ok(id)
            })
        })
        .await
}

async fn withdraw(tx: &mut Tx, staff: Staff, id: Id<StaffInvitation>) -> Result<(), Error> {
    let invitation = find(tx, id).await?;
    check_manager(tx, staff, invitation.role).await?;
    let now = tx.now().await?;
    match invitation.state(now) {
        InvitationState::Pending => {}
        InvitationState::Withdrawn => return Ok(()),
        InvitationState::Accepted | InvitationState::Declined | InvitationState::Expired => {
            return Err(wrong(OrganisationError::InvitationEnded));
        }
    }
    invitations::end(tx, id, InvitationState::Withdrawn, None).await?;
    record(tx, staff, (id, ChangeKind::Withdrawn), None).await
}

fn parse_id(invitation_id: &str) -> Result<Id<StaffInvitation>, Error> {
    let parsed = invitation_id.parse();
    parsed.map_err(|_malformed| wrong(OrganisationError::InvitationNotFound))
}

async fn find(tx: &mut Tx, id: Id<StaffInvitation>) -> Result<Invitation, Error> {
    let found = invitations::find(tx, id).await?;
    found.ok_or(wrong(OrganisationError::InvitationNotFound))
}

/// The role of the caller now, under the lock, must go as far as the invitation's.
async fn check_manager(tx: &mut Tx, staff: Staff, role: Role) -> Result<(), Error> {
    let member = members::membership(tx, staff.id).await?;
    let manages = member.is_some_and(|member| may_manage(member.role, role));
    manages.then_some(()).ok_or(wrong(OrganisationError::RoleAboveOwn))
}

/// Has a mail sent; the event has neither address nor key.
async fn request_mail(
    tx: &mut Tx,
    id: Id<StaffInvitation>,
    mail_number: i64,
) -> Result<(), StoreError> {
    let event = StaffInvitationMailRequested { invitation_id: id.to_string(), mail_number };
    tx.append(&invitation_stream(id), mail_number - 1, &[NewEvent::of(&event)?]).await?;
    Ok(())
}

async fn record(
    tx: &mut Tx,
    staff: Staff,
    (id, kind): (Id<StaffInvitation>, ChangeKind),
    role: Option<Role>,
) -> Result<(), Error> {
    let change = MembershipChange {
        actor: &staff.id.to_string(),
        kind,
        person: None,
        invitation: Some(id),
        before: None,
        after: role,
    };
    Ok(members::record_change(tx, change).await?)
}
