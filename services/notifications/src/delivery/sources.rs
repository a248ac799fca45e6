//! Fetches the facts of a mail: from this service's own tables, or from the service that owns them.

use std::str::FromStr;

use runtime::BoxError;
use sqlx::PgPool;

use crate::clients::Clients;
use crate::mails::facts::{BookingFacts, Facts, FactsError};
use crate::mails::kind::{Kind, UnknownValue};
use crate::mails::mail::{About, Mail};
use crate::repository::{contact_messages, guide_requests};

/// Where facts come from.
#[derive(Debug, Clone)]
pub struct Sources {
    pool: PgPool,
    clients: Clients,
}

impl Sources {
    /// Facts from this service's own tables and from other services.
    #[must_use]
    pub fn new(pool: PgPool, clients: Clients) -> Self {
        Self { pool, clients }
    }

    /// The owners of facts.
    #[must_use]
    pub fn clients(&self) -> &Clients {
        &self.clients
    }

    /// Fetches the facts of a mail.
    ///
    /// # Errors
    /// When they don't exist, or their owner does not answer.
    pub async fn load(&self, mail: &Mail) -> Result<Facts, FactsError> {
        (mail.kind.declaration().load)(self, mail).await
    }

    /// The facts of a mail's booking.
    ///
    /// # Errors
    /// When they don't exist, or booking does not answer.
    pub async fn booking(&self, mail: &Mail) -> Result<Facts, FactsError> {
        let facts = self.booking_without(mail, None).await?;
        Ok(Facts::Booking(Box::new(facts)))
    }

    /// The same, with a calendar file that takes out the cancelled session of a number.
    ///
    /// # Errors
    /// When they don't exist, or booking does not answer.
    pub async fn booking_without(
        &self,
        mail: &Mail,
        cancelled_session: Option<usize>,
    ) -> Result<BookingFacts, FactsError> {
        let About::Booking(id) = mail.about else { return Err(malformed(UnknownValue)) };
        let facts = self.clients.booking(id, cancelled_session, mail).await?;
        let facts = facts.about_session(mail.kind, mail.session_number());
        facts.ok_or(FactsError::Gone("session_unknown"))
    }

    /// The facts of a mail's booking, with the request for a refund that the mail is about.
    ///
    /// # Errors
    /// When they don't exist, or booking or payments does not answer.
    pub async fn refund_request(&self, mail: &Mail) -> Result<Facts, FactsError> {
        let mut facts = self.booking_without(mail, None).await?;
        self.clients.add_refund_request(&mut facts, &mail.subject).await?;
        Ok(Facts::Booking(Box::new(facts)))
    }

    /// The code of a mail.
    ///
    /// # Errors
    /// When it is gone, or identity does not answer.
    pub async fn code(&self, mail: &Mail) -> Result<Facts, FactsError> {
        let About::Code(id) = mail.about else { return Err(malformed(UnknownValue)) };
        self.clients.code(id).await
    }

    /// Adds facts that are needed only when the mail is about to be sent: a client's invitation.
    /// Right after the session, reviews may not have received its event yet.
    pub async fn load_late(&self, mail: &Mail, facts: &mut Facts) -> Result<(), FactsError> {
        match (mail.kind, mail.about, facts) {
            // What costs nothing proves no review.
            (Kind::FollowUp, About::Booking(id), Facts::Booking(facts)) if !facts.is_free() => {
                self.clients.add_invitation(facts, id).await
            }
            _ => Ok(()),
        }
    }

    /// The message of the contact form.
    ///
    /// # Errors
    /// When it is erased, or the database does not answer.
    pub async fn message(&self, mail: &Mail) -> Result<Facts, FactsError> {
        let found = contact_messages::read(&self.pool, subject(mail)?).await;
        let found = found.map_err(|error| unreadable(error.into()))?;
        found.map(Facts::Message).ok_or(FactsError::Gone("message_erased"))
    }

    /// Where the guide goes.
    ///
    /// # Errors
    /// When it is erased, or the database does not answer.
    pub async fn guide(&self, mail: &Mail) -> Result<Facts, FactsError> {
        let found = guide_requests::address(&self.pool, subject(mail)?).await;
        let found = found.map_err(|error| unreadable(error.into()))?;
        found.map(|email| Facts::Guide { email }).ok_or(FactsError::Gone("request_erased"))
    }
}

/// What the subject of a mail names.
///
/// # Errors
/// When it is no such name.
pub fn subject<T>(mail: &Mail) -> Result<T, FactsError>
where
    T: FromStr,
    T::Err: Into<BoxError>,
{
    mail.subject.parse().map_err(malformed)
}

/// The row was not written by this program: staff has to look.
pub fn malformed(error: impl Into<BoxError>) -> FactsError {
    FactsError::Unavailable("subject_malformed", error.into())
}

fn unreadable(error: BoxError) -> FactsError {
    FactsError::Unavailable("database_unavailable", error)
}
