//! What a service does about an event of another service, and why that may fail.

use eventstore::{Recorded, Retry, StoreError, Tx};
use futures::future::BoxFuture;
use kernel::CommandError;
use runtime::BoxError;

/// What a service does about events of another service. It may run again after a crash, but its
/// writes are committed once, with the checkpoint. So it only writes: events, rows, and timers for
/// work in the outside world. It never does that work itself.
pub trait Reaction: Send + Sync + 'static {
    /// Handles one event. It gets every event of the source and skips those that do not concern it.
    fn react<'t>(
        &'t self,
        tx: &'t mut Tx,
        event: &'t Recorded,
    ) -> BoxFuture<'t, Result<(), ReactionError>>;

    /// A number that is raised with each type of event that is added. Events that a program with a
    /// lower number skipped are handled again.
    fn release(&self) -> &'static str {
        "0"
    }
}

/// Lets a service react to an event if this program knows its type. An unknown type comes from a
/// newer release: the event is parked for a program of that release, unless the type is marked as
/// one that may be passed over.
///
/// # Errors
/// `Failed` for an event of a newer release; otherwise what the reaction returns.
pub(crate) async fn take_in(
    reaction: &dyn Reaction,
    tx: &mut Tx,
    (source, event): (&str, &Recorded),
) -> Result<(), ReactionError> {
    let package = event.event_type.split('.').next();
    if package == Some(source) && !contract::json::is_known(&event.event_type) {
        if event.metadata.may_be_passed_over {
            return Ok(());
        }
        let unknown = format!("{} is an event of a newer release", event.event_type);
        return Err(ReactionError::Failed(unknown.into()));
    }
    reaction.react(tx, event).await
}

/// Why an event was not handled.
#[derive(Debug, thiserror::Error)]
pub enum ReactionError {
    /// Another transaction wrote first; the event is tried again at once.
    #[error("another transaction wrote first")]
    Conflict,
    /// The database or another service does not answer. The event has no fault, so it waits and is
    /// never parked.
    #[error("what it runs on is not available")]
    Later(#[source] BoxError),
    /// The event has a fault: the reaction panicked or refused it, or a stream or row that it is
    /// about cannot be read. After five failures the event is parked.
    #[error("the event could not be handled")]
    Failed(#[source] BoxError),
}

impl Retry for ReactionError {
    fn is_conflict(&self) -> bool {
        matches!(self, Self::Conflict)
    }
}

impl From<StoreError> for ReactionError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Conflict => Self::Conflict,
            fault if fault.is_fault() => Self::Failed(fault.into()),
            passing => Self::Later(passing.into()),
        }
    }
}

impl From<contract::json::JsonError> for ReactionError {
    fn from(error: contract::json::JsonError) -> Self {
        Self::Failed(error.into())
    }
}

impl<R: std::error::Error + Send + Sync + 'static> From<CommandError<R>> for ReactionError {
    fn from(error: CommandError<R>) -> Self {
        match error {
            CommandError::Conflict => Self::Conflict,
            CommandError::Unavailable(source) => match source.downcast::<StoreError>() {
                Ok(store) => Self::from(*store),
                Err(other) => Self::Later(other),
            },
            CommandError::Rejected(_) | CommandError::NotFound => Self::Failed(error.into()),
        }
    }
}
