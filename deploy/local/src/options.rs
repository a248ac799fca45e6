//! The settings of `make run` for operators. All other settings are derived from them.
use std::collections::BTreeSet;

use anyhow::{Result, bail};
use machine::environment::Environment;

const PORT: u16 = 8080;
const SANDBOX_PORT: u16 = 8090;
const READY_SECONDS: u64 = 120;
const RESTART_MS_MAX: u64 = 5000;

kernel::words! {
    /// How the services run. Both forms have the same databases, so that a practice moves between
    /// them.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub(crate) enum Form {
        /// Each is a process, and NATS carries their events.
        Many = "many",
        /// All are one process, which needs no NATS.
        Small = "small",
    }
}

/// The practice's addresses and limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// How the services run; `FORM`.
    pub(crate) form: Form,
    /// The address on which the gateway and the sandbox listen: loopback, unless a phone on the
    /// same network has to reach the site.
    pub(crate) host: String,
    /// The gateway's port.
    pub(crate) port: u16,
    /// The sandbox's port.
    pub(crate) sandbox_port: u16,
    /// The practice's URL for browsers.
    pub(crate) public_url: String,
    /// The sandbox's URL for browsers.
    pub(crate) sandbox_url: String,
    /// The URL of its checkout frame: another origin than the script's, as at a real provider.
    pub(crate) frame_url: String,
    /// How long the processes may take until they are ready.
    pub(crate) ready_seconds: u64,
    /// The longest pause before a process is restarted.
    pub(crate) restart_ms_max: u64,
}

impl Options {
    /// Reads the settings. The error names an invalid value in one sentence.
    pub(crate) fn read(environment: &Environment) -> Result<Self> {
        let host = environment.get("SUKOON_HOST").unwrap_or("127.0.0.1").to_owned();
        let port = number(environment, "PORT", PORT)?;
        let sandbox_port = number(environment, "SANDBOX_PORT", SANDBOX_PORT)?;
        // A port of 0 is chosen before anything listens.
        if port == sandbox_port && port != 0 {
            bail!("PORT and SANDBOX_PORT are both {port}; give each its own");
        }
        // A browser cannot open the address 0.0.0.0.
        let seen = if host == "0.0.0.0" { "127.0.0.1" } else { host.as_str() };
        let url = |name: &str, port: u16| {
            let default = || format!("http://{seen}:{port}");
            environment.get(name).map_or_else(default, |url| url.trim_end_matches('/').to_owned())
        };
        let sandbox_url = url("SANDBOX_PUBLIC_URL", sandbox_port);
        // Loopback has two host names and so two origins; any other address has one.
        let frame_url = match environment.get("SANDBOX_FRAME_URL") {
            Some(url) => url.trim_end_matches('/').to_owned(),
            None => sandbox_url.replacen("://127.0.0.1:", "://localhost:", 1),
        };
        Ok(Self {
            form: form(environment)?,
            public_url: url("PUBLIC_URL", port),
            sandbox_url,
            frame_url,
            ready_seconds: number(environment, "SUKOON_READY_SECONDS", READY_SECONDS)?,
            restart_ms_max: number(environment, "SUKOON_RESTART_MS_MAX", RESTART_MS_MAX)?,
            host,
            port,
            sandbox_port,
        })
    }

    /// The origins of the sandbox's checkout: those of its script and its frame, and those of the
    /// risk script and the beacon. An address that other machines can reach has only one origin.
    pub(crate) fn checkout_origins(&self) -> Vec<String> {
        let mut origins = vec![self.sandbox_url.clone(), self.frame_url.clone()];
        for name in ["risk", "beacon"] {
            let there = format!("://{name}.localhost:");
            let url = self.sandbox_url.replacen("://127.0.0.1:", &there, 1);
            origins.push(url.replacen("://localhost:", &there, 1));
        }
        let mut seen = BTreeSet::new();
        origins.retain(|origin| seen.insert(origin.clone()));
        origins
    }
}

fn form(environment: &Environment) -> Result<Form> {
    let word = environment.get("FORM").unwrap_or("many");
    word.parse().map_err(|error| anyhow::anyhow!("FORM is {word}: {error}"))
}

fn number<N: std::str::FromStr>(environment: &Environment, name: &str, default: N) -> Result<N> {
    let Some(text) = environment.get(name) else {
        return Ok(default);
    };
    let Ok(number) = text.parse() else { bail!("{name} is {text}, which is not a usable number") };
    Ok(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_settings_the_practice_is_at_the_usual_address() {
        let options = Options::read(&Environment::default()).unwrap();
        assert_eq!(options.public_url, "http://127.0.0.1:8080");
        assert_eq!(options.sandbox_url, "http://127.0.0.1:8090");
        assert_eq!(options.frame_url, "http://localhost:8090");
        let origins = options.checkout_origins();
        assert_eq!(origins[2..], ["http://risk.localhost:8090", "http://beacon.localhost:8090"]);
    }

    #[test]
    fn a_moved_port_moves_the_address() {
        let environment = Environment::from([("PORT", "9000"), ("SUKOON_HOST", "0.0.0.0")]);
        let options = Options::read(&environment).unwrap();
        assert_eq!(options.public_url, "http://127.0.0.1:9000");
        let seen = [("SANDBOX_PUBLIC_URL", "http://192.168.1.5:8090/")];
        let options = Options::read(&Environment::from(seen)).unwrap();
        assert_eq!(
            options.frame_url, "http://192.168.1.5:8090",
            "a phone has no other name for it"
        );
        assert_eq!(options.checkout_origins(), ["http://192.168.1.5:8090"]);
    }

    #[test]
    fn the_form_is_many_unless_small_is_said() {
        let form = |word: &str| Options::read(&Environment::from([("FORM", word)])).ok();
        assert_eq!(Options::read(&Environment::default()).unwrap().form, Form::Many);
        assert_eq!(
            ["many", "small"].map(|word| form(word).unwrap().form),
            [Form::Many, Form::Small]
        );
        assert!(form("tiny").is_none());
    }

    #[test]
    fn a_bad_port_is_named() {
        for bad in ["none", "70000", "-1"] {
            let said = Options::read(&Environment::from([("PORT", bad)])).unwrap_err().to_string();
            assert!(said.contains("PORT") && said.contains(bad), "{said}");
        }
        let same = Environment::from([("PORT", "8090")]);
        assert!(Options::read(&same).is_err());
    }
}
