//! `sukoon reset-factors ADDRESS`: takes all second steps off an account of the running practice,
//! for a person who has lost them. It needs the rights to this machine's files, and none to the
//! account.
use crate::process_specs::SERVICES_PROGRAM;
use anyhow::{Context, Result};
use machine::paths::Paths;
use machine::run_state;
use std::process::ExitCode;
use tokio::process::Command;

/// Runs the command of identity with its database's address.
pub(crate) async fn reset(paths: &Paths, email: &str) -> Result<ExitCode> {
    let status = command(paths, email)?
        .status()
        .await
        .context("the program of the services cannot be started")?;
    Ok(if status.success() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn command(paths: &Paths, email: &str) -> Result<Command> {
    let database = run_state::database_url(&paths.data, "identity")
        .context("no practice runs on this machine: start it, then reset the second steps")?;
    let mut command = Command::new(paths.programs.join(SERVICES_PROGRAM));
    command
        .args(["identity", "reset-factors"])
        .env("IDENTITY_DATABASE_URL", database)
        .env("ACCOUNT_EMAIL", email)
        .env("LOG_FILTER", "error");
    Ok(command)
}

#[cfg(test)]
mod tests {
    use super::command;
    use machine::paths::Paths;
    use std::ffi::OsStr;
    use std::fs;
    use std::path::PathBuf;

    #[test]
    fn the_command_of_identity_gets_the_database_of_the_running_practice_and_the_address() {
        let data = std::env::temp_dir().join(format!("sukoon-factors-{}", std::process::id()));
        fs::create_dir_all(&data).unwrap();
        let paths = Paths {
            checkout: PathBuf::from("/"),
            practice: PathBuf::from("/practice"),
            test_data: data.join("test"),
            packages: data.join("packages"),
            programs: PathBuf::from("/programs"),
            data: data.clone(),
        };
        let told = command(&paths, "asha@example.org").unwrap_err().to_string();
        assert!(told.contains("no practice runs on this machine"), "{told}");
        let run = r#"{ "databases": { "identity": { "url": "postgres://identity" },
                                      "booking": { "url": "postgres://booking" } } }"#;
        fs::write(data.join("run.json"), run).unwrap();
        let found = command(&paths, "asha@example.org").unwrap();
        let found = found.as_std();
        assert_eq!(found.get_program(), "/programs/services");
        assert_eq!(found.get_args().collect::<Vec<_>>(), ["identity", "reset-factors"]);
        let setting = |wanted: &str| {
            let (_, value) = found.get_envs().find(|(name, _)| *name == wanted)?;
            value.and_then(OsStr::to_str)
        };
        assert_eq!(setting("IDENTITY_DATABASE_URL"), Some("postgres://identity"));
        assert_eq!(setting("ACCOUNT_EMAIL"), Some("asha@example.org"));
        fs::remove_dir_all(&data).unwrap();
    }
}
