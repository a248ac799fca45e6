//! The members of the practice and the invitations to it: what accounts do with their own
//! membership, and what owners and admins do with all.

use std::collections::HashMap;
use std::sync::Arc;

use contract::booking::v1 as wire;
use contract::booking::v1::organisation_service_server::OrganisationService;
use contract::booking::v1::organisation_staff_service_server::OrganisationStaffService;
use eventstore::{Act, StaffAuthorizer, StoreError};
use kernel::id::{Customer, StaffInvitation};
use kernel::{Id, Timestamp};
use runtime::caller::Users;
use runtime::status::to_status;
use staff::{Role, Staff};
use tonic::{Request, Response, Status};

use super::audited::audited;
use super::organisation_wire::Wire;
use super::public::client_of;
use super::wire_role::read_role;
use crate::app::App;
use crate::app::answer_invitation::{accept_invitation, decline_invitation, invitation_of};
use crate::app::invitations::{self, invite_member, resend_invitation, withdraw_invitation};
use crate::app::members::{self, change_role, leave_practice, note_address, remove_member};
use crate::app::standing::{StaffTable, standing_of};
use crate::error::Error;
use crate::read_model::{invitations as invitation_rows, members as member_rows};

/// The handler of both services.
#[derive(Debug, Clone)]
pub struct OrganisationHandler {
    app: Arc<App>,
    users: Users,
    authorizer: StaffAuthorizer,
}

impl OrganisationHandler {
    /// A handler for calls of signed-in users, and of staff, whose roles are in our table.
    #[must_use]
    pub fn new(app: Arc<App>, users: Users) -> Self {
        let roles = Arc::new(StaffTable(app.store.clone()));
        let authorizer = StaffAuthorizer::new(users.clone(), roles, app.store.clone());
        Self { app, users, authorizer }
    }

    fn wire(&self, addresses: HashMap<Id<Customer>, String>, now: Timestamp) -> Wire<'_> {
        Wire { app: &self.app, addresses, now }
    }

    async fn now(&self) -> Result<Timestamp, Status> {
        self.app.store.now().await.map_err(failed)
    }

    async fn addresses(
        &self,
        people: &[Id<Customer>],
    ) -> Result<HashMap<Id<Customer>, String>, Status> {
        member_rows::addresses(self.app.store.pool(), people).await.map_err(failed)
    }

    async fn invitation(
        &self,
        staff: Staff,
        id: Id<StaffInvitation>,
    ) -> Result<Option<wire::Invitation>, Status> {
        let found = invitation_rows::with_token(self.app.store.pool(), id).await;
        let Some((invitation, _token)) = found.map_err(failed)? else { return Ok(None) };
        let addresses = self.addresses(&[invitation.invited_by]).await?;
        Ok(Some(self.wire(addresses, self.now().await?).invitation(staff, &invitation)))
    }
}

fn failed(error: impl Into<Error>) -> Status {
    to_status(&error.into())
}

#[tonic::async_trait]
impl OrganisationService for OrganisationHandler {
    async fn list_my_memberships(
        &self,
        request: Request<wire::ListMyMembershipsRequest>,
    ) -> Result<Response<wire::ListMyMembershipsResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        // Enrolling a second factor counts from the first page that the account opens after it.
        let standing = standing_of(self.app.store.pool(), user.customer, user.reach());
        standing.await.map_err(StoreError::from).map_err(failed)?;
        let proved = client_of(&user).proved_email.unwrap_or_default();
        let member = note_address(&self.app, user.customer, &proved).await.map_err(failed)?;
        let wire = self.wire(HashMap::new(), self.now().await?);
        let memberships = member.iter().map(|member| wire.membership(member)).collect();
        Ok(Response::new(wire::ListMyMembershipsResponse { memberships }))
    }

    async fn get_invitation(
        &self,
        request: Request<wire::GetInvitationRequest>,
    ) -> Result<Response<wire::GetInvitationResponse>, Status> {
        let found = invitation_of(&self.app, &request.get_ref().key).await;
        let invitation = found.map_err(failed)?;
        let addresses = self.addresses(&[invitation.invited_by]).await?;
        let offer = self.wire(addresses, self.now().await?).offer(&invitation);
        Ok(Response::new(wire::GetInvitationResponse { invitation: Some(offer) }))
    }

    async fn accept_invitation(
        &self,
        request: Request<wire::AcceptInvitationRequest>,
    ) -> Result<Response<wire::AcceptInvitationResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let accepted = accept_invitation(&self.app, client_of(&user), &request.get_ref().key).await;
        accepted.map_err(failed)?;
        let member = member_rows::find(self.app.store.pool(), user.customer).await;
        let member = member.map_err(failed)?;
        let wire = self.wire(HashMap::new(), self.now().await?);
        let membership = member.map(|member| wire.membership(&member));
        Ok(Response::new(wire::AcceptInvitationResponse { membership }))
    }

    async fn decline_invitation(
        &self,
        request: Request<wire::DeclineInvitationRequest>,
    ) -> Result<Response<wire::DeclineInvitationResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let declined =
            decline_invitation(&self.app, client_of(&user), &request.get_ref().key).await;
        declined.map_err(failed)?;
        Ok(Response::new(wire::DeclineInvitationResponse {}))
    }

    async fn leave_practice(
        &self,
        request: Request<wire::LeavePracticeRequest>,
    ) -> Result<Response<wire::LeavePracticeResponse>, Status> {
        let act = Act { action: members::LEAVE, subject: "" };
        let staff = self.authorizer.authorize(request.metadata(), act, Role::ALL).await?;
        let left = leave_practice(&self.app, staff).await;
        audited(&self.authorizer, staff, act, left).await?;
        Ok(Response::new(wire::LeavePracticeResponse {}))
    }
}

#[tonic::async_trait]
impl OrganisationStaffService for OrganisationHandler {
    async fn list_members(
        &self,
        request: Request<wire::ListMembersRequest>,
    ) -> Result<Response<wire::ListMembersResponse>, Status> {
        let act = Act { action: "ListMembers", subject: "" };
        let staff = self.authorizer.authorize(request.metadata(), act, Role::MANAGERS).await?;
        self.authorizer.audit_read(staff, act).await?;
        let members = member_rows::all(self.app.store.pool()).await.map_err(failed)?;
        let wire = self.wire(HashMap::new(), self.now().await?);
        let members = members.iter().map(|member| wire.member(staff, member)).collect();
        Ok(Response::new(wire::ListMembersResponse { members }))
    }

    async fn list_invitations(
        &self,
        request: Request<wire::ListInvitationsRequest>,
    ) -> Result<Response<wire::ListInvitationsResponse>, Status> {
        let act = Act { action: "ListInvitations", subject: "" };
        let staff = self.authorizer.authorize(request.metadata(), act, Role::MANAGERS).await?;
        self.authorizer.audit_read(staff, act).await?;
        let now = self.now().await?;
        let found = invitation_rows::all(self.app.store.pool(), now).await.map_err(failed)?;
        let inviters: Vec<_> = found.iter().map(|invitation| invitation.invited_by).collect();
        let wire = self.wire(self.addresses(&inviters).await?, now);
        let invitations = found.iter().map(|it| wire.invitation(staff, it)).collect();
        Ok(Response::new(wire::ListInvitationsResponse { invitations }))
    }

    async fn list_membership_changes(
        &self,
        request: Request<wire::ListMembershipChangesRequest>,
    ) -> Result<Response<wire::ListMembershipChangesResponse>, Status> {
        let act = Act { action: "ListMembershipChanges", subject: "" };
        let staff = self.authorizer.authorize(request.metadata(), act, Role::MANAGERS).await?;
        self.authorizer.audit_read(staff, act).await?;
        let found = member_rows::changes(self.app.store.pool()).await.map_err(failed)?;
        let actors = found.iter().filter_map(|change| change.actor.parse().ok());
        let people: Vec<_> = found.iter().filter_map(|it| it.person).chain(actors).collect();
        let wire = self.wire(self.addresses(&people).await?, self.now().await?);
        let changes = found.into_iter().map(|change| wire.change(change)).collect();
        Ok(Response::new(wire::ListMembershipChangesResponse { changes }))
    }

    async fn invite_member(
        &self,
        request: Request<wire::InviteMemberRequest>,
    ) -> Result<Response<wire::InviteMemberResponse>, Status> {
        let act = Act { action: invitations::INVITE, subject: "" };
        let staff = self.authorizer.authorize(request.metadata(), act, Role::MANAGERS).await?;
        let request = request.into_inner();
        let role = read_role(request.role());
        let invited = invite_member(&self.app, staff, request, role).await;
        let id = audited(&self.authorizer, staff, act, invited).await?;
        let invitation = self.invitation(staff, id).await?;
        Ok(Response::new(wire::InviteMemberResponse { invitation }))
    }

    async fn resend_invitation(
        &self,
        request: Request<wire::ResendInvitationRequest>,
    ) -> Result<Response<wire::ResendInvitationResponse>, Status> {
        let (metadata, _extensions, request) = request.into_parts();
        let id = request.invitation_id.clone();
        let act = Act { action: invitations::RESEND, subject: &id };
        let staff = self.authorizer.authorize(&metadata, act, Role::MANAGERS).await?;
        let sent = resend_invitation(&self.app, staff, request).await;
        let id = audited(&self.authorizer, staff, act, sent).await?;
        let invitation = self.invitation(staff, id).await?;
        Ok(Response::new(wire::ResendInvitationResponse { invitation }))
    }

    async fn withdraw_invitation(
        &self,
        request: Request<wire::WithdrawInvitationRequest>,
    ) -> Result<Response<wire::WithdrawInvitationResponse>, Status> {
        let (metadata, _extensions, request) = request.into_parts();
        let id = request.invitation_id.clone();
        let act = Act { action: invitations::WITHDRAW, subject: &id };
        let staff = self.authorizer.authorize(&metadata, act, Role::MANAGERS).await?;
        let withdrawn = withdraw_invitation(&self.app, staff, request).await;
        let id = audited(&self.authorizer, staff, act, withdrawn).await?;
        let invitation = self.invitation(staff, id).await?;
        Ok(Response::new(wire::WithdrawInvitationResponse { invitation }))
    }

    async fn change_role(
        &self,
        request: Request<wire::ChangeRoleRequest>,
    ) -> Result<Response<wire::ChangeRoleResponse>, Status> {
        let (metadata, _extensions, request) = request.into_parts();
        let person = request.user_id.clone();
        let act = Act { action: members::CHANGE_ROLE, subject: &person };
        let staff = self.authorizer.authorize(&metadata, act, Role::MANAGERS).await?;
        let role = read_role(request.role());
        let changed = change_role(&self.app, staff, request, role).await;
        let person = audited(&self.authorizer, staff, act, changed).await?;
        let found = member_rows::find(self.app.store.pool(), person).await.map_err(failed)?;
        // A caller who changed the own role may do less from now on.
        let own = found.as_ref().filter(|_| person == staff.id).map(|member| member.role);
        let caller = Staff { role: own.unwrap_or(staff.role), ..staff };
        let wire = self.wire(HashMap::new(), self.now().await?);
        let member = found.map(|member| wire.member(caller, &member));
        Ok(Response::new(wire::ChangeRoleResponse { member }))
    }

    async fn remove_member(
        &self,
        request: Request<wire::RemoveMemberRequest>,
    ) -> Result<Response<wire::RemoveMemberResponse>, Status> {
        let (metadata, _extensions, request) = request.into_parts();
        let person = request.user_id.clone();
        let act = Act { action: members::REMOVE, subject: &person };
        let staff = self.authorizer.authorize(&metadata, act, Role::MANAGERS).await?;
        let removed = remove_member(&self.app, staff, request).await;
        audited(&self.authorizer, staff, act, removed).await?;
        Ok(Response::new(wire::RemoveMemberResponse {}))
    }
}
