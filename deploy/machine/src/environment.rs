//! The process's environment, read once and passed on as a value.
use std::collections::BTreeMap;

/// Names and values of the environment. An empty value counts as missing.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    values: BTreeMap<String, String>,
}

impl Environment {
    /// Reads the process's own environment. Values that are not text are ignored.
    pub fn of_this_process() -> Self {
        let text = |(name, value): (std::ffi::OsString, std::ffi::OsString)| {
            Some((name.into_string().ok()?, value.into_string().ok()?))
        };
        Self { values: std::env::vars_os().filter_map(text).collect() }
    }

    /// The value of a setting, if it is set.
    pub fn get(&self, name: &str) -> Option<&str> {
        self.values.get(name).map(String::as_str).filter(|value| !value.is_empty())
    }

    /// All settings, in the order of their names; empty ones are missing.
    pub fn pairs(&self) -> impl Iterator<Item = (&str, &str)> {
        let pairs = self.values.iter().map(|(name, value)| (name.as_str(), value.as_str()));
        pairs.filter(|(_name, value)| !value.is_empty())
    }

    /// The same with further settings, which come first.
    pub fn with(&self, settings: impl Iterator<Item = (String, String)>) -> Self {
        let mut values = self.values.clone();
        values.extend(settings);
        Self { values }
    }

    /// Whether a switch is set to `1`, `true` or `yes`.
    pub fn is_on(&self, name: &str) -> bool {
        matches!(self.get(name), Some("1" | "true" | "yes"))
    }
}

impl<const N: usize> From<[(&str, &str); N]> for Environment {
    fn from(pairs: [(&str, &str); N]) -> Self {
        let own = |(name, value): (&str, &str)| (name.to_owned(), value.to_owned());
        Self { values: pairs.into_iter().map(own).collect() }
    }
}
