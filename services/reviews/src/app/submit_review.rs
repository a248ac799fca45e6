//! Publishes a review, with the badge when its writer is known to have had a session.

use std::sync::Arc;

use contract::reviews::v1::SubmitReviewRequest;
use eventstore::{Metadata, Tx, new_id};
use kernel::Id;
use kernel::id::{Customer, Review};

use super::idempotent::Key;
use super::proof::{self, Writer};
use super::request::Wanted;
use super::{Desk, Error, Rejection, refuse};
use crate::domain::review::{Command, Facts};
use crate::picture;
use crate::read_model::sessions;
use crate::store::OpenReview;

/// The call's name beside idempotency keys.
const METHOD: &str = "SubmitReview";
/// Whose keys they are: who is not signed in has nothing but the key, and who signs in between two
/// tries still means the same review.
const ANYBODY: &str = "anybody";
/// Who did it, where nobody is to know more.
const VISITOR: &str = "visitor";

/// Answers with the review that was published.
///
/// # Errors
/// Why it is refused; then nothing was changed.
pub async fn submit_review(
    desk: &Arc<Desk>,
    customer: Option<Id<Customer>>,
    request: SubmitReviewRequest,
) -> Result<Id<Review>, Error> {
    let wanted = Wanted::parse(request, &desk.practice.reviews.services)?;
    let id = new_id::<Review>();
    // Who leaves the badge off writes as anybody does.
    let customer = customer.filter(|_| wanted.badge);
    let actor = customer.map_or_else(|| VISITOR.to_owned(), |id| id.to_string());
    let metadata = Metadata::by(actor, runtime::telemetry::traceparent()).about(id.to_string());
    let writer = Writer { customer, invitation: wanted.invitation.clone() };
    let key =
        Key { caller: ANYBODY, method: METHOD, key: wanted.key.clone(), hash: wanted.hash.clone() };
    let case = Arc::new(Case { desk: Arc::clone(desk), id, wanted, writer, key });
    let published = desk
        .store
        .write(metadata, move |tx| {
            let case = Arc::clone(&case);
            Box::pin(async move { case.publish(tx).await })
        })
        .await?;
    tracing::info!(review_id = %published, "a review is published");
    Ok(published)
}

struct Case {
    desk: Arc<Desk>,
    id: Id<Review>,
    wanted: Wanted,
    writer: Writer,
    key: Key,
}

impl Case {
    async fn publish(&self, tx: &mut Tx) -> Result<Id<Review>, Error> {
        if let Some(first) = self.key.recall(tx).await? {
            return Ok(first);
        }
        let proof = proof::find(tx, &self.desk, &self.writer).await?;
        if let Some(image_id) = self.wanted.image_id
            && !picture::store::attach(tx, image_id, self.id).await?
        {
            return Err(refuse(Rejection::ImageNotFound));
        }
        let facts = Facts {
            review_id: self.id,
            service: self.wanted.service.clone(),
            rating: self.wanted.rating,
            image_id: self.wanted.image_id,
        };
        let now = tx.now().await?;
        let mut open = OpenReview::new(self.id, self.wanted.writing.clone(), now);
        open.apply(tx, Command::Submit { facts }).await?;
        if let Some(booking_id) = proof {
            open.apply(tx, Command::Verify { booking_id }).await?;
            sessions::proved(tx, booking_id, self.id).await?;
        }
        self.key.remember(tx, self.id).await?;
        Ok(self.id)
    }
}
