//! Paying on the page of a booking that staff made by phone: the page's key lets a caller in, who
//! has no account.

use std::sync::Arc;

use contract::payments::v1::page_payment_service_server::PagePaymentService;
use contract::payments::v1::{
    CheckPagePaymentRequest, CheckPagePaymentResponse, ListPageReceiptsRequest,
    ListPageReceiptsResponse, PageReceipt, StartPagePaymentRequest, StartPagePaymentResponse,
};
use runtime::status::to_status;
use tonic::{Request, Response, Status};

use super::receipts::to_wire_receipt;
use super::{place_to_pay, wire_state, wire_status};
use crate::app::App;
use crate::app::check_payment::check_page_payment;
use crate::app::list_receipts::list_page_receipts;
use crate::app::start_payment::{Method, start_page_payment};

/// The service of the page.
#[derive(Debug, Clone)]
pub struct PageHandler {
    app: Arc<App>,
}

impl PageHandler {
    /// Serves callers with a page's key.
    #[must_use]
    pub fn new(app: Arc<App>) -> Self {
        Self { app }
    }
}

#[tonic::async_trait]
impl PagePaymentService for PageHandler {
    async fn start_page_payment(
        &self,
        request: Request<StartPagePaymentRequest>,
    ) -> Result<Response<StartPagePaymentResponse>, Status> {
        let StartPagePaymentRequest { page_key, idempotency_key } = request.into_inner();
        let started = start_page_payment(&self.app, &page_key, &idempotency_key).await;
        let row = started.map_err(|error| to_status(&error))?;
        tracing::Span::current().record("booking_id", tracing::field::display(row.booking_id));
        let (amount, state) = (Some(row.amount.into()), wire_state(row.standing).into());
        let place = place_to_pay(Method::Link, row);
        Ok(Response::new(StartPagePaymentResponse {
            link_id: place.link_id,
            link_url: place.link_url,
            link_expires_at: place.link_expires_at,
            amount,
            state,
        }))
    }

    async fn check_page_payment(
        &self,
        request: Request<CheckPagePaymentRequest>,
    ) -> Result<Response<CheckPagePaymentResponse>, Status> {
        let checked = check_page_payment(&self.app, &request.get_ref().page_key).await;
        let outcome = checked.map_err(|error| to_status(&error))?;
        Ok(Response::new(CheckPagePaymentResponse {
            state: wire_state(outcome.standing).into(),
            payment_status: wire_status(outcome).into(),
        }))
    }

    async fn list_page_receipts(
        &self,
        request: Request<ListPageReceiptsRequest>,
    ) -> Result<Response<ListPageReceiptsResponse>, Status> {
        let listed = list_page_receipts(&self.app, &request.get_ref().page_key).await;
        let rows = listed.map_err(|error| to_status(&error))?;
        let receipts = rows.into_iter().map(to_wire_receipt).map(|receipt| PageReceipt {
            serial: receipt.serial,
            kind: receipt.kind,
            issued_at: receipt.issued_at,
            amount: receipt.amount,
        });
        Ok(Response::new(ListPageReceiptsResponse { receipts: receipts.collect() }))
    }
}
