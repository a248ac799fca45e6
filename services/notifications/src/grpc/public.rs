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
use eventstore::{Metadata, StoreError};
use runtime::server::REQUEST_BYTES_MAX;
use runtime::status::{reject, to_status};
use runtime::telemetry::traceparent;
use tonic::{Request, Response, Status};

use crate::error::{Error, Rejection};
use crate::forms::{self, Forms};
use crate::unsubscribe;

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

    async fn end_mails_to(&self, hash: unsubscribe::AddressHash) -> Result<(), StoreError> {
        let metadata = Metadata::by("visitor", traceparent());
        let ending = self.forms.store.write(metadata, move |tx| {
            Box::pin(async move { unsubscribe::unsubscribe(tx, hash).await })
        });
        ending.await
    }

    async fn resume_mails_to(&self, hash: unsubscribe::AddressHash) -> Result<(), StoreError> {
        let metadata = Metadata::by("visitor", traceparent());
        let resuming = self.forms.store.write(metadata, move |tx| {
            Box::pin(async move { unsubscribe::resubscribe(tx, hash).await })
        });
        resuming.await
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
        let hash = self.forms.addresses.parse(&request.get_ref().token);
        let hash = hash.ok_or_else(|| reject(&Rejection::InvalidToken))?;
        let ended = self.end_mails_to(hash).await.map_err(Error::from);
        ended.map_err(|error| to_status(&error))?;
        tracing::info!("somebody wants no more mails that are not about a booking");
        Ok(Response::new(UnsubscribeResponse {}))
    }

    async fn resubscribe(
        &self,
        request: Request<ResubscribeRequest>,
    ) -> Result<Response<ResubscribeResponse>, Status> {
        let hash = self.forms.addresses.parse(&request.get_ref().token);
        let hash = hash.ok_or_else(|| reject(&Rejection::InvalidToken))?;
        let resumed = self.resume_mails_to(hash).await.map_err(Error::from);
        resumed.map_err(|error| to_status(&error))?;
        tracing::info!("somebody wants mails again that are not about a booking");
        Ok(Response::new(ResubscribeResponse {}))
    }
}
