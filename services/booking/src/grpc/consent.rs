//! The client's own consent, and what staff do with consent files. A consent does not exist for
//! callers who didn't give it.

use std::sync::Arc;

use contract::booking::v1::consent_service_server::ConsentService;
use contract::booking::v1::consent_staff_service_server::ConsentStaffService;
use contract::booking::v1::{
    GetConsentFileRequest, GetConsentFileResponse, GetConsentRequest, GetConsentResponse,
    ListWithdrawnConsentsRequest, ListWithdrawnConsentsResponse, VerifyConsentFileRequest,
    VerifyConsentFileResponse, WithdrawConsentRequest, WithdrawConsentResponse, WithdrawnConsent,
};
use contract::convert::to_wire;
use eventstore::{Act, StaffAuthorizer};
use runtime::caller::Users;
use runtime::status::to_status;
use staff::Role;
use tonic::{Request, Response, Status};

use super::agreement::wire_record;
use super::audited::audited;
use crate::app::App;
use crate::app::consent::{
    bookings_without_consent, consent_file, own_consent, verify_file, withdraw_consent,
};
use crate::app::staff_scope::scope_of;
use crate::app::standing::StaffTable;

/// The handler of both services.
#[derive(Debug, Clone)]
pub struct ConsentHandler {
    app: Arc<App>,
    users: Users,
    authorizer: StaffAuthorizer,
}

impl ConsentHandler {
    /// A handler for calls of signed-in users, and of staff, whose roles are in our table.
    #[must_use]
    pub fn new(app: Arc<App>, users: Users) -> Self {
        let roles = Arc::new(StaffTable(app.store.clone()));
        let authorizer = StaffAuthorizer::new(users.clone(), roles, app.store.clone());
        Self { app, users, authorizer }
    }
}

#[tonic::async_trait]
impl ConsentService for ConsentHandler {
    async fn get_consent(
        &self,
        request: Request<GetConsentRequest>,
    ) -> Result<Response<GetConsentResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let given = own_consent(&self.app, user.customer).await;
        let given = given.map_err(|error| to_status(&error))?;
        let current_version = self.app.consent.terms.version.clone();
        let current = given.as_ref().is_some_and(|given| given.is_current(&current_version));
        let consent = given.map(wire_record);
        Ok(Response::new(GetConsentResponse { current_version, consent, current }))
    }

    async fn get_consent_file(
        &self,
        request: Request<GetConsentFileRequest>,
    ) -> Result<Response<GetConsentFileResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let file = consent_file(&self.app, user.customer, &request.get_ref().consent_id).await;
        let file = file.map_err(|error| to_status(&error))?;
        Ok(Response::new(GetConsentFileResponse {
            filename: file.filename,
            content: file.content,
            fingerprint: file.fingerprint,
        }))
    }

    async fn withdraw_consent(
        &self,
        request: Request<WithdrawConsentRequest>,
    ) -> Result<Response<WithdrawConsentResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let key = &request.get_ref().idempotency_key;
        let last = withdraw_consent(&self.app, user.customer, key).await;
        let consent = Some(wire_record(last.map_err(|error| to_status(&error))?));
        Ok(Response::new(WithdrawConsentResponse { consent }))
    }
}

#[tonic::async_trait]
impl ConsentStaffService for ConsentHandler {
    async fn verify_consent_file(
        &self,
        request: Request<VerifyConsentFileRequest>,
    ) -> Result<Response<VerifyConsentFileResponse>, Status> {
        let act = Act { action: "VerifyConsentFile", subject: "" };
        let staff = self.authorizer.authorize(request.metadata(), act, Role::MANAGERS).await?;
        let verified = verify_file(&self.app, &request.get_ref().content).await;
        let verified = audited(&self.authorizer, staff, act, verified).await?;
        self.authorizer.audit_read(staff, act).await?;
        let (genuine, consent) = (verified.genuine, verified.consent.map(wire_record));
        Ok(Response::new(VerifyConsentFileResponse { genuine, consent }))
    }

    async fn list_withdrawn_consents(
        &self,
        request: Request<ListWithdrawnConsentsRequest>,
    ) -> Result<Response<ListWithdrawnConsentsResponse>, Status> {
        let act = Act { action: "ListWithdrawnConsents", subject: "" };
        let staff = self.authorizer.authorize(request.metadata(), act, Role::ALL).await?;
        let found = bookings_without_consent(&self.app).await;
        let found = found.map_err(|error| to_status(&error))?;
        let scope = scope_of(&self.app, staff).await.map_err(|error| to_status(&error))?;
        self.authorizer.audit_read(staff, act).await?;
        let own = found.into_iter().filter(|it| scope.admits(&it.0.booking.practitioner_id));
        let bookings = own.map(|(view, at)| WithdrawnConsent {
            booking: Some(scope.shown(view).booking),
            withdrawn_at: Some(to_wire(at)),
        });
        Ok(Response::new(ListWithdrawnConsentsResponse { bookings: bookings.collect() }))
    }
}
