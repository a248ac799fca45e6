//! Object storage of pictures: a folder, or an S3 bucket.

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

/// The subfolder of reviews' pictures below the configured URL.
const FOLDER: &str = "reviews";
/// Maximum retries of a request to a bucket.
const RETRIES_MAX: usize = 3;
/// Total time of all retries.
const RETRY_TIMEOUT: Duration = Duration::from_secs(12);
/// Timeout of one request to a bucket.
const REQUEST_TIMEOUT: &str = "5 seconds";

/// The object storage of pictures.
#[derive(Debug, Clone)]
pub struct ObjectStorage {
    store: Arc<dyn ObjectStore>,
    prefix: Path,
    /// The folder, if the storage is one.
    folder: Option<PathBuf>,
}

/// An error of the object storage.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The setting is neither a folder's nor a bucket's URL.
    #[error("REVIEWS_PICTURES_URL must be file:///folder or s3://bucket/prefix")]
    Url,
    /// The folder cannot be used.
    #[error("the folder of pictures cannot be used")]
    Folder(#[source] std::io::Error),
    /// The store refused or did not answer.
    #[error("the store of pictures did not do it")]
    Store(#[from] object_store::Error),
}

impl ObjectStorage {
    /// Opens the configured storage: `file:///folder`, which is created if it does not exist, or
    /// `s3://bucket/prefix`, whose region, endpoint and credentials are read from the standard AWS
    /// variables (`AWS_REGION`, `AWS_ENDPOINT_URL`, `AWS_ACCESS_KEY_ID` and so on).
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
        // A completed upload survives a power failure.
        let store = LocalFileSystem::new_with_prefix(&folder)?.with_fsync(true);
        Ok(Self { store: Arc::new(store), prefix: Path::from(FOLDER), folder: Some(folder) })
    }

    /// Opens a bucket; `builder` has its credentials and endpoint.
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
            // Some buckets do not support bulk deletion, and it is not needed.
            .with_disable_bulk_delete(true)
            .build()?;
        let prefix = Path::parse(url.path()).map_err(object_store::Error::from)?.join(FOLDER);
        Ok(Self { store: Arc::new(store), prefix, folder: None })
    }

    /// Stores a picture atomically.
    pub async fn put(&self, name: Name, size: Size, bytes: Bytes) -> Result<(), Error> {
        self.store.put(&self.path(name, size), bytes.into()).await?;
        Ok(())
    }

    /// Reads a picture, if it exists.
    pub async fn get(&self, name: Name, size: Size) -> Result<Option<GetResult>, Error> {
        match self.store.get(&self.path(name, size)).await {
            Ok(found) => Ok(Some(found)),
            Err(object_store::Error::NotFound { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }

    /// Removes a picture in all sizes; missing files are no error.
    ///
    /// # Errors
    /// When the storage fails; the removal must be retried.
    pub async fn remove(&self, name: Name) -> Result<(), Error> {
        for &size in Size::ALL {
            match self.store.delete(&self.path(name, size)).await {
                Ok(()) | Err(object_store::Error::NotFound { .. }) => {}
                Err(error) => return Err(error.into()),
            }
            self.remove_partial_file(name, size).await?;
        }
        Ok(())
    }

    /// Removes the temporary file that a killed process leaves beside its target; no listing shows
    /// it.
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
