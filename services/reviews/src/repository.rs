//! Loads a review under its lock and appends its events.

use eventstore::{StoreError, Tx};
use kernel::id::Review;
use kernel::{CommandError, Decider, Id, Timestamp, fold};

use crate::contract;
use crate::domain::review::{self, ReviewLife};
use crate::error::Error;
use crate::read_model::project::{self, ReviewContent};

/// The name of a review's advisory lock.
#[must_use]
pub fn review_lock(id: Id<Review>) -> String {
    format!("review {id}")
}

/// A review loaded for update under its lock.
#[derive(Debug)]
pub struct LockedReview {
    id: Id<Review>,
    version: i64,
    content: Option<ReviewContent>,
    /// The current state.
    pub state: review::State,
    /// The database clock, read under the lock.
    pub now: Timestamp,
}

impl LockedReview {
    /// A review that does not exist yet, with what its writer typed.
    #[must_use]
    pub fn new(id: Id<Review>, content: ReviewContent, now: Timestamp) -> Self {
        let state = review::State::Absent;
        Self { id, version: 0, content: Some(content), state, now }
    }

    /// Locks a review and loads it; `None` when there is none.
    ///
    /// # Errors
    /// When the database does not answer or an event cannot be decoded.
    pub async fn load(tx: &mut Tx, id: Id<Review>) -> Result<Option<Self>, Error> {
        tx.lock(&[review_lock(id)]).await?;
        let loaded = tx.load(&contract::review_stream(id)).await?;
        if loaded.version == 0 {
            return Ok(None);
        }
        let events = loaded
            .events
            .iter()
            .map(contract::read_review_event)
            .collect::<Result<Vec<_>, _>>()
            .map_err(StoreError::from)?;
        let state = fold::<ReviewLife>(&events);
        Ok(Some(Self { id, version: loaded.version, content: None, state, now: loaded.now }))
    }

    /// Decides, appends the events and updates the rows.
    ///
    /// # Errors
    /// The domain's rejection, or a database error.
    pub async fn apply(
        &mut self,
        tx: &mut Tx,
        command: review::Command,
    ) -> Result<Vec<review::Event>, Error> {
        let events = ReviewLife::decide(&self.state, command)
            .map_err(|rejection| CommandError::Rejected(rejection.into()))?;
        let mut new = Vec::with_capacity(events.len());
        for event in &events {
            project::review(tx, (self.id, self.now), event, self.content.as_ref()).await?;
            new.push(contract::review_event(self.id, event)?);
            self.state = ReviewLife::evolve(std::mem::take(&mut self.state), event);
        }
        let stream = contract::review_stream(self.id);
        self.version = tx.append(&stream, self.version, &new).await?;
        Ok(events)
    }
}
