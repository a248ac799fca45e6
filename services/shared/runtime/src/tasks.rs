//! The loops that run beside a server: relay, consumers, timers. One that fails stops the process.

use tokio::task::JoinSet;

use crate::error::BoxError;
use crate::scope::carried;
use crate::shutdown::Shutdown;

/// The loops of one process. When one ends with an error or a panic, all are asked to stop, and
/// [`Tasks::join`] returns which it was: a supervisor cannot see that a process does only half of
/// its work.
pub struct Tasks {
    shutdown: Shutdown,
    set: JoinSet<(&'static str, Result<(), BoxError>)>,
}

/// A loop ended without a shutdown, or with an error.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// The loop's own error.
    #[error("{name} ended with an error")]
    Failed {
        /// The loop's name.
        name: &'static str,
        /// What it ended with.
        #[source]
        source: BoxError,
    },
    /// It ended while it should still run.
    #[error("{name} ended too early")]
    EndedEarly {
        /// The loop's name.
        name: &'static str,
    },
    /// It panicked.
    #[error("a loop panicked")]
    Panicked(#[source] tokio::task::JoinError),
}

impl Tasks {
    /// No loops yet.
    #[must_use]
    pub fn new(shutdown: &Shutdown) -> Self {
        Self { shutdown: shutdown.clone(), set: JoinSet::new() }
    }

    /// Starts a loop that runs until the shutdown signal is given.
    pub fn spawn<F, E>(&mut self, name: &'static str, task: F)
    where
        F: Future<Output = Result<(), E>> + Send + 'static,
        E: Into<BoxError>,
    {
        self.set.spawn(carried(async move { (name, task.await.map_err(Into::into)) }));
    }

    /// Waits until all have ended; the first failure asks the others to stop.
    ///
    /// # Errors
    /// The first loop that failed, panicked, or ended before it was asked to.
    pub async fn join(mut self) -> Result<(), TaskError> {
        let mut first = None;
        while let Some(ended) = self.set.join_next().await {
            let failure = match ended {
                Ok((name, Err(source))) => Some(TaskError::Failed { name, source }),
                Ok((name, Ok(()))) if !self.shutdown.is_triggered() => {
                    Some(TaskError::EndedEarly { name })
                }
                Ok((_, Ok(()))) => None,
                Err(panic) => Some(TaskError::Panicked(panic)),
            };
            if failure.is_some() {
                self.shutdown.trigger();
            }
            first = first.or(failure);
        }
        first.map_or(Ok(()), Err)
    }
}

#[cfg(test)]
mod tests {
    use super::{TaskError, Tasks};
    use crate::Shutdown;

    #[tokio::test]
    async fn a_failure_stops_the_others() {
        let shutdown = Shutdown::new();
        let mut tasks = Tasks::new(&shutdown);
        let stop = shutdown.wait();
        tasks.spawn("patient", async move {
            stop.await;
            Ok::<(), std::io::Error>(())
        });
        tasks.spawn("broken", async { Err(std::io::Error::other("gone")) });
        let error = tasks.join().await.unwrap_err();
        assert!(matches!(error, TaskError::Failed { name: "broken", .. }));
        assert!(shutdown.is_triggered());
    }

    #[tokio::test]
    async fn ending_when_asked_is_no_failure_and_ending_early_is_one() {
        let shutdown = Shutdown::new();
        let mut tasks = Tasks::new(&shutdown);
        tasks.spawn("hasty", async { Ok::<(), std::io::Error>(()) });
        assert!(matches!(tasks.join().await, Err(TaskError::EndedEarly { name: "hasty" })));
        let mut tasks = Tasks::new(&shutdown);
        tasks.spawn("asked", async { Ok::<(), std::io::Error>(()) });
        tasks.join().await.unwrap();
    }
}
