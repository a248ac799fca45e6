//! `sukoon reset-factors ADDRESS`: takes all second steps off an account of the running practice,
//! for a person who has lost them. It needs the rights to this machine's files, and none to the
//! account.
use crate::paths::Paths;
use crate::process_specs::SERVICES_PROGRAM;
use crate::run_state;
use anyhow::{Context, Result};
use std::process::ExitCode;
use tokio::process::Command;

/// Runs the command of identity with its database's address.
pub(crate) async fn reset(paths: &Paths, email: &str) -> Result<ExitCode> {
    let database = run_state::database_url(&paths.data, "identity")
        .context("no practice runs on this machine: start it, then reset the second steps")?;
    let status = Command::new(paths.programs.join(SERVICES_PROGRAM))
        .args(["identity", "reset-factors"])
        .env("IDENTITY_DATABASE_URL", database)
        .env("ACCOUNT_EMAIL", email)
        .env("LOG_FILTER", "error")
        .status()
        .await
        .context("the program of the services cannot be started")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}
