//! Rules for who may depend on whom, read from the manifests.
use crate::tree::SourceFile;
use std::collections::BTreeSet;

/// The shared crates, in the order in which they may build on each other.
const SHARED: [&str; 9] = [
    "kernel",
    "contract",
    "practice",
    "runtime",
    "staff",
    "eventstore",
    "messaging",
    "service",
    "testkit",
];
/// The library crates of `sukoon`, which no other part uses.
const OF_SUKOON: [&str; 3] = ["machine", "server", "staff-commands"];
/// Crates that may use few of ours or none, because they play third parties, or only start us.
const CLOSED: [(&str, &[&str]); 6] = [
    ("machine", &[]),
    ("sandbox", &[]),
    ("server", &["kernel", "machine"]),
    ("staff-commands", &["contract", "kernel", "machine"]),
    ("sukoon", &["kernel", "machine", "server", "staff-commands"]),
    ("tidy", &[]),
];
/// The program that is all services and the gateway; it only chooses which of them it is.
const OF_ALL_SERVICES: &str = "services";
/// The checker judges what all services left behind, by their own rules.
const JUDGES_ALL_SERVICES: &str = "checker";
/// Tests of the whole: they may use every crate, and nothing but tests uses them.
const OF_THE_WHOLE: [&str; 3] = ["load", "simulation", "system"];
/// The gateway has no database and decides nothing.
const GATEWAY_MAY: [&str; 3] = ["kernel", "contract", "runtime"];

/// One of our crates with those of our crates that it depends on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Crate {
    /// Its name.
    pub name: String,
    /// The folder of its manifest.
    pub folder: String,
    /// What it needs to run.
    pub dependencies: BTreeSet<String>,
    /// What its tests need besides.
    pub test_dependencies: BTreeSet<String>,
}

/// Reads the manifests of all our crates.
#[must_use]
pub fn crates(files: &[SourceFile]) -> Vec<Crate> {
    let manifests = files.iter().filter(|file| file.name() == "Cargo.toml");
    manifests.filter_map(read).collect()
}

fn read(file: &SourceFile) -> Option<Crate> {
    let manifest: toml::Table = file.text.parse().ok()?;
    let name = manifest.get("package")?.get("name")?.as_str()?.to_owned();
    let table = |key: &str| {
        let table = manifest.get(key).and_then(toml::Value::as_table);
        table.map(|table| table.keys().cloned().collect()).unwrap_or_default()
    };
    let folder = file.path.trim_end_matches("Cargo.toml").trim_end_matches('/').to_owned();
    let test_dependencies = table("dev-dependencies");
    Some(Crate { name, folder, dependencies: table("dependencies"), test_dependencies })
}

impl Crate {
    /// Whether it is one of the services.
    #[must_use]
    pub fn is_service(&self) -> bool {
        self.folder.starts_with("services/") && !self.is_shared()
    }

    fn is_shared(&self) -> bool {
        self.folder.starts_with("services/shared/")
    }

    fn all(&self) -> impl Iterator<Item = &String> {
        self.dependencies.iter().chain(&self.test_dependencies)
    }
}

fn knows_services(from: &str) -> bool {
    from == OF_ALL_SERVICES || from == JUDGES_ALL_SERVICES || OF_THE_WHOLE.contains(&from)
}

/// Dependencies that go the wrong way.
#[must_use]
pub fn crossings(crates: &[Crate]) -> Vec<String> {
    let names: BTreeSet<&str> = crates.iter().map(|one| one.name.as_str()).collect();
    let services: BTreeSet<&str> =
        crates.iter().filter(|one| one.is_service()).map(|one| one.name.as_str()).collect();
    let mut faults = Vec::new();
    for one in crates {
        let from = one.name.as_str();
        let mut refuse = |to: &str, why: &str| faults.push(format!("{from} uses {to}: {why}"));
        for to in one.all().map(String::as_str).filter(|to| names.contains(to)) {
            if OF_THE_WHOLE.contains(&to) && !OF_THE_WHOLE.contains(&from) {
                refuse(to, "only tests of the whole use it");
            } else if OF_ALL_SERVICES == to {
                refuse(to, "it is a program and nothing else");
            } else if JUDGES_ALL_SERVICES == to && !OF_THE_WHOLE.contains(&from) {
                refuse(to, "others run it as a program");
            } else if services.contains(to) && !knows_services(from) {
                refuse(to, "a service's crate belongs to that service alone");
            } else if to == "gateway" && !knows_services(from) {
                refuse(to, "nothing builds on the gateway");
            } else if may_not(from, to) {
                refuse(to, "it must stand alone");
            } else if OF_SUKOON.contains(&to) && !may_use_few(from) {
                refuse(to, "it is a part of `sukoon`");
            } else if to == "testkit"
                && one.dependencies.contains(to)
                && !OF_THE_WHOLE.contains(&from)
            {
                refuse(to, "only tests use it");
            }
        }
        let run = one.dependencies.iter().map(String::as_str);
        for to in run.filter(|to| names.contains(to)) {
            if from == "gateway" && !GATEWAY_MAY.contains(&to) {
                refuse(to, "the gateway has no database and decides nothing");
            }
            if one.is_shared() && order(to) >= order(from) {
                refuse(to, "shared crates build on each other in one order");
            }
        }
    }
    faults
}

fn may_use_few(from: &str) -> bool {
    CLOSED.iter().any(|(name, _may)| *name == from)
}

fn may_not(from: &str, to: &str) -> bool {
    CLOSED.iter().any(|(name, may)| *name == from && !may.contains(&to))
}

fn order(name: &str) -> usize {
    SHARED.iter().position(|shared| *shared == name).unwrap_or(SHARED.len())
}

/// Shared crates that are not in the list.
#[must_use]
pub fn unknown_shared(crates: &[Crate]) -> Vec<String> {
    let shared = crates.iter().filter(|one| one.is_shared());
    let unknown = shared.filter(|one| !SHARED.contains(&one.name.as_str()));
    unknown
        .map(|one| format!("{} is a new shared crate; say why in ARCHITECTURE.md", one.name))
        .collect()
}

/// Versions that a manifest names by itself instead of taking the workspace's.
#[must_use]
pub fn own_versions(file: &SourceFile) -> Vec<String> {
    let Ok(manifest) = file.text.parse::<toml::Table>() else {
        return vec![format!("{} cannot be read", file.path)];
    };
    let mut faults = Vec::new();
    for key in ["dependencies", "dev-dependencies", "build-dependencies"] {
        let table = manifest.get(key).and_then(toml::Value::as_table);
        for (name, wanted) in table.into_iter().flatten() {
            let shared = wanted.get("workspace").and_then(toml::Value::as_bool) == Some(true);
            if !shared && wanted.get("path").is_none() {
                faults.push(format!("{}: {name} should take the workspace's version", file.path));
            }
        }
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    fn manifest(folder: &str, name: &str, rest: &str) -> SourceFile {
        let text = format!("[package]\nname = \"{name}\"\n{rest}");
        SourceFile::sample(&format!("{folder}/Cargo.toml"), &text)
    }

    fn faults(from: &str, name: &str, rest: &str) -> Vec<String> {
        let files = [
            manifest("services/payments", "payments", ""),
            manifest("services/shared/kernel", "kernel", ""),
            manifest("services/shared/eventstore", "eventstore", ""),
            manifest("services/shared/testkit", "testkit", ""),
            manifest(from, name, rest),
        ];
        crossings(&crates(&files))
    }

    #[test]
    fn a_service_that_uses_another_is_found_even_in_its_tests() {
        let used = "[dependencies]\npayments.workspace = true\n";
        assert_eq!(faults("services/booking", "booking", used).len(), 1);
        let tested = "[dev-dependencies]\npayments = { path = \"../payments\" }\n";
        assert_eq!(faults("services/booking", "booking", tested).len(), 1);
    }

    #[test]
    fn only_tests_of_the_whole_may_use_services() {
        let used = "[dependencies]\npayments.workspace = true\n";
        assert!(faults("tests/simulation", "simulation", used).is_empty());
        let used = "[dependencies]\nsimulation.workspace = true\n";
        let files = [
            manifest("tests/simulation", "simulation", ""),
            manifest("services/booking", "booking", used),
        ];
        assert_eq!(crossings(&crates(&files)).len(), 1);
    }

    #[test]
    fn the_program_of_all_services_uses_them_and_is_used_by_none() {
        let used = "[dependencies]\npayments.workspace = true\n";
        assert!(faults("deploy/services", "services", used).is_empty());
        let used = "[dependencies]\nservices = { path = \"../../deploy/services\" }\n";
        let files =
            [manifest("deploy/services", "services", ""), manifest("tests/system", "system", used)];
        assert_eq!(crossings(&crates(&files)).len(), 1);
    }

    #[test]
    fn the_checker_uses_services_and_only_tests_of_the_whole_use_it() {
        let used = "[dependencies]\npayments.workspace = true\n";
        assert!(faults("deploy/checker", "checker", used).is_empty());
        let used = "[dependencies]\nchecker = { path = \"../checker\" }\n";
        let of = |folder: &str, name: &str| {
            crossings(&crates(&[
                manifest("deploy/checker", "checker", ""),
                manifest(folder, name, used),
            ]))
        };
        assert_eq!(of("deploy/local", "sukoon").len(), 1);
        assert!(of("tests/system", "system").is_empty());
    }

    #[test]
    fn a_gateway_with_a_database_is_found() {
        let used = "[dependencies]\neventstore.workspace = true\n";
        assert_eq!(faults("gateway", "gateway", used).len(), 1);
    }

    #[test]
    fn the_wrong_order_of_shared_crates_is_found() {
        let used = "[dependencies]\neventstore.workspace = true\n";
        assert_eq!(faults("services/shared/contract", "contract", used).len(), 1);
        assert!(faults("services/shared/messaging", "messaging", used).is_empty());
    }

    #[test]
    fn a_stand_in_that_uses_our_crates_is_found() {
        let used = "[dependencies]\nkernel.workspace = true\n";
        assert_eq!(faults("deploy/sandbox", "sandbox", used).len(), 1);
    }

    #[test]
    fn the_parts_of_sukoon_are_used_in_one_direction_and_by_no_other() {
        let of = |folder: &str, name: &str, to: &str| {
            let files = [
                manifest("deploy/machine", "machine", ""),
                manifest("deploy/staff", "staff-commands", ""),
                manifest("services/booking", "booking", ""),
                manifest(folder, name, &format!("[dependencies]\n{to}.workspace = true\n")),
            ];
            crossings(&crates(&files)).len()
        };
        assert_eq!(of("deploy/local", "sukoon", "staff-commands"), 0);
        assert_eq!(of("deploy/staff", "staff-commands", "machine"), 0);
        assert_eq!(of("deploy/staff", "staff-commands", "booking"), 1);
        assert_eq!(of("deploy/machine", "machine", "staff-commands"), 1);
        assert_eq!(of("services/booking", "booking", "machine"), 1);
        assert_eq!(of("deploy/sandbox", "sandbox", "machine"), 1);
    }

    #[test]
    fn the_test_kit_in_a_program_is_found() {
        let used = "[dependencies]\ntestkit.workspace = true\n";
        assert_eq!(faults("services/booking", "booking", used).len(), 1);
        let tested = "[dev-dependencies]\ntestkit.workspace = true\n";
        assert!(faults("services/booking", "booking", tested).is_empty());
    }

    #[test]
    fn a_seventh_shared_crate_is_found() {
        let files = [manifest("services/shared/clock", "clock", "")];
        assert_eq!(unknown_shared(&crates(&files)).len(), 1);
    }

    #[test]
    fn a_version_of_its_own_is_found() {
        let own = manifest("services/booking", "booking", "[dependencies]\nserde = \"1\"\n");
        assert_eq!(own_versions(&own).len(), 1);
    }
}
