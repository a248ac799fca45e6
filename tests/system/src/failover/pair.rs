//! Two PostgreSQL servers, of which one follows the other by streaming replication, and what an
//! operator of them does: promote, rewind, let follow again.

use anyhow::Result;
use tokio::time::Instant;

use super::database_server::DatabaseServer;
use super::relay::Relay;

/// The two servers.
pub(crate) struct Pair {
    /// The one that takes writes.
    pub(crate) primary: DatabaseServer,
    /// The one that follows; the old primary after a failover.
    pub(crate) standby: DatabaseServer,
    /// Whether a commit is acknowledged only when the standby has it on its disk.
    is_synchronous: bool,
}

impl Pair {
    /// Starts a practice's server and a standby that asks for the log at the port of `network`.
    pub(crate) async fn start(
        mut primary: DatabaseServer,
        is_synchronous: bool,
        network: &Relay,
    ) -> Result<Self> {
        primary.start().await?;
        // For pg_rewind, which starts the server by itself once, without our arguments.
        primary.execute("alter system set wal_log_hints = on").await?;
        network.lead_to(&[primary.port]);
        let mut standby = primary.standby("second", network.port()).await?;
        standby.start().await?;
        let mut pair = Self { primary, standby, is_synchronous };
        pair.until_in_step().await?;
        Ok(pair)
    }

    /// Waits until the standby follows, and lets commits wait for it where they are to.
    ///
    /// # Errors
    /// When it does not follow.
    pub(crate) async fn until_in_step(&mut self) -> Result<()> {
        self.primary.wait_for_standbys(self.is_synchronous).await?;
        let state = if self.is_synchronous { "quorum" } else { "async" };
        self.primary.until_followed(self.standby.name, state).await
    }

    /// Kills the primary, promotes the standby, and leads `address` to it. Commits wait for no
    /// standby then, because there is none. Returns when the primary was killed.
    ///
    /// # Errors
    /// When the standby is not promoted.
    pub(crate) async fn fail_over(&mut self, address: &Relay) -> Result<Instant> {
        let killed_at = Instant::now();
        self.primary.kill()?;
        self.standby.promote().await?;
        address.lead_to(&[self.standby.port]);
        std::mem::swap(&mut self.primary, &mut self.standby);
        Ok(killed_at)
    }

    /// Makes the old primary, which is stopped, a standby of the new one.
    ///
    /// # Errors
    /// When it cannot be rewound or does not follow.
    pub(crate) async fn rejoin(&mut self, network: &Relay) -> Result<()> {
        self.primary.make_slot(self.standby.name).await?;
        self.standby.rewind(&self.primary).await?;
        network.lead_to(&[self.primary.port]);
        self.standby.follow(network.port())?;
        self.standby.start().await?;
        self.until_in_step().await
    }
}
