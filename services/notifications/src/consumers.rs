//! What this service does when something happened in another one: it queues mails, and nothing
//! else. Which mail an event asks for is a pure function of the event; queueing it is one call
//! inside the transaction that moves the checkpoint.

pub mod booking;
pub mod payments;
pub mod identity;
pub mod reviews;

use eventstore::{StoreError, Tx};
use kernel::Id;
use kernel::id::Kind;
use messaging::ReactionError;

/// Says that this process queues the mails that came later than the rest: around a session, and a
/// receipt's. One of a release that does not may not move the checkpoints of booking and payments,
/// or it would take an event in without its mail.
async fn declare_later_mails(tx: &mut Tx) -> Result<(), StoreError> {
    tx.set("notifications.knows", "later mails").await
}

/// Reads an id in an event. One that cannot be read parks the event, so that a person hears of it.
fn id<K: Kind>(text: &str) -> Result<Id<K>, ReactionError> {
    text.parse().map_err(|error: kernel::id::InvalidId| ReactionError::Failed(error.into()))
}
