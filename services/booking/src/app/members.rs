//! Changes of the practice's members: another role, a removal, and a member who leaves. The role of
//! the member who makes it is read again under the organisation's lock, so that two changes at once
//! are decided one after the other.

use std::sync::Arc;

use contract::booking::v1::{ChangeRoleRequest, RemoveMemberRequest};
use eventstore::{Act, Metadata, Tx};
use kernel::Id;
use kernel::id::Customer;
use practice::LEAD_ID;
use staff::{Role, Staff};

use super::App;
use super::staff_scope::own_practitioner;
use crate::domain::organisation::{OrganisationError, RoleChange};
use crate::error::{Error, Rejection, refuse};
use crate::read_model::{calendar_feeds, members as read};
use crate::repository::members::{ChangeKind, Membership, MembershipChange};
use crate::repository::{invitations, members};

/// The names of the methods, in the audit log.
pub const CHANGE_ROLE: &str = "ChangeRole";
/// See [`CHANGE_ROLE`].
pub const REMOVE: &str = "RemoveMember";
/// See [`CHANGE_ROLE`].
pub const LEAVE: &str = "LeavePractice";

/// The practitioner that a membership of a role links: for practitioners the named one, or the only
/// one of the practice; for other roles none.
///
/// # Errors
/// `PractitionerNotFound`.
pub fn linked_practitioner(app: &App, role: Role, asked: &str) -> Result<Option<String>, Error> {
    let not_found = || refuse(Rejection::PractitionerNotFound);
    match role {
        Role::Practitioner => {
            let only = !app.practice.has_several_practitioners();
            let id = if asked.is_empty() && only { LEAD_ID } else { asked };
            app.practitioners.get(id).map(|known| Some(known.id.clone())).ok_or_else(not_found)
        }
        Role::Owner | Role::Admin | Role::FrontDesk if asked.is_empty() => Ok(None),
        Role::Owner | Role::Admin | Role::FrontDesk => Err(not_found()),
    }
}

/// Stores the proved address of a member's account where it is another one than the known one.
pub async fn note_address(
    app: &App,
    person: Id<Customer>,
    email: &str,
) -> Result<Option<read::Member>, Error> {
    let found = read::find(app.store.pool(), person).await?;
    let email = email.to_lowercase();
    let Some(mut member) = found else { return Ok(None) };
    if email.is_empty() || member.email.as_ref() == Some(&email) {
        return Ok(Some(member));
    }
    let metadata = Metadata::traced(person.to_string());
    let written = email.clone();
    app.store
        .write(metadata, move |tx| {
            let email = written.clone();
            Box::pin(async move { members::set_address(tx, person, &email).await })
        })
        .await?;
    member.email = Some(email);
    Ok(Some(member))
}

/// Gives a member another role, or links a practitioner.
///
/// # Errors
/// `InvalidRole`, `PractitionerNotFound`, `MemberNotFound`, `RoleAboveOwn` or `LastOwner`.
pub async fn change_role(
    app: &Arc<App>,
    staff: Staff,
    request: ChangeRoleRequest,
    role: Option<Role>,
) -> Result<Id<Customer>, Error> {
    let role = role.ok_or(refuse(OrganisationError::InvalidRole.into()))?;
    let practitioner_id = linked_practitioner(app, role, &request.practitioner_id)?;
    let person = parse_member(&request.user_id)?;
    let after = Membership { role, practitioner_id };
    change(app, (staff, CHANGE_ROLE), person, Some(after)).await?;
    Ok(person)
}

/// Ends a membership; of an account that was a member, a repeated call changes nothing.
///
/// # Errors
/// `MemberNotFound`, `RoleAboveOwn` or `LastOwner`.
pub async fn remove_member(
    app: &Arc<App>,
    staff: Staff,
    request: RemoveMemberRequest,
) -> Result<(), Error> {
    change(app, (staff, REMOVE), parse_member(&request.user_id)?, None).await
}

/// Ends the caller's own membership.
///
/// # Errors
/// `LastOwner`.
pub async fn leave_practice(app: &Arc<App>, staff: Staff) -> Result<(), Error> {
    change(app, (staff, LEAVE), staff.id, None).await
}

fn parse_member(user_id: &str) -> Result<Id<Customer>, Error> {
    let not_found = || refuse(OrganisationError::MemberNotFound.into());
    user_id.parse().map_err(|_malformed| not_found())
}

async fn change(
    app: &Arc<App>,
    (staff, method): (Staff, &'static str),
    person: Id<Customer>,
    after: Option<Membership>,
) -> Result<(), Error> {
    let metadata = Metadata::traced(staff.id.to_string()).about(person.to_string());
    let app_for_task = Arc::clone(app);
    app.store
        .write(metadata, move |tx| {
            let (app, after) = (Arc::clone(&app_for_task), after.clone());
            Box::pin(async move {
                members::lock(tx).await?;
                let act = Act { action: method, subject: &person.to_string() };
                tx.audit(staff, act).await?;
                apply(tx, &app, (staff, person), after).await
            })
        })
        .await
}

async fn apply(
    tx: &mut Tx,
    app: &App,
    (staff, person): (Staff, Id<Customer>),
    after: Option<Membership>,
) -> Result<(), Error> {
    let above_own = || refuse(OrganisationError::RoleAboveOwn.into());
    let actor = members::membership(tx, staff.id).await?.ok_or_else(above_own)?;
    let Some(before) = members::membership(tx, person).await? else {
        let was_member = members::was_member(tx, person).await? && after.is_none();
        let not_found = || refuse(OrganisationError::MemberNotFound.into());
        return was_member.then_some(()).ok_or_else(not_found);
    };
    if after.as_ref() == Some(&before) {
        return Ok(());
    }
    let change = RoleChange {
        actor: actor.role,
        is_own: staff.id == person,
        before: before.role,
        after: after.as_ref().map(|after| after.role),
        owners: members::owners(tx).await?,
    };
    change.check().map_err(|wrong| refuse(wrong.into()))?;
    let kind = match &after {
        Some(_) => ChangeKind::RoleChanged,
        None if change.is_own => ChangeKind::Left,
        None => ChangeKind::Removed,
    };
    let lost_calendar = lost_calendar(app, &before, after.as_ref());
    match &after {
        Some(after) => members::upsert(tx, person, after).await?,
        None => members::end(tx, person).await?,
    }
    let row = MembershipChange {
        actor: &staff.id.to_string(),
        kind,
        person: Some(person),
        invitation: None,
        before: Some(change.before),
        after: change.after,
    };
    members::record_change(tx, row).await?;
    for invitation in invitations::withdraw_of(tx, person, &change.lost_roles()).await? {
        let withdrawn = MembershipChange {
            kind: ChangeKind::Withdrawn,
            person: None,
            invitation: Some(invitation),
            before: None,
            after: None,
            ..row
        };
        members::record_change(tx, withdrawn).await?;
    }
    if let Some(practitioner_id) = lost_calendar {
        calendar_feeds::delete(tx, &practitioner_id).await?;
    }
    tracing::info!(kind = kind.word(), "a membership changed");
    Ok(())
}

/// The practitioner whose secret calendar address the member knew and may not use any more.
fn lost_calendar(app: &App, before: &Membership, after: Option<&Membership>) -> Option<String> {
    let own = |membership: &Membership| match membership.role {
        Role::Practitioner => own_practitioner(app, membership.practitioner_id.clone()),
        Role::Owner | Role::Admin | Role::FrontDesk => None,
    };
    let keeps_all = after.is_some_and(|it| matches!(it.role, Role::Owner | Role::Admin));
    own(before).filter(|lost| !keeps_all && after.and_then(own).as_ref() != Some(lost))
}
