//! The provider's own book, asked through payments' port by calls that only read.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use anyhow::{Context as _, Result};
use kernel::Timestamp;
use payments::config::{self, Account};
use payments::domain::dispute::DisputeState;
use payments::domain::fact::{OrderId, Status};
use payments::domain::refund::Progress;
use payments::providers::{PaymentReport, Provider, Receipt};
use runtime::Reader;

use crate::history::History;
use crate::range::SETTLED_AFTER_SECONDS;
use crate::recorded;
use crate::snapshot::{
    ProviderBook, ProviderDispute, ProviderOrder, ProviderPayment, ProviderRefund,
};
use crate::violation::{Finding, Invariant, Violation};

/// For how many days back the provider is asked when nothing is said.
const DAYS: u32 = 35;
const DAY_SECONDS: i64 = 24 * 60 * 60;
/// A payment may be reported to us so much later than it was begun.
const REPORTED_WITHIN_SECONDS: i64 = 7 * DAY_SECONDS;
/// How many orders that we don't know are asked about.
const UNKNOWN_ORDERS_MAX: usize = 500;

/// How the provider is asked.
#[derive(Debug, Clone)]
pub struct Settings {
    /// The account; none where the provider is not asked.
    pub account: Option<Account>,
    /// For how many days back; `CHECK_PROVIDER_DAYS`.
    pub days: u32,
}

impl Settings {
    /// Reads them: `PAYMENTS_PROVIDER_URL`, `PAYMENTS_KEY_ID` and `PAYMENTS_KEY_SECRET`, as
    /// payments has them. Without them, or with 0 days, the provider is not asked.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        let days = reader.parse_or("CHECK_PROVIDER_DAYS", DAYS);
        let is_set = reader.optional("PAYMENTS_KEY_ID").is_some() && days > 0;
        let account = is_set.then(|| Account {
            url: reader.url("PAYMENTS_PROVIDER_URL"),
            key_id: reader.required("PAYMENTS_KEY_ID"),
            key_secret: reader.secret("PAYMENTS_KEY_SECRET"),
            webhook_secret: String::new().into(),
            webhook_secret_previous: None,
            link_return_url: None,
            account_id: None,
        });
        Self { account, days }
    }
}

/// What the checker may ask: of the port only what reads.
#[derive(Clone)]
pub struct ProviderReader(Arc<dyn Provider>);

impl std::fmt::Debug for ProviderReader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_tuple("ProviderReader").field(&self.0.name()).finish()
    }
}

impl ProviderReader {
    /// A reader of any provider.
    #[must_use]
    pub fn new(provider: Arc<dyn Provider>) -> Self {
        Self(provider)
    }

    /// A reader of the account that the settings name, if they name one.
    pub fn of(settings: &Settings) -> Result<Option<Self>> {
        let Some(account) = &settings.account else { return Ok(None) };
        Ok(Some(Self::new(config::open(account.clone())?)))
    }
}

/// What the provider said: its payments of some days, with their refunds and disputes.
#[derive(Debug)]
pub(crate) struct ProviderList {
    reader: ProviderReader,
    since: Timestamp,
    payments: BTreeMap<String, ListedPayment>,
    by_order: BTreeMap<String, Vec<String>>,
    disputes: BTreeMap<String, Vec<ProviderDispute>>,
    lost: BTreeMap<String, i64>,
    /// Reports that could not be read.
    pub(crate) unread: usize,
}

/// A payment of the list.
#[derive(Debug)]
struct ListedPayment {
    payment: ProviderPayment,
    refunds: Vec<ProviderRefund>,
    /// Whether a booking's page has taken it in.
    is_known: bool,
}

impl ProviderList {
    /// Asks for the payments, refunds and disputes of so many days before `now`.
    pub(crate) async fn read(reader: ProviderReader, now: Timestamp, days: u32) -> Result<Self> {
        let since = now.plus_seconds(-i64::from(days) * DAY_SECONDS);
        let mut asked = Self {
            reader,
            since,
            payments: BTreeMap::new(),
            by_order: BTreeMap::new(),
            disputes: BTreeMap::new(),
            lost: BTreeMap::new(),
            unread: 0,
        };
        // What is newer may belong to an order that was made after our databases were read.
        let until = now.plus_seconds(-SETTLED_AFTER_SECONDS);
        let mut from = since;
        while from < until {
            let to = until.min(from.plus_seconds(DAY_SECONDS));
            asked.day(from, to).await.context("the payment provider cannot be asked")?;
            from = to;
        }
        asked.disputes(now).await.context("the payment provider cannot be asked")?;
        Ok(asked)
    }

    async fn day(&mut self, from: Timestamp, to: Timestamp) -> Result<()> {
        let mut skip = Some(0);
        while let Some(at) = skip {
            let page = self.reader.0.payments_between(from, to, at).await?;
            self.unread += page.unread;
            for report in page.items {
                self.add(report, to).await?;
            }
            skip = page.next;
        }
        Ok(())
    }

    async fn add(&mut self, report: PaymentReport, seen_at: Timestamp) -> Result<()> {
        let (id, fact) = (report.payment.id, report.payment.fact);
        let mut refunds = Vec::new();
        if report.refunded_minor > 0 || fact.status == Status::Refunded {
            for refund in self.reader.0.refunds_of(&id).await? {
                refunds.push(ProviderRefund {
                    provider_refund_id: refund.id.to_string(),
                    payment_id: id.to_string(),
                    amount_minor: refund.amount.minor,
                    status: word(refund.progress).to_owned(),
                    receipt: refund.refund_id.map(|our_id| our_id.to_string()),
                });
            }
        }
        if let Some(order) = &fact.order {
            self.by_order.entry(order.to_string()).or_default().push(id.to_string());
        }
        let payment = ProviderPayment {
            payment_id: id.to_string(),
            order_id: fact.order.as_ref().map(ToString::to_string),
            amount_minor: fact.amount.minor,
            currency: fact.amount.currency,
            status: fact.status.word().to_owned(),
            captured_at: (fact.status >= Status::Captured).then_some(seen_at),
            pays_order: false,
        };
        self.payments.insert(id.to_string(), ListedPayment { payment, refunds, is_known: false });
        Ok(())
    }

    async fn disputes(&mut self, now: Timestamp) -> Result<()> {
        let mut skip = Some(0);
        while let Some(at) = skip {
            let page = self.reader.0.disputes_between(self.since, now, at).await?;
            self.unread += page.unread;
            for dispute in &page.items {
                let seen = ProviderDispute {
                    dispute_id: dispute.id.to_string(),
                    payment_id: dispute.payment.to_string(),
                    state: dispute.fact.state.word().to_owned(),
                };
                self.disputes.entry(dispute.payment.to_string()).or_default().push(seen);
            }
            for dispute in page.items.iter().filter(|it| it.fact.state == DisputeState::Lost) {
                let sum = self.lost.entry(dispute.payment.to_string()).or_default();
                *sum = sum.saturating_add(dispute.fact.lost_minor());
            }
            skip = page.next;
        }
        Ok(())
    }

    /// The provider's book about a page's bookings: what it said, and our record of what it was not
    /// asked about.
    pub(crate) async fn book(&mut self, history: &History) -> Result<ProviderBook> {
        let mut book = recorded::book(history);
        let ours: BTreeSet<String> = book.orders.iter().map(|it| it.order_id.clone()).collect();
        let mut asked: BTreeSet<String> =
            ours.iter().filter_map(|order| self.by_order.get(order)).flatten().cloned().collect();
        let named = book.payments.iter().map(|it| it.payment_id.clone());
        asked.extend(named.filter(|id| self.payments.contains_key(id)));
        let counted: BTreeSet<String> = history
            .collections
            .values()
            .filter_map(|it| Some(it.verified.as_ref()?.to_string()))
            .collect();
        let settled = self.since.plus_seconds(REPORTED_WITHIN_SECONDS);
        let is_old = |it: &ProviderPayment| it.captured_at.is_none_or(|at| at < settled);
        // What should be in the list and is not, the provider does not know.
        book.payments.retain(|it| !asked.contains(&it.payment_id) && is_old(it));
        book.refunds.retain(|it| !asked.contains(&it.payment_id));
        book.lost_in_disputes.retain(|payment, _| !asked.contains(payment));
        book.disputes.retain(|it| !asked.contains(&it.payment_id));
        for id in asked {
            let Some(seen) = self.payments.get_mut(&id) else { continue };
            seen.is_known = true;
            let mut payment = seen.payment.clone();
            if counted.contains(&id)
                && let Some(order) = payment.order_id.as_deref().and_then(OrderId::parse)
            {
                payment.pays_order = pays_order(&self.reader, &payment, &order, &book).await?;
            }
            book.refunds.extend(seen.refunds.iter().cloned());
            book.payments.push(payment);
            book.disputes.extend(self.disputes.get(&id).into_iter().flatten().cloned());
            if let Some(lost) = self.lost.get(&id) {
                book.lost_in_disputes.insert(id, *lost);
            }
        }
        Ok(book)
    }

    /// Leaves out what was paid for these orders: their bookings are changing.
    pub(crate) fn leave_out(&mut self, orders: &[String]) {
        for order in orders {
            for payment in self.by_order.get(order).into_iter().flatten() {
                if let Some(seen) = self.payments.get_mut(payment) {
                    seen.is_known = true;
                }
            }
        }
    }

    /// Captured money on orders that no booking of ours has, although the orders are ours. Returns
    /// also how many orders were left unasked.
    pub(crate) async fn unknown_orders(&self) -> Result<(Vec<Violation>, usize)> {
        let mut found = Finding::of(Invariant::I3);
        let strangers = self.payments.values().filter(|it| !it.is_known);
        let strangers = strangers.filter(|it| it.payment.captured_at.is_some());
        let mut orders: BTreeMap<&str, &str> = BTreeMap::new();
        for seen in strangers {
            if let Some(order) = &seen.payment.order_id {
                orders.insert(order, &seen.payment.payment_id);
            }
        }
        let left_out = orders.len().saturating_sub(UNKNOWN_ORDERS_MAX);
        for (order, payment) in orders.into_iter().take(UNKNOWN_ORDERS_MAX) {
            let Some(order) = OrderId::parse(order) else { continue };
            let report = self.reader.0.order(&order).await;
            let report = report.context("the payment provider cannot be asked")?;
            if let Some(Receipt::Collection(_) | Receipt::Link(_)) = report.receipt {
                let what = "was captured for an order of ours that we do not know";
                found.add(format!("{payment} {what}"));
            }
        }
        Ok((found.violations, left_out))
    }

    /// Since when the provider was asked.
    pub(crate) fn since(&self) -> Timestamp {
        self.since
    }
}

/// Whether the provider calls an order paid by a payment of another amount.
async fn pays_order(
    reader: &ProviderReader,
    payment: &ProviderPayment,
    order: &OrderId,
    book: &ProviderBook,
) -> Result<bool> {
    let mut orders: std::slice::Iter<'_, ProviderOrder> = book.orders.iter();
    let expected = orders.find(|it| it.order_id == order.as_str()).map(|it| it.amount_minor);
    if expected == Some(payment.amount_minor) {
        return Ok(false);
    }
    let report = reader.0.order(order).await;
    Ok(report.context("the payment provider cannot be asked")?.fact.is_paid_in_full)
}

fn word(progress: Progress) -> &'static str {
    match progress {
        Progress::Pending => "pending",
        Progress::Processed => "processed",
        Progress::Failed => "failed",
    }
}
