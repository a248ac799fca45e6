//! The ports of a run: those that its parts use among themselves, and those of the site and of the
//! sandbox where PORT and SANDBOX_PORT are 0. Ports of an earlier run are used again while they are
//! free.
use std::fs;
use std::path::Path;

use anyhow::Result;

use crate::process_specs::{INTERNAL_PORTS, Ports};
use machine::environment::Environment;
use machine::ports::Reservations;
use machine::secrets;

/// The settings of public ports, each with that of the address in which 0 stands for the port, too.
const PUBLIC: [(&str, &str); 2] = [("PORT", "PUBLIC_URL"), ("SANDBOX_PORT", "SANDBOX_PUBLIC_URL")];

/// What was chosen; no other Sukoon chooses these ports while it lives.
pub(crate) struct ChosenPorts {
    /// The ports that parts use among themselves, by part and purpose.
    pub(crate) internal: Ports,
    /// The environment, with a port where it had 0.
    pub(crate) environment: Environment,
    pub(crate) reservations: Reservations,
}

/// Chooses the ports of a practice in the folder `data`, and writes them down there.
pub(crate) fn choose(environment: &Environment, data: &Path) -> Result<ChosenPorts> {
    let file = data.join("ports.json");
    let earlier: Ports =
        serde_json::from_slice(&fs::read(&file).unwrap_or_default()).unwrap_or_default();
    let mut reservations = Reservations::default();
    let mut take = |key: &str| {
        let again = earlier.get(key).copied().filter(|port| reservations.reserve(*port));
        again.map_or_else(|| reservations.choose(), Ok)
    };
    let mut internal = Ports::new();
    for (part, purpose) in INTERNAL_PORTS {
        let key = format!("{part} {purpose}");
        let port = take(&key)?;
        internal.insert(key, port);
    }
    let mut all = internal.clone();
    let mut settings = Vec::new();
    for (name, url) in PUBLIC.into_iter().filter(|(name, _)| environment.get(name) == Some("0")) {
        let port = take(name)?;
        all.insert(name.to_owned(), port);
        settings.push((name.to_owned(), port.to_string()));
        if let Some(before) = environment.get(url).and_then(|url| url.strip_suffix(":0")) {
            settings.push((url.to_owned(), format!("{before}:{port}")));
        }
    }
    secrets::write_private(&file, &serde_json::to_vec_pretty(&all)?)?;
    let environment = environment.with(settings.into_iter());
    Ok(ChosenPorts { internal, environment, reservations })
}

#[cfg(test)]
mod tests {
    use super::choose;
    use crate::options::Options;
    use machine::environment::Environment;

    #[test]
    fn a_port_of_0_is_chosen_and_stays_that_of_the_folder() {
        let data = std::env::temp_dir().join(format!("sukoon-ports-{}", std::process::id()));
        std::fs::create_dir_all(&data).unwrap();
        let settings = [("PORT", "0"), ("SANDBOX_PORT", "0"), ("PUBLIC_URL", "http://localhost:0")];
        let chosen = choose(&Environment::from(settings), &data).unwrap();
        let options = Options::read(&chosen.environment).unwrap();
        assert!(options.port >= 20_000 && options.sandbox_port >= 20_000, "{options:?}");
        assert_ne!(options.port, options.sandbox_port);
        assert_eq!(options.public_url, format!("http://localhost:{}", options.port));
        assert_eq!(options.sandbox_url, format!("http://127.0.0.1:{}", options.sandbox_port));
        drop(chosen);
        let written = std::fs::read(data.join("ports.json")).unwrap();
        let written: serde_json::Value = serde_json::from_slice(&written).unwrap();
        assert_eq!(written["PORT"], options.port);
        let named = Environment::from([("PORT", "8123")]);
        let kept = choose(&named, &data).unwrap();
        assert_eq!(kept.environment.get("PORT"), Some("8123"));
        std::fs::remove_dir_all(&data).unwrap();
    }
}
