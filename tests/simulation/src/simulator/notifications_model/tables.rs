//! notifications' table of mails.

use std::collections::BTreeMap;

use contract::notifications::v1::MailFailed;
use eventstore::Recorded;
use kernel::Timestamp;
use notifications::mails::mail::{Mail, MailId, NewMail, State};

use super::super::mutant::Mutant;
use super::super::service::{Error, Service};
use super::super::store::Tables;

/// A row of `mails`.
#[derive(Debug, Clone)]
pub(crate) struct MailRecord {
    pub(crate) mail: Mail,
    /// Why it was dropped.
    pub(crate) reason: Option<&'static str>,
    pub(crate) message_id: Option<String>,
    pub(crate) link_told: bool,
    /// Whether an event has reported that it failed.
    pub(crate) is_reported: bool,
    /// Whether it is a reminder that was planned with its booking's confirmation.
    pub(crate) is_planned: bool,
}

impl MailRecord {
    /// A new one that is due at `due_at`.
    pub(super) fn queued(
        new: &NewMail,
        state: State,
        (now, due_at): (Timestamp, Timestamp),
    ) -> Self {
        let mail = Mail {
            id: new.id(),
            kind: new.kind,
            subject: new.subject.clone(),
            about: new.about,
            payload: new.payload.clone(),
            state,
            attempts: 0,
            due_at,
            queued_at: now,
            first_tried_at: None,
            in_flight: false,
        };
        Self {
            mail,
            reason: None,
            message_id: None,
            link_told: false,
            is_reported: false,
            is_planned: false,
        }
    }
}

/// notifications' table.
#[derive(Debug, Default)]
pub(crate) struct NotificationsTables {
    pub(crate) mails: BTreeMap<MailId, MailRecord>,
}

impl Tables for NotificationsTables {
    const SERVICE: Service = Service::Notifications;

    fn project(&mut self, event: &Recorded, _mutant: Option<Mutant>) -> Result<(), Error> {
        if let Some(told) = event.get::<MailFailed>().map_err(Error::broken)?
            && let Ok(id) = told.mail_id.parse::<MailId>()
            && let Some(row) = self.mails.get_mut(&id)
        {
            row.is_reported = true;
        }
        Ok(())
    }
}
