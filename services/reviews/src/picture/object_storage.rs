//! Object storage of pictures: a folder, or an S3 bucket.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::local::LocalFileSystem;
use object_store::path::Path;
use object_store::{ClientConfigKey, GetResult, ObjectStore, ObjectStoreExt as _, RetryConfig};
use runtime::Reader;
use runtime::http::install_crypto;
use secrecy::{ExposeSecret as _, SecretString};
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

/// The names of a bucket's settings that its own tools use, too.
const BUCKET_SETTINGS: [&str; 31] = [
    "AWS_ACCESS_KEY_ID",
    "AWS_ALLOW_HTTP",
    "AWS_CHECKSUM_ALGORITHM",
    "AWS_CONDITIONAL_PUT",
    "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
    "AWS_CONTAINER_CREDENTIALS_FULL_URI",
    "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
    "AWS_COPY_IF_NOT_EXISTS",
    "AWS_DEFAULT_REGION",
    "AWS_DISABLE_TAGGING",
    "AWS_ENDPOINT",
    "AWS_ENDPOINT_URL",
    "AWS_ENDPOINT_URL_S3",
    "AWS_ENDPOINT_URL_STS",
    "AWS_IMDSV1_FALLBACK",
    "AWS_METADATA_ENDPOINT",
    "AWS_REGION",
    "AWS_REQUEST_PAYER",
    "AWS_ROLE_ARN",
    "AWS_ROLE_SESSION_NAME",
    "AWS_S3_EXPRESS",
    "AWS_SECRET_ACCESS_KEY",
    "AWS_SERVER_SIDE_ENCRYPTION",
    "AWS_SESSION_TOKEN",
    "AWS_SKIP_SIGNATURE",
    "AWS_SSE_BUCKET_KEY_ENABLED",
    "AWS_SSE_CUSTOMER_KEY_BASE64",
    "AWS_SSE_KMS_KEY_ID",
    "AWS_UNSIGNED_PAYLOAD",
    "AWS_VIRTUAL_HOSTED_STYLE_REQUEST",
    "AWS_WEB_IDENTITY_TOKEN_FILE",
];

/// What is set of a bucket: its region, endpoint and credentials.
#[derive(Debug, Clone, Default)]
pub struct BucketSettings(Vec<(AmazonS3ConfigKey, SecretString)>);

impl BucketSettings {
    /// Reads them; none is needed for a folder.
    pub fn read(reader: &Reader<'_>) -> Self {
        let set = BUCKET_SETTINGS.into_iter().filter_map(|name| {
            let value = reader.optional(name)?;
            Some((name.to_ascii_lowercase().parse().ok()?, value.into()))
        });
        Self(set.collect())
    }

    fn builder(&self) -> AmazonS3Builder {
        self.0.iter().fold(AmazonS3Builder::new(), |builder, (key, value)| {
            builder.with_config(*key, value.expose_secret())
        })
    }
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
    /// `s3://bucket/prefix` with the settings of the bucket.
    pub fn open(url: &str, bucket: &BucketSettings) -> Result<Self, Error> {
        let url: Url = url.parse().map_err(|_unparsable| Error::Url)?;
        match url.scheme() {
            "file" => Self::folder(url.to_file_path().map_err(|()| Error::Url)?),
            "s3" => Self::bucket(bucket.builder(), &url),
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
