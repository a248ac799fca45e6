//! The wait list: what clients do with their own entries, and what staff do with all.

use std::sync::Arc;

use contract::booking::v1 as wire;
use contract::booking::v1::waiting_service_server::WaitingService;
use contract::booking::v1::waiting_staff_service_server::WaitingStaffService;
use eventstore::{Act, StaffAuthorizer};
use runtime::caller::Users;
use runtime::status::to_status;
use staff::Role;
use tonic::{Request, Response, Status};

use super::audited::audited;
use super::public::client_of;
use crate::app::App;
use crate::app::staff_waiting::{self, end_waiting, list_waiting, offer_time};
use crate::app::standing::StaffTable;
use crate::app::waiting::{
    decline_offer, join_waiting, leave_waiting, list_own_waiting, wire_offer,
};
use crate::error::Error;

/// The handler of both services.
#[derive(Debug, Clone)]
pub struct WaitingHandler {
    app: Arc<App>,
    users: Users,
    authorizer: StaffAuthorizer,
}

impl WaitingHandler {
    /// A handler for calls of signed-in users, and of staff, whose roles are in our table.
    #[must_use]
    pub fn new(app: Arc<App>, users: Users) -> Self {
        let roles = Arc::new(StaffTable(app.store.clone()));
        let authorizer = StaffAuthorizer::new(users.clone(), roles, app.store.clone());
        Self { app, users, authorizer }
    }
}

fn failed(error: impl Into<Error>) -> Status {
    to_status(&error.into())
}

#[tonic::async_trait]
impl WaitingService for WaitingHandler {
    async fn join_waiting(
        &self,
        request: Request<wire::JoinWaitingRequest>,
    ) -> Result<Response<wire::JoinWaitingResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let joined = join_waiting(&self.app, client_of(&user), request.into_inner()).await;
        let waiting = Some(joined.map_err(failed)?);
        Ok(Response::new(wire::JoinWaitingResponse { waiting }))
    }

    async fn list_own_waiting(
        &self,
        request: Request<wire::ListOwnWaitingRequest>,
    ) -> Result<Response<wire::ListOwnWaitingResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let listed = list_own_waiting(&self.app, user.customer).await;
        listed.map(Response::new).map_err(failed)
    }

    async fn leave_waiting(
        &self,
        request: Request<wire::LeaveWaitingRequest>,
    ) -> Result<Response<wire::LeaveWaitingResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let left = leave_waiting(&self.app, user.customer, request.get_ref()).await;
        left.map_err(failed)?;
        Ok(Response::new(wire::LeaveWaitingResponse {}))
    }

    async fn decline_offer(
        &self,
        request: Request<wire::DeclineOfferRequest>,
    ) -> Result<Response<wire::DeclineOfferResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let declined = decline_offer(&self.app, user.customer, request.get_ref()).await;
        declined.map_err(failed)?;
        Ok(Response::new(wire::DeclineOfferResponse {}))
    }
}

#[tonic::async_trait]
impl WaitingStaffService for WaitingHandler {
    async fn list_waiting(
        &self,
        request: Request<wire::ListWaitingRequest>,
    ) -> Result<Response<wire::ListWaitingResponse>, Status> {
        let act = Act { action: "ListWaiting", subject: "" };
        let staff = self.authorizer.authorize(request.metadata(), act, ROLES).await?;
        let listed = list_waiting(&self.app, request.get_ref()).await;
        let listed = audited(&self.authorizer, staff, act, listed).await?;
        self.authorizer.audit_read(staff, act).await?;
        Ok(Response::new(listed))
    }

    async fn offer_time(
        &self,
        request: Request<wire::OfferTimeRequest>,
    ) -> Result<Response<wire::OfferTimeResponse>, Status> {
        let (metadata, _extensions, request) = request.into_parts();
        let subject = request.waiting_id.clone();
        let act = Act { action: staff_waiting::OFFER, subject: &subject };
        let staff = self.authorizer.authorize(&metadata, act, ROLES).await?;
        let offered = offer_time(&self.app, staff, request).await;
        let id = audited(&self.authorizer, staff, act, offered).await?;
        let offer = wire_offer(&self.app, id).await.map_err(failed)?;
        Ok(Response::new(wire::OfferTimeResponse { offer }))
    }

    async fn end_waiting(
        &self,
        request: Request<wire::EndWaitingRequest>,
    ) -> Result<Response<wire::EndWaitingResponse>, Status> {
        let act = Act { action: staff_waiting::END, subject: &request.get_ref().waiting_id };
        let staff = self.authorizer.authorize(request.metadata(), act, ROLES).await?;
        let ended = end_waiting(&self.app, staff, request.get_ref()).await;
        audited(&self.authorizer, staff, act, ended).await?;
        Ok(Response::new(wire::EndWaitingResponse {}))
    }
}

/// The roles that keep the wait list.
const ROLES: &[Role] = &[Role::Owner, Role::Admin, Role::FrontDesk];
