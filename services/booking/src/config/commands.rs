//! The commands for roles of staff, with their settings.

use std::io::Write as _;
use std::str::FromStr;

use eventstore::Database;
use kernel::Id;
use kernel::id::Customer;
use runtime::Reader;
use secrecy::{ExposeSecret as _, SecretString};
use staff::Role;

use crate::read_model::staff::role_of;
use crate::repository::grant_role::grant_role;

/// Settings of `grant`.
#[derive(Debug, Clone)]
pub struct GrantConfig {
    /// The database URL with the owner's role; `BOOKING_MIGRATION_DATABASE_URL`.
    pub owner_url: SecretString,
    /// The account; `STAFF_USER_ID`, a UUID or "usr_…".
    pub person: Person,
    /// The role; `STAFF_ROLE`, a role's word or "none".
    pub role: Granted,
}

/// An account, given by the identity server's UUID or by our id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Person(pub Id<Customer>);

impl FromStr for Person {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let ours = if text.starts_with("usr_") {
            text.to_owned()
        } else {
            format!("usr_{}", text.replace('-', "").to_lowercase())
        };
        ours.parse().map(Self).map_err(|_invalid| "it must be a UUID, or usr_ and 32 digits")
    }
}

/// A role, or none to revoke it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Granted(pub Option<Role>);

impl FromStr for Granted {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        match (text, Role::from_word(text)) {
            (_, Some(role)) => Ok(Self(Some(role))),
            ("none", None) => Ok(Self(None)),
            _ => Err("it must be owner, admin, practitioner, front_desk or none"),
        }
    }
}

/// Settings of `role`.
#[derive(Debug, Clone)]
pub struct RoleConfig {
    /// The database URL with the service's role; `BOOKING_DATABASE_URL`.
    pub database_url: SecretString,
    /// The account; `STAFF_USER_ID`, a UUID or "usr_…".
    pub person: Person,
}

impl RoleConfig {
    /// Reads the settings.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            database_url: reader.secret("BOOKING_DATABASE_URL"),
            person: reader.parse("STAFF_USER_ID", Person(Id::from_uuid(uuid::Uuid::nil()))),
        }
    }
}

impl GrantConfig {
    /// Reads the settings.
    pub fn read(reader: &mut Reader<'_>) -> Self {
        Self {
            owner_url: reader.secret("BOOKING_MIGRATION_DATABASE_URL"),
            person: reader.parse("STAFF_USER_ID", Person(Id::from_uuid(uuid::Uuid::nil()))),
            role: reader.parse("STAFF_ROLE", Granted(None)),
        }
    }
}

/// Grants or revokes a staff role.
pub async fn grant(config: GrantConfig) -> anyhow::Result<()> {
    let GrantConfig { owner_url, person, role } = config;
    grant_role(owner_url.expose_secret(), person.0, role.0).await?;
    Ok(())
}

/// Prints the role that an account has now, or "none".
pub async fn role(config: RoleConfig) -> anyhow::Result<()> {
    let pool = Database::new(config.database_url.expose_secret()).open()?;
    let role = role_of(&pool, config.person.0).await?;
    writeln!(std::io::stdout(), "{}", role.map_or("none", Role::word))?;
    Ok(())
}
