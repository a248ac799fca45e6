//! The command `migrate`.

use anyhow::Context as _;
use secrecy::{ExposeSecret as _, SecretString};
use sqlx::migrate::Migrator;
use url::Url;

/// Settings of `migrate`. A service reads them by its own names.
#[derive(Debug, Clone)]
pub struct MigrationConfig {
    /// The database, with its owner's role.
    pub owner_url: SecretString,
    /// The same with the service's own role, which is granted its rights.
    pub database_url: SecretString,
}

/// Brings a service's database up to date and grants the service's role its rights.
///
/// # Errors
/// The address is no URL, or a migration fails.
pub async fn migrate(config: MigrationConfig, migrations: &Migrator) -> anyhow::Result<()> {
    let database: Url = config
        .database_url
        .expose_secret()
        .parse()
        .context("the address of the service's database is no URL")?;
    let owner_url = config.owner_url.expose_secret();
    eventstore::migrate(owner_url, database.username(), migrations).await?;
    Ok(())
}
