//! Spools an upload into an unlinked file, with limits of size and time: memory use does not grow
//! with the number of uploads, and the file disappears with this process.

use std::error::Error;
use std::io::{self, SeekFrom};
use std::time::Duration;

use bytes::Bytes;
use futures::{Stream, StreamExt as _};
use runtime::status::chain;
use tokio::fs::{File, OpenOptions, remove_file};
use tokio::io::{AsyncSeekExt as _, AsyncWriteExt as _};
use tokio::time::timeout;

use crate::picture::format::HEAD_BYTES;
use crate::picture::name::Name;
use crate::picture::outcome::UploadError;

/// Maximum bytes of an upload: 5 MiB.
pub const BODY_BYTES_MAX: u64 = 5 * 1024 * 1024;
/// Timeout of a whole upload.
pub const UPLOAD_TIMEOUT: Duration = Duration::from_secs(60);
/// How many bytes of a rejected upload are read and discarded.
const DRAIN_BYTES_MAX: u64 = 4 * BODY_BYTES_MAX;
/// How long a rejected upload is read.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(10);

/// A complete upload.
#[derive(Debug)]
pub struct SpooledUpload {
    /// The file, positioned at its beginning.
    pub file: std::fs::File,
    /// The first bytes.
    pub head: Vec<u8>,
}

/// Receives an upload.
///
/// # Errors
/// Why it is rejected.
pub async fn receive<S, E>(body: &mut S, within: Duration) -> Result<SpooledUpload, UploadError>
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
    E: Error,
{
    let received = timeout(within, write(body)).await.unwrap_or(Err(UploadError::TooSlow));
    let unread = |error: &UploadError| matches!(error, UploadError::TooLarge | UploadError::Busy);
    if received.as_ref().is_err_and(unread) {
        drain(body).await;
    }
    received
}

/// Reads and discards the body for a while: a client that is still sending does not read the
/// answer.
pub async fn drain<S, E>(body: &mut S)
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
{
    let reading = async {
        let mut read = 0;
        while let Some(Ok(bytes)) = body.next().await {
            read += byte_count(&bytes);
            if read > DRAIN_BYTES_MAX {
                break;
            }
        }
    };
    // A timeout ends it, too.
    drop(timeout(DRAIN_TIMEOUT, reading).await);
}

async fn write<S, E>(body: &mut S) -> Result<SpooledUpload, UploadError>
where
    S: Stream<Item = Result<Bytes, E>> + Unpin,
    E: Error,
{
    let mut file = unlinked_file().await.map_err(cannot_write)?;
    let (mut written, mut head) = (0, Vec::new());
    while let Some(bytes) = body.next().await {
        let bytes = bytes.map_err(|error| {
            tracing::debug!(%error, "an upload broke off");
            UploadError::Invalid
        })?;
        written += byte_count(&bytes);
        if written > BODY_BYTES_MAX {
            return Err(UploadError::TooLarge);
        }
        head.extend(bytes.iter().take(HEAD_BYTES.saturating_sub(head.len())));
        file.write_all(&bytes).await.map_err(cannot_write)?;
    }
    let rewound = async {
        file.flush().await?;
        file.seek(SeekFrom::Start(0)).await
    };
    rewound.await.map_err(cannot_write)?;
    Ok(SpooledUpload { file: file.into_std().await, head })
}

/// Creates a file and unlinks it at once.
async fn unlinked_file() -> io::Result<File> {
    let path = std::env::temp_dir().join(format!("review-upload-{}", Name::new()));
    let mut options = OpenOptions::new();
    options.read(true).write(true).create_new(true).mode(0o600);
    let file = options.open(&path).await?;
    remove_file(&path).await?;
    Ok(file)
}

fn byte_count(bytes: &Bytes) -> u64 {
    u64::try_from(bytes.len()).unwrap_or(u64::MAX)
}

#[expect(clippy::needless_pass_by_value, reason = "map_err hands the error over")]
fn cannot_write(error: io::Error) -> UploadError {
    tracing::error!(error = chain(&error), "an upload could not be written down");
    UploadError::Busy
}

#[cfg(test)]
mod tests {
    use std::io::{self, Read as _};
    use std::time::Duration;

    use bytes::Bytes;
    use futures::{Stream, StreamExt as _, stream};

    use super::{BODY_BYTES_MAX, UPLOAD_TIMEOUT, receive};
    use crate::picture::outcome::UploadError;

    fn chunks(bytes: u64) -> impl Stream<Item = io::Result<Bytes>> + Unpin {
        let bytes = vec![7_u8; usize::try_from(bytes).unwrap()];
        let parts: Vec<_> = bytes.chunks(1000).map(Bytes::copy_from_slice).map(Ok).collect();
        stream::iter(parts)
    }

    #[tokio::test]
    async fn an_upload_is_read_from_its_beginning() {
        let mut received = receive(&mut chunks(BODY_BYTES_MAX), UPLOAD_TIMEOUT).await.unwrap();
        let mut read = Vec::new();
        received.file.read_to_end(&mut read).unwrap();
        assert_eq!(u64::try_from(read.len()).unwrap(), BODY_BYTES_MAX);
        assert_eq!(received.head, [7; 16]);
    }

    #[tokio::test]
    async fn one_byte_too_many_is_too_many() {
        let received = receive(&mut chunks(BODY_BYTES_MAX + 1), UPLOAD_TIMEOUT).await;
        assert_eq!(received.unwrap_err(), UploadError::TooLarge);
    }

    #[tokio::test]
    async fn a_stalled_upload_times_out() {
        let mut body = chunks(10).chain(stream::pending());
        let received = receive(&mut body, Duration::from_millis(50)).await;
        assert_eq!(received.unwrap_err(), UploadError::TooSlow);
    }

    #[tokio::test]
    async fn an_upload_that_breaks_off_is_refused() {
        let broken = stream::iter([Err(io::Error::other("gone"))]);
        let received = receive(&mut chunks(10).chain(broken), UPLOAD_TIMEOUT).await;
        assert_eq!(received.unwrap_err(), UploadError::Invalid);
    }
}
