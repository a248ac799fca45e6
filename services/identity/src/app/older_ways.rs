//! What the upgrade to this version closes once: ways into an account that are older than the proof
//! of its address. The person is told by mail, and comes in by a mailed code. The command
//! `older-ways` lists the accounts, before and after.

use std::io::Write as _;

use anyhow::Context as _;
use eventstore::{Database, Retry, Store, StoreError};
use runtime::BoxError;
use runtime::Reader;
use secrecy::{ExposeSecret as _, SecretString};

use crate::app;
use crate::repository::notices::{self, NoticeKind};
use crate::repository::older_ways::{self, OlderWays};
use crate::repository::sessions::Device;
use crate::repository::users;

/// Its name in the table of what is done once.
const TASK: &str = "close_older_ways";

/// Settings of the command `older-ways`.
#[derive(Debug, Clone)]
pub struct OlderWaysConfig {
    /// The database, by the service's own role; `IDENTITY_DATABASE_URL`.
    pub database_url: SecretString,
}

impl OlderWaysConfig {
    /// Reads them.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self { database_url: reader.secret("IDENTITY_DATABASE_URL") }
    }
}

/// Why nothing was closed.
#[derive(Debug, thiserror::Error)]
#[error(transparent)]
pub struct CloseError(#[from] StoreError);

impl From<sqlx::Error> for CloseError {
    fn from(error: sqlx::Error) -> Self {
        Self(error.into())
    }
}

impl Retry for CloseError {
    fn is_conflict(&self) -> bool {
        self.0.is_conflict()
    }
}

/// Closes them at the start of a process, which must not serve while they are open.
pub async fn at_the_start(store: &Store) -> anyhow::Result<()> {
    match close_once(store).await.context("older ways stay open")? {
        0 => {}
        count => tracing::warn!(count, "ways older than the proof of their address are closed"),
    }
    Ok(())
}

/// Closes them, if that was never done; returns in how many accounts.
pub async fn close_once(store: &Store) -> Result<usize, CloseError> {
    store
        .write(app::metadata(), move |tx| {
            Box::pin(async move {
                let now = tx.now().await?;
                if !older_ways::begin_once(tx.connection(), TASK, now).await? {
                    return Ok(0);
                }
                let found = older_ways::list(tx.connection()).await?;
                for ways in &found {
                    users::lock_by_id(tx.connection(), ways.user_id).await?;
                    older_ways::close(tx.connection(), ways).await?;
                    let what = (ways.user_id, NoticeKind::WaysClosed);
                    notices::tell_of_account(tx, what, &Device::default(), now).await?;
                }
                older_ways::note_found(tx.connection(), (TASK, found.len())).await?;
                Ok(found.len())
            })
        })
        .await
}

/// Runs the command: prints a line for each account, without its address.
pub async fn run(database_url: SecretString) -> Result<(), BoxError> {
    let store = Store::new(Database::new(database_url.expose_secret()).open()?);
    let mut out = std::io::stdout();
    for ways in older_ways::list(store.pool()).await? {
        writeln!(out, "{}", line(&ways))?;
    }
    Ok(())
}

fn line(ways: &OlderWays) -> String {
    let OlderWays { user_id, proved_at, sessions, authenticators, recovery_codes, .. } = ways;
    let and = |has: bool, what: &str| if has { format!(", {what}") } else { String::new() };
    format!(
        "{user_id}: proved {proved_at}; older: {sessions} sessions, {authenticators} factors and \
         passkeys, {recovery_codes} recovery codes, {} identities{}{}",
        ways.identities,
        and(ways.password, "a password"),
        and(ways.phone, "a phone"),
    )
}
