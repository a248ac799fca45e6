//! What a client does on a booking's page by the key of a mail: cancels, moves, says to be late.

use std::sync::Arc;

use contract::booking::v1::session_page_service_server::SessionPageService;
use contract::booking::v1::{
    CancelByPageRequest, CancelByPageResponse, MoveByPageRequest, MoveByPageResponse, PaymentPage,
    PreviewPageCancellationRequest, PreviewPageCancellationResponse, PreviewPageMoveRequest,
    PreviewPageMoveResponse, RequestPageCodeRequest, RequestPageCodeResponse,
    TellLateByPageRequest, TellLateByPageResponse, UndoByPageRequest, UndoByPageResponse,
};
use runtime::status::to_status;
use tonic::{Request, Response, Status};

use super::ownership::record_booking_id;
use super::payment_page::wire_page;
use super::public::wire_cancellation;
use crate::app::App;
use crate::app::page_codes::request_page_code;
use crate::app::payment_page::page;
use crate::app::session_page::{
    be_late, cancel, preview_cancellation, preview_move, relocate, undo,
};
use crate::domain::consent::code::VALID_MINUTES;

/// The handler of the page's acts.
#[derive(Debug, Clone)]
pub struct SessionPageHandler {
    app: Arc<App>,
}

impl SessionPageHandler {
    /// A handler for calls with a page's key.
    #[must_use]
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }

    async fn page(&self, key: &str) -> Result<Option<PaymentPage>, Status> {
        let page = page(&self.app, key).await.map_err(|error| to_status(&error))?;
        record_booking_id(page.key.booking_id);
        Ok(Some(wire_page(&self.app, page).await?))
    }
}

#[tonic::async_trait]
impl SessionPageService for SessionPageHandler {
    async fn request_page_code(
        &self,
        request: Request<RequestPageCodeRequest>,
    ) -> Result<Response<RequestPageCodeResponse>, Status> {
        let requested = request_page_code(&self.app, &request.get_ref().page_key).await;
        requested.map_err(|error| to_status(&error))?;
        let valid_minutes = i32::try_from(VALID_MINUTES).unwrap_or(i32::MAX);
        Ok(Response::new(RequestPageCodeResponse { valid_minutes }))
    }

    async fn preview_page_cancellation(
        &self,
        request: Request<PreviewPageCancellationRequest>,
    ) -> Result<Response<PreviewPageCancellationResponse>, Status> {
        let shown = preview_cancellation(&self.app, request.get_ref()).await;
        let (shown, code_needed) = shown.map_err(|error| to_status(&error))?;
        let cancellation = Some(wire_cancellation(&shown));
        Ok(Response::new(PreviewPageCancellationResponse { cancellation, code_needed }))
    }

    async fn cancel_by_page(
        &self,
        request: Request<CancelByPageRequest>,
    ) -> Result<Response<CancelByPageResponse>, Status> {
        let key = request.get_ref().page_key.clone();
        let cancelled = cancel(&self.app, request.into_inner()).await;
        cancelled.map_err(|error| to_status(&error))?;
        Ok(Response::new(CancelByPageResponse { page: self.page(&key).await? }))
    }

    async fn undo_by_page(
        &self,
        request: Request<UndoByPageRequest>,
    ) -> Result<Response<UndoByPageResponse>, Status> {
        let key = request.get_ref().page_key.clone();
        let undone = undo(&self.app, request.into_inner()).await;
        undone.map_err(|error| to_status(&error))?;
        Ok(Response::new(UndoByPageResponse { page: self.page(&key).await? }))
    }

    async fn preview_page_move(
        &self,
        request: Request<PreviewPageMoveRequest>,
    ) -> Result<Response<PreviewPageMoveResponse>, Status> {
        let shown = preview_move(&self.app, request.into_inner()).await;
        let (times, code_needed) = shown.map_err(|error| to_status(&error))?;
        Ok(Response::new(PreviewPageMoveResponse { r#move: Some(times), code_needed }))
    }

    async fn move_by_page(
        &self,
        request: Request<MoveByPageRequest>,
    ) -> Result<Response<MoveByPageResponse>, Status> {
        let key = request.get_ref().page_key.clone();
        let moved = relocate(&self.app, request.into_inner()).await;
        moved.map_err(|error| to_status(&error))?;
        Ok(Response::new(MoveByPageResponse { page: self.page(&key).await? }))
    }

    async fn tell_late_by_page(
        &self,
        request: Request<TellLateByPageRequest>,
    ) -> Result<Response<TellLateByPageResponse>, Status> {
        let told = be_late(&self.app, request.get_ref()).await;
        told.map_err(|error| to_status(&error))?;
        let page = self.page(&request.get_ref().page_key).await?;
        Ok(Response::new(TellLateByPageResponse { page }))
    }
}
