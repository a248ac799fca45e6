//! The parent's side of shrinking: few children at a time, and none that lives long.

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

/// How many children run at the same time. Each may have half a gigabyte for a moment.
const CHILDREN_MAX: usize = 2;
/// How long an upload waits until it is its turn.
const QUEUE_TIMEOUT: Duration = Duration::from_secs(15);
/// How long a child may take by the clock on the wall, when the machine has other things to do. Its
/// limit of processor time ends hostile files long before.
const CHILD_TIMEOUT: Duration = Duration::from_secs(30);

/// Shrinks pictures in children of this program.
#[derive(Debug)]
pub struct Worker {
    program: PathBuf,
    permits: Semaphore,
}

/// A child did not do its work, for a reason that has nothing to do with the picture.
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
    /// `program` is this service's own.
    #[must_use]
    pub fn new(program: PathBuf) -> Self {
        Self { program, permits: Semaphore::new(CHILDREN_MAX) }
    }

    /// Makes the picture in `file` anew. Dropped meanwhile, it ends the child.
    ///
    /// # Errors
    /// `Invalid` when it is no picture that we take, or its child had to be stopped; `Busy` when it
    /// was not its turn in time or this machine could not do it.
    pub async fn shrink(&self, file: File) -> Result<Shrunk, UploadError> {
        // Nobody closes the semaphore, so an error is a turn that did not come in time.
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
                Err(UploadError::Invalid)
            }
            None => {
                tracing::warn!("a file was refused as a picture: its child came to an end");
                Err(UploadError::Invalid)
            }
        }
    }

    /// What a child answers, if it ends well.
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
            // It has no use for the service's secrets.
            .env_clear()
            .current_dir("/")
            .stdin(file)
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .kill_on_drop(true)
            .spawn()
    }
}
