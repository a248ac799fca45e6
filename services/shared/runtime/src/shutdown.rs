//! The shutdown signal, shared by everything that runs in a process.

use std::io;

use tokio::signal::unix::{SignalKind, signal};
use tokio::sync::watch;

/// A signal that can be given once and is seen by every clone, also by those that look later.
#[derive(Debug, Clone)]
pub struct Shutdown {
    sender: watch::Sender<bool>,
}

impl Default for Shutdown {
    fn default() -> Self {
        Self::new()
    }
}

impl Shutdown {
    /// A signal that only [`Shutdown::trigger`] gives.
    #[must_use]
    pub fn new() -> Self {
        Self { sender: watch::Sender::new(false) }
    }

    /// A signal that SIGTERM and SIGINT give too.
    ///
    /// # Errors
    /// The system refuses to tell of signals.
    pub fn on_signals() -> io::Result<Self> {
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        let shutdown = Self::new();
        let given = shutdown.clone();
        tokio::spawn(async move {
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            tracing::info!("stopping");
            given.trigger();
        });
        Ok(shutdown)
    }

    /// Gives the signal.
    pub fn trigger(&self) {
        self.sender.send_replace(true);
    }

    /// Whether it was given.
    #[must_use]
    pub fn is_triggered(&self) -> bool {
        *self.sender.borrow()
    }

    /// Waits until it is given. The future owns what it needs, so that a task can hold it.
    pub fn wait(&self) -> impl Future<Output = ()> + Send + 'static {
        let mut receiver = self.sender.subscribe();
        async move {
            // The sender lives in every clone; without any no shutdown can be asked for.
            if receiver.wait_for(|given| *given).await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Shutdown;

    #[tokio::test]
    async fn every_clone_sees_it_and_so_does_who_comes_late() {
        let shutdown = Shutdown::new();
        let waiting = tokio::spawn(shutdown.clone().wait());
        assert!(!shutdown.is_triggered());
        shutdown.trigger();
        waiting.await.unwrap();
        shutdown.wait().await;
        assert!(shutdown.clone().is_triggered());
    }

    #[tokio::test]
    async fn a_term_signal_gives_it() {
        let shutdown = Shutdown::on_signals().unwrap();
        let own = std::process::id().to_string();
        let sent = tokio::process::Command::new("kill").args(["-TERM", &own]).status().await;
        assert!(sent.unwrap().success());
        shutdown.wait().await;
    }
}
