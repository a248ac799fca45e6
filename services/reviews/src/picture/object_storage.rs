//! Where pictures lie: a folder, or a bucket that speaks S3.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ClientConfigKey, GetResult, ObjectStore, ObjectStoreExt as _, RetryConfig};
use runtime::http::install_crypto;
use url::Url;

use crate::picture::name::{Name, Size};

/// The folder of reviews' pictures, inside what the setting names.
const FOLDER: &str = "reviews";
/// How often a bucket that does not answer is asked again.
const RETRIES_MAX: usize = 3;
/// How long it is tried in all.
const RETRY_TIMEOUT: Duration = Duration::from_secs(12);
/// How long one request to a bucket may take.
const REQUEST_TIMEOUT: &str = "5 seconds";

/// Where pictures lie.
#[derive(Debug, Clone)]
pub struct ObjectStorage {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    /// The folder itself, where they lie in one.
    folder: Option<PathBuf>,
}

/// Pictures cannot be kept there.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The setting is neither a folder's nor a bucket's URL.
    #[error("REVIEWS_PICTURES_URL must be file:///folder or s3://bucket/prefix")]
    Url,
    /// The folder cannot be written.
    #[error("the folder of pictures cannot be used")]
    Folder(#[source] std::io::Error),
    /// The store refused or did not answer.
    #[error("the store of pictures did not do it")]
    Store(#[from] object_store::Error),
}

impl ObjectStorage {
    /// Opens what the setting names: `file:///folder`, which is made if it is not there, or
    /// `s3://bucket/prefix`, whose region, endpoint and credentials have the names that its own
    /// tools use (`AWS_REGION`, `AWS_ENDPOINT_URL`, `AWS_ACCESS_KEY_ID` and so on).
    ///
    /// # Errors
    /// When it cannot be used.
    pub fn open(url: &str) -> Result<Self, Error> {
        let url: Url = url.parse().map_err(|_unparsable| Error::Url)?;
        match url.scheme() {
            "file" => Self::folder(url.to_file_path().map_err(|()| Error::Url)?),
            "s3" => Self::bucket(AmazonS3Builder::from_env(), &url),
            _ => Err(Error::Url),
        }
    }

    fn folder(folder: PathBuf) -> Result<Self, Error> {
        std::fs::create_dir_all(&folder).map_err(Error::Folder)?;
        // An answered upload outlives a power cut.
        let store = LocalFileSystem::new_with_prefix(&folder)?.with_fsync(true);
        Ok(Self { store: Arc::new(store), prefix: Path::from(FOLDER), folder: Some(folder) })
    }

    /// Opens a bucket with what `builder` knows of its owner already.
    ///
    /// # Errors
    /// When it cannot be used.
    pub fn bucket(builder: AmazonS3Builder, url: &Url) -> Result<Self, Error> {
        install_crypto();
        let bucket = url.host_str().ok_or(Error::Url)?;
        let retry = RetryConfig {
            max_retries: RETRIES_MAX,
            retry_timeout: RETRY_TIMEOUT,
            ..RetryConfig::default()
        };
        let store = builder
            .with_bucket_name(bucket)
            .with_config(AmazonS3ConfigKey::Client(ClientConfigKey::Timeout), REQUEST_TIMEOUT)
            .with_retry(retry)
            // Not every bucket can delete many at once, and we never do.
            .with_disable_bulk_delete(true)
            .build()?;
        let prefix = Path::parse(url.path()).map_err(object_store::Error::from)?.join(FOLDER);
        Ok(Self { store: Arc::new(store), prefix, folder: None })
    }

    /// Keeps a picture: it is there whole or not at all.
    ///
    /// # Errors
    /// When the store does not do it.
    pub async fn put(&self, name: Name, size: Size, bytes: Bytes) -> Result<(), Error> {
        self.store.put(&self.path(name, size), bytes.into()).await?;
        Ok(())
    }

    /// Reads a picture, if it is there.
    ///
    /// # Errors
    /// When the store does not answer.
    pub async fn get(&self, name: Name, size: Size) -> Result<Option<GetResult>, Error> {
        match self.store.get(&self.path(name, size)).await {
            Ok(found) => Ok(Some(found)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes a picture in all sizes; one that is gone already stays gone.
    ///
    /// # Errors
    /// When the store does not do it; then it has to be done again.
    pub async fn remove(&self, name: Name) -> Result<(), Error> {
        for size in Size::ALL {
            match self.store.delete(&self.path(name, size)).await {
                Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
            self.remove_partial_file(name, size).await?;
        }
        Ok(())
    }

    /// A process that dies while it writes to a folder leaves a file beside the one that it wanted,
    /// which no listing shows.
    async fn remove_partial_file(&self, name: Name, size: Size) -> Result<(), Error> {
        let Some(folder) = &self.folder else { return Ok(()) };
        let half = folder.join(FOLDER).join(format!("{}#1", name.file_name(size)));
        match tokio::fs::remove_file(half).await {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => Err(Error::Folder(error)),
            _ => Ok(()),
        }
    }

    fn path(&self, name: Name, size: Size) -> Path {
        self.prefix.clone().join(name.file_name(size))
    }
}

#[cfg(test)]
mod tests;
