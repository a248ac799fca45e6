//! The mail server as a model.

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
