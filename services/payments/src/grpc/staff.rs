//! The staff service. Only managers may call it, but for payments at the desk. Each call is written
//! to the audit log with its caller and its outcome.

use std::sync::Arc;

use contract::common::v1::Money;
use contract::convert::to_wire;
use contract::payments::v1::payments_staff_service_server::PaymentsStaffService;
use contract::payments::v1::{
    Balance, CheckProviderRequest, CheckProviderResponse, CheckedPayment, ExplainOrderRequest,
    ExplainOrderResponse, GetBalancesRequest, GetBalancesResponse, GetKeptAmountRequest,
    GetKeptAmountResponse, GetPaymentHistoryRequest, GetPaymentHistoryResponse,
    GiveBackKeptRequest, GiveBackKeptResponse, LedgerEntry, LedgerLine, ListLedgerEntriesRequest,
    ListLedgerEntriesResponse, ListParkedEventsRequest, ListParkedEventsResponse,
    ListUnexplainedOrdersRequest, ListUnexplainedOrdersResponse, RecordDeskPaymentRequest,
    RecordDeskPaymentResponse, RecordDeskRefundRequest, RecordDeskRefundResponse,
    RefundPaymentRequest, RefundPaymentResponse, ReleaseRefundRequest, ReleaseRefundResponse,
    RetryParkedEventsRequest, RetryParkedEventsResponse, UnexplainedOrder,
};
use eventstore::{Act, StaffAuthorizer, StoreError};
use messaging::{ParkedEvents, history};
use runtime::status::to_status;
use service::ParkedHandler;
use staff::{Role, Staff};
use tonic::metadata::MetadataMap;
use tonic::{Request, Response, Status};

use super::{desk, parse};
use crate::app::App;
use crate::app::check_provider::{CheckedProviderPayment, check_provider};
use crate::app::desk_money;
use crate::app::give_back_kept::{self, kept_amount};
use crate::app::idempotency::key_of;
use crate::app::reconciliation_exceptions::{self, ReconciliationException};
use crate::app::refund_payment::{self, refund_payment};
use crate::app::release_refund::{self, release_refund};
use crate::contract::collection_stream;
use crate::domain::fact::Amount;
use crate::error::{Error, Rejection, refuse};
use crate::read_model::{ledger, receipts};

/// The staff's service.
#[derive(Debug, Clone)]
pub struct StaffHandler {
    app: Arc<App>,
    authorizer: StaffAuthorizer,
    parked: ParkedHandler,
}

impl StaffHandler {
    /// Serves staff members whom the authorizer admits.
    #[must_use]
    pub fn new(app: Arc<App>, authorizer: StaffAuthorizer, parked: ParkedEvents) -> Self {
        let parked = ParkedHandler::new(authorizer.clone(), parked);
        Self { app, authorizer, parked }
    }

    /// Admits managers to a read and writes it to the audit log.
    async fn authorize_read(&self, metadata: &MetadataMap, act: Act<'_>) -> Result<(), Status> {
        let staff = self.authorize_manager(metadata, act).await?;
        self.authorizer.audit_read(staff, act).await
    }

    async fn authorize_manager(
        &self,
        metadata: &MetadataMap,
        act: Act<'_>,
    ) -> Result<Staff, Status> {
        self.authorizer.authorize(metadata, act, Role::MANAGERS).await
    }
}

pub(super) fn to_wire_money(amount: Amount) -> Money {
    Money { minor_units: amount.minor, currency_code: amount.currency }
}

pub(super) fn read_amount(money: &Money) -> Amount {
    Amount { minor: money.minor_units, currency: money.currency_code.clone() }
}

fn to_wire_exception(row: ReconciliationException) -> UnexplainedOrder {
    UnexplainedOrder {
        subject: row.subject(),
        reason: row.reason.word().to_owned(),
        explanation: row.explanation,
        booking_id: row.booking_id.map(|id| id.to_string()).unwrap_or_default(),
        order_id: row.order_id.unwrap_or_default(),
        payment_id: row.payment_id.unwrap_or_default(),
        amount: row.amount.map(to_wire_money),
        since_at: Some(to_wire(row.since)),
        respond_by_at: row.respond_by.map(to_wire),
    }
}

fn to_wire_entry(row: ledger::EntryRow) -> LedgerEntry {
    let line = |(account, amount)| LedgerLine { account, amount: Some(to_wire_money(amount)) };
    LedgerEntry {
        kind: row.kind,
        recorded_at: Some(to_wire(row.recorded_at)),
        lines: row.lines.into_iter().map(line).collect(),
    }
}

fn to_wire_checked(checked: &CheckedProviderPayment) -> CheckedPayment {
    let money = |minor| Some(kernel::Money { minor, ..checked.amount }.into());
    CheckedPayment {
        booking_id: checked.booking_id.to_string(),
        payment_id: checked.payment.to_string(),
        amount: money(checked.amount.minor),
        has_webhook: checked.has_webhook,
        is_captured_by_itself: checked.is_captured_by_itself,
        refunded: money(checked.refunded_minor),
        refunding: money(checked.refunding_minor),
    }
}

/// A failure of the database, as its caller sees it.
fn database_error(error: StoreError) -> Status {
    to_status(&Error::from(error))
}

#[tonic::async_trait]
impl PaymentsStaffService for StaffHandler {
    async fn refund_payment(
        &self,
        request: Request<RefundPaymentRequest>,
    ) -> Result<Response<RefundPaymentResponse>, Status> {
        let (metadata, _, asked) = request.into_parts();
        let act = Act { action: refund_payment::ACTION, subject: &asked.booking_id };
        let staff = self.authorize_manager(&metadata, act).await?;
        let done = async {
            let id = parse(&asked.booking_id)?;
            let amount = asked.amount.as_ref().map(read_amount);
            let wanted = amount.as_ref().map(|it| format!("{} {}", it.minor, it.currency));
            let asked_for = [asked.booking_id.as_str(), wanted.as_deref().unwrap_or("all")];
            let key = key_of(staff.id, refund_payment::ACTION, &asked.idempotency_key, &asked_for)?;
            refund_payment(&self.app, staff, id, amount, &key).await
        };
        match done.await {
            Ok(refund) => Ok(Response::new(RefundPaymentResponse {
                refund_id: refund.refund_id.to_string(),
                amount: Some(to_wire_money(refund.amount)),
                at_desk: refund.is_at_desk,
            })),
            Err(error) => Err(self.authorizer.audit_rejection(staff, act, &error).await),
        }
    }

    async fn give_back_kept(
        &self,
        request: Request<GiveBackKeptRequest>,
    ) -> Result<Response<GiveBackKeptResponse>, Status> {
        let (metadata, _, asked) = request.into_parts();
        let act = Act { action: give_back_kept::ACTION, subject: &asked.booking_id };
        let staff = self.authorize_manager(&metadata, act).await?;
        let done = async {
            let id = parse(&asked.booking_id)?;
            let shown = asked.amount.as_ref().map(read_amount);
            let shown = shown.ok_or(refuse(Rejection::AmountNotKept))?;
            let sum = format!("{} {}", shown.minor, shown.currency);
            let asked_for = [asked.booking_id.as_str(), &sum];
            let key = key_of(staff.id, give_back_kept::ACTION, &asked.idempotency_key, &asked_for)?;
            give_back_kept::give_back_kept(&self.app, staff, id, shown, &key).await
        };
        match done.await {
            Ok(refund) => Ok(Response::new(GiveBackKeptResponse {
                refund_id: refund.refund_id.to_string(),
                amount: Some(to_wire_money(refund.amount)),
                at_desk: refund.is_at_desk,
            })),
            Err(error) => Err(self.authorizer.audit_rejection(staff, act, &error).await),
        }
    }

    async fn get_kept_amount(
        &self,
        request: Request<GetKeptAmountRequest>,
    ) -> Result<Response<GetKeptAmountResponse>, Status> {
        let (metadata, _, asked) = request.into_parts();
        let act = Act { action: "GetKeptAmount", subject: &asked.booking_id };
        self.authorize_read(&metadata, act).await?;
        let kept = async { kept_amount(&self.app, parse(&asked.booking_id)?).await }.await;
        let amount = Some(to_wire_money(kept.map_err(|error| to_status(&error))?));
        Ok(Response::new(GetKeptAmountResponse { amount }))
    }

    async fn release_refund(
        &self,
        request: Request<ReleaseRefundRequest>,
    ) -> Result<Response<ReleaseRefundResponse>, Status> {
        let (metadata, _, asked) = request.into_parts();
        let act = Act { action: release_refund::ACTION, subject: &asked.booking_id };
        let staff = self.authorize_manager(&metadata, act).await?;
        let done = async { release_refund(&self.app, staff, parse(&asked.booking_id)?).await };
        match done.await {
            Ok(released) => {
                let ids = released.iter().map(|(id, _)| id.to_string()).collect();
                let minor = released.iter().map(|(_, amount)| amount.minor).sum();
                let first = released.into_iter().next();
                let amount = first.map(|(_, amount)| to_wire_money(Amount { minor, ..amount }));
                Ok(Response::new(ReleaseRefundResponse { refund_ids: ids, amount }))
            }
            Err(error) => Err(self.authorizer.audit_rejection(staff, act, &error).await),
        }
    }

    async fn record_desk_payment(
        &self,
        request: Request<RecordDeskPaymentRequest>,
    ) -> Result<Response<RecordDeskPaymentResponse>, Status> {
        let (metadata, _, asked) = request.into_parts();
        let act = Act { action: desk_money::PAY, subject: &asked.booking_id };
        let staff = self.authorizer.authorize(&metadata, act, Role::ALL).await?;
        let done = async {
            let (money, how) = (asked.amount.as_ref(), (asked.way, asked.reference.as_str()));
            let (said, key) = desk::read(act, staff, money, how, &asked.idempotency_key)?;
            desk_money::pay(&self.app, staff, parse(&asked.booking_id)?, said, &key).await
        };
        match done.await {
            Ok(payment) => {
                let payment_id = payment.to_string();
                Ok(Response::new(RecordDeskPaymentResponse { payment_id }))
            }
            Err(error) => Err(self.authorizer.audit_rejection(staff, act, &error).await),
        }
    }

    async fn record_desk_refund(
        &self,
        request: Request<RecordDeskRefundRequest>,
    ) -> Result<Response<RecordDeskRefundResponse>, Status> {
        let (metadata, _, asked) = request.into_parts();
        let act = Act { action: desk_money::GIVE_BACK, subject: &asked.booking_id };
        let staff = self.authorize_manager(&metadata, act).await?;
        let done = async {
            let (money, how) = (asked.amount.as_ref(), (asked.way, asked.reference.as_str()));
            let (said, key) = desk::read(act, staff, money, how, &asked.idempotency_key)?;
            desk_money::give_back(&self.app, staff, parse(&asked.booking_id)?, said, &key).await
        };
        match done.await {
            Ok(refunds) => {
                let refund_ids = refunds.iter().map(ToString::to_string).collect();
                Ok(Response::new(RecordDeskRefundResponse { refund_ids }))
            }
            Err(error) => Err(self.authorizer.audit_rejection(staff, act, &error).await),
        }
    }

    async fn list_unexplained_orders(
        &self,
        request: Request<ListUnexplainedOrdersRequest>,
    ) -> Result<Response<ListUnexplainedOrdersResponse>, Status> {
        let act = Act { action: "ListUnexplainedOrders", subject: "" };
        self.authorize_read(request.metadata(), act).await?;
        let found =
            reconciliation_exceptions::list(&self.app, request.into_inner().include_young).await;
        let found = found.map_err(|error| to_status(&error))?;
        let orders = found.into_iter().map(to_wire_exception).collect();
        Ok(Response::new(ListUnexplainedOrdersResponse { orders }))
    }

    async fn explain_order(
        &self,
        request: Request<ExplainOrderRequest>,
    ) -> Result<Response<ExplainOrderResponse>, Status> {
        let (metadata, _, asked) = request.into_parts();
        let act = Act { action: reconciliation_exceptions::EXPLAIN, subject: &asked.subject };
        let staff = self.authorize_manager(&metadata, act).await?;
        let named = (asked.reason.as_str(), asked.subject.as_str());
        match reconciliation_exceptions::explain(&self.app, staff, named, &asked.explanation).await
        {
            Ok(()) => Ok(Response::new(ExplainOrderResponse {})),
            Err(error) => Err(self.authorizer.audit_rejection(staff, act, &error).await),
        }
    }

    async fn get_balances(
        &self,
        request: Request<GetBalancesRequest>,
    ) -> Result<Response<GetBalancesResponse>, Status> {
        self.authorize_read(request.metadata(), Act { action: "GetBalances", subject: "" }).await?;
        let balances = ledger::balances(self.app.store.pool()).await.map_err(database_error)?;
        let to_wire = |row: ledger::Balance| Balance {
            account: row.account,
            balance: Some(to_wire_money(row.balance)),
        };
        Ok(Response::new(GetBalancesResponse {
            balances: balances.into_iter().map(to_wire).collect(),
        }))
    }

    async fn list_ledger_entries(
        &self,
        request: Request<ListLedgerEntriesRequest>,
    ) -> Result<Response<ListLedgerEntriesResponse>, Status> {
        let (metadata, _, asked) = request.into_parts();
        let act = Act { action: "ListLedgerEntries", subject: &asked.booking_id };
        self.authorize_read(&metadata, act).await?;
        let id = parse(&asked.booking_id).map_err(|error| to_status(&error))?;
        let entries =
            ledger::entries_of(self.app.store.pool(), id).await.map_err(database_error)?;
        let entries = entries.into_iter().map(to_wire_entry).collect();
        Ok(Response::new(ListLedgerEntriesResponse { entries }))
    }

    async fn check_provider(
        &self,
        request: Request<CheckProviderRequest>,
    ) -> Result<Response<CheckProviderResponse>, Status> {
        let (metadata, _, asked) = request.into_parts();
        let act = Act { action: "CheckProvider", subject: &asked.booking_id };
        self.authorize_read(&metadata, act).await?;
        let named = (!asked.booking_id.is_empty()).then(|| parse(&asked.booking_id)).transpose();
        let found = match named {
            Ok(booking_id) => check_provider(&self.app, booking_id).await,
            Err(error) => Err(error),
        };
        let found = found.map_err(|error| to_status(&error))?;
        let (provider, health) = (&self.app.provider, &self.app.webhook_health);
        Ok(Response::new(CheckProviderResponse {
            provider: provider.name().to_owned(),
            is_test_mode: provider.is_test_mode(),
            keys_problem: found.keys_problem.unwrap_or_default(),
            names_account: provider.names_account(),
            is_other_account: health.check().is_err(),
            last_webhook_at: found.last_webhook_at.map(to_wire),
            refused_webhooks: i64::try_from(health.bad_signatures()).unwrap_or(i64::MAX),
            payment: found.payment.as_ref().map(to_wire_checked),
        }))
    }

    async fn get_payment_history(
        &self,
        request: Request<GetPaymentHistoryRequest>,
    ) -> Result<Response<GetPaymentHistoryResponse>, Status> {
        let (metadata, _, asked) = request.into_parts();
        let act = Act { action: "GetPaymentHistory", subject: &asked.booking_id };
        self.authorize_read(&metadata, act).await?;
        let id = parse(&asked.booking_id).map_err(|error| to_status(&error))?;
        let events = self.app.store.load(&collection_stream(id)).await.map_err(database_error)?;
        let receipts =
            receipts::of_booking(self.app.store.pool(), id).await.map_err(database_error)?;
        let receipts = receipts.into_iter().map(|receipt| receipt.serial).collect();
        Ok(Response::new(GetPaymentHistoryResponse { entries: history(&events), receipts }))
    }

    async fn list_parked_events(
        &self,
        request: Request<ListParkedEventsRequest>,
    ) -> Result<Response<ListParkedEventsResponse>, Status> {
        let events = self.parked.list(request.metadata()).await?;
        Ok(Response::new(ListParkedEventsResponse { events }))
    }

    async fn retry_parked_events(
        &self,
        request: Request<RetryParkedEventsRequest>,
    ) -> Result<Response<RetryParkedEventsResponse>, Status> {
        let (metadata, _extensions, asked) = request.into_parts();
        let (handled, events) = self.parked.retry(&metadata, &asked.stream_id).await?;
        Ok(Response::new(RetryParkedEventsResponse { handled, events }))
    }
}
