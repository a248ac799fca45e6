//! The one-machine program: turns a fresh checkout into a running practice. It starts each service
//! as a separate process, or all as one, and must never import a service's code. In reading order:
mod packages;
mod caldav;
mod test_services;
mod options;
mod supervise;
mod readiness;
mod small_form;
mod process_specs;
mod factors;
mod practice;
mod owner;
mod addresses;
mod chosen_ports;
mod up;
mod watch;
mod check;

use anyhow::{Context, Result, bail};
use machine::environment::Environment;
use machine::paths::Paths;
use machine::{checker, keys, output, tools};
use packages::Need;
use std::process::ExitCode;

const USAGE: &str = "\
usage: sukoon [command]
  up                        start the practice and keep it running (the default); FORM=small starts
                            all services as one process, without NATS
  prepare [--browser]       install what is missing: PostgreSQL, nats-server, a browser for tests
  prepare --caldav          a CalDAV server (Radicale, with Python's pip), which tests read
  prepare --backups         pgBackRest and age, which tests back up with
  prepare --nginx           the same with nginx, which the benchmark measures our pages against
  prepare --promtool        the same with Prometheus' promtool, which tests alerts
  watch [--once]            alarms and figures of the running practice; mails begin with
                            SUKOON_OPERATOR_EMAIL
  keys rotate [--now]       new keys for signing and for codes; sessions go on
  keys renew-links [--end-previous]
                            new keys of links in mails, files of consents and hashes of
                            addresses; those before stay good until this is repeated
  keys renew-certificates   new certificates of a practice that runs with SUKOON_TLS=true
  owner                     print the password of the practice's owner on this machine
  owner code                print a code of that owner's second step, for a sign-in in the browser
  reset-factors ADDRESS     take the second steps off an account whose owner has lost them
  check [--json] [--without-provider]
                            whether what is stored keeps all invariants; it only reads
  complete-practice         put files that came with this version into the folder PRACTICE_DIR
  paths                     print where programs and data are
  test-services             start PostgreSQL and NATS for tests, print their addresses
  test-services --stop      stop them
  test-services -- COMMAND  run a command with them";

/// What all commands are.
fn usage() -> String {
    let staff = staff_commands::usage();
    format!("{USAGE}\n{}\n{}\n{staff}", machine::practice::USAGE, server::USAGE)
}

/// Runs the command that the arguments name.
pub fn main() -> Result<ExitCode> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let environment = Environment::of_this_process();
    let paths = Paths::find(&environment);
    // One thread only: a child is stopped when the thread that started it ends, see `supervise`.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .context("no runtime can be started")?;
    runtime.block_on(async {
        if let Some(done) = run_anywhere(&environment, paths.as_ref().ok(), &arguments).await {
            return done;
        }
        let paths = paths.map_err(|error| match server::instead(&environment, &words) {
            Some(says) => anyhow::anyhow!(says),
            None => error,
        })?;
        match words.as_slice() {
            [] | ["up"] => {
                let run_config = up::RunConfig::open(&environment, &paths).await?;
                let form = run_config.form();
                up::run(run_config, &packages::prepare_form(&environment, &paths, form)?).await
            }
            ["prepare"] => packages::prepare(&environment, &paths, &[]).map(success),
            ["prepare", "--browser"] => {
                packages::prepare_browser(&environment, &paths).map(success)
            }
            ["prepare", "--nginx"] => {
                packages::prepare(&environment, &paths, &[Need::Nginx]).map(success)
            }
            ["prepare", "--promtool"] => {
                packages::prepare(&environment, &paths, &[Need::Promtool]).map(success)
            }
            ["prepare", "--backups"] => {
                let needs = [Need::Backrest, Need::Age];
                packages::prepare(&environment, &paths, &needs).map(success)
            }
            ["prepare", "--caldav"] => caldav::prepare(&paths).map(success),
            ["keys", "rotate"] => keys::rotate(&paths, false).await,
            ["keys", "rotate", "--now"] => keys::rotate(&paths, true).await,
            ["keys", "renew-links"] => keys::links(&paths, false),
            ["keys", "renew-links", "--end-previous"] => keys::links(&paths, true),
            ["keys", "renew-certificates"] => keys::renew_certificates(&paths),
            ["owner"] => owner::show(&paths),
            ["owner", "code"] => staff_commands::print_owner_code(&paths).await,
            ["reset-factors", email] => factors::reset(&paths, email).await,
            ["complete-practice"] => practice::complete(&paths).map(success),
            ["paths"] => show_paths(&environment, &paths, None),
            ["paths", name] => show_paths(&environment, &paths, Some(name)),
            ["test-services"] => {
                test_services::start_and_keep(
                    &paths,
                    &packages::prepare(&environment, &paths, &[])?,
                )
                .await
            }
            ["test-services", "--stop"] => test_services::stop_kept(&paths).await,
            ["test-services", "--", ..] => {
                let command = arguments.get(2..).unwrap_or_default();
                let found = packages::prepare(&environment, &paths, &[])?;
                test_services::run_with(&paths, &found, command).await
            }
            other => bail!("there is no command `{}`\n{}", other.join(" "), usage()),
        }
    })
}

/// The commands that need no checkout: those of staff, of a server with the package, and those
/// that only read.
async fn run_anywhere(
    environment: &Environment,
    paths: Option<&Paths>,
    arguments: &[String],
) -> Option<Result<ExitCode>> {
    let words: Vec<&str> = arguments.iter().map(String::as_str).collect();
    if let Some(done) = server::run(environment, &words).await {
        return Some(done);
    }
    if let Some(code) = staff_commands::run(&server::for_staff(environment), paths, arguments).await
    {
        return Some(Ok(code));
    }
    match words.as_slice() {
        ["help" | "--help" | "-h"] => {
            output::line(usage());
            Some(Ok(ExitCode::SUCCESS))
        }
        ["practice", words @ ..] => {
            let places = paths.map(practice::places);
            Some(machine::practice::run(words, places.as_ref()))
        }
        ["check", options @ ..] => {
            let options = checker::CheckOptions::read(options)
                .with_context(|| format!("`sukoon check` takes other words\n{USAGE}"));
            Some(match options {
                Ok(options) => check::run(environment, paths, options).await,
                Err(error) => Err(error),
            })
        }
        ["watch", options @ ..] => Some(match server::watched(environment) {
            Ok(watched) => watch::run(&watched, paths.map(|it| it.data.as_path()), options).await,
            Err(error) => Err(error),
        }),
        _ => None,
    }
}

fn success<T>(_: T) -> ExitCode {
    ExitCode::SUCCESS
}

/// Prints all paths, or only the requested one.
fn show_paths(environment: &Environment, paths: &Paths, only: Option<&str>) -> Result<ExitCode> {
    let found = tools::find(environment, paths)?;
    let tool = |tool: Option<tools::Tool>| tool.map(|tool| tool.path);
    let entries = [
        ("data", Some(paths.data.clone())),
        ("test-data", Some(paths.test_data.clone())),
        ("packages", Some(paths.packages.clone())),
        ("postgres", tool(found.postgres)),
        ("nats-server", tool(found.nats)),
        ("browser", tool(found.browser)),
        ("nginx", tool(found.nginx)),
        ("promtool", tool(found.promtool)),
        ("pgbackrest", tool(found.backrest)),
        ("age", tool(found.age)),
    ];
    for (name, path) in entries.iter().filter(|(name, _)| only.is_none_or(|only| only == *name)) {
        match (path, only) {
            (Some(path), Some(_)) => output::line(path.display()),
            (Some(path), None) => output::line(format_args!("{name:<12} {}", path.display())),
            (None, Some(name @ ("nginx" | "promtool"))) => {
                bail!("{name} is missing; `sukoon prepare --{name}` installs it")
            }
            (None, Some("pgbackrest" | "age")) => {
                bail!("{name} is missing; `sukoon prepare --backups` installs it")
            }
            (None, Some(_)) => bail!("{name} is missing; `sukoon prepare --browser` installs it"),
            (None, None) => output::line(format_args!("{name:<12} (missing)")),
        }
    }
    Ok(ExitCode::SUCCESS)
}
