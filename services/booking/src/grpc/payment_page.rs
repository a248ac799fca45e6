//! The page of a booking that staff made by phone. Its callers have no account: the key in its
//! address lets them in, and a wrong one finds no booking.

use std::sync::Arc;

use contract::booking::v1::payment_page_service_server::PaymentPageService;
use contract::booking::v1::{
    AcceptTermsRequest, AcceptTermsResponse, GetPageCalendarFileRequest,
    GetPageCalendarFileResponse, GetPaymentPageRequest, GetPaymentPageResponse, PaymentPage,
};
use runtime::status::{reject, to_status};
use tonic::{Request, Response, Status};

use super::calendar;
use super::ownership::record_booking_id;
use crate::app::App;
use crate::app::payment_page::{Page, accept_terms, page};
use crate::domain::booking::Origin;
use crate::error::Rejection;

/// The handler of the page's service.
#[derive(Debug, Clone)]
pub struct PaymentPageHandler {
    app: Arc<App>,
}

impl PaymentPageHandler {
    /// A handler for calls with a page's key.
    #[must_use]
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }

    async fn page(&self, key: &str) -> Result<Page, Status> {
        let page = page(&self.app, key).await.map_err(|error| to_status(&error))?;
        if let Ok(id) = page.view.booking.booking_id.parse() {
            record_booking_id(id);
        }
        Ok(page)
    }
}

fn wire_page(page: Page) -> PaymentPage {
    let (view, needs_consent) = (page.view, page.needs_consent);
    let booking = view.booking;
    PaymentPage {
        booking_id: booking.booking_id,
        service_title: booking.service_title,
        package: booking.package,
        sessions: booking.sessions,
        time_zone: booking.time_zone,
        mode: booking.mode,
        location: booking.location,
        practitioner_name: booking.practitioner_name,
        price: booking.price,
        state: booking.state,
        held_until_at: booking.held_until_at,
        payment_state: booking.payment_state,
        first_name: booking.contact.map(|contact| contact.first_name).unwrap_or_default(),
        terms_accepted: !view.terms_missing,
        needs_consent,
        join_url: booking.join_url,
        adopted: view.origin == Origin::AdoptedPhone,
    }
}

#[tonic::async_trait]
impl PaymentPageService for PaymentPageHandler {
    async fn get_payment_page(
        &self,
        request: Request<GetPaymentPageRequest>,
    ) -> Result<Response<GetPaymentPageResponse>, Status> {
        let page = wire_page(self.page(&request.get_ref().page_key).await?);
        Ok(Response::new(GetPaymentPageResponse { page: Some(page) }))
    }

    async fn accept_terms(
        &self,
        request: Request<AcceptTermsRequest>,
    ) -> Result<Response<AcceptTermsResponse>, Status> {
        let accepted = accept_terms(&self.app, request.into_inner()).await;
        let page = wire_page(accepted.map_err(|error| to_status(&error))?);
        Ok(Response::new(AcceptTermsResponse { page: Some(page) }))
    }

    async fn get_page_calendar_file(
        &self,
        request: Request<GetPageCalendarFileRequest>,
    ) -> Result<Response<GetPageCalendarFileResponse>, Status> {
        let view = self.page(&request.get_ref().page_key).await?.view;
        let content = calendar::file(&self.app.practice, &view)
            .ok_or_else(|| reject(&Rejection::NotConfirmed))?;
        let filename = calendar::filename(&self.app.practice, &view);
        Ok(Response::new(GetPageCalendarFileResponse { filename, content }))
    }
}
