//! The one-machine program: turns a fresh checkout into a running practice. It starts every
//! service as a process of its own and must never import a service's code. In reading order:
pub mod say;
mod environment;
mod place;
mod account;
mod process;
mod tools;
mod ports;
mod secrets;
mod postgres;
mod nats;
mod test_services;

use anyhow::{Context, Result, bail};
use environment::Environment;
use place::Place;
use std::process::ExitCode;

const USAGE: &str = "\
usage: sukoon [command]
  up                        start the practice and keep it running (the default)
  prepare [--browser]       install what is missing: PostgreSQL, nats-server, a browser for tests
  paths                     print where programs and data are
  test-services             start PostgreSQL and NATS for tests, print their addresses
  test-services --stop      stop them
  test-services -- COMMAND  run a command with them";

/// Runs the command that the arguments name.
pub fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let environment = Environment::of_this_process();
    let place = Place::find(&environment)?;
    // One thread: a child ends with the thread that started it, see `supervise`.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("no runtime can be started")?;
    runtime.block_on(async {
        match words.as_slice() {
            ["test-services"] => {
                test_services::keep(&place, &tools::find(&environment, &place)?).await
            }
            ["test-services", "--stop"] => test_services::end(&place).await,
            ["test-services", "--", ..] => {
                let command = arguments.get(2..).unwrap_or_default();
                test_services::run_with(&place, &tools::find(&environment, &place)?, command).await
            }
            ["help" | "--help" | "-h"] => {
                say::line(USAGE);
                Ok(ExitCode::SUCCESS)
            }
            other => bail!("there is no command `{}`\n{USAGE}", other.join(" ")),
        }
    })
}
