//! Seeds the practice's owner, and shows its password.
use crate::supervise::{ProcessSpec, Supervisor};
use anyhow::{Context, Result, bail};
use machine::app_codes::OwnerApp;
use machine::output;
use machine::owner::{self, Owner};
use machine::paths::Paths;
use machine::process::last_lines;
use std::process::ExitCode;

/// `sukoon owner`: prints the owner's password, which a start says only when it makes it, because
/// what a start prints may be kept in a log.
pub(crate) fn show(paths: &Paths) -> Result<ExitCode> {
    output::line(owner::password(&paths.data)?);
    Ok(ExitCode::SUCCESS)
}

/// Suppresses logs, so that the output contains only the result.
const QUIET: (&str, &str) = ("LOG_FILTER", "error");

/// Ensures that the owner has an account with the owner's role and a second step. `parts` are all
/// processes with their settings.
///
/// An account that has a role is kept. An account without a role may belong to a stranger, who
/// registered the address before the practice did: it never gets the role and is replaced.
pub(crate) async fn seed(
    supervisor: &Supervisor,
    parts: &[ProcessSpec],
    owner: &Owner,
    app: &OwnerApp,
) -> Result<()> {
    let email = ("ACCOUNT_EMAIL", owner.email.as_str());
    let account_id =
        run_once(supervisor, parts, ("identity", "find-account"), &[email, QUIET]).await?;
    let account_id = account_id.trim();
    let role = match account_id {
        "" => String::new(),
        id => {
            let person = [("STAFF_USER_ID", id), QUIET];
            run_once(supervisor, parts, ("booking", "role"), &person).await?
        }
    };
    match role.trim() {
        "owner" => {}
        "" | "none" => {
            let id = new_account(supervisor, parts, owner).await?;
            if !account_id.is_empty() {
                output::step(format_args!(
                    "{} had an account already, with no role here: it is gone, and the owner has \
                     a new one",
                    owner.email
                ));
            }
            grant(supervisor, parts, id.trim()).await?;
        }
        _other => grant(supervisor, parts, account_id).await?,
    }
    enroll(supervisor, parts, owner, app).await
}

/// Gives the owner the authenticator app of the data folder, so that the commands on this machine
/// show a second step by themselves. A person who has a second step or a password of their own
/// keeps it.
async fn enroll(
    supervisor: &Supervisor,
    parts: &[ProcessSpec],
    owner: &Owner,
    app: &OwnerApp,
) -> Result<()> {
    let is_new = !app.exists();
    let settings = [
        ("ACCOUNT_EMAIL", owner.email.as_str()),
        ("ACCOUNT_PASSWORD", &owner.password),
        ("ACCOUNT_TOTP_SECRET", &app.secret()?),
        QUIET,
    ];
    let enrolled = run_once(supervisor, parts, ("identity", "enroll-factor"), &settings).await;
    if is_new && !enrolled.as_ref().is_ok_and(|word| word.trim() == "enrolled") {
        app.remove()?;
    }
    let what = match enrolled?.trim() {
        "has-factor" if is_new => "has a second step of its own",
        "other-password" => "has a password of its own",
        _ => return Ok(()),
    };
    output::step(format_args!(
        "{} {what}: commands take its password in SUKOON_PASSWORD and its code in SUKOON_CODE",
        owner.email
    ));
    Ok(())
}

async fn new_account(
    supervisor: &Supervisor,
    parts: &[ProcessSpec],
    owner: &Owner,
) -> Result<String> {
    let account = [
        ("ACCOUNT_EMAIL", owner.email.as_str()),
        ("ACCOUNT_PASSWORD", &owner.password),
        ("ACCOUNT_FIRST_NAME", "Owner"),
        // This overrides the value in our own environment.
        ("ACCOUNT_KEEP_EXISTING", "false"),
        QUIET,
    ];
    run_once(supervisor, parts, ("identity", "account"), &account).await
}

async fn grant(supervisor: &Supervisor, parts: &[ProcessSpec], id: &str) -> Result<()> {
    let staff = [("STAFF_USER_ID", id), ("STAFF_ROLE", "owner")];
    run_once(supervisor, parts, ("booking", "grant"), &staff).await.map(|_printed| ())
}

async fn run_once(
    supervisor: &Supervisor,
    parts: &[ProcessSpec],
    (name, argument): (&str, &str),
    settings: &[(&str, &str)],
) -> Result<String> {
    let part = parts.iter().find(|part| part.name == name).context("a program is missing")?;
    let mut once = part.clone().with_argument(argument);
    // Roles are granted by the database's owner.
    if argument == "grant" {
        once = once.into_owners();
    }
    let own = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    once.environment.extend(settings.iter().map(own));
    let output = supervisor.command(&once)?.output().await;
    let output = output.with_context(|| format!("{name} cannot be started"))?;
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    if !output.status.success() {
        let said = [&*printed, &*String::from_utf8_lossy(&output.stderr)].concat();
        let log = last_lines(&supervisor.log(name), 3);
        bail!("`{name} {argument}` failed ({}):\n{}\n{log}", output.status, said.trim());
    }
    Ok(printed)
}
#[cfg(test)]
mod tests {
    use super::*;
    use machine::environment::Environment;
    use machine::run_state::RunState;
    use machine::secrets::SecretStore;
    use std::fs;
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    /// Programs that record their calls and print the contents of the files `id` and `role`.
    fn programs(data: &Path) -> (Supervisor, Vec<ProcessSpec>) {
        let script = data.join("program");
        fs::write(
            &script,
            "#!/bin/sh\ncd \"$(dirname \"$0\")\"\n\
             echo \"$1 keep=$ACCOUNT_KEEP_EXISTING id=$STAFF_USER_ID\" >> calls\n\
             case \"$1\" in find-account) cat id ;; role) cat role ;;\n\
             account) echo new-id ;; enroll-factor) cat enrolled ;; esac\n",
        )
        .unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o700)).unwrap();
        let parts = ["identity", "booking"].map(|name| ProcessSpec::new(name, script.clone()));
        (Supervisor::new(RunState::new(data), data.to_owned()), parts.to_vec())
    }

    /// The calls that are made when the owner's address has this account with this role.
    async fn calls(name: &str, id: &str, role: &str) -> Vec<String> {
        let (mut calls, has_app) = seeded(name, (id, role), "enrolled\n").await;
        assert!(has_app);
        assert_eq!(calls.pop().unwrap(), "enroll-factor keep= id=");
        calls
    }

    /// The same with what the app's enrolment comes to; the calls, and whether a secret is kept.
    async fn seeded(name: &str, (id, role): (&str, &str), enrolled: &str) -> (Vec<String>, bool) {
        let (data, mut secret_store) = secret_store(name);
        fs::write(data.join("enrolled"), enrolled).unwrap();
        fs::write(data.join("id"), id).unwrap();
        fs::write(data.join("role"), role).unwrap();
        let (supervisor, parts) = programs(&data);
        let owner = Owner::of(&Environment::default(), &mut secret_store).unwrap().unwrap();
        let app = OwnerApp::of(&data);
        seed(&supervisor, &parts, &owner, &app).await.unwrap();
        let calls = fs::read_to_string(data.join("calls")).unwrap();
        let has_app = app.exists();
        fs::remove_dir_all(data).unwrap();
        (calls.lines().map(str::to_owned).collect(), has_app)
    }

    #[tokio::test]
    async fn an_owner_with_a_second_step_or_password_of_its_own_keeps_it() {
        for (name, word) in [("own-step", "has-factor\n"), ("own-word", "other-password\n")] {
            let (_calls, has_app) = seeded(name, ("known-id\n", "owner\n"), word).await;
            assert!(!has_app, "{word}");
        }
    }

    #[tokio::test]
    async fn an_owner_with_the_role_is_not_changed() {
        let calls = calls("kept", "known-id\n", "owner\n").await;
        assert_eq!(calls, ["find-account keep= id=", "role keep= id=known-id"]);
    }

    #[tokio::test]
    async fn an_account_without_a_role_is_never_given_one() {
        let calls = calls("stranger", "known-id\n", "none\n").await;
        let expected = [
            "find-account keep= id=",
            "role keep= id=known-id",
            "account keep=false id=",
            "grant keep= id=new-id",
        ];
        assert_eq!(calls, expected);
    }

    #[tokio::test]
    async fn an_address_without_an_account_gets_one_and_the_role() {
        let calls = calls("first", "", "").await;
        let expected =
            ["find-account keep= id=", "account keep=false id=", "grant keep= id=new-id"];
        assert_eq!(calls, expected);
    }

    #[tokio::test]
    async fn a_member_of_staff_who_becomes_the_owner_keeps_the_account() {
        let calls = calls("member", "known-id\n", "front_desk\n").await;
        let expected =
            ["find-account keep= id=", "role keep= id=known-id", "grant keep= id=known-id"];
        assert_eq!(calls, expected);
    }

    fn secret_store(name: &str) -> (std::path::PathBuf, SecretStore) {
        let data = std::env::temp_dir().join(format!("sukoon-{name}-{}", std::process::id()));
        fs::create_dir_all(&data).unwrap();
        let secret_store = SecretStore::open(&data.join("secrets")).unwrap();
        (data, secret_store)
    }
}
