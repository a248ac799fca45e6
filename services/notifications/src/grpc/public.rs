//! The public gRPC service, called through the gateway: the two forms, and the link to unsubscribe
//! and resubscribe.

use contract::notifications::v1::notifications_service_server::{
    NotificationsService, NotificationsServiceServer,
};
use contract::notifications::v1::{
    RequestMeditationGuideRequest, RequestMeditationGuideResponse, ResubscribeRequest,
    ResubscribeResponse, SendContactMessageRequest, SendContactMessageResponse, UnsubscribeRequest,
    UnsubscribeResponse,
};
use runtime::server::REQUEST_BYTES_MAX;
use runtime::status::to_status;
use tonic::{Request, Response, Status};

use crate::forms::{self, Forms};

/// The public service.
#[derive(Debug)]
pub struct PublicHandler {
    forms: Forms,
}

impl PublicHandler {
    /// Serves the forms without authorization.
    #[must_use]
    pub fn service(forms: Forms) -> NotificationsServiceServer<Self> {
        let service = NotificationsServiceServer::new(Self { forms });
        service.max_decoding_message_size(REQUEST_BYTES_MAX)
    }
}

#[tonic::async_trait]
impl NotificationsService for PublicHandler {
    async fn send_contact_message(
        &self,
        request: Request<SendContactMessageRequest>,
    ) -> Result<Response<SendContactMessageResponse>, Status> {
        let sent = forms::contact::send(&self.forms, request.get_ref()).await;
        sent.map_err(|error| to_status(&error))?;
        Ok(Response::new(SendContactMessageResponse {}))
    }

    async fn request_meditation_guide(
        &self,
        request: Request<RequestMeditationGuideRequest>,
    ) -> Result<Response<RequestMeditationGuideResponse>, Status> {
        let requested = forms::guide::request(&self.forms, request.get_ref()).await;
        requested.map_err(|error| to_status(&error))?;
        Ok(Response::new(RequestMeditationGuideResponse {}))
    }

    async fn unsubscribe(
        &self,
        request: Request<UnsubscribeRequest>,
    ) -> Result<Response<UnsubscribeResponse>, Status> {
        let ended = forms::unsubscribe::unsubscribe(&self.forms, &request.get_ref().token).await;
        ended.map_err(|error| to_status(&error))?;
        Ok(Response::new(UnsubscribeResponse {}))
    }

    async fn resubscribe(
        &self,
        request: Request<ResubscribeRequest>,
    ) -> Result<Response<ResubscribeResponse>, Status> {
        let resumed = forms::unsubscribe::resubscribe(&self.forms, &request.get_ref().token).await;
        resumed.map_err(|error| to_status(&error))?;
        Ok(Response::new(ResubscribeResponse {}))
    }
}
