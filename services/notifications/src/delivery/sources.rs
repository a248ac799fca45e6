//! Fetches the facts of a mail: from this service's own tables, or from the service that owns them.

use kernel::Id;
use kernel::id::{ContactMessage, GuideRequest};
use runtime::BoxError;
use sqlx::PgPool;

use crate::clients::Clients;
use crate::mails::facts::{Facts, FactsError};
use crate::mails::kind::Kind;
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

    /// Fetches the facts of a mail.
    ///
    /// # Errors
    /// When they don't exist, or their owner does not answer.
    pub async fn load(&self, mail: &Mail) -> Result<Facts, FactsError> {
        match mail.about {
            About::Booking(id) if mail.kind == Kind::ConsentCode => {
                let number = mail.subject.rsplit_once(' ').and_then(|it| it.1.parse().ok());
                let number = number.ok_or(FactsError::Gone("code_unknown"))?;
                self.clients.consent_code(id, number).await
            }
            About::Booking(id) => {
                let cancelled =
                    mail.session_number().filter(|_| mail.kind == Kind::BookingCancelled);
                let mut facts = self.clients.booking(id, cancelled, mail).await?;
                if mail.kind == Kind::Receipt {
                    self.clients.add_receipt(&mut facts, &mail.subject).await?;
                }
                let facts = facts.about_session(mail.kind, mail.session_number());
                let facts = facts.ok_or(FactsError::Gone("session_unknown"))?;
                Ok(Facts::Booking(Box::new(facts)))
            }
            About::Code(id) => self.clients.code(id).await,
            About::Notice(id) => self.clients.notice(id).await,
            About::Message(id) => self.message(id).await,
            About::Guide(id) => self.guide(id).await,
            About::Review(id) => self.clients.review(id).await,
            About::Day(date) => self.clients.day(date).await,
            About::Invitation(id) => self.clients.invitation(id).await,
        }
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

    async fn message(&self, id: Id<ContactMessage>) -> Result<Facts, FactsError> {
        let found = contact_messages::read(&self.pool, id).await;
        let found = found.map_err(|error| unreadable(error.into()))?;
        found.map(Facts::Message).ok_or(FactsError::Gone("message_erased"))
    }

    async fn guide(&self, id: Id<GuideRequest>) -> Result<Facts, FactsError> {
        let found = guide_requests::address(&self.pool, id).await;
        let found = found.map_err(|error| unreadable(error.into()))?;
        found.map(|email| Facts::Guide { email }).ok_or(FactsError::Gone("request_erased"))
    }
}

fn unreadable(error: BoxError) -> FactsError {
    FactsError::Unavailable("database_unavailable", error)
}
