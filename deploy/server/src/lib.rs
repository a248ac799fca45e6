//! A practice on one small server of its own, installed from the Debian package: systemd starts
//! what `sukoon up` starts elsewhere. `deploy/vm/README.md` tells an operator about it.
mod layout;
mod user;
mod cluster;
mod backrest;
mod pictures;
mod operations;
mod check_settings;
mod units;
mod decisions;
mod requirements;
mod files;
mod changes;
mod opening;
mod outside;
mod push;
mod look;
mod sample;
mod sender;
mod ready;
mod moments;
mod power;
mod backup;
mod postmaster;
mod drill;
mod rights;
mod restore;
mod second_step;
mod owner_account;
mod places;
mod init;
mod upgrade;
mod archive;
mod alarm;
mod logs;
mod rotate;
mod status;
mod doctor;

use anyhow::Result;
use machine::environment::Environment;
use std::path::Path;
use std::process::ExitCode;

pub use check_settings::check_settings;
pub use layout::Layout;
pub use push::{Message, Push};

/// The usage text of these commands.
pub const USAGE: &str = "\
for the operator of a server on which the package `sukoon` is installed, as root:
  init [FILE] [--without CHECK,...]
                            set the practice up: asks what it has to decide, or takes it from a
                            file; looks at name, ports, memory, disk, mail and payment keys first;
                            with other answers it starts again what they concern
  status                    what runs, whether visitors reach the site, when it was last backed up
                            and last restored on trial
  doctor                    the same, and the machine once more: name, memory, disk, mail, keys,
                            and a meeting that is made and removed;
                            with SUKOON_EMAIL it is the command of staff
  ready                     what is missing before the practice goes live, each with one act
  keys rotate               new passwords and keys between the services; sessions go on
  keys renew-links          new keys of links, consent files and hashes of addresses
  logs [PART] [--follow]    the logs, of everything or of one part such as booking
  backup [--full]           back up now: what changed, or everything
  restore [--to TIME]       put the last backup in place, or the practice as it was at a time
                            such as 2026-11-24T18:30 by its own clock; a time with Z is UTC, and
                            India's clock is 5:30 ahead of that. Asks first, unless --yes. Where
                            it fails, the practice opens with the data that it had. Members,
                            sign-in methods and consents that had ended stay ended, unless
                            --with-ended-rights; all sessions end
  upgrade FILE              install another version of the package; backs up first, and goes back
                            by itself when the practice does not open
  rollback [--with-data]    the version before the last upgrade, or the data of then too
  export FILE [--keep-open] close the practice and write all of it into a sealed file
  import FILE               put that in the place of the practice that was set up here; its key is
                            in SUKOON_ARCHIVE_KEY
  drill                     restore into a scratch cluster, check it, say how long that took";

/// The environment in which `sukoon watch` reads the practice of this server, if there is one: the
/// ports of its metrics are added, and to the unit's what it needs for mails, which it alone sends.
pub fn watched(environment: &Environment) -> Result<Environment> {
    let layout = Layout::of(environment);
    let file = layout.settings_file("alarm");
    let is_unit = file != layout.environment_file("alarm");
    if !is_unit && Layout::installed(environment).is_none() {
        return Ok(environment.clone());
    }
    let settings = operations::settings_of(&layout, "alarm")?.into_iter();
    Ok(environment.with(settings.filter(|(name, _)| is_unit || name == "SUKOON_METRICS_PORTS")))
}

/// The environment in which staff's commands find the practice of this server, if there is one: by
/// its gateway on loopback, with links of the address that clients have.
pub fn for_staff(environment: &Environment) -> Environment {
    let Some(layout) = Layout::installed(environment) else { return environment.clone() };
    let mut found = vec![
        ("SUKOON_SERVER_URL", format!("http://127.0.0.1:{}", files::GATEWAY_PORT)),
        ("SUKOON_SERVER_INNER_URL", format!("http://127.0.0.1:{}", files::INNER_PORT)),
    ];
    let site = std::fs::read_to_string(layout.configuration().join(files::SITE));
    found.extend(site.ok().map(|site| ("SUKOON_PUBLIC_URL", site.trim().to_owned())));
    environment.with(found.into_iter().map(|(name, value)| (name.to_owned(), value)))
}

/// What a command that is for a practice of `sukoon up` has to say on a server; none elsewhere.
pub fn instead(environment: &Environment, words: &[&str]) -> Option<String> {
    Layout::installed(environment)?;
    Some(match words {
        ["owner", ..] => {
            "the owner's password is on no file of a server: `sukoon init` printed it \
                          once. A new one is set by \"Forgot password\" on the sign-in page; codes \
                          of the second step are in the owner's own app"
                .to_owned()
        }
        ["reset-factors", ..] => "on a server an owner or admin takes a second step off: \
                                  Organisation, Members, on the site"
            .to_owned(),
        _ => format!(
            "there is no command `{}` on a server; `sukoon help` lists them",
            words.join(" ")
        ),
    })
}

/// Runs one of these commands; none when the words name no such command.
pub async fn run(environment: &Environment, words: &[&str]) -> Option<Result<ExitCode>> {
    let known = [
        "init", "alarm", "status", "ready", "logs", "backup", "restore", "drill", "upgrade",
        "rollback", "export", "import",
    ];
    let (command, rest) = words.split_first()?;
    if *command == "init" {
        return Some(match init::InitOptions::read(rest) {
            Ok(options) => init::run(&Layout::of(environment), &options).await,
            Err(error) => Err(error),
        });
    }
    if words == ["look"] {
        return Some(look::run(&Layout::installed(environment)?).await);
    }
    if let ("alarm", [job]) = (*command, rest) {
        return Some(alarm::run(&Layout::of(environment), job).await);
    }
    if let ["keys", "rotate"] = words {
        // Elsewhere it is the command of a practice that `sukoon up` has started.
        return Some(rotate::run(&Layout::installed(environment)?).await);
    }
    if let ["keys", "renew-links", rest @ ..] = words
        && (rest.is_empty() || rest == ["--end-previous"])
        && let Some(layout) = Layout::installed(environment)
    {
        return Some(rotate::links(&layout, !rest.is_empty()).await);
    }
    if let ["practice", rest @ ..] = words {
        // Elsewhere the folder is that of a practice that `sukoon up` starts.
        let places = Layout::installed(environment)?.practice_places();
        return Some(machine::practice::run(rest, Some(&places)));
    }
    if words == ["doctor"] && environment.get("SUKOON_EMAIL").is_none() {
        // As a person of the practice it is a command of staff.
        return Some(doctor::run(&Layout::installed(environment)?).await);
    }
    if !known.contains(command) {
        return None;
    }
    let Some(layout) = Layout::installed(environment) else {
        return Some(Err(anyhow::anyhow!(
            "`sukoon {command}` is for a server on which the package `sukoon` is installed and \
             `sukoon init` has been run"
        )));
    };
    Some(match (*command, rest) {
        ("status", []) => status::run(&layout).await,
        ("ready", []) => ready::run(&layout).await,
        ("logs", options) => logs::run(options).await,
        ("backup", []) => backup::run(&layout, backup::Extent::Changed).await,
        ("backup", ["--full"]) => backup::run(&layout, backup::Extent::Full).await,
        ("drill", []) => drill::run(&layout).await,
        ("restore", options) => match restore::RestoreOptions::read(options) {
            Ok(wanted) => restore::run(&layout, &wanted).await,
            Err(error) => Err(error),
        },
        ("upgrade", [file]) => upgrade::run(&layout, Path::new(file)).await,
        ("rollback", []) => upgrade::back(&layout, false).await,
        ("rollback", ["--with-data"]) => upgrade::back(&layout, true).await,
        ("export", [file]) => archive::export(&layout, Path::new(file), false).await,
        ("export", [file, "--keep-open"]) => archive::export(&layout, Path::new(file), true).await,
        ("import", [file]) => archive::import(environment, &layout, Path::new(file)).await,
        (command, _) => Err(anyhow::anyhow!("`sukoon {command}` takes other words\n{USAGE}")),
    })
}
