//! A fake of payments: receipts and requests for refunds by id.

use std::sync::Arc;

use contract::common::v1::Money;
use contract::convert::to_wire;
use contract::payments::v1::payments_internal_service_server::PaymentsInternalService;
use contract::payments::v1::{
    GetReceiptRequest, GetReceiptResponse, GetRefundRequestMailRequest,
    GetRefundRequestMailResponse, Receipt, TaxMode,
};
use runtime::caller::Peers;
use runtime::status;
use tonic::{Request, Response, Status};

use super::FakeData;

pub(super) struct FakePayments {
    pub(super) data: Arc<FakeData>,
    pub(super) peers: Peers,
}

/// A receipt of a booking that cost ₹750, without tax.
pub(crate) fn receipt(receipt_id: &str, booking_id: &str) -> Receipt {
    let rupees = |minor_units| Some(Money { minor_units, currency_code: "INR".to_owned() });
    let issued_at: kernel::Timestamp = "2026-11-21T06:00:00Z".parse().unwrap();
    Receipt {
        receipt_id: receipt_id.to_owned(),
        serial: "SUK/26-27/00001".to_owned(),
        issued_at: Some(to_wire(issued_at)),
        booking_id: booking_id.to_owned(),
        payment_id: "pay_1".to_owned(),
        amount: rupees(75_000),
        tax_mode: TaxMode::None.into(),
        taxable: rupees(75_000),
        central_tax: rupees(0),
        state_tax: rupees(0),
        refunded: rupees(0),
        issued_by: "Sukoon".to_owned(),
        issuer_address: "E-5, Arera Colony, Bhopal".to_owned(),
        ..Receipt::default()
    }
}

#[tonic::async_trait]
impl PaymentsInternalService for FakePayments {
    async fn get_receipt(
        &self,
        request: Request<GetReceiptRequest>,
    ) -> Result<Response<GetReceiptResponse>, Status> {
        self.peers.verify(request.metadata(), &["notifications"])?;
        self.data.check()?;
        let id = request.into_inner().receipt_id;
        let receipt = self.data.receipts.lock().unwrap().get(&id).cloned();
        let receipt = receipt.ok_or_else(|| status::not_found("RECEIPT_NOT_FOUND"))?;
        Ok(Response::new(GetReceiptResponse { receipt: Some(receipt) }))
    }

    async fn get_refund_request_mail(
        &self,
        request: Request<GetRefundRequestMailRequest>,
    ) -> Result<Response<GetRefundRequestMailResponse>, Status> {
        self.peers.verify(request.metadata(), &["notifications"])?;
        self.data.check()?;
        let id = request.into_inner().request_id;
        let asked = self.data.refund_requests.lock().unwrap().get(&id).cloned();
        asked.map(Response::new).ok_or_else(|| status::not_found("REFUND_REQUEST_NOT_FOUND"))
    }
}
