//! Events of reviews: a review was submitted.

use contract::reviews::v1 as wire;
use eventstore::{Recorded, Tx};
use futures::future::BoxFuture;
use kernel::id::Review;
use messaging::{Reaction, ReactionError};

use super::id;
use crate::mails::kind::Kind;
use crate::mails::mail::{About, NewMail};
use crate::repository;

/// The mail that an event of reviews asks for; `None` when it asks for none.
///
/// # Errors
/// When it is a new review and cannot be read.
pub fn step(event: &Recorded) -> Result<Option<NewMail>, ReactionError> {
    let Some(e) = event.get::<wire::ReviewSubmitted>()? else { return Ok(None) };
    id::<Review>(&e.review_id)?;
    Ok(Some(NewMail::about(Kind::ReviewNotice, e.review_id, About::Subject)))
}

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
            if let Some(mail) = step(event)? {
                repository::queue(tx, &mail).await?;
            }
            Ok(())
        })
    }
}
