//! The practice's terms, refund policy and privacy policy are kept, so that the words that a client
//! accepted are there after the practice's files have changed.

use std::sync::Arc;

use eventstore::Metadata;
use practice::legal::LegalText;

use crate::app::App;
use crate::error::Error;
use crate::repository::{accepted_terms, cancellation_policies};

/// Keeps the words of today's texts, and at the first start today's policy for bookings that carry
/// none. Done at each start: what pages show from now on is known.
pub async fn keep_texts(app: &App, texts: &Arc<[LegalText]>) -> Result<(), Error> {
    let metadata = Metadata::traced("booking");
    let texts = Arc::clone(texts);
    let policy = Arc::new(app.practice.policies.cancellation_policy(None));
    app.store
        .write(metadata, move |tx| {
            let (texts, policy) = (Arc::clone(&texts), Arc::clone(&policy));
            Box::pin(async move {
                let now = tx.now().await?;
                accepted_terms::keep_texts(tx, &texts, now).await?;
                cancellation_policies::keep_earlier(tx, &policy, now).await?;
                Ok(())
            })
        })
        .await
}
