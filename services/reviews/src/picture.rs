//! Pictures of reviews: taken in, judged by their content, made anew and small, kept and given out.
//!
//! A file that a stranger sends is never decoded in this process. It is written to a nameless file,
//! a child of little rights reads it (`worker`, `shrink`), and what comes back was encoded anew, so
//! that nothing of the file itself is ever served.

mod outcome;
pub mod format;
pub mod name;
pub mod protocol;
pub mod shrink;
pub mod worker;
pub mod spool;
pub mod object_storage;
pub mod repository;
pub mod removal;

use std::path::PathBuf;

use axum::body::BodyDataStream;
use eventstore::{Metadata, Store, StoreError, new_id};
use runtime::failpoint;
use runtime::status::chain;
use runtime::telemetry::traceparent;
use tokio::sync::Semaphore;

use crate::picture::format::Format;
use crate::picture::name::{Name, Size};
use crate::picture::object_storage::ObjectStorage;
pub use crate::picture::outcome::{UploadError, Uploaded};
use crate::picture::protocol::Shrunk;
use crate::picture::spool::BODY_BYTES_MAX;
use crate::picture::worker::Worker;

/// How many uploads may be under way at once; each has a nameless file of 5 MiB at most.
const UPLOADS_MAX: usize = 32;

/// How many uploads may wait for a review. Each is gone an hour later at the latest, so what
/// strangers can fill is bounded whoever they are and however many.
const UNATTACHED_MAX: i64 = 500;

/// Everything that takes pictures in and gives them out.
#[derive(Debug)]
pub struct Pictures {
    pub(crate) store: Store,
    pub(crate) objects: ObjectStorage,
    worker: Worker,
    permits: Semaphore,
}

impl Pictures {
    /// `program` is this service's own, which shrinks pictures with the argument `shrink`.
    #[must_use]
    pub fn new(store: Store, objects: ObjectStorage, program: PathBuf) -> Self {
        let permits = Semaphore::new(UPLOADS_MAX);
        Self { store, objects, worker: Worker::new(program), permits }
    }

    /// Takes a picture in: its row and its timer first, then its objects. Dropped at any moment, it
    /// leaves nothing but what the timer removes.
    ///
    /// # Errors
    /// Why it was refused; what broke here is in the log.
    pub async fn upload(
        &self,
        length: Option<u64>,
        mut body: BodyDataStream,
    ) -> Result<Uploaded, UploadError> {
        // Who still sends would not hear an answer, so what is refused is read for a while.
        let Ok(_permit) = self.permits.try_acquire() else {
            spool::drain(&mut body).await;
            return Err(UploadError::Busy);
        };
        if !self.has_capacity().await {
            spool::drain(&mut body).await;
            return Err(UploadError::Busy);
        }
        if length.is_some_and(|length| length > BODY_BYTES_MAX) {
            spool::drain(&mut body).await;
            return Err(UploadError::TooLarge);
        }
        let received = spool::receive(&mut body, spool::UPLOAD_TIMEOUT).await?;
        if Format::detect(&received.head).is_none() {
            return Err(UploadError::Invalid);
        }
        let shrunk = self.worker.shrink(received.file).await?;
        self.save(shrunk).await.map_err(|error| {
            tracing::error!(error = chain(error.as_ref()), "a picture could not be kept");
            UploadError::Busy
        })
    }

    /// Whether few enough uploads wait for a review. Uploads at once are not told apart, so a few
    /// more than the limit may come to wait.
    async fn has_capacity(&self) -> bool {
        match repository::count_unattached(&self.store, UNATTACHED_MAX).await {
            Ok(waiting) if waiting < UNATTACHED_MAX => true,
            Ok(waiting) => {
                tracing::warn!(waiting, "too many uploads wait for a review");
                false
            }
            Err(error) => {
                tracing::error!(error = chain(&error), "an upload could not be taken in");
                false
            }
        }
    }

    async fn save(&self, shrunk: Shrunk) -> Result<Uploaded, runtime::BoxError> {
        let Shrunk { width, height, large, small } = shrunk;
        let uploaded = Uploaded { image_id: new_id(), width, height };
        let name = Name::new();
        self.note(uploaded, name).await?;
        self.objects.put(name, Size::Large, large).await?;
        failpoint::pass(&"picture.large-kept");
        self.objects.put(name, Size::Small, small).await?;
        failpoint::pass(&"picture.both-kept");
        Ok(uploaded)
    }

    async fn note(&self, uploaded: Uploaded, name: Name) -> Result<(), StoreError> {
        let by = Metadata::by("visitor", traceparent()).about(uploaded.image_id.to_string());
        self.store
            .write(by, move |tx| {
                Box::pin(async move { repository::insert(tx, uploaded, name).await })
            })
            .await
    }
}
