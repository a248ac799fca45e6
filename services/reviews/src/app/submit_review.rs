//! Publishes a review, with the badge when the writer is known to have had a session.

use std::sync::Arc;

use contract::reviews::v1::SubmitReviewRequest;
use eventstore::{Metadata, Tx, new_id};
use kernel::Id;
use kernel::id::{Customer, Review};
use service::IdempotencyKey;

use super::App;
use super::proof::{self, Writer};
use super::request::ReviewRequest;
use crate::domain::review::{Command, Facts};
use crate::error::{Error, Rejection, rejected};
use crate::picture;
use crate::read_model::sessions;
use crate::repository::LockedReview;

/// The method name in the scope of idempotency keys.
const METHOD: &str = "SubmitReview";
/// The caller in the scope of idempotency keys. It is the same for all: a visitor without an
/// account has only the key, and after signing in between two attempts the key must still find the
/// same review.
const ANY_CALLER: &str = "anybody";
/// The actor in events of writers that stay anonymous.
const VISITOR: &str = "visitor";

/// Returns the id of the published review.
///
/// # Errors
/// Why it is rejected; nothing is changed then.
pub async fn submit_review(
    app: &Arc<App>,
    customer: Option<Id<Customer>>,
    request: SubmitReviewRequest,
) -> Result<Id<Review>, Error> {
    let request = ReviewRequest::parse(request, &app.practice.reviews.services)?;
    let id = new_id::<Review>();
    // Without the badge, the writer stays anonymous.
    let customer = customer.filter(|_| request.badge);
    let actor = customer.map_or_else(|| VISITOR.to_owned(), |id| id.to_string());
    let metadata = Metadata::traced(actor).about(id.to_string());
    let writer = Writer { customer, invitation: request.invitation.clone() };
    let key = IdempotencyKey {
        caller: ANY_CALLER.to_owned(),
        method: METHOD,
        key: request.key.clone(),
        hash: request.hash.clone(),
    };
    let pending = Arc::new(PendingReview { app: Arc::clone(app), id, request, writer, key });
    let published = app
        .store
        .write(metadata, move |tx| {
            let pending = Arc::clone(&pending);
            Box::pin(async move { pending.publish(tx).await })
        })
        .await?;
    tracing::info!(review_id = %published, "a review is published");
    Ok(published)
}

struct PendingReview {
    app: Arc<App>,
    id: Id<Review>,
    request: ReviewRequest,
    writer: Writer,
    key: IdempotencyKey,
}

impl PendingReview {
    async fn publish(&self, tx: &mut Tx) -> Result<Id<Review>, Error> {
        if let Some(first) = self.key.lookup(tx).await? {
            return Ok(first);
        }
        let proof = proof::find(tx, &self.app, &self.writer).await?;
        if let Some(image_id) = self.request.image_id
            && !picture::repository::attach(tx, image_id, self.id).await?
        {
            return Err(rejected(Rejection::ImageNotFound));
        }
        let facts = Facts {
            review_id: self.id,
            service: self.request.service.clone(),
            rating: self.request.rating,
            image_id: self.request.image_id,
        };
        let now = tx.now().await?;
        let mut open = LockedReview::new(self.id, self.request.content.clone(), now);
        open.apply(tx, Command::Submit { facts }).await?;
        if let Some(booking_id) = proof {
            open.apply(tx, Command::Verify { booking_id }).await?;
            sessions::mark_used(tx, booking_id, self.id).await?;
        }
        self.key.store(tx, self.id).await?;
        Ok(self.id)
    }
}
