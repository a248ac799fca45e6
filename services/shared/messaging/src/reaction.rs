//! What a service does about an event of another, and why it may not be able to.

use eventstore::{Recorded, Retry, StoreError, Tx};
use futures::future::BoxFuture;
use kernel::CommandError;
use runtime::BoxError;

/// What a service does when something happened elsewhere. It may run again after a crash, but what
/// it writes is written once, with the checkpoint. So it only writes: events, rows, and timers for
/// work in the outside world; it never does that work itself.
pub trait Reaction: Send + Sync + 'static {
    /// Takes one event in. It is given every event of the source and skips what does not concern
    /// it.
    fn react<'t>(
        &'t self,
        tx: &'t mut Tx,
        event: &'t Recorded,
    ) -> BoxFuture<'t, Result<(), ReactionError>>;

    /// Which events it takes in, as a number that is raised with each type that is added: those
    /// that a program with a lower one passed over are taken in again.
    fn release(&self) -> &'static str {
        "0"
    }
}

/// Lets a service react to an event of a source, if this program knows its type. One that it does
/// not know comes from a newer release: it is parked for a program of that release, unless it is
/// marked as one that may be passed over.
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

/// Why an event was not taken in.
#[derive(Debug, thiserror::Error)]
pub enum ReactionError {
    /// Others wrote first; it is tried again at once.
    #[error("somebody else wrote first")]
    Conflict,
    /// What it runs on did not do its part: the database, or another service. Nothing is wrong with
    /// the event, so it waits for as long as that takes and is never parked for it.
    #[error("what it runs on is not available")]
    Later(#[source] BoxError),
    /// It could not be done for a fault of the event's own: it panicked, a stream or a row that it
    /// is about cannot be read, or it is refused. After five times the event is parked.
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
