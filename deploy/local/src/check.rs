//! `sukoon check`: runs the checker on a practice, with the addresses that its services use. It
//! only reads.
use crate::practice;
use anyhow::{Result, bail};
use machine::checker::{self, CheckOptions, OF_THE_PROVIDER};
use machine::databases;
use machine::environment::Environment;
use machine::output;
use machine::paths::Paths;
use machine::run_state;
use std::process::ExitCode;

/// Checks the practice that the environment names, or that is installed here, or that runs from
/// this checkout.
pub(crate) async fn run(
    environment: &Environment,
    paths: Option<&Paths>,
    options: CheckOptions,
) -> Result<ExitCode> {
    let Some(settings) = addresses(environment, paths)? else {
        bail!(
            "no practice was found: start one, or set BOOKING_DATABASE_URL and its neighbours to \
             the databases' addresses"
        )
    };
    let is_sound = checker::is_sound(&settings, options).await?;
    Ok(if is_sound { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The settings of the practice that is to be checked. What the environment names comes first.
fn addresses(
    environment: &Environment,
    paths: Option<&Paths>,
) -> Result<Option<Vec<(String, String)>>> {
    if environment.get("BOOKING_DATABASE_URL").is_some() {
        return Ok(Some(Vec::new()));
    }
    if let Some(layout) = server::Layout::installed(environment) {
        return server::check_settings(&layout).map(Some);
    }
    let Some(paths) = paths else { return Ok(None) };
    let revisions = practice::store(paths);
    let in_use = if revisions.is_begun() { revisions.files() } else { paths.practice.clone() };
    let mut settings = vec![
        ("SUKOON_MODE".to_owned(), "development".to_owned()),
        ("PRACTICE_DIR".to_owned(), in_use.to_string_lossy().into_owned()),
    ];
    for service in databases::SERVICES {
        let Some(url) = run_state::database_url(&paths.data, service) else { return Ok(None) };
        settings.push((format!("{}_DATABASE_URL", service.to_uppercase()), url));
    }
    match run_state::provider(&paths.data) {
        Some([url, key_id, key_secret]) => {
            let values = [format!("{url}/v1"), key_id, key_secret];
            settings.extend(OF_THE_PROVIDER.map(str::to_owned).into_iter().zip(values));
        }
        None => output::step("the practice names no provider, so it is not asked"),
    }
    Ok(Some(settings))
}
