//! What is to be measured, and where the figures go.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, bail};

/// Every figure's name, in the order of a whole run: first what a practice at rest does, then what
/// load does, then what load has left, and last what lies in databases of their own.
const NAMES: [&str; 21] = [
    "start",
    "rest",
    "slots",
    "catalogue",
    "page",
    "gateway",
    "rush",
    "transactions",
    "bookings",
    "latency",
    "sign_ins",
    "tls",
    "consumers",
    "confirmation",
    "long_log",
    "rebuild",
    "memory",
    "alarms",
    "late_start",
    "drain",
    "crowd",
];
/// The first of those that put load on a practice whose times do not run out.
const FIRST_LOAD: &str = "bookings";

/// The command-line settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// What is measured, in the order of a whole run.
    pub(crate) names: Vec<&'static str>,
    /// Where the figures are written to.
    pub(crate) folder: PathBuf,
    nginx: Option<PathBuf>,
}

impl Settings {
    /// Reads `FOLDER [--only NAME,NAME] [--nginx PROGRAM]`.
    ///
    /// # Errors
    /// When there is no such figure or option.
    pub fn read(arguments: &[String]) -> Result<Self> {
        let mut arguments = arguments.iter();
        let folder = arguments.next().context("usage: load FOLDER [--only …] [--nginx …]")?;
        let mut settings =
            Self { names: NAMES.to_vec(), folder: PathBuf::from(folder), nginx: None };
        while let Some(option) = arguments.next() {
            let value = arguments.next().with_context(|| format!("{option} of what?"))?;
            match option.as_str() {
                "--only" => settings.names = only(value)?,
                "--nginx" => settings.nginx = Some(PathBuf::from(value)),
                other => bail!("there is no option {other}"),
            }
        }
        Ok(settings)
    }

    /// Whether this figure is measured.
    pub(crate) fn measures(&self, name: &str) -> bool {
        self.names.contains(&name)
    }

    /// The nginx program.
    ///
    /// # Errors
    /// When it was not named.
    pub(crate) fn nginx(&self) -> Result<&Path> {
        self.nginx.as_deref().context("nginx is not named: start by `make bench`")
    }

    /// The file with the figures; a part of them does not replace a whole run's.
    pub(crate) fn file(&self) -> PathBuf {
        if self.names == NAMES {
            return self.folder.join("figures.json");
        }
        self.folder.join(format!("only-{}.json", self.names.join("-")))
    }
}

fn only(list: &str) -> Result<Vec<&'static str>> {
    let wanted: Vec<&str> = list.split(',').map(str::trim).collect();
    if let Some(unknown) = wanted.iter().find(|name| !NAMES.contains(name)) {
        bail!("there is no figure {unknown}; there are {}", NAMES.join(", "));
    }
    Ok(NAMES.into_iter().filter(|name| wanted.contains(name)).collect())
}

/// Whether a figure puts load on the practice.
pub(crate) fn is_load(name: &str) -> bool {
    let at = |name: &str| NAMES.iter().position(|known| *known == name);
    at(name) >= at(FIRST_LOAD)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Result<Settings> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Settings::read(&words)
    }

    #[test]
    fn without_a_choice_everything_is_measured() {
        let settings = read("out --nginx /usr/sbin/nginx").unwrap();
        assert_eq!(settings.names, NAMES);
        assert_eq!(settings.file(), Path::new("out/figures.json"));
        assert_eq!(settings.nginx().unwrap(), Path::new("/usr/sbin/nginx"));
    }

    #[test]
    fn a_choice_keeps_the_order_and_has_a_file_of_its_own() {
        let settings = read("out --only memory,slots").unwrap();
        assert_eq!(settings.names, ["slots", "memory"]);
        assert_eq!(settings.file(), Path::new("out/only-slots-memory.json"));
        assert!(settings.nginx().is_err());
    }

    #[test]
    fn what_is_not_there_is_named() {
        let said = read("out --only bookings,nothing").unwrap_err().to_string();
        assert!(said.contains("nothing") && said.contains("long_log"), "{said}");
        assert!(read("out --only").is_err() && read("out --fast yes").is_err());
        assert!(read("").is_err());
    }

    #[test]
    fn load_begins_with_bookings() {
        assert!(!is_load("rush") && is_load("bookings") && is_load("memory"));
    }
}
