//! Double entry: what everything that happens to a booking's money means in accounts. It is pure,
//! and the whole ledger of a booking follows from its events; the rows are written by `post`, in
//! the transaction of the events.

mod desk;
mod entry;
mod unowned;

use std::collections::{BTreeMap, BTreeSet};

use kernel::Id;
use kernel::id::Refund as RefundKind;

use crate::domain::collection::Event;
use crate::domain::dispute::Dispute;
use crate::domain::fact::{Amount, DisputeId, PaymentId, ProviderRefundId, Status};
use crate::domain::refund::{End, Refund};

pub use entry::{Account, Entry, EntryKind, Line};
pub use unowned::UnownedDispute;

/// The state of a refund.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum RefundState {
    Payable,
    Failed,
    Given,
    Gone,
}

/// A refund in the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
struct RefundBalance {
    payment: PaymentId,
    amount: Amount,
    /// How much of it came out of what was earned or kept already, or of a fee, and where that
    /// stood.
    closed: Vec<(Account, i64)>,
    provider_refund: Option<ProviderRefundId>,
    /// Out of which account it is paid.
    paid_from: Account,
    state: RefundState,
}

/// A payment in the ledger.
#[derive(Debug, Clone, PartialEq, Eq)]
struct PaymentBalance {
    /// How much was captured; a refund may be reported before that.
    captured_minor: i64,
    /// Where the money came to.
    came_to: Account,
    /// The account of money that is neither refunded nor earned nor retained.
    account: Account,
    /// The amount in that account; negative while only refunds of it were reported.
    open: i64,
    /// The account of the rest: of what was closed last.
    closed: Account,
    /// How much was earned or kept and did not go back since.
    parts: BTreeMap<Account, i64>,
    /// How much was earned in all, by which a discount is divided.
    earned: i64,
    /// How much of a fee that was added to the price no refund has given back.
    fee: i64,
    /// How often it was earned or kept, so that each entry has a cause of its own.
    closings: usize,
    /// How much of it disputes took, and in which currency.
    lost: i64,
    currency: String,
    /// How much of that is no loss, because it was owed to the customer; `open` is without it.
    lost_of_open: i64,
    /// How often that changed.
    loss_moves: usize,
}

/// The ledger of one booking, folded from its events.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Books {
    /// The price, once the collection was opened.
    price: Option<i64>,
    held: BTreeMap<PaymentId, PaymentBalance>,
    refunds: BTreeMap<Id<RefundKind>, RefundBalance>,
    /// What each dispute took, and how often that changed.
    disputes: BTreeMap<DisputeId, (i64, usize)>,
}

impl Books {
    /// The ledger after these events.
    #[must_use]
    pub fn of(events: &[Event]) -> Self {
        let mut books = Self::default();
        // These entries were written with their events.
        let _written: Vec<Entry> = books.enter(events);
        books
    }

    /// The entries that events bring.
    pub fn enter(&mut self, events: &[Event]) -> Vec<Entry> {
        let next = events.iter().skip(1).map(Some).chain([None]);
        let enter = |(event, next): (&Event, Option<&Event>)| {
            let mut entries = self.enter_one(event, next);
            let payments = entries.iter().filter_map(|entry| entry.payment.clone());
            let payments: BTreeSet<PaymentId> = payments.collect();
            for payment in &payments {
                entries.extend(self.settle_loss(payment));
            }
            entries
        };
        events.iter().zip(next).flat_map(enter).collect()
    }

    fn enter_one(&mut self, event: &Event, next: Option<&Event>) -> Vec<Entry> {
        match event {
            Event::Observed { payment, .. } => {
                let is_here = payment.fact.status >= Status::Captured;
                // The next event states whether it counts; there is none if it is being refunded.
                let is_left_open = is_here && !next.is_some_and(|next| counts(next, &payment.id));
                let captured_minor =
                    is_left_open.then(|| self.capture(&payment.id, &payment.fact.amount));
                captured_minor.flatten().into_iter().collect()
            }
            Event::PaidAtDesk { .. } | Event::GivenBackAtDesk { .. } => self.note_desk(event),
            Event::Verified { payment, amount } => self.verify(payment, amount),
            Event::Mismatched { payment, amount, .. } => {
                self.capture(payment, amount).into_iter().collect()
            }
            Event::RefundRequested { refund_id, refund } => {
                self.owe(*refund_id, refund, EntryKind::RefundRequested)
            }
            Event::RefundDiscovered { refund_id, refund } => {
                self.owe(*refund_id, refund, EntryKind::RefundDiscovered)
            }
            Event::Earned { payment, amount } => {
                self.close(payment, amount, (EntryKind::Earned, Account::Revenue))
            }
            Event::Retained { payment, amount } => {
                self.close(payment, amount, (EntryKind::Retained, Account::Retained))
            }
            Event::DisputeObserved(dispute) => self.lose(dispute),
            Event::RefundAccepted { refund_id, provider_refund } => {
                let Some(back) = self.refunds.get_mut(refund_id) else { return Vec::new() };
                back.provider_refund = Some(provider_refund.clone());
                self.owe_again(*refund_id).into_iter().collect()
            }
            Event::RefundProcessed { refund_id } => self.end_refund(*refund_id, RefundState::Gone),
            Event::RefundFailed { refund_id, reason } => {
                let is_given = End::of_failure(reason) == End::Given;
                let state = if is_given { RefundState::Given } else { RefundState::Failed };
                self.end_refund(*refund_id, state)
            }
            Event::Opened(terms) => {
                self.price = Some(terms.amount.minor);
                Vec::new()
            }
            Event::OrderCreated { .. }
            | Event::OrderObserved { .. }
            | Event::Link { .. }
            | Event::Claimed
            | Event::RefundReleased { .. }
            | Event::Failed { .. } => Vec::new(),
        }
    }

    /// Posts captured money that is not decided yet; once.
    fn capture(&mut self, payment: &PaymentId, amount: &Amount) -> Option<Entry> {
        let held = self.held(payment);
        if held.captured_minor != 0 {
            return None;
        }
        held.captured_minor = amount.minor;
        held.open = held.open.saturating_add(amount.minor);
        Entry::captured(payment, amount, (held.came_to, held.account))
    }

    /// The payment in the ledger; a new one has zero balances.
    fn held(&mut self, payment: &PaymentId) -> &mut PaymentBalance {
        let (account, closed) = (Account::Suspense, Account::Suspense);
        self.held.entry(payment.clone()).or_insert_with(|| PaymentBalance {
            captured_minor: 0,
            came_to: Account::ProviderClearing,
            account,
            open: 0,
            closed,
            parts: BTreeMap::new(),
            earned: 0,
            fee: 0,
            closings: 0,
            lost: 0,
            currency: String::new(),
            lost_of_open: 0,
            loss_moves: 0,
        })
    }

    /// Verified money is owed to the customer, also money that stood in suspense, less what is
    /// being refunded. What was paid beyond the price is a fee.
    fn verify(&mut self, payment: &PaymentId, amount: &Amount) -> Vec<Entry> {
        let fee = self.price.map_or(0, |price| amount.minor.saturating_sub(price).max(0));
        let held = self.held(payment);
        let before = Amount { minor: held.open, currency: amount.currency.clone() };
        let was_unexplained = held.account == Account::Suspense;
        if was_unexplained {
            (held.account, held.closed) = (Account::CustomerAdvance, Account::CustomerAdvance);
        }
        let captured_minor = self.capture(payment, amount);
        let what = (EntryKind::Identified, format!("verified {payment}"));
        let state = (Account::Suspense, Account::CustomerAdvance);
        let moved = was_unexplained.then(|| Entry::transfer(what, payment, &before, state));
        let mut entries: Vec<Entry> = captured_minor.into_iter().chain(moved.flatten()).collect();
        if fee > 0 {
            self.split_fee(payment, fee, &mut entries);
        }
        entries
    }

    /// Separates a fee from what is owed to the customer. Only external refunds beyond the price
    /// reduce it.
    fn split_fee(&mut self, payment: &PaymentId, fee: i64, entries: &mut Vec<Entry>) {
        let held = self.held(payment);
        held.open = held.open.saturating_sub(fee);
        held.closed = Account::ConvenienceFee;
        held.fee = fee;
        let parts = (Account::CustomerAdvance, Account::ConvenienceFee);
        let last = entries.pop().and_then(|entry| entry.with_part(fee, parts));
        entries.extend(last);
    }

    /// Posts money that is to be refunded, by us or externally.
    fn owe(&mut self, refund_id: Id<RefundKind>, refund: &Refund, kind: EntryKind) -> Vec<Entry> {
        if self.refunds.contains_key(&refund_id) {
            return Vec::new();
        }
        let (payment, amount) = (&refund.payment, &refund.amount);
        let held = self.held(payment);
        // What a dispute took is here as long as it is not decided whose it was.
        let open = held.open.saturating_add(held.lost_of_open).max(0);
        let beyond = amount.minor.saturating_sub(open).max(0);
        let closed = if held.closings == 0 { beyond.min(held.fee) } else { beyond };
        let open = amount.minor.saturating_sub(closed);
        held.open = held.open.saturating_sub(open);
        let back = RefundBalance {
            payment: payment.clone(),
            amount: amount.clone(),
            closed: held.take_closed(closed),
            provider_refund: refund.accepted.clone(),
            paid_from: held.came_to,
            state: RefundState::Payable,
        };
        let what = (kind, format!("refund {refund_id} requested"));
        let owed = back.entry(what, held, Account::RefundsPayable, Direction::Outgoing);
        self.refunds.insert(refund_id, back);
        owed.into_iter().collect()
    }

    fn end_refund(&mut self, refund_id: Id<RefundKind>, state: RefundState) -> Vec<Entry> {
        let Some(back) = self.refunds.get_mut(&refund_id) else { return Vec::new() };
        let Some(held) = self.held.get_mut(&back.payment) else { return Vec::new() };
        let before = back.state;
        let is_ended = matches!(before, RefundState::Failed | RefundState::Given);
        let is_no_news = is_ended && state != RefundState::Gone;
        if before == RefundState::Gone || before == state || is_no_news {
            return Vec::new();
        }
        back.state = state;
        let processed = || (EntryKind::RefundProcessed, format!("refund {refund_id} processed"));
        let entry = match state {
            RefundState::Failed | RefundState::Given => {
                held.open = held.open.saturating_add(back.of_open());
                held.move_closed(&back.closed, Direction::Returning);
                let what = (EntryKind::RefundFailed, format!("refund {refund_id} failed"));
                back.entry(what, held, Account::RefundsPayable, Direction::Returning)
            }
            // It was processed although it was reported as failed.
            RefundState::Gone if before != RefundState::Payable => {
                held.open = held.open.saturating_sub(back.of_open());
                held.move_closed(&back.closed, Direction::Outgoing);
                back.entry(processed(), held, back.paid_from, Direction::Outgoing)
            }
            RefundState::Gone | RefundState::Payable => {
                let accounts = (Account::RefundsPayable, back.paid_from);
                Entry::transfer(processed(), &back.payment, &back.amount, accounts)
            }
        };
        let named = |entry| Entry { provider_refund: back.provider_refund.clone(), ..entry };
        entry.map(named).into_iter().collect()
    }

    /// A refund that a dispute had ended is under way after all.
    fn owe_again(&mut self, refund_id: Id<RefundKind>) -> Option<Entry> {
        let back = self.refunds.get_mut(&refund_id)?;
        if back.state != RefundState::Given {
            return None;
        }
        back.state = RefundState::Payable;
        let held = self.held.get_mut(&back.payment)?;
        held.open = held.open.saturating_sub(back.of_open());
        held.move_closed(&back.closed, Direction::Outgoing);
        let what = (EntryKind::RefundRequested, format!("refund {refund_id} taken"));
        back.entry(what, held, Account::RefundsPayable, Direction::Outgoing)
    }

    /// Moves what a dispute took between loss and what is owed to the customer: it is a loss only
    /// where the money was earned or kept, or went back as well.
    fn settle_loss(&mut self, payment: &PaymentId) -> Option<Entry> {
        let held = self.held.get_mut(payment)?;
        let open = held.open.saturating_add(held.lost_of_open);
        let of_open = held.lost.min(open).max(0);
        let more = of_open.saturating_sub(held.lost_of_open);
        if more == 0 {
            return None;
        }
        held.open = held.open.saturating_sub(more);
        held.lost_of_open = of_open;
        held.loss_moves += 1;
        let what = (EntryKind::DisputeLost, format!("loss {payment} {}", held.loss_moves));
        let amount = Amount { minor: more, currency: held.currency.clone() };
        Entry::transfer(what, payment, &amount, (held.account, Account::DisputeLoss))
    }

    /// Posts the loss of a dispute: the provider no longer holds the money.
    fn lose(&mut self, dispute: &Dispute) -> Vec<Entry> {
        let fact = &dispute.fact;
        let lost = fact.lost_minor();
        let (before, times) = self.disputes.entry(dispute.id.clone()).or_default();
        let more = lost.saturating_sub(*before);
        if more == 0 {
            return Vec::new();
        }
        (*before, *times) = (lost, times.saturating_add(1));
        let what = (EntryKind::DisputeLost, format!("dispute {} {times}", dispute.id));
        let held = self.held(&dispute.payment);
        held.lost = held.lost.saturating_add(more);
        held.currency.clone_from(&fact.amount.currency);
        let amount = Amount { minor: more, currency: fact.amount.currency.clone() };
        let accounts = (Account::DisputeLoss, Account::ProviderClearing);
        Entry::transfer(what, &dispute.payment, &amount, accounts).into_iter().collect()
    }

    /// Closes money that is earned or retained: it is no longer owed to the customer.
    fn close(
        &mut self,
        payment: &PaymentId,
        amount: &Amount,
        (kind, into): (EntryKind, Account),
    ) -> Vec<Entry> {
        let Some(held) = self.held.get_mut(payment) else { return Vec::new() };
        held.open = held.open.saturating_sub(amount.minor);
        held.closed = into;
        held.closings += 1;
        let part = held.parts.entry(into).or_default();
        *part = part.saturating_add(amount.minor);
        let word = kind.word();
        let cause = match held.closings {
            1 => format!("{word} {payment}"),
            again => format!("{word} {payment} {again}"),
        };
        let accounts = (held.account, into);
        let entry = Entry::transfer((kind, cause), payment, amount, accounts);
        let discount = if kind == EntryKind::Earned { self.discount(payment, amount) } else { 0 };
        let entry = entry.and_then(|entry| match discount.checked_neg()? {
            0 => Some(entry),
            // What the offer took off is a debit, and the revenue is the price.
            discount => entry.with_part(discount, (into, Account::Discount)),
        });
        entry.into_iter().collect()
    }

    /// The share of an offer's discount that belongs to this part of the payment. What is rounded
    /// away from one part belongs to the next.
    fn discount(&mut self, payment: &PaymentId, amount: &Amount) -> i64 {
        let Some(held) = self.held.get_mut(payment) else { return 0 };
        let captured_minor = held.captured_minor;
        let off = self.price.map_or(0, |price| price.saturating_sub(captured_minor).max(0));
        let of = |earned: i64| {
            let part = i128::from(off) * i128::from(earned);
            let part = part.checked_div(i128::from(captured_minor)).unwrap_or(0);
            i64::try_from(part).unwrap_or(0)
        };
        let before = held.earned;
        held.earned = before.saturating_add(amount.minor);
        of(held.earned).saturating_sub(of(before))
    }
}

/// Whether an event says that a payment counts, or that it does not.
fn counts(event: &Event, payment: &PaymentId) -> bool {
    match event {
        Event::Verified { payment: it, .. } | Event::Mismatched { payment: it, .. } => {
            it == payment
        }
        Event::Opened(_)
        | Event::OrderCreated { .. }
        | Event::OrderObserved { .. }
        | Event::Link { .. }
        | Event::Claimed
        | Event::Observed { .. }
        | Event::PaidAtDesk { .. }
        | Event::GivenBackAtDesk { .. }
        | Event::Failed { .. }
        | Event::RefundRequested { .. }
        | Event::RefundReleased { .. }
        | Event::RefundAccepted { .. }
        | Event::RefundProcessed { .. }
        | Event::RefundFailed { .. }
        | Event::RefundDiscovered { .. }
        | Event::DisputeObserved(_)
        | Event::Earned { .. }
        | Event::Retained { .. } => false,
    }
}

/// Whether a refund takes money out of its account or returns it there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Direction {
    Outgoing,
    Returning,
}

impl PaymentBalance {
    /// Takes money out of what was closed, and of what was closed last first; before anything was,
    /// out of a fee.
    fn take_closed(&mut self, minor: i64) -> Vec<(Account, i64)> {
        if minor == 0 {
            return Vec::new();
        }
        if self.closings == 0 {
            self.fee = self.fee.saturating_sub(minor);
            return vec![(self.closed, minor)];
        }
        let mut left = minor;
        let mut taken: BTreeMap<Account, i64> = BTreeMap::new();
        let others = self.parts.keys().copied().filter(|account| *account != self.closed);
        let order: Vec<Account> = std::iter::once(self.closed).chain(others).collect();
        for account in order {
            let part = self.parts.get(&account).copied().unwrap_or(0).clamp(0, left);
            left = left.saturating_sub(part);
            taken.insert(account, part);
        }
        // More went back than there was.
        let last = taken.entry(self.closed).or_default();
        *last = last.saturating_add(left);
        let taken: Vec<_> = taken.into_iter().filter(|(_, minor)| *minor != 0).collect();
        self.move_closed(&taken, Direction::Outgoing);
        taken
    }

    /// Moves parts out of what was closed or of a fee, or back there.
    fn move_closed(&mut self, parts: &[(Account, i64)], direction: Direction) {
        for (account, minor) in parts {
            let balance = if *account == Account::ConvenienceFee {
                &mut self.fee
            } else {
                self.parts.entry(*account).or_default()
            };
            *balance = match direction {
                Direction::Outgoing => balance.saturating_sub(*minor),
                Direction::Returning => balance.saturating_add(*minor),
            };
        }
    }
}

impl RefundBalance {
    /// How much of it came out of what was neither earned nor kept.
    fn of_open(&self) -> i64 {
        let closed = self.closed.iter().fold(0_i64, |sum, (_, part)| sum.saturating_add(*part));
        self.amount.minor.saturating_sub(closed)
    }

    /// Moves the refund's money between the payment's account and another one.
    fn entry(
        &self,
        what: (EntryKind, String),
        held: &PaymentBalance,
        other: Account,
        direction: Direction,
    ) -> Option<Entry> {
        let whole = Entry::transfer(what, &self.payment, &self.amount, (held.account, other))?;
        let mut lines = whole.lines;
        if let Some(line) = lines.first_mut() {
            line.amount.minor = self.of_open();
        }
        for (account, minor) in &self.closed {
            let amount = Amount { minor: *minor, ..self.amount.clone() };
            lines.push(Line { account: *account, amount });
        }
        lines.retain(|line| line.amount.minor != 0);
        if direction == Direction::Returning {
            for line in &mut lines {
                line.amount.minor = line.amount.minor.saturating_neg();
            }
        }
        Some(Entry { lines, ..whole })
    }
}

#[cfg(test)]
pub(crate) mod tests;
