//! The consumers of other services' events. They queue mails and do nothing else. Which mail an
//! event asks for is a pure function of the event; queueing it is one call inside the transaction
//! that advances the checkpoint.

pub mod booking;
pub mod payments;
pub mod identity;
pub mod reviews;
pub mod list;

use eventstore::{StoreError, Tx};

/// Declares to the database that this process queues the mails added later: reminders, follow-ups
/// and receipts. A process of an older release must not advance the checkpoints of booking and
/// payments, or it would handle an event without queueing its mail.
async fn declare_later_mails(tx: &mut Tx) -> Result<(), StoreError> {
    tx.set("notifications.knows", "later mails").await
}
