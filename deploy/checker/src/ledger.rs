//! I9, as far as it is about money: the ledger's lines are what each booking's events come to, by
//! the rules of payments itself.

use std::collections::{BTreeMap, BTreeSet};

use payments::domain::collection::Collection;
use payments::domain::fact::PaymentId;
use payments::domain::ledger::Books;

use crate::history::History;
use crate::snapshot::{LedgerLine, Snapshot};
use crate::violation::Finding;

/// Payouts are known from the provider's reports and not from a booking's events. An entry that
/// touches one of these accounts is about that.
const PAID_OUT: [&str; 3] = ["bank", "gateway_fee", "gst_input"];

/// The accounts between which unexplained money moves.
const UNEXPLAINED: [&str; 2] = ["suspense", "provider_clearing"];

/// A line as it is compared: its payment, account and currency, and its signed minor units.
type Line = (String, String, String, i64);

/// Compares the lines of each booking's payments.
pub(crate) fn check(snapshot: &Snapshot, history: &History, found: &mut Finding) {
    let Some(stored) = &snapshot.payments.ledger else { return };
    let ours: BTreeSet<&str> = history.collections.values().flat_map(payments_of).collect();
    let mut lines = stored_lines(stored, &ours);
    for past in history.money.values() {
        let events: Vec<_> = past.iter().map(|it| it.event.clone()).collect();
        for entry in Books::default().enter(&events) {
            let payment = entry.payment.map(|id| id.to_string()).unwrap_or_default();
            for line in entry.lines {
                let account = line.account.word().to_owned();
                let amount = line.amount;
                let key = (payment.clone(), account, amount.currency, amount.minor);
                let count = lines.entry(key).or_default();
                *count = count.saturating_sub(1);
            }
        }
    }
    for ((payment, account, currency, minor), count) in cancelled(lines) {
        let line = format!("{minor} {currency} in {account} for {payment}");
        if count < 0 {
            found.add(format!("the ledger lacks {line}, which its booking's events come to"));
        } else if count > 0 {
            found.add(format!("the ledger has {line}, which no event of its booking tells"));
        }
    }
}

/// The payments that a booking's events speak of.
fn payments_of(collection: &Collection) -> impl Iterator<Item = &str> {
    let refunded = collection.refunds.values().map(|refund| refund.payment.as_str());
    collection.payments.keys().map(PaymentId::as_str).chain(refunded)
}

/// How often each line of these payments is stored. Unexplained money stands in suspense
/// without a booking, and is left out here: `money` compares it with the provider's book.
fn stored_lines(stored: &[LedgerLine], ours: &BTreeSet<&str>) -> BTreeMap<Line, i64> {
    let is_paid_out = |line: &&LedgerLine| PAID_OUT.contains(&line.account.as_str());
    let paid_out: BTreeSet<&str> =
        stored.iter().filter(is_paid_out).map(|line| line.entry.as_str()).collect();
    let mut lines: BTreeMap<Line, i64> = BTreeMap::new();
    for line in stored.iter().filter(|line| !paid_out.contains(line.entry.as_str())) {
        let payment = line.payment_id.clone().unwrap_or_default();
        if ours.contains(payment.as_str()) {
            let key = (payment, line.account.clone(), line.currency.clone(), line.minor);
            *lines.entry(key).or_default() += 1;
        }
    }
    lines
}

/// Without the lines that cancel each other: unexplained money in suspense that turned out
/// to be a booking's, is reversed by lines of its own.
fn cancelled(mut lines: BTreeMap<Line, i64>) -> BTreeMap<Line, i64> {
    let is_unexplained =
        |(_, account, _, minor): &&Line| *minor > 0 && UNEXPLAINED.contains(&account.as_str());
    let keys: Vec<Line> = lines.keys().filter(is_unexplained).cloned().collect();
    for key in keys {
        let (payment, account, currency, minor) = key.clone();
        let opposite = (payment, account, currency, minor.saturating_neg());
        let left = |key: &Line| lines.get(key).copied().unwrap_or(0).max(0);
        let both = left(&key).min(left(&opposite));
        for key in [key, opposite] {
            lines.entry(key).and_modify(|count| *count = count.saturating_sub(both));
        }
    }
    lines
}
