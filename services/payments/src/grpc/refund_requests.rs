//! Clients' requests for refunds: the clients' service and the staff's.

use std::sync::Arc;

use contract::convert::to_wire;
use contract::payments::v1::refund_request_service_server::RefundRequestService;
use contract::payments::v1::refund_request_staff_service_server::RefundRequestStaffService;
use contract::payments::v1::{
    AnswerRefundRequestRequest, AnswerRefundRequestResponse, GetRefundRequestMailResponse,
    GetRefundRequestRequest, GetRefundRequestResponse, ListRefundRequestsRequest,
    ListRefundRequestsResponse, RefundRequest as WireRequest, RefundRequestState,
    RequestRefundRequest, RequestRefundResponse,
};
use eventstore::{Act, StaffAuthorizer};
use runtime::caller::Users;
use runtime::status::to_status;
use staff::{Role, Staff};
use tonic::{Request, Response, Status};

use super::parse;
use super::staff::{read_amount, to_wire_money};
use crate::app::App;
use crate::app::answer_refund_request::{
    self, Answer, Answered, answer_refund_request, parse_answer, parse_request,
};
use crate::app::idempotency::key_of;
use crate::app::request_refund::{
    self, ClientRequest, parse_reason, refund_request, request_refund,
};
use crate::domain::refund_request::{RefundRequest, RequestState};
use crate::error::Error;
use crate::repository::refund_requests;

fn wire_state(state: RequestState) -> RefundRequestState {
    match state {
        RequestState::Open => RefundRequestState::Open,
        RequestState::Granted => RefundRequestState::Granted,
        RequestState::Declined => RefundRequestState::Declined,
    }
}

fn to_wire_request(request: RefundRequest) -> WireRequest {
    WireRequest {
        request_id: request.request_id.to_string(),
        number: request.shown_number(),
        booking_id: request.booking_id.to_string(),
        reason: request.reason,
        requested_at: Some(to_wire(request.requested_at)),
        answer_by_at: Some(to_wire(request.deadlines.answer_by)),
        close_by_at: Some(to_wire(request.deadlines.close_by)),
        state: wire_state(request.state).into(),
        amount: request.amount.map(to_wire_money),
        answer: request.answer,
        answered_at: request.answered_at.map(to_wire),
    }
}

/// What its mails say; not why the client asks.
pub(super) fn to_wire_mail(answered: Answered) -> GetRefundRequestMailResponse {
    let Answered { request, is_at_desk } = answered;
    GetRefundRequestMailResponse {
        number: request.shown_number(),
        booking_id: request.booking_id.to_string(),
        answer_by_at: Some(to_wire(request.deadlines.answer_by)),
        close_by_at: Some(to_wire(request.deadlines.close_by)),
        answered: request.state != RequestState::Open,
        amount: request.amount.map(to_wire_money),
        answer: request.answer,
        at_desk: is_at_desk,
    }
}

/// The clients' service.
#[derive(Debug, Clone)]
pub struct RefundRequestHandler {
    app: Arc<App>,
    users: Users,
}

impl RefundRequestHandler {
    /// Serves signed-in clients.
    #[must_use]
    pub fn new(app: Arc<App>, users: Users) -> Self {
        Self { app, users }
    }
}

#[tonic::async_trait]
impl RefundRequestService for RefundRequestHandler {
    async fn request_refund(
        &self,
        request: Request<RequestRefundRequest>,
    ) -> Result<Response<RequestRefundResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let asked = request.into_inner();
        let done = async {
            let booking_id = parse(&asked.booking_id)?;
            let reason = parse_reason(&asked.reason)?;
            let asked_for = [asked.booking_id.as_str(), reason.as_str()];
            let method = request_refund::METHOD;
            let key = key_of(user.customer, method, &asked.idempotency_key, &asked_for)?;
            request_refund(&self.app, user.customer, ClientRequest { booking_id, reason }, &key)
                .await
        };
        let request = done.await.map_err(|error| to_status(&error))?;
        Ok(Response::new(RequestRefundResponse { request: Some(to_wire_request(request)) }))
    }

    async fn get_refund_request(
        &self,
        request: Request<GetRefundRequestRequest>,
    ) -> Result<Response<GetRefundRequestResponse>, Status> {
        let user = self.users.verify(request.metadata()).await?;
        let asked = request.into_inner();
        let found = async {
            let booking_id = parse(&asked.booking_id)?;
            refund_request(&self.app, user.customer, booking_id).await
        };
        let found = found.await.map_err(|error| to_status(&error))?;
        Ok(Response::new(GetRefundRequestResponse {
            request: found.request.map(to_wire_request),
            from_at: found.time.map(|time| to_wire(time.from)),
            until_at: found.time.map(|time| to_wire(time.until)),
        }))
    }
}

/// The staff's service. Only managers may call it.
#[derive(Debug, Clone)]
pub struct RefundRequestStaffHandler {
    app: Arc<App>,
    authorizer: StaffAuthorizer,
}

impl RefundRequestStaffHandler {
    /// Serves staff members whom the authorizer admits.
    #[must_use]
    pub fn new(app: Arc<App>, authorizer: StaffAuthorizer) -> Self {
        Self { app, authorizer }
    }

    async fn answer(
        &self,
        staff: Staff,
        asked: &AnswerRefundRequestRequest,
    ) -> Result<Answered, Error> {
        let request_id = parse_request(&asked.request_id)?;
        let text = parse_answer(&asked.answer)?;
        let amount = asked.amount.as_ref().map(read_amount);
        let wanted = amount.as_ref().map(|it| format!("{} {}", it.minor, it.currency));
        let asked_for =
            [asked.request_id.as_str(), wanted.as_deref().unwrap_or("nothing"), text.as_str()];
        let action = answer_refund_request::ACTION;
        let key = key_of(staff.id, action, &asked.idempotency_key, &asked_for)?;
        answer_refund_request(&self.app, staff, Answer { request_id, amount, text }, &key).await
    }
}

#[tonic::async_trait]
impl RefundRequestStaffService for RefundRequestStaffHandler {
    async fn list_refund_requests(
        &self,
        request: Request<ListRefundRequestsRequest>,
    ) -> Result<Response<ListRefundRequestsResponse>, Status> {
        let act = Act { action: "ListRefundRequests", subject: "" };
        let staff = self.authorizer.authorize(request.metadata(), act, Role::MANAGERS).await?;
        self.authorizer.audit_read(staff, act).await?;
        let with_answered = request.into_inner().include_answered;
        let found = refund_requests::list(self.app.store.pool(), with_answered).await;
        let found = found.map_err(|error| to_status(&Error::from(error)))?;
        let requests = found.into_iter().map(to_wire_request).collect();
        Ok(Response::new(ListRefundRequestsResponse { requests }))
    }

    async fn answer_refund_request(
        &self,
        request: Request<AnswerRefundRequestRequest>,
    ) -> Result<Response<AnswerRefundRequestResponse>, Status> {
        let (metadata, _, asked) = request.into_parts();
        let act = Act { action: answer_refund_request::ACTION, subject: &asked.request_id };
        let staff = self.authorizer.authorize(&metadata, act, Role::MANAGERS).await?;
        match self.answer(staff, &asked).await {
            Ok(answered) => Ok(Response::new(AnswerRefundRequestResponse {
                request: Some(to_wire_request(answered.request)),
                at_desk: answered.is_at_desk,
            })),
            Err(error) => Err(self.authorizer.audit_rejection(staff, act, &error).await),
        }
    }
}
