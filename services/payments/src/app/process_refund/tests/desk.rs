//! A payment provider that only refunds. What it keeps of a request's key may be lost.

use std::collections::BTreeMap;
use std::future::ready;
use std::sync::{Mutex, MutexGuard};

use kernel::id::Refund as RefundKind;
use kernel::{Id, Money, Timestamp};

use crate::domain::dispute::Dispute;
use crate::domain::fact::{LinkId, OrderId, PaymentId, ProviderRefundId};
use crate::domain::refund::Progress;
use crate::domain::settlement::{Line, Settlement};
use crate::providers::{
    LinkReport, LinkRequest, LinkReturn, Observation, OrderReport, OrderRequest, Page,
    PaymentReport, Provider, ProviderError, ProviderFuture, ProviderRefund, RefundRequest,
    ReturnError, ReturnForm, WebhookHeaders,
};

/// The least amount of a refund.
pub(super) const LEAST: i64 = 100;

/// What the provider has.
#[derive(Debug, Default)]
pub(super) struct Book {
    pub(super) captured: i64,
    pub(super) refunds: Vec<ProviderRefund>,
    /// The place of each request's refund, by its key.
    pub(super) keys: BTreeMap<(Id<RefundKind>, usize), usize>,
    /// Whether the next answer is lost.
    pub(super) loses_answer: bool,
    /// How often it was asked for less than the least.
    pub(super) asked_below: usize,
}

impl Book {
    /// How much is refunded or being refunded.
    pub(super) fn gone(&self) -> i64 {
        let counts = self.refunds.iter().filter(|it| it.progress != Progress::Failed);
        counts.map(|it| it.amount.minor).sum()
    }

    pub(super) fn add(&mut self, wanted: &RefundRequest, receipt: Option<Id<RefundKind>>) -> usize {
        let number = self.refunds.len();
        self.refunds.push(ProviderRefund {
            id: ProviderRefundId::parse(&format!("rfnd_{number:014}")).unwrap(),
            payment: Some(wanted.payment.clone()),
            refund_id: receipt,
            amount: wanted.amount.clone(),
            progress: Progress::Pending,
        });
        number
    }
}

/// The provider; it refunds whatever the payment covers, and heeds no dispute.
#[derive(Debug, Default)]
pub(super) struct Desk(Mutex<Book>);

impl Desk {
    pub(super) fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().unwrap()
    }

    fn make(&self, wanted: &RefundRequest) -> Result<ProviderRefund, ProviderError> {
        let mut book = self.book();
        let minor = wanted.amount.minor;
        let key = (wanted.refund_id, wanted.refusals);
        let known = book.keys.get(&key).copied();
        if known.is_none() && (minor < LEAST || book.gone() + minor > book.captured) {
            book.asked_below += usize::from(minor < LEAST);
            return Err(ProviderError::Refused { reason: "bad_request_error".to_owned() });
        }
        let number = known.unwrap_or_else(|| book.add(wanted, Some(wanted.refund_id)));
        book.keys.insert(key, number);
        if std::mem::take(&mut book.loses_answer) {
            return Err(ProviderError::NoAnswer("the answer is lost".into()));
        }
        Ok(book.refunds[number].clone())
    }
}

fn refused<T: Send + 'static>() -> ProviderFuture<'static, T> {
    Box::pin(ready(Err(ProviderError::InvalidAnswer("it only refunds"))))
}

impl Provider for Desk {
    fn name(&self) -> &'static str {
        "razorpay"
    }
    fn is_test_mode(&self) -> bool {
        true
    }
    fn names_account(&self) -> bool {
        false
    }
    fn least_refund_minor(&self) -> i64 {
        LEAST
    }
    fn refund<'a>(&'a self, wanted: &'a RefundRequest) -> ProviderFuture<'a, ProviderRefund> {
        Box::pin(ready(self.make(wanted)))
    }
    fn refunds_of<'a>(&'a self, _: &'a PaymentId) -> ProviderFuture<'a, Vec<ProviderRefund>> {
        Box::pin(ready(Ok(self.book().refunds.clone())))
    }
    fn fetch_refund<'a>(&'a self, id: &'a ProviderRefundId) -> ProviderFuture<'a, ProviderRefund> {
        let found = self.book().refunds.iter().find(|it| it.id == *id).cloned();
        Box::pin(ready(found.ok_or(ProviderError::InvalidAnswer("no such refund"))))
    }
    fn create_order(&self, _: OrderRequest) -> ProviderFuture<'_, OrderId> {
        refused()
    }
    fn find_order(&self, _: OrderRequest) -> ProviderFuture<'_, Option<OrderId>> {
        refused()
    }
    fn create_link(&self, _: LinkRequest) -> ProviderFuture<'_, LinkReport> {
        refused()
    }
    fn find_link(&self, _: LinkRequest) -> ProviderFuture<'_, Option<LinkReport>> {
        refused()
    }
    fn link<'a>(&'a self, _: &'a LinkId) -> ProviderFuture<'a, LinkReport> {
        refused()
    }
    fn cancel_link<'a>(&'a self, _: &'a LinkId) -> ProviderFuture<'a, LinkReport> {
        refused()
    }
    fn order<'a>(&'a self, _: &'a OrderId) -> ProviderFuture<'a, OrderReport> {
        refused()
    }
    fn payments_of<'a>(&'a self, _: &'a OrderId) -> ProviderFuture<'a, Vec<PaymentReport>> {
        refused()
    }
    fn payment<'a>(&'a self, _: &'a PaymentId) -> ProviderFuture<'a, PaymentReport> {
        refused()
    }
    fn capture<'a>(&'a self, _: &'a PaymentId, _: Money) -> ProviderFuture<'a, PaymentReport> {
        refused()
    }
    fn settlement_lines(&self, _: Timestamp, _: usize) -> ProviderFuture<'_, Page<Line>> {
        refused()
    }
    fn settlements(
        &self,
        _: Timestamp,
        _: Timestamp,
        _: usize,
    ) -> ProviderFuture<'_, Page<Settlement>> {
        refused()
    }
    fn payments_between(
        &self,
        _: Timestamp,
        _: Timestamp,
        _: usize,
    ) -> ProviderFuture<'_, Page<PaymentReport>> {
        refused()
    }
    fn disputes_between(
        &self,
        _: Timestamp,
        _: Timestamp,
        _: usize,
    ) -> ProviderFuture<'_, Page<Dispute>> {
        refused()
    }
    fn verify_return(&self, _: &OrderId, _: &str, _: &str) -> Result<PaymentId, ReturnError> {
        Err(ReturnError::Forged)
    }
    fn read_return(&self, _: &[u8]) -> Option<ReturnForm> {
        None
    }
    fn read_link_return(&self, _: &str) -> Option<LinkReturn> {
        None
    }
    fn is_own_link_return(&self, _: &LinkReturn) -> bool {
        false
    }
    fn webhook_headers(&self) -> WebhookHeaders {
        WebhookHeaders { signature: "x-signature", event_id: "x-event" }
    }
    fn verify_webhook(&self, _: &str, _: &[u8]) -> bool {
        false
    }
    fn is_of_another_account(&self, _: &[u8]) -> bool {
        false
    }
    fn read_webhook(&self, _: &[u8]) -> Vec<Observation> {
        Vec::new()
    }
}
