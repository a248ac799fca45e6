//! Fakes of the services behind a payment page and an invitation's page.

use contract::booking::v1 as booking;
use contract::booking::v1::join_page_service_server::{JoinPageService, JoinPageServiceServer};
use contract::booking::v1::organisation_service_server::{
    OrganisationService, OrganisationServiceServer,
};
use contract::booking::v1::payment_page_service_server::{
    PaymentPageService, PaymentPageServiceServer,
};
use contract::booking::v1::session_page_service_server::{
    SessionPageService, SessionPageServiceServer,
};
use contract::booking::v1::{
    AcceptTermsRequest, AcceptTermsResponse, GetPageCalendarFileRequest,
    GetPageCalendarFileResponse, GetPaymentPageRequest, GetPaymentPageResponse, PaymentPage,
    RequestConsentCodeRequest, RequestConsentCodeResponse,
};
use contract::payments::v1::page_payment_service_server::{
    PagePaymentService, PagePaymentServiceServer,
};
use contract::payments::v1::{
    CheckPagePaymentRequest, CheckPagePaymentResponse, ListPageReceiptsRequest,
    ListPageReceiptsResponse, StartPagePaymentRequest, StartPagePaymentResponse,
};
use tonic::transport::server::Router;
use tonic::{Request, Response, Status};

use super::FakeBackend;

/// The key of the one page that there is.
pub(crate) const PAGE_KEY: &str = "hJ4u0Yt2cQk8rVb1nWm7xZp5sLd9gFa3eTi6oUy_KwQ";

/// Adds the services.
pub(super) fn add_to(server: Router, backend: &FakeBackend) -> Router {
    server
        .add_service(OrganisationServiceServer::new(backend.clone()))
        .add_service(PaymentPageServiceServer::new(backend.clone()))
        .add_service(JoinPageServiceServer::new(backend.clone()))
        .add_service(SessionPageServiceServer::new(backend.clone()))
        .add_service(PagePaymentServiceServer::new(backend.clone()))
}

fn check(page_key: &str) -> Result<(), Status> {
    let known = page_key == PAGE_KEY;
    known.then_some(()).ok_or_else(|| runtime::status::not_found("BOOKING_NOT_FOUND"))
}

#[tonic::async_trait]
impl JoinPageService for FakeBackend {
    async fn open_join_page(
        &self,
        request: Request<booking::OpenJoinPageRequest>,
    ) -> Result<Response<booking::OpenJoinPageResponse>, Status> {
        self.seen.note(&request);
        check(&request.get_ref().join_key)?;
        Ok(Response::new(booking::OpenJoinPageResponse::default()))
    }

    async fn get_own_join_page(
        &self,
        request: Request<booking::GetOwnJoinPageRequest>,
    ) -> Result<Response<booking::GetOwnJoinPageResponse>, Status> {
        self.seen.note(&request);
        Ok(Response::new(booking::GetOwnJoinPageResponse::default()))
    }
}

#[tonic::async_trait]
impl PaymentPageService for FakeBackend {
    async fn get_payment_page(
        &self,
        request: Request<GetPaymentPageRequest>,
    ) -> Result<Response<GetPaymentPageResponse>, Status> {
        self.seen.note(&request);
        check(&request.get_ref().page_key)?;
        let page = PaymentPage { first_name: "Asha".to_owned(), ..PaymentPage::default() };
        Ok(Response::new(GetPaymentPageResponse { page: Some(page) }))
    }

    async fn accept_terms(
        &self,
        request: Request<AcceptTermsRequest>,
    ) -> Result<Response<AcceptTermsResponse>, Status> {
        self.seen.note(&request);
        check(&request.get_ref().page_key)?;
        Ok(Response::new(AcceptTermsResponse::default()))
    }

    async fn request_consent_code(
        &self,
        request: Request<RequestConsentCodeRequest>,
    ) -> Result<Response<RequestConsentCodeResponse>, Status> {
        check(&request.get_ref().page_key)?;
        Ok(Response::new(RequestConsentCodeResponse::default()))
    }

    async fn get_page_calendar_file(
        &self,
        request: Request<GetPageCalendarFileRequest>,
    ) -> Result<Response<GetPageCalendarFileResponse>, Status> {
        check(&request.get_ref().page_key)?;
        Ok(Response::new(GetPageCalendarFileResponse::default()))
    }

    async fn renew_page_key(
        &self,
        request: Request<booking::RenewPageKeyRequest>,
    ) -> Result<Response<booking::RenewPageKeyResponse>, Status> {
        self.seen.note(&request);
        Ok(Response::new(booking::RenewPageKeyResponse::default()))
    }
}

/// Methods of a booking's page that all respond in the same way.
macro_rules! session_page_service {
    ($($method:ident: $request:ty => $answer:ty;)+) => {
        #[tonic::async_trait]
        impl SessionPageService for FakeBackend {
            $(async fn $method(
                &self,
                request: Request<$request>,
            ) -> Result<Response<$answer>, Status> {
                self.seen.note(&request);
                check(&request.get_ref().page_key)?;
                Ok(Response::new(<$answer>::default()))
            })+
        }
    };
}

session_page_service! {
    request_page_code: booking::RequestPageCodeRequest => booking::RequestPageCodeResponse;
    preview_page_cancellation:
        booking::PreviewPageCancellationRequest => booking::PreviewPageCancellationResponse;
    cancel_by_page: booking::CancelByPageRequest => booking::CancelByPageResponse;
    undo_by_page: booking::UndoByPageRequest => booking::UndoByPageResponse;
    preview_page_move: booking::PreviewPageMoveRequest => booking::PreviewPageMoveResponse;
    move_by_page: booking::MoveByPageRequest => booking::MoveByPageResponse;
    tell_late_by_page: booking::TellLateByPageRequest => booking::TellLateByPageResponse;
}

/// Methods that all respond in the same way.
macro_rules! organisation_service {
    ($($method:ident: $request:ty => $answer:ty;)+) => {
        #[tonic::async_trait]
        impl OrganisationService for FakeBackend {
            async fn get_invitation(
                &self,
                request: Request<booking::GetInvitationRequest>,
            ) -> Result<Response<booking::GetInvitationResponse>, Status> {
                self.seen.note(&request);
                check(&request.get_ref().key)?;
                Ok(Response::new(booking::GetInvitationResponse::default()))
            }

            $(async fn $method(
                &self,
                request: Request<$request>,
            ) -> Result<Response<$answer>, Status> {
                self.seen.note(&request);
                Ok(Response::new(<$answer>::default()))
            })+
        }
    };
}

organisation_service! {
    list_my_memberships: booking::ListMyMembershipsRequest => booking::ListMyMembershipsResponse;
    accept_invitation: booking::AcceptInvitationRequest => booking::AcceptInvitationResponse;
    decline_invitation: booking::DeclineInvitationRequest => booking::DeclineInvitationResponse;
    leave_practice: booking::LeavePracticeRequest => booking::LeavePracticeResponse;
}

#[tonic::async_trait]
impl PagePaymentService for FakeBackend {
    async fn start_page_payment(
        &self,
        request: Request<StartPagePaymentRequest>,
    ) -> Result<Response<StartPagePaymentResponse>, Status> {
        check(&request.get_ref().page_key)?;
        let link_url = "https://rzp.io/i/demo".to_owned();
        Ok(Response::new(StartPagePaymentResponse { link_url, ..Default::default() }))
    }

    async fn check_page_payment(
        &self,
        request: Request<CheckPagePaymentRequest>,
    ) -> Result<Response<CheckPagePaymentResponse>, Status> {
        check(&request.get_ref().page_key)?;
        Ok(Response::new(CheckPagePaymentResponse::default()))
    }

    async fn list_page_receipts(
        &self,
        request: Request<ListPageReceiptsRequest>,
    ) -> Result<Response<ListPageReceiptsResponse>, Status> {
        check(&request.get_ref().page_key)?;
        Ok(Response::new(ListPageReceiptsResponse::default()))
    }
}
