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

use crate::picture::answer::{self, ANSWER_BYTES_MAX, Shrunk};
use crate::picture::outcome::Refused;
use crate::picture::shrink::COMMAND;

/// How many children run at the same time. Each may have half a gigabyte for a moment.
const CHILDREN_MAX: usize = 2;
/// How long an upload waits until it is its turn.
const TURN_WITHIN: Duration = Duration::from_secs(15);
/// How long a child may take by the clock on the wall, when the machine has other things to do. Its
/// limit of processor time ends hostile files long before.
const CHILD_WITHIN: Duration = Duration::from_secs(30);

/// Shrinks pictures in children of this program.
#[derive(Debug)]
pub struct Worker {
    program: PathBuf,
    places: Semaphore,
}

/// A child did not do its work, for a reason that has nothing to do with the picture.
#[derive(Debug, thiserror::Error)]
enum Failed {
    #[error("the child could not be started")]
    Start(#[source] std::io::Error),
    #[error("the child could not be heard")]
    Hear(#[source] std::io::Error),
    #[error("the child had not ended in time")]
    Slow,
}

impl Worker {
    /// `program` is this service's own.
    #[must_use]
    pub fn new(program: PathBuf) -> Self {
        Self { program, places: Semaphore::new(CHILDREN_MAX) }
    }

    /// Makes the picture in `file` anew. Dropped meanwhile, it ends the child.
    ///
    /// # Errors
    /// `Invalid` when it is no picture that we take, or its child had to be stopped; `Busy` when it
    /// was not its turn in time or this machine could not do it.
    pub async fn shrink(&self, file: File) -> Result<Shrunk, Refused> {
        // Nobody closes the semaphore, so an error is a turn that did not come in time.
        let Ok(Ok(_place)) = timeout(TURN_WITHIN, self.places.acquire()).await else {
            return Err(Refused::Busy);
        };
        let answered = match timeout(CHILD_WITHIN, self.ask(file)).await {
            Ok(answered) => answered,
            Err(_elapsed) => Err(Failed::Slow),
        };
        let answer = answered.map_err(|error| {
            tracing::error!(error = chain(&error), "a picture could not be shrunk");
            Refused::Busy
        })?;
        match answer.as_ref().and_then(answer::read) {
            Some(Ok(shrunk)) => Ok(shrunk),
            Some(Err(unfit)) => {
                tracing::info!(%unfit, "a file was refused as a picture");
                Err(Refused::Invalid)
            }
            None => {
                tracing::warn!("a file was refused as a picture: its child came to an end");
                Err(Refused::Invalid)
            }
        }
    }

    /// What a child answers, if it ends well.
    async fn ask(&self, file: File) -> Result<Option<Bytes>, Failed> {
        let mut child = self.start(file).map_err(Failed::Start)?;
        let mut answer = Vec::new();
        if let Some(out) = child.stdout.take() {
            let mut out = out.take(ANSWER_BYTES_MAX);
            out.read_to_end(&mut answer).await.map_err(Failed::Hear)?;
        }
        let status = child.wait().await.map_err(Failed::Hear)?;
        Ok(status.success().then(|| Bytes::from(answer)))
    }

    fn start(&self, file: File) -> std::io::Result<Child> {
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
