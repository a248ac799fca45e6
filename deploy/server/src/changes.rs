//! Which units have other settings than those with which they were started.
use super::layout::Layout;
use super::operations;
use super::units;
use anyhow::Result;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

/// The name under which it is kept with what the units were started.
const STARTED: &str = "started";

/// A number per unit that stands for the contents of its files.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Settings(BTreeMap<String, u64>);

impl Settings {
    /// Those of the files as they are now.
    pub(crate) fn of_files(layout: &Layout) -> Self {
        let watch = "sukoon-watch.service";
        let units = units::PARTS.into_iter().chain([watch]);
        Self(units.map(|unit| (unit.to_owned(), number(&files(layout, unit)))).collect())
    }

    /// Those with which the units were started, if a command has noted them.
    pub(crate) fn started(layout: &Layout) -> Option<Self> {
        let kept = operations::kept(layout, STARTED)?;
        let entries = kept.as_object()?.iter();
        Some(Self(entries.filter_map(|(unit, it)| Some((unit.clone(), it.as_u64()?))).collect()))
    }

    /// Notes that the units were started with these.
    pub(crate) fn keep(&self, layout: &Layout) -> Result<()> {
        let entries = self.0.iter().map(|(unit, number)| (unit.clone(), json!(number)));
        operations::keep(layout, STARTED, &Value::Object(entries.collect()))
    }

    /// The units that have others in `later`.
    pub(crate) fn changed(&self, later: &Self) -> Vec<String> {
        let is_other = |unit: &&String| self.0.get(*unit) != later.0.get(*unit);
        later.0.keys().filter(is_other).cloned().collect()
    }
}

/// The files that a unit reads when it starts; a folder stands for what lies in it.
fn files(layout: &Layout, unit: &str) -> Vec<PathBuf> {
    let at = |name: &str| layout.configuration().join(name);
    let part = units::short(unit);
    match part {
        "caddy" => vec![at("Caddyfile"), at("Caddyfile.d")],
        "nats" => vec![at("nats.conf"), at("nats-users.conf")],
        "postgres" => ["postgresql.conf", "pg_hba.conf", "pg_ident.conf"].map(at).into(),
        "watch" => vec![layout.environment_file("alarm")],
        _ => vec![
            layout.environment_file("practice"),
            layout.environment_file(part),
            layout.secrets().join("settings").join(part),
            at("own.env"),
        ],
    }
}

fn number(paths: &[PathBuf]) -> u64 {
    let mut hasher = DefaultHasher::new();
    for path in paths {
        add(path, &mut hasher);
    }
    hasher.finish()
}

fn add(path: &Path, hasher: &mut DefaultHasher) {
    if let Ok(entries) = fs::read_dir(path) {
        let mut inside: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
        inside.sort();
        inside.iter().for_each(|path| add(path, hasher));
    } else if let Ok(bytes) = fs::read(path) {
        (path, bytes).hash(hasher);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use machine::environment::Environment;

    #[test]
    fn a_unit_starts_again_for_its_own_settings_and_for_those_of_all() {
        let root = std::env::temp_dir().join(format!("sukoon-changes-{}", std::process::id()));
        let layout = Layout::of(&Environment::from([("SUKOON_ROOT", root.to_str().unwrap())]));
        let write = |name: &str, text: &str| {
            let file = layout.configuration().join(name);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        };
        let changed = |name: &str| {
            let before = Settings::of_files(&layout);
            write(name, "another");
            before.changed(&Settings::of_files(&layout))
        };
        write("env/notifications.env", "one");
        assert_eq!(changed("env/notifications.env"), ["sukoon@notifications.service"]);
        assert_eq!(changed("env/notifications.env"), Vec::<String>::new());
        let secret = "secrets/settings/payments/PAYMENTS_KEY_SECRET";
        assert_eq!(changed(secret), ["sukoon@payments.service"]);
        assert_eq!(changed("Caddyfile.d/own"), ["sukoon-caddy.service"]);
        assert_eq!(changed("env/alarm.env"), ["sukoon-watch.service"]);
        let all = changed("own.env");
        assert_eq!(all.len(), 7, "{all:?}");
        let now = Settings::of_files(&layout);
        assert_eq!(Settings::started(&layout), None);
        now.keep(&layout).unwrap();
        assert_eq!(Settings::started(&layout), Some(now));
        fs::remove_dir_all(root).unwrap();
    }
}
