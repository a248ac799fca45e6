//! The practice's terms, refund policy and privacy policy are kept, so that the words that a client
//! accepted are there after the practice's files have changed.

use std::sync::Arc;

use eventstore::{Metadata, Store};
use practice::Practice;
use practice::legal::LegalText;

use crate::domain::booking::Package;
use crate::error::Error;
use crate::repository::accepted_terms;

/// Keeps the words of today's texts. Done at each start: what pages show from now on is known.
pub async fn keep_texts(store: &Store, texts: &Arc<[LegalText]>) -> Result<(), Error> {
    let metadata = Metadata::by("booking", runtime::telemetry::traceparent());
    let texts = Arc::clone(texts);
    store
        .write(metadata, move |tx| {
            let texts = Arc::clone(&texts);
            Box::pin(async move {
                let now = tx.now().await?;
                accepted_terms::keep_texts(tx, &texts, now).await?;
                Ok(())
            })
        })
        .await
}

/// Until how many hours before its start each session of a booking can be cancelled with a refund:
/// those of its package, or else the practice's.
pub(super) fn notice_hours(practice: &Practice, package: Option<&Package>) -> i32 {
    package.map_or(practice.policies.cancellation_hours, |package| package.notice_hours)
}
