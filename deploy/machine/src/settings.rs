//! The settings of a process or a unit. Each of its secrets is in a file that only it reads.
use crate::secrets::SecretStore;
use anyhow::Result;

/// The settings of a process, in the order in which they were set.
#[derive(Debug)]
pub struct Settings<'a> {
    /// The process.
    pub process: &'static str,
    /// The secrets that they are made of.
    pub secrets: &'a mut SecretStore,
    /// The beginning of the paths at which the process sees its secrets; none where it sees them
    /// as they are written.
    pub secrets_at: Option<String>,
    /// Names and values; at first those that it inherits.
    pub pairs: Vec<(String, String)>,
}

impl Settings<'_> {
    /// The settings as lines of a file.
    pub fn lines(&self) -> String {
        lines(&self.pairs)
    }

    /// Sets one, whatever is inherited.
    pub fn set(&mut self, name: &str, value: impl Into<String>) {
        self.forget(name);
        self.pairs.push((name.to_owned(), value.into()));
    }

    /// Sets one that isn't inherited.
    pub fn set_default(&mut self, name: &str, value: impl Into<String>) {
        if !self.pairs.iter().any(|(known, _value)| known == name) {
            self.set(name, value);
        }
    }

    /// Names the file of a secret.
    pub fn set_secret(&mut self, name: &str, value: &str) -> Result<()> {
        self.forget(name);
        let path = self.secrets.setting_file(self.process, name, value)?;
        let path = match &self.secrets_at {
            Some(beginning) => format!("{beginning}{name}"),
            None => path.to_string_lossy().into_owned(),
        };
        self.pairs.push((format!("{name}_FILE"), path));
        Ok(())
    }

    /// The same for a word of the secrets, which is made if it is missing.
    pub fn set_word(&mut self, name: &str, word: &str) -> Result<()> {
        let value = self.secrets.get_or_create(word)?;
        self.set_secret(name, &value)
    }

    /// The same for a word that signs: the one before it is accepted, if there is one.
    pub fn set_signing_word(&mut self, name: &str, word: &str) -> Result<()> {
        if let Some(previous) = self.secrets.get(&format!("{word}-previous")) {
            self.set_secret(&format!("{name}_PREVIOUS"), &previous)?;
        }
        self.set_word(name, word)
    }

    /// Takes back what is inherited, in either of its two forms.
    fn forget(&mut self, name: &str) {
        let file = format!("{name}_FILE");
        self.pairs.retain(|(known, _value)| *known != name && *known != file);
    }
}

/// Settings as lines of a file, as systemd, shells and our programs read them.
pub fn lines(pairs: &[(String, String)]) -> String {
    let line = |(name, value): &(String, String)| {
        let quoted = value.replace('\'', "'\\''");
        format!("{name}='{quoted}'\n")
    };
    pairs.iter().map(line).collect()
}
