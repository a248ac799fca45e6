//! The provider behind the port of payments.

use std::future::ready;

use kernel::{Money, Timestamp};
use payments::domain::dispute::Dispute;
use payments::domain::fact::{
    Amount, LinkId, OrderFact, OrderId, PaymentId, ProviderRefundId, Status,
};
use payments::domain::link::LinkStatus;
use payments::domain::settlement::{Line, Settlement};
use payments::providers::{
    LinkReport, LinkRequest, LinkReturn, Observation, OrderReport, OrderRequest, Page,
    PaymentReport, Provider as Port, ProviderError, ProviderFuture, ProviderRefund, Receipt,
    RefundRequest, ReturnError, ReturnForm, WebhookHeaders,
};

use super::super::coverage::Fault;
use super::Provider;
use super::records::{AnswerDelivery, PROVIDER, Paid, as_seen};

/// How many payments a page of the list has: few, so that there are several.
const PAGE: usize = 4;

/// The least amount of a refund: one rupee.
const LEAST_REFUND_MINOR: i64 = 100;

/// How soon a link may end.
const LINK_SECONDS_MIN: i64 = 15 * 60;

/// The answer to what was done may be lost.
fn back<T>(way: AnswerDelivery, done: T) -> Result<T, ProviderError> {
    match way {
        AnswerDelivery::There => Ok(done),
        AnswerDelivery::Lost => Err(ProviderError::NoAnswer("the answer is lost".into())),
    }
}

fn answer<'a, T: Send + 'a>(done: Result<T, ProviderError>) -> ProviderFuture<'a, T> {
    Box::pin(ready(done))
}

impl Provider {
    fn create(&self, wanted: OrderRequest) -> Result<OrderId, ProviderError> {
        let mut book = self.book();
        let way = book.receive()?;
        let receipt = wanted.receipt.to_string();
        if book.orders.values().any(|order| order.receipt == receipt) {
            return Err(ProviderError::Refused { reason: "bad_request_error".to_owned() });
        }
        let made = book.new_order(receipt, Amount::from(wanted.amount));
        back(way, made.ok_or(ProviderError::InvalidAnswer("no id"))?)
    }

    fn find(&self, wanted: OrderRequest) -> Result<Option<OrderId>, ProviderError> {
        let mut book = self.book();
        let way = book.receive()?;
        let receipt = wanted.receipt.to_string();
        let mut found = book.orders.iter().filter(|(_, order)| order.receipt == receipt);
        back(way, found.next().map(|(id, _)| id.clone()))
    }

    fn see_order(&self, id: &OrderId) -> Result<OrderReport, ProviderError> {
        let mut book = self.book();
        let way = book.receive()?;
        let unknown = ProviderError::Refused { reason: "bad_request_error".to_owned() };
        let order = book.orders.get(id).ok_or(unknown)?;
        let provider = Port::name(self).to_owned();
        let of_link = order.receipt.parse().ok().map(Receipt::Link);
        let receipt = order.receipt.parse().ok().map(Receipt::Collection).or(of_link);
        let (id, amount, is_paid_in_full) = (id.clone(), order.amount.clone(), book.is_paid(id));
        let fact = OrderFact { provider, id, amount, is_paid_in_full };
        back(way, OrderReport { fact, receipt })
    }

    fn make_link(&self, wanted: LinkRequest) -> Result<LinkReport, ProviderError> {
        let mut book = self.book();
        let way = book.receive()?;
        let reference = wanted.reference.to_string();
        let is_soon = wanted.expires_at.seconds_since(book.now) < LINK_SECONDS_MIN;
        if is_soon || book.links.values().any(|link| link.reference == reference) {
            return Err(ProviderError::Refused { reason: "bad_request_error".to_owned() });
        }
        let made = book.new_link(reference, Amount::from(wanted.amount), wanted.expires_at);
        let made = made.and_then(|id| book.report_link(&id));
        back(way, made.ok_or(ProviderError::InvalidAnswer("no id"))?)
    }

    fn search_link(&self, wanted: LinkRequest) -> Result<Option<LinkReport>, ProviderError> {
        let mut book = self.book();
        let way = book.receive()?;
        if book.fault(Fault::LinkUnlisted, 150) {
            return back(way, None);
        }
        let reference = wanted.reference.to_string();
        let mut found = book.links.iter().filter(|(_, link)| link.reference == reference);
        let found = found.next().and_then(|(id, _)| book.report_link(id));
        back(way, found)
    }

    fn see_link(&self, id: &LinkId) -> Result<LinkReport, ProviderError> {
        let mut book = self.book();
        let way = book.receive()?;
        let unknown = ProviderError::Refused { reason: "bad_request_error".to_owned() };
        back(way, book.report_link(id).ok_or(unknown)?)
    }

    /// A refusal is followed by a look, as in the adapter.
    fn end_link(&self, id: &LinkId) -> Result<LinkReport, ProviderError> {
        let way = {
            let mut book = self.book();
            let way = book.receive()?;
            if !book.fault(Fault::LinkNotCancelled, 150) {
                book.end_link(id, LinkStatus::Cancelled);
            }
            way
        };
        back(way, self.see_link(id)?)
    }

    fn list(&self, order: &OrderId) -> Result<Vec<PaymentReport>, ProviderError> {
        let mut book = self.book();
        let way = book.receive()?;
        let of_order = book.payments.iter().filter(|(_, paid)| paid.order.as_ref() == Some(order));
        let reports = of_order.filter_map(|(id, _)| book.report(id)).collect();
        back(way, reports)
    }

    fn page(
        &self,
        (from, to): (Timestamp, Timestamp),
        skip: usize,
    ) -> Result<Page<PaymentReport>, ProviderError> {
        let mut book = self.book();
        let way = book.receive()?;
        let listed = |paid: &Paid| (from..=to).contains(&paid.created_at);
        let ids = book.payments.iter().filter(|(_, paid)| listed(paid)).map(|(id, _)| id);
        let mut rest = ids.skip(skip);
        let items = rest.by_ref().take(PAGE).filter_map(|id| book.report(id)).collect();
        let next = rest.next().map(|_| skip.saturating_add(PAGE));
        back(way, Page { items, unread: 0, next })
    }

    fn fetch(&self, id: &PaymentId) -> Result<PaymentReport, ProviderError> {
        let mut book = self.book();
        let way = book.receive()?;
        let unknown = ProviderError::Refused { reason: "bad_request_error".to_owned() };
        back(way, book.report(id).ok_or(unknown)?)
    }

    /// Captures what the bank has authorised; the amount has to be that of the payment.
    fn take(&self, id: &PaymentId, amount: &Amount) -> Result<PaymentReport, ProviderError> {
        let mut book = self.book();
        let way = book.receive()?;
        let unknown = || ProviderError::Refused { reason: "bad_request_error".to_owned() };
        let paid = book.payments.get(id).ok_or_else(unknown)?;
        let is_captured = paid.status >= Status::Captured;
        if !is_captured && (paid.status != Status::Authorized || paid.amount != *amount) {
            return Err(unknown());
        }
        if !is_captured {
            book.advance(id, Status::Captured);
            book.faults.push(Fault::CapturedByUs);
        }
        back(way, book.report(id).ok_or_else(unknown)?)
    }

    fn disputes(
        &self,
        (from, to): (Timestamp, Timestamp),
        skip: usize,
    ) -> Result<Page<Dispute>, ProviderError> {
        let mut book = self.book();
        let way = book.receive()?;
        let listed = book.disputes.iter().filter(|(_, it)| (from..=to).contains(&it.created_at));
        let mut rest = listed.skip(skip);
        let items = rest.by_ref().take(PAGE).map(|(id, it)| it.as_seen(id)).collect();
        let next = rest.next().map(|_| skip.saturating_add(PAGE));
        back(way, Page { items, unread: 0, next })
    }

    fn give_back(&self, wanted: &RefundRequest) -> Result<ProviderRefund, ProviderError> {
        let mut book = self.book();
        let way = book.receive_refund()?;
        let refund = book.refund(wanted, way)?;
        back(way, as_seen(&refund))
    }

    fn list_refunds(&self, payment: &PaymentId) -> Result<Vec<ProviderRefund>, ProviderError> {
        let mut book = self.book();
        let way = book.receive()?;
        let refunds = book.refunds.values().filter(|it| it.payment == *payment && !book.is_lax);
        back(way, refunds.map(as_seen).collect())
    }

    fn see_refund(&self, id: &ProviderRefundId) -> Result<ProviderRefund, ProviderError> {
        let mut book = self.book();
        let way = book.receive()?;
        let unknown = ProviderError::Refused { reason: "bad_request_error".to_owned() };
        back(way, book.refunds.get(id).map(as_seen).ok_or(unknown)?)
    }
}

impl Port for Provider {
    fn is_test_mode(&self) -> bool {
        true
    }

    fn names_account(&self) -> bool {
        false
    }

    fn name(&self) -> &'static str {
        PROVIDER
    }

    fn least_refund_minor(&self) -> i64 {
        LEAST_REFUND_MINOR
    }

    fn create_order(&self, wanted: OrderRequest) -> ProviderFuture<'_, OrderId> {
        answer(self.create(wanted))
    }

    fn find_order(&self, wanted: OrderRequest) -> ProviderFuture<'_, Option<OrderId>> {
        answer(self.find(wanted))
    }

    fn create_link(&self, wanted: LinkRequest) -> ProviderFuture<'_, LinkReport> {
        answer(self.make_link(wanted))
    }

    fn find_link(&self, wanted: LinkRequest) -> ProviderFuture<'_, Option<LinkReport>> {
        answer(self.search_link(wanted))
    }

    fn link<'a>(&'a self, id: &'a LinkId) -> ProviderFuture<'a, LinkReport> {
        answer(self.see_link(id))
    }

    fn cancel_link<'a>(&'a self, id: &'a LinkId) -> ProviderFuture<'a, LinkReport> {
        answer(self.end_link(id))
    }

    fn order<'a>(&'a self, id: &'a OrderId) -> ProviderFuture<'a, OrderReport> {
        answer(self.see_order(id))
    }

    fn payments_of<'a>(&'a self, order: &'a OrderId) -> ProviderFuture<'a, Vec<PaymentReport>> {
        answer(self.list(order))
    }

    fn payment<'a>(&'a self, id: &'a PaymentId) -> ProviderFuture<'a, PaymentReport> {
        answer(self.fetch(id))
    }

    fn capture<'a>(
        &'a self,
        id: &'a PaymentId,
        amount: Money,
    ) -> ProviderFuture<'a, PaymentReport> {
        answer(self.take(id, &Amount::from(amount)))
    }

    fn refund<'a>(&'a self, wanted: &'a RefundRequest) -> ProviderFuture<'a, ProviderRefund> {
        answer(self.give_back(wanted))
    }

    fn refunds_of<'a>(&'a self, payment: &'a PaymentId) -> ProviderFuture<'a, Vec<ProviderRefund>> {
        answer(self.list_refunds(payment))
    }

    fn fetch_refund<'a>(&'a self, id: &'a ProviderRefundId) -> ProviderFuture<'a, ProviderRefund> {
        answer(self.see_refund(id))
    }

    fn settlement_lines(&self, _at: Timestamp, _skip: usize) -> ProviderFuture<'_, Page<Line>> {
        answer(Err(ProviderError::InvalidAnswer("nothing is paid out here")))
    }

    fn settlements(
        &self,
        _from: Timestamp,
        _to: Timestamp,
        _skip: usize,
    ) -> ProviderFuture<'_, Page<Settlement>> {
        answer(Err(ProviderError::InvalidAnswer("nothing is paid out here")))
    }

    fn disputes_between(
        &self,
        from: Timestamp,
        to: Timestamp,
        skip: usize,
    ) -> ProviderFuture<'_, Page<Dispute>> {
        answer(self.disputes((from, to), skip))
    }

    fn payments_between(
        &self,
        from: Timestamp,
        to: Timestamp,
        skip: usize,
    ) -> ProviderFuture<'_, Page<PaymentReport>> {
        answer(self.page((from, to), skip))
    }

    fn verify_return(
        &self,
        _order: &OrderId,
        payment_id: &str,
        _signature: &str,
    ) -> Result<PaymentId, ReturnError> {
        PaymentId::parse(payment_id).ok_or(ReturnError::Malformed)
    }

    fn read_return(&self, _form: &[u8]) -> Option<ReturnForm> {
        None
    }

    fn read_link_return(&self, _query: &str) -> Option<LinkReturn> {
        None
    }

    fn is_own_link_return(&self, _answer: &LinkReturn) -> bool {
        false
    }

    fn webhook_headers(&self) -> WebhookHeaders {
        WebhookHeaders { signature: "signature", event_id: "event-id" }
    }

    fn verify_webhook(&self, _signature: &str, _raw: &[u8]) -> bool {
        true
    }

    fn is_of_another_account(&self, _raw: &[u8]) -> bool {
        false
    }

    fn read_webhook(&self, _raw: &[u8]) -> Vec<Observation> {
        Vec::new()
    }
}
