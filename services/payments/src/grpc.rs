//! The public gRPC service, called through the gateway. Only this module and its children use the
//! request and response types. A booking of another client is reported as not found.

mod desk;
pub mod page;
pub mod receipts;
pub mod refund_requests;
pub mod internal;
pub mod routes;
pub mod staff;

use std::sync::Arc;

use contract::convert::to_wire;
use contract::payments::v1::payments_service_server::PaymentsService;
use contract::payments::v1::{
    CheckPaymentRequest, CheckPaymentResponse, ClaimPaymentRequest, ClaimPaymentResponse,
    CollectionState, ListOwnReceiptsRequest, ListOwnReceiptsResponse, ListReceiptsRequest,
    ListReceiptsResponse, PaymentMethod, PaymentStatus, SetPayerRequest, SetPayerResponse,
    StartPaymentRequest, StartPaymentResponse, SubmitCheckoutAnswerRequest,
    SubmitCheckoutAnswerResponse,
};
use kernel::Id;
use kernel::id::Booking;
use runtime::caller::Users;
use runtime::status::to_status;
use tonic::{Request, Response, Status};

use self::receipts::{read_payer, to_wire_payer};
use crate::app::App;
use crate::app::check_payment::check_payment;
use crate::app::claim_payment::claim_payment;
use crate::app::fold::Outcome;
use crate::app::idempotency::key_of;
use crate::app::list_receipts::{list_own_receipts, list_receipts};
use crate::app::request::parse_booking;
use crate::app::set_payer::{payer_details, set_payer};
use crate::app::start_payment::{Method, start_payment};
use crate::app::submit_checkout_answer::submit_checkout_answer;
use crate::domain::collection::Standing;
use crate::domain::link::LinkStatus;
use crate::error::Error;
use crate::read_model::query::CollectionRow;

/// The public service.
#[derive(Debug, Clone)]
pub struct PublicHandler {
    app: Arc<App>,
    users: Users,
}

impl PublicHandler {
    /// Serves signed-in clients.
    #[must_use]
    pub fn new(app: Arc<App>, users: Users) -> Self {
        Self { app, users }
    }
}

fn wire_state(standing: Standing) -> CollectionState {
    match standing {
        Standing::Pending => CollectionState::Pending,
        Standing::Paid => CollectionState::Paid,
        Standing::Failed => CollectionState::Failed,
        Standing::Mismatched => CollectionState::Mismatched,
        Standing::Refunding => CollectionState::Refunding,
        Standing::Refunded => CollectionState::Refunded,
    }
}

/// The same in the words of a page that waits for a payment.
fn wire_status(outcome: Outcome) -> PaymentStatus {
    match (outcome.standing, outcome.ended_link) {
        (Standing::Paid, _) => PaymentStatus::Paid,
        (Standing::Pending | Standing::Failed, Some(LinkStatus::Cancelled)) => {
            PaymentStatus::Cancelled
        }
        (Standing::Pending | Standing::Failed, Some(LinkStatus::Expired)) => PaymentStatus::Expired,
        (
            Standing::Pending
            | Standing::Failed
            | Standing::Mismatched
            | Standing::Refunding
            | Standing::Refunded,
            _,
        ) => PaymentStatus::Other,
    }
}

/// The way of paying that was asked for, and the words of the request that its idempotency key
/// stands for. Callers that know the checkout only send no method.
fn method_of(asked: &StartPaymentRequest) -> (Method, Vec<&str>) {
    match asked.method() {
        PaymentMethod::Link => (Method::Link, vec![&asked.booking_id, "link"]),
        PaymentMethod::Unspecified | PaymentMethod::Checkout => {
            (Method::Checkout, vec![&asked.booking_id])
        }
    }
}

/// The fields that say where to pay. None of them is there when money has come in the other way.
fn place_to_pay(method: Method, row: CollectionRow) -> StartPaymentResponse {
    let link = row.link.filter(|_| method == Method::Link && !row.standing.has_money());
    let link = link.and_then(|row| Some((row.link.expires_at, row.link.created?)));
    let (link_expires_at, created) = link.unzip();
    let order = row.order.filter(|_| method == Method::Checkout);
    StartPaymentResponse {
        order_id: order.map(|order| order.id.to_string()).unwrap_or_default(),
        link_id: created.as_ref().map(|created| created.id.to_string()).unwrap_or_default(),
        link_url: created.map(|created| created.url).unwrap_or_default(),
        link_expires_at: link_expires_at.map(to_wire),
        ..StartPaymentResponse::default()
    }
}

fn parse(booking_id: &str) -> Result<Id<Booking>, Error> {
    let id = parse_booking(booking_id)?;
    tracing::Span::current().record("booking_id", tracing::field::display(id));
    Ok(id)
}

/// The state of an answer, or the error as its caller sees it.
fn state(standing: Result<Standing, Error>) -> Result<i32, Status> {
    standing.map(|it| wire_state(it).into()).map_err(|error| to_status(&error))
}

#[tonic::async_trait]
impl PaymentsService for PublicHandler {
    async fn start_payment(
        &self,
        request: Request<StartPaymentRequest>,
    ) -> Result<Response<StartPaymentResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let asked = request.into_inner();
        let started = async {
            let id = parse(&asked.booking_id)?;
            let (method, words) = method_of(&asked);
            let key = key_of(user.customer, "StartPayment", &asked.idempotency_key, &words)?;
            start_payment(&self.app, user.customer, id, method, &key).await
        };
        let row = started.await.map_err(|error| to_status(&error))?;
        let payer_details =
            payer_details(&self.app, row.booking_id).await.map_err(|error| to_status(&error))?;
        Ok(Response::new(StartPaymentResponse {
            key_id: self.app.checkout.key_id.clone(),
            amount: Some(row.amount.into()),
            checkout_script_url: self.app.checkout.script_url.clone(),
            takes_payer: payer_details.can_change,
            state: wire_state(row.standing).into(),
            ..place_to_pay(method_of(&asked).0, row)
        }))
    }

    async fn submit_checkout_answer(
        &self,
        request: Request<SubmitCheckoutAnswerRequest>,
    ) -> Result<Response<SubmitCheckoutAnswerResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let asked = request.into_inner();
        let taken = async {
            let id = parse(&asked.booking_id)?;
            let (payment_id, signature) = (&asked.payment_id, &asked.signature);
            let asked_for = [asked.booking_id.as_str(), payment_id, signature];
            let key =
                key_of(user.customer, "SubmitCheckoutAnswer", &asked.idempotency_key, &asked_for)?;
            let answer = (payment_id.as_str(), signature.as_str());
            submit_checkout_answer(&self.app, user.customer, id, answer, &key).await
        };
        let state = state(taken.await)?;
        Ok(Response::new(SubmitCheckoutAnswerResponse { state }))
    }

    async fn check_payment(
        &self,
        request: Request<CheckPaymentRequest>,
    ) -> Result<Response<CheckPaymentResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let asked = request.into_inner();
        let checked = async {
            let id = parse(&asked.booking_id)?;
            check_payment(&self.app, user.customer, id).await
        };
        let outcome = checked.await.map_err(|error| to_status(&error))?;
        Ok(Response::new(CheckPaymentResponse {
            state: wire_state(outcome.standing).into(),
            payment_status: wire_status(outcome).into(),
        }))
    }

    async fn claim_payment(
        &self,
        request: Request<ClaimPaymentRequest>,
    ) -> Result<Response<ClaimPaymentResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let asked = request.into_inner();
        let claimed = async {
            let id = parse(&asked.booking_id)?;
            let asked_for = [asked.booking_id.as_str()];
            let key = key_of(user.customer, "ClaimPayment", &asked.idempotency_key, &asked_for)?;
            claim_payment(&self.app, user.customer, id, &key).await
        };
        let outcome = claimed.await.map_err(|error| to_status(&error))?;
        Ok(Response::new(ClaimPaymentResponse {
            state: wire_state(outcome.standing).into(),
            payment_status: wire_status(outcome).into(),
        }))
    }

    async fn list_receipts(
        &self,
        request: Request<ListReceiptsRequest>,
    ) -> Result<Response<ListReceiptsResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let asked = request.into_inner();
        let found = async {
            let id = parse(&asked.booking_id)?;
            let receipts = list_receipts(&self.app, user.customer, id).await?;
            Ok((receipts, payer_details(&self.app, id).await?))
        };
        let found: Result<_, Error> = found.await;
        let (receipts, payer_details) = found.map_err(|error| to_status(&error))?;
        let receipts = receipts.into_iter().map(receipts::to_wire_receipt).collect();
        let payer = payer_details.payer.map(to_wire_payer);
        Ok(Response::new(ListReceiptsResponse {
            receipts,
            payer,
            takes_payer: payer_details.can_change,
        }))
    }

    async fn set_payer(
        &self,
        request: Request<SetPayerRequest>,
    ) -> Result<Response<SetPayerResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let asked = request.into_inner();
        let work = async {
            let id = parse(&asked.booking_id)?;
            let payer = asked.payer.as_ref().map(read_payer).transpose()?;
            set_payer(&self.app, user.customer, id, payer).await
        };
        work.await.map_err(|error| to_status(&error))?;
        Ok(Response::new(SetPayerResponse {}))
    }

    async fn list_own_receipts(
        &self,
        request: Request<ListOwnReceiptsRequest>,
    ) -> Result<Response<ListOwnReceiptsResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let year = request.into_inner().financial_year;
        let found = list_own_receipts(&self.app, user.customer, (year != 0).then_some(year)).await;
        let found = found.map_err(|error| to_status(&error))?;
        Ok(Response::new(ListOwnReceiptsResponse {
            receipts: found.receipts.into_iter().map(receipts::to_wire_receipt).collect(),
            financial_year: found.year,
            financial_years: found.years,
            has_more: found.has_more,
        }))
    }
}
