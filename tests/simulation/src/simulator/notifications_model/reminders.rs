//! A booking's reminders, planned with the facts of its confirmation.

use std::iter;

use notifications::mails::facts::Facts;
use notifications::mails::kind::Kind;
use notifications::mails::kinds;
use notifications::mails::mail::{Mail, State};
use notifications::mails::planning::{self, Plan};
use notifications::timers::kinds::SEND_MAIL;
use serde_json::json;

use super::super::service::Error;
use super::super::store::Batch;
use super::super::world::World;
use super::practice;
use super::tables::{MailRecord, NotificationsTables};

impl World {
    /// Plans the reminders of the booking that a confirmation is about, those of a package's other
    /// sessions too.
    pub(super) fn plan_reminders(
        &self,
        batch: &mut Batch<NotificationsTables>,
        mail: &Mail,
        facts: &Facts,
    ) -> Result<(), Error> {
        if mail.kind != Kind::BookingConfirmed {
            return Ok(());
        }
        let rows = &self.notifications.tables.mails;
        for row in rows.values().filter(|row| row.mail.about == mail.about && is_unplanned(row)) {
            let further = planning::further_reminders(&row.mail, facts).into_iter();
            let further =
                further.map(|new| MailRecord::queued(&new, State::Queued, (self.now, self.now)));
            let further = further.filter(|new| !rows.contains_key(&new.mail.id));
            for row in iter::once(row.clone()).chain(further) {
                self.plan_reminder(batch, row, facts)?;
            }
        }
        Ok(())
    }

    fn plan_reminder(
        &self,
        batch: &mut Batch<NotificationsTables>,
        mut row: MailRecord,
        facts: &Facts,
    ) -> Result<(), Error> {
        let (id, kind, number) = (row.mail.id, row.mail.kind, row.mail.session_number());
        let Facts::Booking(facts) = facts else { return Ok(()) };
        let Some(session) = facts.clone().about_session(kind, number) else { return Ok(()) };
        row.is_planned = true;
        match kinds::plan(&row.mail, &Facts::Booking(Box::new(session)), practice()?, self.now) {
            Plan::Send => row.mail.due_at = self.now,
            Plan::Wait(until) => row.mail.due_at = until,
            Plan::Drop(reason) => {
                row.reason.get_or_insert(reason);
                row.mail.state = State::Dropped;
            }
        }
        if row.mail.state.is_over() {
            batch.end_timer(SEND_MAIL, &id.to_string());
        } else {
            batch.set_timer(SEND_MAIL, &id.to_string(), row.mail.due_at, json!({}));
        }
        batch.change(move |tables: &mut NotificationsTables| drop(tables.mails.insert(id, row)));
        Ok(())
    }
}

fn is_unplanned(row: &MailRecord) -> bool {
    let is_reminder = matches!(row.mail.kind, Kind::Reminder | Kind::SecondReminder);
    is_reminder && row.mail.state == State::Queued && !row.is_planned
}
