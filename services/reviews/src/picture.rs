//! Pictures of reviews: upload, validation by content, resizing and re-encoding, storage and
//! serving.
//!
//! An uploaded file is never decoded in this process. It is written to an unlinked file and read by
//! a sandboxed child (`worker`, `shrink`), whose output is newly encoded, so that no byte of the
//! upload is ever served.

pub mod outcome;
pub mod format;
pub mod name;
pub mod protocol;
pub mod confinement;
mod colours;
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
use tokio::sync::Semaphore;

use crate::picture::format::Format;
use crate::picture::name::{Name, Size};
use crate::picture::object_storage::ObjectStorage;
use crate::picture::outcome::{UploadError, Uploaded};
use crate::picture::protocol::Shrunk;
use crate::picture::spool::BODY_BYTES_MAX;
use crate::picture::worker::Worker;

/// Maximum concurrent uploads; each has an unlinked file of 5 MiB at most.
const UPLOADS_MAX: usize = 32;

/// Maximum uploads without a review. Each is deleted after an hour at the latest, so the storage
/// that strangers can fill is bounded.
const UNATTACHED_MAX: i64 = 500;

/// Uploads and serves pictures.
#[derive(Debug)]
pub struct Pictures {
    pub(crate) store: Store,
    pub(crate) objects: ObjectStorage,
    worker: Worker,
    permits: Semaphore,
}

impl Pictures {
    /// `program` is this service's own executable, whose command `shrink` shrinks pictures.
    #[must_use]
    pub fn new(store: Store, objects: ObjectStorage, program: PathBuf) -> Self {
        let permits = Semaphore::new(UPLOADS_MAX);
        Self { store, objects, worker: Worker::new(program), permits }
    }

    /// Stores an upload: first its row and timer, then its objects. If it is cancelled at any
    /// point, the timer removes what is left.
    ///
    /// # Errors
    /// Why it is rejected; internal errors are logged.
    pub async fn upload(
        &self,
        length: Option<u64>,
        mut body: BodyDataStream,
    ) -> Result<Uploaded, UploadError> {
        // A client that is still sending does not read the answer, so a rejected body is drained
        // for a while.
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
            let is_picture = format::is_another(&received.head);
            return Err(if is_picture { UploadError::OtherKind } else { UploadError::Invalid });
        }
        let shrunk = self.worker.shrink(received.file).await?;
        self.save(shrunk).await.map_err(|error| {
            tracing::error!(error = chain(error.as_ref()), "a picture could not be kept");
            UploadError::Busy
        })
    }

    /// Whether the number of uploads without a review is below the limit. Concurrent uploads are
    /// not serialized, so the limit may be exceeded by a few.
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
        let by = Metadata::traced("visitor").about(uploaded.image_id.to_string());
        self.store
            .write(by, move |tx| {
                Box::pin(async move { repository::insert(tx, uploaded, name).await })
            })
            .await
    }
}
