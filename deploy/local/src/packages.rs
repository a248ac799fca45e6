//! Installs missing programs: with the machine's package manager if that is allowed, or else by
//! unpacking the same signed packages into our own folder.
use crate::options::Form;
use anyhow::{Context, Result, bail};
use machine::account;
use machine::environment::Environment;
use machine::output;
use machine::paths::{self, Paths};
use machine::process::{last_lines, open_log, output_of};
use machine::tools::{self, InstalledTools};
use std::fs::{self, File};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// A program that Sukoon needs and does not build.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Need {
    /// The database server.
    Postgres,
    /// The message broker.
    Nats,
    /// The browser for tests and screenshots.
    Browser,
    /// The browser's headless shell, with which tests take two thirds of the time.
    Headless,
    /// The web server that the benchmark compares ours with.
    Nginx,
    /// Prometheus' tool, with which alerts are tested.
    Promtool,
    /// Backs PostgreSQL up, on a server of its own and in tests.
    Backrest,
    /// Seals what is backed up beside it.
    Age,
}

impl Need {
    fn is_met_by(self, found: &InstalledTools) -> bool {
        match self {
            Need::Postgres => found.postgres.is_some(),
            Need::Nats => found.nats.is_some(),
            Need::Browser => found.browser.is_some(),
            Need::Headless => found.is_headless(),
            Need::Nginx => found.nginx.is_some(),
            Need::Promtool => found.promtool.is_some(),
            Need::Backrest => found.backrest.is_some(),
            Need::Age => found.age.is_some(),
        }
    }

    fn title(self) -> &'static str {
        match self {
            Need::Postgres => "PostgreSQL",
            Need::Nats => "nats-server",
            Need::Browser => "Chromium",
            Need::Headless => "Chromium's headless shell",
            Need::Nginx => "nginx",
            Need::Promtool => "promtool",
            Need::Backrest => "pgBackRest",
            Need::Age => "age",
        }
    }

    fn debian_package(self) -> &'static str {
        match self {
            Need::Postgres => "postgresql",
            Need::Nats => "nats-server",
            Need::Browser => "chromium",
            Need::Headless => tools::HEADLESS,
            Need::Nginx => "nginx",
            Need::Promtool => tools::PROMETHEUS,
            Need::Backrest => "pgbackrest",
            Need::Age => "age",
        }
    }

    fn brew_arguments(self) -> &'static [&'static str] {
        match self {
            Need::Postgres => &["install", "postgresql@17"],
            Need::Nats => &["install", "nats-server"],
            Need::Browser | Need::Headless => &["install", "--cask", "chromium"],
            Need::Nginx => &["install", "nginx"],
            Need::Promtool => &["install", tools::PROMETHEUS],
            Need::Backrest => &["install", "pgbackrest"],
            Need::Age => &["install", "age"],
        }
    }
}

/// Installs missing programs and returns all that are there afterwards. PostgreSQL and NATS are
/// always included; `additional` names those for tests.
pub(crate) fn prepare(
    environment: &Environment,
    paths: &Paths,
    additional: &[Need],
) -> Result<InstalledTools> {
    ensure(environment, paths, &[&[Need::Postgres, Need::Nats], additional].concat())
}

/// The same for a practice of this form.
pub(crate) fn prepare_form(
    environment: &Environment,
    paths: &Paths,
    form: Form,
) -> Result<InstalledTools> {
    match form {
        Form::Many => prepare(environment, paths, &[]),
        Form::Small => ensure(environment, paths, &[Need::Postgres]),
    }
}

fn ensure(environment: &Environment, paths: &Paths, needs: &[Need]) -> Result<InstalledTools> {
    let missing = |found: &InstalledTools| -> Vec<Need> {
        needs.iter().copied().filter(|need| !need.is_met_by(found)).collect()
    };
    let found = tools::find(environment, paths)?;
    if missing(&found).is_empty() {
        return Ok(found);
    }
    let _lock = lock_packages(paths)?;
    // Another process may have installed them while we waited for the lock.
    let found = tools::find(environment, paths)?;
    let missing_needs = missing(&found);
    if missing_needs.is_empty() {
        return Ok(found);
    }
    let titles: Vec<&str> = missing_needs.iter().map(|need| need.title()).collect();
    install(environment, paths, &missing_needs, &titles.join(" and "))?;
    let found = tools::find(environment, paths)?;
    match missing(&found).first() {
        None => Ok(found),
        Some(need) => bail!(
            "{0} was installed but does not run; install {0} yourself and try again",
            need.title()
        ),
    }
}

/// Prepares the browser for tests: the headless shell if the distribution has one, or else the
/// browser itself.
///
/// # Errors
/// When neither exists and neither can be installed.
pub(crate) fn prepare_browser(environment: &Environment, paths: &Paths) -> Result<InstalledTools> {
    let is_available = || {
        let answer = Command::new("apt-cache").args(["show", tools::HEADLESS]).output();
        answer.is_ok_and(|answer| answer.status.success() && !answer.stdout.is_empty())
    };
    if environment.get("CHROME_PATH").is_none() && is_available() {
        match prepare(environment, paths, &[Need::Headless]) {
            Ok(found) => return Ok(found),
            Err(error) => output::step(format_args!("going on with Chromium itself: {error:#}")),
        }
    }
    prepare(environment, paths, &[Need::Browser])
}

/// The lock of all that is installed into our own folder.
pub(crate) fn lock_packages(paths: &Paths) -> Result<File> {
    if let Some(home) = paths.packages.parent() {
        paths::create_traversable(home)?;
    }
    paths::create_traversable(&paths.packages)?;
    let file = File::create(paths.packages.join("lock")).context("no lock can be made")?;
    file.lock().context("the lock of the packages cannot be taken")?;
    Ok(file)
}

fn install(
    environment: &Environment,
    paths: &Paths,
    missing_needs: &[Need],
    titles: &str,
) -> Result<()> {
    let has = |program: &str| {
        let path = environment.get("PATH").unwrap_or_default();
        std::env::split_paths(path).any(|folder| folder.join(program).is_file())
    };
    let installer = Installer { log: paths.packages.join("install.log") };
    let unpack = !account::is_root() || environment.is_on("SUKOON_IGNORE_SYSTEM");
    if cfg!(target_os = "macos") && has("brew") {
        output::step(format_args!("installing {titles} with brew"));
        return missing_needs
            .iter()
            .try_for_each(|need| installer.run(Command::new("brew").args(need.brew_arguments())));
    }
    if !has("apt-get") || !has("dpkg-deb") {
        bail!(
            "{titles} must be there (PostgreSQL 15 or newer): install {} with your system's \
             package manager and try again",
            if missing_needs.len() == 1 { "it" } else { "them" }
        );
    }
    if missing_needs.contains(&Need::Browser) && is_ubuntu() {
        bail!(
            "Ubuntu's chromium package only points to a snap: install Chrome or Chromium yourself \
             and name its program with CHROME_PATH"
        );
    }
    if unpack {
        installer.unpack(paths, missing_needs, titles)
    } else {
        installer.apt_install(missing_needs, titles)
    }
}

fn is_ubuntu() -> bool {
    fs::read_to_string("/etc/os-release").is_ok_and(|text| text.contains("ubuntu"))
}

struct Installer {
    log: PathBuf,
}

impl Installer {
    /// Runs a command and appends its output to the log. The error shows the end of the log.
    fn run(&self, command: &mut Command) -> Result<()> {
        let name = command.get_program().to_string_lossy().into_owned();
        let output = open_log(&self.log)?;
        let errors = output.try_clone().context("the log cannot be shared")?;
        command.env("DEBIAN_FRONTEND", "noninteractive");
        let status = command.stdin(Stdio::null()).stdout(output).stderr(errors).status();
        if !status.with_context(|| format!("{name} cannot be started"))?.success() {
            bail!("{name} failed; {} ends with:\n{}", self.log.display(), last_lines(&self.log, 8));
        }
        Ok(())
    }

    fn apt_install(&self, missing_needs: &[Need], titles: &str) -> Result<()> {
        let packages: Vec<&str> = missing_needs.iter().map(|need| need.debian_package()).collect();
        let _quiet = [InstallGuard::no_services()?, InstallGuard::no_cluster()?];
        if !has_lists(Path::new("/var/lib/apt/lists")) {
            output::step("reading the lists of packages");
            self.run(Command::new("apt-get").args(["update", "-q"]))?;
        }
        output::step(format_args!("installing {titles} with apt-get"));
        let install = || {
            let mut command = Command::new("apt-get");
            command.args(["install", "-y", "-q", "--no-install-recommends"]);
            command.args(["-o", "DPkg::Lock::Timeout=300"]).args(&packages);
            self.run(&mut command)
        };
        if install().is_err() {
            output::step("reading the lists of packages again, they may be too old");
            self.run(Command::new("apt-get").args(["update", "-q"]))?;
            install()?;
        }
        for (need, unit) in [
            (Need::Nats, "nats-server.service"),
            (Need::Nginx, "nginx.service"),
            (Need::Promtool, "prometheus.service"),
        ] {
            if missing_needs.contains(&need) && Path::new("/usr/bin/systemctl").is_file() {
                // We start our own server. Without systemd there is no unit to disable.
                drop(self.run(Command::new("systemctl").args(["disable", unit])));
            }
        }
        Ok(())
    }

    fn unpack(&self, paths: &Paths, missing_needs: &[Need], titles: &str) -> Result<()> {
        let apt = Apt::new(&paths.packages)?;
        output::step("reading the lists of packages");
        self.run(apt.tool("apt-get").args(["update", "-q"]))?;
        output::step(format_args!("downloading {titles} (not as root, so nothing is installed)"));
        let mut named = Vec::new();
        for need in missing_needs {
            named.extend(apt.packages_for(*need)?);
        }
        let mut packages = apt.missing_with(&named)?;
        packages.extend(named);
        packages.sort();
        packages.dedup();
        let mut download = apt.tool("apt-get");
        download.args(["download", "-q"]).args(&packages).current_dir(&apt.archives);
        self.run(&mut download)?;
        output::step(format_args!("unpacking {} packages", packages.len()));
        let root = paths.packages.join("root");
        paths::create_traversable(&root)?;
        for archive in fs::read_dir(&apt.archives).context("no packages were downloaded")? {
            let archive = archive.context("a package cannot be read")?.path();
            if archive.extension().is_some_and(|ending| ending == "deb") {
                self.run(Command::new("dpkg-deb").arg("-x").arg(&archive).arg(&root))?;
                fs::remove_file(&archive).context("a package cannot be removed")?;
            }
        }
        for need in [Need::Browser, Need::Headless] {
            if missing_needs.contains(&need) {
                write_browser_script(&paths.packages, need.debian_package())?;
            }
        }
        for (need, name, program) in [
            (Need::Nginx, "nginx", "usr/sbin/nginx"),
            (Need::Backrest, "pgbackrest", "usr/bin/pgbackrest"),
        ] {
            if missing_needs.contains(&need) {
                write_program_script(&paths.packages, name, program)?;
            }
        }
        for need in missing_needs {
            fs::write(tools::unpacked_marker(&paths.packages, need.debian_package()), "")
                .context("what was unpacked cannot be noted")?;
        }
        Ok(())
    }
}

fn has_lists(folder: &Path) -> bool {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.into_iter().any(|entry| entry.file_name().to_string_lossy().contains("_Packages"))
}

/// A system setting that is active while packages are installed and is removed afterwards.
struct InstallGuard {
    path: Option<PathBuf>,
}

const GUARD_MARK: &str = "# Put here by sukoon while it installs packages; may be removed.\n";

impl InstallGuard {
    /// Prevents installed services from starting.
    fn no_services() -> Result<Self> {
        Self::put("/usr/sbin/policy-rc.d", &format!("#!/bin/sh\n{GUARD_MARK}exit 101\n"))
    }

    /// Prevents PostgreSQL's packages from creating a cluster, which would listen on port 5432.
    fn no_cluster() -> Result<Self> {
        let path = "/etc/postgresql-common/createcluster.d/sukoon.conf";
        Self::put(path, &format!("{GUARD_MARK}create_main_cluster = false\n"))
    }

    fn put(path: &str, text: &str) -> Result<Self> {
        let path = PathBuf::from(path);
        let there = fs::read_to_string(&path);
        // A file of another program is kept. One with our mark is left from an earlier
        // installation.
        if there.is_ok_and(|found| !found.contains(GUARD_MARK)) {
            return Ok(Self { path: None });
        }
        let folder = path.parent().context("a file without a folder")?;
        fs::create_dir_all(folder).context("the package manager's folder cannot be made")?;
        fs::write(&path, text).with_context(|| format!("{} cannot be written", path.display()))?;
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755))
            .with_context(|| format!("{} cannot be set up", path.display()))?;
        Ok(Self { path: Some(path) })
    }
}

impl Drop for InstallGuard {
    fn drop(&mut self) {
        if let Some(path) = &self.path {
            drop(fs::remove_file(path));
        }
    }
}

/// The apt tools with their own lists and archives, so that they do not need root.
struct Apt {
    options: Vec<String>,
    archives: PathBuf,
}

impl Apt {
    fn new(packages: &Path) -> Result<Self> {
        let own = packages.join("apt");
        let archives = own.join("archives");
        for folder in [own.join("lists/partial"), archives.join("partial")] {
            fs::create_dir_all(&folder)
                .with_context(|| format!("{} cannot be made", folder.display()))?;
        }
        let shown = own.display();
        let options = vec![
            format!("Dir::State::Lists={shown}/lists"),
            format!("Dir::Cache={shown}"),
            format!("Dir::Cache::Archives={shown}/archives"),
            "Debug::NoLocking=true".to_owned(),
            "APT::Sandbox::User=root".to_owned(),
            "APT::Install-Recommends=false".to_owned(),
        ];
        Ok(Self { options, archives })
    }

    fn tool(&self, name: &str) -> Command {
        let mut command = Command::new(name);
        command.env("LC_ALL", "C");
        for option in &self.options {
            command.arg("-o").arg(option);
        }
        command
    }

    /// The packages that contain the programs. `postgresql` only depends on a versioned package.
    fn packages_for(&self, need: Need) -> Result<Vec<String>> {
        let own = |names: &[&str]| names.iter().map(|name| (*name).to_owned()).collect();
        match need {
            Need::Nats => Ok(own(&["nats-server"])),
            Need::Browser => Ok(own(&["chromium", "chromium-common"])),
            Need::Headless => Ok(own(&[tools::HEADLESS, "chromium-common"])),
            Need::Nginx => Ok(own(&["nginx"])),
            Need::Promtool => Ok(own(&[tools::PROMETHEUS])),
            Need::Backrest => Ok(own(&["pgbackrest"])),
            Need::Age => Ok(own(&["age"])),
            Need::Postgres => {
                let shown = output_of(self.tool("apt-cache").args(["depends", "postgresql"]))?;
                let server = server_package(&shown)
                    .context("the distribution's packages have no PostgreSQL server")?;
                let client = server.replace("postgresql-", "postgresql-client-");
                Ok(vec![server, client])
            }
        }
    }

    /// The packages that have to be installed in addition to these.
    fn missing_with(&self, named: &[String]) -> Result<Vec<String>> {
        let mut simulate = self.tool("apt-get");
        simulate.args(["install", "--simulate"]).args(named);
        Ok(installed_by(&output_of(&mut simulate)?))
    }
}

fn server_package(depends: &str) -> Option<String> {
    let names = depends.lines().filter_map(|line| line.trim().strip_prefix("Depends: "));
    let mut servers = names.filter(|name| {
        let major = name.strip_prefix("postgresql-");
        major.is_some_and(|major| major.parse::<u32>().is_ok())
    });
    servers.next().map(str::to_owned)
}

fn installed_by(simulation: &str) -> Vec<String> {
    let names = simulation.lines().filter_map(|line| line.strip_prefix("Inst "));
    names.filter_map(|rest| rest.split_whitespace().next()).map(str::to_owned).collect()
}

/// Our own start script: the distribution's script looks for the browser in `/usr`.
fn write_browser_script(packages: &Path, name: &str) -> Result<()> {
    let root = packages.join("root");
    let fonts = packages.join("fonts.conf");
    let text = format!(
        "<?xml version=\"1.0\"?>\n<fontconfig>\n\
         <include ignore_missing=\"yes\">/etc/fonts/fonts.conf</include>\n\
         <dir>{}</dir>\n<cachedir>{}</cachedir>\n</fontconfig>\n",
        root.join("usr/share/fonts").display(),
        packages.join("fonts-cache").display(),
    );
    fs::write(&fonts, text).context("the list of fonts cannot be written")?;
    let script = format!(
        "#!/bin/sh\n# Written by sukoon: starts the browser that was unpacked beside it.\n\
         export LD_LIBRARY_PATH='{}'\nexport FONTCONFIG_FILE='{}'\n\
         exec '{}' \"$@\"\n",
        tools::library_path(&root),
        fonts.display(),
        root.join("usr/lib/chromium").join(name).display(),
    );
    write_script(packages, name, &script)
}

/// Writes a start script that sets the library path of an unpacked program.
fn write_program_script(packages: &Path, name: &str, program: &str) -> Result<()> {
    let root = packages.join("root");
    let script = format!(
        "#!/bin/sh\n# Written by sukoon: starts the {name} that was unpacked beside it.\n\
         export LD_LIBRARY_PATH='{}'\nexec '{}' \"$@\"\n",
        tools::library_path(&root),
        root.join(program).display(),
    );
    write_script(packages, name, &script)
}

fn write_script(packages: &Path, name: &str, script: &str) -> Result<()> {
    let path = packages.join("bin").join(name);
    paths::create_traversable(&packages.join("bin"))?;
    let failed = || format!("the start script of {name} cannot be written");
    fs::write(&path, script).with_context(failed)?;
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).with_context(failed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_server_s_package_is_the_one_with_a_version() {
        let shown = "postgresql\n  Depends: postgresql-common\n  Depends: postgresql-15\n \
                     Suggests: postgresql-doc\n";
        assert_eq!(server_package(shown).as_deref(), Some("postgresql-15"));
        assert_eq!(server_package("postgresql\n  Depends: <postgresql-15>\n"), None);
    }

    #[test]
    fn a_simulation_names_what_would_be_installed() {
        let shown = "NOTE: This is only a simulation!\nInst libpq5 (15.18 Debian:12 [amd64])\n\
                     Inst nats-server [2.9] (2.9.10-1+b3 Debian:12 [amd64])\n\
                     Conf libpq5 (15.18 Debian:12 [amd64])\n";
        assert_eq!(installed_by(shown), ["libpq5", "nats-server"]);
    }
}
