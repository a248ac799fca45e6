//! Settings, read once at the start from one source. All mistakes are reported at once.
//!
//! This is the only place that reads the process's environment. A secret's value is never part of
//! an error. In production no address may lead to another machine in the clear.

mod file;
mod rotated;
mod transport;

use std::collections::BTreeMap;
use std::fmt;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::PathBuf;
use std::str::FromStr;

use secrecy::SecretString;

pub use file::{InvalidFile, read_file};
pub use rotated::RotatedSecret;

/// Where settings come from: the environment, or a map in tests.
pub trait Source {
    /// The value of a name, if it has one.
    fn get(&self, name: &str) -> Option<String>;
}

/// The process's environment.
#[derive(Debug, Clone, Copy, Default)]
pub struct Environment;

impl Source for Environment {
    #[expect(clippy::disallowed_methods, reason = "this is the one place that reads it")]
    fn get(&self, name: &str) -> Option<String> {
        std::env::var(name).ok()
    }
}

impl Source for BTreeMap<String, String> {
    fn get(&self, name: &str) -> Option<String> {
        BTreeMap::get(self, name).cloned()
    }
}

impl Source for &[(&str, &str)] {
    fn get(&self, name: &str) -> Option<String> {
        self.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned())
    }
}

kernel::words! {
    /// Whether this is a trial on one machine or a practice's real desk.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Mode {
        /// Demonstration secrets are accepted.
        Development = "development",
        /// Demonstration secrets are refused.
        Production = "production",
    }
}

/// One setting that cannot be used, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The setting's name.
    pub name: String,
    /// What is wrong, without the value.
    pub what: String,
}

/// All missing and wrong settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Invalid {
    /// One entry per setting, in the order in which they were asked for.
    pub problems: Vec<Problem>,
}

impl fmt::Display for Invalid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "the settings are not complete:")?;
        self.problems.iter().try_for_each(|p| write!(f, "\n  {}: {}", p.name, p.what))
    }
}

impl std::error::Error for Invalid {}

/// Reads settings and collects the mistakes, so that a start reports all of them at once.
///
/// A setting that is missing or wrong reads as a harmless stand-in; [`Reader::finish`] then
/// refuses to hand out what was built from it.
pub struct Reader<'s> {
    source: &'s dyn Source,
    shares_process: bool,
    mode: Mode,
    problems: Vec<Problem>,
    exposed: Vec<String>,
}

impl<'s> Reader<'s> {
    /// A reader; it reads `SUKOON_MODE` first, because the mode decides which secrets are accepted.
    /// Without it the mode is production, so that a forgotten line accepts no demonstration secret.
    #[must_use]
    pub fn new(source: &'s dyn Source) -> Self {
        let (mode, problems, exposed) = (Mode::Production, Vec::new(), Vec::new());
        let mut reader = Self { source, shares_process: false, mode, problems, exposed };
        reader.mode = reader.parse_or("SUKOON_MODE", Mode::Production);
        reader
    }

    /// The same for a service that runs with all others in one process.
    pub(crate) fn of_shared_process(source: &'s dyn Source) -> Self {
        Self { shares_process: true, ..Self::new(source) }
    }

    /// Whether all services run in one process, so that nothing is needed between them.
    #[must_use]
    pub fn shares_process(&self) -> bool {
        self.shares_process
    }

    /// The mode that this process runs in.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// A setting that may be absent; an empty one is absent.
    #[must_use]
    pub fn optional(&self, name: &str) -> Option<String> {
        self.source.get(name).filter(|value| !value.trim().is_empty())
    }

    /// A setting that must be there.
    pub fn required(&mut self, name: &str) -> String {
        self.optional(name).unwrap_or_else(|| {
            self.problem(name, "it is missing");
            String::new()
        })
    }

    /// A setting with a default.
    #[must_use]
    pub fn text_or(&self, name: &str, default: &str) -> String {
        self.optional(name).unwrap_or_else(|| default.to_owned())
    }

    /// A setting of another type that must be there. `stand_in` only fills its place until
    /// [`Reader::finish`] refuses.
    pub fn parse<T>(&mut self, name: &str, stand_in: T) -> T
    where
        T: FromStr,
        T::Err: fmt::Display,
    {
        if self.optional(name).is_none() {
            self.problem(name, "it is missing");
            return stand_in;
        }
        self.parse_or(name, stand_in)
    }

    /// A setting of another type with a default: a number, `true` or `false`, or an own enum.
    pub fn parse_or<T>(&mut self, name: &str, default: T) -> T
    where
        T: FromStr,
        T::Err: fmt::Display,
    {
        let Some(value) = self.optional(name) else {
            return default;
        };
        match value.trim().parse() {
            Ok(parsed) => parsed,
            Err(error) => {
                self.problem(name, &error.to_string());
                default
            }
        }
    }

    /// An address to listen on, for example `127.0.0.1:7001`.
    pub fn address(&mut self, name: &str) -> SocketAddr {
        self.parse(name, SocketAddr::from((Ipv4Addr::LOCALHOST, 0)))
    }

    /// Like [`Reader::address`], for one that may be absent.
    pub fn optional_address(&mut self, name: &str) -> Option<SocketAddr> {
        self.optional(name).map(|_given| self.address(name))
    }

    /// The base of an HTTP or gRPC server, without a slash at its end. Other schemes (`nats`,
    /// `smtp`) are read with [`Reader::required`].
    pub fn url(&mut self, name: &str) -> String {
        let value = self.required(name);
        if value.is_empty() {
            return value;
        }
        self.checked_url(name, &value)
    }

    /// Like [`Reader::url`], for one that may be absent.
    pub fn optional_url(&mut self, name: &str) -> Option<String> {
        self.optional(name).map(|value| self.checked_url(name, &value))
    }

    /// A folder or file.
    pub fn path(&mut self, name: &str) -> PathBuf {
        PathBuf::from(self.required(name))
    }

    /// A secret that must be there: in the file that `<name>_FILE` names, or in the setting itself.
    /// Production refuses demonstration secrets: those that begin with `demo-`, and URLs whose
    /// password does.
    pub fn secret(&mut self, name: &str) -> SecretString {
        self.optional_secret(name).unwrap_or_else(|| {
            self.problem(name, "it is missing");
            SecretString::default()
        })
    }

    /// A secret that may be absent; the same rules hold.
    pub fn optional_secret(&mut self, name: &str) -> Option<SecretString> {
        let file = format!("{name}_FILE");
        match (self.optional(name), self.optional(&file)) {
            (Some(_value), Some(_path)) => {
                self.problem(name, "it is set twice: by itself, and by a file");
                Some(SecretString::default())
            }
            (Some(value), None) => {
                self.exposed.push(name.to_owned());
                Some(self.guarded(name, value))
            }
            (None, Some(path)) => Some(self.secret_of_file(name, &file, &path)),
            (None, None) => None,
        }
    }

    /// A secret that must be there, and `<name>_PREVIOUS`, which may be absent and is accepted as
    /// well. The rules of secrets hold for both.
    pub fn rotated_secret(&mut self, name: &str) -> RotatedSecret {
        let current = self.secret(name);
        RotatedSecret::new(current, self.optional_secret(&format!("{name}_PREVIOUS")))
    }

    fn secret_of_file(&mut self, name: &str, file: &str, path: &str) -> SecretString {
        // The line end that editors add is no part of a secret.
        let content = std::fs::read_to_string(path).map(|text| text.trim_end().to_owned());
        match content {
            Ok(value) if !value.is_empty() => return self.guarded(name, value),
            Ok(_empty) => self.problem(file, "the file is empty"),
            Err(error) => self.problem(file, &format!("the file cannot be read: {error}")),
        }
        SecretString::default()
    }

    /// The secrets in the environment itself, where `/proc` and crash reports show them.
    #[must_use]
    pub fn exposed_secrets(&self) -> &[String] {
        &self.exposed
    }

    /// Records that a setting cannot be used.
    pub fn problem(&mut self, name: &str, what: &str) {
        self.problems.push(Problem { name: name.to_owned(), what: what.to_owned() });
    }

    /// Returns what was built from the settings, if there is no mistake.
    ///
    /// # Errors
    /// Everything that is missing or wrong, if anything is.
    pub fn finish<T>(self, built: T) -> Result<T, Invalid> {
        if self.problems.is_empty() { Ok(built) } else { Err(Invalid { problems: self.problems }) }
    }

    fn checked_url(&mut self, name: &str, value: &str) -> String {
        let web = value.parse::<::http::Uri>().is_ok_and(|uri| {
            matches!(uri.scheme_str(), Some("http" | "https")) && uri.host().is_some()
        });
        if !web {
            self.problem(name, "it must be a URL that begins with http:// or https://");
        } else {
            self.refuse_plaintext(name, value);
        }
        value.trim_end_matches('/').to_owned()
    }

    fn refuse_plaintext(&mut self, name: &str, address: &str) {
        if self.mode == Mode::Production
            && let Some(fault) = transport::fault(address)
        {
            self.problem(name, fault);
        }
    }

    fn guarded(&mut self, name: &str, value: String) -> SecretString {
        let demonstration = value.starts_with("demo-") || value.contains(":demo-");
        if self.mode == Mode::Production && demonstration {
            self.problem(name, "it is a demonstration secret, which production refuses");
        } else {
            self.refuse_plaintext(name, &value);
        }
        SecretString::from(value)
    }
}

#[cfg(test)]
mod tests {
    use super::{Mode, Reader, Source};
    use secrecy::ExposeSecret as _;
    use std::collections::BTreeMap;

    #[test]
    fn all_that_is_missing_or_wrong_is_told_at_once() {
        let source: &[(&str, &str)] =
            &[("A_LISTEN", "nowhere"), ("A_URL", "ftp://x"), ("EMPTY", " "), ("N", "x")];
        let mut reader = Reader::new(&source);
        reader.required("A_NAME");
        reader.address("A_LISTEN");
        reader.url("A_URL");
        reader.required("EMPTY");
        reader.parse_or("N", 3_u32);
        reader.secret("A_SECRET");
        let invalid = reader.finish(()).unwrap_err();
        let names: Vec<&str> = invalid.problems.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["A_NAME", "A_LISTEN", "A_URL", "EMPTY", "N", "A_SECRET"]);
        assert!(invalid.to_string().contains("\n  A_NAME: it is missing"));
    }

    #[test]
    fn what_is_there_is_read() {
        let source: &[(&str, &str)] = &[
            ("SUKOON_MODE", "development"),
            ("LISTEN", "127.0.0.1:7001"),
            ("URL", "http://127.0.0.1:7001/"),
            ("SECRET", "demo-x"),
            ("FLAG", "true"),
        ];
        let mut reader = Reader::new(&source);
        assert_eq!(reader.mode(), Mode::Development);
        assert_eq!(reader.address("LISTEN").port(), 7001);
        assert_eq!(reader.url("URL"), "http://127.0.0.1:7001");
        assert_eq!(reader.secret("SECRET").expose_secret(), "demo-x");
        assert!(reader.parse_or("FLAG", false));
        assert_eq!(reader.optional_url("NONE"), None);
        assert_eq!(reader.text_or("NONE", "x"), "x");
        reader.finish(()).unwrap();
    }

    #[test]
    fn production_refuses_demonstration_secrets_and_never_prints_them() {
        let source: &[(&str, &str)] = &[
            ("KEY", "demo-key"),
            ("DATABASE", "postgres://app:demo-word@127.0.0.1/x"),
            ("OTHER", "demo-other"),
            ("GOOD", "a-long-random-one"),
        ];
        let mut reader = Reader::new(&source);
        assert_eq!(reader.mode(), Mode::Production, "which is what a forgotten mode means");
        reader.secret("KEY");
        reader.secret("DATABASE");
        reader.optional_secret("OTHER");
        reader.secret("GOOD");
        reader.secret("ABSENT");
        let invalid = reader.finish(()).unwrap_err();
        let names: Vec<&str> = invalid.problems.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["KEY", "DATABASE", "OTHER", "ABSENT"]);
        assert!(!invalid.to_string().contains("demo-"));
    }

    #[test]
    fn production_refuses_addresses_that_leave_this_machine_in_the_clear() {
        let addresses: &[(&str, &str)] = &[
            ("DATABASE", "postgres://app:word@db/x"),
            ("GOOD_DATABASE", "postgres://app:word@db/x?sslmode=verify-full"),
            ("KEYS_URL", "http://identity:7001/jwks.json"),
            ("OTHER_URL", "http://collector:4317"),
            ("PUBLIC_URL", "https://practice.example"),
        ];
        let told = |mode: Option<&'static str>| {
            let mut source = addresses.to_vec();
            source.extend(mode.map(|mode| ("SUKOON_MODE", mode)));
            let source = source.as_slice();
            let mut reader = Reader::new(&source);
            reader.secret("DATABASE");
            reader.secret("GOOD_DATABASE");
            reader.url("KEYS_URL");
            reader.optional_url("OTHER_URL");
            reader.url("PUBLIC_URL");
            let problems = reader.finish(()).err().map(|it| it.problems).unwrap_or_default();
            problems.into_iter().map(|problem| problem.name).collect::<Vec<_>>()
        };
        for mode in [None, Some("production")] {
            assert_eq!(told(mode), ["DATABASE", "KEYS_URL", "OTHER_URL"]);
        }
        assert!(told(Some("development")).is_empty());
    }

    #[test]
    fn a_secret_is_read_from_the_file_that_is_named() {
        let path = std::env::temp_dir().join(format!("sukoon-secret-{}", std::process::id()));
        let empty = path.with_extension("empty");
        std::fs::write(&path, "a-long-random-one\n").unwrap();
        std::fs::write(&empty, "\n").unwrap();
        let (named, none) = (path.to_string_lossy(), empty.to_string_lossy());
        let source: &[(&str, &str)] = &[
            ("KEY_FILE", &named),
            ("PLAIN", "in-the-environment"),
            ("TWICE", "x"),
            ("TWICE_FILE", &named),
            ("EMPTY_FILE", &none),
            ("LOST_FILE", "/nowhere/at/all"),
        ];
        let mut reader = Reader::new(&source);
        assert_eq!(reader.secret("KEY").expose_secret(), "a-long-random-one");
        assert_eq!(reader.optional_secret("KEY").unwrap().expose_secret(), "a-long-random-one");
        assert!(reader.optional_secret("ABSENT").is_none());
        assert_eq!(reader.secret("PLAIN").expose_secret(), "in-the-environment");
        assert_eq!(reader.exposed_secrets(), ["PLAIN"]);
        for name in ["TWICE", "EMPTY", "LOST"] {
            reader.secret(name);
        }
        let invalid = reader.finish(()).unwrap_err();
        let names: Vec<&str> = invalid.problems.iter().map(|p| p.name.as_str()).collect();
        assert_eq!(names, ["TWICE", "EMPTY_FILE", "LOST_FILE"]);
        std::fs::remove_file(path).unwrap();
        std::fs::remove_file(empty).unwrap();
    }

    #[test]
    fn an_unknown_mode_is_refused() {
        let source: &[(&str, &str)] = &[("SUKOON_MODE", "prod")];
        assert!(Reader::new(&source).finish(()).is_err());
    }

    #[test]
    fn maps_are_sources() {
        let map = BTreeMap::from([("A".to_owned(), "b".to_owned())]);
        assert_eq!(Source::get(&map, "A"), Some("b".to_owned()));
    }

    #[test]
    fn the_secret_before_may_be_absent() {
        let mut source = BTreeMap::from([("A_KEY".to_owned(), "new".to_owned())]);
        let read = |source: &BTreeMap<String, String>| {
            let secret = Reader::new(source).rotated_secret("A_KEY");
            secret.all().map(|one| one.expose_secret().to_owned()).collect::<Vec<_>>()
        };
        assert_eq!(read(&source), ["new"]);
        source.insert("A_KEY_PREVIOUS".to_owned(), "old".to_owned());
        assert_eq!(read(&source), ["new", "old"]);
    }
}
