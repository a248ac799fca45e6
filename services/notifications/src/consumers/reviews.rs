//! Events of reviews: a review was submitted.

use eventstore::{Recorded, Tx};
use futures::future::BoxFuture;
use messaging::{Reaction, ReactionError};

use crate::mails::kinds::asked_by;
use crate::repository;

/// Handles reviews' events.
#[derive(Debug, Clone, Copy)]
pub struct OnReviews;

impl Reaction for OnReviews {
    fn react<'t>(
        &'t self,
        tx: &'t mut Tx,
        event: &'t Recorded,
    ) -> BoxFuture<'t, Result<(), ReactionError>> {
        Box::pin(async move {
            for mail in asked_by(event)? {
                repository::queue(tx, &mail).await?;
            }
            Ok(())
        })
    }
}
