//! Timers and consumers of a service that follows the practice's revisions: each timer and each
//! event is handled by one revision from its start to its end.

use std::sync::Arc;

use eventstore::{Recorded, Timer, TimerHandler, Tx};
use futures::future::BoxFuture;
use messaging::{Reaction, ReactionError};
use runtime::{BoxError, Revised};

/// The handler of timers that `make` makes of the revision in use.
pub fn timers_of<T, H>(
    revised: &Revised<T>,
    make: impl Fn(Arc<T>) -> H + Send + Sync + 'static,
) -> Arc<dyn TimerHandler>
where
    T: Send + Sync + 'static,
    H: TimerHandler,
{
    Arc::new(OfRevision { revised: revised.clone(), make })
}

/// The reaction to events that `make` makes of the revision in use.
pub fn reaction_of<T, R>(
    revised: &Revised<T>,
    make: impl Fn(Arc<T>) -> R + Send + Sync + 'static,
) -> Arc<dyn Reaction>
where
    T: Send + Sync + 'static,
    R: Reaction,
{
    Arc::new(OfRevision { revised: revised.clone(), make })
}

struct OfRevision<T, F> {
    revised: Revised<T>,
    make: F,
}

impl<T, H, F> TimerHandler for OfRevision<T, F>
where
    T: Send + Sync + 'static,
    H: TimerHandler,
    F: Fn(Arc<T>) -> H + Send + Sync + 'static,
{
    fn fire(&self, timer: Timer) -> BoxFuture<'_, Result<(), BoxError>> {
        let handler = (self.make)(self.revised.get());
        Box::pin(async move { handler.fire(timer).await })
    }

    fn share_a_third_party(&self) -> &'static [&'static [&'static str]] {
        (self.make)(self.revised.get()).share_a_third_party()
    }
}

impl<T, R, F> Reaction for OfRevision<T, F>
where
    T: Send + Sync + 'static,
    R: Reaction,
    F: Fn(Arc<T>) -> R + Send + Sync + 'static,
{
    fn react<'t>(
        &'t self,
        tx: &'t mut Tx,
        event: &'t Recorded,
    ) -> BoxFuture<'t, Result<(), ReactionError>> {
        let reaction = (self.make)(self.revised.get());
        Box::pin(async move { reaction.react(tx, event).await })
    }

    fn release(&self) -> &'static str {
        (self.make)(self.revised.get()).release()
    }
}
