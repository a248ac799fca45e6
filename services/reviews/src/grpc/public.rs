//! Public calls through the gateway. Only the calls of writers use the caller's identity.

use std::sync::Arc;

use contract::reviews::v1::reviews_service_server::ReviewsService;
use contract::reviews::v1::{
    CheckBadgeRequest, CheckBadgeResponse, GetReviewRequest, GetReviewResponse,
    GetStatisticsRequest, GetStatisticsResponse, ListReviewsRequest, ListReviewsResponse,
    ReviewFilter, SubmitReviewRequest, SubmitReviewResponse,
};
use kernel::Id;
use kernel::id::{Customer, Review};
use runtime::caller::Users;
use runtime::status::{reject, to_status};
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};

use crate::app::App;
use crate::app::check_badge::check_badge;
use crate::app::submit_review::submit_review;
use crate::error::{Error, Rejection};
use crate::read_model::page::{self, Cursor};
use crate::read_model::query::{self, Filter};

/// Default number of reviews per page.
const PAGE_SIZE: i32 = 12;

/// The public service.
#[derive(Debug, Clone)]
pub struct Public {
    app: Arc<App>,
    users: Users,
}

impl Public {
    /// Serves `app` publicly.
    #[must_use]
    pub fn new(app: Arc<App>, users: Users) -> Self {
        Self { app, users }
    }

    /// The signed-in caller, or `None` without a token. An invalid token is rejected: a caller who
    /// believes to be signed in must not be treated as anonymous.
    async fn customer(&self, metadata: &MetadataMap) -> Result<Option<Id<Customer>>, Status> {
        if metadata.get("authorization").is_none() {
            return Ok(None);
        }
        Ok(Some(self.users.verify(metadata).await?.customer))
    }
}

fn failed(error: impl Into<Error>) -> Status {
    to_status(&error.into())
}

fn filter(requested: i32) -> Filter {
    match ReviewFilter::try_from(requested) {
        Ok(ReviewFilter::Verified) => Filter::Verified,
        Ok(ReviewFilter::Recent) => Filter::Recent,
        Ok(ReviewFilter::Unspecified) | Err(_) => Filter::All,
    }
}

#[tonic::async_trait]
impl ReviewsService for Public {
    async fn submit_review(
        &self,
        request: Request<SubmitReviewRequest>,
    ) -> Result<Response<SubmitReviewResponse>, Status> {
        let customer = self.customer(request.metadata()).await?;
        let id = submit_review(&self.app, customer, request.into_inner()).await;
        let id = id.map_err(failed)?;
        // A repeated key may name a review that has since been deleted.
        let review = query::review(self.app.store.pool(), id).await.map_err(failed)?;
        let review = review.ok_or_else(|| reject(&Rejection::ReviewNotFound))?;
        Ok(Response::new(SubmitReviewResponse { review: Some(review) }))
    }

    async fn list_reviews(
        &self,
        request: Request<ListReviewsRequest>,
    ) -> Result<Response<ListReviewsResponse>, Status> {
        let request = request.into_inner();
        let filter = filter(request.filter);
        let after = match request.page_token.as_str() {
            "" => None,
            token => {
                let cursor = Cursor::read(filter.word(), token);
                Some(cursor.ok_or_else(|| reject(&Rejection::InvalidPageToken))?)
            }
        };
        let pool = self.app.store.pool();
        let page = page::PageSize::clamped(request.page_size, PAGE_SIZE);
        let listed = query::list(pool, filter, after, page.limit()).await.map_err(failed)?;
        let (shown, next) = page.split(listed, |it| it.cursor);
        let next_page_token = next.map(|it| it.token(filter.word())).unwrap_or_default();
        let reviews = shown.into_iter().map(|it| it.review).collect();
        Ok(Response::new(ListReviewsResponse { reviews, next_page_token }))
    }

    async fn get_review(
        &self,
        request: Request<GetReviewRequest>,
    ) -> Result<Response<GetReviewResponse>, Status> {
        let absent = || reject(&Rejection::ReviewNotFound);
        let id: Id<Review> = request.get_ref().review_id.parse().map_err(|_malformed| absent())?;
        let review = query::review(self.app.store.pool(), id).await.map_err(failed)?;
        Ok(Response::new(GetReviewResponse { review: Some(review.ok_or_else(absent)?) }))
    }

    async fn get_statistics(
        &self,
        _request: Request<GetStatisticsRequest>,
    ) -> Result<Response<GetStatisticsResponse>, Status> {
        let figures = query::statistics(self.app.store.pool()).await.map_err(failed)?;
        Ok(Response::new(figures))
    }

    async fn check_badge(
        &self,
        request: Request<CheckBadgeRequest>,
    ) -> Result<Response<CheckBadgeResponse>, Status> {
        let customer = self.customer(request.metadata()).await?;
        let invitation = request.into_inner().invitation;
        let would_be_verified =
            check_badge(&self.app, customer, invitation).await.map_err(failed)?;
        Ok(Response::new(CheckBadgeResponse { would_be_verified }))
    }
}
