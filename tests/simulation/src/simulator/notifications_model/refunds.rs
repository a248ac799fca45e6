//! The mails of refunds: queued once the provider took them.

use notifications::mails::kind::Kind;
use notifications::mails::mail::{NewMail, State};
use notifications::mails::payload::RENEWS;
use notifications::repository::REQUESTED;
use notifications::timers::kinds::SEND_MAIL;
use serde_json::{Value, json};

use super::{MailRecord, NotificationsTables};
use crate::simulator::mutant::Mutant;
use crate::simulator::store::Batch;
use crate::simulator::world::World;

impl World {
    /// A requested refund is announced once the provider took it, unless it renews one that was.
    pub(super) fn note_refund(&self, batch: &mut Batch<NotificationsTables>, mail: &NewMail) {
        let id = mail.id();
        if self.notifications.tables.mails.contains_key(&id) {
            return;
        }
        if self.has(Mutant::PromiseAtRequest) {
            return self.queue(batch, mail, State::Queued);
        }
        let before = mail.payload.get(RENEWS).and_then(Value::as_str);
        let was_told = before.is_some_and(|before| self.unannounced(before).is_none());
        let mut row = MailRecord::queued(mail, State::Dropped, (self.now, self.now));
        row.reason = Some(if was_told { "renewed" } else { REQUESTED });
        batch.change(move |tables: &mut NotificationsTables| drop(tables.mails.insert(id, row)));
    }

    fn unannounced(&self, refund: &str) -> Option<&MailRecord> {
        self.notifications.tables.mails.values().find(|row| {
            (row.mail.kind, row.mail.subject.as_str()) == (Kind::RefundStarted, refund)
                && (row.mail.state, row.reason) == (State::Dropped, Some(REQUESTED))
        })
    }

    pub(super) fn announce_refund(&self, batch: &mut Batch<NotificationsTables>, refund: &str) {
        let Some(known) = self.unannounced(refund) else { return };
        let mut row = known.clone();
        let now = self.now;
        (row.mail.state, row.mail.due_at, row.mail.queued_at) = (State::Queued, now, now);
        row.reason = None;
        let id = row.mail.id;
        batch.change(move |tables: &mut NotificationsTables| drop(tables.mails.insert(id, row)));
        batch.set_timer(SEND_MAIL, &id.to_string(), now, json!({}));
    }
}
