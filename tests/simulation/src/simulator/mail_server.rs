//! The mail server as a model.

use super::coverage::Fault;
use super::world::World;
use checker::snapshot::SentMail;

/// What the mail server said.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Answer {
    /// "250": it has the mail.
    Taken,
    /// It has the mail, and its answer got lost.
    TakenUnheard,
    /// Later.
    Later,
    /// Never.
    Never,
}

/// The server with what it took.
#[derive(Debug, Default)]
pub(crate) struct MailServer {
    pub(crate) inbox: Vec<SentMail>,
    /// Repeats that injected faults may have led to.
    pub(crate) repeats: usize,
}

impl World {
    /// Hands a letter over.
    pub(crate) fn deliver_mail(&mut self, message_id: &str, to: &str) -> Answer {
        if self.fault(Fault::MailLater, 60) {
            return Answer::Later;
        }
        if self.fault(Fault::MailNever, 5) {
            return Answer::Never;
        }
        let letter = SentMail { message_id: message_id.to_owned(), to: to.to_owned() };
        self.mail_server.inbox.push(letter);
        if self.fault(Fault::MailAnswerLost, 20) {
            self.mail_server.repeats += 1;
            return Answer::TakenUnheard;
        }
        Answer::Taken
    }
}
