//! The store: all state that must survive a kill -9. It is held in memory and in an append-only
//! journal. One line of the journal is one transaction, so an incomplete last line loses only the
//! change that was not acknowledged.

pub(crate) mod rows;
mod journal;

use std::collections::HashMap;
use std::io;
use std::path::Path;

use journal::Journal;
use rows::{
    Adjustment, Change, Delivery, Dispute, Link, Mail, Meeting, Order, Payment, PhoneMessage,
    Refund, Settlement,
};

/// The most mails in the inbox; the oldest are removed first.
const MAILS_MAX: usize = 2_000;
/// The journal is rewritten when it has this many more lines than there are rows.
const SLACK_LINES: usize = 20_000;

/// Rows of one kind, in the order of their creation.
pub(crate) struct Table<T> {
    rows: HashMap<String, T>,
    order: Vec<String>,
}

impl<T> Default for Table<T> {
    fn default() -> Self {
        Self { rows: HashMap::new(), order: Vec::new() }
    }
}

impl<T> Table<T> {
    pub(crate) fn get(&self, id: &str) -> Option<&T> {
        self.rows.get(id)
    }

    pub(crate) fn iter(&self) -> impl DoubleEndedIterator<Item = &T> {
        self.order.iter().filter_map(|id| self.rows.get(id))
    }

    pub(crate) fn len(&self) -> usize {
        self.rows.len()
    }

    fn put(&mut self, id: &str, row: T) {
        if self.rows.insert(id.to_owned(), row).is_none() {
            self.order.push(id.to_owned());
        }
    }

    fn remove(&mut self, id: &str) {
        if self.rows.remove(id).is_some() {
            self.order.retain(|kept| kept != id);
        }
    }
}

#[derive(Default)]
struct Tables {
    orders: Table<Order>,
    links: Table<Link>,
    payments: Table<Payment>,
    refunds: Table<Refund>,
    deliveries: Table<Delivery>,
    settlements: Table<Settlement>,
    adjustments: Table<Adjustment>,
    disputes: Table<Dispute>,
    meetings: Table<Meeting>,
    mails: Table<Mail>,
    /// By their idempotency keys.
    messages: Table<PhoneMessage>,
    receipts: HashMap<String, Vec<String>>,
    link_references: HashMap<String, String>,
    link_codes: HashMap<String, String>,
    refund_keys: HashMap<String, String>,
    meeting_keys: HashMap<String, String>,
    /// Counts the changes of the inbox, so that a page can detect that nothing has changed.
    inbox_version: u64,
}

/// The store. Reads are direct; all writes go through [`Store::commit`].
pub(crate) struct Store {
    tables: Tables,
    journal: Journal,
}

impl Store {
    /// Reads the journal of a folder and rewrites it without replaced and removed rows.
    pub(crate) fn open(folder: &Path) -> io::Result<Self> {
        let mut tables = Tables::default();
        let journal = Journal::open(folder, |change| tables.apply(change))?;
        let mut store = Self { tables, journal };
        store.compact()?;
        Ok(store)
    }

    /// Writes changes as one transaction: after a crash there are all of them or none.
    pub(crate) fn commit(&mut self, changes: Vec<Change>) -> io::Result<()> {
        self.journal.append(&changes)?;
        for change in changes {
            self.tables.apply(change);
        }
        if self.journal.lines() > self.tables.len() + SLACK_LINES {
            self.compact()?;
        }
        Ok(())
    }

    /// The changes that add a new mail: the mail, and the removal of the oldest one when the inbox
    /// is full.
    pub(crate) fn mail_changes(&self, mail: Mail) -> Vec<Change> {
        let full = self.tables.mails.len() >= MAILS_MAX;
        let oldest = self.tables.mails.iter().next().filter(|_| full);
        let gone = oldest.map(|it| Change::MailGone(it.id.clone()));
        gone.into_iter().chain([Change::Mail(Box::new(mail))]).collect()
    }

    pub(crate) fn orders(&self) -> &Table<Order> {
        &self.tables.orders
    }

    pub(crate) fn links(&self) -> &Table<Link> {
        &self.tables.links
    }

    pub(crate) fn payments(&self) -> &Table<Payment> {
        &self.tables.payments
    }

    pub(crate) fn refunds(&self) -> &Table<Refund> {
        &self.tables.refunds
    }

    pub(crate) fn deliveries(&self) -> &Table<Delivery> {
        &self.tables.deliveries
    }

    pub(crate) fn settlements(&self) -> &Table<Settlement> {
        &self.tables.settlements
    }

    pub(crate) fn adjustments(&self) -> &Table<Adjustment> {
        &self.tables.adjustments
    }

    pub(crate) fn disputes(&self) -> &Table<Dispute> {
        &self.tables.disputes
    }

    pub(crate) fn meetings(&self) -> &Table<Meeting> {
        &self.tables.meetings
    }

    pub(crate) fn mails(&self) -> &Table<Mail> {
        &self.tables.mails
    }

    pub(crate) fn messages(&self) -> &Table<PhoneMessage> {
        &self.tables.messages
    }

    pub(crate) fn inbox_version(&self) -> u64 {
        self.tables.inbox_version
    }

    /// The orders of a receipt, oldest first.
    pub(crate) fn orders_by_receipt(&self, receipt: &str) -> Vec<&Order> {
        let ids = self.tables.receipts.get(receipt).map_or(&[][..], Vec::as_slice);
        ids.iter().filter_map(|id| self.tables.orders.get(id)).collect()
    }

    /// The payment link of a reference.
    pub(crate) fn link_by_reference(&self, reference: &str) -> Option<&Link> {
        self.tables.links.get(self.tables.link_references.get(reference)?)
    }

    /// The payment link whose address ends with a code.
    pub(crate) fn link_by_code(&self, code: &str) -> Option<&Link> {
        self.tables.links.get(self.tables.link_codes.get(code)?)
    }

    /// The payments of an order, oldest first.
    pub(crate) fn payments_of(&self, order: &Order) -> Vec<&Payment> {
        order.payments.iter().filter_map(|id| self.tables.payments.get(id)).collect()
    }

    /// The refund that was created under an idempotency key.
    pub(crate) fn refund_by_key(&self, key: &str) -> Option<&Refund> {
        self.tables.refunds.get(self.tables.refund_keys.get(key)?)
    }

    /// The meeting that was created under an idempotency key.
    pub(crate) fn meeting_by_key(&self, key: &str) -> Option<&Meeting> {
        self.tables.meetings.get(self.tables.meeting_keys.get(key)?)
    }

    fn compact(&mut self) -> io::Result<()> {
        self.journal.rewrite(self.tables.as_changes())
    }
}

impl Tables {
    fn apply(&mut self, change: Change) {
        match change {
            Change::Order(row) => self.apply_order(*row),
            Change::Link(row) => {
                if let Some(reference) = &row.reference_id {
                    self.link_references.insert(reference.clone(), row.id.clone());
                }
                self.link_codes.insert(row.code.clone(), row.id.clone());
                self.links.put(&row.id.clone(), *row);
            }
            Change::Payment(row) => self.payments.put(&row.id.clone(), *row),
            Change::Refund(row) => {
                if let Some(key) = &row.key {
                    self.refund_keys.insert(key.clone(), row.id.clone());
                }
                self.refunds.put(&row.id.clone(), *row);
            }
            Change::Delivery(row) => self.deliveries.put(&row.id.clone(), *row),
            Change::Settlement(row) => self.settlements.put(&row.id.clone(), *row),
            Change::Adjustment(row) => self.adjustments.put(&row.id.clone(), *row),
            Change::Dispute(row) => self.disputes.put(&row.id.clone(), *row),
            Change::Meeting(row) => {
                self.meeting_keys.insert(row.key.clone(), row.id.clone());
                self.meetings.put(&row.id.clone(), *row);
            }
            Change::Mail(row) => {
                self.inbox_version += 1;
                self.mails.put(&row.id.clone(), *row);
            }
            Change::PhoneMessage(row) => self.messages.put(&row.key.clone(), *row),
            Change::MailGone(id) => {
                self.inbox_version += 1;
                self.mails.remove(&id);
            }
            Change::InboxCleared => {
                self.inbox_version += 1;
                self.mails = Table::default();
            }
        }
    }

    fn apply_order(&mut self, row: Order) {
        if let (Some(receipt), None) = (&row.receipt, self.orders.get(&row.id)) {
            self.receipts.entry(receipt.clone()).or_default().push(row.id.clone());
        }
        self.orders.put(&row.id.clone(), row);
    }

    fn len(&self) -> usize {
        let money = self.orders.len() + self.payments.len() + self.refunds.len();
        let money = money + self.links.len();
        let money = money + self.settlements.len() + self.adjustments.len() + self.disputes.len();
        let written = self.mails.len() + self.messages.len();
        money + self.deliveries.len() + self.meetings.len() + written
    }

    fn as_changes(&self) -> impl Iterator<Item = Change> {
        let orders = self.orders.iter().map(|row| Change::Order(Box::new(row.clone())));
        let links = self.links.iter().map(|row| Change::Link(Box::new(row.clone())));
        let payments = self.payments.iter().map(|row| Change::Payment(Box::new(row.clone())));
        let refunds = self.refunds.iter().map(|row| Change::Refund(Box::new(row.clone())));
        let deliveries = self.deliveries.iter().map(|row| Change::Delivery(Box::new(row.clone())));
        let meetings = self.meetings.iter().map(|row| Change::Meeting(Box::new(row.clone())));
        let mails = self.mails.iter().map(|row| Change::Mail(Box::new(row.clone())));
        let messages = self.messages.iter().map(|row| Change::PhoneMessage(Box::new(row.clone())));
        let settled = self.settlements.iter().map(|row| Change::Settlement(Box::new(row.clone())));
        let adjusted = self.adjustments.iter().map(|row| Change::Adjustment(Box::new(row.clone())));
        let disputed = self.disputes.iter().map(|row| Change::Dispute(Box::new(row.clone())));
        let money =
            orders.chain(links).chain(payments).chain(refunds).chain(settled).chain(adjusted);
        let money = money.chain(disputed);
        money.chain(deliveries).chain(meetings).chain(mails).chain(messages)
    }
}
