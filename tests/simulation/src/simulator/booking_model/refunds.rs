//! The payment state that booking shows: it follows the sum of a booking's refunds, as the
//! statement in booking's `read_model/refunds.rs` makes it.

use std::collections::BTreeMap;

use booking::read_model::refunds::{Failure, Refund};

/// How often a refund is asked for before a person has to look.
const TRIES_MAX: usize = 3;
/// Reasons of failures after which nothing more is to come of a refund itself.
const REPLACED: [&str; 3] = ["overtaken", "lost_to_a_dispute", TOO_SMALL];
/// A rest that is too small for the provider.
const TOO_SMALL: &str = "below_the_least";

/// A refund, of which any event may have come first.
#[derive(Debug, Clone, Default)]
struct Row {
    request: Option<Refund>,
    is_processed: bool,
    failure: Option<Failure>,
}

/// What booking knows of a booking's money.
#[derive(Debug, Clone)]
pub(crate) struct ShownMoney {
    state: &'static str,
    payment: Option<String>,
    /// What was paid, when an offer made it less than the price.
    paid: Option<i64>,
    promised: Option<i64>,
    refunds: BTreeMap<String, Row>,
}

impl Default for ShownMoney {
    fn default() -> Self {
        let (payment, paid, promised) = (None, None, None);
        Self { state: "pending", payment, paid, promised, refunds: BTreeMap::new() }
    }
}

/// How a refund stands, in minor units.
struct Standing {
    back: i64,
    come: i64,
    owed: i64,
    small: i64,
}

impl ShownMoney {
    /// The word of the payment state.
    pub(crate) fn word(&self) -> &'static str {
        self.state
    }

    /// The booking stands on this payment.
    pub(super) fn pay(&mut self, payment: &str) {
        self.state = "paid";
        self.payment = Some(payment.to_owned());
    }

    /// Less than the price was paid.
    pub(super) fn pay_less(&mut self, payment: &str, minor: i64) {
        if self.payment.as_deref() == Some(payment) {
            self.paid = Some(minor);
        }
    }

    /// The booking was cancelled, and so much is to go back.
    pub(super) fn promise(&mut self, minor: i64) {
        self.promised = Some(minor);
    }

    /// A refund was requested.
    pub(super) fn request(&mut self, refund: Refund) {
        let row = self.refunds.entry(refund.refund_id.clone()).or_default();
        row.request = Some(refund);
    }

    /// A refund was processed.
    pub(super) fn process(&mut self, refund_id: &str) {
        self.refunds.entry(refund_id.to_owned()).or_default().is_processed = true;
    }

    /// A refund failed.
    pub(super) fn fail(&mut self, failure: Failure) {
        let row = self.refunds.entry(failure.refund_id.clone()).or_default();
        row.failure = Some(failure);
    }

    fn tries(&self, request: &Refund) -> usize {
        let mut tries = 1;
        let mut renewed = request.renews.as_ref();
        while let Some(before) = renewed.and_then(|id| self.refunds.get(id)) {
            tries += 1;
            renewed = before.request.as_ref().and_then(|it| it.renews.as_ref());
        }
        tries
    }

    fn standing(&self, row: &Row, request: &Refund) -> Standing {
        let minor = request.minor;
        let mut others = self.refunds.values().filter_map(|it| it.request.as_ref());
        let is_renewed = others.any(|it| it.renews.as_ref() == Some(&request.refund_id));
        let reason = row.failure.as_ref().map_or("", |failure| failure.reason.as_str());
        let by_reason = if reason == "lost_to_a_dispute" { minor } else { 0 };
        let bank = row.failure.as_ref().and_then(|failure| failure.bank_minor);
        let bank = bank.unwrap_or(by_reason);
        let is_final = row.failure.as_ref().is_some_and(|failure| failure.is_final);
        let is_over = is_final || reason == "payment_too_old" || self.tries(request) >= TRIES_MAX;
        let is_gone = row.is_processed || is_renewed || REPLACED.contains(&reason);
        let has_failed = row.failure.is_some();
        let back = if row.is_processed { minor } else { bank };
        let comes = !(is_gone || has_failed && (is_over || request.cause == "elsewhere"));
        let is_owed = !is_gone && has_failed && is_over;
        let is_small = reason == TOO_SMALL && !row.is_processed;
        Standing {
            back,
            come: if comes { minor } else { 0 },
            owed: if is_owed { minor.saturating_sub(bank) } else { 0 },
            small: if is_small { minor } else { 0 },
        }
    }

    /// Makes the state follow the sum of the refunds.
    pub(super) fn settle(&mut self, price: i64, booking_state: &str) {
        let (mut back, mut going, mut small) = (0_i64, 0_i64, 0_i64);
        for row in self.refunds.values() {
            let Some(request) = &row.request else { continue };
            if self.payment.as_ref().is_none_or(|payment| *payment == request.payment_id) {
                let Standing { back: here, come, owed, small: rest } = self.standing(row, request);
                back = back.saturating_add(here);
                small = small.saturating_add(rest);
                going = going.saturating_add(come).saturating_add(owed);
            }
        }
        let brought = self.paid.unwrap_or(price);
        let gives_back = booking_state == "paid_unplaced"
            || (booking_state == "cancelled" && self.promised != Some(0));
        let promised = self.promised.unwrap_or(brought).min(brought);
        let sum = back.saturating_add(going);
        let word = if sum == 0 {
            None
        } else if self.payment.is_none() {
            Some(if going > 0 { "refunding" } else { "refunded" })
        } else if back >= brought {
            Some("refunded")
        } else if sum >= brought || (gives_back && going > 0) {
            Some("refunding")
        } else if gives_back && back.saturating_add(small) >= promised {
            Some("refunded")
        } else {
            None
        };
        let goes_back = ["refunding", "refunded"].contains(&self.state);
        let before = if self.payment.is_none() { "pending" } else { "paid" };
        self.state = word.unwrap_or(if goes_back { before } else { self.state });
    }

    /// The rule of before: only a single refund of all of it counts (bugs.md B F1).
    pub(super) fn settle_by_one(&mut self, price: i64) {
        let brought = self.paid.unwrap_or(price);
        let mut rows = self.refunds.values();
        let whole = rows.find(|row| row.request.as_ref().is_some_and(|it| it.minor >= brought));
        if let Some(row) = whole {
            self.state = if row.is_processed { "refunded" } else { "refunding" };
        }
    }
}
