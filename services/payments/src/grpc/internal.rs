//! The internal service for other services. The gateway does not route it, and each method checks
//! which service may call it.

use std::sync::Arc;

use contract::payments::v1::payments_internal_service_server::PaymentsInternalService;
use contract::payments::v1::{
    GetReceiptRequest, GetReceiptResponse, GetRefundRequestMailRequest,
    GetRefundRequestMailResponse,
};
use runtime::caller::Peers;
use runtime::status::{reject, to_status};
use tonic::{Request, Response, Status};

use super::receipts::to_wire_receipt;
use super::refund_requests::to_wire_mail;
use crate::app::App;
use crate::app::answer_refund_request::{get_request, parse_request};
use crate::app::list_receipts::get_receipt;
use crate::error::Rejection;

/// The internal service.
#[derive(Debug, Clone)]
pub struct InternalHandler {
    app: Arc<App>,
    peers: Peers,
}

impl InternalHandler {
    /// Serves other services.
    #[must_use]
    pub fn new(app: Arc<App>, peers: Peers) -> Self {
        Self { app, peers }
    }
}

#[tonic::async_trait]
impl PaymentsInternalService for InternalHandler {
    async fn get_receipt(
        &self,
        request: Request<GetReceiptRequest>,
    ) -> Result<Response<GetReceiptResponse>, Status> {
        self.peers.verify(request.metadata(), &["notifications"])?;
        let receipt_id = request.into_inner().receipt_id.parse();
        let receipt_id = receipt_id.map_err(|_malformed| reject(&Rejection::ReceiptUnknown))?;
        let row = get_receipt(&self.app, receipt_id).await.map_err(|error| to_status(&error))?;
        Ok(Response::new(GetReceiptResponse { receipt: Some(to_wire_receipt(row)) }))
    }

    async fn get_refund_request_mail(
        &self,
        request: Request<GetRefundRequestMailRequest>,
    ) -> Result<Response<GetRefundRequestMailResponse>, Status> {
        self.peers.verify(request.metadata(), &["notifications"])?;
        let asked = request.into_inner();
        let found = async { get_request(&self.app, parse_request(&asked.request_id)?).await };
        let request = found.await.map_err(|error| to_status(&error))?;
        Ok(Response::new(to_wire_mail(request)))
    }
}
