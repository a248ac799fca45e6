//! Fake notifications service for forms and unsubscribing. It records the tokens; the first letter
//! of a token decides the response.

use contract::notifications::v1::notifications_service_server::{
    NotificationsService, NotificationsServiceServer,
};
use contract::notifications::v1::{
    RequestMeditationGuideRequest, RequestMeditationGuideResponse, ResubscribeRequest,
    ResubscribeResponse, SendContactMessageRequest, SendContactMessageResponse, UnsubscribeRequest,
    UnsubscribeResponse,
};
use http::HeaderMap;
use runtime::status::invalid;
use tonic::transport::server::Router;
use tonic::{Request, Response, Status};

use super::FakeBackend;

/// Adds the service.
pub(super) fn add_to(server: Router, backend: &FakeBackend) -> Router {
    server.add_service(NotificationsServiceServer::new(backend.clone()))
}

#[tonic::async_trait]
impl NotificationsService for FakeBackend {
    async fn send_contact_message(
        &self,
        request: Request<SendContactMessageRequest>,
    ) -> Result<Response<SendContactMessageResponse>, Status> {
        self.seen.note(&request);
        if request.get_ref().name.is_empty() {
            return Err(invalid("name", "FIELDS_MISSING", "Please fill in all fields"));
        }
        Ok(Response::new(SendContactMessageResponse {}))
    }

    async fn request_meditation_guide(
        &self,
        request: Request<RequestMeditationGuideRequest>,
    ) -> Result<Response<RequestMeditationGuideResponse>, Status> {
        self.seen.note(&request);
        Ok(Response::new(RequestMeditationGuideResponse {}))
    }

    async fn unsubscribe(
        &self,
        request: Request<UnsubscribeRequest>,
    ) -> Result<Response<UnsubscribeResponse>, Status> {
        self.seen.note(&request);
        let token = request.into_inner().token;
        self.seen.http.lock().unwrap().push((token.clone(), HeaderMap::new(), Vec::new()));
        match token.as_bytes().first() {
            Some(b'g') => Ok(Response::new(UnsubscribeResponse {})),
            Some(b'd') => Err(Status::unavailable("the database is away")),
            _ => Err(invalid("token", "INVALID_TOKEN", "This link is not complete.")),
        }
    }

    async fn resubscribe(
        &self,
        request: Request<ResubscribeRequest>,
    ) -> Result<Response<ResubscribeResponse>, Status> {
        self.seen.note(&request);
        match request.get_ref().token.as_bytes().first() {
            Some(b'g') => Ok(Response::new(ResubscribeResponse {})),
            _ => Err(invalid("token", "INVALID_TOKEN", "This link is not complete.")),
        }
    }
}
