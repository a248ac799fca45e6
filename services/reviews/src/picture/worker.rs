//! The parent's side of shrinking: starts few child processes at a time, each with a short
//! lifetime.

use std::fs::File;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::Duration;

use bytes::Bytes;
use runtime::status::chain;
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, Command};
use tokio::sync::Semaphore;
use tokio::time::timeout;

use crate::picture::outcome::UploadError;
use crate::picture::protocol::{self, RESPONSE_BYTES_MAX, Shrunk};
use crate::picture::shrink::COMMAND;

/// Maximum concurrent children. Each may briefly use half a gigabyte.
const CHILDREN_MAX: usize = 2;
/// How long an upload waits for a permit.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(15);
/// Wall-clock timeout of a child on a busy machine. Its CPU limit ends hostile files much earlier.
const CHILD_TIMEOUT: Duration = Duration::from_secs(30);

/// Shrinks pictures in child processes of this program.
#[derive(Debug)]
pub struct Worker {
    program: PathBuf,
    permits: Semaphore,
}

/// A child failed for a reason unrelated to the picture.
#[derive(Debug, thiserror::Error)]
enum ChildError {
    #[error("the child could not be started")]
    Spawn(#[source] std::io::Error),
    #[error("the child could not be heard")]
    Io(#[source] std::io::Error),
    #[error("the child had not ended in time")]
    TimedOut,
}

impl Worker {
    /// `program` is this service's own executable.
    #[must_use]
    pub fn new(program: PathBuf) -> Self {
        Self { program, permits: Semaphore::new(CHILDREN_MAX) }
    }

    /// Shrinks and re-encodes the picture in `file`. If cancelled, it kills the child.
    ///
    /// # Errors
    /// Why the file is not an accepted picture, `Invalid` when its child was killed; `Busy` when no
    /// permit was free in time or the machine failed.
    pub async fn shrink(&self, file: File) -> Result<Shrunk, UploadError> {
        // The semaphore is never closed, so an error is a timeout.
        let Ok(Ok(_permit)) = timeout(QUEUE_TIMEOUT, self.permits.acquire()).await else {
            return Err(UploadError::Busy);
        };
        let answered = match timeout(CHILD_TIMEOUT, self.run_child(file)).await {
            Ok(answered) => answered,
            Err(_elapsed) => Err(ChildError::TimedOut),
        };
        let answer = answered.map_err(|error| {
            tracing::error!(error = chain(&error), "a picture could not be shrunk");
            UploadError::Busy
        })?;
        match answer.as_ref().and_then(protocol::decode) {
            Some(Ok(shrunk)) => Ok(shrunk),
            Some(Err(unfit)) => {
                tracing::info!(%unfit, "a file was refused as a picture");
                Err(unfit.into())
            }
            None => {
                tracing::warn!("a file was refused as a picture: its child came to an end");
                Err(UploadError::Invalid)
            }
        }
    }

    /// A child's output, if it exits successfully.
    async fn run_child(&self, file: File) -> Result<Option<Bytes>, ChildError> {
        let mut child = self.spawn(file).map_err(ChildError::Spawn)?;
        let mut answer = Vec::new();
        if let Some(out) = child.stdout.take() {
            let mut out = out.take(RESPONSE_BYTES_MAX);
            out.read_to_end(&mut answer).await.map_err(ChildError::Io)?;
        }
        let status = child.wait().await.map_err(ChildError::Io)?;
        Ok(status.success().then(|| Bytes::from(answer)))
    }

    fn spawn(&self, file: File) -> std::io::Result<Child> {
        Command::new(&self.program)
            .arg(COMMAND)
            // It needs none of the service's secrets.
            .env_clear()
            .current_dir("/")
            .stdin(file)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
    }
}
