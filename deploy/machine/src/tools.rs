//! Finds the programs that Sukoon needs and does not build.
use crate::environment::Environment;
use crate::paths::Paths;
use anyhow::Result;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The oldest supported major version of PostgreSQL.
const POSTGRES_MAJOR_MIN: u32 = 15;
/// The programs that PostgreSQL's folder must contain; a client alone is not enough.
const POSTGRES_PROGRAMS: [&str; 3] = ["postgres", "initdb", "psql"];

/// A program, and the libraries that were unpacked with it, if any.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// The program; for PostgreSQL the folder of its programs.
    pub path: PathBuf,
    /// The value of `LD_LIBRARY_PATH` that an unpacked program needs.
    pub libraries: Option<String>,
}

impl Tool {
    /// A command that runs one of the programs in the tool's folder.
    pub fn command(&self, name: &str) -> Command {
        let mut command = Command::new(self.path.join(name));
        if let Some(libraries) = &self.libraries {
            command.env("LD_LIBRARY_PATH", libraries);
        }
        command
    }
}

/// The name of Chromium's headless shell, as a program and as a package.
pub const HEADLESS: &str = "chromium-headless-shell";

/// The package that promtool is in.
pub const PROMETHEUS: &str = "prometheus";

/// The programs that were found. Missing ones have to be installed.
#[derive(Clone, Debug, Default)]
pub struct InstalledTools {
    /// The folder with PostgreSQL's programs.
    pub postgres: Option<Tool>,
    /// The nats-server program.
    pub nats: Option<Tool>,
    /// The browser for tests and screenshots.
    pub browser: Option<Tool>,
    /// The web server that the benchmark compares ours with.
    pub nginx: Option<Tool>,
    /// The tool that tests alerts.
    pub promtool: Option<Tool>,
    /// pgBackRest.
    pub backrest: Option<Tool>,
    /// age.
    pub age: Option<Tool>,
}

impl InstalledTools {
    /// Whether the browser is the headless shell.
    pub fn is_headless(&self) -> bool {
        self.browser.as_ref().is_some_and(is_headless_shell)
    }
}

/// Finds all programs: first on the machine, then among the unpacked packages.
pub fn find(environment: &Environment, paths: &Paths) -> Result<InstalledTools> {
    let system = Search::system(environment);
    let unpacked = Search::unpacked(&paths.packages);
    let named = environment.get("CHROME_PATH").map(PathBuf::from);
    if let Some(path) = named.as_deref().filter(|path| !path.is_file()) {
        anyhow::bail!("CHROME_PATH names {}, but there is no such program", path.display());
    }
    let named = named.map(|path| Tool { path, libraries: None });
    Ok(InstalledTools {
        postgres: system.postgres().or_else(|| unpacked.postgres()),
        nats: system.nats().or_else(|| unpacked.nats()),
        browser: named.or_else(|| choose_browser(&system, &unpacked)),
        nginx: system.nginx().or_else(|| unpacked.nginx()),
        promtool: system.promtool().or_else(|| unpacked.promtool()),
        backrest: system
            .program("pgbackrest")
            .or_else(|| unpacked_program(&paths.packages, "pgbackrest", "bin/pgbackrest")),
        age: system
            .program("age")
            .or_else(|| unpacked_program(&paths.packages, "age", "root/usr/bin/age")),
    })
}

/// The folder of PostgreSQL's programs that are installed on this machine.
pub fn postgres_of_the_machine(environment: &Environment) -> Option<PathBuf> {
    Search::system(environment).postgres().map(|tool| tool.path)
}

fn is_headless_shell(tool: &Tool) -> bool {
    tool.path.ends_with(HEADLESS)
}

/// Prefers the headless shell from either place, then the machine's own browser.
fn choose_browser(system: &Search, unpacked: &Search) -> Option<Tool> {
    let (installed, ours) = (system.browser(), unpacked.browser());
    let shell = |tool: &Option<Tool>| tool.clone().filter(is_headless_shell);
    let without_windows = shell(&installed).or_else(|| shell(&ours));
    without_windows.or(installed).or(ours)
}

/// The folders to search, and the libraries that programs found there need.
struct Search {
    postgres: Vec<PathBuf>,
    programs: Vec<PathBuf>,
    browsers: Vec<PathBuf>,
    nginx: Vec<PathBuf>,
    promtool: Vec<PathBuf>,
    libraries: Option<String>,
}

impl Search {
    fn system(environment: &Environment) -> Self {
        let mut search = Self {
            postgres: vec![],
            programs: vec![],
            browsers: vec![],
            nginx: vec![],
            promtool: vec![],
            libraries: None,
        };
        // This switch lets the installation be tried on a machine that has everything already.
        if environment.is_on("SUKOON_IGNORE_SYSTEM") {
            return search;
        }
        let path = environment.get("PATH").unwrap_or_default();
        search.programs = std::env::split_paths(path).collect();
        // Servers are in sbin, which is not in an ordinary user's PATH.
        let common_folders =
            ["/usr/sbin", "/usr/local/bin", "/usr/local/sbin", "/opt/homebrew/bin"];
        search.programs.extend(common_folders.map(PathBuf::from));
        // Chromium's start script is a link in PATH. PostgreSQL's programs are behind links too.
        let real_folder = |folder: &PathBuf| {
            let program = fs::canonicalize(folder.join("postgres")).ok()?;
            program.parent().map(Path::to_owned)
        };
        search.postgres = search.programs.iter().filter_map(real_folder).collect();
        search.postgres.extend(versions_below(Path::new("/usr/lib/postgresql")));
        for cellar in ["/opt/homebrew/opt", "/usr/local/opt"] {
            let formulas = folders_in(Path::new(cellar)).into_iter();
            let ours = formulas.filter(|folder| {
                folder.file_name().is_some_and(|n| n.to_string_lossy().starts_with("postgresql"))
            });
            search.postgres.extend(ours.map(|folder| folder.join("bin")));
        }
        let apps = [
            "Chromium.app/Contents/MacOS/Chromium",
            "Google Chrome.app/Contents/MacOS/Google Chrome",
        ];
        search.browsers = apps.iter().map(|app| Path::new("/Applications").join(app)).collect();
        search
    }

    fn unpacked(packages: &Path) -> Self {
        let root = packages.join("root");
        let when = |name: &str, found: Vec<PathBuf>| {
            if unpacked_marker(packages, name).is_file() { found } else { Vec::new() }
        };
        Self {
            postgres: when("postgresql", versions_below(&root.join("usr/lib/postgresql"))),
            programs: when("nats-server", vec![root.join("usr/sbin")]),
            browsers: [HEADLESS, "chromium"]
                .into_iter()
                .flat_map(|name| when(name, vec![packages.join("bin").join(name)]))
                .collect(),
            nginx: when("nginx", vec![packages.join("bin/nginx")]),
            promtool: when(PROMETHEUS, vec![root.join("usr/bin/promtool")]),
            libraries: Some(library_path(&root)),
        }
    }

    fn postgres(&self) -> Option<Tool> {
        let complete = |folder: &&PathBuf| {
            POSTGRES_PROGRAMS.iter().all(|program| folder.join(program).is_file())
        };
        let tools = self.postgres.iter().filter(complete).map(|folder| self.tool(folder));
        tools
            .into_iter()
            .find(|tool| major_version(tool).is_some_and(|major| major >= POSTGRES_MAJOR_MIN))
    }

    fn nats(&self) -> Option<Tool> {
        let programs = self.programs.iter().map(|folder| folder.join("nats-server"));
        programs.into_iter().find(|path| path.is_file()).map(|path| self.tool(&path))
    }

    fn browser(&self) -> Option<Tool> {
        let names =
            [HEADLESS, "chromium", "chromium-browser", "google-chrome-stable", "google-chrome"];
        let on_path = names
            .into_iter()
            .flat_map(|name| self.programs.iter().map(move |folder| folder.join(name)))
            .filter(|path| !is_ubuntu_stub(path));
        let mut all = on_path.chain(self.browsers.iter().cloned());
        // Our own start script sets the library path itself.
        all.find(|path| path.is_file()).map(|path| Tool { path, libraries: None })
    }

    fn nginx(&self) -> Option<Tool> {
        let named = self.programs.iter().map(|folder| folder.join("nginx"));
        // Our own start script comes first, because it sets the library path itself.
        let mut all = self.nginx.iter().cloned().chain(named);
        all.find(|path| path.is_file()).map(|path| Tool { path, libraries: None })
    }

    fn promtool(&self) -> Option<Tool> {
        let named = self.programs.iter().map(|folder| folder.join("promtool"));
        let mut all = named.chain(self.promtool.iter().cloned());
        all.find(|path| path.is_file()).map(|path| self.tool(&path))
    }

    /// A program that needs nothing beside it.
    fn program(&self, name: &str) -> Option<Tool> {
        let mut named = self.programs.iter().map(|folder| folder.join(name));
        named.find(|path| path.is_file()).map(|path| Tool { path, libraries: None })
    }

    fn tool(&self, path: &Path) -> Tool {
        Tool { path: path.to_owned(), libraries: self.libraries.clone() }
    }
}

/// A program of a package that was unpacked; it needs no libraries beside those of the system, or
/// has a start script.
fn unpacked_program(packages: &Path, name: &str, path: &str) -> Option<Tool> {
    let path = packages.join(path);
    let is_there = unpacked_marker(packages, name).is_file() && path.is_file();
    is_there.then_some(Tool { path, libraries: None })
}

/// Ubuntu's chromium package contains only a script that asks the user to install a snap.
pub fn is_ubuntu_stub(path: &Path) -> bool {
    fs::metadata(path).is_ok_and(|found| found.len() < 16 * 1024)
        && fs::read_to_string(path).is_ok_and(|text| text.contains("snap"))
}

/// The marker file of a package that was unpacked completely.
pub fn unpacked_marker(packages: &Path, name: &str) -> PathBuf {
    packages.join(format!("{name}.unpacked"))
}

/// The library path of unpacked programs, in the loader's search order. Some packages have
/// libraries in a folder of their own, which the system's loader finds through their configuration.
pub fn library_path(root: &Path) -> String {
    let mut folders = vec![root.join("usr/lib"), root.join("lib")];
    for base in ["usr/lib", "lib"] {
        let all = folders_in(&root.join(base)).into_iter();
        for tuple in all.filter(|folder| folder.to_string_lossy().ends_with("-linux-gnu")) {
            let private = folders_in(&tuple).into_iter().filter(|folder| holds_libraries(folder));
            folders.push(tuple);
            folders.extend(private);
        }
    }
    let shown: Vec<String> =
        folders.iter().map(|folder| folder.to_string_lossy().into_owned()).collect();
    shown.join(":")
}

fn holds_libraries(folder: &Path) -> bool {
    let mut entries = fs::read_dir(folder).into_iter().flatten().flatten();
    entries.any(|entry| {
        let name = entry.file_name();
        let name = name.to_string_lossy();
        name.starts_with("lib") && name.contains(".so")
    })
}

fn folders_in(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> =
        entries.map(|entry| entry.path()).filter(|path| path.is_dir()).collect();
    folders.sort();
    folders
}

/// The folders `<folder>/<major>/bin`, the newest version first.
fn versions_below(folder: &Path) -> Vec<PathBuf> {
    let major = |path: &PathBuf| path.file_name()?.to_str()?.parse::<u32>().ok();
    let mut found: Vec<(u32, PathBuf)> = folders_in(folder)
        .into_iter()
        .filter_map(|path| Some((major(&path)?, path.join("bin"))))
        .collect();
    found.sort_by_key(|(version, _)| std::cmp::Reverse(*version));
    found.into_iter().map(|(_, path)| path).collect()
}

fn major_version(tool: &Tool) -> Option<u32> {
    let shown = tool.command("postgres").arg("--version").output().ok()?;
    parse_major(&String::from_utf8_lossy(&shown.stdout))
}

fn parse_major(shown: &str) -> Option<u32> {
    let number =
        shown.split_whitespace().find(|word| word.starts_with(|c: char| c.is_numeric()))?;
    number.split(|c: char| !c.is_numeric()).next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_major_version_is_read_from_what_every_distribution_prints() {
        assert_eq!(parse_major("postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)"), Some(15));
        assert_eq!(parse_major("postgres (PostgreSQL) 18beta1"), Some(18));
        assert_eq!(parse_major("no numbers"), None);
    }

    #[test]
    fn the_switch_hides_the_machines_programs() {
        let environment = Environment::from([("SUKOON_IGNORE_SYSTEM", "1"), ("PATH", "/usr/bin")]);
        let search = Search::system(&environment);
        assert!(search.postgres().is_none() && search.nats().is_none());
        assert!(search.browser().is_none() && search.nginx().is_none());
    }

    #[test]
    fn the_headless_shell_is_preferred() {
        let folder = std::env::temp_dir().join(format!("sukoon-browsers-{}", std::process::id()));
        let (ours, system) = (folder.join("ours"), folder.join("system"));
        for bin in [ours.join("bin"), system.clone()] {
            fs::create_dir_all(&bin).unwrap();
        }
        fs::write(system.join("chromium"), "").unwrap();
        let environment = Environment::from([("PATH", system.to_str().unwrap())]);
        let found = || choose_browser(&Search::system(&environment), &Search::unpacked(&ours));
        assert_eq!(found().unwrap().path, system.join("chromium"));
        fs::write(ours.join("bin").join(HEADLESS), "").unwrap();
        assert_eq!(found().unwrap().path, system.join("chromium"), "not unpacked to its end");
        fs::write(unpacked_marker(&ours, HEADLESS), "").unwrap();
        assert_eq!(found().unwrap().path, ours.join("bin").join(HEADLESS));
        fs::write(system.join(HEADLESS), "").unwrap();
        assert_eq!(found().unwrap().path, system.join(HEADLESS));
        fs::remove_dir_all(folder).unwrap();
    }

    #[test]
    fn a_folder_without_the_server_is_not_taken() {
        let folder = std::env::temp_dir().join(format!("sukoon-tools-{}", std::process::id()));
        let bin = folder.join("root/usr/lib/postgresql/15/bin");
        fs::create_dir_all(&bin).unwrap();
        fs::write(bin.join("psql"), "").unwrap();
        fs::write(unpacked_marker(&folder, "postgresql"), "").unwrap();
        assert!(Search::unpacked(&folder).postgres().is_none());
        fs::remove_dir_all(folder).unwrap();
    }
}
