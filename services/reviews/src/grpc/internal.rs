//! Calls of other services. The gateway does not route them, and each method checks its callers.

use std::sync::Arc;

use contract::convert::to_wire;
use contract::reviews::v1::reviews_internal_service_server::ReviewsInternalService;
use contract::reviews::v1::{CreateInvitationRequest, CreateInvitationResponse};
use runtime::caller::Peers;
use runtime::status::{reject, to_status};
use tonic::{Request, Response, Status};

use crate::app::App;
use crate::app::create_invitation::create_invitation;
use crate::error::Rejection;

/// The internal service.
#[derive(Debug, Clone)]
pub struct Internal {
    app: Arc<App>,
    peers: Peers,
}

impl Internal {
    /// Serves `app` to other services.
    #[must_use]
    pub fn new(app: Arc<App>, peers: Peers) -> Self {
        Self { app, peers }
    }
}

#[tonic::async_trait]
impl ReviewsInternalService for Internal {
    async fn create_invitation(
        &self,
        request: Request<CreateInvitationRequest>,
    ) -> Result<Response<CreateInvitationResponse>, Status> {
        self.peers.verify(request.metadata(), &["notifications"])?;
        let booking_id = request.get_ref().booking_id.parse();
        let booking_id =
            booking_id.map_err(|_malformed| reject(&Rejection::SessionNotCompleted))?;
        let (invitation, valid_until) =
            create_invitation(&self.app, booking_id).await.map_err(|error| to_status(&error))?;
        let valid_until = Some(to_wire(valid_until));
        Ok(Response::new(CreateInvitationResponse { invitation, valid_until }))
    }
}
