//! The owner's account, with which the first person signs in: made by the services' own commands,
//! each as the user of its unit and with the unit's settings.
use super::decisions::Decisions;
use super::layout::Layout;
use super::operations;
use super::second_step;
use anyhow::{Result, bail};
use machine::account;
use machine::output;
use machine::secrets;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};

/// The program of all services.
const SERVICES: &str = "/usr/lib/sukoon/services";

/// Makes the account and gives it the owner's role, unless it is there. Prints the password once.
pub(crate) fn ensure(layout: &Layout, decisions: &Decisions) -> Result<()> {
    let owner = &decisions.owner;
    let email = ("ACCOUNT_EMAIL", owner.email.as_str());
    let known = service(layout, ("identity", "find-account"), &["identity"], &[email])?;
    if !known.is_empty() {
        let person = ("STAFF_USER_ID", known.as_str());
        let role = service(layout, ("booking", "role"), &["booking"], &[person])?;
        if role != "owner" {
            bail!(
                "{} has an account already and is not the owner; name another address, or have \
                 the account deleted first",
                owner.email
            );
        }
        return Ok(());
    }
    let word = secrets::random_secret();
    let groups = (0..4).filter_map(|group| word.get(group * 4..group * 4 + 4));
    let password = groups.collect::<Vec<_>>().join("-");
    let new = [
        email,
        ("ACCOUNT_PASSWORD", password.as_str()),
        ("ACCOUNT_FIRST_NAME", owner.first_name.as_str()),
        ("ACCOUNT_KEEP_EXISTING", "false"),
    ];
    let id = service(layout, ("identity", "account"), &["identity"], &new)?;
    let grant = [("STAFF_USER_ID", id.as_str()), ("STAFF_ROLE", "owner")];
    service(layout, ("booking", "grant"), &["migrate"], &grant)?;
    output::line(format_args!("The owner signs in as {} with {password}", owner.email));
    second_step::enroll(&decisions.domain, &owner.email, |secret| {
        let app = [email, ("ACCOUNT_PASSWORD", &*password), ("ACCOUNT_TOTP_SECRET", secret)];
        service(layout, ("identity", "enroll-factor"), &["identity"], &app).map(drop)
    })
}

/// Runs a command of a service with the settings of files and further ones; what it prints.
pub(crate) fn service(
    layout: &Layout,
    (name, command): (&str, &str),
    files: &[&str],
    settings: &[(&str, &str)],
) -> Result<String> {
    let user = account::named(if files.contains(&"migrate") {
        "sukoon-migrate"
    } else {
        match name {
            "identity" => "sukoon-identity",
            _ => "sukoon-booking",
        }
    })?;
    let mut run = Command::new(SERVICES);
    run.args([name, command]).env_clear().current_dir("/").stdin(Stdio::null());
    for file in ["practice"].iter().chain(files) {
        run.envs(operations::settings_of(layout, file)?);
    }
    run.envs(settings.iter().copied()).env("LOG_FILTER", "error");
    run.uid(user.uid).gid(user.gid);
    let said = machine::process::output_of(&mut run)?;
    Ok(said.trim().to_owned())
}
