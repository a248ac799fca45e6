//! Calls of staff: the admin panel, which needs a grant, and parked events (dead letters), which
//! need no grant but a role.

use std::sync::Arc;

use contract::convert::to_wire;
use contract::reviews::v1::reviews_staff_service_server::ReviewsStaffService;
use contract::reviews::v1::{
    DeleteReviewRequest, DeleteReviewResponse, GetModerationRequest, GetModerationResponse,
    ListParkedEventsRequest, ListParkedEventsResponse, ListStaffReviewsRequest,
    ListStaffReviewsResponse, LockRequest, LockResponse, RestoreReviewRequest,
    RestoreReviewResponse, RetryParkedEventsRequest, RetryParkedEventsResponse, UnlockRequest,
    UnlockResponse,
};
use eventstore::{Act, StaffAuthorizer};
use messaging::ParkedEvents;
use runtime::status::{reject, unavailable};
use secrecy::SecretString;
use service::ParkedHandler;
use tonic::{Request, Response, Status};

use crate::app::App;
use crate::app::delete_review::{self, delete_review};
use crate::app::restore_review::{self, restore_review};
use crate::error::{Error, Rejection};
use crate::moderation::authorization::Authorized;
use crate::moderation::{Denial, Moderation};
use crate::read_model;
use crate::read_model::page::{Cursor, PageSize};
use crate::read_model::staff::StaffReviewQuery;

/// Default number of reviews per page.
const PAGE_SIZE: i32 = 20;

/// The staff service.
#[derive(Debug, Clone)]
pub struct StaffHandler {
    app: Arc<App>,
    moderation: Moderation,
    parked: ParkedHandler,
}

impl StaffHandler {
    /// Serves `app` to callers with a grant (panel) or a role (parked events).
    #[must_use]
    pub fn new(
        app: Arc<App>,
        moderation: Moderation,
        authorizer: StaffAuthorizer,
        parked: ParkedEvents,
    ) -> Self {
        Self { app, moderation, parked: ParkedHandler::new(authorizer, parked) }
    }

    /// The same by another revision of the practice's files.
    pub(super) fn with(&self, app: Arc<App>) -> Self {
        Self { app, ..self.clone() }
    }

    /// Turns the outcome of a change into the answer; a rejection is audited first.
    async fn finish<T>(
        &self,
        (authorized, act): (Authorized, Act<'_>),
        outcome: Result<Option<T>, Error>,
    ) -> Result<T, Status> {
        match outcome {
            Ok(Some(done)) => Ok(done),
            Ok(None) => {
                let actor = authorized.holder.into();
                Err(self.moderation.deny(actor, act, Denial::GrantEnded).await)
            }
            Err(error) => Err(self.moderation.audit_rejection(authorized, act, &error).await),
        }
    }
}

fn about_nothing(action: &'static str) -> Act<'static> {
    Act { action, subject: "" }
}

#[tonic::async_trait]
impl ReviewsStaffService for StaffHandler {
    async fn get_moderation(
        &self,
        _request: Request<GetModerationRequest>,
    ) -> Result<Response<GetModerationResponse>, Status> {
        let sign_in_required = self.moderation.sign_in_required();
        Ok(Response::new(GetModerationResponse { sign_in_required }))
    }

    async fn unlock(
        &self,
        request: Request<UnlockRequest>,
    ) -> Result<Response<UnlockResponse>, Status> {
        let (metadata, _extensions, request) = request.into_parts();
        // The request's `Debug` would print the password; a `SecretString` does not.
        let password = SecretString::from(request.password);
        let issued = self.moderation.unlock(&metadata, password).await?;
        Ok(Response::new(UnlockResponse {
            grant: issued.secret,
            ends_at: Some(to_wire(issued.ends_at)),
            idle_ends_at: Some(to_wire(issued.idle_ends_at)),
        }))
    }

    async fn lock(&self, request: Request<LockRequest>) -> Result<Response<LockResponse>, Status> {
        let locked = self.moderation.lock(request.metadata(), "Lock").await;
        locked.map_err(|error| unavailable(&error))?;
        Ok(Response::new(LockResponse {}))
    }

    async fn list_staff_reviews(
        &self,
        request: Request<ListStaffReviewsRequest>,
    ) -> Result<Response<ListStaffReviewsResponse>, Status> {
        let act = about_nothing("ListStaffReviews");
        let authorized = self.moderation.authorize(request.metadata(), act).await?;
        let request = request.get_ref();
        let query = StaffReviewQuery::from_request(request);
        let list_id = query.list_id();
        let after = match request.page_token.as_str() {
            "" => None,
            token => {
                let cursor = Cursor::read(&list_id, token);
                Some(cursor.ok_or_else(|| reject(&Rejection::InvalidPageToken))?)
            }
        };
        let page = PageSize::clamped(request.page_size, PAGE_SIZE);
        let read =
            read_model::staff::list(self.app.store.pool(), &query, after, page.limit()).await;
        let read = read.map_err(|error| unavailable(&error))?;
        self.moderation.audit_read(authorized, act).await?;
        let (listed, next) = page.split(read, |it| it.cursor);
        let next_page_token = next.map(|it| it.token(&list_id)).unwrap_or_default();
        let reviews = listed.into_iter().map(|it| it.review).collect();
        Ok(Response::new(ListStaffReviewsResponse { reviews, next_page_token }))
    }

    async fn delete_review(
        &self,
        request: Request<DeleteReviewRequest>,
    ) -> Result<Response<DeleteReviewResponse>, Status> {
        let review_id = request.get_ref().review_id.clone();
        let act = Act { action: delete_review::METHOD, subject: &review_id };
        let authorized = self.moderation.authorize(request.metadata(), act).await?;
        let deleted = delete_review(&self.app, authorized, &review_id).await;
        let undo_until = self.finish((authorized, act), deleted).await?;
        Ok(Response::new(DeleteReviewResponse { undo_until: Some(to_wire(undo_until)) }))
    }

    async fn restore_review(
        &self,
        request: Request<RestoreReviewRequest>,
    ) -> Result<Response<RestoreReviewResponse>, Status> {
        let review_id = request.get_ref().review_id.clone();
        let act = Act { action: restore_review::METHOD, subject: &review_id };
        let authorized = self.moderation.authorize(request.metadata(), act).await?;
        let restored = restore_review(&self.app, authorized, &review_id).await;
        let id = self.finish((authorized, act), restored).await?;
        let review = read_model::staff::review(self.app.store.pool(), id).await;
        let review = review.map_err(|error| unavailable(&error))?;
        Ok(Response::new(RestoreReviewResponse { review }))
    }

    async fn list_parked_events(
        &self,
        request: Request<ListParkedEventsRequest>,
    ) -> Result<Response<ListParkedEventsResponse>, Status> {
        let events = self.parked.list(request.metadata()).await?;
        Ok(Response::new(ListParkedEventsResponse { events }))
    }

    async fn retry_parked_events(
        &self,
        request: Request<RetryParkedEventsRequest>,
    ) -> Result<Response<RetryParkedEventsResponse>, Status> {
        let (metadata, _extensions, asked) = request.into_parts();
        let (handled, events) = self.parked.retry(&metadata, &asked.stream_id).await?;
        Ok(Response::new(RetryParkedEventsResponse { handled, events }))
    }
}
