//! The internal service, for other services. The gateway does not route it; each method checks its
//! callers.

use std::sync::Arc;

use contract::booking::v1::booking_internal_service_server::BookingInternalService;
use contract::booking::v1::{
    GetBookingContactRequest, GetBookingContactResponse, GetBookingFactsRequest,
    GetBookingFactsResponse, GetStaffInvitationRequest, GetStaffInvitationResponse,
    GetStaffRoleRequest, GetStaffRoleResponse, ListDaySessionsRequest, ListDaySessionsResponse,
};
use contract::convert::to_wire;
use kernel::Id;
use kernel::id::{Booking, Customer, StaffInvitation};
use runtime::caller::{Aal, Peers};
use runtime::status::{reject, to_status};
use tonic::{Request, Response, Status};

use super::calendar;
use super::ownership::parse;
use crate::app::App;
use crate::app::list_bookings::list_day_sessions;
use crate::app::payment_page::{consent_missing, page};
use crate::app::standing::standing_of;
use crate::domain::organisation::{InvitationState, OrganisationError};
use crate::error::{Error, Rejection};
use crate::read_model::view::{self, View};
use crate::read_model::{invitations, members};

/// The handler of the internal service.
#[derive(Debug, Clone)]
pub struct InternalHandler {
    app: Arc<App>,
    peers: Peers,
}

impl InternalHandler {
    /// A handler for calls of other services.
    #[must_use]
    pub fn new(app: Arc<App>, peers: Peers) -> Self {
        Self { app, peers }
    }

    fn page_key(&self, view: &View) -> String {
        let id = view.booking.booking_id.parse();
        id.map(|id| self.app.page_keys.key(id)).unwrap_or_default()
    }

    async fn view(&self, id: Id<Booking>) -> Result<View, Status> {
        view::load(self.app.store.pool(), &self.app.practice, id)
            .await
            .map_err(|error| to_status(&Error::from(error)))?
            .ok_or_else(|| reject(&Rejection::BookingNotFound))
    }
}

#[tonic::async_trait]
impl BookingInternalService for InternalHandler {
    async fn get_booking_facts(
        &self,
        request: Request<GetBookingFactsRequest>,
    ) -> Result<Response<GetBookingFactsResponse>, Status> {
        self.peers.verify(request.metadata(), &["payments"])?;
        let asked = request.into_inner();
        let view = if asked.page_key.is_empty() {
            self.view(parse(&asked.booking_id)?).await?
        } else {
            page(&self.app, &asked.page_key).await.map_err(|error| to_status(&error))?.view
        };
        let consent_missing = consent_missing(&self.app, &view).await;
        let consent_missing = consent_missing.map_err(|error| to_status(&error))?;
        Ok(Response::new(GetBookingFactsResponse {
            terms_missing: view.terms_missing,
            consent_missing,
            customer_id: view.customer_id.to_string(),
            booking_id: view.booking.booking_id,
            price: view.booking.price,
            held_until_at: view.booking.held_until_at,
            state: view.booking.state,
            starts_at: view.booking.sessions.last().and_then(|session| session.starts_at),
        }))
    }

    async fn get_booking_contact(
        &self,
        request: Request<GetBookingContactRequest>,
    ) -> Result<Response<GetBookingContactResponse>, Status> {
        self.peers.verify(request.metadata(), &["notifications"])?;
        let view = self.view(parse(&request.into_inner().booking_id)?).await?;
        let practice = &self.app.practice;
        let calendar_file = calendar::file(practice, &view);
        let calendar_file = calendar_file.or_else(|| calendar::cancellation(practice, &view));
        let calendar_file = calendar_file.unwrap_or_default();
        let page_key = if view.origin.is_by_phone() { self.page_key(&view) } else { String::new() };
        let booking = Some(view.booking);
        Ok(Response::new(GetBookingContactResponse { booking, calendar_file, page_key }))
    }

    async fn list_day_sessions(
        &self,
        request: Request<ListDaySessionsRequest>,
    ) -> Result<Response<ListDaySessionsResponse>, Status> {
        self.peers.verify(request.metadata(), &["notifications"])?;
        let listed = list_day_sessions(&self.app, &request.get_ref().date).await;
        let bookings = listed.map_err(|error| to_status(&error))?;
        Ok(Response::new(ListDaySessionsResponse { bookings }))
    }

    async fn get_staff_role(
        &self,
        request: Request<GetStaffRoleRequest>,
    ) -> Result<Response<GetStaffRoleResponse>, Status> {
        self.peers.verify(request.metadata(), &["payments", "notifications", "reviews"])?;
        let GetStaffRoleRequest { user_id, used_second_factor } = request.into_inner();
        let Ok(person) = user_id.parse::<Id<Customer>>() else {
            return Ok(Response::new(GetStaffRoleResponse::default()));
        };
        let reach = if used_second_factor { Aal::Aal2 } else { Aal::Aal1 };
        let standing = standing_of(self.app.store.pool(), person, reach)
            .await
            .map_err(|error| to_status(&Error::unavailable(error)))?;
        Ok(Response::new(standing.map_or_else(GetStaffRoleResponse::default, |standing| {
            let second_factor_required = standing.needs_second_factor;
            GetStaffRoleResponse { role: standing.role.word().to_owned(), second_factor_required }
        })))
    }

    async fn get_staff_invitation(
        &self,
        request: Request<GetStaffInvitationRequest>,
    ) -> Result<Response<GetStaffInvitationResponse>, Status> {
        self.peers.verify(request.metadata(), &["notifications"])?;
        let gone = || reject(&Rejection::from(OrganisationError::InvitationNotFound));
        let failed = |error| to_status(&Error::from(error));
        let id: Id<StaffInvitation> =
            request.into_inner().invitation_id.parse().map_err(|_malformed| gone())?;
        let pool = self.app.store.pool();
        let found = invitations::with_token(pool, id).await.map_err(failed)?;
        let (invitation, token) = found.ok_or_else(gone)?;
        let now = self.app.store.now().await.map_err(failed)?;
        if invitation.state(now) != InvitationState::Pending {
            return Err(gone());
        }
        let inviter = invitation.invited_by;
        let mut addresses = members::addresses(pool, &[inviter]).await.map_err(failed)?;
        Ok(Response::new(GetStaffInvitationResponse {
            email: invitation.email,
            role: invitation.role.word().to_owned(),
            invited_by: addresses.remove(&inviter).unwrap_or_default(),
            key: self.app.invitation_keys.key(token),
            expires_at: Some(to_wire(invitation.expires_at)),
        }))
    }
}
