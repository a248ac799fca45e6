//! The units of the package: each is closed as far as it can be, and starts what there is.
#![expect(clippy::unwrap_used, reason = "a helper that meets the unexpected fails its test there")]

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The most of ten that a unit may be exposed, by systemd's own judgement, in tenths.
const EXPOSURE_MAX: u32 = 25;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../vm/systemd")
}

/// The services among the units, with their texts.
fn services() -> Vec<(String, String)> {
    let files = fs::read_dir(folder()).unwrap().map(|entry| entry.unwrap().path());
    let services = files.filter(|path| path.extension().is_some_and(|it| it == "service"));
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().into_owned();
    services.map(|path| (name(&path), fs::read_to_string(&path).unwrap())).collect()
}

/// What systemd says of a unit in tenths, for example 14 of "1.4 OK".
fn exposure(said: &str) -> u32 {
    let line = said.lines().rfind(|line| line.contains("Overall exposure level")).unwrap();
    let figure = line.rsplit_once(": ").unwrap().1.split_whitespace().next().unwrap();
    let (whole, tenth) = figure.split_once('.').unwrap();
    whole.parse::<u32>().unwrap() * 10 + tenth.parse::<u32>().unwrap()
}

#[test]
fn every_service_is_closed_as_far_as_it_can_be() {
    let scratch = std::env::temp_dir().join(format!("sukoon-units-{}", std::process::id()));
    fs::create_dir_all(&scratch).unwrap();
    for (name, text) in services() {
        // A template is judged as one of its instances.
        let unit = scratch.join(name.replace("@.service", "@booking.service"));
        fs::write(&unit, text.replace("@POSTGRES@", "/usr/lib/postgresql/15/bin")).unwrap();
        let mut analyze = Command::new("systemd-analyze");
        analyze.args(["security", "--offline=true", "--no-pager"]).arg(&unit);
        let done =
            analyze.output().expect("systemd-analyze, of Debian's package systemd, is there");
        let said = String::from_utf8_lossy(&done.stdout).into_owned();
        assert!(exposure(&said) <= EXPOSURE_MAX, "{name}: {said}");
    }
    fs::remove_dir_all(scratch).unwrap();
}

#[test]
fn no_service_runs_as_root_or_may_fill_the_memory() {
    for (name, text) in services() {
        let has = |line: &str| text.lines().any(|it| it.starts_with(line));
        assert!(has("User=sukoon-") || has("DynamicUser=yes"), "{name} runs as root");
        assert!(has("MemoryMax=") || name == "sukoon-postgres.service", "{name} has no bound");
        assert!(has("TasksMax=") || has("DynamicUser=yes"), "{name} may fork without a bound");
    }
}

#[test]
fn every_user_of_a_unit_is_made_by_the_package() {
    let users = fs::read_to_string(folder().join("../debian/sysusers.conf")).unwrap();
    let made: BTreeSet<&str> = users
        .lines()
        .filter_map(|line| line.strip_prefix("u ")?.split_whitespace().next())
        .collect();
    for (name, text) in services() {
        for user in text.lines().filter_map(|line| line.strip_prefix("User=")) {
            let all = ["booking", "catalogue", "gateway", "identity", "notifications", "payments"];
            let instances = all.iter().chain(&["reviews"]);
            let named: Vec<String> = match user.strip_suffix("%i") {
                Some(prefix) => instances.map(|it| format!("{prefix}{it}")).collect(),
                None => vec![user.to_owned()],
            };
            let missing: Vec<_> = named.iter().filter(|it| !made.contains(it.as_str())).collect();
            assert!(missing.is_empty(), "{name} runs as {missing:?}, whom nothing makes");
        }
    }
}

#[test]
fn the_target_starts_what_the_package_has() {
    let target = fs::read_to_string(folder().join("sukoon.target")).unwrap();
    let wanted = target.lines().filter_map(|line| line.strip_prefix("Wants="));
    for unit in wanted.flat_map(str::split_whitespace) {
        let file = match unit.split_once('@') {
            Some((template, _)) => format!("{template}@.service"),
            None => unit.to_owned(),
        };
        assert!(folder().join(&file).is_file(), "{unit} is wanted and not there");
    }
}

#[test]
fn the_drill_may_set_the_owner_of_what_it_restores() {
    let (_, text) =
        services().into_iter().find(|(name, _)| name == "sukoon-drill.service").unwrap();
    let filters: Vec<&str> =
        text.lines().filter_map(|line| line.strip_prefix("SystemCallFilter=")).collect();
    let refused = filters.iter().position(|it| *it == "~@privileged").unwrap();
    // The later line counts.
    assert!(filters.iter().skip(refused).any(|it| *it == "@chown"), "{filters:?}");
}

#[test]
fn a_unit_whose_settings_name_secrets_is_handed_them() {
    let named = |name: &str| services().into_iter().find(|(it, _)| it == name).unwrap().1;
    for (unit, folder) in [("sukoon@.service", "%i"), ("sukoon-migrate.service", "migrate")] {
        let line = format!("LoadCredential=secret:/etc/sukoon/secrets/settings/{folder}");
        assert!(named(unit).lines().any(|it| it == line), "{unit} lacks {line}");
    }
}

#[test]
fn nothing_gives_up_for_good() {
    for (name, text) in services() {
        let has = |line: &str| text.lines().any(|it| it == line);
        if has("Type=oneshot") {
            continue;
        }
        let unit = text.split("[Service]").next().unwrap();
        assert!(has("Restart=always"), "{name} stays away");
        assert!(unit.contains("\nStartLimitIntervalSec=0\n"), "{name} gives up");
        assert!(has("RestartMaxDelaySec=60"), "{name} may wait for longer than a minute");
    }
}

#[test]
fn what_needs_the_cluster_does_not_end_with_it() {
    for (name, text) in services() {
        let ends_with = |line: &str| {
            let (key, units) = line.split_once('=').unwrap_or_default();
            ["Requires", "BindsTo", "PartOf", "Requisite"].contains(&key)
                && units.contains("sukoon-postgres")
        };
        assert!(!text.lines().any(ends_with), "{name} stays away when PostgreSQL was stopped");
    }
}
