//! The consumers of other services' events. They queue mails and do nothing else. Which mail an
//! event asks for is a pure function of the event; queueing it is one call inside the transaction
//! that advances the checkpoint.

pub mod booking;
pub mod payments;
pub mod identity;
pub mod reviews;

use eventstore::{StoreError, Tx};
use kernel::Id;
use kernel::id::Kind;
use messaging::ReactionError;

/// Declares to the database that this process queues the mails added later: reminders, follow-ups
/// and receipts. A process of an older release must not advance the checkpoints of booking and
/// payments, or it would handle an event without queueing its mail.
async fn declare_later_mails(tx: &mut Tx) -> Result<(), StoreError> {
    tx.set("notifications.knows", "later mails").await
}

/// Reads an id of an event. A malformed id parks the event, so that staff sees it.
fn id<K: Kind>(text: &str) -> Result<Id<K>, ReactionError> {
    text.parse().map_err(|error: kernel::id::InvalidId| ReactionError::Failed(error.into()))
}
