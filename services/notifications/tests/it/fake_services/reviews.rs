//! A fake of reviews: reviews by id, and an invitation after a session.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use contract::convert::to_wire;
use contract::reviews::v1::reviews_internal_service_server::ReviewsInternalService;
use contract::reviews::v1::reviews_service_server::ReviewsService;
use contract::reviews::v1::{
    CheckBadgeRequest, CheckBadgeResponse, CreateInvitationRequest, CreateInvitationResponse,
    GetReviewRequest, GetReviewResponse, GetStatisticsRequest, GetStatisticsResponse,
    ListReviewsRequest, ListReviewsResponse, SubmitReviewRequest, SubmitReviewResponse,
};
use runtime::caller::Peers;
use runtime::status;
use tonic::{Request, Response, Status};

use super::FakeData;

/// The secret of every invitation.
pub(crate) const INVITATION: &str = "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA";

pub(super) struct FakeReviews {
    pub(super) data: Arc<FakeData>,
    pub(super) peers: Peers,
}

#[tonic::async_trait]
impl ReviewsInternalService for FakeReviews {
    async fn create_invitation(
        &self,
        request: Request<CreateInvitationRequest>,
    ) -> Result<Response<CreateInvitationResponse>, Status> {
        self.peers.verify(request.metadata(), &["notifications"])?;
        self.data.check()?;
        if self.data.uninvited.load(Ordering::SeqCst) {
            return Err(status::not_found("SESSION_NOT_COMPLETED"));
        }
        let until: kernel::Timestamp = "2027-03-24T00:00:00Z".parse().unwrap();
        Ok(Response::new(CreateInvitationResponse {
            invitation: INVITATION.to_owned(),
            valid_until: Some(to_wire(until)),
        }))
    }
}

#[tonic::async_trait]
impl ReviewsService for FakeReviews {
    async fn get_review(
        &self,
        request: Request<GetReviewRequest>,
    ) -> Result<Response<GetReviewResponse>, Status> {
        self.data.check()?;
        let review = self.data.reviews.lock().unwrap().get(&request.get_ref().review_id).cloned();
        let review = review.ok_or_else(|| status::not_found("REVIEW_NOT_FOUND"))?;
        Ok(Response::new(GetReviewResponse { review: Some(review) }))
    }

    async fn submit_review(
        &self,
        _request: Request<SubmitReviewRequest>,
    ) -> Result<Response<SubmitReviewResponse>, Status> {
        Err(Status::permission_denied("visitors do this"))
    }

    async fn list_reviews(
        &self,
        _request: Request<ListReviewsRequest>,
    ) -> Result<Response<ListReviewsResponse>, Status> {
        Err(Status::permission_denied("visitors do this"))
    }

    async fn get_statistics(
        &self,
        _request: Request<GetStatisticsRequest>,
    ) -> Result<Response<GetStatisticsResponse>, Status> {
        Err(Status::permission_denied("visitors do this"))
    }

    async fn check_badge(
        &self,
        _request: Request<CheckBadgeRequest>,
    ) -> Result<Response<CheckBadgeResponse>, Status> {
        Err(Status::permission_denied("visitors do this"))
    }
}
